// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/LoopGradient.h"

#include "autodiff/BackwardProgram.h"
#include "autodiff/Joint.h"
#include "autodiff/LoopFactors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::autodiff {

static graph::TensorType stackedType(Type type, Expr count) {
  auto tensor = cast<graph::TensorType>(type);
  SmallVector<Expr> sizes{count};
  llvm::append_range(sizes, tensor.getSizes());
  return tensor.withSizes(sizes);
}

void stackStates(func::FuncOp program) {
  SmallVector<graph::LoopOp> loops;
  program.walk([&](graph::LoopOp loop) { loops.push_back(loop); });
  for (graph::LoopOp loop : loops) {
    Block &body = loop.getBody().front();
    Operation *yield = body.getTerminator();
    SmallVector<Type> types(loop.getResultTypes());
    for (Value state : body.getArguments().take_front(loop.getInits().size())) {
      yield->insertOperands(yield->getNumOperands(), state);
      types.push_back(stackedType(state.getType(), loop.getCount().getExpr()));
    }
    OpBuilder builder(loop);
    auto wider = graph::LoopOp::create(builder, loop.getLoc(), types, loop.getCount(),
                                       loop.getInits(), loop.getInputs(), loop.getConstants());
    wider.getBody().takeBody(loop.getBody());
    for (auto [before, after] : llvm::zip(loop.getResults(), wider.getResults()))
      before.replaceAllUsesWith(after);
    loop.erase();
  }
}

namespace {

/// Writes the loop that goes back.
class LoopWriter {
public:
  LoopWriter(graph::LoopOp loop, ArrayRef<Value> gradients, Reverse &reverse)
      : loop(loop), gradients(gradients), reverse(reverse), w(reverse.writer),
        states(loop.getInits().size()), inputs(loop.getInputs().size()),
        stacks(loop.getNumResults() - 2 * states), factors(w, loop.getCount().getExpr()) {}

  LogicalResult run();

private:
  func::FuncOp bodyProgram();
  void chooseOperands();
  void chooseConstants(Joint &turn);
  Block *createLoop();
  void fillBody(Joint &turn);
  void addResults(Joint &turn);
  LoopFactors::Given ofAllTurns(Value value);
  /// The gradient of an argument of the body; null where it is zero.
  static Value gradientOf(Joint &turn, unsigned argument);
  Value zeroLike(Value value) {
    return w.filled(w.sizesOf(value), gradientType(value.getType()).getElementType(), 0);
  }
  Value backwards(Value stacked) { return w.flip(stacked, {0}); }

  graph::LoopOp loop;
  ArrayRef<Value> gradients;
  Reverse &reverse;
  GradientWriter &w;
  size_t states, inputs, stacks;
  OwningOpRef<func::FuncOp> program;

  /// The states and constants whose gradients the loop carries, the inputs whose gradients it
  /// stacks, and the constants whose gradients are contractions of what it stacks.
  SmallVector<unsigned> carriedStates, carriedConstants, stackedInputs, contractedConstants;
  LoopFactors factors;
  /// Of them, those that the loop stacks.
  SmallVector<Value> stackedFactors;
  /// The stacked results that have a gradient.
  SmallVector<unsigned> givenStacks;
  SmallVector<Value> inits, elements, constants;
  graph::LoopOp back;
};

} // namespace

/// One turn as a program of its own.
func::FuncOp LoopWriter::bodyProgram() {
  Block &body = loop.getBody().front();
  OpBuilder builder(loop.getContext());
  SmallVector<Type> results(body.getTerminator()->getOperandTypes());
  results.truncate(states + stacks);
  auto func = func::FuncOp::create(loop.getLoc(), "turn",
                                   builder.getFunctionType(body.getArgumentTypes(), results));
  Block *block = func.addEntryBlock();
  IRMapping copies;
  for (auto [number, pair] :
       llvm::enumerate(llvm::zip(body.getArguments(), block->getArguments()))) {
    auto [from, to] = pair;
    copies.map(from, to);
    func.setArgAttr(number, "graph.name", builder.getStringAttr("value" + Twine(number)));
  }
  builder.setInsertionPointToEnd(block);
  for (Operation &op : body.without_terminator())
    builder.clone(op, copies);
  SmallVector<Value> returned;
  for (Value value : body.getTerminator()->getOperands().take_front(states + stacks))
    returned.push_back(copies.lookup(value));
  func::ReturnOp::create(builder, loop.getLoc(), returned);
  return func;
}

