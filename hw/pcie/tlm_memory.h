// Memory behind a root complex that is a foreign module: any target of the TLM-2.0 base protocol
// (IEEE 1666-2011, 15.2), as a MemoryPort.
//
// Modelled: accesses are cut at `burst` and become generic payloads, with byte enables where an
// access has holes; up to `outstanding` are under way at once, loosely timed (b_transport, each
// from a thread) or approximately timed (nb_transport in four phases, request and response
// exclusion obeyed). Timing is the target's.
//
// Order: the target may execute a write as soon as it is sent, so nothing is left to commit(). A
// write is sent when those given before it are answered (`write_order: kept`), or at once for a
// target that is known to execute in the order of arrival (`target`). An access to no byte is done
// when the writes given before it are. Reads wait for no write: who wants one to see a write asks
// for it when the write is done.
//
// Not modelled: direct memory access. An access whose data is elided reaches the target as a read
// into a buffer that nobody looks at, or as a write with no byte enabled.
//
// The lazy scheduler is made eager: a foreign module sees each step on time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "hw/pcie/memory_port.h"
#include "tlm/base/quantity.h"
#include "tlm/base/ring.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/lazy_scheduler.h"

namespace railyard::pcie {

enum class TlmStyle : std::uint8_t { kLooselyTimed, kApproximatelyTimed };

enum class WriteOrder : std::uint8_t { kKept, kTarget };

struct TlmMemoryConfig {
  std::uint64_t base = 0;
  Bytes size = 1ULL << 30;
  std::optional<std::uint64_t> target_base;
  TlmStyle style = TlmStyle::kApproximatelyTimed;
  std::uint32_t burst = 0;
  std::uint32_t outstanding = 16;
  WriteOrder write_order = WriteOrder::kKept;
  Time response_delay = 0;

  void declare(Parameters& p);
};

class TlmMemory : public sc_core::sc_module, public MemoryPort, private tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_initiator_socket<TlmMemory> socket{"socket"};

  TlmMemory(sc_core::sc_module_name name, LazyScheduler& steps, const TlmMemoryConfig& config);
  ~TlmMemory() override;

  bool covers(std::uint64_t address, std::uint64_t bytes) const override;
  void access(Ref<MemoryAccess> access) override;
  void commit(MemoryAccess&) override {}
  bool watched(std::uint64_t, std::uint64_t) const override { return true; }
  bool commits_at_once() const override { return true; }
  std::uint32_t debug(bool write, std::uint64_t address, std::uint8_t* data,
                      std::uint32_t bytes) override;

  /// Transactions that are under way, the most that ever were, and those that were sent.
  std::size_t in_flight() const { return in_flight_; }
  std::size_t most_in_flight() const { return most_in_flight_; }
  std::uint64_t sent() const { return sent_; }
  /// Payloads ever made; they are used again.
  std::size_t payloads_made() const { return parts_.size(); }

 private:
  using Payload = tlm::tlm_generic_payload;

  /// An access under way.
  struct Job {
    Ref<MemoryAccess> access;
    std::uint64_t number = 0;  // in the order in which they were given
    std::uint32_t sent = 0;    // of its bytes
    std::uint32_t parts = 0;   // under way
  };

  /// A transaction of the target.
  struct Part : Payload {
    Part(TlmMemory& memory, railyard::Endpoint& endpoint)
        : Payload(&memory),
          owner(memory),
          due(Event::of<&Part::over>(*this, endpoint, Phase::kAct)) {}
    void over() { owner.over(*this); }

    TlmMemory& owner;
    Event due;  // the end of its last phase
    Job* job = nullptr;
    bool owes_end_resp = false;
    std::vector<std::uint8_t> enables;
    std::vector<std::uint8_t> scratch;  // for data that is elided
  };

  void wake();
  void send_more();
  Job* next_job();
  bool may_begin(const Job& write) const;
  Part* begin_part(Job& job);
  void append_waits(std::vector<Wait>& waits) const;
  void fill(Part& part, std::uint32_t offset, std::uint32_t bytes);
  void send(Part& part);
  void finish(Part& part);
  void finish(Job& job);
  Part& acquire();
  void free(Payload* trans) override;

  tlm::tlm_sync_enum nb_transport(Payload& trans, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void request_over(Time delay);
  void request_free();
  void over(Part& part);

  void run_thread(sc_core::sc_event& work);

  LazyScheduler& steps_;
  Partition& partition_;
  TlmMemoryConfig config_;
  railyard::Endpoint& endpoint_;
  Event send_;
  Event request_free_;  // the request phase under way ends
  // Not on the threads' stacks, which are never unwound.
  std::deque<sc_core::sc_event> work_;
  std::vector<sc_core::sc_event*> idle_;  // threads that wait for work

  Ring<Job*> reads_;      // the first may be sent in part
  Ring<Job*> writes_;     // and accesses to no byte
  std::deque<Job> jobs_;  // all ever made
  std::vector<Job*> free_jobs_;
  std::deque<Part> parts_;
  std::vector<Part*> free_parts_;
  Part* request_ = nullptr;  // in its request phase
  std::uint64_t given_ = 0;
  std::size_t open_writes_ = 0;  // sent, if only in part, and not done
  std::size_t in_flight_ = 0;
  std::size_t most_in_flight_ = 0;
  std::uint64_t sent_ = 0;
  Time last_change_ = 0;  // of what is under way
};

}  // namespace railyard::pcie
