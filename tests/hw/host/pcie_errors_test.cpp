// What the standard calls errors, and what a host's set-up may get wrong: each is reported with the
// names of both ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/host/system_bench.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

namespace cfg = pcie::config;
using pcie::DeviceId;
using pcie::Status;
using support::SystemBench;
using support::SystemConfig;

constexpr std::uint64_t kNowhere = (1ULL << 38) + (1ULL << 30);  // in a window, of nobody

std::uint32_t bit(pcie::UncorrectableError error) { return 1U << static_cast<unsigned>(error); }

/// The uncorrectable errors that a function has logged, as a core reads them.
std::uint32_t logged(SystemBench& bench, Core& core, DeviceId id) {
  const Address at = bench.extended_address(id, cfg::kAerCapability, cfg::kUncorrectableStatus);
  return static_cast<std::uint32_t>(core.load(at, 4));
}

std::uint32_t command(SystemBench& bench, Core& core, DeviceId id) {
  return static_cast<std::uint32_t>(core.load(bench.config_address(id, cfg::kCommand), 4));
}

DeviceId root_port(unsigned index) { return pcie::RootComplex::port_id(index); }

TEST(PcieErrors, ADevicesReadOfNowhereIsUnsupportedAndItsWriteIsLost) {
  SystemBench bench{SystemConfig{}};
  bench.run([&](Core& core) {
    EXPECT_EQ(logged(bench, core, root_port(0)), 0U);
    const auto read = bench.device(0).read(kNowhere, 64);
    bench.device(0).write(kNowhere + 64, {1, 2, 3, 4});
    core.spend(support::kQuiet);
    EXPECT_EQ(bench.device(0).done_of(read).status, Status::kUnsupportedRequest);
    EXPECT_EQ(logged(bench, core, root_port(0)),
              bit(pcie::UncorrectableError::kUnsupportedRequest));
    // The header of the first: a read with a 64-bit address, of 16 dwords; then its address.
    const auto header = [&](unsigned i) {
      return core.load(
          bench.extended_address(root_port(0), cfg::kAerCapability, cfg::kHeaderLog + 4 * i), 4);
    };
    EXPECT_EQ(header(0), 0x20000010U);
    EXPECT_EQ(header(1) >> 16, 0x0100U) << "the requester";
    EXPECT_EQ(header(2), kNowhere >> 32);
    EXPECT_EQ(header(3), kNowhere & 0xFFFFFFFF);
    EXPECT_NE(command(bench, core, bench.device(0).endpoint.id()) & cfg::kReceivedMasterAbort, 0U);
    // A write of 1 clears it.
    core.store(bench.extended_address(root_port(0), cfg::kAerCapability, cfg::kUncorrectableStatus),
               ~0U, 4);
    EXPECT_EQ(logged(bench, core, root_port(0)), 0U);
  });
  EXPECT_TRUE(bench.reported({"host.root.port0: unsupported request", "a read of 64 B", "(nobody)",
                              "from dev0 (01:00.0)"}))
      << bench.errors();
  EXPECT_TRUE(bench.reported(
      {"host.root.port0: unsupported request", "a write of 4 B", "from dev0 (01:00.0)"}))
      << bench.errors();
}

TEST(PcieErrors, ACoresAccessOfNowhereReadsAllOnes) {
  SystemBench bench{SystemConfig{}};
  bench.run([&](Core& core) {
    EXPECT_EQ(core.load(kNowhere, 8), ~0ULL);
    EXPECT_EQ(core.load(kNowhere + 4, 2), 0xFFFFU);
    core.store(kNowhere, 1, 4);
    // In the device's window, and not in its BARs.
    EXPECT_EQ(core.load(bench.bar(0, 0) + 0x80000, 4), 0xFFFFFFFFU);
    core.store(bench.bar(0, 0) + 0x80000, 1, 4);
    core.spend(support::kQuiet);
    EXPECT_EQ(logged(bench, core, bench.device(0).endpoint.id()),
              bit(pcie::UncorrectableError::kUnsupportedRequest));
    const std::uint64_t status =
        core.load(bench.config_address(root_port(0), cfg::kSecondaryStatus), 4);
    EXPECT_NE(status & cfg::kReceivedMasterAbort, 0U);
  });
  EXPECT_TRUE(bench.reported({"host.root", "a core's read of 8 B", "(nobody)"})) << bench.errors();
  EXPECT_TRUE(bench.reported({"host.root", "a core's write of 4 B", "(nobody)", "lost"}))
      << bench.errors();
  EXPECT_TRUE(
      bench.reported({"dev0: unsupported request", "a read of 4 B", "from the cores (00:00.0)"}))
      << bench.errors();
  EXPECT_TRUE(
      bench.reported({"dev0: unsupported request", "a write of 4 B", "from the cores (00:00.0)"}))
      << bench.errors();
  EXPECT_EQ(bench.host.errors().entries().at(0).who, "host.core0");
  EXPECT_TRUE(bench.device(0).writes.empty());
}

