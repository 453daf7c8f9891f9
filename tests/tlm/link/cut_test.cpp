// Frames that are cut after their first bit was announced: who sees it, and who must not.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/fresh_kernel.h"
#include "tests/tlm/link/timer.h"
#include "tlm/link/link_checker.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

constexpr Time kNs = kNanosecond;

LinkConfig fast() {
  LinkConfig config;
  config.rate = Rate::gbps(400);
  config.length = metres(3);  // 15 ns; the frames below take 180 ns
  return config;
}

/// Stations in a row. Those in the middle relay the same packet at its first bit.
class Row {
 public:
  struct Seen {
    Ref<net::Packet> packet;
    Time last_bit;
    bool bad_at_last_bit = false;
  };

  /// Station i is in partition i % partitions.
  Row(std::size_t stations, std::size_t partitions, Announce last) : simulation(of(partitions)) {
    seen.resize(stations);
    for (std::size_t i = 0; i < stations; ++i) {
      const std::string name = "s" + std::to_string(i);
      Partition& partition = simulation.partition(i);
      const Announce announce = i + 1 == stations ? last : Announce::kFirstBit;
      // Towards the next, and from the last.
      in.push_back(std::make_unique<PacketStub>((name + "_in").c_str()));
      out.push_back(std::make_unique<PacketStub>((name + "_out").c_str()));
      in_end.push_back(
          std::make_unique<LinkEnd>((name + "_in_link").c_str(), partition, fast(), announce));
      out_end.push_back(
          std::make_unique<LinkEnd>((name + "_out_link").c_str(), partition, fast(), announce));
      bind_both(*in[i], *in_end[i]);
      bind_both(*out[i], *out_end[i]);
      if (i > 0) LinkEnd::connect(*out_end[i - 1], *in_end[i]);
      if (i > 0) check_link(*out_end[i - 1], *in_end[i]);
      in[i]->on_packet = [this, i](net::Packet& packet, const PacketPhase& phase) {
        receive(i, packet, phase);
      };
    }
    LinkEnd::connect(*out_end.back(), *in_end.front());  // unused
    simulation.seal();
  }
  static SimulationConfig of(std::size_t partitions) {
    SimulationConfig run;
    run.partitions = partitions;
    return run;
  }

  void receive(std::size_t i, net::Packet& packet, const PacketPhase& phase) {
    Partition& partition = simulation.partition(i);
    Seen& mine = seen[i];
    mine.packet = Ref<net::Packet>::share(packet);
    mine.last_bit = phase.last_bit;
    address.push_back(&packet);
    timers.push_back(std::make_unique<support::Timer>(
        partition, phase.last_bit, [&mine] { mine.bad_at_last_bit = mine.packet->bad_fcs; }));
    if (i + 1 < seen.size()) out[i]->send_now(packet);
  }

  Ref<net::Packet> make() {
    Ref<net::Packet> packet = simulation.partition(0).packets().packets.acquire();
    packet->frame.payload_bytes = 9000;
    packet->seal();
    return packet;
  }
  void retrain_at(std::size_t station, Time at) {
    timers.push_back(std::make_unique<support::Timer>(
        simulation.partition(station), at,
        [this, station] { retrain(out[station]->tx, kMicrosecond); }));
  }
  void run() { ASSERT_EQ(simulation.run(kSecond), RunEnd::kDrained); }
  std::vector<bool> bad() const {
    std::vector<bool> all;
    for (std::size_t i = 1; i < seen.size(); ++i) all.push_back(seen[i].bad_at_last_bit);
    return all;
  }
  std::uint64_t corrupted() const {
    std::uint64_t sum = 0;
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name.find("rx_corrupted") != std::string::npos) sum += m.value.whole;
    }
    return sum;
  }

  Simulation simulation;
  std::vector<std::unique_ptr<PacketStub>> in, out;
  std::vector<std::unique_ptr<LinkEnd>> in_end, out_end;
  std::vector<Seen> seen;
  std::vector<const net::Packet*> address;
  std::vector<std::unique_ptr<support::Timer>> timers;
};

TEST(Cut, TheNextReceiversOfARelayedPacketSeeItStompedAtItsLastBit) {
  for (const Announce last : {Announce::kFirstBit, Announce::kLastBit}) {
    for (const std::size_t partitions : {1, 2, 4}) {
      const support::FreshKernel kernel;
      Row row(4, partitions, last);
      const Ref<net::Packet> kept = row.make();
      row.out[0]->send_now(*kept);
      row.retrain_at(0, 100 * kNs);
      row.run();
      EXPECT_THAT(row.bad(), testing::ElementsAre(true, true, true)) << partitions;
      EXPECT_EQ(row.corrupted(), 3U) << partitions;
      EXPECT_FALSE(kept->bad_fcs);
      row.seen.clear();
    }
  }
}

TEST(Cut, OnALaterLinkHarmsNoEarlierHolder) {
  for (const std::size_t partitions : {1, 2, 4}) {
    const support::FreshKernel kernel;
    Row row(4, partitions, Announce::kFirstBit);
    const Ref<net::Packet> kept = row.make();
    row.out[0]->send_now(*kept);
    row.retrain_at(1, 100 * kNs);
    row.run();
    EXPECT_THAT(row.bad(), testing::ElementsAre(false, true, true)) << partitions;
    EXPECT_FALSE(kept->bad_fcs);
    row.seen.clear();
  }
}

TEST(Cut, BeforeTheNextLinkAnnouncesItIsSeenThereToo) {
  for (const std::size_t partitions : {1, 3}) {
    const support::FreshKernel kernel;
    Row row(3, partitions, Announce::kFirstBit);
    row.out[0]->send_now(*row.make());
    row.retrain_at(0, 2 * kNs);  // down at s1 at 17 ns; its first bit came there at 15.16 ns
    row.run();
    EXPECT_THAT(row.bad(), testing::ElementsAre(true, true)) << partitions;
    EXPECT_EQ(row.corrupted(), 2U);
    row.seen.clear();
  }
}

TEST(Cut, APacketThatItsSenderLetsGoOfIsNotCopied) {
  Row row(2, 1, Announce::kFirstBit);
  const net::Packet* sent = nullptr;
  {
    const Ref<net::Packet> packet = row.make();
    sent = packet.get();
    row.out[0]->send_now(*packet);
  }
  row.run();
  EXPECT_THAT(row.address, testing::ElementsAre(sent));
  row.seen.clear();
}

TEST(Cut, APacketThatItsSenderKeepsIsCopiedWhereItMayBeCut) {
  for (const Announce last : {Announce::kFirstBit, Announce::kLastBit}) {
    const support::FreshKernel kernel;
    Row row(2, 1, last);
    const Ref<net::Packet> kept = row.make();
    row.out[0]->send_now(*kept);
    row.run();
    ASSERT_EQ(row.address.size(), 1U);
    EXPECT_EQ(row.address[0] == kept.get(), last == Announce::kLastBit);
    row.seen.clear();
  }
}

}  // namespace
}  // namespace railyard
