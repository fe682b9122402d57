// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The start of a machine: built-in classes, exceptions, and the methods of `object`.
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

Internals::Internals(Machine &machine)
    : m(machine), frame(machine.frame), exception(machine.exception), refused(machine.refused) {}

Internals::~Internals() {
  for (auto &[object, destroy] : llvm::reverse(destructors))
    destroy(object);
}

Machine::Machine(Limits limits)
    : limits(limits), allowedSteps(limits.steps), internals(std::make_unique<Internals>(*this)) {
  builtins = &internals->classes;
  internals->setUp();
}

Machine::~Machine() { internals->closeGenerators(); }

void Machine::addLibrary(Library &library) { internals->libraries.push_back(&library); }

void Internals::setUp() {
  Builtins &c = classes;
  c.type = m.make<ClassObject>(nullptr, "type");
  c.object = m.make<ClassObject>(c.type, "object");
  c.type->cls = c.type;
  for (ClassObject *cls : {c.object, c.type}) {
    cls->builtin = true;
    cls->mro.push_back(cls);
    cls->attrs = m.makeNamespace(cls);
  }
  c.type->mro.push_back(c.object);
  c.type->bases.push_back(c.object);
  c.type->layout = Kind::Class;
  c.str = newClass("str", c.object, Kind::Str);
#define NEREID_NAME(MEMBER, TEXT) n.MEMBER = m.intern(TEXT);
  NEREID_MACHINE_NAMES(NEREID_NAME)
#undef NEREID_NAME
  struct Row {
    ClassObject *Builtins::*slot;
    const char *name;
    Kind layout;
    bool visible;
  };
  static const Row rows[] = {
      {&Builtins::noneType, "NoneType", Kind::None, false},
      {&Builtins::notImplementedType, "NotImplementedType", Kind::NotImplemented, false},
      {&Builtins::ellipsisType, "ellipsis", Kind::Ellipsis, false},
      {&Builtins::intClass, "int", Kind::Int, true},
      {&Builtins::floatClass, "float", Kind::Float, true},
      {&Builtins::complexClass, "complex", Kind::Complex, true},
      {&Builtins::bytes, "bytes", Kind::Bytes, true},
      {&Builtins::tuple, "tuple", Kind::Tuple, true},
      {&Builtins::list, "list", Kind::List, true},
      {&Builtins::dict, "dict", Kind::Dict, true},
      {&Builtins::set, "set", Kind::Set, true},
      {&Builtins::frozenset, "frozenset", Kind::Set, true},
      {&Builtins::range, "range", Kind::Range, true},
      {&Builtins::slice, "slice", Kind::Slice, true},
      {&Builtins::function, "function", Kind::Function, false},
      {&Builtins::builtinFunction, "builtin_function_or_method", Kind::Builtin, false},
      {&Builtins::boundMethod, "method", Kind::BoundMethod, false},
      {&Builtins::property, "property", Kind::Property, true},
      {&Builtins::staticMethod, "staticmethod", Kind::StaticMethod, true},
      {&Builtins::classMethod, "classmethod", Kind::ClassMethod, true},
      {&Builtins::module, "module", Kind::Module, false},
      {&Builtins::super, "super", Kind::Super, true},
      {&Builtins::generator, "generator", Kind::Generator, false},
      {&Builtins::opaque, "opaque", Kind::Opaque, false},
      {&Builtins::dictKeys, "dict_keys", Kind::Instance, false},
      {&Builtins::dictValues, "dict_values", Kind::Instance, false},
      {&Builtins::dictItems, "dict_items", Kind::Instance, false},
      {&Builtins::mappingProxy, "mappingproxy", Kind::Instance, false},
      {&Builtins::genericAlias, "GenericAlias", Kind::Instance, false},
      {&Builtins::typingSpecial, "_SpecialForm", Kind::Instance, false},
      {&Builtins::listIterator, "iterator", Kind::Iterator, false},
      {&Builtins::callableIterator, "callable_iterator", Kind::Iterator, false},
      {&Builtins::map, "map", Kind::Iterator, true},
      {&Builtins::zip, "zip", Kind::Iterator, true},
      {&Builtins::filter, "filter", Kind::Iterator, true},
      {&Builtins::enumerate, "enumerate", Kind::Iterator, true},
      {&Builtins::reversed, "reversed", Kind::Iterator, true},
  };
  for (const Row &row : rows)
    c.*row.slot = newClass(row.name, c.object, row.layout);
  c.boolClass = newClass("bool", c.intClass, Kind::Bool);
  m.noneValue = m.make<NoneObject>(Kind::None, c.noneType);
  m.notImplementedValue = m.make<NoneObject>(Kind::NotImplemented, c.notImplementedType);
  m.ellipsisValue = m.make<NoneObject>(Kind::Ellipsis, c.ellipsisType);
  m.trueValue = m.make<BoolObject>(c.boolClass, true);
  m.falseValue = m.make<BoolObject>(c.boolClass, false);
  for (int64_t i = -16; i < 1024; ++i)
    smallInts.push_back(m.make<IntObject>(Kind::Int, c.intClass, i));
  builtinsModule = m.makeModule("builtins", nullptr);
  modules["builtins"] = builtinsModule;
  Namespace &names = *builtinsModule->attrs;
  for (const Row &row : rows)
    if (row.visible)
      names.set(m.intern(row.name), c.*row.slot);
  for (ClassObject *cls : {c.object, c.type, c.str, c.boolClass})
    names.set(m.intern(cls->name), cls);
  names.set(m.intern("Ellipsis"), m.ellipsis());
  names.set(m.intern("NotImplemented"), m.notImplemented());
  names.set(m.intern("__debug__"), m.makeBool(true));
  setUpExceptions();
  setUpObjectMethods();
  setUpConstructors();
  setUpNumberMethods();
  setUpStrMethods();
  setUpBytesMethods();
  setUpListMethods();
  setUpDictMethods();
  setUpSetMethods();
  setUpFunctions();
  setUpIterators();
  setUpGenerators();
  frame = nullptr;
}

