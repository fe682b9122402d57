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
static std::optional<SmallVector<PyValue>> itemsOf(PyValue value) {
  if (auto *tuple = dyn_cast<TupleObject>(value))
    return SmallVector<PyValue>(tuple->items);
  if (auto *list = dyn_cast<ListObject>(value); list && !list->whole)
    return SmallVector<PyValue>(list->items.begin(), list->items.end());
  if (auto *complex = dyn_cast<ComplexValue>(value))
    return SmallVector<PyValue>{complex->parts};
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
  return buildOutside([&] {
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
  // A view that is not read yet is made outside, and not where types are compared.
  mlir::Value initial = first ? buildOutside([&] { return t.read(first); }) : nullptr;
  if (first && second && sameType(first, second))
    return placeholderOf(initial, first->isNumber);
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
      return placeholderOf(buildOutside([&] { return t.writer.number(DType::F64, value); }), true);
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
  if (isa<ComplexValue>(like))
    return machine.make<ComplexValue>(t, t.tensorClass, cast<TensorValue>(items.front()));
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
    mlir::Value whole = buildOutside([&] { return wholeOf(*each.storage); });
    if (!whole)
      return false;
    each.leaf = addLeaf(whole, false);
    setWhole(*each.storage, leaves[each.leaf].argument);
  }
  for (Rows &each : rows) {
    // What the rows are of, as it is before the loop.
    auto *tensor = machine.make<TensorValue>(t, t.tensorClass, each.storage, each.dtype);
    tensor->steps = each.prefix;
    each.original = buildOutside([&] { return t.read(tensor); });
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
  SmallVector<PyValue> allLeft;
  for (Cell &cell : cells) {
    auto found = find_if(after, [&](auto &each) { return each.first == &cell; });
    PyValue left = found == after.end() ? cell.initial : found->second;
    allLeft.push_back(left);
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
  if (!leaveRows() || !leaveTemporaries())
    return false;
  findSharedLeavings(allLeft);
  return true;
}

} // namespace nereid::torch
