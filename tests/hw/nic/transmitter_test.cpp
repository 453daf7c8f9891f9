// A NIC's transmitter: payloads are read, packets made in order, the line fed.
#include "hw/nic/transmitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hw/nic/transmitter_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::nic {
namespace {

using bench::frame_of;
using bench::pfc;
using bench::slot_of;
using bench::to_last_bit;
using bench::TransmitterBench;
using bench::whole;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kRead = 500 * kNanosecond;  // of FakeDma
constexpr auto kAck = net::Opcode::kRcAcknowledge;
constexpr auto kReadResponse = net::Opcode::kRcRdmaReadResponseOnly;

NicConfig with_stages() {
  NicConfig config;
  config.stages.dma_read = {7, 2};
  config.stages.packetiser = {20, 3};
  config.stages.transmit = {11, 1};
  return config;
}
constexpr Time kDmaRead = 7 * kNanosecond;
constexpr Time kMade = 20 * kNanosecond;
constexpr Time kTransmit = 11 * kNanosecond;

TEST(NicTransmitter, ReadsAPayloadAndSendsThePacketAfterItsStages) {
  TransmitterBench bench(with_stages());
  bench::Points points;
  bench.parts.units.observer = &points;
  bench.at(kMicrosecond, [&] {
    net::Frame frame = frame_of(3, 1000);
    frame.bth.psn = 0x123456;
    frame.reth.virtual_address = 0xABCDEF;
    bench.take(frame, {{4096, 1000}}, 42, 5 * kNanosecond);
  });
  bench.run();
  const Time asked = kMicrosecond + 5 * kNanosecond + kDmaRead;
  const Time read = asked + kRead;
  const Time on_line = read + kMade + kTransmit;
  EXPECT_THAT(bench.dma.read_times, ElementsAre(asked));
  EXPECT_EQ(bench.dma.reads.at(0).use, DmaUse::kPayload);
  ASSERT_EQ(bench.stub.received.size(), 1U);
  const net::Packet& packet = bench.received(0);
  EXPECT_EQ(bench.stub.received[0].phase.last_bit, on_line + to_last_bit(1000));
  EXPECT_EQ(packet.frame.bth.psn, 0x123456U);
  EXPECT_EQ(packet.frame.reth.virtual_address, 0xABCDEFU);
  EXPECT_EQ(packet.wire_bytes, 1000 + bench::kHeaders);
  EXPECT_EQ(packet.created, kMicrosecond);
  EXPECT_TRUE(bench.is_memory(packet, 0, 4096, 1000));
  EXPECT_THAT(bench.client.tickets, ElementsAre(42U));
  EXPECT_THAT(bench.client.times, ElementsAre(on_line));
  ASSERT_EQ(points.all.size(), 3U);
  EXPECT_EQ(points.all[0].point, Point::kPayload);
  EXPECT_EQ(points.all[0].at, read);
  EXPECT_EQ(points.all[1].point, Point::kPacket);
  EXPECT_EQ(points.all[1].at, read + kMade);
  EXPECT_EQ(points.all[2].point, Point::kOnLine);
  EXPECT_EQ(points.all[2].at, on_line);
  EXPECT_EQ(points.all[2].qp, 77U);
  EXPECT_EQ(whole(bench.simulation, "nic.transmitter.payload_read_ns_count"), 1U);
}

TEST(NicTransmitter, GathersAPayloadOfSeveralSegmentsInTheirOrder) {
  TransmitterBench bench;
  bench.dma.latency_of = [](const DmaRead& read) {
    return kRead - static_cast<Time>(read.address);
  };
  std::vector<BusSegment> many;
  for (std::uint32_t i = 0; i < 40; ++i) many.push_back({9000 + 200 * i, i + 1});
  bench.at(0, [&] {
    bench.take(frame_of(0, 300), {{1000, 100}, {5000, 200}}, 1);
    bench.take(frame_of(0, 1000), {{8191, 1}, {100, 900}, {7000, 99}}, 2);
    bench.take(frame_of(0, 820), many, 3);
  });
  bench.run();
  ASSERT_EQ(bench.stub.received.size(), 3U);
  EXPECT_EQ(bench.dma.reads.size(), 45U);
  EXPECT_EQ(bench.received(0).payload->size(), 300U);
  EXPECT_TRUE(bench.is_memory(bench.received(0), 0, 1000, 100));
  EXPECT_TRUE(bench.is_memory(bench.received(0), 100, 5000, 200));
  EXPECT_TRUE(bench.is_memory(bench.received(1), 0, 8191, 1));
  EXPECT_TRUE(bench.is_memory(bench.received(1), 1, 100, 900));
  EXPECT_TRUE(bench.is_memory(bench.received(1), 901, 7000, 99));
  std::size_t offset = 0;
  for (const BusSegment& segment : many) {
    EXPECT_TRUE(bench.is_memory(bench.received(2), offset, segment.address, segment.bytes));
    offset += segment.bytes;
  }
}

TEST(NicTransmitter, KeepsTheOrderOfAPriorityWhenReadsCompleteInAnother) {
  TransmitterBench bench;
  bench.dma.latency_of = [](const DmaRead& read) {
    return 5 * kMicrosecond - static_cast<Time>(read.address) * 1000;
  };
  bench.at(0, [&] {
    for (std::uint32_t i = 0; i < 4; ++i) bench.take_write(3, i * 1000, 500, i);
    bench.take_write(5, 4000, 500, 4);  // read first, and of another priority
  });
  bench.run();
  EXPECT_THAT(bench.client.tickets, ElementsAre(4U, 0U, 1U, 2U, 3U));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(bench.is_memory(bench.received(i), 0, bench.client.tickets[i] * 1000, 500));
    EXPECT_EQ(bench.received(i).id, bench.client.tickets[i]);
  }
}

