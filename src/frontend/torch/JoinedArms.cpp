// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the arms of a branch on data leave, and the value that is one or the other.
#include "frontend/torch/DataBranch.h"
#include "frontend/torch/EmptySelection.h"

#include "graph/BranchMark.h"
#include "python/AstVisit.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// Whether a name is read anywhere in the function but in one of its statements (null: anywhere).
static bool isReadOutside(const python::Node &node, const python::Node *part, StringRef name) {
  if (&node == part)
    return false;
  if (auto *read = dyn_cast<python::Name>(&node))
    return read->id == name && read->ctx == python::ExprContext::Load;
  bool found = false;
  python::forEachChild(
      node, [&](const python::Node &child) { found = found || isReadOutside(child, part, name); });
  return found;
}

bool DataBranch::isReadLater(const Change &change) const {
  bool isLocal = change.kind == Change::Local && change.holder == branch.frame.locals;
  // The next turn of a loop reads it in the branch itself.
  bool isInLoop =
      isa<python::For>(branch.node) || any_of(branch.frame.control, [](const ControlEntry &entry) {
        return entry.kind == ControlEntry::ForLoop || entry.kind == ControlEntry::WhileLoop;
      });
  return !isLocal || !branch.frame.code->node ||
         isReadOutside(*branch.frame.code->node, isInLoop ? nullptr : &branch.node,
                       change.name->text);
}

/// Whether nothing sees a change once the function has ended.
bool DataBranch::isOver(const Change &change) const {
  return reaches == Extent::Function &&
         (change.kind == Change::Iterator ||
          (change.kind == Change::Local && change.holder == branch.frame.locals));
}

std::vector<DataBranch::Place> DataBranch::places() {
  std::vector<Place> found;
  auto leftBy = [](Arm &arm, const Change &place) {
    auto change = find_if(arm.changes, [&](const Change &each) { return each.samePlace(place); });
    return change == arm.changes.end() ? place.before : change->after;
  };
  for (Arm &arm : arms)
    for (const Change &change : arm.changes)
      if (!isOver(change) &&
          none_of(found, [&](const Place &each) { return each.change.samePlace(change); }))
        found.push_back({change, leftBy(arms[0], change), leftBy(arms[1], change)});
  return found;
}

/// The items of what is joined item by item; nullopt for others.
static std::optional<SmallVector<PyValue>> itemsOf(PyValue value) {
  if (auto *tuple = dyn_cast_if_present<TupleObject>(value))
    return SmallVector<PyValue>(ArrayRef<PyValue>(tuple->items));
  if (auto *list = dyn_cast_if_present<ListObject>(value); list && !list->whole)
    return SmallVector<PyValue>(ArrayRef<PyValue>(list->items));
  if (auto *complex = dyn_cast_if_present<ComplexValue>(value))
    return SmallVector<PyValue>{complex->parts};
  auto *dict = dyn_cast_if_present<DictObject>(value);
  if (!dict)
    return std::nullopt;
  SmallVector<PyValue> items;
  for (const HashTable::Entry &entry : dict->table.entries)
    if (entry.key)
      items.push_back(entry.value);
  return items;
}

static SmallVector<PyValue> keysOf(PyValue value) {
  SmallVector<PyValue> keys;
  if (auto *dict = dyn_cast<DictObject>(value))
    for (const HashTable::Entry &entry : dict->table.entries)
      if (entry.key)
        keys.push_back(entry.key);
  return keys;
}

/// The values of all tensors in what an arm leaves, while its storages are in place.
void DataBranch::readAll(Arm &arm, PyValue value) {
  if (auto *tensor = dyn_cast_if_present<TensorValue>(value))
    arm.values[tensor] = t.read(tensor);
  if (std::optional<SmallVector<PyValue>> items = itemsOf(value))
    for (PyValue item : *items)
      readAll(arm, item);
}

std::string DataBranch::describe(PyValue value) {
  if (!value)
    return "not bound";
  auto *tensor = dyn_cast<TensorValue>(value);
  if (std::optional<SmallVector<PyValue>> items = itemsOf(value))
    return ("a " + machine.typeName(value) + " of " + Twine(items->size())).str();
  if (!tensor || tensor->isNumber)
    return isa<NoneObject>(value) ? "None" : ("a " + machine.typeName(value)).str();
  std::string text;
  for (Expr size : t.sizesOf(tensor))
    text += (text.empty() ? "" : ", ") + size.str();
  return (getTorchName(tensor->dtype) + "[" + text + "]").str();
}

static bool isNumber(PyValue value) {
  auto *tensor = dyn_cast<TensorValue>(value);
  return (tensor && tensor->isNumber) || isa<IntObject, FloatObject, SizeValue>(value);
}

