// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel as a function: descriptors that the host makes, arguments, attributes and the body.
#include "frontend/triton/KernelImport.h"

#include "tile/TuningKey.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

KernelImport::KernelImport(machine::Machine &machine, TritonLibrary &library,
                           machine::ModuleObject &module, FunctionValue &function,
                           const KernelRequest &request, MLIRContext &context)
    : machine(machine), library(library), module(module), function(function), request(request),
      kernel(machine, library, &context) {
  if (request.config < function.configs.size())
    kernel.warps = function.configs[request.config]->numWarps;
}

SourceLocation KernelImport::place() { return machine.definitionOf(function.function); }

PyValue KernelImport::evaluate(StringRef text, StringRef name) {
  return machine.evaluate(text, &module, name);
}

/// The block's text over the names of the file and the values of the meta-parameters.
PyValue KernelImport::evaluateBlock(const Parameter &parameter) {
  machine::ModuleObject *scope = machine.makeModule(module.name, module.library);
  scope->file = module.file;
  for (const auto &slot : module.attrs->slots)
    scope->attrs->set(slot.name, slot.value);
  for (const Parameter &other : parameters)
    if (other.known)
      scope->attrs->set(other.name, isKnownNumber(other.known)
                                        ? library.constant(other.known, other.name->text)
                                        : other.known);
  return machine.evaluate(*parameter.block, scope, ("--signature " + parameter.name->text).str());
}

/// The hook of the configuration sets the blocks of descriptors: `nargs["x"].block_shape = ...`.
bool KernelImport::runHook() {
  unsigned index = std::min<unsigned>(request.config, function.configs.size() - 1);
  PyValue hook = function.configs.empty() ? nullptr : function.configs[index]->preHook;
  if (!hook || isNone(hook))
    return true;
  machine::DictObject *args = machine.makeDict();
  std::vector<std::pair<Parameter *, machine::ModuleObject *>> standIns;
  for (Parameter &parameter : parameters) {
    PyValue value = parameter.known;
    if (parameter.block) {
      standIns.push_back({&parameter, machine.makeModule(parameter.name->text, nullptr)});
      value = standIns.back().second;
    }
    if (value)
      machine.dictSet(*args, parameter.name, value);
  }
  if (!machine.call(hook, ArrayRef<PyValue>(args)))
    return false;
  for (auto [parameter, standIn] : standIns)
    if (PyValue set = standIn->attrs->get(machine.intern("block_shape")))
      parameter->blockShape = set;
  return true;
}

bool KernelImport::findBlock(Parameter &parameter) {
  for (Parameter &item : parameter.items)
    if (!findBlock(item))
      return false;
  if (!parameter.block)
    return true;
  if (!parameter.blockShape && !parameter.block->empty())
    parameter.blockShape = evaluateBlock(parameter);
  if (machine.pending())
    return false;
  if (parameter.blockShape && !itemsOf(parameter.blockShape).empty())
    return true;
  machine.refuseAt(place(),
                   "the shape of the blocks of the descriptor `" + parameter.name->text +
                       "` is not known",
                   "give it: --signature '" + parameter.name->text + "=tensordesc<" +
                       parameter.type.name() + "[BLOCK_M, BLOCK_N]>'");
  return false;
}

bool KernelImport::findBlocks() {
  if (any_of(parameters, [](const Parameter &parameter) { return parameter.block.has_value(); }) &&
      !runHook())
    return false;
  return all_of(parameters, [&](Parameter &parameter) { return findBlock(parameter); });
}

