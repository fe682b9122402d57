// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the rearrangements: each element's gradient goes back to where the element came from,
// and what was read twice is summed.
#include "autodiff/Rules.h"

using namespace mlir;
using nereid::graph::FoldKind;

namespace nereid::autodiff {
namespace {

void broadcastRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  Value input = op->getOperand(0);
  ArrayRef<int64_t> dims = cast<graph::BroadcastOp>(op).getDims();
  ArrayRef<Expr> from = w.sizesOf(input), to = w.sizesOf(op->getResult(0));
  SmallVector<int64_t> repeated;
  SmallVector<int64_t> kept;
  for (int64_t axis = 0, rank = to.size(); axis < rank; ++axis) {
    const auto *place = llvm::find(dims, axis);
    if (place == dims.end() || from[place - dims.begin()] != to[axis])
      repeated.push_back(axis);
  }
  for (auto [axis, dim] : llvm::enumerate(dims))
    if (!llvm::is_contained(repeated, dim))
      kept.push_back(axis);
  g = w.fold(FoldKind::Sum, g, repeated);
  // The axes of size 1 that were repeated come back.
  r.add(input, w.broadcast(g, kept, from));
}

void transposeRule(Operation *op, Value g, Reverse &r) {
  ArrayRef<int64_t> order = cast<graph::TransposeOp>(op).getOrder();
  SmallVector<int64_t> inverse(order.size());
  for (auto [axis, from] : llvm::enumerate(order))
    inverse[from] = axis;
  r.add(op->getOperand(0), r.writer.transpose(g, inverse));
}

void reshapeRule(Operation *op, Value g, Reverse &r) {
  r.add(op->getOperand(0), r.writer.reshape(g, r.writer.sizesOf(op->getOperand(0))));
}

void identityRule(Operation *op, Value g, Reverse &r) { r.add(op->getOperand(0), g); }

void sliceRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  auto slice = cast<graph::SliceOp>(op);
  int64_t dim = slice.getDim(), step = slice.getStep();
  if (step > 1) {
    // Zeros between the elements: a new axis of `step` elements, of which the first is one.
    SmallVector<Expr> split(w.sizesOf(g)), joined(w.sizesOf(g));
    split.insert(split.begin() + dim + 1, w.constantSize(1));
    joined[dim] = joined[dim] * step;
    g = w.pad(w.reshape(g, split), dim + 1, w.constantSize(0), w.constantSize(step));
    g = w.reshape(g, joined);
  }
  r.add(slice.getInput(),
        w.pad(g, dim, slice.getStart().getExpr(), w.sizesOf(slice.getInput())[dim]));
}

void padRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  auto pad = cast<graph::PadOp>(op);
  int64_t dim = pad.getDim();
  Expr low = pad.getLow().getExpr(), size = w.sizesOf(pad.getInput())[dim];
  Expr high = w.sizesOf(g)[dim] - size - low;
  if (r.wants(pad.getInput())) {
    std::optional<int64_t> before = low.getConstant(), after = high.getConstant();
    bool grows = before && after && *before >= 0 && *after >= 0;
    r.add(pad.getInput(), grows ? w.slice(g, dim, low, 1, size) : w.pad(g, dim, -low, size));
  }
  if (!r.wants(pad.getValue()))
    return;
  Type bit = w.builder.getI1Type();
  Value inside = w.pad(w.filled(w.sizesOf(pad.getInput()), bit, 1), dim, low, w.sizesOf(g)[dim]);
  Value outside = w.where(inside, Value(), g);
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, w.sizesOf(g).size()));
  r.add(pad.getValue(), w.fold(FoldKind::Sum, outside, all));
}

void flipRule(Operation *op, Value g, Reverse &r) {
  r.add(op->getOperand(0), r.writer.flip(g, cast<graph::FlipOp>(op).getDims()));
}

void concatRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  int64_t dim = cast<graph::ConcatOp>(op).getDim();
  Expr start = w.constantSize(0);
  for (Value input : op->getOperands()) {
    Expr size = w.sizesOf(input)[dim];
    if (r.wants(input))
      r.add(input, w.slice(g, dim, start, 1, size));
    start = start + size;
  }
}

void gatherRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  auto gather = cast<graph::GatherOp>(op);
  int64_t dim = gather.getDim();
  ArrayRef<Expr> sizes = w.sizesOf(gather.getInput());
  if (!w.sizesOf(g)[dim].isConstant(1)) {
    r.add(gather.getInput(), w.scatter(g, gather.getIndices(), dim, sizes[dim]));
    return;
  }
  // One index a line picks one element: no two gradients meet.
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
  Value places = w.broadcast(w.cast(gather.getIndices(), w.builder.getI64Type()), all, sizes);
  Value hit = w.test("eq", w.iota(dim, sizes), places);
  r.add(gather.getInput(), w.where(hit, w.broadcast(g, all, sizes), Value()));
}

/// An element's gradient is the sum of those at the places of the windows that it is in.
void windowRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  auto window = cast<graph::WindowOp>(op);
  int64_t dim = window.getDim(), step = window.getStep();
  ArrayRef<Expr> from = w.sizesOf(window.getInput());
  SmallVector<Expr> sizes(w.sizesOf(g));
  std::optional<int64_t> length = sizes[dim + 1].getConstant();
  if (length && *length <= step) {
    // No element is in two windows: they lie in a row, with zeros between them.
    SmallVector<Expr> joined(from);
    joined[dim] = sizes[dim] * step;
    g = w.reshape(w.pad(g, dim + 1, w.constantSize(0), w.constantSize(step)), joined);
    return r.add(window.getInput(), w.pad(g, dim, w.constantSize(0), from[dim]));
  }
  sizes[dim] = from[dim];
  // Element i is at place j of window (i - j) / step, where that is a number.
  Value start = w.binary("sub", w.iota(dim, sizes), w.iota(dim + 1, sizes));
  Value number = start;
  if (step > 1) {
    number = w.where(w.test("eq", w.binary("remainder", start, step), 0.0),
                     w.binary("floordiv", start, step), w.like(start, -1));
  }
  r.add(window.getInput(), w.fold(FoldKind::Sum, w.gather(g, number, dim), dim + 1));
}

constexpr StringLiteral constant = "a constant";

constexpr RuleEntry viewTable[] = {
    {"broadcast", broadcastRule},
    {"transpose", transposeRule},
    {"reshape", reshapeRule},
    {"contiguous", identityRule},
    {"slice", sliceRule},
    {"pad", padRule},
    {"flip", flipRule},
    {"concat", concatRule},
    {"gather", gatherRule},
    {"window", windowRule},
    {"detach", nullptr, "it says that there is none"},
    {"constant", nullptr, constant},
    {"size", nullptr, constant},
    {"iota", nullptr, constant},
    {"random", nullptr, constant},
};

} // namespace

ArrayRef<RuleEntry> viewRules() { return viewTable; }

} // namespace nereid::autodiff
