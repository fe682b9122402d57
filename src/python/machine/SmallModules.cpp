// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules `typing` (names for annotations, all harmless) and `_nereid` (what the preludes need
// from C++).
#include "python/machine/Evaluator.h"

#include "llvm/Support/Process.h"

using namespace nereid;
using namespace nereid::machine;

using Args = llvm::ArrayRef<Value>;

static bool isKey(Machine &m, Value value) {
  if (auto *tuple = llvm::dyn_cast<TupleObject>(value))
    return llvm::all_of(tuple->items, [&](Value item) { return isKey(m, item); });
  auto *foreign = llvm::dyn_cast<Foreign>(value);
  return !foreign || !foreign->library.convert(m, value, "key");
}

Value Internals::namedTupleHook(llvm::ArrayRef<Value> bases) {
  for (Value base : bases)
    if (base->cls == classes.typingSpecial)
      if (auto *text =
              llvm::dyn_cast_if_present<StrObject>(llvm::cast<InstanceObject>(base)->payload);
          text && text->text == "typing.NamedTuple") {
        Value collections = importByName("collections", nullptr);
        return collections ? m.getAttribute(collections, "_named_tuple_class") : nullptr;
      }
  return nullptr;
}

ModuleObject *Internals::makeTypingModule(llvm::StringRef name) {
  ModuleObject *module = m.makeModule(name, nullptr);
  Namespace &names = *module->attrs;
  auto special = [&](llvm::StringRef member, Value origin) {
    auto *object = m.make<InstanceObject>(classes.typingSpecial);
    object->payload = m.makeStr("typing." + member.str());
    if (origin)
      attrsOf(object)->set(n.origin, origin);
    names.set(m.intern(member), object);
  };
  static const char *const plain[] = {
      "Any",       "Union",    "Optional",    "Literal", "ClassVar",      "Final",
      "Annotated", "NoReturn", "Never",       "Self",    "Concatenate",   "TypeAlias",
      "TypeGuard", "Required", "NotRequired", "Unpack",  "LiteralString", "NamedTuple",
      "IO",        "Pattern",  "Match",       "ReadOnly"};
  for (const char *member : plain)
    special(member, nullptr);
  auto like = [&](llvm::ArrayRef<const char *> members, Value origin) {
    for (const char *member : members)
      special(member, origin);
  };
  like({"List"}, classes.list);
  like({"Dict", "DefaultDict", "OrderedDict", "Counter"}, classes.dict);
  like({"Tuple"}, classes.tuple);
  like({"Set"}, classes.set);
  like({"FrozenSet"}, classes.frozenset);
  like({"Type"}, classes.type);
  like({"Text"}, classes.str);
  like({"SupportsInt", "SupportsFloat", "SupportsComplex", "SupportsAbs", "SupportsRound"},
       m.makeTuple({classes.intClass, classes.floatClass}));
  like({"SupportsIndex"}, classes.intClass);
  like({"SupportsBytes"}, classes.bytes);
  // The others stand for the classes of collections.abc. Where a limit of the machine is reached
  // while these are read there is no module.
  Value abstract = importByName("_nereid_collections_abc", nullptr);
  Value written = abstract ? importByName("_nereid_typing", nullptr) : nullptr;
  if (!written)
    return nullptr;
  for (const char *member :
       {"Callable",       "Hashable",       "Iterable",    "Iterator",        "Reversible",
        "Generator",      "Awaitable",      "Coroutine",   "AsyncIterable",   "AsyncIterator",
        "AsyncGenerator", "Sized",          "Container",   "Collection",      "MutableSet",
        "Mapping",        "MutableMapping", "MappingView", "KeysView",        "ItemsView",
        "ValuesView",     "Sequence",       "ByteString",  "MutableSequence", "Buffer"})
    special(member, m.getAttribute(abstract, member));
  special("AbstractSet", m.getAttribute(abstract, "Set"));
  for (const char *member :
       {"TypeVar", "ParamSpec", "TypeVarTuple", "AnyStr", "NewType", "ForwardRef", "TypedDict",
        "Protocol", "runtime_checkable", "get_type_hints", "assert_never", "assert_type",
        "reveal_type", "is_typeddict"})
    names.set(m.intern(member), m.getAttribute(written, member));
  names.set(m.intern("runtime"), names.get(m.intern("runtime_checkable")));
  names.set(m.intern("Generic"), newClass("Generic", classes.object, Kind::Instance));
  names.set(m.intern("TYPE_CHECKING"), m.makeBool(false));
  names.set(m.intern("NoneType"), classes.noneType);
  names.set(m.intern("ModuleType"), classes.module);
  auto identity = [](Machine &, Args a) { return a[0]; };
  for (const char *decorator : {"overload", "final", "no_type_check", "override"})
    m.addBuiltin(module, decorator, "(x, /)", identity);
  m.addBuiltin(module, "cast", "(typ, val, /)", [](Machine &, Args a) { return a[1]; });
  m.addBuiltin(module, "deprecated", "(message, /, **options)", [identity](Machine &m, Args) {
    return m.makeBuiltin("deprecated", "(x, /)", identity);
  });
  m.addBuiltin(module, "dataclass_transform", "(**options)", [identity](Machine &m, Args) {
    return m.makeBuiltin("dataclass_transform", "(x, /)", identity);
  });
  m.addBuiltin(module, "get_origin", "(tp, /)", [this](Machine &m, Args a) -> Value {
    Value origin = a[0]->attrs && a[0]->kind == Kind::Instance && a[0]->attrs->get(n.typeArgs)
                       ? a[0]->attrs->get(n.origin)
                       : nullptr;
    // List[int] is of the form List, which stands for list.
    Value form = origin && origin->cls == classes.typingSpecial && origin->attrs
                     ? origin->attrs->get(n.origin)
                     : nullptr;
    return form ? form : origin ? origin : m.none();
  });
  m.addBuiltin(module, "get_args", "(tp, /)", [this](Machine &m, Args a) -> Value {
    bool isAlias = a[0]->kind == Kind::Instance && a[0]->attrs;
    Value args = isAlias ? a[0]->attrs->get(n.typeArgs) : nullptr;
    return args ? args : m.makeTuple({});
  });
  if (name == "types") {
    // SimpleNamespace is a plain object with attributes.
    auto *cls = m.makeClass("SimpleNamespace", {}, nullptr);
    m.addBuiltin(cls, "__init__", "(self, /, **kwargs)", [this](Machine &m, Args a) -> Value {
      for (auto &entry : llvm::cast<DictObject>(a[1])->table.entries)
        if (!m.setAttribute(a[0], m.intern(llvm::cast<StrObject>(entry.key)->text), entry.value))
          return nullptr;
      return m.none();
    });
    m.addBuiltin(cls, "__repr__", "(self, /)", [this](Machine &m, Args a) -> Value {
      std::string out = "namespace(";
      for (auto &slot : attrsOf(a[0])->slots) {
        auto text = m.repr(slot.value);
        if (!text)
          return nullptr;
        out += (out.back() == '(' ? "" : ", ") + slot.name->text.str() + "=" + *text;
      }
      return m.makeStr(out + ")");
    });
    names.set(m.intern("SimpleNamespace"), cls);
    for (auto [member, type] : {std::pair<const char *, Value>("FunctionType", classes.function),
                                {"LambdaType", classes.function},
                                {"BuiltinFunctionType", classes.builtinFunction},
                                {"BuiltinMethodType", classes.builtinFunction},
                                {"MethodType", classes.boundMethod},
                                {"GeneratorType", classes.generator},
                                {"MappingProxyType", classes.mappingProxy},
                                {"GenericAlias", classes.genericAlias},
                                {"UnionType", classes.genericAlias}})
      names.set(m.intern(member), type);
  }
  return module;
}

