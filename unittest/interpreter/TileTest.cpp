// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of the tile operators of the shape, compute and program families.
#include "Interpret.h"

#include "mlir/IR/Diagnostics.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid::interpreter;

namespace {

TEST(Shape, RangeAndSplat) {
  expectNumbers(evaluate("i32", "%r = tile.range -1 : tensor<4xi32>", {{"i32", {0, 0, 0, 0}}}),
                {-1, 0, 1, 2});
  expectNumbers(evaluate("f32",
                         "%v = arith.constant 2.5 : f32\n"
                         "%r = tile.splat %v : f32 -> tensor<2xf32>",
                         {{"i32", {0, 0}}}),
                {2.5, 2.5});
  expectNumbers(evaluate("i32", "%r = arith.constant dense<[1, 2, 3, -4]> : tensor<4xi32>",
                         {{"i32", {0, 0, 0, 0}}}),
                {1, 2, 3, -4});
}

TEST(Shape, BroadcastExpandReshape) {
  expectNumbers(evaluate("i32", 8,
                         "%e = tile.expand_dims %a 1 : tensor<2xi32> -> tensor<2x1xi32>\n"
                         "%b0 = tile.broadcast %e : tensor<2x1xi32> -> tensor<2x4xi32>\n"
                         "%r = tile.reshape %b0 : tensor<2x4xi32> -> tensor<8xi32>",
                         {{"i32", {5, 7}}}),
                {5, 5, 5, 5, 7, 7, 7, 7});
  expectNumbers(evaluate("i32", 4,
                         "%e = tile.expand_dims %a 0 : tensor<2xi32> -> tensor<1x2xi32>\n"
                         "%b0 = tile.broadcast %e : tensor<1x2xi32> -> tensor<2x2xi32>\n"
                         "%r0 = tile.relabel %b0 : tensor<2x2xi32> -> "
                         "tensor<2x2xi32, #tile.dims<[\"A\", \"\"]>>\n"
                         "%r = tile.reshape %r0 : tensor<2x2xi32, #tile.dims<[\"A\", \"\"]>> -> "
                         "tensor<4xi32>",
                         {{"i32", {5, 7}}}),
                {5, 7, 5, 7});
}

TEST(Shape, Trans) {
  expectNumbers(evaluate("i32",
                         "%t = tile.reshape %a : tensor<8xi32> -> tensor<2x2x2xi32>\n"
                         "%u = tile.trans %t [2, 0, 1] : tensor<2x2x2xi32> -> tensor<2x2x2xi32>\n"
                         "%r = tile.reshape %u : tensor<2x2x2xi32> -> tensor<8xi32>",
                         {{"i32", {0, 1, 2, 3, 4, 5, 6, 7}}}),
                {0, 2, 4, 6, 1, 3, 5, 7});
}

TEST(Shape, SortMerges) {
  expectNumbers(evaluate("i32", "%r = tile.sort merges %a : tensor<8xi32>",
                         {{"i32", {1, 3, 5, 7, 8, 6, 4, 2}}}),
                {1, 2, 3, 4, 5, 6, 7, 8});
  expectNumbers(evaluate("i64", "%r = tile.sort merges descending %a : tensor<4xi64>",
                         {{"i64", {2, 9, 9, 1}}}),
                {9, 9, 2, 1});
  // What neither rises and falls nor falls and rises comes out as the network makes it.
  expectNumbers(
      evaluate("i32", "%r = tile.sort merges %a : tensor<4xi32>", {{"i32", {4, 1, 3, 2}}}),
      {1, 3, 2, 4});
}

TEST(Shape, JoinSplitCat) {
  expectNumbers(evaluate("f16", 4,
                         "%j = tile.join %a, %b : tensor<2xf16> -> tensor<2x2xf16>\n"
                         "%r = tile.reshape %j : tensor<2x2xf16> -> tensor<4xf16>",
                         {{"f16", {1, 2}}, {"f16", {3, 4}}}),
                {1, 3, 2, 4});
  expectNumbers(evaluate("f32", 2,
                         "%t = tile.reshape %a : tensor<4xf32> -> tensor<2x2xf32>\n"
                         "%l, %h = tile.split %t : tensor<2x2xf32> -> tensor<2xf32>\n"
                         "%r = arith.subf %h, %l : tensor<2xf32>",
                         {{"f32", {1, 10, 2, 30}}}),
                {9, 28});
  expectNumbers(evaluate("f32", 1,
                         "%l, %h = tile.split %a : tensor<2xf32> -> f32\n"
                         "%r = tile.splat %h : f32 -> tensor<1xf32>",
                         {{"f32", {1, 10}}}),
                {10});
  expectNumbers(evaluate("i8", 4,
                         "%r = tile.cat %a, %b : tensor<2xi8>, tensor<2xi8> -> tensor<4xi8>",
                         {{"i8", {1, 2}}, {"i8", {3, 4}}}),
                {1, 2, 3, 4});
}

TEST(Shape, Gather) {
  expectNumbers(evaluate("f32", 4,
                         "%t = tile.reshape %a : tensor<8xf32> -> tensor<2x4xf32>\n"
                         "%i = tile.reshape %b : tensor<4xi32> -> tensor<2x2xi32>\n"
                         "%g = tile.gather %t[%i] 1 : tensor<2x4xf32>[tensor<2x2xi32>] -> "
                         "tensor<2x2xf32>\n"
                         "%r = tile.reshape %g : tensor<2x2xf32> -> tensor<4xf32>",
                         {{"f32", {0, 1, 2, 3, 10, 11, 12, 13}}, {"i32", {3, 0, 1, 1}}}),
                {3, 0, 11, 11});
}

TEST(Compute, Dot) {
  auto dot = [](const std::string &precision, const std::string &element, const std::string &acc,
                std::vector<double> a, std::vector<double> b, std::vector<double> c) {
    auto tile = [](const std::string &e) { return "tensor<2x2x" + e + ">"; };
    auto line = [](const std::string &e) { return "tensor<4x" + e + ">"; };
    return evaluate(acc,
                    "%x = tile.reshape %a : " + line(element) + " -> " + tile(element) +
                        "\n%y = tile.reshape %b : " + line(element) + " -> " + tile(element) +
                        "\n%z = tile.reshape %c : " + line(acc) + " -> " + tile(acc) +
                        "\n%d = tile.dot " + precision + " %x, %y, %z : " + tile(element) + ", " +
                        tile(element) + " -> " + tile(acc) +
                        "\n%r = tile.reshape %d : " + tile(acc) + " -> " + line(acc),
                    {{element, a}, {element, b}, {acc, c}});
  };
  std::vector<double> a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, c = {1, 0, 0, -50};
  std::vector<double> expected = {20, 22, 43, 0};
  expectNumbers(dot("ieee", "f32", "f32", a, b, c), expected);
  expectNumbers(dot("ieee", "f64", "f64", a, b, c), expected);
  expectNumbers(dot("ieee", "f16", "f16", a, b, c), expected);
  expectNumbers(dot("ieee", "bf16", "f32", a, b, c), expected);
  expectNumbers(dot("ieee", "i8", "i32", a, b, c), expected);
  expectNumbers(dot("ieee", "f8E4M3FN", "f32", a, b, c), expected);
  // tf32 reads 1 + 2^-12 as 1.
  expectNumbers(dot("tf32", "f32", "f32", {1.000244140625, 0, 0, 1}, {1, 0, 0, 1}, {0, 0, 0, 0}),
                {1, 0, 0, 1});
  expectNumbers(dot("ieee", "f32", "f32", {1.000244140625, 0, 0, 1}, {1, 0, 0, 1}, {0, 0, 0, 0}),
                {1.000244140625, 0, 0, 1});
}

std::string fold(const std::string &op, int axis, const std::string &type,
                 const std::string &result) {
  return "%f = tile." + op + " " + std::to_string(axis) +
         "(%t) {\n^bb0(%x: f32, %y: f32):\n%s = arith.subf %x, %y : f32\ntile.yield %s : f32\n} "
         ": " +
         type + " -> " + result + "\n";
}

TEST(Compute, ReduceIsABalancedTree) {
  // (a - c) - (b - d) for a subtraction, which tells the order.
  expectNumbers(evaluate("f32", 1,
                         "%t = tile.reshape %a : tensor<4xf32> -> tensor<4xf32>\n" +
                             fold("reduce", 0, "tensor<4xf32>", "f32") +
                             "%r = tile.splat %f : f32 -> tensor<1xf32>",
                         {{"f32", {100, 10, 1, 5}}}),
                {(100 - 1) - (10 - 5)});
  expectNumbers(evaluate("f32", 2,
                         "%t = tile.reshape %a : tensor<4xf32> -> tensor<2x2xf32>\n" +
                             fold("reduce", 0, "tensor<2x2xf32>", "tensor<2xf32>") +
                             "%r = tile.reshape %f : tensor<2xf32> -> tensor<2xf32>",
                         {{"f32", {100, 10, 1, 5}}}),
                {99, 5});
  expectNumbers(evaluate("f32", 2,
                         "%t = tile.reshape %a : tensor<4xf32> -> tensor<2x2xf32>\n" +
                             fold("reduce", 1, "tensor<2x2xf32>", "tensor<2xf32>") +
                             "%r = tile.reshape %f : tensor<2xf32> -> tensor<2xf32>",
                         {{"f32", {100, 10, 1, 5}}}),
                {90, -4});
}

TEST(Compute, ReduceOfPairs) {
  expectNumbers(
      evaluate("i32", 1,
               "%k = tile.range 0 : tensor<4xi32>\n"
               "%v, %i = tile.reduce 0(%a, %k) {\n^bb0(%x: f32, %i0: i32, %y: f32, %i1: "
               "i32):\n%g = arith.cmpf ogt, %x, %y : f32\n"
               "%m = arith.select %g, %x, %y : f32\n%n = arith.select %g, %i0, %i1 : i32\n"
               "tile.yield %m, %n : f32, i32\n} : tensor<4xf32>, tensor<4xi32> -> f32, i32\n"
               "%r = tile.splat %i : i32 -> tensor<1xi32>",
               {{"f32", {1, 7, 3, 5}}}),
      {1});
}

// Division is allowed in a fold although it may fail; what has side effects is refused by name.
TEST(Compute, RegionsAndRefusals) {
  auto kernel = [](const std::string &region) {
    return "func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel} {\n"
           "%t = arith.constant dense<[100, 3, 5, 2]> : tensor<4xi32>\n"
           "%s = tile.reduce 0(%t) {\n^bb0(%x: i32, %y: i32):\n" +
           region +
           "\n} : tensor<4xi32> -> i32\ntile.store %p, %s : !tile.ptr<i32>, i32\nreturn\n}";
  };
  Module good(kernel("%d = arith.divsi %x, %y : i32\ntile.yield %d : i32"));
  Tensor out = good.tensor("out", "i32", {1}, {0});
  EXPECT_TRUE(good.run("k", {out}).succeeded());
  expectNumbers(out.toNumbers(), {(100 / 5) / (3 / 2)});

  auto refusal = [](llvm::StringRef text) {
    Module module(text);
    std::string message;
    mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
      message = diagnostic.str();
      return mlir::success();
    });
    Tensor tensor = module.tensor("out", "i32", {1}, {0});
    EXPECT_TRUE(mlir::failed(runKernel(module.function("k"), {tensor}, {1})));
    return message;
  };
  EXPECT_EQ(refusal(kernel("tile.print \"x\"\ntile.yield %x : i32")),
            "'tile.print' inside the region of 'tile.reduce' cannot be interpreted");
  EXPECT_EQ(refusal("func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel} {\n"
                    "func.call @k(%p) : (!tile.ptr<i32>) -> ()\nreturn\n}"),
            "'func.call' cannot be interpreted");
  EXPECT_EQ(refusal("func.func @k(%n: i32) attributes {tile.kernel} { return }"),
            "argument 'arg0' of 'k' is 'i32', given a tensor");
}

