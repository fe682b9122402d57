// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of which each turn of a loop writes some rows: how the body reads and writes them, and
// what they hold after the loop.
#include "frontend/torch/LoopReader.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

static bool isRowStep(ArrayRef<ViewStep> steps, int64_t dim) {
  return !steps.empty() && steps.front().kind == ViewStep::Slice && steps.front().dim == dim &&
         steps.front().step == 1;
}

/// Whether a value shares its elements with a tensor that the loop changes in place.
bool LoopReader::isShared(PyValue value) const {
  auto *tensor = dyn_cast<TensorValue>(value);
  if (!tensor)
    return false;
  if (any_of(written, [&](const Written &each) { return each.storage == tensor->storage; }))
    return true;
  return any_of(rows, [&](const Rows &each) {
    if (each.storage != tensor->storage)
      return false;
    auto steps = stepsIn(each, tensor->steps);
    return !steps || !isRowStep(*steps, each.dim) ||
           t.solver.resolve(steps->front().start) != each.written;
  });
}

/// Whether the first turn may change a tensor in place.
bool LoopReader::changesInFirstTurn(TensorValue *tensor) const {
  if (any_of(written, [&](const Written &each) { return each.storage == tensor->storage; }))
    return true;
  DenseMap<Expr, Expr> start{{index, t.writer.constantSize(0)}};
  return any_of(rows, [&](const Rows &each) {
    if (each.storage != tensor->storage)
      return false;
    auto steps = stepsIn(each, tensor->steps);
    if (!steps || !isRowStep(*steps, each.dim))
      return true;
    Expr distance = steps->front().start - index::substitute(each.written, start);
    std::optional<int64_t> known = t.solver.resolve(distance).getConstant();
    return !known || *known == 0;
  });
}

bool LoopReader::leaveRows() {
  for (Rows &each : rows) {
    if (!each.current)
      return blame("it writes to a tensor in some turns only"), false;
    mlir::Value next = each.current;
    for (size_t leaf : each.history) {
      leaves[leaf].next = next;
      next = leaves[leaf].argument;
    }
  }
  return true;
}

/// The row of `rows` that lies at `place`, as it is now; null after a refusal.
mlir::Value LoopReader::rowAt(Rows &each, Expr place) {
  Expr distance = t.solver.resolve(place - each.written);
  std::optional<int64_t> fixed = distance.getConstant();
  auto originalAt = [&](Expr at) {
    return t.writer.slice(each.original, each.dim, at, 1, each.length);
  };
  if (!fixed || *fixed % each.stride != 0) {
    // Of pieces that are longer than the step between them a part may have been written.
    bool isApart = fixed && each.length.isConstant(1);
    if (isApart)
      return originalAt(place);
    blame("it reads the place " + place.str() + " of a tensor that it writes at " +
          each.written.str());
    return {};
  }
  int64_t turns = -*fixed / each.stride;
  if (turns == 0 && each.current)
    return each.current;
  if (turns <= 0)
    return originalAt(place);
  if (turns > 8) {
    blame("it reads what it wrote " + Twine(turns) + " turns before");
    return {};
  }
  while (each.history.size() < static_cast<size_t>(turns)) {
    int64_t age = each.history.size() + 1;
    DenseMap<Expr, Expr> start{{index, t.writer.constantSize(0)}};
    Expr at = t.solver.resolve(index::substitute(each.written, start) - age * each.stride);
    mlir::Value initial = buildOutside([&] { return originalAt(at); });
    each.history.push_back(addLeaf(initial, false));
  }
  return leaves[each.history[turns - 1]].argument;
}

