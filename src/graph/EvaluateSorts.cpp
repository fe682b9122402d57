// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts, the keys that they sort by, and searches in what is sorted.
#include "graph/Evaluator.h"
#include "graph/Neutral.h"

#include <cmath>
#include <numeric>

using namespace llvm;

namespace nereid::graph {

/// The order of a sort: a NaN is greater than every number.
bool Evaluator::isLess(const Array &array, int64_t a, int64_t b) {
  if (array.isFloat())
    return std::isnan(array.reals[b]) ? !std::isnan(array.reals[a])
                                      : array.reals[a] < array.reals[b];
  bool isUnsigned = array.elementType.isUnsignedInteger(64);
  return findIntegerTest("lt", isUnsigned)(array.integers[a], array.integers[b]) != 0;
}

/// A stable sort of the positions of each line.
void Evaluator::apply(SortOp op) {
  const Array &input = in(op.getInput());
  Array values(shapeOf(op.getValues()), input.elementType);
  Array indices(values.shape, elementOf(op.getIndices()));
  int64_t dim = op.getDim(), along = input.strides()[dim], extent = input.shape[dim];
  int64_t count = values.shape[dim], lines = extent ? input.size() / extent : 0;
  SmallVector<int64_t> places(extent);
  for (int64_t line = 0; line < lines; ++line) {
    int64_t from = line / along * along * extent + line % along;
    int64_t to = line / along * along * count + line % along;
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
      a = from + a * along, b = from + b * along;
      return op.getDescending() ? isLess(input, b, a) : isLess(input, a, b);
    });
    for (int64_t at = 0; at < count; ++at) {
      indices.integers[to + at * along] = places[at];
      if (input.isFloat())
        values.reals[to + at * along] = input.reals[from + places[at] * along];
      else
        values.integers[to + at * along] = input.integers[from + places[at] * along];
    }
  }
  set(op.getValues(), std::move(values));
  set(op.getIndices(), std::move(indices));
}

void Evaluator::apply(SearchOp op) {
  const Array &keys = in(op.getKeys()), &values = in(op.getValues());
  Array result(values.shape, elementOf(op.getResult()));
  int64_t count = keys.shape.back(), each = values.shape.back();
  bool isUnsigned = keys.elementType.isUnsignedInteger(64);
  auto isLess = [&](const Array &a, int64_t i, const Array &b, int64_t j) {
    if (a.isFloat())
      return std::isnan(b.reals[j]) ? !std::isnan(a.reals[i]) : a.reals[i] < b.reals[j];
    return findIntegerTest("lt", isUnsigned)(a.integers[i], b.integers[j]) != 0;
  };
  for (int64_t at = 0, size = values.size(); at < size; ++at) {
    int64_t line = at / each * count, low = 0, high = count;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      bool isBefore = op.getRight() ? !isLess(values, at, keys, line + middle)
                                    : isLess(keys, line + middle, values, at);
      (isBefore ? low : high) = isBefore ? middle + 1 : middle;
    }
    result.integers[at] = low;
  }
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(OrderOp op) {
  const Array &input = in(op.getInput());
  Array result(input.shape, elementOf(op.getResult()));
  mlir::Type element = input.elementType;
  unsigned width = element.getIntOrFloatBitWidth();
  for (int64_t at = 0, count = result.size(); at < count; ++at) {
    int64_t &key = result.integers[at];
    if (!input.isFloat()) {
      bool turns = element.isUnsignedInteger() && width >= 32;
      key =
          wrapTo(input.integers[at] ^ (turns ? int64_t(1) << (width - 1) : 0), result.elementType);
      continue;
    }
    double real = input.reals[at];
    if (std::isnan(real) || real == 0) {
      key = real == 0 ? 0 : neutralInteger(FoldKind::Min, result.elementType);
      continue;
    }
    int64_t bits = width == 64 ? llvm::bit_cast<int64_t>(real)
                               : llvm::bit_cast<int32_t>(static_cast<float>(real));
    key = bits < 0 ? bits ^ neutralInteger(FoldKind::Min, result.elementType) : bits;
  }
  set(op.getResult(), std::move(result));
}

} // namespace nereid::graph
