// What software sees of a NIC without commands: registers and doorbells, good ones and garbage.
#include "hw/nic/registers.h"

#include <gtest/gtest.h>

#include "tests/hw/nic/device_bench.h"
#include "tlm/sim/random.h"

namespace railyard::nic {
namespace {

using abi::Health;
using device_test::DeviceBench;

constexpr Time kDeviceClock = 2 * kNanosecond;
constexpr Time kDoorbellLatency = 10 * kDeviceClock;
constexpr Time kDoorbellInterval = 3 * kDeviceClock;

Health health(DeviceBench& bench) { return static_cast<Health>(bench.load32(abi::reg::kHealth)); }

std::vector<std::uint8_t> wqe(std::uint32_t qpn, std::uint32_t index, std::uint32_t segments) {
  abi::ControlSegment control;
  control.index_opcode = index << 8 | 8;
  control.qpn_ds = qpn << 8 | segments;
  std::vector<std::uint8_t> bytes(segments * abi::kSegmentBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  std::memcpy(bytes.data(), static_cast<const void*>(&control), sizeof control);
  return bytes;
}

/// In lines of 64 B, the last one as short as it is.
void write_lines(DeviceBench& bench, std::uint64_t at, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 64) {
    const auto some = static_cast<std::uint32_t>(std::min<std::size_t>(64, bytes.size() - i));
    bench.store(at + i, bytes.data() + i, some);
  }
}

struct NicRegistersWithQp : ::testing::Test {
  void SetUp() override {
    bench.make_objects();
    qp = bench.make_qp();
    bench.move(qp, abi::QpState::kRts);
    buffer = DeviceBench::uar(bench.uar_number, abi::uar::kSendDoorbell);
  }
  DeviceBench bench;
  std::uint32_t qp = 0;
  std::uint64_t buffer = 0;
};

TEST(NicRegisters, SayRevisionAndHealthAndNothingElse) {
  DeviceBench bench;
  EXPECT_EQ(bench.load32(abi::reg::kRevision), abi::kAbiRevision);
  EXPECT_EQ(bench.load32(abi::reg::kInitializing), 0U);
  EXPECT_EQ(health(bench), Health::kGood);
  EXPECT_EQ(bench.load32(0x300), 0U);
  EXPECT_EQ(health(bench), Health::kBadRegisterAccess);
  EXPECT_EQ(bench.load32(abi::reg::kHealthQp), 0x300U);
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 1U);
}

TEST(NicRegisters, IgnoreWrongSizesAndPlacesAndCountThem) {
  DeviceBench bench;
  std::uint8_t data[64] = {};
  const auto ignored = [&](auto access) {
    const std::uint64_t before = bench.metric("registers.bad_accesses");
    access();
    return bench.metric("registers.bad_accesses") - before;
  };
  EXPECT_EQ(ignored([&] { bench.store(abi::reg::kCommandDoorbell, data, 2); }), 1U);
  EXPECT_EQ(ignored([&] { bench.store(abi::reg::kCommandDoorbell + 1, data, 4); }), 1U);
  EXPECT_EQ(ignored([&] { bench.store(abi::reg::kBytes, data, 4); }), 1U);
  EXPECT_EQ(ignored([&] { bench.store(DeviceBench::uar(abi::kUars, 0), data, 4); }), 1U);
  EXPECT_EQ(ignored([&] { bench.store(DeviceBench::uar(0, 0), data, 8); }), 1U);
  EXPECT_EQ(ignored([&] { bench.store(DeviceBench::uar(0, abi::uar::kCqArm), data, 4); }), 1U);
  EXPECT_EQ(ignored([&] { bench.store(DeviceBench::uar(0, abi::uar::kEqArm), data, 8); }), 1U);
  EXPECT_EQ(ignored([&] { bench.registers.register_write(0, 0x18, data, 4, 0x3); }), 1U);
  EXPECT_EQ(ignored([&] { bench.registers.register_write(2, 0x7000, data, 4, 0xFF); }), 1U);
  EXPECT_EQ(ignored([&] { bench.store32(abi::reg::kReset, 0x1234); }), 1U);
  EXPECT_EQ(ignored([&] { bench.store32(abi::reg::kRevision, 1); }), 1U);
  EXPECT_EQ(ignored([&] { bench.load32(DeviceBench::uar(0, abi::uar::kSendDoorbell)); }), 1U);
  EXPECT_EQ(ignored([&] { (void)bench.registers.register_read(0, 0x1, data, 4); }), 1U);
  EXPECT_EQ(ignored([&] { (void)bench.registers.register_read(2, 0, data, 4); }), 1U);
  // The MSI-X table is PCIe's; with ideal PCIe it is nobody's.
  EXPECT_EQ(ignored([&] { bench.registers.register_write(2, 0x10, data, 4, 0xFF); }), 0U);
}

TEST_F(NicRegistersWithQp, ADoorbellPassesItsStageAndSaysHowMuchIsPosted) {
  const Time now = bench.now();
  bench.ring(bench.uar_number, qp, 5, 3);
  bench.ring(bench.uar_number, qp, 6, 5);
  bench.ring(bench.uar_number, qp, 0xFFFF, 4);
  const auto& rung = bench.fakes.sides.doorbells;
  ASSERT_EQ(rung.size(), 3U);
  EXPECT_EQ(rung[0].number, qp);
  EXPECT_EQ(rung[0].posted, 6U);
  EXPECT_EQ(rung[0].at, now + kDoorbellLatency);
  EXPECT_EQ(rung[1].posted, 8U);  // two basic blocks
  EXPECT_EQ(rung[1].at, now + kDoorbellLatency + kDoorbellInterval);
  EXPECT_EQ(rung[2].posted, 0U);  // 16 bits
  EXPECT_EQ(bench.metric("registers.doorbells"), 3U);
}

TEST_F(NicRegistersWithQp, DoorbellsOfOthersPagesAndOfNobodyAreRefused) {
  const std::uint32_t other = bench.on(abi::Command::kAllocUar, 0).number;
  bench.ring(other, qp, 0, 1);
  bench.ring(999, qp, 0, 1);
  bench.ring(bench.uar_number, qp + 1, 0, 1);
  bench.ring(bench.uar_number, qp + (1U << 16), 0, 1);  // of another generation
  EXPECT_TRUE(bench.fakes.sides.doorbells.empty());
  EXPECT_EQ(bench.metric("registers.refused_doorbells"), 4U);
}

TEST_F(NicRegistersWithQp, OnlyAQueuePairThatSendsOrIsFlushedIsRung) {
  for (const auto state : {abi::QpState::kReset, abi::QpState::kInit, abi::QpState::kRtr}) {
    bench.move(qp, state);
    bench.ring(bench.uar_number, qp, 0, 1);
  }
  EXPECT_TRUE(bench.fakes.sides.doorbells.empty());
  bench.move(qp, abi::QpState::kError);
  bench.ring(bench.uar_number, qp, 0, 1);
  EXPECT_EQ(bench.fakes.sides.doorbells.size(), 1U);
}

TEST_F(NicRegistersWithQp, ABlueFieldWriteBringsTheWholeWqeFromEitherBuffer) {
  for (const std::uint32_t segments : {2U, 4U, 5U, 16U}) {
    for (const std::uint64_t half : {std::uint64_t{0}, abi::uar::kBlueFieldBytes}) {
      bench.fakes.sides.blue_fields.clear();
      const auto bytes = wqe(qp, 3, segments);
      write_lines(bench, buffer + half, bytes);
      ASSERT_EQ(bench.fakes.sides.blue_fields.size(), 1U) << segments;
      EXPECT_EQ(bench.fakes.sides.blue_fields[0].wqe, bytes);
      EXPECT_EQ(bench.fakes.sides.blue_fields[0].number, qp);
    }
  }
  EXPECT_TRUE(bench.fakes.sides.doorbells.empty());
  EXPECT_EQ(bench.metric("registers.blue_field_writes"), 8U);
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 0U);
}

