// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/MathFunctions.h"

#include <cmath>

namespace nereid::interpreter {

namespace {

#define UNARY(name, expression)                                                                    \
  {name, 1, reinterpret_cast<AnyFunction>(Unary<float>([](float x) -> float {                      \
     using T = float;                                                                              \
     return static_cast<T>(expression);                                                            \
   })),                                                                                            \
   reinterpret_cast<AnyFunction>(Unary<double>([](double x) -> double {                            \
     using T = double;                                                                             \
     return static_cast<T>(expression);                                                            \
   }))}
#define BINARY(name, expression)                                                                   \
  {name, 2, reinterpret_cast<AnyFunction>(Binary<float>([](float x, float y) -> float {            \
     using T = float;                                                                              \
     return static_cast<T>(expression);                                                            \
   })),                                                                                            \
   reinterpret_cast<AnyFunction>(Binary<double>([](double x, double y) -> double {                 \
     using T = double;                                                                             \
     return static_cast<T>(expression);                                                            \
   }))}

constexpr long double pi = 3.14159265358979323846264338327950288L;

/// sin(pi x), exact at multiples of a half.
template <typename T> T sinOfPi(T x) {
  T rest = std::remainder(x, T(2));
  if (rest == std::trunc(rest))
    return std::copysign(T(0), x);
  return static_cast<T>(std::sin(pi * rest));
}

template <typename T> T cosOfPi(T x) {
  T rest = std::fabs(std::remainder(x, T(2)));
  return rest == T(0.5) || rest == T(1.5) ? T(0) : static_cast<T>(std::cos(pi * rest));
}

/// The inverse of erf by Newton steps from an approximation, in long double.
long double inverseErf(long double x) {
  if (x <= -1 || x >= 1)
    return x == 1 ? INFINITY : x == -1 ? -INFINITY : NAN;
  long double a = 0.147L, l = std::log1p(-x * x), t = 2 / (pi * a) + l / 2;
  long double y = std::copysign(std::sqrt(std::sqrt(t * t - l / a) - t), x);
  for (int step = 0; step < 4; ++step)
    y -= (std::erf(y) - x) / (2 / std::sqrt(pi) * std::exp(-y * y));
  return y;
}

/// The inverse of erfc; near 0 by Newton steps on its logarithm, where erf would round to 1.
long double inverseErfc(long double x) {
  if (x > 0.1L)
    return inverseErf(1 - x);
  if (x <= 0)
    return x == 0 ? INFINITY : NAN;
  long double y = std::sqrt(-std::log(x * std::sqrt(pi) * std::sqrt(-std::log(x))));
  for (int step = 0; step < 8; ++step) {
    long double value = std::erfc(y);
    y += value * std::log(value / x) / (2 / std::sqrt(pi) * std::exp(-y * y));
  }
  return y;
}

/// exp(x^2) erfc(x); by its asymptotic series where the factors leave the range.
long double scaledErfc(long double x) {
  if (x < 25)
    return std::exp(x * x) * std::erfc(x);
  long double s = 1 / (2 * x * x);
  return (1 - s + 3 * s * s - 15 * s * s * s) / (x * std::sqrt(pi));
}

template <typename T> T nextAfter(T x, T y) { return std::nextafter(x, y); }
template <typename T> T saturateToUnit(T x) { return x > 0 ? (x < 1 ? x : T(1)) : T(0); }
template <typename T> T pickMax(T x, T y) { return std::fmax(x, y); }

const FloatFunction functions[] = {
    UNARY("acos", std::acos(x)),
    UNARY("acosh", std::acosh(x)),
    UNARY("asin", std::asin(x)),
    UNARY("asinh", std::asinh(x)),
    UNARY("atan", std::atan(x)),
    UNARY("atanh", std::atanh(x)),
    UNARY("cbrt", std::cbrt(x)),
    UNARY("ceil", std::ceil(x)),
    UNARY("cos", std::cos(x)),
    UNARY("cosh", std::cosh(x)),
    UNARY("cospi", cosOfPi<T>(x)),
    UNARY("erf", std::erf(x)),
    UNARY("erfc", std::erfc(x)),
    UNARY("erfcinv", inverseErfc(x)),
    UNARY("erfcx", scaledErfc(x)),
    UNARY("erfinv", inverseErf(x)),
    UNARY("exp", std::exp(x)),
    UNARY("exp10", std::pow(10.0L, static_cast<long double>(x))),
    UNARY("exp2", std::exp2(x)),
    UNARY("expm1", std::expm1(x)),
    UNARY("fabs", std::fabs(x)),
    UNARY("fast_cosf", std::cos(x)),
    UNARY("fast_exp10f", std::pow(10.0L, static_cast<long double>(x))),
    UNARY("fast_expf", std::exp(x)),
    UNARY("fast_log10f", std::log10(x)),
    UNARY("fast_log2f", std::log2(x)),
    UNARY("fast_logf", std::log(x)),
    UNARY("fast_sinf", std::sin(x)),
    UNARY("fast_tanf", std::tan(x)),
    UNARY("floor", std::floor(x)),
    UNARY("j0", ::j0(x)),
    UNARY("j1", ::j1(x)),
    UNARY("lgamma", std::lgamma(x)),
    UNARY("log", std::log(x)),
    UNARY("log10", std::log10(x)),
    UNARY("log1p", std::log1p(x)),
    UNARY("log2", std::log2(x)),
    UNARY("logb", std::logb(x)),
    UNARY("nearbyint", std::nearbyint(x)),
    UNARY("normcdf", std::erfc(-x / std::sqrt(2.0L)) / 2),
    UNARY("normcdfinv", -std::sqrt(2.0L) * inverseErfc(2 * static_cast<long double>(x))),
    UNARY("rcbrt", 1 / std::cbrt(static_cast<long double>(x))),
    UNARY("rcp_rn", T(1) / x),
    UNARY("rint", std::nearbyint(x)),
    UNARY("round", std::round(x)),
    UNARY("roundeven", std::nearbyint(x)),
    UNARY("rsqrt", 1 / std::sqrt(static_cast<long double>(x))),
    UNARY("saturatef", saturateToUnit<T>(x)),
    UNARY("sin", std::sin(x)),
    UNARY("sinh", std::sinh(x)),
    UNARY("sinpi", sinOfPi<T>(x)),
    UNARY("sqrt", std::sqrt(x)),
    UNARY("sqrt_rn", std::sqrt(x)),
    UNARY("tan", std::tan(x)),
    UNARY("tanh", std::tanh(x)),
    UNARY("tgamma", std::tgamma(x)),
    UNARY("trunc", std::trunc(x)),
    UNARY("y0", ::y0(x)),
    UNARY("y1", ::y1(x)),
    BINARY("add_rn", x + y),
    BINARY("atan2", std::atan2(x, y)),
    BINARY("copysign", std::copysign(x, y)),
    BINARY("div_rn", x / y),
    BINARY("fast_dividef", x / y),
    BINARY("fast_powf", std::pow(x, y)),
    BINARY("fdim", std::fdim(x, y)),
    BINARY("fmax", pickMax<T>(x, y)),
    BINARY("fmin", std::fmin(x, y)),
    BINARY("fmod", std::fmod(x, y)),
    BINARY("hypot", std::hypot(x, y)),
    BINARY("mul_rn", x *y),
    BINARY("nextafter", nextAfter<T>(x, y)),
    BINARY("pow", std::pow(x, y)),
    BINARY("powf", std::pow(x, y)),
    BINARY("remainder", std::remainder(x, y)),
    BINARY("sub_rn", x - y),
    {"fma", 3, reinterpret_cast<AnyFunction>(Ternary<float>([](float x, float y, float z) {
       return std::fma(x, y, z);
     })),
     reinterpret_cast<AnyFunction>(
         Ternary<double>([](double x, double y, double z) { return std::fma(x, y, z); }))},
    {"fma_rn", 3, reinterpret_cast<AnyFunction>(Ternary<float>([](float x, float y, float z) {
       return std::fma(x, y, z);
     })),
     reinterpret_cast<AnyFunction>(
         Ternary<double>([](double x, double y, double z) { return std::fma(x, y, z); }))},
};

#undef UNARY
#undef BINARY

} // namespace

const FloatFunction *findFloatFunction(llvm::StringRef name) {
  for (const FloatFunction &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

} // namespace nereid::interpreter
