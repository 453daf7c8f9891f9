#include "hw/pcie/credit_pools.h"

namespace railyard::pcie {

namespace {

struct Names {
  const char* headers;
  const char* data;
  const char* text;
};

constexpr std::array<Names, kFlowClasses> kNames = {{
    {"ph", "pd", "posted"},
    {"nph", "npd", "non-posted"},
    {"cplh", "cpld", "completion"},
}};

}  // namespace

CreditPools::CreditPools(Partition& partition, const std::string& name, const std::string& holder) {
  constexpr std::uint32_t kWidth = 16;
  for (std::size_t i = 0; i < kFlowClasses; ++i) {
    Pool& pool = pools_[i];
    const std::string text = kNames[i].text;
    partition.probes().add(pool.headers_left, {name + ".credits." + kNames[i].headers,
                                               ProbeKind::kUnsigned,
                                               kWidth,
                                               "credits",
                                               "Header credits left for " + text +
                                                   " TLPs; 0 throughout "
                                                   "if they are infinite",
                                               {}});
    partition.probes().add(pool.data_left, {name + ".credits." + kNames[i].data,
                                            ProbeKind::kUnsigned,
                                            kWidth,
                                            "credits",
                                            "Data credits of 16 B left for " + text + " TLPs",
                                            {}});
    partition.waits().add(pool.waiting, {name, holder, text + " credits"});
  }
}

void CreditPools::advertise(const CreditConfig& config) {
  const std::array<std::pair<std::uint32_t, std::uint32_t>, kFlowClasses> limits = {{
      {config.posted_headers, config.posted_data},
      {config.non_posted_headers, config.non_posted_data},
      {config.completion_headers, config.completion_data},
  }};
  for (std::size_t i = 0; i < kFlowClasses; ++i) {
    pools_[i].header_limit = limits[i].first;
    pools_[i].data_limit = limits[i].second;
    pools_[i].finite = limits[i].first != 0;
    show(pools_[i], 0);
  }
}

void CreditPools::update(FlowClass flow_class, std::uint64_t headers, std::uint64_t data,
                         Time now) {
  Pool& pool = pools_[static_cast<std::size_t>(flow_class)];
  pool.header_limit = headers;
  pool.data_limit = data;
  show(pool, now);
}

}  // namespace railyard::pcie
