// The strict reader: what yaml-cpp lets pass in silence is refused here, with its place.
#include "platforms/common/yaml_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <random>

#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string reader_refusal(const std::string& text) {
  try {
    read_yaml_text(text, "f.yaml");
  } catch (const ConfigError& error) {
    EXPECT_NE(error.remedy(), "") << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    EXPECT_LT(std::string(error.what()).size(), 400U);
    return error.what();
  }
  return "";
}

std::string file_refusal(const std::string& path) {
  try {
    read_yaml_file(path);
  } catch (const ConfigError& error) {
    EXPECT_NE(error.remedy(), "") << error.what();
    return error.what();
  }
  return "";
}

TEST(Reading, KeepsKeysInOrderWithTheirPlaces) {
  const Node root = read_yaml_text("b: 1\na:\n  c: [x, 'y']\n", "f.yaml");
  ASSERT_EQ(root.members.size(), 2U);
  EXPECT_EQ(root.members[0].key, "b");
  EXPECT_EQ(root.members[0].value.mark.place(), "f.yaml:1:4");
  EXPECT_EQ(root.members[1].mark.place(), "f.yaml:2:1");
  const Node* c = root.members[1].value.find("c");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->items[0].text, "x");
  EXPECT_FALSE(c->items[0].quoted);
  EXPECT_TRUE(c->items[1].quoted);
  EXPECT_EQ(c->items[1].mark.place(), "f.yaml:3:10");
}

TEST(Reading, KeepsScalarsAsTheyAreWritten) {
  const Node root = read_yaml_text("{a: 010, b: 0x10, c: yes, d: 1e3, e: 02:00:00:00:00:01}", "f");
  EXPECT_EQ(root.find("a")->text, "010");
  EXPECT_EQ(root.find("b")->text, "0x10");
  EXPECT_EQ(root.find("c")->text, "yes");
  EXPECT_EQ(root.find("e")->text, "02:00:00:00:00:01");
}

TEST(Reading, AcceptsWhatEditorsAdd) {
  EXPECT_EQ(reader_refusal("\xef\xbb\xbfseed: 1\n"), "");
  EXPECT_EQ(reader_refusal("a: 1\r\nb: 2\r\n"), "");
  EXPECT_EQ(reader_refusal("# caf\xc3\xa9\n---\na: 1\n...\n"), "");
  EXPECT_EQ(reader_refusal("a: 1"), "");
  EXPECT_EQ(read_yaml_text("a: 1\r\nb: 2\r\n", "f").find("a")->text, "1");
}

TEST(Reading, AcceptsJson) {
  const Node root = read_yaml_text(R"({"a":{"b":[1,2.5,"x y"],"c":true},"d":"q\"\\\n"})", "f");
  EXPECT_EQ(root.find("a")->find("b")->items[1].text, "2.5");
  EXPECT_TRUE(root.find("a")->find("b")->items[2].quoted);
  EXPECT_EQ(root.find("d")->text, "q\"\\\n");
}

TEST(Reading, TakesTheConfigurationOfAReport) {
  const Node root = read_yaml_text(
      R"({"schema":1,"platform":"incast","config":{"seed":7},"metrics":{"x":{"value":null}}})",
      "r");
  ASSERT_EQ(root.members.size(), 1U);
  EXPECT_EQ(root.find("seed")->text, "7");
}

TEST(Reading, AcceptsAnEmptyMap) { EXPECT_EQ(reader_refusal("{}"), ""); }

TEST(ADuplicate, IsRefusedWithBothPlaces) {
  EXPECT_EQ(reader_refusal("a: 1\nb: 2\n'a': 3\n"),
            "f.yaml:3:1: key \"a\" was already written at line 1, column 1; keep one of the two");
  EXPECT_THAT(reader_refusal("x:\n  - {k: 1, k: 1}\n"), StartsWith("f.yaml:2:12: key \"k\""));
}

