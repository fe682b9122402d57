// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds and products that count lanes which a mask leaves out.
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

/// What is below this is taken for minus infinity.
static constexpr double almostInfinity = -1e4;

namespace {
/// The conditions of masked loads that a value is made of, which change along an axis.
class MaskConditions {
public:
  MaskConditions(Value value, unsigned axis, analysis::LaneValues &lanes) : lanes(lanes) {
    visit(value, axis);
  }
  ArrayRef<Value> get() const { return conditions; }
  /// The masked loads without `other` among what it is made of.
  ArrayRef<tile::LoadOp> getOpenLoads() const { return openLoads; }
  /// Whether a loop carries some of it, which starts from something of its own.
  bool isCarried() const { return carried; }

private:
  void visit(Value value, unsigned axis);
  void add(tile::LoadOp load, unsigned axis);

  analysis::LaneValues &lanes;
  SmallVector<Value> conditions;
  SmallVector<tile::LoadOp> openLoads;
  DenseSet<std::pair<Value, unsigned>> seen;
  bool carried = false;
};
} // namespace

/// All that a value is computed from, a few steps back.
static void collectSources(Value value, DenseSet<Value> &sources, unsigned depth = 0) {
  if (depth > 12 || !sources.insert(value).second)
    return;
  if (Operation *op = value.getDefiningOp())
    for (Value operand : op->getOperands())
      collectSources(operand, sources, depth + 1);
}

/// Whether the condition is a comparison that can fail: one of constants is decided, and one of
/// the turns of a loop whose end has nothing to do with its bound may well hold in all of them.
static bool canFail(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || (matchPattern(compare.getLhs(), m_Constant()) &&
                   matchPattern(compare.getRhs(), m_Constant())))
    return false;
  DenseSet<Value> index, bound;
  collectSources(compare.getLhs(), index);
  collectSources(compare.getRhs(), bound);
  auto isLeaf = [](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || isa<tile::MetaOp, tile::LoadOp>(op);
  };
  for (Value value : index) {
    auto counter = dyn_cast<BlockArgument>(value);
    auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || counter != loop.getInductionVar())
      continue;
    DenseSet<Value> ends;
    collectSources(loop.getUpperBound(), ends);
    if (llvm::none_of(ends, [&](Value end) {
          return isLeaf(end) && llvm::any_of(bound, [&](Value other) {
                   return isLeaf(other) && areAlike(end, other);
                 });
        }))
      return false;
  }
  return true;
}

/// Whether the condition holds wherever the operation is executed: of a loop over full blocks.
static bool alwaysHolds(Value condition, Operation *op, analysis::LaneValues &lanes) {
  const analysis::LaneValue &value = lanes.get(condition);
  if (value.kind != analysis::LaneValue::Kind::Condition || value.conjuncts.empty())
    return false;
  auto asked = llvm::to_vector(value.conjuncts);
  SmallVector<analysis::Conjunct> path = lanes.pathTo(op);
  index::Facts facts = lanes.getFacts();
  for (const analysis::Conjunct &known : path)
    facts.assume(known.pred);
  for (auto [axis, extent] : llvm::enumerate(lanes.extentsOf(condition.getType()))) {
    facts.setRange(lanes.lane(axis), index::Range::atLeast(0));
    facts.assume(index::lt(lanes.lane(axis), extent));
  }
  return llvm::all_of(
      asked, [&](const analysis::Conjunct &part) { return part.pred && facts.isTrue(part.pred); });
}

/// The conditions of the mask that change along the axis. Broadcasts put the last axes together.
void MaskConditions::add(tile::LoadOp load, unsigned axis) {
  SmallVector<Value> open{load.getMask()};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!(varyingAxes(value) & (1u << axis)) || !op)
      continue;
    if (isa<arith::AndIOp>(op)) {
      open.append({op->getOperand(0), op->getOperand(1)});
      continue;
    }
    for (Value condition : conditionsOf(value))
      if (canFail(condition) && !alwaysHolds(condition, load, lanes) &&
          llvm::none_of(conditions, [&](Value other) { return areAlike(other, condition); }))
        conditions.push_back(condition);
  }
}

void MaskConditions::visit(Value value, unsigned axis) {
  if (tile::getShape(value.getType()).empty() || !seen.insert({value, axis}).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return;
    carried = true;
    visit(loop.getTiedLoopInit(argument)->get(), axis);
    return visit(loop.getTiedLoopYieldedValue(argument)->get(), axis);
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visit(loop.getRegionIterArgs()[cast<OpResult>(value).getResultNumber()], axis);
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (load.getMask())
      add(load, axis);
    if (load.getMask() && !load.getOther())
      openLoads.push_back(load);
    return;
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return axis == unsigned(expand.getAxis())
               ? void()
               : visit(op->getOperand(0), axis - (axis > unsigned(expand.getAxis())));
  if (auto fold = dyn_cast<tile::ReduceOp>(op))
    return visit(op->getOperand(0), axis + (axis >= unsigned(fold.getAxis())));
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    unsigned rank = tile::getShape(value.getType()).size();
    if (axis + 2 == rank)
      visit(dot.getLhs(), axis);
    if (axis + 1 == rank)
      visit(dot.getRhs(), axis);
    return visit(dot.getAcc(), axis);
  }
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return visit(op->getOperand(0), trans.getOrder()[axis]);
  if (op->getNumRegions() || isa<tile::ReshapeOp, tile::JoinOp, tile::SplitOp>(op))
    return;
  for (Value operand : op->getOperands())
    if (tile::getShape(operand.getType()).size() == tile::getShape(value.getType()).size())
      visit(operand, axis);
}

/// Squares, magnitudes, exponentials and what is made of them.
static bool isNotNegative(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (isa<math::AbsFOp, math::AbsIOp, math::ExpOp, math::Exp2Op, math::SqrtOp, arith::UIToFPOp>(op))
    return true;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return isNotNegative(op->getOperand(0), depth + 1) ||
           isNotNegative(op->getOperand(1), depth + 1);
  if (isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1))
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute attr = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(attr))
      attr = splat.getSplatValue<Attribute>();
    auto real = dyn_cast<FloatAttr>(attr);
    return real && !real.getValue().isNegative();
  }
  if (isa<arith::MulFOp, arith::AddFOp, arith::DivFOp>(op))
    return isNotNegative(op->getOperand(0), depth + 1) &&
           isNotNegative(op->getOperand(1), depth + 1);
  if (isa<arith::SelectOp>(op))
    return isNotNegative(op->getOperand(1), depth + 1) &&
           isNotNegative(op->getOperand(2), depth + 1);
  if (isa<arith::ExtFOp, arith::TruncFOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::SplatOp>(op))
    return isNotNegative(op->getOperand(0), depth + 1);
  if (auto call = dyn_cast<tile::LibdeviceOp>(op))
    return llvm::is_contained({"fabs", "abs", "exp", "exp2", "sqrt"}, call.getName());
  return false;
}

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
        if (padded.at(offset, axis).kind != PaddedValue::Undefined || text.empty() ||
            (operands.mask && padded.isImpliedBy(operands.mask)))
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
