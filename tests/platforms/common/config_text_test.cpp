// From a file's text to a struct and back: the reader, the parameters and the JSON together, and
// what --describe and expectations print.
#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "platforms/common/assignment.h"
#include "platforms/common/config_json.h"
#include "platforms/common/describe.h"
#include "platforms/common/expectations.h"
#include "platforms/common/yaml_reader.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct Link {
  Rate rate = Rate::gbps(400);
  Length length = metres(3);
  double bit_error_rate = 0;

  void declare(Parameters& p) {
    p.add("rate", rate).range(Rate::gbps(1), Rate::gbps(1600)).doc("Line rate of each direction");
    p.add("length", length).doc("Cable, one way");
    p.add("bit_error_rate", bit_error_rate).range(0, 1);
  }
  bool operator==(const Link& o) const {
    return rate == o.rate && length == o.length && bit_error_rate == o.bit_error_rate;
  }
};

struct Config {
  std::uint64_t seed = 1;
  bool pfc = true;
  std::string title = "";
  Bytes buffer = 9'000'000;
  std::optional<Time> until;
  std::string pcie = "modelled";
  std::vector<Time> marks;
  std::vector<Link> links;
  std::map<std::string, Link> named;
  std::vector<Expectation> expect;

  void declare(Parameters& p) {
    p.add("seed", seed);
    p.add("pfc", pfc).doc("Pause | resume <x>");
    p.add("title", title);
    p.add("buffer", buffer);
    p.add("until", until);
    p.choice("pcie", pcie,
             {{"modelled", std::string("modelled")}, {"ideal", std::string("ideal")}});
    p.list("marks", marks);
    p.list("links", links);
    p.map("named", named);
    p.list("expect", expect).doc("Bounds on metrics");
  }
};

Config bound(const std::string& text) {
  Config config;
  bind_config(read_yaml_text(text, "f.yaml"), config);
  return config;
}

std::string refusal_of(const std::string& text) {
  try {
    bound(text);
  } catch (const ConfigError& error) {
    EXPECT_NE(error.remedy(), "") << error.what();
    return error.what();
  }
  return "";
}

TEST(Configuration, OfAFileIsBound) {
  const Config config = bound(R"(
seed: 42
pfc: false
buffer: 32 MiB
until: 1.5ms
pcie: ideal
marks: [1us, 2 us]
links:
  - rate: 100Gbps
  - {length: 0.5m, bit_error_rate: 1e-12}
named:
  h0: {}
)");
  EXPECT_EQ(config.seed, 42U);
  EXPECT_FALSE(config.pfc);
  EXPECT_EQ(config.buffer, 32U << 20);
  EXPECT_EQ(config.until, 1500 * kMicrosecond);
  EXPECT_EQ(config.pcie, "ideal");
  EXPECT_THAT(config.marks, ElementsAre(kMicrosecond, 2 * kMicrosecond));
  EXPECT_EQ(config.links.at(1).length, millimetres(500));
  EXPECT_EQ(config.links.at(1).bit_error_rate, 1e-12);
  EXPECT_EQ(config.named.count("h0"), 1U);
}

TEST(Configuration, ThatAPersonCouldMisreadIsRefused) {
  EXPECT_EQ(refusal_of("seed: 010"),
            "f.yaml:1:7: seed: \"010\" has a leading zero, which some read as octal; write the "
            "number without it");
  for (const char* text : {"seed: 0x10", "seed: 1_000", "seed: +5", "seed: 1e3", "seed: 5.0",
                           "seed: '5'", "seed: \"5\"", "seed: 1,000", "seed: -1", "seed: ~",
                           "seed:", "seed: null", "seed: []", "seed: 12:30", "seed: 2001-12-14",
                           "seed: |\n  5", "seed: 18446744073709551616", "seed: 5us"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr(": seed: ")) << text;
  }
  for (const char* text : {"pfc: yes", "pfc: no", "pfc: on", "pfc: off", "pfc: True", "pfc: FALSE",
                           "pfc: 1", "pfc: 0", "pfc: y", "pfc: 'true'", "pfc: ~", "pfc: {}"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("f.yaml:1:6: pfc: ")) << text;
  }
  for (const char* text : {"bit_error_rate: .5", "bit_error_rate: 1e-400", "bit_error_rate: .nan",
                           "bit_error_rate: .inf", "bit_error_rate: 50%", "bit_error_rate: 1.1",
                           "bit_error_rate: -0.1", "bit_error_rate: '0.1'", "rate: 400",
                           "rate: 400GB/s", "rate: 400 gbps", "rate: 2Tbps", "length: 5ft"}) {
    EXPECT_THAT(refusal_of("links:\n- " + std::string(text)), StartsWith("f.yaml:2:")) << text;
    EXPECT_THAT(refusal_of("links:\n- " + std::string(text)), HasSubstr("links[0].")) << text;
  }
}

