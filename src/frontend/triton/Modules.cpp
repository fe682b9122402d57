// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules that a file can import, their attributes, and the attributes of values.
#include "frontend/triton/Host.h"
#include "frontend/triton/Prelude.h"
#include "frontend/triton/Spellings.h"
#include "frontend/triton/TritonLibrary.h"
#include "tile/Libdevice.h"

#include "python/machine/Builtins.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::triton {

TritonLibrary::TritonLibrary(Machine &machine, StringRef version)
    : version(version.str()), machine(machine) {
  auto make = [&](StringRef name) { return machine.makeClass(name, {}, this); };
  tensorCls = make("tensor");
  constCls = make("constexpr");
  dtypeCls = make("dtype");
  functionCls = make("JITFunction");
  rangeCls = make("range");
  blockPtrCls = make("block_ptr");
  configCls = make("Config");
  nanCls = make("PropagateNan");
  machine.setName(nanCls, "NONE", machine.makeStr("none"));
  machine.setName(nanCls, "ALL", machine.makeStr("all"));
  addSubmodules();
}

machine::ModuleObject *TritonLibrary::module(StringRef name) {
  machine::ModuleObject *&entry = modules[name];
  if (!entry) {
    entry = machine.makeModule(name, this);
    auto [parent, leaf] = name.rsplit('.');
    if (!leaf.empty())
      machine.setName(module(parent), leaf, entry);
  }
  return entry;
}

void TritonLibrary::addSubmodules() {
  machine::ModuleObject *language = module("triton.language");
  addHost(*this, machine, module("triton"), functionCls, configCls);
  addHost(*this, machine, module("triton.runtime"), functionCls, configCls);
  addLanguageCore(*this, machine, language);
  addLanguageMath(*this, machine, language);
  addLanguageMemory(*this, machine, language);
  addLanguageShape(*this, machine, language);
  addLanguageDebug(*this, machine, language);
  addLanguageMath(*this, machine, module("triton.language.math"));
  for (StringRef path : {"triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice"})
    addLibdevice(*this, machine, module(path));
  (void)module("triton.language.extra.cuda.gdc");
  for (StringRef path : {"triton.language.extra.cuda", "triton.language.extra.cuda.utils"})
    addCuda(*this, machine, module(path));
  machine.setName(module("triton.language.core"), "CONSTEXPR_0",
                  constant(machine.makeInt(int64_t(0)), ""));
  for (StringRef path : {"triton.language.core", "triton.language.standard"})
    for (const auto &slot : language->attrs->slots)
      if (!isa<machine::ModuleObject>(slot.value))
        machine.setName(module(path), slot.name->text, slot.value);
  // What runs while a kernel is compiled: upstream's own, and what packages define with it.
  for (StringRef decorator : {"extern", "builtin"})
    machine.setName(module("triton.language.core"), decorator,
                    module("triton")->attrs->get(machine.intern("constexpr_function")));
  for (const NamedDType &entry : getNamedDTypes()) {
    machine.setName(language, entry.name, dtype(entry.scalar));
    machine.setName(module("triton.language.core"), entry.name, dtype(entry.scalar));
  }
  for (auto [name, cls] : {std::pair("constexpr", constCls), std::pair("dtype", dtypeCls),
                           std::pair("tensor", tensorCls), std::pair("PropagateNan", nanCls)}) {
    machine.setName(language, name, cls);
    machine.setName(module("triton.language.core"), name, cls);
  }
  machine.setName(language, "tuple", machine.builtin("tuple"));
  machine.setName(language, "TRITON_MAX_TENSOR_NUMEL", machine.makeInt(int64_t(1) << 20));
  addEnvironment();
  for (auto [python, ours] : {std::pair("range", "range"), std::pair("print", "device_print"),
                              std::pair("min", "_builtin_min"), std::pair("max", "_builtin_max")})
    builtins[python] = language->attrs->get(machine.intern(ours));
}

