// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/RangeOf.h"
#include "index/Storage.h"

#include <algorithm>

namespace nereid::index {

Range Range::intersect(Range other) const {
  Range result = *this;
  if (other.lo && (!lo || *other.lo > *lo))
    result.lo = other.lo;
  if (other.hi && (!hi || *other.hi < *hi))
    result.hi = other.hi;
  return result;
}

Range Range::unite(Range other) const {
  Range result;
  if (lo && other.lo)
    result.lo = std::min(*lo, *other.lo);
  if (hi && other.hi)
    result.hi = std::max(*hi, *other.hi);
  return result;
}

namespace {
/// An end of an interval: a number, or an infinity. An end that leaves int64 becomes the infinity
/// on its side (less is then known, which is sound for a low end below and a high end above); on
/// the wrong side it is clamped to the nearest int64.
struct End {
  int infinity = 0;
  int64_t value = 0;
};
} // namespace

static End low(Range range) { return range.lo ? End{0, *range.lo} : End{-1, 0}; }
static End high(Range range) { return range.hi ? End{0, *range.hi} : End{1, 0}; }

static End endOf(__int128 value) {
  if (value > INT64_MAX)
    return {1, 0};
  if (value < INT64_MIN)
    return {-1, 0};
  return {0, int64_t(value)};
}

static Range rangeOfEnds(End lo, End hi) {
  Range result;
  if (lo.infinity >= 0)
    result.lo = lo.infinity ? INT64_MAX : lo.value;
  if (hi.infinity <= 0)
    result.hi = hi.infinity ? INT64_MIN : hi.value;
  return result;
}

static End multiply(End a, End b) {
  auto sign = [](End end) {
    return end.infinity ? end.infinity : (end.value > 0) - (end.value < 0);
  };
  if (a.infinity || b.infinity) {
    int result = sign(a) * sign(b);
    // 0 * infinity is 0: the other interval holds zero only.
    return {result, 0};
  }
  return endOf(__int128(a.value) * b.value);
}

static bool isBelow(End a, End b) {
  return a.infinity != b.infinity ? a.infinity < b.infinity : a.value < b.value;
}

static Range multiply(Range a, Range b) {
  End products[] = {multiply(low(a), low(b)), multiply(low(a), high(b)), multiply(high(a), low(b)),
                    multiply(high(a), high(b))};
  auto [least, greatest] = std::minmax_element(std::begin(products), std::end(products), isBelow);
  return rangeOfEnds(*least, *greatest);
}

static Range power(Range base, unsigned exponent) {
  Range result = base;
  for (unsigned i = 1; i < exponent; ++i)
    result = multiply(result, base);
  if (exponent % 2 == 0)
    result = result.intersect(Range::atLeast(0));
  return result;
}

/// Adds without losing soundness: an infinity wins on its own side.
static std::optional<int64_t> addEnds(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b)
    return std::nullopt;
  return checkedAdd(*a, *b);
}

static Range divide(Range a, Range b) {
  // Only a divisor of known sign is of use; dividing by a negative range is rare.
  if (!b.lo || *b.lo < 0 || b.isEmpty())
    return {};
  int64_t least = std::max<int64_t>(*b.lo, 1);
  Range result;
  if (a.lo)
    result.lo = *a.lo >= 0 ? (b.hi ? floorDivide(*a.lo, std::max<int64_t>(*b.hi, 1)) : 0)
                           : floorDivide(*a.lo, least);
  if (a.hi)
    result.hi = *a.hi >= 0 ? floorDivide(*a.hi, least)
                           : (b.hi ? floorDivide(*a.hi, std::max<int64_t>(*b.hi, 1)) : -1);
  return result;
}

static Range modulo(Range a, Range b) {
  Range result;
  if (b.lo && *b.lo >= 0) {
    result.lo = 0;
    if (b.hi && *b.hi > 0)
      result.hi = *b.hi - 1;
    if (a.lo && *a.lo >= 0) {
      if (a.hi)
        result = result.intersect(Range::atMost(*a.hi));
      if (a.hi && b.lo && *a.hi < *b.lo)
        result = result.intersect(a);
    }
  } else if (b.hi && *b.hi <= 0) {
    result.hi = 0;
    if (b.lo && *b.lo < 0)
      result.lo = *b.lo + 1;
  }
  return result;
}

static Range extreme(Range a, Range b, bool least) {
  Range result;
  if (least) {
    result.lo = a.lo && b.lo ? std::optional(std::min(*a.lo, *b.lo)) : std::nullopt;
    result.hi = a.hi && b.hi ? std::min(a.hi, b.hi) : a.hi ? a.hi : b.hi;
  } else {
    result.hi = a.hi && b.hi ? std::optional(std::max(*a.hi, *b.hi)) : std::nullopt;
    result.lo = a.lo && b.lo ? std::max(a.lo, b.lo) : a.lo ? a.lo : b.lo;
  }
  return result;
}

static Range atomRange(Expr atom, AtomRange known, llvm::DenseMap<Expr, Range> *done) {
  llvm::ArrayRef<Expr> operands = atom.getOperands();
  switch (atom.getKind()) {
  case ExprKind::FloorDiv:
    return divide(rangeOf(operands[0], known, done), rangeOf(operands[1], known, done));
  case ExprKind::Mod:
    return modulo(rangeOf(operands[0], known, done), rangeOf(operands[1], known, done));
  case ExprKind::NextPow2: {
    Range inner = rangeOf(operands[0], known, done);
    Range result = Range::atLeast(0);
    if (inner.lo)
      result.lo = nextPowerOfTwo(*inner.lo).value_or(int64_t(1) << 62);
    if (inner.hi)
      result.hi = nextPowerOfTwo(*inner.hi);
    return result;
  }
  default:
    break;
  }
  Range result = rangeOf(operands.front(), known, done);
  for (Expr operand : operands.drop_front())
    result = extreme(result, rangeOf(operand, known, done), atom.getKind() == ExprKind::Min);
  return result;
}

static Range rangeOfMonomial(Expr expr, AtomRange known, llvm::DenseMap<Expr, Range> *done) {
  Range result = Range::point(1);
  if (expr.getKind() != ExprKind::Product)
    result = atomRange(expr, known, done);
  for (Factor factor : expr.getFactors())
    result = multiply(result, power(rangeOf(factor.atom, known, done), factor.power));
  return known ? result.intersect(known(expr)) : result;
}

Range rangeOf(Expr expr, AtomRange known, llvm::DenseMap<Expr, Range> *done) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return Range::point(*expr.getConstant());
  case ExprKind::Symbol:
    return known ? known(expr) : Range();
  case ExprKind::Sum: {
    Range result = Range::point(expr.getConstantTerm());
    for (Term term : expr.getNode()->terms) {
      Range part = multiply(rangeOf(term.monomial, known, done), Range::point(term.coefficient));
      result = {addEnds(result.lo, part.lo), addEnds(result.hi, part.hi)};
    }
    return result;
  }
  default:
    break;
  }
  if (!done)
    return rangeOfMonomial(expr, known, done);
  if (auto found = done->find(expr); found != done->end())
    return found->second;
  Range result = rangeOfMonomial(expr, known, done);
  return (*done)[expr] = result;
}

} // namespace nereid::index
