// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Interpret.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid::interpreter;

namespace {

std::vector<double> unary(const std::string &op, const std::string &element,
                          std::vector<double> a) {
  std::string n = std::to_string(a.size());
  return evaluate(element, "%r = " + op + " %a : tensor<" + n + "x" + element + ">",
                  {{element, a}});
}

std::vector<double> cast(const std::string &op, const std::string &from, const std::string &to,
                         std::vector<double> a) {
  std::string n = std::to_string(a.size());
  return evaluate(
      to, "%r = " + op + " %a : tensor<" + n + "x" + from + "> to tensor<" + n + "x" + to + ">",
      {{from, a}});
}

TEST(Float, Arithmetic) {
  expectNumbers(binary("arith.addf", "f32", {1, 16777216}, {2, 1}), {3, 16777216});
  expectNumbers(binary("arith.subf", "f64", {1, 0.5}, {2, 1}), {-1, -0.5});
  expectNumbers(binary("arith.mulf", "f16", {3, 300}, {2, 300}), {6, INFINITY});
  expectNumbers(binary("arith.divf", "bf16", {1, 1}, {3, 0}), {0.333984375, INFINITY});
  expectNumbers(binary("arith.addf", "f16", {2048, 1}, {1, 1}), {2048, 2});
  expectNumbers(binary("arith.remf", "f32", {7.5, -7.5}, {2, 2}), {1.5, -1.5});
  expectNumbers(binary("arith.addf", "f8E4M3FN", {1.125, 448}, {0.0625, 448}), {1.25, 448});
  expectNumbers(binary("arith.mulf", "f8E5M2", {3, 0.5}, {1.25, 0.5}), {4, 0.25});
}

TEST(Float, ExtremesAndNan) {
  double nan = NAN;
  expectNumbers(binary("arith.maximumf", "f32", {1, nan, -0.0, 2}, {nan, 1, 0.0, 3}),
                {nan, nan, 0.0, 3});
  expectNumbers(binary("arith.minimumf", "f32", {1, nan, -0.0, 2}, {nan, 1, 0.0, 3}),
                {nan, nan, -0.0, 2});
  expectNumbers(binary("arith.maxnumf", "f32", {1, nan, 5, 2}, {nan, 1, 4, 3}), {1, 1, 5, 3});
  expectNumbers(binary("arith.minnumf", "f16", {1, nan, 5, 2}, {nan, 1, 4, 3}), {1, 1, 4, 2});
  expectNumbers(binary("math.copysign", "f32", {1, -2}, {-0.0, 3}), {-1, 2});
}

TEST(Float, Compare) {
  double nan = NAN;
  auto compare = [&](const std::string &predicate) {
    return evaluate("i1", "%r = arith.cmpf " + predicate + ", %a, %b : tensor<4xf32>",
                    {{"f32", {1, 2, 2, nan}}, {"f32", {2, 1, 2, 1}}});
  };
  expectNumbers(compare("false"), {0, 0, 0, 0});
  expectNumbers(compare("oeq"), {0, 0, 1, 0});
  expectNumbers(compare("ogt"), {0, 1, 0, 0});
  expectNumbers(compare("oge"), {0, 1, 1, 0});
  expectNumbers(compare("olt"), {1, 0, 0, 0});
  expectNumbers(compare("ole"), {1, 0, 1, 0});
  expectNumbers(compare("one"), {1, 1, 0, 0});
  expectNumbers(compare("ord"), {1, 1, 1, 0});
  expectNumbers(compare("ueq"), {0, 0, 1, 1});
  expectNumbers(compare("ugt"), {0, 1, 0, 1});
  expectNumbers(compare("uge"), {0, 1, 1, 1});
  expectNumbers(compare("ult"), {1, 0, 0, 1});
  expectNumbers(compare("ule"), {1, 0, 1, 1});
  expectNumbers(compare("une"), {1, 1, 0, 1});
  expectNumbers(compare("uno"), {0, 0, 0, 1});
  expectNumbers(compare("true"), {1, 1, 1, 1});
  expectNumbers(evaluate("f16", "%r = arith.select %a, %b, %c : tensor<2xi1>, tensor<2xf16>",
                         {{"i1", {1, 0}}, {"f16", {1, 2}}, {"f16", {3, 4}}}),
                {1, 4});
}

TEST(Float, Casts) {
  double nan = NAN, inf = INFINITY;
  expectNumbers(cast("arith.truncf", "f32", "f16",
                     {1.0009765625, 1.00048828125, 65520, 5.9604644775390625e-8}),
                {1.0009765625, 1, inf, 5.9604644775390625e-8});
  expectNumbers(cast("arith.truncf", "f64", "f16", {1.00048828125, 1.00048828126, -65519.99, nan}),
                {1, 1.0009765625, -65504, nan});
  expectNumbers(cast("arith.truncf", "f32", "bf16", {1.00390625, 1.01171875, 3.39e38, -inf}),
                {1, 1.015625, 3.3895313892515355e38, -inf});
  expectNumbers(cast("arith.truncf", "f32", "f8E4M3FN", {0.0009765625, 0.00146484375, 464, -1000}),
                {0, 0.001953125, 448, -448});
  expectNumbers(cast("arith.truncf", "f32", "f8E4M3FN", {nan, inf, 17, 19}), {nan, 448, 16, 20});
  expectNumbers(cast("arith.truncf", "f32", "f8E5M2", {1.125, 1.375, 60000, 1e9}),
                {1, 1.5, 57344, 57344});
  expectNumbers(cast("arith.extf", "f8E5M2", "f32", {0.25, -57344, nan, 0.0000152587890625}),
                {0.25, -57344, nan, 0.0000152587890625});
  expectNumbers(cast("arith.extf", "f16", "f64", {65504, -0.0, 6.103515625e-5, inf}),
                {65504, -0.0, 6.103515625e-5, inf});
  expectNumbers(cast("arith.extf", "bf16", "f32", {1.5, nan}), {1.5, nan});
}

// Every code of a narrow format survives a trip through float.
TEST(Float, NarrowRoundTrip) {
  for (Element element : {Element::F8E4M3, Element::F8E5M2, Element::F16, Element::BF16}) {
    unsigned codes = getBytes(element) == 1 ? 256 : 65536;
    for (unsigned code = 0; code < codes; ++code) {
      float wide;
      uint16_t back = 0, viaDouble = 0;
      widen(element, &code, &wide, 1);
      narrow(element, &wide, &back, 1);
      double full = wide;
      narrow(element, &full, &viaDouble, 1);
      bool isSaturated = getBytes(element) == 1 && std::isinf(wide);
      if (std::isnan(wide) || isSaturated)
        continue;
      EXPECT_EQ(back, code);
      EXPECT_EQ(viaDouble, code);
    }
  }
}

TEST(Float, OfOne) {
  expectNumbers(unary("arith.negf", "f32", {1, -0.0}), {-1, 0.0});
  expectNumbers(unary("math.absf", "bf16", {-1.5, 2}), {1.5, 2});
  expectNumbers(unary("math.sqrt", "f32", {2.25, -1}), {1.5, NAN});
  expectNumbers(unary("math.rsqrt", "f32", {4, 0}), {0.5, INFINITY});
  expectNumbers(unary("math.floor", "f32", {-1.5, 1.5}), {-2, 1});
  expectNumbers(unary("math.ceil", "f32", {-1.5, 1.5}), {-1, 2});
  expectNumbers(unary("math.trunc", "f64", {-1.5, 1.5}), {-1, 1});
  expectNumbers(unary("math.round", "f32", {2.5, -0.5}), {3, -1});
  expectNumbers(unary("math.roundeven", "f32", {2.5, 3.5}), {2, 4});
}

struct MathCase {
  const char *name;
  double (*function)(double);
};

class MathFunction : public testing::TestWithParam<MathCase> {};

TEST_P(MathFunction, AgreesWithTheLibrary) {
  std::vector<double> inputs = {0.25, 0.5, 0.875, 0.0625}, expected;
  for (double input : inputs)
    expected.push_back(GetParam().function(input));
  std::string op = std::string("math.") + GetParam().name;
  expectNumbers(unary(op, "f64", inputs), expected);
  expectNumbers(unary(op, "f32", inputs), expected, 5e-7);
  expectNumbers(unary(op, "f16", inputs), expected, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All, MathFunction,
                         testing::Values(MathCase{"exp", std::exp}, MathCase{"exp2", std::exp2},
                                         MathCase{"expm1", std::expm1}, MathCase{"log", std::log},
                                         MathCase{"log2", std::log2}, MathCase{"log10", std::log10},
                                         MathCase{"log1p", std::log1p}, MathCase{"sin", std::sin},
                                         MathCase{"cos", std::cos}, MathCase{"tan", std::tan},
                                         MathCase{"asin", std::asin}, MathCase{"acos", std::acos},
                                         MathCase{"atan", std::atan}, MathCase{"sinh", std::sinh},
                                         MathCase{"cosh", std::cosh}, MathCase{"tanh", std::tanh},
                                         MathCase{"asinh", std::asinh},
                                         MathCase{"atanh", std::atanh}, MathCase{"erf", std::erf},
                                         MathCase{"erfc", std::erfc}, MathCase{"cbrt", std::cbrt}),
                         [](const testing::TestParamInfo<MathCase> &info) {
                           return std::string(info.param.name);
                         });

TEST(Float, OfSeveral) {
  expectNumbers(binary("math.powf", "f32", {2, 9}, {10, 0.5}), {1024, 3});
  expectNumbers(binary("math.atan2", "f64", {1, 0}, {0, -1}), {std::atan2(1, 0), M_PI});
  expectNumbers(evaluate("f32", "%r = math.fma %a, %b, %c : tensor<2xf32>",
                         {{"f32", {16777217, 2}}, {"f32", {3, 3}}, {"f32", {-50331648, 4}}}),
                {0, 10});
  expectNumbers(
      evaluate("i1", "%r = math.isnan %a : tensor<4xf32>", {{"f32", {NAN, 1, 2, INFINITY}}}),
      {1, 0, 0, 0});
  expectNumbers(
      evaluate("i1", "%r = math.isinf %a : tensor<4xf16>", {{"f16", {NAN, 1, 2, INFINITY}}}),
      {0, 0, 0, 1});
  expectNumbers(evaluate("f32", "%r = math.fpowi %a, %b : tensor<2xf32>, tensor<2xi32>",
                         {{"f32", {2, 3}}, {"i32", {-1, 3}}}),
                {0.5, 27});
  expectNumbers(evaluate("f32", "%r = math.clampf %a to [%b, %c] : tensor<4xf32>",
                         {{"f32", {-1, 0.5, 2, 3}}, {"f32", {0, 0, 0, 4}}, {"f32", {1, 1, 1, 5}}}),
                {0, 0.5, 1, 4});
}

} // namespace
