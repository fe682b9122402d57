// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Audit.h"
#include "audit/KernelAudit.h"
#include "audit/KernelRules.h"
#include "audit/Suppressions.h"

#include "sym/SymDialect.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace nereid::audit {

using triton::JitFunction;

namespace {
/// Audits the files that are imported from one folder.
class TreeAudit {
public:
  TreeAudit(const AuditOptions &options, AuditResult &result)
      : options(options), result(result), context(mlir::MLIRContext::Threading::DISABLED),
        project(options.version), uses(project), launches(project) {
    context.loadDialect<sym::SymDialect>();
  }

  void run(const SourceTree &tree);

private:
  struct Entry {
    JitFunction *function = nullptr;
    const python::ParsedFile *file = nullptr;
    AuditedKernel kernel;
    bool isDone = false;
  };

  void readFile(const std::string &path);
  void addEntry(const python::ParsedFile &file, const python::FunctionDef &def,
                const std::string &name);
  void audit(Entry &entry, Wrappers &wrappers);
  void markCalled(const Entry &caller);
  void keep(Diagnostic &diagnostic);

  const AuditOptions &options;
  AuditResult &result;
  mlir::MLIRContext context;
  triton::TritonProject project;
  Uses uses;
  Launches launches;
  std::vector<Entry> entries;
  std::vector<const python::ParsedFile *> files;
  DenseMap<const JitFunction *, size_t> places;
  DenseSet<const python::FunctionDef *> definitions;
};
} // namespace

/// The report outlives the project whose files the diagnostic points at.
void TreeAudit::keep(Diagnostic &diagnostic) {
  std::shared_ptr<const SourceFile> text = project.share(diagnostic.location.file);
  diagnostic.location.file = text.get();
  if (text && !is_contained(result.texts, text))
    result.texts.push_back(std::move(text));
  for (Diagnostic &note : diagnostic.notes)
    keep(note);
}

void TreeAudit::addEntry(const python::ParsedFile &file, const python::FunctionDef &def,
                         const std::string &name) {
  Entry entry;
  entry.file = &file;
  entry.kernel.path = file.getSource().getName().str();
  entry.kernel.name = name;
  entry.kernel.line = file.getLineColumn(def.range.begin).line;
  definitions.insert(&def);
  entry.function = project.find(&def);
  if (!entry.function)
    entry.function = project.lift(file, def);
  if (entry.function && entry.function->isConstexpr)
    return;
  if (entry.function)
    places[entry.function] = entries.size();
  entries.push_back(std::move(entry));
}

void TreeAudit::readFile(const std::string &path) {
  Diagnostics diagnostics;
  const python::ParsedFile *file = project.read(path, diagnostics);
  ++result.files;
  if (!file) {
    for (Diagnostic problem : diagnostics.all()) {
      keep(problem);
      result.problems.push_back(std::move(problem));
    }
    return;
  }
  files.push_back(file);
  // Comments may suppress something in any of them.
  if (file->getSource().getText().contains("# nereid: ignore"))
    result.texts.push_back(project.share(&file->getSource()));
  size_t first = entries.size();
  DenseSet<const python::FunctionDef *> seen;
  for (const JitDefinition &definition : findJitDefinitions(*file)) {
    seen.insert(definition.def);
    addEntry(*file, *definition.def, definition.qualifiedName);
  }
  for (JitFunction *function : project.functions())
    if (function->file == file && seen.insert(function->def).second)
      addEntry(*file, *function->def, function->name);
  std::vector<JitFunction *> own;
  for (const Entry &entry : ArrayRef(entries).drop_front(first))
    if (entry.function)
      own.push_back(entry.function);
  launches.read(*file, own);
}

void TreeAudit::markCalled(const Entry &caller) {
  for (const JitFunction *function : project.called()) {
    auto place = places.find(function);
    if (place == places.end() || entries[place->second].isDone || !launches.of(function).empty())
      continue;
    Entry &entry = entries[place->second];
    entry.kernel.compiled = true;
    entry.kernel.caller = caller.kernel.name;
    entry.isDone = true;
  }
}

void TreeAudit::audit(Entry &entry, Wrappers &wrappers) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  entry.isDone = true;
  KernelAudit kernel(project, context, *entry.function,
                     makeAttempts(project, uses, launches, *entry.function), options.seconds);
  kernel.run(wrappers.of(entry.function), entry.kernel, result.findings);
  applyKernelRules(project, *entry.function, kernel.getKernel(), kernel.getRejection(),
                   entry.kernel.name, result.findings);
  entry.kernel.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (entry.kernel.compiled)
    markCalled(entry);
}

void TreeAudit::run(const SourceTree &tree) {
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
  Wrappers wrappers(project, sym::SymDialect::getIndexContext(&context));
  for (const python::ParsedFile *file : files)
    wrappers.addFile(*file, definitions);
  wrappers.run();
  size_t firstFinding = result.findings.size();
  for (bool isRoot : {true, false})
    for (Entry &entry : entries) {
      if (entry.isDone || !entry.function)
        continue;
      bool isLaunched =
          !launches.of(entry.function).empty() || !wrappers.of(entry.function).launches.empty();
      if (isRoot == (!called.contains(entry.function) || isLaunched))
        audit(entry, wrappers);
    }
  for (Finding &finding : MutableArrayRef(result.findings).drop_front(firstFinding))
    keep(finding.diagnostic);
  for (Entry &entry : entries)
    result.kernels.push_back(std::move(entry.kernel));
}

static bool isWanted(const Finding &finding, const AuditOptions &options) {
  auto isNamed = [&](const std::vector<std::string> &names) {
    return any_of(names, [&](StringRef name) {
      return finding.rule->id.starts_with(name) || finding.rule->name == name;
    });
  };
  bool isSelected = options.select.empty() ? !finding.rule->isQuiet : isNamed(options.select);
  return isSelected && !isNamed(options.ignore);
}

/// By what is found and where in the code, not in which line.
static void fingerprint(std::vector<Finding> &findings) {
  StringMap<unsigned> seen;
  for (Finding &finding : findings) {
    const SourceLocation &place = finding.diagnostic.location;
    std::string key = (finding.rule->id + "|" + finding.kernel + "|").str();
    if (place.file)
      for (char c : place.file->getText(place.range))
        if (!isSpace(c))
          key += c;
    key += "|" + std::to_string(seen[key]++);
    finding.fingerprint = utohexstr(xxh3_64bits(key), /*LowerCase=*/true, 16);
  }
}

AuditResult audit(const AuditOptions &options) {
  AuditResult result;
  Discovery discovery = discover(options.paths);
  result.skipped = std::move(discovery.skipped);
  result.missing = std::move(discovery.missing);
  if (result.missing.empty())
    for (const SourceTree &tree : discovery.trees)
      TreeAudit(options, result).run(tree);
  erase_if(result.findings, [&](const Finding &f) { return !isWanted(f, options); });
  applySuppressions(result.texts, result.findings);
  erase_if(result.findings, [&](const Finding &f) { return !isWanted(f, options); });
  fingerprint(result.findings);
  return result;
}

} // namespace nereid::audit
