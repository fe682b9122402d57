// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/FloatText.h"
#include "python/machine/HostFacts.h"
#include "python/machine/Integers.h"

using namespace nereid;
using namespace nereid::machine;

/// A bound of a slice: large integers saturate.
static std::optional<int64_t> sliceBound(Internals &in, Value value) {
  if (auto *integer = llvm::dyn_cast<IntObject>(value))
    return integer->isSmall()     ? integer->small
           : isNegative(*integer) ? INT64_MIN / 2
                                  : INT64_MAX / 2;
  if (!in.userMethod(value, in.n.index) && value->kind != Kind::Foreign) {
    if (!in.m.pending())
      in.typeError("slice indices must be integers or None or have an __index__ method");
    return std::nullopt;
  }
  return in.m.index(value);
}

std::optional<Internals::SliceRange> Internals::sliceRange(SliceObject &slice, int64_t size) {
  int64_t step = 1;
  if (slice.step != m.none()) {
    auto value = sliceBound(*this, slice.step);
    if (!value)
      return std::nullopt;
    step = *value;
  }
  if (step == 0) {
    m.raise("ValueError", "slice step cannot be zero");
    return std::nullopt;
  }
  int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
  auto bound = [&](Value value, int64_t absent) -> std::optional<int64_t> {
    if (value == m.none())
      return absent;
    auto at = sliceBound(*this, value);
    if (!at)
      return std::nullopt;
    if (*at < 0)
      return std::max(*at + size, low);
    return std::min(*at, high);
  };
  auto start = bound(slice.start, step < 0 ? high : low);
  auto stop = start ? bound(slice.stop, step < 0 ? low : high) : start;
  if (!stop)
    return std::nullopt;
  int64_t count = RangeObject(nullptr, *start, *stop, step).size();
  return SliceRange{*start, *stop, step, count};
}

std::optional<int64_t> Machine::index(Value value) {
  Internals &in = *internals;
  if (auto *foreign = llvm::dyn_cast<Foreign>(value))
    if (auto answer = foreign->library.convert(*this, value, "index")) {
      if (!*answer)
        return std::nullopt;
      value = *answer;
    }
  if (auto *integer = llvm::dyn_cast<IntObject>(value)) {
    if (integer->isSmall())
      return integer->small;
    raise("IndexError", "cannot fit 'int' into an index-sized integer");
    return std::nullopt;
  }
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(value)) {
    if (auto number = spreadsOpaque ? findNumber(opaque->path) : std::nullopt)
      return number;
    in.refuseOpaque(*opaque, "used as an integer");
    return std::nullopt;
  }
  if (Value method = in.userMethod(value, in.n.index)) {
    Value result = call(method);
    return result ? index(result) : std::nullopt;
  }
  in.typeError("'" + typeName(value) + "' object cannot be interpreted as an integer");
  return std::nullopt;
}

static std::vector<llvm::StringRef> codePointsOf(llvm::StringRef text) {
  std::vector<llvm::StringRef> points;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    decodeCodePoint(text, at);
    points.push_back(text.slice(begin, at));
  }
  return points;
}

/// The position of an index in a sequence; nullopt after IndexError.
static std::optional<int64_t> position(Internals &in, Value key, int64_t size,
                                       llvm::StringRef what) {
  bool isIndex =
      llvm::isa<IntObject>(key) || key->kind == Kind::Foreign || in.userMethod(key, in.n.index);
  if (in.m.pending())
    return std::nullopt;
  if (!isIndex) {
    if (auto *opaque = llvm::dyn_cast<OpaqueObject>(key)) {
      in.refuseOpaque(*opaque, "used as an index");
      return std::nullopt;
    }
    if (what == "string")
      in.typeError("string indices must be integers, not '" + in.m.typeName(key) + "'");
    else if (what == "byte")
      in.typeError("byte indices must be integers or slices, not " + in.m.typeName(key));
    else
      in.typeError(what + " indices must be integers or slices, not " + in.m.typeName(key));
    return std::nullopt;
  }
  auto at = in.m.index(key);
  if (!at)
    return std::nullopt;
  int64_t index = *at < 0 ? *at + size : *at;
  if (index < 0 || index >= size) {
    in.m.raise("IndexError", (what == "byte"    ? "index"
                              : what == "range" ? "range object index"
                                                : what + " index") +
                                 " out of range");
    return std::nullopt;
  }
  return index;
}

