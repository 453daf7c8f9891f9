#include "platforms/rdma_perf/breakdown.h"

#include <algorithm>

namespace railyard::rdma_perf {

namespace {

using nic::Point;

constexpr Step kDoorbell{Side::kSender, Point::kDoorbell, "post",
                         "Software posts, the doorbell crosses PCIe and its stage"};
constexpr Step kWqe{Side::kSender, Point::kWqe, "wqe",
                    "Scheduler, QP context, WQE: read unless it came with the doorbell, parsed"};
constexpr Step kTranslated{Side::kSender, Point::kTranslated, "translation",
                           "The payload's key is checked, its page translated"};
constexpr Step kPayload{Side::kSender, Point::kPayload, "payload", "The payload is read over PCIe"};
constexpr Step kPacket{Side::kSender, Point::kPacket, "packet", "The packet is made"};
constexpr Step kOnLine{Side::kSender, Point::kOnLine, "transmit",
                       "It waits for the line and begins to leave"};
constexpr Step kReceived{Side::kReceiver, Point::kReceived, "wire",
                         "Serialisation, cables and switches, until its last bit has come"};
constexpr Step kTransport{Side::kReceiver, Point::kTransport, "transport",
                          "MAC, parser, QP context, PSN check"};
constexpr Step kWritten{Side::kReceiver, Point::kWritten, "write",
                        "Key, translation, and the write of the payload is given to PCIe"};
constexpr Step kCompletion{Side::kReceiver, Point::kCompletion, "completion",
                           "The CQE is given to PCIe"};

const std::vector<Step>& read_steps() {
  static const std::vector<Step> kSteps = {
      kDoorbell,
      kWqe,
      {Side::kSender, Point::kPacket, "request", "The request is made"},
      kOnLine,
      {Side::kReceiver, Point::kReceived, "request_wire", "The request's way to the responder"},
      {Side::kReceiver, Point::kTransport, "request_transport",
       "MAC, parser, QP context, PSN check of the request"},
      {Side::kReceiver, Point::kTranslated, "translation",
       "The payload's key is checked, its page translated"},
      {Side::kReceiver, Point::kPayload, "payload", "The payload is read over PCIe"},
      {Side::kReceiver, Point::kPacket, "packet", "The response is made"},
      {Side::kReceiver, Point::kOnLine, "response_transmit",
       "It waits for the line and begins to leave"},
      {Side::kSender, Point::kReceived, "wire", "The response's way back"},
      {Side::kSender, Point::kTransport, "transport", "MAC, parser, QP context, PSN check"},
      {Side::kSender, Point::kWritten, "write", "The write of the payload is given to PCIe"},
      {Side::kSender, Point::kCompletion, "completion", "The CQE is given to PCIe"}};
  return kSteps;
}

}  // namespace

const std::vector<Step>& steps_of(TestKind test) {
  static const std::vector<Step> kWrite = {kDoorbell, kWqe,      kTranslated, kPayload, kPacket,
                                           kOnLine,   kReceived, kTransport,  kWritten};
  static const std::vector<Step> kSend = {kDoorbell, kWqe,      kTranslated, kPayload, kPacket,
                                          kOnLine,   kReceived, kTransport,  kWritten, kCompletion};
  if (test == TestKind::kRead) return read_steps();
  return test == TestKind::kSend ? kSend : kWrite;
}

void Breakdown::add(Time posted, Time seen, const LastPassing& sender,
                    const LastPassing& receiver) {
  Time before = posted;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const LastPassing& passing = steps_[i].side == Side::kSender ? sender : receiver;
    // What was passed before was another message's.
    const Time at = std::clamp(passing.at(steps_[i].point), before, seen);
    sums_[i] += at - before;
    before = at;
  }
  sums_.back() += seen - before;
  whole_ += seen - posted;
  ++messages_;
}

std::string Breakdown::name(std::size_t part) const {
  return part < steps_.size() ? steps_[part].name : "seen";
}

std::string Breakdown::doc(std::size_t part) const {
  return part < steps_.size() ? steps_[part].doc
                              : "PCIe and memory, until software that polls has seen it";
}

double Breakdown::mean_ns(Time sum) const {
  return messages_ == 0 ? 0.0
                        : static_cast<double>(sum) / kNanosecond / static_cast<double>(messages_);
}

}  // namespace railyard::rdma_perf
