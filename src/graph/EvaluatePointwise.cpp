// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, random numbers and what is computed element by element.
#include "graph/Evaluator.h"
#include "support/Philox.h"

using namespace llvm;

namespace nereid::graph {

void Evaluator::apply(ConstantOp op) {
  Array result({}, elementOf(op.getResult()));
  if (auto real = dyn_cast<mlir::FloatAttr>(op.getValue()))
    result.reals[0] =
        isWorking ? roundTo(real.getValueAsDouble(), result.elementType) : real.getValueAsDouble();
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
  uint64_t first = static_cast<uint64_t>(size(op.getStream().getExpr())) << op.getShift();
  for (int64_t at = 0, count = result.size(); at < count; ++at) {
    uint64_t offset = first + at;
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

bool Evaluator::roundsElidable() {
  if (precision != Precision::Mixed)
    return precision == Precision::Working;
  uint64_t bits = (sample * 0x9E3779B97F4A7C15u) ^ (++elidableCasts * 0xD1B54A32D192ED03u);
  return (bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9u >> 63;
}

/// What an operator does to elements. Of casts only those round that narrow, and elidable ones that
/// were chosen to.
std::optional<ElementStep> Evaluator::findStep(mlir::Operation &op) {
  mlir::Type exact = mlir::Float64Type::get(op.getContext());
  auto cast = dyn_cast<CastOp>(op);
  if (!cast)
    return ElementStep::find(op, exact, precision);
  mlir::Type from = elementOf(cast.getInput()), to = elementOf(cast.getResult());
  bool narrows = false;
  if (auto wide = dyn_cast<mlir::FloatType>(to)) {
    auto source = dyn_cast<mlir::FloatType>(from);
    narrows = source ? wide.getFPMantissaWidth() < source.getFPMantissaWidth() ||
                           (wide.getWidth() <= 16 && wide != source &&
                            source.getWidth() == wide.getWidth())
                     : wide.getWidth() <= 16;
  }
  bool rounds = cast.getElidable() ? roundedCasts.contains(cast) : narrows || isWorking;
  return ElementStep::find(op, rounds ? to : exact, precision);
}

bool Evaluator::pointwise(mlir::Operation &op) {
  std::optional<ElementStep> step = findStep(op);
  if (!step)
    return fail("the evaluator does not know " + op.getName().getStringRef());
  SmallVector<Elements, 3> operands;
  for (mlir::Value operand : op.getOperands())
    operands.emplace_back(in(operand));
  Array result(in(op.getOperand(0)).shape, elementOf(op.getResult(0)));
  step->apply(operands, result.reals.data(), result.integers.data(), result.size());
  if (step->isArithmetic() && step->makesReals())
    rounding(result.elementType).apply(result.reals.data(), result.size(), nullptr);
  set(op.getResult(0), std::move(result));
  return true;
}

} // namespace nereid::graph
