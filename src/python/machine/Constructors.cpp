// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __new__ of the built-in classes.
#include "python/machine/FloatText.h"
#include "python/machine/Integers.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

/// The answer of a library for int(x), float(x), ...: nullopt when `value` is not abstract.
static Answer askConvert(Internals &in, Value value, llvm::StringRef target) {
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(value)) {
    if (target == "bool" && in.m.spreadsOpaque)
      return in.m.makeBool(in.m.truth(value) == Truth::True);
    return in.useOpaque(*opaque, "converted", " (converted)");
  }
  auto *foreign = llvm::dyn_cast<Foreign>(value);
  return foreign ? foreign->library.convert(in.m, value, target) : std::nullopt;
}

static Value makeIntFrom(Internals &in, Value value, Value base) {
  Machine &m = in.m;
  if (base != m.none()) {
    auto *text = llvm::dyn_cast<StrObject>(value);
    auto radix = m.index(base);
    if (!text || !radix)
      return text ? nullptr
                  : Value(in.typeError("int() can't convert non-string with explicit base"));
    if (*radix != 0 && (*radix < 2 || *radix > 36))
      return m.raise("ValueError", "int() base must be >= 2 and <= 36, or 0");
    Value made = integerFromText(in, text->text, *radix);
    return made || m.pending()
               ? made
               : m.raise("ValueError", "invalid literal for int() with base " +
                                           llvm::Twine(*radix) + ": " + in.quote(*text));
  }
  if (auto answer = askConvert(in, value, "int"))
    return *answer;
  for (Name name : {in.n.toInt, in.n.index, in.n.trunc})
    if (Value method = in.userMethod(value, name))
      return m.call(method);
  if (m.pending())
    return nullptr;
  if (auto *integer = llvm::dyn_cast<IntObject>(value)) {
    if (value->cls == in.classes.intClass)
      return value;
    return integer->big ? m.makeInt(*integer->big) : m.makeInt(integer->small);
  }
  if (auto *number = llvm::dyn_cast<FloatObject>(value)) {
    if (std::isnan(number->value))
      return m.raise("ValueError", "cannot convert float NaN to integer");
    if (std::isinf(number->value))
      return m.raise("OverflowError", "cannot convert float infinity to integer");
    return integerFromDouble(m, std::trunc(number->value));
  }
  if (auto *text = llvm::dyn_cast<StrObject>(value)) {
    Value made = integerFromText(in, text->text, 10);
    return made || m.pending() ? made
                               : m.raise("ValueError", "invalid literal for int() with base 10: " +
                                                           in.quote(*text));
  }
  return in.typeError(
      "int() argument must be a string, a bytes-like object or a real number, not '" +
      m.typeName(value) + "'");
}

static Value makeFloatFrom(Internals &in, Value value) {
  Machine &m = in.m;
  if (auto answer = askConvert(in, value, "float"))
    return *answer;
  if (Value method = in.userMethod(value, in.n.toFloat))
    return m.call(method);
  if (m.pending())
    return nullptr;
  if (auto *number = llvm::dyn_cast<FloatObject>(value))
    return m.makeFloat(number->value);
  if (auto *integer = llvm::dyn_cast<IntObject>(value)) {
    auto number = integerToDouble(*integer);
    return number ? static_cast<Value>(m.makeFloat(*number))
                  : m.raise("OverflowError", "int too large to convert to float");
  }
  if (auto *text = llvm::dyn_cast<StrObject>(value)) {
    auto number = parseDouble(text->text);
    return number ? static_cast<Value>(m.makeFloat(*number))
                  : m.raise("ValueError", "could not convert string to float: " + in.quote(*text));
  }
  if (Value method = in.userMethod(value, in.n.index)) {
    Value integer = m.call(method);
    return integer ? makeFloatFrom(in, integer) : nullptr;
  }
  return in.typeError("float() argument must be a string or a real number, not '" +
                      m.typeName(value) + "'");
}

