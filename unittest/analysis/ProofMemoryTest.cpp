// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "RandomKernel.h"

#include "analysis/ProofKey.h"
#include "analysis/ProofMemory.h"
#include "mlir/Parser/Parser.h"
#include "tile/Instance.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace nereid::analysis;
using namespace nereid::analysis::test;

namespace {
class ProofMemoryTest : public ::testing::Test {
protected:
  ProofMemoryTest() : context(MLIRContext::Threading::DISABLED) { loadDialects(context); }

  std::string keyOf(StringRef kernel, StringRef size) {
    Launched launched(context, kernel, {"[N] x [1]", "[N] x [1]", size.str()}, {"cdiv(N, 128)"},
                      "N >= 0 and N <= 1000000");
    EXPECT_TRUE(launched);
    return proofKeyOf(launched.getKernel(), launched.getContract());
  }

  MLIRContext context;
};
} // namespace

static std::string kernelOf(StringRef name, StringRef compute, StringRef comparison,
                            StringRef stored) {
  return (R"(
func.func @)" +
          name + R"((%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c = arith.constant 128 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c : i32
  %s = tile.splat %start : i32 -> tensor<128xi32>
  %r = tile.range 0 : tensor<128xi32>
  %o = arith.addi %s, %r : tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi )" +
          comparison + R"(, %o, %ns : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %px = tile.addptr %xs, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %py = tile.addptr %ys, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %px mask %m : tensor<128xi1> : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %w = )" +
          compute + R"( : tensor<128xf32>
  tile.store %p)" +
          stored + R"(, %w mask %m : tensor<128xi1> : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
})")
      .str();
}

TEST_F(ProofMemoryTest, TheKeyHoldsWhatIsAccessedAndNoMore) {
  std::string key = keyOf(kernelOf("a", "arith.negf %v", "slt", "y"), "N");
  EXPECT_EQ(key, keyOf(kernelOf("b", "arith.mulf %v, %v", "slt", "y"), "N"));
  EXPECT_NE(key, keyOf(kernelOf("a", "arith.negf %v", "sle", "y"), "N"));
  EXPECT_NE(key, keyOf(kernelOf("a", "arith.negf %v", "slt", "x"), "N"));
  EXPECT_NE(key, keyOf(kernelOf("a", "arith.negf %v", "slt", "y"), "N + 1"));
}

TEST_F(ProofMemoryTest, ALoopCarriesWhatAddressesNeed) {
  auto loop = [&](StringRef step, StringRef data) {
    return ("func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes "
            "{tile.kernel} {\n"
            "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n"
            "  %c2 = arith.constant 2 : i32\n  %z = arith.constant 0.0 : f32\n"
            "  %sum, %end = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %z, %p = %x) -> (f32, "
            "!tile.ptr<f32>) : i32 {\n"
            "    %v = tile.load %p : !tile.ptr<f32> -> f32\n"
            "    %next = " +
            data +
            " %acc, %v : f32\n"
            "    %q = tile.addptr %p, " +
            step +
            " : !tile.ptr<f32>, i32\n"
            "    scf.yield %next, %q : f32, !tile.ptr<f32>\n  }\n"
            "  tile.store %y, %sum : !tile.ptr<f32>, f32\n  return\n}")
        .str();
  };
  std::string key = keyOf(loop("%c1", "arith.addf"), "N");
  EXPECT_EQ(key, keyOf(loop("%c1", "arith.maximumf"), "N"));
  EXPECT_NE(key, keyOf(loop("%c2", "arith.addf"), "N"));
}

/// The verdicts themselves are held against plain execution in SoundnessTest.cpp.
TEST_F(ProofMemoryTest, RandomKernelsGetTheSameVerdicts) {
  ProofMemory memory;
  KernelGenerator generator(11);
  unsigned proved = 0, recalled = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    RandomKernel kernel = generator.make();
    Launched launched(context, kernel.text, kernel.arguments, kernel.grid, kernel.facts);
    ASSERT_TRUE(launched) << kernel.text;
    std::vector<AccessVerdict> expected = launched.prove();
    auto found =
        memory.prove({launched.getKernel(), nereid::tile::getConfig(launched.getKernel(), {}),
                      launched.getContract()});
    ASSERT_TRUE(succeeded(found));
    ASSERT_EQ(found->size(), expected.size());
    for (auto [one, other] : llvm::zip(*found, expected)) {
      EXPECT_EQ(one.op, other.op);
      EXPECT_EQ(one.property, other.property);
      EXPECT_EQ(one.argument, other.argument);
      ASSERT_EQ(one.verdict, other.verdict) << other.reason << "\n" << kernel.text;
      EXPECT_EQ(one.reason, other.reason);
      proved += one.verdict == Verdict::Proved;
      recalled += one.verdict == Verdict::Proved && one.spent.count() == 0;
    }
  }
  // Those of whole kernels; the generator repeats itself.
  EXPECT_GT(recalled, proved / 8);
  EXPECT_LT(recalled, proved);
}

