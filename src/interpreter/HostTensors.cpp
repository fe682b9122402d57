// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host programs do with tensors: copies, allocations with PyTorch's strides, views and
// assignments.
#include "interpreter/HostRunner.h"

using namespace mlir;

namespace nereid::interpreter {

LogicalResult HostRunner::runContiguous(host::ContiguousOp op) {
  Tensor tensor = getTensor(op.getTensor());
  if (!tensor.isContiguous()) {
    Tensor copy = makeEmpty(tensor.storage->name + ".contiguous()", tensor.elementType,
                            tensor.sizes, getContiguousStrides(tensor.sizes), false);
    copyElements(tensor, copy);
    tensor = copy;
  }
  // Strides of axes of extent 1 are free: take those of the type.
  tensor.strides = getContiguousStrides(tensor.sizes);
  values[op.getResult()] = tensor;
  return success();
}

/// Whether axis `a` of the result lies outside axis `b`, as the inputs' strides say: the first
/// input that tells them apart decides; 0 when none does.
static int compareAxes(ArrayRef<Tensor> inputs, ArrayRef<int64_t> sizes, size_t a, size_t b) {
  auto strideOf = [&](const Tensor &input, size_t axis) -> int64_t {
    int64_t own = static_cast<int64_t>(axis) - static_cast<int64_t>(sizes.size() - input.getRank());
    return own < 0 || input.sizes[own] != sizes[axis] ? 0 : input.strides[own];
  };
  for (const Tensor &input : inputs) {
    int64_t first = strideOf(input, a), second = strideOf(input, b);
    if (first == 0 || second == 0)
      continue;
    if (first != second)
      return first < second ? -1 : 1;
    if (sizes[a] != sizes[b] && sizes[a] > sizes[b])
      return 1;
  }
  return 0;
}

/// The strides that PyTorch's pointwise operators give a result: dense, in the order of the inputs'
/// strides. An insertion sort that, like PyTorch's, only moves an axis where an input decides.
static SmallVector<int64_t> getPointwiseStrides(ArrayRef<Tensor> inputs, ArrayRef<int64_t> sizes) {
  SmallVector<size_t> order; // innermost first
  for (size_t axis = sizes.size(); axis-- > 0;)
    order.push_back(axis);
  for (size_t i = 1; i < order.size(); ++i) {
    size_t moved = i;
    for (size_t j = i; j-- > 0;) {
      int compared = compareAxes(inputs, sizes, order[j], order[moved]);
      if (compared > 0) {
        std::swap(order[j], order[moved]);
        moved = j;
      } else if (compared < 0) {
        break;
      }
    }
  }
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t axis : order) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(sizes[axis], 1);
  }
  return strides;
}

/// The strides of a tensor that is like others; its type's symbols stand for them from here on.
FailureOr<SmallVector<int64_t>> HostRunner::bindStrides(Operation *op, ValueRange like,
                                                        host::TensorType type) {
  FailureOr<SmallVector<int64_t>> sizes = evaluate(op, type.getSizes());
  if (failed(sizes))
    return failure();
  SmallVector<Tensor> inputs;
  for (Value input : like)
    inputs.push_back(getTensor(input));
  SmallVector<int64_t> strides = getPointwiseStrides(inputs, *sizes);
  for (auto [symbol, stride] : llvm::zip(type.getStrides(), strides))
    symbols[symbol.getName()] = stride;
  return strides;
}

LogicalResult HostRunner::runCopyLike(host::CopyLikeOp op) {
  host::TensorType type = op.getResult().getType();
  auto strides = bindStrides(op, op.getLike(), type);
  if (failed(strides))
    return failure();
  Tensor tensor = getTensor(op.getTensor());
  Tensor copy = makeEmpty(nameOf(op), type.getElementType(), tensor.sizes, *strides, false);
  copyElements(tensor, copy);
  values[op.getResult()] = copy;
  return success();
}

LogicalResult HostRunner::runEmpty(host::EmptyOp op) {
  host::TensorType type = op.getResult().getType();
  FailureOr<SmallVector<int64_t>> sizes = evaluate(op, type.getSizes());
  if (failed(sizes))
    return failure();
  auto strides =
      op.getLike().empty() ? evaluate(op, type.getStrides()) : bindStrides(op, op.getLike(), type);
  if (failed(strides))
    return failure();
  values[op.getResult()] =
      makeEmpty(nameOf(op), type.getElementType(), *sizes, *strides, options.checked);
  return success();
}

LogicalResult HostRunner::runFull(host::FullOp op) {
  host::TensorType type = op.getResult().getType();
  FailureOr<SmallVector<int64_t>> sizes = evaluate(op, type.getSizes());
  FailureOr<SmallVector<int64_t>> strides = evaluate(op, type.getStrides());
  if (failed(sizes) || failed(strides))
    return failure();
  Tensor tensor = makeEmpty(nameOf(op), type.getElementType(), *sizes, *strides, false);
  HostValue value = get(op.getValue());
  const auto *integer = std::get_if<int64_t>(&value);
  for (int64_t i = 0, count = tensor.getNumElements(); i < count; ++i) {
    if (integer && !isFloat(tensor.getElement()) && tensor.getElement() != Element::I1)
      std::memcpy(tensor.at(i), integer, getBytes(tensor.getElement()));
    else
      tensor.set(i, integer ? static_cast<double>(*integer) : std::get<double>(value));
  }
  values[op.getResult()] = tensor;
  return success();
}

LogicalResult HostRunner::runView(host::ViewOp op) {
  host::TensorType type = op.getResult().getType();
  Tensor tensor = getTensor(op.getTensor());
  FailureOr<SmallVector<int64_t>> sizes = evaluate(op, type.getSizes());
  FailureOr<SmallVector<int64_t>> strides = evaluate(op, type.getStrides());
  FailureOr<int64_t> offset = evaluate(op, op.getOffset().getExpr());
  if (failed(sizes) || failed(strides) || failed(offset))
    return failure();
  tensor.sizes = *sizes;
  tensor.strides = *strides;
  tensor.offset += *offset;
  int64_t last = tensor.offset, first = tensor.offset;
  for (auto [size, stride] : llvm::zip(*sizes, *strides))
    (stride < 0 ? first : last) += (size - 1) * stride;
  int64_t elements = tensor.storage->bytes.size() / getBytes(tensor.getElement());
  if (tensor.getNumElements() > 0 && (first < 0 || last >= elements))
    return op.emitError() << "a view of elements " << first << " to " << last << " of '"
                          << tensor.storage->name << "', which has " << elements;
  values[op.getResult()] = tensor;
  return success();
}

LogicalResult HostRunner::runAssign(host::AssignOp op) {
  Tensor target = getTensor(op.getTarget()), value = getTensor(op.getValue());
  if (target.sizes != value.sizes)
    return op.emitError() << "sizes of target and value differ";
  Tensor copy = makeEmpty("assigned", value.elementType, value.sizes,
                          getContiguousStrides(value.sizes), false);
  copyElements(value, copy);
  copyElements(copy, target);
  return success();
}

} // namespace nereid::interpreter
