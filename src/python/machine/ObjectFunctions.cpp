// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the module `builtins` about objects and their classes: `getattr`, `isinstance`,
// `dir`.
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

using Args = llvm::ArrayRef<Value>;

std::optional<bool> Machine::isInstance(Value object, Value cls) {
  Internals &in = *internals;
  if (auto *tuple = llvm::dyn_cast<TupleObject>(cls)) {
    if (Library *library = in.libraryOf(object))
      if (auto answer = library->isInstance(*this, object, cls))
        return answer;
    for (Value item : tuple->items) {
      auto one = isInstance(object, item);
      if (!one || *one)
        return one;
    }
    return false;
  }
  for (Value side : {object, cls})
    if (Library *library = in.libraryOf(side))
      if (auto answer = library->isInstance(*this, object, cls))
        return answer;
  if (auto *wanted = llvm::dyn_cast<ClassObject>(cls)) {
    if (Value hook = in.userMethod(wanted, in.n.instancecheck))
      return in.truthOf(call(hook, {object}));
    if (pending())
      return std::nullopt;
    if (object->kind == Kind::Opaque && spreadsOpaque)
      return wanted == builtins->object;
    if (object->kind == Kind::Opaque && wanted != builtins->object) {
      in.refuseOpaque(*llvm::cast<OpaqueObject>(object), "examined");
      return std::nullopt;
    }
    return object->cls->isSubclassOf(wanted);
  }
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(cls)) {
    // What is known was made by no library that nothing is known of.
    if (object->kind != Kind::Opaque || spreadsOpaque)
      return false;
    in.refuseOpaque(*opaque, "used in isinstance()");
    return std::nullopt;
  }
  if (TupleObject *alternatives = in.unionArguments(cls)) {
    for (Value item : alternatives->items) {
      auto one = isInstance(object, item == noneValue ? builtins->noneType : item);
      if (!one || *one)
        return one;
    }
    return false;
  }
  // typing.List, typing.Callable: by what they stand for.
  if (cls->attrs)
    if (Value origin = cls->attrs->get(in.n.origin); origin && origin != cls)
      return isInstance(object, origin);
  in.typeError("isinstance() arg 2 must be a type, a tuple of types, or a union");
  return std::nullopt;
}

/// What a class such as List[int] or typing.Sequence stands for.
static Value originOf(Internals &in, Value value) {
  Value origin =
      value->attrs && value->kind == Kind::Instance ? value->attrs->get(in.n.origin) : nullptr;
  return origin && origin != value && origin != in.m.none() ? origin : nullptr;
}

static std::optional<bool> isSubclass(Internals &in, Value cls, Value of) {
  if (Value origin = originOf(in, of))
    return isSubclass(in, cls, origin);
  if (of->kind == Kind::Opaque && cls->kind == Kind::Class)
    return false;
  if (auto *tuple = llvm::dyn_cast<TupleObject>(of)) {
    for (Value item : tuple->items) {
      auto one = isSubclass(in, cls, item);
      if (!one || *one)
        return one;
    }
    return false;
  }
  auto *left = llvm::dyn_cast<ClassObject>(cls), *right = llvm::dyn_cast<ClassObject>(of);
  Name hookName = in.m.intern("__subclasscheck__");
  if (Value hook = left && right ? in.userMethod(right, hookName) : nullptr)
    return in.truthOf(in.m.call(hook, {left}));
  if (in.m.pending())
    return std::nullopt;
  if (left && right)
    return left->isSubclassOf(right);
  in.typeError(left ? "issubclass() arg 2 must be a class, a tuple of classes, or a union"
                    : "issubclass() arg 1 must be a class");
  return std::nullopt;
}

static Value dirOf(Internals &in, Value object) {
  std::vector<std::string> names;
  auto add = [&](Namespace *attrs) {
    for (auto &slot : attrs->slots)
      if (slot.value && !llvm::is_contained(names, slot.name->text.str()))
        names.push_back(slot.name->text.str());
  };
  if (object->attrs)
    add(object->attrs);
  auto *cls = llvm::dyn_cast<ClassObject>(object);
  for (ClassObject *base : (cls ? cls : object->cls)->mro)
    add(base->attrs);
  llvm::sort(names);
  auto *list = in.m.makeList();
  for (auto &name : names)
    list->items.push_back(in.m.makeStr(name));
  return list;
}

static std::optional<Name> nameArgument(Internals &in, Value value, llvm::StringRef function) {
  if (auto *text = llvm::dyn_cast<StrObject>(value))
    return in.m.intern(text->text);
  in.typeError(function + ": attribute name must be string");
  return std::nullopt;
}

static Value isCallable(Internals &in, Args a) {
  switch (a[0]->kind) {
  case Kind::Function:
  case Kind::Builtin:
  case Kind::BoundMethod:
  case Kind::Class:
  case Kind::StaticMethod:
    return in.m.makeBool(true);
  case Kind::Opaque:
    // What host code calls may be called.
    if (in.m.spreadsOpaque)
      return in.m.makeBool(true);
    [[fallthrough]];
  default:
    return in.m.makeBool(!a[0]->cls->builtin && a[0]->cls->lookup(in.n.call));
  }
}

void Internals::setUpObjectFunctions() {
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    m.addBuiltin(builtinsModule, name, signature,
                 [this, fn](Machine &, Args a) -> Value { return fn(*this, a); });
  };
  add("getattr", "(object, name, default=..., /)", [](Internals &in, Args a) -> Value {
    auto name = nameArgument(in, a[1], "getattr()");
    if (!name)
      return nullptr;
    if (a[2] == in.m.ellipsis())
      return in.m.getAttribute(a[0], *name);
    Value value = in.m.findAttribute(a[0], *name);
    if (value || in.m.pending())
      return value;
    in.noteAbsent(a[0], *name);
    return a[2];
  });
  add("hasattr", "(object, name, /)", [](Internals &in, Args a) -> Value {
    auto name = nameArgument(in, a[1], "hasattr()");
    auto has = name ? in.hasAttribute(a[0], *name) : std::nullopt;
    if (has && !*has)
      in.noteAbsent(a[0], *name);
    return has ? in.m.makeBool(*has) : nullptr;
  });
  add("setattr", "(object, name, value, /)", [](Internals &in, Args a) -> Value {
    auto name = nameArgument(in, a[1], "setattr()");
    return name && in.m.setAttribute(a[0], *name, a[2]) ? in.m.none() : nullptr;
  });
  add("delattr", "(object, name, /)", [](Internals &in, Args a) -> Value {
    auto name = nameArgument(in, a[1], "delattr()");
    return name && in.m.delAttribute(a[0], *name) ? in.m.none() : nullptr;
  });
  add("isinstance", "(object, classinfo, /)", [](Internals &in, Args a) -> Value {
    auto is = in.m.isInstance(a[0], a[1]);
    return is ? in.m.makeBool(*is) : nullptr;
  });
  add("issubclass", "(cls, classinfo, /)", [](Internals &in, Args a) -> Value {
    auto is = isSubclass(in, a[0], a[1]);
    return is ? in.m.makeBool(*is) : nullptr;
  });
  add("callable", "(object, /)", isCallable);
  add("vars", "(object, /)",
      [](Internals &in, Args a) -> Value { return in.m.getAttribute(a[0], in.n.dict); });
  add("dir", "(object, /)", [](Internals &in, Args a) { return dirOf(in, a[0]); });
}
