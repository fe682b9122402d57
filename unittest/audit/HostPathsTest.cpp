// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/HostPaths.h"

#include "gtest/gtest.h"

#include <set>
#include <string>

using namespace nereid::audit;

/// The paths over choices of two ways, in the order in which they are followed.
static std::vector<std::string> followed(unsigned choices) {
  HostPaths paths;
  std::vector<std::string> all;
  do {
    std::string path;
    for (unsigned choice = 0; choice < choices; ++choice)
      path += char('0' + paths.choose(2, /*isEither=*/false));
    all.push_back(path);
  } while (paths.next(/*hasLaunched=*/true));
  return all;
}

TEST(HostPathsTest, FollowsEachPathOnceTheNearestFirst) {
  std::vector<std::string> expected{"000", "001", "010", "100", "011", "101", "110", "111"};
  EXPECT_EQ(followed(3), expected);
  std::vector<std::string> many = followed(10);
  EXPECT_EQ(std::set<std::string>(many.begin(), many.end()).size(), 1024u);
  EXPECT_EQ(many.size(), 1024u);
}

TEST(HostPathsTest, EachChoiceGoesBothWaysEarly) {
  std::vector<std::string> many = followed(12);
  for (unsigned choice = 0; choice < 12; ++choice) {
    bool departs = false;
    for (unsigned path = 0; path <= 12; ++path)
      departs |= many[path][choice] == '1';
    EXPECT_TRUE(departs) << choice;
  }
}

TEST(HostPathsTest, ChoicesThatHangOnOthers) {
  HostPaths paths;
  std::vector<std::string> all;
  do {
    std::string path(1, char('0' + paths.choose(3, false)));
    if (path == "1")
      path += char('0' + paths.choose(2, false));
    all.push_back(path);
  } while (paths.next(true));
  EXPECT_EQ(all, (std::vector<std::string>{"0", "10", "2", "11"}));
}

TEST(HostPathsTest, OtherWaysWhereNoneBeforeLaunched) {
  auto ranksTried = [](unsigned good) {
    HostPaths paths;
    std::set<unsigned> tried;
    bool launched = false;
    do {
      unsigned rank = paths.choose(4, /*isEither=*/true);
      tried.insert(rank);
      launched = paths.choose(2, false) == 1 && rank >= good;
    } while (paths.next(launched));
    return tried.size();
  };
  EXPECT_EQ(ranksTried(0), 1u);
  EXPECT_EQ(ranksTried(2), 3u);
  EXPECT_EQ(ranksTried(9), 4u);
}
