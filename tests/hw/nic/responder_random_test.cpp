// Random messages over a path that loses and doubles packets and answers: what memory and
// completions are at the end is what a correct responder leaves.
#include <gtest/gtest.h>

#include "tests/hw/nic/responder_bench.h"
#include "tlm/sim/random.h"

namespace railyard::nic {
namespace {

using net::Opcode;
using test::FakeTransmit;
using test::responder_config;
using test::ResponderBench;

constexpr std::uint64_t kReadOnly = 48 * 1024;  // from here on nothing is written
constexpr std::uint32_t kMessages = 400;

/// A go-back-N requester, and the memory that its messages should leave.
class RandomRequester {
 public:
  RandomRequester(ResponderBench& bench, Qp& qp, std::uint64_t seed)
      : bench_(bench), qp_(qp), random_(seed, "requester"), reference_(bench.dma.memory) {}

  void run() {
    for (std::uint32_t i = 0; i < kMessages; ++i) make_message();
    unsigned rounds = 0;
    while (first_ < items_.size()) {
      ASSERT_LT(++rounds, 20'000U) << "no progress beyond packet " << first_;
      round();
    }
    bench_.run(50 * kMicrosecond);
  }
  const std::vector<std::uint8_t>& reference() const { return reference_; }
  const std::vector<std::uint32_t>& completed_bytes() const { return completed_bytes_; }

 private:
  struct Item {
    net::Frame frame;
    std::uint32_t psns = 1;
    bool read = false;
  };

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_.below(n)); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

  void make_message() {
    const std::uint32_t bytes = below(4) == 0 ? below(5) : below(3 * ResponderBench::kMtu + 2);
    switch (below(4)) {
      case 0:
        make_read(bytes);
        break;
      case 1:
        make_send(bytes);
        break;
      default:
        make_write(bytes, below(2) == 0);
    }
  }
  void make_read(std::uint32_t bytes) {
    net::Frame f = bench_.request(qp_, Opcode::kRcRdmaReadRequest, 0);
    f.bth.psn = psn_;
    f.reth = {ResponderBench::kRemoteVa + kReadOnly + below(8192), ResponderBench::kRkey, bytes};
    const std::uint32_t psns = packets_of(bytes, ResponderBench::kMtu);
    items_.push_back({f, psns, true});
    psn_ = psn::add(psn_, psns);
  }
  /// Its packets by place: FIRST, MIDDLE, LAST, ONLY.
  template <class Change>
  void make_packets(std::uint32_t bytes, const std::array<Opcode, 4>& opcodes, Change change) {
    const std::uint32_t packets = packets_of(bytes, ResponderBench::kMtu);
    for (std::uint32_t i = 0; i < packets; ++i) {
      const bool last = i + 1 == packets;
      const Opcode opcode = opcodes[packets == 1 ? 3 : i == 0 ? 0 : last ? 2 : 1];
      net::Frame f = bench_.request(
          qp_, opcode, std::min(ResponderBench::kMtu, bytes - i * ResponderBench::kMtu));
      f.bth.psn = psn_;
      change(f, i * ResponderBench::kMtu);
      items_.push_back({f, 1, false});
      psn_ = psn::add(psn_, 1);
    }
  }
  void expect_byte(std::uint64_t bus, std::uint32_t psn, std::uint32_t i) {
    reference_[bus] = ResponderBench::byte_of(psn, i);
  }
  void make_write(std::uint32_t bytes, bool immediate) {
    const std::uint64_t offset = below(kReadOnly - 4 * ResponderBench::kMtu);
    make_packets(bytes,
                 {Opcode::kRcRdmaWriteFirst, Opcode::kRcRdmaWriteMiddle,
                  immediate ? Opcode::kRcRdmaWriteLastWithImmediate : Opcode::kRcRdmaWriteLast,
                  immediate ? Opcode::kRcRdmaWriteOnlyWithImmediate : Opcode::kRcRdmaWriteOnly},
                 [&](net::Frame& f, std::uint32_t from) {
                   f.reth = {ResponderBench::kRemoteVa + offset, ResponderBench::kRkey, bytes};
                   for (std::uint32_t i = 0; i < f.payload_bytes; ++i) {
                     expect_byte(ResponderBench::kRemoteBus + offset + from + i, f.bth.psn, i);
                   }
                 });
    if (immediate) receive_wqe({}, bytes);
  }
  void make_send(std::uint32_t bytes) {
    // Up to three segments that hold it, at random places.
    std::vector<abi::DataSegment> segments;
    std::vector<std::uint64_t> places;
    std::uint32_t left = bytes;
    for (unsigned i = 0; i < 3 && left != 0; ++i) {
      const std::uint32_t length = i == 2 ? left : 1 + below(left);
      const std::uint64_t at = below(32 * 1024);
      segments.push_back(ResponderBench::local(length, at));
      for (std::uint32_t k = 0; k < length; ++k) places.push_back(at + k);
      left -= length;
    }
    make_packets(
        bytes,
        {Opcode::kRcSendFirst, Opcode::kRcSendMiddle, Opcode::kRcSendLast, Opcode::kRcSendOnly},
        [&](net::Frame& f, std::uint32_t from) {
          for (std::uint32_t i = 0; i < f.payload_bytes; ++i) {
            expect_byte(ResponderBench::kLocalBus + 0x100 + places[from + i], f.bth.psn, i);
          }
        });
    receive_wqe(segments, bytes);
  }
  void receive_wqe(const std::vector<abi::DataSegment>& segments, std::uint32_t bytes) {
    wqes_.push_back(segments);
    completed_bytes_.push_back(bytes);
  }