/// Evaluates the text of one `def` with some names in sight, and names the function.
static Value define(Internals &in, Args a) {
  Machine &m = in.m;
  auto *text = llvm::cast<StrObject>(a[0]);
  auto *names = llvm::cast<DictObject>(a[1]);
  auto file = std::make_shared<SourceFile>("<generated>", text->text.str());
  Diagnostics diagnostics;
  const ast::ParsedFile *parsed = in.parse(file, diagnostics);
  if (!parsed)
    return m.refuse("a field has a name that is no identifier");
  const ast::ParsedFile &kept = *parsed;
  auto *def = llvm::cast<ast::FunctionDef>(kept.getModule().body.front());
  ModuleObject *module =
      m.makeModule(in.frame && in.frame->module ? in.frame->module->name : "", nullptr);
  for (auto &entry : names->table.entries)
    if (entry.key)
      module->attrs->set(m.intern(llvm::cast<StrObject>(entry.key)->text), entry.value);
  Frame scope;
  scope.kind = FrameKind::Module;
  scope.code = in.codeOf(kept.getModule(), kept);
  scope.locals = module->attrs;
  scope.module = module;
  scope.caller = in.frame;
  Frame *saved = in.frame;
  in.frame = &scope;
  Value function = Evaluator(in, scope).makeFunction(*def, *def->args, in.nameOf(def->name));
  in.frame = saved;
  if (function)
    llvm::cast<FunctionObject>(function)->qualifiedName = llvm::cast<StrObject>(a[2])->text;
  return function;
}

