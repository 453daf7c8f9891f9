// Garbage where the NIC reads what software wrote: registers, doorbells, rings, contexts, pages,
// and queues that run over. The queue pair at fault breaks as verbs define; nothing else does.
#include "hw/nic/key_context.h"
#include "tests/sw/verbs/errors_bench.h"
#include "tlm/sim/random.h"

namespace railyard::verbs::test {
namespace {

const driver::QueuePair& ring_of(const Flow& flow) { return verbs::object(flow.qp).ring; }
Address registers_of(const Side& side) { return side.driver().place().registers; }

void expect_harmless(const Attack& attack) {
  const Time alone = time_beside({attack.prepare, {}});
  const Time beside = time_beside(attack);
  EXPECT_LE(beside, alone + alone / 100) << "the bystander was held up";
}

/// A flow of both sides beside the bystander, of which `act` gets this side's.
void beside_bystander(const FlowConfig& config, const std::function<void(Flow& flow)>& act) {
  std::array<std::unique_ptr<Flow>, 2> flows;
  Attack attack;
  attack.prepare = [&](Side& side) {
    flows[side.number] = std::make_unique<Flow>(side, config);
    flows[side.number]->connect();
  };
  attack.act = [&](Side& side) { act(*flows[side.number]); };
  expect_harmless(attack);
}

/// What is stored as whole big endian doublewords.
std::uint64_t doorbell_of(std::uint32_t first, std::uint32_t second) {
  return std::uint64_t{__builtin_bswap32(second)} << 32 | __builtin_bswap32(first);
}

void ring_send(const Flow& flow, Address uar, std::uint32_t posted, std::uint32_t qpn) {
  flow.at.core->store(uar + abi::uar::kSendDoorbell, doorbell_of((posted - 1) << 8, qpn << 8 | 1),
                      8);
}

void expect_event(const Side& side, ibv_event_type type) {
  EXPECT_STREQ(ibv_event_type_str(next_event(side).event_type), ibv_event_type_str(type));
}

class GarbageInARing : public ::testing::TestWithParam<std::uint64_t> {};

// Random bytes where the next WQEs are, then their doorbell.
TEST_P(GarbageInARing, BreaksItsQueuePairAlone) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number != 0) return;
    RandomStream random(GetParam(), "garbage");
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    flow.expect(1, IBV_WC_SUCCESS);
    constexpr std::uint32_t kBlocks = 5;
    for (std::uint32_t block = 1; block <= kBlocks; ++block) {
      for (std::uint32_t at = 0; at < abi::kWqeBytes; at += 8) {
        flow.at.core->store(ring_of(flow).send + block * abi::kWqeBytes + at, random.next(), 8);
      }
    }
    flow.at.core->fence();
    ring_send(flow, verbs::object(flow.qp).uar, 1 + kBlocks, flow.qp->qp_num);
    const ibv_wc first = flow.completion();
    EXPECT_STREQ(ibv_wc_status_str(first.status), ibv_wc_status_str(IBV_WC_LOC_QP_OP_ERR));
    ibv_wc next{};
    while ((next = flow.completion(200 * kMicrosecond)).wr_id != Flow::kNone) {
      EXPECT_EQ(next.status, IBV_WC_WR_FLUSH_ERR);
    }
    EXPECT_EQ(flow.state(), IBV_QPS_ERR);
  });
}

// A WQE that is right but for its control segment's index and number, which are this one's, and
// garbage behind it.
TEST_P(GarbageInARing, BreaksItsQueuePairAloneBehindAGoodControlSegment) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number != 0) return;
    RandomStream random(GetParam(), "segments");
    const std::uint32_t segments = 1 + static_cast<std::uint32_t>(random.below(63));
    const std::uint32_t blocks = (segments + 3) / 4;
    const auto opcode = static_cast<std::uint32_t>(0x08 + random.below(9));
    for (std::uint32_t at = 16; at < blocks * abi::kWqeBytes; at += 8) {
      // Now and then a segment of few bytes.
      const std::uint64_t word = random.below(2) == 0 ? random.next() : random.below(256) << 24;
      flow.at.core->store(ring_of(flow).send + at, word, 8);
    }
    const std::uint32_t number = flow.qp->qp_num;
    flow.at.core->store(ring_of(flow).send, doorbell_of(opcode, number << 8 | segments), 8);
    flow.at.core->store(ring_of(flow).send + 8, 0, 8);
    flow.at.core->fence();
    flow.at.core->store(verbs::object(flow.qp).uar + abi::uar::kSendDoorbell,
                        doorbell_of(opcode, number << 8 | segments), 8);
    const ibv_wc first = flow.completion(500 * kMicrosecond);
    if (first.wr_id != Flow::kNone) {
      EXPECT_NE(first.status, IBV_WC_SUCCESS);
      EXPECT_EQ(flow.state(), IBV_QPS_ERR);
    }
  });
}

