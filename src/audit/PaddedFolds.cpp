// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds and products that count lanes which a mask leaves out.
#include "audit/MaskConditions.h"
#include "audit/PaddedLanes.h"

#include "analysis/Access.h"
#include "analysis/KernelLaunches.h"
#include "analysis/LaneValues.h"

#include "tile/Combiner.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace nereid::audit {

namespace {
/// A fold of which it is known what changes nothing.
struct NeutralFold {
  StringRef name, neutral;
  /// Whether it is a maximum (1) or a minimum (-1).
  int direction = 0;

  bool isNeutral(double number, Value operand) const;
};
} // namespace

static std::optional<NeutralFold> foldOf(tile::ReduceOp fold) {
  std::optional<tile::Combiner> kind = tile::combinerKind(fold);
  using tile::Combiner;
  if (kind == Combiner::Sum)
    return NeutralFold{"sum", "0.0", 0};
  if (kind == Combiner::Prod)
    return NeutralFold{"product", "1.0", 0};
  if (kind == Combiner::Max || kind == Combiner::MaxNum || kind == Combiner::SMax ||
      kind == Combiner::ArgMax)
    return NeutralFold{"maximum", "float(\"-inf\")", 1};
  if (kind == Combiner::Min || kind == Combiner::MinNum || kind == Combiner::SMin ||
      kind == Combiner::ArgMin)
    return NeutralFold{"minimum", "float(\"inf\")", -1};
  return std::nullopt;
}

bool NeutralFold::isNeutral(double number, Value operand) const {
  if (direction == 0)
    return number == (name == "sum" ? 0 : 1);
  if (direction * number <= almostInfinity)
    return true;
  // Counts, places and lengths are not negative, as squares are not.
  bool isInteger = tile::getElementType(operand.getType()).isIntOrIndex();
  return direction > 0 && number <= 0 && (isInteger || isNotNegative(operand));
}

