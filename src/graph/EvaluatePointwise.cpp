// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, random numbers, casts and what is computed element by element.
#include "graph/Evaluator.h"
#include "support/Philox.h"

#include <limits>

using namespace llvm;

namespace nereid::graph {

void Evaluator::apply(ConstantOp op) {
  Array result({}, elementOf(op.getResult()));
  if (auto real = dyn_cast<mlir::FloatAttr>(op.getValue()))
    result.reals[0] = Rounding(isWorking ? result.elementType
                                         : mlir::Float64Type::get(result.elementType.getContext()),
                               0)(real.getValueAsDouble());
  else
    result.integers[0] =
        wrapTo(cast<mlir::IntegerAttr>(op.getValue()).getInt(), result.elementType);
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(SizeOp op) {
  Array result({}, elementOf(op.getResult()));
  result.integers[0] = size(op.getExpr().getExpr());
  set(op.getResult(), std::move(result));
}

/// Bits and uniform numbers are exact.
void Evaluator::apply(RandomOp op) {
  Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
  uint64_t seed = in(op.getSeed()).integers[0];
  for (int64_t at = 0, count = result.size(); at < count; ++at) {
    uint64_t offset = op.getFirstOffset() + at;
    if (op.getKind() == RandomKind::Bits) {
      result.integers[at] = sharedWord(seed, offset);
    } else if (op.getKind() == RandomKind::Uniform) {
      result.reals[at] = uniformOfBits(sharedWord(seed, offset));
    } else {
      std::array<uint32_t, 4> words = philox(seed, offset);
      result.reals[at] = isWorking ? normalOfWords<float>(words) : normalOfWords<double>(words);
    }
  }
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(WhereOp op) {
  const Array &test = in(op.getCondition()), &b = in(op.getRhs());
  Array result = in(op.getLhs());
  bool isFloat = result.isFloat();
  for (int64_t at = 0, count = result.size(); at < count; ++at) {
    if (test.integers[at])
      continue;
    if (isFloat)
      result.reals[at] = b.reals[at];
    else
      result.integers[at] = b.integers[at];
  }
  set(op.getResult(), std::move(result));
}

bool Evaluator::roundsElidable() {
  if (precision != Precision::Mixed)
    return precision == Precision::Working;
  uint64_t bits = (sample * 0x9E3779B97F4A7C15u) ^ (++elidableCasts * 0xD1B54A32D192ED03u);
  return (bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9u >> 63;
}

void Evaluator::apply(CastOp op) {
  const Array &input = in(op.getInput());
  mlir::Type from = input.elementType, to = elementOf(op.getResult());
  Array result(input.shape, to);
  bool narrows = false;
  if (auto wide = dyn_cast<mlir::FloatType>(to)) {
    auto source = dyn_cast<mlir::FloatType>(from);
    narrows = source ? wide.getFPMantissaWidth() < source.getFPMantissaWidth() ||
                           (wide.getWidth() <= 16 && wide != source &&
                            source.getWidth() == wide.getWidth())
                     : wide.getWidth() <= 16;
  }
  bool rounds = op.getElidable() ? roundsElidable() : narrows || isWorking;
  if (result.isFloat())
    castToReals(input,
                rounds ? roundingTo(to) : roundingTo(mlir::Float64Type::get(to.getContext())),
                result);
  else
    castToIntegers(input, result);
  set(op.getResult(), std::move(result));
}

void Evaluator::castToReals(const Array &input, double (*rounding)(double), Array &result) {
  bool isUnsigned = input.elementType.isUnsignedInteger(64);
  if (input.isFloat())
    for (size_t at = 0; at < input.reals.size(); ++at)
      result.reals[at] = rounding(input.reals[at]);
  else
    for (size_t at = 0; at < input.integers.size(); ++at)
      result.reals[at] =
          rounding(isUnsigned ? static_cast<double>(static_cast<uint64_t>(input.integers[at]))
                              : static_cast<double>(input.integers[at]));
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

void Evaluator::castToIntegers(const Array &input, Array &result) {
  mlir::Type to = result.elementType;
  for (size_t at = 0; at < input.integers.size(); ++at)
    result.integers[at] = wrapTo(input.integers[at], to);
  bool isBool = to.isInteger(1);
  bool isInt = to.isInteger(32);
  bool saturates = precision == Precision::Saturating && !isBool;
  for (size_t at = 0; at < input.reals.size(); ++at) {
    double real = input.reals[at];
    if (saturates) {
      result.integers[at] = saturate(real, to);
      continue;
    }
    // Outside of the range there is no value; the least integer stands for it, as on x86.
    bool fits =
        isInt ? real > -2147483649.0 && real < 2147483648.0 : real > -9.3e18 && real < 9.2e18;
    int64_t least =
        isInt ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
    result.integers[at] =
        isBool ? real != 0 : wrapTo(fits ? static_cast<int64_t>(real) : least, to);
  }
}

bool Evaluator::pointwise(mlir::Operation &op) {
  StringRef name = op.getName().stripDialect();
  if (op.getName().getDialectNamespace() != "graph" || op.getNumResults() != 1)
    return fail("the evaluator does not know " + op.getName().getStringRef());
  const Array &a = in(op.getOperand(0));
  const Array &b = in(op.getOperand(op.getNumOperands() - 1));
  Array result(a.shape, elementOf(op.getResult(0)));
  bool done = a.isFloat() ? realPointwise(name, a, b, result, op.getNumOperands())
                          : integerPointwise(name, a, b, result, op.getNumOperands());
  if (!done)
    return fail("the evaluator does not know " + op.getName().getStringRef());
  keepAll(result);
  set(op.getResult(0), std::move(result));
  return true;
}

bool Evaluator::realPointwise(StringRef name, const Array &a, const Array &b, Array &result,
                              unsigned operands) {
  size_t count = a.reals.size();
  if (!result.isFloat()) {
    RealTest test = findRealTest(name);
    for (size_t at = 0; test && at < count; ++at)
      result.integers[at] = test(a.reals[at], b.reals[at]);
    return test;
  }
  if (operands == 1) {
    RealUnary unary = findRealUnary(name);
    for (size_t at = 0; unary && at < count; ++at)
      result.reals[at] = unary(a.reals[at]);
    return unary;
  }
  RealBinary binary = findRealBinary(name, a.elementType.isF32());
  for (size_t at = 0; binary && at < count; ++at)
    result.reals[at] = binary(a.reals[at], b.reals[at]);
  return binary;
}

bool Evaluator::integerPointwise(StringRef name, const Array &a, const Array &b, Array &result,
                                 unsigned operands) {
  size_t count = a.integers.size();
  if (operands == 1) {
    IntegerUnary unary = findIntegerUnary(name);
    bool isBool = a.elementType.isInteger(1) && name == "not";
    for (size_t at = 0; unary && at < count; ++at)
      result.integers[at] =
          isBool ? !a.integers[at] : wrapTo(unary(a.integers[at]), result.elementType);
    return unary;
  }
  bool isUnsigned = a.elementType.isUnsignedInteger(64);
  IntegerBinary test = findIntegerTest(name, isUnsigned);
  IntegerBinary binary = test ? test : findIntegerBinary(name, isUnsigned);
  for (size_t at = 0; binary && at < count; ++at)
    result.integers[at] = wrapTo(binary(a.integers[at], b.integers[at]), result.elementType);
  return binary;
}

} // namespace nereid::graph
