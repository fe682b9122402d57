// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/GradientWriter.h"

using namespace mlir;
using nereid::graph::FoldKind;
using Tensor = nereid::graph::TensorType;

namespace nereid::autodiff {

bool isZero(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_if_present<graph::BroadcastOp>(op))
    return isZero(broadcast.getInput());
  auto constant = dyn_cast_if_present<graph::ConstantOp>(op);
  if (!constant)
    return false;
  if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
    return real.getValue().isZero();
  return cast<IntegerAttr>(constant.getValue()).getInt() == 0;
}

Value GradientWriter::create(StringRef name, ValueRange operands, Type type) {
  OperationState state(place, ("graph." + name).str());
  state.addOperands(operands);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

Expr GradientWriter::constantSize(int64_t value) {
  return sym::SymDialect::getIndexContext(builder.getContext()).constant(value);
}

Value GradientWriter::scalar(Type element, double number) {
  Attribute value = isa<FloatType>(element)
                        ? Attribute(builder.getF64FloatAttr(number))
                        : builder.getI64IntegerAttr(static_cast<int64_t>(number));
  return graph::ConstantOp::create(builder, place, Tensor::get(builder.getContext(), {}, element),
                                   value);
}

Value GradientWriter::filled(ArrayRef<Expr> sizes, Type element, double number) {
  Value value = scalar(element, number);
  return sizes.empty() ? value : broadcast(value, {}, sizes);
}

Value GradientWriter::size(Expr expr) {
  auto type = graph::TensorType::get(builder.getContext(), {}, builder.getI64Type());
  return graph::SizeOp::create(builder, place, type,
                               sym::ExprAttr::get(builder.getContext(), expr));
}

Value GradientWriter::iota(int64_t dim, ArrayRef<Expr> sizes) {
  return graph::IotaOp::create(builder, place,
                               Tensor::get(builder.getContext(), sizes, builder.getI64Type()), dim);
}

Value GradientWriter::unary(StringRef name, Value a) {
  return a ? create(name, a, a.getType()) : a;
}

Value GradientWriter::binary(StringRef name, Value a, Value b) {
  if (!a && !b)
    return Value();
  if (name == "mul" && (!a || !b))
    return Value();
  if (name == "div" && !a)
    return Value();
  if (name == "add" && (!a || !b))
    return a ? a : b;
  if (name == "sub" && (!a || !b))
    return a ? a : neg(b);
  if (!a)
    a = like(b, 0);
  if (!b)
    b = like(a, 0);
  return create(name, {a, b}, a.getType());
}

Value GradientWriter::test(StringRef name, Value a, Value b) {
  Type type = graph::boolTensorLike(a.getType());
  return b ? create(name, {a, b}, type) : create(name, a, type);
}

Value GradientWriter::where(Value condition, Value a, Value b, bool hides) {
  if (!a && !b)
    return Value();
  if (!a)
    a = like(b, 0);
  if (!b)
    b = like(a, 0);
  return graph::WhereOp::create(builder, place, a.getType(), condition, a, b, hides);
}

Value GradientWriter::cast(Value value, Type element, bool elidable) {
  if (!value || typeOf(value).getElementType() == element)
    return value;
  return graph::CastOp::create(builder, place, typeOf(value).withElementType(element), value,
                               elidable);
}

Value GradientWriter::broadcast(Value value, ArrayRef<int64_t> dims, ArrayRef<Expr> sizes) {
  if (!value || sizesOf(value) == sizes)
    return value;
  return graph::BroadcastOp::create(builder, place, typeOf(value).withSizes(sizes), value, dims);
}

Value GradientWriter::transpose(Value value, ArrayRef<int64_t> order) {
  if (!value || llvm::is_sorted(order))
    return value;
  SmallVector<Expr> sizes;
  for (int64_t axis : order)
    sizes.push_back(sizesOf(value)[axis]);
  return graph::TransposeOp::create(builder, place, typeOf(value).withSizes(sizes), value, order);
}

Value GradientWriter::reshape(Value value, ArrayRef<Expr> sizes) {
  if (!value || sizesOf(value) == sizes)
    return value;
  return graph::ReshapeOp::create(builder, place, typeOf(value).withSizes(sizes), value);
}

Value GradientWriter::slice(Value value, int64_t dim, Expr start, int64_t step, Expr size) {
  if (!value || (start.isConstant(0) && step == 1 && sizesOf(value)[dim] == size))
    return value;
  SmallVector<Expr> sizes(sizesOf(value));
  sizes[dim] = size;
  return graph::SliceOp::create(builder, place, typeOf(value).withSizes(sizes), value, dim,
                                sym::ExprAttr::get(builder.getContext(), start), step);
}

Value GradientWriter::pad(Value value, int64_t dim, Expr low, Expr size) {
  if (!value || (low.isConstant(0) && sizesOf(value)[dim] == size))
    return value;
  SmallVector<Expr> sizes(sizesOf(value));
  sizes[dim] = size;
  return graph::PadOp::create(builder, place, typeOf(value).withSizes(sizes), value,
                              scalar(typeOf(value).getElementType(), 0), dim,
                              sym::ExprAttr::get(builder.getContext(), low));
}

Value GradientWriter::flip(Value value, ArrayRef<int64_t> dims) {
  return value ? graph::FlipOp::create(builder, place, value.getType(), value, dims) : value;
}

Value GradientWriter::gather(Value value, Value indices, int64_t dim) {
  return value ? graph::GatherOp::create(builder, place, typeOf(value).withSizes(sizesOf(indices)),
                                         value, indices, dim)
               : value;
}

Value GradientWriter::scatter(Value updates, Value indices, int64_t dim, Expr size, Places places,
                              FoldKind kind) {
  if (!updates)
    return updates;
  SmallVector<Expr> sizes(sizesOf(updates));
  sizes[dim] = size;
  return graph::ScatterOp::create(builder, place, typeOf(updates).withSizes(sizes), kind, updates,
                                  indices, dim, places == Places::Unique, places == Places::Sorted);
}

Value GradientWriter::segment(FoldKind kind, Value value, Value bounds) {
  if (!value)
    return value;
  SmallVector<Expr> sizes(sizesOf(value));
  sizes[0] = sizesOf(bounds)[0] - 1;
  return graph::SegmentOp::create(builder, place, typeOf(value).withSizes(sizes), kind, value,
                                  bounds);
}

Value GradientWriter::fold(FoldKind kind, Value value, ArrayRef<int64_t> dims) {
  if (!value || dims.empty())
    return value;
  SmallVector<Expr> sizes;
  for (auto [axis, size] : llvm::enumerate(sizesOf(value)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(axis)))
      sizes.push_back(size);
  auto isOne = [&](int64_t axis) { return sizesOf(value)[axis].isConstant(1); };
  if (kind == FoldKind::Sum && llvm::all_of(dims, isOne))
    return reshape(value, sizes);
  return graph::FoldOp::create(builder, place, typeOf(value).withSizes(sizes), kind, value, dims);
}

Value GradientWriter::scan(FoldKind kind, Value value, int64_t dim, bool reverse, Value resets) {
  return value ? graph::ScanOp::create(builder, place, value.getType(), kind, value, resets, dim,
                                       reverse)
               : value;
}

Value GradientWriter::alongFolded(Value folded, ArrayRef<int64_t> dims, ArrayRef<Expr> sizes) {
  SmallVector<int64_t> kept;
  for (int64_t axis = 0, rank = sizes.size(); axis < rank; ++axis)
    if (!llvm::is_contained(dims, axis))
      kept.push_back(axis);
  return broadcast(folded, kept, sizes);
}

/// Whether an operator gives zero where these of its operands are.
static bool staysZero(Operation &op, ArrayRef<Value> operands) {
  StringRef name = op.getName().stripDialect();
  auto zero = [&](unsigned number) { return !operands[number]; };
  if (name == "mul")
    return zero(0) || zero(1);
  if (name == "where")
    return zero(1) && zero(2);
  if (auto fold = dyn_cast<graph::FoldOp>(op))
    return zero(0) && fold.getKind() == FoldKind::Sum;
  if (auto scan = dyn_cast<graph::ScanOp>(op))
    return zero(0) && scan.getKind() == FoldKind::Sum;
  if (auto scatter = dyn_cast<graph::ScatterOp>(op))
    return zero(0) && scatter.getKind() == FoldKind::Sum;
  static constexpr StringLiteral linear[] = {"neg",     "div",        "broadcast", "transpose",
                                             "reshape", "slice",      "flip",      "window",
                                             "gather",  "contiguous", "detach"};
  if (llvm::is_contained(linear, name))
    return zero(0);
  return name == "cast" && zero(0) &&
         isa<FloatType>(Tensor(cast<Tensor>(op.getResult(0).getType())).getElementType());
}

SmallVector<Value, 1> GradientWriter::copy(Operation &op, ArrayRef<Value> operands) {
  bool someZero = llvm::is_contained(operands, Value());
  StringRef name = op.getName().stripDialect();
  if (someZero && staysZero(op, operands))
    return SmallVector<Value, 1>(op.getNumResults());
  if (someZero && (name == "add" || name == "sub"))
    return {binary(name, operands[0], operands[1])};
  SmallVector<Value> filledIn(operands);
  for (auto [number, operand] : llvm::enumerate(filledIn))
    if (!operand)
      operand = like(op.getOperand(number), 0);
  Operation *clone = builder.clone(op);
  clone->setOperands(filledIn);
  return SmallVector<Value, 1>(clone->getResults());
}

} // namespace nereid::autodiff