// Bytes where a receive WQE should be: a SEND meets it.
TEST_P(GarbageInARing, OfReceivesBreaksItsQueuePairAlone) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number == 1) {
      EXPECT_EQ(flow.receive(11, flow.piece(0, kSome)), 0);
      RandomStream random(GetParam(), "receives");
      const std::uint32_t stride = 1U << ring_of(flow).log_receive_stride;
      for (std::uint32_t at = 0; at < stride; at += 8) {
        // A first segment that is long enough for the message.
        flow.at.core->store(ring_of(flow).receive + at, random.next() | 0x7F, 8);
      }
      flow.at.core->fence();
    }
    flow.at.meet();
    if (flow.at.number == 0) {
      EXPECT_EQ(flow.send(1, 0, kSome), 0);
      flow.expect(1, IBV_WC_REM_OP_ERR);
    } else {
      flow.expect(11, IBV_WC_LOC_PROT_ERR);
    }
    flow.expect_dead();
  });
}

// Random stores to where registers and doorbells are, the command queue's too, of which none is of
// this flow's queue pair.
TEST_P(GarbageInARing, InRegistersDoesNothing) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number != 0) return;
    RandomStream random(GetParam(), "registers");
    const Address base = registers_of(flow.at);
    for (unsigned i = 0; i < 2000; ++i) {
      const bool page = random.below(2) == 0;
      const unsigned bytes = 1U << random.below(4);
      std::uint64_t offset = random.below(page ? abi::kRegisterBarBytes : abi::reg::kBytes);
      if (page) offset = abi::kUarBase + random.below(8) * abi::kUarBytes + random.below(4096);
      offset = offset / bytes * bytes;
      flow.at.core->store(base + offset, random.next(), bytes);
      if (i % 100 == 0) (void)flow.at.core->load(base + offset, bytes);
    }
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    flow.expect(1, IBV_WC_SUCCESS);
  });
}

// Doorbells and BlueField writes that name this queue pair and say anything: what lies in the ring,
// or comes with them, is no WQE of its place. At worst the queue pair breaks.
TEST_P(GarbageInARing, InItsOwnDoorbellsBreaksAtWorstItsQueuePair) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number != 0) return;
    RandomStream random(GetParam(), "doorbells");
    Core& core = *flow.at.core;
    const Address send = verbs::object(flow.qp).uar + abi::uar::kSendDoorbell;
    for (std::uint64_t id = 1; id <= 4; ++id) {
      EXPECT_EQ(flow.write(id, 0, kSome), 0);
      flow.expect(id, IBV_WC_SUCCESS);
    }
    for (unsigned i = 0; i < 200; ++i) {
      const auto index = static_cast<std::uint32_t>(random.below(1U << 16));
      const auto word = static_cast<std::uint32_t>(random.below(64));
      const std::uint64_t control = doorbell_of(index << 8 | 8, flow.qp->qp_num << 8 | word);
      if (random.below(2) == 0) {
        core.store(send, control, 8);
        continue;
      }
      std::array<std::uint8_t, abi::uar::kBlueFieldBytes> wqe{};
      for (std::uint8_t& byte : wqe) byte = static_cast<std::uint8_t>(random.next());
      std::memcpy(wqe.data(), &control, sizeof control);
      const std::uint64_t bytes = 16 * (1 + random.below(16));
      core.store_combining(send + random.below(2) * abi::uar::kBlueFieldBytes, wqe.data(), bytes);
      core.fence();
    }
    ibv_wc wc{};
    while ((wc = flow.completion(200 * kMicrosecond)).wr_id != Flow::kNone) {
      EXPECT_NE(wc.status, IBV_WC_SUCCESS);
    }
    EXPECT_TRUE(flow.state() == IBV_QPS_ERR || flow.state() == IBV_QPS_RTS);
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, GarbageInARing, ::testing::Range<std::uint64_t>(0, 8));

