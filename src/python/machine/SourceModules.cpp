// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules made of files: reading and executing them. A top-level statement that fails does not fail
// the import: what it should have bound is poisoned, and using that raises the error again.
#include "python/machine/Evaluator.h"
#include "python/machine/Journal.h"
#include "python/machine/Scopes.h"

#include "llvm/Support/Path.h"

using namespace nereid;
using namespace nereid::machine;

namespace path = llvm::sys::path;

static bool isMainGuard(const ast::Stmt &stmt) {
  auto *branch = llvm::dyn_cast<ast::If>(&stmt);
  auto *test = branch ? llvm::dyn_cast<ast::Compare>(branch->test) : nullptr;
  auto *name = test ? llvm::dyn_cast<ast::Name>(test->left) : nullptr;
  return name && name->id == "__name__" && branch->orelse.empty();
}

/// Executes a statement at the top of a file.
static Completion runStatement(Internals &in, Evaluator &evaluator, ast::Stmt *stmt) {
  if (!in.m.recordsEffects || in.frame->module->library)
    return evaluator.execBody(stmt);
  Journal journal(in.m);
  Completion ended = evaluator.execBody(stmt);
  std::vector<Effect> effects;
  for (const Change &change : journal.changes()) {
    bool isName = change.kind == Change::Local || change.kind == Change::Attribute;
    effects.push_back({change.holder, change.name, isName ? change.after : nullptr});
  }
  in.effects[stmt] = std::move(effects);
  return ended;
}

llvm::ArrayRef<Effect> Machine::effectsOf(const ast::Stmt &statement) const {
  auto found = internals->effects.find(&statement);
  if (found == internals->effects.end())
    return {};
  return found->second;
}

/// Executes the statements of a module one by one; false: a budget is spent.
static bool runModule(Internals &in, ModuleObject &module, const ast::ParsedFile &file,
                      std::vector<ImportError> &errors) {
  Frame frame;
  frame.kind = FrameKind::Module;
  frame.code = in.codeOf(file.getModule(), file);
  frame.locals = module.attrs;
  frame.module = &module;
  frame.caller = in.frame;
  Frame *saved = in.frame;
  in.frame = &frame;
  Evaluator evaluator(in, frame);
  bool ok = true;
  for (ast::Stmt *stmt : file.getModule().body) {
    if (isMainGuard(*stmt))
      continue; // an imported file is never the main program
    frame.control.clear();
    Completion ended = runStatement(in, evaluator, stmt);
    if (!ended.isRaise())
      continue;
    if (in.fatal || in.closing) {
      ok = false;
      break;
    }
    Value exception = in.exception;
    Diagnostic problem = in.m.takeError();
    // What a definition of ours refuses is refused for the statement that calls it.
    const SourceFile *place = problem.location.file;
    if (place && place->getName().starts_with("<"))
      problem.location = file.getLocation(*stmt);
    errors.push_back({&module, std::move(problem), exception});
    BoundNames bound;
    bound.statement(*stmt);
    for (llvm::StringRef name : bound.names)
      if (Name bare = in.nameOf(name); !module.attrs->get(bare))
        module.poisoned[bare] = errors.size() - 1;
  }
  in.frame = saved;
  return ok;
}

bool Internals::raisePoisoned(ModuleObject &module, Name name) {
  auto it = module.poisoned.find(name);
  if (it == module.poisoned.end())
    return false;
  const ImportError &error = m.getImportErrors()[it->second];
  if (error.exception) {
    exception = error.exception;
    return true;
  }
  Diagnostic copy = error.diagnostic;
  copy.addNote(m.location(), "needed here");
  refused = std::move(copy);
  return true;
}

ModuleObject *Internals::loadSource(std::shared_ptr<const SourceFile> file, llvm::StringRef name,
                                    bool isPackage, Library *library,
                                    llvm::ArrayRef<std::pair<llvm::StringRef, Value>> globals,
                                    Diagnostics &diagnostics) {
  const ast::ParsedFile *parsed = parse(file, diagnostics);
  if (!parsed)
    return nullptr;
  ModuleObject *module = m.makeModule(name, library);
  module->file = &parsed->getSource();
  module->isPackage = isPackage;
  module->attrs->set(n.file, m.makeStr(file->getName()));
  module->attrs->set(n.package,
                     m.makeStr(isPackage                        ? name
                               : name.rsplit('.').first == name ? llvm::StringRef()
                                                                : name.rsplit('.').first));
  for (auto &[key, value] : globals)
    module->attrs->set(m.intern(key), value);
  modules[name] = module;
  if (!runModule(*this, *module, *parsed, m.importErrors)) {
    modules.erase(name);
    return nullptr;
  }
  return module;
}

ModuleObject *Machine::importSource(std::shared_ptr<const SourceFile> file, llvm::StringRef name,
                                    Diagnostics &diagnostics, Library *library,
                                    llvm::ArrayRef<std::pair<llvm::StringRef, Value>> globals) {
  ModuleObject *module = nullptr;
  Internals &in = *internals;
  session([&] {
    if (!library) {
      llvm::SmallString<128> folder(path::parent_path(file->getName()));
      if (!folder.empty() && !llvm::is_contained(in.searchPath, folder.str()))
        in.searchPath.push_back(folder.str().str());
    }
    module = in.loadSource(file, name, false, library, globals, diagnostics);
    if (!module && pending())
      report(diagnostics);
    in.fatal = false;
  });
  return module;
}

