#include "hw/eth_switch/classifier.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::HasSubstr;

net::Frame ip(std::uint8_t dscp, bool v6 = false) {
  net::Frame frame;
  frame.ethernet.type = v6 ? net::EtherType::kIpv6 : net::EtherType::kIpv4;
  (v6 ? frame.ipv6.dscp : frame.ipv4.dscp) = dscp;
  return frame;
}

net::Frame tagged(net::Frame frame, std::uint8_t pcp) {
  frame.ethernet.has_vlan = true;
  frame.ethernet.pcp = pcp;
  return frame;
}

TEST(Classifier, DefaultsPutRoceIn3AndCnpsIn6) {
  const Classifier classifier({});
  for (const bool v6 : {false, true}) {
    EXPECT_EQ(classifier.priority(ip(26, v6)), 3);
    EXPECT_EQ(classifier.priority(ip(48, v6)), 6);
  }
  const net::Frame cnp = net::cnp_frame(ip(26), 5);
  EXPECT_EQ(classifier.priority(cnp), 6);
  EXPECT_EQ(classifier.traffic_class(3), 3);
  EXPECT_EQ(classifier.traffic_class(6), 6);
}

TEST(Classifier, WhatIsNotListedGoesByItsClassSelector) {
  ClassifierConfig config;
  config.dscp = {{10, 7}};
  config.pcp = {{1, 4}};
  config.traffic_classes = {{7, 0}};
  const Classifier classifier(config);
  for (std::uint8_t dscp = 0; dscp < 64; ++dscp) {
    EXPECT_EQ(classifier.priority(ip(dscp)), dscp == 10 ? 7 : dscp / 8) << +dscp;
  }
  for (std::uint8_t pcp = 0; pcp < 8; ++pcp) {
    EXPECT_EQ(classifier.priority(tagged({}, pcp)), pcp == 1 ? 4 : pcp) << +pcp;
    EXPECT_EQ(classifier.traffic_class(pcp), pcp == 7 ? 0 : pcp) << +pcp;
  }
}

TEST(Classifier, WhatIsNotCarriedFallsThrough) {
  ClassifierConfig config;
  config.port_priority = 5;
  const auto priorities = [&](Trust trust) {
    config.trust = trust;
    const Classifier classifier(config);
    return std::vector<int>{classifier.priority(tagged(ip(26), 1)), classifier.priority(ip(26)),
                            classifier.priority(tagged({}, 1)), classifier.priority({})};
  };
  EXPECT_THAT(priorities(Trust::kDscp), testing::ElementsAre(3, 3, 1, 5));
  EXPECT_THAT(priorities(Trust::kPcp), testing::ElementsAre(1, 5, 1, 5));
  EXPECT_THAT(priorities(Trust::kPort), testing::ElementsAre(5, 5, 5, 5));
}

TEST(ClassifierConfig, ReadsItsListsAndComesBackFromItsDump) {
  ClassifierConfig config;
  bind_config(map({{"trust", text("pcp")},
                   {"dscp", list({map({{"dscp", text("46")}, {"priority", text("5")}})})},
                   {"pcp", list({map({{"pcp", text("0")}, {"priority", text("1")}})})},
                   {"traffic_classes",
                    list({map({{"priority", text("1")}, {"traffic_class", text("2")}})})}}),
              config);
  ClassifierConfig again;
  bind_config(dump_config(config), again);
  const Classifier classifier(again);
  EXPECT_EQ(again.trust, Trust::kPcp);
  ASSERT_EQ(again.dscp.size(), 1U);
  EXPECT_EQ(again.dscp[0].dscp, 46);
  EXPECT_EQ(classifier.priority(tagged({}, 0)), 1);
  EXPECT_EQ(classifier.traffic_class(1), 2);
}

TEST(ClassifierConfig, WhatIsMappedTwiceIsRefused) {
  const auto refusal = [](const std::string& key, const std::string& from, const std::string& to,
                          const std::string& second) {
    ClassifierConfig config;
    try {
      bind_config(map({{key, list({map({{from, text("7")}, {to, text("1")}}),
                                   map({{from, text(second)}, {to, text("1")}})})}}),
                  config);
    } catch (const ConfigError& error) {
      return error.place() + " " + error.problem();
    }
    return std::string();
  };
  EXPECT_EQ(refusal("dscp", "dscp", "priority", "7"), "f.yaml:1:10 dscp: DSCP 7 is mapped twice");
  EXPECT_EQ(refusal("pcp", "pcp", "priority", "7"), "f.yaml:1:10 pcp: PCP 7 is mapped twice");
  EXPECT_EQ(refusal("traffic_classes", "priority", "traffic_class", "7"),
            "f.yaml:1:10 traffic_classes: priority 7 is mapped twice");
  EXPECT_EQ(refusal("dscp", "dscp", "priority", "63"), "");
  EXPECT_THAT(refusal("dscp", "dscp", "priority", "64"), HasSubstr("dscp[1].dscp"));
  EXPECT_THAT(refusal("pcp", "pcp", "priority", "8"), HasSubstr("pcp[1].pcp"));
}

}  // namespace
}  // namespace railyard
