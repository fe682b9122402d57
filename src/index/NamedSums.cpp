// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/NamedSums.h"

#include "index/Storage.h"

namespace nereid::index {

Expr sumToName(Expr size) {
  Expr sum = primitiveSum(size);
  auto isMultiple = [](Term term) { return term.coefficient > 1 || term.coefficient < -1; };
  return sum && degree(sum) == 1 && llvm::all_of(sum.getTerms(), isMultiple) ? sum : Expr();
}

llvm::SmallVector<Expr> solvableSizes(Expr sum) {
  llvm::SmallVector<Expr> sizes;
  if (sum.getKind() != ExprKind::Sum || degree(sum) != 1)
    return sizes;
  for (Term term : sum.getTerms())
    if (term.coefficient == 1 && term.monomial.isSymbol() &&
        !contains(sum - term.monomial, term.monomial))
      sizes.push_back(term.monomial);
  return sizes;
}

Expr solvedSize(Expr sum) {
  llvm::SmallVector<Expr> sizes = solvableSizes(sum);
  return sizes.empty() ? Expr() : sizes.front();
}

Expr nameFactors(Expr expr, llvm::ArrayRef<NamedSum> sums) {
  for (auto [sum, name] : sums) {
    Expr outer = expr.getContext().constant(1);
    while (expr.getKind() == ExprKind::Sum) {
      Expr ratio = exactRatio(expr, sum);
      if (!ratio)
        break;
      expr = ratio;
      outer = outer * name;
    }
    expr = expr * outer;
  }
  return expr;
}

Expr nameMultiples(Expr expr, llvm::ArrayRef<NamedSum> sums) {
  for (auto [sum, name] : sums) {
    Term lead = sum.getTerms().front();
    auto replaced = [&](Expr expr) -> Expr {
      for (Term term : expr.getTerms()) {
        std::optional<Expr> rest = divideMonomial(term.monomial, lead.monomial);
        if (rest && term.coefficient % lead.coefficient == 0)
          return expr + (name - sum) * (*rest ? *rest : expr.getContext().constant(1)) *
                            (term.coefficient / lead.coefficient);
      }
      return {};
    };
    while (Expr next = replaced(expr))
      expr = next;
  }
  return expr;
}

} // namespace nereid::index
