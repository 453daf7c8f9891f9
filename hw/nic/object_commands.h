// Commands on everything but queue pairs: the device itself, its port, UARs, protection domains,
// keys, event and completion queues. Nothing goes while something else uses it.
#pragma once

#include <cstdint>

#include "hw/nic/command_call.h"
#include "hw/nic/device_parts.h"
#include "hw/nic/qp_table.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class ObjectCommands {
 public:
  static constexpr std::uint32_t kMaxLogEqes = 20;  // the consumer index has 24 bits

  /// `rate_mbps` is the port's.
  ObjectCommands(Units& units, Objects& objects, const DeviceParts& parts, std::uint32_t rate_mbps);

  /// INIT_HCA was done: objects can be made.
  bool ready() const { return stage_ == Stage::kReady; }
  /// All objects go, and so does the memory that was given.
  void forget();

  Verdict query_capabilities(CommandCall& call) const;
  Verdict give_memory(CommandCall& call);
  Verdict init_hca(CommandCall& call);
  Verdict teardown_hca(CommandCall& call);
  Verdict query_port(CommandCall& call) const;

  Verdict alloc_pd(CommandCall& call);
  Verdict dealloc_pd(CommandCall& call);
  Verdict alloc_uar(CommandCall& call);
  Verdict dealloc_uar(CommandCall& call);
  Verdict create_mkey(CommandCall& call);
  Verdict destroy_mkey(CommandCall& call);
  Verdict create_eq(CommandCall& call);
  Verdict destroy_eq(CommandCall& call);
  Verdict create_cq(CommandCall& call);
  Verdict modify_cq(CommandCall& call);
  Verdict destroy_cq(CommandCall& call);

 private:
  enum class Stage : std::uint8_t { kNoMemory, kMemory, kReady };

  std::uint64_t memory_bytes() const;
  Verdict check_mkey(const CommandCall& call) const;

  Units& units_;
  Objects& objects_;
  DeviceParts parts_;
  std::uint32_t rate_mbps_;
  Stage stage_ = Stage::kNoMemory;
};

}  // namespace railyard::nic
