// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of folds whose groups the data say. Each is the rule of the fold, where what belongs to a
// group is read by the group's place.
#include "autodiff/Rules.h"

using namespace mlir;
using nereid::graph::FoldKind;

namespace nereid::autodiff {
namespace {

void scatterRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  auto scatter = cast<graph::ScatterOp>(op);
  int64_t dim = scatter.getDim();
  auto places = scatter.getUnique()   ? GradientWriter::Places::Unique
                : scatter.getSorted() ? GradientWriter::Places::Sorted
                                      : GradientWriter::Places::Any;
  auto fold = [&](FoldKind kind, Value value) {
    Expr size = w.sizesOf(scatter.getResult())[dim];
    return w.scatter(value, scatter.getIndices(), dim, size, places, kind);
  };
  auto spread = [&](Value value) { return w.gather(value, scatter.getIndices(), dim); };
  r.add(scatter.getUpdates(), groupedGradient(w, scatter.getKind(), scatter.getUpdates(),
                                              scatter.getResult(), g, {fold, spread}));
}

void segmentRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  auto segment = cast<graph::SegmentOp>(op);
  Value x = segment.getInput();
  Type index = w.builder.getI64Type();
  // A row belongs to the last segment that starts at it or before it.
  Value row = w.iota(0, w.sizesOf(x)[0]);
  Value bounds = w.cast(segment.getBounds(), index);
  Value number = graph::SearchOp::create(w.builder, w.place, row.getType(), bounds, row, true);
  number = w.broadcast(w.binary("sub", number, 1), ArrayRef<int64_t>{0}, w.sizesOf(x));
  auto fold = [&](FoldKind kind, Value value) { return w.segment(kind, value, bounds); };
  auto spread = [&](Value value) { return w.gather(value, number, 0); };
  r.add(x, groupedGradient(w, segment.getKind(), x, segment.getResult(), g, {fold, spread}));
}

constexpr RuleEntry scatterTable[] = {
    {"scatter", scatterRule},
    {"segment", segmentRule},
    {"search", nullptr, "the result is a number of elements"},
};

} // namespace

ArrayRef<RuleEntry> scatterRules() { return scatterTable; }

} // namespace nereid::autodiff
