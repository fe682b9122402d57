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

std::vector<AccessVerdict> ProofMemory::recall(ArrayRef<Remembered> remembered,
                                               ArrayRef<Operation *> accesses) {
  std::vector<AccessVerdict> result;
  for (const Remembered &one : remembered) {
    AccessVerdict &verdict = result.emplace_back(one.verdict);
    verdict.op = accesses[one.access];
    verdict.spent = {};
  }
  return result;
}

static bool isAllProved(ArrayRef<AccessVerdict> verdicts) {
  return llvm::all_of(
      verdicts, [](const AccessVerdict &verdict) { return verdict.verdict == Verdict::Proved; });
}

std::vector<FailureOr<std::vector<AccessVerdict>>>
ProofMemory::prove(ArrayRef<LaunchedKernel> launched, const LaunchedKernel *shared) {
  std::vector<FailureOr<std::vector<AccessVerdict>>> results;
  if (shared)
    if (auto verdicts = prove(*shared); succeeded(verdicts) && isAllProved(*verdicts)) {
      results.assign(launched.size(), std::move(verdicts));
      return results;
    }
  for (const LaunchedKernel &one : launched)
    results.push_back(prove(one));
  return results;
}

FailureOr<std::vector<AccessVerdict>> ProofMemory::prove(const LaunchedKernel &launched) {
  std::string key = proofKeyOf(launched.kernel, launched.contract);
  auto numbers = reinterpret_cast<uintptr_t>(launched.config.getValues().getAsOpaquePointer());
  key.append(reinterpret_cast<const char *>(&numbers), sizeof(numbers));
  Verdicts &verdicts = known[key];
  llvm::SmallVector<Operation *> accesses = accessesOf(launched.kernel);
  if (!verdicts.proved.empty())
    return recall(verdicts.proved, accesses);
  std::string text;
  if (!verdicts.open.empty()) {
    text = textOf(launched.kernel);
    if (auto found = verdicts.open.find(text); found != verdicts.open.end())
      return recall(found->second, accesses);
  }
  FailureOr<OwningOpRef<func::FuncOp>> instance = launched.instantiate();
  if (failed(instance))
    return failure();
  llvm::SmallVector<Operation *> its = accessesOf(**instance);
  std::vector<AccessVerdict> result = proveAccesses(**instance, launched.contract, &accessMemory);
  bool isProved = isAllProved(result);
  if (!isProved && text.empty())
    text = textOf(launched.kernel);
  std::vector<Remembered> &remembered = isProved ? verdicts.proved : verdicts.open[text];
  for (AccessVerdict &verdict : result) {
    unsigned place = llvm::find(its, verdict.op) - its.begin();
    remembered.push_back({verdict, place});
    verdict.op = accesses[place];
  }
  return result;
}

} // namespace nereid::analysis
