// Something in the middle of a wire that loses, damages, repeats and delays packets.
#pragma once

#include <memory>

#include "tests/sw/verbs/errors_bench.h"
#include "tlm/base/ring.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/random.h"

namespace railyard::verbs::test {

/// What becomes of a packet, each with a probability.
struct WireFaults {
  double lost = 0;
  double damaged = 0;
  double doubled = 0;
  double delayed = 0;  // until so many others have passed
  std::uint32_t behind = 3;
};

/// A repeater between two links that does what it should not, from a seeded stream.
class BadWire {
 public:
  BadWire(Simulation& simulation, const LinkConfig& config, const WireFaults& faults,
          std::uint64_t seed)
      : pool_(simulation.partition().packets()), random_(seed, "wire") {
    lost_ = RandomStream::threshold(faults.lost);
    damaged_ = RandomStream::threshold(faults.damaged);
    doubled_ = RandomStream::threshold(faults.doubled);
    delayed_ = RandomStream::threshold(faults.delayed);
    behind_ = faults.behind;
    for (unsigned i = 0; i < 2; ++i) {
      Half& half = halves_[i];
      const std::string name = "wire" + std::to_string(i);
      half.device = std::make_unique<PacketStub>(name.c_str());
      half.end = std::make_unique<LinkEnd>((name + "_end").c_str(), simulation.partition(), config,
                                           Announce::kLastBit);
      bind_both(*half.device, *half.end);
      half.device->on_packet = [this, i](net::Packet& packet, const PacketPhase&) {
        pass(halves_[1 - i], packet);
      };
      half.device->on_line = [&half](const PacketPhase& phase) {
        if (phase.kind != PacketPhase::Kind::kTransmitDone) return;
        half.busy = false;
        half.go_on();
      };
    }
  }

  void join(LinkEnd& a, LinkEnd& b) {
    LinkEnd::connect(a, *halves_[0].end);
    LinkEnd::connect(b, *halves_[1].end);
  }
  /// Cut: nothing passes any more.
  bool cut = false;
  std::uint64_t met = 0;  // packets that met a fault

 private:
  struct Held {
    std::uint32_t left = 0;
    Ref<net::Packet> packet;
  };
  /// An end and what goes out of it.
  struct Half {
    void go_on() {
      if (busy || queue.empty()) return;
      busy = true;
      const Ref<net::Packet> packet = queue.pop();
      device->send_now(*packet);
    }
    std::unique_ptr<PacketStub> device;
    std::unique_ptr<LinkEnd> end;
    Ring<Ref<net::Packet>> queue;
    Held held;
    bool busy = false;
  };

  void pass(Half& out, net::Packet& packet) {
    if (cut) return;
    if (random_.chance(lost_)) {
      ++met;
      return;
    }
    Ref<net::Packet> copy = net::clone(packet, pool_);
    if (random_.chance(damaged_)) {
      ++met;
      copy->bad_fcs = true;
    }
    if (random_.chance(delayed_) && !out.held.packet) {
      ++met;
      out.held = {behind_, std::move(copy)};
      return;
    }
    if (random_.chance(doubled_)) {
      ++met;
      out.queue.push(net::clone(*copy, pool_));
    }
    out.queue.push(std::move(copy));
    if (out.held.packet && --out.held.left == 0) out.queue.push(std::move(out.held.packet));
    out.go_on();
  }

  net::PacketPool& pool_;
  RandomStream random_;
  std::uint64_t lost_, damaged_, doubled_, delayed_;
  std::uint32_t behind_;
  std::array<Half, 2> halves_;
};

/// Two hosts with a bad wire between them.
struct BadlyJoined {
  BadlyJoined(const WireFaults& faults, std::uint64_t seed, const LinkConfig& link = {})
      : hosts({}, link, [&](Simulation& simulation, LinkEnd& a, LinkEnd& b) {
          wire = std::make_unique<BadWire>(simulation, link, faults, seed);
          wire->join(a, b);
        }) {}
  // The wire's modules go before the kernel that they were made in, which the hosts hold.
  ~BadlyJoined() { wire.reset(); }
  BadlyJoined(const BadlyJoined&) = delete;
  BadlyJoined& operator=(const BadlyJoined&) = delete;

  std::unique_ptr<BadWire> wire;
  TwoHosts hosts;
};

/// Messages of all kinds from the first host to the second, or READs from it, in a window, over a
/// wire that is bad; each completes once, in order, and brings what it should.
class RandomMessages {
 public:
  RandomMessages(std::uint64_t messages, std::uint64_t seed) : messages_(messages), seed_(seed) {}

  void run(BadlyJoined& hosts, FlowConfig config) {
    config.bytes = std::uint64_t{3} * kSlots * kMost;
    config.depth = config.receives = kSlots;
    config.rnr_retries = 7;
    hosts.hosts.run([&](Side& side) {
      Flow flow(side, config);
      if (side.number == 1) fill(flow, source(0), 0, kMost);
      flow.connect();
      if (side.number == 0) {
        client(flow);
      } else {
        server(flow);
      }
      side.meet();
    });
  }

