// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/HostPaths.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid::audit {

unsigned HostPaths::choose(unsigned count, bool isEither) {
  unsigned way = taken.size() < prefix.size() ? prefix[taken.size()] : 0;
  taken.push_back(way);
  choices.push_back({count, isEither});
  return way;
}

/// The path that goes another way at one choice of this one, and the first way behind it.
void HostPaths::open(size_t at, unsigned way) {
  Prefix other(ArrayRef(taken).take_front(at));
  other.push_back(way);
  if (choices[at].isEither)
    return eithers.push_back(std::move(other));
  size_t departures = count_if(other, [](uint8_t way) { return way != 0; });
  if (waiting.size() <= departures)
    waiting.resize(departures + 1);
  waiting[departures].push_back(std::move(other));
}

bool HostPaths::isNeeded(const Prefix &either) const {
  size_t at = either.size() - 1;
  return none_of(launched, [&](const Prefix &path) {
    return path.size() > at && path[at] < either[at] &&
           ArrayRef(path).take_front(at) == ArrayRef(either).take_front(at);
  });
}

bool HostPaths::next(bool hasLaunched) {
  if (hasLaunched)
    launched.push_back(taken);
  for (size_t at = taken.size(); at-- > prefix.size();)
    for (unsigned way = 1; way < choices[at].count; ++way)
      open(at, way);
  taken.clear();
  choices.clear();
  for (std::deque<Prefix> &of : waiting)
    if (!of.empty()) {
      prefix = std::move(of.front());
      of.pop_front();
      return true;
    }
  while (!eithers.empty()) {
    prefix = std::move(eithers.front());
    eithers.pop_front();
    if (isNeeded(prefix))
      return true;
  }
  return false;
}

} // namespace nereid::audit
