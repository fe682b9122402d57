// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading, writing and deleting attributes: descriptors, the classes of an object, hooks,
// libraries.
#include "python/machine/HostFacts.h"
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

Library *Internals::libraryOf(Value object) const {
  if (auto *foreign = llvm::dyn_cast<Foreign>(object))
    return &foreign->library;
  if (object->kind == Kind::Class)
    return llvm::cast<ClassObject>(object)->library;
  if (object->cls->builtin)
    return nullptr;
  return object->cls->library;
}

/// Functions and other descriptors found on a class, seen through an object.
Value Internals::bind(Value found, Value object, ClassObject *cls) {
  switch (found->kind) {
  case Kind::Function:
  case Kind::Builtin:
    return m.make<BoundMethodObject>(classes.boundMethod, found, object);
  case Kind::Property: {
    auto *property = llvm::cast<PropertyObject>(found);
    if (!property->getter || property->getter == m.none())
      return m.raise("AttributeError", "property of '" + cls->name + "' object has no getter");
    return m.call(property->getter, {object});
  }
  case Kind::ClassMethod:
    return m.make<BoundMethodObject>(classes.boundMethod,
                                     llvm::cast<WrappedMethodObject>(found)->function, cls);
  case Kind::StaticMethod:
    return llvm::cast<WrappedMethodObject>(found)->function;
  case Kind::Instance:
    if (!found->cls->builtin)
      if (Value get = found->cls->lookup(n.get))
        return m.call(get, {found, object, cls});
    return found;
  default:
    return found;
  }
}

Value Internals::lookupSpecial(Value object, Name name) {
  Value found = object->cls->lookup(name);
  return found ? bind(found, object, object->cls) : nullptr;
}

Value Internals::userMethod(Value object, Name name) {
  if (object->cls->builtin)
    return nullptr;
  for (ClassObject *cls : object->cls->mro) {
    if (cls->builtin)
      return nullptr;
    if (Value found = cls->attrs->get(name)) {
      if (found == m.none())
        return nullptr; // `__hash__ = None`
      return bind(found, object, object->cls);
    }
  }
  return nullptr;
}

static bool isDataDescriptor(Internals &in, Value found) {
  if (found->kind == Kind::Property)
    return true;
  return found->kind == Kind::Instance && !found->cls->builtin && found->cls->lookup(in.n.set);
}

/// An attribute of a class itself: its own and inherited names, then those of its metaclass.
Value Internals::classGet(ClassObject *cls, Name name, bool &found) {
  found = true;
  if (Value value = cls->lookup(name)) {
    switch (value->kind) {
    case Kind::ClassMethod:
      return m.make<BoundMethodObject>(classes.boundMethod,
                                       llvm::cast<WrappedMethodObject>(value)->function, cls);
    case Kind::StaticMethod:
      return llvm::cast<WrappedMethodObject>(value)->function;
    case Kind::Instance:
      if (!value->cls->builtin)
        if (Value get = value->cls->lookup(n.get))
          return m.call(get, {value, m.none(), cls});
      return value;
    default:
      return value;
    }
  }
  if (cls->cls != classes.type && cls->cls)
    if (Value value = cls->cls->lookup(name))
      return bind(value, cls, cls->cls);
  found = false;
  return nullptr;
}

/// A value that is stored in an instance or its class, as the observer lets it be read.
static Value observed(Machine &m, Value object, Name name, Value value) {
  auto *instance = llvm::dyn_cast<InstanceObject>(object);
  if (m.observer && instance && value)
    if (auto answer = m.observer->readAttribute(m, *instance, name, value))
      return *answer;
  return value;
}

Value Internals::getStored(Value object, Name name) {
  Value value = object->attrs && object->kind != Kind::Class ? object->attrs->get(name) : nullptr;
  return observed(m, object, name, value);
}

void Internals::noteAbsent(Value object, Name name) {
  if (auto *instance = llvm::dyn_cast<InstanceObject>(object); m.observer && instance)
    m.observer->readAttribute(m, *instance, name, nullptr);
}

/// What was assigned to an object's `__dict__`: its items are the attributes from then on. Null for
/// most objects.
static DictObject *assignedDict(Value object, Name dict) {
  Value assigned =
      object->attrs && object->kind != Kind::Class ? object->attrs->get(dict) : nullptr;
  return llvm::dyn_cast_or_null<DictObject>(assigned);
}

Value Internals::genericGet(Value object, Name name, bool &found) {
  found = true;
  Value onClass = object->cls->lookup(name);
  if (onClass && isDataDescriptor(*this, onClass))
    return bind(onClass, object, object->cls);
  if (object->attrs)
    if (Value value = object->attrs->get(name))
      return observed(m, object, name, value);
  if (DictObject *dict = assignedDict(object, n.dict))
    if (Value value = lookup(dict->table, m.makeStr(name->text)))
      return observed(m, object, name, value);
  if (onClass)
    return observed(m, object, name, bind(onClass, object, object->cls));
  found = false;
  return nullptr;
}

