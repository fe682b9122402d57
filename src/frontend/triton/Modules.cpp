// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules that a file can import, and their attributes.
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
  descriptorCls = make("tensor_descriptor");
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
                           std::pair("tensor", tensorCls), std::pair("PropagateNan", nanCls),
                           std::pair("tensor_descriptor", descriptorCls)}) {
    machine.setName(language, name, cls);
    machine.setName(module("triton.language.core"), name, cls);
  }
  machine.setName(language, "tuple", machine.builtin("tuple"));
  machine.setName(language, "TRITON_MAX_TENSOR_NUMEL", machine.makeInt(int64_t(1) << 20));
  addEnvironment();
  addMethods();
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

/// Modules that are told in words of our own.
static constexpr StringLiteral ownModules[] = {"triton.tools.tensor_descriptor", "triton.backends",
                                               "triton.language.target_info"};

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
  if (is_contained(ownModules, name))
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
  if (PyValue found = findAggregate(path, text))
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
  std::string whole = (path + "." + text).str();
  if (is_contained(ownModules, whole) && (!kernel || path == "triton.language"))
    return loadHostModule(whole);
  if (!kernel && (isHostPart(whole) || (path == "triton" && is_contained(ofHost, text))))
    return machine.makeOpaque(whole);
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

} // namespace nereid::triton
