// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Proofs.h"

#include "tile/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace nereid;
using namespace nereid::driver;

namespace {

/// What has been shown of the accesses of one kernel, in the order of the kernel.
struct Tally {
  std::vector<std::string> names;
  std::vector<std::string> open;
  /// What there is a counterexample for.
  std::vector<std::string> wrong;
  /// The highest tier that a proof took.
  unsigned tier = 0;
};

std::string describe(mlir::Operation *op) {
  std::string name = op->getName().stripDialect().str();
  if (auto loc = llvm::dyn_cast<mlir::NameLoc>(op->getLoc()))
    name += " of '" + loc.getName().str() + "'";
  return name;
}

/// Long expressions help nobody.
std::string shorten(const std::string &reason) {
  constexpr size_t most = 300;
  return reason.size() <= most ? reason : reason.substr(0, most) + " ...";
}

void count(llvm::ArrayRef<analysis::AccessVerdict> verdicts, Tally &tally) {
  llvm::MapVector<mlir::Operation *, std::string> accesses;
  for (const analysis::AccessVerdict &verdict : verdicts) {
    std::string &open = accesses[verdict.op];
    if (verdict.verdict == analysis::Verdict::Proved)
      tally.tier = std::max(tally.tier, verdict.tier);
    if (verdict.verdict == analysis::Verdict::Proved || !open.empty())
      continue;
    open = verdict.verdict == analysis::Verdict::Unknown ? "not proved: " : "wrong: ";
    open += verdict.reason.empty() ? "no reason given" : shorten(verdict.reason);
    if (verdict.witness)
      open += " (" + verdict.witness->str() + ")";
    if (verdict.verdict == analysis::Verdict::Counterexample)
      tally.wrong.push_back(describe(verdict.op) + ": " + verdict.reason);
  }
  bool first = tally.names.empty();
  for (auto [number, entry] : llvm::enumerate(accesses)) {
    if (first) {
      tally.names.push_back(describe(entry.first));
      tally.open.push_back(entry.second);
    } else if (number < tally.open.size() && tally.open[number].empty()) {
      tally.open[number] = entry.second;
    }
  }
}

} // namespace

std::vector<KernelProof> driver::proveKernels(mlir::ModuleOp module,
                                              analysis::ProofMemory &memory) {
  llvm::MapVector<mlir::func::FuncOp, Tally> kernels;
  for (auto func : module.getOps<mlir::func::FuncOp>())
    if (func->hasAttr(tile::kernelAttrName))
      kernels[func];
  analysis::forEachLaunch(module, [&](llvm::ArrayRef<analysis::LaunchedKernel> launched,
                                      analysis::ShareLaunches share) {
    Tally &tally = kernels[launched.front().kernel];
    for (const auto &verdicts : memory.prove(launched, share)) {
      if (succeeded(verdicts)) {
        count(*verdicts, tally);
      } else {
        tally.names.push_back("kernel");
        tally.open.push_back("not proved: a configuration does not fit");
      }
    }
  });
  std::vector<KernelProof> proofs;
  for (auto &[kernel, tally] : kernels) {
    KernelProof &proof = proofs.emplace_back();
    proof.kernel = kernel.getName().str();
    proof.accesses = tally.names.size();
    proof.tier = tally.tier;
    proof.wrong = std::move(tally.wrong);
    for (auto [name, open] : llvm::zip_equal(tally.names, tally.open)) {
      if (open.empty())
        ++proof.proved;
      else
        proof.open.push_back(name + ": " + open);
    }
  }
  return proofs;
}
