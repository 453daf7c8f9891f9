#include "platforms/rdma_perf/program.h"

#include <algorithm>
#include <memory>

#include "platforms/rdma_perf/bandwidth_loop.h"
#include "platforms/rdma_perf/latency_loop.h"

namespace railyard::rdma_perf {

namespace {

/// What a program holds while it runs.
class Session {
 public:
  Session(Setting& setting, const std::vector<Role>& roles, Core& core, AddressSpace& memory)
      : setting_(setting),
        config_(setting.config),
        roles_(roles),
        memory_(memory),
        device_(core),
        buffer_(device_.pd(), buffer_bytes()) {}

  void run() {
    for (const Phase& phase : phases()) run_phase(phase);
  }

 private:
  /// Sizes that are measured at once.
  using Phase = std::vector<std::size_t>;

  std::vector<Phase> phases() const;
  void run_phase(const Phase& phase);
  void open_queues(std::size_t connections);
  void close_queues();
  void measure(const Phase& phase);
  void check_bytes();
  bool client() const { return roles_.front().client; }
  std::uint64_t half() const;
  std::size_t buffer_bytes() const;

  Setting& setting_;
  const TestConfig& config_;
  const std::vector<Role>& roles_;
  AddressSpace& memory_;
  Device device_;
  Buffer buffer_;
  CompletionQueues queues_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

std::vector<Session::Phase> Session::phases() const {
  std::vector<Phase> phases;
  for (std::size_t i = 0; i < config_.sizes.size(); ++i) {
    if (!config_.mixed || phases.empty()) phases.emplace_back();
    phases.back().push_back(i);
  }
  return phases;
}

/// Of a connection's memory: room for its largest message, or for the page that small ones walk
/// round in.
std::uint64_t Session::half() const {
  const std::uint64_t page = AddressSpace::kPageBytes;
  std::uint64_t largest = page;
  for (const Bytes& size : config_.sizes) largest = std::max<std::uint64_t>(largest, size);
  return (largest + page - 1) / page * page;
}

std::size_t Session::buffer_bytes() const {
  const std::size_t groups = config_.mixed ? config_.sizes.size() : 1;
  return 2 * half() * roles_.size() * config_.qps * groups;
}

void Session::open_queues(std::size_t connections) {
  const std::uint64_t most = (1U << 22) - 1;  // of a completion queue
  const auto entries = [&](std::uint32_t each) {
    return static_cast<int>(std::min<std::uint64_t>(connections * each, most));
  };
  if (config_.events) {
    queues_.channel = ibv_create_comp_channel(device_.context());
    device_.check(queues_.channel != nullptr, "ibv_create_comp_channel");
  }
  queues_.send =
      ibv_create_cq(device_.context(), entries(config_.depth), nullptr, queues_.channel, 0);
  const std::uint32_t receives = config_.test == TestKind::kSend ? config_.receive_depth : 1;
  queues_.receive =
      ibv_create_cq(device_.context(), entries(receives), nullptr, queues_.channel, 0);
  device_.check(queues_.send != nullptr && queues_.receive != nullptr, "ibv_create_cq");
}

void Session::close_queues() {
  connections_.clear();
  ibv_destroy_cq(queues_.receive);
  ibv_destroy_cq(queues_.send);
  if (queues_.channel != nullptr) ibv_destroy_comp_channel(queues_.channel);
  queues_ = {};
}

void Session::run_phase(const Phase& phase) {
  open_queues(roles_.size() * phase.size() * config_.qps);
  for (const Role& role : roles_) {
    for (const std::size_t group : phase) {
      for (std::uint32_t q = 0; q < config_.qps; ++q) {
        const ConnectionId id{role.pair, group, q, role.client};
        auto made =
            std::make_unique<Connection>(device_, config_, id, config_.sizes[group], queues_);
        made->set_memory(buffer_, connections_.size() * 2 * half(), half());
        made->publish(setting_.board);
        connections_.push_back(std::move(made));
      }
    }
  }
  setting_.board.meet(device_.core());
  for (const auto& connection : connections_) {
    connection->connect(setting_.board);
    if (setting_.carried) connection->write_pattern();
  }
  measure(phase);
  setting_.board.meet(device_.core());
  check_bytes();
  close_queues();
}

void Session::measure(const Phase& phase) {
  if (config_.measure == Measure::kLatency) {
    LatencyLoop loop(device_, memory_, setting_, *connections_.front(), queues_, phase.front());
    loop.prepare();
    setting_.board.meet(device_.core());
    loop.run();
    return;
  }
  BandwidthLoop loop(device_, setting_, connections_, queues_);
  loop.prepare();
  setting_.board.meet(device_.core());
  loop.run();
}

// Only where something comes to: a READ's to who posts, everything else's to the other side.
void Session::check_bytes() {
  if (!setting_.carried || config_.measure == Measure::kLatency) return;
  const bool here = config_.bidirectional || client() == (config_.test == TestKind::kRead);
  if (!here) return;
  for (const auto& connection : connections_) {
    setting_.results.wrong_bytes +=
        connection->wrong_bytes(config_.iterations_of(connection->bytes()));
  }
}

}  // namespace

void Program::run(Core& core, AddressSpace& memory) {
  Session(setting_, roles_, core, memory).run();
  ++setting_.results.finished;
}

}  // namespace railyard::rdma_perf
