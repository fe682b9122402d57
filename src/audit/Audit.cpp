// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Audit.h"
#include "audit/HostRules.h"
#include "audit/KernelAudit.h"
#include "audit/KernelRules.h"
#include "audit/KernelTree.h"
#include "audit/LaunchRules.h"
#include "audit/LayoutRule.h"
#include "audit/NumericRules.h"
#include "audit/Suppressions.h"

#include "python/machine/Outside.h"
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
        firstFinding(result.findings.size()) {
    context.loadDialect<sym::SymDialect>();
    open();
  }

  void run(const SourceTree &sources);

private:
  struct Entry {
    const KernelTree::Entry *source = nullptr;
    const python::FunctionDef *def = nullptr;
    AuditedKernel kernel;
    bool isDone = false;

    JitFunction *getFunction() const { return source ? source->function : nullptr; }
  };

  void open();
  void read(const SourceTree &sources);
  void readAgain(const SourceTree &sources);
  std::vector<Attempt> makeAttempts(JitFunction &function);
  void audit(Entry &entry, Wrappers &wrappers);
  void markCalled(const Entry &caller);
  std::shared_ptr<const SourceFile> share(const SourceFile *file);
  void keep(SourceLocation &place);
  void keep(Diagnostic &diagnostic);
  void keepFindings();

  const AuditOptions &options;
  AuditResult &result;
  mlir::MLIRContext context;
  python::ParsedFiles files;
  std::optional<KernelTree> tree;
  std::vector<Entry> entries; // those of the tree
  /// Those before are of other trees.
  size_t firstFinding;
  /// What stands for files of the tree in the result, the same however often it is read.
  llvm::DenseMap<const SourceFile *, std::shared_ptr<const SourceFile>> shared;
  llvm::DenseSet<const SourceFile *> copies;
};
} // namespace

void TreeAudit::open() {
  tree.emplace(options.version, &options.texts);
  machine::shareFiles(tree->project.getMachine(), files);
  tree->project.acceptRemoved(/*inImports=*/true);
}

std::shared_ptr<const SourceFile> TreeAudit::share(const SourceFile *file) {
  // Texts of our own are those of one reading.
  if (!file || file->getName().starts_with("<"))
    return tree->project.share(file);
  std::shared_ptr<const SourceFile> &text = shared[file];
  if (!text)
    text = tree->project.share(file);
  return text;
}

/// The report outlives the project whose files it points at.
void TreeAudit::keep(SourceLocation &place) {
  if (copies.contains(place.file))
    return;
  std::shared_ptr<const SourceFile> text = share(place.file);
  copies.insert(text.get());
  place.file = text.get();
  if (text && !is_contained(result.texts, text))
    result.texts.push_back(std::move(text));
}

void TreeAudit::keep(Diagnostic &diagnostic) {
  keep(diagnostic.location);
  for (Diagnostic &note : diagnostic.notes)
    keep(note);
}

void TreeAudit::read(const SourceTree &sources) {
  std::vector<UnreadFile> unread;
  tree->read(sources, unread);
  result.files += sources.files.size();
  for (UnreadFile &file : unread) {
    result.texts.push_back(std::move(file.file));
    result.problems.push_back(std::move(file.diagnostic));
  }
  for (const KernelTree::Entry &source : ArrayRef(tree->entries).take_front(tree->ownEntries)) {
    Entry &entry = entries.emplace_back();
    entry.source = &source;
    entry.def = source.def;
    entry.kernel.path = source.file->getSource().getName().str();
    entry.kernel.name = source.name;
    entry.kernel.line = source.file->getLineColumn(source.def->range.begin).line;
  }
}

/// Puts a tree that takes little in the place of one that has grown. The definitions are the same,
/// since what is parsed is kept.
void TreeAudit::readAgain(const SourceTree &sources) {
  keepFindings();
  open();
  std::vector<UnreadFile> known;
  tree->read(sources, known);
  llvm::DenseMap<const python::FunctionDef *, const KernelTree::Entry *> byDefinition;
  for (const KernelTree::Entry &source : tree->entries)
    byDefinition[source.def] = &source;
  for (Entry &entry : entries)
    entry.source = byDefinition.lookup(entry.def);
}

void TreeAudit::keepFindings() {
  for (Finding &finding : MutableArrayRef(result.findings).drop_front(firstFinding)) {
    keep(finding.diagnostic);
    for (Suggestion &suggestion : finding.suggestions)
      keep(suggestion.place);
  }
}

void TreeAudit::markCalled(const Entry &caller) {
  tree->forEachCalled([&](size_t place) {
    if (place >= entries.size() || entries[place].isDone || !entries[place].source)
      return;
    Entry &entry = entries[place];
    entry.kernel.compiled = true;
    entry.kernel.caller = caller.kernel.name;
    entry.isDone = true;
  });
}

