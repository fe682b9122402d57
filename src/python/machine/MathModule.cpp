// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module `math`.
#include "python/machine/Integers.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

using Args = llvm::ArrayRef<Value>;

static std::optional<double> number(Internals &in, Value value) {
  if (auto *real = llvm::dyn_cast<FloatObject>(value))
    return real->value;
  if (auto *integer = llvm::dyn_cast<IntObject>(value)) {
    auto converted = integerToDouble(*integer);
    if (!converted)
      in.m.raise("OverflowError", "int too large to convert to float");
    return converted;
  }
  if (in.userMethod(value, in.n.toFloat) || in.userMethod(value, in.n.index)) {
    Value converted = in.m.call(in.classes.floatClass, {value});
    auto *real = llvm::dyn_cast_if_present<FloatObject>(converted);
    return real ? std::optional(real->value) : std::nullopt;
  }
  if (!in.m.pending())
    in.typeError("must be real number, not " + in.m.typeName(value));
  return std::nullopt;
}

static IntObject *integer(Internals &in, Value value) {
  if (auto *given = llvm::dyn_cast<IntObject>(value))
    return given;
  auto index = in.m.index(value);
  return index ? in.m.makeInt(*index) : nullptr;
}

static Value checked(Internals &in, double result, llvm::ArrayRef<double> inputs) {
  bool finite = llvm::all_of(inputs, [](double x) { return std::isfinite(x); });
  bool nanInput = llvm::any_of(inputs, [](double x) { return std::isnan(x); });
  if (std::isnan(result) && !nanInput)
    return in.m.raise("ValueError", "math domain error");
  if (std::isinf(result) && finite)
    return in.m.raise("OverflowError", "math range error");
  return in.m.makeFloat(result);
}

/// log of an integer of any size, or of a float.
static Value logarithm(Internals &in, Value value, double (*log)(double), double ofTwo) {
  if (auto *wide = llvm::dyn_cast<IntObject>(value);
      wide && !wide->isSmall() && !isNegative(*wide)) {
    uint64_t bits = bitLength(*wide);
    llvm::APInt top = wide->big->lshr(bits - 64).trunc(64);
    double mantissa = double(top.getZExtValue());
    return in.m.makeFloat(log(mantissa) + double(bits - 64) * ofTwo);
  }
  auto x = number(in, value);
  if (!x)
    return nullptr;
  if (*x <= 0)
    return in.m.raise("ValueError", "math domain error");
  return in.m.makeFloat(log(*x));
}

static Value toInteger(Internals &in, Value value, Name method, double (*round)(double)) {
  if (Value user = in.userMethod(value, method))
    return in.m.call(user);
  if (llvm::isa<IntObject>(value))
    return in.m.unary(UnaryOperator::UAdd, value);
  auto x = number(in, value);
  if (!x)
    return nullptr;
  return in.m.call(in.classes.intClass, {in.m.makeFloat(round(*x))});
}

static Value gcdOf(Internals &in, Args values, bool least) {
  Value result = in.m.makeInt(int64_t(least));
  for (Value value : values) {
    IntObject *next = integer(in, value);
    if (!next)
      return nullptr;
    Value a = in.m.call(in.m.builtin("abs"), {result}), b = in.m.call(in.m.builtin("abs"), {next});
    Value product = least ? in.m.binary(BinaryOperator::Mult, a, b) : nullptr;
    while (b && !isZero(*llvm::cast<IntObject>(b))) {
      Value rest = in.m.step() ? in.m.binary(BinaryOperator::Mod, a, b) : nullptr;
      a = b;
      b = rest;
    }
    if (!b)
      return nullptr;
    result = a;
    if (least)
      result =
          isZero(*llvm::cast<IntObject>(a)) ? a : in.m.binary(BinaryOperator::FloorDiv, product, a);
    if (!result)
      return nullptr;
  }
  return result;
}

