// DMA of a NIC: bounds the reads outstanding by use, keeps writes in order, counts both.
//
// Two bounds: payload reads by number and bytes, all other reads together by number. What is beyond
// a bound waits in the order of asking, behind its own bound only. Writes go to the function at
// once: posted writes are bounded by PCIe. A read of what the NIC itself has written (contexts,
// keys, translations) is fenced as long as such a write of the same bytes has not left, so that it
// cannot pass it; other reads are not held up by writes.
#pragma once

#include <array>
#include <vector>

#include "hw/nic/dma_path.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"

namespace railyard::nic {

const char* name_of(DmaUse use);

class DmaEngine : public DmaPath, private pcie::DmaListener {
 public:
  DmaEngine(Units& units, pcie::Function& function);
  ~DmaEngine() override;

  void read(const DmaRead& read, DmaClient& client) override;
  void write(const DmaWrite& write, DmaClient* client) override;
  bool payload_room(std::uint32_t bytes) const override;
  void interrupt(unsigned vector) override;

 private:
  static constexpr std::size_t kUses = static_cast<std::size_t>(DmaUse::kCount);

  /// A transfer that the function has, and whose client is to be told.
  struct Slot {
    DmaClient* client = nullptr;
    std::uint64_t ticket = 0;
    Time since = 0;
    std::uint32_t bytes = 0;
    std::uint32_t generation = 0;  // in the function's ticket: one use of the slot
    DmaUse use = DmaUse::kPayload;
    bool write = false;
    bool taken = false;
  };
  struct Waiting {
    DmaRead read;
    DmaClient* client = nullptr;
    Time since = 0;
  };
  /// Reads that share a bound.
  struct Bound {
    std::uint32_t most_reads = 0;
    std::uint64_t most_bytes = 0;
    std::uint32_t reads = 0;
    std::uint64_t bytes = 0;
    Ring<Waiting> waiting;
    TimeWeighted waiting_level;

    /// One alone always fits.
    bool fits(std::uint64_t more) const {
      return reads == 0 || (reads < most_reads && bytes + more <= most_bytes);
    }
  };
  struct UseMetrics {
    Counter reads, read_bytes, failed, writes, write_bytes;
    Histogram latency;
    TimeWeighted in_flight;
  };
  struct Range {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
  };

  void dma_done(const pcie::DmaDone& done) override;

  void register_all();
  void register_use(DmaUse use, const std::string& prefix);
  Bound& bound_of(DmaUse use) { return use == DmaUse::kPayload ? payload_ : control_; }
  UseMetrics& metrics_of(DmaUse use) { return metrics_[static_cast<std::size_t>(use)]; }
  void start(Bound& bound, const Waiting& wish);
  void start_waiting(Bound& bound);
  void change(Bound& bound, DmaUse use, std::int32_t reads, std::int64_t bytes);
  bool must_fence(const DmaRead& read) const;
  void write_left(DmaUse use);
  std::uint64_t take_slot(const Slot& slot);
  Slot give_back(std::uint64_t ticket);

  Units& units_;
  pcie::Function& function_;
  Bound payload_;
  Bound control_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  Ring<Range> own_writes_;  // of what the NIC reads again, that have not left
  std::array<UseMetrics, kUses> metrics_;
  Probe in_flight_probe_;
};

}  // namespace railyard::nic