TEST_F(NicRegistersWithQp, ABlueFieldWriteMayComeAsWholeBasicBlocksOrInSmallerPieces) {
  auto bytes = wqe(qp, 3, 5);
  auto padded = bytes;
  padded.resize(128);
  write_lines(bench, buffer, padded);
  for (std::size_t i = 0; i < bytes.size(); i += 16) bench.store(buffer + i, &bytes[i], 16);
  ASSERT_EQ(bench.fakes.sides.blue_fields.size(), 2U);
  EXPECT_EQ(bench.fakes.sides.blue_fields[0].wqe, bytes);
  EXPECT_EQ(bench.fakes.sides.blue_fields[1].wqe, bytes);
}

TEST_F(NicRegistersWithQp, BothBuffersMayBeUnderWayAtOnce) {
  const auto a = wqe(qp, 1, 8);
  const auto b = wqe(qp, 2, 8);
  const std::uint64_t second = buffer + abi::uar::kBlueFieldBytes;
  bench.store(buffer, a.data(), 64);
  bench.store(second, b.data(), 64);
  bench.store(buffer + 64, a.data() + 64, 64);
  bench.store(second + 64, b.data() + 64, 64);
  ASSERT_EQ(bench.fakes.sides.blue_fields.size(), 2U);
  EXPECT_EQ(bench.fakes.sides.blue_fields[0].wqe, a);
  EXPECT_EQ(bench.fakes.sides.blue_fields[1].wqe, b);
}

