#include "platforms/rdma_perf/program.h"

#include <algorithm>

#include "platforms/rdma_perf/bandwidth_loop.h"
#include "platforms/rdma_perf/latency_loop.h"

namespace railyard::rdma_perf {

std::vector<Program::Phase> Program::phases() const {
  std::vector<Phase> phases;
  for (std::size_t i = 0; i < config_.sizes.size(); ++i) {
    if (!config_.mixed || phases.empty()) phases.emplace_back();
    phases.back().push_back(i);
  }
  return phases;
}

/// Of a connection's memory: room for its largest message, or for the page that small ones walk
/// round in.
std::uint64_t Program::half() const {
  constexpr std::uint64_t kPage = AddressSpace::kPageBytes;
  std::uint64_t largest = kPage;
  for (const Bytes& size : config_.sizes) largest = std::max<std::uint64_t>(largest, size);
  return (largest + kPage - 1) / kPage * kPage;
}

void Program::run(Core& core, AddressSpace& memory) {
  memory_ = &memory;
  Device device(core);
  const std::size_t most = roles_.size() * config_.qps * (config_.mixed ? config_.sizes.size() : 1);
  buffer_ = std::make_unique<Buffer>(device.pd(), 2 * half() * most);
  for (const Phase& phase : phases()) run_phase(device, phase);
  buffer_.reset();
  ++setting_.results.finished;
}

void Program::open_queues(Device& device, std::size_t connections) {
  const std::uint64_t most = (1U << 22) - 1;  // of a completion queue
  const auto entries = [&](std::uint32_t each) {
    return static_cast<int>(std::min<std::uint64_t>(connections * each, most));
  };
  if (config_.events) {
    queues_.channel = ibv_create_comp_channel(device.context());
    device.check(queues_.channel != nullptr, "ibv_create_comp_channel");
  }
  queues_.send =
      ibv_create_cq(device.context(), entries(config_.depth), nullptr, queues_.channel, 0);
  const std::uint32_t receives = config_.test == Test::kSend ? config_.receive_depth : 1;
  queues_.receive = ibv_create_cq(device.context(), entries(receives), nullptr, queues_.channel, 0);
  device.check(queues_.send != nullptr && queues_.receive != nullptr, "ibv_create_cq");
}

void Program::close_queues() {
  connections_.clear();
  ibv_destroy_cq(queues_.receive);
  ibv_destroy_cq(queues_.send);
  if (queues_.channel != nullptr) ibv_destroy_comp_channel(queues_.channel);
  queues_ = {};
}

void Program::run_phase(Device& device, const Phase& phase) {
  open_queues(device, roles_.size() * phase.size() * config_.qps);
  for (const Role& role : roles_) {
    for (const std::size_t group : phase) {
      for (std::uint32_t q = 0; q < config_.qps; ++q) {
        const ConnectionId id{role.pair, group, q, role.client};
        auto made =
            std::make_unique<Connection>(device, config_, id, config_.sizes[group], queues_);
        made->set_memory(*buffer_, connections_.size() * 2 * half(), half());
        made->publish(setting_.board);
        connections_.push_back(std::move(made));
      }
    }
  }
  setting_.board.meet(device.core());
  for (const auto& connection : connections_) {
    connection->connect(setting_.board);
    if (setting_.carried) connection->write_pattern();
  }
  measure(device, phase);
  setting_.board.meet(device.core());
  check_bytes();
  close_queues();
}

void Program::measure(Device& device, const Phase& phase) {
  if (config_.measure == Measure::kLatency) {
    LatencyLoop loop(device, *memory_, setting_, *connections_.front(), queues_, phase.front());
    loop.prepare();
    setting_.board.meet(device.core());
    loop.run();
    return;
  }
  BandwidthLoop loop(device, setting_, connections_, queues_);
  loop.prepare();
  setting_.board.meet(device.core());
  loop.run();
}

// Only where something comes to: a READ's to who posts, everything else's to the other side.
void Program::check_bytes() {
  if (!setting_.carried || config_.measure == Measure::kLatency) return;
  const bool here = config_.bidirectional || client() == (config_.test == Test::kRead);
  if (!here) return;
  for (const auto& connection : connections_) {
    setting_.results.wrong_bytes += connection->wrong_bytes(config_.iterations);
  }
}

}  // namespace railyard::rdma_perf
