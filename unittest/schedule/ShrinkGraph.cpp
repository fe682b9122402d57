// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes failing programs smaller: fewer sizes, fewer results, operators replaced by arguments.
#include "GraphCheck.h"

#include "graph/GraphOps.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace nereid::schedule::test {

std::string checkGraphApart(ModuleOp module, llvm::ArrayRef<Sizes> sizes,
                            const CheckOptions &options, CheckCounts &counts) {
  int channel[2];
  if (pipe(channel) != 0)
    return "no pipe";
  pid_t child = fork();
  if (child == 0) {
    close(channel[0]);
    CheckCounts own;
    std::string problem = checkGraph(module, sizes, options, own);
    bool sent = write(channel[1], &own, sizeof own) == sizeof own &&
                write(channel[1], problem.data(), problem.size()) == ssize_t(problem.size());
    _exit(sent ? 0 : 1);
  }
  close(channel[1]);
  std::string received;
  char buffer[4096];
  for (ssize_t count; (count = read(channel[0], buffer, sizeof buffer)) > 0;)
    received.append(buffer, count);
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || received.size() < sizeof(CheckCounts))
    return "crashes with status " + std::to_string(status);
  CheckCounts own;
  std::memcpy(&own, received.data(), sizeof own);
  counts.kernels += own.kernels;
  counts.runs += own.runs;
  counts.proved += own.proved;
  counts.unknown += own.unknown;
  return received.substr(sizeof own);
}

namespace {

class Shrinker {
public:
  Shrinker(ModuleOp module, llvm::ArrayRef<Sizes> sizes, const CheckOptions &options)
      : module(module.clone()), sizes(sizes), options(options) {}

  RandomGraph run() {
    CheckCounts counts;
    std::string problem = checkGraphApart(*module, sizes, options, counts);
    kind = kindOf(problem);
    fewerSizes();
    for (bool changed = true; changed && attempts < 400;)
      changed = fewerResults() | fewerOperators() | fewerChecks() | fewerArguments();
    smallerSizes();
    return {std::move(module), std::move(sizes)};
  }

private:
  static func::FuncOp programOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

  bool stillFails(ModuleOp candidate, llvm::ArrayRef<Sizes> at) {
    ++attempts;
    CheckCounts counts;
    return kindOf(checkGraphApart(candidate, at, options, counts)) == kind;
  }

  /// What a problem is about, so that a program does not shrink to one that fails otherwise.
  static llvm::StringRef kindOf(llvm::StringRef problem) {
    for (llvm::StringRef kind :
         {"crashes", "is not valid", "cannot be evaluated", "refuses", "cannot be scheduled",
          "has no value", "cannot be run", "is refuted", "out of bounds", "undefined", "race",
          "overflow", "expected", "other bits"})
      if (problem.contains(kind))
        return kind;
    return problem.empty() ? "" : "another problem";
  }

  /// Changes a copy and keeps it when it fails still.
  bool attempt(llvm::function_ref<bool(func::FuncOp)> change) {
    if (attempts > 400)
      return false;
    OwningOpRef<ModuleOp> copy = module->clone();
    func::FuncOp func = programOf(*copy);
    if (!change(func))
      return false;
    eraseDead(func);
    if (!stillFails(*copy, sizes))
      return false;
    module = std::move(copy);
    return true;
  }

  static void eraseDead(func::FuncOp func) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
      if (op.use_empty() && op.getNumResults() > 0)
        op.erase();
  }

  static void setResults(func::FuncOp func, llvm::ArrayRef<mlir::Value> results) {
    func.front().getTerminator()->setOperands(results);
    func.setType(FunctionType::get(func.getContext(), func.front().getArgumentTypes(),
                                   ValueRange(results).getTypes()));
    std::string text;
    for (size_t i = 0; i < results.size(); ++i)
      text += (i ? ", {" : "{") + std::to_string(i) + "}";
    func->setAttr("graph.result", StringAttr::get(func.getContext(), "(" + text + ")"));
  }

  void fewerSizes() {
    for (const Sizes &one : sizes)
      if (std::vector<Sizes> single = {one}; stillFails(*module, single)) {
        sizes = std::move(single);
        return;
      }
  }

