// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop carries from turn to turn: placeholders for it, and what the body leaves of them.
#include "frontend/torch/LoopReader.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

static bool isKnownNumber(PyValue value) {
  return isa<IntObject, FloatObject>(value) && !isa<BoolObject>(value);
}
static bool isSizeLike(PyValue value) {
  return isa<SizeValue>(value) || (isa<IntObject>(value) && !isa<BoolObject>(value));
}

/// The items of a tuple or list; nullopt for others.
static std::optional<ArrayRef<PyValue>> itemsOf(PyValue value) {
  if (auto *tuple = dyn_cast<TupleObject>(value))
    return tuple->items;
  if (auto *list = dyn_cast<ListObject>(value); list && !list->whole)
    return ArrayRef<PyValue>(list->items);
  return std::nullopt;
}

bool LoopReader::differ(const Twine &what) {
  blame(what);
  isDifferent = true;
  return false;
}

/// Equal values that no loop has to carry.
bool LoopReader::sameKnown(PyValue a, PyValue b) {
  if (a == b)
    return true;
  if (a->getKind() != b->getKind() || isa<TensorValue>(a))
    return false;
  if (auto *size = dyn_cast<SizeValue>(a))
    return isa<SizeValue>(b) &&
           t.solver.resolve(size->expr) == t.solver.resolve(cast<SizeValue>(b)->expr);
  if (!isa<IntObject, FloatObject, StrObject, NoneObject, BytesObject>(a))
    return false;
  std::optional<bool> equal = machine.equal(a, b);
  if (!equal)
    machine.takeError();
  return equal.value_or(false);
}

bool LoopReader::sameType(TensorValue *a, TensorValue *b) {
  return a->dtype == b->dtype && a->isNumber == b->isNumber &&
         t.writer.sizes(t.read(a)) == t.writer.sizes(t.read(b));
}

std::string LoopReader::describe(PyValue value) {
  auto *tensor = dyn_cast<TensorValue>(value);
  if (!tensor || tensor->isNumber)
    return ("a " + machine.typeName(value)).str();
  std::string text;
  for (Expr size : t.sizesOf(tensor))
    text += (text.empty() ? "" : ", ") + size.str();
  return (getTorchName(tensor->dtype) + "[" + text + "]").str();
}

size_t LoopReader::addLeaf(mlir::Value initial, bool isNumber) {
  mlir::Value argument = body->addArgument(initial.getType(), t.writer.place);
  leaves.push_back({initial, argument, {}, isNumber});
  return leaves.size() - 1;
}

/// Builds what stands before the loop.
template <typename Make>
static auto buildOutside(LoopReader &reader, TorchLibrary &t, mlir::OpBuilder::InsertPoint outside,
                         Make make) {
  mlir::OpBuilder::InsertionGuard guard(t.writer.builder);
  t.writer.builder.restoreInsertionPoint(outside);
  return make();
}

/// A number of Python as a tensor that behaves alike: one that its type holds exactly.
std::optional<mlir::Value> LoopReader::numberAs(PyValue number, TensorValue *like) {
  double value = isa<FloatObject>(number) ? cast<FloatObject>(number)->value
                                          : static_cast<double>(cast<IntObject>(number)->small);
  if (isFloat(like->dtype)) {
    APFloat exact(value);
    bool isRounded = false;
    auto type = cast<mlir::FloatType>(toMlir(like->dtype, t.writer.builder.getContext()));
    exact.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isRounded);
    if (isRounded)
      return std::nullopt;
  } else if (!isa<IntObject>(number) || like->dtype == DType::Bool) {
    return std::nullopt;
  }
  Sizes sizes = t.sizesOf(like);
  if (any_of(sizes, [&](Expr size) { return index::contains(size, index); }))
    return std::nullopt;
  return buildOutside(*this, t, outside, [&] {
    mlir::Value made = isFloat(like->dtype)
                           ? t.writer.number(like->dtype, value)
                           : t.writer.integer(like->dtype, cast<IntObject>(number)->small);
    return t.writer.broadcastTo(made, sizes);
  });
}

PyValue LoopReader::placeholderOf(mlir::Value initial, bool isNumber) {
  mlir::Value argument = leaves[addLeaf(initial, isNumber)].argument;
  return isNumber ? t.wrapNumber(argument) : t.wrap(argument);
}

