// The driver on a core, against registers and commands of a NIC, over both kinds of PCIe.
#include "sw/driver/driver.h"

#include <gtest/gtest.h>

#include "tests/support/stacks.h"
#include "tests/sw/driver/driver_bench.h"

namespace railyard::driver {
namespace {

using abi::Command;
using abi::CommandStatus;
using test::DriverBench;
using test::Way;

class DriverOnPcie : public ::testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(Both, DriverOnPcie, ::testing::Values(Way::kModelled, Way::kIdeal),
                         [](const auto& one) {
                           return one.param == Way::kModelled ? "Modelled" : "Ideal";
                         });

QueuePairWish small_queue_pair(std::uint32_t pd, std::uint32_t uar, std::uint32_t cq) {
  QueuePairWish wish;
  wish.pd = pd;
  wish.uar = uar;
  wish.send_cq = wish.receive_cq = cq;
  wish.log_send = 5;
  wish.log_receive = 4;
  return wish;
}

abi::ModifyQpInput attributes(std::uint32_t qp, std::uint32_t fields) {
  abi::ModifyQpInput in;
  in.number = qp;
  in.fields = fields;
  in.path_mtu = 4096;
  in.remote_qp = 0x41;
  in.send_psn = 77;
  in.receive_psn = 99;
  in.max_reads = in.max_dest_reads = 1;
  in.remote_mac[0] = 2;
  in.remote_ip[10] = in.remote_ip[11] = 0xFF;
  in.remote_ip[12] = 10;
  return in;
}

constexpr std::uint32_t kInit = abi::qp_field::kPort | abi::qp_field::kAccess;
constexpr std::uint32_t kRtr = abi::qp_field::kAddress | abi::qp_field::kPathMtu |
                               abi::qp_field::kRemoteQp | abi::qp_field::kReceivePsn |
                               abi::qp_field::kMaxDestReads | abi::qp_field::kMinRnrTimer;
constexpr std::uint32_t kRts = abi::qp_field::kTimeout | abi::qp_field::kRetryCount |
                               abi::qp_field::kRnrRetry | abi::qp_field::kSendPsn |
                               abi::qp_field::kMaxReads;

void to_rts(Device& device, std::uint32_t qp) {
  device.modify_qp(Command::kRstToInit, attributes(qp, kInit));
  device.modify_qp(Command::kInitToRtr, attributes(qp, kRtr));
  device.modify_qp(Command::kRtrToRts, attributes(qp, kRts));
}

/// What the call is refused with.
template <class Call>
std::pair<CommandStatus, std::uint32_t> refusal(Call call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return {error.status, error.syndrome};
  }
  return {CommandStatus::kOk, 0};
}

using Refusal = std::pair<CommandStatus, std::uint32_t>;

TEST_P(DriverOnPcie, BringsADeviceUpAndTakesItDown) {
  DriverBench bench(GetParam());
  bench.run([&](Core& core, Device& device) {
    const Time begin = core.now();
    device.bring_up(2);
    EXPECT_GT(core.now() - begin, 7 * bench.config.command);  // seven commands, and a reset
    EXPECT_EQ(device.capabilities().max_qps, 16U);
    EXPECT_EQ(bench.contexts.memory % 4096, 0U);
    EXPECT_TRUE(bench.memory.held.count(bench.contexts.memory));
    ASSERT_EQ(bench.queues.eqs.size(), 3U);
    for (unsigned n = 0; n < 3; ++n) {
      EXPECT_EQ(device.eq(n).number, n);
      EXPECT_EQ(device.eq(n).vector, DriverBench::kFirstVector + n);
      EXPECT_EQ(bench.queues.eqs.at(n).vector, n);
      EXPECT_EQ(bench.queues.eqs.at(n).address, device.eq(n).entries);
      EXPECT_EQ(bench.image<abi::Eqe>(device.eq(n).entries + 64).owner, 1);
    }
    const abi::QueryPortOutput port = device.query_port();
    EXPECT_EQ(port.rate_mbps, DriverBench::kRate);
    EXPECT_EQ(port.mac[5], 7);
    for (unsigned n = 0; n < 3; ++n) EXPECT_TRUE(bench.queues.state[n].armed);
    device.take_down();
    EXPECT_TRUE(bench.queues.eqs.empty());
    EXPECT_TRUE(bench.memory.held.empty());
  });
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 0U);
  EXPECT_EQ(bench.metric("registers.refused_doorbells"), 0U);
  EXPECT_EQ(bench.metric("commands.refused"), 0U);
  EXPECT_EQ(bench.host->hierarchy().error_count(), 0U);
}

