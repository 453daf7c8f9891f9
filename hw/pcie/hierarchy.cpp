#include "hw/pcie/hierarchy.h"

#include <algorithm>

#include "hw/pcie/config_registers.h"
#include "hw/pcie/config_space.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

Hierarchy::Hierarchy(sc_core::sc_module_name name, Partition& partition)
    : sc_module(name), scheduler_(partition, this->name()) {
  partition.statistics().add(error_count_, {std::string(this->name()) + ".errors", "errors",
                                            "Requests that the standard's errors met: unsupported, "
                                            "aborted, timed out, unexpected"});
}

// A trace wants each change at its time.
void Hierarchy::start_of_simulation() {
  ProbeRegistry& registry = partition().probes();
  const auto on = [](const auto& entry) { return entry.point->on(); };
  if (std::any_of(registry.probes().begin(), registry.probes().end(), on) ||
      std::any_of(registry.lanes().begin(), registry.lanes().end(), on)) {
    scheduler_.set_eager();
  }
}

void Hierarchy::set_memory(const MemoryPort& memory, bool translated) {
  memory_ = &memory;
  translated_ = translated;
}

std::string Hierarchy::who(DeviceId id) const {
  if (id == DeviceId{0}) return "the cores (" + format_id(id) + ")";
  for (const PlacedFunction* function : functions_) {
    if (function->id() == id) return function->function_name() + " (" + format_id(id) + ")";
  }
  return format_id(id);
}

std::string Hierarchy::who(std::uint64_t address) const {
  for (const PlacedFunction* function : functions_) {
    const auto bar = function->config_space().bar_at(address);
    if (bar) return function->function_name() + " BAR " + std::to_string(*bar);
  }
  return memory_ != nullptr && memory_->covers(address, 1) ? "host memory" : "nobody";
}

// Registers see each write, and so may who is behind an address that nobody knows.
bool Hierarchy::watched(std::uint64_t address, std::uint64_t bytes) const {
  if (translated_) return true;
  if (memory_ != nullptr && memory_->covers(address, bytes)) {
    return memory_->watched(address, bytes);
  }
  bool known = false;
  for (const PlacedFunction* function : functions_) {
    const auto index = function->config_space().bar_at(address);
    if (!index) continue;
    known = true;
    const MemoryPort* memory = function->memory_behind(*index);
    const std::uint64_t base = function->config_space().bar(*index).base;
    if (memory == nullptr || memory->watched(address - base, bytes)) return true;
  }
  return !known;
}

void Hierarchy::report_overlaps(const PlacedFunction& function) {
  const auto text = [](const PlacedFunction& whose, unsigned index) {
    const ConfigSpace::Bar bar = whose.config_space().bar(index);
    return whose.function_name() + " BAR " + std::to_string(index) + " (" + format_hex(bar.base) +
           " + " + format_bytes(bar.size) + ")";
  };
  for (unsigned i = 0; i < config::kBars; ++i) {
    const ConfigSpace::Bar mine = function.config_space().bar(i);
    if (!mine.enabled) continue;
    const std::string where = text(function, i);
    if (memory_ != nullptr &&
        (memory_->covers(mine.base, 1) || memory_->covers(mine.base + mine.size - 1, 1))) {
      report(function.function_name(), where + " overlaps host memory");
    }
    for (const PlacedFunction* other : functions_) {
      for (unsigned j = 0; j < config::kBars; ++j) {
        const ConfigSpace::Bar bar = other->config_space().bar(j);
        if (!bar.enabled || (other == &function && j <= i)) continue;
        if (!bar.contains(mine.base) && !mine.contains(bar.base)) continue;
        report(function.function_name(), where + " overlaps " + text(*other, j));
      }
    }
  }
}

void Hierarchy::report(const std::string& where, const std::string& what) {
  constexpr std::size_t kKept = 64;
  error_count_.add();
  if (errors_.size() == kKept) return;
  errors_.push_back({now(), where, what});
  const std::string text = where + " at " + format_time(now()) + ": " + what;
  SC_REPORT_WARNING("/railyard/pcie", text.c_str());
}

void Hierarchy::write_starts(UnderWay& write, std::uint64_t address, std::uint64_t bytes,
                             Time ahead) {
  sets_out(write, address, bytes,
           watched(address, bytes) ? scheduler_.expect(now(), ahead) : kUnseen);
}

void Hierarchy::write_ends(UnderWay& write) {
  if (write.index == UnderWay::kNone) return;
  if (seen(write)) scheduler_.seen(writes_[write.index].sight);
  writes_[write.index] = {};
  free_writes_.push_back(write.index);
  write = {};
}

// Where those are that are under way, nobody knows here: each may be seen with the next step, until
// it goes on to where more is known of it.
void Hierarchy::watch_added(std::uint64_t address, std::uint64_t bytes) {
  for (Write& write : writes_) {
    const bool overlaps = write.address < address + bytes && address < write.address + write.bytes;
    if (write.bytes > 0 && write.sight == kUnseen && overlaps) {
      write.sight = scheduler_.expect(now(), 0);
    }
  }
}

}  // namespace railyard::pcie