/// What stands for `before` while the body is executed, when a turn makes something like `sample`
/// of it; null after saying why there is no such thing.
PyValue LoopReader::placeholder(PyValue before, PyValue sample, StringRef name) {
  auto *first = dyn_cast<TensorValue>(before), *second = dyn_cast<TensorValue>(sample);
  // The first turn may change it in place, later ones have another tensor there.
  if (first && changesInFirstTurn(first)) {
    differ("`" + name + "` shares a tensor that it changes in place");
    return nullptr;
  }
  if (first && second && sameType(first, second))
    return placeholderOf(buildOutside(*this, t, outside, [&] { return t.read(first); }),
                         first->isNumber);
  if (isKnownNumber(before) && second && !second->isNumber)
    if (std::optional<mlir::Value> number = numberAs(before, second)) {
      isConverted = true;
      return placeholderOf(*number, false);
    }
  if (sameKnown(before, sample))
    return before;
  if (isSizeLike(before) && isSizeLike(sample)) {
    Expr from = *t.sizeArg(before, "a size"), to = *t.sizeArg(sample, "a size");
    Expr step = t.solver.resolve(to - from);
    if (!index::contains(step, index))
      return t.makeSize(from + step * index);
  }
  bool isCounting =
      isKnownNumber(before) && (isKnownNumber(sample) || (second && second->isNumber));
  if (isCounting && (!second || isFloat(second->dtype))) {
    double value = isa<FloatObject>(before) ? cast<FloatObject>(before)->value
                                            : static_cast<double>(cast<IntObject>(before)->small);
    if (isa<FloatObject>(before))
      return placeholderOf(
          buildOutside(*this, t, outside, [&] { return t.writer.number(DType::F64, value); }),
          true);
  }
  auto items = itemsOf(before), samples = itemsOf(sample);
  if (items && samples && items->size() == samples->size() &&
      before->getKind() == sample->getKind()) {
    SmallVector<PyValue> held;
    for (auto [one, two] : zip(*items, *samples))
      if (!held.emplace_back(placeholder(one, two, name)))
        return nullptr;
    return rebuild(before, held);
  }
  differ("`" + name + "` is " + describe(before) + " before a turn and " + describe(sample) +
         " after it");
  return nullptr;
}

PyValue LoopReader::rebuild(PyValue like, ArrayRef<PyValue> items) {
  if (isa<ListObject>(like))
    return machine.makeList(items.vec());
  auto *tuple = machine.makeTuple(items);
  tuple->cls = like->cls;
  return tuple;
}

LoopReader::Leaf *LoopReader::leafOf(PyValue held) {
  auto *tensor = dyn_cast<TensorValue>(held);
  for (Leaf &leaf : leaves)
    if (tensor && tensor->storage->first == leaf.argument)
      return &leaf;
  return nullptr;
}

/// Whether a value shares its elements with a tensor that the loop changes in place.
bool LoopReader::isShared(PyValue value) const {
  auto *tensor = dyn_cast<TensorValue>(value);
  if (!tensor)
    return false;
  if (any_of(written, [&](const Written &each) { return each.storage == tensor->storage; }))
    return true;
  return any_of(rows, [&](const Rows &each) {
    return each.storage == tensor->storage &&
           (tensor->steps.empty() || t.solver.resolve(tensor->steps.front().start) != each.written);
  });
}

static bool isRowStep(const std::vector<ViewStep> &steps, int64_t dim) {
  return !steps.empty() && steps.front().kind == ViewStep::Slice && steps.front().dim == dim &&
         steps.front().size.isConstant(1);
}

/// Whether the first turn may change a tensor in place.
bool LoopReader::changesInFirstTurn(TensorValue *tensor) const {
  if (any_of(written, [&](const Written &each) { return each.storage == tensor->storage; }))
    return true;
  DenseMap<Expr, Expr> start{{index, t.writer.constantSize(0)}};
  return any_of(rows, [&](const Rows &each) {
    if (each.storage != tensor->storage)
      return false;
    if (!isRowStep(tensor->steps, each.dim))
      return true;
    Expr distance = tensor->steps.front().start - index::substitute(each.written, start);
    std::optional<int64_t> known = t.solver.resolve(distance).getConstant();
    return !known || *known == 0;
  });
}