/// `os` as files of kernels use it at import: an environment without variables, so that what is
/// read does not depend on the machine that reads it.
void TritonLibrary::addEnvironment() {
  machine::ModuleObject *os = module("os");
  machine.setName(os, "environ", machine.makeDict());
  machine.addBuiltin(os, "getenv", "(key, default=None)",
                     [](Machine &, ArrayRef<PyValue> args) { return args[1]; });
}

/// Parts of Triton that host code asks for devices and compiled kernels, of which nothing is known.
static bool isHostPart(StringRef name) {
  return llvm::any_of(
      ArrayRef<StringRef>{"triton.runtime.", "triton.backends", "triton.compiler", "triton.tools"},
      [&](StringRef part) { return name.starts_with(part); });
}

Answer TritonLibrary::importModule(Machine &, StringRef name) {
  auto found = modules.find(name);
  if (found != modules.end())
    return found->second;
  if (name == "triton.tools.tensor_descriptor")
    if (machine::ModuleObject *loaded = loadHostModule(name))
      return loaded;
  if (machine.spreadsOpaque && isHostPart(name))
    return machine.make<machine::OpaqueObject>(machine.classes().opaque, machine.save(name),
                                               machine.location());
  return std::nullopt;
}

/// Upstream's own names that kernels of others import.
static constexpr StringLiteral sharedNames[] = {"_log2", "_is_power_of_two",
                                                "_unwrap_if_constexpr"};

PyValue TritonLibrary::loadPrelude(StringRef name, StringRef domain) {
  for (const PreludeFile &file : getPreludeFiles()) {
    bool isOfLanguage = file.module != "libdevice" && file.module != "cuda";
    if (domain.empty() ? !isOfLanguage : file.module != domain)
      continue;
    auto [entry, isNew] = preludes.try_emplace(file.name, nullptr);
    if (isNew) {
      auto source =
          std::make_shared<SourceFile>("<triton prelude>/" + file.name.str(), file.text.str());
      preludeFiles.insert(source.get());
      KernelBuilder *outer = kernel;
      kernel = nullptr;
      entry->second = machine.importSource(source, ("triton.language." + file.module).str(),
                                           preludeDiagnostics, this);
      kernel = outer;
      if (!entry->second)
        return machine.refuse("the prelude " + file.name + " cannot be read: " +
                              (preludeDiagnostics.all().empty()
                                   ? std::string("no reason given")
                                   : preludeDiagnostics.all().front().message));
      preludeFiles.insert(entry->second->file);
    }
    if (!entry->second)
      continue;
    PyValue value = entry->second->attrs->get(machine.intern(name));
    bool isPublic = !name.starts_with("_") || is_contained(sharedNames, name);
    if (value && isa<FunctionValue>(value) && isPublic)
      return value;
  }
  return nullptr;
}

static SpellingDomain getDomain(StringRef module) {
  if (module.ends_with("libdevice"))
    return SpellingDomain::Libdevice;
  return module.starts_with("triton.language") ? SpellingDomain::Language : SpellingDomain::Module;
}

/// What upstream has beyond this language: it asks or steers one device.
static constexpr StringLiteral deviceNames[] = {
    "target_info",
    "tensor_descriptor_type",
};

/// What a name of an earlier Triton is called today; null for others.
PyValue TritonLibrary::findRemoved(StringRef path, StringRef name) {
  machine::ModuleObject *device = module("triton.language.extra.libdevice");
  if (path == "triton.language" && name == "libdevice")
    return device;
  if (path == "triton.language" && name == "_experimental_make_tensor_descriptor")
    return machine.getAttribute(module(path), "make_tensor_descriptor");
  if (path == "triton.language.math" && tile::findLibdeviceFunction(name))
    return machine.findAttribute(device, machine.intern(name));
  return nullptr;
}

