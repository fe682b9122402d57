// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Pred.h"
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

PredKind Pred::getKind() const { return node->kind; }
Context &Pred::getContext() const { return *node->context; }
Expr Pred::getExpr() const { return node->expr; }
Expr Pred::getDivisor() const { return node->divisor; }
llvm::ArrayRef<Pred> Pred::getOperands() const { return node->operands; }

int compare(Pred a, Pred b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() < b.getKind() ? -1 : 1;
  if (int result = compare(a.getExpr(), b.getExpr()))
    return result;
  if (int result = compare(a.getDivisor(), b.getDivisor()))
    return result;
  for (auto [left, right] : llvm::zip(a.getOperands(), b.getOperands()))
    if (int result = compare(left, right))
      return result;
  return a.getOperands().size() < b.getOperands().size() ? -1 : 1;
}

Pred truth(Context &context, bool value) {
  return intern(PredNode{value ? PredKind::True : PredKind::False, &context});
}

static Pred leaf(PredKind kind, Expr expr, Expr divisor = {}) {
  PredNode content{kind, &expr.getContext()};
  content.expr = expr;
  content.divisor = divisor;
  return intern(content);
}

static int64_t commonCoefficient(Expr expr) {
  int64_t common = 0;
  for (Term term : expr.getTerms())
    common = greatestCommonDivisor(common, term.coefficient);
  return common;
}

static Expr dividedBy(Expr expr, int64_t divisor, int64_t constant) {
  LinearSum result(expr.getContext());
  result.addConstant(constant);
  for (Term term : expr.getTerms())
    result.addTerm(term.monomial, term.coefficient / divisor);
  return result.take();
}

/// expr >= 0
static Pred nonNegative(Expr expr) {
  if (std::optional<int64_t> value = expr.getConstant())
    return truth(expr.getContext(), *value >= 0);
  int64_t common = commonCoefficient(expr);
  if (common > 1)
    return nonNegative(dividedBy(expr, common, *floorDivide(expr.getConstantTerm(), common)));
  return leaf(PredKind::NonNegative, expr);
}

/// expr % divisor == 0, or the opposite when `negated`: 3 * N is even where N is.
static Pred divides(Expr expr, Expr divisor, bool negated) {
  int64_t common = greatestCommonDivisor(commonCoefficient(expr), expr.getConstantTerm());
  if (std::optional<int64_t> number = divisor.getConstant(); number && *number > 0 && common > 1) {
    int64_t left = *number / greatestCommonDivisor(*number, common);
    if (left == 1)
      return truth(expr.getContext(), !negated);
    expr = dividedBy(expr, common, expr.getConstantTerm() / common);
    divisor = expr.getContext().constant(left);
  }
  return leaf(negated ? PredKind::NotDivisible : PredKind::Divisible, expr, divisor);
}

/// expr == 0, or expr != 0 when `negated`
static Pred zero(Expr expr, bool negated) {
  Context &context = expr.getContext();
  if (std::optional<int64_t> value = expr.getConstant())
    return truth(context, (*value == 0) != negated);
  int64_t common = commonCoefficient(expr), constant = expr.getConstantTerm();
  if (common > 1) {
    if (constant % common != 0)
      return truth(context, negated);
    expr = dividedBy(expr, common, constant / common);
    // Constants that were too large to fold may fold after the division.
    if (expr.isConstant())
      return zero(expr, negated);
  }
  if (expr.getTerms().front().coefficient < 0) {
    Expr turned = -expr;
    // An unfolded sum of constants may fold only after its sign is turned.
    if (turned.isConstant())
      return zero(turned, negated);
    if (turned.getTerms().front().coefficient > 0)
      expr = turned;
  }
  if (expr.getKind() == ExprKind::Mod)
    return divides(expr.getOperands()[0], expr.getOperands()[1], negated);
  return leaf(negated ? PredKind::NonZero : PredKind::Zero, expr);
}

Pred le(Expr a, Expr b) { return nonNegative(b - a); }
Pred lt(Expr a, Expr b) { return nonNegative(b - a - 1); }
Pred eq(Expr a, Expr b) { return zero(a - b, false); }
Pred ne(Expr a, Expr b) { return zero(a - b, true); }
Pred divisible(Expr a, Expr divisor) { return zero(mod(a, divisor), false); }