TEST(Configuration, OfCommonSlipsIsToldTheRemedy) {
  EXPECT_THAT(refusal_of("links:\n-\tx\n\trate: 1Gbps\n"),
              HasSubstr("indent with spaces, not with tabs"));
  EXPECT_THAT(refusal_of("seed:1"), HasSubstr("with a space after the colon"));
  EXPECT_THAT(refusal_of("links: [5]"), HasSubstr("keys accepted: rate, length, bit_error_rate"));
  EXPECT_THAT(refusal_of("named.h0: {}"), HasSubstr("in a file, write named: {h0: ...}"));
}

TEST(Configuration, SetOnTheCommandLineIsRefusedWithTheArgument) {
  Node root = read_yaml_text("{links: [{}]}", "f.yaml");
  apply_set(root, "links.0.raet=5Gbps");
  Config config;
  try {
    bind_config(root, config);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "--set links.0.raet=5Gbps: links[0].raet: no such key; did you mean \"rate\"? "
                 "Accepted: rate, length, bit_error_rate");
  }
}

TEST(ConfigJson, ReadsBackAsTheSameConfiguration) {
  Config config;
  config.seed = std::numeric_limits<std::uint64_t>::max();
  config.title = "a \"b\" \\ {c}: #d, true";
  config.until = 1;
  config.marks = {0, kForever};
  config.links = {{parse_rate("32*16*128/130Gbps"), Length{1}, 0.1}, {}};
  config.links[1].bit_error_rate = 5e-324 * 1e20;
  config.named["a"].bit_error_rate = 1;
  config.expect = {{"x", 1e20, std::nullopt, std::nullopt, {}}};
  for (const int indent : {-1, 0, 2}) {
    const std::string json = config_json(dump_config(config), indent);
    const Config again = bound(json);
    EXPECT_EQ(again.seed, config.seed);
    EXPECT_EQ(again.title, config.title);
    EXPECT_EQ(again.until, config.until);
    EXPECT_EQ(again.marks, config.marks);
    EXPECT_EQ(again.links, config.links);
    EXPECT_EQ(again.named, config.named);
    EXPECT_EQ(again.expect.at(0).min, 1e20);
    EXPECT_EQ(config_json(dump_config(again), indent), json);
  }
}

TEST(ConfigJson, WritesTextsThatLookLikeNumbersAsText) {
  Config config;
  for (const char* title : {"", "true", "null", "~", "010", "5", "<<", "*a", "- b", "a: b"}) {
    config.title = title;
    EXPECT_EQ(bound(config_json(dump_config(config))).title, title);
  }
}

TEST(ConfigJson, KeepsTheDeclaredOrder) {
  EXPECT_THAT(config_json(dump_config(Config{}), -1),
              StartsWith(R"({"seed":1,"pfc":true,"title":"","buffer":"9MB","pcie":"modelled",)"));
}

TEST(AReport, ReproducesTheConfiguration) {
  Config config;
  config.seed = 99;
  const std::string report =
      "{\"schema\":1,\"seed\":99,\"config\":" + config_json(dump_config(config)) +
      ",\"metrics\":{\"a.b\":{\"value\":1,\"doc\":\"x\"}}}";
  EXPECT_EQ(bound(report).seed, 99U);
}

TEST(Description, AsTextAlignsItsColumns) {
  const std::string text = describe_text(describe_config<Link>());
  EXPECT_EQ(text,
            "key             type    default  accepted\n"
            "rate            rate    400Gbps  1Gbps to 1.6Tbps  Line rate of each direction\n"
            "length          length  3m                         Cable, one way\n"
            "bit_error_rate  number  0        0 to 1\n");
}

TEST(Description, AsMarkdownEscapesItsCells) {
  const std::string text = describe_markdown(describe_config<Config>());
  EXPECT_THAT(text, HasSubstr("| `pfc` | bool | `true` |  | Pause \\| resume \\<x\\> |\n"));
  EXPECT_THAT(text, HasSubstr("| `pcie` | choice | `modelled` | modelled \\| ideal |  |\n"));
  EXPECT_THAT(text, HasSubstr("| `named.<name>.rate` |"));
}

