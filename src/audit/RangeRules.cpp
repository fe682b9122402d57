// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What quotients, roots and exponentials come to at the ends: TRN002 and TRN004.
#include "audit/NumericRules.h"
#include "audit/PaddedLanes.h"

#include "tile/Combiner.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

static constexpr unsigned mostSteps = 10;

/// Operations that move numbers about or change their type.
static bool isCarrier(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp,
             tile::ReshapeOp, tile::RelabelOp, tile::HintOp>(op);
}

static Operation *definitionOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isCarrier(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

static std::optional<double> constantOf(Value value) {
  auto constant = dyn_cast_if_present<arith::ConstantOp>(definitionOf(value));
  if (!constant)
    return std::nullopt;
  Attribute attr = constant.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    attr = splat.getSplatValue<Attribute>();
  auto real = dyn_cast<FloatAttr>(attr);
  return real ? std::optional(real.getValueAsDouble()) : std::nullopt;
}

static bool isExponential(Operation *op) { return op && isa<math::ExpOp, math::Exp2Op>(op); }

/// The greatest number of a line, or one that stands for it: a carried one, or a stored one.
static bool isShift(Value value, unsigned depth = 0) {
  Operation *op = definitionOf(value);
  if (!op || depth > 4)
    return true;
  if (auto fold = dyn_cast<tile::ReduceOp>(op))
    return tile::combinerKind(fold) != tile::Combiner::Sum;
  if (isa<arith::MulFOp, arith::SelectOp, arith::AddFOp>(op))
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return isShift(operand, depth + 1); });
  return isa<arith::MaximumFOp, arith::MaxNumFOp, tile::LoadOp, scf::ForOp, scf::IfOp, math::LogOp,
             math::Log2Op>(op);
}

/// Whether nothing keeps what is raised to from being great: no maximum is subtracted, no sign or
/// bound is put on it.
static bool isUnbounded(Value exponent, unsigned depth = 0) {
  Operation *op = definitionOf(exponent);
  if (!op || depth > mostSteps)
    return false;
  if (isa<tile::LoadOp, tile::DotOp>(op))
    return true;
  if (isa<arith::SubFOp>(op))
    return isUnbounded(op->getOperand(0), depth + 1) && !isShift(op->getOperand(1));
  if (isa<arith::MulFOp>(op)) {
    // A number of its own may be the sign.
    for (unsigned side : {0, 1})
      if (std::optional<double> factor = constantOf(op->getOperand(side)))
        return *factor > 0 && isUnbounded(op->getOperand(1 - side), depth + 1);
    return false;
  }
  if (isa<arith::AddFOp, arith::DivFOp>(op))
    return isUnbounded(op->getOperand(0), depth + 1);
  return false;
}

/// An exponential that grows without bound, among the terms and factors of a value.
static Operation *findGreat(Value value, unsigned depth = 0) {
  Operation *op = definitionOf(value);
  if (!op || depth > mostSteps)
    return nullptr;
  if (isExponential(op))
    return isUnbounded(op->getOperand(0)) ? op : nullptr;
  if (auto fold = dyn_cast<tile::ReduceOp>(op))
    return tile::combinerKind(fold) == tile::Combiner::Sum
               ? findGreat(fold.getValues()[0], depth + 1)
               : nullptr;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    for (Value operand : op->getOperands())
      if (Operation *great = findGreat(operand, depth + 1))
        return great;
  return nullptr;
}

/// Whether a user chooses between the value and something else, or bounds it.
static bool isReplaced(Value value, unsigned depth = 0) {
  return depth < 4 &&
         llvm::any_of(
             value.getUsers(),
             [&](Operation *user) {
               return isa<arith::SelectOp, arith::MinimumFOp, arith::MinNumFOp>(user) ||
                      (user->getNumResults() == 1 &&
                       (isCarrier(user) || isa<arith::MulFOp>(user)) &&
                       isReplaced(user->getResult(0), depth + 1));
             });
}

