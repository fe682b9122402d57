// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/ObjectParts.h"

#include "python/machine/Frame.h"
#include "python/machine/Iterator.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

bool isOfProgram(const ClassObject &cls) {
  return cls.module && cls.module->file && !cls.module->library && !cls.builtin;
}

void forEachPart(Machine &machine, Value value, function_ref<void(StringRef, Value)> visit) {
  auto visitAll = [&](ArrayRef<Value> items) {
    for (auto [place, item] : enumerate(items))
      visit("[" + std::to_string(place) + "]", item);
  };
  auto visitTable = [&](const HashTable &table, bool hasValues) {
    for (const HashTable::Entry &entry : table.entries) {
      if (!entry.key)
        continue;
      std::string place = "[" + machine.repr(entry.key).value_or("?") + "]";
      visit(hasValues ? "" : place, entry.key);
      if (hasValues)
        visit(place, entry.value);
    }
  };
  auto *cls = dyn_cast<ClassObject>(value);
  if (isa<ModuleObject, BuiltinObject>(value) || (cls && !isOfProgram(*cls)))
    return;
  if (value->attrs)
    visit("", value->attrs);
  if (auto *names = dyn_cast<Namespace>(value)) {
    for (const Namespace::Slot &slot : names->slots)
      if (slot.value)
        visit("." + slot.name->text.str(), slot.value);
  } else if (auto *tuple = dyn_cast<TupleObject>(value)) {
    visitAll(tuple->items);
  } else if (auto *list = dyn_cast<ListObject>(value)) {
    visitAll(list->items);
  } else if (auto *dict = dyn_cast<DictObject>(value)) {
    visitTable(dict->table, true);
  } else if (auto *set = dyn_cast<SetObject>(value)) {
    visitTable(set->table, false);
  } else if (auto *iterator = dyn_cast<IteratorObject>(value)) {
    for (Value part : {iterator->source, iterator->extra})
      if (part)
        visit("", part);
  } else if (auto *method = dyn_cast<BoundMethodObject>(value)) {
    visit(".__func__", method->function);
    visit(".__self__", method->self);
  } else if (auto *wrapped = dyn_cast<WrappedMethodObject>(value)) {
    visit("", wrapped->function);
  } else if (auto *property = dyn_cast<PropertyObject>(value)) {
    for (Value part : {property->getter, property->setter, property->deleter})
      if (part)
        visit("", part);
  } else if (auto *function = dyn_cast<FunctionObject>(value)) {
    for (auto [place, part] : enumerate(function->defaults))
      visit(".__defaults__[" + std::to_string(place) + "]", part);
    for (auto &[name, part] : function->keywordDefaults)
      visit(".__kwdefaults__['" + name->text.str() + "']", part);
    for (Frame *frame = function->closure; frame; frame = frame->closure)
      if (frame->kind == FrameKind::Function && frame->locals)
        visit("", frame->locals);
  } else if (cls) {
    for (ClassObject *base : cls->bases)
      visit("", base);
  } else if (auto *instance = dyn_cast<InstanceObject>(value)) {
    if (instance->payload)
      visit("", instance->payload);
    if (isOfProgram(*value->cls))
      visit(".__class__", value->cls);
  }
}

void Reach::add(Value root) {
  std::vector<Value> open{root};
  while (!open.empty()) {
    Value value = open.back();
    open.pop_back();
    if (value && seen.insert(value).second)
      forEachPart(machine, value, [&](StringRef, Value part) { open.push_back(part); });
  }
}

} // namespace nereid::torch