TEST_F(NicRegistersWithQp, ABlueFieldWriteThatIsBrokenOffIsADoorbell) {
  const auto bytes = wqe(qp, 9, 8);
  bench.store(buffer, bytes.data(), 64);
  bench.store(buffer + 128, bytes.data() + 64, 64);  // a gap
  ASSERT_EQ(bench.fakes.sides.doorbells.size(), 1U);
  EXPECT_EQ(bench.fakes.sides.doorbells[0].posted, 11U);
  bench.store(buffer, bytes.data(), 64);
  write_lines(bench, buffer, wqe(qp, 11, 2));  // another
  EXPECT_EQ(bench.fakes.sides.doorbells.size(), 2U);
  EXPECT_EQ(bench.fakes.sides.blue_fields.size(), 1U);
  EXPECT_EQ(bench.metric("registers.broken_blue_field"), 2U);
  // A WQE that is larger than the buffer stands in memory all the same.
  bench.store(buffer, wqe(qp, 12, 20).data(), 64);
  EXPECT_EQ(bench.fakes.sides.doorbells.back().posted, 17U);
  EXPECT_TRUE(bench.fakes.sides.blue_fields.size() == 1);
}

TEST_F(NicRegistersWithQp, APieceOverTheEndOfALineOrOfHalfASegmentIsGarbage) {
  const auto bytes = wqe(qp, 9, 8);
  bench.store(buffer, bytes.data(), 48);
  bench.store(buffer + 48, bytes.data() + 48, 32);
  bench.store(buffer, bytes.data(), 24);
  bench.store(buffer + 64, bytes.data(), 64);  // no first piece
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 3U);
  EXPECT_TRUE(bench.fakes.sides.blue_fields.empty());
  EXPECT_EQ(bench.fakes.sides.doorbells.size(), 1U);  // the first piece said enough
}

