// Registers and commands of a NIC with nothing real around them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/nic/commands.h"
#include "hw/nic/registers.h"
#include "tests/hw/nic/device_fakes.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic::device_test {

inline NicConfig device_config() {
  NicConfig config;
  config.clock = 2 * kNanosecond;
  config.stages.doorbell = {10, 3};
  config.command = 3 * kMicrosecond;
  config.limits.qps = 4;
  config.limits.cqs = 3;
  config.limits.eqs = 3;
  config.limits.pds = 2;
  config.limits.vectors = 8;
  config.limits.log_wqes = 10;
  config.limits.log_cqes = 12;
  config.limits.reads = 16;
  return config;
}

inline NicAddress device_address() {
  NicAddress address;
  address.mac.bytes = {2, 0, 0, 0, 0, 1};
  address.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1};
  return address;
}

/// What a command came to, as software reads it.
/// A good one.
inline abi::GiveMemoryInput memory_input() {
  abi::GiveMemoryInput in;
  in.address = 0x4000'0000;
  in.bytes = 0x100'0000;
  return in;
}

struct Answer {
  abi::CommandStatus status;
  std::uint32_t syndrome;
  std::uint32_t number;
};
inline bool operator==(const Answer& answer, abi::CommandStatus status) {
  return answer.status == status;
}

class DeviceBench {
 public:
  static constexpr std::uint32_t kRate = 400'000;
  static constexpr std::uint64_t kQueue = FixedDma::kBase;
  static constexpr std::uint64_t kInput = kQueue + 0x1000;
  static constexpr std::uint64_t kOutput = kQueue + 0x8000;
  static constexpr std::uint32_t kLogEntries = 2;

  explicit DeviceBench(const NicConfig& settings = device_config())
      : config(settings),
        simulation({}),
        dma(simulation.partition()),
        fakes(simulation.partition()),
        units(make_units()),
        objects(config.limits),
        commands(units, objects, fakes.parts(), health, kRate),
        registers(units, objects, fakes.parts(), health, commands) {
    units.qps = &objects.qps;
    units.control = &commands.qp_control();
    simulation.seal();
  }

  Time now() { return simulation.partition().now(); }
  void run() { simulation.run(kForever / 2); }

  void store32(std::uint64_t offset, std::uint32_t value) {
    const abi::Be32 word = value;
    std::uint8_t data[4];
    std::memcpy(data, static_cast<const void*>(&word), sizeof data);
    store(offset, data, sizeof data);
  }
  void store64(std::uint64_t offset, std::uint32_t high, std::uint32_t low) {
    const abi::Be32 words[2] = {high, low};
    std::uint8_t data[8];
    std::memcpy(data, static_cast<const void*>(words), sizeof data);
    store(offset, data, sizeof data);
  }
  void store(std::uint64_t offset, const std::uint8_t* data, std::uint32_t bytes) {
    registers.register_write(0, offset, data, bytes, 0xFF);
  }
  std::uint32_t load32(std::uint64_t offset) {
    abi::Be32 word;
    std::uint8_t data[4];
    EXPECT_EQ(registers.register_read(0, offset, data, sizeof data), pcie::Status::kSuccess);
    std::memcpy(static_cast<void*>(&word), data, sizeof data);
    return word;
  }
  static std::uint64_t uar(std::uint32_t page, std::uint64_t offset) {
    return abi::kUarBase + page * abi::kUarBytes + offset;
  }
  void ring(std::uint32_t page, std::uint32_t qpn, std::uint32_t index, std::uint32_t segments) {
    store64(uar(page, abi::uar::kSendDoorbell), index << 8 | 8, qpn << 8 | segments);
  }

