// Which marked packets are answered with CNPs, when, and what these say.
#include "hw/nic/congestion_notifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "tests/hw/nic/fakes.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kCnpInterval = 10 * kMicrosecond;
/// From a packet to its CNP: to the next edge, and the block's.
constexpr Time kOwn = 5 * kNanosecond;

NicConfig notifying() {
  NicConfig config;
  config.limits.qps = 8;
  config.cnp.enabled = true;
  config.cnp.interval = kCnpInterval;
  config.send.weights = {1, 1, 1, 1, 1, 1, 1, 1};
  return config;
}

struct NotifierBench : QpLookup {
  explicit NotifierBench(const NicConfig& with = notifying())
      : config(with), partition(simulation.partition()), script(partition, "script") {
    units.partition = &partition;
    units.name = "nic";
    units.config = &config;
    units.qps = this;
    units.transmit = &transmit;
    notifier = std::make_unique<CongestionNotifier>(units, blocks);
    for (std::uint32_t slot = 0; slot < 4; ++slot) add(slot, slot < 2 ? 1 : slot);
    simulation.seal();
    notifier->start();
  }
  /// Of the peer 10.0.1.`peer`.
  void add(std::uint32_t slot, std::uint32_t peer) {
    Qp& qp = all[slot];
    qp.slot = slot;
    qp.number = 0x40 + slot;
    qp.remote_qp = 0x100 + slot;
    qp.state = abi::QpState::kRts;
    qp.traffic_class = 3 << 5;
    qp.attributes.remote_ip[15] = static_cast<std::uint8_t>(peer);
    qp.headers.ethernet.type = net::EtherType::kIpv4;
    qp.headers.ethernet.source.bytes[5] = 0xAA;
    qp.headers.ethernet.destination.bytes[5] = 0xBB;
    qp.headers.ipv4.source.value = 0x0A00'0001;
    qp.headers.ipv4.destination.value = 0x0A00'0100 + peer;
    qp.headers.ipv4.dscp = 26;
    qp.headers.bth.destination_qp = qp.remote_qp;
  }
  Qp* find(std::uint32_t number) override {
    for (Qp& qp : all) {
      if (qp.number == number) return &qp;
    }
    return nullptr;
  }
  Qp& in_slot(std::uint32_t slot) override { return all[slot]; }

  void at(Time time, std::function<void()> what) { script.call(time, std::move(what)); }
  void mark_at(Time time, std::uint32_t slot) {
    at(time, [this, slot] { notifier->marked(all[slot]); });
  }
  /// The CNPs that were made leave.
  void send_all_at(Time time) {
    at(time, [this] {
      while (sent < transmit.taken.size()) transmit.send(partition, sent++);
    });
  }
  /// What still waits for the line leaves at the end.
  void run() {
    send_all_at(kMillisecond);
    simulation.run(kSecond);
  }
  std::vector<std::uint32_t> destinations() const {
    std::vector<std::uint32_t> qps;
    for (const auto& cnp : transmit.taken) qps.push_back(cnp.headers.bth.destination_qp);
    return qps;
  }
  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "nic." + name) return m.value.whole;
    }
    ADD_FAILURE() << "no metric " << name;
    return 0;
  }

  NicConfig config;
  Simulation simulation{{}};
  Partition& partition;
  fakes::Later script;
  fakes::FakeTransmit transmit;
  Blocks blocks;
  Units units;
  std::array<Qp, 4> all;
  std::unique_ptr<CongestionNotifier> notifier;
  std::size_t sent = 0;
};