static Value integerRoot(Internals &in, Value value) {
  IntObject *given = integer(in, value);
  if (!given)
    return nullptr;
  if (isNegative(*given))
    return in.m.raise("ValueError", "isqrt() argument must be nonnegative");
  llvm::APInt wide = given->wide();
  if (!in.charge(uint64_t(wide.getBitWidth()) * wide.getBitWidth() / 4096))
    return nullptr;
  llvm::APInt root(wide.getBitWidth(), 0);
  for (int bit = int(wide.getActiveBits() + 1) / 2; bit >= 0; --bit) {
    llvm::APInt candidate = root;
    candidate.setBit(bit);
    llvm::APInt square = candidate.zext(2 * wide.getBitWidth());
    square *= square;
    if (square.ule(wide.zext(2 * wide.getBitWidth())))
      root = candidate;
  }
  return in.m.makeInt(root.zext(wide.getBitWidth() + 1));
}

static Value productRange(Internals &in, int64_t from, int64_t to) {
  Value result = in.m.makeInt(int64_t(1));
  for (int64_t i = from; result && i <= to; ++i)
    result = in.m.step() ? in.m.binary(BinaryOperator::Mult, result, in.m.makeInt(i)) : nullptr;
  return result;
}

static Value combinations(Internals &in, Value n, Value k, bool ordered) {
  auto total = in.m.index(n), chosen = k == in.m.none() ? total : in.m.index(k);
  if (!total || !chosen)
    return nullptr;
  if (*total < 0 || *chosen < 0)
    return in.m.raise("ValueError", *total < 0 ? "n must be a non-negative integer"
                                               : "k must be a non-negative integer");
  if (*chosen > *total)
    return in.m.makeInt(int64_t(0));
  Value above = productRange(in, *total - *chosen + 1, *total);
  if (ordered || !above)
    return above;
  Value below = productRange(in, 1, *chosen);
  return below ? in.m.binary(BinaryOperator::FloorDiv, above, below) : nullptr;
}

static bool isClose(double a, double b, double relative, double absolute) {
  if (a == b)
    return true;
  if (std::isinf(a) || std::isinf(b))
    return false;
  double difference = std::abs(a - b);
  return difference <= std::abs(relative * b) || difference <= std::abs(relative * a) ||
         difference <= absolute;
}

/// A sum without rounding errors of its own (Shewchuk's partial sums).
static Value exactSum(Internals &in, Value iterable) {
  auto items = in.m.items(iterable);
  std::vector<double> partials;
  if (!items)
    return nullptr;
  for (Value item : *items) {
    auto x = number(in, item);
    if (!x)
      return nullptr;
    double value = *x;
    size_t kept = 0;
    for (double partial : partials) {
      if (std::abs(value) < std::abs(partial))
        std::swap(value, partial);
      double high = value + partial, low = partial - (high - value);
      if (low != 0)
        partials[kept++] = low;
      value = high;
    }
    partials.resize(kept);
    partials.push_back(value);
  }
  double high = 0, low = 0;
  while (!partials.empty()) {
    double x = high, y = partials.back();
    partials.pop_back();
    high = x + y;
    low = y - (high - x);
    if (low != 0)
      break;
  }
  // Half-way cases go the way of the rest.
  if (!partials.empty() && ((low < 0 && partials.back() < 0) || (low > 0 && partials.back() > 0))) {
    double y = low * 2, x = high + y;
    if (y == x - high)
      high = x;
  }
  return in.m.makeFloat(high);
}