/// Notes what a turn leaves in the place of what was held.
bool LoopReader::collect(PyValue before, PyValue held, PyValue after, StringRef name) {
  if (isShared(after))
    return blame("`" + name + "` keeps a tensor that later turns change in place"), false;
  if (Leaf *leaf = leafOf(held)) {
    if (cast<TensorValue>(held)->storage->value != leaf->argument)
      return differ("it writes in place to `" + name + "`, which is bound anew each turn");
    auto *tensor = dyn_cast<TensorValue>(after);
    if (tensor && sameType(cast<TensorValue>(held), tensor)) {
      leaf->next = t.read(tensor);
      return true;
    }
    if (isKnownNumber(after) && !leaf->isNumber)
      if (std::optional<mlir::Value> number = numberAs(after, cast<TensorValue>(held))) {
        leaf->next = *number;
        return true;
      }
    return differ("`" + name + "` is " + describe(held) + " before a turn and " + describe(after) +
                  " after it");
  }
  if (isSizeLike(held) && isSizeLike(after)) {
    DenseMap<Expr, Expr> next{{index, index + 1}};
    Expr expected = index::substitute(*t.sizeArg(held, "a size"), next);
    if (t.solver.resolve(expected - *t.sizeArg(after, "a size")).isConstant(0))
      return true;
  }
  if (sameKnown(held, after))
    return true;
  auto items = itemsOf(before), helds = itemsOf(held), afters = itemsOf(after);
  if (items && helds && afters && helds->size() == afters->size()) {
    for (auto [one, two, three] : zip(*items, *helds, *afters))
      if (!collect(one, two, three, name))
        return false;
    return true;
  }
  return differ("`" + name + "` is " + describe(held) + " before a turn and " + describe(after) +
                " after it");
}

bool LoopReader::enterState() {
  leaves.clear();
  isConverted = false;
  body = newBlock();
  for (Cell &cell : cells) {
    cell.placeholder = placeholder(cell.initial, cell.sample, cell.place.describe(machine));
    if (!cell.placeholder)
      return false;
    cell.place.write(machine, cell.placeholder);
  }
  for (Written &each : written) {
    each.leaf = addLeaf(each.storage->value, false);
    each.storage->value = leaves[each.leaf].argument;
    ++each.storage->version;
  }
  for (Rows &each : rows) {
    each.current = {};
    each.history.clear();
    each.storage->rows = &each;
    ++each.storage->version;
  }
  for (auto [number, each] : enumerate(grown)) {
    each.last.reset();
    each.item = {};
    auto *all = machine.make<GrownList>(t, machine.builtinClass("list"), each.list);
    for (PyValue item : each.before)
      all->parts.push_back({item});
    all->parts.insert(each.atFront ? all->parts.begin() : all->parts.end(), ListPart{});
    all->reader = this;
    all->number = number;
    machine.willWrite(each.list);
    each.list->whole = all;
    each.list->items = {all};
  }
  return true;
}

/// What the list got in this turn: one item beside those of earlier turns.
bool LoopReader::leaveList(Grown &each) {
  auto *all = dyn_cast_if_present<GrownList>(each.list->whole);
  // The first item of a list tells nothing about its side.
  if (all && each.before.empty() && all->parts.size() == 2)
    each.atFront = !all->parts.back().item;
  if (!all || all->parts.size() != each.before.size() + 2)
    return blame("it does not append one item a turn to a list"), false;
  PyValue item = each.atFront ? all->parts.front().item : all->parts.back().item;
  auto *tensor = dyn_cast_if_present<TensorValue>(item);
  if (!tensor || tensor->isNumber)
    return blame("it appends " + describe(item ? item : machine.none()) +
                 " to a list, not a tensor"),
           false;
  if (isShared(item))
    return blame("it appends a tensor that later turns change in place"), false;
  each.item = t.read(tensor);
  if (!each.last)
    return true;
  Leaf &leaf = leaves[*each.last];
  if (leaf.argument.getType() != each.item.getType())
    return differ("the items that it appends to a list have several types");
  leaf.next = each.item;
  return true;
}

