#include "hw/hbm/channel.h"

#include <algorithm>
#include <utility>

#include "tlm/observe/checker.h"

namespace railyard::hbm {

Channel::Channel(const std::string& name, Partition& partition, const Settings& settings,
                 unsigned number, EndListener& ends, ChannelClient& client,
                 std::vector<CommandListener*>& listeners)
    : name_(name),
      partition_(partition),
      parts_{settings, number, BusTimes(settings.rules), ends, listeners, {}, 0},
      client_(client),
      wake_(Event::of<&Channel::wake>(*this, partition.endpoint(name), Phase::kAct)),
      writes_(Event::of<&Channel::look_after_writes>(*this, partition.endpoint(name + ".writes"),
                                                     Phase::kAct)) {
  parts_.counts.causes.resize(settings.rules.causes().size());
  const unsigned each = settings.config.organisation.pseudo_channels;
  for (unsigned i = 0; i < each; ++i) {
    pseudo_channels_.emplace_back(parts_, number * each + i);
    add_probes(name + ".pc" + std::to_string(i), probes_.emplace_back());
  }
}

void Channel::add_probes(const std::string& name, Probes& probes) {
  ProbeRegistry& registry = partition_.probes();
  const unsigned banks = parts_.settings.config.organisation.banks_per_pseudo_channel();
  const auto number = ProbeKind::kUnsigned;
  registry.add(probes.reads, {name + ".read_queue", number, 16, "requests", "Reads that wait", {}});
  registry.add(probes.writes,
               {name + ".write_queue", number, 16, "requests", "Writes that wait", {}});
  registry.add(probes.arriving, {name + ".arriving",
                                 number,
                                 32,
                                 "requests",
                                 "Requests before the queues, which are full",
                                 {}});
  registry.add(probes.open_banks,
               {name + ".open_banks", number, banks, "", "Banks with an open row, a bit each", {}});
  registry.add(probes.refreshing, {name + ".refresh_wanted",
                                   number,
                                   banks,
                                   "",
                                   "Banks that wait for their refresh, a bit each",
                                   {}});
  registry.add(probes.writing,
               {name + ".mode", ProbeKind::kEnum, 1, "", "What is served", {"reads", "writes"}});
}

bool Channel::watched() const {
  return std::any_of(probes_.begin(), probes_.end(), [](const Probes& p) {
    return p.reads.on() || p.writes.on() || p.arriving.on() || p.open_banks.on() ||
           p.refreshing.on() || p.writing.on();
  });
}

void Channel::show(Time now) {
  for (std::size_t i = 0; i < pseudo_channels_.size(); ++i) {
    const PseudoChannel& pc = pseudo_channels_[i];
    Probes& p = probes_[i];
    p.reads.set(pc.waiting(false), now);
    p.writes.set(pc.waiting(true), now);
    p.arriving.set(pc.arriving(), now);
    p.open_banks.set(pc.open_banks(), now);
    p.refreshing.set(pc.refreshing(), now);
    p.writing.set(pc.writing() ? 1 : 0, now);
  }
}

void Channel::reset_counts(Tick now) {
  for (PseudoChannel& pc : pseudo_channels_) pc.restart_busy(now);
  const std::size_t causes = parts_.counts.causes.size();
  parts_.counts = {};
  parts_.counts.causes.resize(causes);
}

Tick Channel::busy(Tick now) const {
  Tick busy = parts_.counts.busy;
  for (const PseudoChannel& pc : pseudo_channels_) busy += pc.busy_until(now);
  return busy;
}

void Channel::advance(Tick end) {
  if (end <= advanced_) return;
  advanced_ = end;
  PseudoChannel& one = pseudo_channels_.front();
  PseudoChannel& other = pseudo_channels_.back();  // the same, if there is one
  for (;;) {
    one.settle();
    other.settle();
    const bool second =
        PseudoChannel::before(other.next(), other.next_age(), one.next(), one.next_age());
    PseudoChannel& first = second ? other : one;
    if (first.next() >= end) return;
    first.step();
    one.buses_moved();
    other.buses_moved();
  }
}

void Channel::single_ends(Access& access) {
  --open_[access.write];
  const Tick tick = access.done_tick;
  ends_.push({tick, parts_.settings.end_time(tick), &access});
  // Most end in the order in which they are sent.
  for (std::size_t i = ends_.size() - 1; i > 0 && ends_[i].tick < ends_[i - 1].tick; --i) {
    std::swap(ends_[i], ends_[i - 1]);
  }
}

void Channel::wake() {
  const Time now = partition_.now();
  const Tick tick = parts_.settings.ticks(now);
  advance(tick);
  telling_ = true;
  while (!ends_.empty() && ends_.front().at <= now) {
    Access& access = *ends_.front().access;
    if (ends_.front().at < now) {
      break_invariant(name_, now, "an access ended before anybody looked");
    }
    ends_.pop();
    client_.single_done(access);
  }
  telling_ = false;
  if (eager_) show(now);
  rearm();
}

// Of those whose end is not known, not before the end of what was advanced to.
Tick Channel::next_end() {
  const Settings& s = parts_.settings;
  Tick end = ends_.empty() ? kNever : ends_.front().tick;
  for (const bool write : {false, true}) {
    if (open_[write] == 0) continue;
    const bool accepted = s.config.controller.write_response == WriteResponse::kAccepted;
    const Tick least = !write ? s.read_end : accepted ? kTicksPerClock : s.write_end;
    if (end <= advanced_ + least) continue;
    for (PseudoChannel& pc : pseudo_channels_) {
      pc.settle();
      end = std::min(end, pc.earliest_end(write, 1));
    }
  }
  return end;
}

void Channel::rearm() {
  if (telling_) return;
  const Settings& s = parts_.settings;
  Scheduler& scheduler = partition_.scheduler();
  const Tick end = next_end();
  Time at = kForever;
  if (!ends_.empty() && end == ends_.front().tick) {
    at = ends_.front().at;
  } else if (end < kNever) {
    at = s.end_time(end);
  }
  bool writes = false;
  for (PseudoChannel& pc : pseudo_channels_) {
    writes = writes || pc.writes_left() > 0;
    if (!eager_ || !pc.busy()) continue;
    pc.settle();
    at = std::min(at, s.time(pc.next() + 1));
  }
  if (at == kForever) {
    scheduler.cancel(wake_);
  } else if (at != wake_.time()) {
    scheduler.schedule(wake_, std::max(at, partition_.now()));
  }
  if (writes && !writes_.pending()) look_after_writes();
}

void Channel::look_after_writes() {
  const Settings& s = parts_.settings;
  catch_up();
  Tick end = 0;
  for (PseudoChannel& pc : pseudo_channels_) {
    if (pc.writes_left() == 0) continue;
    pc.settle();
    end = std::max(end, pc.earliest_column(pc.writes_left()) + s.write_end);
  }
  if (end == 0) return;
  partition_.scheduler().schedule(writes_, std::max(s.time(end), partition_.now() + 1));
}

}  // namespace railyard::hbm
