// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `tl` and `tl.math`: functions of one element, extremes, choices and products.
#include "frontend/triton/Registrar.h"
#include "tile/Libdevice.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

template <typename Op> static Registrar::KernelFn floatFunction(StringRef name) {
  return [name = name.str()](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
    TensorValue *value = kernel.toTensor(args[0], "the operand of tl." + name);
    if (!value)
      return nullptr;
    if (!value->type.is(Scalar::Fp32) && !value->type.is(Scalar::Fp64)) {
      kernel.requireTypes({{value, Scalar::Fp32}});
      return kernel.fail("tl." + name + " takes float32 or float64, found " +
                             kernel.describe(value),
                         "cast it first: x.to(tl.float32)");
    }
    return kernel.make(Op::create(kernel.builder, kernel.location(), value->value), value->type);
  };
}

static PyValue absolute(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  TensorValue *value = kernel.toTensor(args[0], "the operand of tl.abs");
  if (!value)
    return nullptr;
  Location place = kernel.location();
  if (value->type.isFloat())
    return kernel.make(math::AbsFOp::create(kernel.builder, place, value->value), value->type);
  if (value->type.isSigned())
    return kernel.make(math::AbsIOp::create(kernel.builder, place, value->value), value->type);
  if (value->type.isUnsigned())
    return value;
  return kernel.fail("tl.abs needs numbers, found " + kernel.describe(value));
}

/// True for PropagateNan.ALL.
static std::optional<bool> propagates(KernelBuilder &kernel, PyValue value) {
  auto text = knownString(kernel.machine, value, "propagate_nan");
  if (text && *text != "all" && *text != "none") {
    kernel.fail("propagate_nan must be tl.PropagateNan.ALL or tl.PropagateNan.NONE");
    return std::nullopt;
  }
  return text ? std::optional(*text == "all") : std::nullopt;
}

static Registrar::KernelFn extremeFunction(bool isMax) {
  return [isMax](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
    auto nan = propagates(kernel, args[2]);
    return nan ? kernel.extreme(isMax, args[0], args[1], *nan) : nullptr;
  };
}

static PyValue clamp(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  auto nan = propagates(kernel, args[3]);
  return nan ? kernel.clamp(args[0], args[1], args[2], *nan) : nullptr;
}

static std::optional<tile::Precision> readPrecision(KernelBuilder &kernel, PyValue precision,
                                                    PyValue allowTf32) {
  auto text = knownString(kernel.machine, precision, "input_precision");
  if (!text)
    return std::nullopt;
  if (!text->empty() && !isNone(allowTf32)) {
    kernel.fail("tl.dot takes input_precision or allow_tf32, not both", "leave allow_tf32 away");
    return std::nullopt;
  }
  if (text->empty() && !isNone(allowTf32)) {
    auto allowed = knownBool(kernel.machine, allowTf32, "allow_tf32");
    if (!allowed)
      return std::nullopt;
    return *allowed ? tile::Precision::Tf32 : tile::Precision::Ieee;
  }
  if (text->empty() || *text == "tf32")
    return tile::Precision::Tf32;
  if (*text == "ieee")
    return tile::Precision::Ieee;
  if (*text == "tf32x3")
    return tile::Precision::Tf32x3;
  kernel.fail("input_precision `" + *text + "` is not supported",
              "write \"ieee\", \"tf32\" or \"tf32x3\"");
  return std::nullopt;
}

static PyValue dot(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  TensorValue *lhs = kernel.toTensor(args[0], "the left operand of tl.dot");
  TensorValue *rhs = lhs ? kernel.toTensor(args[1], "the right operand of tl.dot") : nullptr;
  if (!rhs)
    return nullptr;
  if (!lhs->isBlock() || !rhs->isBlock()) {
    kernel.requireRank({lhs, rhs}, std::max({2u, lhs->rank(), rhs->rank()}));
    return kernel.fail("tl.dot needs two tiles, found " + kernel.describe(lhs) + " and " +
                       kernel.describe(rhs));
  }
  TensorValue *acc = nullptr;
  if (!isNone(args[2]) && !(acc = kernel.toTensor(args[2], "the accumulator of tl.dot")))
    return nullptr;
  auto precision = readPrecision(kernel, args[3], args[4]);
  if (!precision)
    return nullptr;
  std::optional<DType> out;
  if (!isNone(args[6]) && !(out = knownDType(kernel.machine, args[6], "out_dtype")))
    return nullptr;
  return kernel.dot(lhs, rhs, acc, *precision, out);
}