TEST(NicCongestionNotifier, ACnpGoesToThePeersQueuePairAndIsMarkedAsConfigured) {
  NicConfig config = notifying();
  config.cnp.dscp = 50;
  config.cnp.priority = 5;
  NotifierBench bench(config);
  bench.mark_at(kMicrosecond, 2);
  bench.run();
  ASSERT_EQ(bench.transmit.taken.size(), 1U);
  const fakes::FakeTransmit::Taken& cnp = bench.transmit.taken[0];
  const net::Frame& f = cnp.headers;
  EXPECT_EQ(f.bth.opcode, net::Opcode::kCnp);
  EXPECT_TRUE(f.bth.becn);
  EXPECT_EQ(f.bth.destination_qp, 0x102U);
  EXPECT_EQ(f.ethernet.source.bytes[5], 0xAA);
  EXPECT_EQ(f.ethernet.destination.bytes[5], 0xBB);
  EXPECT_EQ(f.ipv4.source.value, 0x0A00'0001U);
  EXPECT_EQ(f.ipv4.destination.value, 0x0A00'0102U);
  EXPECT_EQ(f.ipv4.dscp, 50);
  EXPECT_EQ(f.ipv4.ecn, net::Ecn::kEct0);
  EXPECT_EQ(f.payload_bytes, 0U);
  EXPECT_EQ(cnp.job.priority, 5);
  EXPECT_EQ(cnp.job.cls, 5U);
  EXPECT_GT(cnp.job.at, kMicrosecond);
  EXPECT_LE(cnp.job.at, kMicrosecond + kOwn);
}

TEST(NicCongestionNotifier, OverIpv6Too) {
  NotifierBench bench;
  net::Frame& h = bench.all[0].headers;
  h.ethernet.type = net::EtherType::kIpv6;
  h.ipv6.source.bytes[15] = 1;
  h.ipv6.destination.bytes[15] = 2;
  bench.mark_at(0, 0);
  bench.run();
  ASSERT_EQ(bench.transmit.taken.size(), 1U);
  const net::Frame& f = bench.transmit.taken[0].headers;
  EXPECT_EQ(f.ipv6.source.bytes[15], 1);
  EXPECT_EQ(f.ipv6.destination.bytes[15], 2);
  EXPECT_EQ(f.ipv6.dscp, 48);
}

// Slots 0 and 1 are of one address. All are marked within an interval, twice, and once after it.
std::vector<std::uint32_t> answered(CnpScope scope) {
  NicConfig config = notifying();
  config.cnp.scope = scope;
  NotifierBench bench(config);
  for (const Time at : {Time{0}, 2 * kMicrosecond, kCnpInterval + 2 * kMicrosecond}) {
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      bench.mark_at(at + slot * 100 * kNanosecond, slot);
      bench.send_all_at(at + slot * 100 * kNanosecond + 50 * kNanosecond);
    }
  }
  bench.run();
  EXPECT_EQ(bench.metric("ce_received"), 9U);
  EXPECT_EQ(bench.metric("cnp_sent"), bench.transmit.taken.size());
  return bench.destinations();
}

TEST(NicCongestionNotifier, AQueuePairIsAnsweredOnceAnInterval) {
  EXPECT_THAT(answered(CnpScope::kQueuePair),
              ElementsAre(0x100, 0x101, 0x102, 0x100, 0x101, 0x102));
}
TEST(NicCongestionNotifier, OrAnAddressIs) {
  EXPECT_THAT(answered(CnpScope::kAddress), ElementsAre(0x100, 0x102, 0x100, 0x102));
}
TEST(NicCongestionNotifier, OrThePortIs) {
  EXPECT_THAT(answered(CnpScope::kPort), ElementsAre(0x100, 0x100));
}

TEST(NicCongestionNotifier, OfAnAddressTheQueuePairIsToldThatWasMarkedLast) {
  NicConfig config = notifying();
  config.cnp.scope = CnpScope::kAddress;
  config.cnp.delay = kMicrosecond;
  NotifierBench bench(config);
  bench.mark_at(0, 0);
  bench.mark_at(500 * kNanosecond, 1);
  bench.run();
  EXPECT_THAT(bench.destinations(), ElementsAre(0x101));
}

TEST(NicCongestionNotifier, ADelayIsFromThePacketToItsCnp) {
  NicConfig config = notifying();
  config.cnp.delay = 3 * kMicrosecond;
  NotifierBench bench(config);
  bench.mark_at(kMicrosecond, 0);
  bench.run();
  ASSERT_EQ(bench.transmit.taken.size(), 1U);
  EXPECT_GE(bench.transmit.taken[0].job.at, 4 * kMicrosecond);
  EXPECT_LE(bench.transmit.taken[0].job.at, 4 * kMicrosecond + kOwn);
}

TEST(NicCongestionNotifier, DisabledItCountsMarksAndAnswersNothing) {
  NicConfig config = notifying();
  config.cnp.enabled = false;
  NotifierBench bench(config);
  bench.mark_at(0, 0);
  bench.run();
  EXPECT_THAT(bench.transmit.taken, IsEmpty());
  EXPECT_EQ(bench.metric("ce_received"), 1U);
}

// Paused, say: of many that would say the same one waits.
TEST(NicCongestionNotifier, WhileACnpWaitsForTheLineItsContextMakesNoOther) {
  NicConfig config = notifying();
  config.cnp.interval = 0;
  NotifierBench bench(config);
  for (Time i = 0; i < 5; ++i) bench.mark_at(i * kMicrosecond, 0);
  bench.mark_at(2 * kMicrosecond, 1);  // another context's is made
  bench.send_all_at(10 * kMicrosecond);
  bench.mark_at(11 * kMicrosecond, 0);
  bench.send_all_at(12 * kMicrosecond);
  bench.run();
  EXPECT_THAT(bench.destinations(), ElementsAre(0x100, 0x101, 0x100));
  EXPECT_EQ(bench.metric("cnp_sent"), 3U);
}

TEST(NicCongestionNotifier, AQueuePairThatIsGoneOrTakesNothingIsNotAnswered) {
  NicConfig config = notifying();
  config.cnp.delay = 2 * kMicrosecond;
  NotifierBench bench(config);
  for (std::uint32_t slot = 0; slot < 4; ++slot) bench.mark_at(0, slot);
  bench.at(kMicrosecond, [&] {
    bench.all[0].number = 0x1'0040;  // another in its slot
    bench.all[1].state = abi::QpState::kReset;
    bench.all[2].state = abi::QpState::kError;
    bench.all[3].state = abi::QpState::kRtr;
  });
  bench.run();
  EXPECT_THAT(bench.destinations(), ElementsAre(0x103));
}

}  // namespace
}  // namespace railyard::nic
