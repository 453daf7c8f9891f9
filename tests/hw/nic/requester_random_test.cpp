// Random work requests of several queue pairs over a network that loses and reorders: each is
// carried out once and completes once, in order, with the right bytes.
#include <gtest/gtest.h>

#include "tests/hw/nic/responder_model.h"

namespace railyard::nic {
namespace {

using requester_test::requester_config;
using requester_test::RequesterBench;
using requester_test::ResponderModel;
using requester_test::WqeText;

struct Random {
  static constexpr std::uint32_t kQps = 4;
  static constexpr std::uint64_t kReadArea = 0x4'0000;  // READs write behind it

  explicit Random(std::uint64_t of, const ResponderModel::Network& network)
      : seed(of), random(of, "random"), b(config()) {
    b.keys.cut = true;
    if (random.below(2) == 0) b.keys.miss = 200 * kNanosecond;
    if (random.below(2) == 0) b.contexts.miss = 150 * kNanosecond;
    b.transmit.limit = 2 + static_cast<std::uint32_t>(random.below(16));
    b.dma.jitter = [this] { return static_cast<Time>(random.below(kMicrosecond)); };
    for (std::uint32_t i = 0; i < kQps; ++i) {
      Qp& qp = b.add_qp(static_cast<std::uint8_t>(i % 2), 5);
      qp.timeout = 2;  // 16 us
      qp.retry_count = 7;
      qp.max_reads = static_cast<std::uint8_t>(1 + random.below(4));
      qp.path_mtu = 256U << random.below(3);
      qp.signal_all = true;
      qp.requester.next_psn = static_cast<std::uint32_t>(0xFF'FFF0 + random.below(16));
      peers.push_back(std::make_unique<ResponderModel>(b, qp, network, seed));
      texts.emplace_back();
    }
    b.transmit.peer = [this](const auto& s) {
      for (std::size_t i = 0; i < kQps; ++i) {
        if (s.frame.bth.destination_qp == b.qps.all[i]->number) peers[i]->receive(s);
      }
    };
    for (auto& qp : b.qps.all) qp->headers.bth.destination_qp = qp->number;
  }

  NicConfig config() {
    NicConfig c = requester_config();
    c.send.wqe_prefetch = 1 + static_cast<std::uint32_t>(random.below(16));
    c.send.wqe_fetch = 1 + static_cast<std::uint32_t>(random.below(8));
    c.send.quantum = 512U << random.below(4);
    c.send.weights = {2, 1};
    return c;
  }

  WqeText make(std::uint32_t slot) {
    static constexpr std::array<abi::Opcode, 6> kOpcodes = {
        abi::Opcode::kSend,         abi::Opcode::kSendImm,  abi::Opcode::kRdmaWrite,
        abi::Opcode::kRdmaWriteImm, abi::Opcode::kRdmaRead, abi::Opcode::kNop};
    WqeText text;
    text.opcode = kOpcodes[random.below(kOpcodes.size())];
    text.immediate = static_cast<std::uint32_t>(random.next());
    text.remote = random.below(1U << 30);
    text.flags = random.below(8) == 0 ? abi::wqe_flag::kFence : 0;
    if (text.opcode == abi::Opcode::kNop) return text;
    if (text.opcode != abi::Opcode::kRdmaRead && random.below(4) == 0) {
      text.is_inline = true;
      text.inlined.resize(random.below(abi::kMaxInline));
      for (auto& byte : text.inlined) byte = static_cast<std::uint8_t>(random.next());
      return text;
    }
    // READs of a queue pair write to places of their own, in order.
    const bool read = text.opcode == abi::Opcode::kRdmaRead;
    const std::uint64_t segments = random.below(4);
    for (std::uint64_t i = 0; i < segments; ++i) {
      const auto bytes = static_cast<std::uint32_t>(1 + random.below(1500));
      std::uint64_t offset = random.below(kReadArea - bytes);
      if (read) {
        offset = kReadArea + std::uint64_t{slot} * 0x1'0000 + read_at[slot] % 0xE000;
        read_at[slot] += bytes;
      }
      text.data.push_back({RequesterBench::kVirtual + offset, bytes, RequesterBench::kKey});
    }
    return text;
  }

  std::vector<std::uint8_t> bytes_of(const WqeText& text) const {
    if (text.is_inline) return text.inlined;
    std::vector<std::uint8_t> all;
    for (const auto& d : text.data) {
      const std::uint8_t* from =
          &b.dma.memory[RequesterBench::kData + d.address - RequesterBench::kVirtual];
      all.insert(all.end(), from, from + d.bytes);
    }
    return all;
  }

  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (std::uint32_t slot = 0; slot < kQps; ++slot) {
        Qp& qp = *b.qps.all[slot];
        for (std::uint64_t n = random.below(4); n != 0; --n) {
          const WqeText text = make(slot);
          const auto blocks = static_cast<std::uint32_t>((text.bytes(0, 0).size() + 63) / 64);
          const auto open = static_cast<std::uint16_t>(b.posted[slot] - qp.requester.completed);
          if (open + blocks > 32) break;
          texts[slot].push_back(text);
          b.put(qp, text);
        }
        b.ring(qp);
      }
      b.run(static_cast<Time>(random.below(5 * kMicrosecond)) + 1);
    }
    b.simulation.run(kSecond);
  }

