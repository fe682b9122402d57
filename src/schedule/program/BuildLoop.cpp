// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a graph: values of their body with the turn as an axis of their own.
#include "schedule/program/ProgramBuilder.h"

#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

/// What the loop carries, before each turn and after the last.
llvm::SmallVector<Value *> ProgramBuilder::createStates(graph::LoopOp op, int number,
                                                        llvm::ArrayRef<Access> initial) {
  llvm::SmallVector<Value *> states;
  for (const Access &view : initial) {
    mlir::Value argument = op.getBody().getArgument(states.size());
    Value *state = create(ValueKind::State, op, argument);
    state->isNamed = false;
    state->name = "state";
    llvm::SmallVector<Expr, 4> at = identity(state->shape.size());
    state->inputs.push_back(compose(view, llvm::ArrayRef(at).drop_front(), program));
    state->loop = number;
    define(argument, state);
    states.push_back(state);
  }
  return states;
}

/// The loop's results: the states behind the last turn, and what each turn gave.
void ProgramBuilder::defineResults(graph::LoopOp op, int number, llvm::ArrayRef<Value *> states,
                                   llvm::ArrayRef<Access> stacked) {
  for (auto [place, state] : llvm::enumerate(states)) {
    mlir::Value result = op.getResult(place);
    Value *last = create(ValueKind::Final, op, result);
    Access access{state, {program.getTurn(number)}, {}};
    for (unsigned i = 0; i < last->shape.size(); ++i)
      access.at.push_back(program.getIndex(i));
    last->inputs.push_back(std::move(access));
    define(result, last);
    state->name = last->name = last->isNamed ? last->name : "state";
  }
  for (auto [place, view] : llvm::enumerate(stacked)) {
    mlir::Value result = op.getResult(states.size() + place);
    if (view.from->loop < 0) {
      setView(result, view);
      continue;
    }
    // A fresh tensor, laid out by rows: what an operator is that moves elements.
    Value *all = create(ValueKind::Select, op, result);
    all->name = view.from->name;
    all->isNamed = view.from->isNamed;
    all->cases.push_back({index::truth(context, true), view});
    define(result, all);
  }
}

/// The values of a loop's body have one axis more, the turn. Those that do not depend on what the
/// loop carries are values like all others.
LogicalResult ProgramBuilder::visitLoop(graph::LoopOp op) {
  if (auto found = program.hostLoops.find(op); found != program.hostLoops.end())
    return visitHostLoop(op, found->second);
  if (lead)
    return op.emitOpError("is a loop within a loop that one kernel makes");
  Block &body = op.getBody().front();
  int number = program.turns.size();
  turns = program.sizeForms.inward(op.getCount().getExpr());
  program.turns.push_back(turns);
  program.loopOps.push_back(op);
  ++unit;
  llvm::SmallVector<Access> initial, elements, constants;
  for (mlir::Value init : op.getInits())
    initial.push_back(viewOf(init));
  for (mlir::Value input : op.getInputs())
    elements.push_back(viewOf(input));
  lead = 1;
  for (mlir::Value constant : op.getConstants())
    constants.push_back(viewOf(constant));
  size_t first = program.values.size();
  llvm::SmallVector<Value *> states = createStates(op, number, initial);
  for (auto [place, view] : llvm::enumerate(elements))
    setView(body.getArgument(states.size() + place), view);
  for (auto [argument, view] :
       llvm::zip_equal(body.getArguments().take_back(constants.size()), constants))
    setView(argument, view);
  if (failed(visitBlock(body)))
    return failure();
  llvm::SmallVector<Access> stacked;
  for (auto [state, next] : llvm::zip_equal(states, op.getNext()))
    state->inputs.push_back(viewOf(next));
  for (mlir::Value value : op.getStacked())
    stacked.push_back(viewOf(value));
  lead = 0;
  for (size_t at = first; at < program.values.size(); ++at)
    forEachAccess(program.values[at], [&](const Access &access) {
      if (access.from->loop == number)
        program.values[at].loop = number;
    });
  defineResults(op, number, states, stacked);
  return success();
}

} // namespace nereid::schedule
