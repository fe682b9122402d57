// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Interpret.h"

#include "mlir/IR/Diagnostics.h"

#include "gtest/gtest.h"

using namespace nereid::interpreter;

namespace {

/// A kernel that scales a row-major array, and a host program around it.
const char *scaleModule = R"mlir(
func.func @scale(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<f32>, %n: i32, %f: f32)
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.configs = [#tile.config<{BLOCK = 4 : i64}, 4, 3>]} {
  %b = tile.meta "BLOCK" = 8 : i32
  %pid = tile.program_id 0
  %base = arith.muli %pid, %b : i32
  %r = tile.range 0 : tensor<8xi32, #tile.dims<["BLOCK"]>>
  %bs = tile.splat %base : i32 -> tensor<8xi32, #tile.dims<["BLOCK"]>>
  %o = arith.addi %bs, %r : tensor<8xi32, #tile.dims<["BLOCK"]>>
  %ns = tile.splat %n : i32 -> tensor<8xi32, #tile.dims<["BLOCK"]>>
  %m = arith.cmpi slt, %o, %ns : tensor<8xi32, #tile.dims<["BLOCK"]>>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
  %xp = tile.addptr %xs, %o : tensor<8x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<8xi32, #tile.dims<["BLOCK"]>>
  %v = tile.load %xp mask %m : tensor<8xi1, #tile.dims<["BLOCK"]>> : tensor<8x!tile.ptr<f32>, #tile.dims<["BLOCK"]>> -> tensor<8xf32, #tile.dims<["BLOCK"]>>
  %fs = tile.splat %f : f32 -> tensor<8xf32, #tile.dims<["BLOCK"]>>
  %w = arith.mulf %v, %fs : tensor<8xf32, #tile.dims<["BLOCK"]>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
  %yp = tile.addptr %ys, %o : tensor<8x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<8xi32, #tile.dims<["BLOCK"]>>
  tile.store %yp, %w mask %m : tensor<8xi1, #tile.dims<["BLOCK"]>> : tensor<8x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<8xf32, #tile.dims<["BLOCK"]>>
  return
}
func.func @program(%x: !host.tensor<[M, N] x f32, [x_s0, x_s1]> {host.name = "x"}, %a: f64)
    -> !host.tensor<[M, N] x f32, [N, 1]>
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>]} {
  host.check <"N >= 2">, "x must have two columns"
  %c = host.contiguous %x : !host.tensor<[M, N] x f32, [x_s0, x_s1]> -> !host.tensor<[M, N] x f32, [N, 1]>
  %y = host.empty -> !host.tensor<[M, N] x f32, [N, 1]>
  %n = host.size <"M * N">
  %two = arith.constant 2.0 : f64
  %d = arith.mulf %a, %two : f64
  %s = math.sqrt %d : f64
  host.launch @scale grid [#sym.expr<"cdiv(M*N, BLOCK)">] (%c, %y, %n, %s) meta {} : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[M, N] x f32, [N, 1]>, i64, f64
  return %y : !host.tensor<[M, N] x f32, [N, 1]>
}
)mlir";

TEST(Host, ContiguousEmptyLaunch) {
  Module module(scaleModule);
  Tensor x = module.tensor("x", "f32", {2, 3}, {0, 1, 2, 3, 4, 5});
  for (bool check : {false, true}) {
    RunOptions options;
    options.checked = check;
    HostRun run = module.runHost("program", {x, 8.0}, options);
    ASSERT_TRUE(run.succeeded());
    EXPECT_EQ(run.launches, 1u);
    expectNumbers(std::get<Tensor>(run.results[0]).toNumbers(), {0, 4, 8, 12, 16, 20});
  }
  Tensor transposed = x;
  transposed.sizes = {3, 2};
  transposed.strides = {1, 3};
  HostRun run = module.runHost("program", {transposed, 0.5});
  expectNumbers(std::get<Tensor>(run.results[0]).toNumbers(), {0, 3, 1, 4, 2, 5});
}

TEST(Host, CheckFailsWithItsMessage) {
  Module module(scaleModule);
  Tensor x = module.tensor("x", "f32", {3, 1}, {0, 1, 2});
  HostRun run = module.runHost("program", {x, 1.0});
  EXPECT_EQ(run.failedCheck, "x must have two columns");
  EXPECT_EQ(run.launches, 0u);
  EXPECT_TRUE(run.results.empty());
}

TEST(Host, EmptyTensorRunsNothing) {
  Module module(scaleModule);
  Tensor x = module.tensor("x", "f32", {0, 3}, {});
  HostRun run = module.runHost("program", {x, 1.0});
  ASSERT_TRUE(run.succeeded());
  EXPECT_EQ(std::get<Tensor>(run.results[0]).getNumElements(), 0);
}