bool LoopReader::leaveState(ArrayRef<Change> changes, bool &isNew) {
  // A carried value may be a row that the turn wrote.
  SaveAndRestore<LoopReader *> reading(t.loopReader, this);
  temporaries.clear();
  std::vector<std::pair<Cell *, PyValue>> after;
  for (const Change &change : changes) {
    auto *list = dyn_cast<ListObject>(change.holder);
    if (list && any_of(grown, [&](Grown &each) { return each.list == list; }))
      continue;
    Cell *known = nullptr;
    for (Cell &cell : cells)
      if (cell.place.samePlace(change))
        known = &cell;
    if (known) {
      after.push_back({known, change.after});
      continue;
    }
    size_t before = cells.size() + grown.size();
    if (!sortChange(change))
      return false;
    if (cells.size() + grown.size() > before)
      isNew = true;
  }
  for (size_t number = 0; number < outerStorages; ++number) {
    Storage *storage = t.storages[number].get();
    bool isKnown =
        storage->rows || any_of(written, [&](Written &each) { return each.storage == storage; });
    if (!isKnown && (wholeWrites.contains(storage) || writes.contains(storage)))
      return blame("it writes to other tensors in its second turn than in its first"), false;
  }
  if (isNew)
    return true;
  for (Cell &cell : cells) {
    auto found = find_if(after, [&](auto &each) { return each.first == &cell; });
    PyValue left = found == after.end() ? cell.initial : found->second;
    if (!left)
      return blame("it deletes `" + cell.place.describe(machine) + "`"), false;
    if (!collect(cell.initial, cell.placeholder, left, cell.place.describe(machine)))
      return false;
  }
  for (Written &each : written)
    leaves[each.leaf].next = each.storage->value;
  for (Grown &each : grown)
    if (!leaveList(each))
      return false;
  return leaveRows() && leaveTemporaries();
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
    mlir::Value none = buildOutside(*this, t, outside, [&] {
      return t.writer.broadcastTo(t.writer.integer(tensor->dtype, 0), sizes);
    });
    lastValues.push_back({change, addLeaf(none, false)});
    leaves.back().next = value;
  }
  return true;
}

// --- Rows that are written one a turn ------------------------------------------------------------

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
    return t.writer.slice(each.original, each.dim, at, 1, t.writer.constantSize(1));
  };
  if (!fixed || *fixed % each.stride != 0) {
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
    mlir::Value initial = buildOutside(*this, t, outside, [&] { return originalAt(at); });
    each.history.push_back(addLeaf(initial, false));
  }
  return leaves[each.history[turns - 1]].argument;
}

mlir::Value LoopReader::readRows(TensorValue *tensor) {
  Rows &each = *static_cast<Rows *>(tensor->storage->rows);
  mlir::Value value;
  if (isRowStep(tensor->steps, each.dim))
    value = rowAt(each, t.solver.resolve(tensor->steps.front().start));
  if (value)
    return t.applySteps(value, ArrayRef(tensor->steps).drop_front());
  // The whole of it mostly serves to make views of its rows; what is left of it is refused.
  mlir::Value whole = t.writer.unknown(t.writer.sizes(each.original), tensor->dtype, wholeRows);
  return t.applySteps(whole, tensor->steps);
}

bool LoopReader::writeRows(TensorValue *tensor, mlir::Value value) {
  Rows &each = *static_cast<Rows *>(tensor->storage->rows);
  if (!isRowStep(tensor->steps, each.dim) ||
      t.solver.resolve(tensor->steps.front().start) != each.written)
    return blame("it writes to several places of a tensor that move from turn to turn"), false;
  mlir::Value row = rowAt(each, each.written);
  SmallVector<mlir::Value> bases{row};
  ArrayRef<ViewStep> steps = ArrayRef(tensor->steps).drop_front();
  for (const ViewStep &step : steps)
    bases.push_back(t.applyStep(bases.back(), step));
  for (size_t number = steps.size(); number-- > 0;)
    value = t.scatterStep(bases[number], steps[number], value);
  each.current = value;
  ++tensor->storage->version;
  return true;
}

PyValue LoopReader::lastOf(size_t number) {
  Grown &each = grown[number];
  if (!each.last) {
    auto *item = each.before.empty() ? nullptr
                                     : dyn_cast<TensorValue>(each.atFront ? each.before.front()
                                                                          : each.before.back());
    if (!item || item->isNumber) {
      blame("it reads the item that the turn before appended, and there is none before the first");
      return nullptr;
    }
    mlir::Value initial = buildOutside(*this, t, outside, [&] { return t.read(item); });
    each.last = addLeaf(initial, false);
  }
  return t.wrap(leaves[*each.last].argument);
}

} // namespace nereid::torch
