// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/ScatterLowering.h"

#include "graph/GraphOps.h"
#include "index/Expr.h"
#include "sym/SymDialect.h"

#include "mlir/IR/Builders.h"

#include <limits>

using namespace mlir;
using nereid::graph::FoldKind;
using nereid::index::Expr;
using Tensor = nereid::graph::TensorType;

namespace nereid::schedule {

TypedAttr neutralElement(FoldKind kind, Type element) {
  Builder builder(element.getContext());
  bool isGreatest = kind == FoldKind::Min, isLeast = kind == FoldKind::Max;
  if (isa<FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return builder.getF64FloatAttr(isGreatest               ? infinity
                                   : isLeast                ? -infinity
                                   : kind == FoldKind::Prod ? 1.0
                                                            : 0.0);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isSigned = !element.isUnsignedInteger() && width > 1;
  llvm::APInt value(width, kind == FoldKind::Prod ? 1 : 0);
  if (isGreatest)
    value = isSigned ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  if (isLeast && isSigned)
    value = llvm::APInt::getSignedMinValue(width);
  return builder.getI64IntegerAttr(isSigned ? value.getSExtValue()
                                            : static_cast<int64_t>(value.getZExtValue()));
}

namespace {

/// Up to this length of one of the axes, every place looks at every update.
constexpr int64_t shortAxis = 128;

using Sizes = llvm::SmallVector<Expr, 6>;
using Axes = llvm::SmallVector<int64_t, 6>;

/// Writes graph operators; result types follow from the operands.
class Writer {
public:
  explicit Writer(Operation *at) : builder(at), loc(at->getLoc()) {}

  OpBuilder builder;
  Location loc;

  static llvm::ArrayRef<Expr> sizes(Value value) {
    return cast<Tensor>(value.getType()).getSizes();
  }
  static Type element(Value value) { return cast<Tensor>(value.getType()).getElementType(); }
  Type index() { return builder.getI64Type(); }
  index::Context &context() { return sym::SymDialect::getIndexContext(builder.getContext()); }
  Tensor type(llvm::ArrayRef<Expr> sizes, Type element) {
    return Tensor::get(builder.getContext(), sizes, element);
  }

  Value size(Expr expr, llvm::ArrayRef<Expr> to) {
    Value number = graph::SizeOp::create(builder, loc, type({}, index()),
                                         sym::ExprAttr::get(builder.getContext(), expr));
    return broadcast(number, {}, to);
  }
  Value iota(int64_t dim, llvm::ArrayRef<Expr> to) {
    return graph::IotaOp::create(builder, loc, type(to, index()), dim);
  }
  Value broadcast(Value value, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<Expr> to) {
    if (sizes(value) == to)
      return value;
    return graph::BroadcastOp::create(builder, loc, type(to, element(value)), value, dims);
  }
  Value transpose(Value value, llvm::ArrayRef<int64_t> order) {
    if (llvm::is_sorted(order))
      return value;
    Sizes to;
    for (int64_t axis : order)
      to.push_back(sizes(value)[axis]);
    return graph::TransposeOp::create(builder, loc, type(to, element(value)), value, order);
  }
  Value reshape(Value value, llvm::ArrayRef<Expr> to) {
    if (sizes(value) == to)
      return value;
    return graph::ReshapeOp::create(builder, loc, type(to, element(value)), value);
  }
  Value cast(Value value, Type to) {
    if (element(value) == to)
      return value;
    return graph::CastOp::create(builder, loc, type(sizes(value), to), value, false);
  }
  Value where(Value condition, Value a, Value b) {
    return graph::WhereOp::create(builder, loc, a.getType(), condition, a, b);
  }
  Value create(llvm::StringRef name, Value a, Value b, Type type) {
    OperationState state(loc, ("graph." + name).str());
    state.addOperands({a, b});
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }
  Value binary(llvm::StringRef name, Value a, Value b) { return create(name, a, b, a.getType()); }
  Value test(llvm::StringRef name, Value a, Value b) {
    return create(name, a, b, type(sizes(a), builder.getI1Type()));
  }
  /// The fold of no elements.
  Value neutral(FoldKind kind, Type element, llvm::ArrayRef<Expr> to) {
    Value number =
        graph::ConstantOp::create(builder, loc, type({}, element), neutralElement(kind, element));
    return broadcast(number, {}, to);
  }
};

/// A scatter and the forms that it can be given. In each, the elements are those of the scatter in
/// the same order; only where they lie while they are folded differs.
class Lowering {
public:
  explicit Lowering(graph::ScatterOp op)
      : op(op), w(op), kind(op.getKind()), dim(op.getDim()), updates(op.getUpdates()),
        indices(op.getIndices()), rank(Writer::sizes(updates).size()),
        element(Writer::element(updates)) {}

  /// Every place looks at every update.
  void mask();
  /// Runs of the sorted order.
  void sort();

private:
  Value keys(llvm::ArrayRef<int64_t> batch, Expr lines);
  void replaceBy(Value value) {
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }

  graph::ScatterOp op;
  Writer w;
  FoldKind kind;
  int64_t dim;
  Value updates, indices;
  int64_t rank;
  Type element;
};

/// The broadcast that a tensor of indices comes from, if it does.
graph::BroadcastOp broadcastOf(Value indices) {
  while (auto cast = indices.getDefiningOp<graph::CastOp>())
    indices = cast.getInput();
  return indices.getDefiningOp<graph::BroadcastOp>();
}

/// The axes, but for `dim`, along which a tensor of indices may vary.
Axes batchAxes(Value indices, int64_t dim) {
  Axes axes;
  graph::BroadcastOp broadcast = broadcastOf(indices);
  llvm::ArrayRef<Expr> to = Writer::sizes(indices);
  for (int64_t axis = 0, rank = to.size(); axis < rank; ++axis) {
    bool varies = !broadcast;
    if (broadcast)
      for (auto [from, place] : llvm::enumerate(broadcast.getDims()))
        varies |= place == axis && Writer::sizes(broadcast.getInput())[from] == to[axis];
    if (axis != dim && varies)
      axes.push_back(axis);
  }
  return axes;
}

} // namespace

void Lowering::mask() {
  auto composite = graph::CompositeOp::create(w.builder, w.loc, TypeRange{op.getResult().getType()},
                                              "nereid::scatter", ValueRange{updates, indices});
  Block &body = composite.getBody().emplaceBlock();
  updates = body.addArgument(updates.getType(), w.loc);
  indices = body.addArgument(indices.getType(), w.loc);
  w.builder.setInsertionPointToEnd(&body);

  Sizes all(Writer::sizes(op.getResult()));
  all.push_back(Writer::sizes(updates)[dim]);
  // The axis of the updates comes last.
  Axes order, dims;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != dim)
      order.push_back(axis);
  dims = order;
  order.push_back(dim);
  dims.push_back(rank);
  auto spread = [&](Value value) { return w.broadcast(w.transpose(value, order), dims, all); };
  Value hit = w.test("eq", spread(w.cast(indices, w.index())), w.iota(dim, all));
  Value chosen = w.where(hit, spread(updates), w.neutral(kind, element, all));
  Value fold =
      graph::FoldOp::create(w.builder, w.loc, op.getResult().getType(), kind, chosen, rank);
  graph::YieldOp::create(w.builder, w.loc, fold);
  replaceBy(composite.getResult(0));
}

/// One number an update: its line times the number of places, plus its place. Updates outside of
/// the axis come behind all places.
Value Lowering::keys(llvm::ArrayRef<int64_t> batch, Expr lines) {
  Axes order(batch);
  order.push_back(dim);
  Sizes sizes;
  for (int64_t axis : order)
    sizes.push_back(Writer::sizes(indices)[axis]);
  Value core = indices;
  if (graph::BroadcastOp broadcast = broadcastOf(indices)) {
    // What the broadcast repeated is looked at once.
    Axes dims;
    Sizes own;
    for (auto [from, to] : llvm::enumerate(broadcast.getDims()))
      if (auto place = llvm::find(order, to);
          place != order.end() &&
          Writer::sizes(broadcast.getInput())[from] == sizes[place - order.begin()]) {
        dims.push_back(place - order.begin());
        own.push_back(sizes[dims.back()]);
      }
    core = w.reshape(broadcast.getInput(), own);
    Axes sorted(llvm::to_vector(llvm::seq<int64_t>(0, dims.size())));
    llvm::sort(sorted, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
    core = w.transpose(core, sorted);
    llvm::sort(dims);
    core = w.broadcast(core, dims, sizes);
  } else {
    core = w.transpose(core, order);
  }
  Expr places = Writer::sizes(op.getResult())[dim];
  Sizes flat{lines, sizes.back()};
  Value place = w.reshape(w.cast(core, w.index()), flat);
  Value key = place;
  if (!batch.empty()) {
    Value line = w.binary("mul", w.iota(0, flat), w.size(places, flat));
    key = w.binary("add", line, place);
  }
  Value isInside = w.binary("and", w.test("ge", place, w.size(w.context().constant(0), flat)),
                            w.test("lt", place, w.size(places, flat)));
  // A scatter whose indices are sorted has none outside.
  if (!op.getSorted())
    key = w.where(isInside, key, w.size(lines * places, flat));
  return w.reshape(key, {lines * sizes.back()});
}

void Lowering::sort() {
  Axes batch = batchAxes(indices, dim), order(batch), columns;
  order.push_back(dim);
  Expr lines = w.context().constant(1), places = Writer::sizes(op.getResult())[dim];
  Sizes outer, inner;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (llvm::is_contained(batch, axis)) {
      lines = lines * Writer::sizes(updates)[axis];
      outer.push_back(Writer::sizes(updates)[axis]);
    } else if (axis != dim) {
      columns.push_back(axis);
      inner.push_back(Writer::sizes(updates)[axis]);
    }
  }
  order.append(columns.begin(), columns.end());
  Expr count = lines * Writer::sizes(updates)[dim], rows = lines * places;
  auto withColumns = [&](llvm::ArrayRef<Expr> leading) {
    Sizes sizes(leading);
    sizes.append(inner.begin(), inner.end());
    return sizes;
  };
  // 32 bits are sorted in half the time of 64.
  graph::CheckOp::create(
      w.builder, w.loc,
      sym::PredAttr::get(w.builder.getContext(), index::lt(rows, int64_t(1) << 31)),
      "a sum into 2**31 or more places is not supported");
  Type narrow = w.builder.getI32Type();
  Value key = w.cast(keys(batch, lines), narrow);
  Value own = w.reshape(w.transpose(updates, order), withColumns({count}));
  if (!op.getSorted()) {
    auto sort = graph::SortOp::create(w.builder, w.loc, key.getType(), key.getType(), key, 0,
                                      /*descending=*/false);
    key = sort.getValues();
    Value from = w.broadcast(sort.getIndices(), {0}, withColumns({count}));
    own = graph::GatherOp::create(w.builder, w.loc, own.getType(), own, from, 0);
  }
  Sizes ends{rows + 1};
  Value bounds = graph::SearchOp::create(w.builder, w.loc, w.type(ends, w.index()), key,
                                         w.cast(w.iota(0, ends), narrow), /*right=*/false);
  Value folded = graph::SegmentOp::create(w.builder, w.loc, w.type(withColumns({rows}), element),
                                          kind, own, bounds);
  Sizes apart(outer);
  apart.push_back(places);
  folded = w.reshape(folded, withColumns(apart));
  Axes inverse(order.size());
  for (auto [place, axis] : llvm::enumerate(order))
    inverse[axis] = place;
  replaceBy(w.transpose(folded, inverse));
}

/// Moves what a composite computes to where it stands.
static void open(graph::CompositeOp composite) {
  Block &body = composite.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), composite.getOperands()))
    argument.replaceAllUsesWith(operand);
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator()))
    inner.moveBefore(composite);
  for (auto [result, value] :
       llvm::zip_equal(composite.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(value);
  composite.erase();
}

/// Whether atomics give the same numbers on every run, or need not. Half words and bools have no
/// atomics.
static bool suitsAtomics(graph::ScatterOp op, bool allowNondeterministic) {
  Type element = Writer::element(op.getUpdates());
  unsigned width = element.getIntOrFloatBitWidth();
  if (width < 32 || op.getKind() == FoldKind::Prod)
    return false;
  bool inAnyOrder = op.getUnique() || allowNondeterministic;
  return isa<IntegerType>(element) || (inAnyOrder && op.getKind() == FoldKind::Sum);
}

bool needsScatterLowering(func::FuncOp func) {
  auto isOne = [](Operation *op) {
    return isa<graph::ScatterOp, graph::SegmentOp>(op) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
  };
  return func.walk(isOne).wasInterrupted();
}

void lowerScatters(func::FuncOp func, const ScatterOptions &options) {
  llvm::SmallVector<graph::ScatterOp> scatters;
  func.walk([&](graph::ScatterOp op) { scatters.push_back(op); });
  for (graph::ScatterOp op : scatters) {
    auto isShort = [&](Value value) {
      std::optional<int64_t> length = Writer::sizes(value)[op.getDim()].getConstant();
      return length && *length <= shortAxis;
    };
    bool masked = isShort(op.getUpdates()) || isShort(op.getResult());
    bool atomic = suitsAtomics(op, options.allowNondeterministic) && !masked;
    if (options.choose) {
      masked = options.choose(2) == 1;
      atomic = suitsAtomics(op, false) && options.choose(2) == 1;
    }
    // Within a loop of the program there are no kernels of its own.
    bool inLoop = bool(op->getParentOfType<graph::LoopOp>());
    if (atomic && !inLoop)
      continue;
    if (masked || inLoop) {
      Lowering(op).mask();
      continue;
    }
    // Its parts are kernels of their own, and an index may be repeated outside of the composite.
    while (auto composite = dyn_cast<graph::CompositeOp>(op->getParentOp()))
      open(composite);
    Lowering(op).sort();
  }
}

} // namespace nereid::schedule
