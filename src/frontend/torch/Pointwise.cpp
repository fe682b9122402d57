// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primitives that work element by element, and Python's operators on tensors and sizes.
#include "frontend/torch/TorchLibrary.h"

#include <cmath>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

PyValue TorchLibrary::pointwise(StringRef name, ArrayRef<PyValue> args, Rule rule) {
  SmallVector<Operand> operands;
  SmallVector<Typed> types;
  SmallVector<Sizes> shapes;
  for (PyValue arg : args) {
    if (isPoisoned(arg))
      return poison();
    std::optional<Operand> next = operand(arg);
    if (!next)
      return nullptr;
    operands.push_back(*next);
    types.push_back({next->dtype, next->rank});
    shapes.push_back(next->tensor ? sizesOf(next->tensor) : Sizes());
  }
  bool numbers = all_of(types, [](Typed type) { return type.rank == Rank::Number; });
  std::optional<DType> common = resultType(types);
  if (!common)
    return machine->raise("RuntimeError", "no common type of " + getScalarName(types[0].type) +
                                              " and " + getScalarName(types.back().type));
  DType result = *common;
  if ((rule == Rule::Float || rule == Rule::FloatTest) && !isFloat(result))
    result = DType::F32;
  if (numbers && isFloat(result))
    result = DType::F64; // Python's own numbers
  std::optional<Sizes> sizes = broadcastSizes(shapes);
  if (!sizes)
    return nullptr;
  DType computed = computeType(result);
  SmallVector<mlir::Value> values;
  for (const Operand &operand : operands)
    values.push_back(writer.broadcastTo(materialize(operand, computed), *sizes));
  bool isTest = rule == Rule::Test || rule == Rule::FloatTest;
  mlir::Value value = isTest ? writer.test(name, values)
                             : writer.cast(writer.pointwise(name, values), result, true);
  return numbers ? wrapNumber(value) : wrap(value);
}

static StringRef nameOf(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Add:
    return "add";
  case BinaryOperator::Sub:
    return "sub";
  case BinaryOperator::Mult:
    return "mul";
  case BinaryOperator::Div:
    return "div";
  case BinaryOperator::FloorDiv:
    return "floordiv";
  case BinaryOperator::Mod:
    return "remainder";
  case BinaryOperator::Pow:
    return "pow";
  case BinaryOperator::LShift:
    return "shl";
  case BinaryOperator::RShift:
    return "shr";
  case BinaryOperator::BitAnd:
    return "and";
  case BinaryOperator::BitOr:
    return "or";
  case BinaryOperator::BitXor:
    return "xor";
  default:
    return "";
  }
}

/// x ** e with the exponents for which PyTorch has a shorter way; null when there is none.
static PyValue shortPower(TorchLibrary &library, PyValue base, PyValue exponent) {
  auto *tensor = dyn_cast<TensorValue>(base);
  std::optional<double> e;
  if (auto *integer = dyn_cast<IntObject>(exponent))
    e = static_cast<double>(integer->small);
  else if (auto *real = dyn_cast<FloatObject>(exponent))
    e = real->value;
  if (!tensor || !e)
    return nullptr;
  if (tensor->dtype == DType::Bool && isa<IntObject>(exponent) && !isa<BoolObject>(exponent))
    base = tensor = library.wrap(library.writer.cast(library.read(tensor), DType::I64));
  bool floats = isFloat(tensor->dtype) || isa<FloatObject>(exponent);
  if (!floats && *e < 0)
    return library.machine->raise("RuntimeError",
                                  "Integers to negative integer powers are not allowed.");
  auto times = [&](PyValue a, PyValue b) {
    return library.pointwise("mul", {a, b}, Rule::Promote);
  };
  PyValue one = library.machine->makeFloat(1.0);
  auto recip = [&](PyValue a) { return library.pointwise("div", {one, a}, Rule::Float); };
  // The powers of a half tensor round once: compute in float32 and narrow at the end.
  if (isNarrowFloat(tensor->dtype)) {
    if (*e != 2 && *e != 0.5 && *e != -0.5 && *e != 1)
      return nullptr;
  }
  if (!isFloat(tensor->dtype) && isa<FloatObject>(exponent))
    return nullptr;
  if (*e == 1)
    return library.wrap(library.read(tensor));
  if (*e == 2)
    return times(base, base);
  if (*e == 3)
    return times(times(base, base), base);
  if (!floats && *e > 3 && *e <= 64) {
    // By squares; integers wrap around in any order of the products.
    PyValue square = base, product = nullptr;
    for (uint64_t rest = *e; rest && square; rest >>= 1) {
      if (rest & 1)
        product = product ? times(product, square) : square;
      square = rest > 1 ? times(square, square) : square;
    }
    return product;
  }
  if (!floats)
    return nullptr;
  if (*e == 0.5)
    return library.pointwise("sqrt", {base}, Rule::Float);
  if (*e == -0.5)
    return library.pointwise("rsqrt", {base}, Rule::Float);
  if (*e == -1)
    return recip(base);
  if (*e == -2)
    return recip(times(base, base));
  return nullptr;
}

