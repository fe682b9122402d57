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

/// One offset of a descriptor: a number of 32 bits, in 64.
TensorValue *KernelBuilder::toDescriptorOffset(PyValue offset) {
  TensorValue *number = toTensor(offset, "an offset");
  if (number && (number->isBlock() || !number->type.isInt() || number->type.bits() == 64))
    return fail("the offsets of a descriptor are 32-bit integers, found " + describe(number),
                "cast it: offset.to(tl.int32)");
  return number ? castTo(number, Scalar::Int64) : nullptr;
}

BlockPointerValue *KernelBuilder::toDescriptor(PyValue value) {
  auto *descriptor = dyn_cast<BlockPointerValue>(value);
  if (!descriptor || !descriptor->isDescriptor)
    return fail("expected a tensor descriptor, found " + describe(value),
                "make one with tl.make_tensor_descriptor(base, shape, strides, block_shape)");
  return descriptor;
}

/// The pointers and the mask of a descriptor's block at these offsets.
std::optional<KernelBuilder::Pair> KernelBuilder::expandDescriptor(PyValue value, PyValue offsets) {
  BlockPointerValue *descriptor = toDescriptor(value);
  if (!descriptor)
    return std::nullopt;
  ArrayRef<PyValue> given = itemsOf(offsets);
  if (given.size() != descriptor->block.size()) {
    fail("a descriptor of rank " + Twine(descriptor->block.size()) +
         " needs as many offsets, found " + Twine(given.size()));
    return std::nullopt;
  }
  SmallVector<TensorValue *> coordinates;
  for (auto [offset, extent] : zip_equal(given, descriptor->block)) {
    TensorValue *number = toDescriptorOffset(offset);
    if (!number)
      return std::nullopt;
    coordinates.push_back(makeCoordinates(number, extent));
  }
  SmallVector<bool> isChecked(given.size(), true);
  return expandCoordinates(*descriptor, coordinates, isChecked);
}

/// The pointers and the mask of rows of a matrix, by the number of each, from a column on.
std::optional<KernelBuilder::Pair> KernelBuilder::expandRows(PyValue value, PyValue rows,
                                                             PyValue column) {
  constexpr int64_t leastRows = 8, leastBytes = 32;
  BlockPointerValue *descriptor = toDescriptor(value);
  TensorValue *numbers = descriptor ? toTensor(rows, "the rows") : nullptr;
  TensorValue *start = numbers ? toDescriptorOffset(column) : nullptr;
  if (!start)
    return std::nullopt;
  if (descriptor->block.size() != 2 || descriptor->block[0].size != 1) {
    fail("rows are gathered by a descriptor whose block is one row of a matrix, found " +
             describe(value),
         "write block_shape=[1, BLOCK]");
    return std::nullopt;
  }
  bool isShort = numbers->type.is(Scalar::Int16) || numbers->type.is(Scalar::Int32);
  if (numbers->rank() != 1 || !isShort || numbers->shape()[0] < leastRows) {
    fail("the rows of a descriptor are 8 or more numbers of 16 or 32 bits, found " +
         describe(numbers));
    return std::nullopt;
  }
  int64_t bits = descriptor->base->type.pointee().bits();
  if (descriptor->block[1].size * bits < leastBytes * 8) {
    fail("rows are gathered in pieces of 32 bytes at least, found " +
         Twine(descriptor->block[1].size * bits / 8));
    return std::nullopt;
  }
  TensorValue *coordinates[] = {castTo(numbers, Scalar::Int64),
                                makeCoordinates(start, descriptor->block[1])};
  return expandCoordinates(*descriptor, coordinates, {true, true});
}

TensorValue *KernelBuilder::loadPadded(const BlockPointerValue &descriptor, Pair place) {
  double padding = descriptor.padsWithNan ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  TensorValue *other = constant(machine.makeFloat(padding), place.first->type.pointee());
  return other ? load(place.first, place.second, other, "", "", false) : nullptr;
}

TensorValue *KernelBuilder::loadDescriptor(PyValue value, PyValue offsets) {
  auto place = expandDescriptor(value, offsets);
  return place ? loadPadded(*llvm::cast<BlockPointerValue>(value), *place) : nullptr;
}

TensorValue *KernelBuilder::gatherRows(PyValue descriptor, PyValue rows, PyValue column) {
  auto place = expandRows(descriptor, rows, column);
  return place ? loadPadded(*llvm::cast<BlockPointerValue>(descriptor), *place) : nullptr;
}

/// The value that is stored by a descriptor; null with an error.
static TensorValue *toStored(KernelBuilder &kernel, std::optional<KernelBuilder::Pair> place,
                             PyValue value) {
  TensorValue *data = place ? kernel.toTensor(value, "the value") : nullptr;
  if (data && data->shape() != place->first->shape())
    return kernel.fail("a descriptor stores tiles of its block_shape: found " +
                       kernel.describe(data) + ", expected " + kernel.describe(place->first));
  return data;
}

bool KernelBuilder::storeDescriptor(PyValue descriptor, PyValue offsets, PyValue value) {
  auto place = expandDescriptor(descriptor, offsets);
  TensorValue *data = toStored(*this, place, value);
  return data && store(place->first, data, place->second, "", "");
}

bool KernelBuilder::scatterRows(PyValue descriptor, PyValue value, PyValue rows, PyValue column) {
  auto place = expandRows(descriptor, rows, column);
  TensorValue *data = toStored(*this, place, value);
  return data && store(place->first, data, place->second, "", "");
}

bool KernelBuilder::foldDescriptor(StringRef name, PyValue descriptor, PyValue offsets,
                                   PyValue value) {
  auto place = expandDescriptor(descriptor, offsets);
  TensorValue *data = toStored(*this, place, value);
  if (!data)
    return false;
  // The units that copy tiles take fewer types than the others.
  DType type = place->first->type.pointee();
  bool isRefused = name == "add" ? type.is(Scalar::Int64) || type.is(Scalar::Fp64)
                                 : type.is(Scalar::Fp32) || type.is(Scalar::Fp64);
  if (isRefused)
    return fail("atomic_" + name + " of a descriptor does not support " + type.name(),
                "use pointers and tl.atomic_" + name.str());
  return atomicRmw(name, place->first, data, place->second, tile::MemSem::Relaxed,
                   tile::MemScope::Gpu);
}

} // namespace nereid::triton
