// An initiator of the base protocol with a memory manager of its own, loosely and approximately
// timed, written from IEEE 1666-2011 alone: knows SystemC only. It reads and writes at random,
// keeps a shadow of what it wrote, and checks what it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace foreign {

struct InitiatorConfig {
  bool blocking = false;  // b_transport, from as many threads as may be outstanding, each in a part
                          // of its own; else nb_transport
  std::uint64_t count = 1000;
  std::uint64_t base = 0;
  std::uint64_t size = 1U << 16;
  unsigned longest = 64;  // bytes of a transaction
  unsigned outstanding = 8;
  unsigned percent_writes = 50;
  unsigned percent_enables = 20;    // with byte enables
  unsigned percent_streaming = 10;  // with a streaming width below the length
  unsigned percent_outside = 0;     // beyond the range: an address error is expected
  unsigned percent_ignored = 2;     // TLM_IGNORE_COMMAND
  bool one_run_of_enables = false;  // enabled bytes are consecutive
  bool enables_refused = false;     // what the target answers to byte enables and to streaming
  bool streaming_refused = false;
  bool direct = false;  // blocking: asks for direct memory access when hinted at
  sc_core::sc_time gap{20, sc_core::SC_NS};           // between two requests, at most
  sc_core::sc_time annotation{5, sc_core::SC_NS};     // of requests, at most
  sc_core::sc_time accept_delay{30, sc_core::SC_NS};  // from BEGIN_RESP to END_RESP, at most
  std::uint64_t seed = 1;
};

class ForeignInitiator : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_initiator_socket<ForeignInitiator> socket{"socket"};

  ForeignInitiator(sc_core::sc_module_name name, const InitiatorConfig& config);
  ~ForeignInitiator() override;

  bool finished() const { return completed_ == config_.count; }
  std::uint64_t completed() const { return completed_; }
  /// What was not as expected.
  const std::vector<std::string>& faults() const { return faults_; }
  const std::vector<unsigned char>& shadow() const { return shadow_; }
  /// Reads the range by debug access; true if it is as the shadow.
  bool verify();
  /// Payloads that are not back, and those ever made.
  std::size_t payloads_held() const { return made_.size() - free_.size(); }
  std::size_t payloads_made() const { return made_.size(); }
  std::uint64_t direct_accesses() const { return direct_accesses_; }
  std::size_t most_outstanding() const { return most_outstanding_; }
  /// When the last response was complete.
  sc_core::sc_time last() const { return last_; }

 private:
  using Payload = tlm::tlm_generic_payload;

  struct Transaction : Payload {
    std::vector<unsigned char> data, enables, expected;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;  // that is expected
    bool request_over = false;
    bool responded = false;
  };

  void free(Payload* trans) override;
  Transaction& acquire();
  void make(Transaction& trans, std::uint64_t base, std::uint64_t size);
  void make_enables(Transaction& trans);
  void expect(Transaction& trans);
  void finish(Transaction& trans);

  void run_blocking(unsigned index);
  bool use_direct(Transaction& trans, sc_core::sc_time& delay);
  void run();
  void send(Transaction& trans);
  void request_over(Transaction& trans, const sc_core::sc_time& delay);
  void answer(Transaction& trans, tlm::tlm_sync_enum& result, tlm::tlm_phase& phase,
              sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void invalidate(sc_dt::uint64 start, sc_dt::uint64 end);
  void step(Payload& payload, const tlm::tlm_phase& phase);

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }
  sc_core::sc_time up_to(const sc_core::sc_time& most) {
    return sc_core::sc_time::from_value(below(most.value() + 1));
  }

  InitiatorConfig config_;
  std::mt19937_64 random_;
  std::vector<unsigned char> shadow_;
  std::vector<std::unique_ptr<Transaction>> made_;
  std::vector<Transaction*> free_;
  tlm_utils::peq_with_cb_and_phase<ForeignInitiator> steps_;
  sc_core::sc_event changed_;
  Transaction* request_ = nullptr;  // in its request phase
  tlm::tlm_dmi direct_;
  bool has_direct_ = false;
  std::size_t outstanding_ = 0;
  std::size_t most_outstanding_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t direct_accesses_ = 0;
  sc_core::sc_time last_;
  std::vector<std::string> faults_;
};

}  // namespace foreign
