#include "hw/hbm/controller.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/observe/checker.h"

namespace railyard::hbm {

Bulk::Bulk(Controller& controller, Endpoint& endpoint, std::size_t pseudo_channels)
    : event(Event::of<&Bulk::look>(*this, endpoint, Phase::kAct)),
      owner(controller),
      left(pseudo_channels) {}

void Bulk::look() { owner.look_at(*this); }

Controller::Controller(const std::string& name, Partition& partition, const HbmConfig& config)
    : name_(name),
      partition_(partition),
      settings_(config),
      map_(config.organisation, config.map),
      capacity_(config.capacity()),
      bulk_endpoint_(partition.endpoint(name + ".bulk")) {
  const Organisation& o = settings_.config.organisation;
  for (unsigned i = 0; i < o.total_channels(); ++i) {
    const std::string channel = name + ".stack" + std::to_string(i / o.channels) + ".channel" +
                                std::to_string(i % o.channels);
    channels_.emplace_back(channel, partition, settings_, i, static_cast<EndListener&>(*this),
                           static_cast<ChannelClient&>(*this), listeners_);
  }
  add_metrics();
}

Controller::~Controller() = default;

double Controller::peak() const {
  const Organisation& o = settings_.config.organisation;
  return static_cast<double>(settings_.config.timing.pin_rate) * o.pins / 8 *
         o.total_pseudo_channels();
}

void Controller::access(Access& access) {
  const std::uint64_t end = access.address + access.bytes;
  if (access.bytes == 0 || end < access.address || end > capacity_) {
    throw std::out_of_range(name_ + " has no such range");
  }
  if (!begun_) start_watching();
  ++under_way_;
  access.given_at = partition_.now();
  access.done_tick = 0;
  const Tick at = settings_.ticks(partition_.now() + settings_.config.controller.front_latency);
  const unsigned unit = settings_.config.organisation.access_bytes;
  const std::uint64_t first = access.address / unit;
  const std::uint64_t last = (end - 1) / unit;
  if (first != last) {
    start_bulk(access, first, last, at);
    return;
  }
  const Place place = map_.place(first * unit);
  access.left = 1;
  access.bulk = 0;
  Channel& channel = channels_[place.channel];
  channel.catch_up();
  channel.single_came(access.write);
  arrive(access, place, at);
  channel.rearm();
  hasten_bulks(place.channel * settings_.config.organisation.pseudo_channels +
               place.pseudo_channel);
}

void Controller::arrive(Access& access, const Place& place, Tick at) {
  channels_[place.channel].arrive(place.pseudo_channel,
                                  {&access, at, place.row, place.column, place.bank, access.write});
}

void Controller::start_bulk(Access& access, std::uint64_t first, std::uint64_t last, Tick at) {
  const Organisation& o = settings_.config.organisation;
  Bulk& bulk = acquire();
  bulk.access = &access;
  access.bulk = bulk.number;
  access.left = static_cast<std::uint32_t>(last - first + 1);
  for (std::uint64_t piece = first; piece <= last; ++piece) {
    const Place place = map_.place(piece * o.access_bytes);
    const unsigned index = place.channel * o.pseudo_channels + place.pseudo_channel;
    if (bulk.left[index]++ == 0 && std::find(bulk.channels.begin(), bulk.channels.end(),
                                             place.channel) == bulk.channels.end()) {
      bulk.channels.push_back(place.channel);
      channels_[place.channel].catch_up();
    }
    arrive(access, place, at);
  }
  // What it shares channels with may end otherwise than was thought.
  for (const unsigned channel : bulk.channels) channels_[channel].rearm();
  look_at(bulk);
  for (unsigned index = 0; index < bulk.left.size(); ++index) {
    if (bulk.left[index] > 0) hasten_bulks(index);
  }
}

Bulk& Controller::acquire() {
  if (free_bulks_.empty()) {
    bulks_.emplace_back(*this, bulk_endpoint_,
                        settings_.config.organisation.total_pseudo_channels());
    bulks_.back().number = static_cast<std::uint32_t>(bulks_.size());
    return bulks_.back();
  }
  Bulk& bulk = bulks_[free_bulks_.back() - 1];
  free_bulks_.pop_back();
  return bulk;
}

void Controller::piece_done(Access& access, unsigned pseudo_channel, Tick end) {
  access.done_tick = std::max(access.done_tick, end);
  --access.left;
  if (access.bulk != 0) {
    --bulks_[access.bulk - 1].left[pseudo_channel];
  } else if (access.left == 0) {
    channels_[pseudo_channel / settings_.config.organisation.pseudo_channels].single_ends(access);
  }
}

void Controller::piece_added(Access& access, unsigned pseudo_channel) {
  ++access.left;
  if (access.bulk != 0) ++bulks_[access.bulk - 1].left[pseudo_channel];
}

// Its end, if that is known; else a time before which it cannot be: each pseudo-channel sends one
// piece after the other.
Time Controller::earliest_end(Bulk& bulk) {
  const unsigned each = settings_.config.organisation.pseudo_channels;
  const Access& access = *bulk.access;
  for (const unsigned channel : bulk.channels) channels_[channel].catch_up();
  Tick end = access.done_tick;
  for (const unsigned channel : bulk.channels) {
    for (unsigned i = 0; i < each; ++i) {
      const unsigned left = bulk.left[channel * each + i];
      if (left == 0) continue;
      PseudoChannel& pc = channels_[channel].pseudo_channel(i);
      pc.settle();
      end = std::max(end, pc.earliest_end(access.write, left));
    }
  }
  return settings_.end_time(end);
}

void Controller::look_at(Bulk& bulk) {
  const Time now = partition_.now();
  const Time at = earliest_end(bulk);
  Access& access = *bulk.access;
  if (access.left == 0 && at < now)
    break_invariant(name_, now, "a bulk ended before anybody looked");
  if (access.left > 0 || at > now) {
    partition_.scheduler().schedule(bulk.event, at);
    return;
  }
  bulk.access = nullptr;
  bulk.channels.clear();
  free_bulks_.push_back(bulk.number);
  finish(access);
}

// What comes to a pseudo-channel may have its writes drained sooner than was thought, as they are
// many or as a read waits for one; nothing else makes what waits already end sooner.
void Controller::hasten_bulks(unsigned pseudo_channel) {
  if (settings_.config.controller.write_response == WriteResponse::kAccepted) return;
  for (Bulk& bulk : bulks_) {
    if (bulk.left[pseudo_channel] == 0 || !bulk.access->write || !bulk.event.pending()) continue;
    const Time at = std::max(earliest_end(bulk), partition_.now());
    if (at < bulk.event.time()) partition_.scheduler().schedule(bulk.event, at);
  }
}

void Controller::finish(Access& access) {
  --under_way_;
  (access.write ? bytes_written_ : bytes_read_).add(access.bytes);
  (access.write ? write_latency_ : read_latency_)
      .record(static_cast<std::uint64_t>(partition_.now() - access.given_at));
  access.client->access_done(access);
}

void Controller::catch_up() {
  for (Channel& channel : channels_) channel.catch_up();
}

// The first access finds who looks at probes.
void Controller::start_watching() {
  begun_ = true;
  for (Channel& channel : channels_) {
    if (channel.watched()) channel.set_eager();
  }
}

std::uint64_t Controller::commands(Command command) const {
  std::uint64_t sum = 0;
  for (const Channel& channel : channels_) {
    sum += channel.counts().commands[static_cast<std::size_t>(command)];
  }
  return sum;
}

std::vector<BoundCount> Controller::bound_counts() const {
  std::vector<BoundCount> bounds;
  const std::vector<std::string>& causes = settings_.rules.causes();
  for (std::size_t cause = 0; cause < causes.size(); ++cause) {
    for (std::size_t command = 0; command < kCommands; ++command) {
      std::uint64_t count = 0;
      for (const Channel& channel : channels_) count += channel.counts().causes[cause][command];
      if (count > 0) {
        bounds.push_back({causes[cause].c_str(), static_cast<Command>(command), count});
      }
    }
  }
  return bounds;
}

}  // namespace railyard::hbm
