// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/TritonProject.h"
#include "frontend/triton/KernelImport.h"
#include "python/AstVisit.h"
#include "python/machine/ModuleFrame.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

namespace {
/// Reading a package may execute much more than a kernel does.
constexpr Budget readingBudget{100'000'000, 60};
constexpr machine::Limits limits{.bytes = uint64_t(6) << 30};
} // namespace

struct TritonProject::State {
  machine::Machine machine;
  TritonLibrary library;
  /// How many of the library's functions are in `known`.
  size_t seen = 0;
  std::vector<std::unique_ptr<JitFunction>> owned;
  llvm::DenseMap<const python::FunctionDef *, JitFunction *> known;
  llvm::DenseMap<const JitFunction *, FunctionValue *> values;

  llvm::DenseMap<const SourceFile *, std::shared_ptr<const SourceFile>> shared;
  llvm::DenseMap<const SourceFile *, machine::ModuleObject *> modules;
  llvm::StringMap<const SourceFile *> byName;

  explicit State(StringRef version) : machine(limits), library(machine, version) {
    machine.addLibrary(library);
    machine.spreadsOpaque = true;
  }
  /// What lifted definitions see, by the function or condition around them.
  llvm::DenseMap<const python::Node *, machine::ModuleObject *> scopes;

  /// A function, and what it means while the other text is used.
  std::vector<std::pair<FunctionValue *, machine::FunctionObject *>> revisions;
  bool usesRevisions = false;

  void update();
  void addImports(machine::ModuleObject &module, const python::ParsedFile &text);
  bool define(const python::ParsedFile &file, const python::FunctionDef &def,
              machine::ModuleObject &module);
  machine::ModuleObject *makeScope(machine::ModuleObject &module, machine::Frame &frame,
                                   const python::FunctionDef &def);
  void describe(JitFunction &function, FunctionValue &value);
  machine::ModuleObject *moduleOf(const python::ParsedFile &file) {
    machine::ModuleObject *&module = modules[&file.getSource()];
    if (!module)
      module = machine.moduleOf(&file.getSource());
    return module;
  }
  PyValue lookUp(machine::ModuleObject &module, const python::Expr &name);
  JitFunction *resolve(machine::ModuleObject *module, const python::Expr &name);
  void describeOwner(JitFunction &function, FunctionValue &value);
  std::optional<std::string> spell(PyValue value, machine::ModuleObject &module);
  std::optional<std::string> evaluate(machine::ModuleObject *module, StringRef text);
};

TritonProject::TritonProject(StringRef version, const SourceTexts *texts)
    : state(std::make_unique<State>(version)) {
  state->machine.texts = texts;
}
TritonProject::~TritonProject() = default;

std::shared_ptr<const SourceFile> TritonProject::share(const SourceFile *file) const {
  std::shared_ptr<const SourceFile> &copy = state->shared[file];
  if (file && !copy)
    copy = std::make_shared<SourceFile>(file->getName().str(), file->getText().str());
  return copy;
}

machine::Machine &TritonProject::getMachine() { return state->machine; }

void TritonProject::setLauncher(machine::Library *launcher) { state->library.launcher = launcher; }

bool TritonProject::takeApart(FunctionValue &kernel, unsigned config, machine::DictObject &values,
                              machine::Library &policy, HostDescriptors &found) {
  return state->library.takeApart(kernel, config, values, policy, found);
}

const SourceFile *TritonProject::findFile(StringRef name) const {
  return state->byName.lookup(name);
}

uint64_t TritonProject::getAllocated() const { return state->machine.getAllocated(); }

const python::ParsedFile *TritonProject::read(StringRef path, Diagnostics &diagnostics) {
  state->machine.renewBudget(readingBudget.steps, readingBudget.seconds);
  machine::ModuleObject *module = state->machine.importFile(path, diagnostics);
  if (!module)
    return nullptr;
  state->byName[module->file->getName()] = module->file;
  return state->machine.parsedFile(module->file);
}

