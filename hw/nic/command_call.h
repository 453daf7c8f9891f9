// One command as its handler sees it.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "hw/nic/nic_abi.h"

namespace railyard::nic {

/// What came of a command. `field` is at fault, if it did not succeed.
struct Verdict {
  abi::CommandStatus status = abi::CommandStatus::kOk;
  std::uint32_t field = 0;
};

inline Verdict bad_parameter(std::uint32_t field) {
  return {abi::CommandStatus::kBadParameter, field};
}
inline Verdict bad_resource(std::uint32_t field) {
  return {abi::CommandStatus::kBadResource, field};
}

/// The input is as long as the command says.
struct CommandCall {
  std::vector<std::uint8_t> input_image;
  std::vector<std::uint8_t> output_image;

  template <class T>
  T input() const {
    T value;
    std::memcpy(static_cast<void*>(&value), input_image.data(), sizeof value);
    return value;
  }
  /// Beside the result, which the command queue writes.
  template <class T>
  void output(const T& value) {
    output_image.resize(sizeof value);
    std::memcpy(output_image.data(), static_cast<const void*>(&value), sizeof value);
  }
  void output_number(std::uint32_t number) {
    abi::NumberOutput value;
    value.number = number;
    output(value);
  }
};

}  // namespace railyard::nic
