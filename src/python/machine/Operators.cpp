// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Integers.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

namespace {
struct OperatorNames {
  const char *plain, *reflected, *inPlace;
};
} // namespace

static OperatorNames namesOf(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Add:
    return {"__add__", "__radd__", "__iadd__"};
  case BinaryOperator::Sub:
    return {"__sub__", "__rsub__", "__isub__"};
  case BinaryOperator::Mult:
    return {"__mul__", "__rmul__", "__imul__"};
  case BinaryOperator::MatMult:
    return {"__matmul__", "__rmatmul__", "__imatmul__"};
  case BinaryOperator::Div:
    return {"__truediv__", "__rtruediv__", "__itruediv__"};
  case BinaryOperator::Mod:
    return {"__mod__", "__rmod__", "__imod__"};
  case BinaryOperator::Pow:
    return {"__pow__", "__rpow__", "__ipow__"};
  case BinaryOperator::LShift:
    return {"__lshift__", "__rlshift__", "__ilshift__"};
  case BinaryOperator::RShift:
    return {"__rshift__", "__rrshift__", "__irshift__"};
  case BinaryOperator::BitOr:
    return {"__or__", "__ror__", "__ior__"};
  case BinaryOperator::BitXor:
    return {"__xor__", "__rxor__", "__ixor__"};
  case BinaryOperator::BitAnd:
    return {"__and__", "__rand__", "__iand__"};
  case BinaryOperator::FloorDiv:
    return {"__floordiv__", "__rfloordiv__", "__ifloordiv__"};
  }
  llvm_unreachable("all operators handled");
}

static bool isNumber(Value value) { return llvm::isa<IntObject, FloatObject>(value); }

static std::optional<double> toDouble(Internals &in, Value value) {
  if (auto *number = llvm::dyn_cast<FloatObject>(value))
    return number->value;
  auto converted = integerToDouble(*llvm::cast<IntObject>(value));
  if (!converted)
    in.m.raise("OverflowError", "int too large to convert to float");
  return converted;
}

static double floorModulo(double a, double b) {
  double result = std::fmod(a, b);
  if (result != 0) {
    if ((b < 0) != (result < 0))
      result += b;
    return result;
  }
  return std::copysign(0.0, b);
}

static double floorDivide(double a, double b) {
  double modulo = std::fmod(a, b), quotient = (a - modulo) / b;
  if (modulo != 0 && (b < 0) != (modulo < 0))
    quotient -= 1.0;
  if (quotient == 0)
    return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

static Value floatPower(Internals &in, double a, double b) {
  if (a == 0 && b < 0)
    return in.m.raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    // The principal value is complex.
    double radius = std::pow(-a, b), angle = b * M_PI;
    return in.m.makeComplex(radius * std::cos(angle), radius * std::sin(angle));
  }
  double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
    return in.raiseArgs(in.m.builtinClass("OverflowError"),
                        {in.m.makeInt(34), in.m.makeStr("Numerical result out of range")});
  return in.m.makeFloat(result);
}

static Value floatBinary(Internals &in, BinaryOperator op, double a, double b) {
  Machine &m = in.m;
  switch (op) {
  case BinaryOperator::Add:
    return m.makeFloat(a + b);
  case BinaryOperator::Sub:
    return m.makeFloat(a - b);
  case BinaryOperator::Mult:
    return m.makeFloat(a * b);
  case BinaryOperator::Div:
    return b == 0 ? m.raise("ZeroDivisionError", "float division by zero")
                  : static_cast<Value>(m.makeFloat(a / b));
  case BinaryOperator::FloorDiv:
    return b == 0 ? m.raise("ZeroDivisionError", "float floor division by zero")
                  : static_cast<Value>(m.makeFloat(floorDivide(a, b)));
  case BinaryOperator::Mod:
    return b == 0 ? m.raise("ZeroDivisionError", "float modulo")
                  : static_cast<Value>(m.makeFloat(floorModulo(a, b)));
  case BinaryOperator::Pow:
    return floatPower(in, a, b);
  default:
    return m.notImplemented();
  }
}

