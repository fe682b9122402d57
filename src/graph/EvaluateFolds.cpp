// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds, scans, scatters and segments.
#include "graph/Evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid::graph {

Evaluator::Wide Evaluator::combine(FoldKind kind, Wide a, Wide b) {
  switch (kind) {
  case FoldKind::Sum:
    return a + b;
  case FoldKind::Prod:
    return a * b;
  case FoldKind::Max:
    return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
  case FoldKind::Logsum:
    return std::isnan(a) || std::isnan(b)
               ? a + b
               : std::max(a, b) + std::log1p(std::exp(a == b ? 0 : -std::abs(a - b)));
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
  return kind == FoldKind::Prod                              ? 1
         : kind == FoldKind::Min                             ? infinity
         : kind == FoldKind::Max || kind == FoldKind::Logsum ? -infinity
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

/// The elements of a result while others are combined into them, from the fold of none on.
class Evaluator::Totals {
public:
  Totals(Evaluator &evaluator, Array &result, FoldKind kind)
      : evaluator(evaluator), result(result), kind(kind),
        round(evaluator.rounding(result.elementType)) {
    if (result.isFloat())
      wide.assign(result.reals.size(), neutralReal(kind));
    else
      std::fill(result.integers.begin(), result.integers.end(),
                neutralInteger(kind, result.elementType));
  }
  void add(int64_t to, const Array &from, int64_t at) {
    if (!result.isFloat()) {
      result.integers[to] =
          evaluator.combine(kind, result.integers[to], from.integers[at], result.elementType);
      return;
    }
    wide[to] = combine(kind, wide[to], Wide(from.reals[at]));
    if (evaluator.isWorking)
      wide[to] = round(static_cast<double>(wide[to]));
  }
  void finish() {
    for (auto [real, total] : zip(result.reals, wide))
      real = static_cast<double>(total);
  }

private:
  Evaluator &evaluator;
  Array &result;
  FoldKind kind;
  Rounding round;
  std::vector<Wide> wide;
};

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
  if (input.isFloat() && isWorking && kind == FoldKind::Sum)
    return set(op.getResult(), sumInLanes(input, std::move(result), steps));
  Totals totals(*this, result, kind);
  forEachOffset(input.shape, steps, 0,
                [&](int64_t from, int64_t to) { totals.add(to, input, from); });
  totals.finish();
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
  const Array *resets = op.getResets() ? &in(op.getResets()) : nullptr;
  bool isTree = isFloat && isFused() && !resets;
  int64_t stride = op.getReverse() ? -along : along;
  for (int64_t line = 0, lines = extent ? result.size() / extent : 0; line < lines; ++line) {
    int64_t base = line / along * along * extent + line % along;
    int64_t first = op.getReverse() ? base + (extent - 1) * along : base;
    auto place = [&](int64_t turn) { return first + turn * stride; };
    // Kernels combine neighbours first, and overflow where these do.
    for (int64_t step = 1; isTree && step < extent; step *= 2)
      for (int64_t turn = extent - 1; turn >= step; --turn)
        result.reals[place(turn)] =
            round(static_cast<double>(combine(op.getKind(), Wide(result.reals[place(turn - step)]),
                                              Wide(result.reals[place(turn)]))));
    Wide total = isFloat ? result.reals[first] : 0;
    for (int64_t turn = 1; turn < extent && !isTree; ++turn) {
      int64_t at = place(turn);
      bool startsAgain = resets && resets->integers[at];
      if (isFloat) {
        Wide own = result.reals[at];
        total = startsAgain ? own : combine(op.getKind(), total, own);
        result.reals[at] = round(static_cast<double>(total));
        total = isWorking ? result.reals[at] : total;
      } else if (!startsAgain) {
        result.integers[at] = combine(op.getKind(), result.integers[place(turn - 1)],
                                      result.integers[at], result.elementType);
      }
    }
  }
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(ScatterOp op) {
  const Array &updates = in(op.getUpdates()), &indices = in(op.getIndices());
  Array result(shapeOf(op.getResult()), updates.elementType);
  Totals totals(*this, result, op.getKind());
  int64_t dim = op.getDim(), extent = result.shape[dim];
  auto steps = result.strides();
  int64_t along = steps[dim];
  steps[dim] = 0;
  forEachOffset(updates.shape, steps, 0, [&](int64_t from, int64_t to) {
    int64_t place = indices.integers[from];
    if (place >= 0 && place < extent)
      totals.add(to + place * along, updates, from);
  });
  totals.finish();
  set(op.getResult(), std::move(result));
}

void Evaluator::foldRows(const Array &input, const int64_t *starts, const int64_t *stops,
                         Array &result, FoldKind kind) {
  Totals totals(*this, result, kind);
  int64_t rows = result.shape[0], length = rows ? result.size() / rows : 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t first = std::max<int64_t>(starts[row], 0);
    int64_t end = std::min(stops[row], input.shape[0]);
    for (int64_t at = first; at < end; ++at)
      for (int64_t column = 0; column < length; ++column)
        totals.add(row * length + column, input, at * length + column);
  }
  totals.finish();
}

void Evaluator::apply(SegmentOp op) {
  const Array &input = in(op.getInput());
  const int64_t *bounds = in(op.getBounds()).integers.data();
  Array result(shapeOf(op.getResult()), input.elementType);
  foldRows(input, bounds, bounds + 1, result, op.getKind());
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(RunsOp op) {
  const Array &input = in(op.getInput());
  Array result(shapeOf(op.getResult()), input.elementType);
  foldRows(input, in(op.getStarts()).integers.data(), in(op.getStops()).integers.data(), result,
           op.getKind());
  set(op.getResult(), std::move(result));
}

} // namespace nereid::graph
