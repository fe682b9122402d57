// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the proofs of modules given as files: median and longest time an access, and how many were
// decided how. Exits 1 beyond a bound or when one is not proved.
#include "analysis/AccessProofs.h"
#include "analysis/KernelLaunches.h"
#include "sym/SymDialect.h"
#include "tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nereid;
using namespace nereid::analysis;

static constexpr double medianBound = 1, longestBound = 20;
static constexpr unsigned runs = 3;

namespace {
struct Timing {
  double milliseconds;
  std::string place;
};

struct Tally {
  std::vector<Timing> timings;
  unsigned proved[3] = {}, refuted = 0, unknown = 0;
};
} // namespace

static void add(Tally &tally, llvm::StringRef file, func::FuncOp kernel,
                const AccessVerdict &verdict) {
  double spent = std::chrono::duration<double, std::milli>(verdict.spent).count();
  bool isBounds = verdict.property == Property::InBounds;
  std::string place = (file + ": " + kernel.getName() + ": ").str() +
                      verdict.op->getName().getStringRef().str() +
                      (isBounds ? " in bounds" : " apart");
  tally.timings.push_back({spent, place});
  if (verdict.verdict == Verdict::Proved)
    ++tally.proved[verdict.tier];
  else if (verdict.verdict == Verdict::Counterexample)
    ++tally.refuted;
  else
    ++tally.unknown;
  if (verdict.verdict != Verdict::Proved)
    llvm::outs() << "not proved: " << place << ": " << verdict.reason << "\n";
}

/// The verdicts with the best time of a few runs: the machine may be busy with other things.
static std::vector<AccessVerdict> proveRepeatedly(func::FuncOp kernel,
                                                  const LaunchContract &contract) {
  std::vector<AccessVerdict> verdicts = proveAccesses(kernel, contract);
  for (unsigned run = 1; run < runs; ++run)
    for (auto [best, again] : llvm::zip_equal(verdicts, proveAccesses(kernel, contract)))
      best.spent = std::min(best.spent, again.spent);
  return verdicts;
}

static int report(Tally &tally) {
  if (tally.timings.empty())
    return 1;
  llvm::sort(tally.timings,
             [](const Timing &a, const Timing &b) { return a.milliseconds < b.milliseconds; });
  double median = tally.timings[tally.timings.size() / 2].milliseconds;
  const Timing &longest = tally.timings.back();
  llvm::outs() << tally.timings.size() << " verdicts: proved by tier 0 " << tally.proved[0]
               << ", tier 1 " << tally.proved[1] << ", tier 2 " << tally.proved[2] << "; refuted "
               << tally.refuted << ", unknown " << tally.unknown << "\n"
               << llvm::format("median %.3f ms (bound %.0f ms)\n", median, medianBound);
  for (size_t i = 0; i < 5 && i < tally.timings.size(); ++i) {
    const Timing &timing = tally.timings[tally.timings.size() - 1 - i];
    llvm::outs() << llvm::format("%7.2f ms  ", timing.milliseconds) << timing.place << "\n";
  }
  bool within = median <= medianBound && longest.milliseconds <= longestBound;
  llvm::outs() << llvm::format("longest %.2f ms (bound %.0f ms)\n", longest.milliseconds,
                               longestBound);
  return within && tally.refuted == 0 && tally.unknown == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                      sym::SymDialect, tile::TileDialect, host::HostDialect>();
  Tally tally;
  for (llvm::StringRef file : llvm::ArrayRef(argv + 1, argc - 1)) {
    auto module = parseSourceFile<ModuleOp>(file, &context);
    if (!module)
      return 2;
    forEachLaunch(*module,
                  [&](func::FuncOp kernel, func::FuncOp instance, const LaunchContract &contract) {
                    if (!instance)
                      return;
                    for (const AccessVerdict &verdict : proveRepeatedly(instance, contract))
                      add(tally, file.rsplit('/').second, kernel, verdict);
                  });
  }
  return report(tally);
}
