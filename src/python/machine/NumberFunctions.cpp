// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the module `builtins` about numbers and of many values: `abs`, `round`, `sum`,
// `max`.
#include "python/machine/FloatText.h"
#include "python/machine/Integers.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

using Args = llvm::ArrayRef<Value>;

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
  // Of the items whose truth a library leaves open, in one truth value.
  Value open = nullptr;
  while (Value item = iterator ? in.m.next(iterator) : nullptr) {
    Truth known = in.m.step() ? in.m.truth(item) : Truth::Failed;
    auto *foreign = llvm::dyn_cast<Foreign>(standIn(item));
    Answer truth = known == Truth::Unknown && foreign
                       ? foreign->library.convert(in.m, foreign, "bool")
                       : std::nullopt;
    if (truth && !*truth)
      return nullptr;
    known = truth ? in.m.truth(*truth) : known == Truth::Unknown ? in.m.knownTruth(item) : known;
    if (known == Truth::Failed)
      return nullptr;
    if (known == Truth::Unknown) {
      auto op = any ? BinaryOperator::BitOr : BinaryOperator::BitAnd;
      open = open ? in.m.binary(op, open, *truth) : *truth;
      if (!open)
        return nullptr;
    } else if ((known == Truth::True) == any) {
      return in.m.makeBool(any);
    }
  }
  return in.m.pending() ? nullptr : open ? open : in.m.makeBool(!any);
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

void Internals::setUpNumberFunctions() {
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    std::string asked = name.str();
    m.addBuiltin(builtinsModule, name, signature, [this, fn, asked](Machine &, Args a) -> Value {
      if (auto answer = askBuiltin(asked, CallArgs{a, {}}))
        return *answer;
      llvm::StringRef name = asked;
      bool needsNumbers = name == "round" || name == "bin" || name == "oct" || name == "hex" ||
                          (name == "pow" && a[2] != m.none());
      auto known = needsNumbers ? knownArguments(name, a) : llvm::SmallVector<Value>(a);
      return known ? fn(*this, *known) : nullptr;
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
    llvm::StringRef name = wantMax ? "max" : "min";
    builtinsModule->attrs->set(
        m.intern(name), m.makeBuiltin(name, [this, wantMax](Machine &, const CallArgs &args) {
          return extremum(*this, args, wantMax);
        }));
  }
}
