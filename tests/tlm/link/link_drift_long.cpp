#include "tests/support/link_drift.h"

namespace railyard {
namespace {

class LinkDriftLong : public support::LinkRates {};

TEST_P(LinkDriftLong, AHundredGigabytesDoNotDrift) {
  support::expect_no_drift(rate(), 100'000'000'000);
}

INSTANTIATE_TEST_SUITE_P(Rates, LinkDriftLong, support::every_rate());

}  // namespace
}  // namespace railyard
