// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Check.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/Path.h"

#include <chrono>

using namespace llvm;

namespace nereid::audit {

using triton::JitFunction;

namespace {

/// Checks the files that are imported from one folder.
class TreeCheck {
public:
  TreeCheck(const CheckOptions &options, CheckResult &result)
      : options(options), result(result), context(mlir::MLIRContext::Threading::DISABLED),
        tree(options.version.empty() ? "3.6.0" : options.version) {
    if (options.version.empty())
      tree.project.acceptRemoved(/*inImports=*/true);
  }

  void run(const SourceTree &sources);

private:
  struct Entry {
    const KernelTree::Entry *source = nullptr;
    CheckedKernel kernel;
    bool isDone = false;
  };

  void explainMissing(Entry &entry);
  void compile(Entry &entry);
  void keep(CheckedKernel &kernel, Diagnostic reason);
  void markCalled(const Entry &caller);

  const CheckOptions &options;
  CheckResult &result;
  mlir::MLIRContext context;
  KernelTree tree;
  std::vector<Entry> entries; // those of the tree
};

} // namespace

/// The report outlives the project whose files the diagnostic points at.
void TreeCheck::keep(CheckedKernel &kernel, Diagnostic reason) {
  auto move = [&](SourceLocation &location) {
    std::shared_ptr<const SourceFile> text = tree.project.share(location.file);
    location.file = text.get();
    kernel.texts.push_back(std::move(text));
  };
  kernel.texts.clear();
  move(reason.location);
  for (Diagnostic &note : reason.notes)
    move(note.location);
  kernel.reason = std::move(reason);
}

void TreeCheck::explainMissing(Entry &entry) {
  std::optional<Diagnostic> reason =
      tree.project.explainMissing(*entry.source->file, entry.kernel.name);
  if (!reason) {
    reason.emplace();
    reason->message = "the definition could not be evaluated";
  }
  keep(entry.kernel, std::move(*reason));
  entry.isDone = true;
}

void TreeCheck::markCalled(const Entry &caller) {
  tree.forEachCalled([&](size_t place) {
    Entry &entry = entries[place];
    if (entry.isDone)
      return;
    entry.kernel.compiled = true;
    entry.kernel.caller = caller.kernel.name;
    entry.isDone = true;
  });
}

void TreeCheck::compile(Entry &entry) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  entry.isDone = true;
  std::vector<Attempt> attempts =
      makeAttempts(tree.project, tree.uses, tree.launches, *entry.source->function);
  for (auto [number, attempt] : enumerate(attempts)) {
    double spent = std::chrono::duration<double>(Clock::now() - start).count();
    if (spent > options.seconds)
      break;
    triton::Budget budget;
    budget.seconds = options.seconds - spent;
    Diagnostics diagnostics;
    auto module =
        tree.project.import(context, *entry.source->function, attempt.request, budget, diagnostics);
    CheckedKernel &kernel = entry.kernel;
    kernel.attempts = number + 1;
    kernel.compiled = succeeded(module);
    if (kernel.compiled || number == 0)
      kernel.parameters = attempt.parameters;
    if (kernel.compiled) {
      kernel.difference = attempt.difference;
      markCalled(entry);
      return;
    }
    // The first guess is the most plausible: so is what it fails of.
    if (number == 0 && !diagnostics.all().empty())
      keep(kernel, diagnostics.all().front());
  }
}

void TreeCheck::run(const SourceTree &sources) {
  tree.read(sources, result.problems);
  result.files += sources.files.size();
  for (const KernelTree::Entry &source : tree.entries) {
    Entry &entry = entries.emplace_back();
    entry.source = &source;
    entry.kernel.path = source.file->getSource().getName().str();
    entry.kernel.name = source.name;
    entry.kernel.line = source.file->getLineColumn(source.def->range.begin).line;
  }
  // Kernels first: what they call is compiled at the types that they call it with.
  for (bool isRoot : {true, false})
    for (Entry &entry : entries) {
      if (entry.isDone)
        continue;
      if (!entry.source->function)
        explainMissing(entry);
      else if (isRoot == tree.isRoot(*entry.source))
        compile(entry);
    }
  for (Entry &entry : entries)
    result.kernels.push_back(std::move(entry.kernel));
}

CheckResult check(const CheckOptions &options) {
  CheckResult result;
  Discovery discovery = discover(options.paths, /*withCallers=*/false, options.excluded);
  result.skipped = std::move(discovery.skipped);
  result.missing = std::move(discovery.missing);
  if (result.missing.empty())
    for (const SourceTree &tree : discovery.trees)
      TreeCheck(options, result).run(tree);
  return result;
}

} // namespace nereid::audit
