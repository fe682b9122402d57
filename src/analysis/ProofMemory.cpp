// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ProofMemory.h"
#include "analysis/Access.h"
#include "analysis/ProofKey.h"

using namespace mlir;

namespace nereid::analysis {

/// The accesses of a kernel, in its order.
static llvm::SmallVector<Operation *> accessesOf(func::FuncOp kernel) {
  llvm::SmallVector<Operation *> accesses;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (memoryOperandsOf(op).pointer)
      accesses.push_back(op);
  });
  return accesses;
}

static std::string textOf(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel.print(os, OpPrintingFlags().useLocalScope());
  return text;
}

std::vector<AccessVerdict> ProofMemory::prove(func::FuncOp kernel, const LaunchContract &contract) {
  Verdicts &verdicts = known[proofKeyOf(kernel, contract)];
  llvm::SmallVector<Operation *> accesses = accessesOf(kernel);
  auto recall = [&](ArrayRef<Remembered> remembered) {
    std::vector<AccessVerdict> result;
    for (const Remembered &one : remembered) {
      AccessVerdict &verdict = result.emplace_back(one.verdict);
      verdict.op = accesses[one.access];
      verdict.spent = {};
    }
    return result;
  };
  if (!verdicts.proved.empty())
    return recall(verdicts.proved);
  std::string text;
  if (!verdicts.open.empty()) {
    text = textOf(kernel);
    if (auto found = verdicts.open.find(text); found != verdicts.open.end())
      return recall(found->second);
  }
  std::vector<AccessVerdict> result = proveAccesses(kernel, contract, &accessMemory);
  bool isProved = llvm::all_of(
      result, [](const AccessVerdict &verdict) { return verdict.verdict == Verdict::Proved; });
  if (!isProved && text.empty())
    text = textOf(kernel);
  std::vector<Remembered> &remembered = isProved ? verdicts.proved : verdicts.open[text];
  for (const AccessVerdict &verdict : result)
    remembered.push_back({verdict, unsigned(llvm::find(accesses, verdict.op) - accesses.begin())});
  return result;
}

} // namespace nereid::analysis
