#include "waveforms/timeline_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <limits>
#include <stdexcept>

#include "tests/waveforms/process.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

// Python reads the JSON and prints each event's fields, numbers as they are written.
std::string events(const std::string& path) {
  static const char* const kProgram = R"(
import json, sys
for e in json.load(open(sys.argv[1]), parse_float=str):
  if e['ph'] == 'M':
    print('M', e['name'], e['pid'], e['tid'], repr(e['args']['name']))
  else:
    print(e['ph'], repr(e['name']), e['pid'], e['tid'], e['ts'], e['dur'], e['args'])
)";
  return test::run({"python3", "-c", kProgram, path});
}

struct Lanes {
  Lanes() {
    registry.add(b, {"nic.tx", ""});
    registry.add(a, {"nic", ""});
    registry.add(c, {"nic.dma.read", ""});
    registry.add(d, {"nic.x", ""});
    registry.seal();
  }
  SpanProbe a, b, c, d;
  ProbeRegistry registry;
};

TEST(TimelineFile, MakesALaneAThreadOfTheProcessBeforeItsLastDot) {
  Lanes lanes;
  TimelineFile file(test::scratch("t.json"));
  file.connect(lanes.registry);
  file.close(0);
  EXPECT_EQ(events(test::scratch("t.json")),
            "M process_name 1 0 'nic'\n"
            "M thread_name 1 1 'nic'\n"
            "M process_name 2 0 'nic.dma'\n"
            "M thread_name 2 1 'read'\n"
            "M thread_name 1 2 'tx'\n"
            "M thread_name 1 3 'x'\n");
}

TEST(TimelineFile, KeepsEveryPicosecondAndEveryCharacter) {
  Lanes lanes;
  TimelineFile file(test::scratch("t.json"));
  file.connect(lanes.registry);
  EXPECT_TRUE(lanes.b.on());
  lanes.b.span("a \"b\"\\\n", 1'000'001, 2'500'000'000'000'001, "bytes",
               std::numeric_limits<std::uint64_t>::max());
  lanes.c.span("z", 0, 0, "n", 0);
  file.close(10);
  EXPECT_THAT(events(test::scratch("t.json")),
              testing::EndsWith("X 'a \"b\"\\\\\\n' 1 2 1.000001 2499999999.000000 "
                                "{'bytes': 18446744073709551615}\n"
                                "X 'z' 2 1 0.000000 0.000000 {'n': 0}\n"));
}

TEST(TimelineFile, WithoutEventsIsAnEmptyArray) {
  TimelineFile(test::scratch("t.json")).close(0);
  EXPECT_EQ(events(test::scratch("t.json")), "");
}

TEST(TimelineFile, ClosesItselfOnce) {
  {
    Lanes lanes;
    TimelineFile file(test::scratch("t.json"));
    file.connect(lanes.registry);
    file.close(5);
    file.close(6);
  }
  EXPECT_NO_THROW(events(test::scratch("t.json")));
  {
    Lanes lanes;
    TimelineFile file(test::scratch("t.json"));
    file.connect(lanes.registry);
  }
  EXPECT_NO_THROW(events(test::scratch("t.json")));
}

TEST(TimelineFile, TellsOfAFullDiskOnceWithThePath) {
  const std::string path = test::scratch("full.json");
  std::filesystem::create_symlink("/dev/full", path);
  Lanes lanes;
  TimelineFile file(path);
  file.connect(lanes.registry);
  EXPECT_THROW(
      try { file.flush(); } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(path));
        throw;
      },
      std::runtime_error);
  EXPECT_NO_THROW(lanes.a.span("z", 0, 1, "n", 0));
  EXPECT_NO_THROW(file.close(1));
}

TEST(TimelineFile, RefusesOtherSuffixesAndFoldersThatAreMissing) {
  EXPECT_THROW(TimelineFile(test::scratch("t.txt")), ConfigError);
  EXPECT_THROW(TimelineFile(test::scratch("missing/t.json")), ConfigError);
}

}  // namespace
}  // namespace railyard
