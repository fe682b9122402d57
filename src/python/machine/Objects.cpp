// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Internals.h"

#include "llvm/Support/ConvertUTF.h"

using namespace nereid;
using namespace nereid::machine;

static constexpr unsigned indexFrom = 9;

Value Namespace::get(Name name) const {
  if (slots.size() < indexFrom) {
    for (const Slot &slot : slots)
      if (slot.name == name)
        return slot.value;
    return nullptr;
  }
  auto it = index.find(name);
  return it == index.end() ? nullptr : slots[it->second].value;
}

void Namespace::set(Name name, Value value) {
  if (slots.size() < indexFrom) {
    for (Slot &slot : slots)
      if (slot.name == name) {
        slot.value = value;
        return;
      }
  } else if (auto it = index.find(name); it != index.end()) {
    slots[it->second].value = value;
    return;
  }
  slots.push_back({name, value});
  if (slots.size() == indexFrom) {
    for (auto [i, slot] : llvm::enumerate(slots))
      index[slot.name] = i;
  } else if (slots.size() > indexFrom) {
    index[name] = slots.size() - 1;
  }
}

bool Namespace::erase(Name name) {
  for (size_t i = 0; i != slots.size(); ++i) {
    if (slots[i].name != name)
      continue;
    bool bound = slots[i].value != nullptr;
    slots.erase(slots.begin() + i);
    index.clear();
    if (slots.size() >= indexFrom)
      for (auto [j, slot] : llvm::enumerate(slots))
        index[slot.name] = j;
    return bound;
  }
  return false;
}

int64_t RangeObject::size() const {
  // Unsigned arithmetic: the distance of two int64 fits uint64.
  if (step > 0)
    return start >= stop ? 0 : int64_t((uint64_t(stop) - uint64_t(start) - 1) / uint64_t(step) + 1);
  return start <= stop ? 0
                       : int64_t((uint64_t(start) - uint64_t(stop) - 1) / (0 - uint64_t(step)) + 1);
}

llvm::APInt IntObject::wide() const {
  if (!big)
    return llvm::APInt(65, uint64_t(small), /*isSigned=*/true);
  return *big;
}

Value CallArgs::keyword(llvm::StringRef name) const {
  for (auto &[key, value] : keywords)
    if (key->text == name)
      return value;
  return nullptr;
}

bool ClassObject::isSubclassOf(const ClassObject *other) const {
  return llvm::is_contained(mro, other);
}

Value ClassObject::lookup(Name name) const {
  for (ClassObject *cls : mro)
    if (Value value = cls->attrs->get(name))
      return value;
  return nullptr;
}

Namespace *Internals::attrsOf(Object *object) {
  if (!object->attrs) {
    object->attrs = m.makeNamespace(object);
    object->attrs->epoch = object->epoch;
  }
  return object->attrs;
}

void *Machine::allocate(size_t size, size_t align) {
  internals->allocated += size;
  return internals->arena.Allocate(size, align);
}

void Machine::addDestructor(void *object, void (*destroy)(void *)) {
  internals->destructors.push_back({object, destroy});
}

void Machine::renewBudget(uint64_t more, double seconds) {
  steps = 0;
  allowedSteps = more;
  deadline.reset();
  if (seconds > 0)
    deadline = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                   std::chrono::duration<double>(seconds));
  internals->fatal = false;
}

uint64_t Machine::getAllocated() const { return internals->allocated; }

bool Machine::step() {
  // The clock is read rarely: a step takes less than a microsecond.
  constexpr uint64_t stepsPerReading = 1024;
  ++steps;
  bool isLate =
      deadline && steps % stepsPerReading == 0 && std::chrono::steady_clock::now() > *deadline;
  if (steps <= allowedSteps && internals->allocated <= limits.bytes && !isLate) [[likely]]
    return true;
  internals->late |= isLate;
  if (!pending()) {
    if (isLate)
      refuse("evaluation takes too long", "give a longer --timeout, or sizes that do not unroll");
    else if (steps > allowedSteps)
      refuse("evaluation takes more than " + llvm::Twine(allowedSteps) + " steps",
             "make loops shorter, or give sizes that do not unroll");
    else
      refuse("evaluation needs more than " + llvm::Twine(limits.bytes >> 20) + " MB of memory");
    internals->fatal = true;
  }
  return false;
}

