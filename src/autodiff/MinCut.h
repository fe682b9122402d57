// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maximum flow and minimum cut of a small network, by shortest augmenting paths. Vertices are
// numbered in the order in which they were added, and every choice follows that order: equal
// networks have equal cuts.
#pragma once

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <limits>

namespace nereid::autodiff {

class FlowNetwork {
public:
  /// More than any sum of real capacities; a flow this large means that there is no finite cut.
  static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max() / 4;

  unsigned addVertex();
  void addEdge(unsigned from, unsigned to, int64_t capacity);

  /// Pushes the greatest flow from `source` to `sink` and returns it.
  int64_t maximise(unsigned source, unsigned sink);
  /// After maximise: the vertices that the source still reaches. The edges that leave this set are
  /// the minimum cut nearest to the source.
  llvm::BitVector reachableFrom(unsigned source) const;

private:
  struct Edge {
    unsigned to;
    int64_t room;
  };
  /// The path's edges from `source` to `sink`, last first; empty when there is none.
  llvm::SmallVector<unsigned> findPath(unsigned source, unsigned sink) const;

  /// Edge 2k + 1 is the way back of edge 2k.
  llvm::SmallVector<Edge> edges;
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> leaving;
};

} // namespace nereid::autodiff
