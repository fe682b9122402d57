// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/AxisMerges.h"

namespace nereid::schedule {

using index::Expr;
using index::Pred;

bool isLinearInPair(Expr expr, Expr outer, Expr inner, Expr extent) {
  auto last = index::asLinearIn(expr, inner);
  if (!last || index::contains(last->coefficient, outer))
    return false;
  auto first = index::asLinearIn(last->rest, outer);
  return first && first->coefficient == last->coefficient * extent;
}

bool isLinearInPair(Pred pred, Expr outer, Expr inner, Expr extent) {
  switch (pred.getKind()) {
  case index::PredKind::True:
  case index::PredKind::False:
    return true;
  case index::PredKind::And:
  case index::PredKind::Or:
    return llvm::all_of(pred.getOperands(),
                        [&](Pred part) { return isLinearInPair(part, outer, inner, extent); });
  default:
    return isLinearInPair(pred.getExpr(), outer, inner, extent);
  }
}

template <typename T> T AxisMerges::applyAll(T what) const {
  for (const Merge &merge : merges) {
    llvm::DenseMap<Expr, Expr> replacements;
    replacements[merge.outer] = merge.outer.getContext().constant(0);
    if (merge.inner && !isLinearInPair(what, merge.outer, merge.inner, merge.extent)) {
      replacements[merge.outer] = index::floordiv(merge.inner, merge.extent);
      replacements[merge.inner] = index::mod(merge.inner, merge.extent);
    }
    what = index::substitute(what, replacements);
  }
  return what;
}

Expr AxisMerges::apply(Expr expr) const { return applyAll(expr); }

Pred AxisMerges::apply(Pred pred) const { return applyAll(pred); }

} // namespace nereid::schedule
