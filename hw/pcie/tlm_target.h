// The way in for a foreign initiator, a model of a processor: a target of the TLM-2.0 base protocol
// (IEEE 1666-2011, 15.2) before a MemoryPort and a CpuPort.
//
// Modelled: b_transport and nb_transport alike. Memory is accessed in pieces of a 4 KiB page; bytes
// that are not enabled are left out. Transactions that overlap go in the order of their arrival,
// others side by side. Devices get one transaction after the other, cut to what a CpuPort takes: a
// write is posted and answered when its last piece is accepted; a read is a series of reads of up
// to 8 bytes. Of nb_transport `requests` are accepted and not answered at once; for more of them
// END_REQ is withheld. transport_dbg reaches memory, if its port has a way for that; no direct
// memory access.
//
// Answers: address error where nobody is, and where a device's completion says unsupported request;
// generic error for another status of a completion; byte enable error for enables to a device that
// are not one run of bytes, which one request cannot carry; burst error for a streaming width below
// the length; generic error where there is no byte or no place for it. TLM_IGNORE_COMMAND is
// answered well.
//
// The lazy scheduler is on time while a transaction is under way. The target is a CpuListener, but
// does not set itself as one: who owns the CpuPort passes on what is for `ticket`, and room to all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "hw/pcie/cpu_port.h"
#include "hw/pcie/memory_port.h"
#include "tlm/base/ring.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/lazy_scheduler.h"

namespace railyard::pcie {

struct TlmTargetConfig {
  std::uint32_t requests = 16;
  Time accept_delay = 0;

  void declare(Parameters& p);
};

class TlmTarget : public sc_core::sc_module, public CpuListener, private MemoryClient {
 public:
  tlm_utils::simple_target_socket<TlmTarget> socket{"socket"};

  /// Its reads of devices have the `ticket`; one is under way at a time.
  TlmTarget(sc_core::sc_module_name name, LazyScheduler& steps, MemoryPort& memory,
            CpuPort& devices, std::uint64_t ticket, const TlmTargetConfig& config);
  ~TlmTarget() override;

  void cpu_read_done(std::uint64_t ticket, Status status, std::uint64_t value) override;
  void cpu_room() override;

  /// Transactions that are under way, and the most of nb_transport that were accepted at once.
  std::size_t in_flight() const { return in_flight_; }
  std::size_t most_accepted() const { return most_accepted_; }
  std::size_t requests_made() const { return requests_.size(); }

 private:
  using Payload = tlm::tlm_generic_payload;

  /// Bytes of a transaction, from its first.
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };

  struct Request {
    Payload* trans = nullptr;
    sc_core::sc_event done;  // b_transport waits for it
    bool blocking = false;
    bool finished = false;
    bool begun = false;       // its accesses of memory are under way
    std::uint32_t parts = 0;  // of them
    bool failed = false;
  };

  void b_transport(Payload& trans, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport(Payload& trans, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& trans);
  bool get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi);

  void arrived();
  void accept();
  void respond();
  void end_response(Time delay);
  void response_over();

  void start(Request& request);
  void finish(Request& request, tlm::tlm_response_status status);
  Request& acquire(Payload& trans, bool blocking);
  void put_back(Request& request);

  tlm::tlm_response_status start_memory(Request& request);
  void begin_memory();
  bool must_wait(std::size_t index) const;
  void access_memory(Request& request);
  void access_memory(Request& request, Run run);
  void memory_done(MemoryAccess& access) override;

  tlm::tlm_response_status start_device(Request& request);
  void go_on_device();
  bool write_device();
  void read_device();
  void end_device(tlm::tlm_response_status status);

  LazyScheduler& steps_;
  Partition& partition_;
  MemoryPort& memory_port_;
  CpuPort& devices_;
  std::uint64_t ticket_;
  TlmTargetConfig config_;
  railyard::Endpoint& endpoint_;
  Event arrived_;
  Event accept_;
  Event respond_;
  Event response_over_;

  Payload* request_ = nullptr;   // in its request phase
  bool held_ = false;            // there is no room for it
  Request* response_ = nullptr;  // in its response phase
  Ring<Request*> responses_;     // that wait for it
  std::size_t accepted_ = 0;
  std::size_t most_accepted_ = 0;
  std::size_t in_flight_ = 0;

  std::vector<Request*> memory_;  // not done, in the order of arrival
  Pool<MemoryAccess> accesses_;
  Ring<Request*> device_;           // the first is under way
  Run device_run_;                  // of its bytes, what is still to be done
  std::uint32_t device_bytes_ = 0;  // that are asked for
  bool device_stalled_ = false;     // waits for room

  std::deque<Request> requests_;  // all ever made
  std::vector<Request*> free_;
};

}  // namespace railyard::pcie
