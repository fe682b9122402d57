// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primitives that work element by element.
#include "frontend/torch/TorchLibrary.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// Whether an operator of halves takes a number as the nearest half, as PyTorch does: what it gives
/// jumps where its operands are equal.
static bool roundsNumbers(StringRef name, bool isTest) {
  return isTest || is_contained({"remainder", "fmod", "floordiv", "truncdiv"}, name);
}

/// A number as a narrow float has it, by way of a float32.
static double nearest(double number, DType type) {
  bool isInexact = false;
  APFloat rounded(static_cast<float>(number));
  const fltSemantics &semantics = type == DType::F16      ? APFloat::IEEEhalf()
                                  : type == DType::BF16   ? APFloat::BFloat()
                                  : type == DType::F8E4M3 ? APFloat::Float8E4M3FN()
                                                          : APFloat::Float8E5M2();
  rounded.convert(semantics, APFloat::rmNearestTiesToEven, &isInexact);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isInexact);
  return rounded.convertToDouble();
}

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
  // Of tensors of integers and a number it has the number's kind.
  bool hasFloats = false, hasIntegers = false;
  for (auto [arg, type] : zip_equal(args, types)) {
    hasFloats |= !isLive(arg) && isFloat(type.type);
    hasIntegers |= !isFloat(type.type) && type.rank != Rank::Number;
  }
  if (hasIntegers && !hasFloats && rule != Rule::Float)
    for (PyValue arg : args)
      relyOnKind(arg);
  DType result = *common;
  if ((rule == Rule::Float || rule == Rule::FloatTest) && !isFloat(result))
    result = DType::F32;
  if (numbers && isFloat(result))
    result = DType::F64; // Python's own numbers
  std::optional<Sizes> sizes = broadcastSizes(shapes);
  if (!sizes)
    return nullptr;
  DType computed = computeType(result);
  bool isTest = rule == Rule::Test || rule == Rule::FloatTest;
  bool rounds = isNarrowFloat(result) && roundsNumbers(name, isTest);
  SmallVector<mlir::Value> values;
  for (const Operand &operand : operands) {
    mlir::Value value;
    if (!rounds || operand.dtype == result)
      value = materialize(operand, computed);
    else if (operand.tensor || operand.size)
      value = writer.cast(materialize(operand, result), computed);
    else
      value = writer.number(computed, nearest(operand.real.value_or(operand.integer), result));
    values.push_back(writer.broadcastTo(value, *sizes));
  }
  mlir::Value value = isTest ? writer.test(name, values)
                             : writer.cast(writer.pointwise(name, values), result, true);
  return numbers ? wrapNumber(value) : wrap(value);
}

static void defineFloatFunctions(TorchLibrary &library) {
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
}

/// What is the identity of integers, or false.
static void defineRoundings(TorchLibrary &library) {
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
}

static void defineSigns(TorchLibrary &library) {
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

static void defineOperators(TorchLibrary &library) {
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
}

static void defineBinary(TorchLibrary &library) {
  struct Row {
    StringLiteral name, op;
    Rule rule;
  };
  static constexpr Row rows[] = {
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
  for (const Row &row : rows)
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
  defineFloatFunctions(*this);
  defineRoundings(*this);
  defineSigns(*this);
  defineOperators(*this);
  defineBinary(*this);
  define("torch", "where", "(condition, input=None, other=None, *, out=None)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           if (isa<NoneObject>(a[1]) && isa<NoneObject>(a[2])) {
             TensorValue *condition = t.tensorArg(a[0], "where");
             return condition ? t.placesWhere(condition) : nullptr;
           }
           return whereOf(t, a[0], a[1], a[2]);
         });
  define("torch Tensor", "nonzero", "(input, *, as_tuple=False, out=None)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           TensorValue *condition = t.tensorArg(a[0], "nonzero");
           auto *asTuple = dyn_cast<BoolObject>(a[1]);
           if (!condition)
             return nullptr;
           if (!asTuple || !isa<NoneObject>(a[2]))
             return t.machine->refuse("torch.nonzero with out= is not supported",
                                      "leave out= away");
           PyValue places = t.placesWhere(condition);
           return places && !asTuple->value() ? t.joinPlaces(places) : places;
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
