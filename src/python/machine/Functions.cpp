// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the module `builtins`.
#include "python/machine/FloatText.h"
#include "python/machine/Integers.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

using Args = llvm::ArrayRef<Value>;

Answer Internals::askBuiltin(llvm::StringRef name, const CallArgs &args) {
  auto ask = [&](Value value) -> Answer {
    auto *foreign = llvm::dyn_cast<Foreign>(standIn(value));
    return foreign ? foreign->library.builtinCall(m, name, args) : std::nullopt;
  };
  for (Value value : args.positional) {
    if (auto answer = ask(value))
      return answer;
    // max([a, b]) and sum(list): the items count as arguments.
    auto *list = llvm::dyn_cast<ListObject>(value);
    auto *tuple = llvm::dyn_cast<TupleObject>(value);
    auto items = list    ? llvm::ArrayRef(list->items)
                 : tuple ? tuple->items
                         : llvm::ArrayRef<Value>();
    for (Value item : items)
      if (item->kind == Kind::Foreign)
        if (auto answer = ask(item))
          return answer;
  }
  return std::nullopt;
}

std::optional<llvm::SmallVector<Value>> Internals::knownArguments(llvm::StringRef name, Args args) {
  llvm::SmallVector<Value> known(args);
  std::string reason = (name + "()").str();
  for (Value &value : known) {
    if (auto *several = llvm::dyn_cast<TupleObject>(value)) {
      auto items = knownArguments(name, several->items);
      if (!items)
        return std::nullopt;
      value = m.makeTuple(*items);
      continue;
    }
    if (!(value = knownOf(value, reason)))
      return std::nullopt;
    if (llvm::isa<Foreign>(value)) {
      m.refuse("'" + name + "' of a value that is known only at run time is not supported");
      return std::nullopt;
    }
  }
  return known;
}

std::optional<bool> Machine::isInstance(Value object, Value cls) {
  Internals &in = *internals;
  if (auto *tuple = llvm::dyn_cast<TupleObject>(cls)) {
    for (Value item : tuple->items) {
      auto one = isInstance(object, item);
      if (!one || *one)
        return one;
    }
    return false;
  }
  for (Value side : {object, cls})
    if (Library *library = in.libraryOf(side))
      if (auto answer = library->isInstance(*this, object, cls))
        return answer;
  if (auto *wanted = llvm::dyn_cast<ClassObject>(cls)) {
    if (Value hook = in.userMethod(wanted, in.n.instancecheck)) {
      Value result = call(hook, {object});
      Truth known = result ? knownTruth(result) : Truth::Failed;
      return known == Truth::Failed ? std::nullopt : std::optional(known == Truth::True);
    }
    if (pending())
      return std::nullopt;
    if (object->kind == Kind::Opaque && spreadsOpaque)
      return wanted == builtins->object;
    if (object->kind == Kind::Opaque && wanted != builtins->object) {
      in.refuseOpaque(*llvm::cast<OpaqueObject>(object), "examined");
      return std::nullopt;
    }
    return object->cls->isSubclassOf(wanted);
  }
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(cls)) {
    // What is known was made by no library that nothing is known of.
    if (object->kind != Kind::Opaque || spreadsOpaque)
      return false;
    in.refuseOpaque(*opaque, "used in isinstance()");
    return std::nullopt;
  }
  if (TupleObject *alternatives = in.unionArguments(cls)) {
    for (Value item : alternatives->items) {
      auto one = isInstance(object, item == noneValue ? builtins->noneType : item);
      if (!one || *one)
        return one;
    }
    return false;
  }
  // typing.List, typing.Callable: by what they stand for.
  if (cls->attrs)
    if (Value origin = cls->attrs->get(in.n.origin); origin && origin != cls)
      return isInstance(object, origin);
  in.typeError("isinstance() arg 2 must be a type, a tuple of types, or a union");
  return std::nullopt;
}

/// What a class such as List[int] or typing.Sequence stands for.
static Value originOf(Internals &in, Value value) {
  Value origin =
      value->attrs && value->kind == Kind::Instance ? value->attrs->get(in.n.origin) : nullptr;
  return origin && origin != value && origin != in.m.none() ? origin : nullptr;
}

