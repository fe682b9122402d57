// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operators are padded whose sizes differ from turn to turn.
#include "frontend/torch/LoopSizes.h"

using namespace llvm;

namespace nereid::torch {

bool LoopSizes::pad(graph::BroadcastOp op) {
  SmallVector<int64_t> given;
  for (int64_t axis : paddedAxes(op.getInput()))
    given.push_back(op.getDims()[axis]);
  if (!retype(op.getResult()))
    return false;
  SmallVector<int64_t> added;
  for (int64_t axis : paddedAxes(op.getResult()))
    if (!is_contained(given, axis))
      added.push_back(axis);
  if (!op.getInput().getDefiningOp<graph::ConstantOp>())
    clear(op.getResult(), added);
  return true;
}

/// Axes that differ stay axes of their own, with as many elements before them.
bool LoopSizes::pad(graph::ReshapeOp op) {
  Sizes from = realSizes(op.getInput()), to = writer.sizes(op.getResult());
  auto places = [&](ArrayRef<Expr> sizes) {
    std::vector<std::pair<Expr, Expr>> found;
    for (auto [axis, size] : enumerate(sizes))
      if (differs(size)) {
        Expr ahead = index::product(writer.solver.getContext(), sizes.take_front(axis));
        found.emplace_back(writer.solver.resolve(ahead), writer.solver.resolve(size));
      }
    return found;
  };
  if (places(from) != places(to))
    return refuse("a reshape joins or divides a size that differs from turn to turn");
  return retype(op.getResult());
}

bool LoopSizes::pad(graph::SliceOp op) {
  int64_t dim = op.getDim(), step = op.getStep();
  mlir::Value input = op.getInput(), result = op.getResult();
  bool isOther = !differs(writer.sizes(result)[dim]);
  if (!retype(result) || isOther)
    return problem.empty();
  Sizes padded = writer.sizes(result);
  Expr start = op.getStart().getExpr(), end = start + (padded[dim] - 1) * step + 1;
  index::Pred fits = index::ge(writer.sizes(input)[dim], end);
  if (!differs(start) && writer.solver.truth(writer.solver.resolve(fits)) == index::Truth::True) {
    writer.builder.setInsertionPointAfter(op);
    clear(result, dim);
    return true;
  }
  mlir::Value first = number(start);
  if (!first)
    return refuse("it reads from " + start.str() + " on in turn " + turn.str());
  auto everywhere = [&](int64_t value) {
    return writer.broadcastTo(writer.integer(DType::I64, value), padded);
  };
  mlir::Value places = writer.iota(dim, padded, DType::I64);
  if (step != 1)
    places = writer.pointwise("mul", {places, everywhere(step)});
  places = writer.pointwise("add", {places, writer.broadcastTo(first, padded)});
  mlir::Value condition = inside(result, dim);
  if (!condition)
    return false;
  // Where there is no such place a gather gives 0.
  return replace(op, writer.gather(input, writer.where(condition, places, everywhere(-1)), dim));
}

/// Indices of the padding are -1, at which nothing is.
bool LoopSizes::pad(graph::GatherOp op) {
  mlir::Value indices = op.getIndices();
  mlir::Value none = writer.integer(writer.dtype(indices), -1);
  mlir::Value places = filled(indices, paddedAxes(indices), none);
  if (!places)
    return false;
  op.getIndicesMutable().assign(places);
  return retype(op.getResult());
}

bool LoopSizes::pad(graph::ScatterOp op) {
  if (differs(writer.sizes(op.getResult())[op.getDim()]))
    return refuse("elements are added up at places whose number differs from turn to turn");
  mlir::Value indices = op.getIndices();
  mlir::Value none = writer.integer(writer.dtype(indices), -1);
  mlir::Value places = filled(indices, paddedAxes(indices), none);
  if (!places)
    return false;
  op.getIndicesMutable().assign(places);
  op.setUnique(false);
  op.setSorted(false);
  return retype(op.getResult());
}

/// Folds and scans meet what they start from in the padding of the axes that they go along.
template <typename Op> bool LoopSizes::padAlong(Op op, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> axes = paddedAxes(op.getInput());
  erase_if(axes, [&](int64_t axis) { return !is_contained(dims, axis); });
  dropNeutral(axes, op.getKind(), op.getInput());
  mlir::Value input = filled(op.getInput(), axes, neutral(op.getKind(), op.getInput()));
  if (!input)
    return false;
  op.getInputMutable().assign(input);
  return retype(op.getResult());
}

bool LoopSizes::pad(graph::FoldOp op) { return padAlong(op, op.getDims()); }

bool LoopSizes::pad(graph::ScanOp op) { return padAlong(op, {static_cast<int64_t>(op.getDim())}); }

bool LoopSizes::pad(graph::FlipOp op) {
  SmallVector<int64_t> padded, rest;
  SmallVector<int64_t> axes = paddedAxes(op.getInput());
  for (int64_t dim : op.getDims())
    (is_contained(axes, dim) ? padded : rest).push_back(dim);
  if (!retype(op.getResult()))
    return false;
  if (padded.empty())
    return true;
  mlir::Value value = rest.empty() ? op.getInput() : writer.flip(op.getInput(), rest);
  Sizes sizes = writer.sizes(op.getResult()), in = realSizes(op.getResult());
  for (int64_t dim : padded) {
    mlir::Value last = number(writer.solver.resolve(in[dim] - 1));
    if (!last)
      return refuse("a size is " + in[dim].str() + " in turn " + turn.str());
    mlir::Value places = writer.pointwise(
        "sub", {writer.broadcastTo(last, sizes), writer.iota(dim, sizes, DType::I64)});
    value = writer.gather(value, places, dim);
  }
  return replace(op, value);
}

/// What of an input lies at `start` and behind along an axis of the result, `otherwise` elsewhere;
/// null after a problem.
mlir::Value LoopSizes::placed(mlir::Value input, int64_t dim, Expr start, mlir::Value otherwise) {
  Sizes padded = writer.sizes(otherwise);
  mlir::Value first = number(start), size = number(realSizes(input)[dim]);
  if (!first || !size)
    return refuse("it begins at " + start.str() + " in turn " + turn.str()), mlir::Value();
  auto everywhere = [&](mlir::Value value) { return writer.broadcastTo(value, padded); };
  mlir::Value places =
      writer.pointwise("sub", {writer.iota(dim, padded, DType::I64), everywhere(first)});
  mlir::Value none = everywhere(writer.integer(DType::I64, -1));
  mlir::Value isInside = writer.pointwise(
      "and", {writer.test("lt", {none, places}), writer.test("lt", {places, everywhere(size)})});
  mlir::Value found = writer.gather(input, writer.where(isInside, places, none), dim);
  return writer.where(isInside, found, otherwise);
}

/// Puts another value in the place of an operator.
bool LoopSizes::replace(mlir::Operation *op, mlir::Value by) {
  if (!by)
    return false;
  if (isPadded(op->getResult(0)))
    real[by] = realSizes(op->getResult(0));
  op->getResult(0).replaceAllUsesWith(by);
  op->erase();
  return true;
}

bool LoopSizes::pad(graph::PadOp op) {
  int64_t dim = op.getDim();
  mlir::Value input = op.getInput();
  Expr low = op.getLow().getExpr();
  if (!retype(op.getResult()))
    return false;
  if (differs(low)) {
    mlir::Value fill = writer.broadcastTo(op.getValue(), writer.sizes(op.getResult()));
    return replace(op, placed(input, dim, low, fill));
  }
  if (is_contained(paddedAxes(input), dim)) {
    mlir::Value value = filled(input, dim, op.getValue());
    if (!value)
      return false;
    op.getInputMutable().assign(value);
  }
  return true;
}

bool LoopSizes::pad(graph::ConcatOp op) {
  int64_t dim = op.getDim();
  auto isOther = [&](mlir::Value input) { return is_contained(paddedAxes(input), dim); };
  if (!retype(op.getResult()))
    return false;
  Sizes sizes = writer.sizes(op.getResult());
  if (any_of(op.getInputs().drop_back(), isOther)) {
    DType dtype = writer.dtype(op.getResult());
    mlir::Value joined = writer.broadcastTo(writer.zero(dtype), sizes);
    Expr start = writer.constantSize(0);
    for (mlir::Value input : op.getInputs()) {
      if (!(joined = placed(input, dim, start, joined)))
        return false;
      start = writer.solver.resolve(start + realSizes(input)[dim]);
    }
    return replace(op, joined);
  }
  sizes[dim] = writer.constantSize(0);
  for (mlir::Value input : op.getInputs())
    sizes[dim] = sizes[dim] + writer.sizes(input)[dim];
  auto type = cast<graph::TensorType>(op.getResult().getType());
  op.getResult().setType(type.withSizes(sizes));
  return true;
}

/// An operator defined by others is padded inside, as its gradient is. The numbers of the turn are
/// operands of it.
bool LoopSizes::pad(graph::CompositeOp op) {
  mlir::Region &body = op.getBody(), &gradient = op.getGradient();
  struct Number {
    mlir::Value inBody, inGradient;
  };
  DenseMap<Expr, Number> numbers;
  bool isOfGradient = false;
  auto outer = std::move(number);
  number = [&](Expr expr) -> mlir::Value {
    Number &found = numbers[expr];
    if (!found.inBody) {
      mlir::Value operand = outer(expr);
      if (!operand)
        return {};
      op.getOperandsMutable().append(operand);
      found.inBody = body.addArgument(operand.getType(), operand.getLoc());
      if (!gradient.empty())
        found.inGradient = gradient.insertArgument(gradient.getNumArguments() - op.getNumResults(),
                                                   operand.getType(), operand.getLoc());
    }
    return isOfGradient ? found.inGradient : found.inBody;
  };
  auto padRegion = [&](mlir::Region &region) {
    if (region.empty())
      return true;
    mlir::Block &block = region.front();
    for (mlir::Value argument : block.getArguments())
      if (!retype(argument))
        return false;
    for (graph::SizeOp size : make_early_inc_range(block.getOps<graph::SizeOp>()))
      if (differs(size.getExpr().getExpr())) {
        mlir::Value by = number(size.getExpr().getExpr());
        if (!by)
          return refuse("a number in it is " + size.getExpr().getExpr().str());
        size.replaceAllUsesWith(by);
        size.erase();
      }
    return pad(block);
  };
  bool isDone = padRegion(body);
  isOfGradient = true;
  isDone = isDone && padRegion(gradient);
  number = std::move(outer);
  return isDone && all_of(op.getResults(), [&](mlir::Value each) { return retype(each); });
}

/// A loop whose turns differ makes the greatest number of turns. Those beyond the number of the
/// turn around it leave the state as it is, and see 0.
bool LoopSizes::pad(graph::LoopOp op) {
  mlir::Block &block = op.getBody().front();
  for (mlir::Value argument : block.getArguments())
    if (!retype(argument))
      return false;
  Expr turns = op.getCount().getExpr();
  SmallVector<mlir::Value> inputs(op.getInputs());
  if (differs(turns)) {
    Expr most = greatest(turns);
    if (!most)
      return refuse("a loop in it makes " + turns.str() + " turns");
    inputs.push_back(inside(most, 0, turns));
    if (!inputs.back())
      return false;
    size_t states = op.getInits().size();
    mlir::Value isInside = block.insertArgument(
        states + op.getInputs().size(),
        graph::TensorType::get(op.getContext(), {}, writer.builder.getI1Type()), op.getLoc());
    mlir::Operation *yield = block.getTerminator();
    auto chosen = [&](mlir::Value value, mlir::Value otherwise) {
      return writer.where(writer.broadcastTo(isInside, writer.sizes(value)), value, otherwise);
    };
    writer.builder.setInsertionPointToStart(&block);
    for (mlir::Value argument : block.getArguments()) {
      if (argument == isInside || !isFloat(writer.dtype(argument)))
        continue;
      mlir::Value none =
          writer.broadcastTo(writer.zero(writer.dtype(argument)), writer.sizes(argument));
      mlir::Value seen = chosen(argument, none);
      if (isPadded(argument))
        real[seen] = realSizes(argument);
      argument.replaceAllUsesExcept(seen, seen.getDefiningOp());
    }
    writer.builder.setInsertionPoint(yield);
    for (size_t state = 0; state < states; ++state)
      yield->setOperand(state, chosen(yield->getOperand(state), block.getArgument(state)));
    turns = most;
  }
  if (!all_of(op.getResults(), [&](mlir::Value result) { return retype(result); }))
    return false;
  writer.builder.setInsertionPoint(op);
  auto padded = graph::LoopOp::create(writer.builder, op.getLoc(), op.getResultTypes(),
                                      sym::ExprAttr::get(op.getContext(), turns), op.getInits(),
                                      inputs, op.getConstants());
  padded.getBody().takeBody(op.getBody());
  for (auto [from, to] : zip_equal(op.getResults(), padded.getResults())) {
    if (isPadded(from))
      real[to] = real.lookup(from);
    from.replaceAllUsesWith(to);
  }
  if (differs(op.getCount().getExpr()))
    for (mlir::Value stacked : padded.getResults().drop_front(padded.getInits().size()))
      clear(stacked, int64_t(0));
  op.erase();
  return true;
}

} // namespace nereid::torch
