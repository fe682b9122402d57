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
bool LoopReader::isSizeLike(PyValue value) {
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
    Expr from = *t.sizeArg(before, "a size"), to = t.solver.resolve(*t.sizeArg(sample, "a size"));
    if (to.getKind() == index::ExprKind::Mod && isWithin(from, to.getOperands()[1])) {
      cycles[name] = to.getOperands()[1];
      to = to.getOperands()[0];
    } else if (Expr modulus = cycleOf(name); modulus && isWithin(from, modulus)) {
      cycles[name] = modulus;
    }
    Expr step = t.solver.resolve(to - from), place = from + step * index;
    Expr cycle = cycles.lookup(name);
    if (!index::contains(step, index))
      return t.makeSize(cycle ? index::mod(place, cycle) : place);
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
    Expr expected = t.solver.resolve(index::substitute(*t.sizeArg(held, "a size"), next));
    Expr found = withoutInnerRemainders(t.solver.resolve(*t.sizeArg(after, "a size")));
    if (t.solver.resolve(expected - found).isConstant(0))
      return true;
    // Where it counted on, it begins again: `head = (head + 1) % 6`.
    bool isCycle = found.getKind() == index::ExprKind::Mod && !cycles.contains(name) &&
                   t.solver.resolve(found.getOperands()[0] - expected).isConstant(0) &&
                   isSizeLike(before) &&
                   isWithin(*t.sizeArg(before, "a size"), found.getOperands()[1]);
    if (isCycle) {
      cycles[name] = found.getOperands()[1];
      return isCyclic = true;
    }
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
    mlir::Value whole = buildOutside(*this, t, outside, [&] { return wholeOf(*each.storage); });
    if (!whole)
      return false;
    each.leaf = addLeaf(whole, false);
    setWhole(*each.storage, leaves[each.leaf].argument);
  }
  for (Rows &each : rows) {
    // What the rows are of, as it is before the loop.
    auto *tensor = machine.make<TensorValue>(t, t.tensorClass, each.storage, each.dtype);
    tensor->steps = each.prefix;
    each.original = buildOutside(*this, t, outside, [&] { return t.read(tensor); });
    if (machine.pending())
      return false;
    each.current = {};
    each.history.clear();
    each.around = rowsOf(*each.storage);
    each.storage->rows = &each;
    ++each.storage->version;
  }
  for (auto [number, each] : enumerate(grown)) {
    each.history.clear();
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
  mlir::Value next = each.item;
  for (size_t number : each.history) {
    Leaf &leaf = leaves[number];
    if (leaf.argument.getType() != next.getType())
      return differ("the items that it appends to a list have several types");
    leaf.next = next;
    next = leaf.argument;
  }
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
    bool isKnown = any_of(rows, [&](Rows &each) { return each.storage == storage; }) ||
                   any_of(written, [&](Written &each) { return each.storage == storage; });
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
  if (std::exchange(isCyclic, false))
    return isNew = true;
  for (Written &each : written)
    leaves[each.leaf].next = wholeOf(*each.storage);
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
    mlir::Value initial = buildOutside(*this, t, outside, [&] { return originalAt(at); });
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
  for (size_t number = steps.size(); number-- > 0;)
    value = t.scatterStep(bases[number], steps[number], value);
  each.current = value;
  ++tensor->storage->version;
  return true;
}

// --- Items of lists that the loop fills ----------------------------------------------------------

PyValue LoopReader::lastOf(size_t number, int64_t age) {
  Grown &each = grown[number];
  if (age > 8) {
    blame("it reads an item that was appended " + Twine(age) + " turns before");
    return nullptr;
  }
  while (each.history.size() < static_cast<size_t>(age)) {
    size_t back = each.history.size();
    auto *item =
        each.before.size() > back
            ? dyn_cast<TensorValue>(each.atFront ? each.before[back]
                                                 : each.before[each.before.size() - 1 - back])
            : nullptr;
    if (!item || item->isNumber) {
      differ("it reads the item that was appended " + Twine(back + 1) +
             " turns before, and there is none before the first");
      return nullptr;
    }
    mlir::Value initial = buildOutside(*this, t, outside, [&] { return t.read(item); });
    each.history.push_back(addLeaf(initial, false));
  }
  return t.wrap(leaves[each.history[age - 1]].argument);
}

/// The item at a place of a list, which may be one that this turn has appended.
PyValue LoopReader::itemAt(GrownList *list, Expr place) {
  Grown &each = grown[list->number];
  auto hole = find_if(list->parts, [](const ListPart &part) { return !part.item; });
  int64_t before = hole - list->parts.begin(), after = list->parts.end() - hole - 1;
  Expr distance = t.solver.resolve(index + (before + after) - place);
  std::optional<int64_t> age = distance.getConstant();
  if (!age || *age <= 0 || each.atFront) {
    blame("it reads the item " + place.str() + " of a list to which it appends");
    return nullptr;
  }
  return *age <= after ? (list->parts.end() - *age)->item : lastOf(list->number, *age - after);
}

} // namespace nereid::torch
