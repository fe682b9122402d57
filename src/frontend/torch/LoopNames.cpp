// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that only the body of a loop binds: which of them are read later, and what they hold then.
#include "frontend/torch/LoopReader.h"

#include "python/AstVisit.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

static bool mentions(const python::Node &node, StringRef name) {
  if (auto *found = dyn_cast<python::Name>(&node); found && found->id == name)
    return true;
  bool isMentioned = false;
  python::forEachChild(
      node, [&](const python::Node &child) { isMentioned = isMentioned || mentions(child, name); });
  return isMentioned;
}

/// Whether a name is read anywhere in the function but in the loop.
static bool isReadOutside(const python::Node &node, const python::Node &loop, StringRef name) {
  if (&node == &loop)
    return false;
  if (auto *read = dyn_cast<python::Name>(&node))
    return read->id == name && read->ctx == python::ExprContext::Load;
  bool found = false;
  python::forEachChild(
      node, [&](const python::Node &child) { found = found || isReadOutside(child, loop, name); });
  return found;
}

bool LoopReader::isReadLater(const Change &change) const {
  return change.kind == Change::Local && change.holder == loop.frame.locals &&
         loop.frame.code->node &&
         isReadOutside(*loop.frame.code->node, loop.node, change.name->text);
}

/// Whether a statement binds a name, whatever else it does, without reading it.
static bool isBinding(const python::Node &statement, StringRef name) {
  auto *assign = dyn_cast<python::Assign>(&statement);
  if (!assign || mentions(*assign->value, name))
    return false;
  return any_of(assign->targets, [&](const python::Expr *target) {
    auto *one = dyn_cast<python::Name>(target);
    auto *several = dyn_cast<python::Tuple>(target);
    return (one && one->id == name) || (several && any_of(several->elts, [&](python::Expr *each) {
                                          auto *item = dyn_cast<python::Name>(each);
                                          return item && item->id == name;
                                        }));
  });
}

/// Whether each turn binds a name of the function before it reads it: it is nothing that a loop
/// carries, also where something of that name was there before.
bool LoopReader::isBoundFirst(const Change &change) const {
  auto *statement = dyn_cast<python::For>(&loop.node);
  if (!statement || change.kind != Change::Local || change.holder != loop.frame.locals)
    return false;
  for (const python::Stmt *each : statement->body)
    if (mentions(*each, change.name->text))
      return isBinding(*each, change.name->text);
  return false;
}

/// Names that only the body binds keep the values of the last turn where they are read later.
bool LoopReader::leaveTemporaries() {
  lastValues.clear();
  for (const Change &change : temporaries) {
    auto *tensor = dyn_cast_if_present<TensorValue>(change.after);
    if (!tensor || tensor->isNumber || !isReadLater(change) || isShared(tensor))
      continue;
    mlir::Value value = t.read(tensor);
    Sizes sizes = t.writer.sizes(value);
    if (any_of(sizes, [&](Expr size) { return index::contains(size, index); }))
      continue;
    mlir::Value none = buildOutside(
        [&] { return t.writer.broadcastTo(t.writer.integer(tensor->dtype, 0), sizes); });
    lastValues.push_back({change, addLeaf(none, false)});
    leaves.back().next = value;
  }
  return true;
}

/// The tensors in a value that a turn leaves.
void LoopReader::forEachTensor(PyValue value, function_ref<void(TensorValue *)> visit) {
  if (auto *tuple = dyn_cast_if_present<TupleObject>(value))
    for (PyValue item : tuple->items)
      forEachTensor(item, visit);
  else if (auto *list = dyn_cast_if_present<ListObject>(value))
    for (PyValue item : list->items)
      forEachTensor(item, visit);
  else if (auto *complex = dyn_cast_if_present<ComplexValue>(value))
    visit(complex->parts);
  else if (auto *tensor = dyn_cast_if_present<TensorValue>(value); tensor && !tensor->isNumber)
    visit(tensor);
}

/// What the last turn leaves is a tensor for each name behind the loop. Where two names had one
/// memory, or one that of a tensor of outside, a write behind the loop would reach one of them.
void LoopReader::findSharedLeavings(ArrayRef<PyValue> left) {
  DenseMap<Storage *, unsigned> names;
  auto count = [&](TensorValue *tensor) { ++names[tensor->storage]; };
  for (PyValue value : left)
    forEachTensor(value, count);
  for (const Grown &each : grown)
    count(each.last);
  for (auto &[change, leaf] : lastValues)
    forEachTensor(change.after, count);
  auto isShared = [&](TensorValue *tensor) {
    return names[tensor->storage] > 1 || tensor->storage->number < outerStorages;
  };
  for (auto [cell, value] : zip(cells, left)) {
    cell.isLeftTwice = cell.isAppended = false;
    forEachTensor(value, [&](TensorValue *tensor) { cell.isLeftTwice |= isShared(tensor); });
  }
  lastLeftTwice.clear();
  for (auto &[change, leaf] : lastValues)
    forEachTensor(change.after, [&](TensorValue *tensor) {
      if (isShared(tensor))
        lastLeftTwice.insert(leaf);
    });
  for (Grown &each : grown) {
    each.isLeftTwice = isShared(each.last);
    // The first item is what the loop began with.
    for (Cell &cell : cells)
      forEachTensor(cell.placeholder, [&](TensorValue *held) {
        if (held->storage != each.last->storage)
          return;
        each.isLeftTwice = cell.isAppended = true;
      });
  }
}

/// Names that only the loop binds have the values of the last turn.
bool LoopReader::finishTemporaries() {
  bool isNeeded = isConverted;
  for (auto &[change, leaf] : lastValues) {
    TensorValue *last = t.wrap(op.getResult(leaf));
    last->storage->isLeftTwice = lastLeftTwice.contains(leaf);
    change.write(machine, last);
    isNeeded = true;
  }
  Expr final = t.solver.resolve(count - 1);
  for (const Change &change : temporaries) {
    auto *size = dyn_cast<SizeValue>(change.after);
    bool isKnown = isa<IntObject, FloatObject, StrObject, NoneObject>(change.after);
    if (!isReadLater(change) || (!size && !isKnown))
      continue;
    DenseMap<Expr, Expr> end{{index, final}};
    change.write(machine, size ? t.makeSize(t.solver.resolve(index::substitute(size->expr, end)))
                               : change.after);
    isNeeded = true;
  }
  bool readsTarget = any_of(targets, [&](machine::Name name) {
    return isReadOutside(*loop.frame.code->node, loop.node, name->text);
  });
  if (readsTarget) {
    PyValue item = t.loopItem(items, t.solver.resolve(final + first));
    if (!item || !loop.bindTarget(item))
      return false;
    isNeeded = true;
  }
  if (isNeeded &&
      !t.solver.require(index::ge(count, 1), "the number of turns of a loop must be at least 1"))
    return blame("it may make no turn"), false;
  return true;
}

} // namespace nereid::torch