static std::optional<bool> isSubclass(Internals &in, Value cls, Value of) {
  if (Value origin = originOf(in, of))
    return isSubclass(in, cls, origin);
  if (of->kind == Kind::Opaque && cls->kind == Kind::Class)
    return false;
  if (auto *tuple = llvm::dyn_cast<TupleObject>(of)) {
    for (Value item : tuple->items) {
      auto one = isSubclass(in, cls, item);
      if (!one || *one)
        return one;
    }
    return false;
  }
  auto *left = llvm::dyn_cast<ClassObject>(cls), *right = llvm::dyn_cast<ClassObject>(of);
  Name hookName = in.m.intern("__subclasscheck__");
  if (Value hook = left && right ? in.userMethod(right, hookName) : nullptr) {
    Value result = in.m.call(hook, {left});
    Truth known = result ? in.m.knownTruth(result) : Truth::Failed;
    return known == Truth::Failed ? std::nullopt : std::optional(known == Truth::True);
  }
  if (in.m.pending())
    return std::nullopt;
  if (left && right)
    return left->isSubclassOf(right);
  in.typeError(left ? "issubclass() arg 2 must be a class, a tuple of classes, or a union"
                    : "issubclass() arg 1 must be a class");
  return std::nullopt;
}

static Value extremum(Internals &in, const CallArgs &args, bool wantMax) {
  Machine &m = in.m;
  llvm::StringRef name = wantMax ? "max" : "min";
  if (auto answer = in.askBuiltin(name, args))
    return *answer;
  if (args.positional.empty())
    return in.typeError(name + " expected at least 1 argument, got 0");
  Value key = args.keyword("key"), byDefault = args.keyword("default");
  std::vector<Value> items = args.positional.vec();
  if (args.positional.size() == 1) {
    auto all = m.items(args.positional[0]);
    if (!all)
      return nullptr;
    items = std::move(*all);
    if (items.empty())
      return byDefault ? byDefault : m.raise("ValueError", name + "() arg is an empty sequence");
  }
  Value best = nullptr, bestKey = nullptr;
  for (Value item : items) {
    Value by = key && key != m.none() ? m.call(key, {item}) : item;
    if (!by || !m.step())
      return nullptr;
    if (best) {
      Value better = m.compare(wantMax ? CompareOperator::Gt : CompareOperator::Lt, by, bestKey);
      Truth known = better ? m.knownTruth(better) : Truth::Failed;
      if (known == Truth::Failed)
        return nullptr;
      if (known == Truth::False)
        continue;
    }
    best = item;
    bestKey = by;
  }
  return best;
}

static Value sumOf(Internals &in, Value iterable, Value start) {
  Value total = start;
  if (start->kind == Kind::Str)
    return in.typeError("sum() can't sum strings [use ''.join(seq) instead]");
  Value iterator = in.m.iterator(iterable);
  while (Value item = iterator ? in.m.next(iterator) : nullptr)
    if (!(total = in.m.binary(BinaryOperator::Add, total, item)))
      return nullptr;
  return in.m.pending() ? nullptr : total;
}

static Value anyOrAll(Internals &in, Value iterable, bool any) {
  Value iterator = in.m.iterator(iterable);
  while (Value item = iterator ? in.m.next(iterator) : nullptr) {
    Truth known = in.m.step() ? in.m.knownTruth(item) : Truth::Failed;
    if (known == Truth::Failed)
      return nullptr;
    if ((known == Truth::True) == any)
      return in.m.makeBool(any);
  }
  return in.m.pending() ? nullptr : in.m.makeBool(!any);
}

static Value roundTo(Internals &in, Value value, Value digits) {
  Machine &m = in.m;
  if (Value method = in.userMethod(value, in.n.round))
    return digits == m.none() ? m.call(method) : m.call(method, {digits});
  if (m.pending())
    return nullptr;
  if (auto *integer = llvm::dyn_cast<IntObject>(value)) {
    if (digits == m.none())
      return m.unary(UnaryOperator::UAdd, integer);
    auto places = m.index(digits);
    if (!places || *places >= 0)
      return places ? m.unary(UnaryOperator::UAdd, integer) : nullptr;
    // To even, in integers.
    Value unit = m.binary(BinaryOperator::Pow, m.makeInt(int64_t(10)), m.makeInt(-*places));
    Value remainder = unit ? m.binary(BinaryOperator::Mod, value, unit) : nullptr;
    Value low = remainder ? m.binary(BinaryOperator::Sub, value, remainder) : nullptr;
    if (!low)
      return nullptr;
    Value twice = m.binary(BinaryOperator::Add, remainder, remainder);
    int order = compareIntegers(*llvm::cast<IntObject>(twice), *llvm::cast<IntObject>(unit));
    Value quotient = m.binary(BinaryOperator::FloorDiv, low, unit);
    bool odd =
        m.truth(m.binary(BinaryOperator::BitAnd, quotient, m.makeInt(int64_t(1)))) == Truth::True;
    return order > 0 || (order == 0 && odd) ? m.binary(BinaryOperator::Add, low, unit) : low;
  }
  auto *number = llvm::dyn_cast<FloatObject>(value);
  if (!number)
    return in.typeError("type " + m.typeName(value) + " doesn't define __round__ method");
  if (digits == m.none()) {
    if (std::isnan(number->value))
      return m.raise("ValueError", "cannot convert float NaN to integer");
    if (std::isinf(number->value))
      return m.raise("OverflowError", "cannot convert float infinity to integer");
    return integerFromDouble(m, std::nearbyint(number->value));
  }
  auto places = m.index(digits);
  if (!places)
    return nullptr;
  if (!std::isfinite(number->value) || *places > 323)
    return value;
  if (*places >= 0) // correctly rounded text, read back
    return m.makeFloat(*parseDouble(formatDouble(number->value, 'f', *places, false)));
  if (*places < -308)
    return m.makeFloat(std::copysign(0.0, number->value));
  double unit = std::pow(10.0, double(-*places));
  return m.makeFloat(std::nearbyint(number->value / unit) * unit);
}

