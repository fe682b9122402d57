// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/SelectedRows.h"

#include "graph/GraphOps.h"
#include "graph/GraphPointwise.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace nereid::torch {

using mlir::Operation;
using mlir::OpResult;
using mlir::Value;

static graph::TensorType typeOf(Value value) { return cast<graph::TensorType>(value.getType()); }

void SelectedRows::addSelected(Value value) {
  known[value] = Flow::Rows;
  if (value.getDefiningOp<graph::BroadcastOp>())
    repeated.push_back(value);
}

SelectedRows::Flow SelectedRows::flowOf(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  auto result = dyn_cast<OpResult>(value);
  Flow flow = result ? compute(result) : Flow::Foreign;
  return known[value] = flow;
}

SelectedRows::Flow SelectedRows::compute(OpResult value) {
  Operation *op = value.getOwner();
  if (isa<graph::CompositeOp>(op))
    return ofComposite(value);
  if (graph::isPointwise(op) || isa<graph::ContiguousOp, graph::DetachOp>(op))
    return ofPointwise(op);
  if (isa<graph::ConstantOp, graph::NumberOp, graph::SizeOp, graph::RandomOp>(op))
    return Flow::Same;
  if (isa<graph::BroadcastOp>(op))
    return ofBroadcast(op);
  return ofRows(op);
}

SelectedRows::Flow SelectedRows::ofComposite(OpResult value) {
  auto composite = cast<graph::CompositeOp>(value.getOwner());
  mlir::Block &body = composite.getBody().front();
  for (auto [argument, operand] : zip_equal(body.getArguments(), composite.getOperands()))
    known[argument] = flowOf(operand);
  return flowOf(body.getTerminator()->getOperand(value.getResultNumber()));
}

SelectedRows::Flow SelectedRows::ofPointwise(Operation *op) {
  Flow flow = Flow::Same;
  for (Value operand : op->getOperands()) {
    Flow other = flowOf(operand);
    if (flow == Flow::Mixed || other == Flow::Mixed)
      return Flow::Mixed;
    if (flow == Flow::Same || other == Flow::Same)
      flow = flow == Flow::Same ? other : flow;
    else if (flow != other)
      return Flow::Mixed; // rows with what differs from row to row
  }
  return flow;
}

bool SelectedRows::leadBoth(Value a, Value b) const {
  size_t leading = axes;
  ArrayRef<index::Expr> first = typeOf(a).getSizes(), second = typeOf(b).getSizes();
  if (first.size() < leading || second.size() < leading)
    return false;
  return all_of(zip(first.take_front(leading), second.take_front(leading)), [&](auto sizes) {
    auto [one, other] = sizes;
    return solver.resolve(one) == solver.resolve(other);
  });
}

bool SelectedRows::repeatAlike(Value a, Value b) const {
  auto first = a.getDefiningOp<graph::BroadcastOp>(),
       second = b.getDefiningOp<graph::BroadcastOp>();
  return first.getInput() == second.getInput() && leadBoth(a, b) &&
         all_of(zip_equal(first.getDims(), second.getDims()), [&](auto dims) {
           auto [one, other] = dims;
           return one == other || (one >= axes && other >= axes);
         });
}

SelectedRows::Flow SelectedRows::ofBroadcast(Operation *op) {
  auto broadcast = cast<graph::BroadcastOp>(op);
  if (any_of(repeated, [&](Value each) { return repeatAlike(each, broadcast.getResult()); }))
    return Flow::Rows;
  Flow flow = flowOf(broadcast.getInput());
  ArrayRef<int64_t> dims = broadcast.getDims();
  if (flow == Flow::Rows) {
    bool isKept = countsAxes ? static_cast<int64_t>(dims.size()) >= axes &&
                                   equal(dims.take_front(axes), seq<int64_t>(0, axes)) &&
                                   leadBoth(broadcast.getInput(), broadcast.getResult())
                             : broadcast.getInput().getType() == broadcast.getResult().getType();
    return isKept ? Flow::Rows : Flow::Mixed;
  }
  if (flow == Flow::Foreign && all_of(dims, [&](int64_t dim) { return dim >= axes; }))
    return Flow::Same;
  return flow;
}

SelectedRows::Flow SelectedRows::ofRows(Operation *op) {
  Flow flow = ofPointwise(op);
  if (flow == Flow::Same || flow == Flow::Foreign)
    return Flow::Foreign;
  if (flow == Flow::Mixed || !countsAxes)
    return Flow::Mixed;
  auto isOfRow = [&](int64_t dim) { return dim >= axes; };
  bool isKept =
      TypeSwitch<Operation *, bool>(op)
          .Case<graph::FoldOp, graph::FlipOp>(
              [&](auto each) { return all_of(each.getDims(), isOfRow); })
          .Case<graph::ScanOp, graph::SortOp, graph::SliceOp, graph::ConcatOp, graph::WindowOp,
                graph::PadOp, graph::GatherOp>([&](auto each) { return isOfRow(each.getDim()); })
          .Case<graph::TransposeOp>([&](auto transpose) {
            return equal(transpose.getOrder().take_front(axes), seq<int64_t>(0, axes));
          })
          .Case<graph::ReshapeOp>(
              [&](auto reshape) { return leadBoth(reshape.getInput(), reshape.getResult()); })
          .Default([](Operation *) { return false; });
  return isKept ? Flow::Rows : Flow::Mixed;
}

} // namespace nereid::torch
