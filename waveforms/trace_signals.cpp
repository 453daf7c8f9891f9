#include "waveforms/trace_signals.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace railyard {

namespace {

constexpr std::size_t kDocBytes = 200;  // readers hold an attribute in a buffer of 512

using Byte = std::array<char, 8>;

// The eight characters of each byte: fstapi takes values as text of one bit a character.
constexpr std::array<Byte, 256> make_bytes() {
  std::array<Byte, 256> bytes = {};
  for (std::size_t value = 0; value < bytes.size(); ++value) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      bytes[value][bit] = (value >> (7 - bit) & 1) != 0 ? '1' : '0';
    }
  }
  return bytes;
}
constexpr std::array<Byte, 256> kBytes = make_bytes();

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

BitText::BitText(std::uint64_t value, std::uint32_t width) : begin_(text_ + 64 - width) {
  for (int at = 56; at >= 0 && text_ + at + 8 > begin_; at -= 8, value >>= 8) {
    std::memcpy(text_ + at, kBytes[value & 0xff].data(), 8);
  }
}

TraceSignal TraceDeclarations::declare(const ProbeInfo& info) {
  std::vector<std::string> scopes = split(info.name);
  std::string name = std::move(scopes.back());
  scopes.pop_back();
  enter(scopes);
  comment(info);
  TraceSignal signal;
  signal.real = info.kind == ProbeKind::kReal;
  signal.width = signal.real ? 64 : info.width;
  if (info.kind == ProbeKind::kEnum) fstWriterEmitEnumTableRef(writer_, table(info));
  if (!signal.real && signal.width > 1) name += " [" + std::to_string(signal.width - 1) + ":0]";
  signal.handle =
      fstWriterCreateVar(writer_, signal.real ? FST_VT_VCD_REAL : FST_VT_VCD_WIRE, FST_VD_IMPLICIT,
                         signal.real ? 8 : signal.width, name.c_str(), 0);
  return signal;
}

void TraceDeclarations::enter(const std::vector<std::string>& scopes) {
  const auto common = std::mismatch(open_.begin(), open_.end(), scopes.begin(), scopes.end()).first;
  leave(static_cast<std::size_t>(common - open_.begin()));
  for (std::size_t i = open_.size(); i < scopes.size(); ++i) {
    fstWriterSetScope(writer_, FST_ST_VCD_MODULE, scopes[i].c_str(), nullptr);
    open_.push_back(scopes[i]);
  }
}

void TraceDeclarations::leave(std::size_t depth) {
  for (; open_.size() > depth; open_.pop_back()) fstWriterSetUpscope(writer_);
}

void TraceDeclarations::comment(const ProbeInfo& info) {
  if (info.doc.empty() && info.unit.empty()) return;
  std::string text = info.name + (info.unit.empty() ? "" : " [" + info.unit + "]");
  if (!info.doc.empty()) text += ": " + info.doc;
  fstWriterSetComment(writer_, text.substr(0, kDocBytes).c_str());
}

fstEnumHandle TraceDeclarations::table(const ProbeInfo& info) {
  auto& handle = tables_[{info.width, info.enum_names}];
  if (handle != 0) return handle;
  std::vector<std::string> values;
  std::vector<const char*> value_pointers;
  std::vector<const char*> name_pointers;
  for (const std::string& name : info.enum_names) {
    values.push_back(BitText(values.size(), info.width).string());
    name_pointers.push_back(name.c_str());
  }
  for (const std::string& value : values) value_pointers.push_back(value.c_str());
  handle = fstWriterCreateEnumTable(writer_, split(info.name).back().c_str(),
                                    static_cast<std::uint32_t>(values.size()), info.width,
                                    name_pointers.data(), value_pointers.data());
  return handle;
}

}  // namespace railyard
