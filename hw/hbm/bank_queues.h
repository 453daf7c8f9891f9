// The requests of a pseudo-channel that wait for its banks, reads and writes apart, and which of
// them hit an open row: kept as they come and go, so that a decision looks at banks only.
//
// A request to the address of an older one of the other kind is held until that is done; nothing
// else keeps order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/hbm/access.h"
#include "hw/hbm/command.h"

namespace railyard::hbm {

struct Request {
  Access* access = nullptr;  // none: an ECC access of the controller's own
  std::uint64_t age = 0;     // less is older, over the whole channel
  Tick arrived = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint8_t bank = 0;
  bool write = false;
  bool told = false;        // a write whose access counts it as done already
  bool activated = false;   // a row was opened for it
  bool precharged = false;  // and another one closed
};

class BankQueues {
 public:
  using Index = std::uint16_t;
  static constexpr Index kNone = 0xFFFF;

  BankQueues(unsigned banks, unsigned reads, unsigned writes);

  /// Room for `more` of a kind.
  bool room(bool write, unsigned more) const { return count_[write] + more <= depth_[write]; }
  /// Those that wait, those that are held among them.
  unsigned count(bool write) const { return count_[write]; }
  unsigned held(bool write) const { return held_count_[write]; }
  unsigned eligible(bool write) const { return count_[write] - held_count_[write]; }

  /// Whether one of that kind waits for this very access.
  bool has(unsigned bank, std::uint32_t row, std::uint32_t column, bool write) const {
    return find(bank, row, column, write) != kNone;
  }
  void add(const Request& request);
  /// Takes one out that is not held.
  void remove(Index index);

  void open(unsigned bank, std::uint32_t row);
  void close(unsigned bank);

  // Sets of banks, a bit each; of requests that are not held.
  std::uint64_t open() const { return open_; }
  std::uint64_t waiting(bool write) const { return waiting_[write]; }
  std::uint64_t hits(bool write) const { return hits_[write]; }
  /// Those in hits() whose oldest request wants another row.
  std::uint64_t passing(bool write) const { return passing_[write]; }

  std::uint32_t row(unsigned bank) const { return banks_[bank].row; }
  Request& operator[](Index index) { return slots_[index].request; }
  const Request& operator[](Index index) const { return slots_[index].request; }
  /// The oldest of a bank in waiting(); the oldest that hits, of one in hits().
  Index oldest(unsigned bank, bool write) const { return banks_[bank].head[write]; }
  Index hit(unsigned bank, bool write) const { return banks_[bank].hit[write]; }
  /// Their ages.
  std::uint64_t oldest_age(unsigned bank, bool write) const { return oldest_age_[write][bank]; }
  std::uint64_t hit_age(unsigned bank, bool write) const { return hit_age_[write][bank]; }
  /// Whether another one than `index`, of either kind, hits the open row of its bank.
  bool others_hit(Index index) const;

 private:
  struct Slot {
    Request request;
    Index next = kNone;
    Index previous = kNone;
    Index blocker = kNone;  // of one that is held
  };
  struct Bank {
    std::uint32_t row = 0;
    std::array<Index, 2> head{kNone, kNone};
    std::array<Index, 2> tail{kNone, kNone};
    std::array<Index, 2> hit{kNone, kNone};
  };

  Index find(unsigned bank, std::uint32_t row, std::uint32_t column, bool write) const;
  void link(Index index);
  void find_hit(unsigned bank, bool write, Index from);
  void set_hit(unsigned bank, bool write, Index hit);
  void release(Index blocker);

  std::array<unsigned, 2> depth_;
  std::array<unsigned, 2> count_{};
  std::array<unsigned, 2> held_count_{};
  std::uint64_t open_ = 0;
  std::array<std::uint64_t, 2> waiting_{};
  std::array<std::uint64_t, 2> hits_{};
  std::array<std::uint64_t, 2> passing_{};
  // What decisions look at, apart from the rest: by kind and bank.
  std::array<std::array<std::uint64_t, 64>, 2> oldest_age_{};
  std::array<std::array<std::uint64_t, 64>, 2> hit_age_{};
  std::vector<Bank> banks_;
  std::vector<Slot> slots_;
  std::vector<Index> free_;
  std::vector<Index> held_;  // by age
};

}  // namespace railyard::hbm
