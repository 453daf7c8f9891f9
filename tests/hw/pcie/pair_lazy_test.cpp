// Inner steps that fire late, and transfers that stand for many: what is seen is the same.
#include <gtest/gtest.h>

#include "tests/hw/pcie/random_load.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

// All changes of all probes.
class Changes : public ProbeSink {
 public:
  struct Change {
    std::string name;
    std::uint64_t value;
    Time at;
    bool operator==(const Change& o) const {
      return name == o.name && value == o.value && at == o.at;
    }
  };

  // While the run goes on: before it, it would make every step be on time.
  void connect(PairBench& bench, const std::string& part = "") {
    for (auto& entry : bench.simulation.partition().probes().probes()) {
      if (entry.info.name.find(part) == std::string::npos) continue;
      entry.point->connect(this, static_cast<std::uint32_t>(changes_.size()));
      changes_.emplace_back();
      names_.push_back(entry.info.name);
    }
  }
  void change(std::uint32_t id, std::uint64_t value, Time now) override {
    changes_[id].push_back({names_[id], value, now});
  }
  std::size_t count() const {
    std::size_t sum = 0;
    for (const auto& changes : changes_) sum += changes.size();
    return sum;
  }
  void expect_equal(const Changes& other) const {
    ASSERT_EQ(changes_.size(), other.changes_.size());
    for (std::size_t id = 0; id < changes_.size(); ++id) {
      EXPECT_TRUE(changes_[id] == other.changes_[id]) << names_[id];
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<Change>> changes_;
};

struct Seen {
  std::vector<Time> times;
  std::vector<std::uint64_t> order;
  std::map<std::string, double> metrics;
  Changes changes;
  Time end = 0;
  std::uint64_t steps = 0, kernel_events = 0;
};

void run_random(PairConfig pair, std::uint64_t seed, bool eager, Seen& seen) {
  RandomConfig config;
  config.seed = seed;
  config.requests = 2000;
  pair.eager = eager;
  const support::FreshKernel kernel;
  PairBench bench{RandomLoad::prepared(pair, config)};
  RandomLoad load{bench, config};
  bench.run([&] {
    seen.changes.connect(bench);
    load.start();
  });
  load.expect_all_done();
  seen.times = load.times();
  seen.order = load.order();
  seen.metrics = bench.metrics();
  seen.end = bench.simulation.now();
  seen.steps = bench.hierarchy.scheduler().fired();
  seen.kernel_events = bench.simulation.kernel_events();
}

void expect_same(const PairConfig& pair, std::uint64_t seed) {
  Seen lazy, eager;
  run_random(pair, seed, false, lazy);
  run_random(pair, seed, true, eager);
  EXPECT_EQ(lazy.times, eager.times) << seed;
  EXPECT_EQ(lazy.order, eager.order) << seed;
  EXPECT_EQ(lazy.metrics, eager.metrics) << seed;
  EXPECT_EQ(lazy.end, eager.end) << seed;
  EXPECT_EQ(lazy.steps, eager.steps) << seed;
  EXPECT_GT(lazy.changes.count(), 10'000U);
  lazy.changes.expect_equal(eager.changes);
  EXPECT_LT(lazy.kernel_events, eager.kernel_events) << seed;
}

TEST(PcieLazy, LateStepsChangeNoTimeNoMetricAndNoSignal) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_same(PairConfig{}, seed);
}

TEST(PcieLazy, LateStepsChangeNothingUnderFewCredits) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    PairConfig pair;
    pair.root_credits = {1 + static_cast<std::uint32_t>(seed), 17, 2, 1, 0, 0};
    pair.requester.tags = 32;
    pair.requester.completion_room = kibibytes(4);
    pair.completer.reads = 3;
    pair.link.replay_buffer = kibibytes(5);
    pair.requester.queue = static_cast<std::uint32_t>(seed);
    expect_same(pair, seed);
  }
}

// After a stall completions come faster than the line carried them.
TEST(PcieLazy, ReceiversThatStallAreOnTime) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    PairConfig config;
    config.link.receive_stall.probability = 0.05;
    config.run.seed = seed;
    const support::FreshKernel kernel;
    PairBench bench{config};
    bench.run([&] { bench.read(0, 65536); });
    EXPECT_EQ(bench.done.size(), 1U);
  }
}

