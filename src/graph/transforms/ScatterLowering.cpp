// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/transforms/ScatterLowering.h"

#include "graph/transforms/ScatterForms.h"

#include <limits>

using namespace mlir;
using nereid::graph::FoldKind;

namespace nereid::graph {

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

ScatterForms::ScatterForms(graph::ScatterOp op)
    : op(op), w(op), kind(op.getKind()), dim(op.getDim()), updates(op.getUpdates()),
      indices(op.getIndices()), rank(ScatterWriter::sizes(updates).size()),
      element(ScatterWriter::element(updates)) {
  findAxes();
}

void ScatterForms::mask() {
  auto composite = graph::CompositeOp::create(w.builder, w.loc, TypeRange{op.getResult().getType()},
                                              "nereid::scatter", ValueRange{updates, indices});
  Block &body = composite.getBody().emplaceBlock();
  updates = body.addArgument(updates.getType(), w.loc);
  indices = body.addArgument(indices.getType(), w.loc);
  w.builder.setInsertionPointToEnd(&body);

  Sizes all(ScatterWriter::sizes(op.getResult()));
  all.push_back(ScatterWriter::sizes(updates)[dim]);
  // The axis of the updates comes last.
  Axes order, dims;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != dim)
      order.push_back(axis);
  dims = order;
  order.push_back(dim);
  dims.push_back(rank);
  auto spread = [&](Value value) { return w.broadcast(w.transpose(value, order), dims, all); };
  Value hit = w.test("eq", spread(w.cast(indices, w.word())), w.iota(dim, all));
  Value chosen = w.where(hit, spread(updates), w.neutral(kind, element, all));
  Value fold =
      graph::FoldOp::create(w.builder, w.loc, op.getResult().getType(), kind, chosen, rank);
  graph::YieldOp::create(w.builder, w.loc, fold);
  replaceBy(composite.getResult(0));
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
  Type element = ScatterWriter::element(op.getUpdates());
  unsigned width = element.getIntOrFloatBitWidth();
  if (width < 32 || op.getKind() == FoldKind::Prod)
    return false;
  bool inAnyOrder = op.getUnique() || allowNondeterministic;
  return isa<IntegerType>(element) || (inAnyOrder && op.getKind() == FoldKind::Sum);
}

bool needsScatterLowering(func::FuncOp func) {
  auto isOne = [](Operation *op) {
    return isa<graph::ScatterOp, graph::SegmentOp, graph::RunsOp>(op) ? WalkResult::interrupt()
                                                                      : WalkResult::advance();
  };
  return func.walk(isOne).wasInterrupted();
}

/// Up to this length of one of the axes, every place looks at every update; where atomics would do,
/// up to the second one.
constexpr int64_t shortAxis = 32, shortestAxis = 8;

void lowerScatters(func::FuncOp func, const ScatterOptions &options) {
  llvm::SmallVector<graph::ScatterOp> scatters;
  func.walk([&](graph::ScatterOp op) { scatters.push_back(op); });
  for (graph::ScatterOp op : scatters) {
    ScatterForms forms(op);
    bool atomic = suitsAtomics(op, options.allowNondeterministic);
    bool masked = forms.isShort(atomic ? shortestAxis : shortAxis);
    if (options.choose) {
      masked = options.choose(2) == 1;
      atomic = suitsAtomics(op, false) && options.choose(2) == 1;
    }
    // Within a loop of the program there are no kernels of its own.
    if (masked || op->getParentOfType<graph::LoopOp>()) {
      forms.mask();
      continue;
    }
    if (atomic)
      continue;
    // Its parts are kernels of their own, and an index may be repeated outside of the composite.
    while (auto composite = dyn_cast<graph::CompositeOp>(op->getParentOp()))
      open(composite);
    ScatterForms(op).sort();
  }
}

} // namespace nereid::graph
