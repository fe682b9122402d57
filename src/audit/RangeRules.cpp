// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What quotients, roots and exponentials come to at the ends: TRN002 and TRN004.
#include "audit/MaskConditions.h"
#include "audit/NumericRules.h"
#include "audit/PaddedLanes.h"

#include "tile/Combiner.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace nereid::audit {

static constexpr unsigned mostRangeDepth = 10;

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

static bool isArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isCarrier(op))
      return false;
    value = op->getOperand(0);
  }
  return isa<func::FuncOp>(value.getParentBlock()->getParentOp());
}

/// Whether nothing keeps what is raised to from being great: no maximum is subtracted, no sign or
/// bound is put on it.
static bool isUnbounded(Value exponent, unsigned depth = 0) {
  Operation *op = definitionOf(exponent);
  if (!op || depth > mostRangeDepth)
    return false;
  if (isa<tile::LoadOp, tile::DotOp>(op))
    return true;
  if (isa<arith::SubFOp>(op))
    return isUnbounded(op->getOperand(0), depth + 1) && !isShift(op->getOperand(1));
  if (isa<arith::MulFOp>(op)) {
    // A number of its own may be the sign.
    for (unsigned side : {0, 1})
      if (std::optional<double> factor = literalOf(definitionOf(op->getOperand(side))))
        return *factor > 0 && isUnbounded(op->getOperand(1 - side), depth + 1);
    // A scale that the caller gives is taken to be positive.
    for (unsigned side : {0, 1})
      if (isArgument(op->getOperand(side)))
        return isUnbounded(op->getOperand(1 - side), depth + 1);
    return false;
  }
  if (isa<arith::AddFOp, arith::DivFOp>(op))
    return isUnbounded(op->getOperand(0), depth + 1);
  return false;
}