/// Whether instances of a built-in class have one of the methods that collections.abc asks for.
static bool builtinHasMethod(Internals &in, ClassObject *cls, llvm::StringRef name) {
  const Builtins &c = in.classes;
  bool isView = cls == c.dictKeys || cls == c.dictValues || cls == c.dictItems;
  bool isMutable = cls == c.list || cls == c.dict || cls == c.set;
  bool isCollection = isMutable || cls == c.str || cls == c.bytes || cls == c.tuple ||
                      cls == c.frozenset || cls == c.range || isView || cls == c.mappingProxy;
  bool isIterator = cls->layout == Kind::Iterator || cls == c.generator;
  if (name == "__hash__")
    return cls != c.object && !isMutable && cls != c.dictKeys && cls != c.dictItems;
  if (name == "__iter__")
    return isCollection || isIterator;
  if (name == "__next__")
    return isIterator;
  if (name == "__contains__")
    return isCollection && cls != c.dictValues;
  if (name == "__len__")
    return isCollection;
  if (name == "__reversed__")
    return cls == c.list || cls == c.dict || cls == c.range || isView;
  if (name == "__call__")
    return cls == c.function || cls == c.builtinFunction || cls == c.boundMethod || cls == c.type ||
           cls == c.staticMethod;
  bool isOfGenerator = name == "send" || name == "throw" || name == "close";
  return (isOfGenerator && cls == c.generator) || cls->attrs->get(in.m.intern(name));
}

/// Whether a class has a method, as the hooks of collections.abc ask: `__hash__ = None` is none.
static std::optional<bool> hasMethod(Internals &in, ClassObject *cls, llvm::StringRef name) {
  if (cls->builtin && name == "__hash__")
    return builtinHasMethod(in, cls, name);
  for (ClassObject *base : cls->mro) {
    if (Value found = base->builtin ? nullptr : base->attrs->get(in.m.intern(name)))
      return found != in.m.none();
    if (base->builtin && base != in.classes.object && builtinHasMethod(in, base, name))
      return true;
  }
  if (name == "__hash__")
    return !cls->isSubclassOf(in.classes.list) && !cls->isSubclassOf(in.classes.dict) &&
           !(cls->isSubclassOf(in.classes.set));
  // Classes of a library say what they have.
  if (cls->library) {
    Value found = in.m.findAttribute(cls, in.m.intern(name));
    return in.m.pending() ? std::nullopt : std::optional(found != nullptr);
  }
  return false;
}

