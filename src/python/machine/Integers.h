// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on integers of any size, with Python's rules: floor division, modulo with the
// divisor's sign, arithmetic shifts, and operators on infinite two's complement.
#pragma once

#include "python/machine/Internals.h"

namespace nereid::machine {

/// The result, or null after ZeroDivisionError, ValueError (negative shift) or a refusal of a size.
Value integerBinary(Internals &in, BinaryOperator op, const IntObject &left,
                    const IntObject &right);
Value integerPower(Internals &in, const IntObject &base, const IntObject &exponent);
/// pow(base, exponent, modulus).
Value integerPowerModulo(Internals &in, const IntObject &base, const IntObject &exponent,
                         const IntObject &modulus);
int compareIntegers(const IntObject &left, const IntObject &right);
/// Exact comparison with a float that is not NaN.
int compareIntegerFloat(const IntObject &left, double right);
/// Nullopt: too large for a double.
std::optional<double> integerToDouble(const IntObject &value);
/// The integer part of a finite double.
IntObject *integerFromDouble(Machine &machine, double value);
/// Digits in a radix of 2, 8, 10 or 16, with a minus sign; nullopt: ValueError (too many digits).
std::optional<std::string> integerToText(Internals &in, const IntObject &value,
                                         unsigned radix = 10);
/// Python's int(text, radix); null without an error when the text is no integer.
Value integerFromText(Internals &in, llvm::StringRef text, unsigned radix);
bool isNegative(const IntObject &value);
bool isZero(const IntObject &value);
uint64_t bitLength(const IntObject &value);

} // namespace nereid::machine