/// An exponential that grows without bound, among the terms and factors of a value.
static Operation *findGreat(Value value, unsigned depth = 0) {
  Operation *op = definitionOf(value);
  if (!op || depth > mostRangeDepth)
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

/// Whether a condition asks for a tile that was loaded, and not only for numbers that bound places.
static bool isOfLoadedTile(Value condition, unsigned depth = 0) {
  Operation *op = condition.getDefiningOp();
  if (!op || depth > mostRangeDepth)
    return false;
  if (isa<tile::LoadOp>(op))
    return !tile::getShape(condition.getType()).empty();
  return !op->getNumRegions() && llvm::any_of(op->getOperands(), [&](Value operand) {
    return isOfLoadedTile(operand, depth + 1);
  });
}

/// Whether a user chooses between the value and something else, or bounds it.
static bool isReplaced(Value value, unsigned depth = 0) {
  return depth < 4 && llvm::any_of(
                          value.getUsers(),
                          [&](Operation *user) {
                            return isChoiceByData(user) ||
                                   isa<arith::MinimumFOp, arith::MinNumFOp>(user) ||
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
    if (literalOf(definitionOf(sum->getOperand(side))) == 1 &&
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
  if (!op || depth > mostRangeDepth)
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
    return literalOf(definitionOf(op->getOperand(2))) == 0 &&
           isZeroOfZeros(op->getOperand(1), isFold, depth + 1);
  if (isa<arith::DivFOp>(op))
    return isZeroOfZeros(op->getOperand(0), isFold, depth + 1);
  if (isa<arith::MulFOp>(op)) {
    if (op->getOperand(0) == op->getOperand(1)) {
      // The square of what is loaded; a centred one is 0 for a constant row.
      Operation *squared = definitionOf(op->getOperand(0));
      return squared && isa<tile::LoadOp>(squared);
    }
    return (literalOf(definitionOf(op->getOperand(1))) &&
            isZeroOfZeros(op->getOperand(0), isFold, depth + 1)) ||
           (literalOf(definitionOf(op->getOperand(0))) &&
            isZeroOfZeros(op->getOperand(1), isFold, depth + 1));
  }
  return false;
}

/// Whether a value counts what was loaded: sums of flags, in a fold or in a loop, that may all be
/// 0.
static bool isCountOfData(Value value, bool &isFold, unsigned depth = 0) {
  Operation *op = definitionOf(value);
  if (!op || depth > mostRangeDepth)
    return false;
  if (auto fold = dyn_cast<tile::ReduceOp>(op)) {
    isFold = true;
    return tile::combinerKind(fold) == tile::Combiner::Sum &&
           isCountOfData(fold.getValues()[0], isFold, depth + 1);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned result = cast<OpResult>(value).getResultNumber();
    Operation *sum = definitionOf(loop.getYieldedValues()[result]);
    Operation *start = definitionOf(loop.getInitArgs()[result]);
    bool isEmpty = start && matchPattern(start, m_Zero());
    return isEmpty && isa_and_present<arith::AddIOp>(sum) &&
           llvm::any_of(sum->getOperands(),
                        [&](Value term) { return isCountOfData(term, isFold, depth + 1); });
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return isCountOfData(op->getOperand(0), isFold, depth + 1);
  // Flags that are made whole numbers of.
  if (isa<arith::FPToSIOp>(op))
    return isa_and_present<tile::LoadOp>(definitionOf(op->getOperand(0)));
  return isa<tile::LoadOp>(op) && tile::getElementType(value.getType()).isIntOrIndex();
}

/// TRN004: a row of zeros is divided by its own magnitude.
static void judgeDivisors(Operation *op, RuleSite &site) {
  Value divisor = isa<arith::DivFOp>(op)   ? op->getOperand(1)
                  : isa<math::RsqrtOp>(op) ? op->getOperand(0)
                                           : Value();
  bool isFold = false;
  Operation *made = divisor ? definitionOf(divisor) : nullptr;
  bool isNumber = isa_and_present<arith::SIToFPOp, arith::UIToFPOp>(made);
  if (isNumber && isCountOfData(divisor, isFold) && isFold && !isReplaced(op->getResult(0)))
    site.add("TRN004", Certainty::Likely, site.placeOf(op),
             "this divides by 0 where nothing is counted", "take tl.maximum(count, 1)");
  isFold = false;
  if (!divisor || !isZeroOfZeros(divisor, isFold) || !isFold || isReplaced(op->getResult(0)))
    return;
  site.add(
      "TRN004", Certainty::Likely, site.placeOf(op),
      "this divides by 0 where a whole row is 0: nothing is added to its magnitude, and it has "
      "no least value",
      "add eps to it, or take tl.maximum(..., eps)");
}

/// `e[x*x] - mean*mean`, in this form or by another name of the mean.
static bool isOnePassVariance(Operation *op) {
  auto difference = dyn_cast_if_present<arith::SubFOp>(op);
  if (!difference)
    return false;
  auto isMean = [](Value value) {
    Operation *mean = definitionOf(value);
    while (mean && isa<arith::DivFOp, arith::MulFOp>(mean) &&
           mean->getOperand(0) != mean->getOperand(1))
      mean = definitionOf(mean->getOperand(0));
    auto fold = dyn_cast_if_present<tile::ReduceOp>(mean);
    return fold && tile::combinerKind(fold) == tile::Combiner::Sum;
  };
  auto square = dyn_cast_if_present<arith::MulFOp>(definitionOf(difference.getRhs()));
  return square && areAlike(square.getLhs(), square.getRhs()) && isMean(square.getLhs()) &&
         isMean(difference.getLhs());
}

/// TRN005: what is left of two large numbers that are nearly equal.
static void judgeVariances(Operation *op, RuleSite &site) {
  if (!isa<math::SqrtOp, math::RsqrtOp>(op))
    return;
  Operation *of = definitionOf(op->getOperand(0));
  if (auto sum = dyn_cast_if_present<arith::AddFOp>(of))
    for (Value operand : sum->getOperands())
      if (Operation *term = definitionOf(operand); isOnePassVariance(term))
        of = term;
  if (!isOnePassVariance(of))
    return;
  site.add(
      "TRN005", Certainty::Likely, site.placeOf(of),
      "the mean of squares less the square of the mean: where the numbers are far from 0 their "
      "difference is rounding, may be below 0, and its root no number",
      "sum the squares of what the mean is subtracted from, or take tl.maximum(..., 0.0)");
}

/// Whether a tile may be minus infinity along a whole line: where data, and not places alone, say
/// so.
static bool mayBeEmpty(Value value, unsigned depth = 0) {
  Operation *op = definitionOf(value);
  if (!op || depth > 4)
    return false;
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    for (unsigned side : {1, 2})
      if (std::optional<double> number = literalOf(definitionOf(op->getOperand(side)));
          number && std::isinf(*number) && *number < 0)
        return isOfLoadedTile(choice.getCondition());
    return mayBeEmpty(op->getOperand(1), depth + 1) || mayBeEmpty(op->getOperand(2), depth + 1);
  }
  return isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(op) &&
         (mayBeEmpty(op->getOperand(0), depth + 1) || mayBeEmpty(op->getOperand(1), depth + 1));
}

/// TRN003: exp(-inf - -inf) of a line that is masked as a whole.
static void judgeEmptyLines(Operation *op, RuleSite &site) {
  auto difference = isExponential(op)
                        ? dyn_cast_if_present<arith::SubFOp>(definitionOf(op->getOperand(0)))
                        : arith::SubFOp();
  // exp2((x - m) * scale)
  if (auto product = isExponential(op)
                         ? dyn_cast_if_present<arith::MulFOp>(definitionOf(op->getOperand(0)))
                         : arith::MulFOp();
      !difference && product)
    difference = dyn_cast_if_present<arith::SubFOp>(definitionOf(product.getLhs()));
  if (!difference || !mayBeEmpty(difference.getLhs()))
    return;
  // The greatest of these alone, or of what a loop has met so far, which starts at minus infinity.
  Operation *top = definitionOf(difference.getRhs());
  auto isGreatest = [&](Value value) {
    auto fold = dyn_cast_if_present<tile::ReduceOp>(definitionOf(value));
    return fold && mayBeEmpty(fold.getValues()[0]);
  };
  auto startsEmpty = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || argument == loop.getInductionVar())
      return false;
    std::optional<double> start = literalOf(definitionOf(loop.getTiedLoopInit(argument)->get()));
    return start && std::isinf(*start) && *start < 0;
  };
  bool isOwn = isa_and_present<tile::ReduceOp>(top) && isGreatest(difference.getRhs());
  bool isRunning = isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(top) &&
                   ((isGreatest(top->getOperand(0)) && startsEmpty(top->getOperand(1))) ||
                    (isGreatest(top->getOperand(1)) && startsEmpty(top->getOperand(0))));
  if (!isOwn && !isRunning)
    return;
  site.add(
      "TRN003", Certainty::Likely, site.placeOf(op),
      "this is no number where data mask a whole line: minus infinity is subtracted from itself",
      "subtract tl.where(m == float(\"-inf\"), 0.0, m)");
}

void findEndsOfRanges(func::FuncOp kernel, RuleSite &site) {
  kernel.walk([&](Operation *op) {
    judgeExponentials(op, site);
    judgeDivisors(op, site);
    judgeVariances(op, site);
    judgeEmptyLines(op, site);
  });
}

} // namespace nereid::audit