TEST(Yaml, ThatPointsElsewhereIsRefused) {
  EXPECT_THAT(reader_refusal("a: &x 1\nb: *x\n"), StartsWith("f.yaml:1:4: anchors"));
  EXPECT_THAT(reader_refusal("a: &x {b: 1}\n"), StartsWith("f.yaml:1:4: anchors"));
  EXPECT_THAT(reader_refusal("a: &x\n"), HasSubstr("anchors"));
  EXPECT_THAT(reader_refusal("&x a: 1\n"), HasSubstr("anchors"));
  EXPECT_THAT(reader_refusal("a: *x\n"), StartsWith("f.yaml:1:4: aliases"));
  EXPECT_THAT(reader_refusal("<<: {a: 1}\n"), StartsWith("f.yaml:1:1: merge keys"));
}

TEST(Yaml, WithTagsOrDirectivesIsRefused) {
  for (const char* text : {"a: !!int 5\n", "a: ! 5\n", "a: !x [1]\n", "!!map {a: 1}\n",
                           "a: !<tag:yaml.org,2002:str> 5\n", "!!str a: 1\n", "a: !!null\n"}) {
    EXPECT_THAT(reader_refusal(text), HasSubstr("tags (!name) are not accepted")) << text;
  }
  EXPECT_THAT(reader_refusal("%YAML 1.2\n---\na: 1\n"), HasSubstr("directives"));
}

TEST(Yaml, OfMoreThanOneDocumentIsRefused) {
  EXPECT_THAT(reader_refusal("a: 1\n---\nb: 1\n"), StartsWith("f.yaml:2:1: a second document"));
  EXPECT_THAT(reader_refusal("{a: 1} {b: 1}"), HasSubstr("text after the end of the first"));
  EXPECT_NE(reader_refusal("{a: 1} x"), "");
  EXPECT_NE(reader_refusal("{a: 1}]"), "");
  EXPECT_NE(reader_refusal("--- \n---\na: 1\n"), "");
}

TEST(Yaml, WithoutARootMapIsRefused) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "null\n", "~", "   "}) {
    EXPECT_THAT(reader_refusal(text), HasSubstr("holds no configuration; write {}")) << text;
  }
  EXPECT_THAT(reader_refusal("[1, 2]"), HasSubstr("the document is a list"));
  EXPECT_THAT(reader_refusal("seed"), HasSubstr("the document is \"seed\""));
}

TEST(Yaml, WithAKeyThatIsNoWordIsRefused) {
  EXPECT_THAT(reader_refusal("[a]: 1\n"), HasSubstr("a key is a list"));
  EXPECT_THAT(reader_refusal("? {a: 1}\n: 1\n"), HasSubstr("a key is a group of keys"));
  EXPECT_THAT(reader_refusal("~: 1\n"), HasSubstr("a key is nothing"));
  EXPECT_THAT(reader_refusal(": 1\n"), HasSubstr("a key is nothing"));
}

TEST(Yaml, ThatIsBrokenIsRefusedWithItsPlace) {
  for (const char* text :
       {"a: [1",         "a: {b: 1",     "a: \"x",         "a: 'x", "a: b: c",       "a:\n\t- 1\n",
        "a: 1\n b: 2\n", "a: ]",         "a: }",           "a: @x", "a: `x",         "a: \"\\q\"",
        "a: |5x\n",      "- a\nb: 1\n",  "a: 1\n- b\n",    "a: [}", "{a: 1,, b: 2}", "a: %x",
        "a: [1 2: 3",    "a: \"\\xZZ\"", "a: \"\\uD800\"", "{,}"}) {
    EXPECT_THAT(reader_refusal(text), StartsWith("f.yaml:")) << text;
  }
}

TEST(Yaml, OfBytesThatAreNoTextIsRefusedWithTheirPlace) {
  EXPECT_EQ(
      reader_refusal(std::string("a: 1\nb: \0x\n", 11)),
      "f.yaml:2:4: byte 0x00 is not printable UTF-8 text; save the file as plain UTF-8 without "
      "control characters");
  for (const char* text :
       {"a: \x01", "a: \x1b[31m", "a: \x7f", "a: \x04\nb: 1", "a: 1\rb: 2", "a: \x80", "a: \xff",
        "a: \xc0\xaf", "a: \xc3", "a: \xe2\x82", "a: \xed\xa0\x80", "a: \xf4\x90\x80\x80",
        "a: \xf5\x80\x80\x80", "a: \xe0\x80\xaf", "a: \xc2\x85", "a: \xe2\x80\xae", "\xff\xfe\x61",
        "a: \xef\xbb\xbf"}) {
    EXPECT_THAT(reader_refusal(text), HasSubstr("is not printable UTF-8 text"))
        << testing::PrintToString(text);
  }
  EXPECT_EQ(reader_refusal("a: \xe2\x82\xac \xf0\x9f\x98\x80\n"), "");
}

