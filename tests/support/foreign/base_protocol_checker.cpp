#include "tests/support/foreign/base_protocol_checker.h"

#include <algorithm>

namespace foreign {

namespace {

bool is_base_phase(const tlm::tlm_phase& phase) {
  return phase == tlm::BEGIN_REQ || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP ||
         phase == tlm::END_RESP || phase == tlm::UNINITIALIZED_PHASE;
}

std::vector<unsigned char> copy_of(const unsigned char* bytes, unsigned length) {
  return bytes == nullptr ? std::vector<unsigned char>()
                          : std::vector<unsigned char>(bytes, bytes + length);
}

}  // namespace

BaseProtocolChecker::BaseProtocolChecker(sc_core::sc_module_name name) : sc_core::sc_module(name) {
  in.bind(*this);
  out.bind(*this);
}

void BaseProtocolChecker::check_end() {
  if (!tracks_.empty()) violate("a transaction was never completed (15.2.4)");
}

void BaseProtocolChecker::violate(const std::string& what) {
  violations_.push_back(what);
  const std::string text = std::string(name()) + ": " + what;
  SC_REPORT_ERROR(kReport, text.c_str());
}

tlm::tlm_sync_enum BaseProtocolChecker::nb_transport_fw(Payload& trans, tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay) {
  const tlm::tlm_phase sent = phase;
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  if (!is_base_phase(sent)) return out->nb_transport_fw(trans, phase, delay);
  if (sent == tlm::BEGIN_REQ) {
    begin_request(trans, at);
  } else if (sent == tlm::END_RESP) {
    end_response(trans, at);
  } else {
    violate("the initiator sent a phase that is the target's (15.2.3)");
  }
  const tlm::tlm_sync_enum result = out->nb_transport_fw(trans, phase, delay);
  const sc_core::sc_time after = sc_core::sc_time_stamp() + delay;
  require(after >= at, "the target took back time of the annotation (11.1.3)");
  forward_returned(trans, result, sent, phase, after);
  return result;
}

tlm::tlm_sync_enum BaseProtocolChecker::nb_transport_bw(Payload& trans, tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay) {
  const tlm::tlm_phase sent = phase;
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  if (!is_base_phase(sent)) return in->nb_transport_bw(trans, phase, delay);
  if (sent == tlm::END_REQ) {
    end_request(trans, at);
  } else if (sent == tlm::BEGIN_RESP) {
    begin_response(trans, at);
  } else {
    violate("the target sent a phase that is the initiator's (15.2.3)");
  }
  const tlm::tlm_sync_enum result = in->nb_transport_bw(trans, phase, delay);
  const sc_core::sc_time after = sc_core::sc_time_stamp() + delay;
  require(after >= at, "the initiator took back time of the annotation (11.1.3)");
  backward_returned(trans, result, sent, phase, after);
  return result;
}

void BaseProtocolChecker::forward_returned(Payload& trans, tlm::tlm_sync_enum result,
                                           const tlm::tlm_phase& sent, const tlm::tlm_phase& phase,
                                           const sc_core::sc_time& at) {
  if (sent == tlm::END_RESP) {
    require(result != tlm::TLM_UPDATED, "a phase was returned after the last one (15.2.4)");
    return;
  }
  if (sent != tlm::BEGIN_REQ || result == tlm::TLM_ACCEPTED) return;
  if (result == tlm::TLM_COMPLETED) {
    Track* track = find(trans, "a transaction was completed that is not under way (15.2.4)");
    if (track == nullptr || track->stage == Stage::kBlocking) return;
    check_response(trans, *track);
    check_time(*track, at);
    complete(trans);
  } else if (phase == tlm::END_REQ) {
    end_request(trans, at);
  } else if (phase == tlm::BEGIN_RESP) {
    begin_response(trans, at);
  } else {
    violate("TLM_UPDATED came with a phase that cannot follow BEGIN_REQ (15.2.4)");
  }
}

void BaseProtocolChecker::backward_returned(Payload& trans, tlm::tlm_sync_enum result,
                                            const tlm::tlm_phase& sent, const tlm::tlm_phase& phase,
                                            const sc_core::sc_time& at) {
  if (result == tlm::TLM_ACCEPTED) return;
  if (sent != tlm::BEGIN_RESP) {
    violate("END_REQ can only be answered by TLM_ACCEPTED (15.2.4)");
  } else if (result == tlm::TLM_UPDATED && phase != tlm::END_RESP) {
    violate("TLM_UPDATED came with a phase that cannot follow BEGIN_RESP (15.2.4)");
  } else {
    end_response(trans, at);
  }
}

void BaseProtocolChecker::begin_request(Payload& trans, const sc_core::sc_time& at) {
  check_memory(trans, 0);
  require(request_ == nullptr,
          "BEGIN_REQ while another transaction is in its request phase (15.2.6)");
  require(at >= request_time_, "a request lies before the one sent earlier (15.2.7)");
  check_request(trans);
  if (tracks_.count(&trans) != 0) {
    violate("a payload was used again before its transaction was complete (14.5)");
    return;
  }
  open(trans, Stage::kRequest, at);
  // Held, so that a release by the initiator before the end can be told from one after it.
  if (trans.has_mm()) trans.acquire();
  request_ = &trans;
  request_time_ = std::max(request_time_, at);
}

void BaseProtocolChecker::end_request(Payload& trans, const sc_core::sc_time& at) {
  Track* track = find(trans, "END_REQ of a transaction that is not under way (15.2.4)");
  if (track == nullptr) return;
  if (track->stage != Stage::kRequest) {
    violate("END_REQ of a transaction that is not in its request phase (15.2.4)");
    return;
  }
  check_memory(trans, 1);
  check_unchanged(trans, *track);
  check_time(*track, at);
  track->stage = Stage::kBetween;
  request_ = nullptr;
  request_time_ = std::max(request_time_, at);
}

void BaseProtocolChecker::begin_response(Payload& trans, const sc_core::sc_time& at) {
  Track* track = find(trans, "BEGIN_RESP of a transaction that is not under way (15.2.4)");
  if (track == nullptr) return;
  if (track->stage == Stage::kResponse || track->stage == Stage::kBlocking) {
    violate("BEGIN_RESP of a transaction that waits for no response (15.2.4)");
    return;
  }
  require(response_ == nullptr,
          "BEGIN_RESP while another transaction is in its response phase (15.2.6)");
  require(at >= response_time_, "a response lies before the one sent earlier (15.2.7)");
  check_memory(trans, 1);
  check_response(trans, *track);
  check_time(*track, at);
  if (track->stage == Stage::kRequest) {  // which BEGIN_RESP ends, too
    request_ = nullptr;
    request_time_ = std::max(request_time_, at);
  }
  track->stage = Stage::kResponse;
  track->status = trans.get_response_status();
  track->bytes = copy_of(track->data, track->length);
  response_ = &trans;
  response_time_ = std::max(response_time_, at);
}

void BaseProtocolChecker::end_response(Payload& trans, const sc_core::sc_time& at) {
  Track* track = find(trans, "END_RESP of a transaction that is not under way (15.2.4)");
  if (track == nullptr) return;
  if (track->stage != Stage::kResponse) {
    violate("END_RESP of a transaction that is not in its response phase (15.2.4)");
    return;
  }
  check_memory(trans, 1);
  check_unchanged(trans, *track);
  require(trans.get_response_status() == track->status,
          "the response status was changed after the response began (14.17)");
  check_time(*track, at);
  response_time_ = std::max(response_time_, at);
  complete(trans);
}

void BaseProtocolChecker::complete(Payload& trans) {
  if (request_ == &trans) request_ = nullptr;
  if (response_ == &trans) response_ = nullptr;
  tracks_.erase(&trans);
  ++completed_;
  if (trans.has_mm()) trans.release();
}

void BaseProtocolChecker::b_transport(Payload& trans, sc_core::sc_time& delay) {
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  check_request(trans);
  const bool used = tracks_.count(&trans) != 0;
  require(!used, "a payload was used again before its transaction was complete (14.5)");
  if (!used) open(trans, Stage::kBlocking, at);
  out->b_transport(trans, delay);
  if (used) return;
  Track& track = tracks_.at(&trans);
  check_response(trans, track);
  check_time(track, sc_core::sc_time_stamp() + delay);
  tracks_.erase(&trans);
  ++completed_;
}

unsigned BaseProtocolChecker::transport_dbg(Payload& trans) {
  const unsigned moved = out->transport_dbg(trans);
  check_debug(trans, moved);
  return moved;
}

bool BaseProtocolChecker::get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi) {
  const sc_dt::uint64 address = trans.get_address();
  const bool allowed = out->get_direct_mem_ptr(trans, dmi);
  if (!allowed) return false;
  require(dmi.get_dmi_ptr() != nullptr, "direct memory access was given without a pointer (11.2)");
  require(dmi.get_start_address() <= address && address <= dmi.get_end_address(),
          "direct memory access was given for other addresses than asked for (11.2)");
  require(trans.is_write() ? dmi.is_write_allowed() : dmi.is_read_allowed(),
          "direct memory access was given for another command than asked for (11.2)");
  return true;
}

void BaseProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  require(start <= end, "a range of direct memory ends before it begins (11.2)");
  in->invalidate_direct_mem_ptr(start, end);
}

BaseProtocolChecker::Track& BaseProtocolChecker::open(Payload& trans, Stage stage,
                                                      const sc_core::sc_time& at) {
  Track& track = tracks_[&trans];
  most_in_flight_ = std::max(most_in_flight_, tracks_.size());
  track.stage = stage;
  track.command = trans.get_command();
  track.data = trans.get_data_ptr();
  track.length = trans.get_data_length();
  track.enables = trans.get_byte_enable_ptr();
  track.enables_length = trans.get_byte_enable_length();
  track.streaming_width = trans.get_streaming_width();
  if (trans.is_write()) track.bytes = copy_of(track.data, track.length);
  track.enable_bytes = copy_of(track.enables, track.enables_length);
  track.time = at;
  return track;
}

BaseProtocolChecker::Track* BaseProtocolChecker::find(const Payload& trans, const char* what) {
  const auto found = tracks_.find(&trans);
  if (found != tracks_.end()) return &found->second;
  violate(what);
  return nullptr;
}

void BaseProtocolChecker::check_memory(const Payload& trans, int own_references) {
  if (!trans.has_mm()) {
    violate("nb_transport with a payload that has no memory manager (14.5)");
    return;
  }
  require(trans.get_ref_count() > own_references,
          "nobody holds a reference to a payload that is under way (14.5)");
}

