// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions: those of `tl`, else those of the device library.
#include "emit/KernelTraits.h"
#include "emit/Spelling.h"
#include "emit/TilePrinter.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nereid::emit {

/// The spelling of an operation of the math dialect; empty when there is none.
static llvm::StringRef getFunction(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("math.absf", "tl.abs")
      .Case("math.absi", "tl.abs")
      .Case("math.ceil", "tl.ceil")
      .Case("math.cos", "tl.cos")
      .Case("math.erf", "tl.erf")
      .Case("math.exp", "tl.exp")
      .Case("math.exp2", "tl.exp2")
      .Case("math.floor", "tl.floor")
      .Case("math.fma", "tl.fma")
      .Case("math.log", "tl.log")
      .Case("math.log2", "tl.log2")
      .Case("math.rsqrt", "tl.rsqrt")
      .Case("math.sin", "tl.sin")
      .Case("math.sqrt", "tl.sqrt")
      .Case("math.acos", "libdevice.acos")
      .Case("math.acosh", "libdevice.acosh")
      .Case("math.asin", "libdevice.asin")
      .Case("math.asinh", "libdevice.asinh")
      .Case("math.atan", "libdevice.atan")
      .Case("math.atan2", "libdevice.atan2")
      .Case("math.atanh", "libdevice.atanh")
      .Case("math.cbrt", "libdevice.cbrt")
      .Case("math.copysign", "libdevice.copysign")
      .Case("math.cosh", "libdevice.cosh")
      .Case("math.erfc", "libdevice.erfc")
      .Case("math.expm1", "libdevice.expm1")
      .Case("math.log10", "libdevice.log10")
      .Case("math.log1p", "libdevice.log1p")
      .Case("math.powf", "libdevice.pow")
      .Case("math.round", "libdevice.round")
      .Case("math.roundeven", "libdevice.rint")
      .Case("math.sinh", "libdevice.sinh")
      .Case("math.tan", "libdevice.tan")
      .Case("math.tanh", "libdevice.tanh")
      .Case("math.trunc", "libdevice.trunc")
      .Default({});
}

Operand TilePrinter::renderCall(Operation *op, llvm::StringRef callee) {
  llvm::SmallVector<Operand> operands = getElementwise(op->getOperands());
  llvm::SmallVector<Code> arguments;
  for (auto [operand, value] : llvm::zip_equal(operands, op->getOperands())) {
    operand = toSigned(operand, value.getType());
    // A Python number is taken as float32 or int32, and these functions do not convert.
    Type element = tile::getElementType(value.getType());
    if (operand.literal && !element.isF32() && !element.isInteger(32))
      operand = toFull(operand, value.getType(), false);
    arguments.push_back(operand.code);
  }
  parts.usesLibdevice |= callee.starts_with("libdevice.");
  Operand result = combine(Code::call(callee, arguments), operands);
  result.mayBeKnown = false;
  return result;
}

Operand TilePrinter::renderMath(Operation *op) {
  if (auto library = dyn_cast<tile::LibdeviceOp>(op)) {
    bool isOfLanguage = library.getName() == "div_rn" || library.getName() == "sqrt_rn";
    llvm::StringRef name = library.getName() == "powi" ? "pow" : library.getName();
    return renderCall(op, (isOfLanguage ? "tl." : "libdevice.") + name.str());
  }
  Value first = op->getOperand(0);
  if (isa<math::IsNaNOp>(op) || isa<math::IsInfOp>(op) || isa<math::IsFiniteOp>(op)) {
    Operand operand = toFull(get(first), first.getType(), false);
    if (isHalf(first.getType()))
      operand = cast(operand, Float32Type::get(op->getContext()));
    Code magnitude = Code::call("tl.abs", {operand.code}), infinity = Code::text("float(\"inf\")");
    if (isa<math::IsInfOp>(op))
      return combine(Code::binary("==", Binding::Compare, magnitude, infinity), {operand});
    if (isa<math::IsFiniteOp>(op))
      return combine(Code::binary("<", Binding::Compare, magnitude, infinity), {operand});
    return combine(Code::binary("!=", Binding::Compare, operand.code, operand.code), {operand});
  }
  llvm::StringRef callee = getFunction(op->getName().getStringRef());
  if (callee.empty())
    return refuse(op, "has no spelling in Triton");
  auto complement = dyn_cast<math::ErfcOp>(op);
  if (complement && bitEnumContainsAll(complement.getFastmath(), arith::FastMathFlags::afn) &&
      tile::getElementType(first.getType()).isF32())
    return renderCall(op, getShortErfc());
  Type element = tile::getElementType(first.getType());
  bool takesAny = isa<math::AbsFOp, math::AbsIOp>(op);
  if (!takesAny && !element.isF32() && !element.isF64())
    return refuse(op, "is computed in float32 or float64 by Triton; cast the operand first");
  return renderCall(op, callee);
}

/// The function of the file that computes as much of an erfc as halves show. A division takes eight
/// instructions, six of them for divisors near 0 and infinity, where a root's reciprocal takes one.
std::string TilePrinter::getShortErfc() {
  std::string &name = parts.combinerNames["erfc"];
  if (!name.empty())
    return name;
  name = parts.names.take("_erfc");
  parts.combiners.push_back("@triton.jit\ndef " + name + R"((x):
    """1 - erf(x), to 5e-6 of its size: results of 16 bits show no more."""
    divisor = 1.0 + 0.43 * tl.abs(x)
    t = tl.rsqrt(divisor * divisor)
    sum_1 = (-0.15397107 * t + 0.40878303) * t - 0.01274987
    sum_2 = ((sum_1 * t + 0.28241238) * t + 0.23224796) * t + 0.24328211
    tail = sum_2 * t * tl.exp2(x * x * -1.442695)
    return tl.where(x < 0, 2.0 - tail, tail)
)");
  return name;
}

