// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Min, max and nextPow2 in canonical form.
#include "index/RangeOf.h"
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

/// Whether `b` is never less than `a`, so that b adds nothing to a minimum with a.
static bool isNeverLess(Expr b, Expr a) {
  Range range = rangeOf(b - a, nullptr);
  return range.lo && *range.lo >= 0;
}

static Expr extreme(ExprKind kind, llvm::ArrayRef<Expr> operands) {
  llvm::SmallVector<Expr> flat;
  for (Expr operand : operands) {
    if (operand.getKind() == kind)
      llvm::append_range(flat, operand.getOperands());
    else
      flat.push_back(operand);
  }
  llvm::sort(flat);
  flat.erase(llvm::unique(flat), flat.end());
  llvm::SmallVector<Expr> kept;
  for (auto [position, candidate] : llvm::enumerate(flat)) {
    bool needed = true;
    for (auto [other, rival] : llvm::enumerate(flat)) {
      if (other == position)
        continue;
      bool redundant =
          kind == ExprKind::Min ? isNeverLess(candidate, rival) : isNeverLess(rival, candidate);
      // Of two that are always equal the first stays.
      bool mutual = redundant && (kind == ExprKind::Min ? isNeverLess(rival, candidate)
                                                        : isNeverLess(candidate, rival));
      if (redundant && (!mutual || other < position))
        needed = false;
    }
    if (needed)
      kept.push_back(candidate);
  }
  return kept.size() == 1 ? kept.front() : makeAtom(kind, kept);
}

Expr min(llvm::ArrayRef<Expr> operands) { return extreme(ExprKind::Min, operands); }
Expr max(llvm::ArrayRef<Expr> operands) { return extreme(ExprKind::Max, operands); }

Expr nextPow2(Expr a) {
  if (std::optional<int64_t> value = a.getConstant())
    if (std::optional<int64_t> result = nextPowerOfTwo(*value))
      return a.getContext().constant(*result);
  if (a.getKind() == ExprKind::NextPow2)
    return a;
  return makeAtom(ExprKind::NextPow2, {a});
}

} // namespace nereid::index
