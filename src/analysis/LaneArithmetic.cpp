// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic, comparisons, logic and casts of one lane. Each machine operation is read as
// its exact counterpart over Z under the checks that make the two equal.
#include "analysis/LaneValues.h"

#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::analysis {

LaneValue LaneValues::integer(index::Expr expr, ArrayRef<const LaneValue *> operands) {
  LaneValue result;
  result.kind = LaneValue::Kind::Integer;
  result.expr = expr;
  for (const LaneValue *operand : operands)
    for (const RangeCheck &check : operand->checks)
      if (!llvm::is_contained(result.checks, check))
        result.checks.push_back(check);
  return result;
}

LaneValue LaneValues::condition(index::Pred pred, ArrayRef<const LaneValue *> operands) {
  LaneValue result;
  result.kind = LaneValue::Kind::Condition;
  Conjunct conjunct{pred, true, {}};
  for (const LaneValue *operand : operands)
    llvm::append_range(conjunct.checks, operand->checks);
  result.conjuncts.push_back(std::move(conjunct));
  return result;
}

/// The scalar of an integer constant or of a tile of one repeated integer.
static std::optional<int64_t> constantOf(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return std::nullopt;
  APInt value;
  if (auto scalar = dyn_cast<IntegerAttr>(constant.getValue()))
    value = scalar.getValue();
  else if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
           splat && splat.getElementType().isIntOrIndex())
    value = splat.getSplatValue<APInt>();
  else
    return std::nullopt;
  return value.getBitWidth() == 1 ? int64_t(value.getZExtValue()) : value.getSExtValue();
}

namespace {
/// The meaning of a binary operation over Z and what it asks of its operands.
struct Meaning {
  index::Expr expr;
  std::optional<index::Range> left;
  std::optional<index::Range> right;
};
} // namespace

/// The meaning of a shift by or a mask with a constant.
static Meaning bitMeaning(Operation *op, index::Expr a, index::Expr b) {
  std::optional<int64_t> number = b.getConstant();
  if (!number || *number < 0)
    return {};
  if (isa<arith::AndIOp>(op))
    return llvm::isPowerOf2_64(uint64_t(*number) + 1) && *number < INT64_MAX
               ? Meaning{index::mod(a, *number + 1), {}, {}}
               : Meaning{};
  // A shift by the width or more is poison; 2^63 is no number here, and one moved up by more than
  // 31 may leave every type.
  Type type = tile::getElementType(op->getResult(0).getType());
  int64_t width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (*number >= width || *number > (isa<arith::ShLIOp>(op) ? 31 : 62))
    return {};
  int64_t power = int64_t(1) << *number;
  if (isa<arith::ShLIOp>(op))
    return {a * power, {}, {}};
  if (isa<arith::ShRSIOp>(op))
    return {index::floordiv(a, power), {}, {}};
  if (isa<arith::ShRUIOp>(op))
    return {index::floordiv(a, power), notNegative, {}};
  return {};
}

static Meaning meaningOf(Operation *op, index::Expr a, index::Expr b) {
  if (isa<arith::AddIOp>(op))
    return {a + b, {}, {}};
  if (isa<arith::SubIOp>(op))
    return {a - b, {}, {}};
  if (isa<arith::MulIOp>(op))
    return {a * b, {}, {}};
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return {index::floordiv(a, b), notNegative, positive};
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return {index::mod(a, b), notNegative, positive};
  if (isa<arith::FloorDivSIOp>(op))
    return {index::floordiv(a, b), {}, positive};
  if (isa<arith::CeilDivSIOp>(op))
    return {index::ceildiv(a, b), {}, positive};
  if (isa<arith::CeilDivUIOp>(op))
    return {index::ceildiv(a, b), notNegative, positive};
  if (isa<arith::MinSIOp>(op))
    return {index::min(a, b), {}, {}};
  if (isa<arith::MaxSIOp>(op))
    return {index::max(a, b), {}, {}};
  if (isa<arith::MinUIOp>(op))
    return {index::min(a, b), notNegative, notNegative};
  if (isa<arith::MaxUIOp>(op))
    return {index::max(a, b), notNegative, notNegative};
  return bitMeaning(op, a, b);
}

/// x - x % b is a multiple of b: its quotient by b is x // b, however the machine rounds. Null for
/// other dividends.
static index::Expr exactQuotient(index::Expr dividend, index::Expr b) {
  for (index::Term term : dividend.getTerms()) {
    if (term.monomial.getKind() != index::ExprKind::Mod)
      continue;
    index::Expr remainder = term.monomial * -term.coefficient, x = dividend + remainder;
    if (index::mod(x, b) == remainder)
      return index::floordiv(x, b);
  }
  return {};
}

