// Each rule of the checker is broken once, by a module that does just that.
#include "tests/support/foreign/base_protocol_checker.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace foreign {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;
using Payload = tlm::tlm_generic_payload;

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
    sc_time delay(ns, SC_NS);
    return initiator->nb_transport_fw(p, phase, delay);
  }
  tlm_sync_enum backward(Payload& p, tlm_phase phase, double ns = 0) {
    sc_time delay(ns, SC_NS);
    return target->nb_transport_bw(p, phase, delay);
  }
  void block(Payload& p, double ns = 0) {
    sc_time delay(ns, SC_NS);
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
Ends::Call answer(tlm_sync_enum result, tlm_phase phase = tlm::UNINITIALIZED_PHASE,
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

TEST_P(BaseProtocolRule, BrokenOnceIsFoundOnce) {
  sc_core::sc_report_handler::set_actions(BaseProtocolChecker::kReport, sc_core::SC_DO_NOTHING);
  Ends ends("ends");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  GetParam().broken(ends);
  EXPECT_THAT(ends.checker.violations(), ElementsAre(HasSubstr(GetParam().found)));
}

const Rule kPhases[] = {
    {"TargetsPhaseForward", "a phase that is the target's",
     [](Ends& e) { e.forward(e.trans, tlm::END_REQ); }},
    {"InitiatorsPhaseBackward", "a phase that is the initiator's",
     [](Ends& e) { e.backward(e.trans, tlm::END_RESP); }},
    {"UpdatedAfterTheLastPhase", "a phase was returned after the last one",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.respond(e.trans);
       e.on_forward = answer(tlm::TLM_UPDATED, tlm::BEGIN_REQ);
       e.forward(e.trans, tlm::END_RESP);
     }},
    {"CompletedTwice", "completed that is not under way",
     [](Ends& e) {
       e.on_backward = answer(tlm::TLM_COMPLETED);
       e.on_forward = [&](Payload& p, tlm_phase&, sc_time&) {
         e.respond(p);
         return tlm::TLM_COMPLETED;
       };
       e.forward(e.trans, tlm::BEGIN_REQ);
     }},
    {"UpdatedToNoPhaseOfTheTarget", "cannot follow BEGIN_REQ",
     [](Ends& e) {
       e.on_forward = answer(tlm::TLM_UPDATED, tlm::END_RESP);
       e.forward(e.trans, tlm::BEGIN_REQ);
     }},
    {"EndReqCompleted", "only be answered by TLM_ACCEPTED",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.on_backward = answer(tlm::TLM_COMPLETED);
       e.backward(e.trans, tlm::END_REQ);
     }},
    {"UpdatedToNoPhaseOfTheInitiator", "cannot follow BEGIN_RESP",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.on_backward = answer(tlm::TLM_UPDATED, tlm::BEGIN_REQ);
       e.respond(e.trans);
     }},
    {"RequestExclusion", "another transaction is in its request phase",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.forward(e.other, tlm::BEGIN_REQ);
     }},
    {"ResponseExclusion", "another transaction is in its response phase",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.respond(e.trans);
       e.forward(e.other, tlm::BEGIN_REQ);
       e.respond(e.other);
     }},
    {"ResponseExclusionByUpdated", "another transaction is in its response phase",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.respond(e.trans);
       e.on_forward = answer(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
       e.forward(e.other, tlm::BEGIN_REQ);
     }},
    {"EndReqOfNothing", "END_REQ of a transaction that is not under way",
     [](Ends& e) { e.backward(e.trans, tlm::END_REQ); }},
    {"EndReqTwice", "END_REQ of a transaction that is not in its request phase",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.backward(e.trans, tlm::END_REQ);
       e.backward(e.trans, tlm::END_REQ);
     }},
    {"EndReqAfterTheResponse", "END_REQ of a transaction that is not in its request phase",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.respond(e.trans);
       e.backward(e.trans, tlm::END_REQ);
     }},
    {"BeginRespOfNothing", "BEGIN_RESP of a transaction that is not under way",
     [](Ends& e) { e.respond(e.trans); }},
    {"BeginRespAfterCompletion", "BEGIN_RESP of a transaction that is not under way",
     [](Ends& e) {
       e.on_forward = answer(tlm::TLM_COMPLETED);
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.backward(e.trans, tlm::BEGIN_RESP);
     }},
    {"BeginRespTwice", "waits for no response",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.respond(e.trans);
       e.respond(e.trans);
     }},
    {"EndRespOfNothing", "END_RESP of a transaction that is not under way",
     [](Ends& e) { e.forward(e.trans, tlm::END_RESP); }},
    {"EndRespAfterCompletion", "END_RESP of a transaction that is not under way",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.on_backward = answer(tlm::TLM_COMPLETED);
       e.respond(e.trans);
       e.forward(e.trans, tlm::END_RESP);
     }},
    {"EndRespBeforeBeginResp", "END_RESP of a transaction that is not in its response phase",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.forward(e.trans, tlm::END_RESP);
     }},
    {"NeverCompleted", "never completed",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.checker.check_end();
     }},
};