static Value complexBinary(Internals &in, BinaryOperator op, Value left, Value right) {
  double parts[2][2];
  for (int i : {0, 1}) {
    Value value = i ? right : left;
    if (auto *number = llvm::dyn_cast<ComplexObject>(value)) {
      parts[i][0] = number->real;
      parts[i][1] = number->imag;
      continue;
    }
    auto real = toDouble(in, value);
    if (!real)
      return nullptr;
    parts[i][0] = *real;
    parts[i][1] = 0;
  }
  auto [a, b] = parts[0];
  auto [c, d] = parts[1];
  switch (op) {
  case BinaryOperator::Add:
    return in.m.makeComplex(a + c, b + d);
  case BinaryOperator::Sub:
    return in.m.makeComplex(a - c, b - d);
  case BinaryOperator::Mult:
    return in.m.makeComplex(a * c - b * d, a * d + b * c);
  case BinaryOperator::Div: {
    if (c == 0 && d == 0)
      return in.m.raise("ZeroDivisionError", "complex division by zero");
    if (std::abs(c) >= std::abs(d)) {
      double ratio = d / c, denominator = c + d * ratio;
      return in.m.makeComplex((a + b * ratio) / denominator, (b - a * ratio) / denominator);
    }
    double ratio = c / d, denominator = c * ratio + d;
    return in.m.makeComplex((a * ratio + b) / denominator, (b * ratio - a) / denominator);
  }
  case BinaryOperator::Pow:
    return in.m.refuse("powers of complex numbers are not supported");
  default:
    return in.m.notImplemented();
  }
}

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

static bool isSequence(Value value) {
  return llvm::isa<StrObject, BytesObject, ListObject, TupleObject>(value);
}

