// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/SizeForms.h"

#include "index/Divisors.h"
#include "llvm/ADT/Twine.h"

#include <numeric>

namespace nereid::schedule {

using index::Expr;
using index::Pred;
using index::PredKind;

namespace {

/// No index expression names a symbol so: it would read as a division.
Expr quotientOf(Expr size, int64_t divisor) {
  return size.getContext().symbol((size.getName() + "/" + llvm::Twine(divisor)).str());
}

struct Division {
  Expr size;
  int64_t divisor;
};

/// Reads `others * (size - divisor * (size // divisor))`, which is 0 where the shape of a view
/// holds as many elements as what it views.
std::optional<Division> readRemainder(Expr expr) {
  index::Context &context = expr.getContext();
  std::optional<Division> found;
  (void)index::substitute(expr, [&](Expr atom) {
    if (atom.getKind() != index::ExprKind::FloorDiv || found)
      return atom;
    Expr size = atom.getOperands()[0];
    std::optional<int64_t> divisor = atom.getOperands()[1].getConstant();
    auto quotient = index::asLinearIn(expr, atom);
    if (!size.isSymbol() || !divisor || *divisor < 2 || !quotient)
      return atom;
    auto whole = index::asLinearIn(quotient->rest, size);
    if (whole && whole->rest == context.constant(0) &&
        quotient->coefficient == whole->coefficient * -*divisor)
      found = Division{size, *divisor};
    return atom;
  });
  return found;
}

} // namespace

void SizeForms::add(Expr size, int64_t divisor) {
  constexpr int64_t greatest = int64_t(1) << 20;
  int64_t &known = divisors[size];
  int64_t both = std::lcm(std::max<int64_t>(known, 1), divisor);
  if (both <= greatest)
    known = both;
  else if (known == 0)
    divisors.erase(size);
}

int64_t SizeForms::divisorOf(Expr size) const {
  auto known = divisors.find(size);
  return known == divisors.end() ? 1 : known->second;
}

Pred SizeForms::learn(Pred pred) {
  switch (pred.getKind()) {
  case PredKind::And: {
    llvm::SmallVector<Pred> besides;
    for (Pred part : pred.getOperands())
      if (Pred more = learn(part))
        besides.push_back(more);
    return besides.empty() ? Pred() : index::allOf(pred.getContext(), besides);
  }
  case PredKind::Divisible:
    if (auto multiple = index::readMultiple(pred, [&](Expr size) { return divisorOf(size); }))
      add(multiple->size, multiple->divisor);
    return Pred();
  case PredKind::Zero:
    if (auto division = readRemainder(pred.getExpr())) {
      add(division->size, division->divisor);
      return index::divisible(division->size, division->divisor);
    }
    return Pred();
  default:
    return Pred();
  }
}

/// `divisor * quotient` for a size that is one, `name + 2` for one that a sum was solved for.
Expr SizeForms::replaceSize(Expr atom) const {
  if (Expr found = solved.lookup(atom))
    return found;
  auto found = divisors.find(atom);
  return found == divisors.end() ? Expr() : quotientOf(atom, found->second) * found->second;
}

Expr SizeForms::divided(Expr expr) const {
  if (!expr || (divisors.empty() && solved.empty()))
    return expr;
  return index::substitute(expr, [&](Expr atom) { return replaceSize(atom); });
}

static Expr nameOf(Expr sum) { return sum.getContext().symbol("(" + sum.str() + ")"); }

void SizeForms::solve(llvm::ArrayRef<Expr> sizes) {
  llvm::MapVector<Expr, unsigned> counts;
  for (Expr size : sizes)
    ++counts[size];
  // Of M + N the size M would be a difference, of which nobody knows that it is not negative.
  auto keepsSign = [](Expr sum, Expr size) {
    return llvm::all_of(sum.getTerms(), [&](index::Term term) {
      return term.monomial == size || term.coefficient < 0;
    });
  };
  llvm::SmallVector<std::pair<Expr, unsigned>> ordered;
  for (auto [size, count] : counts)
    if (Expr solvable = index::solvedSize(size);
        solvable && counts.lookup(solvable) < count && keepsSign(size, solvable))
      ordered.emplace_back(size, count);
  llvm::stable_sort(ordered, [](auto &a, auto &b) { return a.second > b.second; });
  // Each name replaces a size that no other sum speaks of.
  llvm::DenseSet<Expr> taken;
  for (auto &[sum, count] : ordered) {
    llvm::ArrayRef<Expr> symbols = index::collectSymbols(sum);
    if (llvm::any_of(symbols, [&](Expr symbol) {
          return taken.contains(symbol) || divisors.contains(symbol);
        }))
      continue;
    Expr size = index::solvedSize(sum);
    solved[size] = nameOf(sum) - (sum - size);
    sums.push_back({sum, nameOf(sum)});
    taken.insert_range(symbols);
  }
  solvedSums = sums.size();
}

void SizeForms::nameSum(Expr size) {
  if (Expr sum = index::sumToName(inward(size)))
    sums.push_back({sum, nameOf(outward(sum))});
}

Expr SizeForms::inward(Expr expr) const {
  return expr ? index::nameFactors(divided(expr), llvm::ArrayRef(sums).drop_front(solvedSums))
              : expr;
}

Expr SizeForms::writtenOut(Expr expr) const {
  for (const index::NamedSum &named : llvm::ArrayRef(sums).drop_front(solvedSums))
    expr = index::substitute(expr, {{named.name, named.sum}});
  return expr;
}

Pred SizeForms::inward(Pred pred) const {
  return index::substitute(pred, [&](Expr atom) { return replaceSize(atom); });
}

Expr SizeForms::outward(Expr expr) const {
  // The last ones may be made of those before them.
  if (expr)
    for (const index::NamedSum &named : llvm::reverse(sums))
      expr = index::substitute(expr, {{named.name, named.sum}});
  if (!expr || divisors.empty())
    return expr;
  index::Context &context = expr.getContext();
  // `divisor` quotients are the size, and a part of them is the size divided by less.
  llvm::DenseMap<Expr, std::pair<Expr, int64_t>> quotients;
  for (auto [size, divisor] : divisors)
    quotients[quotientOf(size, divisor)] = {size, divisor};
  Expr result = context.constant(expr.getConstantTerm());
  for (const index::Term &term : expr.getTerms()) {
    int64_t coefficient = term.coefficient;
    Expr product = context.constant(1);
    auto multiply = [&](Expr atom) {
      if (auto found = quotients.find(atom); found != quotients.end()) {
        auto [size, divisor] = found->second;
        int64_t taken = std::gcd(coefficient, divisor);
        coefficient /= taken;
        product = product * index::floordiv(size, divisor / taken);
        return;
      }
      llvm::SmallVector<Expr> operands;
      if (!atom.isSymbol() && !atom.isConstant())
        for (Expr operand : atom.getOperands())
          operands.push_back(outward(operand));
      switch (atom.getKind()) {
      case index::ExprKind::FloorDiv:
        product = product * index::floordiv(operands[0], operands[1]);
        return;
      case index::ExprKind::Mod:
        product = product * index::mod(operands[0], operands[1]);
        return;
      case index::ExprKind::Min:
        product = product * index::min(operands);
        return;
      case index::ExprKind::Max:
        product = product * index::max(operands);
        return;
      case index::ExprKind::NextPow2:
        product = product * index::nextPow2(operands[0]);
        return;
      default:
        product = product * atom;
      }
    };
    if (term.monomial.getKind() != index::ExprKind::Product)
      multiply(term.monomial);
    else
      for (const index::Factor &factor : term.monomial.getFactors())
        for (unsigned i = 0; i < factor.power; ++i)
          multiply(factor.atom);
    result = result + product * coefficient;
  }
  return result;
}

Pred SizeForms::outward(Pred pred) const {
  if (!pred || (divisors.empty() && sums.empty()))
    return pred;
  switch (pred.getKind()) {
  case PredKind::True:
  case PredKind::False:
    return pred;
  case PredKind::NonNegative:
    return index::ge(outward(pred.getExpr()), 0);
  case PredKind::Zero:
    return index::eq(outward(pred.getExpr()), 0);
  case PredKind::NonZero:
    return index::ne(outward(pred.getExpr()), 0);
  case PredKind::Divisible:
    return index::divisible(outward(pred.getExpr()), outward(pred.getDivisor()));
  case PredKind::NotDivisible:
    return index::notOf(index::divisible(outward(pred.getExpr()), outward(pred.getDivisor())));
  case PredKind::And:
  case PredKind::Or: {
    llvm::SmallVector<Pred> parts;
    for (Pred part : pred.getOperands())
      parts.push_back(outward(part));
    return pred.getKind() == PredKind::And ? index::allOf(pred.getContext(), parts)
                                           : index::anyOf(pred.getContext(), parts);
  }
  }
  llvm_unreachable("every kind is handled");
}

void SizeForms::forEach(llvm::function_ref<void(Expr, Expr, int64_t)> visit) const {
  for (auto [size, divisor] : divisors)
    visit(size, quotientOf(size, divisor), divisor);
}

} // namespace nereid::schedule