const Rule kTimes[] = {
    {"TargetTakesTimeBack", "the target took back time",
     [](Ends& e) {
       e.on_forward = [](Payload&, tlm_phase&, sc_time& t) {
         t = sc_core::SC_ZERO_TIME;
         return tlm::TLM_ACCEPTED;
       };
       e.forward(e.trans, tlm::BEGIN_REQ, 5);
     }},
    {"InitiatorTakesTimeBack", "the initiator took back time",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.on_backward = [](Payload&, tlm_phase&, sc_time& t) {
         t = sc_core::SC_ZERO_TIME;
         return tlm::TLM_ACCEPTED;
       };
       e.respond(e.trans, 5);
     }},
    {"RequestBeforeAnEarlierOne", "a request lies before the one sent earlier",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.backward(e.trans, tlm::END_REQ, 5);
       e.forward(e.other, tlm::BEGIN_REQ, 4);
     }},
    {"ResponseBeforeAnEarlierOne", "a response lies before the one sent earlier",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.respond(e.trans, 5);
       e.forward(e.trans, tlm::END_RESP, 6);
       e.forward(e.other, tlm::BEGIN_REQ, 5);
       e.respond(e.other, 5);
     }},
    {"PhaseBeforeTheLast", "a phase lies before the one that it follows",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ, 5);
       e.backward(e.trans, tlm::END_REQ, 4);
     }},
    {"BlockingTakesTimeBack", "a phase lies before the one that it follows",
     [](Ends& e) {
       e.on_block = [](Payload&, sc_time& t) { t = sc_core::SC_ZERO_TIME; };
       e.block(e.trans, 5);
     }},
};

const Rule kRequests[] = {
    {"UsedAgain", "used again before",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.backward(e.trans, tlm::END_REQ);
       e.forward(e.trans, tlm::BEGIN_REQ);
     }},
    {"UsedAgainByBlocking", "used again before",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.block(e.trans);
     }},
    {"NoMemoryManager", "no memory manager",
     [](Ends& e) {
       Payload bare;
       e.set(bare);
       e.forward(bare, tlm::BEGIN_REQ);
     }},
    {"NoReference", "nobody holds a reference",
     [](Ends& e) {
       e.trans.release();
       e.forward(e.trans, tlm::BEGIN_REQ);
     }},
    {"ReleasedBeforeTheEnd", "nobody holds a reference",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.trans.release();
       e.backward(e.trans, tlm::END_REQ);
     }},
    {"StatusAtRequest", "a request came with a response status",
     [](Ends& e) {
       e.trans.set_response_status(tlm::TLM_OK_RESPONSE);
       e.block(e.trans);
     }},
    {"HintAtRequest", "hint at direct memory",
     [](Ends& e) {
       e.trans.set_dmi_allowed(true);
       e.block(e.trans);
     }},
    {"NoCommand", "a command that is none",
     [](Ends& e) {
       e.trans.set_command(static_cast<tlm::tlm_command>(3));
       e.block(e.trans);
     }},
    {"NoData", "without a data pointer",
     [](Ends& e) {
       e.trans.set_read();
       e.trans.set_data_ptr(nullptr);
       e.block(e.trans);
     }},
    {"NoLength", "of no byte",
     [](Ends& e) {
       e.trans.set_data_length(0);
       e.block(e.trans);
     }},
    {"NoStreamingWidth", "a streaming width of 0",
     [](Ends& e) {
       e.trans.set_streaming_width(0);
       e.block(e.trans);
     }},
    {"NoEnables", "byte enables of no length",
     [](Ends& e) {
       e.trans.set_byte_enable_ptr(e.enables);
       e.block(e.trans);
     }},
    {"HalfEnabled", "neither 0 nor 0xFF",
     [](Ends& e) {
       e.enables[1] = 0x0F;
       e.trans.set_byte_enable_ptr(e.enables);
       e.trans.set_byte_enable_length(2);
       e.block(e.trans);
     }},
};