/// A descriptor that the host makes is passed as what it is made of; its last stride is 1.
PyValue KernelImport::makeHostDescriptor(func::FuncOp op, unsigned &next,
                                         const Parameter &parameter) {
  StringRef name = parameter.name->text;
  auto take = [&](DType type, const Twine &suffix) {
    std::string text = (name + suffix).str();
    BlockArgument argument = op.getArgument(next);
    op.setArgAttr(next++, tile::nameAttrName, kernel.builder.getStringAttr(text));
    TensorValue *value = kernel.make(argument, type);
    kernel.nameValue(value, text);
    return value;
  };
  size_t rank = itemsOf(parameter.blockShape).size();
  PyValue base = take(parameter.type.pointer(), "");
  SmallVector<PyValue> shape, strides;
  for (size_t axis = 0; axis < rank; ++axis)
    shape.push_back(take(Scalar::Int32, "_shape_" + Twine(axis)));
  for (size_t axis = 0; axis + 1 < rank; ++axis)
    strides.push_back(take(Scalar::Int64, "_stride_" + Twine(axis)));
  strides.push_back(machine.makeInt(int64_t(1)));
  return kernel.makeDescriptor(base, machine.makeTuple(shape), machine.makeTuple(strides),
                               parameter.blockShape, parameter.padsWithNan ? "nan" : "zero");
}

void KernelImport::addArgumentTypes(const Parameter &parameter, SmallVectorImpl<Type> &types) {
  OpBuilder &builder = kernel.builder;
  MLIRContext *context = kernel.context();
  if (parameter.isTuple) {
    for (const Parameter &item : parameter.items)
      addArgumentTypes(item, types);
  } else if (parameter.block) {
    // Its base, its sizes, and the strides but for the last.
    size_t rank = itemsOf(parameter.blockShape).size();
    types.push_back(parameter.type.pointer().toMlir(context));
    types.append(rank, builder.getI32Type());
    types.append(rank - 1, builder.getI64Type());
  } else if (!parameter.known) {
    Type type = parameter.type.toMlir(context);
    Dims dims;
    for (auto [axis, size] : enumerate(parameter.shape))
      dims.push_back({size, nameExtent(parameter.name->text.str(), axis)});
    types.push_back(dims.empty() ? type : kernel.tileType(parameter.type, dims));
  }
}

func::FuncOp KernelImport::makeFunction(ModuleOp into) {
  OpBuilder &builder = kernel.builder;
  MLIRContext *context = kernel.context();
  SmallVector<Type> types;
  for (const Parameter &parameter : parameters)
    addArgumentTypes(parameter, types);
  SourceLocation where = place();
  Location location = UnknownLoc::get(context);
  if (where.file) {
    LineColumn at = where.file->getLineColumn(where.range.begin);
    location = FileLineColLoc::get(context, where.file->getName(), at.line, at.column + 1);
  }
  builder.setInsertionPointToEnd(into.getBody());
  auto op = func::FuncOp::create(builder, location, function.function->name->text,
                                 builder.getFunctionType(types, {}));
  op->setAttr(tile::kernelAttrName, builder.getUnitAttr());
  op.addEntryBlock();
  return op;
}

Attribute KernelImport::getValueAttr(PyValue value) {
  OpBuilder &builder = kernel.builder;
  value = plain(value);
  if (auto *boolean = dyn_cast<machine::BoolObject>(value))
    return builder.getBoolAttr(boolean->value());
  if (auto *integer = dyn_cast<machine::IntObject>(value); integer && integer->isSmall())
    return builder.getI64IntegerAttr(integer->small);
  if (auto *floating = dyn_cast<machine::FloatObject>(value))
    return builder.getF64FloatAttr(floating->value);
  if (auto *text = dyn_cast<machine::StrObject>(value))
    return builder.getStringAttr(text->text);
  if (isNone(value))
    return builder.getUnitAttr();
  if (auto *type = dyn_cast<DTypeValue>(value); type && !type->isBlock && !type->type.isPtr())
    return FlatSymbolRefAttr::get(builder.getContext(), type->type.spelling());
  return builder.getStringAttr(machine.repr(value).value_or(machine.typeName(value).str()));
}

