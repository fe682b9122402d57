// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms that a scatter can be given, written in graph operators: see ScatterLowering.h. Where
// an element lies while it is folded differs, not which elements a place has, nor their order.
#pragma once

#include "graph/transforms/ScatterLowering.h"
#include "index/Expr.h"
#include "sym/SymDialect.h"

#include "mlir/IR/Builders.h"

namespace nereid::graph {

/// Writes graph operators; result types follow from the operands.
class ScatterWriter {
public:
  explicit ScatterWriter(mlir::Operation *at) : builder(at), loc(at->getLoc()) {}

  mlir::OpBuilder builder;
  mlir::Location loc;

  static llvm::ArrayRef<index::Expr> sizes(mlir::Value value) {
    return llvm::cast<graph::TensorType>(value.getType()).getSizes();
  }
  static mlir::Type element(mlir::Value value) {
    return llvm::cast<graph::TensorType>(value.getType()).getElementType();
  }
  mlir::Type word() { return builder.getI64Type(); }
  index::Context &context() { return sym::SymDialect::getIndexContext(builder.getContext()); }
  graph::TensorType type(llvm::ArrayRef<index::Expr> sizes, mlir::Type element) {
    return graph::TensorType::get(builder.getContext(), sizes, element);
  }

  mlir::Value size(index::Expr expr, llvm::ArrayRef<index::Expr> to) {
    mlir::Value number = graph::SizeOp::create(builder, loc, type({}, word()),
                                               sym::ExprAttr::get(builder.getContext(), expr));
    return broadcast(number, {}, to);
  }
  /// The same number everywhere.
  mlir::Value number(int64_t number, mlir::Value like) {
    mlir::Value scalar = graph::ConstantOp::create(builder, loc, type({}, element(like)),
                                                   builder.getI64IntegerAttr(number));
    return broadcast(scalar, {}, sizes(like));
  }
  mlir::Value iota(int64_t dim, llvm::ArrayRef<index::Expr> to) {
    return graph::IotaOp::create(builder, loc, type(to, word()), dim);
  }
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> dims,
                        llvm::ArrayRef<index::Expr> to) {
    if (sizes(value) == to)
      return value;
    return graph::BroadcastOp::create(builder, loc, type(to, element(value)), value, dims);
  }
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> order) {
    if (llvm::is_sorted(order))
      return value;
    llvm::SmallVector<index::Expr, 6> to;
    for (int64_t axis : order)
      to.push_back(sizes(value)[axis]);
    return graph::TransposeOp::create(builder, loc, type(to, element(value)), value, order);
  }
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<index::Expr> to) {
    if (sizes(value) == to)
      return value;
    return graph::ReshapeOp::create(builder, loc, type(to, element(value)), value);
  }
  mlir::Value cast(mlir::Value value, mlir::Type to) {
    if (element(value) == to)
      return value;
    return graph::CastOp::create(builder, loc, type(sizes(value), to), value, false);
  }
  mlir::Value where(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return graph::WhereOp::create(builder, loc, a.getType(), condition, a, b);
  }
  mlir::Value create(llvm::StringRef name, mlir::Value a, mlir::Value b, mlir::Type type) {
    mlir::OperationState state(loc, ("graph." + name).str());
    state.addOperands({a, b});
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }
  mlir::Value binary(llvm::StringRef name, mlir::Value a, mlir::Value b) {
    return create(name, a, b, a.getType());
  }
  mlir::Value test(llvm::StringRef name, mlir::Value a, mlir::Value b) {
    return create(name, a, b, type(sizes(a), builder.getI1Type()));
  }
  /// `size` elements from `start` on.
  mlir::Value slice(mlir::Value value, int64_t dim, index::Expr start, index::Expr size) {
    llvm::SmallVector<index::Expr, 6> to(sizes(value));
    to[dim] = size;
    return graph::SliceOp::create(builder, loc, type(to, element(value)), value, dim,
                                  sym::ExprAttr::get(builder.getContext(), start), int64_t(1));
  }
  /// Elements `low` places on along an axis that gets `size` elements, `fill` where there are none.
  mlir::Value shift(mlir::Value value, int64_t dim, int64_t low, index::Expr size,
                    mlir::TypedAttr fill) {
    llvm::SmallVector<index::Expr, 6> to(sizes(value));
    to[dim] = size;
    mlir::Value padding = graph::ConstantOp::create(builder, loc, type({}, element(value)), fill);
    return graph::PadOp::create(builder, loc, type(to, element(value)), value, padding, dim,
                                sym::ExprAttr::get(builder.getContext(), context().constant(low)));
  }
  mlir::Value gather(mlir::Value value, mlir::Value places, int64_t dim) {
    return graph::GatherOp::create(builder, loc, type(sizes(places), element(value)), value, places,
                                   dim);
  }
  /// One step of a fold.
  mlir::Value combine(graph::FoldKind kind, mlir::Value a, mlir::Value b) {
    bool isBool = element(a).isInteger(1);
    switch (kind) {
    case graph::FoldKind::Prod:
      return binary(isBool ? "and" : "mul", a, b);
    case graph::FoldKind::Max:
      return binary(isBool ? "or" : "maximum", a, b);
    case graph::FoldKind::Min:
      return binary(isBool ? "and" : "minimum", a, b);
    default:
      return binary("add", a, b);
    }
  }
  /// The fold of no elements.
  mlir::Value neutral(graph::FoldKind kind, mlir::Type element, llvm::ArrayRef<index::Expr> to) {
    mlir::Value number =
        graph::ConstantOp::create(builder, loc, type({}, element), neutralElement(kind, element));
    return broadcast(number, {}, to);
  }
};

/// A scatter and the forms that it can be given.
class ScatterForms {
public:
  explicit ScatterForms(graph::ScatterOp op);

  /// Whether the updates of a line, or its places, are no more than so many.
  bool isShort(int64_t limit) const;
  /// Every place looks at every update.
  void mask();
  /// Runs of the sorted order.
  void sort();

private:
  using Sizes = llvm::SmallVector<index::Expr, 6>;
  using Axes = llvm::SmallVector<int64_t, 6>;

  void findAxes();
  mlir::Value placesOfLines();
  void sortKeys();
  Sizes withColumns(llvm::ArrayRef<index::Expr> leading) const;
  mlir::Value inLines(mlir::Value own, index::Expr stride);
  mlir::Value flat(mlir::Value lines);
  mlir::Value foldRuns();
  mlir::Value foldWindows(mlir::Value own, mlir::Value positions, mlir::Value starts,
                          mlir::Value stops);
  mlir::Value foldFull(mlir::Value ordered);
  mlir::Value scanRuns();
  mlir::Value prefixes(mlir::Value own, mlir::Value groups);
  mlir::Value placeOnce(mlir::Value folded, mlir::Value places);
  void replaceBy(mlir::Value value) {
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }

  graph::ScatterOp op;
  ScatterWriter w;
  graph::FoldKind kind;
  int64_t dim;
  mlir::Value updates, indices;
  int64_t rank;
  mlir::Type element;
  /// The axes along which the indices vary, but for `dim`; the others.
  Axes batch, columns;
  /// How many lines of updates there are, how long one is, how many places a line has.
  index::Expr lines, length, places;
  /// The updates in lines; for each line, the places in their order, and where each update was.
  mlir::Value own, keys, from;
};

} // namespace nereid::graph
