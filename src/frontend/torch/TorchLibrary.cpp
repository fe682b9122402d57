// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/TorchLibrary.h"

#include "frontend/torch/KnownNames.h"
#include "frontend/torch/LoopReader.h"

#include <limits>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

TorchLibrary::TorchLibrary(mlir::MLIRContext *context, Diagnostics &diagnostics)
    : solver(sym::SymDialect::getIndexContext(context)), writer(context, solver),
      diagnostics(diagnostics), context(context) {}

// --- Modules and names -----------------------------------------------------------------------

void TorchLibrary::attach(Machine &theMachine) {
  machine = &theMachine;
  machine->addLibrary(*this);
  torchModule = module("torch");
  tensorClass = machine->makeClass("Tensor", {}, this, torchModule);
  parameterClass = machine->makeClass("Parameter", {tensorClass}, this, module("torch.nn"));
  dtypeClass = machine->makeClass("dtype", {}, this, torchModule);
  deviceClass = machine->makeClass("device", {}, this, torchModule);
  definePointwise();
  defineViews();
  defineIndexing();
  defineIndexViews();
  defineFolds();
  defineSorting();
  defineScattering();
  defineFactories();
  defineRandom();
  defineTensorMethods();
  defineData();
  defineGradientModes();
  defineAutocast();
  definePrelude();
}

ModuleObject *TorchLibrary::module(StringRef name) {
  ModuleObject *&found = modules[name];
  if (!found)
    found = machine->makeModule(name, this);
  return found;
}

/// Parts of PyTorch that have nothing to do with what a program computes, or are not supported.
static bool isForeignPart(StringRef name) {
  static constexpr StringLiteral parts[] = {"torch.fft",
                                            "torch.sparse",
                                            "torch.distributed",
                                            "torch.optim",
                                            "torch.library",
                                            "torch.nn.parallel",
                                            "torch.utils.data",
                                            "torch.distributions",
                                            "torch.quantization",
                                            "torch.ao",
                                            "torch.ops",
                                            "torch.func",
                                            "torch.multiprocessing",
                                            "torch.utils.tensorboard",
                                            "torch.utils.cpp_extension",
                                            "torch.testing",
                                            "torch.hub",
                                            "torch.nn.attention",
                                            "torch.nested",
                                            "torch.export",
                                            "torch.mps",
                                            "torch.xpu",
                                            "torch.utils.benchmark",
                                            "torch.nn.quantized",
                                            "torch._C",
                                            "torch._inductor",
                                            "torch._prims"};
  return any_of(parts, [&](StringRef part) {
    return name == part ||
           (name.starts_with(part) && name.drop_front(part.size()).starts_with("."));
  });
}

Answer TorchLibrary::importModule(Machine &, StringRef name) {
  static constexpr StringLiteral known[] = {"torch",
                                            "torch.nn",
                                            "torch.nn.functional",
                                            "torch.nn.init",
                                            "torch.nn.parameter",
                                            "torch.nn.modules",
                                            "torch.special",
                                            "torch.cuda",
                                            "torch.jit",
                                            "torch.linalg",
                                            "torch.amp",
                                            "torch.cuda.amp",
                                            "torch.utils",
                                            "torch.utils.checkpoint",
                                            "torch.compiler",
                                            "torch._dynamo",
                                            "torch.onnx",
                                            "torch.overrides",
                                            "torch.fx",
                                            "torch.autograd",
                                            "torch.autograd.function",
                                            "torch.autograd.profiler",
                                            "torch.profiler",
                                            "torch.cuda.nvtx",
                                            "einops",
                                            "einops.layers",
                                            "einops.layers.torch",
                                            "torch.nn.utils",
                                            "torch.nn.utils.parametrizations"};
  if (name == "torch.backends" || name.starts_with("torch.backends."))
    return module(name); // settings, without effect on what is computed
  if (is_contained(known, name))
    return module(name);
  if (isForeignPart(name))
    return module(name);
  return std::nullopt;
}

