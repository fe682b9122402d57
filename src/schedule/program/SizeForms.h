// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes as the scheduler writes them. What the checks of a program make a multiple of a number is
// `divisor * quotient` with a symbol for the quotient, so that axes which a view cuts out of it
// divide it evenly and no address has to divide. A size such as 2 * N - 1 is a symbol of its own,
// so that products with it are one term; where more axes have N - 2 than have N, that is a symbol
// and N is `symbol + 2`. Outside, in the host program, they are `size // divisor`, `2 * N - 1` and
// `N - 2` again.
#pragma once

#include "index/NamedSums.h"
#include "index/Pred.h"

#include <map>

namespace nereid::schedule {

class SizeForms {
public:
  /// Learns from a condition that holds wherever the program computes anything. Returns a condition
  /// that is to be checked besides, because only tensors without elements could break it: null when
  /// there is none.
  index::Pred learn(index::Pred pred);

  /// Writes sizes by those sums of them that more axes have; call after all conditions were learnt.
  void solve(llvm::ArrayRef<index::Expr> sizes);

  /// Gives a size a symbol if it is a sum of multiples; call after sums were solved.
  void nameSum(index::Expr size);

  /// The expression as the scheduler works on it; call after all sums were named.
  index::Expr inward(index::Expr expr) const;
  index::Pred inward(index::Pred pred) const;
  /// The expression with `2 * N - 1` written out again, as a proof may need it.
  index::Expr writtenOut(index::Expr expr) const;
  /// The expression over the program's own sizes.
  index::Expr outward(index::Expr expr) const;
  index::Pred outward(index::Pred pred) const;

  /// Calls `visit(size, quotient symbol, divisor)` for each.
  void forEach(llvm::function_ref<void(index::Expr, index::Expr, int64_t)> visit) const;
  llvm::ArrayRef<index::NamedSum> getSums() const { return sums; }

private:
  void add(index::Expr size, int64_t divisor);
  /// What is known to divide a size.
  int64_t divisorOf(index::Expr size) const;
  index::Expr replaceSize(index::Expr atom) const;
  index::Expr divided(index::Expr expr) const;

  /// By size, what divides it, in the order of the names.
  std::map<index::Expr, int64_t> divisors;
  /// What sizes are over the names of sums that were solved for them.
  llvm::DenseMap<index::Expr, index::Expr> solved;
  llvm::SmallVector<index::NamedSum> sums;
  /// How many of the sums were solved, which stand first.
  size_t solvedSums = 0;
};

} // namespace nereid::schedule