TEST(NicTransmitter, SendsTheSameAtTheSameTimesIfPayloadIsElided) {
  std::vector<Time> times[2];
  for (const bool carried : {false, true}) {
    const support::FreshKernel kernel;
    NicConfig config = with_stages();
    config.payload_carried = carried;
    TransmitterBench bench(config);
    bench.at(0, [&] {
      for (std::uint32_t i = 0; i < 5; ++i) bench.take_write(3, i * 1000, 900, i);
      bench.take(frame_of(3, 1024), {{0, 1000}, {5000, 24}}, 5);
    });
    bench.run();
    for (const auto& r : bench.stub.received) {
      times[carried].push_back(r.phase.last_bit);
      EXPECT_EQ(r.packet->elided(), !carried);
    }
    EXPECT_EQ(times[carried].size(), 6U);
  }
  EXPECT_EQ(times[0], times[1]);
}

TEST(NicTransmitter, NeedsNoReadForAPayloadThatIsGivenOrForNone) {
  TransmitterBench bench(with_stages());
  bench.parts.config.payload_carried = false;  // what is given has its bytes all the same
  bench.at(kMicrosecond, [&] {
    const net::Frame frame = frame_of(0, 12);
    TransmitJob job;
    job.headers = &frame;
    job.inlined = bench.partition.packets().payloads.acquire();
    job.inlined->resize(12);
    for (std::size_t i = 0; i < 12; ++i) job.inlined->data()[i] = static_cast<std::uint8_t>(i);
    job.at = kMicrosecond + 50 * kNanosecond;
    job.client = &bench.client;
    bench.transmitter.take(job);
    bench.take(frame_of(1, 0, net::Opcode::kRcRdmaReadRequest), {}, 1);
  });
  bench.run();
  EXPECT_THAT(bench.dma.reads, IsEmpty());
  EXPECT_THAT(bench.client.tickets, ElementsAre(1U, 0U));
  EXPECT_THAT(bench.client.times, ElementsAre(kMicrosecond + kMade + kTransmit,
                                              kMicrosecond + 50 * kNanosecond + kMade + kTransmit));
  EXPECT_EQ(bench.received(1).payload->data()[11], 11);
}

TEST(NicTransmitter, SendsBackToBackWhatIsThere) {
  TransmitterBench bench;
  bench.at(0, [&] {
    for (std::uint32_t i = 0; i < 10; ++i) bench.take_write(0, i * 4096, 4096, i);
  });
  bench.run();
  for (unsigned i = 1; i < 10; ++i) {
    EXPECT_EQ(bench.client.times.at(i) - bench.client.times[i - 1], slot_of(4096));
  }
}

// --- turns ---

