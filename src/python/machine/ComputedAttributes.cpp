// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes that the machine itself computes: `__name__`, `__mro__`, `real`, `__dict__`.
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

static Value dictOf(Internals &in, Namespace *names) {
  auto *dict = in.m.makeDict();
  if (names)
    for (auto &slot : names->slots)
      if (slot.value && !slot.name->text.starts_with("__class__cell"))
        in.insert(dict->table, slot.name, slot.value);
  return dict;
}

Value Internals::docOf(ast::Body body) {
  auto *stmt = body.empty() ? nullptr : llvm::dyn_cast<ast::ExprStmt>(body.front());
  auto *text = stmt ? llvm::dyn_cast<ast::Constant>(stmt->value) : nullptr;
  return text && text->isStr() ? constant(*text) : nullptr;
}

static Value functionAttribute(Internals &in, FunctionObject &function, Name name) {
  Machine &m = in.m;
  if (name == in.n.name)
    return function.name;
  if (name == in.n.qualname)
    return m.makeStr(function.qualifiedName);
  if (name == in.n.module)
    return m.makeStr(function.module->name);
  if (name == in.n.doc) {
    Value doc = in.docOf(function.code->body);
    return doc ? doc : m.none();
  }
  if (name == in.n.defaults)
    return function.defaults.empty() ? m.none() : m.makeTuple(function.defaults);
  if (name == in.n.kwdefaults) {
    if (function.keywordDefaults.empty())
      return m.none();
    auto *dict = m.makeDict();
    for (auto &[key, value] : function.keywordDefaults)
      in.insert(dict->table, key, value);
    return dict;
  }
  if (name == in.n.annotations) {
    auto *dict = m.makeDict();
    std::vector<Name> names = m.parameterNames(function);
    if (function.code->getDef())
      names.push_back(m.intern("return"));
    for (Name parameter : names)
      if (Value type = m.annotation(function, parameter->text))
        in.insert(dict->table, parameter, type);
      else if (m.pending())
        return nullptr;
    return dict;
  }
  if (name == in.n.globals || name == in.n.code)
    return m.refuse("the attribute " + name->text + " of functions is not supported");
  return nullptr;
}

static Value classAttribute(Internals &in, ClassObject &cls, Name name) {
  Machine &m = in.m;
  if (name == in.n.name)
    return m.makeStr(cls.name);
  if (name == in.n.qualname)
    return m.makeStr(cls.qualifiedName.empty() ? cls.name : cls.qualifiedName);
  if (name == in.n.mro) {
    llvm::SmallVector<Value> mro(cls.mro.begin(), cls.mro.end());
    return m.makeTuple(mro);
  }
  if (name == in.n.bases) {
    llvm::SmallVector<Value> bases(cls.bases.begin(), cls.bases.end());
    return m.makeTuple(bases);
  }
  if (name == in.n.dict) {
    auto *proxy = m.make<InstanceObject>(in.classes.mappingProxy);
    proxy->payload = dictOf(in, cls.attrs);
    return proxy;
  }
  if (name == in.n.annotations && !cls.attrs->get(name)) {
    auto *dict = m.makeDict();
    cls.attrs->set(name, dict);
    return dict;
  }
  if (name == in.n.doc)
    if (Value doc = cls.attrs->get(name))
      return doc;
  if (name == in.n.module && !cls.attrs->get(name))
    return m.makeStr(cls.module ? cls.module->name : "builtins");
  return nullptr;
}

static Value methodAttribute(Internals &in, BoundMethodObject &method, Name name) {
  if (name == in.n.self)
    return method.self;
  if (name == in.n.func)
    return method.function;
  return in.m.findAttribute(method.function, name);
}

static Value integerAttribute(Machine &m, IntObject &integer, llvm::StringRef name) {
  if (name == "real" || name == "numerator")
    return integer.kind == Kind::Bool ? m.makeInt(integer.small) : &integer;
  if (name == "imag")
    return m.makeInt(int64_t(0));
  return name == "denominator" ? m.makeInt(int64_t(1)) : nullptr;
}

static Value floatAttribute(Machine &m, FloatObject &number, llvm::StringRef name) {
  if (name == "real")
    return &number;
  return name == "imag" ? m.makeFloat(0) : nullptr;
}