/// A function that is reported where it is called.
PyValue TorchLibrary::unsupported(StringRef name) {
  return machine->makeBuiltin(
      machine->save(name), [this, full = name.str()](Machine &, const CallArgs &) {
        return reportAndPoison("'" + full + "' is not supported yet", whyUnsupported(full));
      });
}

/// The name space of a module's functions; empty for modules that are preludes.
static StringRef spaceOf(StringRef moduleName) {
  return StringSwitch<StringRef>(moduleName)
      .Case("torch", "torch")
      .Case("torch.nn.functional", "F")
      .Case("torch.special", "special")
      .Case("torch.cuda", "cuda")
      .Case("torch.jit", "jit")
      .Case("torch.linalg", "linalg")
      .Case("torch.amp", "amp")
      .Case("torch.cuda.amp", "cuda_amp")
      .Case("torch.cuda.nvtx", "nvtx")
      .Case("torch.utils.checkpoint", "checkpoint")
      .Case("torch.compiler", "compiler")
      .Case("torch._dynamo", "compiler")
      .Case("torch.onnx", "onnx")
      .Case("torch.overrides", "overrides")
      .Case("torch.fx", "fx")
      .Case("torch.autograd", "autograd")
      .Case("torch.autograd.function", "function")
      .Case("torch.profiler", "profiler")
      .Case("torch.autograd.profiler", "profiler")
      .Case("einops", "einops")
      .Case("einops.layers.torch", "einops_layers")
      .Case("torch.nn.utils", "utils")
      .Case("torch.nn.utils.parametrizations", "parametrizations")
      .Case("torch.utils", "torch_utils")
      .Case("prims", "prims")
      .Default("");
}

/// Names of torch that are no functions; null for others.
PyValue TorchLibrary::torchConstant(StringRef name) {
  if (name == "pi")
    return machine->makeFloat(3.141592653589793);
  if (name == "e")
    return machine->makeFloat(2.718281828459045);
  if (name == "inf")
    return machine->makeFloat(std::numeric_limits<double>::infinity());
  if (name == "nan")
    return machine->makeFloat(std::numeric_limits<double>::quiet_NaN());
  if (name == "newaxis")
    return machine->none();
  if (name == "Size")
    return machine->builtinClass("tuple");
  if (name == "contiguous_format" || name == "preserve_format" || name == "channels_last" ||
      name == "strided")
    return machine->make<DeviceValue>(*this, deviceClass, machine->save(name));
  return nullptr;
}

Answer TorchLibrary::moduleAttribute(Machine &, ModuleObject &owner, machine::Name name) {
  StringRef text = name->text;
  std::string path = (owner.name + "." + text).str();
  if (isForeignPart(owner.name) && !modules.count(path) && !text.starts_with("__"))
    return unsupported(path);
  if (importModule(*machine, path))
    return module(path);
  if (owner.name == "torch") {
    if (text == "Tensor")
      return tensorClass;
    if (text == "dtype" || text == "device")
      return text == "dtype" ? dtypeClass : deviceClass;
    if (std::optional<DType> dtype = parseTorchName(text))
      return makeDType(*dtype);
    if (PyValue constant = torchConstant(text))
      return constant;
  }
  StringRef space = spaceOf(owner.name);
  if (space.empty()) {
    if (text == "Parameter")
      return parameterClass;
    StringRef family = owner.name == "torch.nn.init" ? "init" : "nn";
    if (!prelude(family))
      return nullptr;
    if (!text.starts_with("_"))
      for (ModuleObject *part : preludes[family])
        if (PyValue found = part->attrs->get(name))
          return found;
    return unknownName(family, owner.name, text);
  }
  if (PyValue found = lookup(space, text))
    return found;
  if (!machine->pending() && isKnownName(space, text))
    if (PyValue form = inPlaceForm(space, text))
      return form;
  if (machine->pending())
    return nullptr;
  return unknownName(space, owner.name, text);
}

