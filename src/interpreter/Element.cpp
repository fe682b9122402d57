// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Element.h"

#include "tile/TileDialect.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"

#include <array>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace nereid::interpreter {

std::optional<Element> getElement(Type type) {
  if (isa<tile::PtrType>(type))
    return Element::Pointer;
  if (isa<IndexType>(type))
    return Element::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return Element::I1;
    case 8:
      return Element::I8;
    case 16:
      return Element::I16;
    case 32:
      return Element::I32;
    case 64:
      return Element::I64;
    default:
      return std::nullopt;
    }
  }
  if (isa<Float8E4M3FNType>(type))
    return Element::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return Element::F8E5M2;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF32())
    return Element::F32;
  if (type.isF64())
    return Element::F64;
  return std::nullopt;
}

unsigned getBytes(Element element) {
  switch (element) {
  case Element::I1:
  case Element::I8:
  case Element::F8E4M3:
  case Element::F8E5M2:
    return 1;
  case Element::I16:
  case Element::F16:
  case Element::BF16:
    return 2;
  case Element::I32:
  case Element::F32:
    return 4;
  case Element::I64:
  case Element::F64:
  case Element::Pointer:
    return 8;
  }
  llvm_unreachable("all elements are listed");
}

namespace {

/// A binary floating format: a sign, exponent bits, mantissa bits.
struct Format {
  int mantissa;
  int bias;
  /// The greatest finite code, the code of infinity (or of the greatest finite number where
  /// conversions saturate) and of a NaN, without sign.
  uint16_t maxFinite;
  uint16_t overflow;
  uint16_t nan;
  int bits;
};

constexpr Format f16Format = {10, 15, 0x7bff, 0x7c00, 0x7e00, 16};
constexpr Format bf16Format = {7, 127, 0x7f7f, 0x7f80, 0x7fc0, 16};
constexpr Format e4m3Format = {3, 7, 0x7e, 0x7e, 0x7f, 8};
constexpr Format e5m2Format = {2, 15, 0x7b, 0x7b, 0x7e, 8};

const Format &getFormat(Element element) {
  switch (element) {
  case Element::F16:
    return f16Format;
  case Element::BF16:
    return bf16Format;
  case Element::F8E4M3:
    return e4m3Format;
  default:
    assert(element == Element::F8E5M2 && "a narrow float");
    return e5m2Format;
  }
}

uint16_t encode(const Format &format, double value) {
  uint16_t sign = std::signbit(value) ? uint16_t(1) << (format.bits - 1) : 0;
  if (std::isnan(value))
    return sign | format.nan;
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(value))
    return sign | format.overflow;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  if (exponent > format.bias + 1)
    return sign | format.overflow;
  auto units =
      static_cast<int32_t>(std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent)));
  // Units of 2^mantissa and more carry into the exponent by themselves.
  int32_t code = ((exponent + format.bias - 1) << format.mantissa) + units;
  return sign | (code > format.maxFinite ? format.overflow : static_cast<uint16_t>(code));
}

double decode(const Format &format, uint16_t code) {
  int32_t signBit = 1 << (format.bits - 1);
  int32_t magnitude = code & (signBit - 1);
  double sign = code & signBit ? -1.0 : 1.0;
  if (magnitude > format.maxFinite) {
    bool isInfinity = format.bits == 16 ? magnitude == format.overflow
                                        : format.mantissa == 2 && magnitude == 0x7c;
    return isInfinity ? sign * INFINITY : std::copysign(NAN, sign);
  }
  int32_t exponent = magnitude >> format.mantissa;
  int32_t mantissa = magnitude & ((1 << format.mantissa) - 1);
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - format.bias - format.mantissa);
  return sign *
         std::ldexp(mantissa + (1 << format.mantissa), exponent - format.bias - format.mantissa);
}

float decodeF16(uint16_t code) {
  uint32_t sign = uint32_t(code & 0x8000) << 16;
  uint32_t rest = uint32_t(code & 0x7fff) << 13;
  if (rest >= 0x7c00u << 13)
    return llvm::bit_cast<float>(sign | (rest + (uint32_t(255 - 31) << 23)));
  // Scaling by 2^112 re-biases the exponent and normalises subnormals.
  float magnitude = llvm::bit_cast<float>(rest) * 0x1p112f;
  return llvm::bit_cast<float>(sign | llvm::bit_cast<uint32_t>(magnitude));
}

