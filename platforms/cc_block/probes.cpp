#include "platforms/cc_block/probes.h"

namespace railyard {

namespace {

std::string signal_name(std::string port) {
  if (port.back() != ']') return port;
  port.pop_back();
  port[port.find('[')] = '_';
  return port;
}

}  // namespace

BlockProbes::BlockProbes(const BlockType& block, ProbeRegistry& registry) {
  add(inputs_, block.inputs, block.name + ".in.", "Input", registry);
  add(outputs_, block.outputs, block.name + ".out.", "Output", registry);
  add(registers_, block.registers, block.name + ".reg.", "Register", registry);
}

void BlockProbes::add(std::vector<Probe>& probes, const std::vector<BlockPort>& ports,
                      const std::string& scope, const std::string& doc, ProbeRegistry& registry) {
  probes = std::vector<Probe>(ports.size());  // which stay where they are from now on
  for (std::size_t i = 0; i < ports.size(); ++i) {
    registry.add(probes[i], {scope + signal_name(ports[i].name),
                             ProbeKind::kUnsigned,
                             ports[i].bits,
                             "",
                             doc + " " + ports[i].name,
                             {}});
  }
}

}  // namespace railyard