void BaseProtocolChecker::check_request(const Payload& trans) {
  require(trans.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
          "a request came with a response status (14.17)");
  require(!trans.is_dmi_allowed(), "a request came with the hint at direct memory set (14.13)");
  if (trans.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  require(trans.is_read() || trans.is_write(), "a command that is none (14.9)");
  require(trans.get_data_ptr() != nullptr, "a request without a data pointer (14.11)");
  require(trans.get_data_length() > 0, "a request of no byte (14.12)");
  require(trans.get_streaming_width() > 0, "a streaming width of 0 (14.16)");
  const unsigned char* const enables = trans.get_byte_enable_ptr();
  if (enables == nullptr) return;
  const unsigned length = trans.get_byte_enable_length();
  require(length > 0, "byte enables of no length (14.15)");
  require(
      std::all_of(enables, enables + length,
                  [](unsigned char e) { return e == TLM_BYTE_ENABLED || e == TLM_BYTE_DISABLED; }),
      "a byte enable that is neither 0 nor 0xFF (14.14)");
}

void BaseProtocolChecker::check_unchanged(const Payload& trans, const Track& track) {
  require(trans.get_command() == track.command, "the command was changed (14.7)");
  require(trans.get_data_ptr() == track.data && trans.get_data_length() == track.length,
          "the data pointer or length was changed (14.7)");
  require(trans.get_byte_enable_ptr() == track.enables &&
              trans.get_byte_enable_length() == track.enables_length &&
              std::equal(track.enable_bytes.begin(), track.enable_bytes.end(), track.enables),
          "the byte enables were changed (14.7)");
  require(trans.get_streaming_width() == track.streaming_width,
          "the streaming width was changed (14.7)");
  // Of a read's bytes there is a copy from the response on: the target then leaves them alone.
  require(std::equal(track.bytes.begin(), track.bytes.end(), track.data),
          track.command == tlm::TLM_WRITE_COMMAND ? "the target wrote to a write's data (14.7)"
                                                  : "a read's data changed after its response");
}

void BaseProtocolChecker::check_response(const Payload& trans, const Track& track) {
  check_unchanged(trans, track);
  require(trans.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
          "a response without a response status (14.17)");
}

void BaseProtocolChecker::check_time(Track& track, const sc_core::sc_time& at) {
  require(at >= track.time, "a phase lies before the one that it follows (15.2.7)");
  track.time = std::max(track.time, at);
}

void BaseProtocolChecker::check_debug(const Payload& trans, unsigned moved) {
  require(moved <= trans.get_data_length(), "debug access to more bytes than asked for (11.3)");
}

}  // namespace foreign
