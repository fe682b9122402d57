// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/GraphWriter.h"

#include "mlir/IR/BuiltinOps.h"

using namespace llvm;
using mlir::Value;
using nereid::graph::FoldKind;

namespace nereid::torch {

Sizes GraphWriter::sizes(Value value) {
  Sizes result;
  for (Expr size : typeOf(value).getSizes())
    result.push_back(solver.resolve(size));
  return result;
}

graph::TensorType GraphWriter::type(ArrayRef<Expr> sizes, DType dtype) {
  return graph::TensorType::get(builder.getContext(), sizes, toMlir(dtype, builder.getContext()));
}

Value GraphWriter::create(StringRef name, mlir::ValueRange operands, mlir::Type type) {
  mlir::OperationState state(place, name);
  state.addOperands(operands);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

Value GraphWriter::number(DType dtype, double value) {
  if (dtype == DType::Bool)
    return integer(dtype, value != 0);
  if (!isFloat(dtype))
    return integer(dtype, static_cast<int64_t>(value));
  return graph::ConstantOp::create(builder, place, type({}, dtype), builder.getF64FloatAttr(value));
}

Value GraphWriter::integer(DType dtype, int64_t value) {
  if (isFloat(dtype))
    return number(dtype, static_cast<double>(value));
  if (dtype == DType::Bool)
    value = value != 0;
  return graph::ConstantOp::create(builder, place, type({}, dtype),
                                   builder.getI64IntegerAttr(value));
}

Value GraphWriter::size(Expr expr) {
  expr = solver.resolve(expr);
  if (std::optional<int64_t> value = expr.getConstant())
    return integer(DType::I64, *value);
  return graph::SizeOp::create(builder, place, type({}, DType::I64),
                               sym::ExprAttr::get(builder.getContext(), expr));
}

Value GraphWriter::iota(int64_t dim, ArrayRef<Expr> sizes, DType dtype) {
  return graph::IotaOp::create(builder, place, type(sizes, dtype), dim);
}

Value GraphWriter::unknown(ArrayRef<Expr> sizes, DType dtype, StringRef why) {
  auto cast = mlir::UnrealizedConversionCastOp::create(
      builder, place, mlir::TypeRange{type(sizes, dtype)}, mlir::ValueRange{});
  cast->setAttr("why", builder.getStringAttr(why));
  return cast.getResult(0);
}

Value GraphWriter::cast(Value value, DType to, bool elidable) {
  DType from = dtype(value);
  if (from == to)
    return value;
  // A widening of what was narrowed by implication stays: stage 1 stores the narrow value.
  return graph::CastOp::create(builder, place, type(sizes(value), to), value, elidable);
}

Value GraphWriter::broadcast(Value value, ArrayRef<int64_t> dims, ArrayRef<Expr> to) {
  if (static_cast<size_t>(rank(value)) == to.size() && ArrayRef<Expr>(sizes(value)) == to)
    return value;
  SmallVector<int64_t> axes(dims);
  if (auto inner = value.getDefiningOp<graph::BroadcastOp>()) {
    axes.clear();
    for (int64_t dim : inner.getDims())
      axes.push_back(dims[dim]);
    value = inner.getInput();
  }
  return graph::BroadcastOp::create(builder, place, type(to, dtype(value)), value, axes);
}

Value GraphWriter::broadcastTo(Value value, ArrayRef<Expr> to) {
  SmallVector<int64_t> dims;
  for (int64_t axis = 0, own = rank(value); axis < own; ++axis)
    dims.push_back(static_cast<int64_t>(to.size()) - own + axis);
  return broadcast(value, dims, to);
}

Value GraphWriter::reshape(Value value, ArrayRef<Expr> to) {
  if (ArrayRef<Expr>(sizes(value)) == to)
    return value;
  if (auto inner = value.getDefiningOp<graph::ReshapeOp>()) {
    value = inner.getInput();
    if (ArrayRef<Expr>(sizes(value)) == to)
      return value;
  }
  return graph::ReshapeOp::create(builder, place, type(to, dtype(value)), value);
}

Value GraphWriter::contiguous(Value value) {
  return graph::ContiguousOp::create(builder, place, value);
}

Value GraphWriter::transpose(Value value, ArrayRef<int64_t> order) {
  if (is_sorted(order))
    return value;
  Sizes from = sizes(value), to;
  for (int64_t axis : order)
    to.push_back(from[axis]);
  return graph::TransposeOp::create(builder, place, type(to, dtype(value)), value, order);
}

/// The part of a concat in which a slice lies; null when it is not one part.
Value GraphWriter::sliceOfConcat(graph::ConcatOp joined, Expr start, Expr size) {
  Expr offset = constantSize(0);
  for (Value part : joined.getInputs()) {
    Expr extent = sizes(part)[joined.getDim()];
    Expr inside = solver.resolve(start - offset);
    bool whole = inside.isConstant(0) && solver.resolve(size) == extent;
    if (whole)
      return part;
    std::optional<int64_t> first = inside.getConstant(), length = size.getConstant(),
                           room = extent.getConstant();
    if (first && length && room && *first >= 0 && *first + *length <= *room)
      return slice(part, joined.getDim(), inside, 1, size);
    offset = offset + extent;
  }
  return Value();
}

Value GraphWriter::slice(Value value, int64_t dim, Expr start, int64_t step, Expr size) {
  Sizes to = sizes(value);
  if (start.isConstant(0) && step == 1 && to[dim] == size)
    return value;
  to[dim] = size;
  if (auto joined = value.getDefiningOp<graph::ConcatOp>();
      joined && step == 1 && static_cast<int64_t>(joined.getDim()) == dim)
    if (Value part = sliceOfConcat(joined, start, size))
      return part;
  return graph::SliceOp::create(builder, place, type(to, dtype(value)), value, dim,
                                sym::ExprAttr::get(builder.getContext(), start), step);
}

Value GraphWriter::pad(Value value, Value fill, int64_t dim, Expr low, Expr high) {
  if (low.isConstant(0) && high.isConstant(0))
    return value;
  Sizes to = sizes(value);
  to[dim] = solver.resolve(to[dim] + low + high);
  return graph::PadOp::create(builder, place, type(to, dtype(value)), value, fill, dim,
                              sym::ExprAttr::get(builder.getContext(), low));
}

Value GraphWriter::flip(Value value, ArrayRef<int64_t> dims) {
  return dims.empty() ? value : graph::FlipOp::create(builder, place, value.getType(), value, dims);
}

Value GraphWriter::concat(ArrayRef<Value> values, int64_t dim) {
  if (values.size() == 1)
    return values.front();
  if (Value windows = shiftedPieces(values, dim))
    return windows;
  Sizes to = sizes(values.front());
  Expr total = to[dim];
  for (Value value : values.drop_front())
    total = total + sizes(value)[dim];
  to[dim] = solver.resolve(total);
  return graph::ConcatOp::create(builder, place, type(to, dtype(values.front())), values, dim);
}

Value GraphWriter::gather(Value value, Value indices, int64_t dim) {
  return graph::GatherOp::create(builder, place, type(sizes(indices), dtype(value)), value, indices,
                                 dim);
}

Value GraphWriter::window(Value value, int64_t dim, int64_t step, Expr count, Expr length) {
  Sizes to = sizes(value);
  to[dim] = length;
  to.insert(to.begin() + dim, count);
  return graph::WindowOp::create(builder, place, type(to, dtype(value)), value, dim, step);
}

Value GraphWriter::scatter(FoldKind kind, Value updates, Value indices, int64_t dim, Expr size,
                           bool unique) {
  Sizes to = sizes(updates);
  to[dim] = size;
  return graph::ScatterOp::create(builder, place, type(to, dtype(updates)), kind, updates, indices,
                                  dim, unique, /*sorted=*/false);
}

Value GraphWriter::segment(FoldKind kind, Value value, Value bounds) {
  Sizes to = sizes(value);
  to[0] = solver.resolve(sizes(bounds)[0] - 1);
  return graph::SegmentOp::create(builder, place, type(to, dtype(value)), kind, value, bounds);
}

Value GraphWriter::fold(FoldKind kind, Value value, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return value;
  Sizes from = sizes(value), to;
  for (auto [axis, size] : enumerate(from))
    if (!is_contained(dims, static_cast<int64_t>(axis)))
      to.push_back(size);
  bool arg = kind == FoldKind::Argmax || kind == FoldKind::Argmin;
  return graph::FoldOp::create(builder, place, type(to, arg ? DType::I64 : dtype(value)), kind,
                               value, dims);
}

Value GraphWriter::scan(FoldKind kind, Value value, int64_t dim) {
  return graph::ScanOp::create(builder, place, value.getType(), kind, value, /*resets=*/Value(),
                               dim,
                               /*reverse=*/false);
}

std::pair<Value, Value> GraphWriter::sort(Value value, int64_t dim, bool descending, Expr count) {
  Sizes to = sizes(value);
  to[dim] = count;
  auto sort = graph::SortOp::create(builder, place, type(to, dtype(value)), type(to, DType::I64),
                                    value, dim, descending);
  return {sort.getValues(), sort.getIndices()};
}

Value GraphWriter::pointwise(StringRef name, mlir::ValueRange operands) {
  return create(("graph." + name).str(), operands, type(sizes(operands[0]), dtype(operands[0])));
}

Value GraphWriter::test(StringRef name, mlir::ValueRange operands) {
  return create(("graph." + name).str(), operands, type(sizes(operands[0]), DType::Bool));
}

Value GraphWriter::where(Value condition, Value a, Value b, bool hides) {
  return graph::WhereOp::create(builder, place, type(sizes(a), dtype(a)), condition, a, b, hides);
}

} // namespace nereid::torch
