// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphArray.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace nereid::graph {

Array::Array(ArrayRef<int64_t> shape, mlir::Type elementType)
    : shape(shape.begin(), shape.end()), elementType(elementType) {
  if (isFloat())
    reals.resize(size());
  else
    integers.resize(size());
}

int64_t Array::size() const {
  int64_t total = 1;
  for (int64_t extent : shape)
    total *= extent;
  return total;
}

SmallVector<int64_t, 6> Array::strides() const {
  SmallVector<int64_t, 6> result(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    result[axis - 1] = result[axis] * shape[axis];
  return result;
}

unsigned bytesOf(mlir::Type elementType) {
  return std::max(1u, elementType.getIntOrFloatBitWidth() / 8);
}

double roundTo(double value, mlir::Type type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  APFloat number(value);
  bool lossy = false;
  number.convert(cast<mlir::FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &lossy);
  return number.convertToDouble();
}

int64_t wrapTo(int64_t value, mlir::Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return value != 0;
  if (bits >= 64)
    return value;
  if (type.isUnsignedInteger())
    return value & maskTrailingOnes<uint64_t>(bits);
  return SignExtend64(value, bits);
}

Array fromBytes(ArrayRef<int64_t> shape, mlir::Type elementType, ArrayRef<char> bytes) {
  Array array(shape, elementType);
  unsigned width = bytesOf(elementType);
  for (int64_t index = 0, count = array.size(); index < count; ++index) {
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + index * width, width);
    if (!array.isFloat()) {
      array.integers[index] = wrapTo(static_cast<int64_t>(raw), elementType);
      continue;
    }
    APFloat number(cast<mlir::FloatType>(elementType).getFloatSemantics(), APInt(width * 8, raw));
    array.reals[index] = number.convertToDouble();
  }
  return array;
}

std::vector<char> toBytes(const Array &array) {
  unsigned width = bytesOf(array.elementType);
  std::vector<char> bytes(array.size() * width);
  for (int64_t index = 0, count = array.size(); index < count; ++index) {
    uint64_t raw = 0;
    if (array.isFloat()) {
      APFloat number(array.reals[index]);
      bool lossy = false;
      number.convert(cast<mlir::FloatType>(array.elementType).getFloatSemantics(),
                     APFloat::rmNearestTiesToEven, &lossy);
      raw = number.bitcastToAPInt().getZExtValue();
    } else {
      raw = static_cast<uint64_t>(array.integers[index]);
    }
    std::memcpy(bytes.data() + index * width, &raw, width);
  }
  return bytes;
}

} // namespace nereid::graph
