// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Integers.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;
using llvm::APInt;

bool machine::isNegative(const IntObject &value) {
  return value.big ? value.big->isNegative() : value.small < 0;
}
bool machine::isZero(const IntObject &value) { return !value.big && value.small == 0; }

uint64_t machine::bitLength(const IntObject &value) { return value.wide().abs().getActiveBits(); }

static bool tooLarge(Internals &in, uint64_t bits) {
  if (bits <= in.m.getLimits().integerBits)
    return !in.charge((bits >> 10) * (bits >> 10) >> 4);
  in.m.refuse("an integer would have more than " + llvm::Twine(in.m.getLimits().integerBits) +
              " bits");
  return true;
}

static Value zeroDivision(Internals &in, BinaryOperator op) {
  return in.m.raise("ZeroDivisionError", op == BinaryOperator::Mod
                                             ? "integer modulo by zero"
                                             : "integer division or modulo by zero");
}

/// Floor division and the modulo that goes with it.
static void floorDivide(const APInt &left, const APInt &right, APInt &quotient, APInt &remainder) {
  APInt::sdivrem(left, right, quotient, remainder);
  if (!remainder.isZero() && remainder.isNegative() != right.isNegative()) {
    --quotient;
    remainder += right;
  }
}

static Value shift(Internals &in, BinaryOperator op, const IntObject &left,
                   const IntObject &right) {
  if (isNegative(right))
    return in.m.raise("ValueError", "negative shift count");
  bool isLeft = op == BinaryOperator::LShift;
  if (!right.isSmall() || right.small > int64_t(in.m.getLimits().integerBits)) {
    if (isZero(left) || !isLeft)
      return in.m.makeInt(isNegative(left) && !isLeft ? -1 : 0);
    tooLarge(in, UINT32_MAX);
    return nullptr;
  }
  unsigned count = right.small;
  if (!isLeft) {
    if (left.isSmall())
      return in.m.makeInt(count > 63 ? (left.small < 0 ? -1 : 0) : left.small >> count);
    APInt wide = left.wide();
    return in.m.makeInt(wide.ashr(std::min<unsigned>(count, wide.getBitWidth())));
  }
  APInt wide = left.wide();
  if (tooLarge(in, uint64_t(wide.getBitWidth()) + count))
    return nullptr;
  return in.m.makeInt(wide.sext(wide.getBitWidth() + count) << count);
}

static Value wideBinary(Internals &in, BinaryOperator op, const IntObject &left,
                        const IntObject &right) {
  APInt a = left.wide(), b = right.wide();
  unsigned width = std::max(a.getBitWidth(), b.getBitWidth()) + 1;
  if (op == BinaryOperator::Mult)
    width = a.getBitWidth() + b.getBitWidth();
  if (tooLarge(in, width))
    return nullptr;
  a = a.sext(width);
  b = b.sext(width);
  switch (op) {
  case BinaryOperator::Add:
    return in.m.makeInt(a + b);
  case BinaryOperator::Sub:
    return in.m.makeInt(a - b);
  case BinaryOperator::Mult:
    return in.m.makeInt(a * b);
  case BinaryOperator::BitAnd:
    return in.m.makeInt(a & b);
  case BinaryOperator::BitOr:
    return in.m.makeInt(a | b);
  case BinaryOperator::BitXor:
    return in.m.makeInt(a ^ b);
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod: {
    APInt quotient(width, 0), remainder(width, 0);
    floorDivide(a, b, quotient, remainder);
    return in.m.makeInt(op == BinaryOperator::Mod ? remainder : quotient);
  }
  default:
    llvm_unreachable("handled by integerBinary");
  }
}

/// True division, correctly rounded: the quotient is scaled so that it has at least 64 bits, with a
/// sticky bit below, before it becomes a double.
static Value trueDivide(Internals &in, const IntObject &left, const IntObject &right) {
  if (isZero(right))
    return in.m.raise("ZeroDivisionError", "division by zero");
  constexpr int64_t exact = int64_t(1) << 53;
  if (left.isSmall() && right.isSmall() && std::abs(left.small) <= exact &&
      std::abs(right.small) <= exact)
    return in.m.makeFloat(double(left.small) / double(right.small));
  bool negative = isNegative(left) != isNegative(right);
  APInt a = left.wide().abs(), b = right.wide().abs();
  int64_t scale =
      std::max<int64_t>(0, 66 + int64_t(b.getActiveBits()) - int64_t(a.getActiveBits()));
  unsigned width = std::max<uint64_t>(a.getBitWidth(), b.getBitWidth()) + scale + 1;
  a = a.zext(width) << scale;
  b = b.zext(width);
  APInt quotient(width, 0), remainder(width, 0);
  APInt::udivrem(a, b, quotient, remainder);
  if (!remainder.isZero())
    quotient |= APInt(width, 1);
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  value.convertFromAPInt(quotient, /*IsSigned=*/false, llvm::APFloat::rmNearestTiesToEven);
  double result = std::ldexp(value.convertToDouble(), -int(scale));
  if (std::isinf(result))
    return in.m.raise("OverflowError", "integer division result too large for a float");
  return in.m.makeFloat(negative ? -result : result);
}