void Internals::setUpExceptions() {
  static const std::pair<const char *, const char *> tree[] = {
      {"Exception", "BaseException"},
      {"GeneratorExit", "BaseException"},
      {"KeyboardInterrupt", "BaseException"},
      {"SystemExit", "BaseException"},
      {"ArithmeticError", "Exception"},
      {"FloatingPointError", "ArithmeticError"},
      {"OverflowError", "ArithmeticError"},
      {"ZeroDivisionError", "ArithmeticError"},
      {"AssertionError", "Exception"},
      {"AttributeError", "Exception"},
      {"BufferError", "Exception"},
      {"EOFError", "Exception"},
      {"ImportError", "Exception"},
      {"ModuleNotFoundError", "ImportError"},
      {"LookupError", "Exception"},
      {"IndexError", "LookupError"},
      {"KeyError", "LookupError"},
      {"MemoryError", "Exception"},
      {"NameError", "Exception"},
      {"UnboundLocalError", "NameError"},
      {"OSError", "Exception"},
      {"FileNotFoundError", "OSError"},
      {"FileExistsError", "OSError"},
      {"PermissionError", "OSError"},
      {"TimeoutError", "OSError"},
      {"ConnectionError", "OSError"},
      {"ReferenceError", "Exception"},
      {"RuntimeError", "Exception"},
      {"NotImplementedError", "RuntimeError"},
      {"RecursionError", "RuntimeError"},
      {"StopIteration", "Exception"},
      {"StopAsyncIteration", "Exception"},
      {"SyntaxError", "Exception"},
      {"SystemError", "Exception"},
      {"TypeError", "Exception"},
      {"ValueError", "Exception"},
      {"UnicodeError", "ValueError"},
      {"UnicodeDecodeError", "UnicodeError"},
      {"UnicodeEncodeError", "UnicodeError"},
      {"Warning", "Exception"},
      {"UserWarning", "Warning"},
      {"DeprecationWarning", "Warning"},
      {"PendingDeprecationWarning", "Warning"},
      {"RuntimeWarning", "Warning"},
      {"FutureWarning", "Warning"},
      {"ImportWarning", "Warning"},
      {"SyntaxWarning", "Warning"},
      {"UnicodeWarning", "Warning"},
      {"BytesWarning", "Warning"},
      {"ResourceWarning", "Warning"},
  };
  Namespace &names = *builtinsModule->attrs;
  classes.baseException = newClass("BaseException", classes.object, Kind::Instance);
  names.set(m.intern("BaseException"), classes.baseException);
  for (auto [name, base] : tree)
    names.set(m.intern(name),
              newClass(name, llvm::cast<ClassObject>(names.get(m.intern(base))), Kind::Instance));
  names.set(m.intern("EnvironmentError"), names.get(m.intern("OSError")));
  names.set(m.intern("IOError"), names.get(m.intern("OSError")));
  classes.exception = llvm::cast<ClassObject>(names.get(m.intern("Exception")));
  ClassObject *base = classes.baseException;
  auto *make = m.makeBuiltin("__new__", [this](Machine &m, const CallArgs &args) -> Value {
    auto *cls = args.positional.empty() ? nullptr : llvm::dyn_cast<ClassObject>(args.positional[0]);
    if (!cls || !cls->isSubclassOf(classes.baseException))
      return typeError("BaseException.__new__(): expected an exception class");
    return makeException(cls, args.positional.drop_front());
  });
  base->attrs->set(n.new_,
                   m.make<WrappedMethodObject>(Kind::StaticMethod, classes.staticMethod, make));
  base->attrs->set(
      n.init, m.makeBuiltin("__init__", [this](Machine &m, const CallArgs &args) -> Value {
        if (args.positional.empty())
          return typeError("unbound method BaseException.__init__() needs an argument");
        auto *self = llvm::dyn_cast<InstanceObject>(args.positional[0]);
        if (!self || !self->cls->isSubclassOf(classes.baseException))
          return typeError(
              "descriptor '__init__' requires a 'BaseException' object but received a '" +
              m.typeName(args.positional[0]) + "'");
        if (!args.keywords.empty() && !args.keyword("name") && !args.keyword("path") &&
            !args.keyword("obj"))
          return m.raise("TypeError", m.typeName(self) + "() takes no keyword arguments");
        self->payload = m.makeTuple(args.positional.drop_front());
        return m.none();
      }));
  m.addBuiltin(base, "with_traceback", "(self, tb, /)",
               [](Machine &, llvm::ArrayRef<Value> args) { return args[0]; });
  m.addBuiltin(base, "add_note", "(self, note, /)",
               [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
                 Namespace *attrs = attrsOf(args[0]);
                 Value notes = attrs->get(n.notes);
                 if (!notes)
                   attrs->set(n.notes, notes = m.makeList());
                 llvm::cast<ListObject>(notes)->items.push_back(args[1]);
                 return m.none();
               });
}