mlir::Value LoopReader::scatterMoving(mlir::Value base, const ViewStep &step, mlir::Value value) {
  GraphWriter &w = t.writer;
  Sizes sizes = w.sizes(base);
  auto filled = [&](mlir::Value number) { return w.broadcastTo(number, sizes); };
  auto number = [&](int64_t value) { return filled(w.integer(DType::I64, value)); };
  mlir::Value place = w.iota(step.dim, sizes, DType::I64), start = filled(w.size(step.start));
  SmallVector<int64_t> others;
  for (int64_t axis = 0, rank = sizes.size(); axis < rank; ++axis)
    if (axis != step.dim)
      others.push_back(axis);
  if (step.size.isConstant(1)) {
    Sizes row = w.sizes(value);
    row.erase(row.begin() + step.dim);
    mlir::Value everywhere = w.broadcast(w.reshape(value, row), others, sizes);
    return w.where(w.test("eq", {place, start}), everywhere, base);
  }
  mlir::Value offset = w.pointwise("sub", {place, start}), zero = number(0);
  mlir::Value end = filled(w.size(t.solver.resolve(step.size * step.step)));
  mlir::Value inside =
      w.pointwise("and", {w.test("ge", {offset, zero}), w.test("lt", {offset, end})});
  if (step.step != 1) {
    mlir::Value every = number(step.step);
    inside = w.pointwise("and",
                         {inside, w.test("eq", {w.pointwise("remainder", {offset, every}), zero})});
  }
  // Which row of the value stands at each place of the axis.
  Sizes axis{sizes[step.dim]};
  auto along = [&](mlir::Value number) { return w.broadcastTo(number, axis); };
  mlir::Value from = w.pointwise("sub", {w.iota(0, axis, DType::I64), along(w.size(step.start))});
  from = w.pointwise("floordiv", {from, along(w.integer(DType::I64, step.step))});
  from = w.pointwise("maximum", {from, along(w.integer(DType::I64, 0))});
  from = w.pointwise("minimum", {from, along(w.size(t.solver.resolve(step.size - 1)))});
  mlir::Value moved = w.gather(value, w.broadcast(from, {step.dim}, sizes), step.dim);
  return w.where(inside, moved, base);
}

/// What a storage holds, of which a loop around this one may write rows: the current row then.
mlir::Value LoopReader::wholeOf(const Storage &storage) {
  Rows *rows = rowsOf(storage);
  return rows ? rows->reader->rowAt(*rows, rows->written) : storage.value;
}

void LoopReader::setWhole(Storage &storage, mlir::Value value) {
  if (Rows *rows = rowsOf(storage))
    rows->current = value;
  else
    storage.value = value;
  ++storage.version;
}

/// The steps of a view within what `rows` are of; nullopt for a view of something else.
std::optional<ArrayRef<ViewStep>> LoopReader::stepsIn(const Rows &each,
                                                      ArrayRef<ViewStep> steps) const {
  if (steps.size() < each.prefix.size())
    return std::nullopt;
  for (auto [one, other] : zip(each.prefix, steps))
    if (!areSame(t.solver, one, other))
      return std::nullopt;
  return steps.drop_front(each.prefix.size());
}

/// Whether two views that differ in their first step have no element in common.
static bool areApart(SizeSolver &solver, ArrayRef<ViewStep> a, ArrayRef<ViewStep> b) {
  for (auto [one, other] : zip(a, b)) {
    if (areSame(solver, one, other))
      continue;
    if (one.kind != ViewStep::Slice || other.kind != ViewStep::Slice || one.dim != other.dim ||
        one.step != 1 || other.step != 1)
      return false;
    return solver.truth(index::ge(one.start, other.start + other.size)) == index::Truth::True ||
           solver.truth(index::ge(other.start, one.start + one.size)) == index::Truth::True;
  }
  return false;
}

mlir::Value LoopReader::readRows(TensorValue *tensor) {
  Rows &each = *rowsOf(*tensor->storage);
  return each.reader->readRows(each, tensor);
}