static Value concatenate(Internals &in, Value left, Value right) {
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

static bool isTypeLike(Internals &in, Value value) {
  return value->kind == Kind::Class || value->kind == Kind::None ||
         value->cls == in.classes.genericAlias || value->cls == in.classes.typingSpecial;
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

Value Internals::nativeBinary(BinaryOperator op, Value left, Value right) {
  auto *a = llvm::dyn_cast<IntObject>(left), *b = llvm::dyn_cast<IntObject>(right);
  if (a && b) {
    if (a->kind == Kind::Bool && b->kind == Kind::Bool &&
        (op == BinaryOperator::BitAnd || op == BinaryOperator::BitOr ||
         op == BinaryOperator::BitXor)) {
      Value result = integerBinary(*this, op, *a, *b);
      return result ? m.makeBool(llvm::cast<IntObject>(result)->small) : nullptr;
    }
    return integerBinary(*this, op, *a, *b);
  }
  if (isNumber(left) && isNumber(right)) {
    auto x = toDouble(*this, left), y = x ? toDouble(*this, right) : x;
    return x && y ? floatBinary(*this, op, *x, *y) : nullptr;
  }
  if ((isNumber(left) || left->kind == Kind::Complex) &&
      (isNumber(right) || right->kind == Kind::Complex))
    return complexBinary(*this, op, left, right);
  if (op == BinaryOperator::Mod && left->kind == Kind::Str) {
    auto text = formatPercent(*llvm::cast<StrObject>(left), right, false);
    return text ? m.makeStr(*text) : nullptr;
  }
  if (op == BinaryOperator::Add && (isSequence(left) || isSequence(right)))
    return concatenate(*this, left, right);
  if (op == BinaryOperator::Mult && (isSequence(left) || isSequence(right))) {
    Value sequence = isSequence(left) ? left : right, count = isSequence(left) ? right : left;
    if (auto *integer = llvm::dyn_cast<IntObject>(count)) {
      if (!integer->isSmall()) {
        if (isNegative(*integer))
          return repeat(sequence, 0);
        return m.raise("OverflowError", "cannot fit 'int' into an index-sized integer");
      }
      return repeat(sequence, integer->small);
    }
    if (count->kind != Kind::Instance && count->kind != Kind::Foreign)
      return typeError("can't multiply sequence by non-int of type '" + m.typeName(count) + "'");
    return m.notImplemented();
  }
  if (op == BinaryOperator::BitOr && left->kind == Kind::Dict && right->kind == Kind::Dict) {
    auto *result = m.makeDict();
    for (Value from : {left, right})
      for (auto &entry : std::vector(llvm::cast<DictObject>(from)->table.entries))
        if (entry.key && !insert(result->table, entry.key, entry.value))
          return nullptr;
    return result;
  }
  if (op == BinaryOperator::BitOr && isTypeLike(*this, left) && isTypeLike(*this, right)) {
    // `int | None`: a type for annotations and isinstance.
    auto *alias = m.make<InstanceObject>(classes.genericAlias);
    auto *args = m.makeTuple({left, right});
    attrsOf(alias)->set(n.typeArgs, args);
    alias->attrs->set(n.origin, m.none());
    auto text = [&](Value type) {
      auto *cls = llvm::dyn_cast<ClassObject>(type);
      return cls && !cls->module ? cls->name.str() : m.repr(type).value_or("?");
    };
    alias->payload = m.makeStr(text(left) + " | " + text(right));
    return alias;
  }
  bool setLike =
      llvm::isa<SetObject>(left) || left->cls == classes.dictKeys || left->cls == classes.dictItems;
  bool rightSetLike = llvm::isa<SetObject>(right) || right->cls == classes.dictKeys ||
                      right->cls == classes.dictItems;
  if (setLike && rightSetLike) {
    SetObject *x = asSet(*this, left), *y = x ? asSet(*this, right) : nullptr;
    return y ? setBinary(*this, op, *x, *y) : nullptr;
  }
  return m.notImplemented();
}

/// Augmented assignment of lists, sets and dicts changes the object.
static Value nativeInPlace(Internals &in, BinaryOperator op, Value left, Value right) {
  Machine &m = in.m;
  if (auto *list = llvm::dyn_cast<ListObject>(left)) {
    if (op == BinaryOperator::Add) {
      auto items = m.items(right);
      if (!items || !in.checkItems(list->items.size() + items->size()))
        return nullptr;
      m.willWrite(list);
      list->items.insert(list->items.end(), items->begin(), items->end());
      return list;
    }
    if (op == BinaryOperator::Mult && llvm::isa<IntObject>(right)) {
      Value result = in.repeat(list, llvm::cast<IntObject>(right)->small);
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

static Value unsupported(Internals &in, BinaryOperator op, Value left, Value right, bool inPlace) {
  llvm::StringRef spelled = python::spell(op);
  std::string shown = spelled.str() + (inPlace ? "=" : "");
  if (op == BinaryOperator::Pow && !inPlace)
    shown = "** or pow()";
  return in.typeError("unsupported operand type(s) for " + shown + ": '" + in.m.typeName(left) +
                      "' and '" + in.m.typeName(right) + "'");
}

static Value callOperator(Internals &in, Value self, const char *name, Value other) {
  Value method = in.userMethod(self, in.name(name));
  if (!method)
    return in.m.pending() ? nullptr : in.m.notImplemented();
  return in.m.call(method, {other});
}

Value Machine::binary(BinaryOperator op, Value left, Value right, bool inPlace) {
  Internals &in = *internals;
  left = standIn(left);
  right = standIn(right);
  auto isPlain = [](Value value) {
    return value->cls->builtin && value->kind != Kind::Foreign && value->kind != Kind::Opaque;
  };
  bool plain = isPlain(left) && isPlain(right);
  if (!plain) {
    for (Value operand : {left, right})
      if (auto *foreign = llvm::dyn_cast<Foreign>(operand)) {
        if (inPlace)
          if (auto answer = foreign->library.binary(*this, op, left, right, true))
            return *answer;
        if (auto answer = foreign->library.binary(*this, op, left, right, false))
          return *answer;
      }
    for (Value operand : {left, right})
      if (auto *opaque = llvm::dyn_cast<OpaqueObject>(operand)) {
        if (op == BinaryOperator::BitOr)
          return operand; // `Opaque | None` in an annotation
        return in.useOpaque(*opaque, "an operand", " (an operand)");
      }
    OperatorNames names = namesOf(op);
    Value result = notImplementedValue;
    if (inPlace && (result = callOperator(in, left, names.inPlace, right)) != notImplementedValue)
      return result;
    // A subclass on the right that overrides the reflected operator goes first.
    bool rightFirst =
        left->cls != right->cls && right->cls->isSubclassOf(left->cls) &&
        right->cls->lookup(in.name(names.reflected)) != left->cls->lookup(in.name(names.reflected));
    if (rightFirst &&
        (result = callOperator(in, right, names.reflected, left)) != notImplementedValue)
      return result;
    if ((result = callOperator(in, left, names.plain, right)) != notImplementedValue)
      return result;
    if (!rightFirst && left->cls != right->cls &&
        (result = callOperator(in, right, names.reflected, left)) != notImplementedValue)
      return result;
  }
  Value result = inPlace ? nativeInPlace(in, op, left, right) : notImplementedValue;
  if (result == notImplementedValue)
    result = in.nativeBinary(op, left, right);
  if (result == notImplementedValue && !plain) {
    std::string reason = ("the operator " + python::spell(op)).str();
    Value known[] = {in.knownOf(left, reason), in.knownOf(right, reason)};
    if (!known[0] || !known[1])
      return nullptr;
    if (known[0] != left || known[1] != right)
      return binary(op, known[0], known[1], inPlace);
  }
  return result == notImplementedValue ? unsupported(in, op, left, right, inPlace) : result;
}

Value Internals::nativeUnary(UnaryOperator op, Value operand) {
  if (auto *integer = llvm::dyn_cast<IntObject>(operand)) {
    switch (op) {
    case UnaryOperator::UAdd:
      return operand->kind == Kind::Bool ? m.makeInt(integer->small) : operand;
    case UnaryOperator::USub:
      return integerBinary(*this, BinaryOperator::Sub, *m.makeInt(int64_t(0)), *integer);
    case UnaryOperator::Invert:
      return integerBinary(*this, BinaryOperator::Sub, *m.makeInt(int64_t(-1)), *integer);
    case UnaryOperator::Not:
      break;
    }
  }
  if (auto *number = llvm::dyn_cast<FloatObject>(operand)) {
    if (op == UnaryOperator::UAdd)
      return operand;
    if (op == UnaryOperator::USub)
      return m.makeFloat(-number->value);
  }
  if (auto *number = llvm::dyn_cast<ComplexObject>(operand)) {
    if (op == UnaryOperator::UAdd)
      return operand;
    if (op == UnaryOperator::USub)
      return m.makeComplex(-number->real, -number->imag);
  }
  return m.notImplemented();
}

Value Machine::unary(UnaryOperator op, Value operand) {
  Internals &in = *internals;
  if (auto *foreign = llvm::dyn_cast<Foreign>(operand))
    if (auto answer = foreign->library.unary(*this, op, operand))
      return *answer;
  if (op == UnaryOperator::Not) {
    Truth known = knownTruth(operand);
    return known == Truth::Failed ? nullptr : makeBool(known == Truth::False);
  }
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(operand))
    return in.useOpaque(*opaque, "an operand", " (an operand)");
  Name name = op == UnaryOperator::USub   ? in.n.neg
              : op == UnaryOperator::UAdd ? in.n.pos
                                          : in.n.invert;
  if (Value method = in.userMethod(operand, name))
    return call(method);
  if (pending())
    return nullptr;
  Value result = in.nativeUnary(op, operand);
  if (result != notImplementedValue)
    return result;
  Value known = in.knownOf(operand, ("the operator " + python::spell(op)).str());
  if (known != operand)
    return known ? unary(op, known) : nullptr;
  return in.typeError("bad operand type for unary " + python::spell(op) + ": '" +
                      typeName(operand) + "'");
}
