// Puts BlueField writes together: a WQE comes as pieces of cache lines, in order, in one of the
// buffers of a UAR page.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "hw/nic/nic_abi.h"

namespace railyard::nic {

class BlueFieldBuffer {
 public:
  enum class Result : std::uint8_t {
    kPart,     // more of the WQE is to come
    kWhole,    // it is whole
    kGarbage,  // no piece of a WQE that may come here
  };

  /// A write at `offset` of the buffer.
  Result take(std::uint64_t offset, const std::uint8_t* data, std::uint32_t bytes) {
    const std::uint32_t room = kLine - static_cast<std::uint32_t>(offset % kLine);
    if (offset != got_ || bytes % abi::kSegmentBytes != 0 || bytes > room) {
      return Result::kGarbage;
    }
    std::memcpy(&wqe_[offset], data, bytes);
    got_ += bytes;
    if (wqe_bytes() == 0 || wqe_bytes() > abi::uar::kBlueFieldBytes) return Result::kGarbage;
    return got_ >= wqe_bytes() ? Result::kWhole : Result::kPart;
  }
  /// Some of a WQE is there.
  bool under_way() const { return got_ != 0; }
  void clear() { got_ = 0; }

  const std::uint8_t* wqe() const { return wqe_.data(); }
  /// As its control segment says.
  std::uint32_t wqe_bytes() const {
    const std::uint32_t segments = wqe_[kSegmentsByte] & abi::kMaxWqeSegments;
    return segments * abi::kSegmentBytes;
  }

 private:
  static constexpr std::uint32_t kLine = 64;
  static constexpr std::size_t kSegmentsByte = 7;  // the last of ControlSegment::qpn_ds

  std::array<std::uint8_t, abi::uar::kBlueFieldBytes> wqe_{};
  std::uint32_t got_ = 0;
};

using BlueFieldPage = std::array<BlueFieldBuffer, abi::uar::kBlueFieldBuffers>;

/// Those of all UARs, made when they are first used.
class BlueFieldPages {
 public:
  BlueFieldPages() : pages_(abi::kUars) {}

  BlueFieldPage& of(std::uint32_t uar) {
    if (!pages_[uar]) pages_[uar] = std::make_unique<BlueFieldPage>();
    return *pages_[uar];
  }
  void clear() {
    for (auto& page : pages_) {
      if (page) std::for_each(page->begin(), page->end(), [](auto& buffer) { buffer.clear(); });
    }
  }

 private:
  std::vector<std::unique_ptr<BlueFieldPage>> pages_;
};

}  // namespace railyard::nic
