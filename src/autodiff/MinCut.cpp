// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/MinCut.h"

#include <algorithm>
#include <deque>

namespace nereid::autodiff {

unsigned FlowNetwork::addVertex() {
  leaving.emplace_back();
  return leaving.size() - 1;
}

void FlowNetwork::addEdge(unsigned from, unsigned to, int64_t capacity) {
  leaving[from].push_back(edges.size());
  edges.push_back({to, capacity});
  leaving[to].push_back(edges.size());
  edges.push_back({from, 0});
}

llvm::SmallVector<unsigned> FlowNetwork::findPath(unsigned source, unsigned sink) const {
  constexpr unsigned none = ~0u;
  llvm::SmallVector<unsigned> reachedBy(leaving.size(), none);
  std::deque<unsigned> front{source};
  while (!front.empty() && reachedBy[sink] == none) {
    unsigned at = front.front();
    front.pop_front();
    for (unsigned edge : leaving[at]) {
      unsigned to = edges[edge].to;
      if (edges[edge].room == 0 || to == source || reachedBy[to] != none)
        continue;
      reachedBy[to] = edge;
      front.push_back(to);
    }
  }
  llvm::SmallVector<unsigned> path;
  if (reachedBy[sink] == none)
    return path;
  for (unsigned at = sink; at != source; at = edges[path.back() ^ 1].to)
    path.push_back(reachedBy[at]);
  return path;
}

int64_t FlowNetwork::maximise(unsigned source, unsigned sink) {
  int64_t total = 0;
  for (;;) {
    llvm::SmallVector<unsigned> path = findPath(source, sink);
    if (path.empty())
      return total;
    int64_t room = unlimited;
    for (unsigned edge : path)
      room = std::min(room, edges[edge].room);
    for (unsigned edge : path) {
      edges[edge].room -= room;
      edges[edge ^ 1].room += room;
    }
    total += room;
    if (total >= unlimited)
      return unlimited;
  }
}

llvm::BitVector FlowNetwork::reachableFrom(unsigned source) const {
  llvm::BitVector reached(leaving.size());
  reached.set(source);
  llvm::SmallVector<unsigned> open{source};
  while (!open.empty()) {
    unsigned at = open.pop_back_val();
    for (unsigned edge : leaving[at])
      if (edges[edge].room > 0 && !reached.test(edges[edge].to)) {
        reached.set(edges[edge].to);
        open.push_back(edges[edge].to);
      }
  }
  return reached;
}

} // namespace nereid::autodiff