TEST(PcieErrors, AnAccessBeyondTheEndOfABarIsRefusedWhole) {
  SystemConfig config;
  config.direct = 2;
  config.endpoint.bars[4] = {256, true, true};  // of registers
  SystemBench bench{config};
  bench.run([&](Core& core) {
    bench.device(0).write(bench.bar(1, 4) + 248, std::vector<std::uint8_t>(8, 1));
    bench.device(0).write(bench.bar(1, 4) + 248, std::vector<std::uint8_t>(16, 1));
    core.spend(support::kQuiet);
  });
  ASSERT_EQ(bench.device(1).writes.size(), 1U);
  EXPECT_EQ(bench.device(1).writes[0].bytes.size(), 8U);
  EXPECT_TRUE(bench.reported({"dev1: unsupported request: a write of 16 B", "from dev0"}))
      << bench.errors();
}

void move_bar(SystemBench& bench, Core& core, std::size_t device, unsigned bar,
              std::uint64_t base) {
  const Address at = bench.config_address(bench.device(device).endpoint.id(), cfg::kBar0 + 4 * bar);
  core.store(at + 4, base >> 32, 4);
  core.store(at, base & 0xFFFFFFFF, 4);
}

TEST(PcieErrors, OverlappingBarsAreReportedAndTheBridgesWindowsDecide) {
  SystemConfig config;
  config.direct = 2;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    const std::uint64_t first = bench.bar(0, 0);
    move_bar(bench, core, 1, 0, first);
    core.store(first + 16, 0xAB, 4);
    core.spend(support::kQuiet);
  });
  ASSERT_EQ(bench.device(0).writes.size(), 1U);
  EXPECT_TRUE(bench.device(1).writes.empty());
  EXPECT_TRUE(bench.reported(
      {"dev1: dev1 BAR 0 (0x4000000000 + 64KiB)", "overlaps dev0 BAR 0 (0x4000000000 + 64KiB)"}))
      << bench.errors();
}

TEST(PcieErrors, OfOverlappingBarsOfOneFunctionTheLowerAnswers) {
  SystemConfig config;
  config.device_memory = 1U << 12;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    const std::uint64_t first = bench.bar(0, 0);
    move_bar(bench, core, 0, 4, first + 0x1000);
    core.store(first + 0x1000, 0xAB, 4);
    core.spend(support::kQuiet);
  });
  ASSERT_EQ(bench.device(0).writes.size(), 1U);
  EXPECT_EQ(bench.memories[0]->written, 0U);
  EXPECT_TRUE(bench.reported({"dev0: dev0 BAR 0", "overlaps dev0 BAR 4"})) << bench.errors();
}

TEST(PcieErrors, ABarOverHostMemoryIsReportedAndMemoryAnswers) {
  SystemConfig config;
  config.direct = 2;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    move_bar(bench, core, 1, 0, support::kMemory);
    bench.device(0).write(support::kMemory, {1, 2, 3, 4});
    core.spend(support::kQuiet);
    EXPECT_EQ(core.load(support::kMemory, 4), 0x04030201U);
  });
  EXPECT_TRUE(bench.device(1).writes.empty());
  EXPECT_TRUE(bench.reported({"dev1", "BAR 0", "overlaps host memory"})) << bench.errors();
}