TEST(VerbsGarbage, ADoorbellOfAnotherUarDoesNothing) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number != 0) return;
    ibv_device** list = ibv_get_device_list(nullptr);
    ibv_context* other = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    ASSERT_NE(other, nullptr);
    const Address page = flow.at.driver().uar_address(verbs::object(other).uar);
    ring_send(flow, page, 4, flow.qp->qp_num);
    ring_send(flow, page, 4, flow.qp->qp_num + 1000);
    flow.expect_nothing();
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    flow.expect(1, IBV_WC_SUCCESS);
    EXPECT_EQ(ibv_close_device(other), 0);
  });
}

TEST(VerbsGarbage, ADoorbellOfMoreThanTheRingHoldsDoesNothing) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number != 0) return;
    ring_send(flow, verbs::object(flow.qp).uar, 5000, flow.qp->qp_num);
    flow.expect_nothing();
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    flow.expect(1, IBV_WC_SUCCESS);
  });
}

/// Overwrites the context of a key in the memory that the device was given.
void corrupt_key(const Side& side, std::uint32_t key, std::uint64_t seed) {
  host::HostMemory& memory = side.host->host().memory();
  constexpr std::uint64_t kChunk = 1U << 16;
  std::vector<std::uint8_t> chunk(kChunk);
  unsigned found = 0;
  for (std::uint64_t at = 0; at < (64U << 20); at += kChunk) {
    const Address address = memory.config().base + at;
    side.core->read(address, chunk.data(), kChunk);
    for (std::uint64_t i = 0; i < kChunk; i += nic::kKeyBytes) {
      nic::KeyContextImage image;
      std::memcpy(&image, &chunk[i], sizeof image);
      if (image.state != nic::kKeyValid || image.key != key) continue;
      ++found;
      RandomStream random(seed, "key");
      for (unsigned word = 0; word < nic::kKeyBytes; word += 8) {
        side.core->store(address + i + word, random.next(), 8);
      }
    }
    if (found != 0) break;
  }
  side.core->fence();
  EXPECT_EQ(found, 1U);
}

TEST(VerbsGarbage, ACorruptedKeyBreaksWhoUsesIt) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number == 1) corrupt_key(flow.at, flow.mr->rkey, 3);
    flow.at.meet();
    if (flow.at.number == 0) {
      EXPECT_EQ(flow.write(1, 0, kSome), 0);
      const ibv_wc wc = flow.completion();
      EXPECT_EQ(wc.wr_id, 1U);
      EXPECT_TRUE(wc.status == IBV_WC_REM_OP_ERR || wc.status == IBV_WC_REM_ACCESS_ERR)
          << ibv_wc_status_str(wc.status);
    } else {
      expect_event(flow.at, IBV_EVENT_QP_FATAL);
    }
    flow.expect_dead();
  });
}

TEST(VerbsGarbage, ACorruptedKeyOfOnesOwnBreaksWhoUsesIt) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number == 1) return;
    corrupt_key(flow.at, flow.mr->rkey, 4);
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    flow.expect(1, IBV_WC_LOC_QP_OP_ERR);
    flow.expect_dead();
  });
}

/// A key whose pages are nobody's memory.
std::uint32_t key_of_nothing(const Flow& flow) {
  constexpr Address kNobody = Address{1} << 46;
  const auto address = reinterpret_cast<std::uintptr_t>(flow.memory.data());
  std::vector<Address> pages;
  for (unsigned i = 0; i < 2; ++i) pages.push_back(kNobody + i * AddressSpace::kPageBytes);
  const std::uint64_t page = address / 4096 * 4096;
  return flow.at.driver().create_mkey(page, 2 * AddressSpace::kPageBytes, flow.at.pd->handle, 7, 12,
                                      pages);
}

TEST(VerbsGarbage, APageOfNobodyToSendFromBreaksWhoSends) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number == 1) {
      flow.at.meet();
      EXPECT_EQ(flow.state(), IBV_QPS_RTS);
      return;
    }
    ibv_sge segment = flow.piece(0, kSome);
    segment.lkey = key_of_nothing(flow);
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    EXPECT_EQ(flow.post(IBV_WR_RDMA_WRITE, 2, segment, flow.remote(0), flow.peer().mr->rkey), 0);
    EXPECT_EQ(flow.write(3, 0, kSome), 0);
    flow.expect(1, IBV_WC_SUCCESS);
    flow.expect(2, IBV_WC_LOC_QP_OP_ERR);
    flow.expect(3, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
    flow.at.meet();
  });
}

