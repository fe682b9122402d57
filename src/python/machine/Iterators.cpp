// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Iterator.h"

#include "python/machine/FloatText.h"
#include "python/machine/Generators.h"
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

IteratorObject *Internals::makeIterator(ClassObject *cls, IteratorObject::Step step, Value source,
                                        Value extra) {
  return m.make<IteratorObject>(cls, step, source, extra);
}

static Value stepSequence(Machine &m, IteratorObject &self) {
  if (auto *list = llvm::dyn_cast<ListObject>(self.source))
    return size_t(self.position) < list->items.size() ? list->items[self.position++] : nullptr;
  auto items = llvm::cast<TupleObject>(self.source)->items;
  return size_t(self.position) < items.size() ? items[self.position++] : nullptr;
}

static Value stepRange(Machine &m, IteratorObject &self) {
  if (self.position >= self.limit)
    return nullptr;
  auto *range = llvm::cast<RangeObject>(self.source);
  return m.makeInt(range->start + self.position++ * range->step);
}

static Value stepStr(Machine &m, IteratorObject &self) {
  llvm::StringRef text = llvm::cast<StrObject>(self.source)->text;
  size_t at = self.position;
  if (at >= text.size())
    return nullptr;
  decodeCodePoint(text, at);
  Value item = m.makeStr(text.slice(self.position, at));
  self.position = at;
  return item;
}

static Value stepBytes(Machine &m, IteratorObject &self) {
  llvm::StringRef data = llvm::cast<BytesObject>(self.source)->data;
  return size_t(self.position) < data.size()
             ? m.makeInt(static_cast<unsigned char>(data[self.position++]))
             : nullptr;
}

/// Entries of a dict or set; `extra` is the view's class: keys, values or items.
static Value stepTable(Machine &m, IteratorObject &self) {
  auto *dict = llvm::dyn_cast<DictObject>(self.source);
  HashTable &table = dict ? dict->table : llvm::cast<SetObject>(self.source)->table;
  if (int64_t(table.size()) != self.limit) {
    self.source = nullptr;
    return m.raise("RuntimeError",
                   llvm::Twine(dict ? "dictionary" : "Set") + " changed size during iteration");
  }
  while (size_t(self.position) < table.entries.size()) {
    auto &entry = table.entries[self.position++];
    if (!entry.key)
      continue;
    if (self.extra == m.classes().dictValues)
      return entry.value;
    return self.extra == m.classes().dictItems
               ? static_cast<Value>(m.makeTuple({entry.key, entry.value}))
               : entry.key;
  }
  return nullptr;
}

/// __getitem__ with 0, 1, 2, ... until IndexError.
static Value stepGetItem(Machine &m, IteratorObject &self) {
  Value item = m.getItem(self.source, m.makeInt(self.position++));
  if (!item)
    m.catchException("IndexError");
  return item;
}