static Value divmodOf(Internals &in, Value left, Value right) {
  if (Value method = in.userMethod(left, in.n.divmod))
    return in.m.call(method, {right});
  if (in.m.pending())
    return nullptr;
  Value quotient = in.m.binary(BinaryOperator::FloorDiv, left, right);
  Value remainder = quotient ? in.m.binary(BinaryOperator::Mod, left, right) : nullptr;
  return remainder ? in.m.makeTuple({quotient, remainder}) : nullptr;
}

static Value powerOf(Internals &in, Value base, Value exponent, Value modulus) {
  if (modulus == in.m.none())
    return in.m.binary(BinaryOperator::Pow, base, exponent);
  auto *a = llvm::dyn_cast<IntObject>(base), *b = llvm::dyn_cast<IntObject>(exponent),
       *c = llvm::dyn_cast<IntObject>(modulus);
  if (!a || !b || !c)
    return in.typeError("pow() 3rd argument not allowed unless all arguments are integers");
  return integerPowerModulo(in, *a, *b, *c);
}

static Value absolute(Internals &in, Value value) {
  if (Value method = in.userMethod(value, in.n.abs))
    return in.m.call(method);
  if (in.m.pending())
    return nullptr;
  if (auto *integer = llvm::dyn_cast<IntObject>(value))
    return in.m.unary(isNegative(*integer) ? UnaryOperator::USub : UnaryOperator::UAdd, value);
  if (auto *number = llvm::dyn_cast<FloatObject>(value))
    return in.m.makeFloat(std::abs(number->value));
  if (auto *number = llvm::dyn_cast<ComplexObject>(value))
    return in.m.makeFloat(std::hypot(number->real, number->imag));
  return in.typeError("bad operand type for abs(): '" + in.m.typeName(value) + "'");
}

static Value dirOf(Internals &in, Value object) {
  std::vector<std::string> names;
  auto add = [&](Namespace *attrs) {
    for (auto &slot : attrs->slots)
      if (slot.value && !llvm::is_contained(names, slot.name->text.str()))
        names.push_back(slot.name->text.str());
  };
  if (object->attrs)
    add(object->attrs);
  auto *cls = llvm::dyn_cast<ClassObject>(object);
  for (ClassObject *base : (cls ? cls : object->cls)->mro)
    add(base->attrs);
  llvm::sort(names);
  auto *list = in.m.makeList();
  for (auto &name : names)
    list->items.push_back(in.m.makeStr(name));
  return list;
}

static std::optional<Name> nameArgument(Internals &in, Value value, llvm::StringRef function) {
  if (auto *text = llvm::dyn_cast<StrObject>(value))
    return in.m.intern(text->text);
  in.typeError(function + ": attribute name must be string");
  return std::nullopt;
}

