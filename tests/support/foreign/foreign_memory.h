// A memory of the base protocol, loosely and approximately timed, written from IEEE 1666-2011
// alone: knows SystemC only. Overlapping transactions are executed in the order of their arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

namespace foreign {

struct MemoryConfig {
  std::uint64_t base = 0;
  std::uint64_t size = 1U << 16;
  sc_core::sc_time latency{50, sc_core::SC_NS};
  sc_core::sc_time jitter;        // up to this on top of the latency, at random
  sc_core::sc_time accept_delay;  // from BEGIN_REQ to END_REQ
  bool wait = true;               // b_transport: waits, instead of annotating the delay
  bool byte_enables = true;       // else they are an error
  bool streaming = true;          // else a width below the length is an error
  bool out_of_order = false;      // takes any response that is ready
  bool direct = false;            // allows direct memory access
  unsigned capacity = 16;         // requests that are accepted and not answered
  // Of nb_transport, in percent of all requests: short ways that the protocol allows.
  unsigned percent_updated = 0;    // END_REQ by TLM_UPDATED
  unsigned percent_implied = 0;    // no END_REQ: BEGIN_RESP says it
  unsigned percent_completed = 0;  // the response by TLM_COMPLETED
  std::uint64_t seed = 1;
};

class ForeignMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ForeignMemory> socket{"socket"};

  ForeignMemory(sc_core::sc_module_name name, const MemoryConfig& config);

  std::vector<unsigned char>& storage() { return storage_; }
  std::uint64_t executed() const { return executed_; }
  /// The most requests that were accepted and not answered at one time.
  std::size_t most_active() const { return most_active_; }
  /// Says that pointers to the whole memory are void.
  void invalidate();

 private:
  using Payload = tlm::tlm_generic_payload;

  void b_transport(Payload& trans, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport(Payload& trans, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& trans);
  bool get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi);

  void step(Payload& trans, const tlm::tlm_phase& phase);
  void accept_next();
  void request_ended(Payload& trans);
  void ready(Payload& trans);
  void respond();
  void response_ended();
  void execute(Payload& trans);
  tlm::tlm_response_status status_of(const Payload& trans) const;
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  sc_core::sc_time latency();

  MemoryConfig config_;
  std::vector<unsigned char> storage_;
  std::mt19937_64 random_;
  tlm_utils::peq_with_cb_and_phase<ForeignMemory> steps_;
  Payload* held_ = nullptr;      // a request for which there is no room
  Payload* response_ = nullptr;  // in its response phase
  std::deque<Payload*> ready_;
  std::size_t active_ = 0;
  std::size_t most_active_ = 0;
  std::uint64_t executed_ = 0;
};

}  // namespace foreign