TEST(Compute, ScanBothWays) {
  auto scan = [](const std::string &op, std::vector<double> lanes) {
    return evaluate("f32",
                    "%r = tile." + op +
                        " 0(%a) {\n^bb0(%x: f32, %y: f32):\n%two = arith.constant 2.0 : f32\n"
                        "%d = arith.mulf %x, %two : f32\n%s = arith.addf %d, %y : f32\n"
                        "tile.yield %s : f32\n} : tensor<4xf32> -> tensor<4xf32>",
                    {{"f32", lanes}});
  };
  expectNumbers(scan("scan", {1, 0, 1, 1}), {1, 2, 5, 11});
  expectNumbers(scan("scan reverse", {1, 1, 0, 1}), {11, 5, 2, 1});
}

TEST(Compute, Libdevice) {
  auto call = [](const std::string &name, std::vector<double> lanes) {
    return evaluate("f64",
                    "%r = tile.libdevice \"" + name + "\"(%a) : (tensor<2xf64>) -> tensor<2xf64>",
                    {{"f64", lanes}});
  };
  expectNumbers(call("tanh", {0.5, -1}), {std::tanh(0.5), std::tanh(-1)});
  expectNumbers(call("exp10", {2, -1}), {100, 0.1}, 1e-15);
  expectNumbers(call("erfinv", {std::erf(0.3), std::erf(-1.5)}), {0.3, -1.5}, 1e-13);
  expectNumbers(call("erfcinv", {std::erfc(0.3), std::erfc(5)}), {0.3, 5}, 1e-12);
  expectNumbers(call("erfcx", {1, 30}), {0.42758357615580700, 0.018795888861416751}, 1e-10);
  expectNumbers(call("normcdf", {0, 1.959963984540054}), {0.5, 0.975}, 1e-14);
  expectNumbers(call("normcdfinv", {0.5, 0.975}), {0, 1.959963984540054}, 1e-13);
  expectNumbers(call("rsqrt", {4, 0.25}), {0.5, 2});
  expectNumbers(call("sinpi", {0.5, 2}), {1, 0});
  expectNumbers(call("cospi", {0.5, 2}), {0, 1});
  expectNumbers(
      evaluate(
          "f32",
          "%r = tile.libdevice \"pow\"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
          {{"f32", {2, 9}}, {"f32", {3, 0.5}}}),
      {8, 3});
  expectNumbers(evaluate("i32",
                         "%r = tile.libdevice \"isnan\"(%a) : (tensor<2xf32>) -> tensor<2xi32>",
                         {{"f32", {NAN, 1}}}),
                {1, 0});
  expectNumbers(evaluate("i64",
                         "%r = tile.libdevice \"llrint\"(%a) : (tensor<2xf32>) -> tensor<2xi64>",
                         {{"f32", {2.5, -3.7}}}),
                {2, -4});
  expectNumbers(
      evaluate(
          "f32",
          "%r = tile.libdevice \"ldexp\"(%a, %b) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>",
          {{"f32", {1.5, 3}}, {"i32", {4, -1}}}),
      {24, 1.5});
  expectNumbers(evaluate("i32",
                         "%r = tile.libdevice \"umulhi\"(%a, %b) : (tensor<2xi32>, tensor<2xi32>) "
                         "-> tensor<2xi32>",
                         {{"i32", {-1, 65536}}, {"i32", {-1, 65536}}}),
                {-2, 1});
  expectNumbers(evaluate("i32",
                         "%r = tile.libdevice \"clz\"(%a) : (tensor<2xi32>) -> tensor<2xi32>",
                         {{"i32", {1, 0}}}),
                {31, 32});
}

