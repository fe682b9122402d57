// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program needs to be true of its sizes. Symbols that an operator needs to be equal are
// unified; other needs become checks on entry. A comparison that sizes do not decide is decided by
// the sizes that the user gave as typical ones, and becomes a check.
#pragma once

#include "index/Facts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <string>
#include <vector>

namespace nereid::torch {

using index::Expr;
using index::Pred;

/// What is needed of the sizes and known of them so far.
struct SizeKnowledge {
  explicit SizeKnowledge(index::Context &context) : facts(context) {}

  struct Check {
    Pred pred;
    std::string message;
  };
  index::Facts facts;
  llvm::SmallVector<Expr> symbols;
  /// Numbers of the call, and those of them that are sizes too.
  llvm::SmallVector<Expr> reserved, numbers;
  llvm::DenseMap<Expr, Expr> bound;
  llvm::DenseMap<Expr, int64_t> hints;
  /// Sizes without a typical value, to which an assumption gave one.
  llvm::SmallVector<Expr> invented;
  /// What they were before an assumption asked for others: sizes that were equal may be one.
  llvm::DenseMap<Expr, int64_t> firstHints;
  /// Pairs (a, d) of which d divides a is required: d * (a // d) is a. Those with a symbol d are
  /// only here where two sizes are equal by it.
  llvm::SmallVector<std::pair<Expr, Expr>> divisible;
  /// Sizes that 2 does not divide: 2 * (n // 2) is n - 1.
  llvm::SmallVector<Expr> odd;
  /// Pairs (a, d) of which d divides a and the quotients a // e of its divisors e are written as
  /// (d // e) * (a // d), so that they can be compared.
  llvm::SmallVector<std::pair<Expr, int64_t>> cut;
  std::vector<Check> checks;
  std::vector<Pred> assumed;
};

class SizeSolver : SizeKnowledge {
public:
  explicit SizeSolver(index::Context &context) : SizeKnowledge(context), context(context) {}

  using SizeKnowledge::Check;
  /// All that is known so far, to be taken up again after a block was only tried.
  using State = SizeKnowledge;
  State save() const { return *this; }
  void restore(State state) { static_cast<State &>(*this) = std::move(state); }

  /// The symbol of this name, at least 0.
  Expr symbol(llvm::StringRef name);
  bool isKnown(Expr symbol) const { return llvm::is_contained(symbols, symbol); }
  /// A symbol for a whole number that the call gives, of this name or one like it that is free.
  Expr reserve(llvm::StringRef name);
  /// Takes it as the symbol of a size. It stays: nothing else stands for it.
  Expr given(Expr number);
  bool isGiven(Expr symbol) const { return llvm::is_contained(numbers, symbol); }
  /// Told when one symbol takes the place of another.
  std::function<void(Expr symbol, Expr by)> onMerge;
  /// A symbol for one axis of a tensor of some rank, with a name that is still free.
  Expr freshSymbol(unsigned axis, unsigned rank);
  void setHint(Expr symbol, int64_t value) { hints[symbol] = value; }
  std::optional<int64_t> hint(Expr expr) const;
  /// What that of a size was before an assumption asked for another.
  std::optional<int64_t> firstHint(Expr size) const;
  /// A hint that was made of sizes to which the user gave typical values.
  std::optional<int64_t> givenHint(Expr expr) const;
  /// The same, where sizes of which nothing is known have the usual one.
  std::optional<int64_t> typical(Expr expr) const;

  /// The expression in terms of the symbols that are left.
  Expr resolve(Expr expr) const;
  Pred resolve(Pred pred) const;
  /// Makes two sizes equal from now on; false when they cannot be.
  bool unify(Expr a, Expr b);
  /// The same, and where the typical sizes are equal also by what cannot be said in all generality:
  /// symbols of one typical size are one symbol, quotients are whole. False, and nothing has
  /// changed, when that does not make them so.
  bool equate(Expr a, Expr b);
  /// Makes symbols of `part` equal to symbols of `whole` of the same typical size, where `whole`
  /// lacks them.
  void alignByHints(Expr part, Expr whole);
  /// Makes the sizes that a reshape puts in place of others equal to these, from both ends up to
  /// the one of `to` that is -1, where `to` holds quotients: (18, 2, 2, 3) as (18 // 9, 3, 3, 2, 2,
  /// -1).
  void alignGroups(llvm::ArrayRef<Expr> from, llvm::ArrayRef<Expr> to);
  index::Truth truth(Pred pred) const;
  /// The same, found out from the negation where the predicate alone tells nothing.
  index::Truth truthOrDenial(Pred pred) const;
  /// Makes a predicate hold, by a check unless it is known; false when it is known not to, or does
  /// not hold for the typical sizes.
  bool require(Pred pred, llvm::StringRef message);
  /// Takes a predicate that is open as true in the case of the program that is being read; typical
  /// sizes that contradict it are replaced.
  void assume(Pred pred);
  /// The number of a turn of a loop of `count` turns: from 0 on. What has to hold of it, holds of
  /// all turns; a comparison that holds in some of them only is left in `differing`.
  Expr turn(llvm::StringRef name, Expr count);
  bool differs(Pred pred);
  std::optional<Pred> differing;
  /// Whether a predicate is about the number of a turn.
  bool isOfTurns(Pred pred) const;
  /// 1 where an expression never falls as a symbol rises, -1 where it never rises, 0 where it has
  /// nothing to do with it; none where that is not known.
  std::optional<int> slope(Expr expr, Expr symbol) const;
  /// A flag of the call (`self.training`): 0 or 1, no size of any tensor.
  Expr flag(llvm::StringRef name);
  /// Decides a predicate, by the typical sizes and a check where it is open.
  bool decide(Pred pred, llvm::StringRef message);
  /// Whether a number is at least 0, by the typical sizes where it is open: `-K` counts from an
  /// end. Where it is decided to be negative and `zeroToo`, it may be 0 all the same.
  bool decideSign(Expr number, llvm::StringRef message, bool zeroToo = false);

  index::Context &getContext() const { return context; }
  const index::Facts &getFacts() const { return facts; }
  const std::vector<Check> &getChecks() const { return checks; }
  /// The symbols that are left, in the order in which they were made.
  llvm::SmallVector<std::pair<Expr, std::optional<int64_t>>> getSymbols() const;

private:
  bool bind(Expr symbol, Expr value);
  bool unifyAlike(Expr a, Expr b);
  void learn(Pred pred);
  void bindBetween(Pred pred);
  Pred withoutQuotient(Pred pred) const;
  bool requireInTurns(Pred pred, llvm::StringRef message); // SizeTurns.cpp
  void adaptHints(Pred pred);                              // TypicalSizes.cpp

  // SizeDivisions.cpp
  Expr foldDivisions(Expr expr) const;
  static Expr withoutRemainders(Expr expr);
  Expr cutAlike(Expr expr) const;
  bool isEqualByDivision(Expr a, Expr b);
  bool unifyByWhole(Expr a, Expr b, llvm::ArrayRef<Expr> quotients);
  bool unifyByDivision(Expr a, Expr b);
  void divideAnew(Expr symbol);
  bool unifyByHints(Expr a, Expr b);
  bool unifyByRest(Expr a, Expr b);
  bool unifyByFactor(Expr a, Expr b);
  bool unifyByQuotient(Expr a, Expr b);
  bool adaptAlike(Expr a, Expr b);

  index::Context &context;
  /// The turns of loops, and how many there are.
  llvm::SmallVector<std::pair<Expr, Expr>> turns;
};

} // namespace nereid::torch
