// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has to hold of the sizes of a function of alike parts, as far as it holds in each of them.
#pragma once

#include "graph/PartSizes.h"
#include "index/Facts.h"

namespace nereid::graph {

class PartNeeds {
public:
  PartNeeds(llvm::ArrayRef<Part *> parts, const PartSizes &sizes) : parts(parts), sizes(sizes) {}

  /// What the function needs, and what usually holds where it does in all of the parts; nothing
  /// where a need does not hold in one of them.
  std::optional<llvm::SmallVector<index::Pred>> find();
  /// The least that a size can be in any of the parts.
  int64_t leastOf(const PartSizes::Symbol &symbol);

private:
  const index::Facts &factsOf(const Part &part);
  bool holdsInParts(index::Pred need);

  llvm::ArrayRef<Part *> parts;
  const PartSizes &sizes;
  /// What is known of the sizes of the parts' programs.
  llvm::DenseMap<mlir::Operation *, index::Facts> known;
};

} // namespace nereid::graph
