// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Factors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

namespace nereid::index {

namespace {

/// A polynomial: the coefficient of each monomial; that of 1 is the constant.
using Terms = llvm::MapVector<Expr, int64_t>;

/// A polynomial as `slope * atom + rest`.
struct AtomSplit {
  Expr atom;
  Terms slope, rest;
};

/// A split whose rest is numerator / denominator times its slope, but for their constants: `own` of
/// the slope and `rest`.
struct Proportion {
  AtomSplit split;
  int64_t numerator, denominator, own, rest;
};

} // namespace

static Terms termsOf(Expr expr) {
  Terms terms;
  for (const Term &term : expr.getTerms())
    terms[term.monomial] = term.coefficient;
  if (int64_t constant = expr.getConstantTerm())
    terms[expr.getContext().constant(1)] = constant;
  return terms;
}

/// Whether numbers are so great that quotients and common divisors of them overflow.
static bool hasGreatNumbers(const Terms &terms) {
  constexpr int64_t most = int64_t(1) << 62;
  return llvm::any_of(terms, [](auto &term) { return term.second > most || term.second < -most; });
}

static Expr sumOf(const Terms &terms, Context &context) {
  Expr sum = context.constant(0);
  for (auto [monomial, coefficient] : terms)
    sum = sum + monomial * coefficient;
  return sum;
}

/// A monomial as factors; of an atom itself.
static llvm::SmallVector<Factor, 4> factorsOfTerm(Expr monomial) {
  if (monomial.isConstant())
    return {};
  if (monomial.getKind() == ExprKind::Product)
    return llvm::SmallVector<Factor, 4>(monomial.getFactors());
  return {{monomial, 1}};
}

/// Nothing where the atom's square is in it.
static std::optional<AtomSplit> splitAt(const Terms &terms, Expr atom) {
  AtomSplit split{atom, {}, {}};
  for (auto [monomial, coefficient] : terms) {
    Expr others = atom.getContext().constant(1);
    bool has = false;
    for (const Factor &factor : factorsOfTerm(monomial)) {
      if (factor.atom == atom) {
        if (factor.power > 1)
          return std::nullopt;
        has = true;
        continue;
      }
      for (unsigned i = 0; i < factor.power; ++i)
        others = others * factor.atom;
    }
    (has ? split.slope : split.rest)[others] = coefficient;
  }
  return split;
}

static llvm::SetVector<Expr> atomsOf(const Terms &terms) {
  llvm::SetVector<Expr> atoms;
  for (auto [monomial, coefficient] : terms)
    for (const Factor &factor : factorsOfTerm(monomial))
      atoms.insert(factor.atom);
  return atoms;
}

/// What the rest is of the slope, as a quotient of integers: all their terms but the constant have
/// it. Nothing where they differ, or where there is none.
static std::optional<std::pair<int64_t, int64_t>> ratioOf(const AtomSplit &split) {
  std::optional<std::pair<int64_t, int64_t>> ratio;
  size_t matched = 0;
  for (auto [monomial, coefficient] : split.slope) {
    if (monomial.isConstant())
      continue;
    auto other = split.rest.find(monomial);
    int64_t own = other == split.rest.end() ? 0 : other->second;
    matched += other != split.rest.end();
    if (ratio && __int128(own) * ratio->second != __int128(ratio->first) * coefficient)
      return std::nullopt;
    if (!ratio) {
      int64_t common = std::gcd(own, coefficient);
      if (coefficient < 0)
        common = -common;
      ratio = {own / common, coefficient / common};
    }
  }
  size_t inRest = llvm::count_if(split.rest, [](auto &term) { return !term.first.isConstant(); });
  return ratio && matched == inRest ? ratio : std::nullopt;
}

static int64_t constantOf(const Terms &terms, Context &context) {
  auto found = terms.find(context.constant(1));
  return found == terms.end() ? 0 : found->second;
}

static std::optional<Proportion> proportionAt(const Terms &terms, Expr atom) {
  std::optional<AtomSplit> split = splitAt(terms, atom);
  std::optional<std::pair<int64_t, int64_t>> ratio = split ? ratioOf(*split) : std::nullopt;
  if (!ratio)
    return std::nullopt;
  Context &context = atom.getContext();
  int64_t own = constantOf(split->slope, context), rest = constantOf(split->rest, context);
  return Proportion{std::move(*split), ratio->first, ratio->second, own, rest};
}

Factored factor(Expr expr) {
  Context &context = expr.getContext();
  Terms terms = termsOf(expr);
  Factored whole;
  if (terms.empty()) {
    whole.content = 0;
    return whole;
  }
  if (hasGreatNumbers(terms)) {
    whole.content = 1;
    whole.factors.push_back(expr);
    return whole;
  }
  int64_t content = 0;
  for (auto [monomial, coefficient] : terms)
    content = std::gcd(content, coefficient);
  if (llvm::all_of(terms, [](auto &term) { return term.second < 0; }))
    content = -content;
  whole.content = content;
  for (auto &[monomial, coefficient] : terms)
    coefficient /= content;
  for (Expr atom : atomsOf(terms)) {
    std::optional<Proportion> found = proportionAt(terms, atom);
    if (!found)
      continue;
    auto &[split, numerator, denominator, own, rest] = *found;
    if (__int128(rest) * denominator != __int128(numerator) * own)
      continue;
    // The slope is denominator times the other factor.
    for (auto &[monomial, coefficient] : split.slope)
      coefficient /= denominator;
    Factored others = factor(sumOf(split.slope, context));
    whole.content *= others.content;
    whole.factors = std::move(others.factors);
    whole.factors.insert(whole.factors.begin(), atom * denominator + numerator);
    return whole;
  }
  whole.factors.push_back(sumOf(terms, context));
  return whole;
}

Factored factorUpToConstant(Expr expr) {
  Context &context = expr.getContext();
  Factored exact = factor(expr);
  if (exact.factors.size() > 1)
    return exact;
  Terms terms = termsOf(expr);
  if (hasGreatNumbers(terms))
    return exact;
  for (Expr atom : atomsOf(terms)) {
    std::optional<Proportion> found = proportionAt(terms, atom);
    if (!found)
      continue;
    auto &[split, numerator, denominator, own, rest] = *found;
    __int128 wanted = __int128(numerator) * own;
    if (wanted % denominator != 0)
      continue;
    int64_t missing = int64_t(wanted / denominator) - rest;
    Factored moved = factor(expr + missing);
    if (moved.factors.size() < 2)
      continue;
    moved.rest = -missing;
    return moved;
  }
  return exact;
}

} // namespace nereid::index
