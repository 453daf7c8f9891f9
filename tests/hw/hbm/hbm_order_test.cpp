#include "tests/hw/hbm/order_runs.h"

namespace railyard::hbm {
namespace {

class HbmOrderTest : public testing::TestWithParam<OrderCase> {};

TEST_P(HbmOrderTest, FullQueuesGiveEachReadWhatWasWrittenBeforeIt) {
  run_in_order(GetParam(), 25'000);
}

INSTANTIATE_TEST_SUITE_P(Cases, HbmOrderTest, testing::ValuesIn(kOrderCases), name_of_case);

}  // namespace
}  // namespace railyard::hbm
