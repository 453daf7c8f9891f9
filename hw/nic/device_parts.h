// What registers and commands move: the units behind them, as these two see them. A NIC's own units
// stand behind each (nic.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "hw/nic/completions.h"
#include "hw/nic/memory_keys.h"
#include "hw/nic/nic_abi.h"
#include "hw/nic/qp.h"

namespace railyard::nic {

/// Requester and responder.
class QueuePairSides {
 public:
  virtual ~QueuePairSides() = default;
  virtual void doorbell(std::uint32_t number, std::uint16_t posted, Time at) = 0;
  virtual void blue_field(std::uint32_t number, const std::uint8_t* wqe, std::uint32_t bytes,
                          Time at) = 0;
  virtual void ready_to_receive(Qp& qp) = 0;
  virtual void ready_to_send(Qp& qp) = 0;
  virtual void flush(Qp& qp) = 0;
  virtual void reset(Qp& qp) = 0;
};

/// Memory keys.
class KeyTable {
 public:
  virtual ~KeyTable() = default;
  virtual std::uint64_t memory_bytes() const = 0;
  virtual void set_memory(std::uint64_t address) = 0;
  virtual abi::CommandStatus create(const KeyShape& shape, const std::vector<std::uint64_t>& pages,
                                    std::uint32_t& key) = 0;
  virtual abi::CommandStatus destroy(std::uint32_t key) = 0;
  virtual bool uses_pd(std::uint32_t pd) const = 0;
};

/// Completion and event queues.
class QueueTable {
 public:
  virtual ~QueueTable() = default;
  virtual void create_eq(std::uint32_t number, const EqShape& shape) = 0;
  virtual void destroy_eq(std::uint32_t number) = 0;
  virtual void create_cq(std::uint32_t number, const CqShape& shape) = 0;
  virtual void modify_cq(std::uint32_t number, Time moderation, std::uint32_t count) = 0;
  virtual void destroy_cq(std::uint32_t number) = 0;
  virtual void arm_cq(std::uint32_t number, std::uint32_t word) = 0;
  virtual void consume_eq(std::uint32_t number, std::uint32_t consumer, bool arm) = 0;
};

/// QP contexts.
class ContextTable {
 public:
  virtual ~ContextTable() = default;
  virtual void set_memory(std::uint64_t address) = 0;
  virtual void create(std::uint32_t slot) = 0;
  virtual void destroy(std::uint32_t slot) = 0;
};

struct DeviceParts {
  QueuePairSides& sides;
  KeyTable& keys;
  QueueTable& queues;
  ContextTable& contexts;
};

/// What the health registers say.
struct DeviceHealth {
  abi::Health health = abi::Health::kGood;
  std::uint32_t object = 0;

  /// A bad access does not hide what is worse.
  void report(abi::Health what, std::uint32_t about) {
    const bool mild = health == abi::Health::kGood || health == abi::Health::kBadRegisterAccess;
    if (what == abi::Health::kBadRegisterAccess && !mild) return;
    health = what;
    object = about;
  }
};

}  // namespace railyard::nic