static Value getStrItem(Internals &in, StrObject &str, Value key) {
  if (auto *slice = llvm::dyn_cast<SliceObject>(key)) {
    auto range = in.sliceRange(*slice, str.length);
    if (!range || !in.charge(range->count / 16))
      return nullptr;
    if (str.isAscii() && range->step == 1)
      return in.m.makeStr(str.text.substr(range->start, range->count));
    auto points = codePointsOf(str.text);
    std::string out;
    for (int64_t i = 0; i < range->count; ++i)
      out += points[range->start + i * range->step];
    return in.m.makeStr(out);
  }
  auto at = position(in, key, str.length, "string");
  if (!at)
    return nullptr;
  return in.m.makeStr(str.isAscii() ? str.text.substr(*at, 1) : codePointsOf(str.text)[*at]);
}

static Value sliceItems(Internals &in, llvm::ArrayRef<Value> items, SliceObject &slice,
                        bool asTuple) {
  auto range = in.sliceRange(slice, items.size());
  if (!range || !in.charge(range->count / 16))
    return nullptr;
  std::vector<Value> out;
  out.reserve(range->count);
  for (int64_t i = 0; i < range->count; ++i)
    out.push_back(items[range->start + i * range->step]);
  return asTuple ? static_cast<Value>(in.m.makeTuple(out)) : in.m.makeList(out);
}

static Value getRangeItem(Internals &in, RangeObject &range, Value key) {
  if (auto *slice = llvm::dyn_cast<SliceObject>(key)) {
    auto cut = in.sliceRange(*slice, range.size());
    if (!cut)
      return nullptr;
    return in.m.makeRange(range.start + cut->start * range.step,
                          range.start + cut->stop * range.step, range.step * cut->step);
  }
  auto at = position(in, key, range.size(), "range");
  return at ? in.m.makeInt(range.start + *at * range.step) : nullptr;
}

static Value getDictItem(Internals &in, DictObject &dict, Value key) {
  Value value = in.m.dictGet(dict, key);
  if (value || in.m.pending())
    return value;
  if (!dict.cls->builtin)
    if (Value missing = in.lookupSpecial(&dict, in.n.missing))
      return in.m.call(missing, {key});
  if (in.m.pending())
    return nullptr;
  return in.raiseArgs(in.m.builtinClass("KeyError"), {key});
}

static Value getClassItem(Internals &in, ClassObject &cls, Value key) {
  if (Value method = in.lookupSpecial(&cls, in.n.getitem))
    return in.m.call(method, {key});
  bool found = false;
  if (Value method = in.classGet(&cls, in.n.classGetitem, found))
    return in.m.call(method, {key});
  if (in.m.pending())
    return nullptr;
  bool generic =
      cls.builtin && !cls.isSubclassOf(in.classes.baseException) &&
      (&cls == in.classes.list || &cls == in.classes.dict || &cls == in.classes.tuple ||
       &cls == in.classes.set || &cls == in.classes.frozenset || &cls == in.classes.type);
  for (ClassObject *base : cls.mro)
    generic |= base->name == "Generic" || base->name == "Protocol" || base->library;
  if (!generic && !cls.isSubclassOf(in.classes.dict) && !cls.isSubclassOf(in.classes.list))
    return in.typeError("type '" + cls.name + "' is not subscriptable");
  // list[int] and Generic[T]: for annotations; calling it calls the class.
  auto *alias = in.m.make<InstanceObject>(in.classes.genericAlias);
  auto *args = llvm::isa<TupleObject>(key) ? key : in.m.makeTuple({key});
  in.attrsOf(alias)->set(in.n.origin, &cls);
  alias->attrs->set(in.n.typeArgs, args);
  std::string text = cls.name.str() + "[";
  for (auto [i, item] : llvm::enumerate(llvm::cast<TupleObject>(args)->items)) {
    auto *itemClass = llvm::dyn_cast<ClassObject>(item);
    text += (i ? ", " : "") + (itemClass && !itemClass->module ? itemClass->name.str()
                               : item == in.m.ellipsis()       ? "..."
                                                               : in.m.repr(item).value_or("?"));
  }
  alias->payload = in.m.makeStr(text + "]");
  return alias;
}

