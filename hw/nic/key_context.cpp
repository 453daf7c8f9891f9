#include "hw/nic/key_context.h"

#include <cstring>

namespace railyard::nic {

std::uint64_t pages_of(std::uint64_t address, std::uint64_t bytes, std::uint32_t log_page) {
  return ((address + (bytes - 1)) >> log_page) - (address >> log_page) + 1;
}

void encode(const KeyContext& context, std::uint8_t* image) {
  KeyContextImage to;
  if (context.state == KeyContext::State::kValid) {
    to.state = kKeyValid;
    to.key = context.key;
    to.pd = context.pd;
    to.access = context.access;
    to.address = context.address;
    to.bytes = context.bytes;
    to.log_page = std::uint32_t{context.log_page};
    to.first = context.first;
    to.pages = context.pages;
  }
  std::memcpy(image, &to, sizeof to);
}

namespace {

bool is_sound(const KeyContextImage& from, std::uint32_t entries) {
  if (from.state != kKeyValid || from.bytes == 0) return false;
  if (from.log_page < kMinLogPage || from.log_page > kMaxLogPage) return false;
  if (from.address + (from.bytes - 1) < from.address) return false;
  if (from.first % kLineEntries != 0 || from.first > entries) return false;
  return from.pages <= entries - from.first &&
         from.pages == pages_of(from.address, from.bytes, from.log_page);
}

}  // namespace

KeyContext parse_key_context(const std::uint8_t* image, std::uint32_t entries) {
  KeyContextImage from;
  std::memcpy(&from, image, sizeof from);
  KeyContext to;
  if (from.state == 0) return to;
  to.state = KeyContext::State::kMalformed;
  to.key = from.key;
  if (!is_sound(from, entries)) return to;
  to.state = KeyContext::State::kValid;
  to.log_page = static_cast<std::uint8_t>(from.log_page);
  to.pd = from.pd;
  to.access = from.access;
  to.first = from.first;
  to.pages = from.pages;
  to.address = from.address;
  to.bytes = from.bytes;
  return to;
}

}  // namespace railyard::nic
