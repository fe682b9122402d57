// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ProofMemory.h"
#include "analysis/Access.h"

using namespace mlir;

namespace nereid::analysis {

static void print(llvm::raw_ostream &os, const LaunchContract &contract) {
  auto list = [&](ArrayRef<index::Expr> exprs) {
    for (index::Expr expr : exprs)
      os << expr.str() << ',';
    os << ';';
  };
  llvm::SmallVector<const void *> memories;
  for (const ArgumentContract &argument : contract.arguments) {
    os << argument.isTensor << argument.isInjective;
    list(argument.sizes);
    list(argument.strides);
    if (argument.value)
      os << argument.value.str();
    if (argument.memory) {
      auto *place = llvm::find(memories, argument.memory);
      os << " in " << place - memories.begin();
      if (place == memories.end())
        memories.push_back(argument.memory);
    }
    os << '\n';
  }
  list(contract.grid);
  llvm::SmallVector<std::string> meta;
  for (auto [name, value] : contract.meta)
    meta.push_back((name.getName() + "=" + value.str()).str());
  llvm::sort(meta);
  for (const std::string &entry : meta)
    os << entry << ',';
  os << (contract.isOpen ? "open\n" : "\n");
  for (index::Pred pred : contract.facts.getAssumptions())
    os << pred.str() << ';';
}

/// The accesses of a kernel, in its order.
static llvm::SmallVector<Operation *> accessesOf(func::FuncOp kernel) {
  llvm::SmallVector<Operation *> accesses;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (memoryOperandsOf(op).pointer)
      accesses.push_back(op);
  });
  return accesses;
}

std::vector<AccessVerdict> ProofMemory::prove(func::FuncOp kernel, const LaunchContract &contract) {
  std::string key;
  llvm::raw_string_ostream os(key);
  kernel.print(os, OpPrintingFlags().useLocalScope());
  print(os, contract);
  auto [entry, isNew] = known.try_emplace(key);
  std::vector<Remembered> &remembered = entry->second;
  llvm::SmallVector<Operation *> accesses = accessesOf(kernel);
  std::vector<AccessVerdict> verdicts;
  if (isNew) {
    verdicts = proveAccesses(kernel, contract);
    for (const AccessVerdict &verdict : verdicts)
      remembered.push_back(
          {verdict, unsigned(llvm::find(accesses, verdict.op) - accesses.begin())});
    return verdicts;
  }
  for (const Remembered &one : remembered) {
    AccessVerdict &verdict = verdicts.emplace_back(one.verdict);
    verdict.op = accesses[one.access];
    verdict.spent = {};
  }
  return verdicts;
}

} // namespace nereid::analysis
