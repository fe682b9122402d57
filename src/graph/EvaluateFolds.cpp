// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds, scans, scatters and segments.
#include "graph/Evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid::graph {

double Evaluator::combine(FoldKind kind, double a, double b) {
  switch (kind) {
  case FoldKind::Sum:
    return a + b;
  case FoldKind::Prod:
    return a * b;
  case FoldKind::Max:
    return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
  default:
    return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
  }
}

int64_t Evaluator::combine(FoldKind kind, int64_t a, int64_t b, mlir::Type type) {
  bool isUnsigned = type.isUnsignedInteger(64);
  StringRef name = kind == FoldKind::Sum    ? "add"
                   : kind == FoldKind::Prod ? "mul"
                   : kind == FoldKind::Max  ? "maximum"
                   : kind == FoldKind::Min  ? "minimum"
                   : kind == FoldKind::Any  ? "or"
                                            : "and";
  return wrapTo(findIntegerBinary(name, isUnsigned)(a, b), type);
}

double Evaluator::neutralReal(FoldKind kind) {
  double infinity = std::numeric_limits<double>::infinity();
  return kind == FoldKind::Prod  ? 1
         : kind == FoldKind::Max ? -infinity
         : kind == FoldKind::Min ? infinity
                                 : 0;
}

int64_t Evaluator::neutralInteger(FoldKind kind, mlir::Type type) {
  int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isUnsigned)
    least = 0, most = bits == 64 ? -1 : (int64_t(1) << bits) - 1;
  else if (bits < 64)
    most = (int64_t(1) << (bits - 1)) - 1, least = -most - 1;
  return kind == FoldKind::Prod || kind == FoldKind::All ? 1
         : kind == FoldKind::Max                         ? least
         : kind == FoldKind::Min                         ? most
                                                         : 0;
}

/// Every element is the fold of none.
void Evaluator::fillNeutral(Array &array, FoldKind kind) {
  if (array.isFloat())
    std::fill(array.reals.begin(), array.reals.end(), neutralReal(kind));
  else
    std::fill(array.integers.begin(), array.integers.end(),
              neutralInteger(kind, array.elementType));
}

/// Combines an element of `from` into one of `into`.
void Evaluator::combineInto(Array &into, int64_t to, const Array &from, int64_t at, FoldKind kind,
                            Rounding &round) {
  if (into.isFloat())
    into.reals[to] = round(combine(kind, into.reals[to], from.reals[at]));
  else
    into.integers[to] = combine(kind, into.integers[to], from.integers[at], into.elementType);
}

void Evaluator::apply(FoldOp op) {
  const Array &input = in(op.getInput());
  Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
  FoldKind kind = op.getKind();
  // Each element of the input goes to one of the result.
  SmallVector<int64_t> steps;
  auto strides = result.strides();
  for (size_t axis = 0, kept = 0; axis < input.shape.size(); ++axis)
    steps.push_back(is_contained(op.getDims(), static_cast<int64_t>(axis)) ? 0 : strides[kept++]);
  if (kind == FoldKind::Argmax || kind == FoldKind::Argmin)
    return set(op.getResult(), argFold(input, std::move(result), steps, op.getDims()[0], kind));
  if (input.isFloat()) {
    if (isWorking && kind == FoldKind::Sum)
      return set(op.getResult(), sumInLanes(input, std::move(result), steps));
    Rounding round = rounding(result.elementType);
    std::fill(result.reals.begin(), result.reals.end(), neutralReal(kind));
    forEachOffset(input.shape, steps, 0, [&](int64_t from, int64_t to) {
      result.reals[to] = round(combine(kind, result.reals[to], input.reals[from]));
    });
  } else {
    std::fill(result.integers.begin(), result.integers.end(),
              neutralInteger(kind, input.elementType));
    forEachOffset(input.shape, steps, 0, [&](int64_t from, int64_t to) {
      result.integers[to] =
          combine(kind, result.integers[to], input.integers[from], input.elementType);
    });
  }
  set(op.getResult(), std::move(result));
}

