// What a host's cores see of its root complex: registers of devices and configuration space.
#pragma once

#include <cstdint>

#include "hw/pcie/tlp.h"

namespace railyard::pcie {

class CpuListener {
 public:
  virtual ~CpuListener() = default;
  /// A read is answered: `value` little endian, all ones if `status` is not success.
  virtual void cpu_read_done(std::uint64_t ticket, Status status, std::uint64_t value) = 0;
  /// There is room for posted writes again.
  virtual void cpu_room() = 0;
};

/// Called within simulated time, from a process or an event. Answers come later, on time.
class CpuPort {
 public:
  virtual ~CpuPort() = default;
  /// Whether the address is a device's: in a window that the host has given to PCIe.
  virtual bool is_device(std::uint64_t address) const = 0;
  /// Posts a write of `bytes` (1 to 64, not over a 64-byte boundary) in order. False if there is no
  /// room: cpu_room() tells when to ask again.
  virtual bool cpu_write(std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) = 0;
  /// Reads 1 to 8 bytes, not over an 8-byte boundary.
  virtual void cpu_read(std::uint64_t address, std::uint32_t bytes, std::uint64_t ticket) = 0;
  /// Reads or writes the dword `register_offset` (0 to 4095, a multiple of 4) of a function's
  /// configuration space. A function that is not there reads as all ones.
  virtual void config_read(DeviceId id, unsigned register_offset, std::uint64_t ticket) = 0;
  virtual void config_write(DeviceId id, unsigned register_offset, std::uint32_t value,
                            std::uint64_t ticket) = 0;  // answered by cpu_read_done, value 0
  virtual void set_listener(CpuListener& listener) = 0;
};

/// Who takes interrupts: message-signalled ones arrive as writes of `data`.
class InterruptSink {
 public:
  virtual ~InterruptSink() = default;
  virtual void interrupt(std::uint32_t data) = 0;
};

}  // namespace railyard::pcie