Value Machine::iterator(Value iterable) {
  Internals &in = *internals;
  iterable = standIn(iterable);
  Builtins &c = *builtins;
  if (auto *foreign = llvm::dyn_cast<Foreign>(iterable)) {
    if (auto answer = foreign->library.iterate(*this, iterable))
      return *answer && *answer != iterable ? iterator(*answer) : nullptr;
    if (pending())
      return nullptr;
    return in.typeError("'" + typeName(iterable) + "' object is not iterable");
  }
  if (!iterable->cls->builtin) {
    if (Value method = in.userMethod(iterable, in.n.iter)) {
      Value result = call(method);
      if (!result || result == iterable)
        return result;
      if (result->kind == Kind::Iterator || result->kind == Kind::Generator ||
          result->cls->lookup(in.n.next))
        return result;
      return in.typeError("iter() returned non-iterator of type '" + typeName(result) + "'");
    }
    if (pending())
      return nullptr;
  }
  switch (iterable->kind) {
  case Kind::Iterator:
  case Kind::Generator:
    return iterable;
  case Kind::List:
  case Kind::Tuple:
    return in.makeIterator(c.listIterator, stepSequence, iterable);
  case Kind::Range: {
    auto *iterator = in.makeIterator(c.listIterator, stepRange, iterable);
    iterator->limit = llvm::cast<RangeObject>(iterable)->size();
    return iterator;
  }
  case Kind::Str:
    return in.makeIterator(c.listIterator, stepStr, iterable);
  case Kind::Bytes:
    return in.makeIterator(c.listIterator, stepBytes, iterable);
  case Kind::Dict:
  case Kind::Set: {
    auto *iterator = in.makeIterator(c.listIterator, stepTable, iterable, c.dictKeys);
    auto *dict = llvm::dyn_cast<DictObject>(iterable);
    iterator->limit = dict ? dict->table.size() : llvm::cast<SetObject>(iterable)->table.size();
    return iterator;
  }
  case Kind::Opaque:
    return in.refuseOpaque(*llvm::cast<OpaqueObject>(iterable), "iterated over");
  default:
    break;
  }
  if (iterable->cls == c.dictKeys || iterable->cls == c.dictValues ||
      iterable->cls == c.dictItems || iterable->cls == c.mappingProxy) {
    Value dict = llvm::cast<InstanceObject>(iterable)->payload;
    auto *iterator = in.makeIterator(c.listIterator, stepTable, dict, iterable->cls);
    iterator->limit = llvm::cast<DictObject>(dict)->table.size();
    return iterator;
  }
  if (in.userMethod(iterable, in.n.getitem) && iterable->kind == Kind::Instance)
    return in.makeIterator(c.listIterator, stepGetItem, iterable);
  return in.typeError("'" + typeName(iterable) + "' object is not iterable");
}

Value Machine::next(Value iterator) {
  Internals &in = *internals;
  if (pending())
    return nullptr;
  if (auto *native = llvm::dyn_cast<IteratorObject>(iterator)) {
    if (!native->source)
      return nullptr;
    willWrite(native);
    Value item = native->step(*this, *native);
    if (!item)
      native->source = nullptr;
    return item;
  }
  if (auto *generator = llvm::dyn_cast<GeneratorObject>(iterator))
    return in.resume(*generator, nullptr, nullptr);
  Value method = in.userMethod(iterator, in.n.next);
  if (!method)
    return pending()
               ? nullptr
               : Value(in.typeError("'" + typeName(iterator) + "' object is not an iterator"));
  Value item = call(method);
  if (!item)
    catchException("StopIteration");
  return item;
}

std::optional<std::vector<Value>> Machine::items(Value iterable) {
  iterable = standIn(iterable);
  if (iterable->cls->builtin) {
    if (auto *list = llvm::dyn_cast<ListObject>(iterable))
      return list->items;
    if (auto *tuple = llvm::dyn_cast<TupleObject>(iterable))
      return tuple->items.vec();
  }
  Value from = iterator(iterable);
  if (!from)
    return std::nullopt;
  std::vector<Value> out;
  while (Value item = next(from)) {
    if (!step() || !internals->checkItems(out.size()))
      return std::nullopt;
    out.push_back(item);
  }
  return pending() ? std::nullopt : std::optional(std::move(out));
}

bool Internals::forEachItem(Value iterable, llvm::function_ref<bool(Value)> visit) {
  // What is there already is not made item by item; nor does it change if it is the list itself.
  if (llvm::isa<ListObject, TupleObject>(iterable) && iterable->cls->builtin) {
    auto items = m.items(iterable);
    return items && llvm::all_of(*items, visit);
  }
  Value from = m.iterator(iterable);
  if (!from)
    return false;
  while (Value item = m.next(from))
    if (!m.step() || !visit(item))
      return false;
  return !m.pending();
}

bool Internals::extend(ListObject &list, Value iterable) {
  return forEachItem(iterable, [&](Value item) {
    if (!checkItems(list.items.size() + 1))
      return false;
    m.willWrite(&list);
    list.items.push_back(item);
    return true;
  });
}

