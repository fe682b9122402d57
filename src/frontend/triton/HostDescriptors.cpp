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
      KernelBuilder *outer = std::exchange(kernel, nullptr);
      entry->second = machine.importSource(source, name, preludeDiagnostics, nullptr);
      kernel = outer;
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
  auto isDescriptor = [&](auto &self, PyValue value) -> bool {
    std::optional<ArrayRef<PyValue>> items = sequence(value);
    return items ? any_of(*items, [&](PyValue item) { return self(self, item); })
                 : partOf(machine, module, value, "base") != nullptr;
  };
  std::vector<std::pair<machine::Name, PyValue>> descriptors;
  for (machine::Name name : machine.parameterNames(*kernel.function))
    if (PyValue value = machine.dictGet(values, name); value && isDescriptor(isDescriptor, value))
      descriptors.push_back({name, value});
  if (descriptors.empty())
    return true;
  PyValue hook = config < kernel.configs.size() ? kernel.configs[config]->preHook : nullptr;
  if (auto *function = dyn_cast_if_present<machine::FunctionObject>(hook)) {
    PyValue arguments[] = {&values};
    if (!machine.callWithPolicy(*function, machine::CallArgs{arguments, {}}, policy))
      return false;
  }
  for (auto [name, value] : descriptors)
    machine.dictSet(values, name, takeApart(module, name->text, value, values, found));
  return true;
}

/// What stands for a value that holds descriptors: their bases. What else they are is put beside.
PyValue TritonLibrary::takeApart(machine::ModuleObject &module, StringRef name, PyValue value,
                                 machine::DictObject &values, HostDescriptors &found) {
  if (std::optional<ArrayRef<PyValue>> items = sequence(value)) {
    SmallVector<PyValue> parts;
    PyValue fields = value->cls->lookup(machine.intern("_fields"));
    ArrayRef<PyValue> names = fields ? itemsOf(fields) : ArrayRef<PyValue>();
    for (auto [number, item] : enumerate(*items)) {
      auto *field = number < names.size() ? dyn_cast<machine::StrObject>(names[number]) : nullptr;
      std::string suffix = field ? field->text.str() : std::to_string(number);
      parts.push_back(takeApart(module, (name + "_" + suffix).str(), item, values, found));
    }
    return makeLike(machine, value, parts);
  }
  PyValue base = partOf(machine, module, value, "base");
  if (!base)
    return value;
  // What is rounded as it is loaded is not what is in memory.
  auto *rounds =
      dyn_cast<machine::BoolObject>(plain(partOf(machine, module, value, "round_f32_to_tf32")));
  if (!rounds || rounds->value())
    return value;
  auto shape = sequence(partOf(machine, module, value, "shape"));
  auto strides = sequence(partOf(machine, module, value, "strides"));
  auto block = sequence(partOf(machine, module, value, "block_shape"));
  if (!shape || !strides || !block || shape->size() != block->size() ||
      strides->size() != block->size())
    return value;
  HostDescriptor &parts = found[name.str()];
  SmallVector<std::string> sizes;
  for (PyValue size : *block)
    sizes.push_back(machine.repr(plain(size)).value_or(""));
  parts.block = "[" + join(sizes, ", ") + "]";
  auto *padding = dyn_cast<machine::StrObject>(plain(partOf(machine, module, value, "padding")));
  if (padding && padding->text == "nan")
    parts.block += ", nan";
  auto add = [&](StringRef what, size_t axis, PyValue number) {
    parts.numbers.push_back((name + what + Twine(axis)).str());
    machine.dictSet(values, machine.makeStr(parts.numbers.back()), number);
  };
  for (auto [axis, size] : enumerate(*shape))
    add("_shape_", axis, size);
  for (auto [axis, stride] : enumerate(strides->drop_back()))
    add("_stride_", axis, stride);
  return base;
}

} // namespace nereid::triton