TEST(PcieErrors, ABridgesWindowThatDoesNotCoverItsDeviceNamesTheBar) {
  SystemConfig config;
  config.direct = 1;
  config.below_switch = 2;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    // The first downstream port's window is closed, then that of root port 0.
    const DeviceId downstream = DeviceId::of(bench.device(1).endpoint.id().bus() - 1, 0);
    core.store(bench.config_address(downstream, cfg::kPrefetchableBase), 0x0000FFF0, 4);
    core.store(bench.config_address(root_port(0), cfg::kPrefetchableBase), 0x0000FFF0, 4);
    core.spend(support::kQuiet);
    EXPECT_EQ(core.load(bench.bar(0, 0), 4), 0xFFFFFFFFU);
    EXPECT_EQ(core.load(bench.bar(1, 0), 4), 0xFFFFFFFFU);
    core.store(bench.bar(0, 0), 1, 4);
    core.store(bench.bar(1, 0), 1, 4);
    const auto ticket = bench.device(2).read(bench.bar(1, 0), 4);
    core.spend(support::kQuiet);
    EXPECT_EQ(bench.device(2).done_of(ticket).status, Status::kUnsupportedRequest);
    EXPECT_EQ(core.load(bench.bar(2, 0), 4), 0x03020100U) << "its neighbour is reached";
  });
  EXPECT_TRUE(bench.device(0).writes.empty());
  EXPECT_TRUE(bench.device(1).writes.empty());
  EXPECT_TRUE(bench.reported({"host.root", "a core's read of 4 B", "(dev0 BAR 0)"}))
      << bench.errors();
  EXPECT_TRUE(bench.reported({"host.root", "a core's write of 4 B", "(dev0 BAR 0)"}))
      << bench.errors();
  EXPECT_TRUE(bench.reported(
      {"switch0.up: unsupported request", "a read of 4 B", "(dev1 BAR 0)", "from the cores"}))
      << bench.errors();
  EXPECT_TRUE(bench.reported({"switch0.down1: unsupported request", "(dev1 BAR 0)", "from dev2"}))
      << bench.errors();
}

TEST(PcieErrors, AnEndpointThatNeverAnswersIsACompletionTimeout) {
  SystemConfig config;
  config.direct = 2;
  config.host.root.completion_timeout = 50 * kMicrosecond;
  config.endpoint.dma.completion_timeout = 60 * kMicrosecond;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    bench.device(1).read_status = Status::kTimeout;
    const Time start = core.now();
    EXPECT_EQ(core.load(bench.bar(1, 0) + 8, 4), 0xFFFFFFFFU);
    const Time took = core.now() - start;
    EXPECT_GE(took, config.host.root.completion_timeout);
    EXPECT_LE(took, config.host.root.completion_timeout + kMicrosecond);
    const auto ticket = bench.device(0).read(bench.bar(1, 0) + 16, 8);
    const Time asked = core.now();
    core.spend(100 * kMicrosecond);
    const auto& done = bench.device(0).done_of(ticket);
    EXPECT_EQ(done.status, Status::kTimeout);
    EXPECT_EQ(done.at - asked, config.endpoint.dma.completion_timeout);
    EXPECT_EQ(logged(bench, core, root_port(1)), bit(pcie::UncorrectableError::kCompletionTimeout));
    EXPECT_EQ(logged(bench, core, bench.device(0).endpoint.id()),
              bit(pcie::UncorrectableError::kCompletionTimeout));
    bench.device(1).read_status = Status::kSuccess;
    EXPECT_EQ(core.load(bench.bar(1, 0) + 8, 4), 0x0B0A0908U) << "the next one is answered";
  });
  EXPECT_EQ(bench.metric("host.root.timeouts"), 1);
  EXPECT_EQ(bench.metric("dev0.dma.timeouts"), 1);
  EXPECT_TRUE(
      bench.reported({"host.root", "completion timeout", "a core's read of 4 B", "(dev1 BAR 0)"}))
      << bench.errors();
  EXPECT_TRUE(bench.reported({"dev0.dma", "completion timeout", "8 B", "(dev1 BAR 0)"}))
      << bench.errors();
}

