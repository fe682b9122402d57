// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/LoopSizes.h"

#include "graph/GraphPointwise.h"
#include "graph/Neutral.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace nereid::torch {

bool LoopSizes::differs(Expr size) const {
  return index::contains(writer.solver.resolve(size), turn);
}

bool LoopSizes::refuse(const Twine &what) {
  problem = what.str();
  return false;
}

/// The sizes that a value has in a turn.
Sizes LoopSizes::realSizes(mlir::Value value) {
  auto found = real.find(value);
  return found == real.end() ? writer.sizes(value) : found->second;
}

SmallVector<int64_t> LoopSizes::paddedAxes(mlir::Value value) {
  SmallVector<int64_t> axes;
  if (isPadded(value))
    for (auto [axis, size] : enumerate(realSizes(value)))
      if (differs(size))
        axes.push_back(axis);
  return axes;
}

/// A sum with the first minimum or maximum of it outside: t + 1 - max(t - 2, 0) as min(3, t + 1).
static Expr withExtremeOutside(Expr sum, Expr turn) {
  for (const index::Term &term : sum.getTerms()) {
    bool isMin = term.monomial.getKind() == index::ExprKind::Min;
    if ((!isMin && term.monomial.getKind() != index::ExprKind::Max) ||
        !index::contains(term.monomial, turn))
      continue;
    Expr rest = sum - term.monomial * term.coefficient;
    SmallVector<Expr> operands;
    for (Expr operand : term.monomial.getOperands())
      operands.push_back(rest + operand * term.coefficient);
    return isMin == (term.coefficient > 0) ? index::min(operands) : index::max(operands);
  }
  return sum;
}

/// A size that is no less than this one in any turn; null where none is known.
Expr LoopSizes::greatest(Expr size) {
  SizeSolver &solver = writer.solver;
  size = solver.resolve(size);
  if (!index::contains(size, turn))
    return size;
  auto isPositive = [&](Expr expr) {
    return solver.truth(index::ge(expr, 0)) == index::Truth::True;
  };
  if (std::optional<int> slope = solver.slope(size, turn)) {
    auto at = [&](Expr number) {
      DenseMap<Expr, Expr> moved{{turn, number}};
      return solver.resolve(index::substitute(size, moved));
    };
    if (*slope <= 0)
      return at(writer.constantSize(0));
    // Of no turns the last one has no size.
    Expr last = at(count - 1);
    return isPositive(last) ? last : at(count);
  }
  SmallVector<Expr> fixed, moving;
  switch (size.getKind()) {
  case index::ExprKind::Min:
    for (Expr operand : size.getOperands())
      if (!index::contains(operand, turn))
        fixed.push_back(operand);
      else if (Expr most = greatest(operand))
        moving.push_back(most);
    return !fixed.empty() ? index::min(fixed) : !moving.empty() ? index::min(moving) : Expr();
  case index::ExprKind::Max:
    for (Expr operand : size.getOperands())
      if (!moving.emplace_back(greatest(operand)))
        return {};
    return index::max(moving);
  case index::ExprKind::FloorDiv: {
    Expr divisor = size.getOperands()[1], most = greatest(size.getOperands()[0]);
    bool isFixed = most && !index::contains(divisor, turn) && isPositive(divisor - 1);
    return isFixed ? index::floordiv(most, divisor) : Expr();
  }
  case index::ExprKind::Sum: {
    if (Expr extreme = solver.resolve(withExtremeOutside(size, turn)); extreme != size)
      return greatest(extreme);
    Expr sum = writer.constantSize(size.getConstantTerm());
    for (const index::Term &term : size.getTerms()) {
      Expr most = greatest(term.monomial);
      if (!most || (term.coefficient < 0 && index::contains(term.monomial, turn)))
        return {};
      sum = sum + most * term.coefficient;
    }
    return sum;
  }
  default:
    return {};
  }
}

/// Gives a value of the body the greatest sizes in place of those of a turn.
bool LoopSizes::retype(mlir::Value value) {
  auto type = dyn_cast<graph::TensorType>(value.getType());
  if (!type || none_of(type.getSizes(), [&](Expr size) { return differs(size); }))
    return true;
  Sizes sizes = writer.sizes(value), padded;
  for (Expr size : sizes)
    if (!padded.emplace_back(greatest(size)))
      return refuse("a size is " + size.str() + " in turn " + turn.str() +
                    ", for which no greatest one is known");
  real[value] = sizes;
  value.setType(type.withSizes(padded));
  return true;
}

/// Where, along one axis of a tensor, there is no padding.
mlir::Value LoopSizes::inside(ArrayRef<Expr> padded, int64_t axis, Expr size) {
  mlir::Value least = number(size);
  if (!least) {
    refuse("a size is " + size.str() + " in turn " + turn.str());
    return {};
  }
  return writer.test("lt",
                     {writer.iota(axis, padded, DType::I64), writer.broadcastTo(least, padded)});
}

