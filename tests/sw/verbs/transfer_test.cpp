// Every opcode from memory to memory between two hosts, for every path MTU.
#include <gmock/gmock.h>

#include "tests/sw/verbs/transfers.h"

namespace railyard::verbs::test {
namespace {

using testing::IsEmpty;

class VerbsTransfers : public testing::TestWithParam<std::uint32_t> {
 protected:
  void expect_good(const TransfersConfig& config) {
    Transfers transfers(config, all_transfers(config.path_mtu));
    transfers.run();
    EXPECT_THAT(transfers.failures(), IsEmpty());
  }
  TransfersConfig config() const {
    TransfersConfig config;
    config.path_mtu = GetParam();
    return config;
  }
};

TEST_P(VerbsTransfers, AreWholeOneByOne) { expect_good(config()); }

TEST_P(VerbsTransfers, AreWholePostedAsLists) {
  TransfersConfig set = config();
  set.at_once = 7;
  expect_good(set);
}

TEST_P(VerbsTransfers, AreWholeOverIdealPcie) {
  TransfersConfig set = config();
  set.pcie = rdma::PcieWay::kIdeal;
  set.at_once = 3;
  expect_good(set);
}

INSTANTIATE_TEST_SUITE_P(PathMtus, VerbsTransfers, testing::Values(256, 512, 1024, 2048, 4096));

TEST(VerbsTransfersOf, Ipv6AreWhole) {
  TransfersConfig set;
  set.ip = IpVersion::k6;
  Transfers transfers(set, all_transfers(set.path_mtu));
  transfers.run();
  EXPECT_THAT(transfers.failures(), IsEmpty());
}

}  // namespace
}  // namespace railyard::verbs::test
