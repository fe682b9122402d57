// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the pointwise operators. Their forms are PyTorch's, so that they agree with it at kinks,
// at 0 and at infinities too.
#include "autodiff/Rules.h"

#include <cmath>

using namespace mlir;

namespace nereid::autodiff {
namespace {

constexpr double ln2 = 0.693147180559945309417;
constexpr double ln10 = 2.302585092994045684018;
constexpr double pi = 3.14159265358979323846;
constexpr double twoBySqrtPi = 1.12837916709551257390;

/// A rule of one operand: the operand's gradient from g, the operand and the result.
using UnaryForm = Value (*)(GradientWriter &w, Value g, Value x, Value y);
template <UnaryForm form> void unaryRule(Operation *op, Value g, Reverse &r) {
  r.add(op->getOperand(0), form(r.writer, g, op->getOperand(0), op->getResult(0)));
}

/// The derivative of lgamma: shifted beyond 10, where its series holds; reflected below 0.
Value digamma(GradientWriter &w, Value x) {
  Value negative = w.test("lt", x, 0.0);
  Value z = w.where(negative, w.binary("sub", 1.0, x), x);
  Value small = w.test("lt", z, 10.0);
  Value shifted;
  for (int k = 0; k < 10; ++k)
    shifted = w.add(shifted, w.binary("div", 1.0, w.binary("add", z, double(k))));
  Value large = w.where(small, w.binary("add", z, 10.0), z);
  Value inverse = w.binary("div", 1.0, w.mul(large, large));
  static constexpr double series[] = {8.33333333333333333333e-2, -8.33333333333333333333e-3,
                                      3.96825396825396825397e-3, -4.16666666666666666667e-3,
                                      7.57575757575757575758e-3, -2.10927960927960927961e-2,
                                      8.33333333333333333333e-2};
  Value tail = w.like(x, series[6]);
  for (int k = 5; k >= 0; --k)
    tail = w.binary("add", w.mul(tail, inverse), series[k]);
  tail = w.mul(tail, inverse);
  Value result = w.binary("sub", w.unary("log", large), w.binary("div", 0.5, large));
  result = w.binary("sub", result, tail);
  // The series has no value at infinity times zero.
  result = w.where(w.test("isinf", large), large, result);
  result = w.binary("sub", result, w.where(small, shifted, Value()));
  // From the nearest whole number: near to one the tangent is as exact as this difference.
  Value fraction = w.binary("sub", x, w.unary("round", x));
  Value turn = w.binary("div", pi, w.unary("tan", w.mul(fraction, pi)));
  Value reflected =
      w.where(w.test("eq", fraction, 0.0), w.like(x, std::nan("")), w.binary("sub", result, turn));
  result = w.where(negative, reflected, result);
  Value pole = w.binary("copysign", w.like(x, INFINITY), w.neg(x));
  return w.where(w.test("eq", x, 0.0), pole, result);
}

void divRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (r.wants(a))
    r.add(a, w.div(g, b));
  if (r.wants(b))
    r.add(b, w.mul(w.neg(g), w.div(op->getResult(0), b)));
}

void mulRule(Operation *op, Value g, Reverse &r) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (r.wants(a))
    r.add(a, r.writer.mul(g, b));
  if (r.wants(b))
    r.add(b, r.writer.mul(g, a));
}

void addRule(Operation *op, Value g, Reverse &r) {
  r.add(op->getOperand(0), g);
  r.add(op->getOperand(1), g);
}

void subRule(Operation *op, Value g, Reverse &r) {
  r.add(op->getOperand(0), g);
  if (r.wants(op->getOperand(1)))
    r.add(op->getOperand(1), r.writer.neg(g));
}

/// remainder and fmod: the quotient is a constant between its jumps.
template <bool floors> void remainderRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  Value a = op->getOperand(0), b = op->getOperand(1);
  r.add(a, g);
  if (r.wants(b))
    r.add(b, w.mul(w.neg(g), w.binary(floors ? "floordiv" : "truncdiv", a, b)));
}

void powRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (r.wants(a)) {
    Value slope = w.mul(b, w.binary("pow", a, w.binary("sub", b, 1.0)));
    r.add(a, w.where(w.test("eq", b, 0.0), Value(), w.mul(g, slope)));
  }
  if (r.wants(b)) {
    Value slope = w.mul(op->getResult(0), w.unary("log", a));
    Value flat = w.binary("and", w.test("eq", a, 0.0), w.test("ge", b, 0.0));
    r.add(b, w.mul(g, w.where(flat, Value(), slope)));
  }
}

