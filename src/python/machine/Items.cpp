// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items: `object[key]`, read, written and deleted.
#include "python/machine/FloatText.h"
#include "python/machine/Integers.h"

using namespace nereid;
using namespace nereid::machine;

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
