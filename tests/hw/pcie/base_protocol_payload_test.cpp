// Each rule of the checker on payloads is broken once, by a module that does just that; and what it
// says of one that breaks none.
#include "tests/hw/pcie/broken_ends.h"

namespace foreign {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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
