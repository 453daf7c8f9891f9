// What a packet costs: events, and the heap.
#include <gtest/gtest.h>

#include "tests/hw/nic/responder_bench.h"
#include "tests/support/allocations.h"

namespace railyard::nic {
namespace {

using net::Opcode;
using test::responder_config;
using test::ResponderBench;

/// Fakes that take no event and no memory.
class QuietDma : public DmaPath {
 public:
  struct Done {
    DmaClient* client;
    std::uint64_t ticket;
  };
  void read(const DmaRead& /*read*/, DmaClient& /*client*/) override { ADD_FAILURE(); }
  void write(const DmaWrite& write, DmaClient* client) override {
    if (client != nullptr) done.push({client, write.ticket});
  }
  bool payload_room(std::uint32_t /*bytes*/) const override { return true; }
  void interrupt(unsigned /*vector*/) override {}
  void finish() {
    while (!done.empty()) {
      const Done d = done.pop();
      d.client->dma_done(d.ticket, pcie::Status::kSuccess, {});
    }
  }
  Ring<Done> done;
};

class QuietTransmit : public TransmitPath {
 public:
  bool room(std::uint8_t /*priority*/, std::uint32_t /*bytes*/) const override { return true; }
  void add_room_client(RoomClient& /*client*/) override {}
  void take(const TransmitJob& job) override { sent.push({job.client, job.ticket}); }
  void drop(TransmitClient& /*client*/, std::uint64_t /*ticket*/) override {}
  void finish(const net::Packet& packet) {
    while (!sent.empty()) {
      const Job job = sent.pop();
      job.client->sent(job.ticket, packet);
      ++packets;
    }
  }
  struct Job {
    TransmitClient* client;
    std::uint64_t ticket;
  };
  Ring<Job> sent;
  std::uint64_t packets = 0;
};

class QuietBuffer : public ReceiveBuffer {
 public:
  std::uint64_t released = 0;
  void release(const net::Packet& /*packet*/) override { ++released; }
};

struct NicResponderCost : testing::Test {
  ResponderBench bench;
  Qp& qp = bench.make_qp(4096);
  QuietDma dma;
  QuietTransmit transmit;
  QuietBuffer buffer;

  void SetUp() override {
    bench.start();
    bench.units.dma = &dma;
    bench.units.transmit = &transmit;
    bench.units.receive_buffer = &buffer;
  }
  /// A WRITE of four packets, and a READ of one.
  void round() {
    for (std::uint32_t i = 0; i < 4; ++i) {
      bench.send(qp,
                 i == 0   ? Opcode::kRcRdmaWriteFirst
                 : i == 3 ? Opcode::kRcRdmaWriteLast
                          : Opcode::kRcRdmaWriteMiddle,
                 4096, [](net::Frame& f) { f.reth.dma_length = 4 * 4096; });
    }
    bench.read(qp, 4096);
    bench.run(kMicrosecond);
    dma.finish();
    const Ref<net::Packet> packet = bench.partition.packets().packets.acquire();
    transmit.finish(*packet);
  }
};

TEST_F(NicResponderCost, ADataPacketTakesOneEvent) {
  round();
  const std::uint64_t before = bench.simulation.events_fired();
  constexpr std::uint64_t kRounds = 100;
  for (std::uint64_t i = 0; i < kRounds; ++i) round();
  // The READ, which waits for no stage, goes with the last write; ACKs take none.
  EXPECT_EQ(bench.simulation.events_fired() - before, kRounds * 4);
  EXPECT_EQ(buffer.released, 101 * 5U);
  EXPECT_EQ(transmit.packets, 101 * 2U);
}

TEST_F(NicResponderCost, NoAllocationOnceWarm) {
  // Between runs, so that the kernel's own are not counted: packets come, are carried out, and go.
  const auto carry_out = [&] {
    const std::uint64_t before = support::allocations();
    for (std::uint32_t i = 0; i < 4; ++i) {
      bench.send(qp, Opcode::kRcRdmaWriteOnly, 4096);
    }
    bench.read(qp, 4096);
    return support::allocations() - before;
  };
  std::uint64_t inside = 0;
  std::uint64_t last = 0;
  for (int i = 0; i < 40; ++i) {
    last = carry_out();
    bench.run(kMicrosecond);
    const std::uint64_t before = support::allocations();
    dma.finish();
    const Ref<net::Packet> packet = bench.partition.packets().packets.acquire();
    transmit.finish(*packet);
    inside = support::allocations() - before;
  }
  // The bench's own closures (a READ's) are two small ones at most.
  EXPECT_LE(last, 2U);
  EXPECT_EQ(inside, 0U);
}

TEST(NicQpSize, IsBelowTwoKibibytesWithItsWindowOfReceiveWqes) {
  constexpr std::size_t kWindow = 8 * 64;
  EXPECT_LT(sizeof(Qp) + kWindow, 2048U);
  RecordProperty("qp_bytes", static_cast<int>(sizeof(Qp)));
  RecordProperty("responder_bytes", static_cast<int>(sizeof(ResponderState)));
}

}  // namespace
}  // namespace railyard::nic
