// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of axes and constants, types, and control flow inside of kernels.
#include "Import.h"

#include <gtest/gtest.h>

using namespace nereid::triton;

TEST(TritonNames, ExpressionsKeepTheirText) {
  Imported result = importBody("i = tl.arange(0, 2 * BLOCK)\ntl.store(x + i, 1.0)\n"
                               "j = tl.arange(0, (BLOCK + BLOCK) // 2)\ntl.store(x + j, 1.0)\n"
                               "tl.store(x, n * (BLOCK - 1))");
  EXPECT_TRUE(result.has("tensor<128xi32, #tile.dims<[\"2 * BLOCK\"]>>")) << result.errors;
  EXPECT_TRUE(result.has("tensor<64xi32, #tile.dims<[\"(BLOCK + BLOCK) // 2\"]>>"));
  EXPECT_TRUE(result.has("tile.meta \"BLOCK - 1\" = 63 : i32"));
}

TEST(TritonNames, PassThroughHelpersAndShapes) {
  Imported result = importBody("i = tl.arange(0, BLOCK)\nv = tl.load(x + i)\n"
                               "z = tl.zeros((v.shape[0], 4), tl.float32) + v[:, None]\n"
                               "tl.store(y + i, tl.sum(z, axis=1))");
  EXPECT_TRUE(result.has("tensor<64x4xf32, #tile.dims<[\"BLOCK\", \"\"]>>")) << result.errors;
}

TEST(TritonNames, LookingGivesTheNumber) {
  Imported result = importBody("if BLOCK > 32:\n    tl.store(x, 1.0)");
  EXPECT_TRUE(result.has("tile.looked_at = [\"BLOCK\"]")) << result.errors;
  EXPECT_TRUE(result.has("tile.store"));
  EXPECT_FALSE(importBody("if BLOCK > 32:\n    tl.store(x, 1.0)", "16").has("tile.store"));
  EXPECT_FALSE(importBody("tl.store(x + tl.arange(0, BLOCK), 1.0)").has("looked_at"));
}

TEST(TritonNames, RelabelWhereNamesMeet) {
  Imported result = importBody("i = tl.arange(0, BLOCK)\nacc = tl.zeros((64,), tl.float32)\n"
                               "for j in range(n):\n    acc += tl.load(x + i)\n"
                               "tl.store(y + i, acc)");
  EXPECT_TRUE(result.has("tile.relabel")) << result.errors;
}

TEST(TritonTypes, PromotesAsUpstream) {
  EXPECT_TRUE(importBody("tl.store(x, n / 2)").has("arith.divf"));
  EXPECT_TRUE(importBody("tl.store(x, n // 2)").has("arith.divsi"));
  EXPECT_TRUE(importBody("tl.store(x, n.to(tl.uint32) // 2)").has("arith.divui"));
  EXPECT_TRUE(importBody("tl.store(x, n.to(tl.float16) * 2)").has("2.000000e+00 : f16"));
  EXPECT_TRUE(importBody("tl.store(x, n.to(tl.float16) / 2)").has("arith.extf"));
  EXPECT_TRUE(importBody("tl.store(x, n > 2.5)").has("arith.cmpf ogt"));
  EXPECT_TRUE(importBody("tl.store(x, n.to(tl.float32) != 2.5)").has("arith.cmpf une"));
}

TEST(TritonBranches, EarlyReturnKeepsTheRest) {
  Imported result = importBody("if n < 3:\n    return\ntl.store(x, 1.0)");
  EXPECT_TRUE(result.has("scf.if")) << result.errors;
  EXPECT_TRUE(result.has("} else {"));
}

TEST(TritonBranches, BlockPointersCrossLoops) {
  Imported result =
      importBody("p = tl.make_block_ptr(x, (n,), (1,), (0,), (BLOCK,), (0,))\n"
                 "acc = tl.zeros((BLOCK,), tl.float32)\nfor j in range(4):\n"
                 "    acc += tl.load(p, boundary_check=(0,), padding_option='zero')\n"
                 "    p = tl.advance(p, (BLOCK,))\ntl.store(y + tl.arange(0, BLOCK), acc)");
  EXPECT_TRUE(result.has("iter_args")) << result.errors;
  EXPECT_TRUE(result.has("other"));
}

TEST(TritonBranches, NestedLoopsStayCheap) {
  std::string body, indent;
  for (int depth = 0; depth < 12; ++depth) {
    body += indent + "for i" + std::to_string(depth) + " in range(n):\n";
    indent += "    ";
  }
  body += indent + "tl.store(x, 1.0)";
  EXPECT_TRUE(importBody(body).has("tile.store"));
}

TEST(TritonErrors, NameTheKindOfMistake) {
  EXPECT_TRUE(importBody("tl.store(x, undefined)").fails("`undefined` is not defined"));
  EXPECT_TRUE(importBody("tl.stoer(x, 1.0)").fails("did you mean `tl.store`?"));
  EXPECT_TRUE(importBody("v = tl.load(x + tl.arange(0, 8))\ntl.store(x, v.half())")
                  .fails("write x.to(tl.float16)"));
  EXPECT_TRUE(importBody("tl.store(x, tl.sum(tl.arange(0, 8), 3))").fails("kernels.py:5"));
  EXPECT_TRUE(
      importBody("for i in range(n):\n    q = i\ntl.store(x, q)").fails("`q` is not defined here"));
}