TEST_P(DriverOnPcie, ADeviceIsBroughtUpAnewAfterADriverThatLeftItUp) {
  DriverBench bench(GetParam());
  bench.run([&](Core& core, Device& device) {
    {
      Device first(core, bench.memory, device.place());
      first.bring_up();
      (void)first.create_cq(4, 1, first.alloc_uar());
    }
    device.bring_up();
    EXPECT_TRUE(bench.queues.cqs.empty());
    EXPECT_EQ(device.create_cq(4, 1, device.alloc_uar()).number, 0U);
  });
}

TEST_P(DriverOnPcie, MakesMovesAndDestroysEachObject) {
  DriverBench bench(GetParam());
  bench.run([&](Core&, Device& device) {
    device.bring_up();
    const std::size_t held = bench.memory.held.size();
    const std::uint32_t pd = device.alloc_pd();
    const std::uint32_t uar = device.alloc_uar();
    EXPECT_EQ(device.uar_address(uar),
              device.place().registers + abi::kUarBase + uar * abi::kUarBytes);

    std::vector<Address> pages(3000);  // the list takes more than one page
    for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = 0x1'0000'0000 + i * 8192;
    const std::uint32_t key =
        device.create_mkey(0x7000'0123, 2999 * 4096, pd, abi::access::kLocalWrite, 12, pages);
    EXPECT_EQ(bench.keys.keys.at(key).shape.address, 0x7000'0123U);
    EXPECT_EQ(bench.keys.keys.at(key).pages, pages);

    const Cq cq = device.create_cq(6, 1, uar);
    for (unsigned i = 0; i < 64; ++i) {
      EXPECT_EQ(bench.image<abi::Cqe>(cq.entries + i * 64).opcode(), abi::CqeOpcode::kInvalid);
    }
    EXPECT_EQ(bench.queues.cqs.at(cq.number).doorbell_record, cq.doorbell_record);
    device.modify_cq(cq.number, 3 * kMicrosecond, 16);
    EXPECT_EQ(bench.queues.cqs.at(cq.number).moderation, 3 * kMicrosecond);

    const QueuePair qp = device.create_qp(small_queue_pair(pd, uar, cq.number));
    const nic::Qp& inside = *bench.objects.qps.find(qp.number);
    EXPECT_EQ(inside.send.address, qp.send);
    EXPECT_EQ(inside.receive.address, qp.receive);
    EXPECT_EQ(inside.doorbell_record, qp.doorbell_record);
    to_rts(device, qp.number);
    EXPECT_EQ(inside.state, abi::QpState::kRts);
    const abi::QueryQpOutput out = device.query_qp(qp.number);
    EXPECT_EQ(out.send_psn, 77U);
    EXPECT_EQ(out.receive_psn, 99U);
    EXPECT_EQ(out.attributes.path_mtu, 4096U);
    device.to_error(qp.number);
    EXPECT_EQ(inside.state, abi::QpState::kError);
    device.to_reset(qp.number);
    EXPECT_EQ(inside.state, abi::QpState::kReset);

    device.destroy_qp(qp);
    device.destroy_cq(cq);
    device.destroy_mkey(key);
    device.dealloc_uar(uar);
    device.dealloc_pd(pd);
    EXPECT_LE(bench.memory.held.size(), held + 2);  // larger mailboxes
    device.take_down();
    EXPECT_TRUE(bench.memory.held.empty());
  });
}

TEST_P(DriverOnPcie, ARefusedCommandIsAnErrorThatSaysWhyAndKeepsNoMemory) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP();
  DriverBench bench(GetParam());
  bench.run([&](Core&, Device& device) {
    EXPECT_EQ(refusal([&] { device.bring_up(4); }), Refusal(CommandStatus::kLimit, 0));
    device.bring_up();
    const std::uint32_t uar = device.alloc_uar();
    (void)device.query_port();
    const auto held = bench.memory.held;
    EXPECT_EQ(refusal([&] { (void)device.create_cq(4, 9, uar); }),
              Refusal(CommandStatus::kBadResource, 4));
    EXPECT_EQ(refusal([&] { (void)device.create_qp(small_queue_pair(9, uar, 0)); }),
              Refusal(CommandStatus::kBadResource, 2));
    EXPECT_EQ(refusal([&] { device.dealloc_pd(5); }), Refusal(CommandStatus::kBadResource, 1));
    EXPECT_EQ(bench.memory.held, held);
    for (unsigned i = 0; i < 3; ++i) (void)device.alloc_pd();
    EXPECT_EQ(refusal([&] { (void)device.alloc_pd(); }), Refusal(CommandStatus::kLimit, 0));
    try {
      device.dealloc_uar(77);
      ADD_FAILURE() << "there is no such UAR";
    } catch (const DeviceError& error) {
      EXPECT_STREQ(error.what(), "nic0: command 0x803 was refused: bad resource, syndrome 0x1");
    }
  });
}

TEST_P(DriverOnPcie, AMailboxThatIsNoMemoryIsRefusedAndTheInterfaceGoesOn) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP();
  DriverBench bench(GetParam());
  bench.run([&](Core&, Device& device) {
    device.bring_up();
    const std::uint32_t pd = device.alloc_pd();
    const auto create = [&](std::size_t count) {
      const std::vector<Address> pages(count, 0x1'0000'0000);
      return device.create_mkey(0x7000'0000, count * 4096, pd, 0, 12, pages);
    };
    bench.memory.broken = true;
    EXPECT_EQ(refusal([&] { (void)create(1000); }),
              Refusal(CommandStatus::kBadParameter, abi::entry_field::kInputAddress));
    bench.memory.broken = false;
    const std::uint32_t key = create(2000);
    EXPECT_EQ(bench.keys.keys.at(key).pages.size(), 2000U);
  });
  EXPECT_GT(bench.host->hierarchy().error_count(), 0U);
}

TEST(Driver, ACommandThatDoesNotEndIsAnError) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP();
  DriverBench bench(Way::kIdeal, 900 * kMillisecond);
  bench.run([&](Core& core, Device& device) {
    device.bring_up();  // each within a second
    bench.config.command = 2 * kSecond;
    const Time begin = core.now();
    EXPECT_EQ(refusal([&] { (void)device.alloc_pd(); }), Refusal(CommandStatus::kInternal, 0));
    EXPECT_NEAR(static_cast<double>(core.now() - begin), 1.0 * kSecond, 1e-3 * kSecond);
  });
}

