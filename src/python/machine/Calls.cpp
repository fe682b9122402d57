// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Evaluator.h"

using namespace nereid;
using namespace nereid::machine;

namespace {
/// A function's parameters in order.
struct Parameters {
  explicit Parameters(Internals &in, const CodeInfo &code) {
    const ast::Arguments &args = *code.args;
    positionalOnly = args.posonlyargs.size();
    for (auto *arg : args.posonlyargs)
      positional.push_back(in.nameOf(arg->arg));
    for (auto *arg : args.args)
      positional.push_back(in.nameOf(arg->arg));
    for (auto *arg : args.kwonlyargs)
      keywordOnly.push_back(in.nameOf(arg->arg));
    star = args.vararg ? in.nameOf(args.vararg->arg) : nullptr;
    doubleStar = args.kwarg ? in.nameOf(args.kwarg->arg) : nullptr;
  }
  llvm::SmallVector<Name, 8> positional, keywordOnly;
  size_t positionalOnly;
  Name star, doubleStar;
};
} // namespace

static std::string listNames(llvm::ArrayRef<Name> names) {
  std::string out;
  for (size_t i = 0; i != names.size(); ++i) {
    if (i)
      out += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    out += "'" + names[i]->text.str() + "'";
  }
  return out;
}

static Failure missing(Internals &in, llvm::StringRef function, llvm::ArrayRef<Name> names,
                       llvm::StringRef kind) {
  return in.typeError(function + "() missing " + llvm::Twine(names.size()) + " required " + kind +
                      " argument" + (names.size() == 1 ? "" : "s") + ": " + listNames(names));
}

static Failure tooMany(Internals &in, FunctionObject &function, const Parameters &parameters,
                       size_t given, const Namespace &locals) {
  size_t most = parameters.positional.size(), least = most - function.defaults.size();
  size_t keywordGiven = 0;
  for (Name name : parameters.keywordOnly)
    keywordGiven += locals.get(name) != nullptr;
  std::string takes = function.defaults.empty()
                          ? std::to_string(most)
                          : "from " + std::to_string(least) + " to " + std::to_string(most);
  bool plural = function.defaults.empty() ? most != 1 : true;
  std::string was = std::to_string(given);
  if (keywordGiven)
    was += " positional argument" + std::string(given == 1 ? "" : "s") + " (and " +
           std::to_string(keywordGiven) + " keyword-only argument" +
           (keywordGiven == 1 ? "" : "s") + ")";
  return in.typeError(function.qualifiedName + "() takes " + takes + " positional argument" +
                      (plural ? "s" : "") + " but " + was +
                      (given == 1 && !keywordGiven ? " was given" : " were given"));
}