/// Gives a new built-in value the class that was called, which may be a subclass.
static Value withClass(Internals &in, Value made, Value cls) {
  auto *wanted = llvm::cast<ClassObject>(cls);
  if (!made || wanted->builtin || made->cls == wanted)
    return made;
  Object *copy = nullptr;
  Machine &m = in.m;
  switch (made->kind) {
  case Kind::Int: {
    auto *integer = llvm::cast<IntObject>(made);
    auto *fresh = m.make<IntObject>(Kind::Int, wanted, integer->small);
    fresh->big = integer->big;
    copy = fresh;
    break;
  }
  case Kind::Float:
    copy = m.make<FloatObject>(wanted, llvm::cast<FloatObject>(made)->value);
    break;
  case Kind::Str:
    copy = m.make<StrObject>(wanted, llvm::cast<StrObject>(made)->text,
                             llvm::cast<StrObject>(made)->length);
    break;
  case Kind::Tuple:
    copy = m.make<TupleObject>(wanted, llvm::cast<TupleObject>(made)->items);
    break;
  default:
    made->cls = wanted;
    return made;
  }
  return copy;
}

static Value makeType(Internals &in, llvm::ArrayRef<Value> args) {
  auto *name = llvm::dyn_cast<StrObject>(args[1]);
  auto *bases = llvm::dyn_cast<TupleObject>(args[2]);
  auto *dict = llvm::dyn_cast<DictObject>(args[3]);
  if (!name || !bases || !dict)
    return in.typeError("type() takes 1 or 3 arguments");
  auto *body = in.m.makeNamespace(nullptr);
  for (auto &entry : dict->table.entries)
    if (auto *key = llvm::dyn_cast_if_present<StrObject>(entry.key))
      body->set(in.m.intern(key->text), entry.value);
  ModuleObject *module = in.frame ? in.frame->module : in.builtinsModule;
  return in.buildClass(name->text, bases->items, body, {}, module, name->text);
}

static Value makeSetFrom(Internals &in, Value cls, Value iterable) {
  auto *made =
      in.m.make<SetObject>(llvm::cast<ClassObject>(cls),
                           llvm::cast<ClassObject>(cls)->isSubclassOf(in.classes.frozenset));
  auto items = in.m.items(iterable);
  if (!items)
    return nullptr;
  for (Value item : *items)
    if (!in.setInsert(*made, item))
      return nullptr;
  return made;
}

