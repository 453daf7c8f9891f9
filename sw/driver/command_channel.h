// The driver's end of the command queue: one command at a time, its mailboxes, the wait for it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "hw/nic/nic_abi.h"
#include "tlm/core/address_space.h"
#include "tlm/core/core.h"

namespace railyard::driver {

namespace abi = nic::abi;

// Registers are big endian, a core's stores little.
constexpr std::uint32_t swapped(std::uint32_t value) {
  return value >> 24 | (value >> 8 & 0xFF00U) | (value << 8 & 0xFF'0000U) | value << 24;
}

class CommandChannel {
 public:
  /// `registers` is BAR 0's address, `name` the device's for messages.
  CommandChannel(Core& core, AddressSpace& memory, Address registers, std::string name);

  /// Resets the device, waits until it is ready, and gives it the queue. Throws a DeviceError.
  void start();
  /// Gives the memory back.
  void stop();

  /// Carries `command` out. Throws a DeviceError if it did not succeed, or did not end in time.
  template <class Output, class Input>
  Output run(abi::Command command, Input input, const std::vector<abi::Be64>& list = {}) {
    input.header.opcode = static_cast<std::uint16_t>(command);
    input_.resize(sizeof input + list.size() * sizeof(abi::Be64));
    std::memcpy(input_.data(), static_cast<const void*>(&input), sizeof input);
    if (!list.empty()) {
      std::memcpy(input_.data() + sizeof input, static_cast<const void*>(list.data()),
                  list.size() * sizeof(abi::Be64));
    }
    output_.resize(sizeof(Output));
    carry_out(command);
    Output output;
    std::memcpy(static_cast<void*>(&output), output_.data(), sizeof output);
    return output;
  }

 private:
  struct Mailbox {
    Address address = 0;
    std::uint64_t bytes = 0;
  };

  void carry_out(abi::Command command);
  void need(Mailbox& mailbox, std::uint64_t bytes);
  /// The entry at `at` when it is software's again.
  abi::CommandEntry wait_for(Address at, abi::Command command);
  std::uint32_t read_register(std::uint64_t offset);
  void write_register(std::uint64_t offset, std::uint32_t value);

  Core& core_;
  AddressSpace& memory_;
  Address registers_;
  std::string name_;
  Address queue_ = 0;
  std::uint32_t next_ = 0;  // entry
  Mailbox input_box_, output_box_;
  std::vector<std::uint8_t> input_, output_;
};

}  // namespace railyard::driver
