// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Integers.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

static bool holds(CompareOperator op, int order) {
  switch (op) {
  case CompareOperator::Eq:
    return order == 0;
  case CompareOperator::NotEq:
    return order != 0;
  case CompareOperator::Lt:
    return order < 0;
  case CompareOperator::LtE:
    return order <= 0;
  case CompareOperator::Gt:
    return order > 0;
  default:
    return order >= 0;
  }
}

static bool isEquality(CompareOperator op) {
  return op == CompareOperator::Eq || op == CompareOperator::NotEq;
}

/// The order of two numbers; nullopt when one is NaN.
static std::optional<int> numberOrder(Value left, Value right) {
  auto *a = llvm::dyn_cast<IntObject>(left), *b = llvm::dyn_cast<IntObject>(right);
  if (a && b)
    return compareIntegers(*a, *b);
  if (a) {
    double y = llvm::cast<FloatObject>(right)->value;
    return std::isnan(y) ? std::nullopt : std::optional(compareIntegerFloat(*a, y));
  }
  double x = llvm::cast<FloatObject>(left)->value;
  if (b)
    return std::isnan(x) ? std::nullopt : std::optional(-compareIntegerFloat(*b, x));
  double y = llvm::cast<FloatObject>(right)->value;
  if (std::isnan(x) || std::isnan(y))
    return std::nullopt;
  return x < y ? -1 : x > y;
}

static Value compareSequences(Internals &in, CompareOperator op, Value left, Value right) {
  auto itemsOf = [](Value value) {
    auto *list = llvm::dyn_cast<ListObject>(value);
    return list ? llvm::ArrayRef(list->items) : llvm::cast<TupleObject>(value)->items;
  };
  if (in.stackLow())
    return in.m.refuse("values are nested too deeply to be compared");
  // Items may change while they are compared: sizes are looked at anew.
  size_t i = 0;
  if (isEquality(op) && itemsOf(left).size() != itemsOf(right).size())
    return in.m.makeBool(op == CompareOperator::NotEq);
  llvm::SmallVector<Value> open; // comparisons that a library cannot decide
  for (; i < itemsOf(left).size() && i < itemsOf(right).size(); ++i) {
    if (!in.m.step())
      return nullptr;
    Value a = itemsOf(left)[i], b = itemsOf(right)[i];
    if (isEquality(op) && (llvm::isa<Foreign>(a) || llvm::isa<Foreign>(b))) {
      Value result = a == b ? in.m.makeBool(true) : in.m.compare(CompareOperator::Eq, a, b);
      if (!result)
        return nullptr;
      if (llvm::isa<Foreign>(result) && in.m.truth(result) == Truth::Unknown) {
        open.push_back(result);
        continue;
      }
    }
    auto same = in.m.equal(itemsOf(left)[i], itemsOf(right)[i]);
    if (!same)
      return nullptr;
    if (!*same)
      break;
  }
  size_t a = itemsOf(left).size(), b = itemsOf(right).size();
  if (!open.empty() && i >= a)
    if (Answer all = llvm::cast<Foreign>(open.front())
                         ->library.allOf(in.m, open, op == CompareOperator::NotEq))
      return *all;
  if (!open.empty() && i >= a)
    return in.m.knownTruth(open.front()) == Truth::Failed ? nullptr : in.m.makeBool(false);
  if (i >= a || i >= b)
    return in.m.makeBool(holds(op, a < b ? -1 : a > b));
  if (isEquality(op))
    return in.m.makeBool(op == CompareOperator::NotEq);
  return in.m.compare(op, itemsOf(left)[i], itemsOf(right)[i]);
}

static Value compareDicts(Internals &in, CompareOperator op, DictObject &left, DictObject &right) {
  bool same = left.table.size() == right.table.size();
  for (auto &entry : std::vector(left.table.entries)) {
    if (!same)
      break;
    if (!entry.key)
      continue;
    bool failed;
    int64_t at = in.find(right.table, entry.key, entry.hash, failed);
    if (failed)
      return nullptr;
    if (at < 0) {
      same = false;
      break;
    }
    auto equal = in.m.equal(entry.value, right.table.entries[at].value);
    if (!equal)
      return nullptr;
    same = *equal;
  }
  return in.m.makeBool(same == (op == CompareOperator::Eq));
}