/// A sum as vectorised loops make it: 32 partial sums, then their sum by halves.
Array Evaluator::sumInLanes(const Array &input, Array result, ArrayRef<int64_t> steps) {
  Rounding round = rounding(result.elementType);
  size_t count = result.reals.size();
  size_t lanes = 1;
  while (lanes < 32 && count * lanes < input.reals.size())
    lanes *= 2;
  std::vector<double> partial(count * lanes, 0.0);
  std::vector<unsigned> next(count, 0);
  forEachOffset(input.shape, steps, 0, [&](int64_t from, int64_t to) {
    double &sum = partial[to * lanes + next[to]++ % lanes];
    sum = round(sum + input.reals[from]);
  });
  for (size_t half = lanes / 2; half > 0; half /= 2)
    for (size_t to = 0; to < count; ++to)
      for (size_t lane = 0; lane < half; ++lane)
        partial[to * lanes + lane] =
            round(partial[to * lanes + lane] + partial[to * lanes + lane + half]);
  for (size_t to = 0; to < count; ++to)
    result.reals[to] = partial[to * lanes];
  return result;
}

/// The first index of the greatest or least element along `dim`, NaN before all.
Array Evaluator::argFold(const Array &input, Array result, ArrayRef<int64_t> steps, int64_t dim,
                         FoldKind kind) {
  bool greatest = kind == FoldKind::Argmax;
  int64_t along = input.strides()[dim], extent = input.shape[dim];
  std::vector<int64_t> best(result.size(), -1);
  auto better = [&](int64_t a, int64_t b) {
    if (input.isFloat()) {
      double x = input.reals[a], y = input.reals[b];
      if (std::isnan(y))
        return false;
      return std::isnan(x) || (greatest ? x > y : x < y);
    }
    bool isUnsigned = input.elementType.isUnsignedInteger(64);
    return findIntegerTest(greatest ? "gt" : "lt", isUnsigned)(input.integers[a],
                                                               input.integers[b]) != 0;
  };
  forEachOffset(input.shape, steps, 0, [&](int64_t from, int64_t to) {
    if (best[to] >= 0 && !better(from, best[to]))
      return;
    best[to] = from;
    result.integers[to] = from / along % extent;
  });
  return result;
}

void Evaluator::apply(ScanOp op) {
  Array result = in(op.getInput());
  bool isFloat = result.isFloat();
  Rounding round = rounding(result.elementType);
  int64_t along = result.strides()[op.getDim()], extent = result.shape[op.getDim()];
  for (int64_t at = 0, count = result.size(); at < count; ++at) {
    if (at / along % extent == 0)
      continue;
    if (isFloat)
      result.reals[at] = round(combine(op.getKind(), result.reals[at - along], result.reals[at]));
    else
      result.integers[at] = combine(op.getKind(), result.integers[at - along], result.integers[at],
                                    result.elementType);
  }
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(ScatterOp op) {
  const Array &updates = in(op.getUpdates()), &indices = in(op.getIndices());
  Array result(shapeOf(op.getResult()), updates.elementType);
  fillNeutral(result, op.getKind());
  int64_t dim = op.getDim(), extent = result.shape[dim];
  auto steps = result.strides();
  int64_t along = steps[dim];
  steps[dim] = 0;
  Rounding round = rounding(result.elementType);
  forEachOffset(updates.shape, steps, 0, [&](int64_t from, int64_t to) {
    int64_t place = indices.integers[from];
    if (place >= 0 && place < extent)
      combineInto(result, to + place * along, updates, from, op.getKind(), round);
  });
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(SegmentOp op) {
  const Array &input = in(op.getInput()), &bounds = in(op.getBounds());
  Array result(shapeOf(op.getResult()), input.elementType);
  fillNeutral(result, op.getKind());
  Rounding round = rounding(result.elementType);
  int64_t rows = result.shape[0], length = rows ? result.size() / rows : 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t first = std::max<int64_t>(bounds.integers[row], 0);
    int64_t end = std::min(bounds.integers[row + 1], input.shape[0]);
    for (int64_t at = first; at < end; ++at)
      for (int64_t column = 0; column < length; ++column)
        combineInto(result, row * length + column, input, at * length + column, op.getKind(),
                    round);
  }
  set(op.getResult(), std::move(result));
}

} // namespace nereid::graph