// --- enumerate, zip, map, filter, reversed, iter(callable) ---------------------------------------

static Value stepEnumerate(Machine &m, IteratorObject &self) {
  Value item = m.next(self.source);
  if (!item)
    return nullptr;
  Value count = self.extra;
  self.extra = m.binary(BinaryOperator::Add, count, m.makeInt(int64_t(1)));
  return m.makeTuple({count, item});
}

static Value stepZip(Machine &m, IteratorObject &self) {
  llvm::SmallVector<Value> items;
  auto iterators = llvm::cast<TupleObject>(self.source)->items;
  bool strict = self.limit;
  for (auto [i, iterator] : llvm::enumerate(iterators)) {
    Value item = m.next(iterator);
    if (item) {
      items.push_back(item);
      continue;
    }
    if (m.pending() || !strict)
      return nullptr;
    auto arguments = [](size_t count) {
      return count == 1 ? "argument 1" : "arguments 1-" + std::to_string(count);
    };
    if (i)
      return m.raise("ValueError",
                     "zip() argument " + llvm::Twine(i + 1) + " is shorter than " + arguments(i));
    for (size_t j = 1; j < iterators.size(); ++j)
      if (m.next(iterators[j]))
        return m.raise("ValueError",
                       "zip() argument " + llvm::Twine(j + 1) + " is longer than " + arguments(j));
    return nullptr;
  }
  return items.empty() ? nullptr : m.makeTuple(items);
}

static Value stepMap(Machine &m, IteratorObject &self) {
  llvm::SmallVector<Value> items;
  for (Value iterator : llvm::cast<TupleObject>(self.source)->items) {
    Value item = m.next(iterator);
    if (!item)
      return nullptr;
    items.push_back(item);
  }
  return m.call(self.extra, items);
}

static Value stepFilter(Machine &m, IteratorObject &self) {
  while (Value item = m.step() ? m.next(self.source) : nullptr) {
    Value kept = self.extra == m.none() ? item : m.call(self.extra, {item});
    Truth known = kept ? m.knownTruth(kept) : Truth::Failed;
    if (known == Truth::Failed)
      return nullptr;
    if (known == Truth::True)
      return item;
  }
  return nullptr;
}

static Value stepReversed(Machine &m, IteratorObject &self) {
  if (self.position < 0)
    return nullptr;
  Value item = m.getItem(self.source, m.makeInt(self.position--));
  if (!item && self.source->kind == Kind::List)
    m.catchException("IndexError");
  return item;
}

static Value stepCallable(Machine &m, IteratorObject &self) {
  Value item = m.call(self.source);
  auto same = item ? m.equal(item, self.extra) : std::nullopt;
  return same && !*same ? item : nullptr;
}

static Value iteratorsOf(Machine &m, Value iterables) {
  llvm::SmallVector<Value> iterators;
  for (Value iterable : llvm::cast<TupleObject>(iterables)->items) {
    Value iterator = m.iterator(iterable);
    if (!iterator)
      return nullptr;
    iterators.push_back(iterator);
  }
  return m.makeTuple(iterators);
}

static Value reversedOf(Internals &in, Value sequence) {
  Machine &m = in.m;
  sequence = standIn(sequence);
  if (auto answer = in.askBuiltin("reversed", CallArgs{{sequence}, {}}))
    return *answer;
  if (Value method = in.userMethod(sequence, in.n.reversed))
    return m.call(method);
  if (m.pending())
    return nullptr;
  if (sequence->kind == Kind::Dict || sequence->cls == in.classes.dictKeys ||
      sequence->cls == in.classes.dictValues || sequence->cls == in.classes.dictItems) {
    auto items = m.items(sequence);
    if (!items)
      return nullptr;
    std::reverse(items->begin(), items->end());
    return m.iterator(m.makeList(*items));
  }
  bool sequenceLike =
      llvm::isa<ListObject, TupleObject, StrObject, BytesObject, RangeObject>(sequence) ||
      (in.userMethod(sequence, in.n.getitem) && in.userMethod(sequence, in.n.len));
  if (!sequenceLike)
    return in.typeError("'" + m.typeName(sequence) + "' object is not reversible");
  auto size = m.length(sequence);
  if (!size)
    return nullptr;
  auto *iterator = in.makeIterator(in.classes.reversed, stepReversed, sequence);
  iterator->position = *size - 1;
  return iterator;
}