TEST(NicTransmitter, AnAcknowledgementPassesRequestsButNoReadResponse) {
  TransmitterBench bench;
  bench.at(0, [&] {
    for (std::uint32_t i = 0; i < 4; ++i) bench.take_write(3, i * 4096, 4096, i);
    bench.take(frame_of(3, 0, kAck), {}, 10);
  });
  // While the first packets are on the line.
  bench.at(700 * kNanosecond, [&] {
    bench.take(frame_of(3, 1024, kReadResponse), {{0, 1024}}, 11);
    bench.take(frame_of(3, 0, kAck), {}, 12);
    bench.take(frame_of(3, 0, net::Opcode::kCnp), {}, 13);
  });
  bench.run();
  EXPECT_THAT(bench.client.tickets, ElementsAre(10U, 0U, 1U, 2U, 13U, 3U, 11U, 12U));
}

TEST(NicTransmitter, APausedPriorityHoldsAndOthersGo) {
  TransmitterBench bench;
  bench.send_at(0, pfc(1 << 3, 2000));  // 2.56 us
  bench.at(100 * kNanosecond, [&] {
    bench.take_write(3, 0, 4096, 0);
    bench.take(frame_of(3, 0, kAck), {}, 1);
    bench.take_write(4, 0, 4096, 2);
    bench.take_write(4, 0, 4096, 3);
  });
  bench.run();
  EXPECT_THAT(bench.client.tickets, ElementsAre(2U, 3U, 1U, 0U));
  EXPECT_GT(bench.client.times[2], 2560 * kNanosecond);
  EXPECT_LT(bench.client.times[2], 2570 * kNanosecond + bench::kControlFrame);
}

// CNPs have a queue of their own: what waits or is paused of data does not hold them.
TEST(NicTransmitter, ACnpIsHeldByAPauseOfItsOwnPriorityAlone) {
  for (const unsigned paused : {3U, 6U}) {
    support::FreshKernel kernel;
    TransmitterBench bench;
    bench.send_at(0, pfc(static_cast<std::uint8_t>(1U << paused), 2000));  // 2.56 us
    bench.at(100 * kNanosecond, [&] {
      for (std::uint32_t i = 0; i < 8; ++i) bench.take_write(3, i * 4096, 4096, i);
    });
    bench.at(800 * kNanosecond, [&] { bench.take(frame_of(6, 0, net::Opcode::kCnp), {}, 99); });
    bench.run();
    ASSERT_EQ(bench.client.tickets.size(), 9U);
    const auto at = std::find(bench.client.tickets.begin(), bench.client.tickets.end(), 99U);
    const Time left =
        bench.client.times[static_cast<std::size_t>(at - bench.client.tickets.begin())];
    if (paused == 3U) {
      EXPECT_EQ(bench.client.tickets.front(), 99U);  // at once, though eight WRITEs wait
      EXPECT_LT(left, 810 * kNanosecond);
    } else {
      EXPECT_GT(left, 2560 * kNanosecond);
    }
  }
}

TEST(NicTransmitter, ACnpWaitsForNoMoreThanThePacketOnTheLine) {
  TransmitterBench bench;
  bench.at(0, [&] {
    for (std::uint32_t i = 0; i < 8; ++i) bench.take_write(3, i * 4096, 4096, i);
  });
  bench.at(700 * kNanosecond, [&] { bench.take(frame_of(6, 0, net::Opcode::kCnp), {}, 99); });
  bench.run();
  const auto at = std::find(bench.client.tickets.begin(), bench.client.tickets.end(), 99U);
  const Time left = bench.client.times[static_cast<std::size_t>(at - bench.client.tickets.begin())];
  EXPECT_LE(left, 700 * kNanosecond + slot_of(4096));
}

TEST(NicTransmitter, GivesNothingToALineThatIsDown) {
  LinkConfig link = bench::link_of(0);
  link.outages = {{kMicrosecond, 5 * kMicrosecond}};
  TransmitterBench bench({}, link);
  bench.at(480 * kNanosecond, [&] { bench.take_write(3, 0, 4096, 0); });  // cut on the line
  bench.at(1100 * kNanosecond, [&] { bench.take_write(3, 0, 4096, 1); });
  bench.run(3 * kMicrosecond);
  EXPECT_THAT(bench.client.tickets, ElementsAre(0U));
  ASSERT_EQ(bench.simulation.waits().size(), 1U);
  EXPECT_EQ(bench.simulation.waits()[0].info.what, "the link to come up");
  bench.run();
  EXPECT_EQ(bench.client.times.at(1), 6 * kMicrosecond);
}

