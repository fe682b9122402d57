// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods of list, tuple, dict, its views, set and frozenset.
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

using Args = llvm::ArrayRef<Value>;

static ListObject *listOf(Args a) { return llvm::cast<ListObject>(a[0]); }
static DictObject *dictOf(Args a) { return llvm::cast<DictObject>(a[0]); }
static SetObject *setOf(Args a) { return llvm::cast<SetObject>(a[0]); }

/// A stable merge sort whose comparison may fail.
static bool mergeSort(Machine &m, std::vector<std::pair<Value, Value>> &items, bool reverse) {
  std::vector<std::pair<Value, Value>> other(items.size());
  for (size_t width = 1; width < items.size(); width *= 2) {
    for (size_t low = 0; low < items.size(); low += 2 * width) {
      size_t middle = std::min(low + width, items.size());
      size_t high = std::min(low + 2 * width, items.size());
      for (size_t i = low, j = middle, out = low; out < high; ++out) {
        bool takeRight = false;
        if (i >= middle) {
          takeRight = true;
        } else if (j < high) {
          if (!m.step())
            return false;
          Value less = reverse ? m.compare(CompareOperator::Lt, items[i].first, items[j].first)
                               : m.compare(CompareOperator::Lt, items[j].first, items[i].first);
          Truth known = less ? m.knownTruth(less) : Truth::Failed;
          if (known == Truth::Failed)
            return false;
          takeRight = known == Truth::True;
        }
        other[out] = takeRight ? items[j++] : items[i++];
      }
    }
    std::swap(items, other);
  }
  return true;
}

static std::optional<std::vector<Value>> sorted(Machine &m, std::vector<Value> items, Value key,
                                                Value reverse) {
  Truth backwards = m.knownTruth(reverse);
  if (backwards == Truth::Failed)
    return std::nullopt;
  std::vector<std::pair<Value, Value>> keyed;
  for (Value item : items) {
    Value by = key == m.none() ? item : m.call(key, {item});
    if (!by)
      return std::nullopt;
    keyed.push_back({by, item});
  }
  if (!mergeSort(m, keyed, backwards == Truth::True))
    return std::nullopt;
  for (size_t i = 0; i != keyed.size(); ++i)
    items[i] = keyed[i].second;
  return items;
}

static Value findIndex(Internals &in, Value self, Value item, Value start, Value stop,
                       llvm::StringRef what) {
  auto *list = llvm::dyn_cast<ListObject>(self);
  auto itemsOf = [&] {
    return list ? llvm::ArrayRef(list->items) : llvm::cast<TupleObject>(self)->items;
  };
  SliceObject slice(nullptr, start, stop, in.m.none());
  auto range = in.sliceRange(slice, itemsOf().size());
  if (!range)
    return nullptr;
  for (int64_t i = range->start; i < range->stop && size_t(i) < itemsOf().size(); ++i) {
    auto same = in.m.equal(itemsOf()[i], item);
    if (!same)
      return nullptr;
    if (*same)
      return in.m.makeInt(i);
  }
  if (list)
    return in.m.raise("ValueError", in.m.repr(item).value_or("?") + " is not in list");
  return in.m.raise("ValueError", "tuple.index(x): x not in tuple");
}

static Value countItems(Internals &in, Value self, Value item) {
  auto items = in.m.items(self);
  int64_t count = 0;
  for (Value other : *items) {
    auto same = in.m.equal(other, item);
    if (!same)
      return nullptr;
    count += *same;
  }
  return in.m.makeInt(count);
}