TEST(PcieErrors, ACompleterAbortIsLoggedAtBothEnds) {
  SystemConfig config;
  config.direct = 2;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    const DeviceId asker = bench.device(0).endpoint.id();
    const DeviceId asked = bench.device(1).endpoint.id();
    // Registers are read by 8 B at most.
    const auto wide = bench.device(0).read(bench.bar(1, 0), 16);
    core.spend(support::kQuiet);
    EXPECT_EQ(bench.device(0).done_of(wide).status, Status::kCompleterAbort);
    EXPECT_EQ(logged(bench, core, asked), bit(pcie::UncorrectableError::kCompleterAbort));
    EXPECT_NE(command(bench, core, asker) & cfg::kReceivedTargetAbort, 0U);
    EXPECT_TRUE(bench.reported({"dev1: completer abort", "16 B", "from dev0 (01:00.0)"}))
        << bench.errors();
    EXPECT_TRUE(
        bench.reported({"dev0.dma: completer abort from dev1 (02:00.0)", "16 B", "(dev1 BAR 0)"}))
        << bench.errors();
    bench.device(1).read_status = Status::kCompleterAbort;
    EXPECT_EQ(core.load(bench.bar(1, 0), 4), 0xFFFFFFFFU);
    const std::uint64_t status =
        core.load(bench.config_address(root_port(1), cfg::kSecondaryStatus), 4);
    EXPECT_NE(status & cfg::kReceivedTargetAbort, 0U);
  });
  EXPECT_TRUE(bench.reported({"dev1: completer abort", "from the cores"})) << bench.errors();
  EXPECT_TRUE(bench.reported(
      {"host.root: completer abort from dev1", "a core's read of 4 B", "(dev1 BAR 0)"}))
      << bench.errors();
}

// A BAR of 64 KiB, of which 4 KiB are there.
TEST(PcieErrors, ABarWithoutMemoryBehindItAborts) {
  SystemConfig config;
  config.direct = 2;
  config.endpoint.bars[4] = {1U << 16, true, true};
  SystemBench bench{config};
  support::DeviceMemory memory(bench.host.hierarchy(), "memory", 4096);
  bench.device(1).endpoint.put_memory(4, memory);
  bench.run([&](Core& core) {
    const auto there = bench.device(0).read(bench.bar(1, 4), 64);
    const auto beyond = bench.device(0).read(bench.bar(1, 4) + 4096, 64);
    bench.device(0).write(bench.bar(1, 4) + 8192, {1});
    core.spend(support::kQuiet);
    EXPECT_EQ(bench.device(0).done_of(there).status, Status::kSuccess);
    EXPECT_EQ(bench.device(0).done_of(beyond).status, Status::kCompleterAbort);
    EXPECT_EQ(logged(bench, core, bench.device(1).endpoint.id()),
              bit(pcie::UncorrectableError::kCompleterAbort));
  });
  EXPECT_TRUE(bench.reported({"dev1: completer abort: a read of 64 B", "from dev0"}))
      << bench.errors();
  EXPECT_TRUE(bench.reported({"dev1: completer abort: a write of 1 B", "from dev0"}))
      << bench.errors();
}

TEST(PcieErrors, AFunctionThatIsNoBusMasterSendsNothing) {
  SystemBench bench{SystemConfig{}};
  bench.run([&](Core& core) {
    bench.set_vector(core, 0, 0, 40);
    bench.enable_msix(core, 0);
    const Address at = bench.config_address(bench.device(0).endpoint.id(), cfg::kCommand);
    core.store(at, cfg::kMemorySpace, 4);
    core.spend(support::kQuiet);
    const double before = bench.metric("dev0.port.tx_tlps");
    const auto read = bench.device(0).read(support::kMemory, 64);
    const auto write = bench.device(0).write(support::kMemory, {1});
    bench.device(0).endpoint.interrupt(0);
    core.spend(support::kQuiet);
    EXPECT_EQ(bench.metric("dev0.port.tx_tlps"), before);
    EXPECT_EQ(bench.device(0).done_of(read).status, Status::kUnsupportedRequest);
    EXPECT_EQ(bench.device(0).done_of(write).status, Status::kUnsupportedRequest);
    EXPECT_EQ(bench.host.interrupts().count(40), 0U);
    EXPECT_EQ(core.load(bench.bar(0, 2) + 0x4000, 4), 1U) << "the interrupt is pending";
    core.store(at, cfg::kMemorySpace | cfg::kBusMaster, 4);
    core.wait_interrupt(40);
    EXPECT_EQ(bench.host.interrupts().count(40), 1U);
  });
  EXPECT_TRUE(bench.reported({"dev0: a transfer of 64 B", "bus master"})) << bench.errors();
}

