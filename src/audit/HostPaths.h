// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order the paths through a wrapper are followed: those that leave the first one at one
// condition before those that leave it at two, and so on. Where there are too many to follow all,
// each condition has then gone both ways.
//
//   HostPaths paths;
//   do { ... paths.choose(2) ... } while (paths.next(hasLaunched));
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <vector>

namespace nereid::audit {

class HostPaths {
public:
  /// Which way the path goes here, below `count`. `isEither`: further ways are gone only where no
  /// path that went the ways before has launched.
  unsigned choose(unsigned count, bool isEither);
  /// How many choices the path has made.
  size_t length() const { return taken.size(); }

  /// Goes on to the next path; false when all have been followed. `hasLaunched`: the last one did.
  bool next(bool hasLaunched);

private:
  /// What a path begins with; behind it, the first way is taken everywhere.
  using Prefix = llvm::SmallVector<uint8_t>;
  struct Choice {
    unsigned count;
    bool isEither;
  };
  void open(size_t at, unsigned way);
  bool isNeeded(const Prefix &either) const;

  Prefix prefix, taken;
  std::vector<Choice> choices;
  /// By the number of conditions at which they leave the first path.
  std::vector<std::deque<Prefix>> waiting;
  std::deque<Prefix> eithers;
  std::vector<Prefix> launched;
};

} // namespace nereid::audit
