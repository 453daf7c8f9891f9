// Integers in byte strings. Without a suffix: network order, most significant byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace railyard::net {

inline std::uint16_t get16(const std::uint8_t* p) {
  return static_cast<std::uint16_t>(p[0] << 8 | p[1]);
}
inline std::uint32_t get24(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 16 | std::uint32_t{p[1]} << 8 | p[2];
}
inline std::uint32_t get32(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 24 | get24(p + 1);
}
inline std::uint64_t get64(const std::uint8_t* p) {
  return std::uint64_t{get32(p)} << 32 | get32(p + 4);
}
inline std::uint32_t get_le32(const std::uint8_t* p) {
  return p[0] | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
}
inline std::uint64_t get_le64(const std::uint8_t* p) {
  return get_le32(p) | std::uint64_t{get_le32(p + 4)} << 32;
}

/// Writes at a cursor, unchecked: the caller has made room. A value wider than its field is cut.
class ByteWriter {
 public:
  explicit ByteWriter(std::uint8_t* out) : at_(out) {}

  std::uint8_t* at() const { return at_; }
  void u8(std::uint32_t v) { *at_++ = static_cast<std::uint8_t>(v); }
  void u16(std::uint32_t v) { u8(v >> 8), u8(v); }
  void u24(std::uint32_t v) { u8(v >> 16), u16(v); }
  void u32(std::uint32_t v) { u16(v >> 16), u16(v); }
  void u64(std::uint64_t v) {
    u32(static_cast<std::uint32_t>(v >> 32));
    u32(static_cast<std::uint32_t>(v));
  }
  void le32(std::uint32_t v) { u8(v), u8(v >> 8), u8(v >> 16), u8(v >> 24); }
  void le64(std::uint64_t v) {
    le32(static_cast<std::uint32_t>(v));
    le32(static_cast<std::uint32_t>(v >> 32));
  }
  void bytes(const std::uint8_t* data, std::size_t size) {
    if (size != 0) std::memcpy(at_, data, size);
    at_ += size;
  }
  void zeros(std::size_t size) {
    if (size != 0) std::memset(at_, 0, size);
    at_ += size;
  }

 private:
  std::uint8_t* at_;
};

/// Reads at a cursor. Ask has() first: the reads are unchecked.
class ByteReader {
 public:
  ByteReader(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::size_t offset() const { return offset_; }
  std::size_t left() const { return size_ - offset_; }
  bool has(std::size_t bytes) const { return bytes <= left(); }
  const std::uint8_t* skip(std::size_t bytes) {
    const std::uint8_t* here = data_ + offset_;
    offset_ += bytes;
    return here;
  }
  std::uint8_t u8() { return *skip(1); }
  std::uint16_t u16() { return get16(skip(2)); }
  std::uint32_t u24() { return get24(skip(3)); }
  std::uint32_t u32() { return get32(skip(4)); }
  std::uint64_t u64() { return get64(skip(8)); }
  std::uint32_t le32() { return get_le32(skip(4)); }
  std::uint64_t le64() { return get_le64(skip(8)); }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t offset_ = 0;
};

}  // namespace railyard::net
