#include "hw/tester/patterns_csv.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/hw/tester/patterns_support.h"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kHeader = "source,destination,start,messages,message_size,rate,priority\n";

std::vector<FlowSpec> listed(const std::string& text) {
  return parse_flow_list(text, "f.csv", pattern({{"pattern", "list"}, {"file", "f.csv"}}),
                         hosts(4));
}

std::string refused(const std::string& text) {
  return refusal([&] { listed(text); });
}

TEST(FlowList, ARowIsAFlow) {
  const std::vector<FlowSpec> all = listed(kHeader +
                                           "h0,h3,1.5us,2,9KB,100Gbps,0\n"
                                           "3,h1.nic0,0ps,1000000000,2GiB,,7\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], (FlowSpec{0, 3, 2, 9000, 1'500'000, Rate::gbps(100), 0}));
  EXPECT_EQ(all[1], (FlowSpec{3, 1, 1'000'000'000, 1ULL << 31, 0, std::nullopt, 7}));
}

TEST(FlowList, WhatIsNotWrittenIsAsTheKeysSay) {
  const PatternConfig keys = pattern({{"pattern", "list"},
                                      {"file", "f.csv"},
                                      {"messages", "3"},
                                      {"message_size", "5KiB"},
                                      {"rate", "10Gbps"},
                                      {"start", "4us"},
                                      {"priority", "1"}});
  const FlowSpec expected{0, 1, 3, 5120, 4 * kMicrosecond, Rate::gbps(10), 1};
  EXPECT_THAT(parse_flow_list(kHeader + "h0,h1,,,,,", "f", keys, hosts(2)),
              testing::ElementsAre(expected));
  EXPECT_THAT(parse_flow_list("destination,source\nh1,h0\n", "f", keys, hosts(2)),
              testing::ElementsAre(expected));
}

TEST(FlowList, LineEndsSpacesAndAByteOrderMarkDoNotMatter) {
  const std::vector<FlowSpec> plain = listed("source,destination\nh0,h1\nh1,h2\n");
  EXPECT_EQ(listed("source,destination\r\nh0,h1\r\nh1,h2\r\n"), plain);
  EXPECT_EQ(listed("\xEF\xBB\xBFsource,destination\nh0,h1\nh1,h2"), plain);
  EXPECT_EQ(listed("\n source , destination\n\n h0 ,\th1\n  \nh1,h2\n\n"), plain);
}

TEST(FlowList, EveryFaultIsRefusedAtItsLine) {
  struct Fault {
    std::string text;
    std::string place;
    std::string says;
  };
  const std::string row = "h0,h1,,,,,\n";
  const std::vector<Fault> faults = {
      {"", "f.csv: ", "holds no flows"},
      {"\n\r\n  \n", "f.csv: ", "holds no flows"},
      {kHeader, "f.csv: ", "holds no flows"},
      {"h0,h1\n", "f.csv:1: ", "no such column"},
      {"source,destination,prioritty\n", "f.csv:1: ", "did you mean \"priority\""},
      {"source,destination,\n", "f.csv:1: ", "no such column"},
      {"source\nh0\n", "f.csv:1: ", "no column destination"},
      {"destination\nh0\n", "f.csv:1: ", "no column source"},
      {"source,destination,source\n", "f.csv:1: ", "twice"},
      {kHeader + row + "h0,h1\n", "f.csv:3: ", "2 fields"},
      {kHeader + row + "h0,h1,,,,,,\n", "f.csv:3: ", "8 fields"},
      {kHeader + "\n" + row + "h0,h0,,,,,\n", "f.csv:4: ", "to itself"},
      {kHeader + "h2,2,,,,,\n", "f.csv:2: ", "from h2.nic0 to itself"},
      {kHeader + "h0,h4,,,,,\n", "f.csv:2: ", "\"h4\" is no host"},
      {kHeader + "h0,,,,,,\n", "f.csv:2: ", "destination: \"\" is no host"},
      {kHeader + "h0,4,,,,,\n", "f.csv:2: ", "accepted: 0 to 3"},
      {kHeader + "h0,-1,,,,,\n", "f.csv:2: ", "\"-1\" is no host"},
      {kHeader + "h0,01,,,,,\n", "f.csv:2: ", "destination: "},
      {kHeader + "h0,99999999999999999999999,,,,,\n", "f.csv:2: ", "destination: "},
      {kHeader + "h0,h1,5,,,,\n", "f.csv:2: ", "start: "},
      {kHeader + "h0,h1,-1us,,,,\n", "f.csv:2: ", "start: "},
      {kHeader + "h0,h1,1001s,,,,\n", "f.csv:2: ", "accepted: 0ps to 1000s"},
      {kHeader + "h0,h1,,0,,,\n", "f.csv:2: ", "accepted: 1 to 1000000000"},
      {kHeader + "h0,h1,,1e3,,,\n", "f.csv:2: ", "messages: "},
      {kHeader + "h0,h1,,184467440737095516160,,,\n", "f.csv:2: ", "messages: "},
      {kHeader + "h0,h1,,,0B,,\n", "f.csv:2: ", "message_size: "},
      {kHeader + "h0,h1,,,4096,,\n", "f.csv:2: ", "message_size: "},
      {kHeader + "h0,h1,,,3GiB,,\n", "f.csv:2: ", "accepted: 1B to 2GiB"},
      {kHeader + "h0,h1,,,,0Gbps,\n", "f.csv:2: ", "rate: "},
      {kHeader + "h0,h1,,,,11Tbps,\n", "f.csv:2: ", "accepted: 1Mbps to 10Tbps"},
      {kHeader + "h0,h1,,,,,8\n", "f.csv:2: ", "accepted: 0 to 7"},
      {kHeader + "\"h0\",h1,,,,,\n", "f.csv:2: ", "a quote"},
      {kHeader + std::string("h0\0,h1,,,,,\n", 12), "f.csv:2: ", "no printable ASCII"},
      {kHeader + "h0,h\xC3\xA4,,,,,\n", "f.csv:2: ", "no printable ASCII"},
      {"\x7F"
       "ELF\x02\x01\n",
       "f.csv:1: ", "no printable ASCII"},
      {"source,destination\rh0,h1\r", "f.csv:1: ", "no printable ASCII"},
      {kHeader + row + std::string(100'000, 'x') + "\n", "f.csv:3: ", "1 fields"},
      {kHeader + row + std::string(100'000, ','), "f.csv:3: ", "100001 fields"},
  };
  for (const Fault& fault : faults) {
    const std::string message = refused(fault.text);
    EXPECT_THAT(message, StartsWith(fault.place)) << fault.text.substr(0, 200);
    EXPECT_THAT(message, HasSubstr(fault.says));
    EXPECT_LT(message.size(), 400U);
  }
}

TEST(FlowList, MoreFlowsThanAFabricTakesAreRefused) {
  std::string text = "source,destination\n";
  for (std::size_t i = 0; i <= kMostFlows; ++i) text += "0,1\n";
  EXPECT_THAT(refused(text), StartsWith("f.csv:200002: more than 200000 flows"));
  text.resize(text.size() - 4);
  EXPECT_EQ(listed(text).size(), kMostFlows);
}

TEST(FlowList, AHostOfSeveralPortsIsNamedByPort) {
  const std::vector<PatternEndpoint> endpoints = {{"h0", "h0.nic0", Rate::gbps(400)},
                                                  {"h0", "h0.nic1", Rate::gbps(400)},
                                                  {"h1", "h1.nic0", Rate::gbps(400)}};
  const PatternConfig keys = pattern({{"pattern", "list"}, {"file", "f.csv"}});
  const auto parse = [&](const std::string& row) {
    return parse_flow_list("source,destination\n" + row, "f.csv", keys, endpoints);
  };
  EXPECT_EQ(parse("h0.nic1,h1")[0].source, 1U);
  EXPECT_THAT(refusal([&] { parse("h0,h1"); }), HasSubstr("h0 has several ports"));
}

TEST(FlowList, AFileIsReadFromTheWorkingDirectory) {
  const std::filesystem::path folder = testing::TempDir();
  const std::string path = (folder / "railyard_flows.csv").string();
  std::ofstream(path) << "source,destination\nh0,h1\n";
  const auto from = [](const std::string& file) {
    return flows({{"pattern", "list"}, {"file", file}}, hosts(2));
  };
  EXPECT_EQ(from(path).size(), 1U);
  std::filesystem::current_path(folder);
  EXPECT_EQ(from("railyard_flows.csv").size(), 1U);
  std::filesystem::remove(path);
  EXPECT_THAT(refusal([&] { from("railyard_flows.csv"); }), HasSubstr("there is no file"));
  EXPECT_THAT(refusal([&] { from("/"); }), HasSubstr("there is no file"));
  EXPECT_THAT(refusal([&] { from("/dev/zero"); }), HasSubstr("there is no file"));
}

}  // namespace
}  // namespace railyard
