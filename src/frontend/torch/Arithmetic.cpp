// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's operators on tensors and sizes.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

StringRef nameOf(BinaryOperator op) {
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
  if (*e == 0 && !floats)
    return library.machine->call(library.lookup("torch", "ones_like"), {base});
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
    return library.machine->call(library.lookup("prims", "inverse_square"), {base});
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
  if (op == BinaryOperator::Pow && isa<TensorValue>(left) && isInteger(left) &&
      isa<SizeValue>(right))
    right = machine->call(lookup("torch", "full_like"), {left, right});
  if (!right)
    return nullptr;
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
    // An integer to the power of a size is one: Python's own operator, on sizes that are fixed.
    auto isWhole = [](PyValue side) { return isa<SizeValue, IntObject>(side); };
    if (op == BinaryOperator::Pow && isWhole(left) && isWhole(right) &&
        !(power && (power->small < 0 || power->big)))
      return std::nullopt;
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

} // namespace nereid::torch