const Rule kResponses[] = {
    {"CommandChanged", "the command was changed",
     [](Ends& e) {
       e.on_block = [](Payload& p, sc_time&) { p.set_read(); };
       e.block(e.trans);
     }},
    {"DataPointerChanged", "the data pointer or length was changed",
     [](Ends& e) {
       e.on_block = [](Payload& p, sc_time&) { p.set_data_ptr(p.get_data_ptr() + 1); };
       e.block(e.trans);
     }},
    {"LengthChanged", "the data pointer or length was changed",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.trans.set_data_length(4);
       e.backward(e.trans, tlm::END_REQ);
     }},
    {"EnablesChanged", "the byte enables were changed",
     [](Ends& e) {
       e.trans.set_byte_enable_ptr(e.enables);
       e.trans.set_byte_enable_length(2);
       e.on_block = [&](Payload&, sc_time&) { e.enables[0] = 0; };
       e.block(e.trans);
     }},
    {"StreamingWidthChanged", "the streaming width was changed",
     [](Ends& e) {
       e.on_block = [](Payload& p, sc_time&) { p.set_streaming_width(4); };
       e.block(e.trans);
     }},
    {"WritesDataChanged", "the target wrote to a write's data",
     [](Ends& e) {
       e.on_block = [](Payload& p, sc_time&) { ++*p.get_data_ptr(); };
       e.block(e.trans);
     }},
    {"ReadsDataChangedAfterResponse", "a read's data changed after its response",
     [](Ends& e) {
       e.trans.set_read();
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.data[0] = 1;
       e.respond(e.trans);
       e.data[0] = 2;
       e.forward(e.trans, tlm::END_RESP);
     }},
    {"StatusChangedAfterResponse", "the response status was changed",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.respond(e.trans);
       e.trans.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
       e.forward(e.trans, tlm::END_RESP);
     }},
    {"NoStatus", "a response without a response status",
     [](Ends& e) {
       e.forward(e.trans, tlm::BEGIN_REQ);
       e.backward(e.trans, tlm::BEGIN_RESP);
     }},
    {"NoStatusBlocking", "a response without a response status",
     [](Ends& e) {
       e.on_block = [](Payload& p, sc_time&) {
         p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
       };
       e.block(e.trans);
     }},
    {"NoStatusCompleted", "a response without a response status",
     [](Ends& e) {
       e.on_forward =
           answer(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, tlm::TLM_INCOMPLETE_RESPONSE);
       e.forward(e.trans, tlm::BEGIN_REQ);
     }},
};

const Rule kOthers[] = {
    {"DebugOfTooMuch", "debug access to more bytes",
     [](Ends& e) {
       e.debugged = 9;
       e.initiator->transport_dbg(e.trans);
     }},
    {"DirectWithoutPointer", "without a pointer",
     [](Ends& e) {
       e.direct_pointer = nullptr;
       e.direct();
     }},
    {"DirectElsewhere", "for other addresses",
     [](Ends& e) {
       e.direct_start = 0x101;
       e.direct();
     }},
    {"DirectForReads", "for another command",
     [](Ends& e) {
       e.direct_access = tlm::tlm_dmi::DMI_ACCESS_READ;
       e.direct();
     }},
    {"InvalidateBackwards", "ends before it begins",
     [](Ends& e) { e.target->invalidate_direct_mem_ptr(2, 1); }},
};

std::string name_of(const testing::TestParamInfo<Rule>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Phases, BaseProtocolRule, testing::ValuesIn(kPhases), name_of);
INSTANTIATE_TEST_SUITE_P(Times, BaseProtocolRule, testing::ValuesIn(kTimes), name_of);
INSTANTIATE_TEST_SUITE_P(Requests, BaseProtocolRule, testing::ValuesIn(kRequests), name_of);
INSTANTIATE_TEST_SUITE_P(Responses, BaseProtocolRule, testing::ValuesIn(kResponses), name_of);
INSTANTIATE_TEST_SUITE_P(Others, BaseProtocolRule, testing::ValuesIn(kOthers), name_of);

TEST(BaseProtocolCheckerTest, FindsNothingWhereAllIsWell) {
  Ends e("ends");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  e.trans.set_byte_enable_ptr(e.enables);
  e.trans.set_byte_enable_length(2);
  e.forward(e.trans, tlm::BEGIN_REQ, 1);
  e.backward(e.trans, tlm::END_REQ, 2);
  e.forward(e.other, tlm::BEGIN_REQ, 2);
  e.respond(e.trans, 4);
  e.forward(e.trans, tlm::END_RESP, 5);
  e.on_backward = answer(tlm::TLM_UPDATED, tlm::END_RESP);
  e.respond(e.other, 6);
  e.set(e.trans);
  e.on_forward = answer(tlm::TLM_COMPLETED);
  e.forward(e.trans, tlm::BEGIN_REQ, 6);
  e.set(e.trans);
  e.block(e.trans, 1);
  e.initiator->transport_dbg(e.trans);
  e.direct();
  e.target->invalidate_direct_mem_ptr(1, 1);
  e.checker.check_end();
  EXPECT_THAT(e.checker.violations(), IsEmpty());
  EXPECT_EQ(e.checker.completed(), 4U);
  EXPECT_EQ(e.checker.most_in_flight(), 2U);
  // It let go of what it held.
  EXPECT_EQ(e.trans.get_ref_count(), 1);
  EXPECT_EQ(e.other.get_ref_count(), 1);
}

TEST(BaseProtocolCheckerTest, AViolationIsReported) {
  Ends e("ends");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  try {
    e.forward(e.trans, tlm::END_REQ);
    FAIL() << "not reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), "/railyard/tlm");
    EXPECT_THAT(report.get_msg(), HasSubstr("ends.checker: the initiator sent a phase"));
  }
}

}  // namespace
}  // namespace foreign
