// Verilated signals and our own in one file.
#include <gmock/gmock.h>

#include "tests/waveforms/counter_rtl.h"
#include "tests/waveforms/fst_reader.h"
#include "tests/waveforms/process.h"
#include "tlm/base/error.h"
#include "waveforms/rtl_context.h"
#include "waveforms/trace_file.h"
#include "waveforms/trace_ring.h"

namespace railyard {
namespace {

using test::bits;
using test::Change;
using test::Waves;
using testing::HasSubstr;

constexpr Time kClock = 1000;  // rises at odd multiples of half of it

// Two counters, the second enabled from 5 ns on, and a probe that follows the first.
struct Bench {
  explicit Bench(const std::string& path, TraceWindow window = {}, const std::string& filter = "*")
      : a(context.get(), "sw0 a"), b(context.get(), "sw0 b"), file(path, window) {
    registry.add(count, {"sw0.count", ProbeKind::kUnsigned, 8, "", "", {}});
    file.add_model("sw0.b", [this](VerilatedFstC& fst) { b.trace(fst); });
    file.add_model("sw0.a", [this](VerilatedFstC& fst) { a.trace(fst); });
    file.connect(registry, filter);
  }
  void step(Time now) {
    context.set_time(now);
    file.model_ticks(now);
    a.reset(now < kClock);
    a.enable(true);
    a.clock(now / (kClock / 2) % 2 == 1);
    file.model_ticks(now);  // another model, the same time
    b.reset(now < kClock);
    b.enable(now >= 5000);
    b.clock(now / (kClock / 2) % 2 == 1);
    count.set(a.count(), now + 1);
  }
  void run(Time until) {
    for (Time now = 0; now <= until; now += kClock / 2) step(now);
    file.close(until);
  }
  RtlContext context;
  CounterRtl a, b;
  Probe count;
  ProbeRegistry registry;
  TraceFile file;
};

const char* const kPath = "m.fst";

TEST(RtlTrace, HasVerilatedAndOwnSignalsOnOneAxis) {
  Bench(test::scratch(kPath)).run(20'000);
  const Waves waves = test::read_fst(test::scratch(kPath));
  EXPECT_EQ(waves.time_exponent, -12);
  EXPECT_EQ(waves.end_time, 20'000U);
  std::vector<Change> counts = {{0, bits(0, 8)}};
  std::vector<Change> own = {{0, bits(0, 8)}};
  // Rises at 1500 with reset released: idle -> count. It counts from 2500 on.
  for (std::uint64_t i = 1; i <= 18; ++i) {
    counts.push_back({1500 + i * 1000, bits(i, 8)});
    own.push_back({1501 + i * 1000, bits(i, 8)});
  }
  EXPECT_EQ(waves.changes.at("sw0.a.count_o"), counts);
  EXPECT_EQ(waves.changes.at("sw0.count"), own);
  EXPECT_EQ(waves.at("sw0.b.count_o", 6499), bits(0, 8));
  EXPECT_EQ(waves.at("sw0.b.count_o", 6500), bits(1, 8));
  EXPECT_EQ(waves.changes.at("sw0.a.clk_i").size(), 41U);
}

TEST(RtlTrace, NamesTheStatesOfTheRtl) {
  Bench(test::scratch(kPath)).run(5'000);
  const Waves waves = test::read_fst(test::scratch(kPath));
  const auto& names = waves.enums.at("sw0.a.counter.state_q");
  EXPECT_EQ(names.at(waves.at("sw0.a.counter.state_q", 1499)), "StIdle");
  EXPECT_EQ(names.at(waves.at("sw0.a.counter.state_q", 1500)), "StCount");
}

TEST(RtlTrace, IsByteIdenticalFromRunToRunAndConverts) {
  Bench(test::scratch("a.fst")).run(20'000);
  Bench(test::scratch("b.fst")).run(20'000);
  Bench(test::scratch("c.vcd")).run(20'000);
  EXPECT_EQ(test::read_file(test::scratch("a.fst")), test::read_file(test::scratch("b.fst")));
  const Waves waves = test::read_fst(test::scratch("a.fst"));
  EXPECT_EQ(test::parse_vcd(test::run({"fst2vcd", test::scratch("a.fst")})).changes, waves.changes);
  EXPECT_EQ(test::parse_vcd(test::read_file(test::scratch("c.vcd"))).changes, waves.changes);
}

TEST(RtlTrace, TheFilterTakesModelsByTheirNames) {
  Bench(test::scratch(kPath), {}, "sw0.b").run(5'000);
  const Waves waves = test::read_fst(test::scratch(kPath));
  EXPECT_EQ(waves.changes.count("sw0.b.count_o"), 1U);
  EXPECT_EQ(waves.changes.count("sw0.a.count_o"), 0U);
  EXPECT_EQ(waves.changes.count("sw0.count"), 0U);
}

TEST(RtlTrace, TheWindowBeginsWithTheModelsStateOfThatTime) {
  Bench(test::scratch(kPath), {5'200, 8'000}).run(20'000);
  const Waves waves = test::read_fst(test::scratch(kPath));
  using testing::ElementsAre;
  EXPECT_THAT(waves.changes.at("sw0.a.count_o"),
              ElementsAre(Change{5'200, bits(3, 8)}, Change{5'500, bits(4, 8)},
                          Change{6'500, bits(5, 8)}, Change{7'500, bits(6, 8)}));
  EXPECT_EQ(waves.end_time, 8'000U);
}

TEST(RtlTrace, ARingHasTheModelsFromTheTriggerOn) {
  const std::string path = test::scratch(kPath);
  RtlContext context;
  CounterRtl counter(context.get(), "rtl");
  Probe count;
  ProbeRegistry registry;
  registry.add(count, {"count", ProbeKind::kUnsigned, 8, "", "", {}});
  TraceFile file(path);
  file.add_model("rtl", [&](VerilatedFstC& fst) { counter.trace(fst); });
  TraceRing ring(file, {2'000, 3'000});
  ring.connect(registry);
  for (Time now = 0; now <= 20'000; now += kClock / 2) {
    ring.model_ticks(now);
    counter.reset(false);
    counter.enable(true);
    counter.clock(now / (kClock / 2) % 2 == 1);
    count.set(counter.count(), now);
    if (now == 10'000) ring.trigger(now);
  }
  file.close(20'000);
  const Waves waves = test::read_fst(path);
  EXPECT_EQ(waves.changes.at("count").front(), (Change{8'000, bits(7, 8)}));
  EXPECT_EQ(waves.at("count", 13'000), bits(12, 8));
  // fstapi gives all signals a value, unknown, where the file begins.
  EXPECT_EQ(waves.at("rtl.count_o", 9'999).find_first_not_of('x'), std::string::npos);
  EXPECT_EQ(waves.at("rtl.count_o", 10'000), bits(9, 8));
  EXPECT_EQ(waves.changes.at("rtl.count_o").back(), (Change{12'500, bits(12, 8)}));
}

TEST(RtlTrace, AFailedAssertionThrowsAndTheTraceIsClosedComplete) {
  Bench bench(test::scratch(kPath));
  for (Time now = 0; now < 5'500; now += kClock / 2) bench.step(now);
  bench.file.model_ticks(5'500);
  bench.a.break_it(true);
  try {
    bench.step(5'500);
    FAIL() << "the assertion did not fail";
  } catch (const InvariantError& error) {
    EXPECT_THAT(error.where(), HasSubstr("sw0.a.counter.NotBroken_A"));
    EXPECT_EQ(error.when(), 5'500);
    EXPECT_THAT(error.what(), HasSubstr("counter.sv:"));
    EXPECT_THAT(error.what(), HasSubstr("count 3"));
  }
  bench.file.close(5'500);
  const Waves waves = test::read_fst(test::scratch(kPath));
  EXPECT_EQ(waves.end_time, 5'500U);
  EXPECT_EQ(waves.at("sw0.a.break_i", 5'499), "0");
  EXPECT_EQ(waves.at("sw0.a.break_i", 5'500), "1");
}

TEST(RtlTrace, TwoContextsEachKeepTheirModels) {
  RtlContext first;
  auto a = std::make_unique<CounterRtl>(first.get(), "a");
  RtlContext second;
  CounterRtl b(second.get(), "b");
  second.set_time(7);
  EXPECT_EQ(first.time(), 0);
  first.make_current();
  a.reset();
  second.make_current();
  b.clock(true);
  EXPECT_EQ(b.count(), 0U);
}

}  // namespace
}  // namespace railyard
