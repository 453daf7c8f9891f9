// Modules of others before and behind a real root complex: a foreign processor reaches a foreign
// memory, and a device's memory over a link; the device reaches the foreign memory by DMA. All at
// once, with checkers on every border and on the link.
#include <gmock/gmock.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/pcie/config_registers.h"
#include "hw/pcie/endpoint.h"
#include "hw/pcie/root_complex.h"
#include "hw/pcie/tlm_memory.h"
#include "hw/pcie/tlm_target.h"
#include "hw/pcie/transaction_checker.h"
#include "tests/hw/pcie/pair_bench.h"
#include "tests/support/foreign/base_protocol_checker.h"
#include "tests/support/foreign/foreign_initiator.h"
#include "tests/support/foreign/foreign_memory.h"

namespace railyard::pcie {
namespace {

using testing::IsEmpty;

constexpr std::uint64_t kMemory = 0x1'0000'0000;  // half for the processor, half for DMA
constexpr std::uint64_t kHalf = 0x10000;
constexpr std::uint64_t kBar = 0xC000'0000;
constexpr std::uint64_t kBarBytes = 0x10000;

class Listeners : public CpuListener {
 public:
  void cpu_read_done(std::uint64_t ticket, Status status, std::uint64_t value) override {
    if (ticket < of_ticket.size()) of_ticket[ticket]->cpu_read_done(ticket, status, value);
  }
  void cpu_room() override {
    for (CpuListener* listener : of_ticket) listener->cpu_room();
  }
  std::vector<CpuListener*> of_ticket;
};

struct NoInterrupts : InterruptSink {
  void interrupt(std::uint32_t /*data*/) override { FAIL() << "nobody raises one"; }
};

/// Writes pages and reads them back, each in its own place, and compares.
class Mover : public DmaListener {
 public:
  Mover(Hierarchy& hierarchy, Endpoint& endpoint) : hierarchy_(hierarchy), endpoint_(endpoint) {}
  void start(unsigned rounds) {
    rounds_ = rounds;
    hierarchy_.partition().open_work(rounds);
    write();
  }
  void dma_done(const DmaDone& done) override {
    if (done.ticket == 0) {
      read();
      return;
    }
    EXPECT_EQ(done.status, Status::kSuccess);
    ASSERT_TRUE(done.payload);
    EXPECT_EQ(std::memcmp(done.payload->data(), sent_.data(), sent_.size()), 0) << rounds_;
    hierarchy_.partition().close_work();
    if (--rounds_ > 0) write();
  }
  unsigned left() const { return rounds_; }

 private:
  void write() {
    const std::size_t bytes = 1 + rounds_ * 37 % 4096;
    sent_.resize(bytes);
    for (std::size_t i = 0; i < bytes; ++i) sent_[i] = static_cast<std::uint8_t>(i * 11 + rounds_);
    address_ = kMemory + kHalf + rounds_ * 129 % (kHalf - 4096);
    DmaRequest request;
    request.write = true;
    request.address = address_;
    request.bytes = static_cast<std::uint32_t>(bytes);
    request.payload = hierarchy_.payloads().acquire();
    request.payload->resize(bytes);
    std::memcpy(request.payload->data(), sent_.data(), bytes);
    endpoint_.dma(std::move(request), *this);
  }
  void read() {
    DmaRequest request;
    request.address = address_;
    request.bytes = static_cast<std::uint32_t>(sent_.size());
    request.fenced = true;
    request.ticket = 1;
    endpoint_.dma(std::move(request), *this);
  }