Value machine::integerBinary(Internals &in, BinaryOperator op, const IntObject &left,
                             const IntObject &right) {
  bool small = left.isSmall() && right.isSmall();
  int64_t a = left.small, b = right.small, result;
  switch (op) {
  case BinaryOperator::Add:
    if (small && !__builtin_add_overflow(a, b, &result))
      return in.m.makeInt(result);
    break;
  case BinaryOperator::Sub:
    if (small && !__builtin_sub_overflow(a, b, &result))
      return in.m.makeInt(result);
    break;
  case BinaryOperator::Mult:
    if (small && !__builtin_mul_overflow(a, b, &result))
      return in.m.makeInt(result);
    break;
  case BinaryOperator::Div:
    return trueDivide(in, left, right);
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod:
    if (isZero(right))
      return zeroDivision(in, op);
    if (small && !(a == INT64_MIN && b == -1)) {
      int64_t quotient = a / b, remainder = a % b;
      if (remainder != 0 && (remainder < 0) != (b < 0)) {
        --quotient;
        remainder += b;
      }
      return in.m.makeInt(op == BinaryOperator::Mod ? remainder : quotient);
    }
    break;
  case BinaryOperator::Pow:
    return integerPower(in, left, right);
  case BinaryOperator::LShift:
  case BinaryOperator::RShift:
    return shift(in, op, left, right);
  case BinaryOperator::BitOr:
    if (small)
      return in.m.makeInt(a | b);
    break;
  case BinaryOperator::BitXor:
    if (small)
      return in.m.makeInt(a ^ b);
    break;
  case BinaryOperator::BitAnd:
    if (small)
      return in.m.makeInt(a & b);
    break;
  case BinaryOperator::MatMult:
    return in.m.notImplemented();
  }
  return wideBinary(in, op, left, right);
}

Value machine::integerPower(Internals &in, const IntObject &base, const IntObject &exponent) {
  if (isNegative(exponent)) {
    if (isZero(base))
      return in.m.raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
    auto a = integerToDouble(base), b = integerToDouble(exponent);
    if (!a || !b)
      return in.m.raise("OverflowError", "int too large to convert to float");
    return in.m.makeFloat(std::pow(*a, *b));
  }
  if (base.isSmall() && (base.small == 0 || base.small == 1 || base.small == -1)) {
    bool odd = (exponent.big ? (*exponent.big)[0] : exponent.small & 1);
    bool zero = isZero(exponent);
    return in.m.makeInt(zero ? 1 : base.small == -1 && !odd ? 1 : base.small);
  }
  uint64_t bits = bitLength(base);
  if (!exponent.isSmall() || uint64_t(exponent.small) > in.m.getLimits().integerBits) {
    tooLarge(in, UINT32_MAX);
    return nullptr;
  }
  if (tooLarge(in, bits * uint64_t(exponent.small)))
    return nullptr;
  unsigned width = bits * exponent.small + 2;
  APInt result(width, 1), factor = base.wide().sextOrTrunc(width);
  for (uint64_t e = exponent.small; e; e >>= 1) {
    if (e & 1)
      result *= factor;
    if (e > 1)
      factor *= factor;
  }
  return in.m.makeInt(result);
}

Value machine::integerPowerModulo(Internals &in, const IntObject &base, const IntObject &exponent,
                                  const IntObject &modulus) {
  if (isZero(modulus))
    return in.m.raise("ValueError", "pow() 3rd argument cannot be 0");
  if (isNegative(exponent))
    return in.m.refuse("pow() with a modulus and a negative exponent is not supported");
  APInt n = modulus.wide(), b = base.wide(), e = exponent.wide();
  unsigned width = 2 * std::max({n.getBitWidth(), b.getBitWidth()}) + 2;
  if (tooLarge(in, width) || !in.charge(uint64_t(e.getActiveBits()) * (width / 64)))
    return nullptr;
  n = n.sext(width);
  APInt quotient(width, 0), result(width, 0), factor(width, 0);
  floorDivide(APInt(width, 1), n, quotient, result);
  floorDivide(b.sext(width), n, quotient, factor);
  for (unsigned i = 0, count = e.getActiveBits(); i != count; ++i) {
    APInt product(width, 0);
    if (e[i]) {
      product = result * factor;
      floorDivide(product, n, quotient, result);
    }
    product = factor * factor;
    floorDivide(product, n, quotient, factor);
  }
  return in.m.makeInt(result);
}

