#include "hw/host/memory.h"

#include <algorithm>

#include "tlm/observe/checker.h"

namespace railyard::host {

HostMemory::Lane::Lane(HostMemory& owner, Node& of, const std::string& name)
    : event(Event::of<&Lane::fire>(*this, owner.lazy_.partition().endpoint(name), Phase::kArrival)),
      memory(owner),
      node(of) {}

HostMemory::Node::Node(HostMemory& owner, const std::string& name)
    : clock(owner.config_.bandwidth),
      local(owner, *this, name + ".local"),
      remote(owner, *this, name + ".remote") {}

HostMemory::HostMemory(const std::string& name, LazyScheduler& lazy, const HostMemoryConfig& config,
                       DataMode data)
    : name_(name), lazy_(lazy), config_(config), data_(data) {
  for (unsigned i = 0; i < config_.nodes; ++i) {
    const std::string node_name = name + ".node" + std::to_string(i);
    add_metrics(*nodes_.emplace_back(std::make_unique<Node>(*this, node_name)), node_name);
    sides_.emplace_back(*this, i);
  }
}

void HostMemory::add_metrics(Node& node, const std::string& name) {
  StatisticsRegistry& statistics = lazy_.partition().statistics();
  statistics.add(node.bytes_read, {name + ".bytes_read", "B", "Bytes read from the node's memory"});
  statistics.add(node.bytes_written,
                 {name + ".bytes_written", "B", "Bytes written to the node's memory"});
  statistics.add(
      node.queue_wait,
      {name + ".queue_wait", "ns", "From an access's arrival to its start: others' bytes first"},
      static_cast<double>(kNanosecond));
  statistics.add(node.outstanding, {name + ".outstanding", "accesses",
                                    "Accesses from devices that wait or are under way"});
  statistics.add_derived(
      {name + ".utilisation", "fraction", "Bytes moved over those that the bandwidth allows"},
      [this, &node](Time /*now*/, Time measured) {
        const auto bytes =
            static_cast<double>(node.bytes_read.value() + node.bytes_written.value());
        const double seconds = static_cast<double>(measured) / static_cast<double>(kSecond);
        const double most = seconds * config_.bandwidth.bits_per_second() / 8;
        return MetricValue::of(measured == 0 ? 0 : bytes / most);
      });
  lazy_.partition().probes().add(node.depth_probe,
                                 {name + ".queue_depth",
                                  ProbeKind::kUnsigned,
                                  16,
                                  "accesses",
                                  "Accesses from devices that wait or are under way",
                                  {}});
  statistics.on_reset([&node](Time now) { node.outstanding.reset(now); });
}

// The burst goes on, with its fraction of a picosecond, unless the node has been idle.
Time HostMemory::start_of(Node& node, std::uint64_t bytes, bool write) {
  const Time now = lazy_.now();
  if (node.clock.now() < now) node.clock.start(now);
  const Time start = node.clock.now();
  node.clock.advance(bytes);
  (write ? node.bytes_written : node.bytes_read).add(bytes);
  node.queue_wait.record(static_cast<std::uint64_t>(start - now));
  return start;
}

void HostMemory::access_from(unsigned from, Ref<pcie::MemoryAccess> access) {
  access->failed = !covers(access->address, access->bytes);
  const unsigned at = access->failed ? from : node_of(access->address);
  Node& node = *nodes_[at];
  const Time start = access->failed ? lazy_.now() : start_of(node, access->bytes, access->write);
  Lane& lane = at == from ? node.local : node.remote;
  access->done_at = start + config_.latency + (at == from ? 0 : config_.remote_latency);
  if (!lane.event.pending()) lazy_.schedule(lane.event, access->done_at);
  lane.accesses.push(std::move(access));
  node.set_depth(node.depth + 1, lazy_.now());
}

// One that failed takes no bandwidth, but its turn: it may come out behind its own time.
void HostMemory::finish(Lane& lane) {
  const Time now = lazy_.now();
  while (!lane.accesses.empty() && lane.accesses.front()->done_at <= now) {
    const Ref<pcie::MemoryAccess> access = lane.accesses.pop();
    lane.node.set_depth(lane.node.depth - 1, now);
    if (!access->failed && !access->write) sample(*access);
    access->client->memory_done(*access);
  }
  if (!lane.accesses.empty()) lazy_.schedule(lane.event, lane.accesses.front()->done_at);
}

void HostMemory::sample(pcie::MemoryAccess& access) const {
  if (!access.payload) return;
  bytes_.read(access.address, access.payload->data() + access.payload_offset, access.bytes);
}

void HostMemory::commit(pcie::MemoryAccess& access) {
  if (access.failed || access.bytes == 0) return;
  if (!access.write) {
    sample(access);
    return;
  }
  if (access.payload) {
    const std::uint8_t* from = access.payload->data() + access.payload_offset;
    const auto first = static_cast<unsigned>(access.address & 3U);
    if (first + access.bytes > 4) {
      bytes_.write(access.address, from, access.bytes);
    } else {
      for (unsigned i = 0; i < access.bytes; ++i) {
        if ((access.byte_enables >> (first + i) & 1U) == 0) continue;
        bytes_.write(access.address + i, from + i, 1);
      }
    }
  }
  tell(access.address, access.bytes);
}

Time HostMemory::reserve(unsigned from, std::uint64_t address, std::uint64_t bytes, bool write) {
  constexpr std::uint64_t kMostAtOnce = SparseMemory::kPageBytes;
  Time done = lazy_.now();
  while (bytes > 0) {
    const std::uint64_t piece = std::min(bytes, kMostAtOnce - address % kMostAtOnce);
    const unsigned at = node_of(address);
    const Time start = start_of(*nodes_[at], piece, write);
    done = std::max(done, start + config_.latency + (at == from ? 0 : config_.remote_latency));
    address += piece;
    bytes -= piece;
  }
  return done;
}

void HostMemory::write(std::uint64_t address, const std::uint8_t* from, std::uint64_t bytes) {
  bytes_.write(address, from, bytes);
  tell(address, bytes);
}

bool HostMemory::watched(std::uint64_t address, std::uint64_t bytes) const {
  for (const Watch& watch : watches_) {
    if (address < watch.end && watch.begin < address + bytes) return true;
  }
  return false;
}

void HostMemory::tell(std::uint64_t address, std::uint64_t bytes) {
  if (watches_.empty()) return;
  for (const Watch& watch : watches_) {
    if (address >= watch.end || watch.begin >= address + bytes) continue;
    lazy_.on_time(name_);
    watch.watcher->memory_written();
  }
}

void HostMemory::watch(MemoryWatcher& watcher, std::uint64_t address, std::uint64_t bytes) {
  watches_.push_back({address, address + bytes, &watcher});
  if (watch_added_) watch_added_(address, bytes);
}

void HostMemory::unwatch(MemoryWatcher& watcher) {
  const auto mine = [&watcher](const Watch& watch) { return watch.watcher == &watcher; };
  watches_.erase(std::remove_if(watches_.begin(), watches_.end(), mine), watches_.end());
}

}  // namespace railyard::host