ModuleObject *Internals::makeMathModule() {
  ModuleObject *module = m.makeModule("math", nullptr);
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    std::string asked = "math." + name.str();
    m.addBuiltin(module, name, signature, [this, fn, asked](Machine &, Args a) -> Value {
      if (auto answer = askBuiltin(asked, CallArgs{a, {}}))
        return *answer;
      auto known = knownArguments(asked, a);
      return known ? fn(*this, *known) : nullptr;
    });
  };
  static const std::pair<const char *, double (*)(double)> unary[] = {
      {"sqrt", std::sqrt},    {"exp", std::exp},     {"expm1", std::expm1},   {"sin", std::sin},
      {"cos", std::cos},      {"tan", std::tan},     {"asin", std::asin},     {"acos", std::acos},
      {"atan", std::atan},    {"sinh", std::sinh},   {"cosh", std::cosh},     {"tanh", std::tanh},
      {"asinh", std::asinh},  {"acosh", std::acosh}, {"atanh", std::atanh},   {"fabs", std::fabs},
      {"erf", std::erf},      {"erfc", std::erfc},   {"lgamma", std::lgamma}, {"log1p", std::log1p},
      {"gamma", std::tgamma}, {"exp2", std::exp2},   {"cbrt", std::cbrt}};
  for (auto [name, fn] : unary) {
    double (*function)(double) = fn;
    add(name, "(x, /)", [function](Internals &in, Args a) -> Value {
      auto x = number(in, a[0]);
      return x ? checked(in, function(*x), {*x}) : nullptr;
    });
  }
  static const std::pair<const char *, double (*)(double, double)> binary[] = {
      {"atan2", std::atan2},
      {"fmod", std::fmod},
      {"copysign", std::copysign},
      {"pow", std::pow},
      {"remainder", std::remainder}};
  for (auto [name, fn] : binary) {
    double (*function)(double, double) = fn;
    add(name, "(x, y, /)", [function](Internals &in, Args a) -> Value {
      auto x = number(in, a[0]), y = x ? number(in, a[1]) : x;
      if (!x || !y)
        return nullptr;
      double result = function(*x, *y);
      if (std::isinf(result) && *x == 0)
        return in.m.raise("ValueError", "math domain error");
      return checked(in, result, {*x, *y});
    });
  }
  add("log", "(x, base=None, /)", [](Internals &in, Args a) -> Value {
    Value top = logarithm(in, a[0], std::log, M_LN2);
    if (!top || a[1] == in.m.none())
      return top;
    Value bottom = logarithm(in, a[1], std::log, M_LN2);
    return bottom ? in.m.binary(BinaryOperator::Div, top, bottom) : nullptr;
  });
  add("log2", "(x, /)", [](Internals &in, Args a) { return logarithm(in, a[0], std::log2, 1); });
  add("log10", "(x, /)",
      [](Internals &in, Args a) { return logarithm(in, a[0], std::log10, M_LN2 / M_LN10); });
  add("floor", "(x, /)",
      [](Internals &in, Args a) { return toInteger(in, a[0], in.n.floor, std::floor); });
  add("ceil", "(x, /)",
      [](Internals &in, Args a) { return toInteger(in, a[0], in.n.ceil, std::ceil); });
  add("trunc", "(x, /)",
      [](Internals &in, Args a) { return toInteger(in, a[0], in.n.trunc, std::trunc); });
  add("isqrt", "(n, /)", [](Internals &in, Args a) { return integerRoot(in, a[0]); });
  add("gcd", "(*integers)",
      [](Internals &in, Args a) { return gcdOf(in, llvm::cast<TupleObject>(a[0])->items, false); });
  add("lcm", "(*integers)",
      [](Internals &in, Args a) { return gcdOf(in, llvm::cast<TupleObject>(a[0])->items, true); });
  add("factorial", "(x, /)", [](Internals &in, Args a) -> Value {
    if (llvm::isa<FloatObject>(a[0]))
      return in.typeError("'float' object cannot be interpreted as an integer");
    auto x = in.m.index(a[0]);
    if (x && *x < 0)
      return in.m.raise("ValueError", "factorial() not defined for negative values");
    return x ? productRange(in, 2, *x) : nullptr;
  });
  add("comb", "(n, k, /)",
      [](Internals &in, Args a) { return combinations(in, a[0], a[1], false); });
  add("perm", "(n, k=None, /)",
      [](Internals &in, Args a) { return combinations(in, a[0], a[1], true); });
  add("prod", "(iterable, /, *, start=1)", [](Internals &in, Args a) -> Value {
    auto items = in.m.items(a[0]);
    Value result = items ? a[1] : nullptr;
    for (size_t i = 0; result && i != items->size(); ++i)
      result = in.m.binary(BinaryOperator::Mult, result, (*items)[i]);
    return result;
  });
  add("fsum", "(seq, /)", [](Internals &in, Args a) { return exactSum(in, a[0]); });
  add("hypot", "(*coordinates)", [](Internals &in, Args a) -> Value {
    double result = 0;
    for (Value value : llvm::cast<TupleObject>(a[0])->items) {
      auto x = number(in, value);
      if (!x)
        return nullptr;
      result = std::hypot(result, *x);
    }
    return in.m.makeFloat(result);
  });
  static const std::pair<const char *, bool (*)(double)> tests[] = {
      {"isnan", [](double x) { return std::isnan(x); }},
      {"isinf", [](double x) { return std::isinf(x); }},
      {"isfinite", [](double x) { return std::isfinite(x); }}};
  for (auto [name, fn] : tests) {
    bool (*test)(double) = fn;
    add(name, "(x, /)", [test](Internals &in, Args a) -> Value {
      auto x = number(in, a[0]);
      return x ? in.m.makeBool(test(*x)) : nullptr;
    });
  }
  add("isclose", "(a, b, *, rel_tol=1e-09, abs_tol=0.0)", [](Internals &in, Args a) -> Value {
    std::optional<double> x[4];
    for (int i = 0; i != 4; ++i)
      if (!(x[i] = number(in, a[i])))
        return nullptr;
    return in.m.makeBool(isClose(*x[0], *x[1], *x[2], *x[3]));
  });
  add("degrees", "(x, /)", [](Internals &in, Args a) -> Value {
    auto x = number(in, a[0]);
    return x ? in.m.makeFloat(*x * (180.0 / M_PI)) : nullptr;
  });
  add("radians", "(x, /)", [](Internals &in, Args a) -> Value {
    auto x = number(in, a[0]);
    return x ? in.m.makeFloat(*x * (M_PI / 180.0)) : nullptr;
  });
  add("modf", "(x, /)", [](Internals &in, Args a) -> Value {
    auto x = number(in, a[0]);
    double whole, fraction = x ? std::modf(*x, &whole) : 0;
    return x ? in.m.makeTuple({in.m.makeFloat(fraction), in.m.makeFloat(whole)}) : nullptr;
  });
  add("frexp", "(x, /)", [](Internals &in, Args a) -> Value {
    auto x = number(in, a[0]);
    int exponent = 0;
    double mantissa = x ? std::frexp(*x, &exponent) : 0;
    return x ? in.m.makeTuple({in.m.makeFloat(mantissa), in.m.makeInt(int64_t(exponent))})
             : nullptr;
  });
  add("ldexp", "(x, i, /)", [](Internals &in, Args a) -> Value {
    auto x = number(in, a[0]);
    auto exponent = x ? in.m.index(a[1]) : std::nullopt;
    return exponent
               ? checked(in, std::ldexp(*x, int(std::clamp<int64_t>(*exponent, -5000, 5000))), {*x})
               : nullptr;
  });
  module->attrs->set(m.intern("pi"), m.makeFloat(M_PI));
  module->attrs->set(m.intern("tau"), m.makeFloat(2 * M_PI));
  module->attrs->set(m.intern("e"), m.makeFloat(M_E));
  module->attrs->set(m.intern("inf"), m.makeFloat(INFINITY));
  module->attrs->set(m.intern("nan"), m.makeFloat(NAN));
  return module;
}
