// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Evaluator.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using nereid::index::Expr;

namespace nereid::graph {

/// The values that the block's terminator passes on.
std::optional<std::vector<Array>> Evaluator::run(mlir::Block &block, std::vector<Array> arguments) {
  folded.add(block);
  for (auto [argument, value] : zip(block.getArguments(), arguments))
    set(argument, std::move(value));
  mlir::Operation *end = block.getTerminator();
  bool elides = isWorking && precision != Precision::Working;
  for (mlir::Operation &op : block.without_terminator()) {
    if (!evaluate(op))
      return std::nullopt;
    // What the program returns is rounded for all that read it.
    for (mlir::Value result : op.getResults()) {
      if (!elides || !is_contained(end->getOperands(), result) || !store(result))
        continue;
      Array rounded = in(result);
      transform(rounded.reals, rounded.reals.begin(), roundingTo(rounded.elementType));
      set(result, std::move(rounded));
    }
  }
  std::vector<Array> results;
  for (mlir::Value operand : end->getOperands()) {
    if (!store(operand))
      return std::nullopt;
    results.push_back(in(operand));
  }
  return results;
}

Rounding Evaluator::rounding(mlir::Type type) const {
  if (!isWorking)
    return Rounding(mlir::Float64Type::get(type.getContext()), 0);
  return Rounding(type, sample);
}

bool Evaluator::store(mlir::Value value) {
  if (values.contains(value))
    return true;
  if (mlir::Value same = acrossBounds(value)) {
    if (!store(same))
      return false;
    std::shared_ptr<const Array> array = values.lookup(same);
    values[value] = std::move(array);
    return true;
  }
  return evaluateNow(*value.getDefiningOp());
}

bool Evaluator::evaluate(mlir::Operation &op) {
  if (auto cast = dyn_cast<CastOp>(op); cast && cast.getElidable()) {
    roundedCasts.erase(cast);
    if (roundsElidable())
      roundedCasts.insert(cast);
  }
  bool isDeferred =
      op.getNumResults() == 1 && !isa<CompositeOp>(op) && folded.isDeferred(op.getResult(0));
  return isDeferred || evaluateNow(op);
}

bool Evaluator::evaluateNow(mlir::Operation &op) {
  if (auto composite = dyn_cast<CompositeOp>(op))
    return enter(composite);
  auto foldOp = dyn_cast<FoldOp>(op);
  bool isArg = foldOp && is_contained({FoldKind::Argmax, FoldKind::Argmin}, foldOp.getKind());
  if (foldOp && !isArg)
    return fold(foldOp);
  for (mlir::Value operand : op.getOperands())
    if (!store(operand))
      return false;
  if (isArg)
    return argFold(foldOp);
  bool done = true;
  llvm::TypeSwitch<mlir::Operation *>(&op)
      .Case<ConstantOp, SizeOp, IotaOp, BroadcastOp, TransposeOp, ReshapeOp, ContiguousOp, SliceOp,
            PadOp, FlipOp, WindowOp, ConcatOp, GatherOp, DetachOp, ScanOp, SortOp, ScatterOp,
            SegmentOp, RunsOp, SearchOp, RandomOp, OrderOp>([&](auto known) { apply(known); })
      .Case([&](CheckOp) {})
      .Case([&](CheckIndexOp check) { done = checkIndex(check); })
      .Case([&](AssignOp assign) {
        assigned.push_back(
            {cast<mlir::BlockArgument>(assign.getTarget()).getArgNumber(), in(assign.getValue())});
      })
      .Case([&](LoopOp loop) { done = turn(loop); })
      .Case([&](ApplyOp apply) { done = enter(apply); })
      .Default([&](mlir::Operation *other) { done = pointwise(*other); });
  return done;
}

/// What crosses the bounds of a composite is the same array, or deferred on both sides.
bool Evaluator::enter(CompositeOp composite) {
  mlir::Block &body = composite.getBody().front();
  auto pass = [&](mlir::Value from, mlir::Value to) {
    if (std::shared_ptr<const Array> array = values.lookup(from))
      values[to] = std::move(array);
  };
  for (auto [operand, argument] : zip(composite.getOperands(), body.getArguments()))
    pass(operand, argument);
  for (mlir::Operation &op : body.without_terminator())
    if (!evaluate(op))
      return false;
  for (auto [yielded, result] : zip(body.getTerminator()->getOperands(), composite.getResults()))
    pass(yielded, result);
  return true;
}

/// Drops what a turn of a loop has made.
void Evaluator::forget(mlir::Block &block) {
  block.walk([&](mlir::Block *inner) {
    for (mlir::Value argument : inner->getArguments())
      if (inner != &block)
        values.erase(argument);
    for (mlir::Operation &op : *inner)
      for (mlir::Value result : op.getResults())
        values.erase(result);
  });
}

/// A function is evaluated anew each time; sizes have their names in it too, beside the numbers
/// that it is given.
bool Evaluator::enter(ApplyOp apply) {
  mlir::func::FuncOp function = apply.getFunction();
  index::Context &context = sym::SymDialect::getIndexContext(apply.getContext());
  llvm::DenseMap<index::Expr, int64_t> given;
  std::vector<Array> arguments;
  for (auto [place, operand] : llvm::enumerate(apply.getOperands())) {
    arguments.push_back(in(operand));
    if (auto symbol = function.getArgAttrOfType<mlir::StringAttr>(place, "graph.symbol"))
      given[context.symbol(symbol.getValue())] = arguments.back().integers[0];
    auto type = mlir::cast<TensorType>(function.getArgumentTypes()[place]);
    for (auto [size, value] : zip(type.getSizes(), arguments.back().shape))
      if (size.isSymbol())
        given[size] = value;
  }
  Evaluator inner(given, precision, sample);
  std::optional<std::vector<Array>> results = inner.run(function.front(), std::move(arguments));
  if (!results)
    return fail(inner.reason);
  for (auto [result, value] : zip(apply.getResults(), *results))
    set(result, std::move(value));
  return true;
}

bool Evaluator::turn(LoopOp loop) {
  mlir::Block &body = loop.getBody().front();
  size_t carried = loop.getInits().size();
  int64_t count = size(loop.getCount().getExpr());
  std::vector<std::shared_ptr<const Array>> state;
  std::vector<Array> stacks;
  for (mlir::Value init : loop.getInits())
    state.push_back(values.lookup(init));
  for (mlir::Value result : loop.getResults().drop_front(carried))
    stacks.emplace_back(shapeOf(result), elementOf(result));
  for (auto [argument, value] :
       zip(body.getArguments().take_back(loop.getConstants().size()), loop.getConstants())) {
    std::shared_ptr<const Array> array = values.lookup(value);
    values[argument] = std::move(array);
  }
  for (int64_t number = 0; number < count; ++number) {
    forget(body);
    for (auto [argument, value] : zip(body.getArguments(), state))
      values[argument] = std::move(value);
    for (auto [argument, input] : zip(body.getArguments().drop_front(carried), loop.getInputs()))
      set(argument, rowOf(in(input), number));
    for (mlir::Operation &op : body.without_terminator())
      if (!evaluate(op))
        return false;
    for (mlir::Value yielded : body.getTerminator()->getOperands())
      if (!store(yielded))
        return false;
    for (auto [before, next] : zip(state, loop.getNext())) {
      before = values.lookup(next);
      // What is carried has the type that it says, also where a kernel makes all turns.
      if (!isFused() || !before->isFloat())
        continue;
      Array rounded = *before;
      transform(rounded.reals, rounded.reals.begin(), roundingTo(rounded.elementType));
      before = std::make_shared<const Array>(std::move(rounded));
    }
    for (auto [stack, value] : zip(stacks, loop.getStacked()))
      setRow(stack, in(value), number);
  }
  for (auto [result, value] : zip(loop.getResults(), state))
    values[result] = std::move(value);
  for (auto [result, stack] : zip(loop.getResults().drop_front(carried), stacks))
    set(result, std::move(stack));
  return true;
}

std::optional<Array> Evaluator::run(ArrayRef<mlir::Operation *> ops, mlir::Value result) {
  for (mlir::Operation *op : ops)
    if (!evaluate(*op))
      return std::nullopt;
  return in(result);
}

/// The part of an array at an index of its first axis.
Array Evaluator::rowOf(const Array &input, int64_t row) {
  Array result(ArrayRef<int64_t>(input.shape).drop_front(), input.elementType);
  int64_t length = result.size(), from = row * length;
  if (result.isFloat())
    std::copy_n(input.reals.begin() + from, length, result.reals.begin());
  else
    std::copy_n(input.integers.begin() + from, length, result.integers.begin());
  return result;
}

void Evaluator::setRow(Array &stack, const Array &value, int64_t row) {
  int64_t to = row * value.size();
  if (stack.isFloat())
    copy(value.reals, stack.reals.begin() + to);
  else
    copy(value.integers, stack.integers.begin() + to);
}

bool bindSizes(mlir::func::FuncOp program, ArrayRef<SmallVector<int64_t>> shapes,
               llvm::DenseMap<Expr, int64_t> &sizes, std::string &reason) {
  auto describe = [&](unsigned argument) {
    return program.getArgAttrOfType<mlir::StringAttr>(argument, "graph.name").getValue().str();
  };
  for (bool binding : {true, false})
    for (auto [number, type] : enumerate(program.getArgumentTypes())) {
      ArrayRef<Expr> expected = cast<TensorType>(type).getSizes();
      if (expected.size() != shapes[number].size()) {
        reason = "'" + describe(number) + "' has rank " + std::to_string(shapes[number].size()) +
                 ", expected " + std::to_string(expected.size());
        return false;
      }
      for (auto [axis, expr] : enumerate(expected)) {
        int64_t given = shapes[number][axis];
        if (binding) {
          if (expr.isSymbol())
            sizes.try_emplace(expr, given);
        } else if (index::evaluate(expr, sizes) != given) {
          reason = "axis " + std::to_string(axis) + " of '" + describe(number) + "' has size " +
                   std::to_string(given) + ", expected " + expr.str();
          return false;
        }
      }
    }
  auto when = program->getAttrOfType<sym::PredAttr>("graph.when");
  if (when && index::evaluate(when.getPred(), sizes) != true) {
    reason = "the inputs belong to another case of the program";
    return false;
  }
  for (CheckOp check : program.getOps<CheckOp>())
    if (index::evaluate(check.getPred().getPred(), sizes) != true) {
      reason = check.getMessage().str();
      return false;
    }
  return true;
}

mlir::FailureOr<Evaluation> evaluateProgram(mlir::func::FuncOp program, ArrayRef<Array> inputs,
                                            std::string &reason, Precision precision,
                                            uint64_t sample) {
  if (inputs.size() != program.getNumArguments()) {
    reason = "the program takes " + std::to_string(program.getNumArguments()) + " inputs";
    return mlir::failure();
  }
  SmallVector<SmallVector<int64_t>> shapes;
  for (const Array &input : inputs)
    shapes.push_back(SmallVector<int64_t>(input.shape.begin(), input.shape.end()));
  llvm::DenseMap<Expr, int64_t> sizes;
  index::Context &context = sym::SymDialect::getIndexContext(program.getContext());
  for (auto [number, input] : enumerate(inputs))
    if (auto flag = program.getArgAttrOfType<mlir::StringAttr>(number, "graph.symbol"))
      sizes[context.symbol(flag.getValue())] = input.integers.empty() ? 0 : input.integers[0];
  if (!bindSizes(program, shapes, sizes, reason))
    return mlir::failure();
  Evaluator evaluator(sizes, precision, sample);
  std::optional<std::vector<Array>> results =
      evaluator.run(program.front(), std::vector<Array>(inputs.begin(), inputs.end()));
  if (!results) {
    reason = evaluator.reason;
    return mlir::failure();
  }
  return Evaluation{std::move(*results), std::move(evaluator.assigned)};
}

using SizeOf = llvm::function_ref<std::optional<int64_t>(Expr)>;

/// Notes the symbols of an expression and what they are; nullopt where that is not known.
static std::optional<int64_t> sizeOfExpr(Expr expr, SizeOf sizeOf,
                                         llvm::DenseMap<Expr, int64_t> &sizes) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return constant;
  return index::evaluate(expr, [&](Expr symbol) -> std::optional<int64_t> {
    std::optional<int64_t> known = sizeOf ? sizeOf(symbol) : std::nullopt;
    if (known)
      sizes[symbol] = *known;
    return known;
  });
}