/// A number of Python as a value of rank 0.
mlir::Value DataBranch::numberOf(PyValue value) {
  if (auto *tensor = dyn_cast<TensorValue>(value))
    return t.read(tensor);
  if (auto *size = dyn_cast<SizeValue>(value))
    return t.writer.size(size->expr);
  if (auto *real = dyn_cast<FloatObject>(value))
    return t.writer.number(DType::F64, real->value);
  auto *integer = cast<IntObject>(value);
  return t.writer.integer(isa<BoolObject>(value) ? DType::Bool : DType::I64, integer->small);
}

/// A number that a tensor of rank 0 holds exactly, `loss = 0` beside a loss; null for others.
mlir::Value DataBranch::constantLike(PyValue number, TensorValue *like) {
  if (!isa<IntObject, FloatObject>(number) || isa<BoolObject>(number) || like->isNumber ||
      !isFloat(like->dtype) || t.rankOf(like) != 0)
    return mlir::Value();
  double value = isa<FloatObject>(number) ? cast<FloatObject>(number)->value
                                          : static_cast<double>(cast<IntObject>(number)->small);
  APFloat exact(value);
  bool isRounded = false;
  auto type = cast<mlir::FloatType>(toMlir(like->dtype, t.writer.builder.getContext()));
  exact.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isRounded);
  return isRounded ? mlir::Value() : t.writer.number(like->dtype, value);
}

static bool areSameConstants(Machine &machine, PyValue a, PyValue b) {
  if (a->getKind() != b->getKind() || a->cls != b->cls ||
      !isa<IntObject, FloatObject, StrObject, NoneObject, BytesObject>(a))
    return false;
  std::optional<bool> equal = machine.equal(a, b);
  if (!equal)
    machine.takeError();
  return equal.value_or(false);
}

/// How many names, items and attributes hold a list, in the function and its callers.
static unsigned countHolders(Frame *frame, PyValue list) {
  unsigned count = 0;
  SmallPtrSet<const Object *, 32> seen;
  std::function<void(PyValue)> visit = [&](PyValue value) {
    if (!value)
      return;
    count += value == list;
    if (!seen.insert(value).second)
      return;
    if (std::optional<SmallVector<PyValue>> items = itemsOf(value))
      for_each(*items, visit);
    auto *instance = dyn_cast<InstanceObject>(value);
    if (instance && instance->attrs)
      for (const Namespace::Slot &slot : instance->attrs->slots)
        visit(slot.value);
  };
  for (; frame; frame = frame->caller)
    if (frame->locals)
      for (const Namespace::Slot &slot : frame->locals->slots)
        visit(slot.value);
  return count;
}

/// Whether a container has a name beside the one that is bound anew. The arms are taken back by
/// now.
bool DataBranch::hasOtherName(PyValue list) {
  unsigned holders = countHolders(&branch.frame, list);
  return holders > 1 || (holders == 1 && none_of(places(), [&](const Place &place) {
                           return place.change.before == list;
                         }));
}

/// Sizes that are typically equal are so from now on.
bool DataBranch::mayEquate(ArrayRef<Expr> sizes, ArrayRef<Expr> others) {
  auto isTypical = [&](Expr one, Expr other) {
    return t.solver.resolve(one) == t.solver.resolve(other) ||
           (t.solver.hint(one) && t.solver.hint(one) == t.solver.hint(other));
  };
  return sizes.size() == others.size() && equal(sizes, others, isTypical) &&
         all_of(zip_equal(sizes, others),
                [&](auto pair) { return t.solver.equate(std::get<0>(pair), std::get<1>(pair)); });
}

/// Whether there is a value that is one or the other as the condition says.
bool DataBranch::mayJoin(PyValue then, PyValue otherwise, StringRef name) {
  auto differ = [&] {
    machine.refuse("`" + name + "` is " + describe(then) +
                       " in one arm of this branch on the data "
                       "of a tensor and " +
                       describe(otherwise) + " in the other",
                   "give both the same type and sizes");
    return false;
  };
  if (then == otherwise)
    return true;
  if (!then || !otherwise)
    return differ();
  if (areSameConstants(machine, then, otherwise) || t.isPoisoned(then) || t.isPoisoned(otherwise))
    return true;
  auto *a = dyn_cast<TensorValue>(then), *b = dyn_cast<TensorValue>(otherwise);
  if (a && b && !a->isNumber && !b->isNumber)
    return a->dtype == b->dtype && mayEquate(t.sizesOf(a), t.sizesOf(b)) ? true : differ();
  if (isNumber(then) && isNumber(otherwise)) {
    bool fits = all_of(std::array{then, otherwise}, [](PyValue value) {
      auto *integer = dyn_cast<IntObject>(value);
      return !integer || integer->isSmall();
    });
    return fits && machine.typeName(then) == machine.typeName(otherwise) ? true : differ();
  }
  if ((a && constantLike(otherwise, a)) || (b && constantLike(then, b)))
    return true;
  auto first = itemsOf(then), second = itemsOf(otherwise);
  if (!first || !second || first->size() != second->size() || then->cls != otherwise->cls)
    return differ();
  SmallVector<PyValue> keys = keysOf(then), others = keysOf(otherwise);
  if (!all_of(zip_equal(keys, others), [&](auto pair) {
        return areSameConstants(machine, std::get<0>(pair), std::get<1>(pair));
      }))
    return differ();
  for (PyValue list : {then, otherwise})
    if (isa<ListObject, DictObject>(list) && hasOtherName(list)) {
      machine.refuse("`" + name +
                         "` is one of two containers behind this branch on the data of a "
                         "tensor, one of which has another name too",
                     "give each arm one of its own: list(other), dict(other)");
      return false;
    }
  return all_of(zip(*first, *second),
                [&](auto items) { return mayJoin(std::get<0>(items), std::get<1>(items), name); });
}

