// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of floats and complex numbers.
#include "python/machine/Integers.h"
#include "python/machine/NativeOperators.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

static std::optional<double> toDouble(Internals &in, Value value) {
  if (auto *number = llvm::dyn_cast<FloatObject>(value))
    return number->value;
  auto converted = integerToDouble(*llvm::cast<IntObject>(value));
  if (!converted)
    in.m.raise("OverflowError", "int too large to convert to float");
  return converted;
}

static double floorModulo(double a, double b) {
  double result = std::fmod(a, b);
  if (result != 0) {
    if ((b < 0) != (result < 0))
      result += b;
    return result;
  }
  return std::copysign(0.0, b);
}

static double floorDivide(double a, double b) {
  double modulo = std::fmod(a, b), quotient = (a - modulo) / b;
  if (modulo != 0 && (b < 0) != (modulo < 0))
    quotient -= 1.0;
  if (quotient == 0)
    return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

static Value floatPower(Internals &in, double a, double b) {
  if (a == 0 && b < 0)
    return in.m.raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    // The principal value is complex.
    double radius = std::pow(-a, b), angle = b * M_PI;
    return in.m.makeComplex(radius * std::cos(angle), radius * std::sin(angle));
  }
  double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
    return in.raiseArgs(in.m.builtinClass("OverflowError"),
                        {in.m.makeInt(34), in.m.makeStr("Numerical result out of range")});
  return in.m.makeFloat(result);
}

Value machine::floatBinary(Internals &in, BinaryOperator op, Value left, Value right) {
  Machine &m = in.m;
  auto x = toDouble(in, left), y = x ? toDouble(in, right) : x;
  if (!x || !y)
    return nullptr;
  double a = *x, b = *y;
  switch (op) {
  case BinaryOperator::Add:
    return m.makeFloat(a + b);
  case BinaryOperator::Sub:
    return m.makeFloat(a - b);
  case BinaryOperator::Mult:
    return m.makeFloat(a * b);
  case BinaryOperator::Div:
    return b == 0 ? m.raise("ZeroDivisionError", "float division by zero")
                  : static_cast<Value>(m.makeFloat(a / b));
  case BinaryOperator::FloorDiv:
    return b == 0 ? m.raise("ZeroDivisionError", "float floor division by zero")
                  : static_cast<Value>(m.makeFloat(floorDivide(a, b)));
  case BinaryOperator::Mod:
    return b == 0 ? m.raise("ZeroDivisionError", "float modulo")
                  : static_cast<Value>(m.makeFloat(floorModulo(a, b)));
  case BinaryOperator::Pow:
    return floatPower(in, a, b);
  default:
    return m.notImplemented();
  }
}

Value machine::complexBinary(Internals &in, BinaryOperator op, Value left, Value right) {
  double parts[2][2];
  for (int i : {0, 1}) {
    Value value = i ? right : left;
    if (auto *number = llvm::dyn_cast<ComplexObject>(value)) {
      parts[i][0] = number->real;
      parts[i][1] = number->imag;
      continue;
    }
    auto real = toDouble(in, value);
    if (!real)
      return nullptr;
    parts[i][0] = *real;
    parts[i][1] = 0;
  }
  auto [a, b] = parts[0];
  auto [c, d] = parts[1];
  switch (op) {
  case BinaryOperator::Add:
    return in.m.makeComplex(a + c, b + d);
  case BinaryOperator::Sub:
    return in.m.makeComplex(a - c, b - d);
  case BinaryOperator::Mult:
    return in.m.makeComplex(a * c - b * d, a * d + b * c);
  case BinaryOperator::Div: {
    if (c == 0 && d == 0)
      return in.m.raise("ZeroDivisionError", "complex division by zero");
    if (std::abs(c) >= std::abs(d)) {
      double ratio = d / c, denominator = c + d * ratio;
      return in.m.makeComplex((a + b * ratio) / denominator, (b - a * ratio) / denominator);
    }
    double ratio = c / d, denominator = c * ratio + d;
    return in.m.makeComplex((a * ratio + b) / denominator, (b * ratio - a) / denominator);
  }
  case BinaryOperator::Pow:
    return in.m.refuse("powers of complex numbers are not supported");
  default:
    return in.m.notImplemented();
  }
}