static Value compareSets(Internals &in, CompareOperator op, SetObject &left, SetObject &right) {
  auto within = [&](SetObject &small, SetObject &large) -> std::optional<bool> {
    for (auto &entry : small.table.entries) {
      bool failed;
      if (entry.key && in.find(large.table, entry.key, entry.hash, failed) < 0)
        return failed ? std::nullopt : std::optional(false);
    }
    return true;
  };
  size_t a = left.table.size(), b = right.table.size();
  bool flip = op == CompareOperator::Gt || op == CompareOperator::GtE;
  auto inside = flip ? within(right, left) : within(left, right);
  if (!inside)
    return nullptr;
  switch (op) {
  case CompareOperator::Eq:
    return in.m.makeBool(a == b && *inside);
  case CompareOperator::NotEq:
    return in.m.makeBool(!(a == b && *inside));
  case CompareOperator::Lt:
  case CompareOperator::Gt:
    return in.m.makeBool(*inside && a != b);
  default:
    return in.m.makeBool(*inside);
  }
}

Value Internals::nativeCompare(CompareOperator op, Value left, Value right) {
  auto isNumber = [](Value value) { return llvm::isa<IntObject, FloatObject>(value); };
  if (isNumber(left) && isNumber(right)) {
    auto order = numberOrder(left, right);
    return m.makeBool(order ? holds(op, *order) : op == CompareOperator::NotEq);
  }
  if (left->kind == Kind::Str && right->kind == Kind::Str) {
    // The order of UTF-8 is the order of code points.
    int order = llvm::cast<StrObject>(left)->text.compare(llvm::cast<StrObject>(right)->text);
    return m.makeBool(holds(op, order));
  }
  if (left->kind == Kind::Bytes && right->kind == Kind::Bytes)
    return m.makeBool(holds(
        op, llvm::cast<BytesObject>(left)->data.compare(llvm::cast<BytesObject>(right)->data)));
  if (left->kind == right->kind && (left->kind == Kind::List || left->kind == Kind::Tuple))
    return compareSequences(*this, op, left, right);
  if (left->kind == Kind::Set && right->kind == Kind::Set)
    return compareSets(*this, op, *llvm::cast<SetObject>(left), *llvm::cast<SetObject>(right));
  auto isView = [&](Value value) {
    return value->cls == classes.dictKeys || value->cls == classes.dictItems;
  };
  if ((isView(left) || left->kind == Kind::Set) && (isView(right) || right->kind == Kind::Set)) {
    auto *empty = m.makeSet();
    Value a = m.binary(BinaryOperator::BitOr, left, empty);
    Value b = a ? m.binary(BinaryOperator::BitOr, right, empty) : nullptr;
    return b ? nativeCompare(op, a, b) : nullptr;
  }
  if (!isEquality(op))
    return m.notImplemented();
  bool equal = op == CompareOperator::Eq;
  if (left->kind == Kind::Dict && right->kind == Kind::Dict)
    return compareDicts(*this, op, *llvm::cast<DictObject>(left), *llvm::cast<DictObject>(right));
  if (left->kind == Kind::Range && right->kind == Kind::Range) {
    auto *a = llvm::cast<RangeObject>(left), *b = llvm::cast<RangeObject>(right);
    int64_t size = a->size();
    bool same = size == b->size() && (size == 0 || a->start == b->start) &&
                (size <= 1 || a->step == b->step);
    return m.makeBool(same == equal);
  }
  if (left->kind == Kind::Slice && right->kind == Kind::Slice) {
    auto *a = llvm::cast<SliceObject>(left), *b = llvm::cast<SliceObject>(right);
    return nativeCompare(op, m.makeTuple({a->start, a->stop, a->step}),
                         m.makeTuple({b->start, b->stop, b->step}));
  }
  if (left->kind == Kind::Complex || right->kind == Kind::Complex) {
    Value complex = left->kind == Kind::Complex ? left : right,
          other = complex == left ? right : left;
    auto *a = llvm::cast<ComplexObject>(complex);
    if (auto *b = llvm::dyn_cast<ComplexObject>(other))
      return m.makeBool((a->real == b->real && a->imag == b->imag) == equal);
    if (!isNumber(other))
      return m.notImplemented();
    auto order = numberOrder(m.makeFloat(a->real), other);
    return m.makeBool((a->imag == 0 && order == 0) == equal);
  }
  if (left->kind == Kind::BoundMethod && right->kind == Kind::BoundMethod) {
    auto *a = llvm::cast<BoundMethodObject>(left), *b = llvm::cast<BoundMethodObject>(right);
    return m.makeBool((a->self == b->self && a->function == b->function) == equal);
  }
  auto isAlias = [&](Value value) {
    return value->cls == classes.genericAlias ||
           (value->cls == classes.typingSpecial && value->attrs && value->attrs->get(n.typeArgs));
  };
  if (isAlias(left) && isAlias(right)) {
    std::optional<bool> same = equalAliases(left, right);
    return same ? m.makeBool(*same == equal) : nullptr;
  }
  return m.notImplemented();
}

