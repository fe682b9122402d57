// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions of a row by a number of the row become products with its reciprocal, which is made
// once. A division is some eight operations, so where the elements are halves it, not memory,
// decides the time: on an H200 the gradient of a normalisation takes 503 us so, and 578 us
// otherwise. That costs one more rounding to float32, of which results of 16 bits show nothing; and
// the reciprocal must neither leave the range nor lose digits at its end, which the divisor's
// origin shows.
#include "schedule/kernel/KernelScope.h"

#include "graph/GraphOps.h"
#include "graph/RoundingSteps.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

namespace {

/// What the size of a number that is never negative lies between, where it is neither zero,
/// infinite nor NaN: there a reciprocal does what the division would.
struct Sizes {
  double least, greatest;
};

std::optional<Sizes> sizesOf(const Value &value);

std::optional<double> constantOf(const Value &value) {
  auto constant = llvm::dyn_cast_or_null<graph::ConstantOp>(value.op);
  auto number = constant ? llvm::dyn_cast<FloatAttr>(constant.getValue()) : nullptr;
  if (!number || !(number.getValueAsDouble() > 0))
    return std::nullopt;
  return number.getValueAsDouble();
}

/// A sum or maximum of such a number and a positive constant, or their product.
std::optional<Sizes> sizesWithConstant(const Value &value) {
  for (unsigned side = 0; side < 2; ++side) {
    auto number = constantOf(*value.inputs[side].from);
    auto sizes = sizesOf(*value.inputs[1 - side].from);
    if (!number || !sizes)
      continue;
    if (llvm::isa<graph::MulOp>(value.op))
      return Sizes{sizes->least * *number, sizes->greatest * *number};
    if (llvm::isa<graph::AddOp>(value.op))
      return Sizes{*number, sizes->greatest + *number};
    return Sizes{*number, std::max(sizes->greatest, *number)};
  }
  return std::nullopt;
}

std::optional<Sizes> sizesOf(const Value &value) {
  if (value.kind != ValueKind::Map || !value.elementType.isF32())
    return std::nullopt;
  if (!value.op || value.isCast())
    return sizesOf(*value.inputs[0].from);
  // Roots of the least and of the greatest float32.
  if (llvm::isa<graph::SqrtOp>(value.op))
    return Sizes{std::ldexp(1.0, -75), std::ldexp(1.0, 64)};
  if (llvm::isa<graph::MaximumOp, graph::AddOp, graph::MulOp>(value.op))
    return sizesWithConstant(value);
  return std::nullopt;
}

} // namespace

bool KernelBuilder::takesReciprocal(const Value &value, const TileValue &dividend,
                                    const TileValue &divisor) const {
  if (!isa_and_nonnull<graph::DivOp>(value.op) || !program.policy.has(MoveKind::ShortFunctions) ||
      !kernel.hasRows)
    return false;
  bool isHalf =
      llvm::any_of(kernel.outputs, [](const KernelOutput &output) { return output.columns >= 0; });
  for (const KernelOutput &output : kernel.outputs)
    isHalf &= output.columns < 0 || (isa<FloatType>(output.value->elementType) &&
                                     output.value->elementType.getIntOrFloatBitWidth() <= 16);
  bool isRepeated = divisor.axes.size() < dividend.axes.size();
  auto sizes = sizesOf(*value.inputs[1].from);
  return isHalf && isRepeated && sizes && sizes->least > std::ldexp(1.0, -120) &&
         sizes->greatest < std::ldexp(1.0, 120) && !graph::reachesStep(value.op->getResult(0));
}

/// The reciprocal of a number that is made at `at`, made beside it and once.
TileValue KernelBuilder::reciprocal(const TileValue &divisor, llvm::ArrayRef<Expr> at, Pred guard,
                                    Location loc) {
  if (auto known = reciprocals.find(divisor.value); known != reciprocals.end())
    return known->second;
  InScope in(*this, scopeOf(decide(at), guard));
  loc = plainLoc(loc);
  Type element = tile::getElementType(divisor.value.getType());
  mlir::Value one = math.lift(math.constant(element, 1, loc), divisor.axes, loc);
  TileValue result{arith::DivFOp::create(builder, loc, one, divisor.value), divisor.axes, {}};
  // What is made where a condition holds may not be at hand elsewhere.
  if (guard.isTrue())
    reciprocals[divisor.value] = result;
  return result;
}

} // namespace nereid::schedule
