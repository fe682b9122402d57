// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers taken apart into digits. Where x // (M*N), x // N % M and x % N occur together, x is
// a*M*N + b*N + c with 0 <= b < M and 0 <= c < N: over a, b and c no division is left, and products
// of sizes cancel. A change of variables: whatever holds of the digits holds of the number.
#pragma once

#include "index/Facts.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>

namespace nereid::index {

class MixedRadix {
public:
  /// Takes apart the dividends that occur in the expressions and in what is assumed, as far as they
  /// vary: hold a symbol for which `isVarying`. Digits are named `$digitN`.
  MixedRadix(const Facts &facts, llvm::ArrayRef<Expr> exprs,
             std::function<bool(Expr symbol)> isVarying);

  bool hasDigits() const { return !steps.empty(); }
  /// What was known, and what is known of the digits, over the new variables.
  const Facts &getFacts() const { return facts; }
  /// The numbers that were taken apart, over the first variables.
  llvm::ArrayRef<Expr> getDividends() const { return dividends; }
  bool isDigit(Expr symbol) const {
    return llvm::any_of(digits, [&](const Digit &digit) { return digit.symbol == symbol; });
  }
  /// The same value over the new variables, wherever the facts hold.
  Expr rewrite(Expr expr) const;
  Pred rewrite(Pred pred) const;
  /// The same value over the first variables, with a quotient or remainder for each digit.
  Expr restore(Expr expr) const;
  /// Whether a predicate over the new variables is known to hold: what is linear in its digits is
  /// least where each of them is at an end of its range.
  bool isTrue(Pred pred) const;

private:
  using Replacements = llvm::DenseMap<Expr, Expr>;
  struct Dividend {
    Expr expr;
    llvm::SmallVector<Expr, 4> divisors;
  };

  /// A digit, at least 0 if that is known, and what it is less than; null when not known.
  struct Digit {
    Expr symbol;
    bool isNeverNegative;
    Expr bound;
    /// What it is of the first variables.
    Expr origin;
  };

  Expr leastOf(Expr expr) const;
  bool isTaken(Expr expr) const;
  bool dividesTaken(Expr expr) const;
  void collect(Expr expr, llvm::SmallVectorImpl<Dividend> &out) const;
  llvm::SmallVector<Expr, 4> chainOf(llvm::SmallVector<Expr, 4> divisors) const;
  bool takeApart(const Dividend &dividend);
  bool divideExactly();
  bool solveDigit();
  Range rangeOfTop(Expr dividend, Expr divisor,
                   llvm::SmallVectorImpl<std::pair<Expr, bool>> &bounds) const;
  void addBoundsOfTop(Expr x, Expr d, bool simplifies,
                      llvm::SmallVectorImpl<std::pair<Expr, bool>> &bounds) const;
  void replace(const Replacements &replacements, llvm::ArrayRef<std::pair<Expr, Range>> ranges,
               llvm::ArrayRef<Pred> known);

  Facts facts;
  std::function<bool(Expr)> isVarying;
  llvm::SmallVector<Expr> work;
  llvm::SmallVector<Replacements> steps;
  llvm::SmallVector<Digit> digits;
  Replacements ratios;
  llvm::SmallVector<Expr> dividends;
};

/// Puts digits of a number together again: `x // (M * N) * M * N + x // N % M * N` is `x // N * N`
/// for an M that is positive, which `isPositive` says.
Expr joinDigits(Expr expr, llvm::function_ref<bool(Expr)> isPositive);

} // namespace nereid::index
