// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds, scans, scatters and segments.
#include "graph/FoldedMap.h"
#include "graph/Neutral.h"

#include <algorithm>
#include <cmath>

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

IntegerBinary Evaluator::integerStep(FoldKind kind, mlir::Type type) {
  StringRef name = kind == FoldKind::Sum    ? "add"
                   : kind == FoldKind::Prod ? "mul"
                   : kind == FoldKind::Max  ? "maximum"
                   : kind == FoldKind::Min  ? "minimum"
                   : kind == FoldKind::Any  ? "or"
                                            : "and";
  return findIntegerBinary(name, type.isUnsignedInteger(64));
}

int64_t Evaluator::combine(FoldKind kind, int64_t a, int64_t b, mlir::Type type) {
  return wrapTo(integerStep(kind, type)(a, b), type);
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
      wide[to] = round(static_cast<double>(wide[to]), at);
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

/// Whether a sum is one of products of factors each of which is repeated along axes of the other.
static bool isSumOfProducts(FoldOp op) {
  auto product = op.getInput().getDefiningOp<MulOp>();
  return product && product.getLhs().getDefiningOp<BroadcastOp>() &&
         product.getRhs().getDefiningOp<BroadcastOp>();
}

/// Folds in the making, one of each row of a tile.
class Evaluator::RowFolds {
public:
  RowFolds(Evaluator &evaluator, FoldOp op, mlir::Type type, int64_t folded, int64_t rows)
      : kind(op.getKind()), type(type), round(evaluator.rounding(type)),
        isReal(isa<mlir::FloatType>(type)), isRounded(isReal && evaluator.isWorking) {
    if (isRounded && kind == FoldKind::Sum) {
      bool inOrder = evaluator.isFused() && isSumOfProducts(op);
      lanes = 1;
      while (lanes < mostLanes && lanes < folded && !inOrder)
        lanes *= 2;
      partial.resize(rows * lanes);
    }
    (isReal ? wide.resize(rows) : integers.resize(rows));
    if (!isReal)
      step = integerStep(kind, type);
  }

  /// Whether places are asked for.
  bool isDisturbed() const { return round.isDisturbed(); }

  void start() {
    llvm::fill(partial, 0.0);
    llvm::fill(wide, neutralReal(kind));
    if (!isReal)
      llvm::fill(integers, neutralInteger(kind, type));
  }

  /// Elements `first` to `first + length` of each row.
  void add(const FoldedMap::Tile &tile, int64_t rows, int64_t first, int64_t length) {
    if (!isReal)
      return addIntegers(tile.elements.integers, rows, length);
    if (lanes)
      return addLanes(tile, rows, first, length);
    if (kind == FoldKind::Sum)
      return addWide(tile.elements.reals, rows, length);
    for (int64_t row = 0, at = 0; row < rows; ++row)
      for (int64_t end = at + length; at < end; ++at) {
        wide[row] = combine(kind, wide[row], Wide(tile.elements.reals[at]));
        if (isRounded)
          wide[row] = round(static_cast<double>(wide[row]), tile.places ? tile.places[at] : 0);
      }
  }

  void finish(Array &result, int64_t first, int64_t rows) {
    for (int64_t row = 0; row < rows; ++row) {
      if (!isReal)
        result.integers[first + row] = integers[row];
      else
        result.reals[first + row] =
            lanes ? sumOfLanes(row, first + row) : static_cast<double>(wide[row]);
    }
  }

private:
  void addIntegers(const int64_t *elements, int64_t rows, int64_t length) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t end = length; end > 0; --end)
        integers[row] = wrapTo(step(integers[row], *elements++), type);
  }

  /// Each sum waits for its last addition: four at a time wait together.
  void addWide(const double *elements, int64_t rows, int64_t length) {
    constexpr int64_t together = 4;
    int64_t row = 0;
    for (; row + together <= rows; row += together, elements += together * length) {
      Wide a = wide[row], b = wide[row + 1], c = wide[row + 2], d = wide[row + 3];
      for (int64_t at = 0; at < length; ++at) {
        a += elements[at];
        b += elements[at + length];
        c += elements[at + 2 * length];
        d += elements[at + 3 * length];
      }
      wide[row] = a, wide[row + 1] = b, wide[row + 2] = c, wide[row + 3] = d;
    }
    for (; row < rows; ++row)
      for (int64_t at = 0; at < length; ++at)
        wide[row] += *elements++;
  }

  /// As vectorised loops add: partial sums, then their sum by halves.
  void addLanes(const FoldedMap::Tile &tile, int64_t rows, int64_t first, int64_t length) {
    const double *elements = tile.elements.reals;
    bool isPlain =
        round.isSingle() && !round.isDisturbed() && lanes == mostLanes && first % mostLanes == 0;
    for (int64_t row = 0, at = 0; row < rows; ++row) {
      double *sums = partial.data() + row * lanes;
      int64_t end = at + length;
      for (; isPlain && at + mostLanes <= end; at += mostLanes)
        for (int64_t lane = 0; lane < mostLanes; ++lane)
          sums[lane] = static_cast<float>(sums[lane] + elements[at + lane]);
      const int64_t *places = tile.places;
      for (int64_t lane = first + length - (end - at); at < end; ++at, ++lane) {
        double &sum = sums[lane & (lanes - 1)];
        sum = round(sum + elements[at], places ? places[at] : 0);
      }
    }
  }

  double sumOfLanes(int64_t row, int64_t place) {
    double *sums = partial.data() + row * lanes;
    for (int64_t half = lanes / 2; half > 0; half /= 2)
      for (int64_t lane = 0; lane < half; ++lane)
        sums[lane] = round(sums[lane] + sums[lane + half], place * lanes + lane);
    return sums[0];
  }

  static constexpr int64_t mostLanes = 32;
  FoldKind kind;
  mlir::Type type;
  Rounding round;
  bool isReal, isRounded;
  IntegerBinary step = nullptr;
  std::vector<Wide> wide;
  std::vector<int64_t> integers;
  /// 0 where there are none.
  int64_t lanes = 0;
  std::vector<double> partial;
};

