// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators: the methods of classes, what libraries say, and the machine's own types.
#include "python/machine/Integers.h"
#include "python/machine/NativeOperators.h"

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

static bool isTypeLike(Internals &in, Value value) {
  return value->kind == Kind::Class || value->kind == Kind::None ||
         value->cls == in.classes.genericAlias || value->cls == in.classes.typingSpecial;
}

/// `int | None`: a type for annotations and isinstance.
static Value unionOf(Internals &in, Value left, Value right) {
  auto *alias = in.m.make<InstanceObject>(in.classes.genericAlias);
  auto *args = in.m.makeTuple({left, right});
  in.attrsOf(alias)->set(in.n.typeArgs, args);
  alias->attrs->set(in.n.origin, in.m.none());
  auto text = [&](Value type) {
    auto *cls = llvm::dyn_cast<ClassObject>(type);
    return cls && !cls->module ? cls->name.str() : in.m.repr(type).value_or("?");
  };
  alias->payload = in.m.makeStr(text(left) + " | " + text(right));
  return alias;
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
  if (isRealNumber(left) && isRealNumber(right))
    return floatBinary(*this, op, left, right);
  if ((isRealNumber(left) || left->kind == Kind::Complex) &&
      (isRealNumber(right) || right->kind == Kind::Complex))
    return complexBinary(*this, op, left, right);
  if (op == BinaryOperator::Mod && left->kind == Kind::Str) {
    auto text = formatPercent(*llvm::cast<StrObject>(left), right, false);
    return text ? m.makeStr(*text) : nullptr;
  }
  if (op == BinaryOperator::Add && (isSequence(left) || isSequence(right)))
    return concatenate(*this, left, right);
  if (op == BinaryOperator::Mult && (isSequence(left) || isSequence(right)))
    return multiplySequence(*this, left, right);
  if (op == BinaryOperator::BitOr && left->kind == Kind::Dict && right->kind == Kind::Dict)
    return mergeDicts(*this, *llvm::cast<DictObject>(left), *llvm::cast<DictObject>(right));
  if (op == BinaryOperator::BitOr && isTypeLike(*this, left) && isTypeLike(*this, right))
    return unionOf(*this, left, right);
  if (isSetLike(*this, left) && isSetLike(*this, right))
    return setLikeBinary(*this, op, left, right);
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
