// A device and memory of one program, written against verbs.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tlm/core/core.h"

namespace railyard::rdma {

/// The device as a program has opened it.
class Device {
 public:
  /// The first device of this host.
  explicit Device(Core& core);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Core& core() const { return core_; }
  ibv_context* context() const { return context_; }
  ibv_pd* pd() const { return pd_; }
  ibv_gid gid() const;

  /// Ends the run if a verb did not succeed.
  void check(bool good, const std::string& what) const;

 private:
  Core& core_;
  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
};

/// Memory of a program that the NIC may reach, zero at first. The NIC knows it by addresses that
/// are the same in every run, other than pointers: they stand in packets.
class Buffer {
 public:
  Buffer(ibv_pd* pd, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::uint8_t* data() const { return data_; }
  /// The NIC's address of a byte.
  std::uint64_t address_of(const std::uint8_t* byte) const {
    return kBase + static_cast<std::uint64_t>(byte - data_);
  }
  const ibv_mr& mr() const { return *mr_; }

 private:
  static constexpr std::uint64_t kBase = 0x10'0000'0000;

  void* memory_ = nullptr;  // as it was allocated
  std::uint8_t* data_ = nullptr;
  ibv_mr* mr_ = nullptr;
};

}  // namespace railyard::rdma
