// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/ElementStep.h"

#include "graph/GraphOps.h"

#include <limits>

using namespace llvm;

namespace nereid::graph {

Rounding::Rounding(mlir::Type type, uint64_t seed)
    : round(roundingTo(type)), seed(seed * 0x2545F4914F6CDD1Du), exact(type.isF64()),
      single(type.isF32()) {
  if (seed && (type.isF32() || type.isF16() || type.isBF16()))
    disturbance = std::ldexp(1.0, -cast<mlir::FloatType>(type).getFPMantissaWidth());
}

void Rounding::apply(double *reals, int64_t count, const int64_t *places) const {
  if (exact)
    return;
  if (single && !isDisturbed()) {
    for (int64_t at = 0; at < count; ++at)
      reals[at] = static_cast<float>(reals[at]);
    return;
  }
  for (int64_t at = 0; at < count; ++at)
    reals[at] = (*this)(reals[at], places ? places[at] : at);
}

std::optional<ElementStep> ElementStep::find(mlir::Operation &op, mlir::Type rounded,
                                             Precision precision) {
  if (!isPointwise(&op))
    return std::nullopt;
  auto elementOf = [](mlir::Value value) {
    return cast<TensorType>(value.getType()).getElementType();
  };
  ElementStep step;
  step.from = elementOf(op.getOperand(isa<WhereOp>(op) ? 1 : 0));
  step.to = elementOf(op.getResult(0));
  step.saturates = precision == Precision::Saturating;
  bool isReal = isa<mlir::FloatType>(step.from);
  StringRef name = op.getName().stripDialect();
  auto take = [&](Kind kind, bool isFound = true) {
    step.kind = kind;
    return isFound ? std::optional(step) : std::nullopt;
  };
  if (isa<WhereOp, CastOp>(op)) {
    step.arithmetic = false;
    step.castRounding = roundingTo(rounded);
    return take(isa<WhereOp>(op)    ? Kind::Where
                : step.makesReals() ? Kind::CastToReals
                                    : Kind::CastToIntegers);
  }
  bool isUnary = op.getNumOperands() == 1;
  if (!isReal && isUnary)
    return take(Kind::IntegerUnary, step.integerUnary = findIntegerUnary(name));
  bool isUnsigned = step.from.isUnsignedInteger(64);
  if (!isReal && (step.integerBinary = findIntegerTest(name, isUnsigned)))
    return take(Kind::IntegerBinary);
  if (!isReal)
    return take(Kind::IntegerBinary, step.integerBinary = findIntegerBinary(name, isUnsigned));
  if (!step.makesReals())
    return take(Kind::RealTest, step.realTest = findRealTest(name));
  if (isUnary)
    return take(Kind::RealUnary, step.realUnary = findRealUnary(name));
  if (isa<MulOp>(op) && precision == Precision::Unread)
    return take(
        Kind::RealBinary,
        step.realBinary = [](double a, double b) { return a == 0 || b == 0 ? 0.0 : a * b; });
  // Those of products and sums, whose loops are worth to be vectorised.
  if (isa<AddOp, SubOp, MulOp>(op))
    return take(isa<AddOp>(op) ? Kind::Add : isa<SubOp>(op) ? Kind::Sub : Kind::Mul);
  return take(Kind::RealBinary, step.realBinary = findRealBinary(name, step.from.isF32()));
}

template <typename Element, typename Make>
static void forEach(Element *result, int64_t count, Make make) {
  for (int64_t at = 0; at < count; ++at)
    result[at] = make(at);
}

void ElementStep::apply(ArrayRef<Elements> operands, double *reals, int64_t *integers,
                        int64_t count) const {
  const Elements &a = operands.front(), &b = operands.back();
  if (kind == Kind::Where) {
    const int64_t *test = a.integers;
    const Elements &yes = operands[1];
    if (makesReals())
      forEach(reals, count, [&](int64_t at) { return test[at] ? yes.reals[at] : b.reals[at]; });
    else
      forEach(integers, count,
              [&](int64_t at) { return test[at] ? yes.integers[at] : b.integers[at]; });
  } else if (makesReals()) {
    apply(a, b, reals, count);
  } else {
    apply(a, b, integers, count);
  }
}

void ElementStep::apply(const Elements &a, const Elements &b, double *result, int64_t count) const {
  const double *x = a.reals, *y = b.reals;
  switch (kind) {
  case Kind::Add:
    return forEach(result, count, [&](int64_t at) { return x[at] + y[at]; });
  case Kind::Sub:
    return forEach(result, count, [&](int64_t at) { return x[at] - y[at]; });
  case Kind::Mul:
    return forEach(result, count, [&](int64_t at) { return x[at] * y[at]; });
  case Kind::RealUnary:
    return forEach(result, count, [&](int64_t at) { return realUnary(x[at]); });
  case Kind::RealBinary:
    return forEach(result, count, [&](int64_t at) { return realBinary(x[at], y[at]); });
  default:
    return castToReals(a, result, count);
  }
}

void ElementStep::apply(const Elements &a, const Elements &b, int64_t *result,
                        int64_t count) const {
  const int64_t *x = a.integers, *y = b.integers;
  switch (kind) {
  case Kind::RealTest:
    return forEach(result, count,
                   [&](int64_t at) -> int64_t { return realTest(a.reals[at], b.reals[at]); });
  case Kind::IntegerUnary: {
    // Of a bool there is no other bit.
    int64_t mask = from.isInteger(1) ? 1 : -1;
    return forEach(result, count,
                   [&](int64_t at) { return wrapTo(integerUnary(x[at]) & mask, to); });
  }
  case Kind::IntegerBinary:
    return forEach(result, count,
                   [&](int64_t at) { return wrapTo(integerBinary(x[at], y[at]), to); });
  default:
    return castToIntegers(a, result, count);
  }
}

void ElementStep::castToReals(const Elements &input, double *result, int64_t count) const {
  auto convert = [&](int64_t at) {
    return from.isUnsignedInteger(64)
               ? static_cast<double>(static_cast<uint64_t>(input.integers[at]))
               : static_cast<double>(input.integers[at]);
  };
  bool isExact = castRounding == roundingTo(mlir::Float64Type::get(to.getContext()));
  if (!isa<mlir::FloatType>(from))
    forEach(result, count, [&](int64_t at) { return castRounding(convert(at)); });
  else if (isExact)
    std::copy_n(input.reals, count, result);
  else
    forEach(result, count, [&](int64_t at) { return castRounding(input.reals[at]); });
}

/// The nearest integer of a type, 0 for a NaN.
static int64_t saturate(double real, mlir::Type type) {
  if (std::isnan(real))
    return 0;
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger();
  double least = isUnsigned ? 0.0 : -std::ldexp(1.0, bits - 1);
  double beyond = std::ldexp(1.0, isUnsigned ? bits : bits - 1);
  if (real >= beyond)
    return static_cast<int64_t>(isUnsigned ? maskTrailingOnes<uint64_t>(bits)
                                           : maskTrailingOnes<uint64_t>(bits - 1));
  real = std::max(real, least);
  return real >= 0x1p63 ? static_cast<int64_t>(static_cast<uint64_t>(real))
                        : static_cast<int64_t>(real);
}

void ElementStep::castToIntegers(const Elements &input, int64_t *result, int64_t count) const {
  if (!isa<mlir::FloatType>(from))
    return forEach(result, count, [&](int64_t at) { return wrapTo(input.integers[at], to); });
  bool isBool = to.isInteger(1);
  bool isInt = to.isInteger(32);
  if (saturates && !isBool)
    return forEach(result, count, [&](int64_t at) { return saturate(input.reals[at], to); });
  // Outside of the range there is no value; the least integer stands for it, as on x86.
  int64_t least = isInt ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  forEach(result, count, [&](int64_t at) -> int64_t {
    double real = input.reals[at];
    bool fits =
        isInt ? real > -2147483649.0 && real < 2147483648.0 : real > -9.3e18 && real < 9.2e18;
    return isBool ? real != 0 : wrapTo(fits ? static_cast<int64_t>(real) : least, to);
  });
}

} // namespace nereid::graph