 private:
  static constexpr std::uint32_t kSlots = 16;
  static constexpr std::uint32_t kMost = 12'000;
  enum class Kind : std::uint8_t { kWrite, kWriteImm, kSend, kRead };
  struct Message {
    Kind kind;
    std::uint32_t bytes;
  };
  // Memory of both: a third that WRITEs and READs go from, one that WRITEs go to, one for SENDs.
  static std::uint64_t source(std::uint64_t id) { return id % kSlots * kMost; }
  static std::uint64_t target(std::uint64_t id) { return (kSlots + id % kSlots) * kMost; }
  static std::uint64_t receives(std::uint64_t id) { return (2 * kSlots + id % kSlots) * kMost; }

  Message message(std::uint64_t id) const {
    RandomStream random(seed_ * 1'000'003 + id, "message");
    const auto kind = static_cast<Kind>(random.below(4));
    // Short ones, whole packets, and long ones.
    const std::uint64_t choice = random.below(4);
    const auto bytes = static_cast<std::uint32_t>(choice == 0   ? random.below(64)
                                                  : choice == 1 ? 1024 * (1 + random.below(4))
                                                                : random.below(kMost));
    return {kind, bytes};
  }
  static std::uint8_t value(std::uint64_t id, std::uint64_t i) {
    return static_cast<std::uint8_t>(id * 41 + i * 7 + (i >> 8) * 3 + 1);
  }
  static void fill(Flow& flow, std::uint64_t at, std::uint64_t id, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) flow.memory[at + i] = value(id, i);
  }
  static bool holds(const Flow& flow, std::uint64_t at, std::uint64_t id, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) {
      if (flow.memory[at + i] != value(id, i)) return false;
    }
    return true;
  }
  static bool takes_receive(Kind kind) { return kind == Kind::kWriteImm || kind == Kind::kSend; }

  void post(Flow& flow, std::uint64_t id) {
    const Message m = message(id);
    if (m.kind == Kind::kRead) {
      EXPECT_EQ(flow.post(IBV_WR_RDMA_READ, id, flow.piece(target(id), m.bytes),
                          flow.remote(source(0)), flow.peer().mr->rkey),
                0);
      return;
    }
    fill(flow, source(id), id, m.bytes);
    const ibv_wr_opcode opcode = m.kind == Kind::kSend    ? IBV_WR_SEND
                                 : m.kind == Kind::kWrite ? IBV_WR_RDMA_WRITE
                                                          : IBV_WR_RDMA_WRITE_WITH_IMM;
    EXPECT_EQ(flow.post(opcode, id, flow.piece(source(id), m.bytes), flow.remote(target(id)),
                        flow.peer().mr->rkey),
              0);
  }

  // READs bring what lies in the server's first slot, which never changes.
  void client(Flow& flow) {
    std::uint64_t posted = 0;
    for (std::uint64_t done = 0; done < messages_; ++done) {
      while (posted < messages_ && posted - done < kSlots) post(flow, posted++);
      const ibv_wc wc = flow.completion(kSecond);
      ASSERT_EQ(wc.wr_id, done);
      ASSERT_STREQ(ibv_wc_status_str(wc.status), "success") << "of " << done;
      const Message m = message(done);
      if (m.kind == Kind::kRead) {
        ASSERT_TRUE(holds(flow, target(done), 0, m.bytes)) << "READ " << done;
      } else if (m.kind == Kind::kWrite) {
        const auto& there = static_cast<const Flow&>(flow.peer());
        ASSERT_TRUE(holds(there, target(done), done, m.bytes)) << "WRITE " << done;
      }
    }
    flow.expect_nothing();
  }

  // Now and then it has no receive posted: receiver not ready.
  void server(Flow& flow) {
    std::vector<std::uint64_t> taking;
    for (std::uint64_t id = 0; id < messages_; ++id) {
      if (takes_receive(message(id).kind)) taking.push_back(id);
    }
    std::uint64_t posted = 0;
    for (std::uint64_t done = 0; done < taking.size(); ++done) {
      for (; posted < taking.size() && posted - done < kSlots / 2; ++posted) {
        ASSERT_EQ(flow.receive(posted, flow.piece(receives(posted), kMost)), 0);
      }
      const ibv_wc wc = flow.completion(kSecond);
      ASSERT_EQ(wc.wr_id, done);
      ASSERT_STREQ(ibv_wc_status_str(wc.status), "success") << "receive " << done;
      const std::uint64_t id = taking[done];
      const Message m = message(id);
      ASSERT_EQ(wc.byte_len, m.bytes) << "of " << id;
      if (m.kind == Kind::kSend) {
        ASSERT_TRUE(holds(flow, receives(done), id, m.bytes)) << "SEND " << id;
      } else {
        ASSERT_EQ(wc.imm_data, static_cast<std::uint32_t>(id));
      }
    }
    flow.expect_nothing();
  }

  std::uint64_t messages_;
  std::uint64_t seed_;
};

}  // namespace railyard::verbs::test