mlir::Value DataBranch::choose(mlir::Value then, mlir::Value otherwise) {
  if (then == otherwise || takesThen)
    return then;
  mlir::Value chosen = t.writer.broadcastTo(condition, t.writer.sizes(then));
  mlir::Value value = t.writer.where(chosen, then, otherwise);
  if (t.gradients && isFloat(t.writer.dtype(value)))
    value.getDefiningOp()->setAttr(graph::branchMark, t.writer.builder.getUnitAttr());
  return value;
}

PyValue DataBranch::join(PyValue then, PyValue otherwise) {
  if (then == otherwise || areSameConstants(machine, then, otherwise))
    return then;
  if (t.isPoisoned(then) || t.isPoisoned(otherwise))
    return t.poison();
  auto *a = dyn_cast<TensorValue>(then), *b = dyn_cast<TensorValue>(otherwise);
  auto wrap = [&](mlir::Value value) {
    TensorValue *chosen = t.wrap(value);
    chosen->isChosen = true;
    return chosen;
  };
  if (a && b && !a->isNumber)
    return wrap(choose(arms[0].values.lookup(a), arms[1].values.lookup(b)));
  if (isNumber(then) && isNumber(otherwise))
    return t.wrapNumber(choose(a ? arms[0].values.lookup(a) : numberOf(then),
                               b ? arms[1].values.lookup(b) : numberOf(otherwise)));
  if (a)
    return wrap(choose(arms[0].values.lookup(a), constantLike(otherwise, a)));
  if (b)
    return wrap(choose(constantLike(then, b), arms[1].values.lookup(b)));
  SmallVector<PyValue> items;
  for (auto [one, other] : zip(*itemsOf(then), *itemsOf(otherwise)))
    items.push_back(join(one, other));
  if (isa<ListObject>(then))
    return machine.makeList(items);
  if (isa<ComplexValue>(then))
    return machine.make<ComplexValue>(t, t.tensorClass, cast<TensorValue>(items.front()));
  if (isa<DictObject>(then)) {
    DictObject *dict = machine.makeDict();
    for (auto [key, item] : zip_equal(keysOf(then), items))
      if (!machine.setItem(dict, key, item))
        return nullptr;
    return dict;
  }
  auto *tuple = machine.makeTuple(items);
  tuple->cls = then->cls;
  return tuple;
}

/// How many places name the memory of a tensor that is to be joined.
void DataBranch::markShared(PyValue value, DenseMap<Storage *, unsigned> &names) {
  if (auto *tensor = dyn_cast_if_present<TensorValue>(value); tensor && !tensor->isNumber)
    names[tensor->storage] += tensor->storage->number < before.size() ? 2 : 1;
  if (std::optional<SmallVector<PyValue>> items = itemsOf(value))
    for (PyValue item : *items)
      markShared(item, names);
}

/// The tensors of a value that was joined.
static void forEachTensor(PyValue value, function_ref<void(TensorValue *)> visit) {
  if (auto *tensor = dyn_cast_if_present<TensorValue>(value); tensor && !tensor->isNumber)
    visit(tensor);
  if (std::optional<SmallVector<PyValue>> items = itemsOf(value))
    for (PyValue item : *items)
      forEachTensor(item, visit);
}

