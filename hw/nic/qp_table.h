// The objects of a NIC that software has made, who uses whom, and how queue pairs are found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hw/nic/nic_config.h"
#include "hw/nic/object_table.h"
#include "hw/nic/qp.h"
#include "hw/nic/units.h"

namespace railyard::nic {

/// A queue pair has a slot, and its number is kFirst + slot below a generation, which changes each
/// time that the slot is used: who still has the number of one that is gone finds none.
class QpTable : public QpLookup {
 public:
  static constexpr std::uint32_t kFirst =
      0x40;  // of numbers: those below are special in InfiniBand

  explicit QpTable(std::uint32_t limit);

  /// Null: all slots are taken.
  Qp* create();
  /// The queue pair stays in its slot, where who asks late finds it, until that is used again.
  void destroy(Qp& qp);

  Qp* find(std::uint32_t number) override;
  Qp& in_slot(std::uint32_t slot) override { return *slots_[slot].qp; }
  std::uint32_t count() const { return count_; }
  /// In the order of slots.
  void for_each(const std::function<void(Qp&)>& call);

 private:
  struct Slot {
    std::unique_ptr<Qp> qp;
    std::uint32_t generation = 0;
    bool exists = false;
  };

  std::uint32_t limit_;
  unsigned generation_shift_ = 16;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

struct CqObject {
  std::uint32_t eq = 0;
  std::uint32_t uar = 0;
};
struct EqObject {
  std::uint32_t uar = 0;
};
struct PlainObject {};

/// All of them. A queue pair uses its CQs, PD and UAR; a CQ its EQ and UAR; an EQ its UAR; a key
/// its PD (which the key table knows).
struct Objects {
  static constexpr std::uint32_t kFirstPd = 1;  // 0 is what nobody has set
  static constexpr std::uint32_t kNoKey = ~std::uint32_t{0};

  explicit Objects(const LimitsConfig& limits);
  /// Numbers begin anew, but for those of queue pairs.
  void clear();

  QpTable qps;
  ObjectTable<CqObject> cqs;
  ObjectTable<EqObject> eqs;
  ObjectTable<PlainObject> pds;
  ObjectTable<PlainObject> uars;
  std::vector<std::uint32_t> keys;  // by index (bits 31:8), or kNoKey
};

}  // namespace railyard::nic