static Value getFromSuper(Internals &in, SuperObject &super, Name name, bool &found) {
  auto *selfClass = llvm::dyn_cast<ClassObject>(super.self);
  ClassObject *cls =
      selfClass && selfClass->isSubclassOf(super.start) ? selfClass : super.self->cls;
  bool after = false;
  found = true;
  for (ClassObject *base : cls->mro) {
    if (after)
      if (Value value = base->attrs->get(name)) {
        if (cls == selfClass) {
          if (value->kind == Kind::ClassMethod)
            return in.m.make<BoundMethodObject>(
                in.classes.boundMethod, llvm::cast<WrappedMethodObject>(value)->function, cls);
          return value->kind == Kind::StaticMethod
                     ? llvm::cast<WrappedMethodObject>(value)->function
                     : value;
        }
        return in.bind(value, super.self, cls);
      }
    after |= base == super.start;
  }
  found = false;
  return nullptr;
}

Failure Internals::attributeError(Value object, Name name) {
  if (auto *cls = llvm::dyn_cast<ClassObject>(object))
    return m.raise("AttributeError",
                   "type object '" + cls->name + "' has no attribute '" + name->text + "'");
  if (auto *module = llvm::dyn_cast<ModuleObject>(object))
    return m.raise("AttributeError",
                   "module '" + module->name + "' has no attribute '" + name->text + "'");
  return m.raise("AttributeError",
                 "'" + m.typeName(object) + "' object has no attribute '" + name->text + "'");
}

static Value find(Internals &in, Value object, Name name, bool &found) {
  Machine &m = in.m;
  found = true;
  if (auto *foreign = llvm::dyn_cast<Foreign>(object))
    if (auto answer = foreign->library.getAttribute(m, object, name))
      return *answer;
  switch (object->kind) {
  case Kind::Opaque: {
    auto *opaque = llvm::cast<OpaqueObject>(object);
    if (m.spreadsOpaque)
      if (Value limit = findLimit(m, (opaque->path + "." + name->text).str()))
        return limit;
    return m.make<OpaqueObject>(in.classes.opaque, m.save((opaque->path + "." + name->text).str()),
                                opaque->origin);
  }
  case Kind::Module:
    return in.moduleMember(*llvm::cast<ModuleObject>(object), name, found);
  case Kind::Super:
    if (Value value = getFromSuper(in, *llvm::cast<SuperObject>(object), name, found);
        value || m.pending() || found)
      return value;
    return nullptr;
  case Kind::Class:
    if (Value value = in.builtinAttribute(object, name, found); value || m.pending())
      return value;
    if (Value value = in.classGet(llvm::cast<ClassObject>(object), name, found);
        value || m.pending())
      return value;
    if (Library *library = in.libraryOf(object))
      if (auto answer = library->getAttribute(m, object, name)) {
        found = true;
        return *answer;
      }
    return nullptr;
  default:
    break;
  }
  if (!object->cls->builtin)
    if (Value hook = in.userMethod(object, in.n.getattribute))
      return m.call(hook, {name});
  Value value = in.genericGet(object, name, found);
  if (found || m.pending())
    return value;
  value = in.builtinAttribute(object, name, found);
  if (found || m.pending() || object->kind != Kind::Tuple)
    return value;
  for (Library *library : in.libraries)
    if (auto answer = library->getAttribute(m, object, name)) {
      found = true;
      return *answer;
    }
  return nullptr;
}

/// What remains when an attribute was not found: __getattr__ and the library of the class.
static Value fallback(Internals &in, Value object, Name name, bool &found) {
  found = true;
  if (object->kind == Kind::Instance || object->kind == Kind::Foreign || !object->cls->builtin) {
    if (Value hook = in.userMethod(object, in.n.getattr))
      return in.m.call(hook, {name});
    if (in.m.pending())
      return nullptr;
    if (object->kind != Kind::Foreign && object->kind != Kind::Class)
      if (Library *library = in.libraryOf(object))
        if (auto answer = library->getAttribute(in.m, object, name))
          return *answer;
  }
  found = false;
  return nullptr;
}

static Value getAttributeOr(Internals &in, Value object, Name name, bool &found) {
  object = standIn(object);
  bool hasFallback = !object->cls->builtin && object->cls->lookup(in.n.getattr);
  in.seeking += hasFallback;
  Value value = find(in, object, name, found);
  in.seeking -= hasFallback;
  if (value)
    return value;
  if (in.m.pending()) {
    // An AttributeError of a property or __getattribute__ gives __getattr__ its chance.
    if (!in.exception || object->cls->builtin || !object->cls->lookup(in.n.getattr) ||
        !in.matches(in.exception, in.m.builtinClass("AttributeError")))
      return nullptr;
    in.exception = nullptr;
  }
  return fallback(in, object, name, found);
}

