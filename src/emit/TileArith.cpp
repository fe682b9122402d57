// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparison, selection and conversion. Where the versions of Triton disagree on the
// type of a result (triton's promotion of half and small integers), a cast settles it.
#include "emit/Spelling.h"
#include "emit/TilePrinter.h"
#include "tile/TileTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::emit {

static Value skipShapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::SplatOp, tile::BroadcastOp, tile::RelabelOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Operands of arithmetic and comparisons: Triton by itself widens one 32-bit integer beside a
/// 64-bit one, and makes a float of an integer argument beside a float32.
llvm::SmallVector<Operand> TilePrinter::getWidened(Operation *op) {
  llvm::SmallVector<Operand> operands = getElementwise(op->getOperands());
  Type element = tile::getElementType(op->getOperand(0).getType());
  if (!element.isInteger(64) && !element.isF32())
    return operands;
  // Beside a widening that is not written nothing else is of 64 bits.
  if (llvm::any_of(op->getOperands(), [&](Value value) { return folding.isImplied(value); }))
    return operands;
  for (unsigned i : {1u, 0u}) {
    Operation *widening = skipShapes(op->getOperand(i)).getDefiningOp();
    // An integer argument beside a float32 becomes one.
    bool isWidening = element.isF32() ? isa_and_present<arith::SIToFPOp>(widening) &&
                                            isa<BlockArgument>(widening->getOperand(0)) &&
                                            widening->getOperand(0).getType().isInteger(32)
                                      : isa_and_present<arith::ExtSIOp>(widening);
    const Operand &other = operands[1 - i];
    if (!isWidening || (!folding.isFolded(widening) && !folding.isTransparent(widening)) ||
        named.contains(widening->getResult(0)) || other.literal || other.mayBeKnown)
      continue;
    Operand narrow = getSigned(widening->getOperand(0));
    if (narrow.literal)
      continue;
    narrow.code = narrow.code.withOrigin(nullptr);
    operands[i] = narrow;
    break;
  }
  return operands;
}

Operand TilePrinter::renderBinary(Operation *op, llvm::StringRef symbol, Binding binding,
                                  bool isSigned, bool isUnsigned) {
  llvm::SmallVector<Operand> operands;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::RemSIOp,
          arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op))
    operands = getWidened(op);
  else
    operands = getElementwise(op->getOperands(), isUnsigned);
  if (isSigned)
    for (auto [operand, value] : llvm::zip_equal(operands, op->getOperands()))
      operand = toSigned(operand, value.getType());
  matchLiterals(operands);
  Code code = Code::binary(symbol, binding, operands[0].code, operands[1].code);
  Operand result = combine(code, operands);
  if (isa<arith::DivFOp>(op) && isHalf(op->getResult(0).getType()))
    return cast(result, op->getResult(0).getType());
  return result;
}

/// The function of the file that divides numbers without signs and gives one that has one.
std::string TilePrinter::getUnsignedDivision(bool isQuotient) {
  std::string &name = parts.combinerNames[isQuotient ? "//" : "%"];
  if (!name.empty())
    return name;
  name = parts.names.take(isQuotient ? "_quotient" : "_remainder");
  std::string symbol = isQuotient ? "//" : "%";
  parts.combiners.push_back("@triton.jit\ndef " + name + R"((x, n):
    """x )" + symbol + R"( n where none is negative: without signs it takes less time."""
    return (x.to(tl.uint32) )" +
                            symbol +
                            R"( tl.cast(n, tl.uint32)).to(tl.int32)
)");
  return name;
}

/// Of 32-bit numbers that Triton reads as signed a function takes the signs.
Operand TilePrinter::renderUnsignedDivision(Operation *op) {
  bool isQuotient = isa<arith::DivUIOp>(op);
  Type type = op->getResult(0).getType();
  Operand x = get(op->getOperand(0)), n = get(op->getOperand(1));
  if (!tile::getElementType(type).isInteger(32) || x.isUnsigned || n.isUnsigned || x.literal ||
      n.literal || x.mayBeKnown)
    return renderBinary(op, isQuotient ? "//" : "%", Binding::Multiply, false, true);
  Operand result = combine(Code::call(getUnsignedDivision(isQuotient), {x.code, n.code}), {x, n});
  result.mayBeKnown = false;
  return result;
}