static void addAttributeFunctions(Internals &in) {
  Machine &m = in.m;
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    m.addBuiltin(in.builtinsModule, name, signature,
                 [&in, fn](Machine &, Args a) -> Value { return fn(in, a); });
  };
  add("getattr", "(object, name, default=..., /)", [](Internals &in, Args a) -> Value {
    auto name = nameArgument(in, a[1], "getattr()");
    if (!name)
      return nullptr;
    if (a[2] == in.m.ellipsis())
      return in.m.getAttribute(a[0], *name);
    Value value = in.m.findAttribute(a[0], *name);
    if (value || in.m.pending())
      return value;
    in.noteAbsent(a[0], *name);
    return a[2];
  });
  add("hasattr", "(object, name, /)", [](Internals &in, Args a) -> Value {
    auto name = nameArgument(in, a[1], "hasattr()");
    auto has = name ? in.hasAttribute(a[0], *name) : std::nullopt;
    if (has && !*has)
      in.noteAbsent(a[0], *name);
    return has ? in.m.makeBool(*has) : nullptr;
  });
  add("setattr", "(object, name, value, /)", [](Internals &in, Args a) -> Value {
    auto name = nameArgument(in, a[1], "setattr()");
    return name && in.m.setAttribute(a[0], *name, a[2]) ? in.m.none() : nullptr;
  });
  add("delattr", "(object, name, /)", [](Internals &in, Args a) -> Value {
    auto name = nameArgument(in, a[1], "delattr()");
    return name && in.m.delAttribute(a[0], *name) ? in.m.none() : nullptr;
  });
  add("isinstance", "(object, classinfo, /)", [](Internals &in, Args a) -> Value {
    auto is = in.m.isInstance(a[0], a[1]);
    return is ? in.m.makeBool(*is) : nullptr;
  });
  add("issubclass", "(cls, classinfo, /)", [](Internals &in, Args a) -> Value {
    auto is = isSubclass(in, a[0], a[1]);
    return is ? in.m.makeBool(*is) : nullptr;
  });
  add("callable", "(object, /)", [](Internals &in, Args a) -> Value {
    switch (a[0]->kind) {
    case Kind::Function:
    case Kind::Builtin:
    case Kind::BoundMethod:
    case Kind::Class:
    case Kind::StaticMethod:
      return in.m.makeBool(true);
    case Kind::Opaque:
      // What host code calls may be called.
      if (in.m.spreadsOpaque)
        return in.m.makeBool(true);
      [[fallthrough]];
    default:
      return in.m.makeBool(!a[0]->cls->builtin && a[0]->cls->lookup(in.n.call));
    }
  });
  add("vars", "(object, /)",
      [](Internals &in, Args a) -> Value { return in.m.getAttribute(a[0], in.n.dict); });
  add("dir", "(object, /)", [](Internals &in, Args a) { return dirOf(in, a[0]); });
}

static void addNumberFunctions(Internals &in) {
  Machine &m = in.m;
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    std::string asked = name.str();
    m.addBuiltin(in.builtinsModule, name, signature, [&in, fn, asked](Machine &, Args a) -> Value {
      if (auto answer = in.askBuiltin(asked, CallArgs{a, {}}))
        return *answer;
      llvm::StringRef name = asked;
      bool needsNumbers = name == "round" || name == "bin" || name == "oct" || name == "hex" ||
                          (name == "pow" && a[2] != in.m.none());
      auto known = needsNumbers ? in.knownArguments(name, a) : llvm::SmallVector<Value>(a);
      return known ? fn(in, *known) : nullptr;
    });
  };
  add("abs", "(x, /)", [](Internals &in, Args a) { return absolute(in, a[0]); });
  add("round", "(number, ndigits=None)",
      [](Internals &in, Args a) { return roundTo(in, a[0], a[1]); });
  add("divmod", "(x, y, /)", [](Internals &in, Args a) { return divmodOf(in, a[0], a[1]); });
  add("pow", "(base, exp, mod=None)",
      [](Internals &in, Args a) { return powerOf(in, a[0], a[1], a[2]); });
  add("sum", "(iterable, /, start=0)", [](Internals &in, Args a) { return sumOf(in, a[0], a[1]); });
  add("any", "(iterable, /)", [](Internals &in, Args a) { return anyOrAll(in, a[0], true); });
  add("all", "(iterable, /)", [](Internals &in, Args a) { return anyOrAll(in, a[0], false); });
  for (auto [name, radix, prefix] :
       {std::tuple("bin", 2u, "0b"), std::tuple("oct", 8u, "0o"), std::tuple("hex", 16u, "0x")}) {
    unsigned of = radix;
    std::string mark = prefix;
    add(name, "(number, /)", [of, mark](Internals &in, Args a) -> Value {
      auto *integer = llvm::dyn_cast<IntObject>(a[0]);
      if (!integer)
        return in.typeError("'" + in.m.typeName(a[0]) +
                            "' object cannot be interpreted as an integer");
      auto text = integerToText(in, *integer, of);
      if (!text)
        return nullptr;
      bool negative = isNegative(*integer);
      return in.m.makeStr((negative ? "-" : "") + mark + text->substr(negative));
    });
  }
  for (bool wantMax : {false, true}) {
    Internals *self = &in;
    llvm::StringRef name = wantMax ? "max" : "min";
    in.builtinsModule->attrs->set(
        m.intern(name), m.makeBuiltin(name, [self, wantMax](Machine &, const CallArgs &args) {
          return extremum(*self, args, wantMax);
        }));
  }
}

