// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch: the kernel is compiled for the arguments as Triton would compile it, under its first
// configuration, and run in the interpreter.
#include "eager/WrapperMachine.h"

#include "audit/HostValues.h"
#include "audit/UseFlow.h"
#include "frontend/torch/DType.h"
#include "python/machine/Machine.h"
#include "tile/Instance.h"

using namespace llvm;

namespace nereid::eager {

/// The arguments by name, with those of the first configuration, defaults and heuristics; null
/// after an error.
machine::DictObject *WrapperMachine::bindLaunch(LaunchValue &target,
                                                const machine::CallArgs &args) {
  triton::FunctionValue &kernel = *target.kernel;
  machine::DictObject *meta = machine.makeDict();
  std::vector<machine::Name> names = machine.parameterNames(*kernel.function);
  if (args.positional.size() > names.size())
    return machine.raise("TypeError", "the kernel takes fewer arguments");
  for (auto [name, value] : zip(names, args.positional))
    machine.dictSet(*meta, name, value);
  for (auto [name, value] : args.keywords)
    machine.dictSet(*meta, name, value);
  if (!kernel.configs.empty())
    for (const auto &entry : kernel.configs.front()->values->table.entries)
      if (entry.key)
        machine.dictSet(*meta, entry.key, entry.value);
  ArrayRef<PyValue> defaults = kernel.function->defaults;
  size_t first = names.size() - std::min(defaults.size(), names.size());
  for (auto [index, name] : enumerate(names))
    if (index >= first && !machine.dictGet(*meta, name))
      machine.dictSet(*meta, name, defaults[index - first]);
  for (machine::DictObject *values : kernel.heuristics)
    for (const auto &entry : values->table.entries) {
      auto *function = entry.key ? dyn_cast<machine::FunctionObject>(entry.value) : nullptr;
      if (!function)
        continue;
      PyValue arguments[] = {meta};
      PyValue value = machine.callWithPolicy(*function, machine::CallArgs{arguments, {}}, *this);
      if (!value)
        return nullptr;
      machine.dictSet(*meta, entry.key, value);
    }
  for (machine::Name name : names)
    if (!machine.dictGet(*meta, name))
      return machine.raise("TypeError", "the launch gives no value for '" + name->text + "'");
  descriptors.clear();
  return project.takeApart(kernel, 0, *meta, *this, descriptors) ? meta : nullptr;
}

bool WrapperMachine::readGrid(PyValue grid, machine::DictObject &meta,
                              SmallVectorImpl<int64_t> &extents) {
  if (auto *function = dyn_cast<machine::FunctionObject>(grid)) {
    PyValue arguments[] = {&meta};
    grid = machine.callWithPolicy(*function, machine::CallArgs{arguments, {}}, *this);
  }
  if (!grid)
    return false;
  SmallVector<PyValue> items{grid};
  if (std::optional<ArrayRef<PyValue>> list = triton::sequence(grid))
    items.assign(list->begin(), list->end());
  for (PyValue item : items) {
    std::optional<int64_t> extent = machine.index(triton::plain(item));
    if (!extent)
      return false;
    extents.push_back(*extent);
  }
  if (extents.empty() || extents.size() > 3)
    return machine.refuse("a grid has one to three extents");
  return true;
}

static bool isConstexpr(const triton::FunctionValue &kernel, machine::Name name) {
  const python::FunctionDef *def = kernel.function->code->getDef();
  for (const python::Arg *arg : audit::getParameters(*def->args))
    if (arg->arg == name->text && arg->annotation)
      return kernel.function->code->file->getText(*arg->annotation).contains("constexpr");
  return false;
}

/// `fp32`, as in a signature.
static std::string elementName(const Tensor &tensor) {
  torch::DType type = torch::fromMlir(tensor.elementType);
  if (type == torch::DType::F8E4M3)
    return "fp8e4nv";
  if (type == torch::DType::F8E5M2)
    return "fp8e5";
  return audit::getElementType(torch::getTorchName(type)).str();
}

/// Types and constants as Triton takes them from the arguments.
std::optional<triton::KernelRequest> WrapperMachine::requestFor(triton::FunctionValue &kernel,
                                                                machine::DictObject &meta) {
  triton::KernelRequest request;
  request.kernel = kernel.function->name->text.str();
  for (machine::Name name : machine.parameterNames(*kernel.function)) {
    PyValue value = triton::plain(machine.dictGet(meta, name));
    std::string key = name->text.str();
    bool isFixed = isConstexpr(kernel, name);
    if (auto *held = dyn_cast<TensorValue>(value); held && !isFixed) {
      auto descriptor = descriptors.find(key);
      request.signature[key] =
          descriptor == descriptors.end()
              ? "*" + elementName(held->tensor)
              : "tensordesc<" + elementName(held->tensor) + descriptor->second.block + ">";
      continue;
    }
    bool isNumber = isa<machine::IntObject, machine::FloatObject>(value);
    if (auto *type = dyn_cast<triton::DTypeValue>(value)) {
      request.constexprs[key] = type->type.spelling();
    } else if (auto *function = dyn_cast<triton::FunctionValue>(value)) {
      request.constexprs[key] = function->function->name->text.str();
    } else if (isNumber && !isFixed) {
      auto *integer = dyn_cast<machine::IntObject>(value);
      request.signature[key] = isa<machine::BoolObject>(value) ? "i1"
                               : !integer                      ? "fp32"
                               : !integer->isSmall()           ? "u64"
                               : isInt<32>(integer->small)     ? "i32"
                                                               : "i64";
      request.values[key] = machine.repr(value).value_or("0");
    } else if (isNumber || isa<machine::StrObject, machine::NoneObject>(value)) {
      request.constexprs[key] = machine.repr(value).value_or("None");
    } else {
      machine.refuse("the kernel's argument '" + key + "' is " + machine.typeName(value) +
                     ", which is not supported where a wrapper is run");
      return std::nullopt;
    }
  }
  return request;
}

mlir::func::FuncOp WrapperMachine::compile(triton::FunctionValue &kernel,
                                           const triton::KernelRequest &request) {
  triton::JitFunction *function = project.find(kernel.function->code->getDef());
  if (!function)
    return machine.refuse("the kernel '" + request.kernel + "' is not known"), nullptr;
  std::string key = request.kernel + "@" + std::to_string(uintptr_t(function));
  for (const auto *map : {&request.signature, &request.constexprs})
    for (const auto &[name, value] : *map)
      key += "|" + name + "=" + value;
  auto [place, isNew] = kernels.try_emplace(key);
  if (isNew) {
    Diagnostics problems;
    machine.defaultPolicy = nullptr;
    auto module = project.import(*context, *function, request, triton::Budget{}, problems);
    machine.defaultPolicy = this;
    machine.renewBudget(uint64_t(2'000'000));
    if (failed(module)) {
      kernels.erase(place);
      isRejected = true;
      std::string why =
          problems.all().empty() ? "it is not known why" : problems.all().front().message;
      return machine.refuse("the kernel '" + request.kernel +
                            "' does not compile for this launch: " + why),
             nullptr;
    }
    place->second = std::move(*module);
  }
  return *place->second->getOps<mlir::func::FuncOp>().begin();
}

PyValue WrapperMachine::launch(LaunchValue &target, const machine::CallArgs &args) {
  machine::DictObject *meta = bindLaunch(target, args);
  SmallVector<int64_t> extents;
  if (!meta || !readGrid(target.grid, *meta, extents))
    return nullptr;
  std::optional<triton::KernelRequest> request = requestFor(*target.kernel, *meta);
  if (!request)
    return nullptr;
  mlir::func::FuncOp kernel = compile(*target.kernel, *request);
  if (!kernel)
    return nullptr;
  // A grid without programs is no launch.
  if (is_contained(extents, 0))
    return machine.none();
  std::vector<HostValue> values;
  for (unsigned number = 0; number < kernel.getNumArguments(); ++number) {
    PyValue value = triton::plain(machine.dictGet(*meta, tile::getArgumentName(kernel, number)));
    if (auto *held = dyn_cast<TensorValue>(value))
      values.push_back(held->tensor);
    else if (auto *real = dyn_cast<machine::FloatObject>(value))
      values.push_back(real->value);
    else
      values.push_back(cast<machine::IntObject>(value)->small);
  }
  std::string said;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
    said = diagnostic.str();
    return mlir::success();
  });
  auto result = interpreter::runKernel(kernel, values, extents, running);
  if (failed(result))
    return machine.refuse("the kernel '" + request->kernel + "' cannot be run: " + said);
  if (!result->findings.empty()) {
    finding = result->findings.front();
    return machine.refuse(finding->message);
  }
  return machine.none();
}

} // namespace nereid::eager