/// The dunder methods that containers share, for super().__setitem__(...) and operator functions.
static void addItemMethods(Internals &in, ClassObject *cls, bool writes) {
  Machine &m = in.m;
  m.addBuiltin(cls, "__getitem__", "(self, key, /)",
               [&in](Machine &, Args a) { return in.nativeGetItem(a[0], a[1]); });
  m.addBuiltin(cls, "__len__", "(self, /)", [&in](Machine &m, Args a) -> Value {
    bool known;
    auto size = in.nativeLength(a[0], known);
    return size ? m.makeInt(*size) : nullptr;
  });
  m.addBuiltin(cls, "__contains__", "(self, item, /)", [&in](Machine &m, Args a) -> Value {
    auto found = in.nativeContains(a[0], a[1]);
    return found ? m.makeBool(*found) : nullptr;
  });
  m.addBuiltin(cls, "__iter__", "(self, /)", [](Machine &m, Args a) -> Value {
    ClassObject *own = a[0]->cls;
    // Iterates as the built-in class does, whatever the subclass overrides.
    ClassObject *builtin = own;
    for (ClassObject *base : own->mro)
      if (base->builtin) {
        builtin = base;
        break;
      }
    a[0]->cls = builtin;
    Value iterator = m.iterator(a[0]);
    a[0]->cls = own;
    return iterator;
  });
  if (!writes)
    return;
  m.addBuiltin(cls, "__setitem__", "(self, key, value, /)", [&in](Machine &m, Args a) -> Value {
    return in.nativeSetItem(a[0], a[1], a[2]) ? m.none() : nullptr;
  });
  m.addBuiltin(cls, "__delitem__", "(self, key, /)", [&in](Machine &m, Args a) -> Value {
    return in.nativeDelItem(a[0], a[1]) ? m.none() : nullptr;
  });
}

void Internals::setUpListMethods() {
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, Machine::BoundFn fn) {
    m.addBuiltin(classes.list, name, signature, std::move(fn));
  };
  addItemMethods(*this, classes.list, true);
  addItemMethods(*this, classes.tuple, false);
  addItemMethods(*this, classes.str, false);
  addItemMethods(*this, classes.range, false);
  add("__init__", "(self, iterable=(), /)", [](Machine &m, Args a) -> Value {
    // Of what has no known length, its library fills the list.
    if (auto *foreign = llvm::dyn_cast<Foreign>(standIn(a[1])))
      if (auto answer = foreign->library.builtinCall(m, "list", CallArgs{a, {}}))
        return *answer ? m.none() : nullptr;
    auto items = m.items(a[1]);
    if (!items)
      return nullptr;
    m.willWrite(a[0]);
    listOf(a)->items = std::move(*items);
    return m.none();
  });
  add("append", "(self, object, /)", [this](Machine &m, Args a) -> Value {
    if (!checkItems(listOf(a)->items.size() + 1))
      return nullptr;
    allocated += sizeof(Value);
    m.willWrite(a[0]);
    listOf(a)->items.push_back(a[1]);
    return m.none();
  });
  add("extend", "(self, iterable, /)", [this](Machine &m, Args a) -> Value {
    return extend(*listOf(a), a[1]) ? m.none() : nullptr;
  });
  add("insert", "(self, index, object, /)", [](Machine &m, Args a) -> Value {
    auto at = m.index(a[1]);
    if (!at)
      return nullptr;
    int64_t size = listOf(a)->items.size();
    int64_t index = std::clamp<int64_t>(*at < 0 ? *at + size : *at, 0, size);
    m.willWrite(a[0]);
    listOf(a)->items.insert(listOf(a)->items.begin() + index, a[2]);
    return m.none();
  });
  add("pop", "(self, index=-1, /)", [](Machine &m, Args a) -> Value {
    auto at = m.index(a[1]);
    if (!at)
      return nullptr;
    int64_t size = listOf(a)->items.size(), index = *at < 0 ? *at + size : *at;
    if (index < 0 || index >= size)
      return m.raise("IndexError", size ? "pop index out of range" : "pop from empty list");
    m.willWrite(a[0]);
    Value item = listOf(a)->items[index];
    listOf(a)->items.erase(listOf(a)->items.begin() + index);
    return item;
  });
  add("remove", "(self, value, /)", [](Machine &m, Args a) -> Value {
    for (size_t i = 0; i < listOf(a)->items.size(); ++i) {
      auto same = m.equal(listOf(a)->items[i], a[1]);
      if (!same)
        return nullptr;
      if (!*same)
        continue;
      m.willWrite(a[0]);
      listOf(a)->items.erase(listOf(a)->items.begin() + i);
      return m.none();
    }
    return m.raise("ValueError", "list.remove(x): x not in list");
  });
  add("clear", "(self, /)", [](Machine &m, Args a) -> Value {
    m.willWrite(a[0]);
    listOf(a)->items.clear();
    return m.none();
  });
  add("copy", "(self, /)",
      [](Machine &m, Args a) -> Value { return m.makeList(listOf(a)->items); });
  add("reverse", "(self, /)", [](Machine &m, Args a) -> Value {
    m.willWrite(a[0]);
    std::reverse(listOf(a)->items.begin(), listOf(a)->items.end());
    return m.none();
  });
  add("sort", "(self, *, key=None, reverse=False)", [](Machine &m, Args a) -> Value {
    auto items = sorted(m, listOf(a)->items, a[1], a[2]);
    if (!items)
      return nullptr;
    m.willWrite(a[0]);
    listOf(a)->items = std::move(*items);
    return m.none();
  });
  for (ClassObject *cls : {classes.list, classes.tuple}) {
    m.addBuiltin(
        cls, "index", "(self, value, start=0, stop=9223372036854775807, /)",
        [this](Machine &, Args a) { return findIndex(*this, a[0], a[1], a[2], a[3], ""); });
    m.addBuiltin(cls, "count", "(self, value, /)",
                 [this](Machine &, Args a) { return countItems(*this, a[0], a[1]); });
  }
  m.addBuiltin(classes.range, "index", "(self, value, /)", [this](Machine &m, Args a) -> Value {
    auto items = m.items(a[0]);
    return items ? findIndex(*this, m.makeTuple(*items), a[1], m.none(), m.none(), "") : nullptr;
  });
  m.addBuiltin(classes.range, "count", "(self, value, /)",
               [this](Machine &, Args a) { return countItems(*this, a[0], a[1]); });
  m.addBuiltin(builtinsModule, "sorted", "(iterable, /, *, key=None, reverse=False)",
               [](Machine &m, Args a) -> Value {
                 auto items = m.items(a[0]);
                 auto out = items ? sorted(m, *items, a[1], a[2]) : std::nullopt;
                 return out ? m.makeList(*out) : nullptr;
               });
}

