// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and products in canonical form: products are distributed over sums, equal monomials merged.
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

/// Beyond this many terms a product of sums stays a product: (a + b + c)^10 must not explode.
static constexpr size_t maxDistributedTerms = 128;

llvm::SmallVector<Factor, 4> factorsOf(Expr monomial) {
  if (!monomial)
    return {};
  if (monomial.getKind() == ExprKind::Product)
    return {monomial.getFactors().begin(), monomial.getFactors().end()};
  return {{monomial, 1}};
}

/// The monomial of sorted factors; null for none.
static Expr monomialOf(llvm::ArrayRef<Factor> factors) {
  if (factors.empty())
    return {};
  if (factors.size() == 1 && factors.front().power == 1)
    return factors.front().atom;
  ExprNode content{ExprKind::Product, &factors.front().atom.getContext()};
  content.factors = factors;
  return intern(content);
}

Expr multiplyMonomials(Expr a, Expr b) {
  if (!a || !b)
    return a ? a : b;
  llvm::SmallVector<Factor, 4> left = factorsOf(a), right = factorsOf(b), merged;
  size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    int order = i == left.size()    ? 1
                : j == right.size() ? -1
                                    : compare(left[i].atom, right[j].atom);
    if (order == 0)
      merged.push_back({left[i].atom, left[i].power + right[j].power}), ++i, ++j;
    else
      merged.push_back(order < 0 ? left[i++] : right[j++]);
  }
  return monomialOf(merged);
}

std::optional<Expr> divideMonomial(Expr monomial, Expr divisor) {
  llvm::SmallVector<Factor, 4> rest = factorsOf(monomial);
  for (Factor factor : factorsOf(divisor)) {
    auto *found = llvm::find_if(rest, [&](Factor other) { return other.atom == factor.atom; });
    if (found == rest.end() || found->power < factor.power)
      return std::nullopt;
    found->power -= factor.power;
    if (found->power == 0)
      rest.erase(found);
  }
  return monomialOf(rest);
}

void LinearSum::addConstant(int64_t value) {
  if (std::optional<int64_t> total = checkedAdd(constant, value))
    constant = *total;
  else
    terms.push_back({context.constant(value), 1});
}

void LinearSum::addTerm(Expr monomial, int64_t coefficient) {
  if (!monomial)
    addConstant(coefficient);
  else if (coefficient != 0)
    terms.push_back({monomial, coefficient});
}

void LinearSum::addScaled(Expr monomial, int64_t coefficient, int64_t scale) {
  if (std::optional<int64_t> product = checkedMultiply(coefficient, scale))
    addTerm(monomial, *product);
  else
    addTerm(multiplyMonomials(monomial, context.constant(scale)), coefficient);
}

void LinearSum::add(Expr expr, int64_t scale) {
  addScaled({}, expr.getConstantTerm(), scale);
  for (Term term : expr.getTerms())
    addScaled(term.monomial, term.coefficient, scale);
}

/// Terms of high degree first, constants that could not be folded last.
static bool comesBefore(Term a, Term b) {
  if (a.monomial == b.monomial)
    return a.coefficient < b.coefficient;
  unsigned left = degree(a.monomial), right = degree(b.monomial);
  return left != right ? left > right : compare(a.monomial, b.monomial) < 0;
}

static void mergeTerms(llvm::SmallVectorImpl<Term> &terms, int64_t &constant) {
  if (!llvm::is_sorted(terms, comesBefore))
    llvm::sort(terms, comesBefore);
  llvm::SmallVector<Term, 8> merged;
  for (Term term : terms) {
    if (!merged.empty() && merged.back().monomial == term.monomial) {
      if (auto total = checkedAdd(merged.back().coefficient, term.coefficient)) {
        merged.back().coefficient = *total;
        continue;
      }
    }
    merged.push_back(term);
  }
  terms.clear();
  for (Term term : merged) {
    if (std::optional<int64_t> value = term.monomial.getConstant())
      if (std::optional<int64_t> scaled = checkedMultiply(*value, term.coefficient))
        if (std::optional<int64_t> total = checkedAdd(constant, *scaled)) {
          constant = *total;
          continue;
        }
    if (term.coefficient != 0)
      terms.push_back(term);
  }
}

/// The position of a factor `mod(x, d)` of power one; nullopt when there is none.
static std::optional<size_t> findModulo(llvm::ArrayRef<Factor> factors) {
  for (auto [position, factor] : llvm::enumerate(factors))
    if (factor.atom.getKind() == ExprKind::Mod && factor.power == 1)
      return position;
  return std::nullopt;
}