  void check() {
    EXPECT_TRUE(b.failures.empty());
    EXPECT_EQ(b.partition().outstanding_work(), 0U);
    EXPECT_EQ(b.buffer.released, b.answers);
    for (std::uint32_t slot = 0; slot < kQps; ++slot) {
      SCOPED_TRACE(slot);
      check_completions(slot);
      check_messages(slot);
    }
  }
  void check_completions(std::uint32_t slot) {
    std::uint16_t index = 0;
    std::size_t at = 0;
    for (const Completion& c : b.completions.all) {
      if (c.qp != b.qps.all[slot]->number) continue;
      ASSERT_LT(at, texts[slot].size());
      EXPECT_EQ(c.syndrome, abi::Syndrome::kNone);
      EXPECT_EQ(c.wqe_counter, index);
      EXPECT_EQ(c.wqe_opcode, texts[slot][at].opcode);
      index = static_cast<std::uint16_t>(index + (texts[slot][at].bytes(0, 0).size() + 63) / 64);
      ++at;
    }
    EXPECT_EQ(at, texts[slot].size());
  }
  void check_messages(std::uint32_t slot) {
    std::size_t at = 0;
    for (const WqeText& text : texts[slot]) {
      if (text.opcode == abi::Opcode::kNop || text.opcode == abi::Opcode::kRdmaRead) continue;
      ASSERT_LT(at, peers[slot]->messages.size());
      const ResponderModel::Message& message = peers[slot]->messages[at++];
      EXPECT_EQ(message.bytes, bytes_of(text));
      const bool write = message.operation == net::Operation::kRdmaWrite;
      EXPECT_EQ(message.remote, write ? text.remote : 0);
      const bool with_immediate =
          text.opcode == abi::Opcode::kSendImm || text.opcode == abi::Opcode::kRdmaWriteImm;
      EXPECT_EQ(message.immediate, with_immediate ? text.immediate : 0);
    }
    EXPECT_EQ(at, peers[slot]->messages.size());
    check_last_read(slot);
  }
  // Earlier ones may have been overwritten.
  void check_last_read(std::uint32_t slot) {
    for (std::size_t i = texts[slot].size(); i-- > 0;) {
      const WqeText& text = texts[slot][i];
      if (text.opcode != abi::Opcode::kRdmaRead) continue;
      const std::vector<std::uint8_t> bytes = bytes_of(text);
      for (std::size_t k = 0; k < bytes.size(); ++k) {
        ASSERT_EQ(bytes[k], ResponderModel::remote_byte(text.remote + k)) << k;
      }
      return;
    }
  }

  std::uint64_t seed;
  RandomStream random;
  RequesterBench b;
  std::vector<std::unique_ptr<ResponderModel>> peers;
  std::vector<std::vector<WqeText>> texts;
  std::array<std::uint64_t, kQps> read_at{};
};

class RequesterRandom : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RequesterRandom, CompletesAllOnceAndInOrderOverACleanNetwork) {
  Random r(GetParam(), {});
  r.run(60);
  r.check();
  EXPECT_EQ(r.b.metric("requester.packets_again"), 0U);
}

TEST_P(RequesterRandom, CompletesAllOnceAndInOrderOverALossyReorderingNetwork) {
  Random r(GetParam(), {0.03, 0.05, 0.05, 2});
  r.run(60);
  r.check();
  EXPECT_GT(r.b.metric("requester.packets_again"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RequesterRandom, ::testing::Range<std::uint64_t>(1, 17));

}  // namespace
}  // namespace railyard::nic