void KernelImport::setAttributes(func::FuncOp op) {
  OpBuilder &builder = kernel.builder;
  SmallVector<Attribute> meta, looked;
  NamedAttrList current;
  for (const Parameter &parameter : parameters)
    if (parameter.isMeta && parameter.known) {
      meta.push_back(builder.getStringAttr(parameter.name->text));
      current.set(parameter.name->text, getValueAttr(parameter.known));
    }
  op->setAttr(tile::metaAttrName, builder.getArrayAttr(meta));
  int64_t warps = 4, stages = 3;
  SmallVector<Attribute> configs;
  for (auto [index, config] : enumerate(function.configs)) {
    NamedAttrList values;
    for (const auto &entry : config->values->table.entries)
      if (auto *name = entry.key ? dyn_cast<machine::StrObject>(entry.key) : nullptr)
        values.set(name->text, getValueAttr(entry.value));
    for (NamedAttribute one : current)
      if (!values.get(one.getName()))
        values.append(one);
    auto attr = tile::ConfigAttr::get(kernel.context(), values.getDictionary(kernel.context()),
                                      config->numWarps, config->numStages);
    if (index == request.config) { // the one that this instance has comes first
      warps = config->numWarps;
      stages = config->numStages;
      continue;
    }
    configs.push_back(attr);
  }
  configs.insert(configs.begin(),
                 tile::ConfigAttr::get(kernel.context(), current.getDictionary(kernel.context()),
                                       warps, stages));
  op->setAttr(tile::configsAttrName, builder.getArrayAttr(configs));
  SmallVector<Attribute> key;
  for (const std::string &name : function.tuningKey)
    key.push_back(builder.getStringAttr(name));
  if (!key.empty())
    op->setAttr(tile::tuningKeyAttrName, builder.getArrayAttr(key));
  for (const std::string &name : library.lookedAt)
    looked.push_back(builder.getStringAttr(name));
  if (!looked.empty())
    op->setAttr("tile.looked_at", builder.getArrayAttr(looked));
}

PyValue KernelImport::makeArgument(func::FuncOp op, unsigned &next, const Parameter &parameter) {
  if (parameter.isTuple) {
    SmallVector<PyValue> items;
    for (const Parameter &item : parameter.items)
      items.push_back(makeArgument(op, next, item));
    PyValue made = machine.makeTuple(items);
    if (parameter.tupleClass && !items.empty())
      made->cls = parameter.tupleClass;
    return made;
  }
  if (parameter.block)
    return makeHostDescriptor(op, next, parameter);
  if (parameter.known)
    return parameter.isMeta && isKnownNumber(parameter.known)
               ? library.constant(parameter.known, parameter.name->text)
               : parameter.known;
  StringRef name = parameter.name->text;
  BlockArgument argument = op.getArgument(next);
  op.setArgAttr(next++, tile::nameAttrName, kernel.builder.getStringAttr(name));
  TensorValue *value = kernel.make(argument, parameter.type);
  kernel.nameValue(value, name);
  return value;
}

bool KernelImport::runBody(func::FuncOp op) {
  OpBuilder &builder = kernel.builder;
  Block &entry = op.getBody().front();
  builder.setInsertionPointToEnd(&entry);
  SmallVector<PyValue> positional;
  SmallVector<std::pair<machine::Name, PyValue>> keywords;
  size_t keywordOnly = function.function->code->args->kwonlyargs.size();
  unsigned next = 0;
  for (auto [index, parameter] : enumerate(parameters)) {
    PyValue value = makeArgument(op, next, parameter);
    if (!value)
      return false;
    if (index + keywordOnly < parameters.size())
      positional.push_back(value);
    else
      keywords.push_back({parameter.name, value});
  }
  KernelFrame state;
  library.kernel = &kernel;
  PyValue result =
      machine.callWithPolicy(*function.function, {positional, keywords}, library, &state);
  library.kernel = nullptr;
  if (!result)
    return false;
  if (!isNone(result) && !request.isDevice) {
    machine.refuseAt(place(), "a kernel returns nothing, found " + kernel.describe(result),
                     "store the result: tl.store(out_ptr + offsets, value, mask=mask)");
    return false;
  }
  builder.setInsertionPointToEnd(&entry);
  func::ReturnOp::create(builder, op.getLoc());
  return true;
}

OwningOpRef<ModuleOp> KernelImport::run() {
  if (!checkTypes() || !applyHeuristics() || !readParameters() || !findBlocks())
    return {};
  OwningOpRef<ModuleOp> result = ModuleOp::create(UnknownLoc::get(kernel.context()));
  kernel.module = *result;
  func::FuncOp op = makeFunction(*result);
  if (!runBody(op))
    return {};
  setAttributes(op);
  return result;
}

} // namespace nereid::triton
