// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the body of a loop reads at places that move with the turn: parts of tensors and numbers of
// all turns, as inputs of the loop.
#include "frontend/torch/LoopReader.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// The part of a tensor that each turn reads, along a new first axis; null where its places do not
/// move by a constant.
mlir::Value LoopReader::stackedRows(graph::SliceOp slice) {
  GraphWriter &writer = t.writer;
  int64_t dim = slice.getDim();
  Expr length = t.solver.resolve(writer.sizes(slice.getResult())[dim]);
  auto linear = index::asLinearIn(t.solver.resolve(slice.getStart().getExpr()), index);
  if (!linear || slice.getStep() != 1)
    return {};
  std::optional<int64_t> stride = linear->coefficient.getConstant();
  bool isBackwards = stride && *stride < 0;
  Expr distance = isBackwards ? -linear->coefficient : linear->coefficient;
  bool isRow = length.isConstant(1), isPiece = length == distance;
  if ((!stride && !isPiece) || (stride && *stride == 0))
    return {};
  Expr low = isBackwards ? linear->rest + (count - 1) * *stride : linear->rest;
  low = t.solver.resolve(low);
  mlir::Value rows;
  if (isRow || isPiece) {
    rows = isRow ? writer.slice(slice.getInput(), dim, low, std::abs(stride.value_or(1)), count)
                 : writer.slice(slice.getInput(), dim, low, 1, t.solver.resolve(count * length));
    Sizes sizes = writer.sizes(rows);
    sizes[dim] = count;
    sizes.insert(sizes.begin() + dim + 1, length);
    rows = writer.reshape(rows, sizes);
  } else {
    // Windows over what the first turn to the last one read.
    if (!t.solver.require(index::ge(count, 1), "the number of turns of a loop must be at least 1"))
      return {};
    Expr all = t.solver.resolve((count - 1) * std::abs(*stride) + length);
    rows = writer.window(writer.slice(slice.getInput(), dim, low, 1, all), dim, std::abs(*stride),
                         count, length);
  }
  return turnsFirst(isBackwards ? writer.flip(rows, {dim}) : rows, dim);
}

/// What turns read, `turns` of it along an axis, with that axis first.
mlir::Value LoopReader::turnsFirst(mlir::Value rows, int64_t turns) {
  SmallVector<int64_t> order{turns};
  for (int64_t axis = 0, rank = t.writer.rank(rows); axis < rank; ++axis)
    if (axis != turns)
      order.push_back(axis);
  return t.writer.transpose(rows, order);
}

/// The places from a number on, along a last axis.
static mlir::Value placesFrom(GraphWriter &writer, mlir::Value number, Expr length, int64_t step) {
  Sizes sizes = writer.sizes(number);
  int64_t rank = sizes.size();
  sizes.push_back(length);
  SmallVector<int64_t> dims;
  for (int64_t axis = 0; axis < rank; ++axis)
    dims.push_back(axis);
  mlir::Value places = writer.broadcast(number, dims, sizes);
  if (length.isConstant(1))
    return places;
  mlir::Value offset = writer.iota(rank, sizes, DType::I64);
  if (step != 1)
    offset = writer.pointwise(
        "mul", {offset, writer.broadcastTo(writer.integer(DType::I64, step), sizes)});
  return writer.pointwise("add", {places, offset});
}

/// input.index_select(dim, places) for places of any rank, whose axes replace `dim`.
static mlir::Value gathered(GraphWriter &writer, mlir::Value input, mlir::Value places,
                            int64_t dim) {
  Sizes flat = writer.sizes(input), index = writer.sizes(places), to = flat;
  flat[dim] = writer.solver.resolve(index::product(writer.solver.getContext(), index));
  to.erase(to.begin() + dim);
  to.insert(to.begin() + dim, index.begin(), index.end());
  places = writer.broadcast(writer.reshape(places, {flat[dim]}), {dim}, flat);
  return writer.reshape(writer.gather(input, places, dim), to);
}

