#include "platforms/common/assignment.h"

#include <gmock/gmock.h>

#include <random>

#include "platforms/common/yaml_reader.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string set_refusal(const std::string& assignment,
                        const std::string& text = "{a: 1, b: [1, 2], c: {d: 5us}, e: null}") {
  Node root = read_yaml_text(text, "f.yaml");
  try {
    apply_set(root, assignment);
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.place(), StartsWith("--set "));
    EXPECT_NE(error.remedy(), "") << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    EXPECT_LT(std::string(error.what()).size(), 400U);
    return error.what();
  }
  return "";
}

TEST(ASet, WritesOverTheFile) {
  Node root = read_yaml_text("link: {rate: 100Gbps}\n", "f.yaml");
  apply_set(root, "link.rate=400Gbps");
  apply_set(root, "switch.ecn.kmin=1KB");
  EXPECT_EQ(root.find("link")->find("rate")->text, "400Gbps");
  EXPECT_EQ(root.find("link")->find("rate")->mark.place(), "--set link.rate=400Gbps");
  EXPECT_EQ(root.find("switch")->find("ecn")->find("kmin")->text, "1KB");
  EXPECT_EQ(root.find("switch")->mark.place(), "--set switch.ecn.kmin=1KB");
}

TEST(ASet, ThatComesLastWins) {
  Node root = read_yaml_text("{}", "f.yaml");
  apply_set(root, "a.b=1");
  apply_set(root, "a.b=2");
  apply_set(root, "a.c=3");
  EXPECT_EQ(root.find("a")->find("b")->text, "2");
  EXPECT_EQ(root.find("a")->find("c")->text, "3");
  apply_set(root, "a={d: 4}");
  EXPECT_EQ(root.find("a")->members.size(), 1U);
}

TEST(ASet, TakesAnyFlowValue) {
  Node root = read_yaml_text("{}", "f.yaml");
  apply_set(root, "a=[1, {b: 2}]");
  EXPECT_EQ(root.find("a")->items[1].find("b")->text, "2");
  EXPECT_EQ(root.find("a")->items[1].find("b")->mark.place(), "--set a=[1, {b: 2}]");
  apply_set(root, "m=02:00:00:00:00:01");
  EXPECT_EQ(root.find("m")->text, "02:00:00:00:00:01");
  apply_set(root, "q='x = y'");
  EXPECT_EQ(root.find("q")->text, "x = y");
  EXPECT_TRUE(root.find("q")->quoted);
}

TEST(ASet, ReachesElementsThatExist) {
  Node root = read_yaml_text("{b: [1, {c: 2}]}", "f.yaml");
  apply_set(root, "b.1.c=5");
  EXPECT_EQ(root.find("b")->items[1].find("c")->text, "5");
  EXPECT_THAT(set_refusal("b.2=1"), HasSubstr("b is a list of 2 elements; it has no \"2\""));
  EXPECT_THAT(set_refusal("b.x=1"), HasSubstr("it has no \"x\""));
  EXPECT_THAT(set_refusal("b.99999999999999999999=1"), HasSubstr("it has no"));
}

TEST(ASet, BelowAScalarIsRefused) {
  EXPECT_THAT(set_refusal("a.x=1"), HasSubstr("a is \"1\" (f.yaml:1:5), which has no key \"x\""));
  EXPECT_EQ(set_refusal("e.x=1"), "");
}

TEST(ASet, ThatIsMalformedIsRefused) {
  for (const std::string assignment : {"",         "a",
                                       "a.b",      "=",
                                       "=1",       "a..b=1",
                                       ".a=1",     "a.=1",
                                       "a b=1",    "a[0]=1",
                                       "*=1",      "a\nb=1",
                                       "a=",       "a= ",
                                       "a=#x",     "a=1, 2",
                                       "a=]",      "a=[",
                                       "a=[1",     "a={",
                                       "a='x",     "a=&x 1",
                                       "a=*x",     "a=!!int 5",
                                       "a=x\ny",   "a=1] , [2",
                                       "a=x]: [y", "a=\x01",
                                       "a=\xff",   "a={b: 1, b: 2}",
                                       "a=@",      "a=%",
                                       "a=<<: 1",  "a=1]\n---\n[2",
                                       "\xff=1",   "a={<<: {}}"}) {
    EXPECT_NE(set_refusal(assignment), "") << testing::PrintToString(assignment);
  }
  EXPECT_THAT(set_refusal(std::string("a=\0", 3)), HasSubstr("not printable"));
  EXPECT_THAT(set_refusal("a=" + std::string(100'000, 'x')), HasSubstr("longer than"));
  EXPECT_THAT(set_refusal("a=" + std::string(60'000, '[')), HasSubstr("brackets are open"));
  std::string deep = "a";
  for (int i = 0; i < 1000; ++i) deep += ".a";
  EXPECT_THAT(set_refusal(deep + "=1"), HasSubstr("more than 32 keys"));
}

TEST(ASet, OfAnyTextIsAppliedOrRefusedInOneLine) {
  const std::string alphabet = "ab01:,[]{}-?!&*#|>'\"%@`~ \n\t<=.\\";
  std::mt19937 random(8);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 4 == 0 ? "" : "a=";
    for (std::size_t n = random() % 16; n > 0; --n) text += alphabet[random() % alphabet.size()];
    accepted += set_refusal(text).empty() ? 1 : 0;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace railyard
