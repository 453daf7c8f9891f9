#include "hw/nic/commands.h"

#include <algorithm>
#include <cstring>

namespace railyard::nic {

namespace {

using abi::CommandStatus;

constexpr std::uint32_t kInEntry = 16;  // bytes of input, and of output, that the entry holds
constexpr std::uint64_t kMailboxAlignment = 16;
constexpr unsigned kOpcodeShift = 16;

bool is_mailbox(std::uint64_t address) { return address != 0 && address % kMailboxAlignment == 0; }

}  // namespace

Commands::Commands(Units& units, Objects& objects, const DeviceParts& parts, DeviceHealth& health,
                   std::uint32_t rate_mbps)
    : units_(units),
      objects_(objects),
      health_(health),
      handlers_(units, objects, parts, rate_mbps),
      execute_(Event::of<&Commands::execute>(
          *this, units.partition->endpoint(units.name + ".commands"), Phase::kAct)) {
  add_metrics();
}

void Commands::add_metrics() {
  StatisticsRegistry& statistics = units_.partition->statistics();
  const std::string p = units_.name + ".commands.";
  for (std::uint32_t i = 0; i < kCommandKinds; ++i) {
    const std::string name = command_kind(i).name;
    statistics.add(counts_[i], {p + name, "commands", "Commands " + name + " carried out"});
  }
  statistics.add(refused_, {p + "refused", "commands", "Commands that ended with another status"});
  statistics.add(unowned_, {p + "unowned", "entries",
                            "Entries that a doorbell named and that were not the device's"});
  statistics.add(unreadable_, {p + "unreadable", "entries", "Entries that could not be read"});
  statistics.add(
      latency_,
      {p + "latency_ns", "ns", "From a command's doorbell to the write of its entry given to PCIe"},
      static_cast<double>(kNanosecond));
}

void Commands::start(std::uint64_t address, std::uint32_t log_entries) {
  address_ = address;
  entries_ = 1U << log_entries;
  started_ = true;
}

unsigned Commands::doorbell(std::uint32_t entries) {
  unsigned in_vain = 0;
  for (std::uint32_t n = 0; n < 32; ++n) {
    const std::uint32_t bit = 1U << n;
    if ((entries & bit) == 0) continue;
    if (!started_ || n >= entries_ || (owned_ & bit) != 0) {
      ++in_vain;
      continue;
    }
    owned_ |= bit;
    rung_[n] = units_.partition->now();
    waiting_.push(n);
  }
  if (step_ == Step::kIdle) fetch_next();
  return in_vain;
}

void Commands::reset() {
  handlers_.objects.forget();
  units_.partition->scheduler().cancel(execute_);
  ++epoch_;
  started_ = false;
  owned_ = 0;
  while (!waiting_.empty()) waiting_.pop();
  step_ = Step::kIdle;
}

void Commands::fetch_next() {
  if (waiting_.empty()) return;
  index_ = waiting_.pop();
  step_ = Step::kEntry;
  read(address_ + std::uint64_t{index_} * abi::kCommandBytes, abi::kCommandBytes);
}

void Commands::read(std::uint64_t address, std::uint32_t bytes) {
  DmaRead read;
  read.use = DmaUse::kCommand;
  read.address = address;
  read.bytes = bytes;
  read.ticket = epoch_;
  units_.dma->read(read, *this);
}

void Commands::dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) {
  if (ticket != epoch_) return;
  if (step_ == Step::kEntry) {
    take_entry(status, payload);
  } else {
    take_mailbox(status, payload);
  }
}

void Commands::take_entry(pcie::Status status, const Ref<net::Payload>& payload) {
  if (status != pcie::Status::kSuccess) {
    health_.report(abi::Health::kBadCommandQueue, index_);
    unreadable_.add();
    return end_entry();
  }
  std::memcpy(static_cast<void*>(&entry_), payload->data(), sizeof entry_);
  if ((entry_.status_owner & 1U) == 0) {
    unowned_.add();
    return end_entry();
  }
  entry_verdict_ = check_entry();
  const bool good = entry_verdict_.status == CommandStatus::kOk;
  const std::uint32_t bytes = good ? std::uint32_t{entry_.input_bytes} : kInEntry;
  call_.input_image.resize(bytes);
  std::memcpy(call_.input_image.data(), static_cast<const void*>(entry_.input), kInEntry);
  if (bytes == kInEntry) return execute_later();
  step_ = Step::kMailbox;
  read(entry_.input_address, bytes - kInEntry);
}

