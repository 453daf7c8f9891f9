// Memory keys and translation tables: in host memory, with caches of both. A key's context is 64
// bytes, a page's entry 8, and eight neighbouring entries are a line; what is translated is what
// was read from there (key_context.h).
//
// Host memory, from what set_memory() says: a context for each of limits.mkeys indices, then
// limits.translation_entries entries, of which a key has a run that begins and ends with a line.
//
// Modelled: both caches, least recently used out, with so many reads under way each; accesses of
// other keys go on meanwhile; what misses waits before the stage `translation`, and enters it when
// all that it needs has come and those before it of its key have entered. Not modelled: multi-level
// tables, keys without a table, memory windows, on-demand paging, the clearing of memory that was
// given (a context of an index that has no key counts as free).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/nic/address_translation.h"
#include "hw/nic/blocked_classes.h"
#include "hw/nic/key_context.h"
#include "hw/nic/line_cache.h"
#include "hw/nic/nic_abi.h"
#include "hw/nic/run_allocator.h"
#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"
#include "tlm/sim/event.h"

namespace railyard::nic {

/// What CREATE_MKEY says.
struct KeyShape {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t pd = 0;
  std::uint32_t access = 0;
  std::uint32_t log_page = 12;
};

class MemoryKeys : public AddressTranslation, private LineUser {
 public:
  explicit MemoryKeys(Units& units);
  ~MemoryKeys() override;

  /// Bytes of host memory that keys and their tables need at most.
  std::uint64_t memory_bytes() const;
  /// There are no keys now.
  void set_memory(std::uint64_t address);

  /// Writes the key and its table to host memory and makes it valid. `pages`: bus addresses.
  abi::CommandStatus create(const KeyShape& shape, const std::vector<std::uint64_t>& pages,
                            std::uint32_t& key);
  /// Accesses under way end; later ones find no key.
  abi::CommandStatus destroy(std::uint32_t key);
  bool uses_pd(std::uint32_t pd) const;

  /// A range that is longer than its first three pages is checked as a whole, and mapped as far as
  /// these reach. One of 0 bytes needs no key (IBTA Vol 1, C9-88) and has no segment.
  Time translate(const KeyedRange& range, Time at, unsigned cls, TranslationClient& client,
                 std::uint64_t ticket, Mapping& mapping) override;

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static constexpr std::uint32_t kPages = 3;

  /// An access on its way from its key to bus addresses.
  struct Walk {
    KeyedRange range;
    KeyError error = KeyError::kNone;
    bool done = false;
    bool has_key = false;
    bool waited = false;  // for the line that it needs now
    bool relaxed = false;
    std::uint8_t log_page = 0;
    std::uint32_t entry = 0;  // of its first page
    std::uint32_t wanted = 0;
    std::uint32_t found = 0;
    std::array<std::uint64_t, kPages> pages{};

    std::uint32_t key_index() const { return range.key >> 8; }
    std::uint32_t line() const { return (entry + found) / kLineEntries; }
    void end(KeyError with) {
      error = with;
      done = true;
    }
  };
  /// An access that waits. Those of a key are a ring, which the key's last leads.
  struct Waiter {
    Walk walk;
    TranslationClient* client = nullptr;
    std::uint64_t ticket = 0;
    Time at = 0;  // until it has its turn: when it comes; then when it leaves the stage
    std::uint32_t next = kNone;
    std::uint8_t cls = 0;
    bool asked = false;    // it has come to the stage
    bool reading = false;  // a cache is to tell it
  };
  /// What the firmware knows of a key's index, and who waits for it.
  struct Key {
    std::uint32_t last = kNone;          // waiter
    std::uint32_t without_turn = kNone;  // the first waiter that has none
    std::uint32_t pd = 0;
    std::uint32_t first_line = 0;
    std::uint32_t lines = 0;
    std::uint8_t byte = 0;  // of the key's latest use
    bool live = false;
  };

  // The firmware's side: memory_keys.cpp.
  bool is_sound(const KeyShape& shape, const std::vector<std::uint64_t>& pages) const;
  std::uint32_t take_index();
  Key& key_at(std::uint32_t index);
  Ref<net::Payload> cleared(std::uint32_t bytes);
  void write(std::uint64_t address, Ref<net::Payload> payload);
  void write_context(std::uint32_t index, const KeyContext& context);
  void write_table(std::uint32_t first_line, const std::vector<std::uint64_t>& pages);
  void forget(std::uint32_t index);

  // Accesses: key_accesses.cpp.
  void line_filled(LineCache& cache, std::uint32_t tag, std::uint32_t line,
                   const std::uint8_t* bytes) override;
  void line_evicted(LineCache& /*cache*/, std::uint32_t /*tag*/) override {}
  void line_ready(LineCache& cache, std::uint32_t waiter, bool good) override;
  void advance(Walk& walk);
  bool find_key(Walk& walk);
  void check(Walk& walk, const KeyContext& key) const;
  static void take_pages(Walk& walk, const std::array<std::uint64_t, kLineEntries>& line);
  static void map(const Walk& walk, Mapping& mapping);
  std::uint32_t add_waiter(const Waiter& waiter);
  void remove_first_waiter(std::uint32_t key_index);
  void ask();
  void go_on(std::uint32_t waiter);
  void give_turns(std::uint32_t key_index);
  void deliver();

  Units& units_;
  Stage stage_;
  LineCache key_cache_;
  LineCache translation_cache_;
  bool has_memory_ = false;
  std::vector<KeyContext> contexts_;                              // by line of key_cache_
  std::vector<std::array<std::uint64_t, kLineEntries>> entries_;  // of translation_cache_
  std::vector<Key> keys_;                                         // as far as indices were used
  std::uint32_t used_indices_ = 0;
  std::vector<std::uint32_t> free_indices_;
  std::vector<std::uint32_t> keys_of_pd_;
  RunAllocator lines_;
  std::vector<Waiter> waiters_;
  std::uint32_t free_waiters_ = kNone;
  BlockedClasses blocked_{Cause::kKeyMiss};  // waiters that have come, without their turn
  Ring<std::uint32_t> to_ask_;               // waiters that come later than now
  Ring<std::uint32_t> leaving_;              // waiters on their way through the stage
  TimeWeighted live_;
  Event ask_;
  Event deliver_;
};

}  // namespace railyard::nic
