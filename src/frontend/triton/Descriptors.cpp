// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors made in a kernel: as block pointers, expanded to pointers and masks. What lies
// outside of the tensor reads as the padding and is not written.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

static std::optional<int64_t> knownSize(PyValue value) {
  auto *integer = dyn_cast<machine::IntObject>(plain(value));
  return integer && integer->isSmall() ? std::optional(integer->small) : std::nullopt;
}

/// The rules of the hardware's descriptors, which upstream checks on every target.
static bool checkDescriptor(KernelBuilder &kernel, DType element, ArrayRef<PyValue> strides,
                            ArrayRef<Dim> block) {
  int64_t bytes = (element.bits() + 7) / 8;
  if (block.empty() || block.size() > 5)
    return kernel.fail("a tensor descriptor has one to five dimensions, found " +
                       Twine(block.size()));
  if (block.back().size * bytes < 16)
    return kernel.fail(
        "the last extent of a descriptor's block must hold at least 16 bytes, found " +
        Twine(block.back().size * bytes));
  if (knownSize(strides.back()) != 1)
    return kernel.fail("the last stride of a tensor descriptor must be the constexpr 1, found " +
                           kernel.describe(strides.back()),
                       "write strides=(stride, 1)");
  for (PyValue stride : strides.drop_back())
    if (auto known = knownSize(stride); known && *known * bytes % 16 != 0)
      return kernel.fail(
          "the strides of a tensor descriptor must be multiples of 16 bytes, found " +
          Twine(*known * bytes));
  return true;
}

BlockPointerValue *KernelBuilder::makeDescriptor(PyValue base, PyValue shape, PyValue strides,
                                                 PyValue block, StringRef padding) {
  SmallVector<PyValue> zeros(itemsOf(block).size(), machine.makeInt(int64_t(0)));
  BlockPointerValue *result =
      makeBlockPointer(base, shape, strides, machine.makeTuple(zeros), block);
  if (!result)
    return nullptr;
  DType element = result->base->type.pointee();
  if (!checkDescriptor(*this, element, itemsOf(strides), result->block))
    return nullptr;
  result->padsWithNan = padding == "nan";
  if (result->padsWithNan && !element.isFloat())
    return fail("padding_option=\"nan\" needs floats, found " + element.name());
  library.makeDescriptor(*result);
  result->offsets.clear();
  return result;
}

/// The pointers and the mask of a descriptor's block at these offsets.
std::optional<KernelBuilder::Pair> KernelBuilder::expandDescriptor(PyValue value, PyValue offsets) {
  auto *descriptor = dyn_cast<BlockPointerValue>(value);
  if (!descriptor || !descriptor->isDescriptor) {
    fail("expected a tensor descriptor, found " + describe(value),
         "make one with tl.make_tensor_descriptor(base, shape, strides, block_shape)");
    return std::nullopt;
  }
  ArrayRef<PyValue> given = itemsOf(offsets);
  if (given.size() != descriptor->block.size()) {
    fail("a descriptor of rank " + Twine(descriptor->block.size()) +
         " needs as many offsets, found " + Twine(given.size()));
    return std::nullopt;
  }
  BlockPointerValue *at = library.makeBlockPointer();
  at->base = descriptor->base;
  at->shape = descriptor->shape;
  at->strides = descriptor->strides;
  at->block = descriptor->block;
  SmallVector<int64_t> checked;
  for (auto [axis, offset] : enumerate(given)) {
    TensorValue *number = toTensor(offset, "an offset");
    if (!number)
      return std::nullopt;
    if (number->isBlock() || !number->type.isInt() || number->type.bits() == 64) {
      fail("the offsets of a descriptor are 32-bit integers, found " + describe(number),
           "cast it: offset.to(tl.int32)");
      return std::nullopt;
    }
    at->offsets.push_back(castTo(number, Scalar::Int64));
    checked.push_back(axis);
  }
  return expandBlockPointer(at, checked);
}

TensorValue *KernelBuilder::loadDescriptor(PyValue value, PyValue offsets) {
  auto pair = expandDescriptor(value, offsets);
  if (!pair)
    return nullptr;
  bool nan = llvm::cast<BlockPointerValue>(value)->padsWithNan;
  double padding = nan ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  TensorValue *other = constant(machine.makeFloat(padding), pair->first->type.pointee());
  return other ? load(pair->first, pair->second, other, "", "", false) : nullptr;
}

bool KernelBuilder::storeDescriptor(PyValue descriptor, PyValue offsets, PyValue value) {
  auto pair = expandDescriptor(descriptor, offsets);
  TensorValue *data = pair ? toTensor(value, "the value") : nullptr;
  if (!data)
    return false;
  if (data->shape() != pair->first->shape())
    return fail("a descriptor stores tiles of its block_shape: found " + describe(data) +
                ", expected " + describe(pair->first));
  return store(pair->first, data, pair->second, "", "");
}

} // namespace nereid::triton