bool Internals::charge(uint64_t count) {
  m.steps += count;
  return m.step();
}

bool Internals::checkItems(uint64_t count) {
  if (count <= m.limits.items)
    return charge(count / 64);
  m.refuse("a value would have more than " + llvm::Twine(m.limits.items) + " items");
  fatal = true;
  return false;
}

IntObject *Machine::makeInt(int64_t value) {
  if (value >= -16 && value < 1024 && !internals->smallInts.empty())
    return internals->smallInts[value + 16];
  return make<IntObject>(Kind::Int, builtins->intClass, value);
}

IntObject *Machine::makeInt(const llvm::APInt &value) {
  if (value.getSignificantBits() <= 64)
    return makeInt(value.getSExtValue());
  auto *object = make<IntObject>(Kind::Int, builtins->intClass, 0);
  auto *big = new (allocate(sizeof(llvm::APInt), alignof(llvm::APInt)))
      llvm::APInt(value.sextOrTrunc(value.getSignificantBits()));
  addDestructor(big, [](void *p) { static_cast<llvm::APInt *>(p)->~APInt(); });
  internals->allocated += value.getBitWidth() / 8;
  object->big = big;
  return object;
}

FloatObject *Machine::makeFloat(double value) {
  return make<FloatObject>(builtins->floatClass, value);
}
ComplexObject *Machine::makeComplex(double real, double imag) {
  return make<ComplexObject>(builtins->complexClass, real, imag);
}

llvm::StringRef Machine::save(llvm::StringRef text) {
  if (text.empty())
    return "";
  char *memory = static_cast<char *>(allocate(text.size(), 1));
  std::copy(text.begin(), text.end(), memory);
  return {memory, text.size()};
}

static uint32_t countCodePoints(llvm::StringRef text) {
  uint32_t count = 0;
  for (char c : text)
    count += (c & 0xC0) != 0x80;
  return count;
}

StrObject *Machine::makeStr(llvm::StringRef text) {
  return make<StrObject>(builtins->str, save(text), countCodePoints(text));
}
BytesObject *Machine::makeBytes(llvm::StringRef data) {
  return make<BytesObject>(builtins->bytes, save(data));
}

OpaqueObject *Machine::makeOpaque(llvm::StringRef path) {
  return make<OpaqueObject>(builtins->opaque, save(path), location());
}

TupleObject *Machine::makeTuple(llvm::ArrayRef<Value> items) {
  Value *memory = nullptr;
  if (!items.empty()) {
    memory = static_cast<Value *>(allocate(items.size() * sizeof(Value), alignof(Value)));
    std::copy(items.begin(), items.end(), memory);
  }
  return make<TupleObject>(builtins->tuple, llvm::ArrayRef<Value>(memory, items.size()));
}

ListObject *Machine::makeList(llvm::ArrayRef<Value> items) {
  auto *list = make<ListObject>(builtins->list);
  list->items.assign(items.begin(), items.end());
  internals->allocated += items.size() * sizeof(Value);
  return list;
}
DictObject *Machine::makeDict() { return make<DictObject>(builtins->dict); }
SetObject *Machine::makeSet(bool frozen) {
  return make<SetObject>(frozen ? builtins->frozenset : builtins->set, frozen);
}
RangeObject *Machine::makeRange(int64_t start, int64_t stop, int64_t step) {
  return make<RangeObject>(builtins->range, start, stop, step);
}
SliceObject *Machine::makeSlice(Value start, Value stop, Value step) {
  return make<SliceObject>(builtins->slice, start, stop, step);
}