/// TRN002: inf / inf, and the logarithm of 1 + inf.
static void judgeExponentials(Operation *op, RuleSite &site) {
  if (isa<arith::DivFOp>(op)) {
    Operation *above = findGreat(op->getOperand(0)), *below = findGreat(op->getOperand(1));
    if (above && below && areAlike(above->getOperand(0), below->getOperand(0)) &&
        !isReplaced(op->getResult(0)))
      site.add("TRN002", Certainty::Likely, site.placeOf(op),
               "the quotient is no number where the exponential in both parts of it is infinite: "
               "above 88.7 in float32, 11.1 in float16",
               "subtract the maximum first, or divide by 1 + exp(-x)");
    return;
  }
  auto sum = isa<math::LogOp, math::Log2Op>(op)
                 ? dyn_cast_if_present<arith::AddFOp>(definitionOf(op->getOperand(0)))
                 : arith::AddFOp();
  if (!sum || isReplaced(op->getResult(0)))
    return;
  for (unsigned side : {0, 1})
    if (constantOf(sum->getOperand(side)) == 1 &&
        isExponential(definitionOf(sum->getOperand(1 - side))) &&
        findGreat(sum->getOperand(1 - side)))
      site.add("TRN002", Certainty::Likely, site.placeOf(op),
               "log(1 + exp(x)) is infinite from 88.7 on, where it should be x",
               "write tl.where(x > 20, x, tl.log(1 + tl.exp(x)))");
}

/// Whether a value is 0 where all that is loaded is: magnitudes, squares, and what is made of them
/// without a term that is added or a bound.
static bool isZeroOfZeros(Value value, bool &isFold, unsigned depth = 0) {
  Operation *op = definitionOf(value);
  if (!op || depth > mostSteps)
    return false;
  if (auto fold = dyn_cast<tile::ReduceOp>(op)) {
    std::optional<tile::Combiner> kind = tile::combinerKind(fold);
    isFold = true;
    return (kind == tile::Combiner::Sum || kind == tile::Combiner::Max ||
            kind == tile::Combiner::MaxNum) &&
           isZeroOfZeros(fold.getValues()[0], isFold, depth + 1);
  }
  if (isa<math::AbsFOp>(op))
    return true;
  if (auto call = dyn_cast<tile::LibdeviceOp>(op))
    return call.getName() == "fabs" || call.getName() == "abs";
  if (isa<math::SqrtOp>(op))
    return isZeroOfZeros(op->getOperand(0), isFold, depth + 1);
  if (isa<arith::SelectOp>(op))
    return constantOf(op->getOperand(2)) == 0 &&
           isZeroOfZeros(op->getOperand(1), isFold, depth + 1);
  if (isa<arith::DivFOp>(op))
    return isZeroOfZeros(op->getOperand(0), isFold, depth + 1);
  if (isa<arith::MulFOp>(op)) {
    if (op->getOperand(0) == op->getOperand(1)) {
      // The square of what is loaded; a centred one is 0 for a constant row.
      Operation *squared = definitionOf(op->getOperand(0));
      return squared && isa<tile::LoadOp>(squared);
    }
    return (constantOf(op->getOperand(1)) && isZeroOfZeros(op->getOperand(0), isFold, depth + 1)) ||
           (constantOf(op->getOperand(0)) && isZeroOfZeros(op->getOperand(1), isFold, depth + 1));
  }
  return false;
}

/// TRN004: a row of zeros is divided by its own magnitude.
static void judgeDivisors(Operation *op, RuleSite &site) {
  Value divisor = isa<arith::DivFOp>(op)   ? op->getOperand(1)
                  : isa<math::RsqrtOp>(op) ? op->getOperand(0)
                                           : Value();
  bool isFold = false;
  if (!divisor || !isZeroOfZeros(divisor, isFold) || !isFold || isReplaced(op->getResult(0)))
    return;
  site.add(
      "TRN004", Certainty::Likely, site.placeOf(op),
      "this divides by 0 where a whole row is 0: nothing is added to its magnitude, and it has "
      "no least value",
      "add eps to it, or take tl.maximum(..., eps)");
}

void findEndsOfRanges(func::FuncOp kernel, RuleSite &site) {
  kernel.walk([&](Operation *op) {
    judgeExponentials(op, site);
    judgeDivisors(op, site);
  });
}

} // namespace nereid::audit
