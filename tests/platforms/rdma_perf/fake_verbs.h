// Verbs without a device, for the tests of programs: a queue pair is a line of one rate, with one
// latency each way. Included by one file alone.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <infiniband/verbs.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <systemc>

#include "tlm/base/rate.h"
#include "tlm/core/address_space.h"
#include "tlm/core/core.h"

#undef ibv_reg_mr_iova

namespace railyard::rdma_perf::fake {

struct Timing {
  Time post = 20 * kNanosecond;      // of a call of ibv_post_send
  Time poll = 5 * kNanosecond;       // of a look
  Time latency = 500 * kNanosecond;  // one way
  Time interval = 50 * kNanosecond;  // from a message to the next of a queue pair
  Rate rate = Rate::gbps(100);
};
inline Timing timing;

inline Time now() { return static_cast<Time>(sc_core::sc_time_stamp().value()); }
inline void wait_for(Time time) {
  if (time > 0) sc_core::wait(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time)));
}

/// Addresses are pointers.
class FakeCore : public Core {
 public:
  std::string name() const override { return "core"; }
  Time now() const override { return fake::now(); }
  void spend(Time time) override { wait_for(time); }
  std::uint64_t load(Address address, unsigned bytes) override {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), bytes);
    return value;
  }
  void store(Address /*address*/, std::uint64_t /*value*/, unsigned /*bytes*/) override {}
  void read(Address /*address*/, std::uint8_t* /*to*/, std::size_t /*bytes*/) override {}
  void write(Address /*address*/, const std::uint8_t* /*from*/, std::size_t /*bytes*/) override {}
  void store_combining(Address /*address*/, const std::uint8_t* /*from*/,
                       std::size_t /*bytes*/) override {}
  void fence() override {}
  std::uint64_t poll(Address address, unsigned bytes,
                     const std::function<bool(std::uint64_t)>& done) override {
    while (!done(load(address, bytes))) wait_for(timing.poll);
    return load(address, bytes);
  }
  bool poll_until(Address /*address*/, unsigned /*bytes*/,
                  const std::function<bool(std::uint64_t)>& /*done*/, Time /*deadline*/,
                  std::uint64_t& /*value*/) override {
    return false;
  }
  void wait_interrupt(unsigned /*vector*/) override {}
};

class FakeMemory : public AddressSpace {
 public:
  Address allocate(std::uint64_t /*bytes*/, std::uint64_t /*alignment*/) override { return 0; }
  void release(Address /*address*/) override {}
  std::vector<Address> map(void* memory, std::size_t /*bytes*/) override {
    return {reinterpret_cast<std::uintptr_t>(memory) / kPageBytes * kPageBytes};
  }
  void unmap(void* /*memory*/, std::size_t /*bytes*/) override {}
};

struct Channel : ibv_comp_channel {
  std::deque<ibv_cq*> events;
  sc_core::sc_event raised;
};

struct Cq : ibv_cq {
  std::deque<ibv_wc> entries;
  bool armed = false;
  Channel* of = nullptr;

  void push(const ibv_wc& entry) {
    entries.push_back(entry);
    if (!armed || of == nullptr) return;
    armed = false;
    of->events.push_back(this);
    of->raised.notify(sc_core::SC_ZERO_TIME);
  }
};

struct Message {
  ibv_send_wr request{};
  ibv_sge segment{};
  std::vector<std::uint8_t> inlined;
};

struct Qp : ibv_qp {
  Qp* remote = nullptr;
  ibv_mtu mtu = IBV_MTU_256;
  std::uint32_t depth = 0;
  std::uint32_t outstanding = 0;
  std::uint32_t most = 0;  // of these, ever
  Time line_free = 0;
  std::deque<ibv_recv_wr> receives;
  std::deque<ibv_sge> receive_segments;
};

inline std::map<std::uint32_t, Qp*> qps;
inline std::vector<std::unique_ptr<Qp>> all_qps;
inline unsigned calls_of_post = 0;
inline int fail_at = -1;  // the message with this number has an error
inline int messages = 0;