void LoopWriter::chooseOperands() {
  auto given = [&](unsigned result, Type type) {
    Value gradient = gradients[result];
    return gradient ? w.cast(gradient, cast<graph::TensorType>(type).getElementType())
                    : w.filled(cast<graph::TensorType>(type).getSizes(),
                               cast<graph::TensorType>(type).getElementType(), 0);
  };
  for (auto [number, init] : llvm::enumerate(loop.getInits()))
    if (isFloating(init)) {
      carriedStates.push_back(number);
      inits.push_back(given(number, init.getType()));
    }
  for (unsigned number : carriedConstants)
    inits.push_back(zeroLike(loop.getConstants()[number]));
  for (size_t number = 0; number < states; ++number)
    elements.push_back(backwards(loop.getResult(states + stacks + number)));
  for (auto [number, input] : llvm::enumerate(loop.getInputs())) {
    elements.push_back(backwards(input));
    if (isFloating(input) && reverse.wants(input))
      stackedInputs.push_back(number);
  }
  for (size_t number = 0; number < stacks; ++number)
    if (gradients[states + number]) {
      givenStacks.push_back(number);
      Value result = loop.getResult(states + number);
      elements.push_back(backwards(given(states + number, result.getType())));
    }
  llvm::append_range(constants, loop.getConstants());
}

/// Which gradients of constants are added up turn by turn.
void LoopWriter::chooseConstants(Joint &turn) {
  for (auto [number, constant] : llvm::enumerate(loop.getConstants())) {
    if (!isFloating(constant) || !reverse.wants(constant))
      continue;
    Value gradient = gradientOf(turn, states + inputs + number);
    if (!gradient)
      continue;
    LoopFactors own(w, loop.getCount().getExpr());
    bool isContracted = own.plan(gradient);
    (isContracted ? contractedConstants : carriedConstants).push_back(number);
    if (isContracted)
      factors.plan(gradient);
  }
  for (Value factor : factors.get()) {
    auto argument = dyn_cast<BlockArgument>(factor);
    if (!argument || argument.getArgNumber() >= states + inputs + loop.getConstants().size())
      stackedFactors.push_back(factor);
  }
}

/// What a value of a turn is in all of them; null for what follows from others.
LoopFactors::Given LoopWriter::ofAllTurns(Value value) {
  if (auto *place = llvm::find(stackedFactors, value); place != stackedFactors.end())
    return {backwards(back.getResult(inits.size() + stackedInputs.size() +
                                     (place - stackedFactors.begin()))),
            true};
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return {{}, false};
  unsigned number = argument.getArgNumber();
  if (number < states)
    return {loop.getResult(states + stacks + number), true};
  number -= states;
  if (number < inputs)
    return {loop.getInputs()[number], true};
  return {loop.getConstants()[number - inputs], false};
}

Value LoopWriter::gradientOf(Joint &turn, unsigned argument) {
  for (auto [place, number] : llvm::enumerate(turn.wanted))
    if (number == argument)
      return turn.gradient(place);
  return {};
}

/// The loop that goes back, with an empty body.
Block *LoopWriter::createLoop() {
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  for (unsigned number : stackedInputs)
    types.push_back(loop.getInputs()[number].getType());
  for (Value factor : stackedFactors)
    types.push_back(stackedType(factor.getType(), loop.getCount().getExpr()));
  back =
      graph::LoopOp::create(w.builder, w.place, types, loop.getCount(), inits, elements, constants);
  Block *body = &back.getBody().emplaceBlock();
  for (Value init : inits)
    body->addArgument(init.getType(), w.place);
  for (Value element : elements)
    body->addArgument(w.typeOf(element).withSizes(w.sizesOf(element).drop_front()), w.place);
  for (Value constant : constants)
    body->addArgument(constant.getType(), w.place);
  return body;
}

