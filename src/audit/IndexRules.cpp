// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/IndexRules.h"

#include "audit/Dependence.h"
#include "audit/PaddedLanes.h"
#include "audit/StoreRule.h"

#include "analysis/Access.h"
#include "analysis/KernelLaunches.h"
#include "analysis/LaneValues.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

/// All that a value is made of, through loops and choices; up to what is loaded, if asked.
static void collectSources(Value value, llvm::DenseSet<Value> &sources, bool stopsAtLoads) {
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!next || !sources.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument == loop.getInductionVar())
        open.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      else if (loop)
        open.append(
            {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (stopsAtLoads && isa<tile::LoadOp>(op))
      continue;
    open.append(op->operand_begin(), op->operand_end());
    if (isa<scf::ForOp, scf::IfOp>(op))
      for (Region &region : op->getRegions())
        if (!region.empty())
          open.push_back(
              region.front().getTerminator()->getOperand(cast<OpResult>(next).getResultNumber()));
  }
}

static Value withoutShapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::SplatOp, tile::HintOp, arith::ExtSIOp,
             arith::ExtUIOp, arith::TruncIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

//===------------------------------------------------------------------------------------------===//
// Places that are none
//===------------------------------------------------------------------------------------------===//

bool isMark(Value value) {
  value = withoutShapes(value);
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.isNegative();
  std::string name;
  if (auto meta = value.getDefiningOp<tile::MetaOp>())
    name = meta.getName().str();
  else if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto kernel = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      name = tile::getArgumentName(kernel, argument.getArgNumber());
  std::string lower = StringRef(name).lower();
  return llvm::any_of(ArrayRef<StringRef>{"ignore", "pad_slot", "padding_idx", "pad_id", "null_"},
                      [&](StringRef word) { return StringRef(lower).contains(word); });
}

/// The load whose number the comparison asks for being no place; null for other comparisons.
static tile::LoadOp markedLoad(arith::CmpIOp compare) {
  arith::CmpIPredicate kind = compare.getPredicate();
  if (kind != arith::CmpIPredicate::eq && kind != arith::CmpIPredicate::ne)
    return {};
  for (auto [asked, mark] : {std::pair(compare.getLhs(), compare.getRhs()),
                             std::pair(compare.getRhs(), compare.getLhs())})
    if (auto load = withoutShapes(asked).getDefiningOp<tile::LoadOp>(); load && isMark(mark))
      return load;
  return {};
}

/// Whether any comparison of a loaded number is among what a value is made of.
static bool asksFor(Value value, tile::LoadOp load) {
  if (!value)
    return false;
  llvm::DenseSet<Value> sources;
  collectSources(value, sources, true);
  return llvm::any_of(sources, [&](Value source) {
    auto compare = source.getDefiningOp<arith::CmpIOp>();
    return compare && (withoutShapes(compare.getLhs()) == load.getResult() ||
                       withoutShapes(compare.getRhs()) == load.getResult());
  });
}

static bool isGuarded(Operation *access, const analysis::MemoryOperands &operands,
                      tile::LoadOp load) {
  if (asksFor(operands.mask, load) || asksFor(operands.pointer, load))
    return true;
  for (Operation *at = access; at; at = at->getParentOp())
    if (auto choice = dyn_cast_if_present<scf::IfOp>(at->getParentOp()))
      if (asksFor(choice.getCondition(), load))
        return true;
  return false;
}

void findLateGuards(func::FuncOp kernel, RuleSite &site) {
  llvm::SetVector<Operation *> marked;
  kernel.walk([&](arith::CmpIOp compare) {
    if (tile::LoadOp load = markedLoad(compare))
      marked.insert(load);
  });
  kernel.walk([&](Operation *op) {
    analysis::MemoryOperands operands = analysis::memoryOperandsOf(op);
    if (!operands.pointer)
      return;
    llvm::DenseSet<Value> sources;
    collectSources(operands.pointer, sources, true);
    for (Operation *load : marked) {
      auto place = cast<tile::LoadOp>(load);
      if (load == op || !sources.contains(place.getResult()) || isGuarded(op, operands, place))
        continue;
      Finding *finding = site.add(
          "TRC020", Certainty::Likely, site.placeOf(op),
          "this goes where a loaded number says, and the kernel asks elsewhere whether that is one "
          "that stands for no place",
          "mask the access by the same condition, or leave before it");
      if (finding)
        finding->diagnostic.addNote(site.placeOf(load), "loaded here");
      return;
    }
  });
}

