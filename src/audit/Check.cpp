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
        project(options.version), uses(project), launches(project) {}

  void run(const SourceTree &tree);

private:
  struct Entry {
    JitFunction *function = nullptr; // null: it could not be made
    CheckedKernel kernel;
    const python::ParsedFile *file = nullptr;
    bool isDone = false;
  };

  void readFile(const std::string &path);
  void addEntry(const python::ParsedFile &file, const python::FunctionDef &def,
                const std::string &name);
  void explainMissing(Entry &entry);
  void compile(Entry &entry);
  void keep(CheckedKernel &kernel, Diagnostic reason);
  void markCalled(const Entry &caller);

  const CheckOptions &options;
  CheckResult &result;
  mlir::MLIRContext context;
  triton::TritonProject project;
  Uses uses;
  Launches launches;
  std::vector<Entry> entries;
  DenseMap<const JitFunction *, size_t> places;
};

} // namespace

void TreeCheck::readFile(const std::string &path) {
  Diagnostics diagnostics;
  const python::ParsedFile *file = project.read(path, diagnostics);
  ++result.files;
  if (!file) {
    for (Diagnostic problem : diagnostics.all()) {
      std::shared_ptr<const SourceFile> text = project.share(problem.location.file);
      problem.location.file = text.get();
      result.problems.push_back({problem, text});
    }
    return;
  }
  DenseSet<const python::FunctionDef *> seen;
  size_t first = entries.size();
  for (const JitDefinition &definition : findJitDefinitions(*file)) {
    seen.insert(definition.def);
    addEntry(*file, *definition.def, definition.qualifiedName);
  }
  // Under a decorator that comes down to triton.jit.
  for (JitFunction *function : project.functions())
    if (function->file == file && seen.insert(function->def).second)
      addEntry(*file, *function->def, function->name);
  std::vector<JitFunction *> own;
  for (const Entry &entry : ArrayRef(entries).drop_front(first))
    if (entry.function)
      own.push_back(entry.function);
  launches.read(*file, own);
}

void TreeCheck::addEntry(const python::ParsedFile &file, const python::FunctionDef &def,
                         const std::string &name) {
  Entry entry;
  entry.file = &file;
  entry.kernel.path = file.getSource().getName().str();
  entry.kernel.name = name;
  entry.kernel.line = file.getLineColumn(def.range.begin).line;
  entry.function = project.find(&def);
  if (!entry.function)
    entry.function = project.lift(file, def);
  if (entry.function && entry.function->isConstexpr)
    return;
  if (entry.function)
    places[entry.function] = entries.size();
  entries.push_back(std::move(entry));
}

/// The report outlives the project whose files the diagnostic points at.
void TreeCheck::keep(CheckedKernel &kernel, Diagnostic reason) {
  auto move = [&](SourceLocation &location) {
    std::shared_ptr<const SourceFile> text = project.share(location.file);
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
  std::optional<Diagnostic> reason = project.explainMissing(*entry.file, entry.kernel.name);
  if (!reason) {
    reason.emplace();
    reason->message = "the definition could not be evaluated";
  }
  keep(entry.kernel, std::move(*reason));
  entry.isDone = true;
}

void TreeCheck::markCalled(const Entry &caller) {
  for (const JitFunction *function : project.called()) {
    auto place = places.find(function);
    if (place == places.end() || entries[place->second].isDone)
      continue;
    Entry &entry = entries[place->second];
    if (!launches.of(function).empty())
      continue;
    entry.kernel.compiled = true;
    entry.kernel.caller = caller.kernel.name;
    entry.isDone = true;
  }
}

void TreeCheck::compile(Entry &entry) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  entry.isDone = true;
  std::vector<Attempt> attempts = makeAttempts(project, uses, launches, *entry.function);
  for (auto [number, attempt] : enumerate(attempts)) {
    double spent = std::chrono::duration<double>(Clock::now() - start).count();
    if (spent > options.seconds)
      break;
    triton::Budget budget;
    budget.seconds = options.seconds - spent;
    Diagnostics diagnostics;
    auto module = project.import(context, *entry.function, attempt.request, budget, diagnostics);
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

void TreeCheck::run(const SourceTree &tree) {
  for (const std::string &file : tree.files)
    readFile(file);
  std::vector<JitFunction *> functions;
  for (const Entry &entry : entries)
    if (entry.function)
      functions.push_back(entry.function);
  uses.add(functions);
  DenseSet<const JitFunction *> called;
  for (JitFunction *function : functions)
    for (JitFunction *callee : uses.find(function)->callees)
      if (callee != function)
        called.insert(callee);
  // Kernels first: what they call is compiled at the types that they call it with.
  for (bool isRoot : {true, false})
    for (Entry &entry : entries) {
      if (entry.isDone)
        continue;
      if (!entry.function)
        explainMissing(entry);
      else if (isRoot == (!called.contains(entry.function) || !launches.of(entry.function).empty()))
        compile(entry);
    }
  for (Entry &entry : entries)
    result.kernels.push_back(std::move(entry.kernel));
}

CheckResult check(const CheckOptions &options) {
  CheckResult result;
  Discovery discovery = discover(options.paths);
  result.skipped = std::move(discovery.skipped);
  result.missing = std::move(discovery.missing);
  if (result.missing.empty())
    for (const SourceTree &tree : discovery.trees)
      TreeCheck(options, result).run(tree);
  return result;
}

} // namespace nereid::audit
