// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of folds, scans and sorts.
#include "autodiff/Rules.h"

using namespace mlir;
using nereid::graph::FoldKind;

namespace nereid::autodiff {
namespace {

void foldRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  auto fold = cast<graph::FoldOp>(op);
  Value x = fold.getInput();
  ArrayRef<int64_t> dims = fold.getDims();
  auto again = [&](FoldKind kind, Value value) { return w.fold(kind, value, dims); };
  auto spread = [&](Value value) { return w.alongFolded(value, dims, w.sizesOf(x)); };
  if (Value own = groupedGradient(w, fold.getKind(), x, fold.getResult(), g, {again, spread}))
    r.add(x, own);
}

/// The fold of what the prefixes that hold an element have: those from the element on, up to where
/// the scan `op` starts again, which it does at `starts`.
Value foldOfRest(GradientWriter &w, FoldKind kind, graph::ScanOp op, Value g, Value starts) {
  int64_t dim = op.getDim();
  bool reverse = op.getReverse();
  if (starts)
    starts = w.pad(starts, dim, w.constantSize(reverse ? 1 : -1), w.sizesOf(op.getInput())[dim]);
  return w.scan(kind, g, dim, !reverse, starts);
}

/// The gradient of a running product. Before the first zero of a line it is the sum of what follows
/// up to that zero, over the element; at the first zero the sum up to the second zero with that
/// element left out; and behind it 0.
Value runningProduct(GradientWriter &w, graph::ScanOp op, Value g) {
  Value x = op.getInput(), resets = op.getResets();
  int64_t dim = op.getDim();
  bool reverse = op.getReverse();
  auto rest = [&](Value value) { return foldOfRest(w, FoldKind::Sum, op, value, resets); };
  Value zero = w.test("eq", x, 0.0);
  Value others = w.where(zero, w.like(x, 1), x);
  Value zeros = w.scan(FoldKind::Sum, w.cast(zero, w.builder.getI64Type()), dim, reverse, resets);
  Value weighed = w.mul(g, w.scan(FoldKind::Prod, others, dim, reverse, resets));
  Value none = w.test("eq", zeros, 0.0), one = w.test("eq", zeros, 1.0);
  Value before = w.div(rest(w.where(none, weighed, Value())), others);
  Value at = rest(w.where(one, weighed, Value()));
  return w.where(none, before, w.where(w.binary("and", zero, one), at, Value()));
}

/// A running extreme hands its gradient to the last element that set or met it: that element has
/// the sum up to the next one that does.
Value runningExtreme(GradientWriter &w, graph::ScanOp op, Value g) {
  Value x = op.getInput();
  Value met = w.test("eq", x, op.getResult());
  if (isa<FloatType>(w.typeOf(x).getElementType()))
    met = w.binary("or", met, w.test("isnan", x));
  Value starts = op.getResets() ? w.binary("or", met, op.getResets()) : met;
  return w.where(met, foldOfRest(w, FoldKind::Sum, op, g, starts), Value());
}

/// exp(x[j]) * sum of g[i] / exp(y[i]) over i >= j, as logarithms of its positive and its negative
/// part: neither factor alone has to be a number of the type.
Value runningLogsum(GradientWriter &w, graph::ScanOp op, Value g) {
  Value x = op.getInput(), y = op.getResult();
  auto type = cast<FloatType>(w.typeOf(g).getElementType());
  double lowest = llvm::APFloat::getLargest(type.getFloatSemantics(), true).convertToDouble();
  Value size = w.unary("log", w.unary("abs", g));
  auto part = [&](llvm::StringRef sign) {
    Value counted = w.where(w.test(sign, g, 0.0), size, w.like(g, lowest));
    Value rest = w.binary("sub", counted, y);
    rest = foldOfRest(w, FoldKind::Logsum, op, rest, op.getResets());
    return w.unary("exp", w.add(rest, x));
  };
  Value positive = part("gt");
  return w.binary("sub", positive, part("lt"));
}

void scanRule(Operation *op, Value g, Reverse &r) {
  auto scan = cast<graph::ScanOp>(op);
  switch (scan.getKind()) {
  case FoldKind::Sum:
    return r.add(scan.getInput(), foldOfRest(r.writer, FoldKind::Sum, scan, g, scan.getResets()));
  case FoldKind::Prod:
    return r.add(scan.getInput(), runningProduct(r.writer, scan, g));
  case FoldKind::Logsum:
    return r.add(scan.getInput(), runningLogsum(r.writer, scan, g));
  default:
    return r.add(scan.getInput(), runningExtreme(r.writer, scan, g));
  }
}

/// Each element's gradient goes back to where the element came from.
void sortRule(Operation *op, Value g, Reverse &r) {
  auto sort = cast<graph::SortOp>(op);
  int64_t dim = sort.getDim();
  Expr size = r.writer.sizesOf(sort.getInput())[dim];
  r.add(sort.getInput(),
        r.writer.scatter(g, sort.getIndices(), dim, size, GradientWriter::Places::Unique));
}

constexpr RuleEntry foldTable[] = {
    {"fold", foldRule},
    {"scan", scanRule},
    {"sort", sortRule},
};

} // namespace

Value groupedGradient(GradientWriter &w, FoldKind kind, Value x, Value result, Value g,
                      const Groups &groups) {
  switch (kind) {
  case FoldKind::Sum:
    return groups.spread(g);
  case FoldKind::Max:
  case FoldKind::Min: {
    // Even among those that reach the extreme, as a product with who does: what is no number
    // reaches the others too, as it does in PyTorch.
    Value reached = w.test("eq", x, groups.spread(result));
    reached = w.cast(reached, w.typeOf(g).getElementType());
    Value count = groups.fold(FoldKind::Sum, reached);
    return w.mul(groups.spread(w.div(g, count)), reached);
  }
  case FoldKind::Prod: {
    // The product of the others is the product over an element where there is no zero. Else only a
    // single zero has a gradient, the product of what is not zero; that of the others is a product
    // with 0, which an infinite one makes NaN.
    Value zero = w.test("eq", x, 0.0);
    Value others = w.where(zero, w.like(x, 1), x);
    Value product = groups.spread(groups.fold(FoldKind::Prod, others));
    Value count = groups.spread(groups.fold(FoldKind::Sum, w.cast(zero, w.builder.getI64Type())));
    Value along = w.mul(groups.spread(g), product);
    Value single = w.where(w.test("eq", count, 1.0), along, Value());
    Value isNone = w.cast(w.test("eq", count, 0.0), w.typeOf(g).getElementType());
    Value none = w.div(w.mul(along, isNone), others);
    return w.where(zero, single, none);
  }
  default:
    return Value();
  }
}

ArrayRef<RuleEntry> foldRules() { return foldTable; }

} // namespace nereid::autodiff
