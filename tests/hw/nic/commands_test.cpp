// The command queue: how entries come and go, and what is wrong with them.
#include "hw/nic/commands.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/hw/nic/device_bench.h"
#include "tlm/sim/random.h"

namespace railyard::nic {
namespace {

using abi::Command;
using abi::CommandStatus;
using device_test::Answer;
using device_test::DeviceBench;
using device_test::FixedDma;

constexpr Time kDoorbell = 20 * kNanosecond;

abi::NumberInput number(std::uint32_t n) {
  abi::NumberInput in;
  in.number = n;
  return in;
}

TEST(NicCommands, AnEntryIsFetchedCarriedOutAndGivenBackInItsTime) {
  DeviceBench bench;
  bench.start_queue();
  const Time rung = bench.now();
  EXPECT_EQ(bench.on(Command::kQueryCapabilities, 0), CommandStatus::kOk);
  // Nothing to read but the entry.
  const Time done = rung + kDoorbell + FixedDma::kLatency + bench.config.command;
  EXPECT_EQ(bench.now(), done);
  EXPECT_EQ(bench.entry(0).token, 0x77);
  ASSERT_EQ(bench.dma.writes.size(), 2U);  // the mailbox before the entry
  EXPECT_EQ(bench.dma.writes[0].address, DeviceBench::kOutput);
  EXPECT_EQ(bench.dma.writes[0].bytes, sizeof(abi::CapabilitiesOutput) - 16);
  EXPECT_EQ(bench.dma.writes[1].address, DeviceBench::kQueue);
  EXPECT_EQ(bench.dma.writes[1].bytes, abi::kCommandBytes);
  const Time again = bench.now();
  EXPECT_EQ(bench.command(Command::kGiveMemory, device_test::memory_input()), CommandStatus::kOk);
  EXPECT_EQ(bench.now() - again, kDoorbell + 2 * FixedDma::kLatency + bench.config.command);
  EXPECT_EQ(bench.metric("commands.query_capabilities"), 1U);
  EXPECT_EQ(bench.metric("commands.give_memory"), 1U);
  EXPECT_EQ(bench.metric("commands.latency_ns_count"), 2U);
}

TEST(NicCommands, EntriesAreCarriedOutOneAtATimeInTheOrderOfTheirDoorbells) {
  DeviceBench bench;
  bench.start_queue();
  const auto query = DeviceBench::image_of(Command::kQueryCapabilities, number(0));
  for (unsigned i = 0; i < 4; ++i) bench.prepare(i, query, 256);
  bench.store32(abi::reg::kCommandDoorbell, 0b1000);
  bench.store32(abi::reg::kCommandDoorbell, 0b0110);
  bench.run();
  const Time each = FixedDma::kLatency + bench.config.command;
  std::vector<std::uint64_t> order;
  std::vector<Time> times;
  for (const auto& write : bench.dma.writes) {
    if (write.address >= DeviceBench::kOutput) continue;
    order.push_back((write.address - DeviceBench::kQueue) / abi::kCommandBytes);
    times.push_back(write.when);
  }
  EXPECT_EQ(order, (std::vector<std::uint64_t>{3, 1, 2}));
  EXPECT_EQ(times[1] - times[0], each);
  EXPECT_EQ(times[2] - times[1], each);
  EXPECT_EQ(bench.entry(0).status_owner, 1);  // nobody rang for it
}

TEST(NicCommands, ADoorbellForNoEntryOrForOneThatTheDeviceHasIsABadAccess) {
  DeviceBench bench;
  bench.store32(abi::reg::kCommandDoorbell, 1);  // no queue yet
  bench.run();
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 1U);
  bench.start_queue();
  bench.prepare(0, DeviceBench::image_of(Command::kQueryCapabilities, number(0)), 256);
  bench.store32(abi::reg::kCommandDoorbell, 1U << 31 | 1);  // there are four
  bench.store32(abi::reg::kCommandDoorbell, 1);
  bench.run();
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 3U);
  EXPECT_EQ(bench.metric("commands.query_capabilities"), 1U);
  bench.store32(abi::reg::kCommandDoorbell, 1);  // software's: nothing is in it
  bench.run();
  EXPECT_EQ(bench.metric("commands.unowned"), 1U);
  EXPECT_EQ(bench.on(Command::kQueryCapabilities, 0), CommandStatus::kOk);
}

TEST(NicCommands, TheQueueIsSetOnceAReset) {
  DeviceBench bench;
  bench.start_queue();
  bench.store32(abi::reg::kCommandQueueHigh, 7);
  bench.store32(abi::reg::kCommandQueueLow, 0x7000);
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 2U);
  EXPECT_EQ(bench.load32(abi::reg::kCommandQueueHigh), 0U);
  EXPECT_EQ(bench.on(Command::kQueryCapabilities, 0), CommandStatus::kOk);
}

TEST(NicCommands, AQueueWithTooManyEntriesIsNotStarted) {
  DeviceBench bench;
  bench.store32(abi::reg::kCommandQueueLow, 0x7000 | (abi::kMaxLogCommands + 1) << 4);
  EXPECT_FALSE(bench.commands.started());
  EXPECT_EQ(bench.metric("registers.bad_accesses"), 1U);
}