/// [key - 1] From the addresses of registered memory to pointers.
inline std::vector<std::uint64_t> shifts;

inline std::uint8_t* pointer_of(std::uint32_t key, std::uint64_t address) {
  return reinterpret_cast<std::uint8_t*>(address + shifts.at(key - 1));
}

/// What a message does when it has crossed.
inline void deliver(Qp& qp, const Message& message) {
  const bool read = message.request.opcode == IBV_WR_RDMA_READ;
  const bool to_receive = message.request.opcode == IBV_WR_SEND;
  std::uint8_t* local =
      message.inlined.empty() ? pointer_of(message.segment.lkey, message.segment.addr) : nullptr;
  std::uint8_t* remote =
      to_receive ? nullptr
                 : pointer_of(message.request.wr.rdma.rkey, message.request.wr.rdma.remote_addr);
  const std::uint8_t* from = message.inlined.empty() ? local : message.inlined.data();
  if (read) {
    std::memcpy(local, remote, message.segment.length);
  } else if (to_receive) {
    while (qp.remote->receives.empty()) wait_for(timing.interval);
    ibv_wc done{};
    done.wr_id = qp.remote->receives.front().wr_id;
    const ibv_sge& room = qp.remote->receive_segments.front();
    std::memcpy(pointer_of(room.lkey, room.addr), from, message.segment.length);
    qp.remote->receives.pop_front();
    qp.remote->receive_segments.pop_front();
    static_cast<Cq*>(qp.remote->recv_cq)->push(done);
  } else {
    std::memcpy(remote, from, message.segment.length);
  }
}

inline void carry(Qp& qp, const Message& message, Time leaves) {
  wait_for(leaves + timing.latency - now());
  deliver(qp, message);
  wait_for(timing.latency);
  --qp.outstanding;
  const int number = messages++;
  if ((message.request.send_flags & IBV_SEND_SIGNALED) == 0) return;
  ibv_wc done{};
  done.wr_id = message.request.wr_id;
  if (number == fail_at) done.status = IBV_WC_REM_ACCESS_ERR;
  static_cast<Cq*>(qp.send_cq)->push(done);
}

inline int post_send(ibv_qp* of, ibv_send_wr* list, ibv_send_wr** /*bad*/) {
  auto& qp = *static_cast<Qp*>(of);
  ++calls_of_post;
  wait_for(timing.post);
  for (; list != nullptr; list = list->next) {
    Message message{*list, *list->sg_list, {}};
    if ((list->send_flags & IBV_SEND_INLINE) != 0) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(message.segment.addr);
      message.inlined.assign(bytes, bytes + message.segment.length);
    }
    if (++qp.outstanding > qp.depth) return ENOMEM;
    qp.most = std::max(qp.most, qp.outstanding);
    qp.line_free = std::max(qp.line_free, now()) +
                   std::max(timing.interval, timing.rate.time_of(message.segment.length));
    sc_core::sc_spawn([&qp, message, leaves = qp.line_free] { carry(qp, message, leaves); });
  }
  return 0;
}

inline int post_recv(ibv_qp* of, ibv_recv_wr* request, ibv_recv_wr** /*bad*/) {
  auto& qp = *static_cast<Qp*>(of);
  qp.receives.push_back(*request);
  qp.receive_segments.push_back(*request->sg_list);
  return 0;
}

inline int poll_cq(ibv_cq* of, int most, ibv_wc* completions) {
  auto& cq = *static_cast<Cq*>(of);
  wait_for(timing.poll);
  int count = 0;
  for (; count < most && !cq.entries.empty(); ++count) {
    completions[count] = cq.entries.front();
    cq.entries.pop_front();
  }
  return count;
}

inline int req_notify_cq(ibv_cq* cq, int /*solicited*/) {
  static_cast<Cq*>(cq)->armed = true;
  return 0;
}

