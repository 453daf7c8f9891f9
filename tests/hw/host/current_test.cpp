// Code that a program calls finds what it runs on.
#include "tlm/core/current.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/hw/host/core_bench.h"

namespace railyard::host {
namespace {

using support::CoreBench;
using support::kNs;

struct Numbered : ProgramExtension {
  explicit Numbered(int n) : number(n) {}
  int number;
};
struct Other : ProgramExtension {};

TEST(CurrentProgram, IsTheCoreThatCalls) {
  CoreBench bench;
  std::vector<std::pair<Core*, Core*>> seen;
  for (int i = 0; i < 3; ++i) {
    bench.core([&seen, i](Core& core) {
      core.spend((3 - i) * 100 * kNs);  // the others run in between
      seen.emplace_back(&core, current_core());
    });
  }
  bench.run();
  ASSERT_EQ(seen.size(), 3U);
  for (const auto& [is, found] : seen) EXPECT_EQ(found, is);
  EXPECT_NE(seen[0].first, seen[1].first);
}

TEST(CurrentProgram, IsNoneOutsideOfPrograms) {
  const CoreBench bench;
  EXPECT_EQ(current_program(), nullptr);
  EXPECT_EQ(current_core(), nullptr);
  Other extension;
  EXPECT_THROW(const ExtensionScope scope(extension), std::logic_error);
}

TEST(CurrentProgram, HasItsOwnExtensions) {
  CoreBench bench;
  std::vector<int> seen;
  for (int i = 0; i < 2; ++i) {
    bench.core([&seen, i](Core& core) {
      Numbered mine(i);
      Other other;
      {
        const ExtensionScope first(other);
        const ExtensionScope scope(mine);
        core.spend(100 * kNs);
        seen.push_back(current_program()->find<Numbered>()->number);
      }
      EXPECT_EQ(current_program()->find<Numbered>(), nullptr);
    });
  }
  bench.run();
  EXPECT_EQ(seen, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace railyard::host
