// Moments: who listens is told once.
#include <gmock/gmock.h>

#include <vector>

#include "tlm/observe/probe.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Moment, AllWhoListenAreToldOfItsFirstRaiseAlone) {
  std::vector<Time> one;
  std::vector<Time> other;
  const Moment::Listener tell_one = [&](Time now) { one.push_back(now); };
  const Moment::Listener tell_other = [&](Time now) { other.push_back(now); };
  Moment moment;
  moment.listen(&tell_one);
  moment.listen(&tell_other);
  moment.raise(7);
  moment.raise(9);
  EXPECT_THAT(one, ElementsAre(7));
  EXPECT_THAT(other, ElementsAre(7));
}

TEST(Moment, WhoListensLateIsToldOfWhatComesThen) {
  std::vector<Time> told;
  const Moment::Listener tell = [&](Time now) { told.push_back(now); };
  Moment moment;
  moment.raise(7);
  moment.listen(&tell);
  EXPECT_THAT(told, IsEmpty());
  moment.raise(9);
  EXPECT_THAT(told, ElementsAre(9));
}

TEST(Moment, AListenerMayListenAgainWhenItIsTold) {
  std::vector<Time> told;
  Moment moment;
  Moment::Listener tell;
  tell = [&](Time now) {
    told.push_back(now);
    moment.listen(&tell);
  };
  moment.listen(&tell);
  moment.raise(7);
  moment.raise(9);
  EXPECT_THAT(told, ElementsAre(7, 9));
}

}  // namespace
}  // namespace railyard