Value Internals::nativeGetItem(Value object, Value key) {
  switch (object->kind) {
  case Kind::Str:
    return getStrItem(*this, *llvm::cast<StrObject>(object), key);
  case Kind::Bytes: {
    auto *data = llvm::cast<BytesObject>(object);
    if (auto *slice = llvm::dyn_cast<SliceObject>(key)) {
      auto range = sliceRange(*slice, data->data.size());
      std::string out;
      for (int64_t i = 0; range && i < range->count; ++i)
        out += data->data[range->start + i * range->step];
      return range ? m.makeBytes(out) : nullptr;
    }
    auto at = position(*this, key, data->data.size(), "byte");
    return at ? m.makeInt(static_cast<unsigned char>(data->data[*at])) : nullptr;
  }
  case Kind::List: {
    auto *list = llvm::cast<ListObject>(object);
    if (auto *slice = llvm::dyn_cast<SliceObject>(key))
      return sliceItems(*this, list->items, *slice, false);
    auto at = position(*this, key, list->items.size(), "list");
    return at ? list->items[*at] : nullptr;
  }
  case Kind::Tuple: {
    auto *tuple = llvm::cast<TupleObject>(object);
    if (auto *slice = llvm::dyn_cast<SliceObject>(key))
      return sliceItems(*this, tuple->items, *slice, true);
    auto at = position(*this, key, tuple->items.size(), "tuple");
    return at ? tuple->items[*at] : nullptr;
  }
  case Kind::Range:
    return getRangeItem(*this, *llvm::cast<RangeObject>(object), key);
  case Kind::Dict:
    return getDictItem(*this, *llvm::cast<DictObject>(object), key);
  case Kind::Class:
    return getClassItem(*this, *llvm::cast<ClassObject>(object), key);
  case Kind::Instance: {
    auto *instance = llvm::cast<InstanceObject>(object);
    if (object->cls == classes.mappingProxy)
      return m.getItem(instance->payload, key);
    if (object->cls == classes.typingSpecial || object->cls == classes.genericAlias) {
      return typingAlias(*instance, key);
    }
    break;
  }
  default:
    break;
  }
  return typeError("'" + m.typeName(object) + "' object is not subscriptable");
}

Value Machine::getItem(Value object, Value key) {
  Internals &in = *internals;
  object = standIn(object);
  if (object->kind == Kind::Opaque)
    return object; // `Opaque[int]` in an annotation
  if (auto *foreign = llvm::dyn_cast<Foreign>(object))
    if (auto answer = foreign->library.getItem(*this, object, key))
      return *answer;
  if (!object->cls->builtin) {
    if (Value method = in.userMethod(object, in.n.getitem))
      return call(method, {key});
    if (pending())
      return nullptr;
  }
  // An item that only who evaluates host code for its own ends can tell.
  if (key->kind == Kind::Foreign && spreadsOpaque && frame && frame->policy)
    if (auto answer = frame->policy->getItem(*this, object, key))
      return *answer;
  return in.nativeGetItem(object, key);
}

static bool setListSlice(Internals &in, ListObject &list, SliceObject &slice, Value value) {
  std::vector<Value> items;
  if (value) {
    auto all = in.m.items(value);
    if (!all)
      return in.m.pendingRefusal() ? false : (in.m.pending(), false);
    items = std::move(*all);
  }
  auto range = in.sliceRange(slice, list.items.size());
  if (!range)
    return false;
  in.m.willWrite(&list);
  if (range->step == 1) {
    int64_t stop = std::max(range->start, range->stop);
    list.items.erase(list.items.begin() + range->start, list.items.begin() + stop);
    list.items.insert(list.items.begin() + range->start, items.begin(), items.end());
    return in.checkItems(list.items.size());
  }
  if (!value) {
    std::vector<bool> drop(list.items.size());
    for (int64_t i = 0; i < range->count; ++i)
      drop[range->start + i * range->step] = true;
    std::vector<Value> kept;
    for (size_t i = 0; i != list.items.size(); ++i)
      if (!drop[i])
        kept.push_back(list.items[i]);
    list.items = kept;
    return true;
  }
  if (int64_t(items.size()) != range->count)
    return in.m.raise("ValueError", "attempt to assign sequence of size " +
                                        llvm::Twine(items.size()) + " to extended slice of size " +
                                        llvm::Twine(range->count));
  for (int64_t i = 0; i < range->count; ++i)
    list.items[range->start + i * range->step] = items[i];
  return true;
}