TEST_F(NicRegistersWithQp, QueuesAreArmedByTheirUarBehindTheStage) {
  const Time now = bench.now();
  bench.store64(DeviceBench::uar(bench.uar_number, abi::uar::kCqArm), 0x3100'0042, bench.cq);
  bench.store32(DeviceBench::uar(bench.uar_number, abi::uar::kEqArm), bench.eq << 24 | 0x123);
  bench.store32(DeviceBench::uar(bench.uar_number, abi::uar::kEqConsumer), bench.eq << 24 | 0x124);
  EXPECT_TRUE(bench.fakes.queues.cq_arms.empty());
  bench.run();
  ASSERT_EQ(bench.fakes.queues.cq_arms.size(), 1U);
  EXPECT_EQ(bench.fakes.queues.cq_arms[0].word, 0x3100'0042U);
  EXPECT_EQ(bench.fakes.queues.cq_arms[0].at, now + kDoorbellLatency);
  ASSERT_EQ(bench.fakes.queues.eq_arms.size(), 2U);
  EXPECT_EQ(bench.fakes.queues.eq_arms[0].word, 0x123U);
  EXPECT_TRUE(bench.fakes.queues.eq_arms[0].arm);
  EXPECT_EQ(bench.fakes.queues.eq_arms[0].at, now + kDoorbellLatency + kDoorbellInterval);
  EXPECT_EQ(bench.fakes.queues.eq_arms[1].word, 0x124U);
  EXPECT_FALSE(bench.fakes.queues.eq_arms[1].arm);
  const std::uint32_t other = bench.on(abi::Command::kAllocUar, 0).number;
  bench.store64(DeviceBench::uar(other, abi::uar::kCqArm), 0, bench.cq);
  bench.store32(DeviceBench::uar(other, abi::uar::kEqArm), bench.eq << 24);
  bench.store64(DeviceBench::uar(bench.uar_number, abi::uar::kCqArm), 0, 77);
  bench.store32(DeviceBench::uar(bench.uar_number, abi::uar::kEqArm), 77U << 24);
  bench.run();
  EXPECT_EQ(bench.fakes.queues.cq_arms.size(), 1U);
  EXPECT_EQ(bench.fakes.queues.eq_arms.size(), 2U);
  EXPECT_EQ(bench.metric("registers.refused_doorbells"), 4U);
}

TEST_F(NicRegistersWithQp, AResetForgetsEverything) {
  bench.command(abi::Command::kCreateMkey,
                [&] {
                  abi::CreateMkeyInput in;
                  in.address = 0x1000;
                  in.bytes = 4096;
                  in.pd = bench.pd;
                  in.log_page = 12;
                  in.pages = 1;
                  return in;
                }(),
                {abi::Be64{0x7000}});
  ASSERT_EQ(bench.fakes.keys.keys.size(), 1U);
  bench.store32(0x300, 1);
  // A command is under way, and its mailbox with it.
  bench.prepare(1, DeviceBench::image_of(abi::Command::kCreateQp, bench.qp_input()), 16);
  bench.store32(abi::reg::kCommandDoorbell, 2);
  bench.simulation.run(bench.now() + kDoorbellLatency + 500 * kNanosecond);
  bench.store32(abi::reg::kReset, abi::kResetMagic);
  EXPECT_NE(bench.load32(abi::reg::kInitializing), 0U);
  bench.ring(bench.uar_number, qp, 0, 1);
  bench.run();
  EXPECT_EQ(bench.entry(1).status_owner, 1);
  EXPECT_TRUE(bench.fakes.queues.cqs.empty());
  EXPECT_TRUE(bench.fakes.queues.eqs.empty());
  EXPECT_TRUE(bench.fakes.keys.keys.empty());
  EXPECT_TRUE(bench.fakes.contexts.slots.empty());
  EXPECT_EQ(bench.fakes.sides.calls.back(), "reset " + std::to_string(qp));
  EXPECT_EQ(bench.objects.qps.find(qp), nullptr);
}

TEST_F(NicRegistersWithQp, AfterAResetTheDeviceIsAsNew) {
  // Still in the stage when the reset comes.
  bench.store32(abi::reg::kCommandDoorbell, 1);
  bench.store64(DeviceBench::uar(bench.uar_number, abi::uar::kCqArm), 0, bench.cq);
  bench.store32(abi::reg::kReset, abi::kResetMagic);
  EXPECT_EQ(health(bench), Health::kGood);
  const Time ready = bench.now() + bench.config.command;
  DeviceBench& b = bench;
  // Time passes only while something happens: a read that nobody waits for.
  struct Nobody : DmaClient {
    void dma_done(std::uint64_t, pcie::Status, Ref<net::Payload>) override {}
  } nobody;
  while (b.now() < ready) {
    b.dma.read({DmaUse::kRecord, device_test::FixedDma::kBase, 8, 0}, nobody);
    b.run();
  }
  EXPECT_EQ(b.load32(abi::reg::kInitializing), 0U);
  EXPECT_EQ(b.metric("registers.bad_accesses"), 0U);
  b.make_objects();
  EXPECT_EQ(b.metric("registers.refused_doorbells"), 0U);
  const std::uint32_t again = b.make_qp();
  EXPECT_NE(again, qp);  // who has the old number has none
  EXPECT_EQ(again & 0xFFFF, qp & 0xFFFF);
  b.move(again, abi::QpState::kRts);
  b.ring(b.uar_number, qp, 0, 1);
  EXPECT_TRUE(b.fakes.sides.doorbells.empty());
  b.ring(b.uar_number, again, 0, 1);
  EXPECT_EQ(b.fakes.sides.doorbells.size(), 1U);
}

TEST_F(NicRegistersWithQp, GarbageDisturbsNobodyAndIsCounted) {
  RandomStream random = bench.simulation.partition().random("garbage");
  const std::uint32_t other = bench.on(abi::Command::kAllocUar, 0).number;
  constexpr unsigned kAccesses = 10'000;
  constexpr std::uint32_t kSizes[] = {1, 2, 4, 8, 16, 32, 64};
  const std::uint64_t before = bench.metric("registers.bad_accesses");
  for (unsigned i = 0; i < kAccesses; ++i) {
    std::uint8_t data[64];
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random.below(256));
    const std::uint32_t bytes = kSizes[random.below(7)];
    std::uint64_t offset = random.below(abi::kRegisterBarBytes - 64);
    // Often where something is: the first registers, a page that is another's.
    if (random.below(3) == 0) offset = random.below(0x400) & ~std::uint64_t{3};
    if (random.below(3) == 0) {
      offset = DeviceBench::uar(other, random.below(abi::kUarBytes - 64) & ~std::uint64_t{15});
    }
    if (random.below(8) == 0) {
      std::uint8_t read[8];
      (void)bench.registers.register_read(0, offset, read, std::min<std::uint32_t>(bytes, 8));
    } else {
      bench.store(offset, data, bytes);
    }
  }
  bench.run();
  EXPECT_TRUE(bench.fakes.sides.doorbells.empty());
  EXPECT_TRUE(bench.fakes.sides.blue_fields.empty());
  EXPECT_TRUE(bench.fakes.queues.cq_arms.empty());
  EXPECT_TRUE(bench.fakes.queues.eq_arms.empty());
  EXPECT_EQ(health(bench), Health::kBadRegisterAccess);
  EXPECT_GT(bench.metric("registers.bad_accesses") - before, kAccesses / 2);
  EXPECT_GT(bench.metric("registers.refused_doorbells"), 0U);
  EXPECT_EQ(bench.on(abi::Command::kQueryQp, qp), abi::CommandStatus::kOk);
  const auto state = bench.output<abi::QueryQpOutput>();
  EXPECT_EQ(state.state, static_cast<std::uint32_t>(abi::QpState::kRts));
  bench.ring(bench.uar_number, qp, 0, 1);
  EXPECT_EQ(bench.fakes.sides.doorbells.size(), 1U);
}

}  // namespace
}  // namespace railyard::nic
