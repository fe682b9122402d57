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
  for (auto [argument, value] : zip(block.getArguments(), arguments))
    values[argument] = std::move(value);
  mlir::Operation *end = block.getTerminator();
  bool elides = precision == Precision::Fused || precision == Precision::Mixed ||
                precision == Precision::Saturating;
  for (mlir::Operation &op : block.without_terminator()) {
    if (!evaluate(op))
      return std::nullopt;
    // What the program returns is rounded for all that read it.
    for (mlir::Value result : op.getResults())
      if (elides && !isa<YieldOp>(end) && is_contained(end->getOperands(), result) &&
          values[result].isFloat())
        transform(values[result].reals, values[result].reals.begin(),
                  roundingTo(values[result].elementType));
  }
  std::vector<Array> results;
  for (mlir::Value operand : end->getOperands())
    results.push_back(values[operand]);
  return results;
}

Evaluator::Rounding Evaluator::rounding(mlir::Type type) const {
  if (!isWorking)
    return Rounding(mlir::Float64Type::get(type.getContext()), 0);
  return Rounding(type, sample);
}

void Evaluator::keepAll(Array &array) const {
  if (!isWorking || array.reals.empty())
    return;
  Rounding round = rounding(array.elementType);
  for (double &value : array.reals)
    value = round(value);
}

bool Evaluator::evaluate(mlir::Operation &op) {
  bool done = true;
  TypeSwitch<mlir::Operation *>(&op)
      .Case<ConstantOp, SizeOp, IotaOp, BroadcastOp, TransposeOp, ReshapeOp, ContiguousOp, SliceOp,
            PadOp, FlipOp, WindowOp, ConcatOp, GatherOp, DetachOp, FoldOp, ScanOp, SortOp,
            ScatterOp, SegmentOp, RunsOp, SearchOp, RandomOp, WhereOp, CastOp, OrderOp>(
          [&](auto known) { apply(known); })
      .Case([&](CheckOp) {})
      .Case([&](AssignOp assign) {
        assigned.push_back(
            {cast<mlir::BlockArgument>(assign.getTarget()).getArgNumber(), in(assign.getValue())});
      })
      .Case([&](CompositeOp composite) { done = enter(composite); })
      .Case([&](LoopOp loop) { done = turn(loop); })
      .Default([&](mlir::Operation *other) { done = pointwise(*other); });
  return done;
}

bool Evaluator::enter(CompositeOp composite) {
  Evaluator inner(sizes, precision, sample);
  std::vector<Array> arguments;
  for (mlir::Value operand : composite.getOperands())
    arguments.push_back(in(operand));
  std::optional<std::vector<Array>> results =
      inner.run(composite.getBody().front(), std::move(arguments));
  if (!results)
    return fail(inner.reason);
  for (auto [result, value] : zip(composite.getResults(), *results))
    set(result, std::move(value));
  return true;
}

bool Evaluator::turn(LoopOp loop) {
  mlir::Block &body = loop.getBody().front();
  size_t carried = loop.getInits().size();
  int64_t count = size(loop.getCount().getExpr());
  std::vector<Array> state, stacks;
  for (mlir::Value init : loop.getInits())
    state.push_back(in(init));
  for (mlir::Value result : loop.getResults().drop_front(carried))
    stacks.emplace_back(shapeOf(result), elementOf(result));
  for (auto [argument, value] :
       zip(body.getArguments().take_back(loop.getConstants().size()), loop.getConstants()))
    set(argument, Array(in(value)));
  for (int64_t number = 0; number < count; ++number) {
    for (auto [argument, value] : zip(body.getArguments(), state))
      set(argument, std::move(value));
    for (auto [argument, input] : zip(body.getArguments().drop_front(carried), loop.getInputs()))
      set(argument, rowOf(in(input), number));
    for (mlir::Operation &op : body.without_terminator())
      if (!evaluate(op))
        return false;
    for (auto [before, next] : zip(state, loop.getNext())) {
      before = in(next);
      // What is carried has the type that it says, also where a kernel makes all turns.
      if (isFused() && before.isFloat())
        transform(before.reals, before.reals.begin(), roundingTo(before.elementType));
    }
    for (auto [stack, value] : zip(stacks, loop.getStacked()))
      setRow(stack, in(value), number);
  }
  state.insert(state.end(), std::make_move_iterator(stacks.begin()),
               std::make_move_iterator(stacks.end()));
  for (auto [result, value] : zip(loop.getResults(), state))
    set(result, std::move(value));
  return true;
}

std::optional<Array> Evaluator::run(ArrayRef<mlir::Operation *> ops, mlir::Value result) {
  for (mlir::Operation *op : ops)
    if (!evaluate(*op))
      return std::nullopt;
  return values[result];
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
               DenseMap<Expr, int64_t> &sizes, std::string &reason) {
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
  DenseMap<Expr, int64_t> sizes;
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

using SizeOf = function_ref<std::optional<int64_t>(Expr)>;

/// Notes the symbols of an expression and what they are; nullopt where that is not known.
static std::optional<int64_t> sizeOfExpr(Expr expr, SizeOf sizeOf, DenseMap<Expr, int64_t> &sizes) {
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
static bool isFixed(mlir::Operation &op, SizeOf sizeOf, DenseMap<Expr, int64_t> &sizes) {
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
  DenseMap<Expr, int64_t> sizes;
  constexpr size_t mostOps = 10000;
  SmallVector<mlir::Operation *> order;
  DenseSet<mlir::Operation *> seen;
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