TEST(Program, IdsAndMeta) {
  Module module(R"(
func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %z = tile.program_id 2
  %nx = tile.num_programs 0
  %ny = tile.num_programs 1
  %b = tile.meta "BLOCK" = 100 : i32
  %t0 = arith.muli %z, %ny : i32
  %t1 = arith.addi %t0, %y : i32
  %t2 = arith.muli %t1, %nx : i32
  %t3 = arith.addi %t2, %x : i32
  %q = tile.addptr %p, %t3 : !tile.ptr<i32>, i32
  %v = arith.addi %t3, %b : i32
  tile.store %q, %v : !tile.ptr<i32>, i32
  return
})");
  Tensor out = module.tensor("out", "i32", {12}, std::vector<double>(12, 0));
  EXPECT_TRUE(module.run("k", {out}, {2, 3, 2}).succeeded());
  expectNumbers(out.toNumbers(), {100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111});
  RunOptions shuffled;
  shuffled.seed = 7;
  Tensor again = module.tensor("out", "i32", {12}, std::vector<double>(12, 0));
  EXPECT_TRUE(module.run("k", {again}, {2, 3, 2}, shuffled).succeeded());
  expectNumbers(again.toNumbers(), out.toNumbers());
}

TEST(Program, PrintAssertAssumeHintBarrier) {
  Module module(R"(
func.func @k(%n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %r = tile.range 0 : tensor<2xi32>
  %h = tile.hint "multiple_of" [16] %n : i32
  tile.barrier
  tile.print "values" %h, %r : i32, tensor<2xi32>
  %ok = arith.cmpi sgt, %h, %zero : i32
  tile.assume %ok
  tile.assert %ok, "n must be positive" : i1
  return
})");
  std::string printed;
  llvm::raw_string_ostream os(printed);
  RunOptions options;
  options.out = &os;
  options.checked = true;
  EXPECT_TRUE(module.run("k", {int64_t(16)}, {1}, options).succeeded());
  EXPECT_EQ(printed, "pid (0, 0, 0) values 16 [0, 1]\n");
  KernelRun run = module.run("k", {int64_t(-1)}, {1}, options);
  ASSERT_EQ(run.findings.size(), 2u);
  EXPECT_EQ(run.findings[0].message, "program (0, 0, 0): a promise (assume) does not hold");
  EXPECT_EQ(run.findings[1].message, "program (0, 0, 0): assertion failed: n must be positive");
}