ModuleObject *Machine::importFile(llvm::StringRef fileName, Diagnostics &diagnostics) {
  Internals &in = *internals;
  std::string error;
  std::shared_ptr<const SourceFile> file = in.readFile(fileName, error);
  if (!file) {
    diagnostics.error({}, "cannot read '" + fileName.str() + "': " + error);
    return nullptr;
  }
  // A file inside packages is imported under its dotted name, seen from the folder above them.
  std::string folder = path::parent_path(fileName).str();
  std::string dotted = path::stem(fileName).str();
  bool isPackage = dotted == "__init__";
  if (isPackage) {
    dotted = path::filename(folder).str();
    folder = path::parent_path(folder).str();
  }
  auto hasInit = [&](llvm::StringRef folder) {
    llvm::SmallString<128> init(folder);
    path::append(init, "__init__.py");
    return in.asks(Question::Entry, init);
  };
  // Where host code is read and not run, folders without `__init__.py` belong to the package around
  // them, a few of them between two; what is beside the file is found too.
  auto isInPackage = [&](llvm::StringRef folder) {
    constexpr unsigned mostBetween = 3;
    for (unsigned above = 0; above <= (spreadsOpaque ? mostBetween : 0); ++above) {
      if (folder.empty() || path::filename(folder).starts_with("."))
        return false;
      if (hasInit(folder))
        return true;
      folder = path::parent_path(folder);
    }
    return false;
  };
  auto addRoot = [&](llvm::StringRef folder) {
    std::string root = folder.empty() ? "." : folder.str();
    if (!llvm::is_contained(in.searchPath, root))
      in.searchPath.push_back(root);
  };
  std::string beside;
  while (isInPackage(folder)) {
    if (!hasInit(folder) && beside.empty())
      beside = folder;
    dotted = (path::filename(folder) + "." + dotted).str();
    folder = path::parent_path(folder).str();
  }
  addRoot(folder);
  if (!beside.empty())
    addRoot(beside);
  if (auto known = in.modules.find(dotted); known != in.modules.end())
    if (known->second->file && known->second->file->getName() == fileName)
      return known->second;
  ModuleObject *module = nullptr;
  session([&] {
    module = in.loadSource(file, dotted, isPackage, nullptr, {}, diagnostics);
    if (!module && pending())
      report(diagnostics);
    in.fatal = false;
  });
  return module;
}

const ast::ParsedFile *Internals::parseExpression(llvm::StringRef text, llvm::StringRef name) {
  auto file = std::make_shared<SourceFile>(name.str(), text.str());
  Diagnostics diagnostics;
  const ast::ParsedFile *parsed = parse(file, diagnostics);
  if (!parsed) {
    const Diagnostic &first = diagnostics.all().front();
    m.refuseAt(first.location, first.message, first.help);
    return nullptr;
  }
  ast::Body body = parsed->getModule().body;
  if (body.size() != 1 || !llvm::isa<ast::ExprStmt>(body.front())) {
    broken.push_back(file);
    m.refuseAt({file.get(), {0, uint32_t(text.size())}}, "expected one expression");
    return nullptr;
  }
  return parsed;
}

Value Machine::evaluate(llvm::StringRef expression, ModuleObject *module, llvm::StringRef name) {
  Internals &in = *internals;
  Value result = nullptr;
  session([&] {
    const ast::ParsedFile *&kept = in.expressions[{name.str(), expression.str()}];
    if (!kept)
      kept = in.parseExpression(expression, name);
    if (!kept)
      return;
    auto *stmt = llvm::cast<ast::ExprStmt>(kept->getModule().body.front());
    Frame scope;
    scope.kind = FrameKind::Module;
    scope.code = in.codeOf(kept->getModule(), *kept);
    scope.locals = module->attrs;
    scope.module = module;
    scope.caller = frame;
    Frame *saved = frame;
    frame = &scope;
    result = Evaluator(in, scope).eval(*stmt->value);
    frame = saved;
  });
  return result;
}

const ast::ParsedFile *Machine::parsedFile(const SourceFile *file) const {
  return internals->bySource.lookup(file);
}

std::pair<ModuleObject *, Name> Machine::findBinding(Value value) const {
  // In the order of the files: the map of modules has none.
  for (const auto &parsed : internals->files) {
    const SourceFile &file = parsed->getSource();
    ModuleObject *module = file.getName().starts_with("<") ? nullptr : moduleOf(&file);
    if (module)
      for (const Namespace::Slot &slot : module->attrs->slots)
        if (slot.value == value)
          return {module, slot.name};
  }
  return {nullptr, nullptr};
}

ModuleObject *Machine::moduleOf(const SourceFile *file) const {
  for (const auto &entry : internals->modules)
    if (entry.second && entry.second->file == file)
      return entry.second;
  return nullptr;
}