static Value makeInstance(Internals &in, ClassObject &cls) {
  switch (cls.layout) {
  case Kind::Instance:
    return in.m.make<InstanceObject>(&cls);
  case Kind::List:
    return in.m.make<ListObject>(&cls);
  case Kind::Dict:
    return in.m.make<DictObject>(&cls);
  case Kind::Set:
    return in.m.make<SetObject>(&cls, cls.isSubclassOf(in.classes.frozenset));
  default:
    return in.m.refuse("object.__new__(" + cls.name + ") is not supported");
  }
}

void Internals::setUpObjectMethods() {
  ClassObject *object = classes.object;
  auto attributeName = [this](Value name) -> Name {
    if (auto *text = llvm::dyn_cast<StrObject>(name))
      return m.intern(text->text);
    typeError("attribute name must be string, not '" + m.typeName(name) + "'");
    return nullptr;
  };
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, Machine::BoundFn fn) {
    m.addBuiltin(object, name, signature, std::move(fn));
  };
  auto *make = m.makeBuiltin("__new__", [this](Machine &m, const CallArgs &args) -> Value {
    if (args.positional.empty() || args.positional[0]->kind != Kind::Class)
      return typeError("object.__new__(): not enough arguments");
    auto *cls = llvm::cast<ClassObject>(args.positional[0]);
    bool extra = args.positional.size() > 1 || !args.keywords.empty();
    if (extra && cls->lookup(n.init) == classes.object->attrs->get(n.init))
      return typeError(cls->name + "() takes no arguments");
    // Classes that leave abstract methods open cannot be made.
    if (Value open = cls->attrs->get(m.intern("__abstractmethods__")))
      if (auto names = m.items(open); names && !names->empty()) {
        std::string list;
        for (Value name : *names)
          list += (list.empty() ? "" : ", ") + m.str(name).value_or("");
        return typeError("Can't instantiate abstract class " + cls->name + " with abstract method" +
                         (names->size() == 1 ? "" : "s") + " " + list);
      }
    return makeInstance(*this, *cls);
  });
  object->attrs->set(n.new_,
                     m.make<WrappedMethodObject>(Kind::StaticMethod, classes.staticMethod, make));
  object->attrs->set(
      n.init, m.makeBuiltin("__init__", [](Machine &m, const CallArgs &) { return m.none(); }));
  add("__setattr__", "(self, name, value, /)",
      [this, attributeName](Machine &m, llvm::ArrayRef<Value> args) -> Value {
        Name name = attributeName(args[1]);
        return name && genericSet(args[0], name, args[2]) ? m.none() : nullptr;
      });
  add("__delattr__", "(self, name, /)",
      [this, attributeName](Machine &m, llvm::ArrayRef<Value> args) -> Value {
        Name name = attributeName(args[1]);
        return name && genericSet(args[0], name, nullptr) ? m.none() : nullptr;
      });
  add("__getattribute__", "(self, name, /)",
      [this, attributeName](Machine &m, llvm::ArrayRef<Value> args) -> Value {
        Name name = attributeName(args[1]);
        if (!name)
          return nullptr;
        bool found;
        Value value = genericGet(args[0], name, found);
        if (!found && !m.pending())
          value = builtinAttribute(args[0], name, found);
        return value || m.pending() ? value : attributeError(args[0], name);
      });
  m.addBuiltin(classes.type, "mro", "(self, /)",
               [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
                 Value mro = m.getAttribute(args[0], n.mro);
                 auto items = mro ? m.items(mro) : std::nullopt;
                 return items ? m.makeList(*items) : nullptr;
               });
  auto text = [this](std::optional<std::string> made) -> Value {
    return made ? m.makeStr(*made) : nullptr;
  };
  add("__repr__", "(self, /)", [this, text](Machine &m, llvm::ArrayRef<Value> args) -> Value {
    return text(nativeRepr(args[0]));
  });
  add("__str__", "(self, /)", [this, text](Machine &m, llvm::ArrayRef<Value> args) -> Value {
    return text(nativeStr(args[0]));
  });
  add("__format__", "(self, spec, /)",
      [this, text](Machine &m, llvm::ArrayRef<Value> args) -> Value {
        auto *spec = llvm::dyn_cast<StrObject>(args[1]);
        if (!spec)
          return typeError("__format__() argument must be str, not " + m.typeName(args[1]));
        return text(nativeFormat(args[0], spec->text));
      });
  add("__hash__", "(self, /)", [](Machine &m, llvm::ArrayRef<Value> args) -> Value {
    if (args[0]->kind == Kind::Instance)
      return m.makeInt(int64_t(reinterpret_cast<uintptr_t>(args[0]) >> 4));
    auto hash = m.hash(args[0]);
    return hash ? m.makeInt(int64_t(*hash)) : nullptr;
  });
  static const std::pair<const char *, CompareOperator> comparisons[] = {
      {"__eq__", CompareOperator::Eq}, {"__ne__", CompareOperator::NotEq},
      {"__lt__", CompareOperator::Lt}, {"__le__", CompareOperator::LtE},
      {"__gt__", CompareOperator::Gt}, {"__ge__", CompareOperator::GtE}};
  for (auto [name, op] : comparisons) {
    CompareOperator wanted = op;
    add(name, "(self, other, /)", [this, wanted](Machine &m, llvm::ArrayRef<Value> args) -> Value {
      if (args[0] == args[1] && args[0]->kind == Kind::Instance && wanted == CompareOperator::Eq)
        return m.makeBool(true);
      return nativeCompare(wanted, args[0], args[1]);
    });
  }
  object->attrs->set(n.initSubclass, m.make<WrappedMethodObject>(
                                         Kind::ClassMethod, classes.classMethod,
                                         m.makeBuiltin("__init_subclass__", "(cls, /)",
                                                       [](Machine &m, llvm::ArrayRef<Value>) {
                                                         return m.none();
                                                       })));
}
