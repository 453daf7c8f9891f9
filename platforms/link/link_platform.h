// Two tester ports on one link: the smallest fabric, and a look at PFC from both sides.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "hw/tester/flow.h"
#include "hw/tester/tester_config.h"
#include "platforms/common/platform.h"
#include "tlm/link/link_config.h"

namespace railyard {

/// What a sending node sends: RDMA writes back to back.
struct TrafficConfig {
  std::uint64_t messages = 16;
  Bytes message_size = kibibytes(64);
  std::uint32_t path_mtu = 4096;
  std::uint8_t priority = 3;
  std::uint8_t dscp = 26;
  std::optional<std::uint16_t> vlan;

  void declare(Parameters& p);
};

struct LinkNodeConfig {
  TesterAddress address;
  bool sends = true;
  Time start = 0;
  TesterConfig tester;

  void declare(Parameters& p);
};

struct LinkPlatformConfig {
  DataMode data = DataMode::kCarried;
  LinkConfig link;
  TrafficConfig traffic;
  std::map<std::string, LinkNodeConfig> nodes;

  void declare(Parameters& p);
};

class LinkPlatform : public Platform {
 public:
  std::string name() const override { return "link"; }
  std::string doc() const override {
    return "Two ports on one Ethernet link: RoCE v2 frames one way or both, PFC from a slow "
           "receiver";
  }
  std::string default_config() const override;
  void declare(Parameters& p) override { config_.declare(p); }
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) override;

 private:
  LinkPlatformConfig config_;
};

}  // namespace railyard
