// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of a graph as accesses; gathers, pads and concatenations as selects between them.
#include "schedule/program/ProgramBuilder.h"

#include "index/Facts.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/IndexValues.h"

using namespace mlir;

namespace nereid::schedule {

/// What a tensor is, over the indices of the place where it is read: in a loop, one from outside is
/// the same in each turn.
Access ProgramBuilder::viewOf(mlir::Value tensor) {
  Access view = views.lookup(tensor);
  if (!lead || inLoop.contains(tensor))
    return view;
  llvm::SmallVector<Expr, 4> at = identity(typeOf(tensor).getRank() + 1);
  return compose(view, llvm::ArrayRef(at).drop_front(), program);
}

/// A view that the user named gives its name to what it views, unless that has one.
void ProgramBuilder::nameAfter(const Access &view, Location loc) {
  std::string name = nameOf(loc, "");
  if (name.empty() || view.from->isFree() || view.from->isNamed)
    return;
  view.from->name = name;
  view.from->isNamed = true;
}

Value *ProgramBuilder::materialize(mlir::Value tensor, Location loc) {
  Access view = viewOf(tensor);
  bool whole = view.loaded.empty() && view.from->shape.size() == view.at.size() &&
               llvm::equal(view.at, identity(view.at.size())) &&
               llvm::equal(view.from->shape, sizesOf(tensor));
  // A sort lies in the memory of its kernels.
  if (whole && !view.from->isFree() && view.from->kind != ValueKind::Sort)
    return view.from;
  ++unit;
  return copyOf(tensor, loc, nameOf(loc, "copy"));
}

Value *ProgramBuilder::copyOf(mlir::Value tensor, Location loc, llvm::StringRef name) {
  Access view = viewOf(tensor);
  Value &copy =
      program.values.emplace_back(ValueKind::Map, name.str(), loc, view.from->elementType);
  copy.shape = sizesOf(tensor);
  copy.inputs.push_back(view);
  copy.unit = unit;
  copy.order = program.values.size();
  return &copy;
}

LogicalResult ProgramBuilder::visitView(Operation &op) {
  mlir::Value input = op.getOperand(0), result = op.getResult(0);
  llvm::SmallVector<Expr, 4> from = sizesOf(input), to = sizesOf(result);
  llvm::SmallVector<Expr, 4> index = identity(to.size()), at(from.size());
  if (lead && !at.empty())
    at.front() = index.front();
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    for (auto [dim, target] : llvm::enumerate(broadcast.getDims())) {
      bool repeated = from[dim + lead] != to[target + lead];
      at[dim + lead] = repeated ? context.constant(0) : index[target + lead];
    }
  } else if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    for (auto [dim, source] : llvm::enumerate(transpose.getOrder()))
      at[source + lead] = index[dim + lead];
  } else if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    at.assign(index.begin(), index.end());
    int64_t dim = slice.getDim() + lead;
    at[dim] = index[dim] * slice.getStep() + program.sizeForms.inward(slice.getStart().getExpr());
  } else if (auto window = dyn_cast<graph::WindowOp>(op)) {
    int64_t dim = window.getDim() + lead;
    at.assign(index.begin(), index.end());
    at.erase(at.begin() + dim + 1);
    at[dim] = index[dim] * window.getStep() + index[dim + 1];
  } else if (auto flip = dyn_cast<graph::FlipOp>(op)) {
    at.assign(index.begin(), index.end());
    for (int64_t dim : flip.getDims())
      at[dim + lead] = from[dim + lead] - 1 - index[dim + lead];
  } else {
    at = reshapeMap(from, to, index, context);
  }
  setView(result, compose(viewOf(input), at, program));
  nameAfter(views[result], op.getLoc());
  return success();
}