static bool updateDict(Internals &in, DictObject &dict, Value source) {
  Machine &m = in.m;
  if (auto *other = llvm::dyn_cast<DictObject>(source)) {
    for (auto &entry : std::vector(other->table.entries))
      if (entry.key && !m.dictSet(dict, entry.key, entry.value))
        return false;
    return true;
  }
  if (source->cls->lookup(in.n.keys)) {
    Value keys = m.callMethod(source, "keys");
    auto items = keys ? m.items(keys) : std::nullopt;
    if (!items)
      return false;
    for (Value key : *items) {
      Value value = m.getItem(source, key);
      if (!value || !m.dictSet(dict, key, value))
        return false;
    }
    return true;
  }
  size_t i = 0;
  return in.forEachItem(source, [&](Value pair) -> bool {
    auto items = m.items(pair);
    if (!items) {
      if (m.catchException("TypeError"))
        in.typeError("cannot convert dictionary update sequence element #" + llvm::Twine(i) +
                     " to a sequence");
      return false;
    }
    if (items->size() != 2)
      return m.raise("ValueError", "dictionary update sequence element #" + llvm::Twine(i) +
                                       " has length " + llvm::Twine(items->size()) +
                                       "; 2 is required");
    ++i;
    return m.dictSet(dict, (*items)[0], (*items)[1]);
  });
}