bool Internals::bindParameters(FunctionObject &function, const CallArgs &args, Namespace &locals,
                               Frame *policyFrame) {
  Parameters parameters(*this, *function.code);
  size_t positional = parameters.positional.size();
  auto put = [&](Name name, Value value) {
    if (policyFrame)
      if (auto answer = policyFrame->policy->passArgument(m, *policyFrame, name, value)) {
        if (!(value = *answer))
          return false;
      }
    locals.set(name, value);
    return true;
  };
  size_t taken = std::min(args.positional.size(), positional);
  for (size_t i = 0; i != taken; ++i)
    if (!put(parameters.positional[i], args.positional[i]))
      return false;
  DictObject *rest = parameters.doubleStar ? m.makeDict() : nullptr;
  llvm::SmallVector<Name> misplaced;
  for (auto &[name, value] : args.keywords) {
    auto *at = llvm::find(parameters.positional, name);
    size_t index = at - parameters.positional.begin();
    bool named = (at != parameters.positional.end() && index >= parameters.positionalOnly) ||
                 llvm::is_contained(parameters.keywordOnly, name);
    if (named) {
      if (locals.get(name))
        return typeError(function.qualifiedName + "() got multiple values for argument '" +
                         name->text + "'");
      if (!put(name, value))
        return false;
    } else if (rest) {
      if (!insert(rest->table, name, value))
        return false;
    } else if (at != parameters.positional.end()) {
      misplaced.push_back(name);
    } else {
      return typeError(function.qualifiedName + "() got an unexpected keyword argument '" +
                       name->text + "'");
    }
  }
  if (!misplaced.empty()) {
    std::string names;
    for (Name name : misplaced)
      names += (names.empty() ? "" : ", ") + name->text.str();
    return typeError(function.qualifiedName +
                     "() got some positional-only arguments passed as keyword arguments: '" +
                     names + "'");
  }
  if (args.positional.size() > positional && !parameters.star)
    return tooMany(*this, function, parameters, args.positional.size(), locals);
  llvm::SmallVector<Name> absent;
  size_t firstDefault = positional - function.defaults.size();
  for (size_t i = taken; i < positional; ++i) {
    if (locals.get(parameters.positional[i]))
      continue;
    if (i < firstDefault)
      absent.push_back(parameters.positional[i]);
    else if (!put(parameters.positional[i], function.defaults[i - firstDefault]))
      return false;
  }
  if (!absent.empty())
    return missing(*this, function.qualifiedName, absent, "positional");
  if (parameters.star && !put(parameters.star, m.makeTuple(args.positional.drop_front(taken))))
    return false;
  for (Name name : parameters.keywordOnly) {
    if (locals.get(name))
      continue;
    Value byDefault = nullptr;
    for (auto &[key, value] : function.keywordDefaults)
      if (key == name)
        byDefault = value;
    if (!byDefault)
      absent.push_back(name);
    else if (!put(name, byDefault))
      return false;
  }
  if (!absent.empty())
    return missing(*this, function.qualifiedName, absent, "keyword-only");
  return !rest || put(parameters.doubleStar, rest);
}

std::vector<Name> Machine::parameterNames(const FunctionObject &function) {
  Parameters parameters(*internals, *function.code);
  std::vector<Name> names(parameters.positional.begin(), parameters.positional.end());
  if (parameters.star)
    names.push_back(parameters.star);
  names.insert(names.end(), parameters.keywordOnly.begin(), parameters.keywordOnly.end());
  if (parameters.doubleStar)
    names.push_back(parameters.doubleStar);
  return names;
}

std::optional<std::vector<std::pair<Name, Value>>> Machine::bindArguments(FunctionObject &function,
                                                                          const CallArgs &args) {
  Namespace locals;
  if (!internals->bindParameters(function, args, locals, nullptr))
    return std::nullopt;
  std::vector<std::pair<Name, Value>> bound;
  for (Name name : parameterNames(function))
    bound.push_back({name, locals.get(name)});
  return bound;
}

Value Machine::annotation(FunctionObject &function, llvm::StringRef parameter) {
  const ast::Expr *expr = nullptr;
  const ast::Arguments &args = *function.code->args;
  for (auto group : {args.posonlyargs, args.args, args.kwonlyargs})
    for (auto *arg : group)
      if (arg->arg == parameter)
        expr = arg->annotation;
  for (auto *arg : {args.vararg, args.kwarg})
    if (arg && arg->arg == parameter)
      expr = arg->annotation;
  if (auto *def = function.code->getDef(); def && parameter == "return")
    expr = def->returns;
  if (!expr)
    return nullptr;
  // Where the function was defined; its own locals are not in sight.
  Frame scope;
  scope.kind = FrameKind::Comprehension;
  scope.code = function.code;
  CodeInfo plain;
  plain.file = function.code->file;
  plain.node = function.code->node;
  scope.code = &plain;
  scope.locals = makeNamespace(nullptr);
  scope.module = function.module;
  scope.closure = function.closure;
  scope.caller = frame;
  Frame *saved = frame;
  frame = &scope;
  Value value = Evaluator(*internals, scope).eval(*expr);
  frame = saved;
  // A name that is not there, as under `from __future__ import annotations`.
  if (value || internals->fatal || !catchException("NameError"))
    return value;
  return makeStr(plain.file->getText(*expr));
}

