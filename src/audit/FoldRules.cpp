// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/FoldRules.h"
#include "audit/MaskConditions.h"
#include "audit/PaddedLanes.h"

#include "analysis/KernelLaunches.h"
#include "analysis/LaneValues.h"

#include "tile/Combiner.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

static bool isShapeOrCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::ExtSIOp, tile::SplatOp,
             tile::BroadcastOp, tile::ExpandDimsOp>(op);
}

static Value withoutCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isShapeOrCast(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
class FoldRules {
public:
  FoldRules(func::FuncOp kernel, const KernelLaunches &launches, analysis::LaneValues &lanes,
            RuleSite &site)
      : kernel(kernel), launches(launches), lanes(lanes), site(site) {}

  void judgeMean(tile::ReduceOp fold);
  void judgeStarts(scf::ForOp loop);
  void judgeAtomicStart(tile::AtomicRmwOp op);
  void judgeScales(scf::ForOp loop);

private:
  bool isWholeTile(Value condition, StringRef extent) const;
  bool takesFromBelow(Value taken, int direction);

  func::FuncOp kernel;
  const KernelLaunches &launches;
  analysis::LaneValues &lanes;
  RuleSite &site;
};
} // namespace

/// What the sum is divided by, and where; null where it is not.
static std::pair<Value, Operation *> divisorOf(Value sum, unsigned depth = 0) {
  for (Operation *user : sum.getUsers()) {
    if (isa<arith::DivFOp>(user) && user->getOperand(0) == sum)
      return {withoutCasts(user->getOperand(1)), user};
    if (depth < 4 && isShapeOrCast(user))
      if (auto found = divisorOf(user->getResult(0), depth + 1); found.second)
        return found;
  }
  return {};
}

/// Whether every launch gives the tile the extent that the condition bounds its places by.
bool FoldRules::isWholeTile(Value condition, StringRef extent) const {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  auto bound = compare ? dyn_cast<BlockArgument>(withoutCasts(compare.getRhs())) : BlockArgument();
  if (!bound || extent.empty() || launches.launches.empty())
    return false;
  std::string name = tile::getArgumentName(kernel, bound.getArgNumber());
  return llvm::all_of(launches.launches, [&](const FoundLaunch &found) {
    index::Expr one, other;
    for (const HostArgument &given : found.launch->arguments) {
      one = given.name == name ? given.number : one;
      other = given.name == extent ? given.number : other;
    }
    return one && one == other;
  });
}

/// TRN009: the mean of a row is divided by the length of the tile, which is longer.
void FoldRules::judgeMean(tile::ReduceOp fold) {
  if (tile::combinerKind(fold) != tile::Combiner::Sum)
    return;
  auto [divisor, division] = divisorOf(fold->getResult(0));
  if (!division)
    return;
  Value operand = fold.getValues()[0];
  tile::DimsAttr dims = tile::getDims(operand.getType());
  StringRef extent = dims ? dims.getNames()[fold.getAxis()].getValue() : "";
  auto meta = divisor.getDefiningOp<tile::MetaOp>();
  std::optional<double> number = constantOf(divisor);
  bool isExtent = meta ? !extent.empty() && meta.getName() == extent
                       : extent.empty() && number &&
                             *number == tile::getShape(operand.getType())[fold.getAxis()];
  if (!isExtent)
    return;
  for (Value condition : MaskConditions(operand, fold.getAxis(), lanes).get()) {
    SourceLocation place =
        site.expressionAt(condition.getDefiningOp(),
                          [](const python::Node &node) { return isa<python::Compare>(node); });
    if (!place.file || isWholeTile(condition, extent))
      continue;
    std::string text = place.file->getText(place.range).str();
    site.add("TRN009", Certainty::Likely, site.placeOf(division),
             "a sum is divided by the length of its tile, which has lanes beyond '" + text +
                 "' too",
             "divide it by how many lanes are counted");
    return;
  }
}

/// Whether what a maximum takes is infinitely small on lanes beyond a mask: numbers below 0 are
/// meant to count. `direction`: 1 of a maximum, -1 of a minimum.
bool FoldRules::takesFromBelow(Value taken, int direction) {
  taken = withoutCasts(taken);
  SmallVector<unsigned> axes;
  if (auto fold = taken.getDefiningOp<tile::ReduceOp>()) {
    taken = fold.getValues()[0];
    axes.push_back(fold.getAxis());
  } else {
    for (unsigned axis = 0; axis < tile::getShape(taken.getType()).size(); ++axis)
      axes.push_back(axis);
  }
  if (direction > 0 && isNotNegative(taken))
    return false;
  for (unsigned axis : axes)
    for (Value condition : MaskConditions(taken, axis, lanes).get()) {
      PaddedValue value = PaddedLanes(condition).at(taken, axis);
      if (value.kind == PaddedValue::Constant && direction * value.number <= almostInfinity)
        return true;
    }
  return false;
}

