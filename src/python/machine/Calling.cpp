// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Evaluator.h"

using namespace nereid;
using namespace nereid::machine;

Frame *Evaluator::enclosingFunction() {
  bool functionLike = f.kind == FrameKind::Function || f.kind == FrameKind::Comprehension;
  return functionLike ? &f : f.closure;
}

std::string Evaluator::qualify(llvm::StringRef name) {
  if (f.kind == FrameKind::Module)
    return name.str();
  if (f.kind == FrameKind::Class) {
    Value prefix = f.locals->get(in.n.qualname);
    return (llvm::cast<StrObject>(prefix)->text + "." + name).str();
  }
  if (f.function)
    return (f.function->qualifiedName + ".<locals>." + name).str();
  return name.str();
}

Value Evaluator::makeFunction(const ast::Node &node, const ast::Arguments &args, Name name) {
  CodeInfo *code = in.codeOf(node, f.getFile());
  auto *function = m.make<FunctionObject>(in.classes.function, code);
  function->name = name;
  function->qualifiedName = m.save(qualify(name->text));
  function->closure = enclosingFunction();
  in.capture(function->closure);
  function->module = f.module;
  if (f.kind == FrameKind::Class)
    function->classCell = f.locals;
  else if (f.function)
    function->classCell = f.function->classCell;
  for (auto *expr : args.defaults) {
    Value value = eval(*expr);
    if (!value)
      return nullptr;
    function->defaults.push_back(value);
  }
  for (size_t i = 0; i != args.kwonlyargs.size(); ++i) {
    if (!args.kwDefaults[i])
      continue;
    Value value = eval(*args.kwDefaults[i]);
    if (!value)
      return nullptr;
    function->keywordDefaults.push_back({in.nameOf(args.kwonlyargs[i]->arg), value});
  }
  return function;
}

/// super() without arguments: the class in whose body the function stands, and its first argument.
static Value implicitSuper(Internals &in, Frame &f) {
  Frame *frame = &f;
  while (frame && frame->kind == FrameKind::Comprehension)
    frame = frame->closure;
  if (!frame || !frame->function || !frame->function->classCell)
    return in.m.raise("RuntimeError", "super(): no arguments");
  auto *cls = llvm::dyn_cast_if_present<ClassObject>(frame->function->classCell->owner);
  auto names = in.m.parameterNames(*frame->function);
  if (!cls || names.empty())
    return in.m.raise("RuntimeError", "super(): no arguments");
  Value self = frame->locals->get(names.front());
  if (!self)
    return in.m.raise("RuntimeError", "super(): arg[0] deleted");
  if (auto *tuple = llvm::dyn_cast<TupleObject>(self);
      tuple && frame->code->args->posonlyargs.empty() && frame->code->args->args.empty()) {
    if (tuple->items.empty())
      return in.m.raise("RuntimeError", "super(): no arguments");
    self = tuple->items[0];
  }
  return in.m.make<SuperObject>(in.classes.super, cls, self);
}

static bool spreadKeywords(Internals &in, Value mapping, llvm::StringRef callee,
                           llvm::SmallVectorImpl<std::pair<Name, Value>> &keywords) {
  std::vector<std::pair<Value, Value>> entries;
  if (auto *dict = llvm::dyn_cast<DictObject>(mapping)) {
    for (auto &entry : dict->table.entries)
      if (entry.key)
        entries.push_back({entry.key, entry.value});
  } else if (Value method = in.m.findAttribute(mapping, in.n.keys)) {
    Value keys = in.m.call(method);
    auto all = keys ? in.m.items(keys) : std::nullopt;
    if (!all)
      return false;
    for (Value key : *all) {
      Value value = in.m.getItem(mapping, key);
      if (!value)
        return false;
      entries.push_back({key, value});
    }
  } else {
    return in.typeError(callee + "() argument after ** must be a mapping, not " +
                        in.m.typeName(mapping));
  }
  for (auto &[key, value] : entries) {
    auto *text = llvm::dyn_cast<StrObject>(key);
    if (!text)
      return in.typeError("keywords must be strings");
    Name name = in.m.intern(text->text);
    if (llvm::any_of(keywords, [&](auto &given) { return given.first == name; }))
      return in.typeError(callee + "() got multiple values for keyword argument '" + name->text +
                          "'");
    keywords.push_back({name, value});
  }
  return true;
}

std::string Internals::describeCallable(Value callee) {
  if (auto *function = llvm::dyn_cast<FunctionObject>(callee))
    return (function->module->name + "." + function->qualifiedName).str();
  if (auto *method = llvm::dyn_cast<BoundMethodObject>(callee))
    return describeCallable(method->function);
  if (auto *cls = llvm::dyn_cast<ClassObject>(callee))
    return cls->module ? (cls->module->name + "." + cls->name).str() : cls->name.str();
  if (auto *builtin = llvm::dyn_cast<BuiltinObject>(callee))
    return builtin->name.str();
  return m.typeName(callee).str();
}

/// Whether a builtin may leave the generator that it is given before its end, and keeps it not.
static bool stopsEarly(Value callee) {
  auto *builtin = llvm::dyn_cast<BuiltinObject>(callee);
  return builtin && (builtin->name == "any" || builtin->name == "all" || builtin->name == "next");
}

Value Evaluator::evalCall(const ast::Call &node) {
  Value callee = eval(*node.func);
  if (!callee)
    return nullptr;
  llvm::SmallVector<Value, 8> positional;
  for (auto *arg : node.args) {
    if (auto *starred = llvm::dyn_cast<ast::Starred>(arg)) {
      Value iterable = eval(*starred->value);
      if (!iterable)
        return nullptr;
      auto all = m.items(iterable);
      if (!all) {
        if (m.catchException("TypeError"))
          in.typeError(in.describeCallable(callee) +
                       "() argument after * must be an iterable, not " + m.typeName(iterable));
        return nullptr;
      }
      positional.append(all->begin(), all->end());
      continue;
    }
    Value value = eval(*arg);
    if (!value)
      return nullptr;
    positional.push_back(value);
  }
  llvm::SmallVector<std::pair<Name, Value>, 4> keywords;
  for (auto *keyword : node.keywords) {
    Value value = eval(*keyword->value);
    if (!value)
      return nullptr;
    if (keyword->arg.empty()) {
      if (!spreadKeywords(in, value, in.describeCallable(callee), keywords))
        return nullptr;
      continue;
    }
    Name name = in.nameOf(keyword->arg);
    if (llvm::any_of(keywords, [&](auto &given) { return given.first == name; }))
      return in.typeError(in.describeCallable(callee) +
                          "() got multiple values for keyword argument '" + name->text + "'");
    keywords.push_back({name, value});
  }
  CallArgs args{positional, keywords};
  if (f.policy)
    if (auto answer = f.policy->policyCall(m, f, node, callee, args))
      return *answer;
  if (callee == in.classes.super && positional.empty())
    return implicitSuper(in, f);
  Value result = m.call(callee, args);
  if (result && !node.args.empty() && llvm::isa<ast::GeneratorExp>(node.args.front()) &&
      stopsEarly(callee))
    in.abandon(positional.front());
  return result;
}