  void round() {
    const std::size_t completed = bench_.completions.completions.size();
    while (posted_ < wqes_.size() && posted_ < completed + 12 && chance(30)) {
      bench_.post(qp_, wqes_[posted_++]);
    }
    if (chance(10)) bench_.translation.misses += below(3);
    if (chance(10)) bench_.contexts.misses += below(2);
    bench_.transmit.rooms = chance(20) ? below(3) : ~0U;
    std::uint32_t reads = 0;
    for (std::size_t i = first_; i < next_; ++i) reads += items_[i].read ? 1 : 0;
    for (std::uint32_t n = below(10); n != 0 && next_ < items_.size(); --n) {
      const Item& item = items_[next_];
      if (item.read && ++reads > qp_.max_dest_reads) break;
      deliver(item);
      ++next_;
    }
    bench_.run(chance(50) ? 200 * kNanosecond : 5 * kMicrosecond);
    if (bench_.transmit.rooms != ~0U) bench_.transmit.give_room(~0U);
    const std::size_t before = first_;
    const std::uint32_t read_before = read_psns_;
    hear();
    idle_ = first_ == before && read_psns_ == read_before ? idle_ + 1 : 0;
    if (idle_ > 6) go_back();
  }
  void deliver(const Item& item) {
    net::Frame f = item.frame;
    if (item.read && &item == &items_[first_] && read_psns_ != 0) {
      f.bth.psn = psn::add(f.bth.psn, read_psns_);
      f.reth.virtual_address += std::uint64_t{read_psns_} * ResponderBench::kMtu;
      f.reth.dma_length -= read_psns_ * ResponderBench::kMtu;
    }
    if (!chance(6)) bench_.arrive(f);
    if (chance(3)) bench_.arrive(f);
  }
  void go_back() {
    next_ = first_;
    idle_ = 0;
  }
  void hear() {
    for (; heard_ < bench_.transmit.jobs.size(); ++heard_) {
      const FakeTransmit::Job& job = bench_.transmit.jobs[heard_];
      if (!job.dropped && !job.on_line) return;
      if (job.dropped || chance(4)) continue;
      if (net::is_read_response(job.frame.bth.opcode)) {
        hear_response(job);
      } else {
        hear_ack(job.frame);
      }
    }
  }
  void hear_response(const FakeTransmit::Job& job) {
    acknowledge_before(job.frame.bth.psn);
    if (first_ == items_.size() || !items_[first_].read) return;
    const Item& item = items_[first_];
    if (job.frame.bth.psn != psn::add(item.frame.bth.psn, read_psns_)) return;
    const std::uint64_t offset = item.frame.reth.virtual_address - ResponderBench::kRemoteVa +
                                 std::uint64_t{read_psns_} * ResponderBench::kMtu;
    const std::uint8_t* from = &reference_[ResponderBench::kRemoteBus + offset];
    EXPECT_EQ(job.payload.size(),
              std::min(ResponderBench::kMtu,
                       item.frame.reth.dma_length - read_psns_ * ResponderBench::kMtu));
    EXPECT_EQ(job.payload, std::vector<std::uint8_t>(from, from + job.payload.size()));
    if (++read_psns_ == item.psns) advance();
  }
  void hear_ack(const net::Frame& frame) {
    if ((frame.aeth.syndrome & 0x60U) == 0) {
      acknowledge_before(psn::add(frame.bth.psn, 1));
      return;
    }
    acknowledge_before(frame.bth.psn);
    EXPECT_TRUE(frame.aeth.syndrome == nak::kSequence || (frame.aeth.syndrome & 0x60U) == nak::kRnr)
        << unsigned{frame.aeth.syndrome};
    go_back();
  }
  /// All before `psn` is acknowledged, up to a READ that is not answered.
  void acknowledge_before(std::uint32_t psn) {
    while (first_ < next_ && !items_[first_].read &&
           psn::distance(items_[first_].frame.bth.psn, psn) < 0) {
      advance();
    }
  }
  void advance() {
    ++first_;
    read_psns_ = 0;
    next_ = std::max(next_, first_);
  }