  void start_queue() {
    store32(abi::reg::kCommandQueueHigh, static_cast<std::uint32_t>(kQueue >> 32));
    store32(abi::reg::kCommandQueueLow, static_cast<std::uint32_t>(kQueue) | kLogEntries << 4);
  }
  /// Up to INIT_HCA.
  void bring_up() {
    start_queue();
    abi::GiveMemoryInput memory;
    memory.address = 0x4000'0000;
    memory.bytes = 0x100'0000;
    ASSERT_EQ(command(abi::Command::kGiveMemory, memory), abi::CommandStatus::kOk);
    ASSERT_EQ(on(abi::Command::kInitHca, 0), abi::CommandStatus::kOk);
  }

  abi::CommandEntry& entry(unsigned index) {
    return *reinterpret_cast<abi::CommandEntry*>(dma.at(kQueue + index * abi::kCommandBytes));
  }
  /// Writes an entry that is the device's from then on.
  abi::CommandEntry& prepare(unsigned index, const std::vector<std::uint8_t>& image,
                             std::uint32_t output_bytes) {
    abi::CommandEntry& e = entry(index) = abi::CommandEntry{};
    std::memcpy(static_cast<void*>(e.input), image.data(), 16);
    if (image.size() > 16) std::memcpy(dma.at(kInput), image.data() + 16, image.size() - 16);
    e.input_bytes = static_cast<std::uint32_t>(image.size());
    e.input_address = kInput;
    e.output_bytes = output_bytes;
    e.output_address = kOutput;
    e.token = 0x77;
    e.status_owner = 1;
    return e;
  }
  template <class Input>
  static std::vector<std::uint8_t> image_of(abi::Command command, Input input,
                                            const std::vector<abi::Be64>& list = {}) {
    input.header.opcode = static_cast<std::uint16_t>(command);
    std::vector<std::uint8_t> image(sizeof input + list.size() * sizeof(abi::Be64));
    std::memcpy(image.data(), static_cast<const void*>(&input), sizeof input);
    if (!list.empty()) {
      std::memcpy(image.data() + sizeof input, static_cast<const void*>(list.data()),
                  image.size() - sizeof input);
    }
    return image;
  }
  Answer answer(unsigned index) {
    const abi::CommandEntry& e = entry(index);
    EXPECT_EQ(e.status_owner, 0) << "entry " << index << " is still the device's";
    abi::NumberOutput out;
    std::memcpy(static_cast<void*>(&out), static_cast<const void*>(e.output), sizeof out);
    return {static_cast<abi::CommandStatus>(out.result.status), out.result.syndrome, out.number};
  }
  /// Carries a command out, alone.
  template <class Input>
  Answer command(abi::Command command, const Input& input, const std::vector<abi::Be64>& list = {},
                 std::uint32_t output_bytes = 256) {
    prepare(0, image_of(command, input, list), output_bytes);
    store32(abi::reg::kCommandDoorbell, 1);
    run();
    return answer(0);
  }
  Answer on(abi::Command opcode, std::uint32_t number) {
    abi::NumberInput input;
    input.number = number;
    return command(opcode, input);
  }
  template <class Output>
  Output output() {
    Output out;
    auto* bytes = reinterpret_cast<std::uint8_t*>(&out);
    std::memcpy(bytes, static_cast<const void*>(entry(0).output), 16);
    if (sizeof out > 16) std::memcpy(bytes + 16, dma.at(kOutput), sizeof out - 16);
    return out;
  }

  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "nic." + name) return m.value.whole;
    }
    throw std::out_of_range("no metric " + name);
  }

  // Objects that others need; each bench has at least these after make_objects().
  void make_objects() {
    bring_up();
    pd = on(abi::Command::kAllocPd, 0).number;
    uar_number = on(abi::Command::kAllocUar, 0).number;
    eq = command(abi::Command::kCreateEq, eq_input()).number;
    cq = command(abi::Command::kCreateCq, cq_input()).number;
  }
  abi::CreateEqInput eq_input() const {
    abi::CreateEqInput in;
    in.address = 0x5000'0000;
    in.log_entries = 6;
    in.vector = 1;
    in.uar = uar_number;
    return in;
  }
  abi::CreateCqInput cq_input() const {
    abi::CreateCqInput in;
    in.address = 0x5100'0000;
    in.doorbell_record = 0x5200'0000;
    in.log_entries = 7;
    in.eq = eq;
    in.uar = uar_number;
    return in;
  }
  abi::CreateQpInput qp_input() const {
    abi::CreateQpInput in;
    in.pd = pd;
    in.uar = uar_number;
    in.send_cq = cq;
    in.receive_cq = cq;
    in.send_address = 0x6000'0000;
    in.receive_address = 0x6100'0000;
    in.doorbell_record = 0x6200'0000;
    in.log_send = 6;
    in.log_receive = 5;
    in.log_receive_stride = 4;
    return in;
  }
  /// All that the transition needs and no more.
  static abi::ModifyQpInput modify_input(std::uint32_t qp, std::uint32_t fields) {
    abi::ModifyQpInput in;
    in.number = qp;
    in.fields = fields;
    in.access = abi::access::kRemoteWrite | abi::access::kRemoteRead;
    in.path_mtu = 1024;
    in.remote_qp = 0x123456;
    in.receive_psn = 0xABCDEF;
    in.send_psn = 0x345678;
    in.min_rnr_timer = 12;
    in.timeout = 14;
    in.retry_count = 6;
    in.rnr_retry = 5;
    in.max_reads = 4;
    in.max_dest_reads = 3;
    in.traffic_class = 106;
    in.hop_limit = 33;
    const std::uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
    const std::uint8_t ip[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 9};
    std::memcpy(in.remote_mac, mac, sizeof mac);
    std::memcpy(in.remote_ip, ip, sizeof ip);
    return in;
  }
  static constexpr std::uint32_t kInitFields = abi::qp_field::kPort | abi::qp_field::kAccess;
  static constexpr std::uint32_t kRtrFields =
      abi::qp_field::kAddress | abi::qp_field::kPathMtu | abi::qp_field::kRemoteQp |
      abi::qp_field::kReceivePsn | abi::qp_field::kMaxDestReads | abi::qp_field::kMinRnrTimer;
  static constexpr std::uint32_t kRtsFields = abi::qp_field::kTimeout | abi::qp_field::kRetryCount |
                                              abi::qp_field::kRnrRetry | abi::qp_field::kSendPsn |
                                              abi::qp_field::kMaxReads;

  std::uint32_t make_qp() { return command(abi::Command::kCreateQp, qp_input()).number; }
  Answer modify(abi::Command transition, std::uint32_t qp, std::uint32_t fields) {
    return command(transition, modify_input(qp, fields));
  }
  /// A queue pair in `state`, moved there from RESET.
  void move(std::uint32_t qp, abi::QpState state) {
    ASSERT_EQ(on(abi::Command::kToReset, qp), abi::CommandStatus::kOk);
    if (state == abi::QpState::kError) {
      ASSERT_EQ(on(abi::Command::kToError, qp), abi::CommandStatus::kOk);
      return;
    }
    const auto steps = static_cast<unsigned>(state);
    constexpr abi::Command kWay[] = {abi::Command::kRstToInit, abi::Command::kInitToRtr,
                                     abi::Command::kRtrToRts};
    constexpr std::uint32_t kFields[] = {kInitFields, kRtrFields, kRtsFields};
    for (unsigned i = 0; i < steps; ++i) {
      ASSERT_EQ(modify(kWay[i], qp, kFields[i]), abi::CommandStatus::kOk);
    }
  }

  NicConfig config;
  Simulation simulation;
  FixedDma dma;
  RecordedParts fakes;
  Units units;
  Objects objects;
  DeviceHealth health;
  Commands commands;
  Registers registers;
  std::uint32_t pd = 0, uar_number = 0, eq = 0, cq = 0;

 private:
  Units make_units() {
    Units made;
    made.partition = &simulation.partition();
    made.name = "nic";
    made.config = &config;
    made.address = device_address();
    made.dma = &dma;
    made.completions = &fakes.events;
    return made;
  }
};

}  // namespace railyard::nic::device_test