void TritonProject::State::describe(JitFunction &function, FunctionValue &value) {
  machine::ModuleObject &module = *value.function->module;
  function.isConstexpr = value.isConstexpr;
  function.configs.clear();
  for (const ConfigValue *config : value.configs) {
    auto &texts = function.configs.emplace_back();
    for (const auto &entry : config->values->table.entries)
      if (auto *name = entry.key ? dyn_cast<machine::StrObject>(entry.key) : nullptr)
        if (std::optional<std::string> text = spell(entry.value, module))
          texts[name->text.str()] = *text;
  }
  function.computed.clear();
  for (const machine::DictObject *heuristics : value.heuristics)
    for (const auto &entry : heuristics->table.entries)
      if (auto *name = entry.key ? dyn_cast<machine::StrObject>(entry.key) : nullptr)
        function.computed.push_back(name->text.str());
}

void TritonProject::State::describeOwner(JitFunction &function, FunctionValue &value) {
  StringRef owner = value.function->qualifiedName.rsplit('.').first;
  PyValue cls = owner == value.function->qualifiedName
                    ? nullptr
                    : value.function->module->attrs->get(machine.intern(owner));
  auto *aggregate = dyn_cast_if_present<machine::ClassObject>(cls);
  PyValue fields = aggregate ? aggregate->lookup(machine.intern("_aggregate_fields")) : nullptr;
  auto *table = dyn_cast_if_present<machine::DictObject>(fields);
  if (!table)
    return;
  function.owner = owner.str();
  function.fields.clear();
  for (const auto &entry : table->table.entries)
    if (auto *name = entry.key ? dyn_cast<machine::StrObject>(entry.key) : nullptr) {
      auto *text = dyn_cast<machine::StrObject>(entry.value);
      function.fields.push_back(
          {name->text.str(),
           library.isConstexprClass(entry.value) || (text && text->text.ends_with("constexpr"))});
    }
}

void TritonProject::State::update() {
  for (; seen < library.functions.size(); ++seen) {
    FunctionValue *value = library.functions[seen];
    const python::FunctionDef *def = value->function->code->getDef();
    if (!def || !value->function->module || library.isPrelude(value->function->module->file))
      continue;
    JitFunction *&entry = known[def];
    if (!entry) {
      entry = owned.emplace_back(std::make_unique<JitFunction>()).get();
      entry->name = def->name.str();
      entry->def = def;
      entry->file = value->function->code->file;
    }
    values[entry] = value;
    machine.session([&] { describe(*entry, *value); });
  }
}

std::vector<JitFunction *> TritonProject::functions() {
  state->update();
  // Their class is there when its body is through.
  for (const auto &function : state->owned)
    if (FunctionValue *value = state->values.lookup(function.get()))
      state->describeOwner(*function, *value);
  std::vector<JitFunction *> result;
  for (const auto &function : state->owned)
    result.push_back(function.get());
  return result;
}

JitFunction *TritonProject::find(const python::FunctionDef *def) {
  state->update();
  return state->known.lookup(def);
}

/// The functions and conditions around a definition, outermost first; false when it is not below
/// the node.
static bool findAround(const python::Node &node, const python::FunctionDef &def,
                       SmallVectorImpl<const python::Node *> &around) {
  if (&node == &def)
    return true;
  bool isAround = isa<python::FunctionDef, python::If>(&node);
  if (isAround)
    around.push_back(&node);
  bool found = false;
  python::forEachChild(
      node, [&](const python::Node &child) { found = found || findAround(child, def, around); });
  if (isAround && !found)
    around.pop_back();
  return found;
}

/// Whether evaluating an expression calls nothing.
static bool isPlain(const python::Expr &expr) {
  if (isa<python::Name, python::Constant>(expr))
    return true;
  auto *attribute = dyn_cast<python::Attribute>(&expr);
  return attribute && isPlain(*attribute->value);
}