/// The guesses, and last what mends them where none compiles: what a launch says is put in their
/// place.
std::vector<Attempt> TreeAudit::makeAttempts(JitFunction &function) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  std::vector<Attempt> attempts =
      audit::makeAttempts(tree->project, tree->uses, tree->launches, function);
  std::optional<Attempt> found = findAttempt(tree->project, attempts, [&](const Attempt &attempt) {
    triton::Budget budget;
    budget.seconds =
        options.seconds / 2 - std::chrono::duration<double>(Clock::now() - start).count();
    if (budget.seconds <= 0)
      return Tried::Stop;
    Diagnostics diagnostics;
    bool isCompiled =
        succeeded(tree->project.import(context, function, attempt.request, budget, diagnostics));
    return isCompiled ? Tried::Compiled : Tried::Failed;
  });
  if (found && !found->changes.empty())
    attempts.push_back(std::move(*found));
  return attempts;
}

void TreeAudit::audit(Entry &entry, Wrappers &wrappers) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  entry.isDone = true;
  JitFunction &function = *entry.source->function;
  KernelAudit kernel(tree->project, context, function, makeAttempts(function), options.seconds);
  const KernelLaunches &launches = wrappers.of(&function);
  kernel.run(launches, entry.kernel, result.findings);
  RuleSite site(tree->project, function, entry.kernel.name, result.findings);
  std::vector<mlir::func::FuncOp> instances = kernel.getKernels();
  applyKernelRules(site, instances, kernel.getRejection(), launches, entry.kernel);
  findAssumedLayouts(instances, launches, site);
  findLargeGrids(launches, site);
  findOddTiles(instances, launches, site);
  std::vector<Diagnostic> rejections;
  std::vector<mlir::func::FuncOp> halves = kernel.getHalves(launches, rejections);
  applyHalfRules(site, halves, rejections);
  entry.kernel.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (entry.kernel.compiled)
    markCalled(entry);
  else if (const Diagnostic *rejection = kernel.getRejection())
    entry.kernel.rejection = *rejection;
}

void TreeAudit::run(const SourceTree &sources) {
  read(sources);
  llvm::DenseSet<const python::FunctionDef *> definitions;
  for (const KernelTree::Entry &entry : tree->entries)
    definitions.insert(entry.def);
  Wrappers::Renew renew = [&]() -> triton::TritonProject & {
    readAgain(sources);
    return tree->project;
  };
  // Texts that stand in for those of files are parsed by each machine for itself.
  Wrappers wrappers(tree->project, sym::SymDialect::getIndexContext(&context), options.room,
                    options.texts.empty() ? renew : nullptr);
  for (const python::ParsedFile *file : tree->files)
    wrappers.addFile(*file, definitions);
  llvm::StringSet<> wanted;
  for (const Entry &entry : entries)
    if (options.subject.empty() || entry.kernel.path == options.subject)
      if (const JitFunction *function = entry.getFunction())
        wanted.insert(function->name);
  wrappers.run(wanted);
  // Comments may suppress something in any file.
  for (const python::ParsedFile *file : tree->files)
    if (file->getSource().getText().contains("# nereid: ignore"))
      result.texts.push_back(share(&file->getSource()));
  for (const python::ParsedFile *file : ArrayRef(tree->files).take_front(tree->ownFiles))
    applyHostRules(*file, definitions, result.findings);
  for (bool isRoot : {true, false})
    for (Entry &entry : entries) {
      wrappers.makeRoom();
      const JitFunction *function = entry.getFunction();
      if (entry.isDone || !function ||
          (!options.subject.empty() && entry.kernel.path != options.subject))
        continue;
      if (isRoot == (tree->isRoot(*entry.source) || !wrappers.of(function).launches.empty()))
        audit(entry, wrappers);
    }
  keepFindings();
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

/// A function that several kernels call is judged with each of them: what is found in it is told
/// once.
static void dropRepeated(std::vector<Finding> &findings) {
  std::set<std::tuple<const Rule *, const SourceFile *, uint32_t, std::string>> seen;
  erase_if(findings, [&](const Finding &finding) {
    const SourceLocation &place = finding.diagnostic.location;
    return place.file &&
           !seen.insert({finding.rule, place.file, place.range.begin, finding.diagnostic.message})
                .second;
  });
}

/// By what is found and where in the code, not in which line.
static void fingerprint(std::vector<Finding> &findings) {
  llvm::StringMap<unsigned> seen;
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
  Discovery discovery = discover(options.paths, options.callers, options.excluded);
  result.skipped = std::move(discovery.skipped);
  result.missing = std::move(discovery.missing);
  if (result.missing.empty())
    for (const SourceTree &tree : discovery.trees)
      TreeAudit(options, result).run(tree);
  if (options.addFindings && result.missing.empty())
    options.addFindings(result);
  erase_if(result.findings, [&](const Finding &f) { return !isWanted(f, options); });
  dropRepeated(result.findings);
  applySuppressions(result.texts, result.findings);
  erase_if(result.findings, [&](const Finding &f) { return !isWanted(f, options); });
  fingerprint(result.findings);
  return result;
}

} // namespace nereid::audit
