// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/KernelTree.h"

using namespace llvm;

namespace nereid::audit {

using triton::JitFunction;

void KernelTree::readFile(const std::string &path, std::vector<UnreadFile> &unread) {
  Diagnostics diagnostics;
  const python::ParsedFile *file = project.read(path, diagnostics);
  if (!file) {
    for (Diagnostic problem : diagnostics.all()) {
      std::shared_ptr<const SourceFile> text = project.share(problem.location.file);
      // The texts of other files die with the project.
      for (Diagnostic &note : problem.notes)
        if (note.location.file == problem.location.file)
          note.location.file = text.get();
        else
          note.location = {};
      problem.location.file = text.get();
      unread.push_back({problem, text});
    }
    return;
  }
  files.push_back(file);
  llvm::DenseSet<const python::FunctionDef *> seen;
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

void KernelTree::addEntry(const python::ParsedFile &file, const python::FunctionDef &def,
                          const std::string &name) {
  Entry entry{&file, &def, name, project.find(&def)};
  if (!entry.function)
    entry.function = project.lift(file, def);
  if (entry.function && entry.function->isConstexpr)
    return;
  if (entry.function)
    places[entry.function] = entries.size();
  entries.push_back(std::move(entry));
}

void KernelTree::read(const SourceTree &tree, std::vector<UnreadFile> &unread) {
  for (const std::string &file : tree.files)
    readFile(file, unread);
  ownEntries = entries.size();
  ownFiles = files.size();
  std::vector<UnreadFile> ofCallers;
  for (const std::string &file : tree.callers)
    readFile(file, ofCallers);
  std::vector<JitFunction *> functions;
  for (const Entry &entry : entries)
    if (entry.function)
      functions.push_back(entry.function);
  uses.add(functions);
  for (JitFunction *function : functions)
    for (JitFunction *callee : uses.find(function)->callees)
      if (callee != function)
        called.insert(callee);
}

bool KernelTree::isRoot(const Entry &entry) const {
  return !called.contains(entry.function) || !launches.of(entry.function).empty();
}

void KernelTree::forEachCalled(llvm::function_ref<void(size_t)> visit) {
  for (const JitFunction *function : project.called())
    if (const Entry *found = find(function); found && launches.of(function).empty())
      visit(found - entries.data());
}

const KernelTree::Entry *KernelTree::find(const JitFunction *function) const {
  auto place = places.find(function);
  return place == places.end() ? nullptr : &entries[place->second];
}

} // namespace nereid::audit
