// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/kernel/Pointwise.h"

#include "graph/GraphOps.h"
#include "graph/RoundingSteps.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

namespace {

/// Builds operations on one element type at one place.
class Elements {
public:
  Elements(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  template <typename OpTy> mlir::Value unary(mlir::Value x) {
    return OpTy::create(builder, loc, x).getResult();
  }
  template <typename OpTy> mlir::Value binary(mlir::Value a, mlir::Value b) {
    // Two constants make one, and what changes nothing (`x * 1`) is left out.
    return builder.createOrFold<OpTy>(loc, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  mlir::Value compare(arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value compare(arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  /// A number of the type of `like`, repeated when that is a tile.
  mlir::Value number(mlir::Value like, double number) {
    Type element = tile::getElementType(like.getType());
    mlir::Value scalar = TileMath(builder).constant(element, number, loc).value;
    return element == like.getType() ? scalar
                                     : tile::SplatOp::create(builder, loc, like.getType(), scalar);
  }

  /// Numbers of 64 bits as the 32 that they were widened from, or that hold them as constants;
  /// false where that is not both.
  bool narrow(mlir::Value &a, mlir::Value &b) {
    mlir::Value own[] = {a, b}, narrow[2];
    bool isAnyWidened = false;
    for (auto [value, result] : llvm::zip_equal(own, narrow)) {
      APInt number;
      auto wide = value.getDefiningOp<arith::ExtSIOp>();
      auto splat = value.getDefiningOp<tile::SplatOp>();
      if (wide && tile::getElementType(wide.getIn().getType()).isInteger(32)) {
        result = wide.getIn();
        isAnyWidened = true;
      } else if (matchPattern(splat ? splat.getOperand() : value, m_ConstantInt(&number)) &&
                 tile::getElementType(value.getType()).isInteger(64) && number.isSignedIntN(32)) {
        Type type = builder.getI32Type();
        result = TileMath(builder).integer(number.getSExtValue(), 32, loc).value;
        if (splat)
          result = tile::SplatOp::create(builder, loc, tile::withElementType(value.getType(), type),
                                         result);
      } else {
        return false;
      }
    }
    if (isAnyWidened)
      std::tie(a, b) = std::pair(narrow[0], narrow[1]);
    return isAnyWidened;
  }

  OpBuilder &builder;
  Location loc;
};

bool isUnsigned(Type element) { return element.isUnsignedInteger(); }

/// A function of the device library.
mlir::Value library(Elements &e, llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands) {
  return tile::LibdeviceOp::create(e.builder, e.loc, operands.front().getType(), name, operands);
}

bool isPowerOfTwo(mlir::Value value) {
  FloatAttr number;
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    value = splat.getOperand();
  return matchPattern(value, m_Constant(&number)) && number.getValue().getExactLog2Abs() != INT_MIN;
}

/// Triton's `/` and `tl.sqrt` of float32 may be two units in the last place off; where a step lies
/// behind that, PyTorch's correctly rounded result is needed.
bool isRounded(Operation *op) {
  return cast<graph::TensorType>(op->getResult(0).getType()).getElementType().isF32() &&
         graph::reachesStep(op->getResult(0));
}

mlir::Value divide(Elements &e, Operation *op, mlir::Value a, mlir::Value b) {
  if (!isPowerOfTwo(b) && isRounded(op))
    return library(e, "div_rn", {a, b});
  return e.binary<arith::DivFOp>(a, b);
}

/// What Triton's `%` of floats makes of a rounded quotient is exact for powers of two only.
mlir::Value modulo(Elements &e, mlir::Value a, mlir::Value b) {
  return isPowerOfTwo(b) ? e.binary<arith::RemFOp>(a, b) : library(e, "fmod", {a, b});
}

mlir::Value applyFloatUnary(Elements &e, Operation *op, mlir::Value x) {
  mlir::Value result;
  auto with = [&]<typename OpTy>() { result = e.unary<OpTy>(x); };
#define NEREID_UNARY(GRAPH, MATH) .Case<graph::GRAPH>([&](auto) { with.operator()<MATH>(); })
  llvm::TypeSwitch<Operation *>(op) NEREID_UNARY(NegOp, arith::NegFOp) NEREID_UNARY(
      AbsOp, math::AbsFOp) NEREID_UNARY(ExpOp, math::ExpOp) NEREID_UNARY(Exp2Op, math::Exp2Op)
      NEREID_UNARY(Expm1Op, math::ExpM1Op) NEREID_UNARY(LogOp, math::LogOp) NEREID_UNARY(
          Log2Op, math::Log2Op) NEREID_UNARY(Log10Op, math::Log10Op)
          NEREID_UNARY(Log1pOp, math::Log1pOp) NEREID_UNARY(RsqrtOp, math::RsqrtOp) NEREID_UNARY(
              Tf32Op, tile::Tf32Op) NEREID_UNARY(HalfScaleOp, tile::HalfScaleOp)
              NEREID_UNARY(SinOp, math::SinOp) NEREID_UNARY(CosOp, math::CosOp) NEREID_UNARY(
                  TanOp, math::TanOp) NEREID_UNARY(AsinOp, math::AsinOp) NEREID_UNARY(AcosOp,
                                                                                      math::AcosOp)
                  NEREID_UNARY(AtanOp, math::AtanOp) NEREID_UNARY(SinhOp, math::SinhOp)
                      NEREID_UNARY(CoshOp, math::CoshOp) NEREID_UNARY(TanhOp, math::TanhOp)
                          NEREID_UNARY(AsinhOp, math::AsinhOp) NEREID_UNARY(AcoshOp, math::AcoshOp)
                              NEREID_UNARY(AtanhOp, math::AtanhOp) NEREID_UNARY(ErfOp, math::ErfOp)
                                  NEREID_UNARY(ErfcOp, math::ErfcOp) NEREID_UNARY(
                                      FloorOp, math::FloorOp) NEREID_UNARY(CeilOp, math::CeilOp)
                                      NEREID_UNARY(TruncOp, math::TruncOp)
                                          NEREID_UNARY(RoundOp, math::RoundEvenOp)
                                              .Case<graph::LgammaOp>(
                                                  [&](auto) { result = library(e, "lgamma", {x}); })
                                              .Case<graph::SqrtOp>([&](auto) {
                                                result = isRounded(op) ? library(e, "sqrt_rn", {x})
                                                                       : e.unary<math::SqrtOp>(x);
                                              })
                                              .Case<graph::IsnanOp>([&](auto) {
                                                result = e.compare(arith::CmpFPredicate::UNE, x, x);
                                              })
                                              .Case<graph::IsinfOp>([&](auto) {
                                                result = e.compare(arith::CmpFPredicate::OEQ,
                                                                   e.unary<math::AbsFOp>(x),
                                                                   e.number(x, INFINITY));
                                              })
                                              .Case<graph::SignOp>([&](auto) {
                                                // Of NaN, which is on neither side, 0 as PyTorch
                                                // has it.
                                                mlir::Value zero = e.number(x, 0);
                                                mlir::Value negative = e.select(
                                                    e.compare(arith::CmpFPredicate::OLT, x, zero),
                                                    e.number(x, -1), zero);
                                                result = e.select(
                                                    e.compare(arith::CmpFPredicate::OGT, x, zero),
                                                    e.number(x, 1), negative);
                                              });
#undef NEREID_UNARY
  return result;
}

mlir::Value applyIntegerUnary(Elements &e, Operation *op, mlir::Value x, Type type) {
  mlir::Value zero = e.number(x, 0);
  if (isa<graph::NegOp>(op))
    return e.binary<arith::SubIOp>(zero, x);
  if (isa<graph::NotOp>(op))
    return e.binary<arith::XOrIOp>(x, e.number(x, -1));
  if (isa<graph::AbsOp>(op)) {
    if (isUnsigned(type) || type.isInteger(1))
      return x;
    return e.select(e.compare(arith::CmpIPredicate::slt, x, zero), e.binary<arith::SubIOp>(zero, x),
                    x);
  }
  if (isa<graph::SignOp>(op)) {
    if (type.isInteger(1))
      return x;
    mlir::Value positive =
        e.select(e.compare(arith::CmpIPredicate::ne, x, zero), e.number(x, 1), zero);
    if (isUnsigned(type))
      return positive;
    return e.select(e.compare(arith::CmpIPredicate::slt, x, zero), e.number(x, -1), positive);
  }
  return {};
}

mlir::Value applyFloatBinary(Elements &e, Operation *op, mlir::Value a, mlir::Value b) {
  mlir::Value result;
  auto floorDivide = [&] {
    // The floor of the rounded quotient may be one too great: what fmod leaves decides.
    mlir::Value zero = e.number(a, 0), one = e.number(a, 1), half = e.number(a, 0.5);
    mlir::Value plain = e.binary<arith::DivFOp>(a, b), rest = modulo(e, a, b);
    mlir::Value quotient = e.binary<arith::DivFOp>(e.binary<arith::SubFOp>(a, rest), b);
    mlir::Value differs = e.binary<arith::XOrIOp>(e.compare(arith::CmpFPredicate::OLT, rest, zero),
                                                  e.compare(arith::CmpFPredicate::OLT, b, zero));
    mlir::Value isOver =
        e.binary<arith::AndIOp>(e.compare(arith::CmpFPredicate::UNE, rest, zero), differs);
    quotient = e.select(isOver, e.binary<arith::SubFOp>(quotient, one), quotient);
    mlir::Value floored = e.unary<math::FloorOp>(quotient);
    mlir::Value isUnder =
        e.compare(arith::CmpFPredicate::OGT, e.binary<arith::SubFOp>(quotient, floored), half);
    floored = e.select(isUnder, e.binary<arith::AddFOp>(floored, one), floored);
    return e.select(e.compare(arith::CmpFPredicate::OEQ, b, zero), plain, floored);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<graph::AddOp>([&](auto) { result = e.binary<arith::AddFOp>(a, b); })
      .Case<graph::SubOp>([&](auto) { result = e.binary<arith::SubFOp>(a, b); })
      .Case<graph::MulOp>([&](auto) { result = e.binary<arith::MulFOp>(a, b); })
      .Case<graph::DivOp>([&](auto) { result = divide(e, op, a, b); })
      .Case<graph::FloordivOp>([&](auto) { result = floorDivide(); })
      .Case<graph::TruncdivOp>([&](auto) {
        bool isSingle = tile::getElementType(a.getType()).isF32() && !isPowerOfTwo(b);
        result = e.unary<math::TruncOp>(isSingle ? library(e, "div_rn", {a, b})
                                                 : e.binary<arith::DivFOp>(a, b));
      })
      .Case<graph::FmodOp>([&](auto) { result = modulo(e, a, b); })
      .Case<graph::RemainderOp>([&](auto) {
        mlir::Value rest = modulo(e, a, b), zero = e.number(a, 0);
        mlir::Value differs =
            e.binary<arith::XOrIOp>(e.compare(arith::CmpFPredicate::OLT, rest, zero),
                                    e.compare(arith::CmpFPredicate::OLT, b, zero));
        mlir::Value wrong =
            e.binary<arith::AndIOp>(e.compare(arith::CmpFPredicate::UNE, rest, zero), differs);
        result = e.select(wrong, e.binary<arith::AddFOp>(rest, b), rest);
      })
      .Case<graph::PowOp>([&](auto) { result = e.binary<math::PowFOp>(a, b); })
      .Case<graph::Atan2Op>([&](auto) { result = e.binary<math::Atan2Op>(a, b); })
      .Case<graph::CopysignOp>([&](auto) { result = e.binary<math::CopySignOp>(a, b); })
      .Case<graph::NextafterOp>([&](auto) { result = library(e, "nextafter", {a, b}); })
      .Case<graph::MaximumOp>([&](auto) { result = e.binary<arith::MaximumFOp>(a, b); })
      .Case<graph::MinimumOp>([&](auto) { result = e.binary<arith::MinimumFOp>(a, b); });
  return result;
}

mlir::Value applyIntegerBinary(Elements &e, Operation *op, mlir::Value a, mlir::Value b,
                               Type type) {
  bool isSigned = !isUnsigned(type) && !type.isInteger(1);
  auto divide = [&] {
    return isSigned ? e.binary<arith::DivSIOp>(a, b) : e.binary<arith::DivUIOp>(a, b);
  };
  auto rest = [&] {
    return isSigned ? e.binary<arith::RemSIOp>(a, b) : e.binary<arith::RemUIOp>(a, b);
  };
  // Division rounds to zero; Python's rounds down: they differ when the signs do and something is
  // left.
  auto roundsDown = [&](mlir::Value left) {
    mlir::Value zero = e.number(a, 0);
    mlir::Value differs =
        e.compare(arith::CmpIPredicate::slt, e.binary<arith::XOrIOp>(left, b), zero);
    return e.binary<arith::AndIOp>(e.compare(arith::CmpIPredicate::ne, left, zero), differs);
  };
  if (isSigned && isa<graph::MaximumOp, graph::MinimumOp>(op)) {
    Type wide = a.getType();
    if (e.narrow(a, b)) {
      mlir::Value extreme = isa<graph::MaximumOp>(op) ? e.binary<arith::MaxSIOp>(a, b)
                                                      : e.binary<arith::MinSIOp>(a, b);
      return arith::ExtSIOp::create(e.builder, e.loc, wide, extreme);
    }
  }
  mlir::Value result;
  llvm::TypeSwitch<Operation *>(op)
      .Case<graph::AddOp>([&](auto) {
        result = type.isInteger(1) ? e.binary<arith::OrIOp>(a, b) : e.binary<arith::AddIOp>(a, b);
      })
      .Case<graph::SubOp>([&](auto) { result = e.binary<arith::SubIOp>(a, b); })
      .Case<graph::MulOp>([&](auto) {
        result = type.isInteger(1) ? e.binary<arith::AndIOp>(a, b) : e.binary<arith::MulIOp>(a, b);
      })
      .Case<graph::TruncdivOp>([&](auto) { result = divide(); })
      .Case<graph::FmodOp>([&](auto) { result = rest(); })
      .Case<graph::FloordivOp>([&](auto) {
        result = divide();
        if (isSigned)
          result =
              e.select(roundsDown(rest()), e.binary<arith::SubIOp>(result, e.number(a, 1)), result);
      })
      .Case<graph::RemainderOp>([&](auto) {
        result = rest();
        if (isSigned)
          result = e.select(roundsDown(result), e.binary<arith::AddIOp>(result, b), result);
      })
      .Case<graph::MaximumOp>([&](auto) {
        result = isSigned ? e.binary<arith::MaxSIOp>(a, b) : e.binary<arith::MaxUIOp>(a, b);
      })
      .Case<graph::MinimumOp>([&](auto) {
        result = isSigned ? e.binary<arith::MinSIOp>(a, b) : e.binary<arith::MinUIOp>(a, b);
      })
      .Case<graph::AndOp>([&](auto) { result = e.binary<arith::AndIOp>(a, b); })
      .Case<graph::OrOp>([&](auto) { result = e.binary<arith::OrIOp>(a, b); })
      .Case<graph::XorOp>([&](auto) { result = e.binary<arith::XOrIOp>(a, b); })
      .Case<graph::ShlOp>([&](auto) { result = e.binary<arith::ShLIOp>(a, b); })
      .Case<graph::ShrOp>([&](auto) {
        result = isSigned ? e.binary<arith::ShRSIOp>(a, b) : e.binary<arith::ShRUIOp>(a, b);
      });
  return result;
}

mlir::Value applyCompare(Elements &e, Operation *op, mlir::Value a, mlir::Value b, Type type) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  struct Row {
    llvm::StringRef name;
    F ofFloats;
    I ofSigned, ofUnsigned;
  };
  static const Row table[] = {
      {"graph.eq", F::OEQ, I::eq, I::eq},   {"graph.ne", F::UNE, I::ne, I::ne},
      {"graph.lt", F::OLT, I::slt, I::ult}, {"graph.le", F::OLE, I::sle, I::ule},
      {"graph.gt", F::OGT, I::sgt, I::ugt}, {"graph.ge", F::OGE, I::sge, I::uge}};
  for (const Row &row : table)
    if (op->getName().getStringRef() == row.name) {
      if (isa<FloatType>(type))
        return e.compare(row.ofFloats, a, b);
      bool isSigned = !isUnsigned(type) && !type.isInteger(1);
      if (isSigned)
        (void)e.narrow(a, b);
      return e.compare(isSigned ? row.ofSigned : row.ofUnsigned, a, b);
    }
  return {};
}

} // namespace

mlir::Value castElements(OpBuilder &builder, mlir::Value value, Type from, Type to, Location loc) {
  Elements e(builder, loc);
  if (from == to)
    return value;
  Type target = tile::withElementType(value.getType(), tile::getSignless(to));
  auto *fromFloat = isa<FloatType>(from) ? &from : nullptr;
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (to.isInteger(1)) {
    mlir::Value zero = e.number(value, 0);
    return fromFloat ? e.compare(arith::CmpFPredicate::UNE, value, zero)
                     : e.compare(arith::CmpIPredicate::ne, value, zero);
  }
  if (fromFloat && isa<FloatType>(to)) {
    // Two different formats of one width (f16 and bf16) meet in f32.
    if (fromWidth == toWidth)
      return castElements(builder, castElements(builder, value, from, builder.getF32Type(), loc),
                          builder.getF32Type(), to, loc);
    if (fromWidth < toWidth)
      return arith::ExtFOp::create(builder, loc, target, value);
    // What was widened before is itself again.
    if (auto wide = value.getDefiningOp<arith::ExtFOp>(); wide && wide.getIn().getType() == target)
      return wide.getIn();
    return arith::TruncFOp::create(builder, loc, target, value);
  }
  if (fromFloat) {
    if (isUnsigned(to))
      return arith::FPToUIOp::create(builder, loc, target, value);
    return arith::FPToSIOp::create(builder, loc, target, value);
  }
  bool fromUnsigned = isUnsigned(from) || from.isInteger(1);
  if (isa<FloatType>(to)) {
    if (fromUnsigned)
      return builder.createOrFold<arith::UIToFPOp>(loc, target, value);
    // A size was widened to i64 on its way; the number is the same.
    if (auto wide = value.getDefiningOp<arith::ExtSIOp>())
      value = wide.getIn();
    return builder.createOrFold<arith::SIToFPOp>(loc, target, value);
  }
  if (fromWidth == toWidth)
    return value;
  if (fromWidth > toWidth) {
    // Of what was widened before the bits are those that it had.
    if (auto wide = value.getDefiningOp<arith::ExtSIOp>()) {
      Type own = tile::getElementType(wide.getIn().getType());
      if (own.getIntOrFloatBitWidth() < fromWidth)
        return castElements(builder, wide.getIn(), own, tile::getSignless(to), loc);
    }
    return arith::TruncIOp::create(builder, loc, target, value);
  }
  if (fromUnsigned)
    return arith::ExtUIOp::create(builder, loc, target, value);
  return arith::ExtSIOp::create(builder, loc, target, value);
}

/// graph.order: integers in the order of the elements.
static mlir::Value applyOrder(Elements &e, mlir::Value x, Type type, Type result) {
  unsigned width = result.getIntOrFloatBitWidth();
  auto number = [&](mlir::Value like, llvm::APInt value) -> mlir::Value {
    mlir::Value scalar =
        arith::ConstantOp::create(e.builder, e.loc, IntegerAttr::get(result, value));
    return like.getType() == result
               ? scalar
               : tile::SplatOp::create(e.builder, e.loc, like.getType(), scalar);
  };
  if (!isa<FloatType>(type)) {
    x = castElements(e.builder, x, type, result, e.loc);
    if (!isUnsigned(type) || type.getIntOrFloatBitWidth() < 32)
      return x;
    return e.binary<arith::XOrIOp>(x, number(x, llvm::APInt::getSignMask(width)));
  }
  Type bitsType = result;
  if (auto tile = dyn_cast<RankedTensorType>(x.getType()))
    bitsType = tile.clone(result);
  mlir::Value bits = arith::BitcastOp::create(e.builder, e.loc, bitsType, x);
  mlir::Value most = number(bits, llvm::APInt::getSignedMaxValue(width));
  mlir::Value zero = number(bits, llvm::APInt(width, 0));
  // A negative number has its bits turned over but for the sign.
  mlir::Value turned = e.binary<arith::XOrIOp>(bits, most);
  mlir::Value key = e.select(e.compare(arith::CmpIPredicate::slt, bits, zero), turned, bits);
  key = e.select(e.compare(arith::CmpFPredicate::OEQ, x, e.number(x, 0)), zero, key);
  return e.select(e.compare(arith::CmpFPredicate::UNE, x, x), most, key);
}

mlir::Value applyPointwise(OpBuilder &builder, Operation *op, llvm::ArrayRef<mlir::Value> operands,
                           llvm::ArrayRef<Type> types, Type result, Location loc) {
  Elements e(builder, loc);
  Type type = types.back();
  bool isFloat = isa<FloatType>(type);
  mlir::Value value;
  if (isa<graph::CastOp>(op))
    value = castElements(builder, operands[0], types[0], result, loc);
  else if (isa<graph::OrderOp>(op))
    value = applyOrder(e, operands[0], types[0], result);
  else if (isa<graph::WhereOp>(op))
    value = e.select(operands[0], operands[1], operands[2]);
  else if (operands.size() == 1)
    value =
        isFloat ? applyFloatUnary(e, op, operands[0]) : applyIntegerUnary(e, op, operands[0], type);
  else if (mlir::Value compared = applyCompare(e, op, operands[0], operands[1], type))
    value = compared;
  else
    value = isFloat ? applyFloatBinary(e, op, operands[0], operands[1])
                    : applyIntegerBinary(e, op, operands[0], operands[1], type);
  if (!value)
    op->emitError() << "'" << op->getName() << "' on " << type << " is not supported in kernels";
  return value;
}

bool canHold(Type element, double number) {
  if (auto type = dyn_cast<FloatType>(element)) {
    llvm::APFloat converted(number);
    bool loses = false;
    converted.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    return !loses && !std::isnan(number) && !converted.isNaN();
  }
  if (element.isInteger(1))
    return number == 0 || number == 1;
  // Ends included: the greatest integer of 64 bits stands for the power of two above it.
  double range = std::ldexp(1.0, element.getIntOrFloatBitWidth());
  double least = isUnsigned(element) ? 0 : -range / 2;
  double greatest = (isUnsigned(element) ? range : range / 2) - 1;
  return number == std::floor(number) && number >= least && number <= greatest;
}

static Type elementOf(mlir::Value tensor) {
  return cast<graph::TensorType>(tensor.getType()).getElementType();
}

std::optional<double> padWantedOfOperand(Operation *op, std::optional<double> wanted) {
  if (auto cast = dyn_cast<graph::CastOp>(op))
    return wanted && canHold(elementOf(cast.getInput()), *wanted) ? wanted : std::nullopt;
  if (isa<graph::ExpOp, graph::Exp2Op>(op))
    return wanted == 0.0 ? std::optional<double>(-INFINITY) : std::nullopt;
  if (isa<graph::SubOp>(op))
    return wanted == -INFINITY ? wanted : std::nullopt;
  if (isa<graph::MulOp, graph::AbsOp, graph::NegOp, graph::Tf32Op>(op))
    return wanted == 0.0 ? wanted : std::nullopt;
  return std::nullopt;
}

std::optional<double> padOfPointwise(Operation *op, llvm::ArrayRef<std::optional<double>> pads) {
  if (auto cast = dyn_cast<graph::CastOp>(op))
    return pads[0] && canHold(elementOf(cast.getResult()), *pads[0]) ? pads[0] : std::nullopt;
  if (isa<graph::ExpOp, graph::Exp2Op>(op) && pads[0] == -INFINITY)
    return 0.0;
  if (isa<graph::MulOp>(op) && pads[0] == 0.0 && pads[1] == 0.0)
    return 0.0;
  if (isa<graph::AbsOp, graph::NegOp, graph::Tf32Op>(op) && pads[0] == 0.0)
    return 0.0;
  return std::nullopt;
}

} // namespace nereid::schedule
