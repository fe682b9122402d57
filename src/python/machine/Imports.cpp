// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding and evaluating modules. A top-level statement that fails does not fail the import: what
// it should have bound is poisoned, and using that raises the error again.
#include "python/Parser.h"
#include "python/machine/Evaluator.h"
#include "python/machine/Prelude.h"
#include "python/machine/Scopes.h"

#include "llvm/Support/FileSystem.h"
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
    Completion ended = evaluator.execBody(stmt);
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
  std::unique_ptr<ast::ParsedFile> parsed = ast::parseFile(file, diagnostics);
  if (!parsed) {
    broken.push_back(std::move(file));
    return nullptr;
  }
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
  files.push_back(std::move(parsed));
  if (!runModule(*this, *module, *files.back(), m.importErrors)) {
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
  std::string error;
  std::shared_ptr<const SourceFile> file = readSourceFile(fileName, error, texts);
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
  auto hasInit = [](llvm::StringRef folder) {
    llvm::SmallString<128> init(folder);
    path::append(init, "__init__.py");
    return llvm::sys::fs::exists(init);
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
  Internals &in = *internals;
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
  auto parsed = ast::parseFile(file, diagnostics);
  if (!parsed) {
    broken.push_back(file);
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
  return files.emplace_back(std::move(parsed)).get();
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

// --- Finding modules ----------------------------------------------------------------------------

ModuleObject *Internals::findSource(llvm::StringRef dotted, ModuleObject *from, bool &failed) {
  failed = false;
  std::string relative = dotted.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  for (const std::string &root : std::vector(searchPath)) {
    for (bool package : {true, false}) {
      llvm::SmallString<128> file(root);
      path::append(file, package ? relative + "/__init__.py" : relative + ".py");
      if (!llvm::sys::fs::is_regular_file(file))
        continue;
      std::string error;
      std::shared_ptr<const SourceFile> source = readSourceFile(file, error, m.texts);
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

/// Whether Python files lie in a folder or not far below.
static bool holdsSources(llvm::StringRef folder) {
  constexpr int deepest = 3;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    if (llvm::StringRef(it->path()).ends_with(".py"))
      return true;
    if (it.level() >= deepest)
      it.no_push();
  }
  return false;
}

/// A folder without `__init__.py`, as a package of nothing but what lies in it.
ModuleObject *Internals::findFolder(llvm::StringRef dotted) {
  std::string relative = dotted.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  for (const std::string &root : searchPath) {
    llvm::SmallString<128> folder(root);
    path::append(folder, relative);
    if (!llvm::sys::fs::is_directory(folder) || !holdsSources(folder))
      continue;
    ModuleObject *module = m.makeModule(dotted, nullptr);
    module->isPackage = true;
    module->attrs->set(n.package, m.makeStr(dotted));
    return modules[dotted] = module;
  }
  return nullptr;
}

Value Internals::opaqueModule(llvm::StringRef dotted) { return m.makeOpaque(dotted); }

/// Whether an `except` that catches an ImportError stands around the statement: what it falls back
/// to is taken for modules that nothing is known of. The standard library and NumPy are there.
static bool hasFallback(const Frame *frame, llvm::StringRef dotted) {
  static constexpr llvm::StringLiteral present[] = {
      "argparse", "array",      "ast",     "base64",    "bisect",   "cmath",     "copy",
      "csv",      "datetime",   "decimal", "fractions", "gc",       "glob",      "hashlib",
      "heapq",    "importlib",  "inspect", "io",        "json",     "numpy",     "os",
      "pathlib",  "pickle",     "pprint",  "random",    "re",       "shutil",    "statistics",
      "struct",   "subprocess", "sys",     "tempfile",  "textwrap", "threading", "time",
      "timeit",   "traceback",  "triton",  "unittest",  "uuid",     "weakref",   "zlib"};
  if (!frame || llvm::is_contained(present, dotted.split('.').first))
    return false;
  auto names = [](const ast::Expr *type) {
    auto *name = llvm::dyn_cast_if_present<ast::Name>(type);
    return !type || (name && (name->id == "ImportError" || name->id == "ModuleNotFoundError" ||
                              name->id == "Exception" || name->id == "BaseException"));
  };
  return llvm::any_of(frame->control, [&](const ControlEntry &entry) {
    auto *attempt =
        entry.kind == ControlEntry::TryBody ? llvm::dyn_cast<ast::Try>(entry.stmt) : nullptr;
    return attempt && llvm::any_of(attempt->handlers, [&](const ast::ExceptHandler *handler) {
             auto *several = llvm::dyn_cast_if_present<ast::Tuple>(handler->type);
             return several ? llvm::any_of(several->elts, names) : names(handler->type);
           });
  });
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

/// One module of a dotted name whose parents are there already. Null without an error: unknown.
static Value findModule(Internals &in, llvm::StringRef dotted, ModuleObject *from) {
  // Of PyTorch nothing is known: its package reads compiled modules when it is imported.
  if (in.m.spreadsOpaque && dotted == "torch")
    return nullptr;
  auto known = in.modules.find(dotted);
  if (known != in.modules.end())
    return known->second;
  if (Value module = in.builtinModule(dotted)) {
    in.modules[dotted] = llvm::cast<ModuleObject>(module);
    return module;
  }
  if (in.m.pending())
    return nullptr;
  // Where host code is read and not run, a library stands for its package, also for the files of
  // that package itself.
  if (in.m.spreadsOpaque)
    for (Library *library : in.libraries)
      if (auto answer = library->importModule(in.m, dotted))
        return *answer;
  bool failed;
  if (ModuleObject *module = in.findSource(dotted, from, failed))
    return module;
  if (failed || in.m.pending())
    return nullptr;
  for (Library *library : in.libraries)
    if (auto answer = library->importModule(in.m, dotted)) {
      if (auto *module = llvm::dyn_cast_if_present<ModuleObject>(*answer))
        in.modules[dotted] = module;
      return *answer;
    }
  if (!in.m.spreadsOpaque)
    return nullptr;
  if (ModuleObject *folder = in.findFolder(dotted))
    return folder;
  std::string above = dotted.contains('.') ? "" : findCopied(dotted, from);
  if (above.empty() || llvm::is_contained(in.searchPath, above))
    return nullptr;
  in.searchPath.push_back(above);
  ModuleObject *copied = in.findSource(dotted, from, failed);
  return copied || failed || in.m.pending() ? copied : in.findFolder(dotted);
}

Value Internals::importByName(llvm::StringRef dotted, ModuleObject *from) {
  Value module = nullptr;
  for (size_t end = 0; end != llvm::StringRef::npos;) {
    end = dotted.find('.', end ? end + 1 : 0);
    llvm::StringRef prefix = dotted.take_front(end);
    Value parent = module;
    module = findModule(*this, prefix, from);
    if (m.pending())
      return nullptr;
    llvm::StringRef last = prefix.rsplit('.').second.empty() ? prefix : prefix.rsplit('.').second;
    if (!module && parent && parent->kind != Kind::Opaque)
      module = m.findAttribute(parent, m.intern(last));
    if (m.pending())
      return nullptr;
    if (!module) {
      // A library that owns the parent has no such submodule; other modules are just unknown.
      if (auto *owner = llvm::dyn_cast_if_present<ModuleObject>(parent); owner && owner->library)
        return m.raise("ModuleNotFoundError", "No module named '" + prefix + "'");
      if (auto *owner = llvm::dyn_cast_if_present<ModuleObject>(parent); owner && owner->file)
        return m.raise("ModuleNotFoundError", "No module named '" + prefix + "'");
      if (!parent && hasFallback(frame, dotted)) {
        m.absentModules.emplace_back(prefix.str(), m.location());
        return m.raise("ModuleNotFoundError", "No module named '" + prefix + "'");
      }
      return opaqueModule(dotted);
    }
    if (parent && parent->kind == Kind::Module && !parent->attrs->get(m.intern(last)))
      m.setName(*parent->attrs, m.intern(last), module);
  }
  return module;
}

Value Internals::moduleMember(ModuleObject &module, Name name, bool &found) {
  found = true;
  if (Value value = module.attrs->get(name))
    return value;
  if (raisePoisoned(module, name))
    return nullptr;
  if (module.library)
    if (auto answer = module.library->moduleAttribute(m, module, name))
      return *answer;
  if (module.attrs->get(m.intern("__getattr__")))
    return m.call(module.attrs->get(m.intern("__getattr__")), {name});
  if (name == n.dict)
    return m.refuse("the __dict__ of a module is not supported");
  found = false;
  return nullptr;
}

std::string Internals::absoluteName(ModuleObject *from, llvm::StringRef module, unsigned level,
                                    bool &failed) {
  failed = false;
  if (level == 0)
    return module.str();
  llvm::StringRef package = from->name;
  for (unsigned i = from->isPackage ? 1 : 0; i < level; ++i) {
    if (package.empty())
      break;
    package = package.contains('.') ? package.rsplit('.').first : llvm::StringRef();
  }
  // Beside a file that is in no package a relative import finds its neighbours all the same.
  if (package.empty())
    return module.str();
  return module.empty() ? package.str() : (package + "." + module).str();
}

Completion Evaluator::execImport(const ast::Import &stmt) {
  for (auto *alias : stmt.names) {
    f.current = &stmt;
    Value module = in.importByName(alias->name, f.module);
    if (!module)
      return Completion::raise();
    llvm::StringRef first = alias->name.split('.').first;
    if (!alias->asname.empty()) {
      if (!bindName(in.nameOf(alias->asname), module))
        return Completion::raise();
      continue;
    }
    if (first != alias->name)
      module = in.importByName(first, f.module);
    if (!module || !bindName(m.intern(first), module))
      return Completion::raise();
  }
  return Completion::normal();
}

Completion Evaluator::importStar(Value module) {
  auto *source = llvm::dyn_cast<ModuleObject>(module);
  if (!source)
    return Completion::normal(); // an opaque module gives no names; using one is a NameError
  if (Value all = source->attrs->get(in.n.all)) {
    auto names = m.items(all);
    if (!names)
      return Completion::raise();
    for (Value name : *names) {
      auto *text = llvm::dyn_cast<StrObject>(name);
      Value value = text ? m.getAttribute(source, text->text) : nullptr;
      if (!value || !bindName(m.intern(text->text), value))
        return Completion::raise();
    }
    return Completion::normal();
  }
  for (auto slot : std::vector(source->attrs->slots))
    if (slot.value && !slot.name->text.starts_with("_"))
      if (!bindName(slot.name, slot.value))
        return Completion::raise();
  for (auto &[name, error] : source->poisoned)
    if (source != f.module && !f.module->attrs->get(static_cast<Name>(const_cast<void *>(name))))
      f.module->poisoned[name] = error;
  return Completion::normal();
}

/// Where host code is read and not run, a name that a module failed to make stands for that failure
/// in the modules that import it, too, unless they try to.
bool Evaluator::takePoison(ModuleObject &source, const ast::Alias &alias) {
  auto failed = source.poisoned.find(in.nameOf(alias.name));
  bool isTried = llvm::any_of(
      f.control, [](const ControlEntry &entry) { return entry.kind == ControlEntry::TryBody; });
  if (!m.spreadsOpaque || f.kind != FrameKind::Module || isTried || failed == source.poisoned.end())
    return false;
  f.module->poisoned[in.nameOf(alias.asname.empty() ? alias.name : alias.asname)] = failed->second;
  return true;
}

Completion Evaluator::execImportFrom(const ast::ImportFrom &stmt) {
  if (stmt.module == "__future__" && stmt.level == 0)
    return Completion::normal();
  bool failed;
  std::string dotted = in.absoluteName(f.module, stmt.module, stmt.level, failed);
  Value module = dotted.empty() ? nullptr : in.importByName(dotted, f.module);
  if (!module && !dotted.empty())
    return Completion::raise();
  Value firstError = nullptr;
  for (auto *alias : stmt.names) {
    f.current = alias;
    if (alias->name == "*")
      return importStar(module);
    Name name = m.intern(alias->name);
    Value value = module ? m.findAttribute(module, name) : nullptr;
    if (m.pending())
      return Completion::raise();
    if (!value) {
      // `from package import module`
      auto *package = llvm::dyn_cast_if_present<ModuleObject>(module);
      bool searchable = !module || (package && package->isPackage);
      if (searchable)
        value = findModule(
            in, dotted.empty() ? alias->name.str() : dotted + "." + alias->name.str(), f.module);
      else if (package && package->library)
        value = findModule(in, dotted + "." + alias->name.str(), f.module);
      if (m.pending())
        return Completion::raise();
      if (!value && !module)
        value = in.opaqueModule(alias->name);
    }
    if (!value) {
      // The other names are bound all the same: only this one is missing.
      auto *source = llvm::dyn_cast_if_present<ModuleObject>(module);
      if (source && takePoison(*source, *alias))
        continue;
      m.raise("ImportError", "cannot import name '" + alias->name + "' from '" + dotted + "'");
      if (!firstError)
        firstError = in.exception;
      in.exception = nullptr;
      continue;
    }
    llvm::StringRef bound = alias->asname.empty() ? alias->name : alias->asname;
    if (!bindName(in.nameOf(bound), value))
      return Completion::raise();
  }
  in.exception = firstError;
  return done(!firstError);
}

const ast::ParsedFile *Machine::parsedFile(const SourceFile *file) const {
  for (const auto &parsed : internals->files)
    if (&parsed->getSource() == file)
      return parsed.get();
  return nullptr;
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
