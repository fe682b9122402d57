// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects of one lane: Python's remainders and quotients, numbers that are moved into a range, and
// choices.
#include "analysis/LaneValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::analysis {

static bool areIntegers(ArrayRef<const LaneValue *> values) {
  return llvm::all_of(
      values, [](const LaneValue *value) { return value->kind == LaneValue::Kind::Integer; });
}

static Value withoutExtension(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtSIOp>())
    value = extension.getIn();
  return value;
}

/// Whether a condition says that the machine's remainder by b >= 1 is below 0: `rest < 0`, or
/// `rest != 0 and rest ^ b < 0`.
bool LaneValues::saysNegative(Value condition, Value rest, index::Expr b) {
  auto isInteger = [&](Value value, index::Expr expr) {
    LaneValue known = get(value);
    return known.kind == LaneValue::Kind::Integer && known.expr == expr;
  };
  auto comparedWithZero = [&](Value value, arith::CmpIPredicate predicate) {
    auto compare = value.getDefiningOp<arith::CmpIOp>();
    bool fits = compare && compare.getPredicate() == predicate &&
                isInteger(compare.getRhs(), context.constant(0));
    return fits ? withoutExtension(compare.getLhs()) : Value();
  };
  if (comparedWithZero(condition, arith::CmpIPredicate::slt) == rest)
    return true;
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return false;
  for (unsigned first : {0, 1}) {
    Value differs = comparedWithZero(both->getOperand(1 - first), arith::CmpIPredicate::slt);
    auto signs = differs ? differs.getDefiningOp<arith::XOrIOp>() : arith::XOrIOp();
    if (signs && comparedWithZero(both->getOperand(first), arith::CmpIPredicate::ne) == rest &&
        withoutExtension(signs.getLhs()) == rest && isInteger(signs.getRhs(), b))
      return true;
  }
  return false;
}

/// The machine's remainder `rest` of a by b, plus b where it is below 0: Python's remainder, for b
/// >= 1 and whatever the sign of a.
std::optional<LaneValue> LaneValues::floorRemainder(Operation *op) {
  auto select = mlir::cast<arith::SelectOp>(op);
  Value rest = withoutExtension(select.getFalseValue());
  auto remainder = rest.getDefiningOp<arith::RemSIOp>();
  auto moved = withoutExtension(select.getTrueValue()).getDefiningOp<arith::AddIOp>();
  if (!remainder || !moved || withoutExtension(moved.getLhs()) != rest)
    return std::nullopt;
  LaneValue a = get(remainder.getLhs()), b = get(remainder.getRhs()), step = get(moved.getRhs());
  if (!areIntegers({&a, &b, &step}))
    return std::nullopt;
  if (step.expr != b.expr || !saysNegative(select.getCondition(), rest, b.expr))
    return std::nullopt;
  LaneValue result = integer(index::mod(a.expr, b.expr), {&a, &b, &step});
  result.checks.push_back({b.expr, positive});
  return result;
}

/// The machine's quotient of a by b, less 1 where the remainder is below 0: Python's quotient, for
/// b >= 1 and whatever the sign of a.
std::optional<LaneValue> LaneValues::floorQuotient(Operation *op) {
  auto select = mlir::cast<arith::SelectOp>(op);
  Value quotient = withoutExtension(select.getFalseValue());
  auto division = quotient.getDefiningOp<arith::DivSIOp>();
  auto less = withoutExtension(select.getTrueValue()).getDefiningOp<arith::SubIOp>();
  if (!division || !less || withoutExtension(less.getLhs()) != quotient)
    return std::nullopt;
  LaneValue a = get(division.getLhs()), b = get(division.getRhs()), step = get(less.getRhs());
  if (!areIntegers({&a, &b, &step}))
    return std::nullopt;
  auto isOfDivision = [&](Operation *user) {
    auto remainder = dyn_cast<arith::RemSIOp>(user);
    return remainder && remainder.getLhs() == division.getLhs() &&
           get(remainder.getRhs()).expr == b.expr &&
           saysNegative(select.getCondition(), remainder.getResult(), b.expr);
  };
  if (!step.expr.isConstant(1) || llvm::none_of(division.getLhs().getUsers(), isOfDivision))
    return std::nullopt;
  LaneValue result = integer(index::floordiv(a.expr, b.expr), {&a, &b, &step});
  result.checks.push_back({b.expr, positive});
  return result;
}

/// A number that leaves `0 <= x < n` on one side, by less than n, moved by n where it does: its
/// remainder by n. What is loaded may be any number: it is a choice.
std::optional<LaneValue> LaneValues::wrapped(Operation *op) {
  auto select = mlir::cast<arith::SelectOp>(op);
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  Value rest = withoutExtension(select.getFalseValue());
  Operation *moved = withoutExtension(select.getTrueValue()).getDefiningOp();
  if (!compare || !isa_and_present<arith::AddIOp, arith::SubIOp>(moved) ||
      withoutExtension(compare.getLhs()) != rest || withoutExtension(moved->getOperand(0)) != rest)
    return std::nullopt;
  LaneValue a = get(rest), b = get(moved->getOperand(1)), bound = get(compare.getRhs());
  auto isData = [&](index::Expr symbol) { return isOpaque(symbol); };
  if (!areIntegers({&a, &b, &bound}) || llvm::any_of(index::collectSymbols(a.expr), isData))
    return std::nullopt;
  bool isBelow = isa<arith::AddIOp>(moved) && bound.expr.isConstant(0) &&
                 compare.getPredicate() == arith::CmpIPredicate::slt;
  bool isPast = isa<arith::SubIOp>(moved) && bound.expr == b.expr &&
                compare.getPredicate() == arith::CmpIPredicate::sge;
  if (!isBelow && !isPast)
    return std::nullopt;
  // A condition may hold where it does not: a gather's does.
  metDataArithmetic = true;
  if (dataArithmetic == DataArithmetic::Unknown)
    return std::nullopt;
  LaneValue result = integer(index::mod(a.expr, b.expr), {&a, &b});
  result.checks.push_back({b.expr, positive});
  result.checks.push_back({isBelow ? a.expr + b.expr : a.expr, notNegative});
  result.checks.push_back({(isBelow ? b.expr : b.expr * 2) - a.expr, positive});
  return result;
}

/// A choice lies between its two values; which one is not followed.
LaneValue LaneValues::choose(Operation *op) {
  auto select = mlir::cast<arith::SelectOp>(op);
  if (std::optional<LaneValue> remainder = floorRemainder(op))
    return *remainder;
  if (std::optional<LaneValue> quotient = floorQuotient(op))
    return *quotient;
  if (std::optional<LaneValue> within = wrapped(op))
    return *within;
  LaneValue a = get(select.getTrueValue()), b = get(select.getFalseValue());
  if (a.kind == LaneValue::Kind::Integer && b.kind == LaneValue::Kind::Integer) {
    if (a.expr == b.expr)
      return integer(a.expr, {&a, &b});
    // The choice over Z, of any size: its checks say where the machine's is the same. Were it put
    // into the machine's range here, sums that wrap would seem not to.
    index::Range both = facts.range(a.expr).unite(facts.range(b.expr));
    LaneValue chosen = unknownOf(select.getResult(), "a choice", both);
    heldFacts.push_back(index::ge(chosen.expr, index::min(a.expr, b.expr)));
    heldFacts.push_back(index::le(chosen.expr, index::max(a.expr, b.expr)));
    for (const LaneValue *operand : {&a, &b})
      llvm::append_range(chosen.checks, operand->checks);
    return chosen;
  }
  return unknownOf(select.getResult(), "a choice");
}

} // namespace nereid::analysis
