// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/folds/RowMaximum.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// The access without the casts in between: a half result that is read as float32 again.
static Access throughCasts(Access access, const Program &program) {
  while (access.from->isCast() && llvm::isa<mlir::FloatType>(access.from->elementType) &&
         llvm::isa<mlir::FloatType>(access.from->inputs[0].from->elementType))
    access = compose(access.from->inputs[0], access.at, program);
  return access;
}

const Value *subtractedMaximum(const Program &program, const Value &difference) {
  Access greatest = throughCasts(difference.inputs[1], program);
  const Value &fold = *greatest.from;
  auto op = llvm::dyn_cast_or_null<graph::FoldOp>(fold.op);
  if (fold.kind != ValueKind::Fold || op.getKind() != graph::FoldKind::Max)
    return nullptr;
  Access element = throughCasts(difference.inputs[0], program);
  Access folded = throughCasts(fold.inputs[0], program);
  if (element.from != folded.from)
    return nullptr;
  // The indices that the fold runs over are axes of the difference: found where a coordinate is
  // just such an index, then all coordinates must agree.
  llvm::SmallVector<Expr, 4> columns;
  for (unsigned i = 0; i < fold.foldExtents.size(); ++i) {
    for (auto [mine, its] : llvm::zip_equal(element.at, folded.at))
      if (its == program.getFoldIndex(i))
        columns.push_back(mine);
    if (columns.size() != i + 1)
      return nullptr;
  }
  bool isOwn = llvm::all_of(llvm::zip_equal(element.at, folded.at), [&](auto pair) {
    return std::get<0>(pair) == substituteIndices(std::get<1>(pair), greatest.at, columns, program);
  });
  return isOwn ? &fold : nullptr;
}

} // namespace nereid::schedule
