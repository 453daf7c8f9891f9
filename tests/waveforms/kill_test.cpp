// A run that is killed leaves what was flushed, in a form that the usual tools read.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/waveforms/fst_reader.h"
#include "tests/waveforms/process.h"
#include "tlm/base/time.h"

namespace railyard {
namespace {

using test::bits;

TEST(KilledRun, LeavesAnFstThatFst2vcdReadsUpToItsLastBlock) {
  const std::string path = test::scratch("k.fst");
  test::run_and_kill({WRITER_THAT_DIES, "trace", path});
  EXPECT_TRUE(std::filesystem::exists(path + ".hier"));
  const test::Waves waves = test::parse_vcd(test::run({"fst2vcd", path}));
  EXPECT_EQ(waves.changes, test::read_fst(path).changes);
  constexpr std::uint64_t kStep = kMicrosecond;
  ASSERT_EQ(waves.changes.at("own.value").size(), 1001U);
  for (std::uint64_t step = 0; step <= 1000; ++step) {
    EXPECT_EQ(waves.at("own.value", step * kStep), bits(step, 16));
  }
  EXPECT_EQ(waves.at("rtl.counter.count_o", 999 * kStep), bits(0xff, 8));
  EXPECT_EQ(waves.at("rtl.counter.count_o", 201 * kStep), bits(100, 8));
}

TEST(KilledRun, LeavesATimelineThatOnlyLacksItsEnd) {
  const std::string path = test::scratch("k.json");
  test::run_and_kill({WRITER_THAT_DIES, "timeline", path});
  const std::string count =
      test::run({"python3", "-c",
                 "import json,sys; print(len([e for e in json.loads(open(sys.argv[1]).read() + ']')"
                 " if e['ph'] == 'X']))",
                 path});
  EXPECT_EQ(count, "1000\n");
}

TEST(KilledRun, LeavesACaptureOfWholeBlocks) {
  const std::string path = test::scratch("k.pcapng");
  test::run_and_kill({WRITER_THAT_DIES, "capture", path});
  // tshark fails on a file that was cut in the middle of a block.
  const std::string times =
      test::run({"tshark", "-r", path, "-T", "fields", "-e", "frame.time_epoch"});
  EXPECT_EQ(std::count(times.begin(), times.end(), '\n'), 1000);
}

}  // namespace
}  // namespace railyard
