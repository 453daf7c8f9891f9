// Random traffic through a controller, whose commands are checked one by one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/hbm/command_checker.h"
#include "hw/hbm/controller.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/random.h"
#include "tlm/sim/simulation.h"

namespace railyard::hbm::bench {

enum class Pattern : std::uint8_t { kRandom, kSequential, kStrided, kAll };

struct RandomTraffic {
  std::uint64_t seed = 1;
  std::uint64_t accesses = 10'000;
  unsigned under_way = 64;
  unsigned writes_of_ten = 5;
  unsigned bulks_of_ten = 0;
  unsigned pauses_of_thousand = 0;
  Pattern pattern = Pattern::kRandom;
  std::uint64_t region = ~std::uint64_t{0};  // bytes, of the capacity
  std::uint64_t stride = 4096;
};

/// Each command moves the piece that was asked for: once, and the pieces of one place in the order
/// in which they were given.
class PieceOrder : public CommandListener {
 public:
  void given(const Place& place, bool write) { waiting_[key(place)].push_back(write); }
  void command(const CommandRecord& record) override {
    if (!is_column(record.command)) return;
    const bool write = record.command == Command::kWrite || record.command == Command::kWriteAuto;
    const auto found =
        waiting_.find(key({record.channel, static_cast<std::uint8_t>(record.pseudo_channel),
                           record.bank, record.row, record.column}));
    if (found == waiting_.end() || found->second.front() != write) {
      ++wrong_;
      return;
    }
    found->second.pop_front();
    if (found->second.empty()) waiting_.erase(found);
  }
  std::size_t left() const { return waiting_.size(); }
  std::uint64_t wrong() const { return wrong_; }

 private:
  static std::uint64_t key(const Place& p) {
    return ((std::uint64_t{p.channel} * 4 + p.pseudo_channel) * 64 + p.bank) << 40 |
           std::uint64_t{p.row} << 12 | p.column;
  }
  std::unordered_map<std::uint64_t, std::deque<bool>> waiting_;
  std::uint64_t wrong_ = 0;
};

class RandomMemory : public Client {
 public:
  RandomMemory(const HbmConfig& config, const RandomTraffic& traffic)
      : traffic_(traffic),
        simulation_(SimulationConfig{}),
        partition_(simulation_.partition()),
        controller_("memory", partition_, config),
        checker_(partition_.add_checker<CommandChecker>("memory", config.organisation,
                                                        config.timing, config.controller.refresh)),
        random_(traffic.seed, "traffic"),
        // Forwarded reads have no command, and codes come on top of what was asked for.
        ordered_(!config.controller.forward && config.controller.ecc.mode != EccMode::kInline) {
    checker_.set_catch_up([this] { controller_.catch_up(); });
    controller_.add_listener(checker_);
    if (ordered_) controller_.add_listener(order_);
    region_ = std::min(traffic.region, controller_.capacity());
    for (unsigned i = 0; i < traffic.under_way; ++i) slots_.emplace_back(*this, i);
    simulation_.seal();
  }

  /// Until all is done and all refreshes are counted.
  void run() {
    for (Slot& slot : slots_) partition_.scheduler().schedule(slot.alarm, 0);
    partition_.open_work(traffic_.accesses);
    EXPECT_EQ(simulation_.run(limit()), RunEnd::kDrained);
    EXPECT_EQ(done_, traffic_.accesses);
    EXPECT_EQ(given_, traffic_.accesses);
    EXPECT_EQ(controller_.accesses_under_way(), 0U);
    for (const Slot& slot : slots_) EXPECT_FALSE(slot.under_way);
    expect_all_commands();
    expect_refreshes();
  }

  std::uint64_t commands() const { return checker_.commands(); }
  std::uint64_t pieces() const { return pieces_[0] + pieces_[1]; }
  std::uint64_t commands(Command command) const { return checker_.commands(command); }
  std::uint64_t counted(std::uint64_t ChannelCounts::*count) const {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < controller_.config().organisation.total_channels(); ++i) {
      sum += controller_.counts(i).*count;
    }
    return sum;
  }

