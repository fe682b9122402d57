// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of programs that make the turns of a loop of the program, one after the other.
#include "schedule/kernel/KernelScope.h"
#include "schedule/nest/LoopNest.h"
#include "schedule/program/AxisCuts.h"

using namespace mlir;

namespace nereid::schedule {

/// The tile axes along which a state varies.
llvm::SmallVector<unsigned, 2> KernelBuilder::stateAxes(llvm::ArrayRef<Expr> at) const {
  if (!kernel.hasRows)
    return {0};
  llvm::SmallVector<unsigned, 2> axes;
  if (form.tiledRows)
    axes.push_back(0);
  bool hasColumns = llvm::any_of(kernel.columns.front().symbols, [&](Expr symbol) {
    return llvm::any_of(at, [&](Expr coordinate) { return index::contains(coordinate, symbol); });
  });
  if (hasColumns)
    axes.push_back(columnAxis(0));
  return axes;
}

/// Whether a state has an element at coordinates: the lanes of what pads it go on beside it.
Pred KernelBuilder::isInside(const Value &state, llvm::ArrayRef<Expr> at) const {
  Pred inside = index::truth(context, true);
  // The first coordinate counts the turns.
  for (auto [coordinate, size] : llvm::drop_begin(llvm::zip_equal(at, state.shape)))
    for (Pred bound : {index::ge(coordinate, 0), index::lt(coordinate, size)})
      if (!facts.isTrue(bound))
        inside = inside & bound;
  return inside;
}

void KernelBuilder::makeTurns(const Pass &pass) {
  Location loc = program.func.getLoc();
  Pred always = index::truth(context, true);
  Expr turn = kernel.turn;
  for (const KernelOutput &output : kernel.outputs)
    for (const llvm::SmallVector<Expr, 4> &edge : output.edges)
      store({output.value, edge, output.columns});
  // Each at the coordinates of the program's elements.
  std::vector<std::pair<const Value *, llvm::ArrayRef<Expr>>> states;
  for (const Request &request : requests.getAll())
    if (request.value->kind == ValueKind::State &&
        !llvm::is_contained(states, std::pair(request.value, request.at)))
      states.emplace_back(request.value, request.at);
  llvm::SmallVector<mlir::Value> initial;
  for (auto [value, at] : states) {
    TileValue before = read(value->inputs[0], at, {}, isInside(*value, at));
    initial.push_back(math.lift(before, stateAxes(at), nameLoc(value->name, value->loc)));
  }
  TileValue start = math.integer(0, 32, loc), bound = loopBound(kernel.turns, loc);
  mlir::Value step = math.integer(1, 32, loc).value;
  scf::ForOp loop = enterLoop(start, bound, step, initial, loc);
  // That there is a turn holds within the loop only.
  index::Facts outside = facts;
  boundIndex(facts, kernel.turn, kernel.turns);
  if (form.turnsAhead != 0)
    loop->setAttr("tile.num_stages", builder.getI64IntegerAttr(form.turnsAhead));
  current->symbols[turn] = TileValue{loop.getInductionVar(), {}, {}};
  auto remember = [&](Scope &scope, ValueRange values) {
    for (auto [request, value] : llvm::zip(states, values)) {
      llvm::SmallVector<Expr, 4> at = decide(request.second);
      scope.values[{request.first, {at.begin(), at.end()}, always.getAsOpaquePointer()}] = {
          value, stateAxes(at), std::nullopt};
    }
  };
  remember(*current, loop.getRegionIterArgs());
  for (const KernelOutput *output : pass.outputs)
    store(*output);
  llvm::SmallVector<mlir::Value> next;
  for (auto [value, at] : states) {
    TileValue after = read(value->inputs[1], at, {}, isInside(*value, at));
    next.push_back(math.lift(after, stateAxes(at), plainLoc(value->loc)));
  }
  closeScope(next, loc);
  facts = std::move(outside);
  guardNeeds.clear();
  remember(root, loop.getResults());
}

} // namespace nereid::schedule