void Internals::setUpConstructors() {
  auto construct = [this](ClassObject *cls, llvm::StringRef signature, Machine::BoundFn fn) {
    auto *made =
        m.makeBuiltin(cls->name, signature, [this, fn](Machine &, llvm::ArrayRef<Value> args) {
          return withClass(*this, fn(m, args), args[0]);
        });
    cls->attrs->set(n.new_,
                    m.make<WrappedMethodObject>(Kind::StaticMethod, classes.staticMethod, made));
  };
  construct(classes.intClass, "(cls, x=0, /, base=None)",
            [this](Machine &m, llvm::ArrayRef<Value> a) { return makeIntFrom(*this, a[1], a[2]); });
  construct(classes.floatClass, "(cls, x=0, /)",
            [this](Machine &m, llvm::ArrayRef<Value> a) { return makeFloatFrom(*this, a[1]); });
  construct(classes.boolClass, "(cls, x=False, /)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              if (auto answer = askConvert(*this, a[1], "bool"))
                return *answer;
              Truth known = m.knownTruth(a[1]);
              return known == Truth::Failed ? nullptr : m.makeBool(known == Truth::True);
            });
  construct(classes.complexClass, "(cls, real=0, imag=0)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              if (a[1]->kind == Kind::Complex)
                return a[1];
              auto part = [&](Value value) {
                auto answer = askConvert(*this, value, "complex");
                return answer ? *answer : makeFloatFrom(*this, value);
              };
              Value parts[] = {part(a[1]), nullptr};
              parts[1] = parts[0] ? part(a[2]) : nullptr;
              if (!parts[1])
                return nullptr;
              double numbers[2];
              for (size_t place = 0; place < 2; ++place) {
                auto *number = llvm::dyn_cast<FloatObject>(parts[place]);
                if (!number)
                  return m.refuse("a complex number of what is not known is not supported", "");
                numbers[place] = number->value;
              }
              return m.makeComplex(numbers[0], numbers[1]);
            });
  construct(classes.str, "(cls, object='', encoding=None, errors=None)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              if (auto *data = llvm::dyn_cast<BytesObject>(a[1]); data && a[2] != m.none())
                return m.makeStr(data->data);
              auto text = m.str(a[1]);
              return text ? m.makeStr(*text) : nullptr;
            });
  construct(classes.bytes, "(cls, source=(), encoding=None, errors=None)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              if (auto *text = llvm::dyn_cast<StrObject>(a[1])) {
                if (a[2] == m.none())
                  return typeError("string argument without an encoding");
                return m.makeBytes(text->text);
              }
              if (auto *integer = llvm::dyn_cast<IntObject>(a[1])) {
                if (!checkItems(std::max<int64_t>(integer->small, 0)))
                  return nullptr;
                return m.makeBytes(std::string(std::max<int64_t>(integer->small, 0), '\0'));
              }
              auto items = m.items(a[1]);
              std::string out;
              if (!items)
                return nullptr;
              for (Value item : *items) {
                auto byte = m.index(item);
                if (!byte)
                  return nullptr;
                if (*byte < 0 || *byte > 255)
                  return m.raise("ValueError", "bytes must be in range(0, 256)");
                out += char(*byte);
              }
              return m.makeBytes(out);
            });
  construct(classes.tuple, "(cls, iterable=(), /)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              if (a[1]->cls == classes.tuple)
                return a[1];
              if (auto *foreign = llvm::dyn_cast<Foreign>(standIn(a[1])))
                if (auto answer = foreign->library.builtinCall(m, "tuple", CallArgs{{a[1]}, {}}))
                  return *answer;
              auto items = m.items(a[1]);
              return items ? m.makeTuple(*items) : nullptr;
            });
  // Lists and dicts are filled by __init__, so that subclasses can override it.
  for (ClassObject *cls : {classes.list, classes.dict, classes.set}) {
    auto *made = m.makeBuiltin("__new__", [this](Machine &m, const CallArgs &args) -> Value {
      auto *wanted = llvm::cast<ClassObject>(args.positional[0]);
      if (wanted->isSubclassOf(classes.list))
        return m.make<ListObject>(wanted);
      if (wanted->isSubclassOf(classes.dict))
        return m.make<DictObject>(wanted);
      return m.make<SetObject>(wanted, false);
    });
    cls->attrs->set(n.new_,
                    m.make<WrappedMethodObject>(Kind::StaticMethod, classes.staticMethod, made));
  }
  construct(classes.frozenset, "(cls, iterable=(), /)",
            [this](Machine &m, llvm::ArrayRef<Value> a) { return makeSetFrom(*this, a[0], a[1]); });
  auto *range = m.makeBuiltin("range", [this](Machine &m, const CallArgs &args) -> Value {
    auto given = args.positional.drop_front();
    if (auto answer = askBuiltin("range", CallArgs{given, args.keywords}))
      return *answer;
    if (given.empty())
      return typeError("range expected at least 1 argument, got 0");
    if (given.size() > 3)
      return typeError("range expected at most 3 arguments, got " + llvm::Twine(given.size()));
    int64_t bounds[3] = {0, 0, 1};
    for (size_t i = 0; i != given.size(); ++i) {
      if (auto *integer = llvm::dyn_cast<IntObject>(given[i]); integer && !integer->isSmall())
        return m.refuse("range() of integers beyond 64 bits is not supported");
      auto bound = m.index(given[i]);
      if (!bound)
        return nullptr;
      bounds[given.size() == 1 ? 1 : i] = *bound;
    }
    if (bounds[2] == 0)
      return m.raise("ValueError", "range() arg 3 must not be zero");
    return m.makeRange(bounds[0], bounds[1], bounds[2]);
  });
  classes.range->attrs->set(
      n.new_, m.make<WrappedMethodObject>(Kind::StaticMethod, classes.staticMethod, range));
  construct(classes.slice, "(cls, start, stop=..., step=None, /)",
            [](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              if (a[2] == m.ellipsis())
                return m.makeSlice(m.none(), a[1], m.none());
              return m.makeSlice(a[1], a[2], a[3]);
            });
  construct(classes.type, "(cls, name, bases=(), dict=None, /)",
            [this](Machine &m, llvm::ArrayRef<Value> a) { return makeType(*this, a); });
  construct(classes.super, "(cls, type, object, /)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              auto *start = llvm::dyn_cast<ClassObject>(a[1]);
              if (!start)
                return typeError("super() argument 1 must be a type, not " + m.typeName(a[1]));
              return m.make<SuperObject>(classes.super, start, a[2]);
            });
  construct(classes.property, "(cls, fget=None, fset=None, fdel=None, doc=None)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              auto *property = m.make<PropertyObject>(classes.property);
              property->getter = a[1];
              property->setter = a[2];
              property->deleter = a[3];
              return property;
            });
  static const std::pair<const char *, Value PropertyObject::*> parts[] = {
      {"getter", &PropertyObject::getter},
      {"setter", &PropertyObject::setter},
      {"deleter", &PropertyObject::deleter}};
  for (auto [name, slot] : parts) {
    Value PropertyObject::*part = slot;
    m.addBuiltin(classes.property, name, "(self, function, /)",
                 [this, part](Machine &m, llvm::ArrayRef<Value> a) -> Value {
                   auto *copy = m.make<PropertyObject>(classes.property);
                   auto *old = llvm::cast<PropertyObject>(a[0]);
                   copy->getter = old->getter;
                   copy->setter = old->setter;
                   copy->deleter = old->deleter;
                   copy->*part = a[1];
                   return copy;
                 });
  }
  construct(classes.staticMethod, "(cls, function, /)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              return m.make<WrappedMethodObject>(Kind::StaticMethod, classes.staticMethod, a[1]);
            });
  construct(classes.classMethod, "(cls, function, /)",
            [this](Machine &m, llvm::ArrayRef<Value> a) -> Value {
              return m.make<WrappedMethodObject>(Kind::ClassMethod, classes.classMethod, a[1]);
            });
}