  ResponderBench& bench_;
  Qp& qp_;
  RandomStream random_;
  std::vector<std::uint8_t> reference_;
  std::vector<Item> items_;
  std::vector<std::vector<abi::DataSegment>> wqes_;
  std::vector<std::uint32_t> completed_bytes_;
  std::uint32_t psn_ = ResponderBench::kFirstPsn;
  std::size_t first_ = 0;  // not acknowledged
  std::size_t next_ = 0;   // to be sent
  std::uint32_t read_psns_ = 0;
  std::size_t heard_ = 0;
  std::size_t posted_ = 0;
  unsigned idle_ = 0;
};

class NicResponderRandom : public testing::TestWithParam<std::uint64_t> {};

TEST_P(NicResponderRandom, LeavesWhatACorrectResponderLeaves) {
  NicConfig config = responder_config();
  config.ack_delay = GetParam() % 2 == 0 ? 0 : 300 * kNanosecond;
  config.receive.ack_every = static_cast<std::uint32_t>(GetParam() % 3);
  ResponderBench bench(config);
  Qp& qp = bench.make_qp();
  bench.start();
  for (std::size_t i = 0; i < ResponderBench::kRemoteBytes; ++i) {
    bench.dma.memory[ResponderBench::kRemoteBus + i] = static_cast<std::uint8_t>(i * 31 + i / 97);
  }
  RandomRequester requester(bench, qp, GetParam());
  requester.run();
  bench.expect_empty();
  for (std::size_t i = ResponderBench::kRemoteBus; i < test::FakeDma::kMemory; ++i) {
    ASSERT_EQ(bench.dma.memory[i], requester.reference()[i]) << "byte " << i;
  }
  std::vector<std::uint32_t> bytes;
  for (const Completion& c : bench.completions.completions) {
    EXPECT_EQ(c.wqe_counter, bytes.size());
    bytes.push_back(c.byte_count);
  }
  EXPECT_EQ(bytes, requester.completed_bytes());
  EXPECT_TRUE(bench.failures.empty());
  EXPECT_EQ(qp.responder.msn, kMessages);
  EXPECT_GT(bench.metric("responder.nak_sequence"), 10U);
  EXPECT_GT(bench.metric("responder.duplicates"), 10U);
  EXPECT_GT(bench.metric("responder.rnr_naks"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NicResponderRandom, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace railyard::nic