Name Machine::intern(llvm::StringRef text) {
  auto [it, inserted] = internals->names.try_emplace(text, nullptr);
  if (inserted) {
    it->second = make<StrObject>(builtins->str, it->first(), countCodePoints(text));
    it->second->interned = true;
  }
  return it->second;
}

Name Internals::nameOf(llvm::StringRef identifier) {
  auto [it, inserted] = astNames.try_emplace(identifier.data(), nullptr);
  if (inserted)
    it->second = m.intern(identifier);
  return it->second;
}

Namespace *Machine::makeNamespace(Value owner) {
  auto *names = make<Namespace>();
  names->owner = owner;
  return names;
}

BuiltinObject *Machine::makeBuiltin(llvm::StringRef name, BuiltinFn fn) {
  return make<BuiltinObject>(builtins->builtinFunction, save(name), std::move(fn));
}

ModuleObject *Machine::makeModule(llvm::StringRef name, Library *library) {
  auto *module = make<ModuleObject>(builtins->module, save(name));
  module->attrs = makeNamespace(module);
  module->library = library;
  module->attrs->set(intern("__name__"), makeStr(name));
  module->attrs->set(intern("__doc__"), none());
  return module;
}

Value Machine::makeProperty(BoundFn getter) {
  auto *property = make<PropertyObject>(builtins->property);
  property->getter = makeBuiltin("getter", [getter](Machine &machine, const CallArgs &args) {
    return getter(machine, args.positional);
  });
  return property;
}

void Machine::markFunction(FunctionObject &function, Library &library) {
  internals->marked[&function] = &library;
}

void Machine::setName(Namespace &names, Name name, Value value) {
  willWrite(&names);
  if (value)
    names.set(name, value);
  else
    names.erase(name);
}

void Machine::setName(Value object, llvm::StringRef name, Value value) {
  setName(*internals->attrsOf(object), intern(name), value);
}

ClassObject *Machine::builtinClass(llvm::StringRef name) {
  return llvm::dyn_cast_if_present<ClassObject>(builtin(name));
}

Value Machine::builtin(llvm::StringRef name) {
  return internals->builtinsModule->attrs->get(intern(name));
}

ModuleObject *Machine::findModule(llvm::StringRef name) { return internals->modules.lookup(name); }

SourceLocation Machine::definitionOf(Value value) {
  if (auto *function = llvm::dyn_cast<FunctionObject>(value)) {
    const CodeInfo &code = *function->code;
    SourceLocation location = code.file->getLocation(*code.node);
    if (auto *def = code.getDef(); def && !def->decoratorList.empty()) {
      // The range starts at the `@` of the first decorator.
      llvm::StringRef before =
          code.file->getSource().getText().take_front(def->decoratorList.front()->range.begin);
      location.range.begin = before.rfind('@');
    }
    return location;
  }
  return internals->classLocations.lookup(value);
}

Value Internals::constant(const ast::Constant &node) {
  Value &slot = constants[&node];
  if (slot)
    return slot;
  switch (node.type) {
  case ast::ConstantType::None:
    return slot = m.none();
  case ast::ConstantType::False:
    return slot = m.makeBool(false);
  case ast::ConstantType::True:
    return slot = m.makeBool(true);
  case ast::ConstantType::Ellipsis:
    return slot = m.ellipsis();
  case ast::ConstantType::Int:
    if (auto value = node.getInt64())
      return slot = m.makeInt(*value);
    return slot = m.makeInt(node.getInt().zext(node.getInt().getBitWidth() + 1));
  case ast::ConstantType::Float:
    return slot = m.makeFloat(node.number);
  case ast::ConstantType::Complex:
    return slot = m.makeComplex(0, node.number);
  case ast::ConstantType::Str:
    return slot = m.makeStr(node.text);
  case ast::ConstantType::Bytes:
    return slot = m.makeBytes(node.text);
  }
  llvm_unreachable("all constants handled");
}