mlir::Value LoopSizes::inside(mlir::Value like, ArrayRef<int64_t> axes) {
  Sizes padded = writer.sizes(like), sizes = realSizes(like);
  mlir::Value all;
  for (int64_t axis : axes) {
    mlir::Value each = inside(padded, axis, sizes[axis]);
    if (!each)
      return {};
    all = all ? writer.pointwise("and", {all, each}) : each;
  }
  return all;
}

/// Drops the axes along which the padding of a value is what a fold starts from.
void LoopSizes::dropNeutral(SmallVectorImpl<int64_t> &axes, graph::FoldKind kind,
                            mlir::Value value) const {
  auto known = zeroAlong.find(value);
  if (known != zeroAlong.end() && graph::neutralReal(kind) == 0)
    erase_if(axes, [&](int64_t axis) { return is_contained(known->second, axis); });
}

/// The value with `fill`, of rank 0, in its padding along some axes; null after a problem.
mlir::Value LoopSizes::filled(mlir::Value value, ArrayRef<int64_t> axes, mlir::Value fill) {
  if (axes.empty())
    return value;
  mlir::Value condition = inside(value, axes);
  return condition ? writer.where(condition, value, writer.broadcastTo(fill, writer.sizes(value)))
                   : mlir::Value();
}

/// Lets others read 0 in the padding of a value, from which no gradient comes back then. The
/// gradients of integers are none.
void LoopSizes::clear(mlir::Value value, ArrayRef<int64_t> axes) {
  if (axes.empty() || !isFloat(writer.dtype(value)))
    return;
  mlir::Value cleared = filled(value, axes, writer.zero(writer.dtype(value)));
  if (!cleared)
    return;
  real[cleared] = realSizes(value);
  zeroAlong[cleared].assign(axes.begin(), axes.end());
  value.replaceAllUsesExcept(cleared, cleared.getDefiningOp());
}

mlir::Value LoopSizes::neutral(graph::FoldKind kind, mlir::Value value) {
  DType dtype = writer.dtype(value);
  if (isFloat(dtype))
    return writer.number(dtype, graph::neutralReal(kind));
  mlir::Type type = cast<graph::TensorType>(value.getType()).getElementType();
  return writer.integer(dtype, graph::neutralInteger(kind, type));
}

/// Whether the body of a composite has sizes or numbers of a turn.
bool LoopSizes::holdsOther(mlir::Operation &op) const {
  if (!isa<graph::CompositeOp>(op))
    return false;
  return op
      .walk([&](mlir::Operation *each) {
        auto size = dyn_cast<graph::SizeOp>(each);
        bool isOther = size && differs(size.getExpr().getExpr());
        for (mlir::Type type : each->getResultTypes())
          isOther |= any_of(cast<graph::TensorType>(type).getSizes(),
                            [&](Expr size) { return differs(size); });
        return isOther ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool LoopSizes::pad(mlir::Block &block) {
  mlir::OpBuilder::InsertionGuard guard(writer.builder);
  for (mlir::Operation &op : make_early_inc_range(block.without_terminator())) {
    auto isConcerned = [&](mlir::Value value) {
      auto type = dyn_cast<graph::TensorType>(value.getType());
      return isPadded(value) ||
             (type && any_of(type.getSizes(), [&](Expr size) { return differs(size); }));
    };
    auto loop = dyn_cast<graph::LoopOp>(op);
    if (none_of(op.getOperands(), isConcerned) && none_of(op.getResults(), isConcerned) &&
        !(loop && differs(loop.getCount().getExpr())) && !holdsOther(op))
      continue;
    writer.place = op.getLoc();
    if (!padOp(op) || !problem.empty())
      return false;
  }
  return true;
}

bool LoopSizes::padOp(mlir::Operation &op) {
  auto before = [&] { writer.builder.setInsertionPoint(&op); };
  auto after = [&] { writer.builder.setInsertionPointAfter(&op); };
  auto isAlong = [&](int64_t dim) { return is_contained(paddedAxes(op.getOperand(0)), dim); };
  auto retypeAll = [&] {
    return all_of(op.getResults(), [&](mlir::Value each) { return retype(each); });
  };
  auto other = [&] {
    return refuse(op.getName().getStringRef() + " of a size that differs from turn to turn");
  };
  if (graph::isPointwise(&op))
    return retypeAll();
  return TypeSwitch<mlir::Operation *, bool>(&op)
      .Case<graph::IotaOp, graph::TransposeOp, graph::ContiguousOp, graph::DetachOp>(
          [&](auto) { return retypeAll(); })
      .Case<graph::BroadcastOp>([&](auto each) { return after(), pad(each); })
      .Case<graph::ReshapeOp, graph::LoopOp, graph::CompositeOp, graph::FoldOp, graph::ScanOp,
            graph::SliceOp, graph::GatherOp, graph::ScatterOp, graph::FlipOp, graph::PadOp,
            graph::ConcatOp>([&](auto each) { return before(), pad(each); })
      .Case<graph::SortOp, graph::WindowOp>(
          [&](auto each) { return isAlong(each.getDim()) ? other() : retypeAll(); })
      .Default([&](mlir::Operation *) { return other(); });
}

} // namespace nereid::torch