static bool isPolynomial(index::Expr expr) {
  return llvm::all_of(expr.getTerms(), [](const index::Term &term) {
    if (term.monomial.getKind() != index::ExprKind::Product)
      return term.monomial.isSymbol();
    return llvm::all_of(term.monomial.getFactors(),
                        [](const index::Factor &factor) { return factor.atom.isSymbol(); });
  });
}

/// A quotient of a quotient is one of the first dividend, x // a // b = x // (a * b) for b >= 1;
/// `quotient` where the dividend is none.
index::Expr LaneValues::nestedQuotient(Operation *op, index::Expr quotient) {
  index::Expr divisor = get(op->getOperand(1)).expr;
  while (Operation *inner = op->getOperand(0).getDefiningOp()) {
    if (!isa<arith::DivSIOp, arith::DivUIOp>(inner))
      break;
    LaneValue x = get(inner->getOperand(0)), by = get(inner->getOperand(1));
    if (x.kind != LaneValue::Kind::Integer || by.kind != LaneValue::Kind::Integer)
      break;
    // Products of quotients are no one's digits.
    if (!isPolynomial(divisor) || !isPolynomial(by.expr))
      break;
    divisor = divisor * by.expr;
    quotient = index::floordiv(x.expr, divisor);
    op = inner;
  }
  return quotient;
}

/// Whether an expression is of data and not in range whatever they are.
bool LaneValues::mayLeaveAsData(index::Expr expr, index::Range range) const {
  if (llvm::none_of(index::collectSymbols(expr), [&](index::Expr each) { return isOpaque(each); }))
    return false;
  index::Range known = facts.range(expr);
  auto mayLeave = [](std::optional<int64_t> end, std::optional<int64_t> bound, bool isLow) {
    return bound && (!end || (isLow ? *end < *bound : *end > *bound));
  };
  return mayLeave(known.lo, range.lo, true) || mayLeave(known.hi, range.hi, false);
}

LaneValue LaneValues::arithmetic(Operation *op) {
  Value value = op->getResult(0);
  if (std::optional<int64_t> constant = constantOf(op))
    return integer(context.constant(*constant), {});
  if (op->getNumOperands() != 2)
    return unknownOf(value, ("the result of '" + op->getName().getStringRef() + "'").str());
  LaneValue a = get(op->getOperand(0)), b = get(op->getOperand(1));
  if (a.kind != LaneValue::Kind::Integer || b.kind != LaneValue::Kind::Integer)
    return unknownOf(value, "arithmetic on unknown values");
  Meaning meaning = meaningOf(op, a.expr, b.expr);
  if (!meaning.expr)
    return unknownOf(value, ("the result of '" + op->getName().getStringRef() + "'").str());
  index::Expr exact = isa<arith::DivSIOp>(op) ? exactQuotient(a.expr, b.expr) : index::Expr();
  if (exact)
    meaning = {exact, {}, positive};
  else if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    meaning.expr = nestedQuotient(op, meaning.expr);
  bool isOdd = (meaning.left && mayLeaveAsData(a.expr, *meaning.left)) ||
               (meaning.right && mayLeaveAsData(b.expr, *meaning.right));
  metDataArithmetic |= isOdd;
  if (isOdd && dataArithmetic == DataArithmetic::Unknown)
    return unknownOf(value, "division or shift of data, which may be negative");
  LaneValue result = integer(meaning.expr, {&a, &b});
  if (meaning.left)
    result.checks.push_back({a.expr, *meaning.left});
  if (meaning.right)
    result.checks.push_back({b.expr, *meaning.right});
  // Quotients, remainders and extremes of numbers in range are in range.
  bool mayLeave = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op);
  index::Range range = signedRange(tile::getElementType(value.getType()));
  // 64-bit arithmetic on sizes of tensors that fit in memory does not wrap.
  if (!mayLeave || *range.hi == INT64_MAX)
    return result;
  if (mayLeaveAsData(result.expr, range)) {
    metDataArithmetic = true;
    if (dataArithmetic == DataArithmetic::Unknown)
      return unknownOf(value, "arithmetic on data, which may wrap");
  }
  result.checks.push_back({result.expr, range});
  return result;
}