TEST(NicCommands, AQueueThatIsNoMemoryIsTheDevicesHealth) {
  DeviceBench bench;
  bench.store32(abi::reg::kCommandQueueHigh, 0xFFFF);
  bench.store32(abi::reg::kCommandQueueLow, 0x7000 | 2 << 4);
  bench.store32(abi::reg::kCommandDoorbell, 2);
  bench.run();
  const auto health = [&] { return static_cast<abi::Health>(bench.load32(abi::reg::kHealth)); };
  EXPECT_EQ(health(), abi::Health::kBadCommandQueue);
  EXPECT_EQ(bench.load32(abi::reg::kHealthQp), 1U);
  EXPECT_EQ(bench.metric("commands.unreadable"), 1U);
  (void)bench.load32(0x300);
  EXPECT_EQ(health(), abi::Health::kBadCommandQueue);  // a bad access does not hide it
  bench.store32(abi::reg::kCommandDoorbell, 3);        // and the interface goes on
  bench.run();
  EXPECT_EQ(bench.metric("commands.unreadable"), 3U);
}

TEST(NicCommands, AnEntryThatIsWrongIsRefusedAndTheInterfaceGoesOn) {
  DeviceBench bench;
  bench.bring_up();
  struct Case {
    std::function<void(abi::CommandEntry&)> change;
    CommandStatus status;
    std::uint32_t field;
  };
  using Entry = abi::CommandEntry;
  const auto opcode = [](Command command) { return static_cast<std::uint32_t>(command) << 16; };
  const Case cases[] = {
      {[](Entry& e) { e.type = 6; }, CommandStatus::kBadOperation, abi::entry_field::kType},
      {[](Entry& e) { e.input[0] = 0x999 << 16; }, CommandStatus::kBadOperation,
       abi::entry_field::kOpcode},
      {[](Entry& e) { e.input_bytes = 64; }, CommandStatus::kBadInputLength,
       abi::entry_field::kInputBytes},
      {[](Entry& e) { e.input_bytes = 0; }, CommandStatus::kBadInputLength,
       abi::entry_field::kInputBytes},
      {[&](Entry& e) {
         e.input[0] = opcode(Command::kCreateMkey);
         e.input_bytes = sizeof(abi::CreateMkeyInput) + 9;
       },
       CommandStatus::kBadInputLength, abi::entry_field::kInputBytes},
      {[&](Entry& e) {
         e.input[0] = opcode(Command::kCreateMkey);
         e.input_bytes = 0xFFFF'FFF0;
       },
       CommandStatus::kBadInputLength, abi::entry_field::kInputBytes},
      {[&](Entry& e) {
         e.input[0] = opcode(Command::kGiveMemory);
         e.input_bytes = sizeof(abi::GiveMemoryInput);
         e.input_address = DeviceBench::kInput + 8;
       },
       CommandStatus::kBadParameter, abi::entry_field::kInputAddress},
      {[&](Entry& e) {
         e.input[0] = opcode(Command::kGiveMemory);
         e.input_bytes = sizeof(abi::GiveMemoryInput);
         e.input_address = 0xFFFF'0000'0000;  // nobody is there
       },
       CommandStatus::kBadParameter, abi::entry_field::kInputAddress},
      {[](Entry& e) { e.output_bytes = sizeof(abi::CapabilitiesOutput) - 1; },
       CommandStatus::kBadOutputLength, abi::entry_field::kOutputBytes},
      {[](Entry& e) { e.output_address = 0; }, CommandStatus::kBadParameter,
       abi::entry_field::kOutputAddress},
  };
  for (const Case& one : cases) {
    one.change(
        bench.prepare(0, DeviceBench::image_of(Command::kQueryCapabilities, number(0)), 256));
    bench.store32(abi::reg::kCommandDoorbell, 1);
    bench.run();
    const Answer answer = bench.answer(0);
    EXPECT_EQ(answer.status, one.status) << "syndrome " << answer.syndrome;
    EXPECT_EQ(answer.syndrome, one.field);
    EXPECT_EQ(bench.on(Command::kQueryCapabilities, 0), CommandStatus::kOk);
  }
  EXPECT_EQ(bench.metric("commands.refused"), std::size(cases));
}

TEST(NicCommands, GarbageInEntriesIsAnsweredAndDisturbsNothing) {
  DeviceBench bench;
  bench.make_objects();
  RandomStream random = bench.simulation.partition().random("garbage");
  for (unsigned i = 0; i < 2000; ++i) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(&bench.entry(1));
    for (std::size_t b = 0; b < abi::kCommandBytes; ++b) {
      bytes[b] = static_cast<std::uint8_t>(random.below(256));
    }
    // Often so far right that the command itself looks at it.
    if (random.below(2) == 0) {
      const auto& kind = command_kind(static_cast<std::uint32_t>(random.below(kCommandKinds)));
      if (kind.command == Command::kTeardownHca || kind.command == Command::kAllocPd) continue;
      bench.entry(1).type = abi::kCommandType;
      bench.entry(1).input[0] = static_cast<std::uint32_t>(kind.command) << 16;
      bench.entry(1).input_bytes = kind.input_bytes;
      bench.entry(1).input_address = FixedDma::kBase + random.below(0x1000) * 16;
      bench.entry(1).output_bytes = 256;
      bench.entry(1).output_address = DeviceBench::kOutput;
    }
    bench.entry(1).status_owner = 1;
    bench.store32(abi::reg::kCommandDoorbell, 2);
    bench.run();
    ASSERT_EQ(bench.entry(1).status_owner, 0);
  }
  EXPECT_GT(bench.metric("commands.refused"), 1000U);
  EXPECT_EQ(bench.on(Command::kDestroyCq, bench.cq), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDestroyEq, bench.eq), CommandStatus::kOk);
}

}  // namespace
}  // namespace railyard::nic
