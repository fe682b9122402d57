// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/NamedSizes.h"
#include "analysis/Inference.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

namespace nereid::analysis {

using Names = llvm::DenseMap<index::Expr, index::Expr>;
using Pair = std::pair<index::Expr, index::Expr>;

/// In an order that does not depend on addresses.
static llvm::SmallVector<Pair> ordered(const Names &names) {
  llvm::SmallVector<Pair> pairs(names.begin(), names.end());
  llvm::sort(pairs, [](const Pair &a, const Pair &b) { return a.first < b.first; });
  return pairs;
}

/// N // 2.
static bool isQuotient(index::Expr expr) {
  return expr.getKind() == index::ExprKind::FloorDiv && expr.getOperands()[1].isConstant() &&
         *expr.getOperands()[1].getConstant() > 1;
}

/// The size that a sum is solved for: N of N - 1, N // 2 of N // 2 + 1. Null for what is no sum of
/// sizes.
static index::Expr solvedSize(index::Expr sum) {
  if (sum.getKind() != index::ExprKind::Sum || index::degree(sum) != 1)
    return {};
  for (index::Term term : sum.getTerms())
    if (term.coefficient == 1 && (term.monomial.isSymbol() || isQuotient(term.monomial)))
      return term.monomial;
  return {};
}

/// A sum without the number that divides all of it: K - 1 of 2 * K - 2.
static index::Expr withoutNumber(index::Expr sum) {
  int64_t common = std::abs(sum.getConstantTerm());
  for (index::Term term : sum.getTerms())
    common = std::gcd(common, term.coefficient);
  return common > 1 ? index::floordiv(sum, sum.getContext().constant(common)) : sum;
}

static llvm::DenseSet<index::Expr> symbolsOfSizes(const LaunchContract &contract) {
  llvm::DenseSet<index::Expr> symbols;
  for (const ArgumentContract &argument : contract.arguments)
    for (index::Expr size : argument.sizes)
      index::forEachSymbol(size, [&](index::Expr symbol) { symbols.insert(symbol); });
  return symbols;
}

/// Sums among the factors of sizes, strides and arguments, the most frequent first. One of strides
/// is none: an address tells the axes that it steps along by their strides.
static llvm::SmallVector<index::Expr> sumsOf(const LaunchContract &contract) {
  llvm::MapVector<index::Expr, unsigned> counts;
  llvm::DenseSet<index::Expr> sizes = symbolsOfSizes(contract);
  auto isOfSizes = [&](index::Expr symbol) {
    return sizes.contains(symbol) && !symbol.getName().starts_with("(");
  };
  auto count = [&](index::Expr expr) {
    index::Expr sum = withoutNumber(takeOutFactors(expr).second);
    if (solvedSize(sum) && llvm::all_of(index::collectSymbols(sum), isOfSizes))
      ++counts[sum];
  };
  for (const ArgumentContract &argument : contract.arguments) {
    if (argument.value)
      count(argument.value);
    llvm::for_each(argument.sizes, count);
    llvm::for_each(argument.strides, count);
  }
  llvm::SmallVector<std::pair<index::Expr, unsigned>> ordered(counts.begin(), counts.end());
  llvm::stable_sort(ordered, [](auto &a, auto &b) { return a.second > b.second; });
  llvm::SmallVector<index::Expr> sums;
  for (auto &[sum, times] : ordered)
    sums.push_back(sum);
  return sums;
}

static void nameSums(const LaunchContract &contract, Names &names) {
  llvm::DenseSet<index::Expr> taken;
  for (index::Expr sum : sumsOf(contract)) {
    // Each name replaces a size that no other sum speaks of.
    llvm::ArrayRef<index::Expr> symbols = index::collectSymbols(sum);
    if (llvm::any_of(symbols, [&](index::Expr symbol) { return taken.contains(symbol); }))
      continue;
    index::Expr size = solvedSize(sum);
    names[size] = contract.getContext().symbol("(" + sum.str() + ")") - (sum - size);
    taken.insert(symbols.begin(), symbols.end());
  }
}

std::optional<LaunchContract> withNamedBlocks(const LaunchContract &contract) {
  Names metas;
  for (const auto &[name, value] : contract.meta)
    if (value.getKind() == index::ExprKind::Max || value.getKind() == index::ExprKind::NextPow2)
      metas[name] = value;
  if (metas.empty())
    return std::nullopt;
  llvm::SmallVector<Pair> blocks = ordered(metas);
  Names names;
  for (const auto &[name, value] : blocks)
    names.try_emplace(value, name);
  LaunchContract named = contract;
  named.replace(names);
  named.facts = contract.facts.substituted(names);
  for (const auto &[block, value] : blocks) {
    index::Expr name = names.lookup(value);
    named.facts.setRange(name, contract.facts.range(value));
    for (index::Expr operand : value.getOperands())
      named.facts.assume(index::ge(name, operand));
  }
  return named;
}

static std::optional<LaunchContract> withSumsNamed(const LaunchContract &contract) {
  Names names;
  nameSums(contract, names);
  if (names.empty())
    return std::nullopt;
  LaunchContract named = contract;
  named.replace(names);
  named.facts = contract.facts.substituted(names);
  // What a quotient is of its size is no longer seen.
  for (auto [size, value] : ordered(names)) {
    if (!isQuotient(size))
      continue;
    index::Expr x = size.getOperands()[0], divisor = size.getOperands()[1];
    named.facts.assume(index::ge(x - divisor * value, 0));
    named.facts.assume(index::ge(divisor * value + divisor - 1 - x, 0));
    if (std::optional<int64_t> least = contract.facts.range(size).lo)
      named.facts.assume(index::ge(value, *least));
  }
  return named;
}

std::optional<LaunchContract> withNamedSizes(const LaunchContract &contract) {
  std::optional<LaunchContract> named = withSumsNamed(contract);
  // A name may be a factor beside which another sum is seen: M + 1 of M * (N + 2) + (N + 2).
  for (unsigned round = 0; named && round < 2; ++round)
    if (std::optional<LaunchContract> next = withSumsNamed(*named))
      named = std::move(next);
  return named;
}

} // namespace nereid::analysis
