#include "tests/bench/pcie_cases.h"

#include <cstdint>
#include <utility>

#include <systemc>

#include "tests/hw/host/system_bench.h"

namespace railyard::bench {

namespace {

/// Transfers of one device with memory over one Gen5 x16 link, elided, in 16 pages of memory.
struct DeviceLoad {
  bool read = false;
  std::uint32_t bytes = 256;
  unsigned outstanding = 32;
  std::uint64_t transfers = 200'000;
  bool eager = false;
};

class Driver {
 public:
  Driver(support::SystemBench& system, const DeviceLoad& load)
      : device_(system.device(0)), base_(system.host.memory().config().base), load_(load) {
    device_.keeps = false;
    device_.on_done = [this](const support::TestDevice::Done&) { next(); };
  }
  void start() {
    for (unsigned i = 0; i < load_.outstanding; ++i) next();
  }

 private:
  void next() {
    constexpr std::uint64_t kPages = 16;
    constexpr std::uint64_t kPage = 4096;
    if (given_ == load_.transfers) return;
    const std::uint64_t address = base_ + given_++ % kPages * kPage;
    if (load_.read) {
      device_.read(address, load_.bytes, true);
    } else {
      device_.write_elided(address, load_.bytes);
    }
  }

  support::TestDevice& device_;
  std::uint64_t base_;
  DeviceLoad load_;
  std::uint64_t given_ = 0;
};

Sample transfers(const DeviceLoad& load) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  support::SystemConfig config;
  config.checks = false;
  config.eager = load.eager;
  config.data = DataMode::kElided;
  support::SystemBench system(config);
  Driver driver(system, load);
  Sample sample;
  std::uint64_t before = 0;
  sample.seconds = seconds_of([&] {
    system.run([&](Core&) {
      before = system.simulation.kernel_events();
      driver.start();
    });
  });
  sample.operations = load.transfers;
  sample.kernel_events = system.simulation.kernel_events() - before;
  return sample;
}

}  // namespace

std::vector<Case> pcie_cases() {
  constexpr double kTlp = 10;  // raw kernel events of time a TLP
  DeviceLoad write;
  DeviceLoad read;
  read.read = true;
  DeviceLoad page;
  page.bytes = 4096;
  page.outstanding = 1;
  page.transfers = 20'000;
  DeviceLoad page_read = page;
  page_read.read = true;
  DeviceLoad stepped = write;
  stepped.eager = true;
  return {
      {"pcie.write_256",
       "TLP",
       "A write of 256 B from a device into memory, 32 at once",
       kTlp,
       {},
       [write] { return transfers(write); }},
      {"pcie.read_256",
       "read",
       "A read of 256 B, two TLPs, 32 at once",
       2 * kTlp,
       {},
       [read] { return transfers(read); }},
      {"pcie.write_4k",
       "write",
       "A write of 4 KiB, 16 TLPs, alone",
       16 * kTlp,
       {},
       [page] { return transfers(page); }},
      {"pcie.read_4k",
       "read",
       "A read of 4 KiB, 24 TLPs, alone",
       24 * kTlp,
       {},
       [page_read] { return transfers(page_read); }},
      {"pcie.write_stepped",
       "TLP",
       "pcie.write_256 with each step on time, as a traced run",
       {},
       {},
       [stepped] { return transfers(stepped); }},
  };
}

}  // namespace railyard::bench
