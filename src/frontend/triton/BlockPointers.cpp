// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block pointers, which upstream removed in 3.9: they live on as what they were expanded to, a tile
// of pointers and a mask. With coordinate c_d = i64(offset_d) + range(B_d), an element lies at
// base + sum c_d * stride_d and is valid when 0 <= c_d < shape_d on every checked dimension.
#include "frontend/triton/TritonLibrary.h"

#include "mlir/IR/Matchers.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

using python::BinaryOperator;
using python::CompareOperator;

static bool readNumbers(KernelBuilder &kernel, PyValue value, StringRef what,
                        SmallVectorImpl<TensorValue *> &numbers) {
  auto items = sequence(value);
  if (!items) {
    kernel.fail(what + " of a block pointer must be a tuple, found " + kernel.describe(value));
    return false;
  }
  for (PyValue item : *items) {
    if (auto *known = dyn_cast<machine::IntObject>(plain(item)); known && known->isSmall()) {
      numbers.push_back(kernel.constant(item, Scalar::Int64));
      continue;
    }
    TensorValue *number = kernel.toTensor(item, what);
    if (!number)
      return false;
    if (number->isBlock() || !number->type.isInt()) {
      kernel.fail(what + " of a block pointer must be integers, found " + kernel.describe(number));
      return false;
    }
    numbers.push_back(kernel.castTo(number, Scalar::Int64));
  }
  return true;
}

BlockPointerValue *KernelBuilder::makeBlockPointer(PyValue base, PyValue shape, PyValue strides,
                                                   PyValue offsets, PyValue block) {
  auto *pointer = dyn_cast<TensorValue>(base);
  if (!pointer || !pointer->type.isPtr() || pointer->isBlock())
    return fail("the base of a block pointer must be a pointer argument, found " + describe(base));
  BlockPointerValue *result = library.makeBlockPointer();
  result->base = pointer;
  std::optional<Dims> dims = toDims(block, "block_shape");
  if (!dims || !checkDims(*dims) || !readNumbers(*this, shape, "the shape", result->shape) ||
      !readNumbers(*this, strides, "the strides", result->strides) ||
      !readNumbers(*this, offsets, "the offsets", result->offsets))
    return nullptr;
  size_t rank = dims->size();
  if (result->shape.size() != rank || result->strides.size() != rank ||
      result->offsets.size() != rank)
    return fail("shape, strides, offsets and block_shape of a block pointer must have one length");
  result->block = *dims;
  return result;
}

BlockPointerValue *KernelBuilder::advance(BlockPointerValue *pointer, PyValue offsets) {
  SmallVector<TensorValue *> deltas;
  if (!readNumbers(*this, offsets, "the offsets", deltas))
    return nullptr;
  if (deltas.size() != pointer->offsets.size())
    return fail("tl.advance needs one offset a dimension: expected " +
                Twine(pointer->offsets.size()) + ", found " + Twine(deltas.size()));
  BlockPointerValue *result = library.makeBlockPointer();
  result->base = pointer->base;
  result->shape = pointer->shape;
  result->strides = pointer->strides;
  result->block = pointer->block;
  for (auto [offset, delta, given] : zip(pointer->offsets, deltas, itemsOf(offsets))) {
    auto *known = dyn_cast<machine::IntObject>(given);
    bool stays = known && known->isSmall() && known->small == 0;
    result->offsets.push_back(stays ? offset : binary(BinaryOperator::Add, offset, delta));
  }
  return result;
}

/// The coordinates from an offset on along an axis of a block.
TensorValue *KernelBuilder::makeCoordinates(TensorValue *offset, Dim extent) {
  Dims axis{extent};
  TensorValue *range = emit<tile::RangeOp>(Scalar::Int32, tileType(Scalar::Int32, axis),
                                           builder.getI32IntegerAttr(0));
  return binary(BinaryOperator::Add, offset, castTo(range, Scalar::Int64));
}

std::optional<KernelBuilder::Pair> KernelBuilder::expandBlockPointer(BlockPointerValue *pointer,
                                                                     ArrayRef<int64_t> checked) {
  int64_t rank = pointer->block.size();
  for (int64_t d : checked)
    if (d < -rank || d >= rank) {
      fail("boundary_check names axis " + Twine(d) + " of a block pointer of rank " + Twine(rank));
      return std::nullopt;
    }
  SmallVector<bool> isChecked;
  SmallVector<TensorValue *> coordinates;
  for (int64_t d = 0; d < rank; ++d) {
    isChecked.push_back(is_contained(checked, d) || is_contained(checked, d - rank));
    coordinates.push_back(makeCoordinates(pointer->offsets[d], pointer->block[d]));
  }
  return expandCoordinates(*pointer, coordinates, isChecked);
}

std::optional<KernelBuilder::Pair>
KernelBuilder::expandCoordinates(const BlockPointerValue &pointer,
                                 ArrayRef<TensorValue *> coordinates, ArrayRef<bool> isChecked) {
  int64_t rank = coordinates.size();
  Dims block;
  TensorValue *offsets = nullptr, *mask = nullptr;
  for (int64_t d = 0; d < rank; ++d) {
    TensorValue *at = coordinates[d];
    if (at)
      block.push_back(at->dims()[0]);
    for (int64_t other = 0; at && other < rank; ++other)
      if (other != d)
        at = expandDims(at, other);
    TensorValue *stride = pointer.strides[d];
    TensorValue *part =
        !at || matchPattern(stride->value, m_One()) ? at : binary(BinaryOperator::Mult, at, stride);
    if (!part)
      return std::nullopt;
    offsets = offsets ? binary(BinaryOperator::Add, offsets, part) : part;
    if (!isChecked[d])
      continue;
    TensorValue *low = compare(CompareOperator::GtE, at, machine.makeInt(int64_t(0)));
    TensorValue *high = compare(CompareOperator::Lt, at, pointer.shape[d]);
    TensorValue *valid = logical(true, low, high);
    mask = mask ? logical(true, mask, valid) : valid;
  }
  TensorValue *address = binary(BinaryOperator::Add, pointer.base, offsets);
  if (!address)
    return std::nullopt;
  if (mask)
    mask = broadcastTo(mask, block);
  return Pair(address, mask);
}

} // namespace nereid::triton