  void smallerSizes() {
    for (bool changed = true; changed && attempts < 500;) {
      changed = false;
      for (auto &[symbol, size] : Sizes(sizes.front()))
        for (int64_t smaller : {int64_t(1), int64_t(2), size / 2, size - 1}) {
          if (smaller < 0 || smaller >= size || attempts > 500)
            continue;
          std::vector<Sizes> tried = {sizes.front()};
          tried.front()[symbol] = smaller;
          if (!stillFails(*module, tried))
            continue;
          sizes = std::move(tried);
          changed = true;
          break;
        }
    }
  }

  bool fewerResults() {
    bool changed = false;
    for (unsigned number = programOf(*module).getNumResults(); number-- > 0;)
      changed |= attempt([&](func::FuncOp func) {
        llvm::SmallVector<mlir::Value> results(func.front().getTerminator()->getOperands());
        if (results.size() < 2 || number >= results.size())
          return false;
        results.erase(results.begin() + number);
        setResults(func, results);
        return true;
      });
    for (unsigned number = 0; number < 3; ++number)
      changed |= attempt([&](func::FuncOp func) {
        auto assigns = llvm::to_vector(func.getOps<graph::AssignOp>());
        if (number >= assigns.size())
          return false;
        assigns[number].erase();
        return true;
      });
    // A result earlier in the program.
    for (unsigned number = 0; number < countOps(); ++number)
      changed |= attempt([&](func::FuncOp func) {
        Operation *op = opAt(func, number);
        if (!op || op->getNumResults() != 1 || func.getNumResults() != 1 ||
            func.front().getTerminator()->getOperand(0) == op->getResult(0))
          return false;
        setResults(func, {op->getResult(0)});
        return true;
      });
    return changed;
  }

  unsigned countOps() { return llvm::range_size(programOf(*module).front()); }
  static Operation *opAt(func::FuncOp func, unsigned number) {
    for (Operation &op : func.front().without_terminator())
      if (number-- == 0)
        return &op;
    return nullptr;
  }

  bool fewerOperators() {
    bool changed = false;
    for (unsigned number = countOps(); number-- > 0;) {
      // By an operand of the same type, or by a new argument.
      changed |= attempt([&](func::FuncOp func) {
        Operation *op = opAt(func, number);
        if (!op || op->getNumResults() != 1)
          return false;
        for (mlir::Value operand : op->getOperands())
          if (operand.getType() == op->getResult(0).getType()) {
            op->getResult(0).replaceAllUsesWith(operand);
            return true;
          }
        return false;
      });
      changed |= attempt([&](func::FuncOp func) {
        Operation *op = opAt(func, number);
        if (!op || op->getNumResults() != 1 || isa<graph::ConstantOp>(op))
          return false;
        Builder builder(func.getContext());
        unsigned position = func.getNumArguments();
        auto name = builder.getNamedAttr(
            "graph.name",
            builder.getStringAttr("y" + std::to_string(number) + "_" + std::to_string(position)));
        if (failed(func.insertArgument(position, op->getResult(0).getType(),
                                       builder.getDictionaryAttr(name), op->getLoc())))
          return false;
        op->getResult(0).replaceAllUsesWith(func.getArgument(position));
        return true;
      });
    }
    return changed;
  }

  bool fewerChecks() {
    bool changed = false;
    for (unsigned number = 0; number < 6; ++number)
      changed |= attempt([&](func::FuncOp func) {
        auto checks = llvm::to_vector(func.getOps<graph::CheckOp>());
        if (number >= checks.size())
          return false;
        checks[number].erase();
        return true;
      });
    return changed;
  }

  bool fewerArguments() {
    bool changed = false;
    for (unsigned number = programOf(*module).getNumArguments(); number-- > 0;)
      changed |= attempt([&](func::FuncOp func) {
        return number < func.getNumArguments() && func.getArgument(number).use_empty() &&
               succeeded(func.eraseArgument(number));
      });
    return changed;
  }

  OwningOpRef<ModuleOp> module;
  std::vector<Sizes> sizes;
  const CheckOptions &options;
  llvm::StringRef kind;
  unsigned attempts = 0;
};

} // namespace

RandomGraph shrinkGraph(ModuleOp module, llvm::ArrayRef<Sizes> sizes, const CheckOptions &options) {
  return Shrinker(module, sizes, options).run();
}

} // namespace nereid::schedule::test
