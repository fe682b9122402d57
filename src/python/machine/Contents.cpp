// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What containers hold: `in` and `len()`.
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

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
    if (auto answer = foreign->library.contains(*this, container, item))
      return in.truthOf(*answer);
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(container)) {
    // Who evaluates host code for its own ends may follow both ways; else it does not hold.
    if (spreadsOpaque && frame && frame->policy)
      if (auto answer = frame->policy->contains(*this, container, item))
        return in.truthOf(*answer);
    if (spreadsOpaque)
      return false;
    in.refuseOpaque(*opaque, "searched");
    return std::nullopt;
  }
  if (!container->cls->builtin || container->kind == Kind::Class) {
    if (Value method = in.userMethod(container, in.n.contains))
      return in.truthOf(call(method, {item}));
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
    // As what is false by a guess has it: nothing of it is known to be there.
    if (spreadsOpaque && !(frame && frame->policy)) {
      ++in.guesses;
      return 0;
    }
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
