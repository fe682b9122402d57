// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of windows that overlap, several neighbours in each lane (Strips.h).
#include "schedule/kernel/KernelScope.h"

#include "schedule/kernel/FoldMath.h"
#include "schedule/kernel/NanFlow.h"
#include "schedule/kernel/Pointwise.h"

using namespace mlir;

namespace nereid::schedule {

/// What has to hold for an element to be one of a tensor, beyond what is known: strips go on beyond
/// the end of their axis, and windows of one neighbour beyond those of another.
Pred KernelBuilder::insideOf(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) const {
  index::Facts known = facts;
  known.assume(guard);
  Pred inside = index::truth(context, true);
  for (auto [coordinate, extent] : llvm::zip_equal(at, value.shape))
    for (Pred bound : {index::ge(coordinate, 0), index::lt(coordinate, extent)})
      if (!known.isTrue(bound))
        inside = inside & bound;
  return inside;
}

/// Coordinates that are the number of a turn less a constant, as one number each: the compiler then
/// sees that neighbours read one weight.
llvm::SmallVector<Expr, 4> KernelBuilder::withShiftedTurns(llvm::ArrayRef<Expr> at) {
  llvm::SmallVector<Expr, 4> shifted(at);
  for (Expr &coordinate : shifted) {
    Expr turn = coordinate - coordinate.getConstantTerm();
    if (coordinate == turn || !turn.isSymbol() || !isTurnOfFew(turn))
      continue;
    Expr symbol = context.symbol((turn.getName() + coordinate.str()).str());
    Scope &scope = scopeOf({turn}, Pred());
    if (!scope.symbols.contains(symbol)) {
      TileValue number = this->number(coordinate, false, program.func.getLoc());
      scope.symbols[symbol] = number;
      turnsOfFew.emplace_back(symbol, facts.range(coordinate));
      facts.setRange(symbol, turnsOfFew.back().second);
    }
    coordinate = symbol;
  }
  return shifted;
}

/// A fold at a strip's index: those of all neighbours in one loop over what their windows have of
/// the strip's axis together. An element of it is read once, and folded into the results whose
/// windows have it.
TileValue KernelBuilder::foldInStrip(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) {
  const Strip &strip = *kernel.strip;
  Location loc = plainLoc(value.loc);
  graph::FoldKind kind = kindOf(value);
  Type element = value.inputs[0].from->elementType, accumulator = accumulatorType(element);
  Type ofState = tile::getSignless(accumulator);
  llvm::SmallVector<unsigned, 2> along = {0, columnAxis(0)};
  llvm::SmallVector<llvm::SmallVector<Expr, 4>, 4> places(strip.count);
  llvm::SmallVector<mlir::Value> state;
  for (int64_t piece = 0; piece < strip.count; ++piece) {
    for (Expr coordinate : at)
      places[piece].push_back(index::contains(coordinate, strip.symbol)
                                  ? strip.symbol * strip.count + piece
                                  : coordinate);
    Location named = nameLoc(value.isNamed ? value.name + "_acc" : "acc", loc);
    state.push_back(
        math.lift(math.constant(ofState, neutralOf(kind, element), named), along, named));
  }

  Scope *outside = current;
  llvm::SmallVector<scf::ForOp> loops;
  llvm::SmallVector<Expr, 4> indices;
  int64_t window = *value.foldExtents[strip.foldAxis].getConstant();
  for (auto [number, extent] : llvm::enumerate(value.foldExtents)) {
    int64_t turns = *extent.getConstant();
    if (number == strip.foldAxis)
      turns += (strip.count - 1) * strip.step;
    indices.push_back(turns == 1 ? context.constant(0) : openTurns(turns, loops, state, loc));
  }
  Expr row = indices[strip.foldAxis];
  bool dropNan = mayDropNan(program, value, kernel, stored);
  llvm::SmallVector<mlir::Value> next;
  for (int64_t piece = 0; piece < strip.count; ++piece) {
    // Each window in its own order, as its sum is rounded.
    Expr within = row - strip.step * (strip.isReversed ? strip.count - 1 - piece : piece);
    indices[strip.foldAxis] = within;
    Pred holds = facts.simplify(index::ge(within, 0) & index::lt(within, context.constant(window)));
    TileValue input = read(value.inputs[0], places[piece], indices, guard);
    input.value = castElements(builder, input.value, element, accumulator, loc);
    mlir::Value old = state[piece];
    TileValue folded{
        combine(builder, kind, accumulator, old, math.lift(input, along, loc), loc, dropNan),
        along,
        {}};
    if (!holds.isTrue())
      folded = math.select(predicate(holds, loc), folded, {old, along, {}}, loc);
    next.push_back(folded.value);
  }
  for (scf::ForOp loop : llvm::reverse(loops)) {
    closeScope(next, loc);
    next.assign(loop.getResults().begin(), loop.getResults().end());
  }
  TileValue result;
  for (int64_t piece = 0; piece < strip.count; ++piece) {
    TileValue own{next[piece], along, {}};
    own.value = castElements(builder, own.value, accumulator, value.elementType, resultLoc(value));
    Scope::Key key{
        &value, {places[piece].begin(), places[piece].end()}, guard.getAsOpaquePointer()};
    outside->values[key] = own;
    if (llvm::equal(places[piece], at))
      result = own;
  }
  return result;
}

} // namespace nereid::schedule
