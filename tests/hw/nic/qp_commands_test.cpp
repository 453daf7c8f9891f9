// Queue pairs as commands make and move them.
#include "hw/nic/qp_commands.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "hw/nic/qp_attributes.h"
#include "tests/hw/nic/device_bench.h"

namespace railyard::nic {
namespace {

using abi::Command;
using abi::CommandStatus;
using abi::QpState;
using device_test::Answer;
using device_test::DeviceBench;

struct QpCommandsTest : ::testing::Test {
  void SetUp() override { bench.make_objects(); }

  QpState state(std::uint32_t qp) { return bench.objects.qps.find(qp)->state; }
  std::string last_call() const {
    const auto& calls = bench.fakes.sides.calls;
    return calls.empty() ? "" : calls.back();
  }
  DeviceBench bench;
};

using NicQpCommands = QpCommandsTest;

TEST_F(NicQpCommands, AQueuePairIsWhatCreateSays) {
  abi::CreateQpInput in = bench.qp_input();
  in.signal_all = 1;
  const Answer made = bench.command(Command::kCreateQp, in);
  ASSERT_EQ(made, CommandStatus::kOk);
  EXPECT_EQ(made.number, 0x40U);
  const Qp& qp = *bench.objects.qps.find(made.number);
  EXPECT_EQ(qp.slot, 0U);
  EXPECT_EQ(qp.state, QpState::kReset);
  EXPECT_EQ(qp.pd, bench.pd);
  EXPECT_EQ(qp.uar, bench.uar_number);
  EXPECT_TRUE(qp.signal_all);
  EXPECT_EQ(qp.send.entry(65), 0x6000'0040U);  // of 64 entries
  EXPECT_EQ(qp.receive.entry(33), 0x6100'0010U);
  EXPECT_EQ(qp.send.cq, bench.cq);
  EXPECT_EQ(qp.receive.cq, bench.cq);
  EXPECT_EQ(qp.doorbell_record, 0x6200'0000U);
  EXPECT_EQ(bench.fakes.contexts.slots, (std::set<std::uint32_t>{0}));
}

TEST_F(NicQpCommands, CreateRefusesEachWrongField) {
  struct Wrong {
    std::function<void(abi::CreateQpInput&)> change;
    CommandStatus status;
    std::uint32_t field;
  };
  const Wrong all[] = {
      {[](auto& in) { in.type = 1; }, CommandStatus::kBadParameter, 1},
      {[](auto& in) { in.pd = 0; }, CommandStatus::kBadResource, 2},
      {[](auto& in) { in.uar = 9; }, CommandStatus::kBadResource, 3},
      {[](auto& in) { in.send_cq = 2; }, CommandStatus::kBadResource, 4},
      {[](auto& in) { in.receive_cq = 9; }, CommandStatus::kBadResource, 5},
      {[](auto& in) { in.signal_all = 2; }, CommandStatus::kBadParameter, 6},
      {[](auto& in) { in.send_address = 0; }, CommandStatus::kBadParameter, 7},
      {[](auto& in) { in.send_address = 0x6000'0010; }, CommandStatus::kBadParameter, 7},
      {[](auto& in) { in.receive_address = 0x6100'0010; }, CommandStatus::kBadParameter, 8},
      {[](auto& in) { in.doorbell_record = 0; }, CommandStatus::kBadParameter, 9},
      {[](auto& in) { in.doorbell_record = 0x6200'0002; }, CommandStatus::kBadParameter, 9},
      {[](auto& in) { in.log_send = 11; }, CommandStatus::kBadParameter, 10},
      {[](auto& in) { in.log_receive = 11; }, CommandStatus::kBadParameter, 11},
      {[](auto& in) { in.log_receive_stride = 3; }, CommandStatus::kBadParameter, 12},
      {[](auto& in) { in.log_receive_stride = 11; }, CommandStatus::kBadParameter, 12},
  };
  for (const Wrong& one : all) {
    abi::CreateQpInput in = bench.qp_input();
    one.change(in);
    const Answer answer = bench.command(Command::kCreateQp, in);
    EXPECT_EQ(answer.status, one.status) << one.field;
    EXPECT_EQ(answer.syndrome, one.field);
  }
  EXPECT_EQ(bench.objects.qps.count(), 0U);
  EXPECT_EQ(bench.on(Command::kDestroyCq, bench.cq), CommandStatus::kOk);  // nobody's use is left
}

TEST_F(NicQpCommands, NumbersChangeWithEachUseOfASlotUpToTheLimit) {
  std::vector<std::uint32_t> numbers;
  for (unsigned i = 0; i < 4; ++i) numbers.push_back(bench.make_qp());
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0x40, 0x41, 0x42, 0x43}));
  EXPECT_EQ(bench.command(Command::kCreateQp, bench.qp_input()), CommandStatus::kLimit);
  std::set<std::uint32_t> seen = {numbers[2]};
  std::uint32_t number = numbers[2];
  for (unsigned i = 0; i < 20; ++i) {
    ASSERT_EQ(bench.on(Command::kDestroyQp, number), CommandStatus::kOk);
    ASSERT_EQ(bench.on(Command::kDestroyQp, number), CommandStatus::kBadResource);
    ASSERT_EQ(bench.on(Command::kQueryQp, number), CommandStatus::kBadResource);
    EXPECT_EQ(last_call(), "reset " + std::to_string(number));
    EXPECT_EQ(bench.fakes.contexts.slots.count(2), 0U);
    number = bench.make_qp();
    EXPECT_EQ(number & 0xFFFFU, 0x42U);
    EXPECT_TRUE(seen.insert(number).second);
    EXPECT_LE(number, 0xFF'FFFFU);
  }
}

TEST(NicQpTable, MoreQueuePairsLeaveFewerGenerations) {
  QpTable table(70'000);
  Qp* last = nullptr;
  for (unsigned i = 0; i < 70'000; ++i) last = table.create();
  EXPECT_EQ(table.create(), nullptr);
  EXPECT_EQ(last->number, 0x40U + 69'999);
  const std::uint32_t old = last->number;
  for (unsigned i = 0; i < 3; ++i) {
    table.destroy(*last);
    last = table.create();
    EXPECT_NE(last->number, old);
    EXPECT_EQ(table.find(old), nullptr);
    EXPECT_EQ(table.find(last->number), last);
  }
}

TEST_F(NicQpCommands, EachTransitionIsAllowedFromItsStateAlone) {
  struct Step {
    Command command;
    std::uint32_t fields;
    QpState from;  // kSqd: any
    QpState to;
  };
  const Step steps[] = {
      {Command::kRstToInit, DeviceBench::kInitFields, QpState::kReset, QpState::kInit},
      {Command::kInitToRtr, DeviceBench::kRtrFields, QpState::kInit, QpState::kRtr},
      {Command::kRtrToRts, DeviceBench::kRtsFields, QpState::kRtr, QpState::kRts},
      {Command::kRtsToRts, abi::qp_field::kMinRnrTimer, QpState::kRts, QpState::kRts},
      {Command::kToError, 0, QpState::kSqd, QpState::kError},
      {Command::kToReset, 0, QpState::kSqd, QpState::kReset},
  };
  const std::uint32_t qp = bench.make_qp();
  for (const QpState from :
       {QpState::kReset, QpState::kInit, QpState::kRtr, QpState::kRts, QpState::kError}) {
    for (const Step& step : steps) {
      bench.move(qp, from);
      ASSERT_EQ(state(qp), from);
      const bool plain = step.fields == 0;
      const Answer answer =
          plain ? bench.on(step.command, qp) : bench.modify(step.command, qp, step.fields);
      const bool allowed = step.from == QpState::kSqd || step.from == from;
      EXPECT_EQ(answer.status, allowed ? CommandStatus::kOk : CommandStatus::kBadResourceState)
          << static_cast<unsigned>(from) << " " << static_cast<unsigned>(step.command);
      EXPECT_EQ(state(qp), allowed ? step.to : from);
    }
  }
}

TEST_F(NicQpCommands, TheTwoSidesHearOfTheTransitionsThatConcernThem) {
  const std::uint32_t qp = bench.make_qp();
  const std::string name = " " + std::to_string(qp);
  bench.modify(Command::kRstToInit, qp, DeviceBench::kInitFields);
  EXPECT_EQ(last_call(), "");
  bench.modify(Command::kInitToRtr, qp, DeviceBench::kRtrFields);
  EXPECT_EQ(last_call(), "rtr" + name);
  EXPECT_EQ(bench.objects.qps.find(qp)->responder.expected_psn, 0xABCDEFU);
  bench.modify(Command::kRtrToRts, qp, DeviceBench::kRtsFields);
  EXPECT_EQ(last_call(), "rts" + name);
  EXPECT_EQ(bench.objects.qps.find(qp)->requester.next_psn, 0x345678U);
  bench.on(Command::kToError, qp);
  bench.on(Command::kToError, qp);
  bench.on(Command::kToReset, qp);
  const auto& calls = bench.fakes.sides.calls;
  EXPECT_EQ(calls,
            (std::vector<std::string>{"rtr" + name, "rts" + name, "flush" + name, "reset" + name}));
}

TEST_F(NicQpCommands, ATransitionNeedsItsFieldsAndTakesNoOthers) {
  struct Step {
    Command command;
    QpState from;
    std::uint32_t required;
    std::uint32_t optional;
  };
  const Step steps[] = {
      {Command::kRstToInit, QpState::kReset, DeviceBench::kInitFields, 0},
      {Command::kInitToRtr, QpState::kInit, DeviceBench::kRtrFields, abi::qp_field::kAccess},
      {Command::kRtrToRts, QpState::kRtr, DeviceBench::kRtsFields,
       abi::qp_field::kAccess | abi::qp_field::kMinRnrTimer},
      {Command::kRtsToRts, QpState::kRts, 0, abi::qp_field::kAccess | abi::qp_field::kMinRnrTimer},
  };
  const std::uint32_t qp = bench.make_qp();
  for (const Step& step : steps) {
    for (unsigned bit = 0; bit < 14; ++bit) {
      const std::uint32_t field = 1U << bit;
      bench.move(qp, step.from);
      const bool required = (step.required & field) != 0;
      const Answer answer = bench.modify(step.command, qp, step.required ^ field);
      const bool good = !required && (step.optional & field) != 0;
      EXPECT_EQ(answer.status, good ? CommandStatus::kOk : CommandStatus::kBadParameter) << bit;
      if (!good) {
        EXPECT_EQ(answer.syndrome, 2U);
        EXPECT_EQ(state(qp), step.from);
      }
    }
  }
}

TEST_F(NicQpCommands, EachFieldHasItsRange) {
  struct Wrong {
    Command command;
    std::function<void(abi::ModifyQpInput&)> change;
    std::uint32_t field;
  };
  const Wrong all[] = {
      {Command::kRstToInit, [](auto& in) { in.access = 1U << 20; }, 3},
      {Command::kRstToInit, [](auto& in) { in.port = 2; }, 17},
      {Command::kInitToRtr, [](auto& in) { in.path_mtu = 1000; }, 4},
      {Command::kInitToRtr, [](auto& in) { in.path_mtu = 8192; }, 4},
      {Command::kInitToRtr, [](auto& in) { in.remote_qp = 1U << 24; }, 5},
      {Command::kInitToRtr, [](auto& in) { in.receive_psn = 1U << 24; }, 6},
      {Command::kInitToRtr, [](auto& in) { in.min_rnr_timer = 32; }, 8},
      {Command::kInitToRtr, [](auto& in) { in.max_dest_reads = 17; }, 13},
      {Command::kInitToRtr, [](auto& in) { in.hop_limit = 0; }, 15},
      {Command::kInitToRtr, [](auto& in) { in.remote_mac[0] = 1; }, 16},
      {Command::kInitToRtr, [](auto& in) { std::memset(in.remote_mac, 0, 6); }, 16},
      {Command::kInitToRtr, [](auto& in) { std::memset(in.remote_ip, 0, 16); }, 18},
      {Command::kInitToRtr, [](auto& in) { in.remote_ip[0] = 0xFE; }, 18},  // IPv6, and we are not
      {Command::kRtrToRts, [](auto& in) { in.send_psn = 1U << 24; }, 7},
      {Command::kRtrToRts, [](auto& in) { in.timeout = 32; }, 9},
      {Command::kRtrToRts, [](auto& in) { in.retry_count = 8; }, 10},
      {Command::kRtrToRts, [](auto& in) { in.rnr_retry = 8; }, 11},
      {Command::kRtrToRts, [](auto& in) { in.max_reads = 17; }, 12},
  };
  const std::uint32_t qp = bench.make_qp();
  for (const Wrong& one : all) {
    const Transition& transition = transition_of(one.command);
    bench.move(qp, transition.from);
    abi::ModifyQpInput in = DeviceBench::modify_input(qp, transition.required);
    one.change(in);
    const Answer answer = bench.command(one.command, in);
    EXPECT_EQ(answer.status, CommandStatus::kBadParameter) << one.field;
    EXPECT_EQ(answer.syndrome, one.field);
    EXPECT_EQ(state(qp), transition.from);
  }
  EXPECT_EQ(bench.modify(Command::kRstToInit, 0x999, DeviceBench::kInitFields),
            CommandStatus::kBadResource);
  EXPECT_EQ(bench.on(Command::kToError, 0x999), CommandStatus::kBadResource);
  EXPECT_EQ(bench.on(Command::kToReset, 0x999), CommandStatus::kBadResource);
}

TEST_F(NicQpCommands, ThePathMtuFitsTheInterface) {
  bench.config.interface_mtu = 1500;
  const std::uint32_t qp = bench.make_qp();
  bench.move(qp, QpState::kInit);
  abi::ModifyQpInput in = DeviceBench::modify_input(qp, DeviceBench::kRtrFields);
  in.path_mtu = 2048;
  EXPECT_EQ(bench.command(Command::kInitToRtr, in).syndrome, 4U);
  in.path_mtu = 1024;
  EXPECT_EQ(bench.command(Command::kInitToRtr, in), CommandStatus::kOk);
}

TEST_F(NicQpCommands, AttributesAreTakenAsSetAndTold) {
  const std::uint32_t number = bench.make_qp();
  bench.move(number, QpState::kRts);
  const Qp& qp = *bench.objects.qps.find(number);
  EXPECT_EQ(qp.access, abi::access::kRemoteWrite | abi::access::kRemoteRead);
  EXPECT_EQ(qp.path_mtu, 1024U);
  EXPECT_EQ(qp.remote_qp, 0x123456U);
  EXPECT_EQ(qp.traffic_class, 106);
  EXPECT_EQ(qp.priority(), 3);  // DSCP 26
  EXPECT_EQ(qp.timeout, 14);
  EXPECT_EQ(qp.retry_count, 6);
  EXPECT_EQ(qp.rnr_retry, 5);
  EXPECT_EQ(qp.min_rnr_timer, 12);
  EXPECT_EQ(qp.max_reads, 4);
  EXPECT_EQ(qp.max_dest_reads, 3);
  abi::ModifyQpInput more = DeviceBench::modify_input(number, abi::qp_field::kMinRnrTimer);
  more.min_rnr_timer = 7;
  more.timeout = 1;  // not among the fields
  ASSERT_EQ(bench.command(Command::kRtsToRts, more), CommandStatus::kOk);
  EXPECT_EQ(qp.min_rnr_timer, 7);
  EXPECT_EQ(qp.timeout, 14);
  ASSERT_EQ(bench.on(Command::kQueryQp, number), CommandStatus::kOk);
  const auto out = bench.output<abi::QueryQpOutput>();
  EXPECT_EQ(out.state, static_cast<std::uint32_t>(QpState::kRts));
  EXPECT_EQ(out.send_psn, 0x345678U);
  EXPECT_EQ(out.receive_psn, 0xABCDEFU);
  EXPECT_EQ(out.attributes.number, number);
  EXPECT_EQ(out.attributes.path_mtu, 1024U);
  EXPECT_EQ(out.attributes.min_rnr_timer, 7);
  EXPECT_EQ(out.attributes.timeout, 14);
  EXPECT_EQ(out.attributes.remote_ip[15], 9);
  EXPECT_EQ(out.attributes.fields,
            DeviceBench::kInitFields | DeviceBench::kRtrFields | DeviceBench::kRtsFields);
  ASSERT_EQ(bench.on(Command::kToReset, number), CommandStatus::kOk);
  ASSERT_EQ(bench.on(Command::kQueryQp, number), CommandStatus::kOk);
  EXPECT_EQ(bench.output<abi::QueryQpOutput>().attributes.fields, 0U);
}

TEST_F(NicQpCommands, HeadersToThePeerOverIpv4) {
  const std::uint32_t number = bench.make_qp();
  bench.move(number, QpState::kRtr);
  const net::Frame& f = bench.objects.qps.find(number)->headers;
  EXPECT_EQ(f.ethernet.source, bench.units.address.mac);
  EXPECT_EQ(f.ethernet.destination.bytes[5], 9);
  ASSERT_TRUE(f.is_ipv4());
  EXPECT_TRUE(f.is_roce());
  EXPECT_EQ(f.ipv4.source.value, 0x0A000001U);
  EXPECT_EQ(f.ipv4.destination.value, 0x0A000009U);
  EXPECT_EQ(f.ipv4.dscp, 26);
  EXPECT_EQ(f.ipv4.ecn, net::Ecn::kNotEct);
  EXPECT_TRUE(f.ipv4.dont_fragment);
  EXPECT_EQ(f.ipv4.ttl, 33);
  EXPECT_EQ(f.udp.source_port, net::udp_source_port(number, 0x123456));
  EXPECT_EQ(f.bth.p_key, 0xFFFF);
  EXPECT_EQ(f.bth.destination_qp, 0x123456U);
}

TEST(NicQpHeaders, OverIpv6AndMarkableIfCongestionIsControlled) {
  NicAddress own = device_test::device_address();
  own.gid = {0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  Qp qp;
  qp.number = 0x41;
  abi::ModifyQpInput in = DeviceBench::modify_input(0x41, DeviceBench::kRtrFields);
  const Transition& to_rtr = transition_of(Command::kInitToRtr);
  EXPECT_EQ(fault_of(in, to_rtr, device_test::device_config(), own), 18U);  // IPv4, and we are not
  in.remote_ip[0] = 0xFE;
  EXPECT_EQ(fault_of(in, to_rtr, device_test::device_config(), own), 0U);
  set_attributes(qp, in);
  make_headers(qp, own, true);
  ASSERT_TRUE(qp.headers.is_ipv6());
  EXPECT_TRUE(qp.headers.is_roce());
  EXPECT_EQ(qp.headers.ipv6.source.bytes, own.gid);
  EXPECT_EQ(qp.headers.ipv6.destination.bytes[0], 0xFE);
  EXPECT_EQ(qp.headers.ipv6.dscp, 26);
  EXPECT_EQ(qp.headers.ipv6.ecn, net::Ecn::kEct0);
  EXPECT_EQ(qp.headers.ipv6.hop_limit, 33);
}

// A NIC that answers marks wants them, whoever controls its own rates.
TEST(NicQpHeaders, AreMarkableIfCongestionIsNotified) {
  NicConfig config = device_test::device_config();
  config.cnp.enabled = true;
  DeviceBench bench(config);
  bench.make_objects();
  const std::uint32_t number = bench.make_qp();
  bench.move(number, QpState::kRtr);
  EXPECT_EQ(bench.objects.qps.find(number)->headers.ipv4.ecn, net::Ecn::kEct0);
}

TEST_F(NicQpCommands, AQueuePairThatIsFoundBrokenIsFlushedAndToldOfOnce) {
  const std::uint32_t number = bench.make_qp();
  bench.move(number, QpState::kRts);
  bench.fakes.sides.calls.clear();
  Qp& qp = *bench.objects.qps.find(number);
  bench.units.control->fail(qp, abi::EventType::kQpAccessError);
  bench.units.control->fail(qp, abi::EventType::kQpCatastrophic);
  EXPECT_EQ(state(number), QpState::kError);
  EXPECT_EQ(bench.fakes.sides.calls, (std::vector<std::string>{"flush " + std::to_string(number)}));
  ASSERT_EQ(bench.fakes.events.events.size(), 1U);
  EXPECT_EQ(bench.fakes.events.events[0].first, abi::EventType::kQpAccessError);
  EXPECT_EQ(bench.fakes.events.events[0].second, number);
  // A completion says enough.
  const std::uint32_t other = bench.make_qp();
  bench.move(other, QpState::kRts);
  bench.units.control->fail(*bench.objects.qps.find(other), abi::EventType::kCompletion);
  EXPECT_EQ(state(other), QpState::kError);
  EXPECT_EQ(bench.fakes.events.events.size(), 1U);
}

}  // namespace
}  // namespace railyard::nic
