// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a module is found: among those that are known or built in, in files and folders, in
// libraries.
#include "python/machine/Internals.h"
#include "python/machine/Outside.h"
#include "python/machine/Prelude.h"

#include "llvm/Support/Path.h"

using namespace nereid;
using namespace nereid::machine;

namespace path = llvm::sys::path;

void nereid::machine::recordAnswers(Machine &machine, Answers &answers) {
  Internals::of(machine).answers = &answers;
}

void nereid::machine::shareFiles(Machine &machine, ast::ParsedFiles &files) {
  Internals::of(machine).sharedFiles = &files;
}

bool nereid::machine::wasLate(const Machine &machine) {
  return Internals::of(const_cast<Machine &>(machine)).late;
}

bool Internals::asks(Question question, llvm::StringRef path) {
  bool answer = ask(question, path);
  if (answers)
    answers->add(question, path, answer);
  return answer;
}

std::shared_ptr<const SourceFile> Internals::readFile(llvm::StringRef path, std::string &error) {
  std::shared_ptr<const SourceFile> file;
  if (sharedFiles && (!m.texts || m.texts->empty())) {
    const ast::ParsedFiles::Entry &entry = sharedFiles->get(path);
    file = entry.source;
    error = entry.error;
  } else {
    file = readSourceFile(path, error, m.texts);
  }
  if (answers && file)
    answers->addText(path, file->getText());
  else if (answers)
    answers->addUnread(path, error);
  return file;
}

const ast::ParsedFile *Internals::parse(std::shared_ptr<const SourceFile> file,
                                        Diagnostics &diagnostics) {
  const ast::ParsedFiles::Entry *shared =
      sharedFiles ? sharedFiles->find(file->getName()) : nullptr;
  std::shared_ptr<const ast::ParsedFile> parsed;
  if (shared && shared->source == file) {
    parsed = shared->parsed;
    for (const Diagnostic &problem : shared->diagnostics.all())
      diagnostics.error(problem.location, problem.message, problem.help).notes = problem.notes;
  } else {
    parsed = ast::parseFile(file, diagnostics);
  }
  if (!parsed) {
    broken.push_back(std::move(file));
    return nullptr;
  }
  bySource[&parsed->getSource()] = parsed.get();
  return files.emplace_back(std::move(parsed)).get();
}

ModuleObject *Internals::findSource(llvm::StringRef dotted, ModuleObject *from, bool &failed) {
  failed = false;
  std::string relative = dotted.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  for (const std::string &root : std::vector(searchPath)) {
    for (bool package : {true, false}) {
      llvm::SmallString<128> file(root);
      path::append(file, package ? relative + "/__init__.py" : relative + ".py");
      if (!asks(Question::File, file))
        continue;
      std::string error;
      std::shared_ptr<const SourceFile> source = readFile(file, error);
      if (!source) {
        failed = true;
        m.refuse("cannot read '" + file.str() + "': " + error);
        return nullptr;
      }
      Diagnostics diagnostics;
      ModuleObject *module = loadSource(source, dotted, package, nullptr, {}, diagnostics);
      failed = !module;
      if (!module && !m.pending() && diagnostics.hasErrors()) {
        const Diagnostic &first = diagnostics.all().front();
        SourceLocation at = m.location();
        m.refuseAt(first.location, first.message, first.help);
        refused->addNote(at, "imported here");
        // The diagnostic points into the text, which therefore has to stay.
        keptSources.push_back(source);
      }
      return module;
    }
  }
  return nullptr;
}

/// A folder without `__init__.py`, as a package of nothing but what lies in it.
ModuleObject *Internals::findFolder(llvm::StringRef dotted) {
  std::string relative = dotted.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  for (const std::string &root : searchPath) {
    llvm::SmallString<128> folder(root);
    path::append(folder, relative);
    if (!asks(Question::Folder, folder) || !asks(Question::Sources, folder))
      continue;
    ModuleObject *module = m.makeModule(dotted, nullptr);
    module->isPackage = true;
    module->attrs->set(n.package, m.makeStr(dotted));
    return modules[dotted] = module;
  }
  return nullptr;
}

Value Internals::builtinModule(llvm::StringRef name) {
  if (name == "math")
    return makeMathModule();
  if (name == "typing" || name == "typing_extensions" || name == "types")
    return makeTypingModule(name);
  if (name == "collections.abc")
    name = "_nereid_collections_abc";
  if (name == "packaging.version")
    name = "_nereid_packaging_version";
  if (name == "importlib.metadata")
    name = "_nereid_importlib_metadata";
  if (name == "importlib.util")
    name = "_nereid_importlib_util";
  if (auto known = modules.find(name); known != modules.end())
    return known->second;
  if (name == "_nereid")
    return makeMachineModule();
  const char *text = preludeSource(name);
  if (!text)
    return nullptr;
  auto file = std::make_shared<SourceFile>(("<" + name + ">").str(), text);
  Diagnostics diagnostics;
  size_t errors = m.getImportErrors().size();
  ModuleObject *module = loadSource(file, name, false, nullptr, {}, diagnostics);
  assert((module || m.pending()) && "a prelude parses");
  assert((m.pending() || m.getImportErrors().size() == errors) &&
         "a prelude fails only where a limit of the machine is reached");
  (void)errors;
  return module;
}

/// The folder above the one of this name that a file lies in: a package that is copied into another
/// names itself as if it were not. Empty where there is none.
static std::string findCopied(llvm::StringRef name, const ModuleObject *from) {
  if (!from || !from->file)
    return "";
  for (llvm::StringRef folder = path::parent_path(from->file->getName()); !folder.empty();
       folder = path::parent_path(folder))
    if (path::filename(folder) == name)
      return path::parent_path(folder).str();
  return "";
}

Value Internals::findModule(llvm::StringRef dotted, ModuleObject *from) {
  // Of PyTorch nothing is known: its package reads compiled modules when it is imported.
  if (m.spreadsOpaque && dotted == "torch")
    return nullptr;
  auto known = modules.find(dotted);
  if (known != modules.end())
    return known->second;
  if (Value module = builtinModule(dotted)) {
    modules[dotted] = llvm::cast<ModuleObject>(module);
    return module;
  }
  if (m.pending())
    return nullptr;
  // Where host code is read and not run, a library stands for its package, also for the files of
  // that package itself.
  if (m.spreadsOpaque)
    for (Library *library : libraries)
      if (auto answer = library->importModule(m, dotted))
        return *answer;
  bool failed;
  if (ModuleObject *module = findSource(dotted, from, failed))
    return module;
  if (failed || m.pending())
    return nullptr;
  for (Library *library : libraries)
    if (auto answer = library->importModule(m, dotted)) {
      if (auto *module = llvm::dyn_cast_if_present<ModuleObject>(*answer))
        modules[dotted] = module;
      return *answer;
    }
  if (!m.spreadsOpaque)
    return nullptr;
  if (ModuleObject *folder = findFolder(dotted))
    return folder;
  std::string above = dotted.contains('.') ? "" : findCopied(dotted, from);
  if (above.empty() || llvm::is_contained(searchPath, above))
    return nullptr;
  searchPath.push_back(above);
  ModuleObject *copied = findSource(dotted, from, failed);
  return copied || failed || m.pending() ? copied : findFolder(dotted);
}