void Internals::setUpIterators() {
  auto construct = [this](ClassObject *cls, llvm::StringRef signature, Machine::BoundFn fn) {
    auto *made = m.makeBuiltin(cls->name, signature, std::move(fn));
    cls->attrs->set(n.new_,
                    m.make<WrappedMethodObject>(Kind::StaticMethod, classes.staticMethod, made));
  };
  for (ClassObject *cls : {classes.listIterator, classes.map, classes.zip, classes.filter,
                           classes.enumerate, classes.reversed}) {
    m.addBuiltin(cls, "__iter__", "(self, /)",
                 [](Machine &, llvm::ArrayRef<Value> args) { return args[0]; });
    m.addBuiltin(cls, "__next__", "(self, /)",
                 [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
                   Value item = m.next(args[0]);
                   return item || m.pending() ? item : stopIteration(nullptr);
                 });
  }
  construct(classes.enumerate, "(cls, iterable, start=0)",
            [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
              if (auto answer = askBuiltin("enumerate", CallArgs{args.drop_front(), {}}))
                return *answer;
              Value iterator = m.iterator(args[1]);
              return iterator ? makeIterator(classes.enumerate, stepEnumerate, iterator, args[2])
                              : nullptr;
            });
  construct(classes.zip, "(cls, *iterables, strict=False)",
            [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
              if (auto answer =
                      askBuiltin("zip", CallArgs{llvm::cast<TupleObject>(args[1])->items, {}}))
                return *answer;
              Value iterators = iteratorsOf(m, args[1]);
              if (!iterators)
                return nullptr;
              auto *iterator = makeIterator(classes.zip, stepZip, iterators);
              iterator->limit = m.truth(args[2]) == Truth::True;
              return iterator;
            });
  construct(classes.map, "(cls, function, *iterables)",
            [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
              if (llvm::cast<TupleObject>(args[2])->items.empty())
                return typeError("map() must have at least two arguments.");
              Value iterators = iteratorsOf(m, args[2]);
              return iterators ? makeIterator(classes.map, stepMap, iterators, args[1]) : nullptr;
            });
  construct(classes.filter, "(cls, function, iterable, /)",
            [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
              Value iterator = m.iterator(args[2]);
              return iterator ? makeIterator(classes.filter, stepFilter, iterator, args[1])
                              : nullptr;
            });
  construct(classes.reversed, "(cls, sequence, /)",
            [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
              return reversedOf(*this, args[1]);
            });
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, Machine::BoundFn fn) {
    m.addBuiltin(builtinsModule, name, signature, std::move(fn));
  };
  add("iter", "(object, sentinel=..., /)", [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
    if (args[1] == m.ellipsis())
      return m.iterator(args[0]);
    return makeIterator(classes.callableIterator, stepCallable, args[0], args[1]);
  });
  add("next", "(iterator, default=..., /)",
      [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
        if (args[0]->kind != Kind::Iterator && args[0]->kind != Kind::Generator &&
            !args[0]->cls->lookup(n.next))
          return typeError("'" + m.typeName(args[0]) + "' object is not an iterator");
        Value item = m.next(args[0]);
        if (item || m.pending())
          return item;
        if (args[1] != m.ellipsis())
          return args[1];
        Value result = generatorResult(args[0]);
        return stopIteration(result);
      });
}