/// What a block gives names to without running what it is for: imports, those that it tries too,
/// functions, and other names of what has one; all names where it stands in no function
/// (`isTopLevel`), so that all that it reads is there.
static void findNamed(python::Body body, const python::FunctionDef &def, bool isTopLevel,
                      SmallVectorImpl<python::Stmt *> &named) {
  for (python::Stmt *stmt : body) {
    auto *assign = dyn_cast<python::Assign>(stmt);
    auto *function = dyn_cast<python::FunctionDef>(stmt);
    if (isa<python::Import, python::ImportFrom>(stmt) ||
        (assign && (isTopLevel || isPlain(*assign->value))) || (function && function != &def))
      named.push_back(stmt);
    else if (auto *attempt = dyn_cast<python::Try>(stmt))
      findNamed(attempt->body, def, isTopLevel, named);
  }
}

/// What is named around a definition: in functions, and under conditions in the branch that it
/// stands in.
static void findNamedAround(const python::Node &node, const python::FunctionDef &def,
                            bool isTopLevel, SmallVectorImpl<python::Stmt *> &named) {
  if (auto *function = dyn_cast<python::FunctionDef>(&node))
    return findNamed(function->body, def, /*isTopLevel=*/false, named);
  auto &branch = cast<python::If>(node);
  for (python::Body body : {branch.body, branch.orelse})
    if (llvm::any_of(body, [&](const python::Stmt *stmt) {
          SmallVector<const python::Node *> within;
          return findAround(*stmt, def, within);
        }))
      findNamed(body, def, isTopLevel, named);
}

/// The names that a lifted definition sees and is bound in: those of its file, which may have
/// another of that name, and what is named in the functions and conditions around it.
machine::ModuleObject *TritonProject::State::makeScope(machine::ModuleObject &module,
                                                       machine::Frame &frame,
                                                       const python::FunctionDef &def) {
  SmallVector<const python::Node *> around;
  findAround(frame.code->file->getModule(), def, around);
  const python::Node *inner = around.empty() ? &def : around.back();
  machine::ModuleObject *&known = scopes[inner];
  if (known)
    return known;
  machine::ModuleObject *scope = machine.makeModule(module.name, module.library);
  known = scope;
  scope->file = module.file;
  scope->isPackage = module.isPackage;
  for (const auto &slot : module.attrs->slots)
    scope->attrs->set(slot.name, slot.value);
  frame.module = scope;
  frame.locals = scope->attrs;
  SmallVector<python::Stmt *> named;
  bool isTopLevel = true;
  for (const python::Node *node : around) {
    isTopLevel &= !isa<python::FunctionDef>(node);
    findNamedAround(*node, def, isTopLevel, named);
  }
  for (python::Stmt *stmt : named)
    if (machine.runBlock(ArrayRef(stmt), frame).isRaise())
      (void)machine.takeError();
  return scope;
}

/// Runs a definition alone, in the names of a module; false when it raises.
bool TritonProject::State::define(const python::ParsedFile &file, const python::FunctionDef &def,
                                  machine::ModuleObject &module) {
  machine::ModuleFrame frame(file, module, module.attrs);
  frame.module = makeScope(module, frame, def);
  frame.locals = frame.module->attrs;
  auto *stmt = const_cast<python::Stmt *>(static_cast<const python::Stmt *>(&def));
  return !machine.runBlock(ArrayRef(stmt), frame).isRaise();
}

JitFunction *TritonProject::lift(const python::ParsedFile &file, const python::FunctionDef &def) {
  machine::ModuleObject *module = state->moduleOf(file);
  if (!module)
    return nullptr;
  machine::Machine &machine = state->machine;
  machine.renewBudget(readingBudget.steps, readingBudget.seconds);
  machine.session([&] {
    if (!state->define(file, def, *module))
      (void)machine.takeError();
  });
  return find(&def);
}

std::optional<Diagnostic> TritonProject::explainMissing(const python::ParsedFile &file,
                                                        StringRef name) {
  machine::ModuleObject *module = state->moduleOf(file);
  if (!module)
    return std::nullopt;
  auto failed = module->poisoned.find(state->machine.intern(name));
  if (failed == module->poisoned.end())
    return std::nullopt;
  return state->machine.getImportErrors()[failed->second].diagnostic;
}