TEST(Driver, NobodyAtTheDevicesAddressIsAnError) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP();
  DriverBench bench(Way::kModelled);
  bench.run([&](Core& core, Device& device) {
    DevicePlace place = device.place();
    place.registers += 64 * abi::kRegisterBarBytes;
    Device nobody(core, bench.memory, place);
    EXPECT_EQ(refusal([&] { nobody.bring_up(); }), Refusal(CommandStatus::kInternal, 0));
  });
}

TEST_P(DriverOnPcie, EventsComeInOrderAroundTheQueueByInterrupts) {
  DriverBench bench(GetParam());
  constexpr unsigned kEvents = 2600;  // the queue has 1024
  bench.run([&](Core& core, Device& device) {
    device.bring_up();
    Eq& eq = device.eq(1);
    abi::Eqe event;
    EXPECT_FALSE(device.next_event(eq, event));
    unsigned raised = 0;
    for (unsigned got = 0; got < kEvents; ++got) {
      if (raised == got) {  // a burst, 1 to 7 long
        const unsigned burst = std::min(1 + got % 7, kEvents - got);
        for (unsigned i = 0; i < burst; ++i) {
          bench.queues.event(1, abi::EventType::kCompletion, raised++);
        }
      }
      const abi::Eqe next = device.wait_event(eq);
      ASSERT_EQ(next.number, got);
      ASSERT_EQ(next.type, static_cast<abi::Byte>(abi::EventType::kCompletion));
    }
    EXPECT_FALSE(device.next_event(eq, event));
    EXPECT_EQ(eq.consumer, kEvents);
    // The device hears where the driver is before it would find the queue full.
    EXPECT_LT(kEvents - bench.queues.state[1].consumer, 1024U / 4);
    core.spend(kMicrosecond);
  });
  EXPECT_GT(bench.queues.interrupts, 0U);
}