static std::string textOf(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

/// The condition as it is written; empty for one of a block pointer.
static std::string textOf(Value condition, const RuleSite &site) {
  SourceLocation place = site.expressionAt(condition.getDefiningOp(), [](const python::Node &node) {
    return isa<python::Compare>(node);
  });
  return place.file ? "'" + place.file->getText(place.range).str() + "'" : "";
}

/// `other=...` for the loads that have none.
static void suggestOther(Finding *finding, const MaskConditions &conditions,
                         const std::string &neutral, const RuleSite &site) {
  if (!finding)
    return;
  for (tile::LoadOp load : conditions.getOpenLoads())
    if (isa<FloatType>(tile::getElementType(load.getType())))
      finding->suggestions.push_back({Suggestion::Argument, site.placeOf(load), "other", neutral});
}

/// Each number of a line counts where its condition holds: of one axis, which the condition has.
static void suggestChoice(Finding *finding, tile::ReduceOp fold, StringRef condition,
                          const std::string &neutral, const RuleSite &site) {
  bool isOfLine = tile::getShape(fold.getValues()[0].getType()).size() == 1;
  if (finding && isOfLine && !condition.empty())
    finding->suggestions.push_back(
        {Suggestion::Choose, site.placeOf(fold), neutral, condition.trim('\'').str()});
}

static void judgeFold(tile::ReduceOp op, analysis::LaneValues &lanes, RuleSite &site) {
  std::optional<NeutralFold> fold = foldOf(op);
  if (!fold)
    return;
  Value operand = op.getValues()[0];
  MaskConditions conditions(operand, op.getAxis(), lanes);
  for (Value condition : conditions.get()) {
    PaddedValue value = PaddedLanes(condition).at(operand, op.getAxis());
    std::string text = textOf(condition, site), name = fold->name.str();
    std::string neutral = fold->neutral.str(), start = "the " + name + " counts lanes beyond " +
                                                       (text.empty() ? "the boundary" : text);
    // What a block pointer reads beyond its boundary is undefined by the letter, and 0 in use.
    if (value.kind == PaddedValue::Undefined && !text.empty())
      suggestOther(site.add("TRC003", Certainty::Likely, site.placeOf(op),
                            start + ", which a load without 'other' leaves undefined",
                            "write other=" + neutral + " in the load"),
                   conditions, neutral, site);
    if (value.kind == PaddedValue::Constant && !conditions.isCarried() &&
        !fold->isNeutral(value.number, operand))
      suggestChoice(site.add("TRC004", Certainty::Likely, site.placeOf(op),
                             start + ", which hold " + textOf(value.number),
                             "give them " + neutral + ", by 'other' or tl.where"),
                    op, text, neutral, site);
    if (value.kind == PaddedValue::Uniform)
      suggestChoice(
          site.add("TRN009", Certainty::Likely, site.placeOf(op),
                   start + ", of which arithmetic has made something else than " + neutral,
                   "write tl.where(mask, ..., " + neutral + ") before the " + name),
          op, text, neutral, site);
  }
}

/// What the operand of a product holds where a condition fails along the axis that is summed:
/// nothing where it is 0, or where nothing is known.
static std::optional<PaddedValue> paddingOf(Value operand, unsigned axis, std::string &text,
                                            analysis::LaneValues &lanes, const RuleSite &site) {
  MaskConditions conditions(operand, axis, lanes);
  for (Value condition : conditions.get()) {
    PaddedValue value = PaddedLanes(condition).at(operand, axis);
    text = textOf(condition, site);
    bool isWrong = value.kind == PaddedValue::Undefined || value.kind == PaddedValue::Uniform;
    if (isWrong && !text.empty())
      return value;
  }
  return std::nullopt;
}

static void judgeProduct(tile::DotOp dot, analysis::LaneValues &lanes, RuleSite &site) {
  unsigned rank = tile::getShape(dot.getType()).size();
  std::string text, other;
  auto left = paddingOf(dot.getLhs(), rank - 1, text, lanes, site);
  auto right = paddingOf(dot.getRhs(), rank - 2, other, lanes, site);
  if (left && right)
    site.add(left->kind == PaddedValue::Undefined ? "TRC003" : "TRN009", Certainty::Likely,
             site.placeOf(dot),
             "the product sums over lanes beyond " + text + ", which are 0 in neither operand",
             "write other=0.0 in the loads");
  // What is undefined may be no number, and 0 times that is none.
  for (auto &[padding, where] : {std::pair(left, text), std::pair(right, other)})
    if (!(left && right) && padding && padding->kind == PaddedValue::Undefined)
      site.add("TRC003", Certainty::Likely, site.placeOf(dot),
               "the product sums over lanes beyond " + where +
                   ", which a load without 'other' leaves undefined: times 0 that may be NaN",
               "write other=0.0 in the load");
}

/// The fold that a loop makes lane by lane: `acc = tl.maximum(acc, x)`.
static std::optional<NeutralFold> foldOf(Operation *op) {
  if (isa<arith::MulFOp>(op))
    return NeutralFold{"product", "1.0", 0};
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op))
    return NeutralFold{"maximum", "float(\"-inf\")", 1};
  if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op))
    return NeutralFold{"minimum", "float(\"inf\")", -1};
  if (isa<arith::AndIOp>(op) && tile::getElementType(op->getResult(0).getType()).isInteger(1))
    return NeutralFold{"conjunction", "1", 0};
  return std::nullopt;
}

/// Whether what a loop leaves is folded along an axis behind it.
static bool isFoldedAlong(Value value, unsigned axis, unsigned depth = 0) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto fold = dyn_cast<tile::ReduceOp>(user))
      return unsigned(fold.getAxis()) == axis;
    return depth < 3 && user->getNumResults() == 1 && user->getNumOperands() == 1 &&
           tile::getShape(user->getResult(0).getType()) == tile::getShape(value.getType()) &&
           isFoldedAlong(user->getResult(0), axis, depth + 1);
  });
}

