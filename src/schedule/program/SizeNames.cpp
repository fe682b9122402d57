// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/SizeNames.h"

namespace nereid::schedule {

using index::Expr;
using index::ExprKind;

static std::string describe(Expr expr);

static std::string describeDivision(Expr dividend, Expr divisor) {
  // x / d rounded up.
  if (divisor.getConstant())
    if (Expr whole = dividend - (*divisor.getConstant() - 1);
        whole.getConstantTerm() == 0 && !whole.isConstant())
      return "cdiv_" + describe(whole) + "_" + describe(divisor);
  return describe(dividend) + "_div_" + describe(divisor);
}

static std::string describeTerm(const index::Term &term) {
  std::string name = describe(term.monomial);
  int64_t times = std::abs(term.coefficient);
  return times == 1 ? name : name + "_x" + std::to_string(times);
}

static std::string describeSum(Expr expr) {
  auto terms = expr.getTerms();
  // What is subtracted comes last.
  std::stable_partition(terms.begin(), terms.end(),
                        [](const index::Term &term) { return term.coefficient > 0; });
  std::string name;
  for (const index::Term &term : terms)
    name += (term.coefficient < 0 ? name.empty() ? "minus_" : "_minus_"
             : name.empty()       ? ""
                                  : "_plus_") +
            describeTerm(term);
  if (int64_t constant = expr.getConstantTerm())
    name += (constant < 0 ? "_minus_" : "_plus_") + std::to_string(std::abs(constant));
  return name;
}

static std::string join(llvm::StringRef first, llvm::ArrayRef<Expr> operands) {
  std::string name = first.str();
  for (Expr operand : operands)
    name += (name.empty() ? "" : "_") + describe(operand);
  return name;
}

static std::string describe(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return expr.getConstantTerm() < 0 ? "minus_" + std::to_string(-expr.getConstantTerm())
                                      : std::to_string(expr.getConstantTerm());
  case ExprKind::Symbol:
    return expr.getName().str();
  case ExprKind::Product: {
    llvm::SmallVector<Expr> factors;
    for (const index::Factor &factor : expr.getFactors())
      factors.append(factor.power, factor.atom);
    return join("", factors);
  }
  case ExprKind::Sum:
    return describeSum(expr);
  case ExprKind::FloorDiv:
    return describeDivision(expr.getOperands()[0], expr.getOperands()[1]);
  case ExprKind::Mod:
    return describe(expr.getOperands()[0]) + "_mod_" + describe(expr.getOperands()[1]);
  case ExprKind::Min:
    return join("min", expr.getOperands());
  case ExprKind::Max:
    return join("max", expr.getOperands());
  case ExprKind::NextPow2:
    return join("next_power_of_2", expr.getOperands());
  }
  llvm_unreachable("every kind is handled");
}

std::string nameOfSize(Expr size) {
  constexpr size_t longest = 24;
  std::string name = describe(size);
  if (name.size() <= longest || size.isSymbol())
    return name;
  name = "size";
  index::forEachSymbol(size, [&](Expr symbol) { name += "_" + symbol.getName().str(); });
  return name;
}

} // namespace nereid::schedule
