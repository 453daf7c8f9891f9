// A way into an HBM device for any initiator of the TLM-2.0 base protocol (IEEE 1666-2011, 15.2).
// Several may stand before one device; each sees all of it.
//
// Bytes have the order of acceptance: a write's are placed and a read's are taken when the request
// is accepted, at the end of its annotated delay and not before there is room. So a read sees what
// was accepted before it and nothing else, in whatever order the controller gets to them. The time
// of the response is the controller's.
//
// b_transport waits out its annotation and the controller; any number of threads may be in it. Of
// nb_transport `requests` are accepted and not answered at once; for more END_REQ is withheld.
// While there is room END_REQ comes as the value returned for BEGIN_REQ if neither has a delay, and
// what needs no memory (errors, TLM_IGNORE_COMMAND) is then completed at once. Responses come one
// at a time, in the order in which they are ready.
//
// Accesses: all of the device that the range touches, whatever its alignment. Byte enables choose
// bytes of reads and writes and leave the timing alone, also where an enabled part of an access
// would have its ECC read first (on-die or inline): that is not modelled. A streaming width below
// the length makes beats, all at the same addresses, each given to the controller when the one
// before it is done.
//
// Answers: address error if not all of the range is the device's, also if it wraps; burst error for
// a length or streaming width of 0; generic error for no data pointer; byte enable error for
// enables of no length; command error for a command that is none. TLM_IGNORE_COMMAND is answered
// well, wherever it points.
//
// transport_dbg reads and writes at once, up to the device's end; of a device whose data is elided
// it writes nothing. Direct memory access leaves out the controller, so it is given only if the
// configuration says `dmi` and the data is carried: for reads and writes, a page of 4 KiB at a
// time, with the latencies of an access to an idle bank; it sees and leaves bytes as an access that
// is accepted then. It is never taken back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "hw/hbm/access.h"
#include "hw/hbm/controller.h"
#include "hw/hbm/device_memory.h"
#include "tlm/base/ring.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/partition.h"

namespace railyard::hbm {

struct TlmTargetConfig {
  std::uint32_t requests = 1024;
  Time accept_delay = 0;
  bool dmi = false;

  void declare(Parameters& p);
};

class TlmTarget : public sc_core::sc_module, private Client {
 public:
  tlm_utils::simple_target_socket<TlmTarget> socket{"socket"};

  TlmTarget(sc_core::sc_module_name name, Partition& partition, Controller& controller,
            DeviceMemory& memory, const TlmTargetConfig& config);
  ~TlmTarget() override;

  /// Requests of nb_transport that are accepted and not answered, and the most there were at once.
  std::size_t accepted() const { return accepted_; }
  std::size_t most_accepted() const { return most_accepted_; }
  /// Transactions that the controller has, and records ever made for them.
  std::size_t in_flight() const { return in_flight_; }
  std::size_t requests_made() const { return requests_.size(); }

 private:
  using Payload = tlm::tlm_generic_payload;

  struct Request : Access {
    Payload* trans = nullptr;  // none: its thread was killed
    bool blocking = false;
    bool finished = false;
    std::uint32_t beats_left = 0;  // bytes of a stream that the controller has not been asked for
    sc_core::sc_event done;        // b_transport waits for it
  };
  /// A thread in b_transport.
  struct Visitor;

  void b_transport(Payload& trans, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport(Payload& trans, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& trans);
  bool get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi);

  tlm::tlm_sync_enum begin_request(Payload& trans, tlm::tlm_phase& phase, Time delay);
  void arrived();
  void take();
  void accept();
  void respond();
  void end_response(Time delay);
  void response_over();
  void response_over_late();

  Request& acquire(Payload& trans, bool blocking);
  void put_back(Request& request);
  tlm::tlm_response_status refusal(const Payload& trans) const;
  void move_bytes(Payload& trans);
  tlm::tlm_response_status start(Request& request);
  void next_beat(Request& request);
  void access_done(Access& access) override;
  void finish(Request& request, tlm::tlm_response_status status);
  void answer(Payload& trans, tlm::tlm_response_status status) const;

  Partition& partition_;
  Controller& controller_;
  DeviceMemory& memory_;
  TlmTargetConfig config_;
  bool direct_;
  sc_core::sc_time direct_read_;
  sc_core::sc_time direct_write_;
  railyard::Endpoint& endpoint_;
  Event arrived_;
  Event accept_;
  Event respond_;
  Event response_over_;

  Payload* request_ = nullptr;   // in its request phase
  bool held_ = false;            // there is no room for it
  Request* response_ = nullptr;  // in its response phase
  bool responding_ = false;
  Ring<Request*> responses_;  // that wait for it
  std::size_t accepted_ = 0;
  std::size_t most_accepted_ = 0;
  std::size_t in_flight_ = 0;
  std::deque<Request> requests_;  // all ever made
  std::vector<Request*> free_;
};

}  // namespace railyard::hbm
