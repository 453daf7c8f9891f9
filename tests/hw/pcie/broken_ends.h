// An initiator and a target that break the base protocol as a test says, with the checker between.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "tests/support/foreign/base_protocol_checker.h"

namespace foreign {

using Payload = tlm::tlm_generic_payload;
using sc_core::sc_time;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

struct Manager : tlm::tlm_mm_interface {
  void free(Payload*) override { ++freed; }
  int freed = 0;
};

/// Initiator and target in one, each call done as the rule under test says.
struct Ends : sc_core::sc_module, tlm::tlm_bw_transport_if<>, tlm::tlm_fw_transport_if<> {
  using Call = std::function<tlm_sync_enum(Payload&, tlm_phase&, sc_time&)>;

  tlm::tlm_initiator_socket<> initiator{"initiator"};
  tlm::tlm_target_socket<> target{"target"};
  BaseProtocolChecker checker{"checker"};

  explicit Ends(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    initiator.bind(*this);
    target.bind(*this);
    initiator.bind(checker.in);
    checker.out.bind(target);
    for (Payload* p : {&trans, &other}) {
      p->set_mm(&manager);
      p->acquire();
      set(*p);
    }
  }
  void set(Payload& p) {
    p.set_write();
    p.set_address(0x100);
    p.set_data_ptr(data);
    p.set_data_length(8);
    p.set_streaming_width(8);
    p.set_byte_enable_ptr(nullptr);
    p.set_dmi_allowed(false);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }

  // What a test calls.
  tlm_sync_enum forward(Payload& p, tlm_phase phase, double ns = 0) {
    sc_time delay(ns, sc_core::SC_NS);
    return initiator->nb_transport_fw(p, phase, delay);
  }
  tlm_sync_enum backward(Payload& p, tlm_phase phase, double ns = 0) {
    sc_time delay(ns, sc_core::SC_NS);
    return target->nb_transport_bw(p, phase, delay);
  }
  void block(Payload& p, double ns = 0) {
    sc_time delay(ns, sc_core::SC_NS);
    initiator->b_transport(p, delay);
  }
  void respond(Payload& p, double ns = 0) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    backward(p, tlm::BEGIN_RESP, ns);
  }

  tlm_sync_enum nb_transport_fw(Payload& p, tlm_phase& phase, sc_time& t) override {
    return on_forward ? on_forward(p, phase, t) : tlm::TLM_ACCEPTED;
  }
  tlm_sync_enum nb_transport_bw(Payload& p, tlm_phase& phase, sc_time& t) override {
    return on_backward ? on_backward(p, phase, t) : tlm::TLM_ACCEPTED;
  }
  void b_transport(Payload& p, sc_time& t) override {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (on_block) on_block(p, t);
  }
  unsigned transport_dbg(Payload&) override { return debugged; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& d) override {
    d.set_start_address(direct_start);
    d.set_end_address(0x1FF);
    d.set_dmi_ptr(direct_pointer);
    d.set_granted_access(direct_access);
    return true;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void direct() {
    tlm::tlm_dmi dmi;
    initiator->get_direct_mem_ptr(trans, dmi);
  }

  Call on_forward, on_backward;
  std::function<void(Payload&, sc_time&)> on_block;
  unsigned debugged = 8;
  unsigned char* direct_pointer = data;
  sc_dt::uint64 direct_start = 0x100;
  tlm::tlm_dmi::dmi_access_e direct_access = tlm::tlm_dmi::DMI_ACCESS_READ_WRITE;
  Manager manager;
  Payload trans, other;
  unsigned char data[16] = {};
  unsigned char enables[2] = {0xFF, 0};
};

/// A target that answers BEGIN_REQ like this.
inline Ends::Call answer(tlm_sync_enum result, tlm_phase phase = tlm::UNINITIALIZED_PHASE,
                         tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE) {
  return [=](Payload& p, tlm_phase& to, sc_time&) {
    to = phase;
    p.set_response_status(status);
    return result;
  };
}

struct Rule {
  const char* name;
  const char* found;  // in the one violation
  void (*broken)(Ends&);
};

class BaseProtocolRule : public testing::TestWithParam<Rule> {};

inline std::string name_of(const testing::TestParamInfo<Rule>& info) { return info.param.name; }

}  // namespace foreign