/// Names and attributes of modules and classes that are bound already; nothing is executed.
PyValue TritonProject::State::lookUp(machine::ModuleObject &module, const python::Expr &name) {
  if (auto *simple = dyn_cast<python::Name>(&name))
    return module.attrs->get(machine.intern(simple->id));
  auto *attribute = dyn_cast<python::Attribute>(&name);
  PyValue owner = attribute ? lookUp(module, *attribute->value) : nullptr;
  if (!owner || !owner->attrs || !isa<machine::ModuleObject, machine::ClassObject>(owner))
    return nullptr;
  return owner->attrs->get(machine.intern(attribute->attr));
}

JitFunction *TritonProject::State::resolve(machine::ModuleObject *module,
                                           const python::Expr &name) {
  auto *function = dyn_cast_if_present<FunctionValue>(module ? lookUp(*module, name) : nullptr);
  update();
  return function ? known.lookup(function->function->code->getDef()) : nullptr;
}

JitFunction *TritonProject::resolve(const python::ParsedFile &file, const python::Expr &name) {
  return state->resolve(state->moduleOf(file), name);
}

JitFunction *TritonProject::resolve(const JitFunction &function, const python::Expr &name) {
  return state->resolve(state->values.lookup(&function)->function->module, name);
}

std::vector<std::string> TritonProject::getFields(const python::ParsedFile &file,
                                                  const python::Expr &name) {
  machine::ModuleObject *module = state->moduleOf(file);
  auto *cls =
      dyn_cast_if_present<machine::ClassObject>(module ? state->lookUp(*module, name) : nullptr);
  bool isTuple = cls && cls->layout == machine::Kind::Tuple;
  PyValue fields = isTuple ? cls->lookup(state->machine.intern("_fields")) : nullptr;
  std::vector<std::string> names;
  for (PyValue field : fields ? itemsOf(fields) : ArrayRef<PyValue>())
    if (auto *text = dyn_cast<machine::StrObject>(field))
      names.push_back(text->text.str());
  return names;
}

std::optional<std::string> TritonProject::State::spell(PyValue value,
                                                       machine::ModuleObject &module) {
  value = plain(value);
  if (auto *type = dyn_cast<DTypeValue>(value)) {
    for (const auto &slot : module.attrs->slots)
      if (auto *owner = dyn_cast_if_present<machine::ModuleObject>(slot.value))
        if (owner->name == "triton.language")
          return (slot.name->text + type->type.spelling().substr(2)).str();
    return std::nullopt;
  }
  // A member of an enumeration is the number or text that it is.
  auto *integer = dyn_cast<machine::IntObject>(value);
  if (integer && !isa<machine::BoolObject>(value) && integer->isSmall())
    return std::to_string(integer->small);
  if (auto *string = dyn_cast<machine::StrObject>(value))
    return machine.repr(machine.makeStr(string->text));
  if (isa<machine::IntObject, machine::FloatObject, machine::NoneObject>(value))
    return machine.repr(value);
  return std::nullopt;
}

std::optional<std::string> TritonProject::State::evaluate(machine::ModuleObject *module,
                                                          StringRef text) {
  if (!module)
    return std::nullopt;
  std::optional<std::string> result;
  machine.renewBudget(Budget().steps / 100);
  machine.session([&] {
    PyValue value = machine.evaluate(text, module, "<argument>");
    if (!value)
      (void)machine.takeError();
    else
      result = spell(value, *module);
  });
  return result;
}

std::optional<std::string> TritonProject::evaluate(const python::ParsedFile &file, StringRef text) {
  return state->evaluate(state->moduleOf(file), text);
}

std::optional<std::string> TritonProject::evaluate(const JitFunction &function, StringRef text) {
  return state->evaluate(state->values.lookup(&function)->function->module, text);
}

