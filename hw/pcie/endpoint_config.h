// Parameters of an endpoint.
#pragma once

#include <cstdint>

#include "hw/pcie/completer.h"
#include "hw/pcie/config_space.h"
#include "hw/pcie/link_config.h"
#include "hw/pcie/requester.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

/// Identity and BARs are the device's own; the rest may be configured.
struct EndpointConfig {
  FunctionIdentity identity;
  BarShapes bars{};
  MsixShape msix{0, 0, 0, 0, 0};  // no vectors: no MSI-X

  std::uint32_t max_payload = 256;
  Time register_write_latency = 50 * kNanosecond;
  Time register_read_latency = 350 * kNanosecond;
  RequesterConfig dma;
  CompleterConfig memory;
  CreditConfig credits;

  void declare(Parameters& p);
};

}  // namespace railyard::pcie
