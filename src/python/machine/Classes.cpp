// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

/// C3: merges the bases' orders so that each keeps its own and comes before its ancestors.
bool Internals::computeMro(ClassObject &cls) {
  std::vector<std::vector<ClassObject *>> lists;
  for (ClassObject *base : cls.bases)
    lists.emplace_back(base->mro.begin(), base->mro.end());
  lists.emplace_back(cls.bases.begin(), cls.bases.end());
  cls.mro.assign(1, &cls);
  while (true) {
    llvm::erase_if(lists, [](auto &list) { return list.empty(); });
    if (lists.empty())
      return true;
    ClassObject *next = nullptr;
    for (auto &list : lists) {
      bool inTail = llvm::any_of(lists, [&](auto &other) {
        return llvm::is_contained(llvm::ArrayRef(other).drop_front(), list.front());
      });
      if (!inTail) {
        next = list.front();
        break;
      }
    }
    if (!next) {
      std::string names;
      for (auto &list : lists)
        if (!llvm::StringRef(names).contains(list.front()->name))
          names += (names.empty() ? "" : ", ") + list.front()->name.str();
      return typeError("Cannot create a consistent method resolution\norder (MRO) for bases " +
                       names);
    }
    cls.mro.push_back(next);
    for (auto &list : lists)
      if (list.front() == next)
        list.erase(list.begin());
  }
}

static bool isLayoutBase(Internals &in, ClassObject *base) {
  Kind kind = base->layout;
  return kind != Kind::Instance;
}

/// Replaces Generic[T] and other objects that are not classes by the classes they stand for.
static bool resolveBases(Internals &in, llvm::ArrayRef<Value> given,
                         llvm::SmallVectorImpl<ClassObject *> &bases) {
  for (Value value : given) {
    if (value->cls == in.classes.genericAlias || value->cls == in.classes.typingSpecial) {
      Value origin = value->attrs ? value->attrs->get(in.n.origin) : nullptr;
      while (origin && origin->kind == Kind::Instance)
        origin = origin->attrs ? origin->attrs->get(in.n.origin) : nullptr;
      if (auto *cls = llvm::dyn_cast_if_present<ClassObject>(origin))
        if (!llvm::is_contained(bases, cls))
          bases.push_back(cls);
      continue;
    }
    if (auto *opaque = llvm::dyn_cast<OpaqueObject>(value)) {
      if (in.m.spreadsOpaque)
        continue; // what it inherits is not known, what it defines is
      in.refuseOpaque(*opaque, "a base class");
      return false;
    }
    auto *cls = llvm::dyn_cast<ClassObject>(value);
    if (!cls)
      return in.typeError("bases must be types");
    if (llvm::is_contained(bases, cls))
      return in.typeError("duplicate base class " + cls->name);
    if (cls == in.classes.boolClass || cls == in.classes.noneType || cls == in.classes.function ||
        cls == in.classes.range || cls == in.classes.slice)
      return in.typeError("type '" + cls->name + "' is not an acceptable base type");
    bases.push_back(cls);
  }
  return true;
}

