// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/ProgramImport.h"

#include "host/HostOps.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

mlir::OwningOpRef<mlir::ModuleOp> ProgramImport::run(Machine &theMachine) {
  machine = &theMachine;
  library.gradients = request.gradients;
  library.writesLoopsOut = request.writesLoopsOut;
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
  source = machine->importFile(request.path, diagnostics);
  PyValue program = source ? findProgram() : nullptr;
  if (!program)
    return {};
  auto *cls = dyn_cast<ClassObject>(program);
  StringRef name = cls ? cls->name : cast<FunctionObject>(program)->name->text;
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

SmallVector<StringRef> ProgramImport::publicPrograms() {
  SmallVector<StringRef> names;
  for (const Namespace::Slot &slot : source->attrs->slots) {
    StringRef name = slot.name->text;
    if (!slot.value || name.starts_with("_") || name == "get_inputs" || name == "get_init_inputs")
      continue;
    auto *function = dyn_cast<FunctionObject>(slot.value);
    auto *cls = dyn_cast<ClassObject>(slot.value);
    if (function ? function->module == source
                 : cls && cls->module == source && cls->isSubclassOf(moduleClass))
      names.push_back(name);
  }
  return names;
}

PyValue ProgramImport::findProgram() {
  if (!request.name.empty())
    return namedProgram(request.name);
  SmallVector<StringRef> names = publicPrograms(), classes;
  for (StringRef name : names)
    if (isa<ClassObject>(source->attrs->get(machine->intern(name))))
      classes.push_back(name);
  // get_init_inputs() serves a class; by convention the last one is made of the others.
  if (source->attrs->get(machine->intern("get_init_inputs")) && !classes.empty()) {
    if (is_contained(classes, "Model"))
      return namedProgram("Model");
    if (classes.size() == 1)
      return namedProgram(classes.front());
  }
  if (names.size() == 1)
    return namedProgram(names.front());
  for (const ImportError &error : machine->getImportErrors())
    diagnostics.error(error.diagnostic.location, error.diagnostic.message, error.diagnostic.help);
  diagnostics.error({source->file, {0, 0}},
                    names.empty() ? "the file has no public function or nn.Module class"
                                  : "which program is meant? the file has " + listing(names),
                    names.empty() ? "" : "write " + request.path + ":" + names.back().str());
  return nullptr;
}

// --- Modules -------------------------------------------------------------------------------------

PyValue ProgramImport::makeModule(ClassObject &cls) {
  PyValue given = nullptr;
  if (!request.init.empty()) {
    given = machine->evaluate(request.init, source, "--init");
  } else if (PyValue maker = source->attrs->get(machine->intern("get_init_inputs"))) {
    given = machine->call(maker);
  } else {
    given = machine->makeTuple({});
  }
  if (!given)
    return nullptr;
  if (auto *instance = dyn_cast<InstanceObject>(given);
      instance && instance->cls->isSubclassOf(moduleClass))
    return readTree(instance) ? instance : nullptr;
  PyValue instance = nullptr;
  if (auto *dict = dyn_cast<DictObject>(given)) {
    SmallVector<std::pair<machine::Name, PyValue>> keywords;
    for (const HashTable::Entry &entry : dict->table.entries)
      if (entry.key && isa<StrObject>(entry.key))
        keywords.push_back({machine->intern(cast<StrObject>(entry.key)->text), entry.value});
    instance = machine->call(&cls, CallArgs{{}, keywords});
  } else {
    auto items = isa<TupleObject, ListObject>(given) ? machine->items(given)
                                                     : std::optional(std::vector<PyValue>{given});
    instance = items ? machine->call(&cls, *items) : nullptr;
  }
  return instance && readTree(instance) ? instance : nullptr;
}

std::optional<std::vector<ProgramImport::Leaf>> ProgramImport::treeOf(PyValue instance) {
  ModuleObject *definitions = library.prelude("nn");
  PyValue walk = definitions->attrs->get(machine->intern("_tree"));
  PyValue list = machine->call(walk, {instance});
  auto entries = list ? machine->items(list) : std::nullopt;
  if (!entries)
    return std::nullopt;
  std::vector<Leaf> tree;
  for (PyValue entry : *entries) {
    ArrayRef<PyValue> items = cast<TupleObject>(entry)->items;
    auto *tensor = dyn_cast<TensorValue>(items[1]);
    if (!tensor)
      continue;
    tree.push_back({cast<StrObject>(items[0])->text.str(), tensor,
                    cast<BoolObject>(items[2])->value(), cast<BoolObject>(items[3])->value()});
  }
  return tree;
}

bool ProgramImport::readTree(PyValue instance) {
  std::optional<std::vector<Leaf>> tree = treeOf(instance);
  if (!tree)
    return false;
  for (Leaf &leaf : *tree) {
    // A tensor that hangs at two places of the tree is one argument.
    if (any_of(leaves, [&](const Leaf &o) { return o.tensor->storage == leaf.tensor->storage; }))
      continue;
    std::string name = leaf.path;
    std::replace(name.begin(), name.end(), '.', '_');
    mlir::NamedAttrList attributes;
    mlir::OpBuilder &builder = library.writer.builder;
    attributes.set("graph.parameter", builder.getStringAttr(leaf.path));
    if (!leaf.isParameter)
      attributes.set("graph.buffer", builder.getUnitAttr());
    if (leaf.isParameter && !leaf.tensor->requiresGrad)
      attributes.set("graph.frozen", builder.getUnitAttr());
    TensorValue *argument = addArgument(library.sizesOf(leaf.tensor), leaf.tensor->dtype,
                                        {name, name}, std::move(attributes));
    leaf.tensor->storage->value = argument->storage->value;
    leaf.tensor->storage->isOuter = false;
    leaf.tensor->storage->isArgument = true;
    if (!leaf.isParameter)
      library.buffers.insert(argument->storage->value);
    leaf.tensor->dtype = argument->dtype;
    leaf.tensor->steps.clear();
    arguments.back().tensor = leaf.tensor;
    leaves.push_back(leaf);
  }
  return true;
}

void ProgramImport::addModule(mlir::ModuleOp module, ClassObject &cls) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  SmallVector<mlir::Attribute> tree;
  for (const Leaf &leaf : leaves)
    tree.push_back(builder.getStringAttr(leaf.path));
  ConstructorText text = constructorText(*machine, cls);
  auto op = host::ModuleOp::create(builder, function.getLoc(), builder.getStringAttr(cls.name),
                                   mlir::FlatSymbolRefAttr::get(context, function.getName()),
                                   builder.getStringAttr(text.body), builder.getArrayAttr(tree));
  op->setAttr("graph.definitions", builder.getStringAttr(text.definitions));
  op->setAttr("graph.bases", builder.getStringAttr(text.bases));
  if (!request.init.empty())
    op->setAttr("graph.init", builder.getStringAttr(request.init));
}

} // namespace nereid::torch