TEST(Nesting, IsAcceptedTo32LevelsAndRefusedBeyond) {
  const auto nested = [](int levels) {
    std::string text = "a: ";
    for (int i = 1; i < levels; ++i) text += '[';
    for (int i = 1; i < levels; ++i) text += ']';
    return text;
  };
  EXPECT_EQ(reader_refusal(nested(32)), "");
  EXPECT_THAT(reader_refusal(nested(33)), HasSubstr("more than 32 levels"));
}

TEST(Nesting, OfAMillionLevelsIsRefused) {
  EXPECT_THAT(reader_refusal(std::string(1'000'000, '[')), HasSubstr("brackets are open"));
  EXPECT_THAT(reader_refusal(std::string(1'000'000, '{')), HasSubstr("brackets are open"));
  const auto repeated = [](const std::string& part) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    return text;
  };
  EXPECT_THAT(reader_refusal(repeated("- ")), HasSubstr("more than 32 levels"));
  EXPECT_THAT(reader_refusal(repeated("? ")), HasSubstr("more than 32 levels"));
  EXPECT_THAT(reader_refusal(repeated("[{a: ")), HasSubstr("brackets are open"));
  EXPECT_NE(reader_refusal(repeated("a: ")), "");
}

TEST(Values, OfMoreThanAMillionAreRefused) {
  std::string text = "a: [";
  for (int i = 0; i < 1'000'001; ++i) text += "1,";
  EXPECT_THAT(reader_refusal(text + "]"), HasSubstr("more than 1,000,000 values"));
}

TEST(AFile, IsReadWithItsNameAsThePlace) {
  const std::string path = testing::TempDir() + "railyard_reader_good.yaml";
  std::ofstream(path) << "a: 1\n";
  EXPECT_EQ(read_yaml_file(path).find("a")->mark.place(), path + ":1:4");
  std::remove(path.c_str());
}

TEST(AFile, ThatDoesNotExistOrIsNoFileIsRefused) {
  EXPECT_THAT(file_refusal("/no/such/file.yaml"), HasSubstr("No such file or directory"));
  EXPECT_THAT(file_refusal(""), HasSubstr("cannot be opened"));
  EXPECT_THAT(file_refusal(testing::TempDir()), HasSubstr("is a directory"));
  EXPECT_THAT(file_refusal("/dev/zero"), HasSubstr("is not a regular file"));
  EXPECT_THAT(file_refusal(std::string("/dev/zero\0.yaml", 15)), HasSubstr("NUL"));
  EXPECT_THAT(file_refusal(std::string(10'000, 'x')), HasSubstr("File name too long"));
}

TEST(AFile, ThatIsAFifoIsRefusedWithoutWaiting) {
  const std::string path = testing::TempDir() + "railyard_reader_fifo";
  std::remove(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(file_refusal(path), HasSubstr("is not a regular file"));
  std::remove(path.c_str());
}

TEST(AFile, Above16MbIsRefusedUnread) {
  const std::string path = testing::TempDir() + "railyard_reader_large.yaml";
  std::ofstream(path) << "a: 1\n";
  ASSERT_EQ(::truncate(path.c_str(), 16'000'001), 0);
  EXPECT_THAT(file_refusal(path), HasSubstr("is larger than 16 MB"));
  ASSERT_EQ(::truncate(path.c_str(), 16'000'000), 0);
  EXPECT_THAT(file_refusal(path), HasSubstr(":2:1: byte 0x00"));  // read, and found to be no text
  std::remove(path.c_str());
}

TEST(AnyText, IsReadOrRefusedInOneLine) {
  // Texts drawn from YAML's own characters: nothing but a ConfigError may come out.
  const std::string alphabet = "ab01:,[]{}-?!&*#|>'\"%@`~ \n\t<=.\\";
  std::mt19937 random(7);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 2 == 0 ? "a: " : "";
    for (std::size_t n = random() % 24; n > 0; --n) text += alphabet[random() % alphabet.size()];
    accepted += reader_refusal(text).empty() ? 1 : 0;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace railyard
