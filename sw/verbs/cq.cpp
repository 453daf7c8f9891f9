// Completion queues, completion channels and their events.
//
// A channel has no file descriptor: waiting for an event is ibv_get_cq_event(), which sleeps until
// the event queue's interrupt. All queues of a channel have one completion vector.
#include "sw/verbs/objects.h"

namespace railyard::verbs {

namespace {

driver::Eq& eq_of(const Cq& cq) { return object(cq.context).driver().eq(cq.eq); }

/// The number of an event queue: 0 is the device's own.
std::uint32_t eq_number(int comp_vector) { return static_cast<std::uint32_t>(comp_vector) + 1; }

/// The queues of a channel; null if it has none.
const Cq* any_of(const Channel& channel) {
  for (const auto& cq : object(channel.context).cqs) {
    if (cq->channel == &channel) return cq.get();
  }
  return nullptr;
}

/// One event, which may be another channel's.
void wait_for_event(DeviceObject& device, driver::Eq& eq) {
  const abi::Eqe event = device.driver.wait_event(eq);
  const auto found = device.cqs.find(event.number);
  if (found == device.cqs.end()) return;  // destroyed in the meantime
  Cq& cq = *found->second;
  cq.ring.arm_sequence = (cq.ring.arm_sequence + 1) & 3U;
  if (cq.channel != nullptr) object(cq.channel).events.push_back(&cq);
}

bool fits(Context& context, int cqe, const ibv_comp_channel* channel, int comp_vector) {
  const std::uint32_t most = (1U << context.driver().capabilities().max_log_cqes) - 1;
  if (cqe < 1 || static_cast<std::uint32_t>(cqe) > most) return false;
  if (comp_vector < 0 || comp_vector >= context.context.num_comp_vectors) return false;
  if (channel == nullptr) return true;
  const Cq* other = any_of(*static_cast<const Channel*>(channel));
  return other == nullptr || other->eq == eq_number(comp_vector);
}

}  // namespace

/// Arms the queue: the record first, so that the device finds it behind the doorbell.
int req_notify_cq(ibv_cq* cq, int solicited_only) {
  constexpr std::uint32_t kConsumerMask = 0xFF'FFFF;
  Cq& queue = object(cq);
  Context& context = object(cq->context);
  Core& core = context.core();
  const std::uint32_t word = queue.ring.arm_sequence << 28 |
                             (solicited_only != 0 ? abi::kCqArmSolicited : 0) |
                             (queue.ring.consumer & kConsumerMask);
  store_be32(core, queue.ring.doorbell_record + offsetof(abi::CqDoorbellRecord, arm), word);
  core.fence();
  const std::uint64_t doorbell = std::uint64_t{word} << 32 | queue.ring.number;
  core.store(context.driver().uar_address(context.uar) + abi::uar::kCqArm,
             __builtin_bswap64(doorbell), 8);
  core.fence();
  context.empty = nullptr;
  return 0;
}

int modify_cq(ibv_cq* cq, ibv_modify_cq_attr* attributes) {
  if (attributes->attr_mask != IBV_CQ_ATTR_MODERATE) return EINVAL;
  const Time period = attributes->moderate.cq_period * kMicrosecond;
  return error_of([&] {
    object(cq->context).driver().modify_cq(cq->handle, period, attributes->moderate.cq_count);
  });
}

}  // namespace railyard::verbs

namespace verbs = railyard::verbs;
using verbs::object;

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  auto made = std::make_unique<verbs::Channel>();
  made->context = context;
  made->fd = -1;
  verbs::Context& of = object(context);
  of.channels.push_back(std::move(made));
  return of.channels.back().get();
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  if (channel->refcnt != 0) return EBUSY;
  verbs::forget(object(channel->context).channels, object(channel));
  return 0;
}

ibv_cq* ibv_create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                      int comp_vector) {
  verbs::Context& of = object(context);
  if (!verbs::fits(of, cqe, channel, comp_vector)) {
    errno = EINVAL;
    return nullptr;
  }
  auto made = std::make_unique<verbs::Cq>();
  verbs::Cq& cq = *made;
  cq.context = context;
  cq.channel = channel;
  cq.cq_context = cq_context;
  const std::uint32_t log = verbs::log2_ceil(static_cast<std::uint64_t>(cqe) + 1);
  const int error = verbs::error_of([&] {
    cq.ring =
        of.driver().create_cq(log, of.driver().eq(verbs::eq_number(comp_vector)).number, of.uar);
  });
  if (error != 0) return verbs::pointer_or_errno<ibv_cq>(nullptr, error);
  cq.eq = verbs::eq_number(comp_vector);
  cq.handle = cq.ring.number;
  cq.cqe = static_cast<int>((1U << log) - 1);
  if (channel != nullptr) ++channel->refcnt;
  of.device.cqs[cq.handle] = &cq;
  of.cqs.push_back(std::move(made));
  return &cq;
}

// Where libibverbs waits until all events are acknowledged, this says that they are not: nobody
// else could acknowledge them meanwhile.
int ibv_destroy_cq(ibv_cq* cq) {
  verbs::Cq& one = object(cq);
  verbs::Context& of = object(cq->context);
  if (one.users != 0 || one.events_taken != cq->comp_events_completed) return EBUSY;
  const int error = verbs::error_of([&] { of.driver().destroy_cq(one.ring); });
  if (error != 0) return error;
  if (cq->channel != nullptr) {
    auto& events = object(cq->channel).events;
    events.erase(std::remove(events.begin(), events.end(), &one), events.end());
    --cq->channel->refcnt;
  }
  of.device.cqs.erase(cq->handle);
  if (of.empty == &one) of.empty = nullptr;
  verbs::forget(of.cqs, one);
  return 0;
}

int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
  verbs::Channel& from = object(channel);
  const verbs::Cq* any = verbs::any_of(from);
  if (any == nullptr) {  // nothing would ever come
    errno = EINVAL;
    return -1;
  }
  verbs::DeviceObject& device = object(channel->context).device;
  const int error = verbs::error_of([&] {
    while (from.events.empty()) verbs::wait_for_event(device, verbs::eq_of(*any));
  });
  if (error != 0) {
    errno = error;
    return -1;
  }
  verbs::Cq& first = *from.events.front();
  from.events.pop_front();
  ++first.events_taken;
  *cq = &first;
  *cq_context = first.cq_context;
  return 0;
}

void ibv_ack_cq_events(ibv_cq* cq, unsigned nevents) { cq->comp_events_completed += nevents; }
