// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known about symbols where an expression is used: ranges, divisibility and assumed
// predicates. Facts answer questions (range, common divisor, truth of a predicate) and simplify
// expressions; every answer holds for all symbol values that satisfy the facts, Unknown is always a
// legal answer, and nothing here changes the canonical form.
#pragma once

#include "index/Pred.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::index {

class SamplePoints;

/// A set of integers between two optional ends, both included. Empty when lo > hi.
struct Range {
  std::optional<int64_t> lo;
  std::optional<int64_t> hi;

  static Range all() { return {}; }
  static Range of(int64_t lo, int64_t hi) { return {lo, hi}; }
  static Range atLeast(int64_t lo) { return {lo, std::nullopt}; }
  static Range atMost(int64_t hi) { return {std::nullopt, hi}; }
  static Range point(int64_t value) { return {value, value}; }

  bool contains(int64_t value) const { return (!lo || *lo <= value) && (!hi || value <= *hi); }
  bool isEmpty() const { return lo && hi && *lo > *hi; }
  Range intersect(Range other) const;
  Range unite(Range other) const;
  bool operator==(const Range &) const = default;
};

enum class Truth : uint8_t { False, True, Unknown };

class Facts {
public:
  explicit Facts(Context &context) : context(&context) {}

  Context &getContext() const { return *context; }

  /// Narrows what is known of an atom (mostly a symbol).
  void setRange(Expr atom, Range range);
  void setDivisible(Expr atom, int64_t divisor);
  /// Adds a predicate that holds; a conjunction is added part by part.
  void assume(Pred pred);
  llvm::ArrayRef<Pred> getAssumptions() const { return assumptions; }
  /// The same knowledge after a change of variables: what is known of replaced atoms is then known
  /// of what replaces them.
  Facts substituted(const llvm::DenseMap<Expr, Expr> &replacements) const;

  /// What of it speaks, perhaps through other facts, of these symbols.
  Facts about(llvm::DenseSet<Expr> symbols) const;

  Range range(Expr expr) const;
  /// A number that divides every value of the expression: as large as is known, at least 1; 0 when
  /// the expression is the constant 0.
  int64_t knownMultiple(Expr expr) const;
  Truth prove(Pred pred) const;
  /// prove() without looking for a refutation.
  bool isTrue(Pred pred) const;

  /// An expression with the same value wherever the facts hold, and simpler: decided min, max, mod
  /// and divisions.
  Expr simplify(Expr expr) const;
  /// Simplifies each, with what was found out for others at hand.
  void simplifyAll(llvm::MutableArrayRef<Expr> exprs) const;
  Pred simplify(Pred pred) const;
  /// Whether values of the symbols are known that satisfy the facts and make the expression
  /// negative: then there is no proof that it is not. `looks`: values are looked for where none are
  /// at hand, which takes as long as a short proof.
  bool isNegativeSomewhere(Expr expr, bool looks) const;

private:
  Range rangeWithinProducts(Expr expr) const;
  bool holdAt(const llvm::DenseMap<Expr, int64_t> &point) const;

  Context *context;
  llvm::DenseMap<Expr, Range> ranges;
  llvm::DenseMap<Expr, int64_t> divisors;
  llvm::SmallVector<Pred> assumptions;
  /// Products with a known upper end.
  llvm::SmallVector<Expr> boundedProducts;
  /// What is known of atoms and products that were asked for since the last new range, and what
  /// follows for them with their structure.
  mutable llvm::DenseMap<Expr, Range> askedRanges, monomialRanges;
  /// Found when first asked for; those of fewer facts are where the next search begins.
  mutable std::shared_ptr<const SamplePoints> samples;
  mutable bool hasFreshSamples = false;
};

} // namespace nereid::index