/// Which item an assignment or a deletion concerns; CPython words the error of its range
/// differently.
static std::optional<int64_t> assignedPosition(Internals &in, Value key, const ListObject &list) {
  auto at = position(in, key, list.items.size(), "list");
  if (!at && in.exception && in.matches(in.exception, in.m.builtinClass("IndexError"))) {
    in.exception = nullptr;
    in.m.raise("IndexError", "list assignment index out of range");
  }
  return at;
}

bool Internals::nativeSetItem(Value object, Value key, Value value) {
  if (auto *list = llvm::dyn_cast<ListObject>(object)) {
    if (auto *slice = llvm::dyn_cast<SliceObject>(key))
      return setListSlice(*this, *list, *slice, value);
    auto at = assignedPosition(*this, key, *list);
    if (!at)
      return false;
    m.willWrite(list);
    list->items[*at] = value;
    return true;
  }
  if (auto *dict = llvm::dyn_cast<DictObject>(object))
    return m.dictSet(*dict, key, value);
  return typeError("'" + m.typeName(object) + "' object does not support item assignment");
}

bool Machine::setItem(Value object, Value key, Value value) {
  Internals &in = *internals;
  object = standIn(object);
  if (auto *foreign = llvm::dyn_cast<Foreign>(object))
    if (auto answer = foreign->library.setItem(*this, object, key, value))
      return *answer != nullptr;
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(object))
    return in.refuseOpaque(*opaque, "written to");
  if (!object->cls->builtin) {
    if (Value method = in.userMethod(object, in.n.setitem))
      return call(method, {key, value}) != nullptr;
    if (pending())
      return false;
  }
  return in.nativeSetItem(object, key, value);
}

bool Internals::nativeDelItem(Value object, Value key) {
  if (auto *list = llvm::dyn_cast<ListObject>(object)) {
    if (auto *slice = llvm::dyn_cast<SliceObject>(key))
      return setListSlice(*this, *list, *slice, nullptr);
    auto at = assignedPosition(*this, key, *list);
    if (!at)
      return false;
    m.willWrite(list);
    list->items.erase(list->items.begin() + *at);
    return true;
  }
  if (auto *dict = llvm::dyn_cast<DictObject>(object)) {
    auto erased = m.dictErase(*dict, key);
    if (erased && !*erased)
      return raiseArgs(m.builtinClass("KeyError"), {key});
    return erased.has_value();
  }
  return typeError("'" + m.typeName(object) + "' object doesn't support item deletion");
}

bool Machine::delItem(Value object, Value key) {
  Internals &in = *internals;
  object = standIn(object);
  if (auto *foreign = llvm::dyn_cast<Foreign>(object))
    if (auto answer = foreign->library.delItem(*this, object, key))
      return *answer != nullptr;
  if (!object->cls->builtin) {
    if (Value method = in.userMethod(object, in.n.delitem))
      return call(method, {key}) != nullptr;
    if (pending())
      return false;
  }
  return in.nativeDelItem(object, key);
}

std::optional<bool> Internals::nativeContains(Value container, Value item) {
  if (auto *text = llvm::dyn_cast<StrObject>(container)) {
    auto *part = llvm::dyn_cast<StrObject>(item);
    if (part)
      return text->text.contains(part->text);
    typeError("'in <string>' requires string as left operand, not " + m.typeName(item));
    return std::nullopt;
  }
  if (auto *data = llvm::dyn_cast<BytesObject>(container))
    if (auto *part = llvm::dyn_cast<BytesObject>(item))
      return data->data.contains(part->data);
  HashTable *table = nullptr;
  if (auto *dict = llvm::dyn_cast<DictObject>(container))
    table = &dict->table;
  else if (auto *set = llvm::dyn_cast<SetObject>(container))
    table = &set->table;
  else if (container->cls == classes.dictKeys)
    table = &llvm::cast<DictObject>(llvm::cast<InstanceObject>(container)->payload)->table;
  if (table) {
    Value found = lookup(*table, item);
    return m.pending() ? std::nullopt : std::optional(found != nullptr);
  }
  if (auto *range = llvm::dyn_cast<RangeObject>(container))
    if (auto *integer = llvm::dyn_cast<IntObject>(item)) {
      if (!integer->isSmall())
        return false;
      int64_t at = integer->small;
      bool inside = range->step > 0 ? at >= range->start && at < range->stop
                                    : at <= range->start && at > range->stop;
      return inside && (at - range->start) % range->step == 0;
    }
  Value iterator = m.iterator(container);
  if (!iterator) {
    if (m.catchException("TypeError"))
      typeError("argument of type '" + m.typeName(container) + "' is not iterable");
    return std::nullopt;
  }
  while (Value next = m.next(iterator)) {
    auto same = m.step() ? m.equal(next, item) : std::nullopt;
    if (!same || *same)
      return same;
  }
  return m.pending() ? std::nullopt : std::optional(false);
}

