#include "hw/hbm/controller.h"

namespace railyard::hbm {
namespace {

MetricValue share(Tick part, double whole) {
  return MetricValue::of(whole <= 0 ? 0.0 : 100.0 * static_cast<double>(part) / whole);
}

std::uint64_t columns(const ChannelCounts& counts) {
  std::uint64_t sum = 0;
  for (const Command c :
       {Command::kRead, Command::kReadAuto, Command::kWrite, Command::kWriteAuto}) {
    sum += counts.commands[static_cast<std::size_t>(c)];
  }
  return sum;
}

}  // namespace

void Controller::add_metrics() {
  StatisticsRegistry& statistics = partition_.statistics();
  statistics.before_look([this] { catch_up(); });
  statistics.on_reset([this](Time now) {
    for (Channel& channel : channels_) channel.reset_counts(settings_.ticks(now));
  });
  const auto ns = static_cast<double>(kNanosecond);
  statistics.add(bytes_read_, {name_ + ".bytes_read", "B", "Bytes of reads that are done"});
  statistics.add(bytes_written_, {name_ + ".bytes_written", "B", "Bytes of writes that are done"});
  statistics.add(read_latency_, {name_ + ".read_latency", "ns", "From a read to its data"}, ns);
  statistics.add(write_latency_,
                 {name_ + ".write_latency", "ns", "From a write to its being accepted or written"},
                 ns);
  for (std::size_t i = 0; i < kCommands; ++i) {
    const auto command = static_cast<Command>(i);
    statistics.add_derived(
        {name_ + ".commands_" + metric_name_of(command), "commands",
         std::string("Commands ") + name_of(command)},
        [this, command](Time, Time) { return MetricValue::of(commands(command)); });
  }
  add_total("row_hits", "accesses", "Column commands to a row that was open", &ChannelCounts::hits);
  add_total("row_misses", "accesses", "Those for which a closed bank was opened",
            &ChannelCounts::misses);
  add_total("row_conflicts", "accesses", "Those for which another row was closed first",
            &ChannelCounts::conflicts);
  add_total("forwarded", "reads", "Reads answered from the write queue", &ChannelCounts::forwarded);
  add_total("turnarounds", "times", "Changes between reads and writes",
            &ChannelCounts::turnarounds);
  if (settings_.config.controller.ecc.mode == EccMode::kInline) {
    add_total("ecc_reads", "accesses", "Extra reads of codes", &ChannelCounts::ecc_reads);
    add_total("ecc_writes", "accesses", "Extra writes of codes", &ChannelCounts::ecc_writes);
  }
  for (const Channel& channel : channels_) add_channel_metrics(channel);
}

void Controller::add_total(const char* metric, const char* unit, const char* doc,
                           std::uint64_t ChannelCounts::*count) {
  partition_.statistics().add_derived({name_ + "." + metric, unit, doc}, [this, count](Time, Time) {
    std::uint64_t sum = 0;
    for (const Channel& channel : channels_) sum += channel.counts().*count;
    return MetricValue::of(sum);
  });
}

// Over the channel's own time: a channel without work does not make another one look better.
void Controller::add_channel_metrics(const Channel& channel) {
  StatisticsRegistry& statistics = partition_.statistics();
  const std::string& name = channel.name();
  const auto data = [this, &channel] {
    return static_cast<Tick>(columns(channel.counts()) * settings_.config.timing.burst *
                             kTicksPerClock);
  };
  statistics.add_derived(
      {name + ".utilisation", "%", "Share of the time in which the data buses carried data"},
      [this, data](Time, Time measured) {
        const unsigned each = settings_.config.organisation.pseudo_channels;
        return share(data(), static_cast<double>(settings_.ticks(measured)) * each);
      });
  statistics.add_derived(
      {name + ".busy_utilisation", "%", "The same, of the time with requests alone"},
      [this, data, &channel](Time now, Time) {
        return share(data(), static_cast<double>(channel.busy(settings_.ticks(now))));
      });
  statistics.add_derived(
      {name + ".refreshes", "commands", "REFab and REFpb"}, [&channel](Time, Time) {
        const auto& commands = channel.counts().commands;
        return MetricValue::of(commands[static_cast<std::size_t>(Command::kRefreshAll)] +
                               commands[static_cast<std::size_t>(Command::kRefreshBank)]);
      });
}

}  // namespace railyard::hbm
