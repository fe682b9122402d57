// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile.reduce and tile.scan. A tile is seen as [outer, extent, inner] around the axis. The region
// runs on whole rows at once: its scalars become buffers of many lanes.
#include "interpreter/Elementwise.h"

#include "interpreter/Access.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include <cstring>

namespace nereid::interpreter {

namespace {

/// The tile around the axis of a fold.
struct FoldShape {
  int64_t outer = 1, extent = 1, inner = 1;
};

FoldShape getShape(const Instruction &at) {
  FoldShape shape;
  llvm::ArrayRef<int64_t> extents = tile::getShape(at.op->getOperand(0).getType());
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    if (static_cast<int64_t>(axis) == at.variant)
      shape.extent = extent;
    else
      (static_cast<int64_t>(axis) < at.variant ? shape.outer : shape.inner) *= extent;
  }
  return shape;
}

/// Copies rows [from, from + rows) of each outer part of a buffer with `extent` rows.
Buffer takeRows(const Buffer &value, FoldShape shape, int64_t from, int64_t rows) {
  Buffer part;
  int64_t count = shape.outer * rows * shape.inner;
  if (value.uniform) {
    part = value;
    part.count = count;
    return part;
  }
  part.reset(value.element, count, false);
  auto copy = [&](const std::byte *source, std::byte *target, unsigned bytes) {
    int64_t length = rows * shape.inner * bytes;
    for (int64_t o = 0; o < shape.outer; ++o)
      std::memcpy(target + o * length, source + (o * shape.extent + from) * shape.inner * bytes,
                  length);
  };
  copy(value.data->data(), part.data->data(), getBytes(value.element));
  if (value.flags) {
    copy(value.flags->data(), reinterpret_cast<std::byte *>(part.addFlags()), 1);
    part.poisonedBy = value.poisonedBy;
    part.wrappedBy = value.wrappedBy;
  }
  return part;
}

/// The opposite: writes rows into a buffer that is not uniform.
void putRows(Buffer &value, FoldShape shape, int64_t from, Buffer part) {
  part.spread();
  int64_t rows = part.count / (shape.outer * shape.inner);
  auto copy = [&](const std::byte *source, std::byte *target, unsigned bytes) {
    int64_t length = rows * shape.inner * bytes;
    for (int64_t o = 0; o < shape.outer; ++o)
      std::memcpy(target + (o * shape.extent + from) * shape.inner * bytes, source + o * length,
                  length);
  };
  copy(part.data->data(), value.data->data(), getBytes(value.element));
  if (!part.flags)
    return;
  if (!value.flags)
    value.addFlags();
  copy(part.flags->data(), value.flags->data(), 1);
  value.poisonedBy = value.poisonedBy ? value.poisonedBy : part.poisonedBy;
  value.wrappedBy = value.wrappedBy ? value.wrappedBy : part.wrappedBy;
}

/// The region on two lists of buffers.
class Combination {
public:
  Combination(Machine &machine, const Program &program, const Code &code)
      : machine(machine), code(code) {
    inner.slots.resize(code.slotCount);
    inner.id = program.id;
    inner.number = program.number;
  }

