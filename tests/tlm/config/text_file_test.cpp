#include "tlm/config/text_file.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <utility>
#include <vector>

#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<std::size_t, std::string>> lines_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::string>> lines;
  for_each_line(
      text, [&](const std::string& line, std::size_t number) { lines.emplace_back(number, line); });
  return lines;
}

TEST(TextLines, EndByEitherMarkOrTheTextsEnd) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("a"), ElementsAre(Pair(1, "a")));
  EXPECT_THAT(lines_of("a\r\n\nb\n"), ElementsAre(Pair(1, "a"), Pair(2, ""), Pair(3, "b")));
  EXPECT_THAT(lines_of("\xEF\xBB\xBFx\ny"), ElementsAre(Pair(1, "x"), Pair(2, "y")));
  EXPECT_THAT(lines_of("a\rb"), ElementsAre(Pair(1, "a\rb")));
}

std::string refusal(const std::string& path) {
  try {
    read_text_file("c.yaml:1:2", "list", path, "working directory");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(TextFile, IsReadWholeThoughItBeEmpty) {
  const std::string path = testing::TempDir() + "railyard_text_file";
  for (const std::string text : {"", "a\nb"}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    EXPECT_EQ(read_text_file("", "list", path, ""), text);
  }
  std::remove(path.c_str());
  EXPECT_THAT(refusal(path), HasSubstr("c.yaml:1:2: list: there is no file"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("relative to the working directory"));
}

}  // namespace
}  // namespace railyard
