#include "sw/driver/command_channel.h"

#include <utility>

#include "sw/driver/driver.h"

namespace railyard::driver {

namespace {

constexpr std::uint32_t kLogEntries = abi::kMaxLogCommands;
constexpr std::uint64_t kInEntry = 16;  // bytes of input, and of output, that an entry holds
constexpr std::uint32_t kNobody = ~std::uint32_t{0};  // what a load reads where nobody is
constexpr Time kReadyTimeout = kSecond;
constexpr Time kReadyInterval = kMicrosecond;
constexpr Time kCommandTimeout = kSecond;

const char* text_of(abi::CommandStatus status) {
  switch (status) {
    case abi::CommandStatus::kOk:
      return "ok";
    case abi::CommandStatus::kInternal:
      return "internal error";
    case abi::CommandStatus::kBadOperation:
      return "bad operation";
    case abi::CommandStatus::kBadParameter:
      return "bad parameter";
    case abi::CommandStatus::kBadSystemState:
      return "bad system state";
    case abi::CommandStatus::kBadResource:
      return "bad resource";
    case abi::CommandStatus::kResourceBusy:
      return "resource busy";
    case abi::CommandStatus::kLimit:
      return "limit exceeded";
    case abi::CommandStatus::kBadResourceState:
      return "bad resource state";
    case abi::CommandStatus::kNoResources:
      return "no resources";
    case abi::CommandStatus::kBadInputLength:
      return "bad input length";
    case abi::CommandStatus::kBadOutputLength:
      return "bad output length";
  }
  return "unknown status";
}

std::string hex(std::uint32_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + text;
}

}  // namespace

CommandChannel::CommandChannel(Core& core, AddressSpace& memory, Address registers,
                               std::string name)
    : core_(core), memory_(memory), registers_(registers), name_(std::move(name)) {}

std::uint32_t CommandChannel::read_register(std::uint64_t offset) {
  return swapped(static_cast<std::uint32_t>(core_.load(registers_ + offset, 4)));
}

void CommandChannel::write_register(std::uint64_t offset, std::uint32_t value) {
  core_.store(registers_ + offset, swapped(value), 4);
}

void CommandChannel::start() {
  write_register(abi::reg::kReset, abi::kResetMagic);
  const std::uint32_t revision = read_register(abi::reg::kRevision);
  if (revision == kNobody) {
    throw DeviceError(name_ + " does not answer", abi::CommandStatus::kInternal, 0);
  }
  if (revision != abi::kAbiRevision) {
    throw DeviceError(name_ + " has revision " + hex(revision) + ", not " + hex(abi::kAbiRevision),
                      abi::CommandStatus::kInternal, 0);
  }
  const Time deadline = core_.now() + kReadyTimeout;
  while ((read_register(abi::reg::kInitializing) & abi::kInitializingBit) != 0) {
    if (core_.now() > deadline) {
      throw DeviceError(name_ + " does not become ready", abi::CommandStatus::kInternal, 0);
    }
    core_.spend(kReadyInterval);
  }
  const std::uint64_t bytes = std::uint64_t{abi::kCommandBytes} << kLogEntries;
  queue_ = memory_.allocate(bytes, AddressSpace::kPageBytes);
  next_ = 0;
  write_register(abi::reg::kCommandQueueHigh, static_cast<std::uint32_t>(queue_ >> 32));
  write_register(abi::reg::kCommandQueueLow, static_cast<std::uint32_t>(queue_) | kLogEntries << 4);
}

void CommandChannel::stop() {
  if (queue_ != 0) memory_.release(queue_);
  queue_ = 0;
  for (Mailbox* box : {&input_box_, &output_box_}) {
    if (box->bytes != 0) memory_.release(box->address);
    *box = {};
  }
}

void CommandChannel::need(Mailbox& mailbox, std::uint64_t bytes) {
  if (bytes <= mailbox.bytes) return;
  if (mailbox.bytes != 0) memory_.release(mailbox.address);
  const std::uint64_t pages = (bytes + AddressSpace::kPageBytes - 1) / AddressSpace::kPageBytes;
  mailbox.bytes = pages * AddressSpace::kPageBytes;
  mailbox.address = memory_.allocate(mailbox.bytes, AddressSpace::kPageBytes);
}

void CommandChannel::carry_out(abi::Command command) {
  const std::uint32_t index = next_;
  next_ = (next_ + 1) % (1U << kLogEntries);
  abi::CommandEntry entry;
  entry.input_bytes = static_cast<std::uint32_t>(input_.size());
  entry.output_bytes = static_cast<std::uint32_t>(output_.size());
  entry.token = static_cast<abi::Byte>(index + 1);
  entry.status_owner = 1;
  std::memcpy(static_cast<void*>(entry.input), input_.data(), kInEntry);
  if (input_.size() > kInEntry) {
    need(input_box_, input_.size() - kInEntry);
    core_.write(input_box_.address, input_.data() + kInEntry, input_.size() - kInEntry);
    entry.input_address = input_box_.address;
  }
  if (output_.size() > kInEntry) {
    need(output_box_, output_.size() - kInEntry);
    entry.output_address = output_box_.address;
  }
  const Address at = queue_ + std::uint64_t{index} * abi::kCommandBytes;
  core_.write(at, reinterpret_cast<const std::uint8_t*>(&entry), sizeof entry);
  core_.fence();
  write_register(abi::reg::kCommandDoorbell, 1U << index);
  entry = wait_for(at, command);
  std::memcpy(output_.data(), static_cast<const void*>(entry.output), kInEntry);
  if (output_.size() > kInEntry) {
    core_.read(output_box_.address, output_.data() + kInEntry, output_.size() - kInEntry);
  }
}

abi::CommandEntry CommandChannel::wait_for(Address at, abi::Command command) {
  constexpr std::uint64_t kOwner = offsetof(abi::CommandEntry, status_owner);
  std::uint64_t value = 0;
  const auto done = [](std::uint64_t owner) { return (owner & 1U) == 0; };
  const std::string what = name_ + ": command " + hex(static_cast<std::uint32_t>(command));
  if (!core_.poll_until(at + kOwner, 1, done, core_.now() + kCommandTimeout, value)) {
    const std::uint32_t health = read_register(abi::reg::kHealth);
    throw DeviceError(what + " does not end; the device's health is " + hex(health),
                      abi::CommandStatus::kInternal, health);
  }
  abi::CommandEntry entry;
  core_.read(at, reinterpret_cast<std::uint8_t*>(&entry), sizeof entry);
  abi::CommandResult result;
  std::memcpy(static_cast<void*>(&result), static_cast<const void*>(entry.output), sizeof result);
  const auto status = static_cast<abi::CommandStatus>(result.status);
  if (status != abi::CommandStatus::kOk) {
    throw DeviceError(
        what + " was refused: " + text_of(status) + ", syndrome " + hex(result.syndrome), status,
        result.syndrome);
  }
  return entry;
}

}  // namespace railyard::driver
