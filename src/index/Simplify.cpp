// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions rewritten with the help of facts, from the inside out.
#include "index/MixedRadix.h"
#include "index/Prover.h"
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

/// The greatest number times monomial that divides both terms.
static Expr sharedFactor(Term a, Term b) {
  Expr shared =
      a.monomial.getContext().constant(greatestCommonDivisor(a.coefficient, b.coefficient));
  for (Factor left : factorsOf(a.monomial))
    for (Factor right : factorsOf(b.monomial))
      if (left.atom == right.atom)
        for (unsigned i = 0; i < std::min(left.power, right.power); ++i)
          shared = shared * left.atom;
  return shared;
}

namespace {
class Simplifier {
public:
  explicit Simplifier(const Facts &facts) : facts(facts), prover(facts) {}

  Expr run(Expr expr) {
    auto found = done.find(expr);
    if (found != done.end())
      return found->second;
    Expr result = asPoint(rebuild(expr));
    Expr joined = joinDigits(result, [&](Expr modulus) {
      return modulus.getConstant().value_or(0) > 0 || prover.isNonNegative(modulus - 1);
    });
    if (joined != result)
      result = run(joined);
    done[expr] = result;
    return result;
  }

private:
  /// A range of one value is that value.
  Expr asPoint(Expr expr) {
    Range range = facts.range(expr);
    return range.lo && range.lo == range.hi ? expr.getContext().constant(*range.lo) : expr;
  }

  Expr rebuild(Expr expr) {
    return substitute(expr, [&](Expr atom) -> Expr {
      auto found = done.find(atom);
      if (found != done.end())
        return found->second;
      llvm::SmallVector<Expr> operands;
      for (Expr operand : atom.getOperands())
        operands.push_back(run(operand));
      Expr result = asPoint(decide(atom, operands));
      done[atom] = result;
      return result;
    });
  }

  Expr decide(Expr atom, llvm::ArrayRef<Expr> operands) {
    switch (atom.getKind()) {
    case ExprKind::FloorDiv:
      return quotient(operands[0], operands[1]);
    case ExprKind::Mod:
      return remainder(operands[0], operands[1]);
    case ExprKind::Min:
    case ExprKind::Max:
      return extreme(atom.getKind(), operands);
    case ExprKind::NextPow2:
      return nextPow2(operands[0]);
    default:
      return atom;
    }
  }

  bool isWithin(Expr expr, Expr divisor) {
    return prover.isNonNegative(expr) && prover.isNonNegative(divisor - expr - 1);
  }

  /// Splits x = multiple + rest with d | multiple for the constant d, and 0 <= rest < d proved.
  std::optional<std::pair<Expr, Expr>> splitMultiple(Expr x, int64_t d) {
    LinearSum multiple(x.getContext()), rest(x.getContext());
    for (Term term : x.getTerms()) {
      int64_t scale = greatestCommonDivisor(term.coefficient, 0);
      std::optional<int64_t> known = checkedMultiply(scale, facts.knownMultiple(term.monomial));
      (known && *known % d == 0 ? multiple : rest).addTerm(term.monomial, term.coefficient);
    }
    rest.addConstant(*floorModulo(x.getConstantTerm(), d));
    multiple.addConstant(x.getConstantTerm() - *floorModulo(x.getConstantTerm(), d));
    Expr remainder = rest.take();
    if (!isWithin(remainder, x.getContext().constant(d)))
      return std::nullopt;
    return std::pair(multiple.take(), remainder);
  }

  /// d = factor * others with x = factor * whole + rest, all >= 1 and 0 <= rest < factor proved.
  struct FactorSplit {
    Expr factor, others, whole, rest;
  };

  std::optional<FactorSplit> splitBy(Expr x, Expr d, Expr factor) {
    if (factor.isConstant(1))
      return std::nullopt;
    Expr others = floordiv(d, factor);
    if (others * factor != d || !prover.isNonNegative(others - 1))
      return std::nullopt;
    LinearSum whole(x.getContext()), rest(x.getContext());
    int64_t constant = x.getConstantTerm(), step = factor.getConstant().value_or(0);
    if (step > 1)
      whole.addConstant(*floorDivide(constant, step));
    rest.addConstant(step > 1 ? *floorModulo(constant, step) : constant);
    for (Term term : x.getTerms()) {
      Expr part = term.monomial * term.coefficient, ratio = floordiv(part, factor);
      if (ratio * factor == part)
        whole.add(ratio);
      else
        rest.add(part);
    }
    FactorSplit split{factor, others, whole.take(), rest.take()};
    if (split.whole.isConstant(0) && factor.getKind() == ExprKind::Sum) {
      split.rest = x;
      split.whole = takeMultiples(split.rest, factor);
    }
    if (split.whole.isConstant(0) || !isWithin(split.rest, factor))
      return std::nullopt;
    return split;
  }