  llvm::SmallVector<Buffer, 2> operator()(llvm::ArrayRef<Buffer> left,
                                          llvm::ArrayRef<Buffer> right) {
    size_t count = left.size();
    for (size_t i = 0; i < count; ++i) {
      inner.slots[code.arguments[i]] = left[i];
      inner.slots[code.arguments[count + i]] = right[i];
    }
    for (const Instruction &instruction : code.instructions)
      instruction.handler(machine, inner, instruction);
    llvm::SmallVector<Buffer, 2> results;
    for (unsigned slot : code.results) {
      results.push_back(inner.slots[slot]);
      results.back().count = std::max(results.back().count, left.front().count);
    }
    return results;
  }

private:
  Machine &machine;
  const Code &code;
  Program inner;
};

/// A fold of defined with undefined lanes is a mistake; one of undefined lanes alone is undefined.
void checkFold(Machine &machine, Program &program, const Instruction &at, FoldShape shape) {
  for (unsigned slot : at.operands) {
    const Buffer &value = program.slots[slot];
    if (!value.flags || value.uniform)
      continue;
    for (int64_t row = 0; row < shape.outer * shape.inner; ++row) {
      int64_t base = row / shape.inner * shape.extent * shape.inner + row % shape.inner;
      int64_t poisoned = 0, first = -1;
      for (int64_t i = 0; i < shape.extent; ++i)
        if (value.flagOf(base + i * shape.inner) & Poison) {
          first = first < 0 ? base + i * shape.inner : first;
          ++poisoned;
        }
      if (poisoned != 0 && poisoned != shape.extent)
        machine.report(
            FindingKind::Undefined, program, at,
            [&] {
              return "folds an undefined value" + getOriginText(value.poisonedBy) + ", lane " +
                     getLaneText(at.op->getOperand(0).getType(), first);
            },
            first);
    }
  }
}

/// A balanced tree: rows r and r + extent/2 are combined; a row left over joins the next level.
void runReduce(Machine &machine, Program &program, const Instruction &at) {
  FoldShape shape = getShape(at);
  if (machine.isChecked())
    checkFold(machine, program, at, shape);
  llvm::SmallVector<Buffer, 2> values;
  for (unsigned slot : at.operands)
    values.push_back(program.slots[slot]);
  Combination combine(machine, program, *at.region);
  while (shape.extent > 1) {
    int64_t half = shape.extent / 2, rest = shape.extent - 2 * half;
    llvm::SmallVector<Buffer, 2> left, right;
    for (const Buffer &value : values) {
      left.push_back(takeRows(value, shape, 0, half));
      right.push_back(takeRows(value, shape, half, half));
    }
    llvm::SmallVector<Buffer, 2> next = combine(left, right);
    FoldShape smaller = {shape.outer, half + rest, shape.inner};
    for (auto [value, folded] : llvm::zip(values, next)) {
      if (rest == 0) {
        value = folded;
        continue;
      }
      Buffer all;
      all.reset(folded.element, shape.outer * smaller.extent * shape.inner, false);
      putRows(all, smaller, 0, folded);
      putRows(all, smaller, half, takeRows(value, shape, 2 * half, 1));
      value = all;
    }
    shape = smaller;
  }
  for (auto [slot, value] : llvm::zip(at.results, values)) {
    value.uniform = value.uniform || value.count == 1;
    program.slots[slot] = value;
  }
}

/// Row after row, from the last one when reverse.
void runScan(Machine &machine, Program &program, const Instruction &at) {
  FoldShape shape = getShape(at);
  if (machine.isChecked())
    checkFold(machine, program, at, shape);
  bool reverse = mlir::cast<tile::ScanOp>(at.op).getReverse();
  llvm::SmallVector<Buffer, 2> results, total;
  for (unsigned slot : at.operands) {
    Buffer result;
    result.reset(program.slots[slot].element, at.count, false);
    results.push_back(result);
  }
  Combination combine(machine, program, *at.region);
  for (int64_t step = 0; step < shape.extent; ++step) {
    int64_t row = reverse ? shape.extent - 1 - step : step;
    llvm::SmallVector<Buffer, 2> next;
    for (unsigned slot : at.operands)
      next.push_back(takeRows(program.slots[slot], shape, row, 1));
    total = step == 0 ? next : combine(total, next);
    for (auto [result, part] : llvm::zip(results, total))
      putRows(result, shape, row, part);
  }
  for (auto [slot, result] : llvm::zip(at.results, results))
    program.slots[slot] = result;
}

void selectReduce(mlir::Operation *op, Instruction &at) {
  at.variant = mlir::cast<tile::ReduceOp>(op).getAxis();
  at.handler = runReduce;
}

void selectScan(mlir::Operation *op, Instruction &at) {
  at.variant = mlir::cast<tile::ScanOp>(op).getAxis();
  at.handler = runScan;
}

} // namespace

void addFoldHandlers(HandlerTable &table) {
  table["tile.reduce"] = selectReduce;
  table["tile.scan"] = selectScan;
}

} // namespace nereid::interpreter