/// The kind of random number as an operator: for one seed and offsets of 32 or 64 bits; None where
/// the definition has to do.
static PyValue random(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  auto name = knownString(kernel.machine, args[0], "the kind of random number");
  auto kind = name ? tile::symbolizeRandomKind(*name) : std::nullopt;
  TensorValue *seed = kind ? kernel.toTensor(args[1], "the seed") : nullptr;
  auto *offset = dyn_cast<TensorValue>(args[2]);
  if (!seed)
    return nullptr;
  bool isPlain = !seed->isBlock() && seed->type.isInt() && !seed->type.isBool() && offset &&
                 offset->type.isInt();
  if (isPlain) {
    unsigned bits = tile::getElementType(offset->value.getType()).getIntOrFloatBitWidth();
    isPlain = bits == 32 || bits == 64;
  }
  if (!isPlain)
    return kernel.machine.none();
  seed = kernel.castTo(seed, Scalar::Int64);
  bool isBits = *kind == tile::RandomKind::Bits;
  Type element = isBits ? Type(kernel.builder.getI32Type()) : kernel.builder.getF32Type();
  Type type = element;
  if (auto tile = dyn_cast<RankedTensorType>(offset->value.getType()))
    type = tile.clone(element);
  return kernel.make(tile::RandomOp::create(kernel.builder, kernel.location(), type, *kind,
                                            seed->value, offset->value),
                     isBits ? Scalar::UInt32 : Scalar::Fp32);
}

static void addChoices(Registrar &tl) {
  tl.define("_random", "(kind, seed, offset)", random);
  static constexpr StringLiteral extremes = "(x, y, propagate_nan=\"none\")";
  tl.define("maximum", extremes, extremeFunction(true));
  tl.define("minimum", extremes, extremeFunction(false));
  tl.define("clamp", "(x, min, max, propagate_nan=\"none\")", clamp);
  tl.define("where", "(condition, x, y)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return kernel.where(args[0], args[1], args[2]);
  });
  tl.define("fma", "(x, y, z)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return kernel.fma(args[0], args[1], args[2]);
  });
  tl.define("dot",
            "(input, other, acc=None, input_precision=None, allow_tf32=None, "
            "max_num_imprecise_acc=None, out_dtype=None)",
            dot);
  for (auto [name, isAnd] : {std::pair("_logical_and", true), std::pair("_logical_or", false)})
    tl.define(name, "(input, other)",
              [isAnd](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
                TensorValue *a = kernel.toTensor(args[0]);
                TensorValue *b = a ? kernel.toTensor(args[1]) : nullptr;
                return b ? kernel.logical(isAnd, a, b) : nullptr;
              });
}

static void addArithmetic(Registrar &tl) {
  using python::BinaryOperator;
  for (auto [name, op] :
       {std::pair("add", BinaryOperator::Add), std::pair("sub", BinaryOperator::Sub),
        std::pair("mul", BinaryOperator::Mult)})
    tl.define(name, "(x, y, sanitize_overflow=True)",
              [op](KernelBuilder &kernel, ArrayRef<PyValue> args) {
                return kernel.binary(op, args[0], args[1]);
              });
  tl.define(
      "fdiv", "(x, y, ieee_rounding=False, approx=False)",
      [](KernelBuilder &kernel, ArrayRef<PyValue> args) { return kernel.fdiv(args[0], args[1]); });
  tl.define("umulhi", "(x, y)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return kernel.umulhi(args[0], args[1]);
  });
  tl.define("div_rn", "(x, y)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return kernel.libdevice("div_rn", args);
  });
  tl.define("sqrt_rn", "(x)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return kernel.libdevice("sqrt_rn", args);
  });
}

void addLanguageMath(TritonLibrary &library, machine::Machine &machine,
                     machine::ModuleObject *module) {
  Registrar tl(library, machine, module);
  static constexpr StringLiteral one = "(x)";
  tl.define("exp", one, floatFunction<math::ExpOp>("exp"));
  tl.define("exp2", one, floatFunction<math::Exp2Op>("exp2"));
  tl.define("log", one, floatFunction<math::LogOp>("log"));
  tl.define("log2", one, floatFunction<math::Log2Op>("log2"));
  tl.define("sin", one, floatFunction<math::SinOp>("sin"));
  tl.define("cos", one, floatFunction<math::CosOp>("cos"));
  tl.define("sqrt", one, floatFunction<math::SqrtOp>("sqrt"));
  tl.define("rsqrt", one, floatFunction<math::RsqrtOp>("rsqrt"));
  tl.define("erf", one, floatFunction<math::ErfOp>("erf"));
  tl.define("floor", one, floatFunction<math::FloorOp>("floor"));
  tl.define("ceil", one, floatFunction<math::CeilOp>("ceil"));
  tl.define("abs", one, absolute);
  addArithmetic(tl);
  if (module->name == "triton.language")
    addChoices(tl);
  else
    tl.define("fma", "(x, y, z)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
      return kernel.fma(args[0], args[1], args[2]);
    });
}

void addLibdevice(TritonLibrary &library, machine::Machine &machine,
                  machine::ModuleObject *module) {
  Registrar libdevice(library, machine, module);
  // These are the device's own names; upstream's module says abs, tl.maximum and so on.
  static constexpr StringLiteral hidden[] = {"fabs", "fmax", "fmin", "powi", "umulhi"};
  for (const tile::LibdeviceFunction &function : tile::getLibdeviceFunctions()) {
    if (is_contained(hidden, function.name))
      continue;
    std::string signature = "(";
    for (unsigned i = 0; i < function.arity; ++i)
      signature += (i ? ", arg" : "arg") + std::to_string(i);
    libdevice.define(function.name, signature + ")",
                     [name = function.name](KernelBuilder &kernel, ArrayRef<PyValue> args) {
                       return kernel.libdevice(name, args);
                     });
  }
}

} // namespace nereid::triton