inline ibv_context* context() {
  static ibv_context only{};
  only.ops.post_send = post_send;
  only.ops.post_recv = post_recv;
  only.ops.poll_cq = poll_cq;
  only.ops.req_notify_cq = req_notify_cq;
  return &only;
}

}  // namespace railyard::rdma_perf::fake

namespace fake = railyard::rdma_perf::fake;

ibv_device** ibv_get_device_list(int* count) {
  *count = 1;
  return new ibv_device* [2] {};
}
void ibv_free_device_list(ibv_device** list) { delete[] list; }
ibv_context* ibv_open_device(ibv_device* /*device*/) { return fake::context(); }
int ibv_close_device(ibv_context* /*context*/) { return 0; }
ibv_pd* ibv_alloc_pd(ibv_context* context) {
  auto* pd = new ibv_pd{};
  pd->context = context;
  return pd;
}
int ibv_dealloc_pd(ibv_pd* pd) {
  delete pd;
  return 0;
}
ibv_mr* ibv_reg_mr_iova2(ibv_pd* /*pd*/, void* address, std::size_t /*bytes*/, std::uint64_t iova,
                         unsigned /*access*/) {
  fake::shifts.push_back(reinterpret_cast<std::uint64_t>(address) - iova);
  auto* mr = new ibv_mr{};
  mr->lkey = mr->rkey = static_cast<std::uint32_t>(fake::shifts.size());
  return mr;
}
ibv_mr* ibv_reg_mr_iova(ibv_pd* pd, void* address, std::size_t bytes, std::uint64_t iova,
                        int access) {
  return ibv_reg_mr_iova2(pd, address, bytes, iova, static_cast<unsigned>(access));
}
int ibv_dereg_mr(ibv_mr* mr) {
  delete mr;
  return 0;
}
int ibv_query_gid(ibv_context* /*context*/, std::uint8_t /*port*/, int /*index*/, ibv_gid* gid) {
  *gid = {};
  return 0;
}
ibv_comp_channel* ibv_create_comp_channel(ibv_context* /*context*/) { return new fake::Channel(); }
int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  delete static_cast<fake::Channel*>(channel);
  return 0;
}
ibv_cq* ibv_create_cq(ibv_context* context, int /*entries*/, void* /*mine*/,
                      ibv_comp_channel* channel, int /*vector*/) {
  auto* cq = new fake::Cq();
  cq->context = context;
  cq->of = static_cast<fake::Channel*>(channel);
  return cq;
}
int ibv_destroy_cq(ibv_cq* cq) {
  delete static_cast<fake::Cq*>(cq);
  return 0;
}
int ibv_get_cq_event(ibv_comp_channel* of, ibv_cq** cq, void** /*mine*/) {
  auto& channel = *static_cast<fake::Channel*>(of);
  while (channel.events.empty()) sc_core::wait(channel.raised);
  *cq = channel.events.front();
  channel.events.pop_front();
  return 0;
}
void ibv_ack_cq_events(ibv_cq* /*cq*/, unsigned /*count*/) {}
ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* made) {
  fake::all_qps.push_back(std::make_unique<fake::Qp>());
  fake::Qp& qp = *fake::all_qps.back();
  qp.context = pd->context;
  qp.send_cq = made->send_cq;
  qp.recv_cq = made->recv_cq;
  qp.depth = made->cap.max_send_wr;
  qp.qp_num = static_cast<std::uint32_t>(fake::all_qps.size());
  fake::qps[qp.qp_num] = &qp;
  return &qp;
}
int ibv_modify_qp(ibv_qp* of, ibv_qp_attr* attributes, int /*mask*/) {
  auto& qp = *static_cast<fake::Qp*>(of);
  if (attributes->qp_state == IBV_QPS_RTR) {
    qp.remote = fake::qps.at(attributes->dest_qp_num);
    qp.mtu = attributes->path_mtu;
  }
  return 0;
}
int ibv_destroy_qp(ibv_qp* qp) { return static_cast<fake::Qp*>(qp)->outstanding == 0 ? 0 : EBUSY; }
