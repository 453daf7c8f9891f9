#include "hw/eth_switch/eth_switch.h"

#include <algorithm>
#include <utility>

#include "hw/eth_switch/switch_port.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/observe/checker.h"

namespace railyard {

namespace {

constexpr std::size_t kLoggedPauses = std::size_t{1} << 16;

DropReason reason_of(BufferDrop drop) {
  switch (drop) {
    case BufferDrop::kGroupThreshold:
      return DropReason::kGroupThreshold;
    case BufferDrop::kQueueThreshold:
      return DropReason::kQueueThreshold;
    case BufferDrop::kHeadroom:
    case BufferDrop::kNone:
      break;
  }
  return DropReason::kHeadroom;
}

PortClass group_of(const HeldFrame& frame) { return {frame.in, frame.priority}; }

}  // namespace

/// Looks at the accounts once more when the run is over.
class EthSwitch::EndChecker : public Checker {
 public:
  explicit EndChecker(EthSwitch& owner) : owner_(owner) {}
  void at_end(Time now, bool /*drained*/) override {
    if (const auto problem = owner_.check()) break_invariant(owner_.name(), now, *problem);
  }

 private:
  EthSwitch& owner_;
};

EthSwitch::EthSwitch(sc_core::sc_module_name name, Partition& partition, const SwitchConfig& config,
                     const std::vector<std::optional<SwitchLine>>& lines, SwitchStages stages,
                     Blocks* blocks)
    : sc_module(name),
      config_(config),
      partition_(partition),
      blocks_(blocks != nullptr ? *blocks : own_blocks_),
      largest_frame_(config.buffers.headroom.largest_frame),
      largest_lossless_frame_(
          std::min(largest_frame_, config.buffers.headroom.largest_lossless_frame)),
      queued_bytes_(lines.size()),
      loses_frames_(lines.size()),
      pause_log_(kLoggedPauses) {
  stages = with_defaults(std::move(stages));
  if (config_.buffers.pfc.enabled) {
    for (const std::uint8_t p : config_.buffers.pfc.priorities) {
      lossless_ = static_cast<std::uint8_t>(lossless_ | 1U << p);
      held_cells_[p].resize(lines.size() * lines.size());
    }
  }
  const Classifier classifier(config_.classifier);
  for (std::uint8_t p = 0; p < kPriorities; ++p) {
    traffic_classes_[p] = classifier.traffic_class(p);
    priorities_[traffic_classes_[p]] |= static_cast<std::uint8_t>(1U << p);
  }
  for (unsigned c = 0; c < dispatch_latency_.size(); ++c) {
    dispatch_latency_[c] = config_.dispatch_latency(c);
  }
  parser_ = stages.parser(config_);
  forwarding_ = std::make_unique<Forwarding>(
      lines.size(),
      make_load_balancer(config_.load_balance, partition.seed(), this->name(), queued_bytes_));
  build_buffers(lines, stages);
  const PipelineConfig& p = config_.pipeline;
  for (std::size_t i = 0; i < lines.size(); i += p.ports) {
    pipelines_.push_back({{p.parser, config_.clock},
                          {p.ingress, config_.clock},
                          {p.buffer, config_.clock},
                          {p.scheduler, config_.clock},
                          {p.egress, config_.clock}});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& port = ports_.emplace_back();
    if (!lines[i]) {
      forwarding_->set_link(static_cast<PortId>(i), false);
      continue;
    }
    const std::string port_name = "port" + std::to_string(i);
    const LinkConfig& link = lines[i]->link;
    if (!ClockedPauseReceiver::counts(link.rate, config_.clock)) {
      throw ConfigError(config_.buffers.mark.place(),
                        "512 bit times of a link of " + format_rate(link.rate) +
                            ", the unit of pauses, are 1,024 cycles of " +
                            format_time(config_.clock) + " or more",
                        "write a slower switch.clock, or a faster link");
    }
    loses_frames_[i] = link.bit_error_rate > 0 || link.drop_probability > 0;
    port = std::make_unique<SwitchPort>(port_name.c_str(), *this, static_cast<PortId>(i), *lines[i],
                                        stages);
  }
  partition.waits().add_source([this](std::vector<Wait>& waits) { append_waits(waits); });
  partition.add_checker<EndChecker>(*this);
  register_statistics();
}

EthSwitch::~EthSwitch() = default;

// Every slice knows all ports, for the queues of their egress; groups of other slices' ports have
// nothing in it.
void EthSwitch::build_buffers(const std::vector<std::optional<SwitchLine>>& lines,
                              const SwitchStages& stages) {
  std::vector<PortLine> cables;
  for (const auto& line : lines) {
    const LinkConfig& link = line ? line->link : LinkConfig{};
    cables.push_back(config_.port_line(link));
  }
  SharedBufferShape whole = buffer_shape(config_.buffers, cables);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i]) whole.ports[i].groups = {};
    if (!lines[i] && whole.ports[i].headroom_pool) whole.ports[i].headroom_pool = 0;
  }
  whole.cells /= config_.slices;
  if (config_.slices > 1) whole.what = "a slice of the buffer";
  for (std::size_t slice = 0; slice < config_.slices; ++slice) {
    SharedBufferShape shape = whole;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (slice_of(static_cast<PortId>(i)) == slice) continue;
      for (GroupShape& group : shape.ports[i].groups) group.reserved = group.headroom = 0;
      if (shape.ports[i].headroom_pool) shape.ports[i].headroom_pool = 0;
    }
    buffers_.push_back(stages.buffer(shape));
  }
}