/// The same where places move otherwise (`t % 3`): by their numbers; null where these cannot be
/// computed.
mlir::Value LoopReader::gatheredRows(graph::SliceOp slice) {
  std::optional<mlir::Value> starts = stackedNumber(slice.getStart().getExpr());
  if (!starts)
    return {};
  int64_t dim = slice.getDim();
  Expr length = t.writer.sizes(slice.getResult())[dim];
  mlir::Value places = placesFrom(t.writer, *starts, length, slice.getStep());
  return turnsFirst(gathered(t.writer, slice.getInput(), places, dim), dim);
}

/// The part of what is carried at a place that moves from turn to turn, by its number.
mlir::Value LoopReader::gatheredPart(graph::SliceOp slice) {
  mlir::Value start = numberInBody(slice.getStart().getExpr());
  if (!start)
    return {};
  mlir::OpBuilder::InsertionGuard guard(t.writer.builder);
  t.writer.builder.setInsertionPoint(slice);
  t.writer.place = slice.getLoc();
  int64_t dim = slice.getDim();
  Expr length = t.writer.sizes(slice.getResult())[dim];
  return gathered(t.writer, slice.getInput(), placesFrom(t.writer, start, length, slice.getStep()),
                  dim);
}

/// An index expression as a value of the body: an input of the loop.
mlir::Value LoopReader::numberInBody(Expr expr) {
  expr = t.solver.resolve(expr);
  if (mlir::Value known = numbers.lookup(expr))
    return known;
  std::optional<mlir::Value> stacked = stackedNumber(expr);
  return stacked ? numbers[expr] = addInput(*stacked) : mlir::Value();
}

/// The operator of tensors for one of index expressions; empty for sums and products.
static StringRef nameOf(index::ExprKind kind) {
  switch (kind) {
  case index::ExprKind::Mod:
    return "remainder";
  case index::ExprKind::FloorDiv:
    return "floordiv";
  case index::ExprKind::Min:
    return "minimum";
  case index::ExprKind::Max:
    return "maximum";
  default:
    return "";
  }
}

/// The values of an index expression in all turns; nullopt for what cannot be computed so.
std::optional<mlir::Value> LoopReader::stackedNumber(Expr expr) {
  GraphWriter &writer = t.writer;
  Sizes all{count};
  auto filled = [&](mlir::Value value) { return writer.broadcastTo(value, all); };
  expr = t.solver.resolve(expr);
  if (!index::contains(expr, index))
    return filled(writer.size(expr));
  if (expr == index)
    return writer.iota(0, all, DType::I64);
  StringRef name = nameOf(expr.getKind());
  if (!name.empty()) {
    mlir::Value folded;
    for (Expr operand : expr.getOperands()) {
      auto value = stackedNumber(operand);
      if (!value)
        return std::nullopt;
      folded = folded ? writer.pointwise(name, {folded, *value}) : *value;
    }
    return folded;
  }
  if (expr.getKind() == index::ExprKind::Product) {
    mlir::Value product;
    for (const index::Factor &factor : expr.getFactors())
      for (unsigned power = 0; power < factor.power; ++power) {
        auto value = stackedNumber(factor.atom);
        if (!value)
          return std::nullopt;
        product = product ? writer.pointwise("mul", {product, *value}) : *value;
      }
    return product;
  }
  if (expr.getKind() != index::ExprKind::Sum)
    return std::nullopt;
  mlir::Value sum = filled(writer.integer(DType::I64, expr.getConstantTerm()));
  for (const index::Term &term : expr.getTerms()) {
    auto value = stackedNumber(term.monomial);
    if (!value)
      return std::nullopt;
    mlir::Value factor = filled(writer.integer(DType::I64, term.coefficient));
    sum = writer.pointwise("add", {sum, writer.pointwise("mul", {*value, factor})});
  }
  return sum;
}

/// The argument of the body for the elements of an input along its first axis.
mlir::Value LoopReader::addInput(mlir::Value stacked) {
  inputs.push_back(stacked);
  Sizes sizes = t.writer.sizes(stacked);
  auto type = cast<graph::TensorType>(stacked.getType());
  return body->addArgument(type.withSizes(ArrayRef<Expr>(sizes).drop_front()), stacked.getLoc());
}

} // namespace nereid::torch
