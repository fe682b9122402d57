// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Evaluator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace nereid;
using namespace nereid::machine;

Completion Evaluator::runFunction() {
  Completion ended;
  if (auto *lambda = f.code->getLambda()) {
    f.current = lambda->body;
    Value value = eval(*lambda->body);
    ended = value ? Completion::returns(value) : Completion::raise();
  } else {
    ended = execBody(f.code->body);
  }
  if (ended.isRaise() || ended.kind == Completion::Finished)
    return ended;
  Value value = ended.kind == Completion::Return ? ended.value : m.none();
  if (f.policy)
    if (auto answer = f.policy->returnValue(m, f, value))
      return *answer ? Completion::returns(*answer) : Completion::raise();
  return Completion::returns(value);
}

Completion Evaluator::execBody(ast::Body body, size_t from) {
  size_t depth = f.control.size();
  f.control.push_back({ControlEntry::Block, body, from});
  for (size_t i = from; i < body.size(); ++i) {
    f.control[depth].next = i + 1;
    Completion ended = exec(*body[i]);
    if (!ended.isNormal()) {
      f.control.truncate(depth);
      return ended;
    }
  }
  f.control.truncate(depth);
  return Completion::normal();
}

Completion Evaluator::exec(const ast::Stmt &stmt) {
  f.current = &stmt;
  if (!m.step())
    return Completion::raise();
  if (in.stackLow()) {
    m.refuse("statements are nested too deeply");
    in.fatal = true;
    return Completion::raise();
  }
  if (f.policy) {
    if (!f.policy->beforeStatement(m, f, stmt))
      return Completion::raise();
    if (auto answer = f.policy->policyStatement(m, f, stmt))
      return *answer;
  }
  bool isShown = stmt.kind == ast::Kind::Raise || stmt.kind == ast::Kind::ExprStmt;
  llvm::SaveAndRestore<bool> shown(m.isShown, isShown);
  return execKind(stmt);
}

Completion Evaluator::execKind(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::Kind::ExprStmt:
    return done(eval(*llvm::cast<ast::ExprStmt>(stmt).value) != nullptr);
  case ast::Kind::Assign: {
    auto &node = llvm::cast<ast::Assign>(stmt);
    Value value = eval(*node.value);
    for (auto *target : node.targets)
      if (!value || !assign(*target, value))
        return Completion::raise();
    return Completion::normal();
  }
  case ast::Kind::AugAssign:
    return execAugmented(llvm::cast<ast::AugAssign>(stmt));
  case ast::Kind::AnnAssign:
    return execAnnotated(llvm::cast<ast::AnnAssign>(stmt));
  case ast::Kind::Return: {
    Value value = evalSlice(llvm::cast<ast::Return>(stmt).value);
    return value ? Completion::returns(value) : Completion::raise();
  }
  case ast::Kind::If:
    return execIf(llvm::cast<ast::If>(stmt));
  case ast::Kind::For:
    return execFor(llvm::cast<ast::For>(stmt));
  case ast::Kind::While:
    return execWhile(llvm::cast<ast::While>(stmt));
  case ast::Kind::With:
    return execWith(llvm::cast<ast::With>(stmt), 0);
  case ast::Kind::Try:
    return execTry(llvm::cast<ast::Try>(stmt));
  case ast::Kind::TryStar:
    m.refuse("'except*' is not supported", "catch the exceptions with 'except'");
    return Completion::raise();
  case ast::Kind::AsyncFor:
  case ast::Kind::AsyncWith:
    m.refuse("'async' statements are not supported", "there is no event loop");
    return Completion::raise();
  case ast::Kind::FunctionDef:
  case ast::Kind::AsyncFunctionDef:
    return execDef(llvm::cast<ast::FunctionDef>(stmt));
  case ast::Kind::ClassDef:
    return execClass(llvm::cast<ast::ClassDef>(stmt));
  case ast::Kind::Raise:
    return execRaise(llvm::cast<ast::Raise>(stmt));
  case ast::Kind::Assert:
    return execAssert(llvm::cast<ast::Assert>(stmt));
  case ast::Kind::Match:
    return execMatch(llvm::cast<ast::Match>(stmt));
  case ast::Kind::Delete:
    for (auto *target : llvm::cast<ast::Delete>(stmt).targets)
      if (!unbind(*target))
        return Completion::raise();
    return Completion::normal();
  case ast::Kind::Import:
    return execImport(llvm::cast<ast::Import>(stmt));
  case ast::Kind::ImportFrom:
    return execImportFrom(llvm::cast<ast::ImportFrom>(stmt));
  case ast::Kind::TypeAlias:
    m.refuse("'type' statements are not supported", "assign the type to a name");
    return Completion::raise();
  case ast::Kind::Global:
  case ast::Kind::Nonlocal:
  case ast::Kind::Pass:
    return Completion::normal();
  case ast::Kind::Break:
    return {Completion::Break, nullptr};
  case ast::Kind::Continue:
    return {Completion::Continue, nullptr};
  default:
    llvm_unreachable("all statements handled");
  }
}