Answer TritonLibrary::moduleAttribute(Machine &, machine::ModuleObject &owner, machine::Name name) {
  StringRef path = owner.name, text = name->text;
  if ((acceptsRemoved && kernel) || acceptsRemovedImports)
    if (PyValue found = findRemoved(path, text))
      return found;
  bool language = path == "triton.language" || path == "triton.language.core" ||
                  path == "triton.language.standard" || path == "triton.language.random";
  StringRef domain = path.ends_with(".libdevice")                     ? "libdevice"
                     : path.starts_with("triton.language.extra.cuda") ? "cuda"
                                                                      : "";
  bool isOwn = text.starts_with("_") && path == "triton.language";
  if ((language || !domain.empty()) && !isOwn && !text.starts_with("__")) {
    PyValue found = loadPrelude(text, domain);
    if (found || machine.pending())
      return found;
  }
  if (text.starts_with("__"))
    return std::nullopt;
  // What host code does with Triton itself, which nothing here hangs on.
  static constexpr StringLiteral ofHost[] = {"set_allocator", "runtime", "testing", "compiler",
                                             "knobs",         "tools",   "backends"};
  if (!kernel && path == "triton" && is_contained(ofHost, text))
    return machine.makeOpaque(("triton." + text).str());
  StringRef prefix = path == "triton"              ? "triton."
                     : path == "triton.language"   ? "tl."
                     : path.ends_with("libdevice") ? "libdevice."
                     : path.ends_with("math")      ? "tl.math."
                                                   : "";
  std::string help = findSpelling(getDomain(path), text).str();
  if (help.empty()) {
    SmallVector<StringRef> candidates;
    for (const auto &slot : owner.attrs->slots)
      if (!slot.name->text.starts_with("_"))
        candidates.push_back(slot.name->text);
    if (language)
      for (const auto &prelude : preludes)
        if (prelude.second)
          for (const auto &slot : prelude.second->attrs->slots)
            if (!slot.name->text.starts_with("_"))
              candidates.push_back(slot.name->text);
    help = suggestName(text, candidates, prefix);
  }
  bool isKnown = is_contained(deviceNames, text) && path.starts_with("triton.language");
  std::string message = (prefix.empty() ? path + "." + text : prefix + text).str() +
                        (isKnown ? " is not supported by this version" : " does not exist");
  return machine.raise("AttributeError", message, help);
}

// --- Attributes of values
// -----------------------------------------------------------------------------

PyValue TritonLibrary::method(PyValue self, StringRef name) {
  static constexpr StringLiteral methods[] = {
      "load_tensor_descriptor",
      "store_tensor_descriptor",
      "abs",
      "advance",
      "argmax",
      "argmin",
      "associative_scan",
      "atomic_add",
      "atomic_and",
      "atomic_cas",
      "atomic_max",
      "atomic_min",
      "atomic_or",
      "atomic_xchg",
      "atomic_xor",
      "broadcast_to",
      "cast",
      "cdiv",
      "ceil",
      "cos",
      "cumprod",
      "cumsum",
      "erf",
      "exp",
      "exp2",
      "expand_dims",
      "flip",
      "floor",
      "gather",
      "histogram",
      "item",
      "log",
      "log2",
      "logical_and",
      "logical_or",
      "max",
      "min",
      "permute",
      "ravel",
      "reduce",
      "reduce_or",
      "reshape",
      "rsqrt",
      "sigmoid",
      "sin",
      "softmax",
      "sort",
      "split",
      "sqrt",
      "sqrt_rn",
      "store",
      "sum",
      "to",
      "trans",
      "view",
      "xor_sum",
  };
  if (!is_contained(methods, name))
    return nullptr;
  PyValue function = machine.getAttribute(module("triton.language"), name == "to" ? "cast"
                                                                     : name.starts_with("logical_")
                                                                         ? ("_" + name).str()
                                                                         : name.str());
  if (!function)
    return nullptr;
  auto *bound = machine.makeBuiltin(
      machine.save(name), [function, self](Machine &machine, const machine::CallArgs &args) {
        SmallVector<PyValue> all{self};
        all.append(args.positional.begin(), args.positional.end());
        return machine.call(function, machine::CallArgs{all, args.keywords});
      });
  bound->library = this;
  return bound;
}

