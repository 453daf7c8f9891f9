// How much a NIC's transmitter takes, whom it tells of room, where its stages' time goes, and what
// it costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/nic/transmitter_bench.h"
#include "tests/support/allocations.h"

namespace railyard::nic {
namespace {

using bench::frame_of;
using bench::slot_of;
using bench::TransmitterBench;
using bench::whole;
using testing::ElementsAre;
using testing::IsEmpty;

using Told = std::pair<Time, unsigned>;

NicConfig small_egress() {
  NicConfig config;
  config.send.egress_buffer = 4000;
  return config;
}

TEST(NicTransmitterRoom, IsOfAPriorityAndEndsWithItsEgressBuffer) {
  TransmitterBench bench(small_egress());
  bench.at(0, [&] {
    EXPECT_TRUE(bench.transmitter.room(3, 4096));  // an empty one takes any packet
    bench.take_write(3, 0, 3000, 0);
    EXPECT_TRUE(bench.transmitter.room(3, 1000));
    EXPECT_FALSE(bench.transmitter.room(3, 1001));
    EXPECT_TRUE(bench.transmitter.room(3, 0));
    EXPECT_TRUE(bench.transmitter.room(4, 4000));
  });
  bench.run();
  EXPECT_EQ(whole(bench.simulation, "nic.transmitter.egress_bytes_peak"), 3000U);
}

TEST(NicTransmitterRoom, IsToldOfOnceARefusalWhenAPacketBeginsToLeave) {
  TransmitterBench bench(small_egress());
  bench.at(0, [&] {
    bench.take_write(3, 0, 1000, 0);
    bench.take_write(3, 0, 3000, 1);
    EXPECT_FALSE(bench.transmitter.room(3, 2000));
    EXPECT_FALSE(bench.transmitter.room(3, 1500));
  });
  bench.run();
  ASSERT_EQ(bench.client.times.size(), 2U);
  // 1,000 bytes are not enough for it: it is told when the second leaves.
  EXPECT_THAT(bench.ear.told, ElementsAre(Told(bench.client.times[1], 3)));
}

TEST(NicTransmitterRoom, ThatIsFoundIsNotToldOf) {
  TransmitterBench bench(small_egress());
  bench.at(0, [&] { EXPECT_TRUE(bench.transmitter.room(3, 4000)); });
  bench.at(1, [&] { bench.take_write(3, 0, 1000, 0); });
  bench.run();
  EXPECT_THAT(bench.ear.told, IsEmpty());
}

TEST(NicTransmitterRoom, EndsWithThePayloadReadsTheUnaskedOnesIncluded) {
  NicConfig config;
  config.stages.dma_read = {10, 1};
  TransmitterBench bench(config);
  bench.dma.payload_limit = 3000;
  bench.at(0, [&] {
    EXPECT_TRUE(bench.transmitter.room(3, 3000));
    bench.take_write(3, 0, 2000, 0);
    EXPECT_FALSE(bench.transmitter.room(3, 1001));  // though nothing has been asked for
    EXPECT_TRUE(bench.transmitter.room(4, 1000));
  });
  bench.at(100 * kNanosecond, [&] { EXPECT_FALSE(bench.transmitter.room(4, 1001)); });
  bench.run();
  const Time read = 10 * config.clock + bench.dma.latency;
  EXPECT_THAT(bench.ear.told, ElementsAre(Told(read, 3), Told(read, 4)));
}

TEST(NicTransmitterRoom, AppearsAfterADropAndAfterAFailure) {
  TransmitterBench bench(small_egress());
  bench.dma.hold = true;
  bench.at(0, [&] {
    bench.take_write(3, 0, 4000, 0);
    EXPECT_FALSE(bench.transmitter.room(3, 100));
  });
  bench.at(kMicrosecond, [&] {
    bench.transmitter.drop(bench.client, 0);
    EXPECT_THAT(bench.ear.told, IsEmpty());  // not within the call
  });
  bench.at(2 * kMicrosecond, [&] {
    bench.dma.bad_address = 0;
    bench.take_write(3, 0, 4000, 1);
    EXPECT_FALSE(bench.transmitter.room(3, 100));
  });
  bench.at(3 * kMicrosecond, [&] { bench.dma.answer(1); });
  bench.run();
  EXPECT_THAT(bench.ear.told, ElementsAre(Told(kMicrosecond, 3), Told(3 * kMicrosecond, 3)));
}

/// Takes as many packets as there is room for, until it has given `count`.
class Feeder : public RoomClient {
 public:
  Feeder(TransmitterBench& bench, std::uint32_t bytes, std::uint64_t count,
         net::Opcode opcode = net::Opcode::kRcRdmaWriteOnly)
      : bench_(bench), frame_(frame_of(3, bytes, opcode)), bytes_(bytes), left_(count) {
    bench.transmitter.add_room_client(*this);
  }
  /// It goes on so much after it is told of room, and not within the call.
  void set_delay(Time delay) { delay_ = delay; }
  void transmit_room(std::uint8_t /*priority*/) override {
    if (delay_ == 0) return feed();
    bench_.at(bench_.partition.now() + delay_, [this] { feed(); });
  }
  std::uint64_t left() const { return left_; }
  void feed() {
    while (left_ != 0 && bench_.transmitter.room(3, bytes_)) {
      --left_;
      TransmitJob job;
      job.headers = &frame_;
      job.priority = 3;
      const BusSegment segment{(left_ & 0x7F) * 4096, bytes_};
      job.segments = &segment;
      job.count = 1;
      job.at = bench_.partition.now() + 10 * kNanosecond;
      bench_.transmitter.take(job);
    }
  }

