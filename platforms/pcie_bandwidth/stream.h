// A stream of transfers between a device and one region: so many in flight, the next when one is
// done. It knows a pcie::Function alone, so that it works on any way to memory.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/host/memory.h"
#include "hw/pcie/dma.h"
#include "tlm/sim/partition.h"

namespace railyard::pcie_bandwidth {

class Stream;

class StreamOwner {
 public:
  virtual ~StreamOwner() = default;
  /// One of the stream's transfers is done.
  virtual void transfer_done(Stream& stream, Time latency) = 0;
  /// The one read that alone() asked for is done.
  virtual void alone_done(Stream& stream, Time latency) = 0;
  /// After stop(): all transfers are done, and what was written can be seen.
  virtual void drained(Stream& stream) = 0;
};

/// Transfer k is at `base` + (k modulo `slots`) * `stride`.
struct StreamShape {
  std::uint64_t base = 0;
  std::uint32_t size = 0;
  std::uint64_t stride = 0;
  std::uint64_t slots = 1;
  std::uint32_t outstanding = 1;
  bool relaxed = false;
  bool fenced = false;
  bool carried = false;
  host::HostMemory* memory = nullptr;  // behind `base`
  std::uint64_t memory_base = 0;       // its address at `base`
  std::uint8_t salt = 0;               // other bytes than in the last shape

  std::uint64_t address(std::uint64_t transfer) const { return base + transfer % slots * stride; }
};

class Stream : public pcie::DmaListener {
 public:
  Stream(pcie::Function& function, Partition& partition, bool writes)
      : function_(function), partition_(partition), writes_(writes) {}

  bool writes() const { return writes_; }
  /// Before begin(): where to. With carried data what is to be read is put there.
  void set_shape(const StreamShape& shape, StreamOwner& owner);
  const StreamShape& shape() const { return shape_; }

  /// One read and nothing else, of bytes that nobody looks at.
  void alone(std::uint64_t address, std::uint32_t bytes, StreamOwner& owner);
  void begin();
  void stop() { stopping_ = true; }

  /// Transfers done since begin().
  std::uint64_t done() const { return done_; }
  /// Transfers that were given and are not done.
  std::uint64_t in_flight() const { return in_flight_; }
  /// Transfers of all shapes that failed, or moved other bytes than they should have.
  std::uint64_t errors() const { return errors_; }

  void dma_done(const pcie::DmaDone& done) override;

 private:
  void give(std::uint64_t slot);
  void send(pcie::DmaRequest request);
  Ref<net::Payload> bytes_at(std::uint64_t address);
  bool holds(const std::uint8_t* data, std::uint64_t address, std::uint64_t bytes) const;
  void drain();
  void check_memory();

  pcie::Function& function_;
  Partition& partition_;
  bool writes_;
  StreamOwner* owner_ = nullptr;
  StreamShape shape_;
  struct Given {
    Time at = 0;
    std::uint64_t address = 0;
  };
  std::vector<Given> given_;  // by ticket
  Time alone_since_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t errors_ = 0;
  bool stopping_ = false;
};

}  // namespace railyard::pcie_bandwidth
