// Each rule of the checker on phases and times is broken once, by a module that does just that.
#include "tests/hw/pcie/broken_ends.h"

namespace foreign {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

INSTANTIATE_TEST_SUITE_P(Phases, BaseProtocolRule, testing::ValuesIn(kPhases), name_of);
INSTANTIATE_TEST_SUITE_P(Times, BaseProtocolRule, testing::ValuesIn(kTimes), name_of);

}  // namespace
}  // namespace foreign
