// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/ReadsOfName.h"

#include "python/AstVisit.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid::upgrade {

static bool isComprehension(const python::Node &node) {
  return isa<python::ListComp, python::SetComp, python::DictComp, python::GeneratorExp>(node);
}

/// Whether something within a node, functions and classes aside, binds the name.
static bool binds(const python::Node &node, StringRef name) {
  if (auto *used = dyn_cast<python::Name>(&node))
    return used->id == name && used->ctx != python::ExprContext::Load;
  if (auto *def = dyn_cast<python::FunctionDef>(&node))
    return def->name == name;
  if (auto *def = dyn_cast<python::ClassDef>(&node))
    return def->name == name;
  if (auto *alias = dyn_cast<python::Alias>(&node))
    return (alias->asname.empty() ? alias->name.split('.').first : alias->asname) == name;
  if (isa<python::Lambda>(node))
    return false;
  bool found = false;
  python::forEachChild(node, [&](const python::Node &child) { found |= binds(child, name); });
  return found;
}

static bool hasArgument(const python::Node &node, StringRef name) {
  if (auto *argument = dyn_cast<python::Arg>(&node))
    return argument->arg == name;
  bool found = false;
  if (isa<python::Arguments>(node))
    python::forEachChild(node,
                         [&](const python::Node &child) { found |= hasArgument(child, name); });
  return found;
}

static bool declaresGlobal(const python::Node &node, StringRef name) {
  if (auto *global = dyn_cast<python::Global>(&node))
    return is_contained(global->names, name);
  bool found = false;
  python::forEachChild(node,
                       [&](const python::Node &child) { found |= declaresGlobal(child, name); });
  return found;
}

bool isLocal(const python::FunctionDef &def, StringRef name) {
  if (hasArgument(*def.args, name))
    return true;
  bool bound = false;
  for (const python::Stmt *stmt : def.body)
    bound |= binds(*stmt, name);
  return bound && !llvm::any_of(def.body, [&](const python::Stmt *stmt) {
           return declaresGlobal(*stmt, name);
         });
}

namespace {

class UseFinder {
public:
  UseFinder(StringRef name, const llvm::DenseSet<const python::Node *> &kernels)
      : name(name), kernels(kernels) {}

  void visit(const python::Node &node);

  /// The global itself, and what modules the file has: `consts.G`.
  std::vector<NameUse> found;
  llvm::StringSet<> modules;
  bool countsNames = true;

private:
  void visitFunction(const python::FunctionDef &def);
  void add(const python::Node &node, bool isBinding) {
    found.push_back({&node, statement, isBinding});
  }

  StringRef name;
  const llvm::DenseSet<const python::Node *> &kernels;
  const python::Stmt *statement = nullptr;
};

} // namespace

void UseFinder::visitFunction(const python::FunctionDef &def) {
  for (const python::Expr *decorator : def.decoratorList)
    visit(*decorator);
  for (const python::Expr *value : def.args->defaults)
    visit(*value);
  for (const python::Expr *value : def.args->kwDefaults)
    if (value)
      visit(*value);
  if (kernels.contains(&def) || isLocal(def, name))
    return;
  for (const python::Stmt *stmt : def.body)
    visit(*stmt);
}

void UseFinder::visit(const python::Node &node) {
  const python::Stmt *around = statement;
  auto restore = scope_exit([&] { statement = around; });
  if (auto *stmt = dyn_cast<python::Stmt>(&node))
    statement = stmt;
  if (auto *def = dyn_cast<python::FunctionDef>(&node)) {
    if (countsNames && def->name == name)
      add(node, true);
    return visitFunction(*def);
  }
  if (auto *lambda = dyn_cast<python::Lambda>(&node); lambda && hasArgument(*lambda->args, name))
    return;
  if (isComprehension(node) && binds(node, name))
    return;
  if (auto *used = dyn_cast<python::Name>(&node); used && countsNames && used->id == name)
    add(node, used->ctx != python::ExprContext::Load);
  if (auto *attribute = dyn_cast<python::Attribute>(&node); attribute && attribute->attr == name)
    if (auto *owner = dyn_cast<python::Name>(attribute->value);
        owner && modules.contains(owner->id))
      add(node, attribute->ctx != python::ExprContext::Load);
  if (auto *alias = dyn_cast<python::Alias>(&node); alias && countsNames && binds(*alias, name))
    add(node, true);
  python::forEachChild(node, [&](const python::Node &child) { visit(child); });
}

/// The imports of a file, wherever they stand.
static void collectImports(const python::Node &node, std::vector<const python::ImportFrom *> &from,
                           std::vector<const python::Import *> &whole) {
  if (auto *import = dyn_cast<python::ImportFrom>(&node))
    from.push_back(import);
  if (auto *import = dyn_cast<python::Import>(&node))
    whole.push_back(import);
  python::forEachChild(node, [&](const python::Node &child) {
    if (isa<python::Stmt, python::ExceptHandler>(child))
      collectImports(child, from, whole);
  });
}

std::vector<NameUse> findHostUses(const python::ParsedFile &file, StringRef name, bool isOwn,
                                  const llvm::DenseSet<const python::Node *> &kernels) {
  UseFinder finder(name, kernels);
  if (isOwn) {
    for (const python::Stmt *stmt : file.getModule().body)
      finder.visit(*stmt);
    return std::move(finder.found);
  }
  if (!file.getSource().getText().contains(name))
    return {};
  std::vector<const python::ImportFrom *> from;
  std::vector<const python::Import *> whole;
  collectImports(file.getModule(), from, whole);
  llvm::StringSet<> names; // under which it is known here
  for (const python::ImportFrom *import : from)
    for (const python::Alias *alias : import->names) {
      StringRef known = alias->asname.empty() ? alias->name : alias->asname;
      if (alias->name == name)
        names.insert(known);
      else if (alias->name == "*")
        names.insert(name);
      else
        finder.modules.insert(known);
    }
  for (const python::Import *import : whole)
    for (const python::Alias *alias : import->names)
      finder.modules.insert(alias->asname.empty() ? alias->name.split('.').first : alias->asname);
  std::vector<NameUse> uses;
  auto search = [&](StringRef known, bool countsNames) {
    UseFinder one(known, kernels);
    one.countsNames = countsNames;
    if (known == name)
      for (const auto &module : finder.modules)
        one.modules.insert(module.first());
    for (const python::Stmt *stmt : file.getModule().body)
      one.visit(*stmt);
    // An import is no binding of the constant, and another one is another file's.
    llvm::copy_if(one.found, std::back_inserter(uses),
                  [](const NameUse &use) { return !use.isBinding; });
  };
  for (const auto &known : names)
    search(known.first(), true);
  if (!names.contains(name))
    search(name, false);
  return uses;
}

bool importsName(const python::ParsedFile &file, StringRef name, StringRef module,
                 StringRef original) {
  std::vector<const python::ImportFrom *> from;
  std::vector<const python::Import *> whole;
  collectImports(file.getModule(), from, whole);
  for (const python::ImportFrom *import : from) {
    StringRef last =
        import->module.contains('.') ? import->module.rsplit('.').second : import->module;
    if (last != module)
      continue;
    for (const python::Alias *alias : import->names) {
      if (alias->name == "*" ? original == name
                             : alias->name == original &&
                                   (alias->asname.empty() ? alias->name : alias->asname) == name)
        return true;
    }
  }
  return false;
}

} // namespace nereid::upgrade
