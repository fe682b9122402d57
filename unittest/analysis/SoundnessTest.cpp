// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts on random kernels against plain execution of every program and lane over a box of sizes.
// NEREID_RANDOM_COUNT and NEREID_RANDOM_SEED choose other kernels.
#include "Kernels.h"
#include "RandomKernel.h"

#include "tile/TileOps.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <set>

using namespace mlir;
using namespace nereid;
using namespace nereid::analysis;
using namespace nereid::analysis::test;

/// Whether plain execution at these sizes breaks what the verdict is about: its operation leaves
/// its tensor, or stores where another program stores too.
static bool isBroken(Launched &launched, const Sizes &sizes, const AccessVerdict &verdict) {
  std::optional<std::vector<ConcreteAccess>> accesses = execute(launched, sizes);
  if (!accesses)
    return false;
  if (verdict.property == Property::InBounds)
    return llvm::any_of(*accesses, [&](const ConcreteAccess &access) {
      return access.op == verdict.op && !isWithin(launched, sizes, access.argument, access.offset);
    });
  std::map<int64_t, llvm::SmallVector<const ConcreteAccess *>> writers;
  for (const ConcreteAccess &access : *accesses)
    if (isa<tile::StoreOp>(access.op) && access.argument == verdict.argument)
      writers[access.offset].push_back(&access);
  for (auto &[offset, here] : writers)
    for (const ConcreteAccess *access : here)
      if (access->op == verdict.op &&
          llvm::any_of(here, [&](auto *other) { return other->program != access->program; }))
        return true;
  return false;
}

static Sizes sizesOf(index::Context &context, int64_t m, int64_t n) {
  return {{context.symbol("M"), m}, {context.symbol("N"), n}};
}

static bool isBrokenAtWitness(Launched &launched, const AccessVerdict &verdict) {
  int64_t m = 0, n = 0;
  for (auto &[name, value] : verdict.witness->values) {
    if (name == "M")
      m = value;
    if (name == "N")
      n = value;
  }
  return isBroken(launched, sizesOf(launched.getContract().getContext(), m, n), verdict);
}

/// Empty when the verdict is true.
static std::string check(Launched &launched, const AccessVerdict &verdict) {
  index::Context &context = launched.getContract().getContext();
  if (verdict.verdict == Verdict::Counterexample)
    return isBrokenAtWitness(launched, verdict) ? "" : "no fault at " + verdict.reason;
  if (verdict.verdict == Verdict::Unknown)
    return "";
  for (int64_t m = 0; m <= 5; ++m)
    for (int64_t n = 0; n <= 9; n += 1 + (n > 5))
      if (isBroken(launched, sizesOf(context, m, n), verdict))
        return "proved, but broken at M = " + std::to_string(m) + ", N = " + std::to_string(n);
  return "";
}

TEST(Soundness, RandomKernelsAgreeWithExecution) {
  const char *text = std::getenv("NEREID_RANDOM_COUNT");
  unsigned count = text ? std::strtoul(text, nullptr, 10) : 10000;
  MLIRContext mlir(MLIRContext::Threading::DISABLED);
  loadDialects(mlir);
  const char *seed = std::getenv("NEREID_RANDOM_SEED");
  KernelGenerator generator(seed ? std::strtoul(seed, nullptr, 10) : 7);
  unsigned tally[2][3] = {};
  std::vector<double> times;
  for (unsigned i = 0; i < count; ++i) {
    RandomKernel kernel = generator.make();
    Launched launched(mlir, kernel.text, kernel.arguments, kernel.grid, kernel.facts);
    ASSERT_TRUE(launched) << kernel.text;
    auto start = std::chrono::steady_clock::now();
    std::vector<AccessVerdict> verdicts = launched.prove();
    std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    times.push_back(spent.count() / verdicts.size());
    for (const AccessVerdict &verdict : verdicts) {
      ++tally[unsigned(verdict.property)][unsigned(verdict.verdict)];
      std::string fault = check(launched, verdict);
      ASSERT_TRUE(fault.empty()) << fault << "\n"
                                 << kernel.text << kernel.arguments[0] << ", "
                                 << kernel.arguments[1] << " grid " << kernel.grid.front();
    }
  }
  llvm::sort(times);
  std::printf("in bounds: %u proved, %u refuted, %u unknown; disjoint: %u, %u, %u; "
              "median %.2f ms, longest %.2f ms an access\n",
              tally[0][0], tally[0][1], tally[0][2], tally[1][0], tally[1][1], tally[1][2],
              times[times.size() / 2], times.back());
  // The generator makes right and wrong kernels in good numbers; most must be decided.
  EXPECT_GT(tally[0][0], count / 8);
  EXPECT_GT(tally[0][1], count / 8);
  EXPECT_LT(tally[0][2], count / 4);
}