static bool isTrue(Attribute literal) {
  auto integer = dyn_cast_if_present<IntegerAttr>(literal);
  return integer && integer.getValue().isAllOnes();
}

Operand TilePrinter::renderXor(arith::XOrIOp op) {
  Operand lhs = get(op.getLhs());
  if (isTrue(get(op.getRhs()).literal) && !lhs.literal && !lhs.mayBeKnown)
    return combine(Code::unary("~", Binding::Unary, lhs.code), {lhs});
  return renderBinary(op, "^", Binding::BitXor);
}

/// Operands whose comparison means the same in every version: a Python number beside half or small
/// integers is taken in another type by some.
llvm::SmallVector<Operand> TilePrinter::getComparable(Operation *op, bool wantsSigned,
                                                      bool wantsUnsigned) {
  llvm::SmallVector<Operand> operands;
  // Only a comparison by signs: an unsigned one reads the widened bits.
  if (wantsSigned && tile::getElementType(op->getOperand(0).getType()).isInteger(64) &&
      isa<arith::CmpIOp>(op)) {
    operands = getWidened(op);
    if (llvm::none_of(operands, [](const Operand &each) { return bool(each.literal); })) {
      for (auto [operand, value] : llvm::zip_equal(operands, op->getOperands()))
        operand = toSigned(operand, value.getType());
      return operands;
    }
    operands.clear();
  }
  for (Value value : op->getOperands()) {
    Operand operand = wantsUnsigned ? getUnsigned(value)
                      : wantsSigned ? getSigned(value)
                                    : get(value);
    Type element = tile::getElementType(value.getType());
    // Triton reads a number as one of the other operand's type, signed or not.
    auto integer = dyn_cast_if_present<IntegerAttr>(operand.literal);
    bool isSmall = (element.isInteger(8) || element.isInteger(16)) &&
                   !(integer && integer.getValue().isNonNegative());
    if (operand.literal && (isSmall || losesBits(operand, value.getType()) || wantsUnsigned))
      operand = toFull(operand, value.getType(), false);
    if (!operand.literal && wantsUnsigned && !operand.isUnsigned && !element.isInteger(1))
      operand = cast(operand, value.getType(), true);
    if (!operand.literal && isHalf(value.getType()))
      operand = cast(operand, Float32Type::get(op->getContext()));
    operands.push_back(operand);
  }
  bool known = llvm::all_of(operands, [](const Operand &each) { return bool(each.literal); });
  if (known)
    operands[0] = toFull(operands[0], op->getOperand(0).getType(), true);
  matchLiterals(operands);
  return operands;
}

static llvm::StringRef getSymbol(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return "==";
  case P::ne:
    return "!=";
  case P::slt:
  case P::ult:
    return "<";
  case P::sle:
  case P::ule:
    return "<=";
  case P::sgt:
  case P::ugt:
    return ">";
  case P::sge:
  case P::uge:
    return ">=";
  }
  llvm_unreachable("no other integer comparison");
}

/// The truth that `truth as a number != 0` asks for again; null for another comparison.
static Value getAskedTruth(arith::CmpIOp op) {
  auto number = op.getLhs().getDefiningOp<arith::ExtUIOp>();
  Value zero = op.getRhs();
  if (auto splat = zero.getDefiningOp<tile::SplatOp>())
    zero = splat.getOperand();
  bool isAsked = op.getPredicate() == arith::CmpIPredicate::ne && number && number->hasOneUse() &&
                 tile::getElementType(number.getIn().getType()).isInteger(1) &&
                 matchPattern(zero, m_Zero());
  return isAsked ? number.getIn() : Value();
}

Operand TilePrinter::renderCompare(arith::CmpIOp op) {
  if (Value truth = getAskedTruth(op))
    return get(truth);
  auto predicate = op.getPredicate();
  bool isUnsigned = predicate >= arith::CmpIPredicate::ult;
  bool isEquality = predicate <= arith::CmpIPredicate::ne;
  if (!isEquality && !isUnsigned && tile::getElementType(op.getLhs().getType()).isInteger(1))
    return refuse(op, "orders i1 as signed numbers, where true is -1; Triton orders true last");
  llvm::SmallVector<Operand> operands = getComparable(op, !isUnsigned && !isEquality, isUnsigned);
  Code code =
      Code::binary(getSymbol(predicate), Binding::Compare, operands[0].code, operands[1].code);
  Operand result = combine(code, operands);
  result.isUnsigned = false;
  return result;
}

