#include "tlm/sim/partition.h"

namespace railyard {

Partition::Partition(const std::string& name, std::uint64_t seed, RunControl& control)
    : seed_(seed), scheduler_(name.c_str(), control) {}

Partition::~Partition() = default;

Endpoint& Partition::endpoint(const std::string& name) {
  return endpoints_.emplace_back(Endpoint{name});
}

}  // namespace railyard
