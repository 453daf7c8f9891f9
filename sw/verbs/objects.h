// The objects behind the ecosystem's structs: each begins with the struct that programs hold.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

#include "sw/driver/driver.h"
#include "sw/verbs/machine.h"

namespace railyard::verbs {

namespace abi = nic::abi;

struct Context;
struct Cq;
struct Qp;

struct DeviceObject : ibv_device {
  DeviceObject(Machine& owner, const driver::DevicePlace& place);

  Machine& machine;
  driver::Device driver;
  std::vector<std::unique_ptr<Context>> contexts;
  // By the device's numbers. Nobody goes through them in their order.
  std::unordered_map<std::uint32_t, Cq*> cqs;
  std::unordered_map<std::uint32_t, Qp*> qps;
};

struct Pd : ibv_pd {
  unsigned users = 0;
};

struct Mr : ibv_mr {};
struct Ah : ibv_ah {
  ibv_ah_attr attributes{};
};

/// Completion events that are not yet taken, oldest first.
struct Channel : ibv_comp_channel {
  std::deque<Cq*> events;
};

struct Cq : ibv_cq {
  driver::Cq ring;
  std::uint32_t eq = 0;  // the driver's, by its index
  unsigned users = 0;
  std::uint32_t events_taken = 0;
  /// Completions that were read while a queue pair was destroyed. They come first.
  std::deque<ibv_wc> read_already;

  Address entry(std::uint32_t index) const {
    const std::uint32_t mask = (1U << ring.log_entries) - 1;
    return ring.entries + std::uint64_t{index & mask} * abi::kCqeBytes;
  }
};

/// A work request in the send queue, at its WQE's first block.
struct SendSlot {
  std::uint64_t wr_id = 0;
  std::uint32_t order = 0;  // as `posted` counts
  ibv_wc_opcode opcode = IBV_WC_SEND;
};

/// Basic blocks; a work request takes one or more.
struct SendQueue {
  Address base = 0;
  std::uint32_t mask = 0;    // of block numbers
  std::uint32_t blocks = 0;  // written so far
  std::uint32_t posted = 0;  // work requests
  std::uint32_t completed = 0;
  std::vector<SendSlot> slots;  // a block each
};

struct ReceiveQueue {
  Address base = 0;
  std::uint32_t mask = 0;
  std::uint32_t log_stride = 4;
  std::uint32_t posted = 0;
  std::uint32_t completed = 0;
  std::vector<std::uint64_t> wr_ids;
};

struct Qp : ibv_qp {
  driver::QueuePair ring;
  ibv_qp_cap cap{};
  bool signal_all = false;
  Address uar = 0;
  SendQueue sends;
  ReceiveQueue receives;
  // What the latest transitions set, for ibv_query_qp.
  ibv_qp_attr attributes{};
};

struct Context : verbs_context {
  explicit Context(DeviceObject& of);
  ~Context();

  DeviceObject& device;
  std::uint32_t uar = 0;
  unsigned blue_field_buffer = 0;  // the next
  // The queue that the latest poll found empty, and how long the next one waits.
  const Cq* empty = nullptr;
  Time empty_wait = 0;

  // In the order in which they were made.
  std::vector<std::unique_ptr<Pd>> pds;
  std::vector<std::unique_ptr<Mr>> mrs;
  std::vector<std::unique_ptr<Ah>> ahs;
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<std::unique_ptr<Cq>> cqs;
  std::vector<std::unique_ptr<Qp>> qps;

  Core& core() const { return device.machine.core(); }
  driver::Device& driver() const { return device.driver; }
};

// From what a program holds.
inline DeviceObject& object(ibv_device* device) { return *static_cast<DeviceObject*>(device); }
inline Context& object(ibv_context* context) {
  return *static_cast<Context*>(verbs_get_ctx(context));
}
inline Pd& object(ibv_pd* pd) { return *static_cast<Pd*>(pd); }
inline Mr& object(ibv_mr* mr) { return *static_cast<Mr*>(mr); }
inline Ah& object(ibv_ah* ah) { return *static_cast<Ah*>(ah); }
inline Channel& object(ibv_comp_channel* channel) { return *static_cast<Channel*>(channel); }
inline Cq& object(ibv_cq* cq) { return *static_cast<Cq*>(cq); }
inline Qp& object(ibv_qp* qp) { return *static_cast<Qp*>(qp); }

/// Takes an object out of its context.
template <class T>
void forget(std::vector<std::unique_ptr<T>>& all, const T& one) {
  all.erase(std::find_if(all.begin(), all.end(),
                         [&one](const std::unique_ptr<T>& other) { return other.get() == &one; }));
}

/// The error number that says what a device answered.
int errno_of(abi::CommandStatus status);

/// What `action` did, as an error number; 0: it succeeded.
template <class Action>
int error_of(const Action& action) {
  try {
    action();
    return 0;
  } catch (const driver::DeviceError& error) {
    return errno_of(error.status);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

/// Sets errno if there is an error, as verbs that return a pointer do.
template <class T>
T* pointer_or_errno(T* pointer, int error) {
  if (error == 0) return pointer;
  errno = error;
  return nullptr;
}

/// The smallest power of two that is not below `value`, as its logarithm.
inline std::uint32_t log2_ceil(std::uint64_t value) {
  std::uint32_t log = 0;
  while ((std::uint64_t{1} << log) < value) ++log;
  return log;
}

/// The smallest that holds so many bytes.
inline ibv_mtu mtu_of(std::uint32_t bytes) {
  int mtu = IBV_MTU_256;
  while (mtu < IBV_MTU_4096 && 256U << (mtu - IBV_MTU_256) < bytes) ++mtu;
  return static_cast<ibv_mtu>(mtu);
}

/// A word of memory in network order.
inline void store_be32(Core& core, Address address, std::uint32_t value) {
  core.store(address, __builtin_bswap32(value), 4);
}

// The operations of a context's table.
int post_send(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad_wr);
int post_recv(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad_wr);
int poll_cq(ibv_cq* cq, int entries, ibv_wc* completions);
int req_notify_cq(ibv_cq* cq, int solicited_only);
int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attributes,
               std::size_t bytes);
int modify_cq(ibv_cq* cq, ibv_modify_cq_attr* attributes);

/// What a CQE says. `slot_of` a queue pair: its work request is completed.
ibv_wc completion_of(const abi::Cqe& entry, Qp& qp);
ibv_wc_status status_of(abi::Syndrome syndrome);
/// Reads all that is in the queue, and keeps what is not `qp`'s.
void drop_completions(Cq& cq, const Qp& qp);
/// Forgets what is in both queues of a queue pair, and its completions.
void reset_queues(Qp& qp);

}  // namespace railyard::verbs
