// What software sees of the core that it runs on: firmware and host programs are written against
// this alone. A program is a thread; every call may take simulated time, and says how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tlm/base/time.h"

namespace railyard {

/// A physical address of the host: memory, a device's registers, or configuration space.
using Address = std::uint64_t;

class Core {
 public:
  virtual ~Core() = default;

  virtual std::string name() const = 0;
  virtual Time now() const = 0;
  /// Computes for `time`.
  virtual void spend(Time time) = 0;

  /// Reads `bytes` (1 to 8, not over an 8-byte boundary), little endian. Memory: the cost of a load
  /// that misses; a device: a read over PCIe, for which the core waits. An address that nobody
  /// answers reads as all ones, as the host's error log then says.
  virtual std::uint64_t load(Address address, unsigned bytes) = 0;
  /// Writes `bytes` (1 to 8, not over an 8-byte boundary), little endian. A device's: posted; the
  /// core waits only while the path takes no more.
  virtual void store(Address address, std::uint64_t value, unsigned bytes) = 0;

  /// Copies any number of bytes out of or into memory; not a device's registers.
  virtual void read(Address address, std::uint8_t* to, std::size_t bytes) = 0;
  virtual void write(Address address, const std::uint8_t* from, std::size_t bytes) = 0;

  /// Stores to a device through a write-combining buffer of a cache line: lines that are full go
  /// out whole, others at the next fence, load or uncached store, or when the buffers run out.
  virtual void store_combining(Address address, const std::uint8_t* from, std::size_t bytes) = 0;
  /// Everything stored before is on its way, in order, before anything stored after.
  virtual void fence() = 0;

  /// Spins on memory until `done(value)` holds for the `bytes` (1 to 8) there, and returns that
  /// value. The core looks on its polling grid, which starts now; simulated time passes, but
  /// nothing happens while the line does not change.
  virtual std::uint64_t poll(Address address, unsigned bytes,
                             const std::function<bool(std::uint64_t)>& done) = 0;
  /// The same, at most until `deadline`; false if it passed. `value` is what was read last.
  virtual bool poll_until(Address address, unsigned bytes,
                          const std::function<bool(std::uint64_t)>& done, Time deadline,
                          std::uint64_t& value) = 0;

  /// Sleeps until the interrupt `vector` was raised since the last return for it.
  virtual void wait_interrupt(unsigned vector) = 0;
};

}  // namespace railyard
