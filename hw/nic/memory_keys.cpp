// The firmware's side of memory keys: they are made and go. Accesses: key_accesses.cpp.
#include "hw/nic/memory_keys.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace railyard::nic {

namespace {

constexpr std::uint32_t kKeyByteBits = 8;
constexpr std::uint32_t kKeyBytesInUse = 255;  // 1 to 255
constexpr std::uint32_t kWriteBytes = 4096;    // of a table at once

constexpr std::uint32_t kNeedsLocalWrite = abi::access::kRemoteWrite | abi::access::kRemoteAtomic;
constexpr std::uint32_t kAccess = abi::access::kLocalWrite | abi::access::kRemoteRead |
                                  kNeedsLocalWrite | abi::access::kRelaxedOrdering;

std::uint32_t lines_of(std::size_t entries) {
  return static_cast<std::uint32_t>((entries + kLineEntries - 1) / kLineEntries);
}

}  // namespace

MemoryKeys::MemoryKeys(Units& units)
    : units_(units),
      stage_(units.partition->statistics(), units.name + ".translation",
             units.config->stages.translation, units.config->clock, units.classes(),
             {Cause::kKeyMiss}, "keys and translations"),
      key_cache_(units, units.config->key_cache,
                 {"key_cache", "memory keys", kKeyBytes, DmaUse::kTranslation}, *this),
      translation_cache_(
          units, units.config->translation_cache,
          {"translation_cache", "lines of 8 pages", kLineBytes, DmaUse::kTranslation}, *this),
      contexts_(key_cache_.lines()),
      entries_(translation_cache_.lines()),
      lines_(units.config->limits.translation_entries / kLineEntries),
      ask_(Event::of<&MemoryKeys::ask>(
          *this, units.partition->endpoint(units.name + ".translation.ask"), Phase::kAct)),
      deliver_(Event::of<&MemoryKeys::deliver>(
          *this, units.partition->endpoint(units.name + ".translation.deliver"), Phase::kAct)) {
  units.partition->statistics().add(live_,
                                    {units.name + ".keys", "keys", "Memory keys that exist"});
}

MemoryKeys::~MemoryKeys() = default;

std::uint64_t MemoryKeys::memory_bytes() const {
  const LimitsConfig& limits = units_.config->limits;
  return std::uint64_t{limits.mkeys} * kKeyBytes +
         std::uint64_t{limits.translation_entries} * kEntryBytes;
}

void MemoryKeys::set_memory(std::uint64_t address) {
  for (std::uint32_t index = 0; index < keys_.size(); ++index) {
    if (keys_[index].live) forget(index);
  }
  has_memory_ = true;
  key_cache_.set_memory(address);
  translation_cache_.set_memory(address + std::uint64_t{units_.config->limits.mkeys} * kKeyBytes);
}

MemoryKeys::Key& MemoryKeys::key_at(std::uint32_t index) {
  if (index >= keys_.size()) keys_.resize(std::size_t{index} + 1);
  return keys_[index];
}

std::uint32_t MemoryKeys::take_index() {
  if (free_indices_.empty()) {
    return used_indices_ < units_.config->limits.mkeys ? used_indices_++ : kNone;
  }
  const std::uint32_t index = free_indices_.back();
  free_indices_.pop_back();
  return index;
}

bool MemoryKeys::is_sound(const KeyShape& shape, const std::vector<std::uint64_t>& pages) const {
  if (shape.bytes == 0 || shape.address + (shape.bytes - 1) < shape.address) return false;
  if (shape.log_page < kMinLogPage || shape.log_page > kMaxLogPage) return false;
  if (shape.pd >= units_.config->limits.pds || (shape.access & ~kAccess) != 0) return false;
  // As ibv_reg_mr has it.
  if ((shape.access & kNeedsLocalWrite) != 0 && (shape.access & abi::access::kLocalWrite) == 0) {
    return false;
  }
  if (pages.size() != pages_of(shape.address, shape.bytes, shape.log_page)) return false;
  const std::uint64_t within = (std::uint64_t{1} << shape.log_page) - 1;
  return std::all_of(pages.begin(), pages.end(),
                     [within](std::uint64_t page) { return (page & within) == 0; });
}