TEST(Description, AsJsonIsOneListOfObjects) {
  const auto json = nlohmann::json::parse(describe_json(describe_config<Link>()));
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["key"], "rate");
  EXPECT_EQ(json[0]["default"], "400Gbps");
  EXPECT_EQ(json[0]["accepted"], "1Gbps to 1.6Tbps");
}

TEST(AnExpectation, WithoutABoundOrWithACrossedOneIsRefused) {
  EXPECT_THAT(refusal_of("expect: [{metric: a}]"), HasSubstr("sets no bound"));
  EXPECT_THAT(refusal_of("expect: [{min: 1}]"), HasSubstr("expect[0].metric: is required"));
  EXPECT_THAT(refusal_of("expect:\n- {metric: a, min: 2, max: 1}"),
              StartsWith("f.yaml:2:28: expect[0].max: 1 is below min, 2"));
  EXPECT_THAT(refusal_of("expect: [{metric: a, max: 1, equals: 2}]"),
              HasSubstr("outside min and max"));
  EXPECT_EQ(refusal_of("expect: [{metric: a, min: 1, max: 1, equals: 1}]"), "");
}

TEST(AnExpectation, TakesFinitePlainNumbersAlone) {
  for (const char* bound :
       {".inf", "-.inf", ".nan", "nan", "inf", "1us", "'1'", "1e999", "~", "[1]", "0x1", "010"}) {
    EXPECT_THAT(refusal_of("expect: [{metric: a, max: " + std::string(bound) + "}]"),
                HasSubstr("expect[0].max: "))
        << bound;
  }
}

TEST(AnExpectation, OnAnUnknownMetricIsRefusedWithTheNearest) {
  const Config config = bound("expect:\n- {metric: a, min: 1}\n- {metric: total.gooput, min: 1}\n");
  try {
    check_names(config.expect, {"a", "total.goodput"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), StartsWith("f.yaml:3:3: expect[1].metric: no metric "
                                         "\"total.gooput\"; did you mean \"total.goodput\"?"));
  }
  EXPECT_NO_THROW(check_names(config.expect, {"total.gooput", "a"}));
}

std::vector<ExpectationResult> evaluated(const std::string& expectations, double value) {
  return evaluate(bound("expect: " + expectations).expect,
                  [&](const std::string&) { return std::optional<double>(value); });
}

TEST(AnExpectation, IsMetWithinItsBoundsAlone) {
  EXPECT_TRUE(evaluated("[{metric: a, min: 1, max: 2}]", 1)[0].met);
  EXPECT_TRUE(evaluated("[{metric: a, min: 1, max: 2}]", 2)[0].met);
  EXPECT_FALSE(evaluated("[{metric: a, min: 1, max: 2}]", 0.9)[0].met);
  EXPECT_FALSE(evaluated("[{metric: a, min: 1, max: 2}]", 2.1)[0].met);
  EXPECT_TRUE(evaluated("[{metric: a, equals: 0}]", 0)[0].met);
  EXPECT_FALSE(evaluated("[{metric: a, equals: 0}]", 1e-9)[0].met);
}

TEST(AnExpectation, OnNanOrNothingIsNotMet) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(evaluated("[{metric: a, min: 1}]", nan)[0].met);
  EXPECT_FALSE(evaluated("[{metric: a, max: 1}]", nan)[0].met);
  EXPECT_FALSE(evaluated("[{metric: a, equals: 1}]", nan)[0].met);
  const auto results = evaluate(bound("expect: [{metric: a, min: 1}]").expect,
                                [](const std::string&) { return std::optional<double>(); });
  EXPECT_FALSE(results[0].met);
  EXPECT_EQ(results[0].text, "a has no value, expected at least 1");
}

TEST(AnExpectation, SaysValueAndBound) {
  EXPECT_EQ(evaluated("[{metric: total.goodput_gbps, min: 96}]", 91.2)[0].text,
            "total.goodput_gbps = 91.2, expected at least 96");
  EXPECT_EQ(evaluated("[{metric: a, max: 0}]", 3)[0].text, "a = 3, expected at most 0");
  EXPECT_EQ(evaluated("[{metric: a, min: 1, max: 2}]", 3)[0].text, "a = 3, expected 1 to 2");
  EXPECT_EQ(evaluated("[{metric: a, equals: 4}]", 3)[0].text, "a = 3, expected exactly 4");
}

}  // namespace
}  // namespace railyard
