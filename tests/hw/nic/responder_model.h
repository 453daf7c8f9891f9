// A peer that answers as the standard says (IBTA Vol 1 9.7), kept simple, behind a network that
// loses and delays packets both ways.
#pragma once

#include "tests/hw/nic/requester_bench.h"
#include "tlm/sim/random.h"

namespace railyard::nic::requester_test {

class ResponderModel {
 public:
  struct Network {
    double loss = 0;
    double delay = 0;  // share of the packets that come so much later that others overtake them
    double not_ready = 0;
    std::uint32_t ack_every = 1;  // messages
  };
  /// A message that was carried out.
  struct Message {
    net::Operation operation = net::Operation::kNone;
    std::uint64_t remote = 0;
    std::vector<std::uint8_t> bytes;
    std::uint32_t immediate = 0;
  };

  ResponderModel(RequesterBench& bench, Qp& qp, const Network& network, std::uint64_t seed)
      : bench_(bench),
        qp_(qp),
        network_(network),
        random_(seed, "peer" + std::to_string(qp.slot)),
        expected_(qp.requester.next_psn) {}

  void receive(const FakeTransmit::Sent& sent) {
    travel([this, sent] { take(sent); });
  }
  /// What a READ of the peer's memory brings.
  static std::uint8_t remote_byte(std::uint64_t address) {
    return static_cast<std::uint8_t>(address * 13 + address / 1024);
  }

  std::vector<Message> messages;
  std::uint64_t naks = 0;
  std::uint64_t rnr_naks = 0;

 private:
  void travel(std::function<void()> arrival) {
    if (random_.uniform() < network_.loss) return;
    Time after = 400 * kNanosecond;
    if (random_.uniform() < network_.delay) {
      after += static_cast<Time>(random_.below(2 * kMicrosecond));
    }
    bench_.later.in(after, std::move(arrival));
  }
  void reply(net::Opcode opcode, std::uint32_t psn, std::uint8_t syndrome,
             std::vector<std::uint8_t> bytes = {}) {
    travel([this, opcode, psn, syndrome, payload = std::move(bytes)] {
      bench_.answer(qp_, opcode, psn, syndrome, payload);
    });
  }
  void acknowledge(std::uint32_t psn) { reply(net::Opcode::kRcAcknowledge, psn, 0x1F); }

  void take(const FakeTransmit::Sent& sent) {
    const net::Frame& f = sent.frame;
    const bool read = f.bth.opcode == net::Opcode::kRcRdmaReadRequest;
    const std::int32_t ahead = psn::distance(f.bth.psn, expected_);
    if (ahead > 0) {
      if (!nak_sent_) {
        ++naks;
        reply(net::Opcode::kRcAcknowledge, expected_, 0x60);
      }
      nak_sent_ = true;
      return;
    }
    if (ahead < 0) {  // a duplicate: what was said is said again
      if (read) {
        respond(f);
      } else {
        acknowledge(psn::add(expected_, psn::kMask));
      }
      return;
    }
    nak_sent_ = false;
    if (net::is_send(f.bth.opcode) && net::starts_message(f.bth.opcode) &&
        random_.uniform() < network_.not_ready) {
      ++rnr_naks;
      reply(net::Opcode::kRcAcknowledge, expected_, 0x21);
      return;
    }
    read ? respond(f) : carry_out(sent);
  }

  void carry_out(const FakeTransmit::Sent& sent) {
    const net::Frame& f = sent.frame;
    if (net::starts_message(f.bth.opcode)) {
      EXPECT_TRUE(whole_);
      open_ = {net::operation(f.bth.opcode), 0, {}, 0};
      if (net::is_write(f.bth.opcode)) open_.remote = f.reth.virtual_address;
    }
    open_.bytes.insert(open_.bytes.end(), sent.payload.begin(), sent.payload.end());
    whole_ = net::ends_message(f.bth.opcode);
    expected_ = psn::add(expected_, 1);
    if (!whole_) return;
    if (net::has_immediate(f.bth.opcode)) open_.immediate = f.immediate.value;
    messages.push_back(open_);
    if (random_.below(network_.ack_every) == 0) acknowledge(f.bth.psn);
  }

  void respond(const net::Frame& f) {
    const std::uint32_t mtu = qp_.path_mtu;
    const std::uint32_t length = f.reth.dma_length;
    const std::uint32_t packets = std::max(1U, (length + mtu - 1) / mtu);
    for (std::uint32_t i = 0; i < packets; ++i) {
      std::vector<std::uint8_t> bytes(std::min(mtu, length - i * mtu));
      for (std::size_t k = 0; k < bytes.size(); ++k) {
        bytes[k] = remote_byte(f.reth.virtual_address + std::uint64_t{i} * mtu + k);
      }
      const bool first = i == 0;
      const bool last = i + 1 == packets;
      const auto opcode = first && last ? net::Opcode::kRcRdmaReadResponseOnly
                          : first       ? net::Opcode::kRcRdmaReadResponseFirst
                          : last        ? net::Opcode::kRcRdmaReadResponseLast
                                        : net::Opcode::kRcRdmaReadResponseMiddle;
      reply(opcode, psn::add(f.bth.psn, i), 0x1F, std::move(bytes));
    }
    const std::uint32_t after = psn::add(f.bth.psn, packets);
    if (psn::distance(after, expected_) > 0) expected_ = after;
  }

  RequesterBench& bench_;
  Qp& qp_;
  Network network_;
  RandomStream random_;
  std::uint32_t expected_;
  bool nak_sent_ = false;
  bool whole_ = true;
  Message open_;
};

}  // namespace railyard::nic::requester_test