Pred notOf(Pred a) {
  Context &context = a.getContext();
  switch (a.getKind()) {
  case PredKind::True:
  case PredKind::False:
    return truth(context, a.isFalse());
  case PredKind::NonNegative:
    return nonNegative(-a.getExpr() - 1);
  case PredKind::Zero:
    return leaf(PredKind::NonZero, a.getExpr());
  case PredKind::NonZero:
    return leaf(PredKind::Zero, a.getExpr());
  case PredKind::Divisible:
    return leaf(PredKind::NotDivisible, a.getExpr(), a.getDivisor());
  case PredKind::NotDivisible:
    return leaf(PredKind::Divisible, a.getExpr(), a.getDivisor());
  case PredKind::And:
  case PredKind::Or:
    break;
  }
  llvm::SmallVector<Pred> parts;
  for (Pred operand : a.getOperands())
    parts.push_back(notOf(operand));
  return a.getKind() == PredKind::And ? anyOf(context, parts) : allOf(context, parts);
}

/// Joins with And or Or; `unit` changes nothing, its opposite decides.
static Pred join(Context &context, PredKind kind, llvm::ArrayRef<Pred> operands) {
  Pred unit = truth(context, kind == PredKind::And);
  Pred opposite = truth(context, kind != PredKind::And);
  llvm::SmallVector<Pred> flat;
  for (Pred operand : operands) {
    if (operand == opposite)
      return opposite;
    if (operand.getKind() == kind)
      llvm::append_range(flat, operand.getOperands());
    else if (operand != unit)
      flat.push_back(operand);
  }
  llvm::sort(flat);
  flat.erase(llvm::unique(flat), flat.end());
  if (flat.empty())
    return unit;
  if (flat.size() == 1)
    return flat.front();
  for (Pred part : flat) {
    bool isLeaf = part.getKind() != PredKind::And && part.getKind() != PredKind::Or;
    if (isLeaf && llvm::is_contained(flat, notOf(part)))
      return opposite;
  }
  PredNode content{kind, &context};
  content.operands = flat;
  return intern(content);
}

Pred allOf(Context &context, llvm::ArrayRef<Pred> operands) {
  return join(context, PredKind::And, operands);
}
Pred anyOf(Context &context, llvm::ArrayRef<Pred> operands) {
  return join(context, PredKind::Or, operands);
}

void forEachSymbol(Pred pred, llvm::function_ref<void(Expr)> visit) {
  llvm::for_each(pred.getNode()->symbols, visit);
}

Pred substitute(Pred pred, llvm::function_ref<Expr(Expr)> replace) {
  return Substitution(replace).run(pred);
}

Pred Substitution::run(Pred pred) {
  switch (pred.getKind()) {
  case PredKind::True:
  case PredKind::False:
    return pred;
  case PredKind::NonNegative:
    return nonNegative(run(pred.getExpr()));
  case PredKind::Zero:
  case PredKind::NonZero:
    return zero(run(pred.getExpr()), pred.getKind() == PredKind::NonZero);
  case PredKind::Divisible:
  case PredKind::NotDivisible:
    return zero(mod(run(pred.getExpr()), run(pred.getDivisor())),
                pred.getKind() == PredKind::NotDivisible);
  case PredKind::And:
  case PredKind::Or:
    break;
  }
  llvm::SmallVector<Pred> parts;
  for (Pred operand : pred.getOperands())
    parts.push_back(run(operand));
  return join(pred.getContext(), pred.getKind(), parts);
}

Pred substitute(Pred pred, const llvm::DenseMap<Expr, Expr> &replacements) {
  return substitute(pred, [&](Expr atom) { return replacements.lookup(atom); });
}

static std::optional<bool> evaluateJoin(Pred pred, SymbolValue valueOf) {
  bool opposite = pred.getKind() == PredKind::Or, known = true;
  for (Pred operand : pred.getOperands()) {
    std::optional<bool> value = evaluate(operand, valueOf);
    if (value == opposite)
      return opposite;
    known &= value.has_value();
  }
  return known ? std::optional(!opposite) : std::nullopt;
}

std::optional<bool> evaluate(Pred pred, SymbolValue valueOf) {
  PredKind kind = pred.getKind();
  if (kind == PredKind::True || kind == PredKind::False)
    return kind == PredKind::True;
  if (kind == PredKind::And || kind == PredKind::Or)
    return evaluateJoin(pred, valueOf);
  std::optional<int64_t> value = evaluate(pred.getExpr(), valueOf);
  if (value && pred.getDivisor()) {
    std::optional<int64_t> divisor = evaluate(pred.getDivisor(), valueOf);
    value = divisor ? floorModulo(*value, *divisor) : std::nullopt;
  }
  if (!value)
    return std::nullopt;
  if (kind == PredKind::NonNegative)
    return *value >= 0;
  return (*value == 0) == (kind == PredKind::Zero || kind == PredKind::Divisible);
}

std::optional<bool> evaluate(Pred pred, const llvm::DenseMap<Expr, int64_t> &values) {
  return evaluate(pred, [&](Expr symbol) -> std::optional<int64_t> {
    auto found = values.find(symbol);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}

} // namespace nereid::index
