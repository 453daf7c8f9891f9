#include "hw/nic/requester_metrics.h"

namespace railyard::nic {

RequesterMetrics::RequesterMetrics(Units& units) {
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".requester.";
  statistics.add(packets, {p + "packets", "packets", "Request packets sent, each once"});
  statistics.add(bytes, {p + "bytes", "bytes", "Payload bytes of those packets"});
  statistics.add(packets_again, {p + "packets_again", "packets",
                                 "Request packets sent that had been sent before"});
  statistics.add(bytes_again, {p + "bytes_again", "bytes", "Payload bytes of those packets"});
  statistics.add(acks, {p + "acks", "packets", "ACKs that acknowledged something"});
  statistics.add(responses, {p + "read_responses", "packets", "READ responses that were awaited"});
  statistics.add(naks, {p + "naks", "packets", "NAKs received, of all codes but RNR"});
  statistics.add(rnr_naks, {p + "rnr_naks", "packets", "RNR NAKs received"});
  statistics.add(timeouts, {p + "timeouts", "events", "ACK timers that ran out"});
  statistics.add(gaps, {p + "gaps", "events", "READ responses found missing and asked for again"});
  statistics.add(stale, {p + "stale", "packets", "Answers to nothing that is outstanding"});
  statistics.add(wqes_fetched, {p + "wqes_fetched", "WQEs", "Send WQEs read from memory"});
  statistics.add(wqes_pushed,
                 {p + "wqes_pushed", "WQEs", "Send WQEs that BlueField writes brought"});
  statistics.add(wqes_completed, {p + "wqes_completed", "WQEs", "Send WQEs that succeeded"});
  statistics.add(wqe_errors, {p + "wqe_errors", "WQEs", "Send WQEs that failed"});
  statistics.add(wqes_flushed, {p + "wqes_flushed", "WQEs", "Send WQEs flushed"});
  statistics.add(bad_doorbells, {p + "bad_doorbells", "doorbells",
                                 "Send doorbells beyond the queue, which were ignored"});
  statistics.add(turns, {p + "turns", "turns", "Turns of queue pairs"});
  statistics.add(reads, {p + "reads_outstanding", "READs", "READs begun and not complete"});
  constexpr std::uint32_t kPsnBits = 24;
  for (std::uint32_t slot = 0; slot < kProbedSlots; ++slot) {
    const std::string q = units.name + ".qp" + std::to_string(slot) + ".";
    units.partition->probes().add(psn[slot], {q + "sq_psn",
                                              ProbeKind::kUnsigned,
                                              kPsnBits,
                                              "",
                                              "PSN of the next new request packet",
                                              {}});
    units.partition->probes().add(outstanding[slot], {q + "outstanding",
                                                      ProbeKind::kUnsigned,
                                                      kPsnBits,
                                                      "packets",
                                                      "PSNs sent and not acknowledged",
                                                      {}});
  }
}

}  // namespace railyard::nic