TEST(Host, IfViewFullAssign) {
  Module module(R"mlir(
func.func @program(%x: !host.tensor<[M, N] x f32, [N, 1]>, %flag: i1) -> (!host.tensor<[N] x f32, [1]>, i64, i1)
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>]} {
  %row = host.view %x offset <"N * (M - 1)"> : !host.tensor<[M, N] x f32, [N, 1]> -> !host.tensor<[N] x f32, [1]>
  %r = host.if %flag -> !host.tensor<[N] x f32, [1]> {
    %v = arith.constant 7.5 : f64
    %f = host.full %v : f64 -> !host.tensor<[N] x f32, [1]>
    host.assign %row, %f : !host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>
    host.yield %f : !host.tensor<[N] x f32, [1]>
  } else {
    host.yield %row : !host.tensor<[N] x f32, [1]>
  }
  %n = host.size <"M // 2">
  %square = host.cond <"M == N">
  return %r, %n, %square : !host.tensor<[N] x f32, [1]>, i64, i1
})mlir");
  Tensor x = module.tensor("x", "f32", {3, 2}, {0, 1, 2, 3, 4, 5});
  HostRun kept = module.runHost("program", {x, int64_t(0)});
  expectNumbers(std::get<Tensor>(kept.results[0]).toNumbers(), {4, 5});
  EXPECT_EQ(std::get<int64_t>(kept.results[1]), 1);
  EXPECT_EQ(std::get<int64_t>(kept.results[2]), 0);
  HostRun filled = module.runHost("program", {x, int64_t(1)});
  expectNumbers(std::get<Tensor>(filled.results[0]).toNumbers(), {7.5, 7.5});
  expectNumbers(x.toNumbers(), {0, 1, 2, 3, 7.5, 7.5});
}

TEST(Host, ArmsOfOtherStrides) {
  Module module(R"mlir(
func.func @program(%x: !host.tensor<[M, N] x f32, [s0, s1]>, %flag: i1) -> (!host.tensor<[M, N] x f32, [z0, z1]>, i64)
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>]} {
  %z = host.if %flag -> !host.tensor<[M, N] x f32, [z0, z1]> {
    %c = host.contiguous %x : !host.tensor<[M, N] x f32, [s0, s1]> -> !host.tensor<[M, N] x f32, [N, 1]>
    host.yield %c : !host.tensor<[M, N] x f32, [N, 1]>
  } else {
    host.yield %x : !host.tensor<[M, N] x f32, [s0, s1]>
  }
  %s = host.size <"z1">
  return %z, %s : !host.tensor<[M, N] x f32, [z0, z1]>, i64
})mlir");
  Tensor x = makeEmpty("x", module.type("f32"), {3, 2}, {1, 3}, false);
  EXPECT_EQ(std::get<int64_t>(module.runHost("program", {x, int64_t(0)}).results[1]), 3);
  EXPECT_EQ(std::get<int64_t>(module.runHost("program", {x, int64_t(1)}).results[1]), 1);
}

TEST(Host, AsContiguousDependsOnTheTensor) {
  Module module(R"mlir(
func.func @program(%x: !host.tensor<[M, N] x f32, [s0, s1]>) -> !host.tensor<[M, N] x f32, [N, 1]>
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>]} {
  %c = host.as_contiguous %x : !host.tensor<[M, N] x f32, [s0, s1]> -> !host.tensor<[M, N] x f32, [N, 1]>
  return %c : !host.tensor<[M, N] x f32, [N, 1]>
})mlir");
  // The stride of an axis of extent 1 does not matter.
  Tensor column = makeEmpty("x", module.type("f32"), {3, 1}, {1, 3}, false);
  HostRun run = module.runHost("program", {column});
  EXPECT_EQ(std::get<Tensor>(run.results[0]).strides, (llvm::SmallVector<int64_t>{1, 1}));
  Tensor strided = makeEmpty("x", module.type("f32"), {3, 2}, {1, 3}, false);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    message = diagnostic.str();
    return mlir::success();
  });
  EXPECT_TRUE(mlir::failed(runHost(module.function("program"), {strided})));
  EXPECT_EQ(message, "'x' is not contiguous");
}

TEST(Host, EmptyLikeTakesTheOrderOfStrides) {
  Module module(R"mlir(
func.func @program(%x: !host.tensor<[A, B, C] x f32, [s0, s1, s2]>) -> (!host.tensor<[A, B, C] x f32, [o0, o1, o2]>, i1, i64)
    attributes {host.program, host.symbols = [#host.symbol<"A", size, 0, 0>, #host.symbol<"B", size, 0, 1>, #host.symbol<"C", size, 0, 2>]} {
  %y = host.empty like %x : !host.tensor<[A, B, C] x f32, [s0, s1, s2]> -> !host.tensor<[A, B, C] x f32, [o0, o1, o2]>
  %c = host.is_contiguous %x : !host.tensor<[A, B, C] x f32, [s0, s1, s2]>
  %s = host.size <"o0">
  return %y, %c, %s : !host.tensor<[A, B, C] x f32, [o0, o1, o2]>, i1, i64
})mlir");
  Tensor x = makeEmpty("x", module.type("f32"), {2, 3, 4}, {1, 8, 2}, false);
  HostRun run = module.runHost("program", {x});
  EXPECT_EQ(std::get<Tensor>(run.results[0]).strides, (llvm::SmallVector<int64_t>{1, 8, 2}));
  EXPECT_EQ(std::get<int64_t>(run.results[1]), 0);
  EXPECT_EQ(std::get<int64_t>(run.results[2]), 1);
  Tensor dense = makeEmpty("x", module.type("f32"), {2, 3, 4}, {12, 4, 1}, false);
  HostRun straight = module.runHost("program", {dense});
  EXPECT_EQ(std::get<Tensor>(straight.results[0]).strides, (llvm::SmallVector<int64_t>{12, 4, 1}));
  EXPECT_EQ(std::get<int64_t>(straight.results[1]), 1);
}

} // namespace