/// The body: a turn and its gradients, on the state with which the turn began.
void LoopWriter::fillBody(Joint &turn) {
  Block *body = createLoop();
  OpBuilder::InsertionGuard guard(w.builder);
  w.builder.setInsertionPointToEnd(body);
  Block &from = turn.block();
  IRMapping copies;
  size_t first = inits.size();
  for (size_t number = 0; number < states + inputs; ++number)
    copies.map(from.getArgument(number), body->getArgument(first + number));
  for (size_t number = 0; number < constants.size(); ++number)
    copies.map(from.getArgument(states + inputs + number),
               body->getArgument(first + elements.size() + number));
  for (auto [result, cotangent] : llvm::zip_equal(turn.floatResults, turn.cotangents)) {
    auto *state = llvm::find(carriedStates, result);
    auto *stack = llvm::find(givenStacks, result - states);
    if (result < states)
      copies.map(cotangent, body->getArgument(state - carriedStates.begin()));
    else if (stack != givenStacks.end())
      copies.map(cotangent,
                 body->getArgument(first + states + inputs + (stack - givenStacks.begin())));
    else
      copies.map(cotangent, w.like(cotangent, 0));
  }
  for (Operation &op : from.without_terminator()) {
    if (isa<graph::DetachOp>(op))
      copies.map(op.getResult(0), copies.lookup(op.getOperand(0)));
    else
      dropGradientMarks(w.builder.clone(op, copies));
  }
  auto copyOf = [&](unsigned argument) {
    Value gradient = gradientOf(turn, argument);
    return gradient ? copies.lookup(gradient) : Value();
  };
  SmallVector<Value> yielded;
  for (auto [place, number] : llvm::enumerate(carriedStates)) {
    Value gradient = copyOf(number);
    yielded.push_back(gradient ? gradient : w.like(inits[place], 0));
  }
  for (auto [place, number] : llvm::enumerate(carriedConstants)) {
    Value before = body->getArgument(carriedStates.size() + place);
    Value gradient = copyOf(states + inputs + number);
    if (gradient)
      before = w.add(before, w.cast(gradient, w.typeOf(before).getElementType()));
    yielded.push_back(before);
  }
  for (unsigned number : stackedInputs) {
    Value gradient = copyOf(states + number);
    yielded.push_back(gradient ? gradient : w.like(body->getArgument(first + states + number), 0));
  }
  for (Value factor : stackedFactors)
    yielded.push_back(copies.lookup(factor));
  graph::YieldOp::create(w.builder, w.place, yielded);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void LoopWriter::addResults(Joint &turn) {
  auto add = [&](Value operand, Value gradient) {
    reverse.add(operand, w.cast(gradient, gradientType(operand.getType()).getElementType()));
  };
  unsigned next = 0;
  for (unsigned number : carriedStates)
    add(loop.getInits()[number], back.getResult(next++));
  for (unsigned number : carriedConstants)
    add(loop.getConstants()[number], back.getResult(next++));
  for (unsigned number : stackedInputs)
    add(loop.getInputs()[number], backwards(back.getResult(next++)));
  for (unsigned number : contractedConstants)
    add(loop.getConstants()[number], factors.sum(gradientOf(turn, states + inputs + number),
                                                 [&](Value value) { return ofAllTurns(value); }));
}

LogicalResult LoopWriter::run() {
  program = bodyProgram();
  std::unique_ptr<Joint> turn = buildJoint(*program, {});
  if (!turn)
    return failure();
  simplifyGradients(*turn);
  chooseConstants(*turn);
  chooseOperands();
  fillBody(*turn);
  addResults(*turn);
  return success();
}

LogicalResult addLoopGradient(graph::LoopOp loop, ArrayRef<Value> gradients, Reverse &reverse) {
  return LoopWriter(loop, gradients, reverse).run();
}

} // namespace nereid::autodiff