void Internals::setUpNumberMethods() {
  auto self = [](llvm::ArrayRef<Value> args) { return llvm::cast<IntObject>(args[0]); };
  m.addBuiltin(classes.intClass, "bit_length", "(self, /)",
               [self](Machine &m, llvm::ArrayRef<Value> a) -> Value {
                 return m.makeInt(int64_t(bitLength(*self(a))));
               });
  m.addBuiltin(classes.intClass, "bit_count", "(self, /)",
               [self](Machine &m, llvm::ArrayRef<Value> a) -> Value {
                 return m.makeInt(int64_t(self(a)->wide().abs().popcount()));
               });
  m.addBuiltin(classes.intClass, "conjugate", "(self, /)",
               [](Machine &, llvm::ArrayRef<Value> a) { return a[0]; });
  m.addBuiltin(classes.floatClass, "is_integer", "(self, /)",
               [](Machine &m, llvm::ArrayRef<Value> a) -> Value {
                 double value = llvm::cast<FloatObject>(a[0])->value;
                 return m.makeBool(std::isfinite(value) && std::floor(value) == value);
               });
  m.addBuiltin(classes.floatClass, "hex", "(self, /)",
               [](Machine &m, llvm::ArrayRef<Value> a) -> Value {
                 return m.refuse("float.hex() is not supported");
               });
  m.addBuiltin(classes.complexClass, "conjugate", "(self, /)",
               [](Machine &m, llvm::ArrayRef<Value> a) -> Value {
                 auto *number = llvm::cast<ComplexObject>(a[0]);
                 return m.makeComplex(number->real, -number->imag);
               });
  // The operators as methods, for super().__add__(x) and the like.
  static const std::pair<const char *, BinaryOperator> operators[] = {
      {"add", BinaryOperator::Add},       {"sub", BinaryOperator::Sub},
      {"mul", BinaryOperator::Mult},      {"truediv", BinaryOperator::Div},
      {"mod", BinaryOperator::Mod},       {"pow", BinaryOperator::Pow},
      {"lshift", BinaryOperator::LShift}, {"rshift", BinaryOperator::RShift},
      {"or", BinaryOperator::BitOr},      {"xor", BinaryOperator::BitXor},
      {"and", BinaryOperator::BitAnd},    {"floordiv", BinaryOperator::FloorDiv}};
  for (ClassObject *cls : {classes.intClass, classes.floatClass})
    for (auto [name, op] : operators) {
      BinaryOperator wanted = op;
      m.addBuiltin(cls, (llvm::Twine("__") + name + "__").str(), "(self, other, /)",
                   [this, wanted](Machine &m, llvm::ArrayRef<Value> a) {
                     return nativeBinary(wanted, a[0], a[1]);
                   });
      m.addBuiltin(cls, (llvm::Twine("__r") + name + "__").str(), "(self, other, /)",
                   [this, wanted](Machine &m, llvm::ArrayRef<Value> a) {
                     return nativeBinary(wanted, a[1], a[0]);
                   });
    }
  for (ClassObject *cls : {classes.str, classes.list, classes.tuple})
    for (auto [name, op] :
         {std::pair("__add__", BinaryOperator::Add), std::pair("__mul__", BinaryOperator::Mult)}) {
      BinaryOperator wanted = op;
      m.addBuiltin(cls, name, "(self, other, /)",
                   [this, wanted](Machine &m, llvm::ArrayRef<Value> a) {
                     return nativeBinary(wanted, a[0], a[1]);
                   });
    }
}
