// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math and tile.libdevice through the C library, whose functions are called in float or double;
// narrow floats go through float.
#include "interpreter/Elementwise.h"
#include "interpreter/MathFunctions.h"

#include "tile/TileOps.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

namespace nereid::interpreter {

namespace {

template <typename T>
void callOn(const Instruction &at, llvm::ArrayRef<const Buffer *> operands, Buffer &result) {
  if (operands.size() == 1)
    mapLanes<T, T>(*operands[0], result, reinterpret_cast<Unary<T>>(at.function));
  else if (operands.size() == 2)
    mapLanes<T, T>(*operands[0], *operands[1], result, reinterpret_cast<Binary<T>>(at.function));
  else
    mapLanes<T, T>(*operands[0], *operands[1], *operands[2], result,
                   reinterpret_cast<Ternary<T>>(at.function));
}

template <typename T> void runCall(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  llvm::SmallVector<const Buffer *, 3> operands;
  for (unsigned slot : at.operands)
    operands.push_back(&program.slots[slot]);
  callOn<T>(at, operands, result);
  mergeFlags(machine, program, at);
}

void runNarrowCall(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  llvm::SmallVector<Buffer, 3> wide;
  llvm::SmallVector<const Buffer *, 3> operands;
  for (unsigned slot : at.operands)
    wide.push_back(toFloat(program.slots[slot]));
  for (const Buffer &buffer : wide)
    operands.push_back(&buffer);
  Buffer exact;
  exact.reset(Element::F32, result.count, result.uniform);
  callOn<float>(at, operands, exact);
  fromFloat(exact, result);
  mergeFlags(machine, program, at);
}

void selectFunction(llvm::StringRef name, Instruction &at) {
  const FloatFunction *function = findFloatFunction(name);
  if (!function || !isFloat(at.source) || at.source != at.element)
    return;
  assert(function->arity == at.operands.size() && "the verifier checked the arity");
  at.function = at.element == Element::F64 ? function->full : function->single;
  if (at.element == Element::F64)
    at.handler = runCall<double>;
  else
    at.handler = at.element == Element::F32 ? runCall<float> : runNarrowCall;
}

void selectMath(mlir::Operation *op, Instruction &at) {
  selectFunction(op->getName().stripDialect(), at);
}

//===------------------------------------------------------------------------------------------===//
// Functions that are not from floats to the same floats
//===------------------------------------------------------------------------------------------===//

/// Lanes as double to an integer element, `function` being `double (*)(double)`; exact for floats
/// of at most 64 bits and the integers that these functions give.
template <typename R> void runClassify(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &from = operand(program, at, 0);
  Buffer &result = prepareResult(program, at, at.element);
  auto classify = reinterpret_cast<int64_t (*)(double)>(at.function);
  for (int64_t i = 0, n = result.stored(); i < n; ++i)
    result.asMutable<R>()[i] = static_cast<R>(
        classify(readNumber(from.element, from.data->data() + i * getBytes(from.element))));
  mergeFlags(machine, program, at);
}

struct Classifier {
  llvm::StringLiteral name;
  int64_t (*function)(double);
};

int64_t clampToInt64(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return INT64_MAX;
  return value < -0x1p63 ? INT64_MIN : static_cast<int64_t>(value);
}

const Classifier classifiers[] = {
    {"isnan", [](double x) -> int64_t { return std::isnan(x); }},
    {"isinf", [](double x) -> int64_t { return std::isinf(x); }},
    {"isfinite", [](double x) -> int64_t { return std::isfinite(x); }},
    {"finitef", [](double x) -> int64_t { return std::isfinite(x); }},
    {"isfinited", [](double x) -> int64_t { return std::isfinite(x); }},
    {"signbit", [](double x) -> int64_t { return std::signbit(x); }},
    {"ilogb", [](double x) -> int64_t { return std::ilogb(x); }},
    {"llrint", [](double x) { return clampToInt64(std::nearbyint(x)); }},
    {"llround", [](double x) { return clampToInt64(std::round(x)); }},
};

bool selectClassifier(llvm::StringRef name, Instruction &at) {
  for (const Classifier &classifier : classifiers) {
    if (classifier.name != name || !isFloat(at.source))
      continue;
    at.function = reinterpret_cast<AnyFunction>(classifier.function);
    at.handler = at.element == Element::I1    ? runClassify<uint8_t>
                 : at.element == Element::I32 ? runClassify<int32_t>
                                              : runClassify<int64_t>;
    return true;
  }
  return false;
}

void selectClassify(mlir::Operation *op, Instruction &at) {
  selectClassifier(op->getName().stripDialect(), at);
}

/// A float scaled by a power of two (`ldexp`, `scalbn`) or raised to an integer power (`fpowi`);
/// `jn` and `yn` have the integer first.
void runWithInteger(Machine &machine, Program &program, const Instruction &at) {
  bool integerFirst = at.variant != 0;
  const Buffer &number = operand(program, at, integerFirst ? 1 : 0);
  const Buffer &integer = operand(program, at, integerFirst ? 0 : 1);
  Buffer &result = prepareResult(program, at, at.element);
  auto function = reinterpret_cast<double (*)(double, int64_t)>(at.function);
  unsigned bytes = getBytes(number.element);
  for (int64_t i = 0, n = result.stored(); i < n; ++i) {
    double x = readNumber(number.element, number.data->data() + (number.uniform ? 0 : i) * bytes);
    writeNumber(at.element, function(x, readInteger(integer, i)), result.data->data() + i * bytes);
  }
  mergeFlags(machine, program, at);
}

int clampToInt(int64_t value) {
  return static_cast<int>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
}

bool selectWithInteger(llvm::StringRef name, Instruction &at) {
  using Function = double (*)(double, int64_t);
  Function function = nullptr;
  if (name == "ldexp" || name == "scalbn")
    function = [](double x, int64_t n) { return std::ldexp(x, clampToInt(n)); };
  else if (name == "fpowi" || name == "powi")
    function = [](double x, int64_t n) { return std::pow(x, static_cast<double>(n)); };
  else if (name == "jn")
    function = [](double x, int64_t n) { return ::jn(clampToInt(n), x); };
  else if (name == "yn")
    function = [](double x, int64_t n) { return ::yn(clampToInt(n), x); };
  if (!function || !isFloat(at.element))
    return false;
  at.variant = name == "jn" || name == "yn";
  at.function = reinterpret_cast<AnyFunction>(function);
  at.handler = runWithInteger;
  return true;
}

void selectPowerOfInteger(mlir::Operation *op, Instruction &at) {
  selectWithInteger(op->getName().stripDialect(), at);
}

/// libdevice functions of integers, on 64-bit numbers read as signed, `bits` the width.
using IntegerFunction = int64_t (*)(int64_t, int64_t, unsigned bits);

uint64_t maskTo(int64_t value, unsigned bits) {
  return bits == 64 ? static_cast<uint64_t>(value) : static_cast<uint32_t>(value);
}

IntegerFunction findIntegerFunction(llvm::StringRef name) {
  return llvm::StringSwitch<IntegerFunction>(name)
      .Case("abs",
            [](int64_t a, int64_t, unsigned) { return a < 0 ? int64_t(0 - uint64_t(a)) : a; })
      .Case("ffs", [](int64_t a, int64_t, unsigned) { return int64_t(__builtin_ffsll(a)); })
      .Case("popc", [](int64_t a, int64_t,
                       unsigned bits) { return int64_t(__builtin_popcountll(maskTo(a, bits))); })
      .Case("clz",
            [](int64_t a, int64_t, unsigned bits) {
              uint64_t value = maskTo(a, bits);
              return value == 0 ? int64_t(bits)
                                : int64_t(__builtin_clzll(value)) - (64 - int64_t(bits));
            })
      .Case("brev",
            [](int64_t a, int64_t, unsigned bits) {
              return static_cast<int64_t>(__builtin_bitreverse64(static_cast<uint64_t>(a)) >>
                                          (64 - bits));
            })
      .Case("mulhi",
            [](int64_t a, int64_t b, unsigned bits) {
              return static_cast<int64_t>((static_cast<__int128>(a) * b) >> bits);
            })
      .Case("umulhi",
            [](int64_t a, int64_t b, unsigned bits) {
              auto product = static_cast<unsigned __int128>(maskTo(a, bits)) * maskTo(b, bits);
              return static_cast<int64_t>(product >> bits);
            })
      .Case("hadd",
            [](int64_t a, int64_t b, unsigned) {
              return static_cast<int64_t>((static_cast<__int128>(a) + b) >> 1);
            })
      .Case("rhadd",
            [](int64_t a, int64_t b, unsigned) {
              return static_cast<int64_t>((static_cast<__int128>(a) + b + 1) >> 1);
            })
      .Default(nullptr);
}

void runIntegerCall(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &a = operand(program, at, 0);
  const Buffer &b = operand(program, at, at.operands.size() - 1);
  Buffer &result = prepareResult(program, at, at.element);
  auto function = reinterpret_cast<IntegerFunction>(at.function);
  unsigned bits = getBytes(a.element) * 8;
  for (int64_t i = 0, n = result.stored(); i < n; ++i) {
    int64_t value = function(readInteger(a, i), readInteger(b, i), bits);
    if (at.element == Element::I32)
      result.asMutable<int32_t>()[i] = static_cast<int32_t>(value);
    else
      result.asMutable<int64_t>()[i] = value;
  }
  mergeFlags(machine, program, at);
}

void selectLibdevice(mlir::Operation *op, Instruction &at) {
  llvm::StringRef name = mlir::cast<tile::LibdeviceOp>(op).getName();
  if (IntegerFunction function = findIntegerFunction(name)) {
    at.function = reinterpret_cast<AnyFunction>(function);
    at.handler = runIntegerCall;
    return;
  }
  if (!selectClassifier(name, at) && !selectWithInteger(name, at))
    selectFunction(name, at);
}

/// tile.tf32: the value itself, as the products of this machine are of float32.
void selectTf32(mlir::Operation *, Instruction &at) {
  at.function = reinterpret_cast<AnyFunction>(Unary<float>([](float x) { return x; }));
  at.handler = runCall<float>;
}

/// tile.half_scale: such products need none.
void selectHalfScale(mlir::Operation *, Instruction &at) {
  at.function = reinterpret_cast<AnyFunction>(Unary<float>([](float) { return 1.0f; }));
  at.handler = runCall<float>;
}

/// clampf(value, low, high)
void selectClamp(mlir::Operation *, Instruction &at) {
  if (!isFloat(at.element))
    return;
  at.function =
      at.element == Element::F64
          ? reinterpret_cast<AnyFunction>(Ternary<double>(
                [](double x, double a, double b) { return std::fmin(std::fmax(x, a), b); }))
          : reinterpret_cast<AnyFunction>(Ternary<float>(
                [](float x, float a, float b) { return std::fmin(std::fmax(x, a), b); }));
  at.handler = at.element == Element::F64   ? runCall<double>
               : at.element == Element::F32 ? runCall<float>
                                            : runNarrowCall;
}

} // namespace

void addMathHandlers(HandlerTable &table) {
  for (llvm::StringRef name :
       {"acos", "acosh", "asin",  "asinh",     "atan", "atanh", "atan2", "cbrt", "ceil",  "cos",
        "cosh", "erf",   "erfc",  "exp",       "exp2", "expm1", "floor", "log",  "log10", "log1p",
        "log2", "powf",  "round", "roundeven", "sin",  "sinh",  "tan",   "tanh", "trunc"})
    table[("math." + name).str()] = selectMath;
  for (llvm::StringRef name : {"isnan", "isinf", "isfinite"})
    table[("math." + name).str()] = selectClassify;
  table["math.fpowi"] = selectPowerOfInteger;
  table["math.clampf"] = selectClamp;
  table["tile.libdevice"] = selectLibdevice;
  table["tile.tf32"] = selectTf32;
  table["tile.half_scale"] = selectHalfScale;
}

} // namespace nereid::interpreter