  /// A split by the whole divisor if there is one, else by one of its factors.
  std::optional<FactorSplit> splitByFactor(Expr x, Expr d) {
    if (x.getTerms().size() < 2)
      return std::nullopt;
    llvm::SmallVector<Term, 4> terms = d.getTerms();
    llvm::SmallVector<Expr, 4> factors = {d};
    // (2*k + i) // 4 is k // 2 for an i of 0 or 1.
    if (std::optional<int64_t> number = d.getConstant()) {
      factors.clear();
      for (Term term : x.getTerms())
        if (int64_t shared = greatestCommonDivisor(term.coefficient, *number);
            shared > 1 && shared < *number)
          factors.push_back(d.getContext().constant(shared));
    }
    if (terms.size() == 1 && d.getConstantTerm() == 0) {
      for (Factor factor : factorsOf(terms[0].monomial))
        factors.push_back(factor.atom);
      // What the divisor shares with a term: 2*k of (2*k*b + c) // (4*k).
      for (Term term : x.getTerms())
        if (Expr shared = sharedFactor(term, terms[0]); !llvm::is_contained(factors, shared))
          factors.push_back(shared);
    }
    for (Expr factor : factors)
      if (std::optional<FactorSplit> split = splitBy(x, d, factor))
        return split;
    return std::nullopt;
  }

  /// A number below 0, by no more than the divisor.
  bool isJustBelow(Expr x, Expr d) {
    std::optional<int64_t> number = x.getConstant();
    return number && *number < 0 && prover.isNonNegative(x + d);
  }

  Expr quotient(Expr x, Expr d) {
    if (isWithin(x, d))
      return x.getContext().constant(0);
    if (isJustBelow(x, d))
      return x.getContext().constant(-1);
    std::optional<int64_t> divisor = d.getConstant();
    // The lower bound keeps the split's constant arithmetic inside int64.
    if (divisor && *divisor > 1 && x.getConstantTerm() > INT64_MIN / 2)
      if (auto split = splitMultiple(x, *divisor))
        if (split->first != x)
          return floordiv(split->first, d);
    if (auto split = splitByFactor(x, d))
      return quotient(split->whole, split->others);
    return floordiv(x, d);
  }

  Expr remainder(Expr x, Expr d) {
    if (isWithin(x, d))
      return x;
    if (isJustBelow(x, d))
      return x + d;
    std::optional<int64_t> divisor = d.getConstant();
    if (divisor && *divisor > 1 && x.getConstantTerm() > INT64_MIN / 2)
      if (auto split = splitMultiple(x, *divisor))
        return split->second;
    if (auto split = splitByFactor(x, d))
      return split->factor * remainder(split->whole, split->others) + split->rest;
    return mod(x, d);
  }

  Expr extreme(ExprKind kind, llvm::ArrayRef<Expr> operands) {
    bool isMin = kind == ExprKind::Min;
    llvm::SmallVector<Expr> kept(operands.begin(), operands.end());
    for (size_t i = 0; i < kept.size();) {
      bool redundant = llvm::any_of(llvm::enumerate(kept), [&](auto other) {
        Expr difference = isMin ? kept[i] - other.value() : other.value() - kept[i];
        return other.index() != i && prover.isNonNegative(difference);
      });
      if (redundant && kept.size() > 1)
        kept.erase(kept.begin() + i);
      else
        ++i;
    }
    return isMin ? min(kept) : max(kept);
  }

  const Facts &facts;
  Prover prover;
  llvm::DenseMap<Expr, Expr> done;
};
} // namespace

/// Solves an assumed equality for a symbol of coefficient 1 or -1, the last in order, so that
/// replacing it cannot go round in circles.
static void addSolution(Pred pred, llvm::DenseMap<Expr, Expr> &solutions) {
  Expr expr = pred.getExpr();
  Expr best;
  int64_t sign = 0;
  for (Term term : expr.getTerms()) {
    bool unit = term.coefficient == 1 || term.coefficient == -1;
    if (!unit || !term.monomial.isSymbol() || (best && compare(term.monomial, best) < 0))
      continue;
    best = term.monomial;
    sign = term.coefficient;
  }
  if (!best || solutions.contains(best))
    return;
  Expr rest = expr - best * sign;
  bool ordered = llvm::all_of(collectSymbols(rest), [&](Expr symbol) { return symbol < best; });
  if (ordered)
    solutions[best] = rest * -sign;
}

void Facts::simplifyAll(llvm::MutableArrayRef<Expr> exprs) const {
  llvm::DenseMap<Expr, Expr> solutions;
  for (Pred pred : assumptions)
    if (pred.getKind() == PredKind::Zero)
      addSolution(pred, solutions);
  Simplifier simplifier(*this);
  for (Expr &expr : exprs) {
    // Each round replaces symbols by earlier ones, so there are at most as many rounds as
    // solutions.
    for (size_t round = 0; round < solutions.size(); ++round) {
      Expr next = substitute(expr, solutions);
      if (next == expr)
        break;
      expr = next;
    }
    expr = simplifier.run(expr);
  }
}

Expr Facts::simplify(Expr expr) const {
  simplifyAll(expr);
  return expr;
}

Pred Facts::simplify(Pred pred) const {
  Truth known = prove(pred);
  if (known != Truth::Unknown)
    return truth(*context, known == Truth::True);
  if (pred.getKind() != PredKind::And && pred.getKind() != PredKind::Or)
    return substitute(pred, [&](Expr atom) -> Expr {
      Expr simpler = simplify(atom);
      return simpler == atom ? Expr() : simpler;
    });
  llvm::SmallVector<Pred> parts;
  for (Pred part : pred.getOperands())
    parts.push_back(simplify(part));
  return pred.getKind() == PredKind::And ? allOf(*context, parts) : anyOf(*context, parts);
}

} // namespace nereid::index