Value Machine::getAttribute(Value object, Name name) {
  bool found;
  Value value = getAttributeOr(*internals, object, name, found);
  if (value || pending())
    return value;
  if (object->kind == Kind::Super)
    return raise("AttributeError", "'super' object has no attribute '" + name->text + "'");
  return internals->attributeError(object, name);
}

Value Machine::getAttribute(Value object, llvm::StringRef name) {
  return getAttribute(object, intern(name));
}

Value Machine::findAttribute(Value object, Name name) {
  bool found;
  ++internals->seeking;
  Value value = getAttributeOr(*internals, object, name, found);
  --internals->seeking;
  if (!value && exception && catchException("AttributeError"))
    return nullptr;
  return value;
}

std::optional<bool> Internals::hasAttribute(Value object, Name name) {
  Value value = m.findAttribute(object, name);
  return m.pending() ? std::nullopt : std::optional(value != nullptr);
}

/// `object.__dict__ = value`: the attributes that were there are gone.
bool Internals::setDict(Value object, Namespace &attrs, Value value) {
  if (!llvm::isa<DictObject>(value))
    return typeError("__dict__ must be set to a dictionary, not a '" + m.typeName(value) + "'");
  for (auto &slot : attrs.slots)
    if (slot.value)
      m.setName(attrs, slot.name, nullptr);
  m.setName(attrs, n.dict, value);
  return true;
}

bool Internals::genericSet(Value object, Name name, Value value) {
  if (Value onClass = object->cls->lookup(name)) {
    if (auto *property = llvm::dyn_cast<PropertyObject>(onClass)) {
      if (!value)
        return property->deleter && property->deleter != m.none()
                   ? m.call(property->deleter, {object}) != nullptr
                   : m.raise("AttributeError", "property '" + name->text + "' of '" +
                                                   m.typeName(object) + "' object has no deleter");
      if (!property->setter || property->setter == m.none())
        return m.raise("AttributeError", "property '" + name->text + "' of '" + m.typeName(object) +
                                             "' object has no setter");
      return m.call(property->setter, {object, value}) != nullptr;
    }
    if (value && isDataDescriptor(*this, onClass))
      return m.call(onClass->cls->lookup(n.set), {onClass, object, value}) != nullptr;
  }
  bool plain = object->cls->builtin && object->kind != Kind::Class &&
               object->kind != Kind::Module && object->kind != Kind::Function &&
               object->kind != Kind::Property && object->kind != Kind::Foreign &&
               !isException(object);
  if (plain)
    return object->cls->lookup(name)
               ? m.raise("AttributeError", "'" + m.typeName(object) + "' object attribute '" +
                                               name->text + "' is read-only")
               : attributeError(object, name);
  if (object->kind == Kind::Class && object->cls && llvm::cast<ClassObject>(object)->builtin)
    return typeError("cannot set '" + name->text + "' attribute of immutable type '" +
                     llvm::cast<ClassObject>(object)->name + "'");
  if (value && name == n.cls && object->kind == Kind::Instance)
    return m.refuse("changing the class of an object is not supported");
  Namespace *attrs = attrsOf(object);
  if (name == n.dict && value && object->kind != Kind::Class)
    return setDict(object, *attrs, value);
  if (DictObject *dict = assignedDict(object, n.dict)) {
    Value key = m.makeStr(name->text);
    if (value)
      return insert(dict->table, key, value);
    std::optional<bool> erased = erase(dict->table, key);
    return erased && (*erased || attributeError(object, name));
  }
  if (!value && !attrs->get(name))
    return attributeError(object, name);
  if (name == n.name && value && object->kind == Kind::Function && value->kind == Kind::Str)
    llvm::cast<FunctionObject>(object)->name = m.intern(llvm::cast<StrObject>(value)->text);
  m.setName(*attrs, name, value);
  return true;
}

bool Machine::setAttribute(Value object, Name name, Value value) {
  Internals &in = *internals;
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(object))
    return in.refuseOpaque(*opaque, "written to");
  if (Library *library = in.libraryOf(object); library && object->kind != Kind::Class)
    if (auto answer = library->setAttribute(*this, object, name, value))
      return *answer != nullptr;
  if (Value hook = in.userMethod(object, in.n.setattr))
    return call(hook, {name, value}) != nullptr;
  if (pending())
    return false;
  return in.genericSet(object, name, value);
}

bool Machine::delAttribute(Value object, Name name) {
  Internals &in = *internals;
  if (Library *library = in.libraryOf(object); library && object->kind != Kind::Class)
    if (auto answer = library->delAttribute(*this, object, name))
      return *answer != nullptr;
  if (Value hook = in.userMethod(object, in.n.delattr))
    return call(hook, {name}) != nullptr;
  if (pending())
    return false;
  return in.genericSet(object, name, nullptr);
}
