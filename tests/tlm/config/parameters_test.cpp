// Declared parameters, bound from trees that the tests build: no file format is involved.
#include "tlm/config/parameters.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/tlm/config/trees.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Data { kCarried, kElided };

struct Outage {
  Time from = 0;
  Time to = kMicrosecond;
  Mark mark;

  void declare(Parameters& p) {
    p.add("from", from).required().doc("When it begins");
    p.add("to", to);
    p.where(mark);
    p.check([this](const Bound& bound) {
      if (to < from) bound.fail("to", "ends before it begins", "write to >= from");
    });
  }
};

struct Ecn {
  Bytes kmin = 100'000;
  Bytes kmax = 400'000;
  double pmax = 0.2;

  void declare(Parameters& p) {
    p.add("kmin", kmin).doc("No packet is marked below it");
    p.add("kmax", kmax).range(1, 9'000'000);
    p.add("pmax", pmax).range(0, 1);
    p.check([this](const Bound& bound) {
      if (kmax < kmin) bound.fail("kmin", "is above kmax", "write kmin <= kmax");
    });
  }
};

struct Node1 {
  std::string mac = "02:00:00:00:00:01";
  void declare(Parameters& p) { p.add("mac", mac); }
};

struct Config {
  bool enabled = true;
  std::uint32_t ports = 64;
  std::uint8_t priority = 3;
  std::int32_t offset = -2;
  Rate rate = Rate::gbps(400);
  Length length = metres(3);
  std::optional<Time> until;
  Data data = Data::kCarried;
  Ecn ecn;
  std::vector<std::uint32_t> weights = {1, 2};
  std::vector<Outage> outages;
  std::map<std::string, Node1> nodes;

  void declare(Parameters& p) {
    p.add("enabled", enabled);
    p.add("ports", ports)
        .range(1, 256)
        .accept("is not a power of two", "a power of two",
                [](auto n) { return (n & (n - 1)) == 0; });
    p.add("priority", priority).max(7);
    p.add("offset", offset).min(-10);
    p.add("rate", rate).range(Rate::gbps(1), Rate::gbps(1600)).doc("Line rate");
    p.add("length", length);
    p.add("until", until).doc("When the run ends");
    p.choice("data", data, {{"carried", Data::kCarried}, {"elided", Data::kElided}});
    p.group("ecn", ecn).doc("Marking");
    p.list("weights", weights).range(1, 100).size(1, 8);
    p.list("outages", outages).doc("When it is down");
    p.map("nodes", nodes).doc("By name");
    p.check([this](const Bound& bound) {
      if (ecn.pmax == 0 && ports == 1) {
        bound.fail("ecn.pmax", "is zero with one port", "write another");
      }
    });
  }
};

std::string refusal(std::vector<std::pair<std::string, Node>> members) {
  Config config;
  try {
    bind_config(map(std::move(members)), config);
  } catch (const ConfigError& error) {
    EXPECT_NE(error.remedy(), "") << error.what();
    return error.what();
  }
  return "";
}

TEST(Binding, LeavesDefaultsWhereNothingIsWritten) {
  Config config;
  bind_config(map({}), config);
  EXPECT_EQ(config.ports, 64U);
  EXPECT_EQ(config.rate, Rate::gbps(400));
  EXPECT_FALSE(config.until);
  EXPECT_THAT(config.weights, ElementsAre(1, 2));
}

