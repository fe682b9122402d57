// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphArray.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>
#include <limits>

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

static double keepDouble(double value) { return value; }
static double toSingle(double value) { return static_cast<float>(value); }

/// A format of `fraction` bits below the leading one, whose least normal exponent is `least`.
template <int fraction, int least> static double toNarrow(double value, double greatest) {
  if (value == 0 || !std::isfinite(value))
    return value;
  if (std::abs(value) >= 2 * greatest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  int exponent = std::max(std::ilogb(value), least);
  // Adding and taking away a power of two rounds at its last place, to nearest even.
  double unit = std::ldexp(1.0, exponent - fraction + 52);
  double rounded = std::copysign((std::abs(value) + unit) - unit, value);
  return std::abs(rounded) > greatest
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : rounded;
}
static double toHalf(double value) { return toNarrow<10, -14>(value, 65504.0); }
static double toBrain(double value) { return toNarrow<7, -126>(value, 0x1.FEp127); }

template <typename Format> static double toFp8(double value) {
  APFloat number(value);
  bool lossy = false;
  number.convert(Format::semantics(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}
namespace {
struct E4M3 {
  static const fltSemantics &semantics() { return APFloat::Float8E4M3FN(); }
};
struct E5M2 {
  static const fltSemantics &semantics() { return APFloat::Float8E5M2(); }
};
} // namespace

double (*roundingTo(mlir::Type type))(double) {
  if (type.isF32())
    return toSingle;
  if (type.isF16())
    return toHalf;
  if (type.isBF16())
    return toBrain;
  if (isa<mlir::Float8E4M3FNType>(type))
    return toFp8<E4M3>;
  if (isa<mlir::Float8E5M2Type>(type))
    return toFp8<E5M2>;
  return keepDouble;
}

double roundTo(double value, mlir::Type type) { return roundingTo(type)(value); }

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
