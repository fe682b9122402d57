// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Import statements, and the modules and members that they name.
#include "python/machine/Evaluator.h"

using namespace nereid;
using namespace nereid::machine;

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

Value Internals::importByName(llvm::StringRef dotted, ModuleObject *from) {
  Value module = nullptr;
  for (size_t end = 0; end != llvm::StringRef::npos;) {
    end = dotted.find('.', end ? end + 1 : 0);
    llvm::StringRef prefix = dotted.take_front(end);
    Value parent = module;
    module = findModule(prefix, from);
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
        value = in.findModule(dotted.empty() ? alias->name.str() : dotted + "." + alias->name.str(),
                              f.module);
      else if (package && package->library)
        value = in.findModule(dotted + "." + alias->name.str(), f.module);
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