/// PyTorch's restrictions on the operands of an operator; false after raising.
static bool checkArithmetic(TorchLibrary &library, BinaryOperator op, PyValue left, PyValue right) {
  auto typeOf = [](PyValue value) -> std::optional<DType> {
    if (auto *tensor = dyn_cast<TensorValue>(value))
      return tensor->dtype;
    if (isa<BoolObject>(value))
      return DType::Bool;
    return std::nullopt;
  };
  std::optional<DType> a = typeOf(left), b = typeOf(right);
  bool bools = a == DType::Bool && b == DType::Bool;
  if (op == BinaryOperator::Sub && bools) {
    library.machine->raise("RuntimeError",
                           "Subtraction, the `-` operator, with two bool tensors is not supported. "
                           "Use the `^` or `logical_xor()` operator instead.");
    return false;
  }
  auto isMask = [](PyValue value) {
    auto *tensor = dyn_cast<TensorValue>(value);
    return tensor && tensor->dtype == DType::Bool && !tensor->isNumber;
  };
  if (op == BinaryOperator::Sub && (isMask(left) || isMask(right))) {
    library.machine->raise("RuntimeError",
                           "Subtraction, the `-` operator, with a bool tensor is not supported. "
                           "If you are trying to invert a mask, use the `~` or `logical_not()` "
                           "operator instead.");
    return false;
  }
  bool bits = op == BinaryOperator::BitAnd || op == BinaryOperator::BitOr ||
              op == BinaryOperator::BitXor || op == BinaryOperator::LShift ||
              op == BinaryOperator::RShift;
  std::optional<DType> floating = a && isFloat(*a) ? a : b && isFloat(*b) ? b : std::nullopt;
  if (bits && floating) {
    library.machine->raise("RuntimeError", "\"" + nameOf(op) + "\" not implemented for '" +
                                               getScalarName(*floating) + "'");
    return false;
  }
  return true;
}

static bool isInteger(PyValue value) {
  auto *tensor = dyn_cast<TensorValue>(value);
  return tensor ? !isFloat(tensor->dtype) && tensor->dtype != DType::Bool && !tensor->isNumber
                : isa<IntObject>(value) && !isa<BoolObject>(value);
}