// A relaxed write may leave the queue before what was given long before it.
TEST(PcieLazy, ARelaxedWriteThatOvertakesALongOneIsOnTime) {
  PairConfig config;
  // Eleven payloads and a bit; the long write has eighteen.
  config.root_credits.posted_data = 11 * 16 + 1;
  PairBench bench{config};
  bench.memory.slow = [](const MemoryAccess&) { return true; };
  bench.run([&] {
    bench.write(0, std::vector<std::uint8_t>(4608, 1));
    bench.write(0x10000, {1, 2, 3, 4}, true);
  });
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_EQ(bench.done[0].ticket, 1U);
}

// Transfers of 4 KiB, or each of them as sixteen of 256 B given at once, with others between them.
struct Mix {
  std::vector<Time> large;   // when each 4 KiB was done
  std::vector<Time> others;  // and each other
  std::vector<unsigned> order;
  Changes credits;
};

void run_mix(std::uint64_t seed, bool single, Mix& mix) {
  constexpr unsigned kTransfers = 300;
  constexpr unsigned kLarge = 4096;
  constexpr unsigned kPiece = 256;
  PairConfig config;
  config.max_read_request = kPiece;
  config.root_credits = {8, 64, 8, 8, 0, 0};
  config.alarms = kTransfers;
  const support::FreshKernel kernel;
  PairBench bench{config};
  bench.keeps = false;
  RandomStream random{seed, "mix"};
  std::vector<unsigned> transfer_of;  // by ticket
  std::vector<unsigned> left(kTransfers);
  std::vector<Time> times(kTransfers);
  bench.on_done = [&](const DmaDone& done) {
    const unsigned transfer = transfer_of[done.ticket];
    if (--left[transfer] > 0) return;
    times[transfer] = bench.hierarchy.now();
    mix.order.push_back(transfer);
  };
  std::vector<bool> is_large(kTransfers);
  const auto give = [&](unsigned transfer, bool write, std::uint32_t offset, std::uint32_t bytes) {
    DmaRequest request;
    request.write = write;
    request.elided = true;
    request.address = std::uint64_t{transfer} * 8192 + offset;
    request.bytes = bytes;
    transfer_of.push_back(transfer);
    bench.give(std::move(request));
  };
  bench.run([&] {
    mix.credits.connect(bench, ".credits.");
    Time at = 0;
    for (unsigned i = 0; i < kTransfers; ++i) {
      const bool large = random.below(2) == 0;
      const bool write = random.below(2) == 0;
      const auto bytes = static_cast<std::uint32_t>(1 + random.below(1000));
      at += static_cast<Time>(random.below(120)) * kNanosecond;
      is_large[i] = large;
      left[i] = large && single ? kLarge / kPiece : 1;
      bench.at(i, at, [&, i, large, write, bytes] {
        // The pieces are given in one visit, as the whole is.
        const LazyScheduler::Visit visit(bench.hierarchy.scheduler());
        const std::uint32_t all = large ? kLarge : bytes;
        const std::uint32_t piece = large && single ? kPiece : all;
        for (std::uint32_t offset = 0; offset < all; offset += piece) {
          give(i, write, offset, piece);
        }
      });
    }
  });
  for (unsigned i = 0; i < kTransfers; ++i) {
    (is_large[i] ? mix.large : mix.others).push_back(times[i]);
  }
}

TEST(PcieLazy, ALargeTransferIsAsManySmallOnesToThePicosecond) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Mix bulk, single;
    run_mix(seed, false, bulk);
    run_mix(seed, true, single);
    EXPECT_EQ(bulk.order, single.order) << seed;
    EXPECT_EQ(bulk.large, single.large) << seed;
    EXPECT_EQ(bulk.others, single.others) << seed;
    EXPECT_GT(bulk.credits.count(), 3000U);
    bulk.credits.expect_equal(single.credits);
  }
}

}  // namespace
}  // namespace railyard::pcie::bench
