// The ping-pong program, unchanged, on two hosts whose NICs are joined by a cable.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "platforms/common/rdma/rdma_host.h"
#include "sw/verbs/program.h"
#include "tlm/sim/simulation.h"

namespace railyard::verbs {
namespace {

std::string text_of(const Gid& gid) {
  std::string text;
  for (const std::uint8_t byte : gid) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xF];
  }
  return text;
}

struct TwoHosts {
  explicit TwoHosts(const rdma::RdmaHostConfig& config) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::string other = "h" + std::to_string(1 - i);
      const HostPort port{0, i, simulation.partition(), link, other + ".nic0"};
      addresses.push_back(rdma::nic_address(i, IpVersion::k4));
      hosts.push_back(std::make_unique<rdma::RdmaHost>(("h" + std::to_string(i)).c_str(), config,
                                                       port, addresses.back(), blocks, true));
    }
    LinkEnd::connect(hosts[0]->link(0), hosts[1]->link(0));
  }

  bool find_mac(const Gid& gid, Mac& mac) const {
    for (const nic::NicAddress& address : addresses) {
      if (address.gid != gid) continue;
      mac = address.mac.bytes;
      return true;
    }
    return false;
  }

  /// Exit statuses of a server on the first host and a client on the second.
  std::vector<int> run(const std::vector<std::string>& options) {
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<std::string> arguments{i == 0 ? "server" : "client",
                                         "-g",
                                         text_of(addresses[1 - i].gid),
                                         "-q",
                                         "0x40",
                                         "-p",
                                         std::to_string(0xFFFFF0 + i),  // over 2^24
                                         "-P",
                                         std::to_string(0xFFFFF1 - i)};
      arguments.insert(arguments.end(), options.begin(), options.end());
      hosts[i]->set_program(
          [this, i, arguments](Core&, AddressSpace&) {
            statuses[i] = Program(std::string(VERBS_PROGRAMS) + "/pingpong.so", arguments).run();
          },
          [this](const Gid& gid, Mac& mac) { return find_mac(gid, mac); });
    }
    simulation.seal();
    EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
    return statuses;
  }

  Simulation simulation{{}};
  LinkConfig link;
  Blocks blocks;
  std::vector<nic::NicAddress> addresses;
  std::vector<std::unique_ptr<rdma::RdmaHost>> hosts;
  std::vector<int> statuses{-1, -1};
};

rdma::RdmaHostConfig ideal() {
  rdma::RdmaHostConfig config;
  config.pcie = rdma::PcieWay::kIdeal;
  return config;
}

TEST(VerbsPingPong, RunsOnTwoHostsByPolling) {
  TwoHosts hosts({});
  EXPECT_EQ(hosts.run({"-s", "10000", "-n", "100"}), (std::vector<int>{0, 0}));
}

TEST(VerbsPingPong, RunsOnTwoHostsByEvents) {
  TwoHosts hosts({});
  EXPECT_EQ(hosts.run({"-e", "-s", "64", "-n", "100"}), (std::vector<int>{0, 0}));
}

TEST(VerbsPingPong, RunsOnIdealPcie) {
  TwoHosts hosts(ideal());
  EXPECT_EQ(hosts.run({"-s", "9000", "-n", "20", "-m", "4096"}), (std::vector<int>{0, 0}));
}

TEST(VerbsPingPong, RunsWithTheSmallestPathMtu) {
  TwoHosts hosts({});
  EXPECT_EQ(hosts.run({"-s", "1000", "-n", "20", "-m", "256"}), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace railyard::verbs