namespace {
struct FloatComparison {
  llvm::StringRef symbol;
  /// The result is the opposite of the comparison by `symbol`.
  bool inverted;
};
} // namespace

static std::optional<FloatComparison> getComparison(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OEQ:
    return FloatComparison{"==", false};
  case P::UNE:
    return FloatComparison{"!=", false};
  case P::OLT:
    return FloatComparison{"<", false};
  case P::OLE:
    return FloatComparison{"<=", false};
  case P::OGT:
    return FloatComparison{">", false};
  case P::OGE:
    return FloatComparison{">=", false};
  case P::ULT:
    return FloatComparison{">=", true};
  case P::ULE:
    return FloatComparison{">", true};
  case P::UGT:
    return FloatComparison{"<=", true};
  case P::UGE:
    return FloatComparison{"<", true};
  default:
    return std::nullopt;
  }
}

Operand TilePrinter::renderCompare(arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  std::optional<FloatComparison> comparison = getComparison(op.getPredicate());
  bool sameOperands = op.getLhs() == op.getRhs();
  if (!comparison && sameOperands && op.getPredicate() == P::UNO)
    comparison = FloatComparison{"!=", false};
  if (!comparison && sameOperands && op.getPredicate() == P::ORD)
    comparison = FloatComparison{"==", false};
  if (!comparison)
    return refuse(op, "has a comparison that Triton cannot say; it has ==, !=, <, <=, > and >=");
  llvm::SmallVector<Operand> operands = getComparable(op, false, false);
  Code code =
      Code::binary(comparison->symbol, Binding::Compare, operands[0].code, operands[1].code);
  if (comparison->inverted)
    code = Code::unary("~", Binding::Unary, code);
  return combine(code, operands);
}

Operand TilePrinter::renderExtreme(Operation *op, llvm::StringRef name, bool propagatesNan,
                                   bool isUnsigned) {
  bool isInteger = isa<IntegerType>(tile::getElementType(op->getResult(0).getType()));
  llvm::SmallVector<Operand> operands = getComparable(op, isInteger && !isUnsigned, isUnsigned);
  llvm::SmallVector<Code> arguments = {operands[0].code, operands[1].code};
  if (propagatesNan)
    arguments.push_back(Code::keyword("propagate_nan", Code::text("tl.PropagateNan.ALL")));
  Operand result = combine(Code::call(name, arguments), operands);
  result.mayBeKnown = false;
  return isHalf(op->getResult(0).getType()) ? cast(result, op->getResult(0).getType()) : result;
}

Operand TilePrinter::renderSelect(arith::SelectOp op) {
  Operand condition = get(op.getCondition());
  llvm::SmallVector<Operand> operands = {condition};
  Type element = tile::getElementType(op.getType());
  for (Value value : {op.getTrueValue(), op.getFalseValue()}) {
    Operand operand = getSigned(value);
    bool isPlain = element.isInteger(32) || element.isInteger(64) || element.isF32() ||
                   element.isInteger(1) ||
                   (element.isF64() && !losesBits(operand, value.getType()));
    if (operand.literal && !isPlain)
      operand = toFull(operand, value.getType(), false);
    operands.push_back(operand);
  }
  bool bothLiteral = operands[1].literal && operands[2].literal;
  if (bothLiteral && !element.isInteger(32) && !element.isF32())
    operands[1] = toFull(operands[1], op.getType(), false);
  Operand result = combine(
      Code::call("tl.where", {operands[0].code, operands[1].code, operands[2].code}), operands);
  result.mayBeKnown = false;
  return result;
}

