// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors that host code makes: the class, and what a launch makes of one. A kernel is
// passed its base, its sizes and its strides but for the last, which is 1.
#include "frontend/triton/Prelude.h"
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;

namespace nereid::triton {

static constexpr PreludeFile hostFiles[] = {
#include "TritonHostPrelude.inc"
};

machine::ModuleObject *TritonLibrary::loadHostModule(StringRef name) {
  for (const PreludeFile &file : hostFiles) {
    if (name.rsplit('.').second != file.module)
      continue;
    auto [entry, isNew] = preludes.try_emplace(file.name, nullptr);
    if (isNew) {
      auto source =
          std::make_shared<SourceFile>("<triton prelude>/" + file.name.str(), file.text.str());
      entry->second = machine.importSource(source, name, preludeDiagnostics, nullptr);
    }
    return entry->second;
  }
  return nullptr;
}

/// An attribute of a descriptor of the host's; null, without an error, for other values.
static PyValue partOf(machine::Machine &machine, machine::ModuleObject &module, PyValue value,
                      StringRef name) {
  PyValue cls = module.attrs->get(machine.intern("TensorDescriptor"));
  return cls && value->cls == cls && value->attrs ? value->attrs->get(machine.intern(name))
                                                  : nullptr;
}

bool TritonLibrary::takeApart(FunctionValue &kernel, unsigned config, machine::DictObject &values,
                              machine::Library &policy, HostDescriptors &found) {
  auto loaded = preludes.find("tensor_descriptor.py");
  if (loaded == preludes.end() || !loaded->second)
    return true;
  machine::ModuleObject &module = *loaded->second;
  std::vector<std::pair<machine::Name, PyValue>> descriptors;
  for (machine::Name name : machine.parameterNames(*kernel.function))
    if (PyValue value = machine.dictGet(values, name);
        value && partOf(machine, module, value, "base"))
      descriptors.push_back({name, value});
  if (descriptors.empty())
    return true;
  PyValue hook = config < kernel.configs.size() ? kernel.configs[config]->preHook : nullptr;
  if (auto *function = dyn_cast_if_present<machine::FunctionObject>(hook)) {
    PyValue arguments[] = {&values};
    if (!machine.callWithPolicy(*function, machine::CallArgs{arguments, {}}, policy))
      return false;
  }
  for (auto [name, value] : descriptors) {
    // What is rounded as it is loaded is not what is in memory.
    auto *rounds =
        dyn_cast<machine::BoolObject>(plain(partOf(machine, module, value, "round_f32_to_tf32")));
    if (!rounds || rounds->value())
      continue;
    auto shape = sequence(partOf(machine, module, value, "shape"));
    auto strides = sequence(partOf(machine, module, value, "strides"));
    auto block = sequence(partOf(machine, module, value, "block_shape"));
    if (!shape || !strides || !block || shape->size() != block->size() ||
        strides->size() != block->size())
      continue;
    HostDescriptor &parts = found[name->text.str()];
    SmallVector<std::string> sizes;
    for (PyValue size : *block)
      sizes.push_back(machine.repr(plain(size)).value_or(""));
    parts.block = "[" + join(sizes, ", ") + "]";
    auto *padding = dyn_cast<machine::StrObject>(plain(partOf(machine, module, value, "padding")));
    if (padding && padding->text == "nan")
      parts.block += ", nan";
    auto add = [&](StringRef what, size_t axis, PyValue number) {
      parts.numbers.push_back((name->text + what + Twine(axis)).str());
      machine.dictSet(values, machine.makeStr(parts.numbers.back()), number);
    };
    for (auto [axis, size] : enumerate(*shape))
      add("_shape_", axis, size);
    for (auto [axis, stride] : enumerate(strides->drop_back()))
      add("_stride_", axis, stride);
    machine.dictSet(values, name, partOf(machine, module, value, "base"));
  }
  return true;
}

} // namespace nereid::triton