//===------------------------------------------------------------------------------------------===//
// Counts
//===------------------------------------------------------------------------------------------===//

void findLostCounts(func::FuncOp kernel, const KernelLaunches &launches, RuleSite &site) {
  bool hasAtomics = false;
  kernel.walk([&](Operation *op) {
    hasAtomics |= isa<tile::AtomicCasOp, tile::AtomicRmwOp, scf::WhileOp>(op);
  });
  bool isMany = false;
  for (unsigned axis = 0; axis < 3; ++axis)
    isMany |= mayBeMany(launches, axis);
  if (hasAtomics || !isMany)
    return;
  Dependence hangs(kernel);
  kernel.walk([&](tile::StoreOp store) {
    Operation *sum = store.getValue().getDefiningOp();
    if (!isa_and_present<arith::AddIOp, arith::AddFOp>(sum) ||
        !(hangs.of(store.getPtr()) & Dependence::Memory))
      return;
    for (unsigned side : {0, 1}) {
      auto load = sum->getOperand(side).getDefiningOp<tile::LoadOp>();
      if (!load || !areAlike(load.getPtr(), store.getPtr()) ||
          !matchPattern(withoutShapes(sum->getOperand(1 - side)), m_Constant()))
        continue;
      Finding *finding = site.add(
          "TRC006", Certainty::Likely, site.placeOf(store),
          "a count is loaded, and stored again: of two programs that come to the same place "
          "one is lost",
          "use tl.atomic_add");
      if (finding)
        finding->severity = finding->diagnostic.severity = Severity::Warning;
      return;
    }
  });
}

//===------------------------------------------------------------------------------------------===//
// Random numbers
//===------------------------------------------------------------------------------------------===//

void findSameRandoms(func::FuncOp kernel, const KernelLaunches &launches, RuleSite &site) {
  SmallVector<tile::RandomOp> randoms;
  kernel.walk([&](tile::RandomOp random) { randoms.push_back(random); });
  if (randoms.empty())
    return;
  Dependence hangs(kernel);
  kernel.walk([&](tile::StoreOp store) {
    llvm::DenseSet<Value> made, placed;
    collectSources(store.getValue(), made, false);
    for (tile::RandomOp random : randoms) {
      if (!llvm::any_of(random->getResults(), [&](Value value) { return made.contains(value); }))
        continue;
      unsigned own = 0;
      llvm::DenseSet<Value> drawn;
      for (Value operand : random->getOperands()) {
        own |= hangs.of(operand);
        collectSources(operand, drawn, false);
      }
      unsigned missing = hangs.of(store.getPtr()) & ~own & Dependence::Axes;
      for (unsigned axis = 0; axis < 3; ++axis)
        if ((missing & (1u << axis)) && mayBeMany(launches, axis)) {
          site.add(
              "TRC028", Certainty::Likely, site.placeOf(random),
              "programs along axis " + std::to_string(axis) +
                  " of the grid draw the same random numbers, and store what is made of them to "
                  "places of their own",
              "put tl.program_id(" + std::to_string(axis) + ") into the offsets");
          return;
        }
      auto loop = random->getParentOfType<scf::ForOp>();
      if (!loop || drawn.contains(loop.getInductionVar()) ||
          llvm::any_of(loop.getRegionIterArgs(),
                       [&](Value value) { return drawn.contains(value); }))
        continue;
      placed.clear();
      collectSources(store.getPtr(), placed, false);
      if (loop->isAncestor(store) && placed.contains(loop.getInductionVar()))
        site.add("TRC028", Certainty::Likely, site.placeOf(random),
                 "every turn of the loop draws the same random numbers, and stores what is made of "
                 "them to places of its own",
                 "put the place into the offsets");
    }
  });
}

