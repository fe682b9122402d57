// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for symbols under which everything known holds. What is below 0 at one of them cannot be
// proved to be at least 0: a look at the points spares the search for a proof. They are found by
// local search within a fixed budget, the same on every machine; there may be none.
#pragma once

#include "index/Facts.h"

namespace nereid::index {

class SamplePoints {
public:
  /// `ranges` and `divisors` are those of atoms, `before` points that less was known of.
  SamplePoints(const llvm::DenseMap<Expr, Range> &ranges,
               const llvm::DenseMap<Expr, int64_t> &divisors, llvm::ArrayRef<Pred> assumptions,
               const SamplePoints *before);

  using Point = llvm::DenseMap<Expr, int64_t>;
  llvm::ArrayRef<Point> getPoints() const { return points; }

private:
  /// The expression lies in the range, or where there is a predicate, it holds.
  struct Constraint {
    Expr expr;
    Range range;
    Pred pred;
    llvm::ArrayRef<Expr> symbols;
  };

  void addConstraint(Expr expr, Range range);
  void addConstraint(Pred pred);
  bool holds(const Constraint &constraint, const Point &point);
  bool mend(Point &point);
  void mend(const Constraint &constraint, Point &point);
  void findSteps();
  int64_t draw(Expr symbol, unsigned magnitude, bool isEven);
  uint64_t random();

  llvm::SmallVector<Point, 4> points;
  llvm::DenseMap<Expr, Range> domains;
  llvm::DenseMap<Expr, int64_t> steps;
  llvm::SmallVector<Constraint, 0> constraints;
  uint64_t state = 1;
  unsigned budget = 0;
};

} // namespace nereid::index
