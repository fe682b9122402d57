// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of bodies of a kernel: which are one computation, and which differ in what may only seem
// small.
#include "upgrade/SameIr.h"

#include "frontend/triton/TritonFrontend.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "gtest/gtest.h"

using namespace nereid;
using namespace nereid::upgrade;

namespace {

class SameIr : public ::testing::Test {
protected:
  mlir::OwningOpRef<mlir::ModuleOp> compile(llvm::StringRef body) {
    std::string text = "import triton\nimport triton.language as tl\n@triton.jit\n"
                       "def k(x, y, n, m, s):\n";
    while (!body.empty()) {
      auto [line, rest] = body.split('\n');
      text += "    " + line.str() + "\n";
      body = rest;
    }
    Diagnostics diagnostics;
    auto file = triton::TritonFile::read(std::make_shared<SourceFile>("k.py", text), diagnostics);
    triton::KernelRequest request;
    request.kernel = "k";
    request.signature = {{"x", "*fp32"}, {"y", "*fp32"}, {"n", "i32"}, {"m", "i32"}, {"s", "i32"}};
    auto module = file->importKernel(context, request, diagnostics);
    std::string problems;
    llvm::raw_string_ostream os(problems);
    diagnostics.print(os, false);
    EXPECT_TRUE(mlir::succeeded(module)) << problems << text;
    if (failed(module))
      return {};
    mlir::PassManager passes(&context);
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
    EXPECT_TRUE(succeeded(passes.run(**module)));
    return std::move(*module);
  }

  bool isSame(llvm::StringRef one, llvm::StringRef other) {
    auto before = compile(one), after = compile(other);
    if (!before || !after)
      return false;
    return !findDifference(*before->getOps<mlir::func::FuncOp>().begin(),
                           *after->getOps<mlir::func::FuncOp>().begin());
  }

  mlir::MLIRContext context;
};

} // namespace

static const char *const blockLoop = "p = tl.make_block_ptr(x, (n,), (s,), (0,), (16,), (0,))\n"
                                     "a = tl.zeros((16,), tl.float32)\n"
                                     "for i in range(m):\n"
                                     "    a += tl.load(p, boundary_check=(0,))\n"
                                     "    p = tl.advance(p, (16,))\n"
                                     "tl.store(y + tl.arange(0, 16), a)";

static std::string pointerLoop(const std::string &first, const std::string &load,
                               const std::string &step) {
  return "c = " + first +
         "\na = tl.zeros((16,), tl.float32)\nfor i in range(m):\n    a += tl.load(" + load +
         ")\n    " + step + "\ntl.store(y + tl.arange(0, 16), a)";
}

static const char *const range64 = "tl.arange(0, 16).to(tl.int64)";

TEST_F(SameIr, ABlockPointerIsPointersAndMasks) {
  const char *load = "x + c * s, mask=(c >= 0) & (c < n)";
  EXPECT_TRUE(isSame(blockLoop, pointerLoop(range64, load, "c += 16")));
  EXPECT_TRUE(isSame(blockLoop, pointerLoop(range64, load, "c = 8 + c + 8")));
  EXPECT_TRUE(
      isSame(blockLoop, pointerLoop(range64, "x + s * c, mask=(c < n) & (c >= 0)", "c += 16")));
}

TEST_F(SameIr, WhatSeemsSmallIsADifference) {
  const char *load = "x + c * s, mask=(c >= 0) & (c < n)";
  for (const std::string &other : {
           pointerLoop(range64, "x + c * s, mask=(c >= 0) & (c <= n)", "c += 16"),
           pointerLoop(range64, "x + c * s, mask=c < n", "c += 16"),
           pointerLoop(range64, "x + c * s", "c += 16"),
           pointerLoop(range64, "x + c * n, mask=(c >= 0) & (c < n)", "c += 16"),
           pointerLoop(range64, "x + c * s, mask=(c >= 0) & (c < n), other=0", "c += 16"),
           pointerLoop(range64, "y + c * s, mask=(c >= 0) & (c < n)", "c += 16"),
           pointerLoop(range64, load, "c += 15"),
           pointerLoop(range64, load, "c += i"),
           pointerLoop(range64, load, "c = c * 16"),
           pointerLoop("1 + tl.arange(0, 16).to(tl.int64)", load, "c += 16"),
           // The product wraps at 32 bits.
           pointerLoop("tl.arange(0, 16)", load, "c += 16"),
       })
    EXPECT_FALSE(isSame(blockLoop, other)) << other;
}

TEST_F(SameIr, TheOrderOfAccessesIsPartOfIt) {
  const char *one = "a = tl.load(x)\ntl.store(y, a)\ntl.store(x, 1.0)";
  EXPECT_TRUE(isSame(one, "tl.store(y, tl.load(x))\ntl.store(x, 1.0)"));
  EXPECT_FALSE(isSame(one, "a = tl.load(x)\ntl.store(x, 1.0)\ntl.store(y, a)"));
  EXPECT_FALSE(isSame(one, "a = tl.load(x)\ntl.store(y, a)"));
  EXPECT_FALSE(isSame(one, "tl.store(x, 1.0)\na = tl.load(x)\ntl.store(y, a)"));
  EXPECT_FALSE(isSame(one, "a = tl.load(x)\ntl.store(y, a)\ntl.store(x, 2.0)"));
}

TEST_F(SameIr, FloatsAreAddedInTheirOrder) {
  const char *loads = "a = tl.load(x)\nb = tl.load(x + 1)\nc = tl.load(x + 2)\n";
  auto body = [&](const char *sum) { return std::string(loads) + "tl.store(y, " + sum + ")"; };
  EXPECT_TRUE(isSame(body("a + b + c"), body("b + a + c")));
  EXPECT_FALSE(isSame(body("a + b + c"), body("a + (b + c)")));
  EXPECT_FALSE(isSame(body("a - b + c"), body("b - a + c")));
}

TEST_F(SameIr, LoopsThatMixWhatTheyCarry) {
  auto body = [](const char *turn, const char *result) {
    return "a = n\nb = m\nfor i in range(s):\n    " + std::string(turn) + "\ntl.store(y, (" +
           result + ").to(tl.float32))";
  };
  EXPECT_TRUE(isSame(body("a, b = b, a + b", "a"), body("a, b = b, b + a", "a")));
  EXPECT_FALSE(isSame(body("a, b = b, a + b", "a"), body("a, b = b, a + b", "b")));
  EXPECT_FALSE(isSame(body("a, b = b, a + b", "a"), body("a, b = b, a + 1", "a")));
  EXPECT_FALSE(isSame(body("a, b = a + m, b", "a"), body("a, b = a + n, b", "a")));
  // Both grow by m, but from other numbers.
  EXPECT_FALSE(isSame(body("a, b = a + m, b", "a"), body("b = b + m", "b")));
}

TEST_F(SameIr, Conditions) {
  auto body = [](const char *test, const char *one, const char *two) {
    return "if " + std::string(test) + ":\n    v = " + one + "\nelse:\n    v = " + two +
           "\ntl.store(y, tl.load(x + v))";
  };
  EXPECT_TRUE(isSame(body("n > 3", "n + m", "s"), body("n > 3", "m + n", "s")));
  EXPECT_FALSE(isSame(body("n > 3", "n", "s"), body("n > 3", "s", "n")));
  EXPECT_FALSE(isSame(body("n > 3", "n", "s"), body("n > 4", "n", "s")));
}
