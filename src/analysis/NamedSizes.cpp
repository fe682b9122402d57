// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/NamedSizes.h"

#include "index/NamedSums.h"

#include "llvm/ADT/MapVector.h"

namespace nereid::analysis {

using Names = llvm::DenseMap<index::Expr, index::Expr>;
using Pair = std::pair<index::Expr, index::Expr>;

/// In an order that does not depend on addresses.
static llvm::SmallVector<Pair> ordered(const Names &names) {
  llvm::SmallVector<Pair> pairs(names.begin(), names.end());
  llvm::sort(pairs, [](const Pair &a, const Pair &b) { return a.first < b.first; });
  return pairs;
}

/// (N - K) // 2: by a number, of a sum without products.
static bool isQuotient(index::Expr expr) {
  return expr.getKind() == index::ExprKind::FloorDiv && expr.getOperands()[1].isConstant() &&
         *expr.getOperands()[1].getConstant() > 1 &&
         llvm::all_of(expr.getOperands()[0].getTerms(),
                      [](index::Term term) { return term.monomial.isSymbol(); });
}

/// (N + 1) // 2.
static bool isQuotientOfOne(index::Expr expr) {
  return isQuotient(expr) && expr.getOperands()[0].getTerms().size() == 1;
}

/// Calls `visit` for sizes and strides of a tensor.
static void forEachSize(const ArgumentContract &argument,
                        llvm::function_ref<void(index::Expr)> visit) {
  llvm::for_each(argument.sizes, visit);
  llvm::for_each(argument.strides, visit);
}

/// The same of all tensors.
static void forEachSize(const LaunchContract &contract,
                        llvm::function_ref<void(index::Expr)> visit) {
  for (const ArgumentContract &argument : contract.arguments)
    forEachSize(argument, visit);
}

/// The same, and for numbers.
static void forEachGiven(const LaunchContract &contract,
                         llvm::function_ref<void(index::Expr)> visit) {
  for (const ArgumentContract &argument : contract.arguments)
    if (argument.value)
      visit(argument.value);
  forEachSize(contract, visit);
}

static llvm::DenseSet<index::Expr> symbolsOfSizes(const LaunchContract &contract) {
  llvm::DenseSet<index::Expr> symbols;
  for (const ArgumentContract &argument : contract.arguments)
    for (index::Expr size : argument.sizes)
      index::forEachSymbol(size, [&](index::Expr symbol) { symbols.insert(symbol); });
  return symbols;
}

/// Which sums get names: of sizes and strides where more axes have N - 1 than have N, those of one
/// tensor, or all and those of numbers too.
struct SumsOf {
  enum Kind { MostAxes, Tensor, Numbers } kind;
  unsigned argument = 0;
};

using Counts = llvm::MapVector<index::Expr, unsigned>;

/// The size that a sum is solved for, of several that which the fewest axes have. Null for none.
static index::Expr sizeToSolve(index::Expr sum, const Counts &plain) {
  llvm::SmallVector<index::Expr> sizes = index::solvableSizes(sum);
  auto least = llvm::min_element(
      sizes, [&](index::Expr a, index::Expr b) { return plain.lookup(a) < plain.lookup(b); });
  return least == sizes.end() ? index::Expr() : *least;
}

/// Sums among the factors of sizes and strides, the most frequent first, with the sizes that they
/// are solved for. One of strides is none: an address tells the axes that it steps along by their
/// strides.
static llvm::SmallVector<Pair> sumsOf(const LaunchContract &contract, SumsOf of) {
  Counts counts, plain;
  llvm::DenseSet<index::Expr> sizes = symbolsOfSizes(contract);
  auto isOfSizes = [&](index::Expr symbol) {
    return sizes.contains(symbol) && !symbol.getName().starts_with("(");
  };
  auto count = [&](index::Expr expr) {
    index::Expr sum = index::primitiveSum(expr);
    if (sum && llvm::all_of(index::collectSymbols(sum), isOfSizes))
      ++counts[sum];
  };
  if (of.kind == SumsOf::Tensor)
    forEachSize(contract.arguments[of.argument], count);
  else
    of.kind == SumsOf::Numbers ? forEachGiven(contract, count) : forEachSize(contract, count);
  if (of.kind != SumsOf::Numbers)
    forEachSize(contract, [&](index::Expr size) { ++plain[size]; });
  llvm::SmallVector<std::pair<index::Expr, unsigned>> ordered(counts.begin(), counts.end());
  llvm::stable_sort(ordered, [](auto &a, auto &b) { return a.second > b.second; });
  llvm::SmallVector<Pair> sums;
  for (auto &[sum, times] : ordered) {
    index::Expr size = sizeToSolve(sum, plain);
    if (size && (of.kind != SumsOf::MostAxes || plain.lookup(size) < times))
      sums.push_back({sum, size});
  }
  return sums;
}

static void nameSums(const LaunchContract &contract, SumsOf of, Names &names) {
  llvm::DenseSet<index::Expr> taken;
  for (auto [sum, size] : sumsOf(contract, of)) {
    // Each name replaces a size that no other sum speaks of.
    llvm::ArrayRef<index::Expr> symbols = index::collectSymbols(sum);
    if (llvm::any_of(symbols, [&](index::Expr symbol) { return taken.contains(symbol); }))
      continue;
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
  named.isRenamed = true;
  named.replace(names);
  named.facts = contract.facts.substituted(names);
  for (const auto &[block, value] : blocks) {
    index::Expr name = names.lookup(value);
    index::Range range = contract.facts.range(value);
    if (range.lo)
      named.facts.assume(index::ge(name, *range.lo));
    if (range.hi)
      named.facts.assume(index::le(name, *range.hi));
    for (index::Expr operand : value.getOperands())
      named.facts.assume(index::ge(name, operand));
  }
  return named;
}

/// The launch over other names of its sizes.
static std::optional<LaunchContract> renamed(const LaunchContract &contract, const Names &names) {
  if (names.empty())
    return std::nullopt;
  LaunchContract named = contract;
  named.isRenamed = true;
  named.replace(names);
  named.facts = contract.facts.substituted(names);
  return named;
}

/// In rounds: a name may be a factor beside which another sum is seen, M + 1 of
/// M * (N + 2) + (N + 2).
static std::optional<LaunchContract> withSumsNamed(const LaunchContract &contract, SumsOf of) {
  std::optional<LaunchContract> named;
  for (unsigned round = 0; round < 3; ++round) {
    const LaunchContract &last = named ? *named : contract;
    Names names;
    nameSums(last, of, names);
    if (auto next = renamed(last, names))
      named = std::move(next);
  }
  return named;
}

static llvm::DenseSet<index::Expr> givenSymbols(const LaunchContract &contract) {
  llvm::DenseSet<index::Expr> symbols;
  auto visit = [&](index::Expr given) {
    index::forEachSymbol(given, [&](index::Expr symbol) { symbols.insert(symbol); });
  };
  forEachGiven(contract, visit);
  llvm::for_each(contract.grid, visit);
  for (const auto &[name, value] : contract.meta)
    visit(value);
  return symbols;
}

/// What a quotient is of another's name: (N + 161) // 192 is ([(N + 1) // 32] + 5) // 6. Null where
/// it is none.
static index::Expr ofOtherName(index::Expr quotient, const Names &names) {
  int64_t divisor = *quotient.getOperands()[1].getConstant();
  for (auto [other, name] : ordered(names)) {
    int64_t part = *other.getOperands()[1].getConstant();
    auto apart = (quotient.getOperands()[0] - other.getOperands()[0]).getConstant();
    if (part < divisor && divisor % part == 0 && apart && *apart % part == 0)
      return index::floordiv(name + *apart / part, name.getContext().constant(divisor / part));
  }
  return {};
}

/// Quotients of sizes, as layers with strides make them: N // 16.
static std::optional<LaunchContract>
withQuotientsNamed(const LaunchContract &contract, llvm::function_ref<bool(index::Expr)> isNamed) {
  Names names;
  llvm::DenseSet<index::Expr> sizes = symbolsOfSizes(contract);
  auto isOfSizes = [&](index::Expr symbol) { return sizes.contains(symbol); };
  forEachGiven(contract, [&](index::Expr given) {
    (void)index::substitute(given, [&](index::Expr atom) {
      if (isNamed(atom) && llvm::all_of(index::collectSymbols(atom), isOfSizes))
        names[atom] = contract.getContext().symbol("[" + atom.str() + "]");
      return index::Expr();
    });
  });
  Names own = names, all = names;
  llvm::SmallVector<Pair> byDivisor = ordered(names);
  llvm::stable_sort(byDivisor, [](const Pair &a, const Pair &b) {
    return *a.first.getOperands()[1].getConstant() < *b.first.getOperands()[1].getConstant();
  });
  for (auto [quotient, name] : byDivisor)
    if (index::Expr known = ofOtherName(quotient, own)) {
      all[quotient] = known;
      own.erase(quotient);
    }
  std::optional<LaunchContract> named = renamed(contract, all);
  if (!named)
    return std::nullopt;
  llvm::DenseSet<index::Expr> given = givenSymbols(*named);
  // Two quotients of one size are tied by it.
  llvm::DenseMap<index::Expr, unsigned> uses;
  for (index::Expr symbol : given)
    uses[symbol] = 1;
  llvm::SmallVector<Pair> quotients = ordered(own);
  for (auto [quotient, name] : quotients)
    for (index::Expr symbol : index::collectSymbols(quotient))
      ++uses[symbol];
  for (auto [quotient, name] : quotients) {
    if (std::optional<int64_t> least = contract.facts.range(quotient).lo)
      named->facts.assume(index::ge(name, *least));
    if (llvm::none_of(index::collectSymbols(quotient),
                      [&](index::Expr symbol) { return uses[symbol] > 1; }))
      continue;
    // What a quotient is of its size is no longer seen.
    index::Expr x = quotient.getOperands()[0], divisor = quotient.getOperands()[1];
    named->facts.assume(index::ge(x - divisor * name, 0));
    named->facts.assume(index::ge(divisor * name + divisor - 1 - x, 0));
  }
  named->facts = named->facts.about(given);
  return named;
}

/// Sums of multiples, as transposed layers with strides make them: 2 * N - 1.
static std::optional<LaunchContract> withMultiplesNamed(const LaunchContract &contract) {
  llvm::SmallVector<index::NamedSum> sums;
  forEachSize(contract, [&](index::Expr size) {
    if (index::Expr sum = index::sumToName(index::nameFactors(size, sums)))
      sums.push_back({sum, contract.getContext().symbol("(" + sum.str() + ")")});
  });
  if (sums.empty())
    return std::nullopt;
  LaunchContract named = contract;
  named.isRenamed = true;
  auto change = [&](index::Expr &expr) {
    if (!expr)
      return;
    expr = index::substitute(expr, [&](index::Expr atom) {
      return atom.getKind() == index::ExprKind::FloorDiv
                 ? index::floordiv(index::nameMultiples(atom.getOperands()[0], sums),
                                   atom.getOperands()[1])
                 : index::Expr();
    });
    expr = index::nameFactors(expr, sums);
  };
  for (ArgumentContract &argument : named.arguments) {
    llvm::for_each(argument.sizes, change);
    llvm::for_each(argument.strides, change);
    change(argument.value);
  }
  llvm::for_each(named.grid, change);
  for (auto &[name, value] : named.meta)
    change(value);
  for (auto &[name, pred] : named.conditions)
    pred = index::substitute(pred, [&](index::Expr atom) {
      index::Expr changed = atom;
      change(changed);
      return changed;
    });
  // That 2 * M * N <= M + N + 3 says that (2 * M - 1) * (2 * N - 1) <= 7.
  for (index::Pred pred : contract.facts.getAssumptions()) {
    if (pred.getKind() != index::PredKind::NonNegative || index::degree(pred.getExpr()) < 2)
      continue;
    index::Expr expr = pred.getExpr();
    for (index::NamedSum sum : sums)
      expr = expr * std::abs(sum.sum.getTerms().front().coefficient);
    named.facts.assume(index::ge(index::nameMultiples(expr, sums), 0));
  }
  for (auto [sum, name] : sums) {
    named.facts.assume(index::ge(name, sum));
    named.facts.assume(index::le(name, sum));
    if (std::optional<int64_t> least = contract.facts.range(sum).lo)
      named.facts.assume(index::ge(name, *least));
  }
  named.facts = named.facts.about(givenSymbols(named));
  return named;
}

std::optional<LaunchContract> withNamedSizes(const LaunchContract &contract) {
  std::optional<LaunchContract> named = withQuotientsNamed(contract, isQuotientOfOne);
  if (auto multiples = withMultiplesNamed(named.value_or(contract)))
    named = std::move(multiples);
  if (auto sums = withSumsNamed(named ? *named : contract, {SumsOf::MostAxes}))
    named = std::move(sums);
  return named;
}

std::optional<LaunchContract> withNamedAxes(const LaunchContract &contract, unsigned argument) {
  std::optional<LaunchContract> named = withQuotientsNamed(contract, isQuotient);
  if (auto sums = withSumsNamed(named ? *named : contract, {SumsOf::Tensor, argument}))
    named = std::move(sums);
  return named;
}

std::optional<LaunchContract> withNamedSums(const LaunchContract &contract) {
  return withSumsNamed(contract, {SumsOf::Numbers});
}

} // namespace nereid::analysis