static Value shallowCopy(Internals &in, Value value) {
  Machine &m = in.m;
  Object *copy = nullptr;
  switch (value->kind) {
  case Kind::List: {
    auto *list = m.make<ListObject>(value->cls);
    list->items = llvm::cast<ListObject>(value)->items;
    copy = list;
    break;
  }
  case Kind::Dict: {
    auto *dict = m.make<DictObject>(value->cls);
    dict->table = llvm::cast<DictObject>(value)->table;
    copy = dict;
    break;
  }
  case Kind::Set: {
    auto *set = m.make<SetObject>(value->cls, llvm::cast<SetObject>(value)->frozen);
    set->table = llvm::cast<SetObject>(value)->table;
    copy = set;
    break;
  }
  case Kind::Instance: {
    auto *instance = m.make<InstanceObject>(value->cls);
    instance->payload = llvm::cast<InstanceObject>(value)->payload;
    copy = instance;
    break;
  }
  case Kind::Foreign:
    if (auto answer =
            llvm::cast<Foreign>(value)->library.builtinCall(m, "copy.copy", CallArgs{value, {}}))
      return *answer;
    return value;
  default:
    return value; // numbers, text, functions, classes: shared, as in CPython
  }
  if (value->attrs) {
    copy->attrs = m.makeNamespace(copy);
    for (auto &slot : value->attrs->slots)
      if (slot.value)
        copy->attrs->set(slot.name, slot.value);
  }
  return copy;
}

static Value parametersOf(Internals &in, Value value) {
  Machine &m = in.m;
  auto *method = llvm::dyn_cast<BoundMethodObject>(value);
  auto *function = llvm::dyn_cast<FunctionObject>(method ? method->function : value);
  const ast::Arguments *args = function ? function->code->args : nullptr;
  if (!args)
    return m.none();
  llvm::SmallVector<Value> rows;
  auto add = [&](const ast::Arg &arg, int64_t kind, Value fallback) {
    rows.push_back(m.makeTuple({m.intern(arg.arg), m.makeInt(kind), m.makeBool(fallback != nullptr),
                                fallback ? fallback : m.none()}));
  };
  enum Kind : uint8_t { PositionalOnly, Positional, Several, KeywordOnly, Keywords };
  size_t count = args->posonlyargs.size() + args->args.size();
  size_t first = count - std::min<size_t>(count, function->defaults.size());
  size_t number = 0;
  auto fallbackOf = [&] {
    Value fallback = number >= first ? function->defaults[number - first] : nullptr;
    ++number;
    return fallback;
  };
  for (const ast::Arg *arg : args->posonlyargs)
    add(*arg, PositionalOnly, fallbackOf());
  for (const ast::Arg *arg : args->args)
    add(*arg, Positional, fallbackOf());
  if (args->vararg)
    add(*args->vararg, Several, nullptr);
  for (const ast::Arg *arg : args->kwonlyargs) {
    Value fallback = nullptr;
    for (auto [name, known] : function->keywordDefaults)
      if (name->text == arg->arg)
        fallback = known;
    add(*arg, KeywordOnly, fallback);
  }
  if (args->kwarg)
    add(*args->kwarg, Keywords, nullptr);
  return m.makeList(llvm::ArrayRef(rows).drop_front(method ? 1 : 0));
}