TEST(Control, Loops) {
  Module module(R"(
func.func @k(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c1) -> (i32, i32) : i32 {
    %s = arith.addi %x, %y : i32
    scf.yield %y, %s : i32, i32
  }
  %w = scf.while (%v = %a) : (i32) -> i32 {
    %g = arith.cmpi slt, %v, %n : i32
    scf.condition(%g) %v : i32
  } do {
  ^bb0(%v: i32):
    %d = arith.muli %v, %c2 : i32
    scf.yield %d : i32
  }
  %even = arith.remsi %n, %c2 : i32
  %isEven = arith.cmpi eq, %even, %c0 : i32
  %picked = scf.if %isEven -> i32 {
    scf.yield %w : i32
  } else {
    %neg = arith.subi %c0, %w : i32
    scf.yield %neg : i32
  }
  scf.if %isEven {
    %q = tile.addptr %p, %c1 : !tile.ptr<i32>, i32
    tile.store %q, %b : !tile.ptr<i32>, i32
  }
  tile.store %p, %picked : !tile.ptr<i32>, i32
  return
})");
  auto run = [&](int64_t n) {
    Tensor out = module.tensor("out", "i32", {2}, {0, 0});
    EXPECT_TRUE(module.run("k", {out, n}).succeeded());
    return out.toNumbers();
  };
  expectNumbers(run(10), {55, 89});
  expectNumbers(run(3), {-4, 0});
  // Nothing grows from 0: the budget of steps ends it.
  RunOptions options;
  options.maxSteps = 10000;
  Module forever(R"(
func.func @k() attributes {tile.kernel} {
  %t = arith.constant true
  scf.while : () -> () {
    scf.condition(%t)
  } do {
    scf.yield
  }
  return
})");
  KernelRun stuck = forever.run("k", {}, {1}, options);
  ASSERT_EQ(stuck.findings.size(), 1u);
  EXPECT_EQ(stuck.findings[0].kind, FindingKind::Stuck);
}

} // namespace
