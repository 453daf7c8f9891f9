// A million cases in all.
#include "tests/hw/hbm/order_runs.h"

namespace railyard::hbm {
namespace {

class HbmOrderLong : public testing::TestWithParam<OrderCase> {};

TEST_P(HbmOrderLong, FullQueuesGiveEachReadWhatWasWrittenBeforeIt) {
  run_in_order(GetParam(), 250'000);
}

INSTANTIATE_TEST_SUITE_P(Cases, HbmOrderLong, testing::ValuesIn(kOrderCases), name_of_case);

}  // namespace
}  // namespace railyard::hbm
