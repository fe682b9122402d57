// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole parts of floats that follow from sizes: `int(0.5 * n)`, `math.ceil(n / 4)`. They are sizes
// again where Python's float arithmetic is exact up to one last quotient, for then rounding cannot
// carry it over a whole number: factors are integers over powers of two, and only the outermost
// operator may divide by something else.
#include "frontend/torch/TorchLibrary.h"

#include <cmath>

using namespace llvm;

namespace nereid::torch {
namespace {

/// top / bottom, which Python's float is exactly, or the float nearest to it. A float that is a
/// multiple of a decimal (0.3) may lie on the other side of a whole number than the ratio.
struct Ratio {
  Expr top;
  int64_t bottom;
  bool isExact;
  bool isBelow = false, isAbove = false;
};

/// Integers of more bits could make a product inexact.
constexpr int64_t most = int64_t(1) << 20;

std::optional<Ratio> ratioOf(index::Context &context, mlir::Value value, unsigned depth = 0);

/// The decimal of at most four digits that a float was written as. Its multiples are rounded twice:
/// those that are whole come out so if the float is within 2^-54 of the decimal, and else on the
/// side of the decimal that the float is on; the others are further from whole numbers than either
/// rounding reaches, up to 2^32.
std::optional<Ratio> decimalRatio(index::Context &context, double value) {
  constexpr int64_t bottom = 10000;
  double top = std::round(value * bottom);
  if (!(top >= 1 && top <= double(most)) || top / bottom != value)
    return std::nullopt;
  // Exact: a float times an integer of few bits, in parts.
  long double error = (long double)value * bottom - (long double)top;
  long double least = std::ldexp((long double)top, -54);
  return Ratio{context.constant(int64_t(top)), bottom, false, -error > least, error > least};
}

std::optional<Ratio> constantRatio(index::Context &context, double value) {
  int64_t bottom = 1;
  while (bottom < most && value != std::floor(value)) {
    value *= 2;
    bottom *= 2;
  }
  if (value != std::floor(value) || std::abs(value) > most)
    return decimalRatio(context, value / double(bottom));
  return Ratio{context.constant(static_cast<int64_t>(value)), bottom, true};
}

std::optional<Ratio> arithmeticRatio(StringRef name, const Ratio &a, const Ratio &b) {
  for (auto [whole, decimal] : {std::pair(a, b), std::pair(b, a)})
    if (name == "mul" && whole.isExact && whole.bottom == 1 && !decimal.isExact &&
        decimal.top.isConstant()) {
      decimal.top = whole.top * decimal.top;
      return decimal;
    }
  if (!a.isExact || !b.isExact || a.bottom > most || b.bottom > most)
    return std::nullopt;
  if (name == "mul")
    return Ratio{a.top * b.top, a.bottom * b.bottom, true};
  if (name == "add")
    return Ratio{a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom, true};
  if (name == "sub")
    return Ratio{a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom, true};
  std::optional<int64_t> divisor = b.top.getConstant();
  if (name != "div" || !divisor || *divisor <= 0 || *divisor > most)
    return std::nullopt;
  return Ratio{a.top * b.bottom, a.bottom * *divisor, isPowerOf2_64(*divisor)};
}

std::optional<Ratio> ratioOf(index::Context &context, mlir::Value value, unsigned depth) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || depth > 16)
    return std::nullopt;
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    if (auto real = dyn_cast<mlir::FloatAttr>(constant.getValue()))
      return constantRatio(context, real.getValueAsDouble());
    return constantRatio(
        context, static_cast<double>(cast<mlir::IntegerAttr>(constant.getValue()).getInt()));
  }
  if (auto size = dyn_cast<graph::SizeOp>(op))
    return Ratio{size.getExpr().getExpr(), 1, true};
  if (auto cast = dyn_cast<graph::CastOp>(op)) {
    bool widens =
        isa<mlir::Float64Type>(llvm::cast<graph::TensorType>(value.getType()).getElementType());
    return widens ? ratioOf(context, cast.getInput(), depth + 1) : std::nullopt;
  }
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Ratio> a = ratioOf(context, op->getOperand(0), depth + 1);
  std::optional<Ratio> b = a ? ratioOf(context, op->getOperand(1), depth + 1) : std::nullopt;
  return b ? arithmeticRatio(op->getName().stripDialect(), *a, *b) : std::nullopt;
}

} // namespace

/// A root has no expression, and some decimals are rounded as no quotient is: the size is fixed at
/// the typical one, as that of an unrolled loop is.
PyValue TorchLibrary::wholeOfFixed(TensorValue *number, StringRef rounding) {
  PyValue known =
      numberOfSizes(number, rounding == "int" ? "int()" : ("math." + rounding + "()").str());
  auto *real = dyn_cast_if_present<machine::FloatObject>(known);
  if (!real || !std::isfinite(real->value))
    return isa_and_present<machine::IntObject>(known) ? known : nullptr;
  double whole = rounding == "int"    ? std::trunc(real->value)
                 : rounding == "ceil" ? std::ceil(real->value)
                                      : std::floor(real->value);
  return machine->makeInt(static_cast<int64_t>(whole));
}

PyValue TorchLibrary::wholePart(TensorValue *number, StringRef rounding) {
  settleNumbers(read(number));
  std::optional<Ratio> ratio = ratioOf(solver.getContext(), read(number));
  if (!ratio || (rounding == "ceil" ? ratio->isAbove : ratio->isBelow))
    return wholeOfFixed(number, rounding);
  Expr top = solver.resolve(ratio->top);
  bool isPositive = solver.truth(index::ge(top, 0)) == index::Truth::True;
  if (rounding == "int" && !isPositive)
    return nullptr;
  return makeSize(solver.resolve(rounding == "ceil" ? index::ceildiv(top, ratio->bottom)
                                                    : index::floordiv(top, ratio->bottom)));
}

} // namespace nereid::torch