TEST(NicTransmitter, SharesTheLineByTheWeightsOfTheClasses) {
  NicConfig config;
  config.send.weights = {1, 3};
  config.send.egress_buffer = 1 << 20;
  TransmitterBench bench(config);
  bench.at(0, [&] {
    for (std::uint32_t i = 0; i < 200; ++i) {
      bench.take_write(0, 0, 1024, 0);
      bench.take_write(1, 0, 1024, 1);
    }
  });
  bench.run();
  const auto first_of_one = std::count(bench.client.tickets.begin(),
                                       bench.client.tickets.begin() + 200, std::uint64_t{1});
  EXPECT_NEAR(static_cast<double>(first_of_one), 150, 1);
}

// --- failures and drops ---

TEST(NicTransmitter, APacketWhoseReadFailsIsNotSentAndLaterOnesAre) {
  TransmitterBench bench;
  bench.dma.bad_address = 2500;
  bench.at(0, [&] {
    bench.take_write(3, 0, 1000, 0);
    bench.take(frame_of(3, 600), {{2000, 100}, {2400, 200}, {3000, 300}}, 1);
    bench.take_write(3, 4000, 1000, 2);
  });
  bench.run();
  EXPECT_THAT(bench.client.failed, ElementsAre(1U));
  EXPECT_THAT(bench.client.tickets, ElementsAre(0U, 2U));
  EXPECT_EQ(whole(bench.simulation, "nic.transmitter.reads_failed"), 1U);
  EXPECT_TRUE(bench.transmitter.room(3, 64 * 1024));  // nothing of it is left
}

TEST(NicTransmitter, DroppedPacketsAreNotSentWhereverTheyAre) {
  TransmitterBench bench(with_stages());
  bench::Client other(bench.partition);
  bench.dma.latency_of = [](const DmaRead& read) {
    return read.address == 0 ? 3 * kMicrosecond : kRead;
  };
  bench.at(0, [&] {
    bench.take_write(3, 0, 1000, 1);     // read under way at the time of the drop
    bench.take_write(3, 1000, 1000, 1);  // read, waits behind it
    bench.take_write(3, 2000, 1000, 2);  // goes then
    bench.take_write(5, 0, 1000, 3);
  });
  bench.at(2 * kMicrosecond, [&] {
    bench.take_write(4, 3000, 1000, 1);  // not asked for yet
    bench.take(frame_of(4, 0, kAck), {}, 1, 100 * kNanosecond);
    bench.transmitter.drop(other, 1);
    bench.transmitter.drop(bench.client, 1);
  });
  bench.run();
  EXPECT_THAT(bench.client.tickets, ElementsAre(2U, 3U));
  EXPECT_EQ(bench.client.times[0], 2 * kMicrosecond);
  EXPECT_EQ(bench.dma.reads.size(), 4U);
  EXPECT_THAT(bench.client.failed, IsEmpty());
  EXPECT_TRUE(bench.transmitter.room(3, 64 * 1024));
  EXPECT_TRUE(bench.transmitter.room(4, 64 * 1024));
}

TEST(NicTransmitter, TheLateReadOfADroppedPacketIsNotAnothers) {
  TransmitterBench bench;
  bench.dma.hold = true;
  bench.at(0, [&] { bench.take_write(3, 0, 1000, 1); });
  bench.at(kMicrosecond, [&] {
    bench.transmitter.drop(bench.client, 1);
    bench.take_write(3, 5000, 1000, 2);
  });
  bench.at(2 * kMicrosecond, [&] { bench.dma.answer(0); });
  bench.at(3 * kMicrosecond, [&] { bench.take_write(3, 7000, 1000, 3); });
  bench.at(4 * kMicrosecond, [&] { bench.dma.answer(2); });
  bench.at(5 * kMicrosecond, [&] { bench.dma.answer(1); });
  bench.run();
  EXPECT_THAT(bench.client.tickets, ElementsAre(2U, 3U));
  EXPECT_TRUE(bench.is_memory(bench.received(0), 0, 5000, 1000));
  EXPECT_TRUE(bench.is_memory(bench.received(1), 0, 7000, 1000));
}

TEST(NicTransmitter, SegmentsThatAreNotThePayloadsLengthBreakAnInvariant) {
  TransmitterBench bench;
  bench.at(0, [&] { bench.take(frame_of(3, 1000), {{0, 999}}, 1); });
  EXPECT_THROW(bench.run(), std::exception);
}

}  // namespace
}  // namespace railyard::nic
