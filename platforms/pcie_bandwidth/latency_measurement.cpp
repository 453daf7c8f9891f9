#include "platforms/pcie_bandwidth/latency_measurement.h"

namespace railyard::pcie_bandwidth {

LatencyMeasurement::LatencyMeasurement(System& system, const PcieConfig& config)
    : system_(system), config_(config), reads_(config.traffic.sizes.size()) {
  StatisticsRegistry& statistics = system.partition().statistics();
  constexpr auto kPerNs = static_cast<double>(kNanosecond);
  statistics.add(doorbell_,
                 {"doorbell_latency_ns", "ns", "From a core's store to its arrival in the device"},
                 kPerNs);
  statistics.add(register_read_,
                 {"register_read_latency_ns", "ns", "What a core waits for a device's register"},
                 kPerNs);
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    statistics.add(reads_[i],
                   {"size" + std::to_string(config.traffic.sizes[i]) + ".read_latency_ns", "ns",
                    "From a read of memory's being given to its last byte"},
                   kPerNs);
  }
}

// Until the device has answered, and until nothing of it is under way; not a whole multiple of
// anything, so that skip ordered sets are met by chance.
void LatencyMeasurement::rest(Core& core) {
  constexpr Time kPause = 2 * kMicrosecond;
  constexpr Time kStep = 37 * kNanosecond;
  constexpr std::uint64_t kSteps = 41;
  do {
    core.spend(kPause + kStep * static_cast<Time>(rounds_ % kSteps));
  } while (waiting_);
}

void LatencyMeasurement::run(Core& core) {
  Device& device = *system_.devices().front();
  device.on_doorbell([this](std::uint64_t /*value*/) {
    waiting_ = false;
    doorbell_.record(static_cast<std::uint64_t>(system_.partition().now() - rang_));
  });
  const host::HostMemoryConfig& memory = config_.host.memory;
  for (size_ = 0; size_ < reads_.size(); ++size_) {
    const std::uint64_t node = memory.base + config_.traffic.memory_node * memory.size;
    const std::uint64_t slots = config_.traffic.slots_of(config_.traffic.sizes[size_]);
    const std::uint64_t stride = config_.traffic.stride_of(config_.traffic.sizes[size_]);
    for (std::uint64_t i = 0; i < config_.traffic.transfers; ++i, ++rounds_) {
      rang_ = core.now();
      waiting_ = true;
      core.store(device.doorbell_address(), i, 8);
      rest(core);
      const Time before = core.now();
      core.load(device.register_address(), 8);
      register_read_.record(static_cast<std::uint64_t>(core.now() - before));
      rest(core);
      waiting_ = true;
      device.reads().alone(node + config_.traffic.offset + i % slots * stride,
                           static_cast<std::uint32_t>(config_.traffic.sizes[size_]), *this);
      rest(core);
    }
  }
}

void LatencyMeasurement::alone_done(Stream& /*stream*/, Time latency) {
  waiting_ = false;
  reads_[size_].record(static_cast<std::uint64_t>(latency));
}

std::uint64_t LatencyMeasurement::unfinished() const {
  return config_.traffic.transfers * reads_.size() - rounds_;
}

std::vector<std::string> LatencyMeasurement::summary() const {
  std::vector<std::string> roots = {"doorbell_latency_ns", "register_read_latency_ns"};
  for (const Bytes& size : config_.traffic.sizes) {
    roots.push_back("size" + std::to_string(size) + ".read_latency_ns");
  }
  std::vector<std::string> names;
  for (const std::string& root : roots) {
    for (const char* part : {"_min", "_p50", "_p99", "_max"}) names.push_back(root + part);
  }
  if (config_.ideal()) return names;
  for (const char* stage :
       {"tag", "transmit", "line", "switch", "root", "translation", "memory", "device"}) {
    names.push_back(std::string("dev0.dma.read_stage.") + stage + "_ns");
  }
  names.emplace_back("dev0.dma.request_latency_ns_mean");
  return names;
}

}  // namespace railyard::pcie_bandwidth