 private:
  TransmitterBench& bench_;
  net::Frame frame_;
  std::uint32_t bytes_;
  std::uint64_t left_;
  Time delay_ = 0;
};

TEST(NicTransmitterRoom, IsSharedByTwoThoughOneIsAlwaysLater) {
  TransmitterBench bench({}, bench::link_of(0), false);
  Feeder requests(bench, 4096, 1000);
  Feeder responses(bench, 4096, 1000, net::Opcode::kRcRdmaReadResponseMiddle);
  requests.set_delay(20 * kNanosecond);
  bench.at(0, [&] {
    requests.feed();
    responses.feed();
  });
  bench.run(1000 * slot_of(4096));
  EXPECT_NEAR(static_cast<double>(requests.left()), 500, 25);
  EXPECT_NEAR(static_cast<double>(responses.left()), 500, 25);
  bench.run();
  EXPECT_EQ(requests.left() + responses.left(), 0U);
  EXPECT_EQ(bench.stub.received.size(), 2000U);
  // The line was never idle.
  EXPECT_LT(bench.partition.now(), 2000 * slot_of(4096) + kMicrosecond);
}

TEST(NicTransmitterRoom, OfAnEmptyPriorityIsToldToAllAtOnce) {
  TransmitterBench bench(small_egress());
  bench::RoomEar second(bench.partition);
  bench.transmitter.add_room_client(second);
  bench.at(0, [&] {
    bench.take_write(3, 0, 4000, 0);
    EXPECT_FALSE(bench.transmitter.room(3, 100));
  });
  bench.run();
  const Told told(bench.client.times.at(0), 3);
  EXPECT_THAT(bench.ear.told, ElementsAre(told));
  EXPECT_THAT(second.told, ElementsAre(told));
}

// --- where the time goes ---

double sum_of(const TransmitterBench& bench, const std::string& stage,
              const std::vector<std::string>& parts) {
  double sum = 0;
  for (const std::string& part : parts) sum += bench.ns(stage + "." + part);
  return sum;
}

TEST(NicTransmitterStages, SayWhatTheyWaitForAndSumToTheTimeThatPassed) {
  NicConfig config = small_egress();
  config.stages.dma_read = {0, 10};
  config.stages.packetiser = {0, 20};
  TransmitterBench bench(config);
  bench.dma.payload_limit = 3000;
  bench.dma.latency = kMicrosecond;
  bench.at(kMicrosecond, [&] {
    bench.take_write(3, 0, 3000, 0);
    EXPECT_FALSE(bench.transmitter.room(4, 500));  // for reads, until 2 us
    EXPECT_TRUE(bench.transmitter.refused_for_reads());
  });
  bench.at(3 * kMicrosecond, [&] {
    bench.dma.payload_limit = kSecond;
    bench.take_write(3, 0, 3000, 1);
    EXPECT_FALSE(bench.transmitter.room(3, 1001));  // for egress, until it leaves at 4.02 us
    EXPECT_FALSE(bench.transmitter.refused_for_reads());
  });
  bench.run(5 * kMicrosecond);
  // The second is on the line a cycle of `transmit` after its read.
  const auto now = static_cast<double>(bench.simulation.now()) / kNanosecond;
  EXPECT_DOUBLE_EQ(bench.ns("dma_read.busy"), 20);
  EXPECT_DOUBLE_EQ(bench.ns("dma_read.blocked_reads"), 990);
  EXPECT_DOUBLE_EQ(bench.ns("dma_read.blocked_egress"), 991);
  EXPECT_DOUBLE_EQ(bench.ns("packetiser.busy"), 40);
  EXPECT_DOUBLE_EQ(bench.ns("packetiser.blocked_memory"), 2000);
  EXPECT_NEAR(sum_of(bench, "dma_read", {"busy", "blocked_reads", "blocked_egress", "starved"}),
              now, 1e-9);
  EXPECT_NEAR(sum_of(bench, "packetiser", {"busy", "blocked_memory", "starved"}), now, 1e-9);
}

// --- what it costs ---

TEST(NicTransmitterCost, TenThousandPacketsAllocateNothingAndAnEventEachOnceWarm) {
  constexpr std::uint64_t kPackets = 12'000;
  TransmitterBench bench;
  Feeder feeder(bench, 4096, kPackets);
  bench.dma.reserve(kPackets);
  bench.ear.told.reserve(kPackets);
  std::uint64_t arrived = 0;
  std::uint64_t warm = 0;
  std::uint64_t warm_events = 0;
  Time warm_at = 0;
  bench.stub.on_packet = [&](net::Packet&, const PacketPhase&) {
    if (++arrived != 2000) return;
    warm = support::allocations();
    warm_events = bench.simulation.events_fired();
    warm_at = bench.partition.now();
  };
  bench.at(0, [&] { feeder.feed(); });
  bench.run();
  const std::uint64_t late = support::allocations();
  ASSERT_EQ(arrived, kPackets);
  EXPECT_EQ(late, warm);
  // The line is never idle: reads are asked for early enough.
  EXPECT_NEAR(static_cast<double>(bench.partition.now() - warm_at), 10'000.0 * slot_of(4096),
              2.0 * slot_of(4096));
  // Of the link two, of the memory one, of the transmitter one: to ask for the read.
  const std::uint64_t events = bench.simulation.events_fired() - warm_events;
  EXPECT_LE(events, 4 * 10'000U + 10);
}

}  // namespace
}  // namespace railyard::nic