/// Of matrix units that take TF32 the digits of a float32 which they do not take are lost, not
/// rounded: all errors would have one sign.
Operand TilePrinter::renderTf32(tile::Tf32Op op) {
  std::string &name = parts.combinerNames["tf32"];
  if (name.empty()) {
    name = parts.names.take("_rounded");
    parts.combiners.push_back("@triton.jit\ndef " + name + R"((x, PRECISION: tl.constexpr):
    """The nearest number of 10 binary digits, if products take no more of it."""
    if PRECISION == "tf32":
        bits = x.to(tl.int32, bitcast=True) + 0x1000
        x = tl.where(x == x, (bits & -0x2000).to(tl.float32, bitcast=True), x)
    return x
)");
  }
  return renderLaunched(op, name);
}

/// Halves hold numbers below 2^16, and 11 digits of those from 2^-14 on.
Operand TilePrinter::renderHalfScale(tile::HalfScaleOp op) {
  std::string &name = parts.combinerNames["half_scale"];
  if (name.empty()) {
    name = parts.names.take("_half_scale");
    parts.combiners.push_back("@triton.jit\ndef " + name + R"((greatest, PRECISION: tl.constexpr):
    """The power of 2 that brings numbers up to this one below 2**15, where halves hold them; else 1."""
    if PRECISION == "tf32":
        exponent = greatest.to(tl.int32, bitcast=True) >> 23
        return (tl.minimum(268 - exponent, 253) << 23).to(tl.float32, bitcast=True)
    return tl.zeros_like(greatest) + 1
)");
  }
  return renderLaunched(op, name);
}

/// A call of a helper that goes by the precision of the launch.
Operand TilePrinter::renderLaunched(Operation *op, StringRef helper) {
  Operand operand = toFull(get(op->getOperand(0)), op->getOperand(0).getType(), false);
  Operand result =
      combine(Code::call(helper.str(), {operand.code, Code::text(precisionName.str())}), {operand});
  result.mayBeKnown = false;
  return result;
}

/// The function of the file that draws once for four neighbours. Lanes that hold neighbours draw
/// together: the compiler sees that their counters are equal, by the bits of offsets of which it
/// does not know that they are not negative.
std::string TilePrinter::getSharedDraw(bool isBits) {
  std::string &name = parts.combinerNames[isBits ? "randint4x" : "rand4x"];
  if (!name.empty())
    return name;
  name = parts.names.take(isBits ? "_randint" : "_rand");
  parts.combiners.push_back("@triton.jit\ndef " + name + R"((seed, offsets):
    """Random )" + (isBits ? "words" : "numbers in [0, 1)") +
                            R"(: four neighbours share a draw."""
    a, b, c, d = tl.)" + (isBits ? "randint4x" : "rand4x") +
                            R"((seed, offsets >> 2)
    place = offsets & 3
    return tl.where(place < 2, tl.where(place == 0, a, b), tl.where(place == 2, c, d))
)");
  return name;
}

Operand TilePrinter::renderAssembly(tile::InlineAsmOp op) {
  llvm::SmallVector<Operand> operands = getElementwise(op.getOperands());
  llvm::SmallVector<Code> arguments, types;
  for (auto [operand, value] : llvm::zip_equal(operands, op.getOperands())) {
    operand = toSigned(operand, value.getType());
    Type element = tile::getElementType(value.getType());
    if (operand.literal && !element.isF32() && !element.isInteger(32))
      operand = toFull(operand, value.getType(), false);
    arguments.push_back(operand.code);
  }
  for (Type type : op.getResultTypes())
    types.push_back(Code::text(getTritonDtype(tile::getElementType(type))));
  Operand result =
      combine(Code::call("tl.inline_asm_elementwise",
                         {Code::keyword("asm", Code::text(quote(op.getText()))),
                          Code::keyword("constraints", Code::text(quote(op.getConstraints()))),
                          Code::keyword("args", Code::list(arguments)),
                          Code::keyword("dtype", types.size() == 1 ? types[0] : Code::tuple(types)),
                          Code::keyword("is_pure", Code::text(op.getPure() ? "True" : "False")),
                          Code::keyword("pack", Code::text(std::to_string(op.getPack())))}),
              operands);
  result.mayBeKnown = false;
  return result;
}

Operand TilePrinter::renderRandom(tile::RandomOp op) {
  using Kind = tile::RandomKind;
  Kind kind = op.getKind();
  bool isBits = kind == Kind::Bits || kind == Kind::SharedBits;
  bool isShared = kind == Kind::SharedBits || kind == Kind::SharedUniform;
  std::string callee = isShared                ? getSharedDraw(isBits)
                       : isBits                ? "tl.randint"
                       : kind == Kind::Uniform ? "tl.rand"
                                               : "tl.randn";
  // Every lane of the shape gets a number: offsets that broadcast to it are not enough. Triton
  // takes the offset's type off it, which a Python number has not.
  Operand offset = getExact(op.getOffset());
  if (offset.literal || offset.mayBeKnown)
    offset = toFull(offset, op.getOffset().getType(), true);
  Operand result;
  result.code = Code::call(callee, {get(op.getSeed()).code, offset.code});
  result.shape = getExtents(op.getResult().getType());
  result.isUnsigned = isBits;
  return result;
}

} // namespace nereid::emit
