// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/MinCut.h"

#include "gtest/gtest.h"

namespace nereid::autodiff {
namespace {

TEST(MinCutTest, FlowGoesBackAlongAnEdge) {
  // The shortest path takes the middle edge; the greatest flow does not.
  FlowNetwork network;
  for (int vertex = 0; vertex < 4; ++vertex)
    network.addVertex();
  network.addEdge(0, 1, 1);
  network.addEdge(0, 2, 1);
  network.addEdge(1, 2, 1);
  network.addEdge(1, 3, 1);
  network.addEdge(2, 3, 1);
  EXPECT_EQ(network.maximise(0, 3), 2);
}

TEST(MinCutTest, TiesAreCutNearTheSource) {
  FlowNetwork network;
  for (int vertex = 0; vertex < 3; ++vertex)
    network.addVertex();
  network.addEdge(0, 1, 5);
  network.addEdge(1, 2, 5);
  EXPECT_EQ(network.maximise(0, 2), 5);
  EXPECT_FALSE(network.reachableFrom(0).test(1));
}

TEST(MinCutTest, TheCheapestEdgesAreCut) {
  FlowNetwork network;
  for (int vertex = 0; vertex < 4; ++vertex)
    network.addVertex();
  network.addEdge(0, 1, FlowNetwork::unlimited);
  network.addEdge(0, 2, FlowNetwork::unlimited);
  network.addEdge(1, 3, 7);
  network.addEdge(2, 3, 4);
  EXPECT_EQ(network.maximise(0, 3), 11);
  EXPECT_TRUE(network.reachableFrom(0).test(1));
  EXPECT_TRUE(network.reachableFrom(0).test(2));
  EXPECT_FALSE(network.reachableFrom(0).test(3));
}

TEST(MinCutTest, NoCutIsUnlimited) {
  FlowNetwork network;
  network.addVertex();
  network.addVertex();
  network.addEdge(0, 1, FlowNetwork::unlimited);
  EXPECT_EQ(network.maximise(0, 1), FlowNetwork::unlimited);
}

} // namespace
} // namespace nereid::autodiff
