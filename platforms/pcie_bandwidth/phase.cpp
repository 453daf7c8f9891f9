#include "platforms/pcie_bandwidth/phase.h"

#include <algorithm>

namespace railyard::pcie_bandwidth {

Phase::Phase(System& system, const PcieConfig& config, std::uint64_t size, std::uint8_t number)
    : system_(system),
      config_(config),
      size_(size),
      number_(number),
      prefix_("size" + std::to_string(size) + ".") {
  for (const pcie::Port* port : system.ports()) lines_.push_back({port, {}});
  const Pattern pattern = config.traffic.pattern;
  if (pattern != Pattern::kRead) add_streams(writes_, true);
  if (pattern == Pattern::kRead || pattern == Pattern::kBoth) add_streams(reads_, false);
  register_all();
}

void Phase::add_streams(Kind& kind, bool writes) {
  const std::size_t step = config_.traffic.pattern == Pattern::kPeer ? 2 : 1;
  auto& devices = system_.devices();
  for (std::size_t i = 0; i < devices.size(); i += step) {
    kind.streams.push_back(writes ? &devices[i]->writes() : &devices[i]->reads());
  }
  kind.before.resize(kind.streams.size());
  for (const pcie::Port* port : writes ? system_.write_bottleneck() : system_.read_bottleneck()) {
    const auto at = std::find_if(lines_.begin(), lines_.end(),
                                 [&](const Line& line) { return line.port == port; });
    kind.bottleneck.push_back(static_cast<std::size_t>(at - lines_.begin()));
  }
}

StreamShape Phase::shape_of(std::size_t device, bool writes) const {
  const TrafficConfig& traffic = config_.traffic;
  StreamShape shape;
  shape.size = static_cast<std::uint32_t>(size_);
  shape.stride = traffic.stride_of(size_);
  shape.slots = traffic.slots_of(size_);
  shape.outstanding = traffic.outstanding_of(size_);
  shape.relaxed = traffic.relaxed;
  shape.fenced = traffic.fenced;
  shape.carried = config_.carried();
  shape.salt = number_;
  if (traffic.peers()) {
    Device& peer = *system_.devices()[device ^ 1U];
    shape.base = peer.memory_address() + traffic.offset;
    shape.memory = &peer.memory();
    shape.memory_base = traffic.offset;
  } else {
    const host::HostMemoryConfig& memory = config_.host.memory;
    const std::uint64_t region = 2 * device + (writes ? 0 : 1);
    shape.base =
        memory.base + traffic.memory_node * memory.size + region * traffic.region + traffic.offset;
    shape.memory = &system_.host().memory();
    shape.memory_base = shape.base;
  }
  return shape;
}

void Phase::prepare() {
  const std::size_t step = config_.traffic.pattern == Pattern::kPeer ? 2 : 1;
  for (Kind* kind : {&writes_, &reads_}) {
    for (std::size_t i = 0; i < kind->streams.size(); ++i) {
      kind->streams[i]->set_shape(shape_of(i * step, kind == &writes_), *this);
    }
  }
  if (config_.ideal()) {
    for (Kind* kind : {&writes_, &reads_}) kind->ceiling = ideal_ceiling(*kind);
    return;
  }
  const Kind& any = writes_.streams.empty() ? reads_ : writes_;
  cost_ = cost_of(any.streams.front()->shape(), system_.rules());
  const Rate rate = config_.link.rate();
  if (!writes_.streams.empty()) {
    writes_.ceiling = write_ceiling(cost_, rate, writes_.bottleneck.size());
  }
  if (reads_.streams.empty()) return;
  const ReadCeiling reads =
      read_ceiling(cost_, rate, reads_.bottleneck.size(), writes_.bottleneck.size());
  reads_.ceiling = reads.data;
  if (reads.by_requests) reads_.bottleneck = writes_.bottleneck;
}

void Phase::begin() {
  state_ = State::kAlone;
  const std::uint64_t address = shape_of(0, reads_.streams.empty()).base;
  system_.devices().front()->reads().alone(
      address, pcie::next_request(address, size_, system_.rules().max_read_request), *this);
}

// Little's law: so many bytes a request, so many requests in the time of one.
void Phase::alone_done(Stream& /*stream*/, Time latency) {
  alone_ = latency;
  if (!config_.ideal() && !reads_.streams.empty()) {
    const auto devices = static_cast<double>(reads_.streams.size());
    reads_.tag_bound = devices * system_.tags() * static_cast<double>(size_) / cost_.read_tlps /
                       static_cast<double>(latency);
  }
  begin_all();
}

void Phase::begin_all() {
  state_ = State::kRamp;
  for (Kind* kind : {&writes_, &reads_}) {
    running_ += kind->streams.size();
    for (Stream* stream : kind->streams) stream->begin();
  }
}

bool Phase::all_have(std::uint64_t transfers) const {
  for (const Kind* kind : {&writes_, &reads_}) {
    for (std::size_t i = 0; i < kind->streams.size(); ++i) {
      if (kind->streams[i]->done() < kind->before[i] + transfers) return false;
    }
  }
  return true;
}

void Phase::transfer_done(Stream& stream, Time latency) {
  if (state_ == State::kRamp) {
    constexpr std::uint64_t kRamp = 2;
    if (all_have(kRamp * stream.shape().outstanding)) open();
  } else if (state_ == State::kWindow) {
    (stream.writes() ? writes_ : reads_).latency.record(static_cast<std::uint64_t>(latency));
    if (all_have(config_.traffic.transfers)) close();
  }
}

void Phase::open() {
  state_ = State::kWindow;
  opened_ = system_.partition().now();
  for (Kind* kind : {&writes_, &reads_}) {
    for (std::size_t i = 0; i < kind->streams.size(); ++i) {
      kind->before[i] = kind->streams[i]->done();
    }
  }
  take_times(true);
}

void Phase::close() {
  state_ = State::kDrain;
  window_ = system_.partition().now() - opened_;
  for (Kind* kind : {&writes_, &reads_}) {
    for (std::size_t i = 0; i < kind->streams.size(); ++i) {
      kind->bytes += (kind->streams[i]->done() - kind->before[i]) * size_;
      kind->streams[i]->stop();
    }
  }
  take_times(false);
  if (config_.ideal() || writes_.streams.empty() || reads_.streams.empty()) return;
  writes_.ceiling =
      write_ceiling(cost_, config_.link.rate(), writes_.bottleneck.size(), measured(reads_));
}

void Phase::take_times(bool opening) {
  const Time now = system_.partition().now();
  for (Line& line : lines_) {
    for (std::size_t i = 0; i < pcie::kLineUses; ++i) {
      const Time spent = line.port->line_time().spent(static_cast<pcie::LineUse>(i), now);
      line.spent[i] = opening ? spent : spent - line.spent[i];
    }
  }
}

void Phase::drained(Stream& /*stream*/) {
  if (--running_ > 0) return;
  state_ = State::kFinished;
  system_.devices().front()->function().interrupt(0);
}

std::uint64_t Phase::unfinished() const {
  std::uint64_t left = 0;
  for (const Kind* kind : {&writes_, &reads_}) {
    for (std::size_t i = 0; i < kind->streams.size(); ++i) {
      const Stream& stream = *kind->streams[i];
      if (state_ == State::kWaiting || state_ == State::kAlone || state_ == State::kRamp) {
        left += config_.traffic.transfers;
      } else if (state_ == State::kWindow) {
        const std::uint64_t done = stream.done() - kind->before[i];
        left += config_.traffic.transfers - std::min(done, config_.traffic.transfers);
      } else if (state_ == State::kDrain) {
        left += stream.in_flight();
      }
    }
  }
  return left;
}

double Phase::measured(const Kind& kind) const {
  return window_ == 0 ? 0.0 : static_cast<double>(kind.bytes) / static_cast<double>(window_);
}

// Each device has the bandwidth for itself, both ways.
double Phase::ideal_ceiling(const Kind& kind) const {
  return bytes_a_picosecond(config_.host.ideal.bandwidth, kind.streams.size());
}

double Phase::overhead(const Kind& kind) const {
  if (window_ == 0 || kind.bottleneck.empty()) return 0;
  Time taken = 0;
  for (const std::size_t line : kind.bottleneck) {
    for (const pcie::LineUse use : {pcie::LineUse::kDllp, pcie::LineUse::kSkip}) {
      taken += lines_[line].spent[static_cast<std::size_t>(use)];
    }
  }
  return static_cast<double>(taken) / static_cast<double>(window_) /
         static_cast<double>(kind.bottleneck.size());
}

}  // namespace railyard::pcie_bandwidth