PyValue TorchLibrary::arithmetic(BinaryOperator op, PyValue left, PyValue right) {
  if (isPoisoned(left) || isPoisoned(right))
    return poison();
  setPlace();
  if (op == BinaryOperator::MatMult) {
    PyValue product = lookup("torch", "matmul");
    if (!product)
      return nullptr;
    PyValue kept = keptFunction("torch", "torch.matmul", product);
    return machine->call(kept ? kept : product, {left, right});
  }
  if (!checkArithmetic(*this, op, left, right))
    return nullptr;
  // Which products a power is follows from its exponent.
  if (op == BinaryOperator::Pow)
    right = settled(right);
  // `1 / x` is a reciprocal.
  bool isReciprocal = op == BinaryOperator::Div && (!isa<TensorValue>(left) || isLive(left));
  if (op == BinaryOperator::Pow || isReciprocal) {
    auto cast = autocastArguments(isReciprocal ? "reciprocal" : "pow", {left, right}, false);
    left = cast->front();
    right = cast->back();
  }
  if (op == BinaryOperator::Pow)
    if (PyValue done = shortPower(*this, left, right); done || machine->pending())
      return done;
  if (op == BinaryOperator::Pow && isInteger(left) && isInteger(right))
    return machine->call(lookup("prims", "integer_power"), {left, right});
  // Integers divided by a size: PyTorch raises where that is 0.
  auto *size = dyn_cast<SizeValue>(right);
  if (size && isInteger(left) && (op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod) &&
      solver.truth(index::ge(size->expr, 1)) == index::Truth::Unknown)
    solver.require(index::ge(size->expr, 1), "integers are divided by a size of 0");
  return pointwise(nameOf(op), {left, right},
                   op == BinaryOperator::Div ? Rule::Float : Rule::Promote);
}

Answer TorchLibrary::sizeArithmetic(BinaryOperator op, PyValue left, PyValue right) {
  if (op == BinaryOperator::Div || op == BinaryOperator::Pow) {
    auto *power = op == BinaryOperator::Pow ? dyn_cast<IntObject>(right) : nullptr;
    if (power && power->small >= 0 && power->small <= 8) {
      Expr base = *sizeArg(left, "a size"), result = writer.constantSize(1);
      for (int64_t count = 0; count < power->small; ++count)
        result = result * base;
      return makeSize(result);
    }
    setPlace();
    return pointwise(nameOf(op), {left, right}, Rule::Float);
  }
  std::optional<Expr> a = sizeArg(left, "a size"), b = sizeArg(right, "a size");
  if (!a || !b)
    return nullptr;
  bool divides = op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  if (divides && b->isConstant(0))
    return machine->raise("ZeroDivisionError", "integer division or modulo by zero");
  if (divides && !b->isConstant() && !solver.require(index::ge(*b, 1), "division by a size of 0"))
    return machine->raise("ZeroDivisionError", "integer division or modulo by zero");
  switch (op) {
  case BinaryOperator::Add:
    return makeSize(*a + *b);
  case BinaryOperator::Sub:
    return makeSize(*a - *b);
  case BinaryOperator::Mult:
    return makeSize(*a * *b);
  case BinaryOperator::FloorDiv:
    return makeSize(index::floordiv(*a, *b));
  case BinaryOperator::Mod:
    return makeSize(index::mod(*a, *b));
  case BinaryOperator::LShift:
  case BinaryOperator::RShift:
    // By a number it is a product or a quotient.
    if (std::optional<int64_t> bits = b->getConstant(); bits && *bits >= 0 && *bits < 31)
      return makeSize(op == BinaryOperator::LShift ? *a * (int64_t(1) << *bits)
                                                   : index::floordiv(*a, int64_t(1) << *bits));
    [[fallthrough]];
  default:
    // Bits of numbers: the machine's own operator, on numbers that are fixed.
    return std::nullopt;
  }
}