abi::CommandStatus MemoryKeys::create(const KeyShape& shape,
                                      const std::vector<std::uint64_t>& pages, std::uint32_t& key) {
  if (!has_memory_) return abi::CommandStatus::kBadSystemState;
  if (!is_sound(shape, pages)) return abi::CommandStatus::kBadParameter;
  const std::uint32_t lines = lines_of(pages.size());
  const std::uint32_t first = lines_.take(lines);
  if (first == RunAllocator::kNone) return abi::CommandStatus::kNoResources;
  const std::uint32_t index = take_index();
  if (index == kNone) {
    lines_.give(first, lines);
    return abi::CommandStatus::kNoResources;
  }
  Key& state = key_at(index);
  state.byte = static_cast<std::uint8_t>(state.byte % kKeyBytesInUse + 1);
  state.live = true;
  state.pd = shape.pd;
  state.first_line = first;
  state.lines = lines;
  if (shape.pd >= keys_of_pd_.size()) keys_of_pd_.resize(std::size_t{shape.pd} + 1);
  ++keys_of_pd_[shape.pd];
  live_.set(live_.value() + 1, units_.partition->now());

  key = index << kKeyByteBits | state.byte;
  KeyContext context;
  context.state = KeyContext::State::kValid;
  context.key = key;
  context.pd = shape.pd;
  context.access = shape.access;
  context.address = shape.address;
  context.bytes = shape.bytes;
  context.log_page = static_cast<std::uint8_t>(shape.log_page);
  context.first = first * kLineEntries;
  context.pages = static_cast<std::uint32_t>(pages.size());
  write_table(first, pages);
  write_context(index, context);
  return abi::CommandStatus::kOk;
}

abi::CommandStatus MemoryKeys::destroy(std::uint32_t key) {
  const std::uint32_t index = key >> kKeyByteBits;
  if (index >= keys_.size() || !keys_[index].live || keys_[index].byte != (key & 0xFF)) {
    return abi::CommandStatus::kBadResource;
  }
  forget(index);
  write_context(index, {});
  return abi::CommandStatus::kOk;
}

bool MemoryKeys::uses_pd(std::uint32_t pd) const {
  return pd < keys_of_pd_.size() && keys_of_pd_[pd] > 0;
}

void MemoryKeys::forget(std::uint32_t index) {
  Key& key = keys_[index];
  key.live = false;
  key_cache_.drop(index);
  for (std::uint32_t i = 0; i < key.lines; ++i) translation_cache_.drop(key.first_line + i);
  lines_.give(key.first_line, key.lines);
  free_indices_.push_back(index);
  --keys_of_pd_[key.pd];
  live_.set(live_.value() - 1, units_.partition->now());
  if (key.last == kNone) return;
  for (std::uint32_t i = waiters_[key.last].next;; i = waiters_[i].next) {
    waiters_[i].walk.end(KeyError::kNoSuchKey);
    if (i == key.last) break;
  }
}

Ref<net::Payload> MemoryKeys::cleared(std::uint32_t bytes) {
  Ref<net::Payload> payload = units_.partition->packets().payloads.acquire();
  payload->resize(bytes);
  std::memset(payload->data(), 0, bytes);
  return payload;
}

void MemoryKeys::write(std::uint64_t address, Ref<net::Payload> payload) {
  DmaWrite write;
  write.use = DmaUse::kTranslation;
  write.address = address;
  write.bytes = static_cast<std::uint32_t>(payload->size());
  write.payload = std::move(payload);
  units_.dma->write(write, nullptr);
}

// What is on its way from memory may be the context from before.
void MemoryKeys::write_context(std::uint32_t index, const KeyContext& context) {
  key_cache_.drop(index);
  Ref<net::Payload> image = cleared(kKeyBytes);
  encode(context, image->data());
  write(key_cache_.address_of(index), std::move(image));
}

void MemoryKeys::write_table(std::uint32_t first_line, const std::vector<std::uint64_t>& pages) {
  constexpr std::uint32_t kEntries = kWriteBytes / kEntryBytes;
  for (std::size_t done = 0; done < pages.size(); done += kEntries) {
    const std::size_t count = std::min<std::size_t>(kEntries, pages.size() - done);
    Ref<net::Payload> table = cleared(lines_of(count) * kLineBytes);
    for (std::size_t i = 0; i < count; ++i) {
      const abi::Be64 entry = pages[done + i];
      std::memcpy(table->data() + i * kEntryBytes, &entry, sizeof entry);
    }
    write(translation_cache_.address_of(first_line) + done * kEntryBytes, std::move(table));
  }
}

}  // namespace railyard::nic
