// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/TreeCheck.h"

using namespace llvm;

namespace nereid::audit {

TreeCheck::TreeCheck(const CheckOptions &options, python::ParsedFiles &files)
    : options(options), context(mlir::MLIRContext::Threading::DISABLED),
      tree(options.version.empty() ? "3.6.0" : options.version) {
  machine::shareFiles(tree.project.getMachine(), files);
  if (!options.cache.empty())
    machine::recordAnswers(tree.project.getMachine(), answers);
  if (options.version.empty())
    tree.project.acceptRemoved(/*inImports=*/true);
}

bool TreeCheck::isFirst(size_t place) const {
  const KernelTree::Entry &entry = tree.entries[place];
  return !entry.function || tree.isRoot(entry);
}

CheckedKernel TreeCheck::describe(size_t place) const {
  const KernelTree::Entry &entry = tree.entries[place];
  CheckedKernel kernel;
  kernel.path = entry.file->getSource().getName().str();
  kernel.name = entry.name;
  kernel.line = entry.file->getLineColumn(entry.def->range.begin).line;
  return kernel;
}

Outcome TreeCheck::compile(size_t place) {
  const KernelTree::Entry &entry = tree.entries[place];
  Outcome outcome{describe(place), {}};
  if (!entry.function)
    explainMissing(entry, outcome.kernel);
  else if (tryAll(entry, outcome.kernel))
    tree.forEachCalled([&](size_t called) { outcome.called.push_back(called); });
  return outcome;
}

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

void TreeCheck::explainMissing(const KernelTree::Entry &entry, CheckedKernel &kernel) {
  std::optional<Diagnostic> reason = tree.project.explainMissing(*entry.file, kernel.name);
  if (!reason) {
    reason.emplace();
    reason->message = "the definition could not be evaluated";
  }
  keep(kernel, std::move(*reason));
}

bool TreeCheck::tryAll(const KernelTree::Entry &entry, CheckedKernel &kernel) {
  Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(options.seconds));
  auto attempt = [&](const Attempt &attempt) {
    if (Clock::now() > end) {
      isLate = true;
      return Tried::Stop;
    }
    triton::Budget budget;
    budget.seconds = std::chrono::duration<double>(end - Clock::now()).count();
    Diagnostics diagnostics;
    auto module =
        tree.project.import(context, *entry.function, attempt.request, budget, diagnostics);
    bool isFirst = kernel.attempts++ == 0;
    kernel.compiled = succeeded(module);
    if (kernel.compiled || isFirst)
      kernel.parameters = attempt.parameters;
    if (kernel.compiled)
      kernel.difference = attempt.describeDifference();
    // The first guess is the most plausible: so is what it fails of.
    else if (isFirst && !diagnostics.all().empty())
      keep(kernel, diagnostics.all().front());
    return kernel.compiled ? Tried::Compiled : Tried::Failed;
  };
  return findAttempt(tree.project,
                     makeAttempts(tree.project, tree.uses, tree.launches, *entry.function), attempt)
      .has_value();
}

} // namespace nereid::audit