PyValue TorchLibrary::lookup(StringRef space, StringRef name) {
  if (PyValue found = spaces[space].lookup(name))
    return found;
  if (!preludes.count("functional") && !prelude("functional"))
    return nullptr;
  return spaces[space].lookup(name);
}

PyValue TorchLibrary::unknownName(StringRef space, StringRef owner, StringRef name) {
  std::string full = (owner + "." + name).str();
  if (name.starts_with("__"))
    return machine->raise("AttributeError", "'" + owner + "' has no attribute '" + name + "'");
  if (isKnownName(space, name))
    return unsupported(full);
  StringRef best;
  unsigned bestDistance = 3;
  auto consider = [&](StringRef candidate) {
    unsigned distance = name.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  };
  SmallVector<StringRef> candidates;
  for (const auto &entry : spaces[space])
    candidates.push_back(entry.getKey());
  sort(candidates);
  for_each(candidates, consider);
  forEachKnownName(space, consider);
  // Of these not all names are listed.
  if (best.empty() && (space == "linalg" || space == "special"))
    return unsupported(full);
  return machine->raise("AttributeError", "'" + owner + "' has no attribute '" + name + "'",
                        best.empty() ? "" : "did you mean '" + owner + "." + best + "'?");
}

/// The name of `*sizes` in a signature; empty when there is none.
static StringRef packedArgument(StringRef signature) {
  size_t star = signature.find('*');
  if (star == StringRef::npos || signature.substr(star).starts_with("**"))
    return "";
  return signature.substr(star + 1).take_while([](char c) { return isAlnum(c) || c == '_'; });
}

/// The place of a parameter among those of a signature.
static std::optional<size_t> placeOf(StringRef signature, StringRef parameter) {
  size_t place = 0;
  SmallVector<StringRef> parts;
  signature.trim("()").split(parts, ',');
  for (StringRef part : parts) {
    part = part.split('=').first.trim();
    if (part == parameter)
      return place;
    place += part != "*" && part != "/";
  }
  return std::nullopt;
}

void TorchLibrary::define(StringRef where, StringRef name, StringRef signature, Body body) {
  bool hasOut = signature.ends_with("out=None)");
  std::optional<size_t> dtypePlace = placeOf(signature, "dtype");
  BuiltinObject *bound = machine->makeBuiltin(
      name, signature, [=, this](Machine &, ArrayRef<PyValue> args) -> PyValue {
        for (PyValue arg : args)
          if (isPoisoned(arg))
            return poison();
        setPlace();
        auto cast =
            autocastArguments(name, args, dtypePlace && !isa<NoneObject>(args[*dtypePlace]));
        if (!cast)
          return nullptr;
        PyValue result = body(*this, *cast);
        return hasOut && result ? storeOut(args.back(), result) : result;
      });
  PyValue function = bound;
  std::string packed = packedArgument(signature).str();
  if (signature.contains("dim") || !packed.empty())
    function = machine->makeBuiltin(name, [=, this](Machine &m, const CallArgs &args) {
      auto keywords = withTorchNames(args.keywords);
      SmallVector<PyValue> positional(args.positional);
      // `view(size=(2, 3))` is `view((2, 3))`.
      auto given = find_if(keywords, [&](auto &entry) { return entry.first->text == packed; });
      if (given != keywords.end()) {
        positional.push_back(given->second);
        keywords.erase(given);
      }
      return m.call(bound, CallArgs{positional, keywords});
    });
  SmallVector<StringRef> words;
  where.split(words, ' ');
  for (StringRef space : words)
    spaces[space][name] = function;
  registered.push_back({where.str(), name.str(), signature.str(), "", ""});
}

SmallVector<std::pair<machine::Name, PyValue>>
TorchLibrary::withTorchNames(ArrayRef<std::pair<machine::Name, PyValue>> keywords) {
  SmallVector<std::pair<machine::Name, PyValue>> renamed(keywords);
  for (auto &[name, value] : renamed) {
    if (name->text == "axis")
      name = machine->intern("dim");
    else if (name->text == "keepdims")
      name = machine->intern("keepdim");
  }
  return renamed;
}

