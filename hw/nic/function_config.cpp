// What a NIC's PCIe function looks like.
#include "hw/nic/nic.h"
#include "hw/nic/nic_abi.h"

namespace railyard::nic {

pcie::EndpointConfig function_config(const NicConfig& config) {
  pcie::EndpointConfig function = config.function;
  function.identity = {abi::kVendor, abi::kDevice, abi::kClassCode, 0, false};
  function.bars = {};
  function.bars[abi::kRegisterBar] = {abi::kRegisterBarBytes, true, true};
  function.bars[abi::kMsixBar] = {abi::kMsixBarBytes, false, false};
  function.msix = {config.limits.vectors, abi::kMsixBar, 0, abi::kMsixBar,
                   static_cast<std::uint32_t>(abi::kMsixPendingOffset)};
  return function;
}

}  // namespace railyard::nic