PyValue TritonLibrary::tensorAttribute(TensorValue &tensor, StringRef name) {
  if (name == "dtype")
    return dtype(tensor.type);
  if (name == "type")
    return blockType(tensor.type, tensor.dims());
  if (name == "shape")
    return shapeTuple(tensor.dims());
  if (name == "numel") {
    int64_t elements = 1;
    for (int64_t size : tensor.shape())
      elements *= size;
    return machine.makeInt(elements);
  }
  if (name == "T") {
    if (!kernel || tensor.rank() != 2)
      return machine.refuse("`.T` needs a tile of rank 2", "write tl.permute(x, order)");
    return kernel->permute(&tensor, {1, 0});
  }
  PyValue found = method(&tensor, name);
  if (found || machine.pending())
    return found;
  std::string help = findSpelling(SpellingDomain::Method, name).str();
  return machine.raise("AttributeError", "a tensor has no attribute `" + name + "`", help);
}

PyValue TritonLibrary::descriptorAttribute(BlockPointerValue &descriptor, StringRef name) {
  auto tupleOf = [&](ArrayRef<TensorValue *> values) {
    return machine.makeTuple(SmallVector<PyValue>(values.begin(), values.end()));
  };
  DType element = descriptor.base->type.pointee();
  if (name == "load" || name == "store")
    return method(&descriptor, (name + "_tensor_descriptor").str());
  if (name == "shape")
    return tupleOf(descriptor.shape);
  if (name == "strides")
    return tupleOf(descriptor.strides);
  if (name == "block_shape")
    return shapeTuple(descriptor.block);
  if (name == "dtype")
    return dtype(element);
  if (name == "block_type")
    return blockType(element, descriptor.block);
  return machine.refuse("`" + name + "` of a tensor descriptor is not supported by this version",
                        "use desc.load(offsets) and desc.store(offsets, value)");
}

/// Null unless it is a float.
static const fltSemantics *getFormat(DType type) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto format = type.isFloat() ? dyn_cast<mlir::FloatType>(type.toMlir(&context)) : nullptr;
  return format ? &format.getFloatSemantics() : nullptr;
}