std::string TritonProject::pathOf(const python::ParsedFile &file, StringRef text) {
  machine::ModuleObject *module = state->moduleOf(file);
  if (!module)
    return "";
  std::string result;
  state->machine.renewBudget(Budget().steps / 100);
  state->machine.session([&] {
    PyValue value = state->machine.evaluate(text, module, "<argument>");
    if (!value)
      (void)state->machine.takeError();
    else if (auto *opaque = dyn_cast<machine::OpaqueObject>(value))
      result = opaque->path.str();
  });
  return result;
}

FailureOr<OwningOpRef<ModuleOp>> TritonProject::import(MLIRContext &context, JitFunction &function,
                                                       const KernelRequest &request,
                                                       const Budget &budget,
                                                       Diagnostics &diagnostics) {
  state->machine.renewBudget(budget.steps, budget.seconds);
  return importFunction(state->machine, state->library, *state->values.lookup(&function), request,
                        context, diagnostics);
}

const Requirement &TritonProject::getRequirement() const { return state->library.required; }

std::optional<bool> TritonProject::holds(StringRef condition,
                                         const std::map<std::string, int64_t> &sizes) {
  machine::Machine &machine = state->machine;
  std::optional<bool> result;
  machine.renewBudget(Budget().steps / 100);
  machine.session([&] {
    machine::ModuleObject *scope = machine.makeModule("<sizes>", nullptr);
    for (const auto &[name, size] : sizes)
      scope->attrs->set(machine.intern(name), machine.makeInt(size));
    PyValue value = machine.evaluate(condition, scope, "<sizes>");
    machine::Truth truth = value ? machine.truth(value) : machine::Truth::Failed;
    if (truth == machine::Truth::Failed)
      (void)machine.takeError();
    else
      result = truth == machine::Truth::True;
  });
  return result;
}

/// What the text imports under names that the module does not have yet.
void TritonProject::State::addImports(machine::ModuleObject &module,
                                      const python::ParsedFile &text) {
  machine::ModuleFrame frame(text, module, module.attrs);
  for (python::Stmt *stmt : text.getModule().body) {
    auto *import = dyn_cast<python::ImportFrom>(stmt);
    auto isNew = [&](const python::Alias *alias) {
      StringRef name = alias->asname.empty() ? alias->name : alias->asname;
      machine::Name bare = machine.intern(name);
      return name != "*" && !module.attrs->get(bare) && !module.poisoned.contains(bare);
    };
    if (import && all_of(import->names, isNew) && machine.runBlock(ArrayRef(stmt), frame).isRaise())
      (void)machine.takeError();
  }
}

bool TritonProject::revise(JitFunction &function, const python::ParsedFile &text,
                           const python::FunctionDef &def, Diagnostics &diagnostics) {
  useRevisions(false);
  FunctionValue *old = state->values.lookup(&function);
  machine::ModuleObject *module = state->moduleOf(*function.file);
  if (!module)
    return false;
  machine::Machine &machine = state->machine;
  machine.renewBudget(readingBudget.steps, readingBudget.seconds);
  machine.session([&] {
    state->addImports(*module, text);
    if (!state->define(text, def, *module))
      machine.report(diagnostics);
  });
  JitFunction *revised = find(&def);
  if (revised)
    state->revisions.push_back({old, state->values.lookup(revised)->function});
  return revised != nullptr;
}

void TritonProject::useRevisions(bool use) {
  if (std::exchange(state->usesRevisions, use) != use)
    for (auto &[value, other] : state->revisions)
      std::swap(value->function, other);
}

void TritonProject::dropRevisions() {
  useRevisions(false);
  state->revisions.clear();
}

void TritonProject::acceptRemoved(bool inImports) {
  state->library.acceptsRemoved = true;
  state->library.acceptsRemovedImports = inImports;
}

bool TritonProject::isEvaluated(const python::Call &call) const {
  return state->library.evaluated.contains(&call);
}

std::vector<JitFunction *> TritonProject::called() {
  std::vector<JitFunction *> result;
  for (const machine::FunctionObject *function : state->library.called)
    if (JitFunction *known = find(function->code->getDef()))
      result.push_back(known);
  return result;
}

} // namespace nereid::triton
