// Sits between an initiator and a target of the base protocol, passes every call on, and checks it
// against IEEE 1666-2011: attributes of the generic payload (14.7 to 14.17), the transport
// interfaces (11.1), direct memory and debug access (11.2, 11.3), and the phases of the base
// protocol (15.2). Written from the standard alone; knows SystemC only.
//
// A violation is kept as text and reported through SC_REPORT_ERROR as "/railyard/tlm".
//
// Not checked: extensions and ignorable phases, which it lets pass; the address after a request,
// which an interconnect may change (14.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <systemc>
#include <tlm>

namespace foreign {

class BaseProtocolChecker : public sc_core::sc_module,
                            public tlm::tlm_fw_transport_if<>,
                            public tlm::tlm_bw_transport_if<> {
 public:
  static constexpr const char* kReport = "/railyard/tlm";

  tlm::tlm_target_socket<> in{"in"};       // the initiator's socket is bound to it
  tlm::tlm_initiator_socket<> out{"out"};  // to the target

  explicit BaseProtocolChecker(sc_core::sc_module_name name);

  /// After a run that came to its end: a transaction that is under way will never be complete.
  void check_end();

  const std::vector<std::string>& violations() const { return violations_; }
  std::size_t in_flight() const { return tracks_.size(); }
  /// Transactions that were completed, through either transport interface.
  std::uint64_t completed() const { return completed_; }
  /// The most that were under way at once.
  std::size_t most_in_flight() const { return most_in_flight_; }

 private:
  using Payload = tlm::tlm_generic_payload;

  enum class Stage : std::uint8_t { kRequest, kBetween, kResponse, kBlocking };

  /// A transaction under way, with its attributes as they were at its beginning.
  struct Track {
    Stage stage = Stage::kRequest;
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    unsigned char* data = nullptr;
    unsigned length = 0;
    unsigned char* enables = nullptr;
    unsigned enables_length = 0;
    unsigned streaming_width = 0;
    std::vector<unsigned char> bytes;  // a write's at first, a read's from its response on
    std::vector<unsigned char> enable_bytes;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;  // from the response on
    sc_core::sc_time time;                                           // of its last phase
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(Payload& trans, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& trans) override;
  bool get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

  void begin_request(Payload& trans, const sc_core::sc_time& at);
  void end_request(Payload& trans, const sc_core::sc_time& at);
  void begin_response(Payload& trans, const sc_core::sc_time& at);
  void end_response(Payload& trans, const sc_core::sc_time& at);
  void forward_returned(Payload& trans, tlm::tlm_sync_enum result, const tlm::tlm_phase& sent,
                        const tlm::tlm_phase& phase, const sc_core::sc_time& at);
  void backward_returned(Payload& trans, tlm::tlm_sync_enum result, const tlm::tlm_phase& sent,
                         const tlm::tlm_phase& phase, const sc_core::sc_time& at);
  void complete(Payload& trans);

  void check_request(const Payload& trans);
  void check_memory(const Payload& trans, int own_references);
  void check_unchanged(const Payload& trans, const Track& track);
  void check_response(const Payload& trans, const Track& track);
  void check_time(Track& track, const sc_core::sc_time& at);
  void check_debug(const Payload& trans, unsigned moved);

  Track& open(Payload& trans, Stage stage, const sc_core::sc_time& at);
  Track* find(const Payload& trans, const char* what);
  void require(bool holds, const char* what) {
    if (!holds) violate(what);
  }
  void violate(const std::string& what);

  std::unordered_map<const Payload*, Track> tracks_;
  const Payload* request_ = nullptr;   // in its request phase
  const Payload* response_ = nullptr;  // in its response phase
  sc_core::sc_time request_time_;      // when the last phase of a request began or ended
  sc_core::sc_time response_time_;
  std::vector<std::string> violations_;
  std::uint64_t completed_ = 0;
  std::size_t most_in_flight_ = 0;
};

}  // namespace foreign
