// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of sequences, sets and dicts.
#include "python/machine/Integers.h"
#include "python/machine/NativeOperators.h"

using namespace nereid;
using namespace nereid::machine;

Value Internals::repeat(Value sequence, int64_t count) {
  count = std::max<int64_t>(count, 0);
  auto fits = [&](uint64_t size) {
    return checkItems(size && uint64_t(count) > UINT64_MAX / size ? UINT64_MAX / 2 : size * count);
  };
  if (auto *text = llvm::dyn_cast<StrObject>(sequence)) {
    if (!fits(text->text.size()))
      return nullptr;
    std::string out;
    for (int64_t i = 0; i < count && !text->text.empty(); ++i)
      out += text->text;
    return m.makeStr(out);
  }
  if (auto *data = llvm::dyn_cast<BytesObject>(sequence)) {
    if (!fits(data->data.size()))
      return nullptr;
    std::string out;
    for (int64_t i = 0; i < count && !data->data.empty(); ++i)
      out += data->data;
    return m.makeBytes(out);
  }
  auto *list = llvm::dyn_cast<ListObject>(sequence);
  llvm::ArrayRef<Value> items =
      list ? llvm::ArrayRef(list->items) : llvm::cast<TupleObject>(sequence)->items;
  if (!fits(items.size()))
    return nullptr;
  std::vector<Value> out;
  out.reserve(items.size() * count);
  for (int64_t i = 0; i < count && !items.empty(); ++i)
    out.insert(out.end(), items.begin(), items.end());
  return list ? static_cast<Value>(m.makeList(out)) : m.makeTuple(out);
}

bool machine::isSequence(Value value) {
  return llvm::isa<StrObject, BytesObject, ListObject, TupleObject>(value);
}

Value machine::concatenate(Internals &in, Value left, Value right) {
  if (left->kind != right->kind) {
    if (isSequence(left)) {
      llvm::StringRef kind = in.m.typeName(left);
      if (left->kind == Kind::Bytes)
        return in.typeError("can't concat " + in.m.typeName(right) + " to bytes");
      return in.typeError("can only concatenate " + kind + " (not \"" + in.m.typeName(right) +
                          "\") to " + kind);
    }
    return in.m.notImplemented();
  }
  if (auto *a = llvm::dyn_cast<StrObject>(left)) {
    std::string text = (a->text + llvm::cast<StrObject>(right)->text).str();
    return in.checkItems(text.size()) ? in.m.makeStr(text) : nullptr;
  }
  if (auto *a = llvm::dyn_cast<BytesObject>(left))
    return in.m.makeBytes((a->data + llvm::cast<BytesObject>(right)->data).str());
  auto *list = llvm::dyn_cast<ListObject>(left);
  auto itemsOf = [&](Value value) {
    return list ? llvm::ArrayRef(llvm::cast<ListObject>(value)->items)
                : llvm::cast<TupleObject>(value)->items;
  };
  std::vector<Value> items = itemsOf(left).vec();
  auto more = itemsOf(right);
  if (!in.checkItems(items.size() + more.size()))
    return nullptr;
  items.insert(items.end(), more.begin(), more.end());
  return list ? static_cast<Value>(in.m.makeList(items)) : in.m.makeTuple(items);
}

Value machine::multiplySequence(Internals &in, Value left, Value right) {
  Value sequence = isSequence(left) ? left : right, count = isSequence(left) ? right : left;
  if (auto *integer = llvm::dyn_cast<IntObject>(count)) {
    if (!integer->isSmall())
      return in.m.raise("OverflowError", "cannot fit 'int' into an index-sized integer");
    return in.repeat(sequence, integer->small);
  }
  if (count->kind != Kind::Instance && count->kind != Kind::Foreign)
    return in.typeError("can't multiply sequence by non-int of type '" + in.m.typeName(count) +
                        "'");
  return in.m.notImplemented();
}

static Value setBinary(Internals &in, BinaryOperator op, SetObject &left, SetObject &right) {
  auto *result = in.m.makeSet(left.frozen);
  bool failed = false;
  auto copy = [&](SetObject &from, SetObject *filter, bool wanted) {
    for (auto &entry : std::vector(from.table.entries)) {
      if (!entry.key)
        continue;
      if (filter && (in.find(filter->table, entry.key, entry.hash, failed) >= 0) != wanted)
        continue;
      if (failed || !in.setInsert(*result, entry.key))
        return false;
    }
    return true;
  };
  switch (op) {
  case BinaryOperator::BitOr:
    return copy(left, nullptr, true) && copy(right, nullptr, true) ? result : nullptr;
  case BinaryOperator::BitAnd:
    return copy(left, &right, true) ? result : nullptr;
  case BinaryOperator::Sub:
    return copy(left, &right, false) ? result : nullptr;
  case BinaryOperator::BitXor:
    return copy(left, &right, false) && copy(right, &left, false) ? result : nullptr;
  default:
    return in.m.notImplemented();
  }
}

static SetObject *asSet(Internals &in, Value value) {
  if (auto *set = llvm::dyn_cast<SetObject>(value))
    return set;
  if (value->cls != in.classes.dictKeys && value->cls != in.classes.dictItems)
    return nullptr;
  auto items = in.m.items(value);
  if (!items)
    return nullptr;
  auto *set = in.m.makeSet();
  for (Value item : *items)
    if (!in.setInsert(*set, item))
      return nullptr;
  return set;
}

bool machine::isSetLike(Internals &in, Value value) {
  return llvm::isa<SetObject>(value) || value->cls == in.classes.dictKeys ||
         value->cls == in.classes.dictItems;
}

Value machine::setLikeBinary(Internals &in, BinaryOperator op, Value left, Value right) {
  SetObject *x = asSet(in, left), *y = x ? asSet(in, right) : nullptr;
  return y ? setBinary(in, op, *x, *y) : nullptr;
}

Value machine::mergeDicts(Internals &in, DictObject &left, DictObject &right) {
  auto *result = in.m.makeDict();
  for (DictObject *from : {&left, &right})
    for (auto &entry : std::vector(from->table.entries))
      if (entry.key && !in.insert(result->table, entry.key, entry.value))
        return nullptr;
  return result;
}

Value machine::nativeInPlace(Internals &in, BinaryOperator op, Value left, Value right) {
  Machine &m = in.m;
  if (auto *list = llvm::dyn_cast<ListObject>(left)) {
    if (op == BinaryOperator::Add)
      return in.extend(*list, right) ? list : nullptr;
    if (op == BinaryOperator::Mult && llvm::isa<IntObject>(right)) {
      Value result = multiplySequence(in, list, right);
      if (!result)
        return nullptr;
      m.willWrite(list);
      list->items = llvm::cast<ListObject>(result)->items;
      return list;
    }
  }
  if (auto *set = llvm::dyn_cast<SetObject>(left); set && !set->frozen) {
    SetObject *other = asSet(in, right);
    if (!other)
      return m.pending() ? nullptr : m.notImplemented();
    Value result = setBinary(in, op, *set, *other);
    if (!result || result == m.notImplemented())
      return result;
    m.willWrite(set);
    set->table = llvm::cast<SetObject>(result)->table;
    return set;
  }
  if (auto *dict = llvm::dyn_cast<DictObject>(left); dict && op == BinaryOperator::BitOr)
    return m.callMethod(dict, "update", {right}) ? dict : nullptr;
  return m.notImplemented();
}