static Value complexAttribute(Machine &m, ComplexObject &number, llvm::StringRef name) {
  if (name == "real")
    return m.makeFloat(number.real);
  return name == "imag" ? m.makeFloat(number.imag) : nullptr;
}

static Value rangeAttribute(Machine &m, RangeObject &range, llvm::StringRef name) {
  if (name == "start")
    return m.makeInt(range.start);
  if (name == "stop")
    return m.makeInt(range.stop);
  return name == "step" ? m.makeInt(range.step) : nullptr;
}

static Value sliceAttribute(SliceObject &slice, llvm::StringRef name) {
  if (name == "start")
    return slice.start;
  if (name == "stop")
    return slice.stop;
  return name == "step" ? slice.step : nullptr;
}

static Value propertyAttribute(Machine &m, PropertyObject &property, llvm::StringRef name) {
  if (name == "fget")
    return property.getter ? property.getter : m.none();
  if (name == "fset")
    return property.setter ? property.setter : m.none();
  return nullptr;
}

static Value instanceAttribute(Internals &in, InstanceObject &instance, Name name) {
  if (in.isException(&instance)) {
    if (name == in.n.args)
      return instance.payload;
    if (name == in.n.cause || name == in.n.context || name == in.n.traceback)
      return in.m.none();
    if (name == in.n.suppress)
      return in.m.makeBool(instance.attrs && instance.attrs->get(in.n.cause));
    return nullptr;
  }
  if (instance.cls == in.classes.genericAlias || instance.cls == in.classes.typingSpecial)
    if (Value origin = instance.attrs ? instance.attrs->get(in.n.origin) : nullptr)
      return in.m.findAttribute(origin, name);
  return nullptr;
}

/// What the machine computes of an object of its kind; null for none, and after an error.
static Value attributeOfKind(Internals &in, Value object, Name name) {
  Machine &m = in.m;
  switch (object->kind) {
  case Kind::Class:
    return classAttribute(in, *llvm::cast<ClassObject>(object), name);
  case Kind::Function:
    return functionAttribute(in, *llvm::cast<FunctionObject>(object), name);
  case Kind::Builtin:
    if (name == in.n.name || name == in.n.qualname)
      return m.makeStr(llvm::cast<BuiltinObject>(object)->name);
    return name == in.n.doc ? m.none() : nullptr;
  case Kind::BoundMethod:
    return methodAttribute(in, *llvm::cast<BoundMethodObject>(object), name);
  case Kind::Int:
  case Kind::Bool:
    return integerAttribute(m, *llvm::cast<IntObject>(object), name->text);
  case Kind::Float:
    return floatAttribute(m, *llvm::cast<FloatObject>(object), name->text);
  case Kind::Complex:
    return complexAttribute(m, *llvm::cast<ComplexObject>(object), name->text);
  case Kind::Range:
    return rangeAttribute(m, *llvm::cast<RangeObject>(object), name->text);
  case Kind::Slice:
    return sliceAttribute(*llvm::cast<SliceObject>(object), name->text);
  case Kind::Property:
    return propertyAttribute(m, *llvm::cast<PropertyObject>(object), name->text);
  case Kind::StaticMethod:
  case Kind::ClassMethod:
    return name == in.n.func || name == in.n.wrapped
               ? llvm::cast<WrappedMethodObject>(object)->function
               : nullptr;
  case Kind::Super:
    return name->text == "__thisclass__" ? llvm::cast<SuperObject>(object)->start : nullptr;
  case Kind::Instance:
    return instanceAttribute(in, *llvm::cast<InstanceObject>(object), name);
  default:
    return nullptr;
  }
}

Value Internals::builtinAttribute(Value object, Name name, bool &found) {
  found = true;
  if (name == n.cls)
    return object->cls;
  Value value = attributeOfKind(*this, object, name);
  if (!value && !m.pending() && name == n.dict &&
      (object->kind == Kind::Instance || object->kind == Kind::Function || !object->cls->builtin)) {
    // A live view: writes to `self.__dict__` reach the attributes.
    Value prelude = importByName("_nereid_classes", nullptr);
    Value view = prelude ? m.getAttribute(prelude, "instance_dict") : nullptr;
    return view ? m.call(view, {object}) : nullptr;
  }
  if (!value && !m.pending() && name == n.doc)
    value = m.none();
  if (!value)
    found = false;
  return value;
}
