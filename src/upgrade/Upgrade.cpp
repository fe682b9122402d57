// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/Upgrade.h"

#include "upgrade/GlobalConstants.h"
#include "upgrade/Prover.h"

#include "python/AstVisit.h"
#include "python/Parser.h"

using namespace llvm;

namespace nereid::upgrade {

namespace {

/// The files that are imported from one folder.
class TreeUpgrade {
public:
  TreeUpgrade(const UpgradeOptions &options, UpgradeResult &result)
      : options(options), result(result), tree("3.6.0") {}

  void run(const audit::SourceTree &sources);

private:
  struct File {
    FileNames names;
    std::unique_ptr<python::ParsedFile> revised = nullptr;
    explicit File(const python::ParsedFile &file) : names(file) {}
  };

  void findUnits();
  std::vector<Edit> getEdits(const python::ParsedFile &file) const;
  bool revise(File &file);
  bool reviseAll();
  void proveAll();
  void report();

  const UpgradeOptions &options;
  UpgradeResult &result;
  audit::KernelTree tree;
  llvm::MapVector<const python::ParsedFile *, std::unique_ptr<File>> files;
  std::vector<std::unique_ptr<Unit>> units;
  std::vector<std::unique_ptr<python::ParsedFile>> oldRevisions;
};

} // namespace

/// Whether the text is the file's, and no transcription of it.
static bool isAsRead(const SourceFile &source) {
  std::string error;
  std::unique_ptr<SourceFile> file = readSourceFile(source.getName(), error);
  return file && file->getText() == source.getText();
}

void TreeUpgrade::findUnits() {
  GlobalConstants constants(tree);
  for (const audit::KernelTree::Entry &entry : ArrayRef(tree.entries).take_front(tree.ownEntries)) {
    std::unique_ptr<File> &file = files[entry.file];
    if (!file)
      file = std::make_unique<File>(*entry.file);
    auto unit = std::make_unique<Unit>(file->names, entry);
    if (options.version.minor >= 9)
      changeBlockPointers(unit->text, unit->changes);
    changeNames(unit->text, options.version, unit->changes);
    constants.change(unit->text, unit->changes);
    if (unit->changes.isEmpty())
      continue;
    for (const Diagnostic &refusal : unit->changes.refusals)
      unit->fail(refusal);
    if (!isAsRead(entry.file->getSource()))
      unit->fail({Severity::Error, unit->place(), "the file is not UTF-8", "save it as UTF-8", {}});
    if (!entry.function) {
      std::optional<Diagnostic> reason = tree.project.explainMissing(*entry.file, entry.name);
      unit->fail(reason.value_or(Diagnostic{
          Severity::Error, unit->place(), "the definition could not be evaluated", "", {}}));
    }
    units.push_back(std::move(unit));
  }
}

/// The edits of a file for all functions that did not fail.
std::vector<Edit> TreeUpgrade::getEdits(const python::ParsedFile &file) const {
  std::vector<Edit> edits;
  bool needsLibdevice = false;
  uint32_t place = 0;
  StringRef lineEnd = "\n";
  llvm::DenseSet<const python::AnnAssign *> constants;
  for (const auto &unit : units) {
    if (!unit->reasons.empty())
      continue;
    for (auto [owner, statement] : unit->changes.constants)
      if (owner == &file && constants.insert(statement).second)
        llvm::append_range(edits, GlobalConstants::getEdits(file, *statement));
    if (unit->entry.file != &file)
      continue;
    llvm::append_range(edits, unit->changes.edits);
    needsLibdevice |= unit->changes.needsLibdevice;
    place = unit->text.names.getImportPlace();
    lineEnd = unit->text.names.getLineEnd();
  }
  if (needsLibdevice)
    edits.push_back(
        {{place, place}, ("from triton.language.extra import libdevice" + lineEnd).str()});
  return edits;
}

static void collectDefinitions(const python::Node &node,
                               std::vector<const python::FunctionDef *> &definitions) {
  if (auto *def = dyn_cast<python::FunctionDef>(&node))
    definitions.push_back(def);
  python::forEachChild(node,
                       [&](const python::Node &child) { collectDefinitions(child, definitions); });
}

/// The new text of a file, and its definitions beside the old ones; false when one fails.
bool TreeUpgrade::revise(File &file) {
  const python::ParsedFile &old = file.names.file;
  std::vector<Edit> edits = getEdits(old);
  if (edits.empty())
    return true;
  auto failAll = [&](const std::string &reason) {
    for (auto &unit : units)
      if (unit->entry.file == &old && unit->reasons.empty())
        unit->fail({Severity::Error, unit->place(), reason, "", {}});
    return false;
  };
  std::optional<std::string> text = applyEdits(old.getSource().getText(), edits);
  if (!text)
    return failAll("two rules change one place");
  Diagnostics diagnostics;
  auto source = std::make_shared<SourceFile>(old.getSource().getName().str(), *text);
  file.revised = python::parseFile(source, diagnostics);
  if (!file.revised)
    return failAll("what was written is no Python: " + diagnostics.all().front().message);
  std::vector<const python::FunctionDef *> before, after;
  collectDefinitions(old.getModule(), before);
  collectDefinitions(file.revised->getModule(), after);
  bool isWhole = true;
  for (auto &unit : units) {
    if (unit->entry.file != &old || !unit->reasons.empty())
      continue;
    const python::FunctionDef *def = after[llvm::find(before, unit->entry.def) - before.begin()];
    Diagnostics problems;
    if (tree.project.revise(*unit->entry.function, *file.revised, *def, problems))
      continue;
    unit->fail({Severity::Error,
                unit->place(),
                "the new definition cannot be evaluated" +
                    (problems.all().empty() ? "" : ": " + problems.all().front().message),
                "",
                {}});
    isWhole = false;
  }
  return isWhole;
}

bool TreeUpgrade::reviseAll() {
  tree.project.dropRevisions();
  bool isWhole = true;
  for (auto &[source, file] : files) {
    if (file->revised)
      oldRevisions.push_back(std::move(file->revised));
    isWhole &= revise(*file);
  }
  return isWhole;
}

/// Until no function fails: one that does leaves the text, and the others are shown again.
void TreeUpgrade::proveAll() {
  auto countGood = [&] {
    return llvm::count_if(units, [](const auto &unit) { return unit->reasons.empty(); });
  };
  while (size_t good = countGood()) {
    if (!reviseAll())
      continue;
    for (auto &unit : units)
      unit->forget();
    Prover(tree, units, options.seconds).run();
    if (size_t(countGood()) == good)
      return;
  }
}

void TreeUpgrade::report() {
  for (auto &unit : units) {
    UpgradedKernel kernel;
    kernel.path = unit->entry.file->getSource().getName().str();
    kernel.name = unit->entry.name;
    kernel.line = unit->entry.file->getLineColumn(unit->entry.def->range.begin).line;
    kernel.upgraded = unit->reasons.empty();
    kernel.kinds = unit->changes.kinds;
    if (kernel.upgraded)
      kernel.proof = unit->describeProof();
    for (Diagnostic reason : unit->reasons) {
      std::shared_ptr<const SourceFile> text = tree.project.share(reason.location.file);
      reason.location.file = text.get();
      reason.notes.clear();
      result.texts.push_back(std::move(text));
      kernel.reasons.push_back(std::move(reason));
    }
    result.kernels.push_back(std::move(kernel));
  }
  for (const python::ParsedFile *source : ArrayRef(tree.files).take_front(tree.ownFiles))
    if (std::vector<Edit> edits = getEdits(*source); !edits.empty())
      result.files.push_back({source->getSource().getName().str(),
                              tree.project.share(&source->getSource()), std::move(edits)});
}

void TreeUpgrade::run(const audit::SourceTree &sources) {
  tree.project.acceptRemoved();
  tree.read(sources, result.problems);
  result.readFiles += sources.files.size();
  result.readKernels += tree.ownEntries;
  findUnits();
  proveAll();
  report();
  tree.project.dropRevisions();
}

UpgradeResult upgrade(const UpgradeOptions &options) {
  UpgradeResult result;
  audit::Discovery discovery = audit::discover(options.paths, audit::Callers::InPackage);
  result.skipped = std::move(discovery.skipped);
  result.missing = std::move(discovery.missing);
  if (result.missing.empty())
    for (const audit::SourceTree &tree : discovery.trees)
      TreeUpgrade(options, result).run(tree);
  return result;
}

} // namespace nereid::upgrade
