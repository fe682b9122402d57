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

using Members = llvm::SmallVector<unsigned>;

/// Configurations by the number of one meta-parameter: of one that an open verdict names, else of
/// one with few numbers. Empty where none tells them apart into fewer parts than there are.
static llvm::SmallVector<Members> splitByNumber(ArrayRef<LaunchedKernel> launched,
                                                ArrayRef<unsigned> members, StringRef reason) {
  llvm::SmallVector<Members> best;
  bool isBestNamed = false;
  for (NamedAttribute entry : launched[members.front()].config.getValues()) {
    llvm::MapVector<Attribute, Members> parts;
    for (unsigned member : members)
      parts[launched[member].config.getValues().get(entry.getName())].push_back(member);
    bool isNamed = reason.contains(entry.getName().getValue());
    bool isBetter = best.empty() || (isNamed && !isBestNamed) ||
                    (isNamed == isBestNamed && parts.size() < best.size());
    if (parts.size() < 2 || parts.size() == members.size() || !isBetter)
      continue;
    best.clear();
    for (auto &[number, part] : parts)
      best.push_back(part);
    isBestNamed = isNamed;
  }
  return best;
}

std::vector<FailureOr<std::vector<AccessVerdict>>>
ProofMemory::prove(ArrayRef<LaunchedKernel> launched, ShareLaunches share) {
  std::vector<FailureOr<std::vector<AccessVerdict>>> results(launched.size());
  llvm::SmallVector<Members> open = {llvm::to_vector(llvm::seq<unsigned>(launched.size()))};
  while (!open.empty()) {
    Members members = open.pop_back_val();
    llvm::SmallVector<Members> parts;
    std::optional<LaunchedKernel> shared = members.size() > 1 ? share(members) : std::nullopt;
    if (shared) {
      auto verdicts = prove(*shared);
      if (succeeded(verdicts) && isAllProved(*verdicts)) {
        for (unsigned member : members)
          results[member] = *verdicts;
        continue;
      }
      std::string reason;
      if (succeeded(verdicts))
        for (const AccessVerdict &verdict : *verdicts)
          reason += verdict.reason;
      parts = splitByNumber(launched, members, reason);
    }
    if (parts.empty())
      for (unsigned member : members)
        results[member] = prove(launched[member]);
    llvm::append_range(open, parts);
  }
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
