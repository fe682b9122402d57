// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphPointwise.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid::graph {
namespace {

double signOf(double x) { return (x > 0) - (x < 0); }
double greater(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : a < b ? b : a;
}
double lesser(double a, double b) { return std::isnan(a) || std::isnan(b) ? a + b : b < a ? b : a; }

/// The remainder with the sign of the divisor.
double remainderOf(double a, double b) {
  double rest = std::fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

double floorDivide(double a, double b) {
  if (b == 0)
    return a / b;
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0))
    quotient -= 1;
  if (quotient == 0)
    return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

// Arithmetic of integers wraps around.
int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(uint64_t(a) + uint64_t(b)); }
int64_t minus(int64_t a, int64_t b) { return static_cast<int64_t>(uint64_t(a) - uint64_t(b)); }
int64_t times(int64_t a, int64_t b) { return static_cast<int64_t>(uint64_t(a) * uint64_t(b)); }

/// Division by zero has no value; -1 and 0 stand for it.
int64_t truncDivide(int64_t a, int64_t b) { return b == 0 ? -1 : b == -1 ? minus(0, a) : a / b; }
int64_t truncModulo(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
int64_t floorDivideInteger(int64_t a, int64_t b) {
  int64_t quotient = truncDivide(a, b);
  return b != 0 && truncModulo(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
int64_t floorModulo(int64_t a, int64_t b) {
  int64_t rest = truncModulo(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; exponent; exponent >>= 1, base = times(base, base))
    if (exponent & 1)
      result = times(result, base);
  return result;
}

template <typename Function> struct Entry {
  StringLiteral name;
  Function function;
};

template <typename Function, size_t count>
Function find(const Entry<Function> (&table)[count], StringRef name) {
  for (const Entry<Function> &entry : table)
    if (entry.name == name)
      return entry.function;
  return nullptr;
}

} // namespace

RealUnary findRealUnary(StringRef name) {
  static constexpr Entry<RealUnary> table[] = {
      {"neg", [](double x) { return -x; }},
      {"abs", [](double x) { return std::fabs(x); }},
      {"sign", signOf},
      {"exp", [](double x) { return std::exp(x); }},
      {"exp2", [](double x) { return std::exp2(x); }},
      {"expm1", [](double x) { return std::expm1(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"log2", [](double x) { return std::log2(x); }},
      {"log10", [](double x) { return std::log10(x); }},
      {"log1p", [](double x) { return std::log1p(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"tf32", [](double x) { return x; }},
      {"half_scale", [](double) { return 1.0; }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},
      {"asin", [](double x) { return std::asin(x); }},
      {"acos", [](double x) { return std::acos(x); }},
      {"atan", [](double x) { return std::atan(x); }},
      {"sinh", [](double x) { return std::sinh(x); }},
      {"cosh", [](double x) { return std::cosh(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"asinh", [](double x) { return std::asinh(x); }},
      {"acosh", [](double x) { return std::acosh(x); }},
      {"atanh", [](double x) { return std::atanh(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      {"erfc", [](double x) { return std::erfc(x); }},
      {"lgamma", [](double x) { return std::lgamma(x); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"ceil", [](double x) { return std::ceil(x); }},
      {"trunc", [](double x) { return std::trunc(x); }},
      {"round", [](double x) { return std::nearbyint(x); }},
  };
  return find(table, name);
}

RealBinary findRealBinary(StringRef name, bool isSingle) {
  static constexpr Entry<RealBinary> table[] = {
      {"add", [](double a, double b) { return a + b; }},
      {"sub", [](double a, double b) { return a - b; }},
      {"mul", [](double a, double b) { return a * b; }},
      {"div", [](double a, double b) { return a / b; }},
      {"floordiv", floorDivide},
      {"truncdiv", [](double a, double b) { return std::trunc(a / b); }},
      {"remainder", remainderOf},
      {"fmod", [](double a, double b) { return std::fmod(a, b); }},
      {"pow", [](double a, double b) { return std::pow(a, b); }},
      {"atan2", [](double a, double b) { return std::atan2(a, b); }},
      {"copysign", [](double a, double b) { return std::copysign(a, b); }},
      {"maximum", greater},
      {"minimum", lesser},
  };
  // The neighbour of a number is a matter of its type.
  if (name == "nextafter")
    return isSingle ? RealBinary([](double a, double b) -> double {
      return std::nextafter(static_cast<float>(a), static_cast<float>(b));
    })
                    : RealBinary([](double a, double b) { return std::nextafter(a, b); });
  return find(table, name);
}

RealTest findRealTest(StringRef name) {
  static constexpr Entry<RealTest> table[] = {
      {"eq", [](double a, double b) { return a == b; }},
      {"ne", [](double a, double b) { return a != b; }},
      {"lt", [](double a, double b) { return a < b; }},
      {"le", [](double a, double b) { return a <= b; }},
      {"gt", [](double a, double b) { return a > b; }},
      {"ge", [](double a, double b) { return a >= b; }},
      {"isnan", [](double a, double) { return std::isnan(a); }},
      {"isinf", [](double a, double) { return std::isinf(a); }},
  };
  return find(table, name);
}

IntegerUnary findIntegerUnary(StringRef name) {
  static constexpr Entry<IntegerUnary> table[] = {
      {"neg", [](int64_t x) { return minus(0, x); }},
      {"abs", [](int64_t x) { return x < 0 ? minus(0, x) : x; }},
      {"sign", [](int64_t x) { return int64_t(x > 0) - int64_t(x < 0); }},
      {"not", [](int64_t x) { return ~x; }},
  };
  return find(table, name);
}

IntegerBinary findIntegerBinary(StringRef name, bool isUnsigned64) {
  static constexpr Entry<IntegerBinary> table[] = {
      {"add", plus},
      {"sub", minus},
      {"mul", times},
      {"floordiv", floorDivideInteger},
      {"truncdiv", truncDivide},
      {"remainder", floorModulo},
      {"fmod", truncModulo},
      {"pow", power},
      {"maximum", [](int64_t a, int64_t b) { return a < b ? b : a; }},
      {"minimum", [](int64_t a, int64_t b) { return b < a ? b : a; }},
      {"and", [](int64_t a, int64_t b) { return a & b; }},
      {"or", [](int64_t a, int64_t b) { return a | b; }},
      {"xor", [](int64_t a, int64_t b) { return a ^ b; }},
      {"shl", [](int64_t a, int64_t b) { return b < 0 || b > 63 ? 0 : int64_t(uint64_t(a) << b); }},
      {"shr", [](int64_t a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); }},
      {"check_index", [](int64_t a, int64_t) { return a; }},
  };
  static constexpr Entry<IntegerBinary> unsignedTable[] = {
      {"floordiv",
       [](int64_t a, int64_t b) { return b ? int64_t(uint64_t(a) / uint64_t(b)) : -1; }},
      {"truncdiv",
       [](int64_t a, int64_t b) { return b ? int64_t(uint64_t(a) / uint64_t(b)) : -1; }},
      {"remainder",
       [](int64_t a, int64_t b) { return b ? int64_t(uint64_t(a) % uint64_t(b)) : 0; }},
      {"fmod", [](int64_t a, int64_t b) { return b ? int64_t(uint64_t(a) % uint64_t(b)) : 0; }},
      {"maximum", [](int64_t a, int64_t b) { return uint64_t(a) < uint64_t(b) ? b : a; }},
      {"minimum", [](int64_t a, int64_t b) { return uint64_t(b) < uint64_t(a) ? b : a; }},
      {"shr", [](int64_t a, int64_t b) { return b > 63 ? 0 : int64_t(uint64_t(a) >> b); }},
  };
  if (isUnsigned64)
    if (IntegerBinary found = find(unsignedTable, name))
      return found;
  return find(table, name);
}

IntegerBinary findIntegerTest(StringRef name, bool isUnsigned64) {
  static constexpr Entry<IntegerBinary> table[] = {
      {"eq", [](int64_t a, int64_t b) -> int64_t { return a == b; }},
      {"ne", [](int64_t a, int64_t b) -> int64_t { return a != b; }},
      {"lt", [](int64_t a, int64_t b) -> int64_t { return a < b; }},
      {"le", [](int64_t a, int64_t b) -> int64_t { return a <= b; }},
      {"gt", [](int64_t a, int64_t b) -> int64_t { return a > b; }},
      {"ge", [](int64_t a, int64_t b) -> int64_t { return a >= b; }},
  };
  static constexpr Entry<IntegerBinary> unsignedTable[] = {
      {"lt", [](int64_t a, int64_t b) -> int64_t { return uint64_t(a) < uint64_t(b); }},
      {"le", [](int64_t a, int64_t b) -> int64_t { return uint64_t(a) <= uint64_t(b); }},
      {"gt", [](int64_t a, int64_t b) -> int64_t { return uint64_t(a) > uint64_t(b); }},
      {"ge", [](int64_t a, int64_t b) -> int64_t { return uint64_t(a) >= uint64_t(b); }},
  };
  if (isUnsigned64)
    if (IntegerBinary found = find(unsignedTable, name))
      return found;
  return find(table, name);
}

} // namespace nereid::graph
