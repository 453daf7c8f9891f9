// Commands on all objects but queue pairs.
#include "hw/nic/object_commands.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/hw/nic/device_bench.h"

namespace railyard::nic {
namespace {

using abi::Command;
using abi::CommandStatus;
using device_test::Answer;
using device_test::DeviceBench;

/// Changes one field of an input that is good; the command refuses it so.
template <class Input>
struct Wrong {
  std::function<void(Input&)> change;
  CommandStatus status;
  std::uint32_t field;
};

template <class Input>
void expect_refused(DeviceBench& bench, Command command, const Input& good,
                    const std::vector<Wrong<Input>>& all, const std::vector<abi::Be64>& list = {}) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    Input input = good;
    all[i].change(input);
    const Answer answer = bench.command(command, input, list);
    EXPECT_EQ(answer.status, all[i].status) << "change " << i;
    EXPECT_EQ(answer.syndrome, all[i].field) << "change " << i;
  }
}

TEST(NicObjectCommands, CapabilitiesAreTheLimits) {
  DeviceBench bench;
  bench.start_queue();
  ASSERT_EQ(bench.on(Command::kQueryCapabilities, 0), CommandStatus::kOk);
  const auto out = bench.output<abi::CapabilitiesOutput>();
  const LimitsConfig& limits = bench.config.limits;
  EXPECT_EQ(out.max_qps, limits.qps);
  EXPECT_EQ(out.max_cqs, limits.cqs);
  EXPECT_EQ(out.max_eqs, limits.eqs);
  EXPECT_EQ(out.max_mkeys, limits.mkeys);
  EXPECT_EQ(out.max_pds, limits.pds);
  EXPECT_EQ(out.max_log_wqes, limits.log_wqes);
  EXPECT_EQ(out.max_log_cqes, limits.log_cqes);
  EXPECT_EQ(out.max_sge, limits.sge);
  EXPECT_EQ(out.max_reads, limits.reads);
  EXPECT_EQ(out.max_message, 1U << 31);
  EXPECT_EQ(out.vectors, limits.vectors);
  EXPECT_EQ(out.clock_khz, 500'000U);
  EXPECT_EQ(out.max_inline, abi::kMaxInline);
  // Contexts of 4 queue pairs in a page, and 10,000 bytes of keys in three.
  EXPECT_EQ(out.memory_bytes, 4U * 4096);
}

TEST(NicObjectCommands, ThePortSaysWhoItIs) {
  DeviceBench bench;
  bench.bring_up();
  ASSERT_EQ(bench.on(Command::kQueryPort, 0), CommandStatus::kOk);
  const auto out = bench.output<abi::QueryPortOutput>();
  EXPECT_EQ(out.up, 1U);
  EXPECT_EQ(out.rate_mbps, DeviceBench::kRate);
  EXPECT_EQ(out.interface_mtu, bench.config.interface_mtu);
  EXPECT_EQ(std::memcmp(out.mac, bench.units.address.mac.bytes.data(), 6), 0);
  EXPECT_EQ(std::memcmp(out.gid, bench.units.address.gid.data(), 16), 0);
}

TEST(NicObjectCommands, MemoryIsGivenThenTheDeviceInitialisedThenObjectsMade) {
  DeviceBench bench;
  bench.start_queue();
  EXPECT_EQ(bench.on(Command::kAllocPd, 0), CommandStatus::kBadSystemState);
  EXPECT_EQ(bench.on(Command::kInitHca, 0), CommandStatus::kBadSystemState);
  using Input = abi::GiveMemoryInput;
  expect_refused<Input>(
      bench, Command::kGiveMemory, device_test::memory_input(),
      {{[](Input& in) { in.address = 0; }, CommandStatus::kBadParameter, 1},
       {[](Input& in) { in.address = 0x4000'0800; }, CommandStatus::kBadParameter, 1},
       {[](Input& in) { in.bytes = 3 * 4096; }, CommandStatus::kBadParameter, 2},
       {[](Input& in) { in.bytes = 0x100'0001; }, CommandStatus::kBadParameter, 2}});
  EXPECT_EQ(bench.command(Command::kGiveMemory, device_test::memory_input()), CommandStatus::kOk);
  EXPECT_EQ(bench.fakes.contexts.memory, 0x4000'0000U);
  EXPECT_EQ(bench.fakes.keys.memory, 0x4000'1000U);
  EXPECT_EQ(bench.command(Command::kGiveMemory, device_test::memory_input()),
            CommandStatus::kBadSystemState);
  EXPECT_EQ(bench.on(Command::kAllocPd, 0), CommandStatus::kBadSystemState);
  EXPECT_EQ(bench.on(Command::kInitHca, 0), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kInitHca, 0), CommandStatus::kBadSystemState);
  EXPECT_EQ(bench.on(Command::kAllocPd, 0), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kTeardownHca, 0), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kAllocPd, 0), CommandStatus::kBadSystemState);
  EXPECT_EQ(bench.command(Command::kGiveMemory, device_test::memory_input()), CommandStatus::kOk);
}

TEST(NicObjectCommands, DomainsAndUarsAreAllocatedUpToTheirLimitsAndFreedOnce) {
  DeviceBench bench;
  bench.bring_up();
  const std::uint32_t first = bench.on(Command::kAllocPd, 0).number;
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(bench.on(Command::kAllocPd, 0), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kAllocPd, 0), CommandStatus::kLimit);
  EXPECT_EQ(bench.on(Command::kDeallocPd, first), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDeallocPd, first), CommandStatus::kBadResource);
  EXPECT_EQ(bench.on(Command::kDeallocPd, 0), CommandStatus::kBadResource);
  EXPECT_EQ(bench.on(Command::kAllocPd, 0), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kAllocUar, 0).number, 0U);
  EXPECT_EQ(bench.on(Command::kAllocUar, 0).number, 1U);
  EXPECT_EQ(bench.on(Command::kDeallocUar, 1), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDeallocUar, 1), CommandStatus::kBadResource);
}

TEST(NicObjectCommands, KeysAreMadeOfWhatIsGivenAndTheirDomainIsInUse) {
  DeviceBench bench;
  bench.make_objects();
  using Input = abi::CreateMkeyInput;
  Input good;
  good.address = 0x1234'5678;
  good.bytes = 5000;  // three pages of 4 KiB, as it begins near the end of one
  good.address = 0x1234'5FF8;
  good.pd = bench.pd;
  good.access = abi::access::kLocalWrite | abi::access::kRemoteWrite;
  good.log_page = 12;
  good.pages = 3;
  const std::vector<abi::Be64> pages = {0x7000, 0x9000, 0x3000};
  expect_refused<Input>(
      bench, Command::kCreateMkey, good,
      {{[](Input& in) { in.bytes = 0; }, CommandStatus::kBadParameter, 2},
       {[](Input& in) { in.address = ~std::uint64_t{0}; }, CommandStatus::kBadParameter, 2},
       {[](Input& in) { in.pd = 77; }, CommandStatus::kBadResource, 3},
       {[](Input& in) { in.access = 1U << 9; }, CommandStatus::kBadParameter, 4},
       {[](Input& in) { in.access = abi::access::kRemoteWrite; }, CommandStatus::kBadParameter, 4},
       {[](Input& in) { in.log_page = 11; }, CommandStatus::kBadParameter, 5},
       {[](Input& in) { in.log_page = 31; }, CommandStatus::kBadParameter, 5},
       {[](Input& in) { in.pages = 2; }, CommandStatus::kBadParameter, 6},
       {[](Input& in) { in.bytes = 9000; }, CommandStatus::kBadParameter, 6},
       {[](Input& in) { in.bytes = 1ULL << 50; }, CommandStatus::kBadParameter, 6},
       {[](Input& in) { in.log_page = 13; }, CommandStatus::kBadParameter, 6}},
      pages);
  EXPECT_EQ(bench.command(Command::kCreateMkey, good, {0x7000, 0x9008, 0x3000}).syndrome, 7U);
  bench.fakes.keys.limit = 0;
  EXPECT_EQ(bench.command(Command::kCreateMkey, good, pages), CommandStatus::kNoResources);
  bench.fakes.keys.limit = 1;
  const Answer made = bench.command(Command::kCreateMkey, good, pages);
  ASSERT_EQ(made, CommandStatus::kOk);
  const auto& key = bench.fakes.keys.keys.at(made.number);
  EXPECT_EQ(key.shape.address, good.address);
  EXPECT_EQ(key.shape.bytes, 5000U);
  EXPECT_EQ(key.shape.access, good.access);
  EXPECT_EQ(key.pages, (std::vector<std::uint64_t>{0x7000, 0x9000, 0x3000}));
  EXPECT_EQ(bench.on(Command::kDeallocPd, bench.pd), CommandStatus::kResourceBusy);
  EXPECT_EQ(bench.on(Command::kDestroyMkey, made.number ^ 1), CommandStatus::kBadResource);
  EXPECT_EQ(bench.on(Command::kDestroyMkey, made.number), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDestroyMkey, made.number), CommandStatus::kBadResource);
  EXPECT_EQ(bench.on(Command::kDeallocPd, bench.pd), CommandStatus::kOk);
}

TEST(NicObjectCommands, EventQueuesRefuseWhatIsWrongAndAreBoundToTheirUar) {
  DeviceBench bench;
  bench.make_objects();
  using Input = abi::CreateEqInput;
  Input good = bench.eq_input();
  good.moderation_ns = 1500;
  good.moderation_count = 9;
  expect_refused<Input>(
      bench, Command::kCreateEq, good,
      {{[](Input& in) { in.address = 0; }, CommandStatus::kBadParameter, 1},
       {[](Input& in) { in.address = 0x5000'0020; }, CommandStatus::kBadParameter, 1},
       {[](Input& in) { in.log_entries = 21; }, CommandStatus::kBadParameter, 2},
       {[](Input& in) { in.vector = 8; }, CommandStatus::kBadParameter, 3},
       {[](Input& in) { in.uar = 55; }, CommandStatus::kBadResource, 6}});
  const Answer made = bench.command(Command::kCreateEq, good);
  ASSERT_EQ(made, CommandStatus::kOk);
  const EqShape& shape = bench.fakes.queues.eqs.at(made.number);
  EXPECT_EQ(shape.address, 0x5000'0000U);
  EXPECT_EQ(shape.log_entries, 6U);
  EXPECT_EQ(shape.vector, 1U);
  EXPECT_EQ(shape.moderation, 1500 * kNanosecond);
  EXPECT_EQ(shape.moderation_count, 9U);
  EXPECT_EQ(bench.command(Command::kCreateEq, good), CommandStatus::kOk);
  EXPECT_EQ(bench.command(Command::kCreateEq, good), CommandStatus::kLimit);
  EXPECT_EQ(bench.on(Command::kDeallocUar, bench.uar_number), CommandStatus::kResourceBusy);
  EXPECT_EQ(bench.on(Command::kDestroyEq, made.number), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDestroyEq, made.number), CommandStatus::kBadResource);
  EXPECT_EQ(bench.fakes.queues.eqs.count(made.number), 0U);
}

TEST(NicObjectCommands, CompletionQueuesRefuseWhatIsWrongAndUseTheirEqAndUar) {
  DeviceBench bench;
  bench.make_objects();
  using Input = abi::CreateCqInput;
  Input good = bench.cq_input();
  good.moderation_ns = 700;
  good.moderation_count = 4;
  expect_refused<Input>(
      bench, Command::kCreateCq, good,
      {{[](Input& in) { in.address = 0x5100'0001; }, CommandStatus::kBadParameter, 1},
       {[](Input& in) { in.doorbell_record = 0; }, CommandStatus::kBadParameter, 2},
       {[](Input& in) { in.doorbell_record = 0x5200'0004; }, CommandStatus::kBadParameter, 2},
       {[](Input& in) { in.log_entries = 13; }, CommandStatus::kBadParameter, 3},
       {[](Input& in) { in.eq = 2; }, CommandStatus::kBadResource, 4},
       {[](Input& in) { in.uar = 55; }, CommandStatus::kBadResource, 5}});
  const Answer made = bench.command(Command::kCreateCq, good);
  ASSERT_EQ(made, CommandStatus::kOk);
  const CqShape& shape = bench.fakes.queues.cqs.at(made.number);
  EXPECT_EQ(shape.address, 0x5100'0000U);
  EXPECT_EQ(shape.doorbell_record, 0x5200'0000U);
  EXPECT_EQ(shape.log_entries, 7U);
  EXPECT_EQ(shape.eq, bench.eq);
  EXPECT_EQ(shape.moderation, 700 * kNanosecond);
  EXPECT_EQ(bench.command(Command::kCreateCq, good), CommandStatus::kOk);
  EXPECT_EQ(bench.command(Command::kCreateCq, good), CommandStatus::kLimit);
  abi::ModifyCqInput modify;
  modify.number = made.number;
  modify.moderation_ns = 100;
  modify.moderation_count = 2;
  EXPECT_EQ(bench.command(Command::kModifyCq, modify), CommandStatus::kOk);
  EXPECT_EQ(shape.moderation, 100 * kNanosecond);
  EXPECT_EQ(shape.moderation_count, 2U);
  modify.number = 99;
  EXPECT_EQ(bench.command(Command::kModifyCq, modify), CommandStatus::kBadResource);
  EXPECT_EQ(bench.on(Command::kDestroyEq, bench.eq), CommandStatus::kResourceBusy);
  EXPECT_EQ(bench.on(Command::kDestroyCq, made.number), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDestroyCq, made.number), CommandStatus::kBadResource);
}

TEST(NicObjectCommands, NothingGoesWhileSomethingElseUsesIt) {
  DeviceBench bench;
  bench.make_objects();
  const std::uint32_t qp = bench.make_qp();
  EXPECT_EQ(bench.on(Command::kDeallocPd, bench.pd), CommandStatus::kResourceBusy);
  EXPECT_EQ(bench.on(Command::kDeallocUar, bench.uar_number), CommandStatus::kResourceBusy);
  EXPECT_EQ(bench.on(Command::kDestroyCq, bench.cq), CommandStatus::kResourceBusy);
  EXPECT_EQ(bench.on(Command::kDestroyEq, bench.eq), CommandStatus::kResourceBusy);
  // From the top, all of them go.
  EXPECT_EQ(bench.on(Command::kDestroyQp, qp), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDeallocPd, bench.pd), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDeallocUar, bench.uar_number), CommandStatus::kResourceBusy);
  EXPECT_EQ(bench.on(Command::kDestroyCq, bench.cq), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDestroyEq, bench.eq), CommandStatus::kOk);
  EXPECT_EQ(bench.on(Command::kDeallocUar, bench.uar_number), CommandStatus::kOk);
}

TEST(NicObjectCommands, TeardownForgetsAllObjects) {
  DeviceBench bench;
  bench.make_objects();
  const std::uint32_t qp = bench.make_qp();
  EXPECT_EQ(bench.on(Command::kTeardownHca, 0), CommandStatus::kOk);
  EXPECT_TRUE(bench.fakes.queues.eqs.empty());
  EXPECT_TRUE(bench.fakes.queues.cqs.empty());
  EXPECT_TRUE(bench.fakes.contexts.slots.empty());
  EXPECT_EQ(bench.objects.qps.find(qp), nullptr);
}

}  // namespace
}  // namespace railyard::nic