/// 1 of a maximum of floats, -1 of a minimum, 0 of others.
static int directionOf(Operation *op) {
  if (isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return 1;
  return isa_and_present<arith::MinimumFOp, arith::MinNumFOp>(op) ? -1 : 0;
}

/// TRC004: the maximum of a loop starts from 0, or near it.
void FoldRules::judgeStarts(scf::ForOp loop) {
  for (auto [argument, yielded, init] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getInitArgs())) {
    Operation *op = yielded.getDefiningOp();
    int direction = directionOf(op);
    std::optional<double> start = direction ? constantOf(init) : std::nullopt;
    bool isFirst = start && op->getOperand(0) == argument;
    if (!start || (!isFirst && op->getOperand(1) != argument))
      continue;
    // What lies beyond 0 is a bound that is meant.
    bool isNear = direction * *start <= 0 && direction * *start > almostInfinity;
    if (!isNear || !takesFromBelow(op->getOperand(isFirst ? 1 : 0), direction))
      continue;
    std::string name = direction > 0 ? "maximum" : "minimum";
    site.add("TRC004", Certainty::Likely, site.placeOf(op),
             "the " + name + " of a loop starts from " + (*start == 0 ? "0" : "a number near 0") +
                 ", which counts for a row of numbers that are all " +
                 (direction > 0 ? "below" : "above"),
             "start from float(\"" + std::string(direction > 0 ? "-" : "") + "inf\")");
  }
}

/// TRC004: programs raise a maximum in memory that is all zeros before.
void FoldRules::judgeAtomicStart(tile::AtomicRmwOp op) {
  int direction = op.getKind() == tile::RmwKind::FMax   ? 1
                  : op.getKind() == tile::RmwKind::FMin ? -1
                                                        : 0;
  if (direction == 0 || !takesFromBelow(op.getValue(), direction))
    return;
  Value pointer = op.getPtr();
  while (Operation *from = pointer.getDefiningOp()) {
    if (!isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp>(from))
      return;
    pointer = from->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(pointer);
  if (!argument || argument.getOwner()->getParentOp() != kernel)
    return;
  std::string name = tile::getArgumentName(kernel, argument.getArgNumber());
  for (const FoundLaunch &found : launches.launches)
    for (const HostArgument &given : found.launch->arguments) {
      if (given.name != name || !given.isZero)
        continue;
      std::string what = direction > 0 ? "maximum" : "minimum";
      Finding *finding = site.add("TRC004", Certainty::Likely, site.placeOf(op),
                                  "the " + what + " in '" + name +
                                      "' starts from 0, which counts "
                                      "where all numbers are " +
                                      (direction > 0 ? "below" : "above"),
                                  "make it by torch.full(..., float(\"" +
                                      std::string(direction > 0 ? "-" : "") + "inf\"))");
      if (finding)
        finding->diagnostic.addNote(found.launch->place,
                                    "launched so by '" + found.launch->wrapper + "'");
      return;
    }
}

/// Whether the value is made of exponentials of what the maximum was subtracted from.
static bool isOfExponentials(Value value, Value maximum) {
  llvm::DenseSet<Value> sources;
  collectSources(value, sources);
  return llvm::any_of(sources, [&](Value source) {
    Operation *op = source.getDefiningOp();
    if (!isa_and_present<math::ExpOp, math::Exp2Op>(op))
      return false;
    llvm::DenseSet<Value> within;
    collectSources(op->getOperand(0), within);
    return llvm::any_of(within, [&](Value part) {
      auto difference = part.getDefiningOp<arith::SubFOp>();
      return difference && withoutCasts(difference.getRhs()) == maximum;
    });
  });
}

/// TRN017.
void FoldRules::judgeScales(scf::ForOp loop) {
  SmallVector<Value> maxima;
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (Operation *op = yielded.getDefiningOp();
        directionOf(op) > 0 && llvm::is_contained(op->getOperands(), argument))
      maxima.push_back(yielded);
  if (maxima.empty())
    return;
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Operation *op = yielded.getDefiningOp();
    SmallVector<Value> added;
    if (auto product = dyn_cast_if_present<tile::DotOp>(op);
        product && product.getAcc() == argument)
      added = {product.getLhs(), product.getRhs()};
    else if (isa_and_present<arith::AddFOp>(op) && llvm::is_contained(op->getOperands(), argument))
      added = {op->getOperand(op->getOperand(0) == argument ? 1 : 0)};
    bool isUnscaled = llvm::any_of(added, [&](Value value) {
      return llvm::any_of(maxima, [&](Value top) { return isOfExponentials(value, top); });
    });
    if (isUnscaled)
      site.addOnce("TRN017", Certainty::Likely, site.placeOf(op),
                   "a sum of exponentials goes on from what it was under the maximum of the turn "
                   "before",
                   "multiply it by tl.exp(m - m_new) first", "this sum too");
  }
}

void findFoldFaults(func::FuncOp kernel, const KernelLaunches &launches, RuleSite &site) {
  analysis::LaunchContract contract(analysis::openContractOf(kernel));
  analysis::LaneValues lanes(kernel, contract);
  FoldRules rules(kernel, launches, lanes, site);
  kernel.walk([&](Operation *op) {
    if (auto fold = dyn_cast<tile::ReduceOp>(op))
      rules.judgeMean(fold);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      rules.judgeStarts(loop);
      rules.judgeScales(loop);
    }
    if (auto rmw = dyn_cast<tile::AtomicRmwOp>(op))
      rules.judgeAtomicStart(rmw);
  });
}

} // namespace nereid::audit