//===------------------------------------------------------------------------------------------===//
// Threads of one program
//===------------------------------------------------------------------------------------------===//

namespace {
/// The elements that the lanes of an access work on, in one program, at some sizes.
struct LanePlaces {
  unsigned argument;
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> elements;
};

class Places {
public:
  explicit Places(func::FuncOp kernel)
      : contract(analysis::openContractOf(kernel)), lanes(kernel, contract) {}

  std::optional<LanePlaces> of(Value pointer);

private:
  analysis::LaunchContract contract;
  analysis::LaneValues lanes;
  llvm::DenseMap<index::Expr, int64_t> values;
};
} // namespace

std::optional<LanePlaces> Places::of(Value pointer) {
  constexpr int64_t mostLanes = 1 << 14;
  const analysis::LaneValue &value = lanes.get(pointer);
  ArrayRef<int64_t> shape = tile::getShape(pointer.getType());
  int64_t count = ShapedType::getNumElements(shape);
  if (value.kind != analysis::LaneValue::Kind::Pointer || shape.empty() || shape.size() > 3 ||
      count > mostLanes)
    return std::nullopt;
  // Other numbers are far from each other, so that what meets does so for all of them.
  bool isOpen = false;
  index::forEachSymbol(value.expr, [&](index::Expr symbol) {
    bool isLane = false;
    for (unsigned axis = 0; axis < shape.size(); ++axis)
      isLane |= symbol == lanes.lane(axis);
    isOpen |= lanes.isOpaque(symbol);
    if (!isLane)
      values.try_emplace(symbol, 1000003 + 7919 * int64_t(values.size()));
  });
  if (isOpen)
    return std::nullopt;
  LanePlaces result{value.argument, shape, {}};
  for (int64_t lane = 0; lane < count; ++lane) {
    int64_t rest = lane;
    for (unsigned axis = shape.size(); axis-- > 0; rest /= shape[axis])
      values[lanes.lane(axis)] = rest % shape[axis];
    std::optional<int64_t> element = index::evaluate(value.expr, values);
    if (!element)
      return std::nullopt;
    result.elements.push_back(*element);
  }
  return result;
}

/// Whether a lane of one loads what another lane of the other has stored.
static bool meets(const LanePlaces &stored, const LanePlaces &loaded) {
  if (stored.argument != loaded.argument)
    return false;
  llvm::DenseMap<int64_t, int64_t> laneOf;
  for (auto [lane, element] : llvm::enumerate(stored.elements))
    laneOf[element] = lane;
  for (auto [lane, element] : llvm::enumerate(loaded.elements))
    if (auto met = laneOf.find(element); met != laneOf.end())
      if (met->second != int64_t(lane) || stored.shape != loaded.shape)
        return true;
  return false;
}

void findMissingBarriers(func::FuncOp kernel, RuleSite &site) {
  bool hasBoth = false;
  kernel.walk([&](tile::StoreOp store) { hasBoth = true; });
  if (!hasBoth)
    return;
  Places places(kernel);
  SmallVector<std::pair<tile::StoreOp, LanePlaces>> open;
  constexpr size_t mostOpen = 16;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tile::BarrierOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
      open.clear();
    if (auto store = dyn_cast<tile::StoreOp>(op); store && open.size() < mostOpen)
      if (std::optional<LanePlaces> stored = places.of(store.getPtr()))
        open.push_back({store, std::move(*stored)});
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load || open.empty())
      return;
    std::optional<LanePlaces> loaded = places.of(load.getPtr());
    if (!loaded)
      return;
    for (auto &[store, stored] : open)
      if (meets(stored, *loaded)) {
        Finding *finding =
            site.add("TRC007", Certainty::Likely, site.placeOf(load),
                     "this loads what other threads of the program have stored, and nothing waits "
                     "for them",
                     "write tl.debug_barrier() between the two");
        if (finding)
          finding->diagnostic.addNote(site.placeOf(store), "stored here");
        return;
      }
  });
}

} // namespace nereid::audit