Operand TilePrinter::renderCast(Operation *op) {
  Value input = op->getOperand(0);
  Type from = tile::getElementType(input.getType());
  Type to = tile::getElementType(op->getResult(0).getType());
  if (getTritonDtype(to).empty())
    return refuse(op, "makes a type that Triton lacks");
  if (isa<arith::BitcastOp>(op)) {
    Operand operand = toFull(getSigned(input), input.getType(), false);
    Code code = Code::method(
        operand.code, "to",
        {Code::text(getTritonDtype(to)), Code::keyword("bitcast", Code::text("True"))});
    return combine(code, {operand});
  }
  bool readsUnsigned = isa<arith::ExtUIOp, arith::UIToFPOp>(op) && !from.isInteger(1);
  bool readsSigned = isa<arith::ExtSIOp, arith::SIToFPOp>(op);
  if (readsSigned && from.isInteger(1))
    return refuse(op, "reads an i1 as signed, where true is -1; Triton reads it as 1");
  Operand operand = readsUnsigned ? getUnsigned(input)
                    : readsSigned ? getSigned(input)
                                  : get(input);
  if (operand.literal)
    operand = toFull(operand, input.getType(), false);
  if (isa<arith::TruncIOp>(op) && to.isInteger(1)) {
    Code bit = Code::binary("&", Binding::BitAnd, operand.code, Code::text("1"));
    return combine(Code::binary("!=", Binding::Compare, bit, Code::text("0")), {operand});
  }
  return cast(operand, to, isa<arith::FPToUIOp>(op));
}

Operand TilePrinter::renderArith(Operation *op) {
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
      tile::getElementType(op->getResult(0).getType()).isInteger(1))
    return refuse(op, "computes on i1, which Triton widens; use `arith.xori` or `arith.andi`");
  auto binary = [&](llvm::StringRef symbol, Binding binding, bool isSigned = false,
                    bool isUnsigned = false) {
    return renderBinary(op, symbol, binding, isSigned, isUnsigned);
  };
  return llvm::TypeSwitch<Operation *, Operand>(op)
      .Case<arith::AddIOp, arith::AddFOp>([&](auto) { return binary("+", Binding::Add); })
      .Case<arith::SubIOp, arith::SubFOp>([&](auto) { return binary("-", Binding::Add); })
      .Case<arith::MulIOp, arith::MulFOp>([&](auto) { return binary("*", Binding::Multiply); })
      .Case([&](arith::DivFOp) { return binary("/", Binding::Multiply); })
      .Case([&](arith::RemFOp) { return binary("%", Binding::Multiply); })
      .Case([&](arith::DivSIOp) { return binary("//", Binding::Multiply, true); })
      .Case([&](arith::RemSIOp) { return binary("%", Binding::Multiply, true); })
      .Case<arith::DivUIOp, arith::RemUIOp>([&](auto) { return renderUnsignedDivision(op); })
      .Case([&](arith::AndIOp) { return binary("&", Binding::BitAnd); })
      .Case([&](arith::OrIOp) { return binary("|", Binding::BitOr); })
      .Case([&](arith::XOrIOp exclusive) { return renderXor(exclusive); })
      .Case([&](arith::ShLIOp) { return binary("<<", Binding::Shift); })
      .Case([&](arith::ShRSIOp) { return binary(">>", Binding::Shift, true); })
      .Case([&](arith::ShRUIOp) { return binary(">>", Binding::Shift, false, true); })
      .Case([&](arith::NegFOp negate) {
        Operand operand = toFull(get(negate.getOperand()), negate.getType(), true);
        return combine(Code::unary("-", Binding::Unary, operand.code), {operand});
      })
      .Case([&](arith::CmpIOp compare) { return renderCompare(compare); })
      .Case([&](arith::CmpFOp compare) { return renderCompare(compare); })
      .Case([&](arith::SelectOp select) { return renderSelect(select); })
      .Case([&](arith::MaximumFOp) { return renderExtreme(op, "tl.maximum", true); })
      .Case([&](arith::MinimumFOp) { return renderExtreme(op, "tl.minimum", true); })
      .Case<arith::MaxNumFOp, arith::MaxSIOp>(
          [&](auto) { return renderExtreme(op, "tl.maximum", false); })
      .Case<arith::MinNumFOp, arith::MinSIOp>(
          [&](auto) { return renderExtreme(op, "tl.minimum", false); })
      .Case([&](arith::MaxUIOp) { return renderExtreme(op, "tl.maximum", false, true); })
      .Case([&](arith::MinUIOp) { return renderExtreme(op, "tl.minimum", false, true); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ExtFOp, arith::TruncFOp,
            arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp>(
          [&](auto) { return renderCast(op); })
      .Default([&](Operation *) { return refuse(op, "has no spelling in Triton"); });
}

} // namespace nereid::emit