uint16_t encodeF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x47800000)
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Adding 0.5 aligns the subnormal's last bit with the float's; the hardware rounds to even.
    float aligned = llvm::bit_cast<float>(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(llvm::bit_cast<uint32_t>(aligned) - 0x3f000000);
  }
  uint32_t odd = (magnitude >> 13) & 1;
  return sign | static_cast<uint16_t>((magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

uint16_t encodeBF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (bits >> 16) | 0x40;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

} // namespace

void widen(Element element, const void *from, float *to, int64_t count) {
  if (element == Element::BF16) {
    const auto *codes = static_cast<const uint16_t *>(from);
    for (int64_t i = 0; i < count; ++i)
      to[i] = llvm::bit_cast<float>(uint32_t(codes[i]) << 16);
    return;
  }
  if (element == Element::F16) {
    const auto *codes = static_cast<const uint16_t *>(from);
    for (int64_t i = 0; i < count; ++i)
      to[i] = decodeF16(codes[i]);
    return;
  }
  const auto *codes = static_cast<const uint8_t *>(from);
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(decode(getFormat(element), codes[i]));
}

void narrow(Element element, const float *from, void *to, int64_t count) {
  if (element == Element::F16 || element == Element::BF16) {
    auto *codes = static_cast<uint16_t *>(to);
    for (int64_t i = 0; i < count; ++i)
      codes[i] = element == Element::F16 ? encodeF16(from[i]) : encodeBF16(from[i]);
    return;
  }
  auto *codes = static_cast<uint8_t *>(to);
  for (int64_t i = 0; i < count; ++i)
    codes[i] = static_cast<uint8_t>(encode(getFormat(element), from[i]));
}

void narrow(Element element, const double *from, void *to, int64_t count) {
  const Format &format = getFormat(element);
  for (int64_t i = 0; i < count; ++i) {
    uint16_t code = encode(format, from[i]);
    if (format.bits == 16)
      static_cast<uint16_t *>(to)[i] = code;
    else
      static_cast<uint8_t *>(to)[i] = static_cast<uint8_t>(code);
  }
}

template <typename T> static T readAs(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename Signed, typename Unsigned>
static double readInteger(const void *from, bool isUnsigned) {
  return isUnsigned ? static_cast<double>(readAs<Unsigned>(from))
                    : static_cast<double>(readAs<Signed>(from));
}

double readNumber(Element element, const void *from, bool isUnsigned) {
  switch (element) {
  case Element::I1:
    return readAs<uint8_t>(from) != 0;
  case Element::I8:
    return readInteger<int8_t, uint8_t>(from, isUnsigned);
  case Element::I16:
    return readInteger<int16_t, uint16_t>(from, isUnsigned);
  case Element::I32:
    return readInteger<int32_t, uint32_t>(from, isUnsigned);
  case Element::I64:
  case Element::Pointer:
    return readInteger<int64_t, uint64_t>(from, isUnsigned);
  case Element::F32:
    return readAs<float>(from);
  case Element::F64:
    return readAs<double>(from);
  default: {
    float value;
    widen(element, from, &value, 1);
    return value;
  }
  }
}

void writeNumber(Element element, double value, void *to, bool isUnsigned) {
  if (element == Element::F64) {
    std::memcpy(to, &value, sizeof(value));
  } else if (element == Element::F32) {
    auto single = static_cast<float>(value);
    std::memcpy(to, &single, sizeof(single));
  } else if (isFloat(element)) {
    narrow(element, &value, to, 1);
  } else if (element == Element::I1) {
    *static_cast<uint8_t *>(to) = value != 0;
  } else {
    auto bits = isUnsigned && value >= 0x1p63 ? static_cast<uint64_t>(value)
                                              : static_cast<uint64_t>(static_cast<int64_t>(value));
    std::memcpy(to, &bits, getBytes(element));
  }
}

} // namespace nereid::interpreter