ClassObject *Internals::buildClass(llvm::StringRef name, llvm::ArrayRef<Value> given,
                                   Namespace *body, llvm::ArrayRef<std::pair<Name, Value>> keywords,
                                   ModuleObject *module, llvm::StringRef qualifiedName) {
  llvm::SmallVector<ClassObject *, 2> bases;
  if (!resolveBases(*this, given, bases))
    return nullptr;
  bool generic = llvm::any_of(given, [](Value v) { return v->kind != Kind::Class; });
  // What a base that nothing is known of makes of its keywords is not known either.
  bool isOpen =
      m.spreadsOpaque && llvm::any_of(given, [](Value v) { return v->kind == Kind::Opaque; });
  if (bases.empty())
    bases.push_back(classes.object);
  ClassObject *meta = classes.type;
  llvm::SmallVector<std::pair<Name, Value>> passed;
  for (auto &[key, value] : keywords) {
    if (key->text != "metaclass") {
      if (!isOpen)
        passed.push_back({key, value});
      continue;
    }
    auto *cls = llvm::dyn_cast<ClassObject>(value);
    bool ours = cls && cls->module && !cls->module->file->getName().contains('/') &&
                cls->module->name.starts_with("_nereid");
    if (!cls || (!ours && cls != classes.type)) {
      m.refuse("the metaclass of class '" + name + "' is not supported",
               "use a class decorator or __init_subclass__ instead");
      return nullptr;
    }
    meta = cls;
  }
  for (ClassObject *base : bases)
    if (base->cls->isSubclassOf(meta))
      meta = base->cls;
  auto *cls = m.make<ClassObject>(meta, m.save(name));
  cls->qualifiedName = m.save(qualifiedName);
  cls->module = module;
  cls->bases = bases;
  cls->attrs = body;
  body->owner = cls;
  if (!computeMro(*cls))
    return nullptr;
  for (ClassObject *base : bases) {
    if (isLayoutBase(*this, base)) {
      if (cls->layout != Kind::Instance && cls->layout != base->layout) {
        typeError("multiple bases have instance lay-out conflict");
        return nullptr;
      }
      cls->layout = base->layout;
    }
    if (!cls->library)
      cls->library = base->library;
  }
  // A class that defines __eq__ without __hash__ is not hashable.
  if (body->get(n.eq) && !body->get(n.hash))
    body->set(n.hash, m.none());
  for (size_t i = 0; i < body->slots.size(); ++i) {
    auto slot = body->slots[i];
    if (slot.value && slot.value->kind == Kind::Instance)
      if (Value hook = userMethod(slot.value, n.setName))
        if (!m.call(hook, {cls, slot.name}))
          return nullptr;
    if (m.pending())
      return nullptr;
  }
  for (Name special : {n.initSubclass, n.classGetitem})
    if (auto *function = llvm::dyn_cast_if_present<FunctionObject>(body->get(special)))
      body->set(special,
                m.make<WrappedMethodObject>(Kind::ClassMethod, classes.classMethod, function));
  // __init_subclass__ of the parents.
  auto *super = m.make<SuperObject>(classes.super, cls, cls);
  if (Value hook = m.findAttribute(super, n.initSubclass)) {
    if (!m.call(hook, CallArgs{{}, passed}))
      return nullptr;
  } else if (!passed.empty() && !m.pending()) {
    typeError(name + ".__init_subclass__() takes no keyword arguments");
  }
  if (m.pending())
    return nullptr;
  (void)generic;
  if (cls->library && !cls->library->classCreated(m, *cls))
    return nullptr;
  return cls;
}

ClassObject *Internals::newClass(llvm::StringRef name, ClassObject *base, Kind layout) {
  auto *cls = m.make<ClassObject>(classes.type, name);
  cls->attrs = m.makeNamespace(cls);
  cls->builtin = true;
  cls->layout = layout;
  cls->mro.push_back(cls);
  if (base) {
    cls->bases.push_back(base);
    cls->mro.append(base->mro.begin(), base->mro.end());
  }
  return cls;
}

ClassObject *Machine::makeClass(llvm::StringRef name, llvm::ArrayRef<ClassObject *> bases,
                                Library *library, ModuleObject *module) {
  auto *cls = make<ClassObject>(builtins->type, save(name));
  cls->qualifiedName = cls->name;
  cls->module = module;
  cls->bases.assign(bases.begin(), bases.end());
  if (cls->bases.empty())
    cls->bases.push_back(builtins->object);
  for (ClassObject *base : cls->bases)
    if (base->layout != Kind::Instance)
      cls->layout = base->layout;
  cls->library = library;
  cls->attrs = makeNamespace(cls);
  return internals->computeMro(*cls) ? cls : nullptr;
}