std::optional<EthSwitch::Path> EthSwitch::find_path(SwitchPort& in, const net::Packet& packet) {
  Path path;
  path.parsed = parser_->parse(packet, in.id());
  const bool lossless = is_lossless(path.parsed.priority);
  if (packet.wire_bytes > (lossless ? largest_lossless_frame_ : largest_frame_)) {
    drop(in, DropReason::kOversize);
    return std::nullopt;
  }
  path.route = forwarding_->route(packet.frame, partition_.now());
  if (path.route.result == RouteResult::kRouted) return path;
  drop(in, path.route.result == RouteResult::kLinksDown ? DropReason::kLinkDown
                                                        : DropReason::kUnknownDestination);
  return std::nullopt;
}

void EthSwitch::store(SwitchPort& in, Ref<net::Packet> packet, const Path& path, Time at,
                      bool cut_through) {
  const Time now = partition_.now();
  const PortClass group{in.id(), path.parsed.priority};
  const PortClass queue{path.route.port, path.parsed.traffic_class};
  SwitchPort& out = *ports_[queue.port];
  if (!out.link_up()) return drop(in, DropReason::kLinkDown);
  if (out.discards(group.index)) return drop(in, DropReason::kWatchdog);
  const WredVerdict verdict = out.judge_arrival(queue.index, *packet, now);
  if (verdict == WredVerdict::kDrop) return drop(in, DropReason::kWred);

  const Admission admission = buffer_of(in.id()).admit(group, queue, packet->wire_bytes);
  if (admission.xoff) raise_xoff(in, group);
  if (!admission.accepted) return refuse(in, admission, group);

  if (is_lossless(group.index)) {
    held_cells(group.index, group.port, queue.port) += admission.cells;
    in.show_group(group.index);
  }
  Pipeline& pipeline = pipeline_of(in.id());
  const Time written = pipeline.buffer.enter(pipeline.ingress.enter(pipeline.parser.enter(at)));
  ++received_;
  ++held_;
  cells_ += admission.cells;
  note_buffer(now);
  account_for_frames();
  partition_.open_work();
  const std::uint32_t bytes = packet->wire_bytes;
  HeldFrame frame{std::move(packet),
                  written,
                  admission.cells,
                  bytes,
                  in.id(),
                  group.index,
                  queue.index,
                  cut_through,
                  verdict == WredVerdict::kMark};
  if (cut_through) cut_through_.add();
  out.push(std::move(frame));
}

// A lossless frame that finds its headroom full says that the headroom is too small, which only a
// size that was set by hand may be; or that an XOFF was lost, the link went down under a pause, or
// the watchdog of a peer of the same configuration sent in spite of it, which no headroom is for.
void EthSwitch::refuse(SwitchPort& in, const Admission& admission, PortClass group) {
  drop(in, reason_of(admission.drop));
  if (admission.drop != BufferDrop::kHeadroom) return;
  if (config_.buffers.headroom.rule == HeadroomRule::kByHand) return;
  if (in.pause_was_cut(group.index) || loses_frames_[in.id()]) return;
  const WatchdogConfig& watchdog = config_.watchdog;
  if (watchdog.enabled && watchdog.action == WatchdogAction::kForward) return;
  break_invariant(in.name(), partition_.now(),
                  "the headroom of lossless priority " + std::to_string(group.index) +
                      " overflowed: a frame of " + std::to_string(admission.cells) +
                      " cells was lost");
}

