// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds, scatters, searches and sorts of a graph as values.
#include "schedule/program/ProgramBuilder.h"

#include "graph/transforms/SortLowering.h"
#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

/// A fold of one element is that element: of a border one wide, say, which a pad repeats.
bool ProgramBuilder::viewSingle(graph::FoldOp op) {
  llvm::SmallVector<Expr, 4> sizes = sizesOf(op.getInput()), at(sizes.size());
  auto isOne = [&](int64_t dim) { return sizes[dim + lead].isConstant(1); };
  if (typeOf(op.getResult()).getElementType() != typeOf(op.getInput()).getElementType() ||
      op.getKind() == graph::FoldKind::Argmax || op.getKind() == graph::FoldKind::Argmin ||
      !llvm::all_of(op.getDims(), isOne))
    return false;
  unsigned kept = 0;
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim)
    at[dim] = llvm::is_contained(op.getDims(), dim - int64_t(lead)) ? context.constant(0)
                                                                    : program.getIndex(kept++);
  setView(op.getResult(), compose(viewOf(op.getInput()), at, program));
  nameAfter(views[op.getResult()], op.getLoc());
  return true;
}

void ProgramBuilder::visit(graph::FoldOp op) {
  if (viewSingle(op))
    return;
  Value *value = create(ValueKind::Fold, op, op.getResult());
  llvm::SmallVector<Expr, 4> sizes = sizesOf(op.getInput()), at(sizes.size());
  unsigned kept = 0;
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
    if (llvm::is_contained(op.getDims(), dim - int64_t(lead))) {
      at[dim] = program.getFoldIndex(value->foldExtents.size());
      value->foldExtents.push_back(sizes[dim]);
    } else {
      at[dim] = program.getIndex(kept++);
    }
  }
  value->inputs.push_back(compose(viewOf(op.getInput()), at, program));
  define(op.getResult(), value);
}

void ProgramBuilder::visit(graph::ScanOp op) {
  Value *value = create(ValueKind::Scan, op, op.getResult());
  value->dim = op.getDim() + lead;
  value->isReversed = op.getReverse();
  value->inputs.push_back(viewOf(op.getInput()));
  if (op.getResets())
    value->inputs.push_back(viewOf(op.getResets()));
  define(op.getResult(), value);
}

/// A fold of the rows from one of these elements on to before the other.
void ProgramBuilder::foldRuns(Operation *op, mlir::Value input, graph::FoldKind kind, Access starts,
                              Access stops) {
  Value *value = create(ValueKind::Fold, op, op->getResult(0));
  // It is folded as all of the rows would be.
  OpBuilder builder(op);
  graph::TensorType type = typeOf(op->getResult(0));
  value->op = graph::FoldOp::create(
      builder, op->getLoc(), type.withSizes(type.getSizes().drop_front()), kind, input, int64_t(0));
  value->isSegment = true;
  llvm::SmallVector<Expr, 4> at = identity(value->shape.size());
  at[0] = program.getFoldIndex(0);
  value->foldExtents.push_back(sizesOf(input)[0]);
  value->inputs.push_back(compose(viewOf(input), at, program));
  value->inputs.push_back(std::move(starts));
  value->inputs.push_back(std::move(stops));
  define(op->getResult(0), value);
}

void ProgramBuilder::visit(graph::SegmentOp op) {
  Expr row = identity(1)[0];
  Access bounds = viewOf(op.getBounds());
  foldRuns(op, op.getInput(), op.getKind(), compose(bounds, {row}, program),
           compose(bounds, {row + 1}, program));
}

void ProgramBuilder::visit(graph::RunsOp op) {
  foldRuns(op, op.getInput(), op.getKind(), viewOf(op.getStarts()), viewOf(op.getStops()));
}

void ProgramBuilder::visit(graph::SearchOp op) {
  Value *value = create(ValueKind::Search, op, op.getResult());
  llvm::SmallVector<Expr, 4> at = identity(value->shape.size());
  at.back() = program.getFoldIndex(0);
  value->foldExtents.push_back(sizesOf(op.getKeys()).back());
  value->inputs.push_back(compose(viewOf(op.getKeys()), at, program));
  value->inputs.push_back(viewOf(op.getValues()));
  define(op.getResult(), value);
}

void ProgramBuilder::visit(graph::ScatterOp op) {
  Value *value = create(ValueKind::Scatter, op, op.getResult());
  value->dim = op.getDim();
  value->updateShape = sizesOf(op.getUpdates());
  value->inputs.push_back(viewOf(op.getUpdates()));
  value->inputs.push_back(viewOf(op.getIndices()));
  define(op.getResult(), value);
}

LogicalResult ProgramBuilder::visitSort(graph::SortOp op) {
  if (!graph::isPlainSort(op) || lead)
    return op.emitOpError("cannot be scheduled in a loop yet");
  // What is sorted is laid out in lines, whatever it is read for besides.
  Value *lines = copyOf(op.getInput(), op.getLoc(), "keys");
  Value *value = create(ValueKind::Sort, op, op.getValues());
  llvm::SmallVector<Expr, 4> at = identity(lines->shape.size());
  at.back() = program.getFoldIndex(0);
  value->dim = at.size() - 1;
  value->foldExtents.push_back(lines->shape.back());
  value->inputs.push_back({lines, at, {}});
  define(op.getValues(), value);
  return success();
}

} // namespace nereid::schedule
