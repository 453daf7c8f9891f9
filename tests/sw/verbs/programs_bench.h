// Verbs programs on a core each, with a machine each.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/verbs/program.h"
#include "tests/sw/verbs/verbs_bench.h"

namespace railyard::support {

inline std::string path_of(const std::string& program) {
  return std::string(VERBS_PROGRAMS) + "/" + program + ".so";
}

struct ProgramsBench : CoreBench {
  static constexpr std::uint64_t kRegisters = 0x200'0000;  // apart from those of the next

  void add(const std::string& name, std::vector<std::string> arguments) {
    const std::size_t index = statuses.size();
    statuses.push_back(-1);
    devices.push_back(nullptr);
    spaces.push_back(std::make_unique<host::HostAddressSpace>(memory, 0x100'0000 * (index + 1),
                                                              std::uint64_t{0x100'0000}));
    core([this, index, name, arguments = std::move(arguments)](Core& on) {
      driver::DevicePlace place = VerbsBench::place();
      place.registers += index * kRegisters;
      verbs::Machine machine(on, *spaces[index], {place}, {});
      devices[index] = &FakeDevice::latest();
      statuses[index] = verbs::Program(path_of(name), arguments).run();
    });
  }

  std::vector<int> statuses;  // -1: it has not ended
  std::vector<FakeDevice*> devices;
  std::vector<std::unique_ptr<host::HostAddressSpace>> spaces;
};

}  // namespace railyard::support