// --- Errors that let reading go on
// -----------------------------------------------------------------

PyValue TorchLibrary::poison() {
  if (!poisonValue)
    poisonValue = machine->make<PoisonValue>(*this, tensorClass);
  return poisonValue;
}

PyValue TorchLibrary::reportAndPoison(const Twine &message, const Twine &help) {
  machine->refuseAt(userLocation(), message, help);
  // What a file does while it is read is an error only where the program needs it.
  if (isTrying || isReadingFile())
    return nullptr;
  machine->report(diagnostics);
  reported = true;
  return poison();
}

bool TorchLibrary::isPoisoned(PyValue value) {
  if (!value)
    return false;
  if (auto *tuple = dyn_cast<TupleObject>(value))
    return any_of(tuple->items, [&](PyValue item) { return isPoisoned(item); });
  if (auto *list = dyn_cast<ListObject>(value))
    return any_of(list->items, [&](PyValue item) { return isPoisoned(item); });
  return isa<PoisonValue>(value);
}

SourceLocation TorchLibrary::userLocation() {
  for (SourceLocation location : machine->callStack())
    if (location.file && !location.file->getName().starts_with("<torch"))
      return location;
  return machine->location();
}

mlir::Location TorchLibrary::toMlir(SourceLocation location) {
  if (!location.file)
    return mlir::UnknownLoc::get(context);
  LineColumn place = location.file->getLineColumn(location.range.begin);
  return mlir::FileLineColLoc::get(context, location.file->getName(), place.line, place.column + 1);
}

void TorchLibrary::setPlace() { writer.place = toMlir(userLocation()); }

// --- Tensors ---------------------------------------------------------------------------------

Storage *TorchLibrary::makeStorage(mlir::Value value) {
  storages.push_back(std::make_unique<Storage>(Storage{value, value, 0, !isDrawing()}));
  return storages.back().get();
}

TensorValue *TorchLibrary::wrap(mlir::Value value) {
  if (!recording)
    value = detached(value);
  return machine->make<TensorValue>(*this, tensorClass, makeStorage(value), writer.dtype(value));
}

TensorValue *TorchLibrary::wrapNumber(mlir::Value value) {
  DType dtype = writer.dtype(value);
  StringRef name = isFloat(dtype) ? "float" : dtype == DType::Bool ? "bool" : "int";
  auto *number =
      machine->make<TensorValue>(*this, machine->builtinClass(name), makeStorage(value), dtype);
  number->isNumber = true;
  return number;
}

TensorValue *TorchLibrary::parameterOf(TensorValue *tensor) {
  auto *parameter =
      machine->make<TensorValue>(*this, parameterClass, tensor->storage, tensor->dtype);
  parameter->steps = tensor->steps;
  return parameter;
}

mlir::Value TorchLibrary::applySteps(mlir::Value value, ArrayRef<ViewStep> steps) {
  for (const ViewStep &step : steps)
    value = applyStep(value, step);
  return value;
}

mlir::Value TorchLibrary::read(TensorValue *tensor) {
  if (tensor->storage->rows)
    return loopReader->readRows(tensor);
  if (tensor->steps.empty())
    return tensor->storage->value;
  // What is read in the body of a loop is not there after it.
  if (loopReader && (!tensor->view || tensor->viewVersion != tensor->storage->version))
    return applySteps(tensor->storage->value, tensor->steps);
  if (!tensor->view || tensor->viewVersion != tensor->storage->version) {
    tensor->view = applySteps(tensor->storage->value, tensor->steps);
    tensor->viewVersion = tensor->storage->version;
  }
  return tensor->view;
}

