// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that the checks of a program make multiples of a number. Inside the scheduler such a size
// is written `divisor * quotient` with a symbol for the quotient, so that axes which a view cuts
// out of it divide it evenly and no address has to divide. Outside, in the host program, the
// quotient is `size // divisor` again.
#pragma once

#include "index/Pred.h"

#include <map>

namespace nereid::schedule {

class DividedSizes {
public:
  /// Learns from a condition that holds wherever the program computes anything. Returns a condition
  /// that is to be checked besides, because only tensors without elements could break it: null when
  /// there is none.
  index::Pred learn(index::Pred pred);

  /// The expression as the scheduler works on it; call after all conditions were learnt.
  index::Expr inward(index::Expr expr) const;
  index::Pred inward(index::Pred pred) const;
  /// The expression over the program's own sizes.
  index::Expr outward(index::Expr expr) const;
  index::Pred outward(index::Pred pred) const;

  /// Calls `visit(size, quotient symbol, divisor)` for each.
  void forEach(llvm::function_ref<void(index::Expr, index::Expr, int64_t)> visit) const;

private:
  void add(index::Expr size, int64_t divisor);
  index::Expr replaceSize(index::Expr atom) const;

  /// By size, what divides it, in the order of the names.
  std::map<index::Expr, int64_t> divisors;
};

} // namespace nereid::schedule