// --- Binding ----------------------------------------------------------------------------------

bool Evaluator::bindName(Name name, Value value, const ast::Expr *annotation) {
  if (f.policy && f.kind == FrameKind::Function)
    if (auto answer = f.policy->bind(m, f, name, value, annotation)) {
      if (!(value = *answer))
        return false;
    }
  Namespace *names = f.locals;
  if (f.code->globals.contains(name)) {
    names = f.module->attrs;
  } else if (f.code->nonlocals.contains(name)) {
    for (Frame *outer = f.closure; outer; outer = outer->closure)
      if (outer->code->locals.contains(name)) {
        names = outer->locals;
        break;
      }
  } else if (f.kind == FrameKind::Comprehension && !f.code->locals.contains(name)) {
    // A walrus binds in the function (or module) around the comprehension.
    Frame *outer = &f;
    while (outer && outer->kind == FrameKind::Comprehension)
      outer = outer->closure;
    names = outer ? outer->locals : f.module->attrs;
    if (outer && outer->code->globals.contains(name))
      names = f.module->attrs;
  }
  m.willWrite(names);
  names->set(name, value);
  if (names == f.module->attrs && !f.module->poisoned.empty())
    f.module->poisoned.erase(name);
  return true;
}

bool Evaluator::unpack(llvm::ArrayRef<ast::Expr *> targets, Value value) {
  size_t star = targets.size();
  for (size_t i = 0; i != targets.size(); ++i)
    if (targets[i]->kind == ast::Kind::Starred)
      star = i;
  // An iterator is asked for one item more than there are targets, as in CPython.
  std::vector<Value> items;
  if (star == targets.size() && !llvm::isa<TupleObject, ListObject>(value)) {
    Value iterator = m.iterator(value);
    if (!iterator) {
      if (m.catchException("TypeError"))
        in.typeError("cannot unpack non-iterable " + m.typeName(value) + " object");
      return false;
    }
    Value item = nullptr;
    while (items.size() <= targets.size() && (item = m.next(iterator)))
      items.push_back(item);
    if (m.pending())
      return false;
  } else {
    auto all = m.items(value);
    if (!all) {
      if (m.catchException("TypeError"))
        in.typeError("cannot unpack non-iterable " + m.typeName(value) + " object");
      return false;
    }
    items = std::move(*all);
  }
  if (star == targets.size()) {
    if (items.size() > targets.size())
      return m.raise("ValueError",
                     "too many values to unpack (expected " + llvm::Twine(targets.size()) + ")");
    if (items.size() < targets.size())
      return m.raise("ValueError", "not enough values to unpack (expected " +
                                       llvm::Twine(targets.size()) + ", got " +
                                       llvm::Twine(items.size()) + ")");
    for (size_t i = 0; i != targets.size(); ++i)
      if (!assign(*targets[i], items[i]))
        return false;
    return true;
  }
  if (items.size() + 1 < targets.size())
    return m.raise("ValueError", "not enough values to unpack (expected at least " +
                                     llvm::Twine(targets.size() - 1) + ", got " +
                                     llvm::Twine(items.size()) + ")");
  size_t after = targets.size() - star - 1, middle = items.size() - after;
  for (size_t i = 0; i != star; ++i)
    if (!assign(*targets[i], items[i]))
      return false;
  llvm::ArrayRef<Value> rest = llvm::ArrayRef(items).slice(star, middle - star);
  if (!assign(*llvm::cast<ast::Starred>(targets[star])->value, m.makeList(rest)))
    return false;
  for (size_t i = 0; i != after; ++i)
    if (!assign(*targets[star + 1 + i], items[middle + i]))
      return false;
  return true;
}

