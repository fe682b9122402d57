// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/kernel/LoopsOfFew.h"

#include "graph/GraphOps.h"
#include "schedule/kernel/FoldMath.h"
#include "schedule/kernel/KernelScope.h"
#include "schedule/kernel/NanFlow.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/program/IndexMap.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::schedule {

/// Whether a choice is between something and a constant.
static bool isPadding(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return select && llvm::any_of(ValueRange{select.getTrueValue(), select.getFalseValue()},
                                [](mlir::Value arm) {
                                  auto splat = arm.getDefiningOp<tile::SplatOp>();
                                  return matchPattern(splat ? splat.getValue() : arm, m_Constant());
                                });
}

bool choosesByCounter(scf::ForOp loop) {
  llvm::SmallVector<mlir::Value> following = {loop.getInductionVar()};
  llvm::DenseSet<Operation *> seen;
  while (!following.empty())
    for (Operation *user : following.pop_back_val().getUsers()) {
      if (isa<tile::LoadOp>(user) || isPadding(user) || !seen.insert(user).second)
        continue;
      if (isa<arith::SelectOp, tile::StoreOp>(user) || user->getNumRegions() > 0)
        return true;
      llvm::append_range(following, user->getResults());
    }
  return false;
}

static bool haveEqualBounds(scf::ForOp a, scf::ForOp b) {
  auto isEqual = [](mlir::Value x, mlir::Value y) {
    llvm::APInt p, q;
    return x == y ||
           (matchPattern(x, m_ConstantInt(&p)) && matchPattern(y, m_ConstantInt(&q)) && p == q);
  };
  return isEqual(a.getLowerBound(), b.getLowerBound()) &&
         isEqual(a.getUpperBound(), b.getUpperBound()) && isEqual(a.getStep(), b.getStep());
}

/// What a loop needs of its block that stands behind another, in order; nothing where any of it is
/// more than arithmetic or needs what the other gives.
static std::optional<llvm::SetVector<Operation *>> neededBehind(scf::ForOp loop, scf::ForOp other) {
  llvm::SetVector<Operation *> needed;
  bool isFree = true;
  std::function<void(Operation *)> visit = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      for (mlir::Value operand : inner->getOperands()) {
        Operation *definition = operand.getDefiningOp();
        if (!definition || definition->getBlock() != other->getBlock() ||
            definition->isBeforeInBlock(other) || needed.contains(definition))
          continue;
        if (definition == other || !isMemoryEffectFree(definition)) {
          isFree = false;
          return;
        }
        visit(definition);
        needed.insert(definition);
      }
    });
  };
  visit(loop);
  return isFree ? std::optional(needed) : std::nullopt;
}

/// The two loops, the second of which needs nothing of the first, as one.
static scf::ForOp join(scf::ForOp first, scf::ForOp second, RewriterBase &rewriter) {
  llvm::SmallVector<Location> locs;
  for (scf::ForOp loop : {first, second})
    for (BlockArgument argument : loop.getRegionIterArgs())
      locs.push_back(argument.getLoc());
  Location counter = first.getInductionVar().getLoc();
  scf::ForOp both = fuseIndependentSiblingForLoops(first, second, rewriter);
  both.getInductionVar().setLoc(counter);
  for (auto [argument, loc] : llvm::zip_equal(both.getRegionIterArgs(), locs))
    argument.setLoc(loc);
  both->setAttr(tile::staticLoopAttrName, rewriter.getUnitAttr());
  return both;
}

void joinLoopsOfFew(Block &block) {
  IRRewriter rewriter(block.getParentOp()->getContext());
  llvm::SmallVector<scf::ForOp> joined;
  for (auto loop : llvm::make_early_inc_range(block.getOps<scf::ForOp>())) {
    if (!loop->hasAttr(tile::staticLoopAttrName))
      continue;
    std::optional<llvm::SetVector<Operation *>> needed;
    auto *partner = llvm::find_if(joined, [&](scf::ForOp first) {
      needed = haveEqualBounds(first, loop) ? neededBehind(loop, first) : std::nullopt;
      return needed.has_value();
    });
    if (partner == joined.end()) {
      joined.push_back(loop);
      continue;
    }
    for (Operation *op : *needed)
      op->moveBefore(*partner);
    loop->moveAfter(*partner);
    *partner = join(*partner, loop, rewriter);
  }
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        joinLoopsOfFew(inner);
}

/// Whether a number is made of the counters of loops of a few turns alone: the compiler knows it.
bool KernelBuilder::isTurnOfFew(Expr expr) const {
  llvm::ArrayRef<Expr> symbols = index::collectSymbols(expr);
  return !symbols.empty() && llvm::all_of(symbols, [&](Expr symbol) {
    return llvm::any_of(turnsOfFew, [&](auto &turn) { return turn.first == symbol; });
  });
}

/// Whether a value is the same in all turns of a loop of a few, and all that it reads lies in its
/// tensors, though not all turns need it: the scale of a channel, beside an image with a border.
bool KernelBuilder::isOfAllTurns(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) const {
  auto dependsOnTurns = [&](auto expr) {
    bool depends = false;
    index::forEachSymbol(expr, [&](Expr symbol) { depends |= isTurnOfFew(symbol); });
    return depends;
  };
  if (turnsOfFew.empty() || llvm::any_of(at, dependsOnTurns) || (guard && !dependsOnTurns(guard)))
    return false;
  if (isLoaded(value))
    return insideOf(value, at, index::truth(context, true)).isTrue();
  if (value.kind != ValueKind::Map || isa_and_nonnull<graph::CheckIndexOp>(value.op))
    return value.kind == ValueKind::Constant || value.kind == ValueKind::Scalar;
  return llvm::all_of(value.inputs, [&](const Access &access) {
    llvm::SmallVector<Expr, 4> inner;
    for (Expr coordinate : access.at)
      inner.push_back(substituteIndices(coordinate, at, {}, program));
    return access.loaded.empty() && isOfAllTurns(*access.from, inner, Pred());
  });
}

