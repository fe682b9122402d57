// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Expr.h"
#include "index/Storage.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

ExprKind Expr::getKind() const { return node->kind; }
Context &Expr::getContext() const { return *node->context; }

std::optional<int64_t> Expr::getConstant() const {
  if (node->kind != ExprKind::Constant)
    return std::nullopt;
  return node->value;
}

llvm::StringRef Expr::getName() const { return node->name; }
llvm::ArrayRef<Expr> Expr::getOperands() const { return node->operands; }
llvm::ArrayRef<Factor> Expr::getFactors() const { return node->factors; }

int64_t Expr::getConstantTerm() const {
  return node->kind == ExprKind::Constant || node->kind == ExprKind::Sum ? node->value : 0;
}

llvm::SmallVector<Term, 4> Expr::getTerms() const {
  if (node->kind == ExprKind::Constant)
    return {};
  if (node->kind == ExprKind::Sum)
    return {node->terms.begin(), node->terms.end()};
  return {{*this, 1}};
}

/// Constants come last among operands and factors: `min(x, 4)`.
static unsigned rank(ExprKind kind) {
  return kind == ExprKind::Constant ? unsigned(ExprKind::Sum) + 1 : unsigned(kind);
}

template <typename T> static int order(T a, T b) { return a < b ? -1 : b < a ? 1 : 0; }

static int compareContent(Expr a, Expr b) {
  switch (a.getKind()) {
  case ExprKind::Constant:
    return order(*a.getConstant(), *b.getConstant());
  case ExprKind::Symbol:
    return a.getName().compare(b.getName());
  case ExprKind::Product:
    for (auto [left, right] : llvm::zip(a.getFactors(), b.getFactors())) {
      if (int result = compare(left.atom, right.atom))
        return result;
      // Higher powers first: x*x*y before x*y*y.
      if (int result = order(right.power, left.power))
        return result;
    }
    return order(a.getFactors().size(), b.getFactors().size());
  case ExprKind::Sum:
    for (auto [left, right] : llvm::zip(a.getNode()->terms, b.getNode()->terms)) {
      if (int result = compare(left.monomial, right.monomial))
        return result;
      if (int result = order(left.coefficient, right.coefficient))
        return result;
    }
    if (int result = order(a.getNode()->terms.size(), b.getNode()->terms.size()))
      return result;
    return order(a.getConstantTerm(), b.getConstantTerm());
  default:
    for (auto [left, right] : llvm::zip(a.getOperands(), b.getOperands()))
      if (int result = compare(left, right))
        return result;
    return order(a.getOperands().size(), b.getOperands().size());
  }
}

int compare(Expr a, Expr b) {
  if (a == b)
    return 0;
  if (!a || !b)
    return a ? 1 : -1;
  if (int result = order(rank(a.getKind()), rank(b.getKind())))
    return result;
  return compareContent(a, b);
}

unsigned degree(Expr expr) { return expr.getNode()->degree; }

llvm::ArrayRef<Expr> collectSymbols(Expr expr) { return expr.getNode()->symbols; }

void forEachSymbol(Expr expr, llvm::function_ref<void(Expr)> visit) {
  llvm::for_each(collectSymbols(expr), visit);
}

static bool containsAtom(Expr expr, Expr atom, llvm::SmallDenseSet<Expr, 16> &seen) {
  if (expr == atom)
    return true;
  if (!hasKind(expr, atom.getKind()) || !seen.insert(expr).second)
    return false;
  bool found = false;
  forEachPart(expr, [&](Expr part) { found = found || containsAtom(part, atom, seen); });
  return found;
}

bool contains(Expr expr, Expr symbolOrAtom) {
  if (symbolOrAtom.isSymbol())
    return llvm::is_contained(collectSymbols(expr), symbolOrAtom);
  llvm::SmallDenseSet<Expr, 16> seen;
  return containsAtom(expr, symbolOrAtom, seen);
}

std::optional<LinearIn> asLinearIn(Expr expr, Expr symbol) {
  Context &context = expr.getContext();
  LinearSum coefficient(context), rest(context);
  rest.addConstant(expr.getConstantTerm());
  for (Term term : expr.getTerms()) {
    if (!contains(term.monomial, symbol)) {
      rest.addTerm(term.monomial, term.coefficient);
      continue;
    }
    std::optional<Expr> quotient = divideMonomial(term.monomial, symbol);
    if (!quotient || (*quotient && contains(*quotient, symbol)))
      return std::nullopt;
    coefficient.addTerm(*quotient, term.coefficient);
  }
  return LinearIn{coefficient.take(), rest.take()};
}

Expr Substitution::run(Expr expr) {
  if (expr.isConstant())
    return expr;
  if (expr.isSymbol()) {
    Expr replacement = replace(expr);
    return replacement ? replacement : expr;
  }
  auto found = done.find(expr);
  if (found != done.end())
    return found->second;
  Expr result = rebuild(expr);
  done[expr] = result;
  return result;
}

Expr Substitution::rebuild(Expr expr) {
  if (expr.getKind() == ExprKind::Product) {
    Expr result;
    for (Factor factor : expr.getFactors()) {
      Expr atom = run(factor.atom);
      for (unsigned i = 0; i < factor.power; ++i)
        result = result ? result * atom : atom;
    }
    return result;
  }
  if (expr.getKind() == ExprKind::Sum) {
    LinearSum result(expr.getContext());
    result.addConstant(expr.getConstantTerm());
    for (Term term : expr.getNode()->terms)
      result.add(run(term.monomial), term.coefficient);
    return result.take();
  }
  if (Expr replacement = replace(expr))
    return replacement;
  llvm::SmallVector<Expr> operands;
  for (Expr operand : expr.getOperands())
    operands.push_back(run(operand));
  if (llvm::ArrayRef<Expr>(operands) == expr.getOperands())
    return expr;
  switch (expr.getKind()) {
  case ExprKind::FloorDiv:
    return floordiv(operands[0], operands[1]);
  case ExprKind::Mod:
    return mod(operands[0], operands[1]);
  case ExprKind::Min:
    return min(operands);
  case ExprKind::Max:
    return max(operands);
  default:
    return nextPow2(operands[0]);
  }
}

Expr substitute(Expr expr, llvm::function_ref<Expr(Expr)> replace) {
  return Substitution(replace).run(expr);
}

Expr substitute(Expr expr, const llvm::DenseMap<Expr, Expr> &replacements) {
  return substitute(expr, [&](Expr atom) { return replacements.lookup(atom); });
}

} // namespace nereid::index