static void defineUnary(TorchLibrary &library) {
  struct Row {
    StringLiteral spaces, name, op;
    Rule rule;
  };
  static constexpr Row rows[] = {
      {"torch Tensor", "exp", "exp", Rule::Float},
      {"torch Tensor special", "exp2", "exp2", Rule::Float},
      {"torch Tensor special", "expm1", "expm1", Rule::Float},
      {"torch Tensor", "log", "log", Rule::Float},
      {"torch Tensor", "log2", "log2", Rule::Float},
      {"torch Tensor", "log10", "log10", Rule::Float},
      {"torch Tensor special", "log1p", "log1p", Rule::Float},
      {"torch Tensor", "sqrt", "sqrt", Rule::Float},
      {"torch Tensor", "rsqrt", "rsqrt", Rule::Float},
      {"torch Tensor", "sin", "sin", Rule::Float},
      {"torch Tensor", "cos", "cos", Rule::Float},
      {"torch Tensor", "tan", "tan", Rule::Float},
      {"torch Tensor", "asin", "asin", Rule::Float},
      {"torch Tensor", "acos", "acos", Rule::Float},
      {"torch Tensor", "atan", "atan", Rule::Float},
      {"torch Tensor", "arcsin", "asin", Rule::Float},
      {"torch Tensor", "arccos", "acos", Rule::Float},
      {"torch Tensor", "arctan", "atan", Rule::Float},
      {"torch Tensor", "sinh", "sinh", Rule::Float},
      {"torch Tensor", "cosh", "cosh", Rule::Float},
      {"torch Tensor F", "tanh", "tanh", Rule::Float},
      {"torch Tensor", "asinh", "asinh", Rule::Float},
      {"torch Tensor", "acosh", "acosh", Rule::Float},
      {"torch Tensor", "atanh", "atanh", Rule::Float},
      {"torch Tensor", "arcsinh", "asinh", Rule::Float},
      {"torch Tensor", "arccosh", "acosh", Rule::Float},
      {"torch Tensor", "arctanh", "atanh", Rule::Float},
      {"torch Tensor special", "erf", "erf", Rule::Float},
      {"torch Tensor special", "erfc", "erfc", Rule::Float},
      {"torch Tensor", "lgamma", "lgamma", Rule::Float},
      {"special", "gammaln", "lgamma", Rule::Float},
  };
  for (const Row &row : rows)
    library.define(row.spaces, row.name, "(input, *, out=None)",
                   [op = row.op, rule = row.rule](TorchLibrary &t, ArrayRef<PyValue> a) {
                     return t.pointwise(op, {a[0]}, rule);
                   });
  // Of integers these are the identity, or false.
  for (StringRef name : {"floor", "ceil", "trunc", "fix", "isnan", "isinf"})
    library.define("torch Tensor", name, "(input, *, out=None)",
                   [name](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     if (!x)
                       return nullptr;
                     bool test = name.starts_with("is");
                     if (!test && x->dtype == DType::Bool)
                       return t.machine->raise("RuntimeError",
                                               "\"" + name + "\" not implemented for 'Bool'");
                     if (!isFloat(x->dtype))
                       return test ? t.pointwise("ne", {x, x}, Rule::Test) : t.wrap(t.read(x));
                     return t.pointwise(name == "fix" ? "trunc" : name, {x},
                                        test ? Rule::FloatTest : Rule::Promote);
                   });
  for (auto [name, op] : {std::pair<StringRef, StringRef>{"neg", "neg"},
                          {"negative", "neg"},
                          {"abs", "abs"},
                          {"absolute", "abs"},
                          {"sign", "sign"}})
    library.define(
        "torch Tensor", name, "(input, *, out=None)",
        [op, name](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
          TensorValue *x = t.tensorArg(a[0], name);
          if (!x)
            return nullptr;
          if (x->dtype == DType::Bool && op == "abs")
            return t.machine->raise("RuntimeError", "\"abs\" not implemented for 'Bool'");
          if (x->dtype == DType::Bool && op == "neg")
            return t.machine->raise("RuntimeError",
                                    "Negation, the `-` operator, on a bool tensor is not "
                                    "supported. If you are trying to invert a mask, use the "
                                    "`~` or `logical_not()` operator instead.");
          return t.pointwise(op, {x}, Rule::Promote);
        });
  library.define("torch Tensor", "bitwise_not", "(input, *, out=None)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "bitwise_not");
                   if (!x)
                     return nullptr;
                   if (isFloat(x->dtype))
                     return t.machine->raise("RuntimeError",
                                             "\"bitwise_not\" not implemented for '" +
                                                 getScalarName(x->dtype) + "'");
                   return t.pointwise("not", {x}, Rule::Promote);
                 });
}