TEST(PcieErrors, ABridgeThatIsNoBusMasterPassesNothingOn) {
  SystemConfig config;
  config.direct = 1;
  config.below_switch = 2;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    const DeviceId upstream = DeviceId::of(bench.device(1).endpoint.id().bus() - 2, 0);
    const DeviceId downstream = DeviceId::of(upstream.bus() + 1, 0);
    core.store(bench.config_address(root_port(0), cfg::kCommand), cfg::kMemorySpace, 4);
    core.store(bench.config_address(upstream, cfg::kCommand), cfg::kMemorySpace, 4);
    const auto status = [&](std::size_t device, std::uint64_t address) {
      const auto ticket = bench.device(device).read(address, 4);
      core.spend(support::kQuiet);
      return bench.device(device).done_of(ticket).status;
    };
    EXPECT_EQ(status(0, support::kMemory), Status::kUnsupportedRequest);
    EXPECT_EQ(status(1, support::kMemory), Status::kUnsupportedRequest);
    EXPECT_EQ(status(1, bench.bar(2, 0)), Status::kSuccess) << "it does not go upstream";
    core.store(bench.config_address(downstream, cfg::kCommand), cfg::kMemorySpace, 4);
    EXPECT_EQ(status(1, bench.bar(2, 0)), Status::kUnsupportedRequest);
    EXPECT_EQ(status(2, bench.bar(1, 0)), Status::kSuccess);
    EXPECT_EQ(core.load(bench.bar(1, 0), 1), 0U) << "downstream it passes on";
  });
  EXPECT_TRUE(bench.reported({"host.root.port0", "(host memory)", "from dev0"})) << bench.errors();
  EXPECT_TRUE(bench.reported({"switch0.down0", "(host memory)", "from dev1"})) << bench.errors();
}

/// Two ends that hear nothing.
struct Deaf : pcie::PortClient {
  void received(pcie::Port&, pcie::TlpRef) override {}
  void sending(pcie::Port&, const pcie::Tlp&) override {}
};

TEST(PcieErrors, EndsOfOtherWidthOrSpeedAreNotJoined) {
  support::FreshKernel kernel;
  Simulation simulation(SimulationConfig{});
  pcie::Hierarchy hierarchy("pcie", simulation.partition());
  Deaf deaf;
  pcie::LinkConfig wide;
  pcie::LinkConfig narrow;
  narrow.lanes = 8;
  pcie::LinkConfig slow;
  slow.generation = 3;
  pcie::Port a(hierarchy, "root.port0", "nic.port", wide, {}, deaf);
  pcie::Port b(hierarchy, "nic.port", "root.port0", narrow, {}, deaf);
  pcie::Port c(hierarchy, "gpu.port", "root.port0", slow, {}, deaf);
  pcie::Port d(hierarchy, "dpu.port", "root.port0", wide, {}, deaf);
  const auto refusal = [](pcie::Port& one, pcie::Port& other) {
    try {
      pcie::join(one, other);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(a, b), testing::AllOf(testing::HasSubstr("root.port0 is Gen5 x16"),
                                            testing::HasSubstr("nic.port is Gen5 x8")));
  EXPECT_THAT(refusal(c, a), testing::AllOf(testing::HasSubstr("root.port0 is Gen5 x16"),
                                            testing::HasSubstr("gpu.port is Gen3 x16")));
  EXPECT_EQ(refusal(a, d), "");
  EXPECT_EQ(&a.peer(), &d);
}

}  // namespace
}  // namespace railyard
