// Static hashing of line-rate flows over equal links, simulated: what the links carry while all
// senders send, and how long the fullest link takes, against closed forms. N hosts of one switch
// send to a host of another, over M parallel links; PFC is off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/platforms/common/fabric/fabric_support.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/link/link_checker.h"

namespace railyard {
namespace {

constexpr unsigned kSeeds = 1000;
constexpr unsigned kFrames = 8;         // of each sender
constexpr unsigned kFrameBytes = 4178;  // of line; 16 more of a flow's first

FabricConfig parallel_links(unsigned senders, unsigned links) {
  std::string text =
      "data: elided\n"
      "link: {rate: 100Gbps, length: 0m}\n"
      "switch:\n"
      "  pfc: {enabled: false, response_quanta: 0}\n"
      "  ecn: {enabled: false}\n"
      "  pipeline: {mac: {latency: 0}, parser: {latency: 0, interval: 0}, "
      "ingress: {latency: 0, interval: 0}, buffer: {latency: 0, interval: 0}, "
      "scheduler: {latency: 0, interval: 0}, egress: {latency: 0, interval: 0}}\n"
      "traffic: {pattern: incast, messages: 1, message_size: " +
      std::to_string(kFrames * 4096) +
      "B}\n"
      "topology:\n"
      "  kind: explicit\n"
      "  nodes:\n"
      "    left: {kind: switch}\n"
      "    right: {kind: switch}\n";
  for (unsigned i = 0; i <= senders; ++i) {
    text += "    h" + std::to_string(i) + ": {kind: host}\n";
  }
  text += "  links:\n";
  for (unsigned i = 0; i < senders; ++i) {
    const std::string n = std::to_string(i);
    text += "    - {from: h" + n + ".0, to: left." + n + "}\n";
  }
  for (unsigned i = 0; i < links; ++i) {
    text += "    - {from: left." + std::to_string(senders + i) + ", to: right." +
            std::to_string(i) + "}\n";
  }
  text += "    - {from: h" + std::to_string(senders) + ".0, to: right." + std::to_string(links) +
          ", rate: " + std::to_string(100 * links) + "Gbps}\n";
  return bound(text);
}

/// Counts the frames that a link has carried.
struct FrameCount : LinkObserver {
  unsigned frames = 0;
  void transmitted(const net::Packet&, const Transmission&) override {}
  void delivered(const FrameInFlight&, Time) override { ++frames; }
  void lost(const FrameInFlight&, Time) override {}
};

struct Means {
  double carried = 0;  // while all send, of what min(N, M) links could
  double worst = 0;    // load of the fullest link, of one sender's
};

/// Means over 1,000 seeds, each a run.
Means simulate(unsigned senders, unsigned links) {
  const FabricConfig config = parallel_links(senders, links);
  // The first frames have arrived after one frame's time, and are sent on at once. Each may be
  // ahead of others with its 16 B more.
  const Time sent =
      config.link.rate.time_of((kFrames + 1) * kFrameBytes + 16 * (senders + 1)) + kNanosecond;
  // Not a line of text for each of 1,000 topologies.
  sc_core::sc_report_handler::set_actions("topology", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_WARNING,
                                          sc_core::SC_DO_NOTHING);
  Means means;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const support::FreshKernel kernel;
    SimulationConfig run;
    run.seed = seed;
    Simulation simulation(run);
    TesterFabric fabric(config, simulation, false);
    std::vector<FrameCount> counts(links);
    for (unsigned i = 0; i < links; ++i) {
      const std::string name = "right.link" + std::to_string(i);
      dynamic_cast<LinkEnd&>(*sc_core::sc_find_object(name.c_str()))
          .set_observers(nullptr, &counts[i]);
    }
    simulation.seal();
    simulation.run(sent);
    unsigned carried = 0;
    for (const FrameCount& count : counts) carried += count.frames;
    simulation.run(kSecond);
    unsigned all = 0;
    unsigned worst = 0;
    for (const FrameCount& count : counts) {
      all += count.frames;
      worst = std::max(worst, count.frames);
    }
    EXPECT_EQ(all, senders * kFrames) << seed;  // nothing was dropped
    EXPECT_EQ(worst % kFrames, 0U) << seed;     // a flow keeps to one link
    means.carried += static_cast<double>(carried) / (kFrames * std::min(senders, links));
    means.worst += static_cast<double>(worst) / kFrames;
  }
  return {means.carried / kSeeds, means.worst / kSeeds};
}

void expect_closed_form(unsigned senders, unsigned links, double published, double worst) {
  const double closed = links * (1 - std::pow(1 - 1.0 / links, senders)) / std::min(senders, links);
  EXPECT_NEAR(closed, published, .0005);
  const Means means = simulate(senders, links);
  testing::Test::RecordProperty("carried", std::to_string(means.carried));
  testing::Test::RecordProperty("worst", std::to_string(means.worst));
  EXPECT_NEAR(means.carried / closed, 1, .03);
  if (worst != 0) {
    EXPECT_NEAR(means.worst / worst, 1, .03);
  }
}

TEST(EcmpClosedForm, FourFlowsOverFourLinks) { expect_closed_form(4, 4, .684, 2.13); }
TEST(EcmpClosedForm, EightFlowsOverEightLinks) { expect_closed_form(8, 8, .656, 2.59); }
TEST(EcmpClosedForm, SixteenFlowsOverSixteenLinks) { expect_closed_form(16, 16, .644, 3.08); }
TEST(EcmpClosedForm, EightFlowsOverSixteenLinks) { expect_closed_form(8, 16, .807, 0); }
TEST(EcmpClosedForm, ThirtyTwoFlowsOverEightLinks) { expect_closed_form(32, 8, .986, 0); }
TEST(EcmpClosedForm, ThirtyTwoFlowsOverThirtyTwoLinks) { expect_closed_form(32, 32, .638, 3.53); }

}  // namespace
}  // namespace railyard