Verdict Commands::check_entry() {
  const auto opcode = static_cast<std::uint16_t>(entry_.input[0] >> kOpcodeShift);
  kind_ = find_command(opcode);
  if (entry_.type != abi::kCommandType) {
    return {CommandStatus::kBadOperation, abi::entry_field::kType};
  }
  if (kind_ == kNoCommand) return {CommandStatus::kBadOperation, abi::entry_field::kOpcode};
  const CommandKind& kind = command_kind(kind_);
  const std::uint32_t in = entry_.input_bytes;
  const bool list = kind.list_bytes != 0 && in > kind.input_bytes && in <= abi::kMaxInputBytes &&
                    (in - kind.input_bytes) % kind.list_bytes == 0;
  if (in != kind.input_bytes && !list) {
    return {CommandStatus::kBadInputLength, abi::entry_field::kInputBytes};
  }
  if (in > kInEntry && !is_mailbox(entry_.input_address)) {
    return bad_parameter(abi::entry_field::kInputAddress);
  }
  if (entry_.output_bytes < kind.output_bytes) {
    return {CommandStatus::kBadOutputLength, abi::entry_field::kOutputBytes};
  }
  if (kind.output_bytes > kInEntry && !is_mailbox(entry_.output_address)) {
    return bad_parameter(abi::entry_field::kOutputAddress);
  }
  return {};
}

void Commands::take_mailbox(pcie::Status status, const Ref<net::Payload>& payload) {
  if (status == pcie::Status::kSuccess) {
    std::copy(payload->data(), payload->data() + payload->size(),
              call_.input_image.begin() + kInEntry);
  } else {
    entry_verdict_ = bad_parameter(abi::entry_field::kInputAddress);
  }
  execute_later();
}

void Commands::execute_later() {
  step_ = Step::kExecute;
  units_.partition->scheduler().schedule_in(execute_, units_.config->command);
}

void Commands::execute() {
  const Verdict verdict = run();
  if (verdict.status == CommandStatus::kOk) {
    counts_[kind_].add();
  } else {
    refused_.add();
  }
  answer(verdict);
  latency_.record(static_cast<std::uint64_t>(units_.partition->now() - rung_[index_]));
  end_entry();
}

Verdict Commands::run() {
  call_.output_image.assign(kInEntry, 0);
  if (entry_verdict_.status != CommandStatus::kOk) return entry_verdict_;
  const CommandKind& kind = command_kind(kind_);
  if (!kind.before_init && !handlers_.objects.ready()) return {CommandStatus::kBadSystemState, 0};
  return kind.run(handlers_, call_);
}

void Commands::answer(const Verdict& verdict) {
  std::vector<std::uint8_t>& out = call_.output_image;
  if (verdict.status != CommandStatus::kOk) out.assign(kInEntry, 0);
  out[0] = static_cast<std::uint8_t>(verdict.status);
  const abi::Be32 syndrome = verdict.field;
  std::memcpy(out.data() + sizeof(abi::Be32), static_cast<const void*>(&syndrome), sizeof syndrome);
  if (out.size() > kInEntry) {
    write(entry_.output_address, out.data() + kInEntry, out.size() - kInEntry);
  }
  std::memcpy(static_cast<void*>(entry_.output), out.data(), kInEntry);
  entry_.status_owner = 0;
  write(address_ + std::uint64_t{index_} * abi::kCommandBytes, &entry_, sizeof entry_);
}

void Commands::write(std::uint64_t address, const void* bytes, std::size_t count) {
  DmaWrite write;
  write.use = DmaUse::kCommand;
  write.address = address;
  write.bytes = static_cast<std::uint32_t>(count);
  write.payload = units_.partition->packets().payloads.acquire();
  write.payload->resize(count);
  std::memcpy(write.payload->data(), bytes, count);
  units_.dma->write(write, nullptr);
}

void Commands::end_entry() {
  owned_ &= ~(1U << index_);
  step_ = Step::kIdle;
  fetch_next();
}

}  // namespace railyard::nic
