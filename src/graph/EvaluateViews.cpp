// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that only move elements.
#include "graph/Evaluator.h"

#include <algorithm>

using namespace llvm;

namespace nereid::graph {

Array strided(const Array &input, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
              int64_t offset) {
  Array output(shape, input.elementType);
  if (input.isFloat())
    forEachOffset(shape, strides, offset,
                  [&](int64_t to, int64_t from) { output.reals[to] = input.reals[from]; });
  else
    forEachOffset(shape, strides, offset,
                  [&](int64_t to, int64_t from) { output.integers[to] = input.integers[from]; });
  return output;
}

namespace {

/// Copies `part` into `whole` from `start` along an axis, as far as it lies inside.
void paste(Array &whole, const Array &part, int64_t dim, int64_t start) {
  int64_t inner = 1, outer = 1;
  for (size_t axis = 0; axis < whole.shape.size(); ++axis)
    (static_cast<int64_t>(axis) < dim ? outer : inner) *=
        static_cast<int64_t>(axis) == dim ? 1 : whole.shape[axis];
  int64_t extent = part.shape[dim], total = whole.shape[dim];
  for (int64_t block = 0; block < outer; ++block)
    for (int64_t row = 0; row < extent; ++row) {
      int64_t to = row + start;
      if (to < 0 || to >= total)
        continue;
      for (int64_t lane = 0; lane < inner; ++lane) {
        int64_t target = (block * total + to) * inner + lane;
        int64_t source = (block * extent + row) * inner + lane;
        if (whole.isFloat())
          whole.reals[target] = part.reals[source];
        else
          whole.integers[target] = part.integers[source];
      }
    }
}

} // namespace

std::shared_ptr<const Array> Evaluator::makeIota(IotaOp op) {
  Array numbers({shapeOf(op.getResult())[op.getDim()]}, elementOf(op.getResult()));
  for (auto [at, number] : enumerate(numbers.integers))
    number = wrapTo(at, numbers.elementType);
  return std::make_shared<const Array>(std::move(numbers));
}

void Evaluator::apply(IotaOp op) {
  Shape shape = shapeOf(op.getResult());
  SmallVector<int64_t> steps(shape.size(), 0);
  steps[op.getDim()] = 1;
  set(op.getResult(), strided(*makeIota(op), shape, steps, 0));
}

void Evaluator::apply(BroadcastOp op) {
  const Array &input = in(op.getInput());
  Shape shape = shapeOf(op.getResult());
  SmallVector<int64_t> steps(shape.size(), 0);
  auto strides = input.strides();
  for (auto [axis, dim] : enumerate(op.getDims()))
    steps[dim] = input.shape[axis] == 1 ? 0 : strides[axis];
  set(op.getResult(), strided(input, shape, steps, 0));
}

void Evaluator::apply(TransposeOp op) {
  const Array &input = in(op.getInput());
  SmallVector<int64_t> steps;
  auto strides = input.strides();
  for (int64_t axis : op.getOrder())
    steps.push_back(strides[axis]);
  set(op.getResult(), strided(input, shapeOf(op.getResult()), steps, 0));
}

void Evaluator::apply(ReshapeOp op) {
  Array result = in(op.getInput());
  result.shape = shapeOf(op.getResult());
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(ContiguousOp op) { set(op.getResult(), Array(in(op.getInput()))); }

void Evaluator::apply(DetachOp op) { set(op.getResult(), Array(in(op.getInput()))); }

void Evaluator::apply(SliceOp op) {
  const Array &input = in(op.getInput());
  auto steps = input.strides();
  int64_t offset = size(op.getStart().getExpr()) * steps[op.getDim()];
  steps[op.getDim()] *= op.getStep();
  set(op.getResult(), strided(input, shapeOf(op.getResult()), steps, offset));
}

void Evaluator::apply(FlipOp op) {
  const Array &input = in(op.getInput());
  auto steps = input.strides();
  int64_t offset = 0;
  for (int64_t dim : op.getDims()) {
    offset += steps[dim] * (input.shape[dim] - 1);
    steps[dim] = -steps[dim];
  }
  set(op.getResult(), strided(input, input.shape, steps, offset));
}

void Evaluator::apply(WindowOp op) {
  const Array &input = in(op.getInput());
  auto steps = input.strides();
  int64_t dim = op.getDim(), along = steps[dim];
  steps[dim] = along * op.getStep();
  steps.insert(steps.begin() + dim + 1, along);
  set(op.getResult(), strided(input, shapeOf(op.getResult()), steps, 0));
}

void Evaluator::apply(PadOp op) {
  const Array &fill = in(op.getValue());
  Array result(shapeOf(op.getResult()), fill.elementType);
  if (result.isFloat())
    std::fill(result.reals.begin(), result.reals.end(), fill.reals[0]);
  else
    std::fill(result.integers.begin(), result.integers.end(), fill.integers[0]);
  paste(result, in(op.getInput()), op.getDim(), size(op.getLow().getExpr()));
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(ConcatOp op) {
  Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
  int64_t start = 0;
  for (mlir::Value part : op.getInputs()) {
    paste(result, in(part), op.getDim(), start);
    start += in(part).shape[op.getDim()];
  }
  set(op.getResult(), std::move(result));
}

void Evaluator::apply(GatherOp op) {
  const Array &input = in(op.getInput()), &indices = in(op.getIndices());
  int64_t dim = op.getDim(), extent = input.shape[dim];
  Array result(indices.shape, input.elementType);
  auto steps = input.strides();
  int64_t along = steps[dim];
  steps[dim] = 0;
  forEachOffset(result.shape, steps, 0, [&](int64_t to, int64_t from) {
    int64_t place = indices.integers[to];
    if (place < 0 || place >= extent)
      return;
    if (result.isFloat())
      result.reals[to] = input.reals[from + place * along];
    else
      result.integers[to] = input.integers[from + place * along];
  });
  set(op.getResult(), std::move(result));
}

bool Evaluator::checkIndex(CheckIndexOp op) {
  const Array &indices = in(op.getIndex()), &sizes = in(op.getSize());
  for (auto [index, size] : llvm::zip_equal(indices.integers, sizes.integers))
    if (index < 0 || index >= size)
      return fail(refusedIndex + op.getWhat());
  set(op.getResult(), indices);
  return true;
}

} // namespace nereid::graph
