// What a run's summary says, and that it fits a terminal.
#include "platforms/common/fabric/story.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::Not;

Story story() {
  Story s;
  s.traffic = "8 flows from 8 hosts to h8, 16MiB each";
  s.goodput_gbps = 392.04;
  s.line_gbps = 400;
  s.fairness = 0.99849;
  s.flows = 8;
  s.finished = 8;
  s.completion = {2700.5, 2710, 2739.123, 2739.123};
  s.message = {10, 696.254, 1200, 1300};
  s.mark = {4852, true, 12.345, "sw0.port8"};
  s.cnp = {1711, true, 14.5, "h8.nic0"};
  s.xoff = {927, true, 61.02, "sw0.port4"};
  return s;
}

CongestionReport congestion() {
  CongestionReport report;
  CongestionTree tree;
  tree.root = "sw0.port8";
  tree.priority = 3;
  tree.pauses = 927;
  tree.time = 1234 * kMicrosecond;
  tree.hosts = 8;
  tree.depths.resize(1);
  report.trees.push_back(tree);
  return report;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

TEST(Story, SaysWhatHappenedInThreeTables) {
  EXPECT_EQ(story_text(story(), congestion()),
            R"(8 flows from 8 hosts to h8, 16MiB each: 8 of 8 finished
goodput         392.0 of 400 Gb/s (98.0 %), Jain's fairness 0.998

                        least       median         99 %         most
flow completion      2.700 ms     2.710 ms     2.739 ms     2.739 ms
message              10.00 us    696.25 us     1.200 ms     1.300 ms

                        count  first after  at
marks                    4852     12.35 us  sw0.port8
CNPs                     1711     14.50 us  h8.nic0
XOFFs                     927     61.02 us  sw0.port4
drops                       0

pauses by their root                              count       time  depth  hosts
  sw0.port8 priority 3, oversubscription            927     1.2 ms      1      8
)");
}

TEST(Story, SaysNothingOfWhatDidNotHappen) {
  Story s = story();
  s.completion.reset();
  s.message.reset();
  s.mark = s.cnp = s.xoff = {};
  const std::string text = story_text(s, {});
  EXPECT_THAT(text, Not(HasSubstr("completion")));
  EXPECT_THAT(text, HasSubstr("marks                    none\n"));
  EXPECT_THAT(text, Not(HasSubstr("pauses")));
  EXPECT_THAT(text, Not(HasSubstr("error")));
}

TEST(Story, SaysWhatWentWrong) {
  Story s = story();
  s.finished = 5;
  s.failed = 2;
  s.wrong_bytes = 3;
  s.dropped = 11;
  s.overflowed = 4;
  s.repeated = 17;
  s.cyclic_ports = 6;
  const std::string text = story_text(s, {});
  EXPECT_THAT(text, HasSubstr(": 5 of 8 finished, 2 ended with an error\n"));
  EXPECT_THAT(text, HasSubstr("3 bytes arrived otherwise than they were sent\n"));
  EXPECT_THAT(text, HasSubstr("15, 4 by receivers; 17 packets were sent again\n"));
  EXPECT_THAT(text, HasSubstr("6 egress ports can wait for each other for ever\n"));
}

TEST(Story, FitsATerminalWhateverTheNumbers) {
  Story s = story();
  s.traffic = "200000 flows from 16384 hosts to 16384 hosts, 65535GiB to 65535GiB";
  s.flows = s.finished = 200'000;
  s.goodput_gbps = 1234567.8;
  s.line_gbps = 6'553'600;
  s.completion = {123456.7, 1e9, 1e9, 1e9};
  s.mark = s.cnp = s.xoff = {9'999'999'999, true, 1e9, "spine128.port511"};
  s.dropped = 9'999'999'999;
  s.overflowed = 9'999'999;
  CongestionReport report = congestion();
  report.trees[0].root = "spine128.port511";
  report.trees[0].pauses = 99'999'999;
  report.trees[0].time = 1000 * kSecond;
  report.trees.resize(20, report.trees[0]);
  const std::string text = story_text(s, report);
  EXPECT_LE(widest(text.substr(text.find('\n') + 1)), 80U);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20);
}

}  // namespace
}  // namespace railyard