void atan2Rule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  Value a = op->getOperand(0), b = op->getOperand(1);
  Value square = w.add(w.mul(a, a), w.mul(b, b));
  // At the origin the angle has no direction: the gradient is 0.
  Value inverse = w.where(w.test("eq", square, 0.0), Value(), w.binary("div", 1.0, square));
  if (r.wants(a))
    r.add(a, w.mul(w.mul(g, b), inverse));
  if (r.wants(b))
    r.add(b, w.mul(w.mul(g, w.neg(a)), inverse));
}

void copysignRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  Value a = op->getOperand(0);
  if (r.wants(a))
    r.add(a, w.mul(g, w.where(w.test("eq", a, 0.0), Value(), w.div(op->getResult(0), a))));
}

/// A step that is as good as none; what is equal takes none, and has PyTorch's gradient of 0.
void nextafterRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  Value a = op->getOperand(0);
  if (r.wants(a))
    r.add(a, w.where(w.test("eq", a, op->getOperand(1)), Value(), g));
}

/// maximum (`lost` is lt) and minimum (gt): half to each at a tie.
template <bool greatest> void extremeRule(Operation *op, Value g, Reverse &r) {
  GradientWriter &w = r.writer;
  Value a = op->getOperand(0), b = op->getOperand(1);
  Value shared = w.where(w.test("eq", a, b), w.binary("div", g, 2.0), g);
  auto part = [&](Value own, Value other) {
    if (r.wants(own))
      r.add(own, w.where(w.test(greatest ? "lt" : "gt", own, other), Value(), shared));
  };
  part(a, b);
  part(b, a);
}

void whereRule(Operation *op, Value g, Reverse &r) {
  Value condition = op->getOperand(0);
  if (r.wants(op->getOperand(1)))
    r.add(op->getOperand(1),
          r.writer.where(condition, g, Value(), cast<graph::WhereOp>(op).getHides()));
  if (r.wants(op->getOperand(2)))
    r.add(op->getOperand(2), r.writer.where(condition, Value(), g));
}

/// A cast back. A gradient that passes a narrow value is as narrow, unless the value itself may be
/// left wide.
void castRule(Operation *op, Value g, Reverse &r) {
  Value input = op->getOperand(0);
  bool elidable = cast<graph::CastOp>(op).getElidable();
  Type narrow = GradientWriter::typeOf(op->getResult(0)).getElementType();
  Type element = gradientElement(GradientWriter::typeOf(input).getElementType());
  g = r.writer.cast(g, narrow, elidable);
  r.add(input, r.writer.cast(g, element,
                             elidable && element != narrow &&
                                 element.getIntOrFloatBitWidth() < narrow.getIntOrFloatBitWidth()));
}

using W = GradientWriter;
Value ofNeg(W &w, Value g, Value, Value) { return w.neg(g); }
Value ofAbs(W &w, Value g, Value x, Value) { return w.mul(g, w.unary("sign", x)); }
Value ofExp(W &w, Value g, Value, Value y) { return w.mul(g, y); }
Value ofExp2(W &w, Value g, Value, Value y) { return w.mul(w.mul(g, y), ln2); }
Value ofExpm1(W &w, Value g, Value, Value y) { return w.mul(g, w.binary("add", y, 1.0)); }
Value ofLog(W &w, Value g, Value x, Value) { return w.div(g, x); }
Value ofLog2(W &w, Value g, Value x, Value) { return w.div(g, w.mul(x, ln2)); }
Value ofLog10(W &w, Value g, Value x, Value) { return w.div(g, w.mul(x, ln10)); }
Value ofLog1p(W &w, Value g, Value x, Value) { return w.div(g, w.binary("add", x, 1.0)); }
Value ofSqrt(W &w, Value g, Value, Value y) { return w.div(g, w.mul(y, 2.0)); }
Value ofTf32(W &, Value g, Value, Value) { return g; }
Value ofRsqrt(W &w, Value g, Value, Value y) {
  return w.mul(w.mul(g, -0.5), w.mul(y, w.mul(y, y)));
}
Value ofSin(W &w, Value g, Value x, Value) { return w.mul(g, w.unary("cos", x)); }
Value ofCos(W &w, Value g, Value x, Value) { return w.mul(g, w.neg(w.unary("sin", x))); }
Value ofTan(W &w, Value g, Value, Value y) { return w.mul(g, w.binary("add", w.mul(y, y), 1.0)); }
/// 1 - x^2 under a root.
Value inverseRoot(W &w, Value x) { return w.unary("rsqrt", w.binary("sub", 1.0, w.mul(x, x))); }
Value ofAsin(W &w, Value g, Value x, Value) { return w.mul(g, inverseRoot(w, x)); }
Value ofAcos(W &w, Value g, Value x, Value) { return w.mul(g, w.neg(inverseRoot(w, x))); }
Value ofAtan(W &w, Value g, Value x, Value) { return w.div(g, w.binary("add", w.mul(x, x), 1.0)); }
Value ofSinh(W &w, Value g, Value x, Value) { return w.mul(g, w.unary("cosh", x)); }
Value ofCosh(W &w, Value g, Value x, Value) { return w.mul(g, w.unary("sinh", x)); }
Value ofTanh(W &w, Value g, Value, Value y) { return w.mul(g, w.binary("sub", 1.0, w.mul(y, y))); }
Value ofAsinh(W &w, Value g, Value x, Value) {
  return w.mul(g, w.unary("rsqrt", w.binary("add", w.mul(x, x), 1.0)));
}
Value ofAcosh(W &w, Value g, Value x, Value) {
  return w.mul(g, w.unary("rsqrt", w.binary("sub", w.mul(x, x), 1.0)));
}
Value ofAtanh(W &w, Value g, Value x, Value) { return w.div(g, w.binary("sub", 1.0, w.mul(x, x))); }
Value ofErf(W &w, Value g, Value x, Value) {
  return w.mul(w.mul(w.unary("exp", w.neg(w.mul(x, x))), twoBySqrtPi), g);
}
Value ofErfc(W &w, Value g, Value x, Value) {
  return w.mul(w.mul(w.unary("exp", w.neg(w.mul(x, x))), -twoBySqrtPi), g);
}
Value ofLgamma(W &w, Value g, Value x, Value) { return w.mul(g, digamma(w, x)); }