static void addTextFunctions(Internals &in) {
  Machine &m = in.m;
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    m.addBuiltin(in.builtinsModule, name, signature,
                 [&in, fn](Machine &, Args a) -> Value { return fn(in, a); });
  };
  add("repr", "(object, /)", [](Internals &in, Args a) -> Value {
    auto text = in.m.repr(a[0]);
    return text ? in.m.makeStr(*text) : nullptr;
  });
  add("ascii", "(object, /)", [](Internals &in, Args a) -> Value {
    auto text = in.m.repr(a[0]);
    if (!text)
      return nullptr;
    std::string out;
    for (size_t at = 0; at < text->size();) {
      size_t begin = at;
      uint32_t code = decodeCodePoint(*text, at);
      std::string one = text->substr(begin, at - begin);
      if (code >= 0x80) {
        one = quoteText(one, true);
        one = one.substr(1, one.size() - 2);
      }
      out += one;
    }
    return in.m.makeStr(out);
  });
  add("format", "(value, format_spec='', /)", [](Internals &in, Args a) -> Value {
    auto *spec = llvm::dyn_cast<StrObject>(a[1]);
    if (!spec)
      return in.typeError("format() argument 2 must be str, not " + in.m.typeName(a[1]));
    auto text = in.m.format(a[0], spec->text);
    return text ? in.m.makeStr(*text) : nullptr;
  });
  add("chr", "(i, /)", [](Internals &in, Args a) -> Value {
    auto code = in.m.index(a[0]);
    if (!code)
      return nullptr;
    if (*code < 0 || *code > 0x10FFFF)
      return in.m.raise("ValueError", "chr() arg not in range(0x110000)");
    std::string out;
    encodeCodePoint(*code, out);
    return in.m.makeStr(out);
  });
  add("ord", "(c, /)", [](Internals &in, Args a) -> Value {
    size_t at = 0;
    auto *text = llvm::dyn_cast<StrObject>(a[0]);
    if (!text)
      return in.typeError("ord() expected string of length 1, but " + in.m.typeName(a[0]) +
                          " found");
    if (text->length != 1)
      return in.typeError("ord() expected a character, but string of length " +
                          llvm::Twine(text->length) + " found");
    return in.m.makeInt(int64_t(decodeCodePoint(text->text, at)));
  });
  add("len", "(obj, /)", [](Internals &in, Args a) -> Value {
    Value object = standIn(a[0]);
    if (auto *foreign = llvm::dyn_cast<Foreign>(object))
      if (auto answer = foreign->library.length(in.m, object))
        return *answer; // which may be abstract itself
    auto size = in.m.length(a[0]);
    return size ? in.m.makeInt(*size) : nullptr;
  });
  add("hash", "(obj, /)", [](Internals &in, Args a) -> Value {
    auto hash = in.m.hash(a[0]);
    return hash ? in.m.makeInt(int64_t(*hash)) : nullptr;
  });
  add("print", "(*values, sep=' ', end='\n', file=None, flush=False)",
      [](Internals &in, Args a) -> Value {
        if (!in.m.onPrint)
          return in.m.none();
        std::string line;
        auto separator = a[1] == in.m.none() ? " " : in.m.str(a[1]);
        for (auto [i, value] : llvm::enumerate(llvm::cast<TupleObject>(a[0])->items)) {
          auto text = in.m.str(value);
          if (!text || !separator)
            return nullptr;
          line += (i ? *separator : "") + *text;
        }
        auto end = a[2] == in.m.none() ? "\n" : in.m.str(a[2]);
        in.m.onPrint(line + end.value_or(""));
        return in.m.none();
      });
}

void Internals::setUpFunctions() {
  addAttributeFunctions(*this);
  addNumberFunctions(*this);
  addTextFunctions(*this);
  // What would reach outside the program, or run text, is refused by name.
  for (const char *name :
       {"open", "exec", "eval", "compile", "__import__", "input", "breakpoint", "bytearray", "exit",
        "quit", "help", "globals", "locals", "id", "memoryview"}) {
    std::string function = name;
    builtinsModule->attrs->set(
        m.intern(name), m.makeBuiltin(name, [function](Machine &m, const CallArgs &) -> Value {
          return m.refuse(function + "() is not available: a program is read without side effects",
                          "remove the call, or compute the value without it");
        }));
  }
}
