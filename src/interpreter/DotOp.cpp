// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile.dot: products summed in float (double for f64, int32 for i8), rounded to the accumulator's
// type at the end. As matrix units do, it adds up 16 products at a time, and what these make to the
// accumulator, k in increasing order.
#include "interpreter/Elementwise.h"

#include "tile/TileOps.h"

#include "llvm/ADT/bit.h"

#include <cstring>

namespace nereid::interpreter {

namespace {

struct DotShape {
  int64_t batch, m, n, k;
};

DotShape getShape(tile::DotOp dot) {
  llvm::ArrayRef<int64_t> lhs = dot.getLhs().getType().getShape();
  llvm::ArrayRef<int64_t> acc = dot.getAcc().getType().getShape();
  return {acc.size() == 3 ? acc[0] : 1, acc[acc.size() - 2], acc.back(), lhs.back()};
}

/// c += a * b, row by row of c, so that the inner loop runs along rows of b and c.
template <typename A, typename C> void multiply(DotShape shape, const A *a, const A *b, C *c) {
  constexpr int64_t block = 16;
  std::vector<C> sums(shape.n);
  for (int64_t k0 = 0; k0 < shape.k; k0 += block) {
    int64_t k1 = std::min(shape.k, k0 + block);
    for (int64_t i = 0; i < shape.m; ++i) {
      std::fill(sums.begin(), sums.end(), C(0));
      for (int64_t k = k0; k < k1; ++k) {
        auto factor = static_cast<C>(a[i * shape.k + k]);
        const A *row = b + k * shape.n;
        for (int64_t j = 0; j < shape.n; ++j)
          sums[j] += factor * static_cast<C>(row[j]);
      }
      C *out = c + i * shape.n;
      for (int64_t j = 0; j < shape.n; ++j)
        out[j] += sums[j];
    }
  }
}

/// Rounds to the 10 mantissa bits of tf32, ties away from zero.
void roundToTf32(Buffer &buffer) {
  auto *bits = buffer.asMutable<uint32_t>();
  for (int64_t i = 0, n = buffer.stored(); i < n; ++i)
    if ((bits[i] & 0x7f800000) != 0x7f800000)
      bits[i] = (bits[i] + 0x1000) & ~uint32_t(0x1fff);
}

/// The lanes of an operand, all stored, as float where they are narrow.
Buffer prepareOperand(const Buffer &buffer, bool toTf32) {
  Buffer all = isNarrow(buffer.element) ? toFloat(buffer) : buffer;
  if (!toTf32) {
    all.spread();
    return all;
  }
  Buffer rounded;
  rounded.reset(Element::F32, all.count, all.uniform);
  std::memcpy(rounded.data->data(), all.data->data(), all.stored() * sizeof(float));
  roundToTf32(rounded);
  rounded.spread();
  return rounded;
}

/// result[m, n] is undefined where acc[m, n], a lane of row m or a lane of column n is.
void mergeDotFlags(Program &program, const Instruction &at, DotShape shape) {
  const Buffer &a = operand(program, at, 0), &b = operand(program, at, 1);
  const Buffer &acc = operand(program, at, 2);
  if (!a.flags && !b.flags && !acc.flags)
    return;
  Buffer &result = program.slots[at.results[0]];
  uint8_t *flags = result.addFlags();
  for (int64_t p = 0; p < shape.batch; ++p) {
    std::vector<uint8_t> rows(shape.m), columns(shape.n);
    for (int64_t i = 0; i < shape.m; ++i)
      for (int64_t k = 0; k < shape.k; ++k)
        rows[i] |= a.flagOf((p * shape.m + i) * shape.k + k);
    for (int64_t k = 0; k < shape.k; ++k)
      for (int64_t j = 0; j < shape.n; ++j)
        columns[j] |= b.flagOf((p * shape.k + k) * shape.n + j);
    for (int64_t i = 0; i < shape.m; ++i)
      for (int64_t j = 0; j < shape.n; ++j) {
        int64_t lane = (p * shape.m + i) * shape.n + j;
        flags[lane] = rows[i] | columns[j] | acc.flagOf(lane);
      }
  }
  for (const Buffer *from : {&a, &b, &acc}) {
    result.poisonedBy = result.poisonedBy ? result.poisonedBy : from->poisonedBy;
    result.wrappedBy = result.wrappedBy ? result.wrappedBy : from->wrappedBy;
  }
}

template <typename A, typename C>
void multiplyBatches(DotShape shape, const Buffer &a, const Buffer &b, Buffer &sum) {
  for (int64_t p = 0; p < shape.batch; ++p)
    multiply<A, C>(shape, a.as<A>() + p * shape.m * shape.k, b.as<A>() + p * shape.k * shape.n,
                   sum.asMutable<C>() + p * shape.m * shape.n);
}

void runDot(Machine &machine, Program &program, const Instruction &at) {
  DotShape shape = getShape(mlir::cast<tile::DotOp>(at.op));
  bool toTf32 = at.variant != 0;
  Buffer a = prepareOperand(operand(program, at, 0), toTf32);
  Buffer b = prepareOperand(operand(program, at, 1), toTf32);
  Buffer acc = prepareOperand(operand(program, at, 2), false);
  Buffer sum;
  sum.reset(acc.element, acc.count, false);
  std::memcpy(sum.data->data(), acc.data->data(), acc.count * getBytes(acc.element));
  if (sum.element == Element::I32)
    multiplyBatches<int8_t, int32_t>(shape, a, b, sum);
  else if (sum.element == Element::F64)
    multiplyBatches<double, double>(shape, a, b, sum);
  else
    multiplyBatches<float, float>(shape, a, b, sum);
  Buffer &result = program.slots[at.results[0]];
  if (isNarrow(at.element)) {
    result.reset(at.element, sum.count, false);
    fromFloat(sum, result);
  } else {
    result = sum;
  }
  if (machine.isChecked())
    mergeDotFlags(program, at, shape);
}

void selectDot(mlir::Operation *op, Instruction &at) {
  at.variant = mlir::cast<tile::DotOp>(op).getPrecision() == tile::Precision::Tf32 &&
               at.source == Element::F32;
  at.handler = runDot;
}

} // namespace

void addDotHandlers(HandlerTable &table) { table["tile.dot"] = selectDot; }

} // namespace nereid::interpreter