LaneValue LaneValues::compareIntegers(Operation *op) {
  auto compare = mlir::cast<arith::CmpIOp>(op);
  LaneValue a = get(compare.getLhs()), b = get(compare.getRhs());
  if (a.kind != LaneValue::Kind::Integer || b.kind != LaneValue::Kind::Integer)
    return unknownOf(compare.getResult(), "a comparison of unknown values");
  index::Pred pred;
  bool isUnsigned = false;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    pred = index::eq(a.expr, b.expr);
    break;
  case arith::CmpIPredicate::ne:
    pred = index::ne(a.expr, b.expr);
    break;
  case arith::CmpIPredicate::ult:
    isUnsigned = true;
    [[fallthrough]];
  case arith::CmpIPredicate::slt:
    pred = index::lt(a.expr, b.expr);
    break;
  case arith::CmpIPredicate::ule:
    isUnsigned = true;
    [[fallthrough]];
  case arith::CmpIPredicate::sle:
    pred = index::le(a.expr, b.expr);
    break;
  case arith::CmpIPredicate::ugt:
    isUnsigned = true;
    [[fallthrough]];
  case arith::CmpIPredicate::sgt:
    pred = index::gt(a.expr, b.expr);
    break;
  case arith::CmpIPredicate::uge:
    isUnsigned = true;
    [[fallthrough]];
  case arith::CmpIPredicate::sge:
    pred = index::ge(a.expr, b.expr);
    break;
  }
  LaneValue result = condition(pred, {&a, &b});
  if (isUnsigned) {
    result.conjuncts[0].checks.push_back({a.expr, notNegative});
    result.conjuncts[0].checks.push_back({b.expr, notNegative});
  }
  return result;
}

/// One conjunct that says what all of them say.
static Conjunct joined(const LaneValue &value, index::Context &context) {
  Conjunct result{index::truth(context, true), true, {}};
  for (const Conjunct &part : value.conjuncts) {
    result.pred = result.pred & part.pred;
    result.exact &= part.exact;
    llvm::append_range(result.checks, part.checks);
  }
  return result;
}

LaneValue LaneValues::logic(Operation *op) {
  Value value = op->getResult(0);
  if (std::optional<int64_t> constant = constantOf(op))
    return condition(index::truth(context, *constant != 0), {});
  if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return unknownOf(value, ("the result of '" + op->getName().getStringRef() + "'").str());
  LaneValue a = get(op->getOperand(0)), b = get(op->getOperand(1));
  if (a.kind != LaneValue::Kind::Condition || b.kind != LaneValue::Kind::Condition)
    return unknownOf(value, "logic on unknown values");
  if (isa<arith::AndIOp>(op)) {
    llvm::append_range(a.conjuncts, b.conjuncts);
    return a;
  }
  if (isa<arith::OrIOp>(op))
    if (std::optional<LaneValue> inside = insideOrEven(op))
      return *inside;
  Conjunct left = joined(a, context), right = joined(b, context);
  Conjunct result{{}, left.exact && right.exact, left.checks};
  llvm::append_range(result.checks, right.checks);
  if (isa<arith::OrIOp>(op)) {
    result.pred = left.pred | right.pred;
  } else if (result.exact) {
    result.pred = (left.pred & index::notOf(right.pred)) | (index::notOf(left.pred) & right.pred);
  } else {
    return unknownOf(value, "a difference of unknown conditions");
  }
  LaneValue joint;
  joint.kind = LaneValue::Kind::Condition;
  joint.conjuncts.push_back(std::move(result));
  return joint;
}

LaneValue LaneValues::cast(Operation *op) {
  Value value = op->getResult(0);
  LaneValue operand = get(op->getOperand(0));
  // Data of an unsigned type: as an operand it is read as a signed number.
  unsigned bits = tile::getElementType(op->getOperand(0).getType()).getIntOrFloatBitWidth();
  bool isData = operand.kind != LaneValue::Kind::Integer || bits <= 16 ||
                (operand.expr.isSymbol() && opaque.contains(operand.expr));
  if (isa<arith::ExtUIOp>(op) && isData && bits <= 32)
    return unknownOf(
        value, "an unsigned number",
        index::Range::of(0, static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(bits))));
  if (operand.kind != LaneValue::Kind::Integer)
    return unknownOf(value, "a cast of an unknown value");
  if (isa<arith::ExtUIOp>(op))
    operand.checks.push_back({operand.expr, notNegative});
  Type element = tile::getElementType(value.getType());
  if (isa<arith::TruncIOp>(op) && element.isInteger(1))
    return unknownOf(value, "a cast to a bit");
  bool narrows = isa<arith::TruncIOp>(op) || isa<arith::IndexCastOp>(op);
  if (isa<arith::TruncIOp>(op) && isData && bits > 16)
    return unknownOf(value, "the low bits of a number");
  if (narrows && *signedRange(element).hi != INT64_MAX)
    operand.checks.push_back({operand.expr, signedRange(element)});
  return operand;
}

} // namespace nereid::analysis