/// `alpha * other`, of the type that `other` gets where it meets `beside`.
static PyValue scaledBeside(TorchLibrary &t, PyValue other, PyValue alpha, PyValue beside) {
  std::optional<Operand> x = t.operand(beside), y = x ? t.operand(other) : std::nullopt;
  if (y && y->tensor && !y->tensor->isNumber) {
    std::optional<DType> common = resultType({{x->dtype, x->rank}, {y->dtype, y->rank}});
    if (common && *common != y->dtype) {
      t.setPlace();
      other = t.wrap(t.writer.cast(t.read(y->tensor), *common));
    }
  }
  return t.arithmetic(BinaryOperator::Mult, other, alpha);
}

static void defineBinary(TorchLibrary &library) {
  struct Row {
    StringLiteral name;
    BinaryOperator op;
  };
  static constexpr Row operators[] = {
      {"mul", BinaryOperator::Mult},
      {"multiply", BinaryOperator::Mult},
      {"remainder", BinaryOperator::Mod},
      {"pow", BinaryOperator::Pow},
      {"floor_divide", BinaryOperator::FloorDiv},
      {"bitwise_and", BinaryOperator::BitAnd},
      {"bitwise_or", BinaryOperator::BitOr},
      {"bitwise_xor", BinaryOperator::BitXor},
      {"bitwise_left_shift", BinaryOperator::LShift},
      {"bitwise_right_shift", BinaryOperator::RShift},
      {"true_divide", BinaryOperator::Div},
  };
  for (const Row &row : operators)
    library.define("torch Tensor", row.name,
                   row.op == BinaryOperator::Pow ? "(input, exponent, *, out=None)"
                                                 : "(input, other, *, out=None)",
                   [op = row.op](TorchLibrary &t, ArrayRef<PyValue> a) {
                     return t.arithmetic(op, a[0], a[1]);
                   });
  for (auto [name, op] : {std::pair<StringRef, BinaryOperator>{"add", BinaryOperator::Add},
                          {"sub", BinaryOperator::Sub},
                          {"subtract", BinaryOperator::Sub}})
    library.define("torch Tensor", name, "(input, other, *, alpha=1, out=None)",
                   [op](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     auto *alpha = dyn_cast<IntObject>(a[2]);
                     PyValue other = a[1];
                     auto *x = dyn_cast<TensorValue>(a[0]), *y = dyn_cast<TensorValue>(other);
                     bool floats = (x && isFloat(x->dtype)) || (y && isFloat(y->dtype));
                     if (isa<FloatObject>(a[2]) && !floats)
                       return t.machine->raise("RuntimeError",
                                               "For integral input tensors, argument alpha must "
                                               "not be a floating point number.");
                     if (!alpha || alpha->small != 1)
                       other = scaledBeside(t, other, a[2], a[0]);
                     return other ? t.arithmetic(op, a[0], other) : PyValue();
                   });
  for (StringRef name : {"div", "divide"})
    library.define("torch Tensor", name, "(input, other, *, rounding_mode=None, out=None)",
                   [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     auto *mode = dyn_cast<StrObject>(a[2]);
                     if (!mode)
                       return t.arithmetic(BinaryOperator::Div, a[0], a[1]);
                     if (mode->text == "floor")
                       return t.arithmetic(BinaryOperator::FloorDiv, a[0], a[1]);
                     if (mode->text == "trunc")
                       return t.pointwise("truncdiv", {a[0], a[1]}, Rule::Promote);
                     return t.machine->raise(
                         "RuntimeError", "div expected rounding_mode to be one of None, 'trunc', "
                                         "or 'floor' but found '" +
                                             mode->text + "'");
                   });
  struct Plain {
    StringLiteral name, op;
    Rule rule;
  };
  static constexpr Plain plain[] = {
      {"maximum", "maximum", Rule::Promote},
      {"minimum", "minimum", Rule::Promote},
      {"fmod", "fmod", Rule::Promote},
      {"atan2", "atan2", Rule::Float},
      {"arctan2", "atan2", Rule::Float},
      {"copysign", "copysign", Rule::Float},
      {"nextafter", "nextafter", Rule::Float},
      {"eq", "eq", Rule::Test},
      {"ne", "ne", Rule::Test},
      {"not_equal", "ne", Rule::Test},
      {"lt", "lt", Rule::Test},
      {"less", "lt", Rule::Test},
      {"le", "le", Rule::Test},
      {"less_equal", "le", Rule::Test},
      {"gt", "gt", Rule::Test},
      {"greater", "gt", Rule::Test},
      {"ge", "ge", Rule::Test},
      {"greater_equal", "ge", Rule::Test},
  };
  for (const Plain &row : plain)
    library.define("torch Tensor", row.name, "(input, other, *, out=None)",
                   [op = row.op, rule = row.rule](TorchLibrary &t, ArrayRef<PyValue> a) {
                     return t.pointwise(op, {a[0], a[1]}, rule);
                   });
}