std::optional<bool> Machine::contains(Value container, Value item) {
  Internals &in = *internals;
  container = standIn(container);
  if (auto *foreign = llvm::dyn_cast<Foreign>(container))
    if (auto answer = foreign->library.contains(*this, container, item)) {
      Truth known = *answer ? knownTruth(*answer) : Truth::Failed;
      return known == Truth::Failed ? std::nullopt : std::optional(known == Truth::True);
    }
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(container)) {
    // Who evaluates host code for its own ends may follow both ways; else it does not hold.
    if (spreadsOpaque && frame && frame->policy)
      if (auto answer = frame->policy->contains(*this, container, item)) {
        Truth known = *answer ? knownTruth(*answer) : Truth::Failed;
        return known == Truth::Failed ? std::nullopt : std::optional(known == Truth::True);
      }
    if (spreadsOpaque)
      return false;
    in.refuseOpaque(*opaque, "searched");
    return std::nullopt;
  }
  if (!container->cls->builtin || container->kind == Kind::Class) {
    if (Value method = in.userMethod(container, in.n.contains)) {
      Value result = call(method, {item});
      Truth known = result ? knownTruth(result) : Truth::Failed;
      return known == Truth::Failed ? std::nullopt : std::optional(known == Truth::True);
    }
    if (pending())
      return std::nullopt;
  }
  return in.nativeContains(container, item);
}

std::optional<int64_t> Internals::nativeLength(Value value, bool &known) {
  known = true;
  switch (value->kind) {
  case Kind::Str:
    return llvm::cast<StrObject>(value)->length;
  case Kind::Bytes:
    return llvm::cast<BytesObject>(value)->data.size();
  case Kind::Tuple:
    return llvm::cast<TupleObject>(value)->items.size();
  case Kind::List:
    return llvm::cast<ListObject>(value)->items.size();
  case Kind::Dict:
    return llvm::cast<DictObject>(value)->table.size();
  case Kind::Set:
    return llvm::cast<SetObject>(value)->table.size();
  case Kind::Range:
    return llvm::cast<RangeObject>(value)->size();
  case Kind::Instance:
    if (value->cls == classes.dictKeys || value->cls == classes.dictValues ||
        value->cls == classes.dictItems || value->cls == classes.mappingProxy)
      return m.length(llvm::cast<InstanceObject>(value)->payload);
    [[fallthrough]];
  default:
    known = false;
    return std::nullopt;
  }
}

std::optional<int64_t> Machine::length(Value value) {
  Internals &in = *internals;
  value = standIn(value);
  if (auto *foreign = llvm::dyn_cast<Foreign>(value))
    if (auto answer = foreign->library.length(*this, value))
      return *answer ? index(*answer) : std::nullopt;
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(value)) {
    in.refuseOpaque(*opaque, "measured");
    return std::nullopt;
  }
  if (!value->cls->builtin || value->kind == Kind::Class) {
    if (Value method = in.userMethod(value, in.n.len)) {
      Value result = call(method);
      auto size = result ? index(result) : std::nullopt;
      if (size && *size < 0) {
        raise("ValueError", "__len__() should return >= 0");
        return std::nullopt;
      }
      return size;
    }
    if (pending())
      return std::nullopt;
  }
  bool known;
  auto size = in.nativeLength(value, known);
  if (!known)
    in.typeError("object of type '" + typeName(value) + "' has no len()");
  return size;
}