  void access_done(Access& access) override {
    Slot& slot = slots_[access.ticket];
    ASSERT_EQ(&slot.access, &access);
    ASSERT_TRUE(slot.under_way) << "done twice";
    ASSERT_FALSE(giving_) << "done within the call";
    const Time now = partition_.now();
    ASSERT_GE(now - access.given_at, least(access)) << "sooner than its data";
    slot.under_way = false;
    ++done_;
    partition_.close_work();
    if (given_ == traffic_.accesses) return;
    if (random_.below(1000) < traffic_.pauses_of_thousand) {
      const Time pause =
          static_cast<Time>(random_.below(random_.below(4) == 0 ? 9'000'000 : 99'000));
      partition_.scheduler().schedule(slot.alarm, now + pause);
    } else {
      give(slot);
    }
  }

 private:
  struct Slot {
    Slot(RandomMemory& memory, unsigned index)
        : owner(memory),
          alarm(Event::of<&Slot::begin>(*this, memory.endpoint("slot" + std::to_string(index)),
                                        Phase::kAct)) {
      access.client = &memory;
      access.ticket = index;
    }
    void begin() { owner.give(*this); }

    RandomMemory& owner;
    Access access;
    Event alarm;
    bool under_way = false;
  };
  Endpoint& endpoint(const std::string& name) { return partition_.endpoint(name); }

  /// Each piece a bank's whole cycle in turn, and refreshes; each write alone; each pause the mean
  /// of pauses: more than it takes.
  Time limit() const {
    const auto accesses = static_cast<Time>(traffic_.accesses);
    const Time pieces = accesses * (traffic_.bulks_of_ten > 0 ? 150 : 2);
    const Time pauses = accesses * traffic_.pauses_of_thousand / 1000;
    return pieces * 200 * kNanosecond + accesses * controller_.config().controller.drain.idle +
           pauses * 3 * kMicrosecond + kMillisecond;
  }
  Time least(const Access& access) const {
    const ControllerConfig& c = controller_.config().controller;
    const Timing& t = controller_.config().timing;
    const Time ends = c.front_latency + c.back_latency;
    if (access.write && c.write_response == WriteResponse::kAccepted) return ends;
    if (!access.write && c.forward) return ends;
    const unsigned clocks = t.burst + (access.write ? t.wl : t.cl);
    return ends + controller_.time_of(Tick{clocks} * kTicksPerClock) - 1;
  }

  void give(Slot& slot) {
    if (given_ == traffic_.accesses) return;
    ++given_;
    Access& access = slot.access;
    const unsigned unit = controller_.config().organisation.access_bytes;
    access.write = random_.below(10) < traffic_.writes_of_ten;
    const bool bulk = random_.below(10) < traffic_.bulks_of_ten;
    const std::uint64_t longest = std::min<std::uint64_t>(region_, 4096);
    access.bytes = static_cast<std::uint32_t>(1 + random_.below(bulk ? longest : unit));
    access.address = address(access.bytes);
    if (!bulk) access.address -= access.address % unit;
    const std::uint64_t last = (access.address + access.bytes - 1) / unit;
    for (std::uint64_t piece = access.address / unit; piece <= last; ++piece) {
      ++pieces_[access.write];
      if (ordered_) order_.given(controller_.map().place(piece * unit), access.write);
    }
    slot.under_way = true;
    giving_ = true;
    controller_.access(access);
    giving_ = false;
  }

  std::uint64_t address(std::uint32_t bytes) {
    Pattern pattern = traffic_.pattern;
    if (pattern == Pattern::kAll) pattern = static_cast<Pattern>(random_.below(3));
    const std::uint64_t room = region_ - bytes;
    switch (pattern) {
      case Pattern::kSequential:
        sequential_ += bytes;
        return sequential_ % (room + 1);
      case Pattern::kStrided:
        strided_ += traffic_.stride;
        return strided_ % (room + 1);
      default:
        return random_.below(room + 1);
    }
  }

  void expect_all_commands() const {
    const std::uint64_t reads = commands(Command::kRead) + commands(Command::kReadAuto);
    const std::uint64_t writes = commands(Command::kWrite) + commands(Command::kWriteAuto);
    const Organisation& o = controller_.config().organisation;
    const std::uint64_t codes = counted(&ChannelCounts::ecc_reads);
    const std::uint64_t wanted = pieces_[0] - counted(&ChannelCounts::forwarded) + codes;
    // Codes that nobody waits for may be left when all else is done.
    const std::uint64_t left = std::min<std::uint64_t>(
        codes, controller_.config().controller.read_queue * o.total_pseudo_channels());
    EXPECT_LE(reads, wanted);
    EXPECT_GE(reads, wanted - left);
    EXPECT_EQ(writes, pieces_[1] + counted(&ChannelCounts::ecc_writes));
    EXPECT_EQ(order_.wrong(), 0U);
    EXPECT_EQ(order_.left(), 0U);
    for (std::size_t i = 0; i < kCommands; ++i) {
      const auto command = static_cast<Command>(i);
      EXPECT_EQ(commands(command), controller_.commands(command)) << name_of(command);
    }
  }

  // The checker looks at each; this is the sum that a user would count.
  void expect_refreshes() const {
    const HbmConfig& config = controller_.config();
    const Organisation& o = config.organisation;
    const RefreshConfig& refresh = config.controller.refresh;
    const bool all = refresh.mode == RefreshMode::kAllBank;
    const double units = o.total_pseudo_channels() * (all ? o.sids : 1.0);
    const unsigned parts = all ? 1 : o.banks_per_pseudo_channel();
    const double clock = static_cast<double>(config.timing.bits_per_clock) * 1e12 /
                         static_cast<double>(config.timing.pin_rate);
    const double due = refresh.mode == RefreshMode::kOff ? 0
                                                         : static_cast<double>(simulation_.now()) /
                                                               clock / (config.timing.refi / parts);
    const auto done =
        static_cast<double>(commands(Command::kRefreshAll) + commands(Command::kRefreshBank));
    EXPECT_LE(done, (due + (refresh.staggered ? 1 : 0)) * units);
    if (due == 0) return;
    EXPECT_GE(done, (due - 3 - refresh.postpone) * units);
  }

  const support::FreshKernel kernel_;
  RandomTraffic traffic_;
  Simulation simulation_;
  Partition& partition_;
  Controller controller_;
  CommandChecker& checker_;
  PieceOrder order_;
  std::deque<Slot> slots_;
  RandomStream random_;
  bool ordered_;
  bool giving_ = false;
  std::uint64_t region_ = 0;
  std::uint64_t sequential_ = 0;
  std::uint64_t strided_ = 0;
  std::uint64_t given_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t pieces_[2] = {0, 0};  // reads, writes
};

}  // namespace railyard::hbm::bench