int machine::compareIntegers(const IntObject &left, const IntObject &right) {
  if (left.isSmall() && right.isSmall())
    return left.small < right.small ? -1 : left.small > right.small;
  APInt a = left.wide(), b = right.wide();
  unsigned width = std::max(a.getBitWidth(), b.getBitWidth());
  a = a.sext(width);
  b = b.sext(width);
  return a.slt(b) ? -1 : b.slt(a);
}

int machine::compareIntegerFloat(const IntObject &left, double right) {
  if (std::isinf(right))
    return right > 0 ? -1 : 1;
  double whole = std::trunc(right);
  APInt value(1100, 0);
  bool exact;
  llvm::APSInt converted(1100, /*isUnsigned=*/false);
  llvm::APFloat(whole).convertToInteger(converted, llvm::APFloat::rmTowardZero, &exact);
  APInt a = left.wide();
  unsigned width = std::max(a.getBitWidth(), 1100u);
  APInt b = converted.sext(width);
  a = a.sext(width);
  if (a != b)
    return a.slt(b) ? -1 : 1;
  double fraction = right - whole;
  return fraction > 0 ? -1 : fraction < 0;
}

std::optional<double> machine::integerToDouble(const IntObject &value) {
  if (value.isSmall())
    return double(value.small);
  llvm::APFloat result(llvm::APFloat::IEEEdouble());
  result.convertFromAPInt(*value.big, /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  if (result.isInfinity())
    return std::nullopt;
  return result.convertToDouble();
}

IntObject *machine::integerFromDouble(Machine &machine, double value) {
  if (std::abs(value) < 9e18)
    return machine.makeInt(int64_t(value));
  bool exact;
  llvm::APSInt converted(1100, /*isUnsigned=*/false);
  llvm::APFloat(value).convertToInteger(converted, llvm::APFloat::rmTowardZero, &exact);
  return machine.makeInt(converted);
}

std::optional<std::string> machine::integerToText(Internals &in, const IntObject &value,
                                                  unsigned radix) {
  if (value.isSmall() && radix == 10)
    return std::to_string(value.small);
  APInt wide = value.wide();
  if (radix == 10 && wide.getActiveBits() > 14285 && wide.abs().getActiveBits() > 14285) {
    in.m.raise("ValueError", "Exceeds the limit (4300 digits) for integer string conversion; use "
                             "sys.set_int_max_str_digits() to increase the limit");
    return std::nullopt;
  }
  llvm::SmallString<64> text;
  wide.sext(wide.getBitWidth() + 1)
      .toString(text, radix, /*Signed=*/true,
                /*formatAsCLiteral=*/false, /*UpperCase=*/false);
  return text.str().str();
}

Value machine::integerFromText(Internals &in, llvm::StringRef text, unsigned radix) {
  text = text.trim(" \t\n\r\f\v");
  bool negative = text.consume_front("-");
  if (!negative)
    text.consume_front("+");
  auto prefix = [&](llvm::StringRef lower, unsigned of) {
    if ((radix == 0 || radix == of) && text.size() > 2 && text.starts_with_insensitive(lower)) {
      text = text.drop_front(2);
      text.consume_front("_");
      radix = of;
      return true;
    }
    return false;
  };
  bool prefixed = prefix("0x", 16) || prefix("0o", 8) || prefix("0b", 2);
  if (radix == 0) {
    // Without prefix base 0 takes decimal literals: no leading zeros but in zero itself.
    if (!prefixed && text.size() > 1 && text[0] == '0' &&
        text.find_first_not_of("0_") != llvm::StringRef::npos)
      return nullptr;
    radix = 10;
  }
  std::string digits;
  for (size_t i = 0; i != text.size(); ++i) {
    char c = llvm::toLower(text[i]);
    if (c == '_' && i && i + 1 != text.size() && text[i - 1] != '_')
      continue;
    unsigned digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
    if (digit >= radix)
      return nullptr;
    digits += c;
  }
  if (digits.empty())
    return nullptr;
  if (digits.size() > 4300 && (radix & (radix - 1)))
    return in.m.raise("ValueError",
                      "Exceeds the limit (4300 digits) for integer string conversion: value has " +
                          llvm::Twine(digits.size()) +
                          " digits; use sys.set_int_max_str_digits() to increase the limit");
  unsigned bits = digits.size() * 6 + 2;
  if (tooLarge(in, bits))
    return nullptr;
  APInt value(bits, 0);
  for (char c : digits) {
    value *= radix;
    value += c <= '9' ? c - '0' : c - 'a' + 10;
  }
  if (negative)
    value.negate();
  return in.m.makeInt(value);
}