  Hierarchy& hierarchy_;
  Endpoint& endpoint_;
  std::vector<std::uint8_t> sent_;
  std::uint64_t address_ = 0;
  unsigned rounds_ = 0;
};

foreign::InitiatorConfig processor(std::uint64_t base, std::uint64_t bytes, bool blocking) {
  foreign::InitiatorConfig config;
  config.blocking = blocking;
  config.count = 10'000;
  config.base = base;
  config.size = bytes;
  config.longest = 256;
  config.streaming_refused = true;
  config.one_run_of_enables = base == kBar;
  return config;
}

foreign::MemoryConfig foreign_memory() {
  foreign::MemoryConfig config;
  config.size = 2 * kHalf;
  config.jitter = sc_core::sc_time(30, sc_core::SC_NS);
  config.out_of_order = true;
  config.percent_updated = config.percent_implied = config.percent_completed = 10;
  return config;
}

TlmMemoryConfig adapter(TlmStyle style) {
  TlmMemoryConfig config;
  config.base = kMemory;
  config.size = 2 * kHalf;
  config.target_base = 0;
  config.style = style;
  config.burst = 64;
  return config;
}

EndpointConfig endpoint_config() {
  EndpointConfig config;
  config.identity.vendor = 0x1AF0;
  config.bars[0] = {kBarBytes, false, false};
  return config;
}

RootComplex::Windows windows() {
  RootComplex::Windows windows;
  windows.devices = {{kBar, 1U << 20}};
  return windows;
}

struct Processor {
  Processor(const std::string& name, const foreign::InitiatorConfig& config, LazyScheduler& steps,
            MemoryPort& memory, CpuPort& devices, std::uint64_t ticket)
      : initiator(name.c_str(), config),
        checker((name + "_checker").c_str()),
        target((name + "_target").c_str(), steps, memory, devices, ticket, {}) {
    initiator.socket.bind(checker.in);
    checker.out.bind(target.socket);
  }
  void check() {
    EXPECT_TRUE(initiator.finished());
    EXPECT_THAT(initiator.faults(), IsEmpty());
    checker.check_end();
    EXPECT_THAT(checker.violations(), IsEmpty());
    EXPECT_EQ(initiator.payloads_held(), 0U);
  }
  foreign::ForeignInitiator initiator;
  foreign::BaseProtocolChecker checker;
  TlmTarget target;
};

class ForeignRoot : public testing::TestWithParam<std::pair<bool, TlmStyle>> {
 protected:
  ForeignRoot()
      : simulation({}),
        hierarchy("pcie", simulation.partition()),
        memory("way_to_memory", hierarchy.scheduler(), adapter(GetParam().second)),
        back("back"),
        others_memory("others_memory", foreign_memory()),
        root("root", hierarchy, {}, {{LinkConfig{}, "device.port"}}, memory, interrupts, windows()),
        endpoint("device", hierarchy, endpoint_config(), LinkConfig{}, root.port(0).name()),
        device_memory(hierarchy, kBarBytes, 100 * kNanosecond),
        to_memory("to_memory", processor(kMemory, kHalf, GetParam().first), hierarchy.scheduler(),
                  memory, root, 0),
        to_device("to_device", processor(kBar, kBarBytes, GetParam().first), hierarchy.scheduler(),
                  memory, root, 1),
        mover(hierarchy, endpoint),
        start_(Event::of<&ForeignRoot::begin>(*this, simulation.partition().endpoint("start"),
                                              Phase::kAct)) {
    memory.socket.bind(back.in);
    back.out.bind(others_memory.socket);
    endpoint.put_memory(0, device_memory);
    Port::connect(root.port(0), endpoint.port());
    check_link(hierarchy, root.port(0), endpoint.port());
    endpoint.requester().set_observer(
        &simulation.partition().add_checker<TransactionChecker>("device", RequesterLimits{}));
    listeners.of_ticket = {&to_memory.target, &to_device.target};
    root.set_listener(listeners);
    ConfigSpace& bridge = root.port_config(0);
    bridge.write(config::kBusNumbers, 0x00010100);
    bridge.write(config::kMemoryBase, 0xC000C000);
    bridge.write(config::kCommand, config::kMemorySpace | config::kBusMaster);
    endpoint.config().write(config::kBar0, static_cast<std::uint32_t>(kBar));
    endpoint.config().write(config::kCommand, config::kMemorySpace | config::kBusMaster);
    simulation.seal();
  }

  void begin() {
    if (!endpoint_known_) {
      // By its first configuration request a function learns its id.
      endpoint_known_ = true;
      constexpr std::uint64_t kNobody = 99;
      root.config_read(DeviceId::of(1, 0), 0, kNobody);
      simulation.partition().scheduler().schedule_in(start_, 10 * kMicrosecond);
      return;
    }
    mover.start(2000);
  }

  Simulation simulation;
  Hierarchy hierarchy;
  NoInterrupts interrupts;
  TlmMemory memory;
  foreign::BaseProtocolChecker back;
  foreign::ForeignMemory others_memory;
  RootComplex root;
  Endpoint endpoint;
  bench::PlainMemory device_memory;
  Processor to_memory, to_device;
  Listeners listeners;
  Mover mover;
  Event start_;
  bool endpoint_known_ = false;
};

TEST_P(ForeignRoot, ProcessorMemoryAndDeviceMeetWithoutKnowingOfUs) {
  simulation.partition().scheduler().schedule(start_, 0);
  EXPECT_EQ(simulation.run(kForever / 2), RunEnd::kDrained);
  EXPECT_EQ(mover.left(), 0U);
  to_memory.check();
  to_device.check();
  back.check_end();
  EXPECT_THAT(back.violations(), IsEmpty());
  EXPECT_TRUE(to_memory.initiator.verify());
  EXPECT_EQ(device_memory.bytes(), to_device.initiator.shadow());
  EXPECT_EQ(hierarchy.error_count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Styles, ForeignRoot,
                         testing::Values(std::pair(true, TlmStyle::kLooselyTimed),
                                         std::pair(true, TlmStyle::kApproximatelyTimed),
                                         std::pair(false, TlmStyle::kLooselyTimed),
                                         std::pair(false, TlmStyle::kApproximatelyTimed)));

}  // namespace
}  // namespace railyard::pcie