TEST(VerbsGarbage, APageOfNobodyToReadFromBreaksBothEnds) {
  std::uint32_t key = 0;
  beside_bystander({}, [&key](Flow& flow) {
    if (flow.at.number == 1) key = key_of_nothing(flow);
    flow.at.meet();
    if (flow.at.number == 0) {
      EXPECT_EQ(flow.post(IBV_WR_RDMA_READ, 1, flow.piece(0, kSome), flow.remote(0), key), 0);
      EXPECT_EQ(flow.write(2, 0, kSome), 0);
      flow.expect(1, IBV_WC_REM_OP_ERR);
      flow.expect(2, IBV_WC_WR_FLUSH_ERR);
    } else {
      expect_event(flow.at, IBV_EVENT_QP_FATAL);
    }
    flow.expect_dead();
  });
}

// A posted write that reaches nobody is lost: PCIe tells its sender nothing.
TEST(VerbsGarbage, APageOfNobodyToWriteToTakesWhatComes) {
  std::uint32_t key = 0;
  beside_bystander({}, [&key](Flow& flow) {
    if (flow.at.number == 1) key = key_of_nothing(flow);
    flow.at.meet();
    if (flow.at.number == 1) return;
    EXPECT_EQ(flow.post(IBV_WR_RDMA_WRITE, 1, flow.piece(0, kSome), flow.remote(0), key), 0);
    EXPECT_EQ(flow.write(2, 0, kSome), 0);
    flow.expect(1, IBV_WC_SUCCESS);
    flow.expect(2, IBV_WC_SUCCESS);
  });
}

// More completions than the queue holds: it is dead, and so is whoever completes into it.
TEST(VerbsGarbage, ACqThatRunsOverBreaksItsQueuePairs) {
  FlowConfig config;
  config.completions = 7;
  beside_bystander(config, [](Flow& flow) {
    if (flow.at.number == 1) return;
    for (std::uint64_t id = 0; id < 16; ++id) EXPECT_EQ(flow.write(id, 0, 64), 0);
    ibv_async_event event = next_event(flow.at);
    EXPECT_STREQ(ibv_event_type_str(event.event_type), ibv_event_type_str(IBV_EVENT_CQ_ERR));
    EXPECT_EQ(event.element.cq, flow.cq);
    event = next_event(flow.at);
    EXPECT_STREQ(ibv_event_type_str(event.event_type), ibv_event_type_str(IBV_EVENT_QP_FATAL));
    EXPECT_EQ(event.element.qp, flow.qp);
    EXPECT_EQ(flow.state(), IBV_QPS_ERR);
    for (std::uint64_t id = 0; id < 8; ++id) flow.expect(id, IBV_WC_SUCCESS);
    flow.expect_nothing();
  });
}

// Completion events that nobody takes: those of a queue that is full are lost, the device says so,
// and all else goes on.
TEST(VerbsGarbage, AnEqThatRunsOverIsTold) {
  beside_bystander({}, [](Flow& flow) {
    if (flow.at.number == 1) return;
    const std::uint32_t entries = 1U << flow.at.driver().eq(1).log_entries;
    const auto health = [&flow] {
      const std::uint64_t word = flow.at.core->load(registers_of(flow.at) + abi::reg::kHealth, 4);
      return static_cast<abi::Health>(__builtin_bswap32(static_cast<std::uint32_t>(word)));
    };
    for (std::uint32_t i = 0; i < entries; ++i) {
      ASSERT_EQ(ibv_req_notify_cq(flow.cq, 0), 0);
      EXPECT_EQ(flow.write(i, 0, 64), 0);
      flow.expect(i, IBV_WC_SUCCESS);
    }
    EXPECT_EQ(health(), abi::Health::kGood);
    ASSERT_EQ(ibv_req_notify_cq(flow.cq, 0), 0);
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    flow.expect(1, IBV_WC_SUCCESS);
    flow.at.core->spend(10 * kMicrosecond);
    EXPECT_EQ(health(), abi::Health::kEventQueueOverrun);
  });
}

}  // namespace
}  // namespace railyard::verbs::test