constexpr StringLiteral steps = "constant between its steps: the gradient is zero";
constexpr StringLiteral truth = "the result is bool";
constexpr StringLiteral bits = "of integers only";

constexpr RuleEntry pointwiseTable[] = {
    {"neg", unaryRule<ofNeg>},
    {"abs", unaryRule<ofAbs>},
    {"exp", unaryRule<ofExp>},
    {"exp2", unaryRule<ofExp2>},
    {"expm1", unaryRule<ofExpm1>},
    {"log", unaryRule<ofLog>},
    {"log2", unaryRule<ofLog2>},
    {"log10", unaryRule<ofLog10>},
    {"log1p", unaryRule<ofLog1p>},
    {"sqrt", unaryRule<ofSqrt>},
    {"rsqrt", unaryRule<ofRsqrt>},
    {"tf32", unaryRule<ofTf32>},
    {"sin", unaryRule<ofSin>},
    {"cos", unaryRule<ofCos>},
    {"tan", unaryRule<ofTan>},
    {"asin", unaryRule<ofAsin>},
    {"acos", unaryRule<ofAcos>},
    {"atan", unaryRule<ofAtan>},
    {"sinh", unaryRule<ofSinh>},
    {"cosh", unaryRule<ofCosh>},
    {"tanh", unaryRule<ofTanh>},
    {"asinh", unaryRule<ofAsinh>},
    {"acosh", unaryRule<ofAcosh>},
    {"atanh", unaryRule<ofAtanh>},
    {"erf", unaryRule<ofErf>},
    {"erfc", unaryRule<ofErfc>},
    {"lgamma", unaryRule<ofLgamma>},
    {"add", addRule},
    {"sub", subRule},
    {"mul", mulRule},
    {"div", divRule},
    {"remainder", remainderRule<true>},
    {"fmod", remainderRule<false>},
    {"pow", powRule},
    {"atan2", atan2Rule},
    {"copysign", copysignRule},
    {"maximum", extremeRule<true>},
    {"minimum", extremeRule<false>},
    {"where", whereRule},
    {"cast", castRule},
    {"sign", nullptr, steps},
    {"floor", nullptr, steps},
    {"ceil", nullptr, steps},
    {"trunc", nullptr, steps},
    {"round", nullptr, steps},
    {"floordiv", nullptr, steps},
    {"truncdiv", nullptr, steps},
    {"nextafter", nextafterRule},
    {"not", nullptr, bits},
    {"and", nullptr, bits},
    {"or", nullptr, bits},
    {"xor", nullptr, bits},
    {"shl", nullptr, bits},
    {"shr", nullptr, bits},
    {"eq", nullptr, truth},
    {"ne", nullptr, truth},
    {"lt", nullptr, truth},
    {"le", nullptr, truth},
    {"gt", nullptr, truth},
    {"ge", nullptr, truth},
    {"isnan", nullptr, truth},
    {"isinf", nullptr, truth},
    {"order", nullptr, "the result is integers"},
};

} // namespace

ArrayRef<RuleEntry> pointwiseRules() { return pointwiseTable; }

} // namespace nereid::autodiff
