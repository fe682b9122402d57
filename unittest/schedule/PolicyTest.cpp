// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/policy/Policy.h"

#include "gtest/gtest.h"

using namespace nereid::schedule;

namespace {

const Device &h200() { return *findDevice("h200"); }

TEST(Policy, AStageIsAMask) {
  Policy first(1, h200(), {}), second(2, h200(), {}), third(3, h200(), {});
  EXPECT_FALSE(first.has(MoveKind::Fusion));
  EXPECT_TRUE(second.has(MoveKind::Fusion));
  EXPECT_TRUE(second.has(MoveKind::LoopPipelining));
  EXPECT_FALSE(second.has(MoveKind::SharedLaunches));
  EXPECT_FALSE(second.has(MoveKind::ShortFunctions));
  for (MoveKind kind : {MoveKind::Fusion, MoveKind::SharedLaunches, MoveKind::ShortFunctions})
    EXPECT_TRUE(third.has(kind));
}

TEST(Policy, WithoutAChooserTheUsualIsDecided) {
  Policy policy(1, h200(), {});
  EXPECT_FALSE(policy.isChosen());
  EXPECT_FALSE(policy.allows(MoveKind::SplitFolds));
  EXPECT_TRUE(policy.decide(true));
  EXPECT_FALSE(policy.decide(false));
  EXPECT_STREQ(policy.getDevice().name, "h200");
}

TEST(Policy, AChooserDecidesAll) {
  unsigned asked = 0, answer = 1;
  Policy policy(1, h200(), [&](unsigned count) {
    asked = count;
    return answer;
  });
  EXPECT_FALSE(policy.has(MoveKind::SplitFolds));
  EXPECT_TRUE(policy.allows(MoveKind::SplitFolds));
  EXPECT_TRUE(policy.decide(false));
  EXPECT_EQ(asked, 2u);
  answer = 0;
  EXPECT_FALSE(policy.decide(true));
  answer = 5;
  EXPECT_EQ(policy.pick(7), 5u);
  EXPECT_EQ(policy.pickPower(9), 32);
  EXPECT_EQ(asked, 9u);
}

TEST(Policy, DevicesAreKnownByName) {
  EXPECT_EQ(findDevice("h300"), nullptr);
  EXPECT_GT(h200().multiprocessors, 100u);
}

} // namespace