Frame *Internals::takeFrame() {
  if (idleFrames.empty()) {
    auto *made = m.make<Frame>();
    made->locals = m.makeNamespace(nullptr);
    return made;
  }
  Frame *known = idleFrames.back();
  idleFrames.pop_back();
  // For journals it is as new as one that is made now.
  known->locals->epoch = m.journalCounter;
  return known;
}

void Internals::giveFrame(Frame *ended) {
  if (captured.contains(ended))
    return;
  Namespace *locals = ended->locals;
  locals->slots.clear();
  locals->index.clear();
  locals->owner = nullptr;
  *ended = Frame();
  ended->locals = locals;
  idleFrames.push_back(ended);
}

void Internals::capture(const Frame *frame) {
  for (; frame && captured.insert(frame).second; frame = frame->closure)
    ;
}

Value Internals::callFunction(FunctionObject &function, const CallArgs &args, Library *policy,
                              void *policyData) {
  const CodeInfo &code = *function.code;
  if (code.isAsync)
    return m.refuseAt(m.location().file ? m.location() : m.definitionOf(&function),
                      "the async function " + function.qualifiedName + " is called",
                      "write a plain function: there is no event loop");
  if (depth >= m.limits.depth || stackLow()) {
    m.refuse("calls are nested more than " + llvm::Twine(depth) + " deep",
             "check that the recursion ends");
    fatal = true;
    return nullptr;
  }
  if (!m.step())
    return nullptr;
  Frame *callee = takeFrame();
  callee->code = &code;
  callee->module = function.module;
  callee->closure = function.closure;
  callee->function = &function;
  callee->policy = policy ? policy : m.defaultPolicy;
  callee->policyData = policyData;
  callee->caller = frame;
  if (!bindParameters(function, args, *callee->locals, callee->policy ? callee : nullptr))
    return nullptr;
  auto run = [this, callee]() -> Completion { return Evaluator(*this, *callee).runFunction(); };
  if (code.isGenerator)
    return makeGenerator(callee, run);
  Frame *saved = frame;
  frame = callee;
  ++depth;
  Completion ended = run();
  --depth;
  frame = saved;
  giveFrame(callee);
  return ended.isRaise() ? nullptr : ended.value;
}

Value Machine::callWithPolicy(FunctionObject &function, const CallArgs &args, Library &policy,
                              void *policyData) {
  Value result = nullptr;
  session([&] { result = internals->callFunction(function, args, &policy, policyData); });
  return result;
}

Value Internals::instantiate(ClassObject &cls, const CallArgs &args) {
  Value constructor = cls.lookup(n.new_);
  Value made;
  llvm::SmallVector<Value> withClass{&cls};
  withClass.append(args.positional.begin(), args.positional.end());
  if (auto *wrapped = llvm::dyn_cast<WrappedMethodObject>(constructor))
    constructor = wrapped->function;
  made = m.call(constructor, CallArgs{withClass, args.keywords});
  if (!made || !made->cls->isSubclassOf(&cls))
    return made;
  Value init = made->cls->lookup(n.init);
  if (init == classes.object->attrs->get(n.init)) {
    bool ownNew = constructor != classes.object->attrs->get(n.new_);
    if (!ownNew && (!args.positional.empty() || !args.keywords.empty()))
      return typeError(cls.name + "() takes no arguments");
    return made;
  }
  Value bound = bind(init, made, made->cls);
  Value result = bound ? m.call(bound, args) : nullptr;
  if (!result)
    return nullptr;
  if (result != m.none())
    return typeError("__init__() should return None, not '" + m.typeName(result) + "'");
  return made;
}

Value Internals::callClass(ClassObject &cls, const CallArgs &args) {
  if (&cls == classes.type && args.positional.size() == 1 && args.keywords.empty())
    return args.positional[0]->cls;
  if (cls.library)
    if (auto answer = cls.library->create(m, cls, args))
      return *answer;
  return instantiate(cls, args);
}

