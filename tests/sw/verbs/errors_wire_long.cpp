// 10^5 messages over bad wires (--long).
#include "tests/sw/verbs/errors_wire.h"

namespace railyard::verbs::test {
namespace {

TEST(VerbsWireLong, LosesNoneOfAHundredThousandMessages) {
  BadlyJoined hosts({0.002, 0.002, 0.005, 0.005, 3}, 7);
  FlowConfig config;
  config.timeout = 4;
  RandomMessages(100'000, 7).run(hosts, config);
  EXPECT_GT(hosts.wire->met, 5000U);
}

}  // namespace
}  // namespace railyard::verbs::test
