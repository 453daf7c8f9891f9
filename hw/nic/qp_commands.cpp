#include "hw/nic/qp_commands.h"

#include "hw/nic/completion_sink.h"
#include "hw/nic/qp_attributes.h"

namespace railyard::nic {

namespace {

using abi::CommandStatus;
using abi::QpState;

constexpr std::uint32_t kMinLogStride = 4;  // one data segment
constexpr std::uint32_t kMaxLogStride = 10;

bool is_queue(std::uint64_t address) { return address != 0 && address % abi::kQueueAlignment == 0; }

}  // namespace

QpCommands::QpCommands(Units& units, Objects& objects, const DeviceParts& parts)
    : units_(units), objects_(objects), parts_(parts) {}

Qp* QpCommands::named(const CommandCall& call) {
  return objects_.qps.find(call.input<abi::NumberInput>().number);
}

Verdict QpCommands::check_create(const abi::CreateQpInput& in) const {
  const LimitsConfig& limits = units_.config->limits;
  if (in.type != static_cast<std::uint32_t>(abi::QpType::kRc)) return bad_parameter(1);
  if (!objects_.pds.exists(in.pd)) return bad_resource(2);
  if (!objects_.uars.exists(in.uar)) return bad_resource(3);
  if (!objects_.cqs.exists(in.send_cq)) return bad_resource(4);
  if (!objects_.cqs.exists(in.receive_cq)) return bad_resource(5);
  if (in.signal_all > 1) return bad_parameter(6);
  if (!is_queue(in.send_address)) return bad_parameter(7);
  if (!is_queue(in.receive_address)) return bad_parameter(8);
  const std::uint64_t record = in.doorbell_record;
  if (record == 0 || record % abi::kRecordBytes != 0) return bad_parameter(9);
  if (in.log_send > limits.log_wqes) return bad_parameter(10);
  if (in.log_receive > limits.log_wqes) return bad_parameter(11);
  const std::uint32_t stride = in.log_receive_stride;
  if (stride < kMinLogStride || stride > kMaxLogStride) return bad_parameter(12);
  return {};
}

Verdict QpCommands::create(CommandCall& call) {
  const auto in = call.input<abi::CreateQpInput>();
  const Verdict verdict = check_create(in);
  if (verdict.status != CommandStatus::kOk) return verdict;
  Qp* const qp = objects_.qps.create();
  if (qp == nullptr) return {CommandStatus::kLimit, 0};
  qp->pd = in.pd;
  qp->uar = in.uar;
  qp->signal_all = in.signal_all != 0;
  qp->send.address = in.send_address;
  qp->send.log_entries = in.log_send;
  qp->send.cq = in.send_cq;
  qp->receive.address = in.receive_address;
  qp->receive.log_entries = in.log_receive;
  qp->receive.log_stride = in.log_receive_stride;
  qp->receive.cq = in.receive_cq;
  qp->doorbell_record = in.doorbell_record;
  qp->attributes.number = qp->number;
  objects_.pds.use(in.pd);
  objects_.uars.use(in.uar);
  objects_.cqs.use(in.send_cq);
  objects_.cqs.use(in.receive_cq);
  parts_.contexts.create(qp->slot);
  call.output_number(qp->number);
  return {};
}

Verdict QpCommands::destroy(CommandCall& call) {
  Qp* const qp = named(call);
  if (qp == nullptr) return bad_resource(1);
  qp->state = QpState::kReset;
  parts_.sides.reset(*qp);
  parts_.contexts.destroy(qp->slot);
  objects_.pds.unuse(qp->pd);
  objects_.uars.unuse(qp->uar);
  objects_.cqs.unuse(qp->send.cq);
  objects_.cqs.unuse(qp->receive.cq);
  objects_.qps.destroy(*qp);
  return {};
}

Verdict QpCommands::modify(abi::Command command, CommandCall& call) {
  const auto in = call.input<abi::ModifyQpInput>();
  Qp* const qp = objects_.qps.find(in.number);
  if (qp == nullptr) return bad_resource(1);
  const Transition& transition = transition_of(command);
  if (qp->state != transition.from) return {CommandStatus::kBadResourceState, 1};
  const std::uint32_t fault = fault_of(in, transition, *units_.config, units_.address);
  if (fault != 0) return bad_parameter(fault);
  set_attributes(*qp, in);
  qp->state = transition.to;
  if (command == abi::Command::kInitToRtr) {
    make_headers(*qp, units_.address, units_.congestion != nullptr || units_.config->cnp.enabled);
    qp->responder.expected_psn = in.receive_psn;
    parts_.sides.ready_to_receive(*qp);
  } else if (command == abi::Command::kRtrToRts) {
    qp->requester.next_psn = in.send_psn;
    parts_.sides.ready_to_send(*qp);
  }
  return {};
}

Verdict QpCommands::to_error(CommandCall& call) {
  Qp* const qp = named(call);
  if (qp == nullptr) return bad_resource(1);
  flush(*qp);
  return {};
}

Verdict QpCommands::to_reset(CommandCall& call) {
  Qp* const qp = named(call);
  if (qp == nullptr) return bad_resource(1);
  qp->state = QpState::kReset;
  qp->attributes = {};
  qp->attributes.number = qp->number;
  parts_.sides.reset(*qp);
  return {};
}

Verdict QpCommands::query(CommandCall& call) {
  const Qp* const qp = named(call);
  if (qp == nullptr) return bad_resource(1);
  abi::QueryQpOutput out;
  out.state = static_cast<std::uint32_t>(qp->state);
  out.send_psn = qp->requester.next_psn;
  out.receive_psn = qp->responder.expected_psn;
  out.attributes = qp->attributes;
  call.output(out);
  return {};
}

void QpCommands::fail(Qp& qp, abi::EventType type) {
  if (qp.state == QpState::kError || qp.state == QpState::kReset) return;
  flush(qp);
  if (type != abi::EventType::kCompletion) units_.completions->event(type, qp.number);
}

void QpCommands::flush(Qp& qp) {
  if (qp.state == QpState::kError) return;
  qp.state = QpState::kError;
  parts_.sides.flush(qp);
}

}  // namespace railyard::nic
