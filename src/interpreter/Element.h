// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of numbers that the interpreter computes with, how they lie in memory, and the
// conversions between the narrow floats and float or double, which round to nearest even.
//
// Arithmetic on narrow floats is done in float and rounded. As NVIDIA's conversions do, the two
// 8-bit formats saturate: what lies beyond the greatest finite number, infinities included,
// becomes that number; a NaN stays a NaN.
#pragma once

#include "mlir/IR/Types.h"

#include <cstdint>
#include <optional>

namespace nereid::interpreter {

enum class Element : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64,
  /// An address, see Memory.h.
  Pointer
};

/// Of a signless, signed or unsigned integer, `index` (64 bits), a float or a pointer.
std::optional<Element> getElement(mlir::Type type);
/// How many bytes an element takes, in buffers and in memory.
unsigned getBytes(Element element);
inline bool isFloat(Element element) {
  return element >= Element::F8E4M3 && element <= Element::F64;
}
/// A float of less than 32 bits.
inline bool isNarrow(Element element) {
  return element >= Element::F8E4M3 && element <= Element::BF16;
}

/// Reads and writes arrays of narrow floats.
void widen(Element element, const void *from, float *to, int64_t count);
void narrow(Element element, const float *from, void *to, int64_t count);
/// One rounding from double.
void narrow(Element element, const double *from, void *to, int64_t count);

/// One number of any element but Pointer, to and from double (integers by truncation; an i1 is 0
/// or 1). Unsigned 64-bit numbers are read with `isUnsigned`.
double readNumber(Element element, const void *from, bool isUnsigned = false);
void writeNumber(Element element, double value, void *to, bool isUnsigned = false);

} // namespace nereid::interpreter
