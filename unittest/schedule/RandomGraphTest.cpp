// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random graphs against the evaluator: neither the stage nor the partition, the blocks, the forms
// or the order of programs may change a result.
//
// NEREID_RANDOM_COUNT sets the number of graphs, NEREID_RANDOM_SEED the first seed; a failing graph
// is made smaller and printed, and the run goes on when there are many. NEREID_RANDOM_SHOW prints
// every graph and what could not be proved of it.
#include "GraphCheck.h"

#include "host/HostDialect.h"
#include "sym/SymDialect.h"
#include "tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "gtest/gtest.h"

using namespace nereid;
using namespace nereid::schedule::test;

static unsigned numberFrom(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

TEST(RandomGraph, SchedulesAgreeWithTheEvaluator) {
  unsigned count = numberFrom("NEREID_RANDOM_COUNT", 150);
  unsigned first = numberFrom("NEREID_RANDOM_SEED", 1), failures = 0;
  CheckCounts counts;
  for (unsigned seed = first; seed < first + count && failures < 20; ++seed) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect, sym::SymDialect, tile::TileDialect,
                        host::HostDialect, graph::GraphDialect>();
    RandomGraph graph = makeRandomGraph(context, seed);
    if (std::getenv("NEREID_RANDOM_SHOW"))
      llvm::outs() << "// seed " << seed << "\n" << print(*graph.module, {}) << "\n";
    CheckOptions options;
    options.seed = seed;
    std::string problem = checkGraphApart(*graph.module, graph.sizes, options, counts);
    if (problem.empty())
      continue;
    ++failures;
    RandomGraph small = shrinkGraph(*graph.module, graph.sizes, options);
    CheckCounts ignored;
    std::string reduced = checkGraphApart(*small.module, small.sizes, options, ignored);
    ADD_FAILURE() << "seed " << seed << ": " << problem << "\nreduced: " << reduced << "\n"
                  << print(*small.module, small.sizes);
  }
  std::printf("%u kernels, %u runs, %u accesses proved, %u open\n", counts.kernels, counts.runs,
              counts.proved, counts.unknown);
}