void ProgramBuilder::visit(graph::GatherOp op) {
  // result[i] = 0 <= index < n ? input[i with index] : 0
  llvm::SmallVector<Expr, 4> shape = sizesOf(op.getResult()), at = identity(shape.size());
  Expr extent = sizesOf(op.getInput())[op.getDim() + lead];
  Access indices = viewOf(op.getIndices());
  std::optional<Expr> known = asIndexExpr(indices, program);
  Expr place = known ? *known : context.symbol((lookupPrefix + llvm::Twine(loadedCount++)).str());
  at[op.getDim() + lead] = place;
  Access access = compose(viewOf(op.getInput()), at, program);
  Pred isInside = index::ge(place, 0) & index::lt(place, extent);
  if (known) {
    index::Facts facts(context);
    for (auto [dim, size] : llvm::enumerate(shape))
      boundIndex(facts, program.getIndex(dim), size);
    for (auto &[check, message] : program.checks)
      facts.assume(program.sizeForms.inward(check));
    isInside = facts.simplify(isInside);
  } else {
    access.loaded.push_back({place, indices});
  }
  if (isInside.isTrue()) {
    access.isCopied = true;
    setView(op.getResult(), access);
    nameAfter(access, op.getLoc());
    return;
  }
  Value *value = create(ValueKind::Select, op, op.getResult());
  value->cases.push_back({isInside, std::move(access)});

  Value &zero =
      program.values.emplace_back(ValueKind::Constant, "zero", op.getLoc(), value->elementType);
  zero.order = program.values.size();
  value->cases.push_back({index::truth(context, true), Access{&zero, {}, {}}});
  define(op.getResult(), value);
}

void ProgramBuilder::visit(graph::PadOp op) {
  Value *value = create(ValueKind::Select, op, op.getResult());
  llvm::SmallVector<Expr, 4> at = identity(value->shape.size());
  int64_t dim = op.getDim() + lead;
  Expr from = at[dim] - program.sizeForms.inward(op.getLow().getExpr());
  at[dim] = from;
  Expr extent = sizesOf(op.getInput())[dim];
  value->cases.push_back(
      {index::ge(from, 0) & index::lt(from, extent), compose(viewOf(op.getInput()), at, program)});
  value->cases.push_back(
      {index::truth(context, true), compose(viewOf(op.getValue()), identity(lead), program)});
  define(op.getResult(), value);
}

/// The end of an axis and its beginning, joined (a roll), as one view: `v[i]` is what is at
/// `(i + shift) % extent`. Nothing where two parts are joined otherwise.
std::optional<Access> ProgramBuilder::asRoll(graph::ConcatOp op) {
  if (op.getInputs().size() != 2)
    return std::nullopt;
  Access end = viewOf(op.getInputs()[0]), beginning = viewOf(op.getInputs()[1]);
  if (end.from != beginning.from || !end.loaded.empty() || !beginning.loaded.empty())
    return std::nullopt;
  int64_t dim = op.getDim() + lead;
  Expr index = program.getIndex(dim), extent = sizesOf(op.getResult())[dim],
       shift = extent - sizesOf(op.getInputs()[0])[dim];
  auto moveTo = [&](Expr at, Expr place) {
    return index::substitute(at, llvm::DenseMap<Expr, Expr>{{index, place}});
  };
  for (auto [late, early] : llvm::zip_equal(end.at, beginning.at)) {
    if (late != moveTo(early, index + shift))
      return std::nullopt;
    early = moveTo(early, index::mod(index + shift, extent));
  }
  beginning.isCopied = true;
  return beginning;
}

void ProgramBuilder::visit(graph::ConcatOp op) {
  if (std::optional<Access> rolled = asRoll(op)) {
    nameAfter(*rolled, op.getLoc());
    setView(op.getResult(), std::move(*rolled));
    return;
  }
  Value *value = create(ValueKind::Select, op, op.getResult());
  llvm::SmallVector<Expr, 4> at = identity(value->shape.size());
  int64_t dim = op.getDim() + lead;
  Expr index = at[dim], start = context.constant(0);
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    Expr end = start + sizesOf(input)[dim];
    at[dim] = index - start;
    bool last = number + 1 == op.getInputs().size();
    value->cases.push_back({last ? index::truth(context, true) : index::lt(index, end),
                            compose(viewOf(input), at, program)});
    start = end;
  }
  define(op.getResult(), value);
}

void ProgramBuilder::visit(graph::ContiguousOp op) {
  Access view = viewOf(op.getInput());
  view.isCopied = true;
  nameAfter(view, op.getLoc());
  setView(op.getResult(), std::move(view));
}

} // namespace nereid::schedule