TEST(Binding, FillsEveryKind) {
  Config config;
  bind_config(map({{"enabled", text("false")},
                   {"ports", text("32")},
                   {"priority", text("7")},
                   {"offset", text("-10")},
                   {"rate", text("1.6Tbps")},
                   {"length", text("1.5km")},
                   {"until", text("5us")},
                   {"data", text("elided")},
                   {"ecn", map({{"kmax", text("9MB")}, {"pmax", text("1")}})},
                   {"weights", list({text("5"), text("100")})},
                   {"outages", list({map({{"from", text("1ns")}})})},
                   {"nodes", map({{"h0", map({{"mac", text("x")}})}, {"h1", map({})}})}}),
              config);
  EXPECT_FALSE(config.enabled);
  EXPECT_EQ(config.ports, 32U);
  EXPECT_EQ(config.priority, 7);
  EXPECT_EQ(config.offset, -10);
  EXPECT_EQ(config.rate, Rate::gbps(1600));
  EXPECT_EQ(config.length, metres(1500));
  EXPECT_EQ(config.until, 5 * kMicrosecond);
  EXPECT_EQ(config.data, Data::kElided);
  EXPECT_EQ(config.ecn.kmin, 100'000U);
  EXPECT_EQ(config.ecn.kmax, 9'000'000U);
  EXPECT_EQ(config.ecn.pmax, 1.0);
  EXPECT_THAT(config.weights, ElementsAre(5, 100));
  ASSERT_EQ(config.outages.size(), 1U);
  EXPECT_EQ(config.outages[0].from, kNanosecond);
  EXPECT_EQ(config.nodes.at("h0").mac, "x");
  EXPECT_EQ(config.nodes.at("h1").mac, "02:00:00:00:00:01");
}

TEST(Binding, GivesTheStructItsPlace) {
  Config config;
  bind_config(map({{"outages", list({map({{"from", text("1ns")}})})}}), config);
  EXPECT_EQ(config.outages[0].mark.place(), "f.yaml:1:1");
}

TEST(AnUnknownKey, IsRefusedWithTheNearestAndTheAccepted) {
  EXPECT_EQ(refusal({{"enabled", text("true")}, {"raet", text("1Gbps")}}),
            "f.yaml:2:1: raet: no such key; did you mean \"rate\"? Accepted: enabled, ports, "
            "priority, offset, rate, length, until, data, ecn, weights, outages, nodes");
}

TEST(AnUnknownKey, ThatBelongsElsewhereIsSentThere) {
  EXPECT_THAT(refusal({{"kmin", text("1KB")}}), HasSubstr("did you mean \"ecn.kmin\"?"));
  EXPECT_THAT(refusal({{"ecn", map({{"ports", text("1")}})}}),
              HasSubstr("did you mean \"ports\"?"));
}

TEST(AnUnknownKey, OfAGroupHasTheGroupsPath) {
  EXPECT_THAT(
      refusal({{"ecn", map({{"kmim", text("1KB")}})}}),
      HasSubstr("ecn.kmim: no such key; did you mean \"kmin\"? Accepted: kmin, kmax, pmax"));
}

TEST(AnUnknownKey, OfAnyBytesMakesOneShortLine) {
  const std::string message = refusal({{std::string(10'000, '\n'), text("1")}});
  EXPECT_LT(message.size(), 300U);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(AValue, OutOfRangeIsRefusedWithTheRange) {
  EXPECT_EQ(refusal({{"rate", text("2Tbps")}}),
            "f.yaml:1:10: rate: \"2Tbps\" is out of range; accepted: 1Gbps to 1.6Tbps");
  EXPECT_THAT(refusal({{"priority", text("8")}}), HasSubstr("is too large; accepted: at most 7"));
  EXPECT_THAT(refusal({{"offset", text("-11")}}),
              HasSubstr("is too small; accepted: at least -10"));
  EXPECT_THAT(refusal({{"ports", text("48")}}),
              HasSubstr("is not a power of two; accepted: 1 to 256, a power of two"));
}

TEST(AValue, AtTheEdgesOfItsRangeIsAccepted) {
  EXPECT_EQ(refusal({{"rate", text("1Gbps")}}), "");
  EXPECT_EQ(refusal({{"rate", text("1600Gbps")}}), "");
  EXPECT_EQ(refusal({{"ports", text("256")}}), "");
}

TEST(AValue, BeyondItsTypeIsRefused) {
  EXPECT_THAT(refusal({{"priority", text("256")}}), HasSubstr("accepted: at most 7"));
  EXPECT_THAT(refusal({{"ports", text("-1")}}), HasSubstr("is negative"));
}

TEST(AValue, OfAnotherKindIsRefused) {
  EXPECT_EQ(refusal({{"rate", map({})}}),
            "f.yaml:1:10: rate: is a group of keys, not a rate; write a rate such as 400Gbps");
  EXPECT_THAT(refusal({{"offset", list({})}}), HasSubstr("is a list, not an integer"));
  EXPECT_THAT(refusal({{"ecn", text("5")}}), HasSubstr("ecn: is \"5\", not a group of keys"));
  EXPECT_THAT(refusal({{"weights", text("5")}}), HasSubstr("weights: is \"5\", not a list"));
  EXPECT_THAT(refusal({{"nodes", list({})}}), HasSubstr("nodes: is a list, not a group of names"));
  EXPECT_THAT(refusal({{"outages", list({text("5us")})}}),
              HasSubstr("outages[0]: is \"5us\", not a group of keys"));
}

TEST(AValue, ThatIsMissingIsRefused) {
  EXPECT_THAT(refusal({{"rate", Node()}}), HasSubstr("rate: has no value"));
  EXPECT_THAT(refusal({{"ecn", Node()}}), HasSubstr("ecn: is nothing, not a group of keys"));
  EXPECT_THAT(refusal({{"until", Node()}}), HasSubstr("remove the key to take its default"));
}

TEST(Quotes, AreForTextAndQuantitiesAlone) {
  EXPECT_EQ(refusal({{"rate", quoted_text("400Gbps")}}), "");
  EXPECT_EQ(refusal({{"data", quoted_text("elided")}}), "");
  EXPECT_THAT(refusal({{"ports", quoted_text("32")}}),
              HasSubstr("\"32\" in quotes is text, not a count; write it without quotes"));
  EXPECT_THAT(refusal({{"enabled", quoted_text("true")}}), HasSubstr("not a bool"));
}

TEST(AChoice, OfAnotherWordNamesTheNearest) {
  EXPECT_EQ(refusal({{"data", text("Carried")}}),
            "f.yaml:1:10: data: \"Carried\" is not accepted; did you mean \"carried\"? Accepted: "
            "carried, elided");
  EXPECT_THAT(refusal({{"data", text("")}}), HasSubstr("accepted: carried, elided"));
}

TEST(AList, KeepsItsSizeAndItsElementsRange) {
  EXPECT_THAT(refusal({{"weights", list({})}}), HasSubstr("has 0 elements; accepted: 1 to 8"));
  EXPECT_THAT(refusal({{"weights", list(std::vector<Node>(9, text("1")))}}),
              HasSubstr("has 9 elements"));
  EXPECT_THAT(refusal({{"weights", list({text("1"), text("101")})}}),
              HasSubstr("weights[1]: \"101\" is out of range; accepted: 1 to 100"));
}

TEST(ARequiredKey, ThatIsMissingIsNamed) {
  EXPECT_THAT(refusal({{"outages", list({map({{"to", text("1us")}})})}}),
              HasSubstr("outages[0].from: is required but missing; add the key; type: time"));
}

TEST(AName, ThatIsNoIdentifierIsRefused) {
  for (const std::string name : {"Host", "0h", "_h", "h-0", "h.0", "", "h 0", "h\n"}) {
    EXPECT_THAT(refusal({{"nodes", map({{name, map({})}})}}), HasSubstr("cannot be a name"))
        << name;
  }
  EXPECT_NE(refusal({{"nodes", map({{std::string(65, 'h'), map({})}})}}), "");
  EXPECT_EQ(refusal({{"nodes", map({{std::string(64, 'h'), map({})}})}}), "");
}

TEST(ACheck, FailsAtTheKeyThatWasWritten) {
  EXPECT_EQ(refusal({{"enabled", text("true")}, {"ecn", map({{"kmin", text("1MB")}})}}),
            "f.yaml:1:10: ecn.kmin: is above kmax; write kmin <= kmax");
}

TEST(ACheck, FailsAtTheGroupIfItsKeyIsDefaulted) {
  EXPECT_THAT(refusal({{"enabled", text("true")}, {"ecn", map({{"kmax", text("1KB")}})}}),
              HasSubstr("f.yaml:2:10: ecn.kmin: is above kmax"));
}

TEST(ACheck, SeesGroupsBelow) {
  EXPECT_THAT(refusal({{"ports", text("1")}, {"ecn", map({{"pmax", text("0")}})}}),
              HasSubstr("ecn.pmax: is zero with one port"));
}

TEST(ACheck, RunsInListElements) {
  EXPECT_THAT(refusal({{"outages", list({map({{"from", text("5us")}, {"to", text("4us")}})})}}),
              HasSubstr("f.yaml:2:10: outages[0].to: ends before it begins"));
}

struct Presence {
  bool a = false;
  Ecn ecn;
  std::vector<std::string> seen;
  void declare(Parameters& p) {
    p.add("a", a);
    p.group("ecn", ecn);
    p.check([this](const Bound& bound) {
      for (const char* key : {"a", "ecn", "ecn.kmin", "ecn.kmax"}) {
        if (bound.has(key)) seen.emplace_back(key);
      }
    });
  }
};

TEST(ACheck, KnowsWhatWasWritten) {
  Presence config;
  bind_config(map({{"ecn", map({{"kmax", text("1MB")}})}}), config);
  EXPECT_THAT(config.seen, ElementsAre("ecn", "ecn.kmax"));
}

struct Modes {
  bool fast = false;
  std::uint32_t depth = 4;
  void declare(Parameters& p) {
    p.add("fast", fast);
    p.add("depth", depth);
    p.check([this](const Bound& bound) {
      if (!fast) bound.needs("depth", depth != Modes{}.depth, "fast: true");
    });
  }
};

TEST(ACheck, RefusesAKeyThatDoesNothingInItsMode) {
  Modes config;
  bind_config(map({{"fast", text("true")}, {"depth", text("5")}}), config);
  bind_config(map({{"fast", text("false")}, {"depth", text("4")}}), config);
  try {
    bind_config(map({{"fast", text("false")}, {"depth", text("5")}}), config);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "f.yaml:2:10: depth: does nothing without fast: true; "
                 "write fast: true, or leave the key out");
  }
}

TEST(ADump, BindsBackToTheSameDump) {
  Config config;
  config.until = 7;
  config.ecn.pmax = 0.1;
  config.rate = parse_rate("1000/3Gbps");
  config.outages = {{1, 2, {}}, {3, 4, {}}};
  config.nodes["b"].mac = "true";
  config.nodes["a"].mac = "5";
  const Node dump = dump_config(config);
  Config again;
  bind_config(dump, again);
  EXPECT_EQ(again.until, 7);
  EXPECT_EQ(again.rate, config.rate);
  EXPECT_EQ(again.outages[1].to, 4);
  EXPECT_EQ(again.nodes.at("b").mac, "true");
  EXPECT_EQ(dump.members.front().key, "enabled");
  EXPECT_EQ(dump.members.size(), 12U);
}

TEST(ADump, LeavesOutWhatIsNone) {
  const Node dump = dump_config(Config{});
  EXPECT_EQ(dump.find("until"), nullptr);
  EXPECT_NE(dump.find("rate"), nullptr);
}

TEST(ADescription, HasARowForEveryKey) {
  const std::vector<ParameterRow> rows = describe_config<Config>();
  std::vector<std::string> paths;
  for (const ParameterRow& row : rows) paths.push_back(row.path);
  EXPECT_THAT(paths,
              ElementsAre("enabled", "ports", "priority", "offset", "rate", "length", "until",
                          "data", "ecn", "ecn.kmin", "ecn.kmax", "ecn.pmax", "weights", "outages",
                          "outages[].from", "outages[].to", "nodes", "nodes.<name>.mac"));
}

TEST(ADescription, GivesTypeDefaultRangeAndDoc) {
  const std::vector<ParameterRow> rows = describe_config<Config>();
  const auto row = [&](const std::string& path) {
    for (const ParameterRow& r : rows) {
      if (r.path == path) return r.type + "|" + r.fallback + "|" + r.accepted + "|" + r.doc;
    }
    return std::string();
  };
  EXPECT_EQ(row("rate"), "rate|400Gbps|1Gbps to 1.6Tbps|Line rate");
  EXPECT_EQ(row("until"), "time|none||When the run ends");
  EXPECT_EQ(row("data"), "choice|carried|carried | elided|");
  EXPECT_EQ(row("ecn"), "group|||Marking");
  EXPECT_EQ(row("weights"), "list of count|[1, 2]|1 to 8 elements, each 1 to 100|");
  EXPECT_EQ(row("outages"), "list of groups|[]||When it is down");
  EXPECT_EQ(row("outages[].from"), "time|required||When it begins");
  EXPECT_EQ(row("nodes"), "groups by name|{}||By name");
}

TEST(Declaring, AKeyTwiceIsALogicError) {
  int value = 0;
  Parameters p;
  p.add("a", value);
  EXPECT_THROW(p.add("a", value), std::logic_error);
  EXPECT_THROW(p.add("A", value), std::logic_error);
  EXPECT_THROW(p.add("a.b", value), std::logic_error);
}

TEST(AText, OfControlCharactersOrEndlessIsRefused) {
  EXPECT_THAT(refusal({{"nodes", map({{"h", map({{"mac", quoted_text(std::string(1, '\0'))}})}})}}),
              HasSubstr("nodes.h.mac: \"\\x00\" has a character that is not printable ASCII"));
  EXPECT_THAT(refusal({{"nodes", map({{"h", map({{"mac", text(std::string(5000, 'x'))}})}})}}),
              HasSubstr("is too long"));
}

}  // namespace
}  // namespace railyard