static CompareOperator mirrored(CompareOperator op) {
  switch (op) {
  case CompareOperator::Lt:
    return CompareOperator::Gt;
  case CompareOperator::LtE:
    return CompareOperator::GtE;
  case CompareOperator::Gt:
    return CompareOperator::Lt;
  case CompareOperator::GtE:
    return CompareOperator::LtE;
  default:
    return op;
  }
}

static Value callCompare(Internals &in, CompareOperator op, Value self, Value other) {
  Name names[] = {in.n.eq, in.n.ne, in.n.lt, in.n.le, in.n.gt, in.n.ge};
  Value method = in.userMethod(self, names[unsigned(op)]);
  if (method)
    return in.m.call(method, {other});
  if (in.m.pending() || op != CompareOperator::NotEq)
    return in.m.pending() ? nullptr : in.m.notImplemented();
  // Without __ne__ the answer of __eq__ is inverted.
  method = in.userMethod(self, in.n.eq);
  if (!method)
    return in.m.pending() ? nullptr : in.m.notImplemented();
  Value result = in.m.call(method, {other});
  if (!result || result == in.m.notImplemented())
    return result;
  return in.m.unary(UnaryOperator::Not, result);
}

/// Whether it names something of a module, and not what was made of that.
static bool isPlainPath(llvm::StringRef path) {
  return path.find_first_of("( [") == llvm::StringRef::npos;
}

Value Machine::compare(CompareOperator op, Value left, Value right) {
  Internals &in = *internals;
  switch (op) {
  case CompareOperator::Is:
  case CompareOperator::IsNot:
    for (Value side : {left, right})
      if (auto *foreign = llvm::dyn_cast<Foreign>(side))
        if (auto answer =
                foreign->library.identity(*this, left, right, op == CompareOperator::IsNot))
          return *answer;
    return makeBool((left == right) == (op == CompareOperator::Is));
  case CompareOperator::In:
  case CompareOperator::NotIn: {
    right = standIn(right);
    if (auto *foreign = llvm::dyn_cast<Foreign>(right))
      if (auto answer = foreign->library.contains(*this, right, left)) {
        if (!*answer || op == CompareOperator::In)
          return *answer;
        return unary(UnaryOperator::Not, *answer);
      }
    auto found = contains(right, left);
    return found ? makeBool(*found == (op == CompareOperator::In)) : nullptr;
  }
  default:
    break;
  }
  left = standIn(left);
  right = standIn(right);
  bool plain = left->cls->builtin && right->cls->builtin;
  if (!plain || left->kind == Kind::Foreign || right->kind == Kind::Foreign ||
      left->kind == Kind::Opaque || right->kind == Kind::Opaque) {
    for (Value operand : {left, right})
      if (auto *foreign = llvm::dyn_cast<Foreign>(operand))
        if (auto answer = foreign->library.compare(*this, op, left, right))
          return *answer;
    // Two names of a module that is not there: torch.float16 and torch.float32.
    auto *first = llvm::dyn_cast<OpaqueObject>(left), *second = llvm::dyn_cast<OpaqueObject>(right);
    if (spreadsOpaque && first && second && isEquality(op) && isPlainPath(first->path) &&
        isPlainPath(second->path))
      return makeBool((first->path == second->path) == (op == CompareOperator::Eq));
    for (Value operand : {left, right})
      if (auto *opaque = llvm::dyn_cast<OpaqueObject>(operand); opaque && left != right)
        return in.useOpaque(*opaque, "compared", " (compared)");
    bool rightFirst = left->cls != right->cls && right->cls->isSubclassOf(left->cls);
    Value result = notImplementedValue;
    if (rightFirst && (result = callCompare(in, mirrored(op), right, left)) != notImplementedValue)
      return result;
    if ((result = callCompare(in, op, left, right)) != notImplementedValue)
      return result;
    if (!rightFirst && (result = callCompare(in, mirrored(op), right, left)) != notImplementedValue)
      return result;
  }
  Value result = in.nativeCompare(op, left, right);
  if (result != notImplementedValue)
    return result;
  if (isEquality(op))
    return makeBool((left == right) == (op == CompareOperator::Eq));
  return in.typeError("'" + python::spell(op) + "' not supported between instances of '" +
                      typeName(left) + "' and '" + typeName(right) + "'");
}

std::optional<bool> Machine::equal(Value left, Value right) {
  if (left == right)
    return true;
  Value result = compare(CompareOperator::Eq, left, right);
  if (!result)
    return std::nullopt;
  Truth known = knownTruth(result);
  return known == Truth::Failed ? std::nullopt : std::optional(known == Truth::True);
}