PyValue TritonLibrary::dtypeAttribute(DTypeValue &value, StringRef name) {
  DType type = value.type;
  auto question = [&](bool answer) {
    PyValue result = machine.makeBool(answer);
    auto *function =
        machine.makeBuiltin(machine.save(name), "()", [result](Machine &, auto) { return result; });
    function->library = this;
    return function;
  };
  if (name == "value") // of a constexpr that is a dtype
    return &value;
  if (name == "element_ty" && (type.isPtr() || value.isBlock))
    return type.isPtr() && !value.isBlock ? dtype(type.pointee()) : dtype(type);
  if (name == "scalar")
    return dtype(type);
  if (name == "shape" && value.isBlock)
    return shapeTuple(value.dims);
  if (name == "name")
    return machine.makeStr(type.name());
  if (name == "primitive_bitwidth" || name == "int_bitwidth" || name == "fp_bitwidth")
    return machine.makeInt(int64_t(type.bits()));
  if (const fltSemantics *format = getFormat(type)) {
    int64_t mantissa = APFloat::semanticsPrecision(*format) - 1;
    if (name == "fp_mantissa_width")
      return machine.makeInt(mantissa);
    if (name == "exponent_bias") // fp8e4nv reaches one exponent further than its bias says
      return machine.makeInt(
          type.is(Scalar::Fp8E4NV) ? int64_t(7) : int64_t(APFloat::semanticsMaxExponent(*format)));
  }
  if (name == "itemsize")
    return machine.makeInt(int64_t(type.bits() + 7) / 8);
  if (name == "is_block")
    return question(value.isBlock);
  if (name == "is_ptr")
    return question(!value.isBlock && type.isPtr());
  if (name == "is_const")
    return question(type.isConst);
  if (name == "is_floating")
    return question(type.isFloat());
  if (name == "is_standard_floating")
    return question(type.isFloat() && !type.isFp8());
  if (name == "is_int")
    return question(type.isInt());
  if (name == "is_int_signed")
    return question(type.isSigned());
  if (name == "is_int_unsigned")
    return question(type.isUnsigned());
  if (name == "is_bool")
    return question(type.isBool());
  if (name == "is_fp8")
    return question(type.isFp8());
  static constexpr std::pair<StringLiteral, Scalar> exact[] = {
      {"is_fp8e5", Scalar::Fp8E5},       {"is_fp8e4nv", Scalar::Fp8E4NV},
      {"is_fp8e4b15", Scalar::Fp8E4B15}, {"is_fp8e4b8", Scalar::Fp8E4B8},
      {"is_fp8e5b16", Scalar::Fp8E5B16}, {"is_fp16", Scalar::Fp16},
      {"is_bf16", Scalar::BF16},         {"is_fp32", Scalar::Fp32},
      {"is_fp64", Scalar::Fp64},         {"is_int1", Scalar::Int1},
      {"is_int8", Scalar::Int8},         {"is_int16", Scalar::Int16},
      {"is_int32", Scalar::Int32},       {"is_int64", Scalar::Int64},
      {"is_uint8", Scalar::UInt8},       {"is_uint16", Scalar::UInt16},
      {"is_uint32", Scalar::UInt32},     {"is_uint64", Scalar::UInt64},
  };
  for (const auto &[spelling, scalar] : exact)
    if (name == spelling)
      return question(type.is(scalar));
  return machine.raise("AttributeError", "a dtype has no attribute `" + name + "`");
}

Answer TritonLibrary::getAttribute(Machine &, PyValue object, machine::Name name) {
  StringRef text = name->text;
  if (auto *tensor = dyn_cast<TensorValue>(object))
    return tensorAttribute(*tensor, text);
  if (auto *type = dyn_cast<DTypeValue>(object))
    return dtypeAttribute(*type, text);
  if (auto *constant = dyn_cast<ConstValue>(object)) {
    if (text == "value")
      return isNone(constant->value) || constant->text.empty() ? constant->value : object;
    return machine.getAttribute(constant->value, name);
  }
  if (auto *function = dyn_cast<FunctionValue>(object)) {
    if (text == "__name__")
      return machine.makeStr(function->function->name->text);
    if (text == "fn")
      return function->function;
    if (text == "arg_names") {
      SmallVector<PyValue> names;
      for (machine::Name parameter : machine.parameterNames(*function->function))
        names.push_back(parameter);
      return machine.makeList(names);
    }
    return std::nullopt;
  }
  if (auto *pointer = dyn_cast<BlockPointerValue>(object)) {
    if (pointer->isDescriptor)
      return descriptorAttribute(*pointer, text);
    if (text == "advance")
      return method(object, text);
    if (text == "dtype" || text == "type") // p.dtype.element_ty is what it points at
      return dtype(pointer->base->type);
    return machine.refuse("a block pointer has no attribute `" + text + "`",
                          "pass it to tl.load, tl.store or tl.advance");
  }
  if (auto *config = dyn_cast<ConfigValue>(object)) {
    if (text == "kwargs")
      return config->values;
    if (text == "num_warps")
      return machine.makeInt(config->numWarps);
    if (text == "num_stages")
      return machine.makeInt(config->numStages);
  }
  return std::nullopt;
}

} // namespace nereid::triton
