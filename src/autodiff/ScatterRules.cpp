// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of folds whose groups the data say. Each is the rule of the fold, where what belongs to a
// group is read by the group's place.
#include "autodiff/Rules.h"

using namespace mlir;
using nereid::graph::FoldKind;

namespace nereid::autodiff {
namespace {

/// A fold by groups: how to fold other elements by the same groups, and how to give each element
/// what its group has.
struct Groups {
  llvm::function_ref<Value(FoldKind, Value)> fold;
  llvm::function_ref<Value(Value)> spread;
};

Value groupedGradient(GradientWriter &w, FoldKind kind, Value x, Value result, Value g,
                      const Groups &groups) {
  Value own = groups.spread(g);
  if (kind == FoldKind::Sum)
    return own;
  if (kind == FoldKind::Max || kind == FoldKind::Min) {
    // Even among those that reach the extreme.
    Value reached = w.test("eq", x, groups.spread(result));
    Value count = groups.fold(FoldKind::Sum, w.cast(reached, w.typeOf(own).getElementType()));
    return w.where(reached, w.div(own, groups.spread(count)), Value());
  }
  // The product of the others, of which at most one is zero.
  Value zero = w.test("eq", x, 0.0);
  Value others = w.where(zero, w.like(x, 1), x);
  Value product = groups.spread(groups.fold(FoldKind::Prod, others));
  Value count = groups.spread(groups.fold(FoldKind::Sum, w.cast(zero, w.builder.getI64Type())));
  Value along = w.mul(own, product);
  Value single = w.where(w.test("eq", count, 1.0), along, Value());
  Value none = w.where(w.test("eq", count, 0.0), w.div(along, others), Value());
  return w.where(zero, single, none);
}

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

constexpr RuleEntry table[] = {
    {"scatter", scatterRule},
    {"segment", segmentRule},
    {"search", nullptr, "the result is a number of elements"},
};

} // namespace

ArrayRef<RuleEntry> scatterRules() { return table; }

} // namespace nereid::autodiff
