// Parameters of a root complex.
#pragma once

#include <cstdint>

#include "hw/pcie/completer.h"
#include "hw/pcie/iommu.h"
#include "hw/pcie/link_config.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

struct RootComplexConfig {
  std::uint32_t max_payload = 256;
  Time request_latency = 130 * kNanosecond;
  Time outbound_latency = 90 * kNanosecond;
  Time answer_latency = 90 * kNanosecond;
  std::uint32_t posted_writes = 32;
  Time completion_timeout = 50 * kMillisecond;
  CompleterConfig completer;
  IommuConfig iommu;
  CreditConfig credits;

  void declare(Parameters& p);
};

}  // namespace railyard::pcie