void Internals::setUpDictMethods() {
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, Machine::BoundFn fn) {
    m.addBuiltin(classes.dict, name, signature, std::move(fn));
  };
  addItemMethods(*this, classes.dict, true);
  for (llvm::StringRef name : {"__init__", "update"})
    add(name, "(self, source=(), /, **rest)", [this](Machine &m, Args a) -> Value {
      return updateDict(*this, *dictOf(a), a[1]) && updateDict(*this, *dictOf(a), a[2]) ? m.none()
                                                                                        : nullptr;
    });
  add("get", "(self, key, default=None, /)", [](Machine &m, Args a) -> Value {
    Frame *frame = m.getFrame();
    if (a[1]->kind == Kind::Foreign && m.spreadsOpaque && frame && frame->policy)
      if (auto answer = frame->policy->getItem(m, a[0], a[1]))
        return *answer;
    Value value = m.dictGet(*dictOf(a), a[1]);
    return value || m.pending() ? value : a[2];
  });
  add("setdefault", "(self, key, default=None, /)", [](Machine &m, Args a) -> Value {
    Value value = m.dictGet(*dictOf(a), a[1]);
    if (value || m.pending())
      return value;
    return m.dictSet(*dictOf(a), a[1], a[2]) ? a[2] : nullptr;
  });
  add("pop", "(self, key, default=..., /)", [this](Machine &m, Args a) -> Value {
    Value value = m.dictGet(*dictOf(a), a[1]);
    if (m.pending())
      return nullptr;
    if (value)
      return m.dictErase(*dictOf(a), a[1]) ? value : nullptr;
    return a[2] != m.ellipsis() ? a[2] : raiseArgs(m.builtinClass("KeyError"), {a[1]});
  });
  add("popitem", "(self, /)", [](Machine &m, Args a) -> Value {
    for (auto &entry : llvm::reverse(dictOf(a)->table.entries))
      if (entry.key) {
        Value pair = m.makeTuple({entry.key, entry.value});
        return m.dictErase(*dictOf(a), entry.key) ? pair : nullptr;
      }
    return m.raise("KeyError", "popitem(): dictionary is empty");
  });
  add("clear", "(self, /)", [this](Machine &m, Args a) -> Value {
    m.willWrite(a[0]);
    clear(dictOf(a)->table);
    return m.none();
  });
  add("copy", "(self, /)", [](Machine &m, Args a) -> Value {
    auto *copy = m.makeDict();
    copy->table = dictOf(a)->table;
    return copy;
  });
  auto view = [](ClassObject *cls) {
    return [cls](Machine &m, Args a) -> Value {
      auto *view = m.make<InstanceObject>(cls);
      view->payload = a[0];
      return view;
    };
  };
  add("keys", "(self, /)", view(classes.dictKeys));
  add("values", "(self, /)", view(classes.dictValues));
  add("items", "(self, /)", view(classes.dictItems));
  classes.dict->attrs->set(
      m.intern("fromkeys"),
      m.make<WrappedMethodObject>(Kind::ClassMethod, classes.classMethod,
                                  m.makeBuiltin("fromkeys", "(cls, iterable, value=None, /)",
                                                [this](Machine &m, Args a) -> Value {
                                                  auto items = m.items(a[1]);
                                                  auto *dict = m.makeDict();
                                                  if (!items)
                                                    return nullptr;
                                                  for (Value key : *items)
                                                    if (!insert(dict->table, key, a[2]))
                                                      return nullptr;
                                                  return dict;
                                                })));
  for (llvm::StringRef name : {"get", "keys", "values", "items"})
    m.addBuiltin(classes.mappingProxy, name, "(self, *args)",
                 [name = name.str()](Machine &m, Args a) -> Value {
                   return m.callMethod(llvm::cast<InstanceObject>(a[0])->payload, name,
                                       llvm::cast<TupleObject>(a[1])->items);
                 });
}