/// Whether one arm leaves everything as the other does where its mask selects nothing: then it is
/// what both leave. `takesThen` is set, or the condition turned round and the arms with it.
bool DataBranch::differsOnlyWhereTaken(ArrayRef<Place> changed, PyValue thenResult,
                                       PyValue otherResult) {
  std::optional<MaskCondition> known = asMaskCondition(condition);
  if (!known)
    return false;
  Arm &full = arms[known->isNegated], &empty = arms[!known->isNegated];
  EmptySelection selection(known->mask,
                           [&](mlir::Value a, mlir::Value b) { return t.equalValues(a, b); });
  auto isUnchanged = [&](PyValue value, PyValue beside, auto &self) -> bool {
    if (value == beside || areSameConstants(machine, value, beside))
      return true;
    auto *tensor = dyn_cast<TensorValue>(value), *other = dyn_cast<TensorValue>(beside);
    if (tensor && other && tensor->isNumber == other->isNumber)
      return selection.isUnchanged(full.values.lookup(tensor), empty.values.lookup(other));
    auto items = itemsOf(value), others = itemsOf(beside);
    return items && others && all_of(zip(*items, *others), [&](auto pair) {
             return self(std::get<0>(pair), std::get<1>(pair), self);
           });
  };
  auto isAlike = [&](PyValue then, PyValue otherwise) {
    return known->isNegated ? isUnchanged(otherwise, then, isUnchanged)
                            : isUnchanged(then, otherwise, isUnchanged);
  };
  if (!isAlike(thenResult, otherResult) ||
      !all_of(changed, [&](const Place &each) { return isAlike(each.then, each.otherwise); }))
    return false;
  for (auto [a, b] : zip(full.held, empty.held))
    if (a.value != b.value && !selection.isUnchanged(a.value, b.value))
      return false;
  return true;
}

/// Writes what the condition chooses in all places; false after a refusal, with all as before.
bool DataBranch::joinArms(PyValue &thenResult, PyValue &otherResult, StringRef resultName) {
  std::vector<Place> changed = places();
  SmallVector<Place> unbound;
  for (Place &each : changed) {
    // An item of a list in one arm, and all of it in the other; what an arm takes of an iterator.
    bool isTwoKinds = any_of(changed, [&](Place &other) {
      return other.change.holder == each.change.holder && other.change.kind != each.change.kind;
    });
    if (!isTwoKinds && each.change.kind != Change::Iterator)
      continue;
    machine.refuse("`" + each.change.describe(machine) +
                       "` is changed in different ways by the arms of this branch on the data of a "
                       "tensor",
                   "use torch.where(condition, a, b)");
    return false;
  }
  for (Place &each : changed) {
    // A name that nothing reads later is left unbound where it would be two things.
    if (each.then && each.otherwise) {
      if (isReadLater(each.change) &&
          !mayJoin(each.then, each.otherwise, each.change.describe(machine)))
        return false;
      if (!isReadLater(each.change))
        unbound.push_back(each);
    } else if (each.change.kind == Change::Local) {
      unbound.push_back(each);
    } else if (!mayJoin(each.then, each.otherwise, each.change.describe(machine))) {
      return false;
    }
  }
  erase_if(changed, [&](const Place &each) {
    return any_of(unbound, [&](Place &other) { return other.change.samePlace(each.change); });
  });
  if (!mayJoin(thenResult, otherResult, resultName))
    return false;
  for (auto [number, arm] : enumerate(arms)) {
    hold(arm.held);
    readAll(arm, number ? otherResult : thenResult);
    for (Place &each : changed)
      readAll(arm, number ? each.otherwise : each.then);
  }
  hold(before);
  bool isOne = differsOnlyWhereTaken(changed, thenResult, otherResult);
  bool takesOther = isOne && asMaskCondition(condition)->isNegated;
  if (takesOther) {
    std::swap(arms[0], arms[1]);
    for (Place &each : changed)
      std::swap(each.then, each.otherwise);
    std::swap(thenResult, otherResult);
  }
  takesThen = isOne;
  for (auto [number, then] : enumerate(arms[0].held)) {
    Storage &storage = *t.storages[number];
    mlir::Value otherwise = arms[1].held[number].value;
    if (then.value == otherwise && then.value == storage.value)
      continue;
    storage.value = choose(then.value, otherwise);
    ++storage.version;
  }
  DenseMap<Storage *, unsigned> names;
  for (Place &each : changed)
    if (each.then != each.otherwise)
      for (PyValue value : {each.then, each.otherwise})
        markShared(value, names);
  for (Place &each : unbound)
    if (each.change.kind == Change::Local)
      each.change.write(machine, nullptr);
  for (Place &each : changed) {
    PyValue joined = join(each.then, each.otherwise);
    bool isShared = false;
    if (each.then != each.otherwise)
      for (PyValue value : {each.then, each.otherwise})
        forEachTensor(value, [&](TensorValue *tensor) { isShared |= names[tensor->storage] > 1; });
    if (isShared)
      forEachTensor(joined, [](TensorValue *tensor) { tensor->storage->isLeftTwice = true; });
    each.change.write(machine, joined);
  }
  for (auto [storage, count] : names)
    storage->isLeftTwice |= count > 1;
  thenResult = join(thenResult, otherResult);
  return true;
}

} // namespace nereid::torch