TEST_P(DriverOnPcie, AnEventWakesWhoSleepsAndTellsOfABrokenQueuePair) {
  DriverBench bench(GetParam());
  class Later {
   public:
    Later(DriverBench& of) : bench_(of) {}
    void fire() { bench_.queues.event(0, abi::EventType::kQpAccessError, 0x45); }

   private:
    DriverBench& bench_;
  } later(bench);
  Event event =
      Event::of<&Later::fire>(later, bench.simulation.partition().endpoint("later"), Phase::kAct);
  bench.run([&](Core& core, Device& device) {
    device.bring_up();
    const Time begin = core.now();
    bench.simulation.partition().scheduler().schedule(event, begin + 50 * kMicrosecond);
    const abi::Eqe broken = device.wait_event(device.eq(0));
    EXPECT_EQ(broken.type, static_cast<abi::Byte>(abi::EventType::kQpAccessError));
    EXPECT_EQ(broken.number, 0x45U);
    EXPECT_GT(core.now() - begin, 50 * kMicrosecond);
    EXPECT_LT(core.now() - begin, 55 * kMicrosecond);
  });
}

TEST_P(DriverOnPcie, DoorbellsAndWriteCombinedWqesArriveWhole) {
  DriverBench bench(GetParam());
  constexpr std::uint32_t kSegments[] = {2, 4, 5, 8, 13, 16};
  bench.run([&](Core& core, Device& device) {
    device.bring_up();
    const std::uint32_t uar = device.alloc_uar();
    const Cq cq = device.create_cq(4, 1, uar);
    const QueuePair qp = device.create_qp(small_queue_pair(device.alloc_pd(), uar, cq.number));
    to_rts(device, qp.number);
    const Address bell = device.uar_address(uar) + abi::uar::kSendDoorbell;
    std::uint32_t posted = 0;
    for (const std::uint32_t segments : kSegments) {
      std::vector<std::uint8_t> wqe(segments * abi::kSegmentBytes, 0x3C);
      abi::ControlSegment control;
      control.index_opcode = posted << 8 | 8;
      control.qpn_ds = qp.number << 8 | segments;
      std::memcpy(wqe.data(), static_cast<const void*>(&control), sizeof control);
      core.store_combining(bell + posted % 2 * abi::uar::kBlueFieldBytes, wqe.data(), wqe.size());
      core.fence();
      core.spend(kMicrosecond);
      ASSERT_FALSE(bench.sides.blue_fields.empty());
      EXPECT_EQ(bench.sides.blue_fields.back().wqe, wqe);
      ++posted;
    }
    std::uint64_t first = 0;
    abi::Be32 words[2] = {posted << 8 | 8, qp.number << 8 | 4};
    std::memcpy(&first, static_cast<const void*>(words), sizeof first);
    core.store(bell, first, 8);
    core.spend(kMicrosecond);
    ASSERT_EQ(bench.sides.doorbells.size(), 1U);
    EXPECT_EQ(bench.sides.doorbells[0].posted, posted + 1);
  });
  EXPECT_EQ(bench.sides.blue_fields.size(), std::size(kSegments));
  EXPECT_EQ(bench.metric("registers.blue_field_writes"), std::size(kSegments));
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 0U);
}

}  // namespace
}  // namespace railyard::driver
