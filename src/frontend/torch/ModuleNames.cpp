// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules of PyTorch and their names: which there are, what each name stands for, and what is
// said of one that is unknown or not supported.
#include "frontend/torch/KnownNames.h"
#include "frontend/torch/TorchLibrary.h"

#include <limits>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

ModuleObject *TorchLibrary::module(StringRef name) {
  ModuleObject *&found = modules[name];
  if (!found)
    found = machine->makeModule(name, this);
  return found;
}

/// Parts of PyTorch that have nothing to do with what a program computes, or are not supported.
static bool isForeignPart(StringRef name) {
  static constexpr StringLiteral parts[] = {"torch.sparse",
                                            "torch.distributed",
                                            "torch.optim",
                                            "torch.library",
                                            "torch.nn.parallel",
                                            "torch.utils.data",
                                            "torch.quantization",
                                            "torch.ao",
                                            "torch.ops",
                                            "torch.func",
                                            "torch.multiprocessing",
                                            "torch.utils.tensorboard",
                                            "torch.utils.cpp_extension",
                                            "torch.testing",
                                            "torch.hub",
                                            "torch.nn.attention.bias",
                                            "torch.nn.attention.flex_attention",
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
                                            "torch.functional",
                                            "torch.nn.init",
                                            "torch.nn.parameter",
                                            "torch.nn.modules",
                                            "torch.special",
                                            "torch.masked",
                                            "torch.masked._ops",
                                            "torch.cuda",
                                            "torch.jit",
                                            "torch.linalg",
                                            "torch.fft",
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
                                            "torch.nn.attention",
                                            "torch.nn.utils",
                                            "torch.nn.utils.rnn",
                                            "torch.nn.utils.parametrizations"};
  static constexpr StringLiteral families[] = {
      "bernoulli",    "beta",        "categorical", "cauchy",    "dirichlet",
      "distribution", "exponential", "gamma",       "geometric", "gumbel",
      "half_normal",  "independent", "kl",          "laplace",   "log_normal",
      "normal",       "poisson",     "studentT",    "uniform"};
  StringRef part = name;
  if (name == "torch.distributions" ||
      (part.consume_front("torch.distributions.") && is_contained(families, part)))
    return module(name);
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
        return reportAndPoison("'" + full + "' is not supported yet", helpFor(full));
      });
}

/// The name space of a module's functions; empty for modules that are preludes.
static StringRef spaceOf(StringRef moduleName) {
  return StringSwitch<StringRef>(moduleName)
      .Case("torch", "torch")
      .Case("torch.functional", "torch")
      .Case("torch.nn.functional", "F")
      .Case("torch.special", "special")
      .Case("torch.masked", "masked")
      .Case("torch.masked._ops", "masked")
      .Case("torch.cuda", "cuda")
      .Case("torch.jit", "jit")
      .Case("torch.linalg", "linalg")
      .Case("torch.fft", "fft")
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
      .Case("torch.nn.attention", "attention")
      .Case("torch.nn.utils", "utils")
      .Case("torch.nn.utils.rnn", "rnn")
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
  if (name == "__version__")
    return machine->call(lookup("prims", "torch_version"), {});
  if (name == "Size")
    return machine->builtinClass("tuple");
  if (name == "contiguous_format" || name == "legacy_contiguous_format" ||
      name == "preserve_format" || name == "channels_last" || name == "strided")
    return machine->make<DeviceValue>(*this, deviceClass, machine->save(name));
  static constexpr StringLiteral complexes[] = {"complex32", "complex64", "complex128"};
  StringRef one = StringSwitch<StringRef>(name)
                      .Case("cfloat", "complex64")
                      .Case("cdouble", "complex128")
                      .Case("chalf", "complex32")
                      .Default(name);
  name = one;
  if (is_contained(complexes, name) || name.starts_with("float8_") || name.starts_with("float4_"))
    return machine->make<DeviceValue>(*this, dtypeClass, machine->save(("torch." + name).str()));
  return nullptr;
}

Answer TorchLibrary::moduleAttribute(Machine &, ModuleObject &owner, machine::Name name) {
  StringRef text = name->text;
  std::string path = (owner.name + "." + text).str();
  // Operators are two names away from it: torch.ops.aten.add.
  if (owner.name == "torch.ops")
    return module(path);
  if (owner.name == "torch.ops.aten" && !text.starts_with("__"))
    if (!keptFunction(text, path, nullptr))
      return machine->call(lookup("prims", "aten"), {machine->makeStr(text)});
  if (isForeignPart(owner.name) && !modules.count(path) && !text.starts_with("__")) {
    PyValue left = keptFunction(owner.name.drop_front(sizeof("torch.") - 1), path, nullptr);
    return left ? left : unsupported(path);
  }
  if (importModule(*machine, path))
    return module(path);
  // What that module imports.
  if (owner.name == "torch.functional" && text == "F")
    return module("torch.nn.functional");
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
    StringRef family = owner.name == "torch.nn.init"                   ? "init"
                       : owner.name.starts_with("torch.distributions") ? "distributions"
                                                                       : "nn";
    if (!prelude(family))
      return nullptr;
    if (!text.starts_with("_"))
      for (ModuleObject *part : preludes[family])
        if (PyValue found = part->attrs->get(name))
          return found;
    return unknownName(family, owner.name, text);
  }
  PyValue found = lookup(space, text);
  if (PyValue left = machine->pending() ? nullptr : keptFunction(space, path, found))
    return left;
  if (found)
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
  static constexpr StringLiteral listed[] = {"torch", "Tensor", "F", "nn", "special"};
  if (best.empty() && (!is_contained(listed, space) || owner == "torch.nn.utils"))
    return unsupported(full);
  return machine->raise("AttributeError", "'" + owner + "' has no attribute '" + name + "'",
                        best.empty() ? "" : "did you mean '" + owner + "." + best + "'?");
}

} // namespace nereid::torch