static PyValue whereOf(TorchLibrary &t, PyValue condition, PyValue a, PyValue b,
                       bool hides = false) {
  TensorValue *test = t.tensorArg(condition, "where");
  std::optional<Operand> left = t.operand(a);
  std::optional<Operand> right = left ? t.operand(b) : std::nullopt;
  if (!test || !right)
    return nullptr;
  if (test->dtype != DType::Bool && test->dtype != DType::U8)
    return t.machine->raise("RuntimeError",
                            "where expected condition to be a boolean tensor, but got a tensor "
                            "with dtype " +
                                getScalarName(test->dtype));
  std::optional<DType> dtype = resultType({{left->dtype, left->rank}, {right->dtype, right->rank}});
  auto shape = [&](const Operand &o) { return o.tensor ? t.sizesOf(o.tensor) : Sizes(); };
  std::optional<Sizes> sizes = t.broadcastSizes({t.sizesOf(test), shape(*left), shape(*right)});
  if (!dtype || !sizes)
    return dtype ? PyValue() : t.machine->raise("RuntimeError", "where: no common type");
  auto value = [&](const Operand &o) {
    return t.writer.broadcastTo(t.materialize(o, *dtype), *sizes);
  };
  mlir::Value mask = t.writer.broadcastTo(t.writer.cast(t.read(test), DType::Bool), *sizes);
  return t.wrap(t.writer.where(mask, value(*left), value(*right), hides));
}

void TorchLibrary::definePointwise() {
  defineUnary(*this);
  defineBinary(*this);
  define("torch", "where", "(condition, input=None, other=None, *, out=None)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           if (isa<NoneObject>(a[1]) && isa<NoneObject>(a[2]))
             return t.machine->refuse("torch.where(condition) has a size that depends on the data",
                                      "keep all elements, and choose among them with a mask");
           return whereOf(t, a[0], a[1], a[2]);
         });
  define("Tensor", "where", "(self, condition, other)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return whereOf(t, a[1], a[0], a[2]); });
  // prims.visible(condition, scores): -inf elsewhere, and what is hidden need not be read.
  define("prims", "visible", "(condition, scores)", [](TorchLibrary &t, ArrayRef<PyValue> a) {
    return whereOf(t, a[0], a[1], t.machine->makeFloat(-INFINITY), /*hides=*/true);
  });
  // round(x, decimals): ties to even.
  define("torch Tensor", "round", "(input, *, decimals=0, out=None)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           TensorValue *x = t.tensorArg(a[0], "round");
           std::optional<int64_t> decimals = x ? t.intArg(a[1], "decimals") : std::nullopt;
           if (!decimals)
             return nullptr;
           if (x->dtype == DType::Bool)
             return t.machine->raise("RuntimeError", "\"round\" not implemented for 'Bool'");
           if (!isFloat(x->dtype))
             return t.wrap(t.read(x));
           if (*decimals == 0)
             return t.pointwise("round", {x}, Rule::Promote);
           PyValue scale = t.machine->makeFloat(std::pow(10.0, std::abs(*decimals)));
           bool up = *decimals > 0;
           PyValue scaled = t.pointwise(up ? "mul" : "div", {x, scale}, Rule::Promote);
           PyValue rounded = t.pointwise("round", {scaled}, Rule::Promote);
           return t.pointwise(up ? "div" : "mul", {rounded, scale}, Rule::Promote);
         });
}

} // namespace nereid::torch