bool Evaluator::assign(const ast::Expr &target, Value value, const ast::Expr *annotation) {
  switch (target.kind) {
  case ast::Kind::Name:
    return bindName(in.nameOf(llvm::cast<ast::Name>(target).id), value, annotation);
  case ast::Kind::Attribute: {
    auto &node = llvm::cast<ast::Attribute>(target);
    Value object = eval(*node.value);
    return object && m.setAttribute(object, in.nameOf(node.attr), value);
  }
  case ast::Kind::Subscript: {
    auto &node = llvm::cast<ast::Subscript>(target);
    Value object = eval(*node.value);
    Value key = object ? eval(*node.slice) : nullptr;
    return key && m.setItem(object, key, value);
  }
  case ast::Kind::Tuple:
    return unpack(llvm::cast<ast::Tuple>(target).elts, value);
  case ast::Kind::List:
    return unpack(llvm::cast<ast::List>(target).elts, value);
  default:
    return m.refuse("cannot assign to this expression");
  }
}

bool Machine::assignTo(const ast::Expr &target, Value value, Frame &frame) {
  return Evaluator(*internals, frame).assign(target, value);
}

bool Evaluator::unbind(const ast::Expr &target) {
  switch (target.kind) {
  case ast::Kind::Name: {
    Name name = in.nameOf(llvm::cast<ast::Name>(target).id);
    Namespace *names = f.code->globals.contains(name) ? f.module->attrs : f.locals;
    if (f.code->nonlocals.contains(name))
      for (Frame *outer = f.closure; outer; outer = outer->closure)
        if (outer->code->locals.contains(name)) {
          names = outer->locals;
          break;
        }
    if (!names->get(name)) {
      if (f.kind == FrameKind::Function && names == f.locals)
        return m.raise("UnboundLocalError", "cannot access local variable '" + name->text +
                                                "' where it is not associated with a value");
      return m.raise("NameError", "name '" + name->text + "' is not defined");
    }
    m.setName(*names, name, nullptr);
    return true;
  }
  case ast::Kind::Attribute: {
    auto &node = llvm::cast<ast::Attribute>(target);
    Value object = eval(*node.value);
    return object && m.delAttribute(object, in.nameOf(node.attr));
  }
  case ast::Kind::Subscript: {
    auto &node = llvm::cast<ast::Subscript>(target);
    Value object = eval(*node.value);
    Value key = object ? eval(*node.slice) : nullptr;
    return key && m.delItem(object, key);
  }
  case ast::Kind::Tuple:
    return llvm::all_of(llvm::cast<ast::Tuple>(target).elts,
                        [&](auto *item) { return unbind(*item); });
  case ast::Kind::List:
    return llvm::all_of(llvm::cast<ast::List>(target).elts,
                        [&](auto *item) { return unbind(*item); });
  default:
    return m.refuse("cannot delete this expression");
  }
}

Completion Evaluator::execAugmented(const ast::AugAssign &stmt) {
  auto apply = [&](Value old) -> Value {
    Value operand = old ? eval(*stmt.value) : nullptr;
    if (!operand)
      return nullptr;
    if (f.policy)
      if (auto answer = f.policy->policyBinary(m, f, *stmt.target, stmt.op, old, operand))
        return *answer;
    return m.binary(stmt.op, old, operand, /*inPlace=*/true);
  };
  if (auto *name = llvm::dyn_cast<ast::Name>(stmt.target)) {
    Value result = apply(readName(*name));
    return done(result && bindName(in.nameOf(name->id), result));
  }
  if (auto *node = llvm::dyn_cast<ast::Attribute>(stmt.target)) {
    Value object = eval(*node->value);
    Name name = in.nameOf(node->attr);
    Value result = object ? apply(m.getAttribute(object, name)) : nullptr;
    return done(result && m.setAttribute(object, name, result));
  }
  auto *node = llvm::cast<ast::Subscript>(stmt.target);
  Value object = eval(*node->value);
  Value key = object ? eval(*node->slice) : nullptr;
  Value result = key ? apply(m.getItem(object, key)) : nullptr;
  return done(result && m.setItem(object, key, result));
}

Completion Evaluator::execAnnotated(const ast::AnnAssign &stmt) {
  if (stmt.value) {
    Value value = eval(*stmt.value);
    if (!value || !assign(*stmt.target, value, stmt.annotation))
      return Completion::raise();
  }
  auto *name = llvm::dyn_cast<ast::Name>(stmt.target);
  if (!name || !stmt.simple || f.kind == FrameKind::Function)
    return Completion::normal();
  // Classes and modules keep their annotations; one that cannot be evaluated is kept as text, as
  // under `from __future__ import annotations`.
  Value annotations = f.locals->get(in.n.annotations);
  if (!annotations) {
    annotations = m.makeDict();
    f.locals->set(in.n.annotations, annotations);
  }
  Value type = eval(*stmt.annotation);
  if (!type) {
    if (in.fatal)
      return Completion::raise();
    m.takeError();
    type = m.makeStr(f.getFile().getText(*stmt.annotation));
  }
  return done(m.dictSet(*llvm::cast<DictObject>(annotations), in.nameOf(name->id), type));
}