TensorValue *TorchLibrary::view(TensorValue *tensor, ViewStep step) {
  if (gradients && !recording && step.kind != ViewStep::Detach)
    tensor = view(tensor, ViewStep(ViewStep::Detach));
  mlir::Value value = applyStep(read(tensor), step);
  auto *result = machine->make<TensorValue>(*this, tensorClass, tensor->storage, tensor->dtype);
  result->steps = tensor->steps;
  result->steps.push_back(std::move(step));
  result->view = value;
  result->viewVersion = tensor->storage->version;
  return result;
}

mlir::Value TorchLibrary::applyStep(mlir::Value value, const ViewStep &step) {
  switch (step.kind) {
  case ViewStep::Transpose:
    return writer.transpose(value, step.axes);
  case ViewStep::Reshape:
    return writer.reshape(value, step.sizes);
  case ViewStep::Slice:
    return writer.slice(value, step.dim, step.start, step.step, step.size);
  case ViewStep::Broadcast:
    return writer.broadcast(value, step.axes, step.sizes);
  case ViewStep::Detach:
    return detached(value);
  case ViewStep::Diagonal:
    return applyDiagonal(value, step);
  case ViewStep::Window:
    return applyWindow(value, step);
  }
  llvm_unreachable("covered switch");
}

/// Elements at the places of a slice with steps, zeros between them. It is made of views, so that
/// its gradient is one: the same places of the whole.
static mlir::Value spread(GraphWriter &writer, mlir::Value value, const ViewStep &step,
                          Expr total) {
  index::Context &context = writer.solver.getContext();
  mlir::Value none = writer.zero(writer.dtype(value));
  Expr one = context.constant(1), length = writer.solver.resolve(step.size * step.step);
  Sizes sizes = writer.sizes(value);
  sizes.insert(sizes.begin() + step.dim + 1, one);
  mlir::Value apart = writer.pad(writer.reshape(value, sizes), none, step.dim + 1,
                                 context.constant(0), context.constant(step.step - 1));
  sizes.erase(sizes.begin() + step.dim + 1);
  sizes[step.dim] = length;
  return writer.pad(writer.reshape(apart, sizes), none, step.dim, step.start,
                    writer.solver.resolve(total - step.start - length));
}

/// `base` with `value` in the place of the view that a slice is.
static mlir::Value scatterSlice(GraphWriter &writer, mlir::Value base, const ViewStep &step,
                                mlir::Value value) {
  Sizes sizes = writer.sizes(base);
  Expr total = sizes[step.dim], after = writer.solver.resolve(total - step.start - step.size);
  if (step.step == 1) {
    SmallVector<mlir::Value> parts;
    if (!step.start.isConstant(0))
      parts.push_back(writer.slice(base, step.dim, writer.constantSize(0), 1, step.start));
    parts.push_back(value);
    if (!after.isConstant(0))
      parts.push_back(writer.slice(base, step.dim, step.start + step.size, 1, after));
    mlir::Value joined = writer.concat(parts, step.dim);
    return writer.reshape(joined, sizes);
  }
  auto filled = [&](mlir::Value scalar) { return writer.broadcastTo(scalar, sizes); };
  mlir::Value at = writer.iota(step.dim, sizes, DType::I64);
  mlir::Value offset = writer.pointwise("sub", {at, filled(writer.size(step.start))});
  mlir::Value every = filled(writer.integer(DType::I64, step.step));
  mlir::Value zero = filled(writer.integer(DType::I64, 0));
  mlir::Value hit = writer.test("eq", {writer.pointwise("remainder", {offset, every}), zero});
  mlir::Value end = filled(writer.size(step.start + step.size * step.step));
  mlir::Value inside =
      writer.pointwise("and", {writer.test("ge", {offset, zero}), writer.test("lt", {at, end})});
  return writer.where(writer.pointwise("and", {hit, inside}), spread(writer, value, step, total),
                      base);
}