void Internals::setUpSetMethods() {
  struct Row {
    const char *name;
    BinaryOperator op;
    bool inPlace;
  };
  static const Row rows[] = {{"union", BinaryOperator::BitOr, false},
                             {"intersection", BinaryOperator::BitAnd, false},
                             {"difference", BinaryOperator::Sub, false},
                             {"symmetric_difference", BinaryOperator::BitXor, false},
                             {"update", BinaryOperator::BitOr, true},
                             {"intersection_update", BinaryOperator::BitAnd, true},
                             {"difference_update", BinaryOperator::Sub, true},
                             {"symmetric_difference_update", BinaryOperator::BitXor, true}};
  auto toSet = [this](Value iterable) -> Value { return m.call(classes.set, {iterable}); };
  for (ClassObject *cls : {classes.set, classes.frozenset}) {
    addItemMethods(*this, cls, false);
    auto add = [&](llvm::StringRef name, llvm::StringRef signature, Machine::BoundFn fn) {
      m.addBuiltin(cls, name, signature, std::move(fn));
    };
    for (const Row &row : rows) {
      if (row.inPlace && cls == classes.frozenset)
        continue;
      add(row.name, "(self, *others)", [row, toSet](Machine &m, Args a) -> Value {
        Value result = a[0];
        if (!row.inPlace && llvm::cast<TupleObject>(a[1])->items.empty())
          return m.callMethod(a[0], "copy");
        for (Value other : llvm::cast<TupleObject>(a[1])->items) {
          Value set = toSet(other);
          result = set ? m.binary(row.op, result, set, row.inPlace) : nullptr;
          if (!result)
            return nullptr;
        }
        return row.inPlace ? m.none() : result;
      });
    }
    auto relation = [&](llvm::StringRef name, CompareOperator op) {
      add(name, "(self, other, /)", [op, toSet](Machine &m, Args a) -> Value {
        Value set = toSet(a[1]);
        return set ? m.compare(op, a[0], set) : nullptr;
      });
    };
    relation("issubset", CompareOperator::LtE);
    relation("issuperset", CompareOperator::GtE);
    add("isdisjoint", "(self, other, /)", [toSet](Machine &m, Args a) -> Value {
      Value set = toSet(a[1]);
      Value both = set ? m.binary(BinaryOperator::BitAnd, a[0], set) : nullptr;
      return both ? m.makeBool(llvm::cast<SetObject>(both)->table.size() == 0) : nullptr;
    });
    add("copy", "(self, /)", [](Machine &m, Args a) -> Value {
      auto *copy = m.makeSet(setOf(a)->frozen);
      copy->table = setOf(a)->table;
      return copy;
    });
  }
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, Machine::BoundFn fn) {
    m.addBuiltin(classes.set, name, signature, std::move(fn));
  };
  add("__init__", "(self, iterable=(), /)", [](Machine &m, Args a) -> Value {
    auto items = m.items(a[1]);
    if (!items)
      return nullptr;
    for (Value item : *items)
      if (!m.setAdd(*setOf(a), item))
        return nullptr;
    return m.none();
  });
  add("add", "(self, item, /)",
      [](Machine &m, Args a) -> Value { return m.setAdd(*setOf(a), a[1]) ? m.none() : nullptr; });
  for (bool strict : {false, true})
    add(strict ? "remove" : "discard", "(self, item, /)",
        [this, strict](Machine &m, Args a) -> Value {
          m.willWrite(a[0]);
          auto erased = erase(setOf(a)->table, a[1]);
          if (!erased)
            return nullptr;
          return *erased || !strict ? m.none() : raiseArgs(m.builtinClass("KeyError"), {a[1]});
        });
  add("pop", "(self, /)", [this](Machine &m, Args a) -> Value {
    m.willWrite(a[0]);
    for (auto &entry : setOf(a)->table.entries)
      if (Value item = entry.key)
        return erase(setOf(a)->table, item) ? item : nullptr;
    return m.raise("KeyError", "pop from an empty set");
  });
  add("clear", "(self, /)", [this](Machine &m, Args a) -> Value {
    m.willWrite(a[0]);
    clear(setOf(a)->table);
    return m.none();
  });
}