// --- Definitions ------------------------------------------------------------------------------

Value Evaluator::decorate(Value value, llvm::ArrayRef<ast::Expr *> decorators) {
  struct Decorator {
    Value value = nullptr; // null: its expression failed, with this exception or refusal
    Value exception = nullptr;
    std::optional<Diagnostic> refused;
  };
  llvm::SmallVector<Decorator> evaluated;
  for (auto *expr : decorators) {
    Decorator &decorator = evaluated.emplace_back();
    decorator.value = eval(*expr);
    if (!decorator.value && in.fatal)
      return nullptr;
    if (!decorator.value) {
      decorator.exception = std::exchange(in.exception, nullptr);
      decorator.refused = std::exchange(in.refused, std::nullopt);
    }
  }
  for (size_t i = evaluated.size(); i-- && value;) {
    f.current = decorators[i];
    Decorator &decorator = evaluated[i];
    Value result = decorator.value ? m.call(decorator.value, {value}) : nullptr;
    if (!decorator.value) {
      // Python would have stopped at the first expression that failed.
      Decorator &first = *llvm::find_if(evaluated, [](Decorator &d) { return !d.value; });
      in.exception = first.exception;
      in.refused = first.refused;
    }
    if (in.fatal)
      return nullptr;
    value = afterDecorator(value, *decorators[i], result);
  }
  return value;
}

/// What a decorator leaves of `value`: its result, unless a library knows better.
Value Evaluator::afterDecorator(Value value, const ast::Expr &decorator, Value result) {
  for (Library *library : in.libraries)
    if (Answer answer = library->decorated(m, value, decorator, result)) {
      in.exception = nullptr;
      in.refused.reset();
      return *answer;
    }
  return result;
}

Completion Evaluator::execDef(const ast::FunctionDef &stmt) {
  Name name = in.nameOf(stmt.name);
  Value value = makeFunction(stmt, *stmt.args, name);
  if (value)
    value = decorate(value, stmt.decoratorList);
  return done(value && bindName(name, value));
}

Completion Evaluator::execClass(const ast::ClassDef &stmt) {
  llvm::SmallVector<Value> bases;
  if (!evalItems(stmt.bases, bases))
    return Completion::raise();
  llvm::SmallVector<std::pair<Name, Value>> keywords;
  for (auto *keyword : stmt.keywords) {
    if (keyword->arg.empty()) {
      m.refuse("'**' in the bases of a class is not supported");
      return Completion::raise();
    }
    Value value = eval(*keyword->value);
    if (!value)
      return Completion::raise();
    keywords.push_back({in.nameOf(keyword->arg), value});
  }
  auto *body = m.makeNamespace(nullptr);
  auto *frame = m.make<Frame>();
  frame->kind = FrameKind::Class;
  frame->code = in.codeOf(stmt, f.getFile());
  frame->locals = body;
  frame->module = f.module;
  frame->closure = enclosingFunction();
  frame->caller = &f;
  frame->function = f.function;
  std::string qualifiedName = qualify(stmt.name);
  body->set(in.n.module, m.makeStr(f.module->name));
  body->set(in.n.qualname, m.makeStr(qualifiedName));
  in.frame = frame;
  Completion ended = Evaluator(in, *frame).execBody(stmt.body);
  in.frame = &f;
  if (!ended.isNormal())
    return Completion::raise();
  body->erase(in.n.qualname);
  if (!stmt.body.empty())
    if (auto *first = llvm::dyn_cast<ast::ExprStmt>(stmt.body.front()))
      if (auto *text = llvm::dyn_cast<ast::Constant>(first->value); text && text->isStr())
        body->set(in.n.doc, in.constant(*text));
  Value value = nullptr;
  if (Value hook = in.namedTupleHook(bases)) {
    body->owner = nullptr;
    auto *names = m.makeDict();
    for (auto &slot : body->slots)
      in.insert(names->table, slot.name, slot.value);
    value = m.call(hook, {m.makeStr(stmt.name), names});
    if (auto *cls = llvm::dyn_cast_if_present<ClassObject>(value)) {
      cls->module = f.module;
      in.classLocations[cls] = f.getFile().getLocation(stmt);
    }
  } else if (ClassObject *cls =
                 in.buildClass(stmt.name, bases, body, keywords, f.module, qualifiedName)) {
    in.classLocations[cls] = f.getFile().getLocation(stmt);
    value = cls;
  }
  if (value)
    value = decorate(value, stmt.decoratorList);
  return done(value && bindName(in.nameOf(stmt.name), value));
}
