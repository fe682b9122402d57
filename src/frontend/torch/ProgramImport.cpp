// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/ProgramImport.h"

#include "host/HostOps.h"
#include "python/AstVisit.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

mlir::OwningOpRef<mlir::ModuleOp> ProgramImport::readFile(Machine &theMachine) {
  machine = &theMachine;
  library.gradients = request.gradients;
  library.keptLoops = request.keptLoops;
  library.checksIndices = request.checksIndices;
  for (const std::string &name : request.keepTorch)
    library.kept.push_back({name});
  library.attach(*machine);
  ModuleObject *definitions = library.prelude("nn");
  if (!definitions)
    return {};
  moduleClass = cast<ClassObject>(definitions->attrs->get(machine->intern("Module")));
  // The file itself may make tensors, so there is a function before there is a program.
  mlir::Location unknown = mlir::UnknownLoc::get(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(unknown);
  mlir::OpBuilder &builder = library.writer.builder;
  builder.setInsertionPointToEnd(module->getBody());
  function = mlir::func::FuncOp::create(builder, unknown, "program",
                                        mlir::FunctionType::get(context, {}, {}));
  function->setAttr("graph.program", mlir::UnitAttr::get(context));
  builder.setInsertionPointToStart(function.addEntryBlock());
  machine->recordsEffects = true;
  source = machine->importFile(request.path, diagnostics);
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> ProgramImport::run(Machine &theMachine) {
  if (request.marksScopes)
    library.writer.builder.setListener(&library.scopes);
  mlir::OwningOpRef<mlir::ModuleOp> module = readFile(theMachine);
  if (source)
    tellWhatIsLeftOut();
  PyValue program = source ? findProgram() : nullptr;
  if (!program)
    return {};
  auto *cls = dyn_cast<ClassObject>(program);
  StringRef name = cls ? cls->name : cast<FunctionObject>(program)->name->text;
  if (!cls && !request.to.empty()) {
    diagnostics.error(machine->definitionOf(program),
                      "--to moves modules, and '" + name.str() + "' is a function",
                      "write the types in --inputs");
    return {};
  }
  if (!request.exportName.empty()) {
    function->setAttr("graph.original", mlir::StringAttr::get(context, name));
    name = request.exportName;
  }
  function.setSymName(cls ? name.str() + "_forward" : name.str());
  place = machine->definitionOf(program);
  function->setLoc(library.toMlir(place));
  PyValue instance = cls ? makeModule(*cls) : nullptr;
  library.instance = dyn_cast_if_present<InstanceObject>(instance);
  if ((cls && !instance) || !callProgram(program, instance))
    return {};
  if (cls)
    addModule(*module, *cls);
  return module;
}

SmallVector<mlir::Type> ProgramImport::declaredTypes() const {
  return to_vector(map_range(arguments, [](const Argument &each) { return each.declared; }));
}

/// Whether a statement at the top of a file is there for what it does: it binds nothing that would
/// tell when it is used.
static bool isEffect(const python::ParsedFile &file, SourceRange range) {
  for (const python::Stmt *statement : file.getModule().body) {
    SourceRange own = file.getLocation(*statement).range;
    if (own.begin <= range.begin && range.begin < own.end)
      return isa<python::ExprStmt, python::With>(statement);
  }
  return false;
}

/// Statements that could not be executed and that nothing will ask for, and texts that the program
/// would print.
void ProgramImport::tellWhatIsLeftOut() {
  for (const ImportError &error : machine->getImportErrors()) {
    const Diagnostic &problem = error.diagnostic;
    const python::ParsedFile *file = machine->parsedFile(problem.location.file);
    if (!file || file->getSource().getName().starts_with("<") ||
        !isEffect(*file, problem.location.range))
      continue;
    if (StringRef(problem.message).contains("torch.set_default_"))
      diagnostics.error(problem.location, problem.message,
                        "say the dtype or the device where tensors are made");
    else
      diagnostics.warning(problem.location, "this statement is left out: " + problem.message);
  }
  for (const auto &[name, place] : machine->absentModules)
    diagnostics.warning(place, "'" + name + "' is taken as not installed");
  auto print = [this](Machine &m, const CallArgs &) -> PyValue {
    if (library.entry)
      diagnostics.warning(m.location(), "print() is left out: the emitted program prints nothing");
    return m.none();
  };
  machine->setName(machine->findModule("builtins"), "print", machine->makeBuiltin("print", print));
}

// --- Finding the program -------------------------------------------------------------------------

/// The function or class of this name; null after an error.
PyValue ProgramImport::namedProgram(StringRef name) {
  PyValue found = machine->findAttribute(source, machine->intern(name));
  if (!found && machine->pending())
    return nullptr;
  auto *cls = dyn_cast_if_present<ClassObject>(found);
  if (isa_and_present<FunctionObject>(found) || (cls && cls->isSubclassOf(moduleClass)))
    return found;
  if (found)
    diagnostics.error({source->file, {0, 0}},
                      "'" + name.str() + "' is neither a function nor an nn.Module class");
  else
    diagnostics.error({source->file, {0, 0}},
                      "there is no function or class '" + name.str() + "' in this file",
                      "the file has " + listing(publicPrograms()));
  return nullptr;
}

std::string ProgramImport::listing(ArrayRef<StringRef> names) {
  return names.empty() ? "no public function or nn.Module class" : join(names, ", ");
}

/// get_inputs(), get_init_inputs(), get_small_inputs(): what a program is called with, no program.
static bool isForJudges(StringRef name) {
  return name.starts_with("get_") && name.ends_with("inputs");
}

SmallVector<StringRef> ProgramImport::publicPrograms() {
  SmallVector<StringRef> names;
  for (const Namespace::Slot &slot : source->attrs->slots) {
    StringRef name = slot.name->text;
    if (!slot.value || name.starts_with("_") || isForJudges(name))
      continue;
    auto *function = dyn_cast<FunctionObject>(slot.value);
    auto *cls = dyn_cast<ClassObject>(slot.value);
    if (function ? function->module == source
                 : cls && cls->module == source && cls->isSubclassOf(moduleClass))
      names.push_back(name);
  }
  return names;
}

/// The names that a part of a file reads.
static void collectNames(const python::Node &node, StringSet<> &names) {
  if (auto *name = dyn_cast<python::Name>(&node))
    names.insert(name->id);
  python::forEachChild(node, [&](const python::Node &child) { collectNames(child, names); });
}

/// Takes off the programs that other functions and classes of the file name: parts of them.
void ProgramImport::dropParts(SmallVectorImpl<StringRef> &programs) {
  const python::ParsedFile *file = machine->parsedFile(source->file);
  for (const python::Stmt *statement : file ? file->getModule().body : python::Body()) {
    auto *function = dyn_cast<python::FunctionDef>(statement);
    auto *cls = dyn_cast<python::ClassDef>(statement);
    StringRef own = function ? function->name : cls ? cls->name : "";
    if (own.empty() || isForJudges(own))
      continue;
    StringSet<> names;
    collectNames(*statement, names);
    erase_if(programs, [&](StringRef name) { return name != own && names.contains(name); });
  }
}

PyValue ProgramImport::findProgram() {
  if (!request.name.empty())
    return namedProgram(request.name);
  SmallVector<StringRef> names = publicPrograms(), classes;
  for (StringRef name : names)
    if (isa<ClassObject>(source->attrs->get(machine->intern(name))))
      classes.push_back(name);
  // get_init_inputs() serves a class: `Model`, or the one that is part of no other.
  if (source->attrs->get(machine->intern("get_init_inputs")) && !classes.empty()) {
    if (is_contained(classes, "Model"))
      return namedProgram("Model");
    dropParts(classes);
    if (classes.size() == 1)
      return namedProgram(classes.front());
  }
  SmallVector<StringRef> wholes = names;
  dropParts(wholes);
  if (wholes.size() == 1)
    return namedProgram(wholes.front());
  for (const ImportError &error : machine->getImportErrors())
    diagnostics.error(error.diagnostic.location, error.diagnostic.message, error.diagnostic.help);
  diagnostics.error({source->file, {0, 0}},
                    names.empty() ? "the file has no public function or nn.Module class"
                                  : "which program is meant? the file has " + listing(names),
                    names.empty() ? "" : "write " + request.path + ":" + names.back().str());
  return nullptr;
}

// --- Modules -------------------------------------------------------------------------------------

/// The module that `--init` says: an expression for it, or what stands between the parentheses of a
/// call of its class. One tuple, list or dict is that of all arguments.
PyValue ProgramImport::constructAsGiven(ClassObject &cls) {
  // The parser tells what is wrong in a call of a constructor.
  std::vector<std::pair<machine::Name, PyValue>> keywords;
  std::vector<PyValue> positional;
  machine->setName(
      source, "__init__",
      machine->makeBuiltin("__init__", [&](Machine &m, const CallArgs &args) -> PyValue {
        positional.assign(args.positional.begin(), args.positional.end());
        keywords.assign(args.keywords.begin(), args.keywords.end());
        return m.none();
      }));
  PyValue done = machine->evaluate("__init__(" + request.init + "\n)", source, "--init");
  source->attrs->erase(machine->intern("__init__"));
  if (!done)
    return nullptr;
  if (!isa<NoneObject>(done))
    return machine->refuse("--init: expected the arguments of a call", "write --init '512, p=0.0'");
  if (positional.size() != 1 || !keywords.empty())
    return machine->call(&cls, CallArgs{positional, keywords});
  return constructOf(cls, positional.front());
}

/// `--to`: what `module.to(dtype)` does.
bool ProgramImport::moveModule(PyValue instance) {
  if (request.to.empty())
    return true;
  PyValue method = machine->getAttribute(instance, "to");
  return method && machine->call(method, {library.makeDType(*parseSpecName(request.to))});
}

/// Whether parts of a module follow train() and eval() of the whole, or stay in one mode.
bool ProgramImport::settleModes(PyValue instance) {
  ModuleObject *definitions = library.prelude("nn");
  return machine->call(definitions->attrs->get(machine->intern("_settle_modes")), {instance});
}

PyValue ProgramImport::construct(ClassObject &cls) {
  if (!request.init.empty())
    return constructAsGiven(cls);
  PyValue maker = source->attrs->get(machine->intern("get_init_inputs"));
  PyValue given = maker ? machine->call(maker) : machine->makeTuple({});
  return given ? constructOf(cls, given) : nullptr;
}

PyValue ProgramImport::makeModule(ClassObject &cls) {
  PyValue instance = construct(cls);
  return instance && settleModes(instance) && moveModule(instance) && readTree(instance) ? instance
                                                                                         : nullptr;
}

/// The module that get_init_inputs() or one argument of `--init` gives.
PyValue ProgramImport::constructOf(ClassObject &cls, PyValue given) {
  if (auto *instance = dyn_cast<InstanceObject>(given);
      instance && instance->cls->isSubclassOf(moduleClass))
    return instance;
  SmallVector<std::pair<machine::Name, PyValue>> keywords;
  auto addKeywords = [&](const DictObject &dict) {
    for (const HashTable::Entry &entry : dict.table.entries)
      if (entry.key && isa<StrObject>(entry.key))
        keywords.push_back({machine->intern(cast<StrObject>(entry.key)->text), entry.value});
  };
  if (auto *dict = dyn_cast<DictObject>(given)) {
    addKeywords(*dict);
    return machine->call(&cls, CallArgs{{}, keywords});
  }
  auto itemsOf = [&](PyValue list) {
    return isa<TupleObject, ListObject>(list) ? machine->items(list)
                                              : std::optional(std::vector<PyValue>{list});
  };
  auto items = itemsOf(given);
  bool mayBeBoth = items && items->size() == 2 && isa<TupleObject, ListObject>((*items)[0]) &&
                   isa<DictObject>((*items)[1]);
  if (mayBeBoth) {
    PyValue read = library.prelude("nn")->attrs->get(machine->intern("_arguments"));
    PyValue both = machine->call(read, {&cls, given});
    if (!both)
      return nullptr;
    ArrayRef<PyValue> parts = cast<TupleObject>(both)->items;
    items = itemsOf(parts[0]);
    addKeywords(*cast<DictObject>(parts[1]));
  }
  return items ? machine->call(&cls, CallArgs{*items, keywords}) : nullptr;
}

/// What a function of the prelude says of a module: tuples (path, tensor, ...).
std::optional<std::vector<ProgramImport::Leaf>>
ProgramImport::leavesOf(PyValue instance, StringRef lister,
                        function_ref<Leaf(ArrayRef<PyValue>)> make) {
  PyValue walk = library.prelude("nn")->attrs->get(machine->intern(lister));
  PyValue list = machine->call(walk, {instance});
  auto entries = list ? machine->items(list) : std::nullopt;
  if (!entries)
    return std::nullopt;
  std::vector<Leaf> found;
  for (PyValue entry : *entries) {
    ArrayRef<PyValue> items = cast<TupleObject>(entry)->items;
    auto *complex = dyn_cast<ComplexValue>(items[1]);
    if (!complex && !isa<TensorValue>(items[1]))
      continue;
    Leaf leaf = make(items);
    leaf.tensor = complex ? complex->parts : cast<TensorValue>(items[1]);
    leaf.isComplex = complex != nullptr;
    found.push_back(leaf);
  }
  return found;
}

std::optional<std::vector<ProgramImport::Leaf>> ProgramImport::treeOf(PyValue instance) {
  return leavesOf(instance, "_tree", [](ArrayRef<PyValue> items) {
    return Leaf{cast<StrObject>(items[0])->text.str(), nullptr, cast<BoolObject>(items[2])->value(),
                cast<BoolObject>(items[3])->value()};
  });
}

/// Tensors that hang on modules as they are, without parameters and buffers.
std::optional<std::vector<ProgramImport::Leaf>> ProgramImport::plainLeavesOf(PyValue instance) {
  return leavesOf(instance, "_attributes", [](ArrayRef<PyValue> items) {
    return Leaf{cast<StrObject>(items[0])->text.str(), nullptr, false, false, true};
  });
}

/// Whether a value is computed from numbers that only the running program knows.
static bool hangsOnUnknown(mlir::Value value) {
  DenseSet<mlir::Operation *> seen;
  SmallVector<mlir::Operation *> open = {value.getDefiningOp()};
  while (!open.empty()) {
    mlir::Operation *op = open.pop_back_val();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<mlir::UnrealizedConversionCastOp>(op))
      return true;
    for (mlir::Value operand : op->getOperands())
      open.push_back(operand.getDefiningOp());
  }
  return false;
}

bool ProgramImport::readTree(PyValue instance) {
  std::optional<std::vector<Leaf>> tree = treeOf(instance);
  std::optional<std::vector<Leaf>> plain = tree ? plainLeavesOf(instance) : std::nullopt;
  if (!plain)
    return false;
  shared = sharedPartsOf(instance);
  // What was drawn for an attribute, `self.h0 = torch.randn(2, 8)`, the call reads from there, as
  // it does buffers; the numbers of others are known.
  for (const Leaf &leaf : *plain)
    if (hangsOnUnknown(library.read(leaf.tensor)))
      tree->push_back(leaf);
  for (Leaf &leaf : *tree) {
    // A tensor that hangs at two places of the tree is one argument.
    if (any_of(leaves, [&](const Leaf &o) { return o.tensor == leaf.tensor; }))
      continue;
    // Of tensors that share memory each is read from its own place, and has a gradient of its own.
    // What is a view of one that begins the memory follows that one.
    bool isPart = !leaf.tensor->steps.empty() || any_of(leaves, [&](const Leaf &o) {
      return o.tensor->storage == leaf.tensor->storage;
    });
    std::string name = leaf.path;
    std::replace_if(name.begin(), name.end(), [](char c) { return !isAlnum(c); }, '_');
    mlir::NamedAttrList attributes;
    mlir::OpBuilder &builder = library.writer.builder;
    attributes.set("graph.parameter", builder.getStringAttr(leaf.path));
    if (!leaf.isParameter)
      attributes.set("graph.buffer", builder.getUnitAttr());
    if (leaf.isParameter && !leaf.tensor->requiresGrad)
      attributes.set("graph.frozen", builder.getUnitAttr());
    if (leaf.isComplex)
      attributes.set("graph.complex", builder.getUnitAttr());
    if (leaf.isComplex && !request.to.empty())
      return machine->refuseAt(place, "--to: '" + leaf.path + "' is complex",
                               "convert it as it is"),
             false;
    TensorValue *argument = addArgument(library.sizesOf(leaf.tensor), leaf.tensor->dtype,
                                        {name, name}, std::move(attributes));
    if (isPart) {
      leaf.tensor->storage = argument->storage;
    } else {
      leaf.tensor->storage->value = argument->storage->value;
      ++leaf.tensor->storage->version;
      leaf.tensor->storage->isOuter = false;
      leaf.tensor->storage->isArgument = true;
    }
    if (!leaf.isParameter || !leaf.tensor->requiresGrad)
      library.buffers.insert(argument->storage->value);
    leaf.tensor->dtype = argument->dtype;
    leaf.tensor->steps.clear();
    arguments.back().tensor = leaf.tensor;
    leaves.push_back(leaf);
  }
  return true;
}

/// What hangs at several places of the module's tree: each further place with the first one. Of a
/// module that does so what it holds is not told again.
std::vector<std::pair<std::string, std::string>> ProgramImport::sharedPartsOf(PyValue instance) {
  std::vector<std::pair<std::string, std::string>> shared;
  PyValue walk = library.prelude("nn")->attrs->get(machine->intern("_parts"));
  PyValue list = machine->call(walk, {instance});
  llvm::DenseMap<const machine::Object *, std::string> places;
  for (PyValue entry : list ? *machine->items(list) : std::vector<PyValue>()) {
    ArrayRef<PyValue> pair = cast<TupleObject>(entry)->items;
    std::string path = cast<StrObject>(pair[0])->text.str();
    bool isWithin = any_of(
        shared, [&](const auto &other) { return StringRef(path).starts_with(other.first + "."); });
    if (isWithin)
      continue;
    auto [place, isNew] = places.try_emplace(pair[1], path);
    if (!isNew)
      shared.push_back({path, place->second});
  }
  return shared;
}

/// How Python reaches the parts of the module's tree that are not `.name`, by their paths.
mlir::DictionaryAttr ProgramImport::stepsOf(PyValue instance) {
  mlir::NamedAttrList steps;
  PyValue walk = library.prelude("nn")->attrs->get(machine->intern("_steps"));
  PyValue list = machine->call(walk, {instance});
  for (PyValue entry : list ? *machine->items(list) : std::vector<PyValue>()) {
    ArrayRef<PyValue> pair = cast<TupleObject>(entry)->items;
    steps.set(cast<StrObject>(pair[0])->text,
              mlir::StringAttr::get(context, cast<StrObject>(pair[1])->text));
  }
  return steps.getDictionary(context);
}

void ProgramImport::addModule(mlir::ModuleOp module, ClassObject &cls) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  SmallVector<mlir::Attribute> tree, plain;
  for (const Leaf &leaf : leaves) {
    tree.push_back(builder.getStringAttr(leaf.path));
    if (leaf.isPlain)
      plain.push_back(tree.back());
  }
  bool isRenamed = !request.exportName.empty() && cls.name != request.exportName;
  StringRef name = isRenamed ? StringRef(request.exportName) : StringRef(cls.name);
  auto op = host::ModuleOp::create(builder, function.getLoc(), builder.getStringAttr(name),
                                   mlir::FlatSymbolRefAttr::get(context, function.getName()),
                                   builder.getStringAttr(""), builder.getArrayAttr(tree));
  op->setAttr("graph.steps", stepsOf(library.instance));
  if (!plain.empty())
    op->setAttr("graph.plain", builder.getArrayAttr(plain));
  if (isRenamed)
    op->setAttr("graph.original", builder.getStringAttr(cls.name));
  if (!request.to.empty())
    op->setAttr("graph.moved", builder.getStringAttr(request.to));
  if (!request.init.empty())
    op->setAttr("graph.init", builder.getStringAttr(request.init));
}

} // namespace nereid::torch