/// A loop of a few turns that the compiler writes out, as the innermost scope, within others;
/// returns the number of the turn.
Expr KernelBuilder::openTurns(int64_t turns, llvm::SmallVectorImpl<scf::ForOp> &loops,
                              llvm::SmallVectorImpl<mlir::Value> &state, Location loc) {
  Expr index = context.symbol("@turn" + std::to_string(turnsOfFew.size()));
  turnsOfFew.emplace_back(index, index::Range::of(0, turns - 1));
  facts.setRange(index, turnsOfFew.back().second);
  scf::ForOp loop = enterLoop(math.integer(0, 32, loc), math.integer(turns, 32, loc),
                              math.integer(1, 32, loc).value, state, loc);
  for (auto [argument, start] : llvm::zip_equal(loop.getRegionIterArgs(), state))
    argument.setLoc(start.getLoc());
  state.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  loop.getInductionVar().setLoc(nameLoc(std::string(1, char('i' + loops.size())), loc));
  loop->setAttr(tile::staticLoopAttrName, builder.getUnitAttr());
  current->symbols[index] = {loop.getInductionVar(), {}, {}};
  loops.push_back(loop);
  return index;
}

/// A fold over a few elements in a loop of which the compiler makes a line for each, where all of
/// them are made alike. Else nothing: code for each may be less.
std::optional<TileValue> KernelBuilder::foldInTurns(const Value &value, llvm::ArrayRef<Expr> at,
                                                    Pred guard) {
  constexpr int64_t leastElements = 4;
  int64_t count = 1;
  for (Expr extent : value.foldExtents)
    count *= *extent.getConstant();
  // What is stored for each element too stays where it was read.
  bool isKept = llvm::any_of(kernel.unrolledInOutputs,
                             [&](unsigned number) { return kernel.unrolled[number].isOf(value); });
  if (isArg(kindOf(value)) || count < 2 ||
      !program.policy.decide(count >= leastElements && !isKept))
    return std::nullopt;
  // Of a map on tiles the elements have rows too.
  llvm::SmallVector<unsigned, 2> axes = {columnAxis(0)};
  std::optional<TileValue> result = foldInTurns(value, at, guard, axes);
  if (!result && axes.size() > 1)
    result = foldInTurns(value, at, guard, axes);
  return result;
}

/// The same where an element has these axes; if it has others, `axes` is set to them.
std::optional<TileValue> KernelBuilder::foldInTurns(const Value &value, llvm::ArrayRef<Expr> at,
                                                    Pred guard,
                                                    llvm::SmallVector<unsigned, 2> &axes) {
  graph::FoldKind kind = kindOf(value);
  Location loc = plainLoc(value.loc);
  Type element = value.inputs[0].from->elementType;
  Type accumulator = tile::getSignless(accumulatorType(element));
  llvm::SmallVector<unsigned, 2> along = axes;
  Location named = value.isNamed ? nameLoc(value.name + "_acc", loc) : nameLoc("acc", loc);
  llvm::SmallVector<mlir::Value> state = {
      math.lift(math.constant(accumulator, neutralOf(kind, element), named), along, named)};

  // What is remembered of operations in loops that are given up goes with them.
  size_t rowLoadsBefore = rowLoads.size(), quotientsBefore = quotients.size();
  llvm::DenseMap<mlir::Value, TileValue> reciprocalsBefore = reciprocals;
  llvm::SmallVector<scf::ForOp> loops;
  llvm::SmallVector<Expr, 4> indices;
  for (Expr extent : value.foldExtents) {
    int64_t turns = *extent.getConstant();
    if (turns == 1) {
      indices.push_back(context.constant(0));
      continue;
    }
    indices.push_back(openTurns(turns, loops, state, loc));
  }

  TileValue input = read(value.inputs[0], at, indices, guard);
  input.value = castElements(builder, input.value, element, accumulatorType(element), loc);
  input.pad = std::nullopt;
  bool isTile = llvm::equal(input.axes, along);
  axes.assign(input.axes.begin(), input.axes.end());
  llvm::SmallVector<mlir::Value> next = state;
  if (isTile)
    next[0] = combine(builder, kind, accumulatorType(element), state[0], input.value, loc,
                      mayDropNan(program, value, kernel, stored));
  for (scf::ForOp loop : llvm::reverse(loops)) {
    closeScope(next, loc);
    next.assign(loop.getResults().begin(), loop.getResults().end());
  }
  if (!isTile || llvm::any_of(loops, choosesByCounter)) {
    loops.front()->erase();
    rowLoads.resize(rowLoadsBefore);
    quotients.resize(quotientsBefore);
    reciprocals = std::move(reciprocalsBefore);
    return std::nullopt;
  }
  TileValue result{next[0], along, {}};
  result.value = castElements(builder, result.value, accumulatorType(element), value.elementType,
                              resultLoc(value));
  return result;
}

} // namespace nereid::schedule