static void judgeCarried(scf::ForOp loop, analysis::LaneValues &lanes, RuleSite &site) {
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Operation *op = yielded.getDefiningOp();
    std::optional<NeutralFold> fold = op ? foldOf(op) : std::nullopt;
    if (!fold || (op->getOperand(0) != argument && op->getOperand(1) != argument))
      continue;
    Value taken = op->getOperand(op->getOperand(0) == argument ? 1 : 0);
    for (unsigned axis = 0; axis < tile::getShape(taken.getType()).size(); ++axis) {
      if (!isFoldedAlong(loop.getTiedLoopResult(argument), axis))
        continue;
      MaskConditions conditions(taken, axis, lanes);
      for (Value condition : conditions.get()) {
        PaddedValue value = PaddedLanes(condition).at(taken, axis);
        std::string text = textOf(condition, site);
        if (value.kind != PaddedValue::Constant || fold->isNeutral(value.number, taken) ||
            text.empty())
          continue;
        site.add("TRC004", Certainty::Likely, site.placeOf(op),
                 "the " + fold->name.str() + " of a loop counts lanes beyond " + text +
                     ", which hold " + textOf(value.number),
                 "give them " + fold->neutral.str() + ", by 'other' or tl.where");
      }
    }
  }
}

/// Whether lanes of a store, or of an atomic, on which the condition fails change something.
static bool storesOnPadding(Operation *op, PaddedLanes &padded, unsigned axis) {
  auto rmw = dyn_cast<tile::AtomicRmwOp>(op);
  bool isSum = rmw && (rmw.getKind() == tile::RmwKind::Add || rmw.getKind() == tile::RmwKind::FAdd);
  if (!rmw)
    return isa<tile::StoreOp>(op);
  Value value = rmw.getValue();
  return isSum && !padded.at(value, axis).is(0);
}

/// TRC002: they all go to one place, which is somebody's.
static void addStoredPadding(Operation *op, StringRef text, RuleSite &site) {
  Finding *finding =
      site.add("TRC002", Certainty::Likely, site.placeOf(op),
               "lanes beyond " + text.str() + (isa<tile::StoreOp>(op) ? " store" : " add") +
                   " too, at the place that 'other' of the load of places gives them",
               "give it that mask too");
  if (finding)
    finding->suggestions.push_back(
        {Suggestion::Mask, site.placeOf(op), "mask", text.trim('\'').str()});
}

/// TRC003: where an access goes is decided by lanes that nothing was loaded for.
static void judgePlaces(Operation *op, analysis::LaneValues &lanes, RuleSite &site) {
  analysis::MemoryOperands operands = analysis::memoryOperandsOf(op);
  if (!operands.pointer)
    return;
  Operation *next = nullptr;
  for (Operation *at = operands.pointer.getDefiningOp(); at; at = next) {
    if (at->getNumOperands() == 0 || at->getNumRegions())
      return;
    next = at->getOperand(0).getDefiningOp();
    auto moved = dyn_cast<tile::AddPtrOp>(at);
    if (!moved)
      continue;
    Value offset = moved.getOffset();
    for (unsigned axis = 0; axis < tile::getShape(offset.getType()).size(); ++axis) {
      MaskConditions conditions(offset, axis, lanes);
      for (Value condition : conditions.get()) {
        PaddedLanes padded(condition);
        std::string text = textOf(condition, site);
        PaddedValue place = padded.at(offset, axis);
        if (text.empty() || (operands.mask && padded.isImpliedBy(operands.mask)))
          continue;
        if (!operands.mask && storesOnPadding(op, padded, axis) &&
            (place.kind == PaddedValue::Constant || place.kind == PaddedValue::Uniform)) {
          addStoredPadding(op, text, site);
          return;
        }
        if (place.kind != PaddedValue::Undefined)
          continue;
        Finding *finding =
            site.add("TRC003", Certainty::Likely, site.placeOf(op),
                     "this goes where lanes beyond " + text +
                         " say, which a load without 'other' leaves undefined",
                     "give it that mask too, or write other=0 in the load of its place");
        if (finding)
          finding->suggestions.push_back(
              {Suggestion::Mask, site.placeOf(op), "mask", StringRef(text).trim('\'').str()});
        return;
      }
    }
  }
}

void findPaddedLanes(func::FuncOp kernel, RuleSite &site) {
  analysis::LaunchContract contract(analysis::openContractOf(kernel));
  analysis::LaneValues lanes(kernel, contract);
  kernel.walk([&](Operation *op) {
    if (auto fold = dyn_cast<tile::ReduceOp>(op))
      judgeFold(fold, lanes, site);
    if (auto dot = dyn_cast<tile::DotOp>(op))
      judgeProduct(dot, lanes, site);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      judgeCarried(loop, lanes, site);
    judgePlaces(op, lanes, site);
  });
}

} // namespace nereid::audit