mlir::Value LoopReader::readRows(Rows &each, TensorValue *tensor) {
  auto steps = stepsIn(each, tensor->steps);
  if (!steps && areApart(t.solver, each.prefix, tensor->steps))
    return each.around ? each.around->reader->readRows(*each.around, tensor)
                       : t.applySteps(tensor->storage->value, tensor->steps);
  if (steps && isRowStep(*steps, each.dim) &&
      t.solver.resolve(steps->front().size) == each.length) {
    mlir::Value value = rowAt(each, t.solver.resolve(steps->front().start));
    if (value)
      return t.applySteps(value, steps->drop_front());
  }
  // The whole of it mostly serves to make views of its rows; what is left of it is refused.
  mlir::Value whole =
      t.writer.unknown(t.writer.sizes(tensor->storage->value), tensor->dtype, wholeRows);
  return t.applySteps(whole, tensor->steps);
}

bool LoopReader::writeRows(TensorValue *tensor, mlir::Value value) {
  Rows &each = *rowsOf(*tensor->storage);
  return each.reader->writeRows(each, tensor, value);
}

bool LoopReader::writeRows(Rows &each, TensorValue *tensor, mlir::Value value) {
  auto inner = stepsIn(each, tensor->steps);
  if (!inner || !isRowStep(*inner, each.dim) ||
      t.solver.resolve(inner->front().start) != each.written ||
      t.solver.resolve(inner->front().size) != each.length)
    return blame("it writes to several places of a tensor that move from turn to turn"), false;
  mlir::Value row = rowAt(each, each.written);
  SmallVector<mlir::Value> bases{row};
  ArrayRef<ViewStep> steps = inner->drop_front();
  for (const ViewStep &step : steps)
    bases.push_back(t.applyStep(bases.back(), step));
  value = t.scatterSteps(bases, steps, value);
  if (!value)
    return false;
  each.current = value;
  ++tensor->storage->version;
  return true;
}

/// The tensors of which each turn has written a row, with all of these rows.
void LoopReader::finishRows(ArrayRef<mlir::Value> stacks) {
  GraphWriter &writer = t.writer;
  for (auto [each, stack] : zip(rows, stacks)) {
    int64_t dim = each.dim;
    SmallVector<int64_t> order;
    for (int64_t axis = 0, rank = writer.rank(stack); axis < rank; ++axis)
      order.push_back(axis == dim ? 0 : axis < dim ? axis + 1 : axis);
    mlir::Value value = writer.transpose(stack, order);
    bool isBackwards = each.stride < 0, isRow = each.length.isConstant(1);
    if (isBackwards)
      value = writer.flip(value, {dim});
    DenseMap<Expr, Expr> lowest{{index, isBackwards ? count - 1 : writer.constantSize(0)}};
    ViewStep step(ViewStep::Slice);
    step.dim = dim;
    step.start = t.solver.resolve(index::substitute(each.written, lowest));
    step.size = t.solver.resolve(count * each.length);
    step.step = isRow ? std::abs(each.stride) : 1;
    Sizes sizes = writer.sizes(value);
    sizes[dim] = step.size;
    sizes.erase(sizes.begin() + 1 + dim);
    putBack(each, t.scatterStep(each.original, step, writer.reshape(value, sizes)));
  }
}

/// Gives the tensor of `rows` what all turns have written to it.
void LoopReader::putBack(Rows &each, mlir::Value value) {
  Storage &storage = *each.storage;
  if (Rows *outer = rowsOf(storage)) {
    auto *tensor = machine.make<TensorValue>(t, t.tensorClass, &storage, each.dtype);
    tensor->steps = each.prefix;
    outer->reader->writeRows(*outer, tensor, value);
    return;
  }
  SmallVector<mlir::Value> bases{storage.value};
  for (const ViewStep &step : each.prefix)
    bases.push_back(t.applyStep(bases.back(), step));
  for (size_t number = each.prefix.size(); number-- > 0;)
    value = t.scatterStep(bases[number], each.prefix[number], value);
  storage.value = value;
  ++storage.version;
}

} // namespace nereid::torch