/// Whether an operator gives the same for the same operands, at sizes that are known.
static bool isFixed(mlir::Operation &op, SizeOf sizeOf, llvm::DenseMap<Expr, int64_t> &sizes) {
  constexpr int64_t most = 1 << 20;
  auto isKnown = [&](mlir::Operation *inner) {
    if (isa<RandomOp>(inner) || !isa<GraphDialect>(inner->getDialect()))
      return false;
    for (mlir::Type type : inner->getResultTypes()) {
      int64_t elements = 1;
      for (Expr size : cast<TensorType>(type).getSizes()) {
        std::optional<int64_t> known = sizeOfExpr(size, sizeOf, sizes);
        if (!known || *known > most || (elements *= *known) > most)
          return false;
      }
    }
    return all_of(inner->getAttrs(), [&](mlir::NamedAttribute attribute) {
      auto expr = dyn_cast<sym::ExprAttr>(attribute.getValue());
      return !expr || sizeOfExpr(expr.getExpr(), sizeOf, sizes);
    });
  };
  return !op.walk([&](mlir::Operation *inner) {
              return isKnown(inner) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
            }).wasInterrupted();
}

std::optional<Array> evaluateConstant(mlir::Value value, SizeOf sizeOf) {
  llvm::DenseMap<Expr, int64_t> sizes;
  constexpr size_t mostOps = 10000;
  SmallVector<mlir::Operation *> order;
  llvm::DenseSet<mlir::Operation *> seen;
  // An operator stands in the order once its operands do.
  SmallVector<std::pair<mlir::Operation *, bool>> open{{value.getDefiningOp(), false}};
  while (!open.empty()) {
    auto [op, isReady] = open.pop_back_val();
    if (isReady) {
      order.push_back(op);
      continue;
    }
    if (!op || seen.size() > mostOps)
      return std::nullopt;
    if (!seen.insert(op).second)
      continue;
    if (!isFixed(*op, sizeOf, sizes))
      return std::nullopt;
    open.push_back({op, true});
    for (mlir::Value operand : op->getOperands())
      open.push_back({operand.getDefiningOp(), false});
  }
  return Evaluator(sizes, Precision::Working, 0).run(order, value);
}

} // namespace nereid::graph