/// A store of BLOCK lanes into tensors of as many elements as their size says, under a mask that
/// ends at `%end`.
static std::string programOf(StringRef size, StringRef end) {
  std::string text = R"mlir(
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.meta = ["BLOCK"],
    tile.configs = [#tile.config<{BLOCK = 4 : i64}, 4, 3>, #tile.config<{BLOCK = 8 : i64}, 4, 3>]} {
  %pid = tile.program_id 0
  %b = tile.meta "BLOCK" = 4 : i32
  %base = arith.muli %pid, %b : i32
  %bases = tile.splat %base : i32 -> tensor<4xi32, #tile.dims<["BLOCK"]>>
  %r = tile.range 0 : tensor<4xi32, #tile.dims<["BLOCK"]>>
  %i = arith.addi %bases, %r : tensor<4xi32, #tile.dims<["BLOCK"]>>
  %c = arith.constant 5 : i32
  %ns = tile.splat END : i32 -> tensor<4xi32, #tile.dims<["BLOCK"]>>
  %m = arith.cmpi slt, %i, %ns : tensor<4xi32, #tile.dims<["BLOCK"]>>
  %v = arith.constant dense<0.0> : tensor<4xf32, #tile.dims<["BLOCK"]>>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
  %xp = tile.addptr %xs, %i : tensor<4x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<4xi32, #tile.dims<["BLOCK"]>>
  tile.store %xp, %v mask %m : tensor<4xi1, #tile.dims<["BLOCK"]>> : tensor<4x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<4xf32, #tile.dims<["BLOCK"]>>
  return
}
func.func @f(%x: !host.tensor<["n"] x f32, [1]> {host.name = "x"}) -> !host.tensor<[SIZE] x f32, [1]>
    attributes {host.program, host.symbols = [#host.symbol<"n", size, 0, 0>]} {
  host.check <"n <= 1000000">, "too long"
  %n = host.size <"n">
  %out = host.empty -> !host.tensor<[SIZE] x f32, [1]>
  host.launch @k grid [#sym.expr<"cdiv(COUNT, BLOCK)">] (%out, %n) meta {} : !host.tensor<[SIZE] x f32, [1]>, i64
  return %out : !host.tensor<[SIZE] x f32, [1]>
})mlir";
  std::string quoted = size == "4" ? "4" : "\"" + size.str() + "\"";
  for (auto &[word, by] : {std::pair<StringRef, std::string>("SIZE", quoted),
                           {"COUNT", size.str()},
                           {"END", end.str()}})
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, word.size(), by);
  return text;
}

/// For each configuration, whether all is proved; whether what they share was.
static std::pair<std::vector<bool>, bool> provedOf(MLIRContext &context, const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  std::pair<std::vector<bool>, bool> found;
  EXPECT_TRUE(module);
  if (!module)
    return found;
  auto isProved = [](const FailureOr<std::vector<AccessVerdict>> &verdicts) {
    return succeeded(verdicts) && llvm::all_of(*verdicts, [](const AccessVerdict &verdict) {
             return verdict.verdict == Verdict::Proved;
           });
  };
  forEachLaunch(*module, [&](ArrayRef<LaunchedKernel> launched, ShareLaunches share) {
    ProofMemory memory, alone;
    for (const auto &verdicts : memory.prove(launched, share))
      found.first.push_back(isProved(verdicts));
    std::optional<LaunchedKernel> shared =
        share(llvm::to_vector(llvm::seq<unsigned>(launched.size())));
    found.second = shared && isProved(alone.prove(*shared));
  });
  return found;
}

TEST_F(ProofMemoryTest, ConfigurationsShareWhatHoldsOfAll) {
  auto [proved, shared] = provedOf(context, programOf("n", "%n"));
  EXPECT_EQ(proved, (std::vector<bool>{true, true}));
  EXPECT_TRUE(shared);
}

TEST_F(ProofMemoryTest, ConfigurationsDoNotShareWhatHoldsOfOne) {
  // Of four lanes none reaches the fifth element, of eight one does.
  auto [proved, shared] = provedOf(context, programOf("4", "%c"));
  EXPECT_EQ(proved, (std::vector<bool>{true, false}));
  EXPECT_FALSE(shared);
}

TEST_F(ProofMemoryTest, ConfigurationsOfOneNumberShareWhatHoldsOfIt) {
  std::string text = programOf("4", "%c"), configs;
  for (llvm::StringRef each : {"BLOCK = 4, D = 1", "BLOCK = 8, D = 1", "BLOCK = 4, D = 2",
                               "BLOCK = 8, D = 2", "BLOCK = 4, D = 3"})
    configs += (configs.empty() ? "" : ", ") + ("#tile.config<{" + each + "}, 4, 3>").str();
  size_t begin = text.find("#tile.config<"), end = text.find("]} {", begin);
  text.replace(begin, end - begin, configs);
  text.replace(text.find("[\"BLOCK\"]"), 9, "[\"BLOCK\", \"D\"]");
  auto [proved, shared] = provedOf(context, text);
  EXPECT_EQ(proved, (std::vector<bool>{true, false, true, false, true}));
  EXPECT_FALSE(shared);
}