Value Machine::call(Value callee, const CallArgs &args) {
  Internals &in = *internals;
  if (pending())
    return nullptr;
  if (!in.currentFiber && !in.stackLimit) {
    Value result = nullptr;
    session([&] { result = call(callee, args); });
    return result;
  }
  if (in.stackLow()) {
    refuse("calls are nested too deeply", "check that the recursion ends");
    in.fatal = true;
    return nullptr;
  }
  switch (callee->kind) {
  case Kind::Function: {
    auto *function = llvm::cast<FunctionObject>(callee);
    if (!in.marked.empty())
      if (Library *library = in.marked.lookup(function))
        if (auto answer = library->callFunction(*this, *function, args))
          return *answer;
    return in.callFunction(*function, args, nullptr, nullptr);
  }
  case Kind::Builtin:
    if (!step())
      return nullptr;
    return llvm::cast<BuiltinObject>(callee)->fn(*this, args);
  case Kind::BoundMethod: {
    auto *method = llvm::cast<BoundMethodObject>(callee);
    llvm::SmallVector<Value, 8> withSelf{method->self};
    withSelf.append(args.positional.begin(), args.positional.end());
    return call(method->function, CallArgs{withSelf, args.keywords});
  }
  case Kind::Class: {
    auto *cls = llvm::cast<ClassObject>(callee);
    if (Value hook = in.userMethod(cls, in.n.call))
      return call(hook, args);
    return pending() ? nullptr : in.callClass(*cls, args);
  }
  case Kind::Opaque: {
    auto *opaque = llvm::cast<OpaqueObject>(callee);
    // A package's own name for what orders versions.
    if (spreadsOpaque && opaque->path.ends_with(".Version") && args.positional.size() == 1 &&
        llvm::isa<StrObject>(args.positional.front())) {
      Value module = in.importByName("packaging.version", nullptr);
      return module ? call(getAttribute(module, "Version"), args) : nullptr;
    }
    bool isLimit = opaque->path.ends_with(".iinfo") || opaque->path.ends_with(".finfo");
    auto *type = isLimit && args.positional.size() == 1
                     ? llvm::dyn_cast<OpaqueObject>(args.positional.front())
                     : nullptr;
    return in.useOpaque(*opaque, "called", ("(" + (type ? type->path : "") + ")").str());
  }
  case Kind::StaticMethod:
    return call(llvm::cast<WrappedMethodObject>(callee)->function, args);
  default:
    break;
  }
  if (Library *library = in.libraryOf(callee))
    if (auto answer = library->call(*this, callee, args))
      return *answer;
  if (Value hook = in.userMethod(callee, in.n.call))
    return call(hook, args);
  if (pending())
    return nullptr;
  if (callee->cls == builtins->genericAlias || callee->cls == builtins->typingSpecial)
    if (Value origin = callee->attrs ? callee->attrs->get(in.n.origin) : nullptr;
        origin && origin != noneValue)
      return call(origin, args);
  if (callee->cls == builtins->typingSpecial) {
    auto *text = llvm::dyn_cast_if_present<StrObject>(llvm::cast<InstanceObject>(callee)->payload);
    if (!text || text->text != "typing.NamedTuple")
      return callee;
    Value collections = in.importByName("collections", nullptr);
    Value make = collections ? getAttribute(collections, "_named_tuple_of") : nullptr;
    return make ? call(make, args) : nullptr;
  }
  return in.typeError("'" + typeName(callee) + "' object is not callable");
}

Value Machine::call(Value callee, llvm::ArrayRef<Value> args) {
  return call(callee, CallArgs{args, {}});
}

Value Machine::callMethod(Value object, llvm::StringRef name, llvm::ArrayRef<Value> args) {
  Value method = getAttribute(object, name);
  return method ? call(method, args) : nullptr;
}
