// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Interpret.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid::interpreter;

namespace {

TEST(Integer, Arithmetic) {
  expectNumbers(binary("arith.addi", "i32", {1, 2147483647}, {2, 1}), {3, -2147483648.0});
  expectNumbers(binary("arith.addi", "i8", {127, -128}, {1, -1}), {-128, 127});
  expectNumbers(binary("arith.addi", "i1", {1, 1}, {1, 0}), {0, 1});
  expectNumbers(binary("arith.subi", "i64", {1, 0}, {2, -9}), {-1, 9});
  expectNumbers(binary("arith.muli", "i16", {300, -3}, {300, 7}), {24464, -21});
  expectNumbers(binary("arith.muli", "i64", {3037000500.0, -4}, {2, 4}), {6074001000.0, -16});
}

TEST(Integer, DivisionIsOfC) {
  expectNumbers(binary("arith.divsi", "i32", {7, -7, 7, -2147483648.0}, {2, 2, -2, -1}),
                {3, -3, -3, -2147483648.0});
  expectNumbers(binary("arith.remsi", "i32", {7, -7, 7, -7}, {2, 2, -2, -2}), {1, -1, 1, -1});
  expectNumbers(binary("arith.divui", "i8", {-1, 7}, {2, 0}), {127, -1});
  expectNumbers(binary("arith.remui", "i8", {-1, 7}, {16, 0}), {15, 7});
  expectNumbers(binary("arith.floordivsi", "i32", {7, -7, 7, -7}, {2, 2, -2, -2}), {3, -4, -4, 3});
  expectNumbers(binary("arith.ceildivsi", "i32", {7, -7, 7, -7}, {2, 2, -2, -2}), {4, -3, -3, 4});
  expectNumbers(binary("arith.ceildivui", "i32", {7, 8}, {2, 2}), {4, 4});
}

TEST(Integer, BitsAndShifts) {
  expectNumbers(binary("arith.andi", "i32", {12, -1}, {10, 7}), {8, 7});
  expectNumbers(binary("arith.ori", "i32", {12, 0}, {10, 7}), {14, 7});
  expectNumbers(binary("arith.xori", "i1", {1, 1}, {1, 0}), {0, 1});
  expectNumbers(binary("arith.shli", "i32", {1, 1}, {31, 32}), {-2147483648.0, 0});
  expectNumbers(binary("arith.shrui", "i32", {-1, -1}, {28, 40}), {15, 0});
  expectNumbers(binary("arith.shrsi", "i32", {-16, -1}, {2, 40}), {-4, -1});
}

TEST(Integer, Extremes) {
  expectNumbers(binary("arith.maxsi", "i32", {-1, 3}, {1, 2}), {1, 3});
  expectNumbers(binary("arith.minsi", "i32", {-1, 3}, {1, 2}), {-1, 2});
  expectNumbers(binary("arith.maxui", "i32", {-1, 3}, {1, 2}), {-1, 3});
  expectNumbers(binary("arith.minui", "i32", {-1, 3}, {1, 2}), {1, 2});
  expectNumbers(binary("arith.maxsi", "i1", {1, 0}, {0, 0}), {0, 0});
  expectNumbers(binary("arith.maxui", "i1", {1, 0}, {0, 0}), {1, 0});
}

TEST(Integer, ExtendedProducts) {
  expectNumbers(evaluate("i32", "%l, %r = arith.mulsi_extended %a, %b : tensor<2xi32>",
                         {{"i32", {-1, 65536}}, {"i32", {2, 65536}}}),
                {-1, 1});
  expectNumbers(evaluate("i32", "%l, %r = arith.mului_extended %a, %b : tensor<2xi32>",
                         {{"i32", {-1, 65536}}, {"i32", {2, 65536}}}),
                {1, 1});
}

TEST(Integer, OfOne) {
  auto unary = [](const std::string &op, std::vector<double> a) {
    return evaluate("i32", "%r = " + op + " %a : tensor<4xi32>", {{"i32", a}});
  };
  expectNumbers(unary("math.absi", {-5, 5, 0, 1}), {5, 5, 0, 1});
  expectNumbers(unary("math.ctlz", {1, 0, -1, 256}), {31, 32, 0, 23});
  expectNumbers(unary("math.cttz", {1, 0, -2, 256}), {0, 32, 1, 8});
  expectNumbers(unary("math.ctpop", {1, 0, -1, 255}), {1, 0, 32, 8});
}

TEST(Integer, Compare) {
  auto compare = [](const std::string &predicate) {
    return evaluate("i1", "%r = arith.cmpi " + predicate + ", %a, %b : tensor<4xi32>",
                    {{"i32", {-1, 1, 2, 2}}, {"i32", {1, -1, 2, 3}}});
  };
  expectNumbers(compare("eq"), {0, 0, 1, 0});
  expectNumbers(compare("ne"), {1, 1, 0, 1});
  expectNumbers(compare("slt"), {1, 0, 0, 1});
  expectNumbers(compare("sle"), {1, 0, 1, 1});
  expectNumbers(compare("sgt"), {0, 1, 0, 0});
  expectNumbers(compare("sge"), {0, 1, 1, 0});
  expectNumbers(compare("ult"), {0, 1, 0, 1});
  expectNumbers(compare("ule"), {0, 1, 1, 1});
  expectNumbers(compare("ugt"), {1, 0, 0, 0});
  expectNumbers(compare("uge"), {1, 0, 1, 0});
  expectNumbers(evaluate("i1", "%r = arith.cmpi slt, %a, %b : tensor<2xi1>",
                         {{"i1", {1, 0}}, {"i1", {0, 1}}}),
                {1, 0});
}

TEST(Integer, Casts) {
  auto cast = [](const std::string &op, const std::string &from, const std::string &to,
                 std::vector<double> a) {
    std::string n = std::to_string(a.size());
    return evaluate(
        to, "%r = " + op + " %a : tensor<" + n + "x" + from + "> to tensor<" + n + "x" + to + ">",
        {{from, a}});
  };
  expectNumbers(cast("arith.extsi", "i8", "i32", {-1, 5}), {-1, 5});
  expectNumbers(cast("arith.extui", "i8", "i32", {-1, 5}), {255, 5});
  expectNumbers(cast("arith.extsi", "i1", "i32", {1, 0}), {-1, 0});
  expectNumbers(cast("arith.extui", "i1", "i64", {1, 0}), {1, 0});
  expectNumbers(cast("arith.trunci", "i32", "i8", {257, 128}), {1, -128});
  expectNumbers(cast("arith.trunci", "i32", "i1", {2, 3}), {0, 1});
  expectNumbers(cast("arith.sitofp", "i32", "f32", {-1, 16777217}), {-1, 16777216});
  expectNumbers(cast("arith.uitofp", "i32", "f32", {-1, 3}), {4294967296.0, 3});
  expectNumbers(cast("arith.sitofp", "i1", "f32", {1, 0}), {-1, 0});
  expectNumbers(cast("arith.uitofp", "i1", "f16", {1, 0}), {1, 0});
  expectNumbers(cast("arith.sitofp", "i32", "bf16", {257, 259}), {256, 260});
  expectNumbers(cast("arith.fptosi", "f32", "i32", {-1.9, 1e10, -1e10, NAN}),
                {-1, 2147483647, -2147483648.0, 0});
  // Of 16 bits, the narrowest that GPUs convert to, 8 are taken.
  expectNumbers(cast("arith.fptosi", "f32", "i8", {-1.9, 300, -300, 7e4}), {-1, 44, -44, -1});
  expectNumbers(cast("arith.fptosi", "f64", "i64", {-1e30, 1e18}), {-9223372036854775808.0, 1e18});
  expectNumbers(cast("arith.fptoui", "f32", "i8", {-5, 200, 300, 1.5}), {0, -56, 44, 1});
  expectNumbers(cast("arith.bitcast", "f32", "i32", {1.0, 0}), {1065353216, 0});
  expectNumbers(cast("arith.bitcast", "i16", "bf16", {16256, 0}), {1, 0});
}

} // namespace
