// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/Compare.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace llvm;
using namespace nereid::graph;

namespace nereid::validate {

namespace {

/// What a comparison needs to know of a floating-point type.
struct Format {
  int leastExponent;
  int fractionBits;
  double greatest;

  explicit Format(mlir::Type type) {
    const fltSemantics &semantics = cast<mlir::FloatType>(type).getFloatSemantics();
    leastExponent = APFloat::semanticsMinExponent(semantics);
    fractionBits = static_cast<int>(APFloat::semanticsPrecision(semantics)) - 1;
    greatest = APFloat::getLargest(semantics).convertToDouble();
  }

  double unit(double value) const {
    int exponent = leastExponent;
    if (value != 0 && std::isfinite(value))
      exponent = std::max(std::ilogb(value), leastExponent);
    return std::ldexp(1.0, exponent - fractionBits);
  }
  /// Whether a finite number becomes infinite in this type.
  bool overflows(double value) const {
    return std::isfinite(value) && std::abs(value) >= greatest + unit(greatest) / 2;
  }
};

} // namespace

double unitInLastPlace(double value, mlir::Type type) { return Format(type).unit(value); }

static std::string describe(const Array &array) {
  std::string text;
  raw_string_ostream os(text);
  array.elementType.print(os);
  os << '[';
  interleaveComma(array.shape, os);
  os << ']';
  return text;
}

/// Integers and booleans: the oracle's, or those of working precision where it decides otherwise.
static void compareIntegers(const Array &got, const Array &exact, ArrayRef<const Array *> working,
                            ArrayRef<const Array *> deciding, Comparison &result) {
  for (int64_t at = 0, count = got.size(); at < count; ++at) {
    auto isSame = [&](const Array *other) { return got.integers[at] == other->integers[at]; };
    if (isSame(&exact) || any_of(working, isSame))
      continue;
    if (any_of(deciding, isSame)) {
      ++result.undecided;
      continue;
    }
    if (result.wrong++ == 0) {
      result.worstAt = at;
      result.got = static_cast<double>(got.integers[at]);
      result.wanted = static_cast<double>(exact.integers[at]);
      result.error = std::abs(result.got - result.wanted);
      result.ratio = std::numeric_limits<double>::infinity();
    }
  }
}

/// Whether two numbers are the same as far as NaN and infinities go, or both finite.
static bool isAlike(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return true;
}

/// Where working precision leaves the range and the oracle does not (or the other way round),
/// PyTorch may give either.
static bool isAcceptable(double got, double exact, ArrayRef<const Array *> working, int64_t at,
                         const Format &format) {
  if (isAlike(got, exact))
    return true;
  if (format.overflows(exact) && got == std::copysign(INFINITY, exact))
    return true;
  return any_of(working, [&](const Array *other) { return !isAlike(exact, other->reals[at]); });
}

static void note(Comparison &result, int64_t at, double got, double exact, double error,
                 double allowed, const Format &format) {
  double ratio = error == 0 ? 0 : error / allowed;
  if (ratio > 1)
    ++result.wrong;
  if (result.worstAt >= 0 && ratio <= result.ratio)
    return;
  result.worstAt = at;
  result.got = got;
  result.wanted = exact;
  result.error = error;
  result.allowed = allowed;
  result.unit = format.unit(exact);
  result.ratio = ratio;
}

/// The greatest error of the samples, as far as they are finite.
static double errorOf(ArrayRef<const Array *> working, const Array &exact) {
  double greatest = 0;
  for (const Array *sample : working)
    for (int64_t at = 0, count = exact.size(); at < count; ++at) {
      double error = std::abs(exact.reals[at] - sample->reals[at]);
      if (std::isfinite(error))
        greatest = std::max(greatest, error);
    }
  return greatest;
}

/// Whether a sample lies far from the oracle and the value is the sample's.
static bool isDecided(double got, double exact, ArrayRef<const Array *> deciding, int64_t at,
                      double allowed) {
  return any_of(deciding, [&](const Array *sample) {
    double other = sample->reals[at];
    return std::abs(other - exact) > allowed && std::abs(got - other) <= allowed;
  });
}

Comparison compare(const Array &got, const Array &exact, ArrayRef<const Array *> working,
                   ArrayRef<const Array *> deciding) {
  Comparison result;
  if (got.shape != exact.shape || got.elementType != exact.elementType) {
    result.mismatch = "it is " + describe(got) + ", expected " + describe(exact);
    return result;
  }
  if (!got.isFloat()) {
    compareIntegers(got, exact, working, deciding, result);
    return result;
  }
  Format format(got.elementType);
  double workingError = errorOf(working, exact);
  for (int64_t at = 0, count = got.size(); at < count; ++at) {
    double value = got.reals[at], reference = exact.reals[at];
    if (!isAcceptable(value, reference, working, at, format)) {
      // By luck no sample of working precision may have left the range.
      if (isAcceptable(value, reference, deciding, at, format)) {
        ++result.undecided;
        continue;
      }
      note(result, at, value, reference, std::numeric_limits<double>::infinity(), 1, format);
      continue;
    }
    // Where PyTorch's own value may be no number at all there is no bound.
    bool isBound =
        all_of(working, [&](const Array *other) { return isAlike(reference, other->reals[at]); });
    if (!std::isfinite(value) || !std::isfinite(reference) || !isBound)
      continue;
    double allowed = std::max(4 * workingError, 2 * format.unit(reference));
    if (std::abs(value - reference) > allowed &&
        isDecided(value, reference, deciding, at, allowed)) {
      ++result.undecided;
      continue;
    }
    note(result, at, value, reference, std::abs(value - reference), allowed, format);
  }
  return result;
}

} // namespace nereid::validate