// The cause is the egress that holds most of what the group holds.
void EthSwitch::raise_xoff(SwitchPort& in, PortClass group) {
  const std::size_t ports = ports_.size();
  const auto row = held_cells_[group.index].begin() + static_cast<std::ptrdiff_t>(in.id() * ports);
  const auto most = std::max_element(row, row + static_cast<std::ptrdiff_t>(ports));
  const auto cause = static_cast<PortId>(most - row);
  const Time now = partition_.now();
  const bool cause_paused = ports_[cause] && ports_[cause]->paused(group.index);
  pause_log_.begin_sent({now, kForever, in.id(), group.index, cause, cause_paused});
  in.want_pause(group.index, true, cause);
}

void EthSwitch::release(const HeldFrame& frame, PortId out) {
  const PortClass group = group_of(frame);
  SwitchPort& in = *ports_[frame.in];
  const Time now = partition_.now();
  if (is_lossless(frame.priority)) held_cells(frame.priority, frame.in, out) -= frame.cells;
  const bool xon = buffer_of(frame.in).release(group, {out, frame.traffic_class}, frame.cells);
  --held_;
  cells_ -= frame.cells;
  partition_.close_work();
  note_buffer(now);
  if (is_lossless(frame.priority)) in.show_group(frame.priority);
  if (!xon) return;
  pause_log_.end_sent(in.id(), frame.priority, now);
  in.want_pause(frame.priority, false, out);
}

void EthSwitch::drop(SwitchPort& in, DropReason reason) {
  ++received_;
  ++dropped_all_;
  dropped_[static_cast<std::size_t>(reason)].add();
  in.count_drop();
  drop_moment_.raise(partition_.now());
  account_for_frames();
}

void EthSwitch::drop_held(const HeldFrame& frame, PortId out, DropReason reason) {
  ++dropped_all_;
  dropped_[static_cast<std::size_t>(reason)].add();
  ports_[frame.in]->count_drop();
  drop_moment_.raise(partition_.now());
  release(frame, out);
  account_for_frames();
}

void EthSwitch::account_for_frames() {
  if (received_ == forwarded_all_ + dropped_all_ + held_) return;
  break_invariant(name(), partition_.now(),
                  std::to_string(received_) + " frames came, but " +
                      std::to_string(forwarded_all_) + " left, " + std::to_string(dropped_all_) +
                      " were dropped and " + std::to_string(held_) + " are held");
}

void EthSwitch::note_buffer(Time now) {
  const std::uint64_t bytes = buffered_bytes();
  buffer_level_.set(bytes, now);
  buffer_probe_.set(bytes, now);
}

std::optional<std::string> EthSwitch::check() const {
  std::uint64_t frames = 0;
  std::uint64_t cells = 0;
  for (const auto& port : ports_) {
    if (!port) continue;
    frames += port->held_frames();
    std::uint64_t bytes = 0;
    port->for_each_held([&](const HeldFrame& frame) {
      cells += frame.cells;
      bytes += frame.bytes;
    });
    if (bytes < port->queued_bytes()) return "queues hold fewer bytes than were counted";
  }
  if (frames != held_) {
    return "queues hold " + std::to_string(frames) + " frames, counted are " +
           std::to_string(held_);
  }
  std::uint64_t counted = 0;
  for (const auto& buffer : buffers_) {
    if (auto problem = buffer->check()) return problem;
    counted += buffer->held();
  }
  if (cells != counted || cells_ != counted) {
    return "frames in the queues take " + std::to_string(cells) + " cells, the switch counts " +
           std::to_string(cells_) + ", the buffer " + std::to_string(counted);
  }
  return std::nullopt;
}

void EthSwitch::append_waits(std::vector<Wait>& waits) {
  for (const auto& port : ports_) {
    if (port) port->append_waits(waits);
  }
}

}  // namespace railyard