/// If the sum holds c*m*mod(x, d) and c*m*d*floordiv(x, d), puts c*m*x in their place.
bool LinearSum::recombineModulo() {
  for (Term term : terms) {
    llvm::SmallVector<Factor, 4> factors = factorsOf(term.monomial);
    std::optional<size_t> position = findModulo(factors);
    if (!position)
      continue;
    Expr modulo = factors[*position].atom;
    Expr x = modulo.getOperands()[0], d = modulo.getOperands()[1];
    factors.erase(factors.begin() + *position);
    Expr others = monomialOf(factors);
    Expr scale = x.getContext().constant(term.coefficient);
    if (others)
      scale = scale * others;
    Expr multiple = scale * d * floordiv(x, d);
    // With a divisor of several terms each of them must be there: half a pair only spreads out.
    unsigned quotients = 0, found = 0;
    for (Term wanted : multiple.getTerms()) {
      bool isQuotient = llvm::any_of(factorsOf(wanted.monomial), [](Factor factor) {
        return factor.atom.getKind() == ExprKind::FloorDiv;
      });
      quotients += isQuotient;
      found += isQuotient && llvm::is_contained(terms, wanted);
    }
    if (quotients == 0 || found != quotients)
      continue;
    addScaled(term.monomial, term.coefficient, -1);
    add(scale * x);
    add(multiple, -1);
    return true;
  }
  return false;
}

static bool hasQuotientAndModulo(llvm::ArrayRef<Term> terms) {
  bool quotient = false, modulo = false;
  for (Term term : terms)
    if (hasKind(term.monomial, ExprKind::FloorDiv) || hasKind(term.monomial, ExprKind::Mod))
      for (Factor factor : factorsOf(term.monomial)) {
        quotient |= factor.atom.getKind() == ExprKind::FloorDiv;
        modulo |= factor.atom.getKind() == ExprKind::Mod;
      }
  return quotient && modulo;
}

Expr LinearSum::take() {
  mergeTerms(terms, constant);
  if (hasQuotientAndModulo(terms) && recombineModulo())
    return take();
  if (terms.empty())
    return context.constant(constant);
  if (constant == 0 && terms.size() == 1 && terms.front().coefficient == 1)
    return terms.front().monomial;
  ExprNode content{ExprKind::Sum, &context};
  content.value = constant;
  content.terms = terms;
  return intern(content);
}

Expr operator+(Expr a, Expr b) {
  LinearSum result(a.getContext());
  result.add(a);
  result.add(b);
  return result.take();
}

Expr operator-(Expr a, Expr b) {
  LinearSum result(a.getContext());
  result.add(a);
  result.add(b, -1);
  return result.take();
}

Expr operator-(Expr a) {
  LinearSum result(a.getContext());
  result.add(a, -1);
  return result.take();
}

static Expr scaled(Expr expr, int64_t scale) {
  if (scale == 1)
    return expr;
  LinearSum result(expr.getContext());
  result.add(expr, scale);
  return result.take();
}

/// Whether a product of sums was left undistributed inside.
static bool hasSumAsFactor(llvm::ArrayRef<Term> terms) {
  return llvm::any_of(terms, [](Term term) {
    return term.monomial.getKind() == ExprKind::Product &&
           llvm::any_of(term.monomial.getFactors(),
                        [](Factor factor) { return factor.atom.getKind() == ExprKind::Sum; });
  });
}

Expr operator*(Expr a, Expr b) {
  if (std::optional<int64_t> value = a.getConstant())
    return scaled(b, *value);
  if (std::optional<int64_t> value = b.getConstant())
    return scaled(a, *value);
  llvm::SmallVector<Term, 4> left = a.getTerms(), right = b.getTerms();
  // Once too large, always so: distributing the rest would nest large sums in large sums.
  bool isLarge = (left.size() + 1) * (right.size() + 1) > maxDistributedTerms ||
                 hasSumAsFactor(left) || hasSumAsFactor(right);
  if (isLarge)
    return multiplyMonomials(a, b);
  if (a.getConstantTerm() != 0)
    left.push_back({Expr(), a.getConstantTerm()});
  if (b.getConstantTerm() != 0)
    right.push_back({Expr(), b.getConstantTerm()});
  LinearSum result(a.getContext());
  for (Term x : left)
    for (Term y : right)
      result.addScaled(multiplyMonomials(x.monomial, y.monomial), x.coefficient, y.coefficient);
  return result.take();
}

Expr sum(Context &context, llvm::ArrayRef<Expr> operands) {
  LinearSum result(context);
  for (Expr operand : operands)
    result.add(operand);
  return result.take();
}

Expr product(Context &context, llvm::ArrayRef<Expr> operands) {
  Expr result = context.constant(1);
  for (Expr operand : operands)
    result = result * operand;
  return result;
}

} // namespace nereid::index