/// A fold goes over its operand tile by tile, each result over its elements in their order.
bool Evaluator::fold(FoldOp op) {
  FoldedMap map(*this, op.getInput(), op.getDims());
  if (!map.isValid())
    return false;
  Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
  constexpr int64_t mostElements = 2048, longest = 512;
  int64_t folded = map.foldedCount(), count = result.size();
  int64_t length = std::clamp<int64_t>(folded, 1, longest);
  int64_t rows = std::min(count, mostElements / length);
  RowFolds folds(*this, op, result.elementType, folded, rows);
  for (int64_t row = 0; row < count; row += rows) {
    int64_t now = std::min(rows, count - row);
    folds.start();
    for (int64_t first = 0; first < folded; first += length) {
      int64_t part = std::min(length, folded - first);
      folds.add(map.load(row, now, first, part, folds.isDisturbed()), now, first, part);
    }
    folds.finish(result, row, now);
  }
  set(op.getResult(), std::move(result));
  return true;
}

/// The first index of the greatest or least element, NaN before all.
bool Evaluator::argFold(FoldOp op) {
  const Array &input = in(op.getInput());
  Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
  bool greatest = op.getKind() == FoldKind::Argmax;
  int64_t dim = op.getDims()[0], along = input.strides()[dim], extent = input.shape[dim];
  SmallVector<int64_t> steps(result.strides());
  steps.insert(steps.begin() + dim, 0);
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
  set(op.getResult(), std::move(result));
  return true;
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
                                              Wide(result.reals[place(turn)]))),
                  place(turn) * 64 + llvm::Log2_64(step));
    Wide total = isFloat ? result.reals[first] : 0;
    for (int64_t turn = 1; turn < extent && !isTree; ++turn) {
      int64_t at = place(turn);
      bool startsAgain = resets && resets->integers[at];
      if (isFloat) {
        Wide own = result.reals[at];
        total = startsAgain ? own : combine(op.getKind(), total, own);
        result.reals[at] = round(static_cast<double>(total), at);
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