ModuleObject *Internals::makeMachineModule() {
  ModuleObject *module = m.makeModule("_nereid", nullptr);
  m.addBuiltin(module, "define", "(text, names, qualname, /)",
               [this](Machine &, Args a) { return define(*this, a); });
  m.addBuiltin(module, "getenv", "(name, /)", [this](Machine &m, Args a) -> Value {
    auto *name = llvm::dyn_cast<StrObject>(a[0]);
    if (name && answers)
      answers->addVariable(name->text);
    std::optional<std::string> value = name ? llvm::sys::Process::GetEnv(name->text) : std::nullopt;
    return value ? m.makeStr(*value) : m.none();
  });
  m.addBuiltin(module, "refuse", "(message, help, /)", [](Machine &m, Args a) -> Value {
    return m.refuse(llvm::cast<StrObject>(a[0])->text, llvm::cast<StrObject>(a[1])->text);
  });
  m.addBuiltin(module, "unknown", "(dotted, /)", [this](Machine &, Args a) -> Value {
    return this->m.make<OpaqueObject>(
        classes.opaque, this->m.save(llvm::cast<StrObject>(a[0])->text), SourceLocation());
  });
  m.addBuiltin(
      module, "import_module", "(name, package=None)", [this](Machine &m, Args a) -> Value {
        auto *name = llvm::dyn_cast<StrObject>(a[0]), *package = llvm::dyn_cast<StrObject>(a[1]);
        if (!name)
          return m.make<OpaqueObject>(classes.opaque, "importlib.import_module()",
                                      SourceLocation());
        llvm::StringRef dotted = name->text;
        std::string above = package ? package->text.str() : "";
        if (dotted.consume_front("."))
          while (dotted.consume_front("."))
            above = llvm::StringRef(above).rsplit('.').first.str();
        else
          above.clear();
        std::string whole = above.empty() ? dotted.str() : above + "." + dotted.str();
        return importByName(whole, frame ? frame->module : nullptr);
      });
  // The parameters of a function of the program: name, kind as `inspect` counts them, whether there
  // is a default, and the default. None for others.
  m.addBuiltin(module, "parameters", "(function, /)",
               [this](Machine &, Args a) { return parametersOf(*this, a[0]); });
  m.addBuiltin(module, "has_method", "(cls, name, /)", [this](Machine &m, Args a) -> Value {
    std::optional<bool> has =
        hasMethod(*this, llvm::cast<ClassObject>(a[0]), llvm::cast<StrObject>(a[1])->text);
    return has ? m.makeBool(*has) : nullptr;
  });
  m.addBuiltin(module, "shallow", "(value, /)",
               [this](Machine &, Args a) { return shallowCopy(*this, a[0]); });
  m.addBuiltin(module, "attributes", "(object, /)", [this](Machine &m, Args a) -> Value {
    auto *dict = m.makeDict();
    if (a[0]->attrs && a[0]->kind != Kind::Class)
      for (auto &slot : a[0]->attrs->slots)
        if (slot.value && !insert(dict->table, slot.name, slot.value))
          return nullptr;
    return dict;
  });
  // An attribute as `__dict__` reads it, with a default for those that are not there.
  m.addBuiltin(module, "read", "(object, name, default, /)", [this](Machine &m, Args a) -> Value {
    auto *text = llvm::dyn_cast<StrObject>(a[1]);
    if (!text)
      return a[2];
    Name name = m.intern(text->text);
    Value value = getStored(a[0], name);
    if (!value && !m.pending())
      noteAbsent(a[0], name);
    return value || m.pending() ? value : a[2];
  });
  // Whether a tuple has a hash without deciding what the program leaves open.
  m.addBuiltin(module, "is_key", "(items, /)",
               [](Machine &m, Args a) { return m.makeBool(isKey(m, a[0])); });
  // An attribute as `__dict__` writes it: past properties and hooks.
  m.addBuiltin(module, "write", "(object, name, value=..., /)",
               [this](Machine &m, Args a) -> Value {
                 m.setName(*attrsOf(a[0]), m.intern(llvm::cast<StrObject>(a[1])->text),
                           a[2] == m.ellipsis() ? nullptr : a[2]);
                 return m.none();
               });
  m.addBuiltin(module, "share_name", "(wrapper, wrapped, /)", [this](Machine &m, Args a) -> Value {
    auto *to = llvm::dyn_cast<FunctionObject>(a[0]);
    auto *from = llvm::dyn_cast<FunctionObject>(a[1]);
    if (to && from) {
      to->name = from->name;
      if (Value doc = m.getAttribute(from, n.doc))
        m.setName(*attrsOf(to), n.doc, doc);
      if (from->attrs)
        for (auto &slot : std::vector(from->attrs->slots))
          if (slot.value)
            m.setName(*attrsOf(to), slot.name, slot.value);
    }
    return m.none();
  });
  return module;
}