mlir::Value TorchLibrary::scatterStep(mlir::Value base, const ViewStep &step, mlir::Value value) {
  switch (step.kind) {
  case ViewStep::Transpose: {
    SmallVector<int64_t> inverse(step.axes.size());
    for (auto [axis, from] : enumerate(step.axes))
      inverse[from] = axis;
    return writer.transpose(value, inverse);
  }
  case ViewStep::Reshape:
  case ViewStep::Broadcast:
    return writer.reshape(value, writer.sizes(base));
  case ViewStep::Slice:
    return scatterSlice(writer, base, step, value);
  case ViewStep::Detach:
    return value;
  case ViewStep::Diagonal:
    return scatterDiagonal(base, step, value);
  case ViewStep::Window:
    break; // write() refuses these
  }
  llvm_unreachable("covered switch");
}

bool TorchLibrary::write(TensorValue *tensor, mlir::Value value) {
  if (!checkUnrecordedWrite(tensor))
    return false;
  if (tensor->storage->isOuter && isDrawing()) {
    machine->refuse("a write to a tensor that was made before the call and is no argument of it",
                    "make it a buffer of the module, pass it as an argument, or write to a clone");
    return false;
  }
  if (!recording)
    value = detached(value);
  if (loopReader)
    loopReader->noteWrite(tensor);
  if (tensor->storage->rows)
    return loopReader->writeRows(tensor, value);
  SmallVector<mlir::Value> bases{tensor->storage->value};
  for (const ViewStep &step : tensor->steps) {
    bases.push_back(applyStep(bases.back(), step));
    if (step.kind == ViewStep::Window) {
      machine->refuse("a write through the windows of unfold", "write .clone() before the write");
      return false;
    }
    if (step.kind != ViewStep::Broadcast)
      continue;
    Sizes from = writer.sizes(bases[bases.size() - 2]);
    Expr before = index::product(solver.getContext(), from),
         after = index::product(solver.getContext(), step.sizes);
    if (before != after) {
      machine->raise("RuntimeError",
                     "unsupported operation: more than one element of the written-to "
                     "tensor refers to a single memory location",
                     "write .clone() before the write");
      return false;
    }
  }
  for (size_t index = tensor->steps.size(); index-- > 0;)
    value = scatterStep(bases[index], tensor->steps[index], value);
  tensor->storage->value = value;
  ++tensor->storage->version;
  return true;
}

PyValue TorchLibrary::storeOut(PyValue out, PyValue result) {
  if (isa<NoneObject>(out) || isa<PoisonValue>(result))
    return result;
  auto *target = tensorArg(out, "out=");
  auto *value = dyn_cast<TensorValue>(result);
  if (!target)
    return nullptr;
  if (!value)
    return machine->refuse("out= of several results is not supported",
                           "assign the results instead");
  Sizes own = sizesOf(target), sizes = sizesOf(value);
  bool fits = own.size() == sizes.size();
  for (size_t axis = 0; fits && axis < own.size(); ++axis)
    fits = solver.unify(own[axis], sizes[axis]);
  if (!fits)
    return machine->refuse("out= of other sizes than the result is not supported",
                           "assign the result instead");
  return storeInPlace(target, value);
}

PyValue TorchLibrary::storeInPlace(TensorValue *tensor, PyValue result) {
  if (!result || isa<PoisonValue>(result))
    return result;
  auto *value = dyn_cast<TensorValue>(result);
  if (!value)
    return machine->refuse("this operator has no in-place form");
  if (!canStore(value->dtype, tensor->dtype))
    return machine->raise("RuntimeError", "result type " + getScalarName(value->dtype) +
                                              " can't be cast to the desired output type " +
                                              getScalarName(tensor->dtype));
  std::optional<Sizes> sizes = broadcastSizes({sizesOf(tensor), sizesOf(value)});
  if (!sizes)
    return nullptr;
  Sizes own = sizesOf(tensor);
  if (*sizes != own)
    return machine->raise("RuntimeError",
                          "the result of an in-place operator does not fit the tensor's sizes");
  mlir::Value stored = writer.broadcastTo(writer.cast(read(value), tensor->dtype), own);
  return write(tensor, stored) ? tensor : nullptr;
}

} // namespace nereid::torch
