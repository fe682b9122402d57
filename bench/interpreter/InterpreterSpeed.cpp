// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the interpreter on a vector add of 2^24 elements and a 512^3 matrix product of float32,
// checks the results, and exits 1 when one is wrong or takes more than 2 s.
#include "interpreter/Interpreter.h"

#include "tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace nereid::interpreter;

static const char *kernels = R"mlir(
func.func @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %o: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %block = arith.constant 1024 : i32
  %pid = tile.program_id 0
  %base = arith.muli %pid, %block : i32
  %r = tile.range 0 : tensor<1024xi32>
  %bs = tile.splat %base : i32 -> tensor<1024xi32>
  %offs = arith.addi %bs, %r : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %offs, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %xv = tile.load %xp mask %m : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %yv = tile.load %yp mask %m : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %s = arith.addf %xv, %yv : tensor<1024xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %op = tile.addptr %os, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %op, %s mask %m : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
func.func @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m0 = arith.muli %pm, %c64 : i32
  %n0 = arith.muli %pn, %c64 : i32
  %r64 = tile.range 0 : tensor<64xi32>
  %r32 = tile.range 0 : tensor<32xi32>
  %m0s = tile.splat %m0 : i32 -> tensor<64xi32>
  %n0s = tile.splat %n0 : i32 -> tensor<64xi32>
  %ms = arith.addi %m0s, %r64 : tensor<64xi32>
  %ns = arith.addi %n0s, %r64 : tensor<64xi32>
  %ns64 = tile.splat %n : i32 -> tensor<64xi32>
  %rowsA = arith.muli %ms, %ns64 : tensor<64xi32>
  %rowsA1 = tile.expand_dims %rowsA 1 : tensor<64xi32> -> tensor<64x1xi32>
  %cols1 = tile.expand_dims %ns 0 : tensor<64xi32> -> tensor<1x64xi32>
  %acc = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %zero) -> tensor<64x64xf32> : i32 {
    %ks = tile.splat %k : i32 -> tensor<32xi32>
    %kk = arith.addi %ks, %r32 : tensor<32xi32>
    %kc = tile.expand_dims %kk 0 : tensor<32xi32> -> tensor<1x32xi32>
    %ra = tile.broadcast %rowsA1 : tensor<64x1xi32> -> tensor<64x32xi32>
    %ca = tile.broadcast %kc : tensor<1x32xi32> -> tensor<64x32xi32>
    %oa = arith.addi %ra, %ca : tensor<64x32xi32>
    %as = tile.splat %a : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
    %pa = tile.addptr %as, %oa : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
    %ta = tile.load %pa : tensor<64x32x!tile.ptr<f32>> -> tensor<64x32xf32>
    %n32 = tile.splat %n : i32 -> tensor<32xi32>
    %rowsB = arith.muli %kk, %n32 : tensor<32xi32>
    %rb1 = tile.expand_dims %rowsB 1 : tensor<32xi32> -> tensor<32x1xi32>
    %rb = tile.broadcast %rb1 : tensor<32x1xi32> -> tensor<32x64xi32>
    %cb = tile.broadcast %cols1 : tensor<1x64xi32> -> tensor<32x64xi32>
    %ob = arith.addi %rb, %cb : tensor<32x64xi32>
    %bs = tile.splat %b : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
    %pb = tile.addptr %bs, %ob : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
    %tb = tile.load %pb : tensor<32x64x!tile.ptr<f32>> -> tensor<32x64xf32>
    %next = tile.dot ieee %ta, %tb, %sum : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %rc = tile.broadcast %rowsA1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %cc = tile.broadcast %cols1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %oc = arith.addi %rc, %cc : tensor<64x64xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pc = tile.addptr %cs, %oc : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %pc, %acc : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}
)mlir";

/// Runs a kernel, prints its time; false when it failed or took too long.
static bool runTimed(ModuleOp module, llvm::StringRef name, llvm::ArrayRef<HostValue> arguments,
                     llvm::ArrayRef<int64_t> grid) {
  auto kernel = module.lookupSymbol<func::FuncOp>(name);
  auto start = std::chrono::steady_clock::now();
  FailureOr<KernelRun> run = runKernel(kernel, arguments, grid);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  llvm::outs() << llvm::format("%-8s %.3f s\n", name.str().c_str(), seconds.count());
  return succeeded(run) && run->succeeded() && seconds.count() <= 2;
}

static bool timeAdd(ModuleOp module, Type f32) {
  int64_t n = int64_t(1) << 24;
  Tensor x = makeTensor("x", f32, {n}), y = makeTensor("y", f32, {n}),
         o = makeTensor("o", f32, {n});
  auto *xs = reinterpret_cast<float *>(x.storage->bytes.data());
  auto *ys = reinterpret_cast<float *>(y.storage->bytes.data());
  for (int64_t i = 0; i < n; ++i) {
    xs[i] = static_cast<float>(i % 1000);
    ys[i] = 0.5f;
  }
  bool good = runTimed(module, "add", {x, y, o, n}, {n / 1024});
  const auto *sums = reinterpret_cast<const float *>(o.storage->bytes.data());
  for (int64_t i = 0; i < n; ++i)
    good &= sums[i] == xs[i] + ys[i];
  return good;
}

static bool timeMatmul(ModuleOp module, Type f32) {
  int64_t n = 512;
  Tensor a = makeTensor("a", f32, {n, n}), b = makeTensor("b", f32, {n, n});
  Tensor c = makeTensor("c", f32, {n, n});
  auto *as = reinterpret_cast<float *>(a.storage->bytes.data());
  auto *bs = reinterpret_cast<float *>(b.storage->bytes.data());
  for (int64_t i = 0; i < n * n; ++i) {
    as[i] = static_cast<float>(i % 7);
    bs[i] = static_cast<float>(i % 5);
  }
  bool good = runTimed(module, "matmul", {a, b, c, n}, {n / 64, n / 64});
  for (int64_t i = 0; i < n; i += 37)
    for (int64_t j = 0; j < n; j += 41) {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k)
        sum += static_cast<double>(as[i * n + k]) * bs[k * n + j];
      good &= c.get(i * n + j) == sum;
    }
  return good;
}

int main() {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect, func::FuncDialect,
                      nereid::tile::TileDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kernels, &context);
  if (!module)
    return 1;
  Type f32 = Float32Type::get(&context);
  bool good = timeAdd(*module, f32);
  good &= timeMatmul(*module, f32);
  return good ? 0 : 1;
}
