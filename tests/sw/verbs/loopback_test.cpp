// The ping-pong program over a device that does what its doorbells say, in no time: SENDs of one
// data segment, from one machine of the bench to the other.
#include <gmock/gmock.h>

#include <map>

#include "tests/sw/verbs/programs_bench.h"

namespace railyard::verbs {
namespace {

using support::FakeDevice;
using support::kNs;
using support::ProgramsBench;

class Loopback {
 public:
  explicit Loopback(ProgramsBench& bench) : bench_(bench) {}

  /// A core's program: looks at what came to the registers.
  void run(Core& core) {
    while (bench_.statuses[0] < 0 || bench_.statuses[1] < 0) {
      core.spend(200 * kNs);
      for (; seen_ < bench_.port.writes.size(); ++seen_) take(bench_.port.writes[seen_]);
    }
  }

 private:
  void take(const support::FakeCpuPort::Write& write) {
    const Address offset = write.address - ProgramsBench::kDevice;
    const std::size_t side = offset / ProgramsBench::kRegisters;
    const Address in_page = offset % abi::kUarBytes;
    if (in_page == abi::uar::kCqArm) {
      armed_[side] = true;
      const std::uint32_t consumer = write.bytes[1] << 16 | write.bytes[2] << 8 | write.bytes[3];
      if (completed_[side] != consumer) notify(side);  // there is something already
    }
    if (in_page >= abi::uar::kSendDoorbell) send_all(side);
  }

  template <class T>
  T get(Address address) {
    bench_.lazy.catch_up();
    std::array<std::uint8_t, sizeof(T)> bytes{};
    bench_.memory.read(address, bytes.data(), bytes.size());
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  template <class T>
  void put(Address address, const T& value) {
    const LazyScheduler::Visit visit(bench_.lazy);
    bench_.memory.write(address, reinterpret_cast<const std::uint8_t*>(&value), sizeof value);
  }

  void send_all(std::size_t side) {
    const driver::QueuePair& from = bench_.devices[side]->qps.at(0x40);
    const std::uint32_t posted = get<abi::QpDoorbellRecord>(from.doorbell_record).send;
    for (; sent_[side] != posted; ++sent_[side]) {
      const Address wqe =
          from.send + std::uint64_t{sent_[side] & ((1U << from.log_send) - 1)} * abi::kWqeBytes;
      deliver(side, 1 - side, get<abi::DataSegment>(wqe + sizeof(abi::ControlSegment)));
      complete(side, abi::CqeOpcode::kRequester, sent_[side], 0);
    }
  }

  void deliver(std::size_t side, std::size_t to, const abi::DataSegment& data) {
    const driver::QueuePair& queue = bench_.devices[to]->qps.at(0x40);
    const std::uint32_t index = received_[to]++;
    ASSERT_NE(static_cast<std::uint16_t>(index),
              get<abi::QpDoorbellRecord>(queue.doorbell_record).receive);
    const Address wqe = queue.receive + (std::uint64_t{index & ((1U << queue.log_receive) - 1)}
                                         << queue.log_receive_stride);
    const auto room = get<abi::DataSegment>(wqe);
    for (std::uint32_t i = 0; i < data.length; ++i) {
      put(bus(to, room, i), get<std::uint8_t>(bus(side, data, i)));
    }
    complete(to, abi::CqeOpcode::kResponderSend, index, data.length);
  }

  /// Where a byte of a segment is: by the pages of its key.
  Address bus(std::size_t side, const abi::DataSegment& segment, std::uint32_t byte) {
    const support::FakeKey& key = bench_.devices[side]->keys.at(segment.lkey);
    const std::uint64_t offset = segment.address + byte - key.address + key.address % 4096;
    return key.pages.at(offset / 4096) + offset % 4096;
  }

  void complete(std::size_t side, abi::CqeOpcode opcode, std::uint32_t counter,
                std::uint32_t bytes) {
    const driver::Cq& cq = bench_.devices[side]->cqs.begin()->second;
    abi::Cqe entry = support::cqe(opcode, 0x40, static_cast<std::uint16_t>(counter));
    entry.byte_count = bytes;
    const std::uint32_t index = completed_[side]++;
    entry.opcode_owner = static_cast<abi::Byte>(entry.opcode_owner | (index >> cq.log_entries & 1));
    put(cq.entries + std::uint64_t{index & ((1U << cq.log_entries) - 1)} * abi::kCqeBytes, entry);
    if (armed_[side]) notify(side);
  }

  void notify(std::size_t side) {
    armed_[side] = false;
    abi::Eqe event;
    event.number = bench_.devices[side]->cqs.begin()->first;
    bench_.devices[side]->events[1].push_back(event);
    ++events;
  }

  ProgramsBench& bench_;
  std::size_t seen_ = 0;
  std::array<std::uint32_t, 2> sent_{};
  std::array<std::uint32_t, 2> received_{};
  std::array<std::uint32_t, 2> completed_{};
  std::array<bool, 2> armed_{};

 public:
  unsigned events = 0;
};

/// Exit statuses of a server and a client with these options.
std::vector<int> ping_pong(const std::vector<std::string>& options, unsigned& events) {
  ProgramsBench bench;
  Loopback loopback(bench);
  for (const char* role : {"server", "client"}) {
    std::vector<std::string> arguments{role, "-g", "fe80:0000:0000:0000:0000:00ff:fe00:0007", "-q",
                                       "0x40"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    bench.add("pingpong", arguments);
  }
  bench.core([&](Core& core) { loopback.run(core); });
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  events = loopback.events;
  return bench.statuses;
}

TEST(VerbsPingPong, GoesBackAndForthByPolling) {
  unsigned events = 0;
  EXPECT_EQ(ping_pong({"-s", "5000", "-n", "50", "-r", "4"}, events), (std::vector<int>{0, 0}));
  EXPECT_EQ(events, 0U);
}

TEST(VerbsPingPong, GoesBackAndForthByEvents) {
  unsigned events = 0;
  EXPECT_EQ(ping_pong({"-e", "-s", "1", "-n", "50"}, events), (std::vector<int>{0, 0}));
  EXPECT_GT(events, 50U);
}

}  // namespace
}  // namespace railyard::verbs
