// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What surrounds a kernel's body: parameters, configurations, heuristics, errors of the request.
#include "Import.h"

#include <gtest/gtest.h>

using namespace nereid;
using namespace nereid::triton;

static const char *tuned = R"(
@triton.jit
def helper(a):
    return a + 1

@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b in (64, 128) for w in (2, 4)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] is not None, "TWICE": lambda args: args["BLOCK"] * 2})
@triton.jit
def k(x, n, scale=1.0, BLOCK: tl.constexpr = 16, EVEN: tl.constexpr = False, TWICE: tl.constexpr = 0):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * scale, mask=i < n)
    if EVEN:
        tl.store(x + tl.arange(0, TWICE), 1.0)

def host(x):
    k[(1,)](x, 5)
)";

TEST(TritonImport, ListsKernels) {
  auto file = readKernels(tuned);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->kernels().size(), 2u);
  const KernelInfo &kernel = file->kernels()[1];
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.configs, 4u);
  ASSERT_EQ(kernel.parameters.size(), 6u);
  EXPECT_EQ(kernel.parameters[0].name, "x");
  EXPECT_FALSE(kernel.parameters[1].isConstexpr);
  EXPECT_TRUE(kernel.parameters[2].hasDefault);
  EXPECT_TRUE(kernel.parameters[3].isConstexpr);
}

TEST(TritonImport, TakesTheChosenConfiguration) {
  auto file = readKernels(tuned);
  KernelRequest request{"k", {{"x", "*fp32"}, {"n", "i32"}}, {}};
  Imported first = import(*file, request);
  EXPECT_TRUE(first.has("tensor<64xi32, #tile.dims<[\"BLOCK\"]>>")) << first.errors;
  EXPECT_TRUE(first.has("tensor<128xi32, #tile.dims<[\"TWICE\"]>>")) << first.ir;
  request.config = 2;
  Imported third = import(*file, request);
  EXPECT_TRUE(third.has("tensor<128xi32, #tile.dims<[\"BLOCK\"]>>")) << third.errors;
  EXPECT_TRUE(third.has("tile.configs = [#tile.config<{BLOCK = 128 : i64"));
  request.constexprs["BLOCK"] = "32";
  EXPECT_TRUE(import(*file, request).has("tensor<32xi32, #tile.dims<[\"BLOCK\"]>>"));
}

TEST(TritonImport, IsRepeatable) {
  auto file = readKernels(tuned);
  KernelRequest good{"k", {{"x", "*fp32"}, {"n", "i32"}}, {}};
  KernelRequest bad{"k", {{"x", "fp32"}, {"n", "i32"}}, {}};
  std::string before = import(*file, good).ir;
  EXPECT_TRUE(import(*file, bad).fails("error"));
  EXPECT_EQ(import(*file, good).ir, before);
}

TEST(TritonImport, ExplainsBadRequests) {
  auto file = readKernels(tuned);
  EXPECT_TRUE(import(*file, {"kk", {}, {}}).fails("its kernels are helper, k"));
  EXPECT_TRUE(
      import(*file, {"k", {{"x", "*fp32"}}, {}}).fails("no type is given for the argument `n`"));
  EXPECT_TRUE(import(*file, {"k", {{"x", "*fp33"}, {"n", "i32"}}, {}}).fails("is no type"));
  EXPECT_TRUE(import(*file, {"k", {{"x", "*fp32"}, {"n", "i32"}, {"m", "i32"}}, {}})
                  .fails("the kernel has no argument `m`"));
  auto plain = readKernels("@triton.jit\ndef k(x, B: tl.constexpr):\n    pass\n");
  EXPECT_TRUE(import(*plain, {"k", {{"x", "*fp32"}}, {}})
                  .fails("no value is given for the meta-parameter `B`"));
}

TEST(TritonImport, FoldsArgumentsThatAreGiven) {
  auto file = readKernels("@triton.jit\ndef k(x, bias, n):\n    if bias is not None:\n"
                          "        tl.store(x, tl.load(bias))\n    tl.store(x, n * 2)\n");
  Imported without = import(*file, {"k", {{"x", "*fp32"}}, {{"bias", "None"}, {"n", "1"}}});
  EXPECT_FALSE(without.has("tile.load"));
  EXPECT_TRUE(without.has("@k(%arg0: !tile.ptr<f32>"));
  EXPECT_FALSE(without.has("%arg1"));
  EXPECT_TRUE(
      import(*file, {"k", {{"x", "*fp32"}, {"bias", "*fp32"}, {"n", "i32"}}, {}}).has("tile.load"));
}

TEST(TritonImport, PrintsOnceFromLoops) {
  Imported result = importBody(
      "for i in range(n):\n    tl.static_print('block', BLOCK)\n    tl.store(x + i, 1.0)");
  ASSERT_EQ(result.printed.size(), 1u) << result.errors;
  EXPECT_EQ(result.printed[0], "block 64");
}

TEST(TritonImport, SaysWhyADefinitionIsMissing) {
  Diagnostics diagnostics;
  auto file = TritonFile::read(
      std::make_shared<SourceFile>(
          "k.py", "import triton.language as tl\n@triton.jit\ndef k(x):\n    pass\n"),
      diagnostics);
  ASSERT_TRUE(file);
  EXPECT_TRUE(import(*file, {"k", {{"x", "*fp32"}}, {}}).fails("name 'triton' is not defined"));
}

TEST(TritonImport, KeepsTheTextOfUnreadableFiles) {
  Diagnostics diagnostics;
  auto file = TritonFile::read(std::make_shared<SourceFile>("broken.py", "x = (1\n"), diagnostics);
  EXPECT_FALSE(file->isReadable());
  EXPECT_TRUE(file->kernels().empty());
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.print(os, false);
  EXPECT_TRUE(llvm::StringRef(text).starts_with("broken.py:1:5: error: '(' is never closed"))
      << text;
}

TEST(TritonImport, ReadsAnEmptyEnvironment) {
  auto file = readKernels(
      "import os\nFAST = tl.constexpr(os.environ.get('FAST', '0') == '1')\n"
      "WIDE = tl.constexpr(os.getenv('WIDE') is None)\n@triton.jit\ndef k(x):\n"
      "    if FAST:\n        tl.store(x, 1.0)\n    if WIDE:\n        tl.store(x, 2.0)\n");
  Imported result = import(*file, {"k", {{"x", "*fp32"}}, {}});
  EXPECT_TRUE(result.has("2.000000e+00")) << result.errors;
  EXPECT_FALSE(result.has("1.000000e+00"));
}

TEST(TritonImport, LeavesOutDecoratorsOfAbsentPackages) {
  auto file =
      readKernels("from absent import options, configs\n"
                  "@triton.autotune(configs=configs(), key=['n'], **options)\n"
                  "@triton.jit\ndef k(x, n, B: tl.constexpr):\n    tl.store(x, tl.nothing)\n"
                  "@triton.jit\ndef other(x):\n    pass\n");
  ASSERT_EQ(file->kernels().size(), 2u);
  EXPECT_TRUE(import(*file, {"k", {{"x", "*fp32"}, {"n", "i32"}}, {{"B", "8"}}})
                  .fails("kernels.py:7:17: error: tl.nothing does not exist"));
}
