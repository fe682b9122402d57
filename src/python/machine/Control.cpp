// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that decide what is executed next. Each construct is split into its start and what
// comes after its body, so that a library can have the rest of a function executed from the middle.
#include "python/machine/Evaluator.h"
#include "python/machine/Scopes.h"

using namespace nereid;
using namespace nereid::machine;

// --- if ----------------------------------------------------------------------------------------

Completion Evaluator::runArm(const ast::If &stmt, bool taken) {
  return execBody(taken ? stmt.body : stmt.orelse);
}

Completion Evaluator::execIf(const ast::If &stmt) {
  Value test = eval(*stmt.test);
  Truth known = test ? m.truth(test) : Truth::Failed;
  if (known == Truth::Unknown) {
    f.current = &stmt;
    Branch branch{m, f, stmt, test};
    if (auto answer = in.libraryOf(test)->branch(branch))
      return *answer;
    f.current = stmt.test;
    known = m.knownTruth(test);
  }
  if (known == Truth::Failed)
    return Completion::raise();
  return runArm(stmt, known == Truth::True);
}

Completion Branch::run(bool taken) {
  Evaluator evaluator(Internals::of(machine), frame);
  if (auto *stmt = llvm::dyn_cast<ast::If>(&node))
    return evaluator.runArm(*stmt, taken);
  return Completion::normal();
}

bool Branch::canRunToEnd() const {
  if (frame.generator || !llvm::isa<ast::If>(node) || frame.kind == FrameKind::Class ||
      frame.kind == FrameKind::Comprehension)
    return false;
  return llvm::none_of(frame.control, [](const ControlEntry &entry) {
    bool ofLibrary =
        (entry.kind == ControlEntry::ForLoop || entry.kind == ControlEntry::WhileLoop) &&
        !entry.state;
    return ofLibrary || entry.kind == ControlEntry::TryFinal;
  });
}

Completion Branch::runToEnd(bool taken) {
  if (!canRunToEnd()) {
    machine.refuse("the rest of the function cannot be evaluated once for each arm here",
                   "move the branch out of the generator, comprehension or 'finally' block");
    return Completion::raise();
  }
  Evaluator evaluator(Internals::of(machine), frame);
  auto control = frame.control;
  const ast::Node *current = frame.current;
  Completion ended = evaluator.finish(0, run(taken));
  frame.control = control;
  frame.current = current;
  if (ended.isRaise() || ended.kind == Completion::Return)
    return ended;
  return Completion::returns(ended.value ? ended.value : machine.none());
}

Completion Evaluator::finish(size_t keep, Completion completion) {
  while (f.control.size() > keep) {
    if (completion.kind == Completion::Finished) {
      f.control.truncate(keep);
      return completion;
    }
    ControlEntry entry = f.control.pop_back_val();
    completion = resumeEntry(entry, completion);
  }
  return completion;
}

Completion Evaluator::resumeEntry(ControlEntry entry, Completion completion) {
  bool goesOn = completion.isNormal() || completion.kind == Completion::Continue;
  switch (entry.kind) {
  case ControlEntry::Block:
    return completion.isNormal() ? execBody(entry.body, entry.next) : completion;
  case ControlEntry::ForLoop:
    if (completion.kind == Completion::Break)
      return Completion::normal();
    return goesOn ? continueFor(*llvm::cast<ast::For>(entry.stmt), entry.state) : completion;
  case ControlEntry::WhileLoop:
    if (completion.kind == Completion::Break)
      return Completion::normal();
    return goesOn ? continueWhile(*llvm::cast<ast::While>(entry.stmt), false) : completion;
  case ControlEntry::WithBody:
    return finishWith(entry.state, completion);
  case ControlEntry::TryBody:
    return finishTry(*llvm::cast<ast::Try>(entry.stmt), completion);
  case ControlEntry::TryHandler:
    return finishFinally(*llvm::cast<ast::Try>(entry.stmt), completion);
  case ControlEntry::TryFinal:
    return completion;
  }
  llvm_unreachable("all entries handled");
}

// --- Loops -------------------------------------------------------------------------------------

Completion Evaluator::afterLoop(ast::Body orelse) { return execBody(orelse); }

Completion Evaluator::continueFor(const ast::For &stmt, Value iterator) {
  size_t depth = f.control.size();
  f.control.push_back({ControlEntry::ForLoop, {}, 0, &stmt, iterator});
  while (true) {
    f.current = &stmt;
    Value item = m.step() ? m.next(iterator) : nullptr;
    if (!item)
      break;
    if (!assign(*stmt.target, item))
      break;
    Completion ended = execBody(stmt.body);
    if (ended.isNormal() || ended.kind == Completion::Continue)
      continue;
    f.control.truncate(depth);
    return ended.kind == Completion::Break ? Completion::normal() : ended;
  }
  f.control.truncate(depth);
  return m.pending() ? Completion::raise() : afterLoop(stmt.orelse);
}

Completion Evaluator::execFor(const ast::For &stmt) {
  Value iterable = eval(*stmt.iter);
  if (!iterable)
    return Completion::raise();
  if (auto *foreign = llvm::dyn_cast<Foreign>(iterable)) {
    auto answer = foreign->library.iterate(m, iterable);
    if (!answer) {
      Loop loop{m, f, stmt, iterable};
      if (auto ended = foreign->library.loop(loop))
        return *ended;
    } else if (!*answer) {
      return Completion::raise();
    } else {
      iterable = *answer;
    }
  }
  f.current = stmt.iter;
  Value iterator = m.iterator(iterable);
  return iterator ? continueFor(stmt, iterator) : Completion::raise();
}

Completion Evaluator::execWhile(const ast::While &stmt) { return continueWhile(stmt, true); }

Completion Evaluator::continueWhile(const ast::While &stmt, bool first) {
  size_t depth = f.control.size();
  f.control.push_back({ControlEntry::WhileLoop, {}, 0, &stmt, m.none()});
  while (true) {
    f.current = &stmt;
    Value test = m.step() ? eval(*stmt.test) : nullptr;
    Truth known = test ? m.truth(test) : Truth::Failed;
    if (known == Truth::Unknown) {
      f.control.truncate(depth);
      Loop loop{m, f, stmt, test};
      if (auto ended = in.libraryOf(test)->loop(loop))
        return *ended;
      f.current = stmt.test;
      m.knownTruth(test);
      return Completion::raise();
    }
    if (known != Truth::True)
      break;
    Completion ended = execBody(stmt.body);
    if (ended.isNormal() || ended.kind == Completion::Continue)
      continue;
    f.control.truncate(depth);
    return ended.kind == Completion::Break ? Completion::normal() : ended;
  }
  f.control.truncate(depth);
  return m.pending() ? Completion::raise() : afterLoop(stmt.orelse);
}

Value Loop::test() {
  auto *stmt = llvm::dyn_cast<ast::While>(&node);
  return stmt ? machine.evaluateExpr(*stmt->test, frame) : nullptr;
}

bool Loop::bindTarget(Value value) {
  auto *stmt = llvm::dyn_cast<ast::For>(&node);
  return stmt && machine.assignTo(*stmt->target, value, frame);
}

Completion Loop::runBody() {
  Evaluator evaluator(Internals::of(machine), frame);
  auto *loop = llvm::dyn_cast<ast::For>(&node);
  ast::Body body = loop ? loop->body : llvm::cast<ast::While>(node).body;
  size_t depth = frame.control.size();
  frame.control.push_back(
      {loop ? ControlEntry::ForLoop : ControlEntry::WhileLoop, {}, 0, &node, nullptr});
  Completion ended = evaluator.execBody(body);
  frame.control.truncate(depth);
  return ended;
}

Completion Loop::runElse() {
  auto *loop = llvm::dyn_cast<ast::For>(&node);
  return machine.runBlock(loop ? loop->orelse : llvm::cast<ast::While>(node).orelse, frame);
}

std::vector<Name> Loop::assignedNames() const {
  BoundNames bound;
  if (auto *loop = llvm::dyn_cast<ast::For>(&node)) {
    bound.target(loop->target);
    bound.body(loop->body);
  } else {
    bound.visit(llvm::cast<ast::While>(node).test);
    bound.body(llvm::cast<ast::While>(node).body);
  }
  std::vector<Name> names;
  for (llvm::StringRef name : bound.names)
    names.push_back(machine.intern(name));
  return names;
}

Completion Machine::runBlock(ast::Body body, Frame &frame) {
  return Evaluator(*internals, frame).execBody(body);
}

// --- with --------------------------------------------------------------------------------------

Completion Evaluator::execWith(const ast::With &stmt, size_t index) {
  if (index == stmt.items.size())
    return execBody(stmt.body);
  const ast::WithItem &item = *stmt.items[index];
  Value manager = eval(*item.contextExpr);
  if (!manager)
    return Completion::raise();
  f.current = item.contextExpr;
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(manager)) {
    in.refuseOpaque(*opaque, "used in a 'with' statement");
    return Completion::raise();
  }
  Value enter = m.findAttribute(manager, in.n.enter);
  Value exit = enter ? m.findAttribute(manager, in.n.exit) : nullptr;
  if (!exit) {
    in.typeError("'" + m.typeName(manager) +
                 "' object does not support the context manager protocol" +
                 (enter ? " (missed __exit__ method)" : ""));
    return Completion::raise();
  }
  Value entered = m.call(enter);
  if (!entered)
    return Completion::raise();
  size_t depth = f.control.size();
  f.control.push_back({ControlEntry::WithBody, {}, 0, &stmt, exit});
  Completion ended = Completion::raise();
  if (!item.optionalVars || assign(*item.optionalVars, entered))
    ended = execWith(stmt, index + 1);
  f.control.truncate(depth);
  return finishWith(exit, ended);
}

Completion Evaluator::finishWith(Value exit, Completion completion) {
  if (completion.kind == Completion::Finished || in.refused)
    return completion;
  if (!completion.isRaise()) {
    bool ok = m.call(exit, {m.none(), m.none(), m.none()}) != nullptr;
    return ok ? completion : Completion::raise();
  }
  Value exception = in.exception, handled = f.handled;
  in.exception = nullptr;
  f.handled = exception;
  Value result = m.call(exit, {exception->cls, exception, m.none()});
  f.handled = handled;
  if (!result)
    return Completion::raise();
  Truth suppressed = m.knownTruth(result);
  if (suppressed == Truth::Failed)
    return Completion::raise();
  if (suppressed == Truth::True)
    return Completion::normal();
  in.exception = exception;
  return completion;
}

// --- try ---------------------------------------------------------------------------------------

Completion Evaluator::execTry(const ast::Try &stmt) {
  size_t depth = f.control.size();
  f.control.push_back({ControlEntry::TryBody, {}, 0, &stmt, nullptr});
  Completion ended = execBody(stmt.body);
  f.control.truncate(depth);
  return finishTry(stmt, ended);
}

Completion Evaluator::finishTry(const ast::Try &stmt, Completion completion) {
  if (completion.kind == Completion::Finished)
    return completion;
  size_t depth = f.control.size();
  f.control.push_back({ControlEntry::TryHandler, {}, 0, &stmt, nullptr});
  Completion ended = handle(stmt, completion);
  f.control.truncate(depth);
  return finishFinally(stmt, ended);
}

/// Whether an exception is an instance of what an `except` names; nullopt: failed.
static std::optional<bool> catches(Internals &in, Value type, Value exception) {
  if (auto *tuple = llvm::dyn_cast<TupleObject>(type)) {
    for (Value item : tuple->items) {
      auto one = catches(in, item, exception);
      if (!one || *one)
        return one;
    }
    return false;
  }
  auto *cls = llvm::dyn_cast<ClassObject>(type);
  if (cls && cls->isSubclassOf(in.classes.baseException))
    return in.matches(exception, cls);
  if (type->kind == Kind::Opaque)
    return false; // an exception of an unknown module is none that the machine raises
  in.typeError("catching classes that do not inherit from BaseException is not allowed");
  return std::nullopt;
}

Completion Evaluator::handle(const ast::Try &stmt, Completion completion) {
  if (completion.isNormal())
    return execBody(stmt.orelse);
  if (!completion.isRaise() || in.refused || !in.exception)
    return completion;
  Value exception = in.exception, outer = f.handled;
  for (auto *handler : stmt.handlers) {
    f.current = handler->type ? static_cast<const ast::Node *>(handler->type) : handler;
    if (handler->type) {
      in.exception = nullptr;
      f.handled = exception;
      Value type = eval(*handler->type);
      auto caught = type ? catches(in, type, exception) : std::nullopt;
      f.handled = outer;
      if (!caught)
        return Completion::raise();
      in.exception = exception;
      if (!*caught)
        continue;
    }
    in.exception = nullptr;
    Name name = handler->name.empty() ? nullptr : in.nameOf(handler->name);
    if (name && !bindName(name, exception))
      return Completion::raise();
    f.handled = exception;
    Completion ended = execBody(handler->body);
    f.handled = outer;
    if (name && ended.kind != Completion::Finished) {
      Namespace *names = f.code->globals.contains(name) ? f.module->attrs : f.locals;
      if (names->get(name))
        m.setName(*names, name, nullptr);
    }
    return ended;
  }
  return completion;
}

Completion Evaluator::finishFinally(const ast::Try &stmt, Completion completion) {
  if (stmt.finalbody.empty() || completion.kind == Completion::Finished || in.refused)
    return completion;
  Value exception = in.exception, outer = f.handled;
  in.exception = nullptr;
  if (exception)
    f.handled = exception;
  size_t depth = f.control.size();
  f.control.push_back({ControlEntry::TryFinal, {}, 0, &stmt, nullptr});
  Completion ended = execBody(stmt.finalbody);
  f.control.truncate(depth);
  f.handled = outer;
  if (!ended.isNormal())
    return ended;
  in.exception = exception;
  return completion;
}

// --- raise and assert ---------------------------------------------------------------------------

/// An exception from what `raise` was given: an instance, or a class that is called.
static Value toException(Internals &in, Value value, llvm::StringRef otherwise) {
  if (auto *cls = llvm::dyn_cast<ClassObject>(value);
      cls && cls->isSubclassOf(in.classes.baseException))
    value = in.m.call(value);
  if (!value)
    return nullptr;
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(value))
    return in.refuseOpaque(*opaque, "raised");
  return in.isException(value) ? value : in.typeError(otherwise);
}

Completion Evaluator::execRaise(const ast::Raise &stmt) {
  if (!stmt.exc) {
    for (Frame *frame = &f; frame; frame = frame->caller)
      if (frame->handled) {
        in.exception = frame->handled;
        return Completion::raise();
      }
    m.raise("RuntimeError", "No active exception to reraise");
    return Completion::raise();
  }
  Value value = eval(*stmt.exc);
  value = value ? toException(in, value, "exceptions must derive from BaseException") : nullptr;
  if (!value)
    return Completion::raise();
  if (stmt.cause) {
    Value cause = eval(*stmt.cause);
    if (cause && cause != m.none())
      cause = toException(in, cause, "exception causes must derive from BaseException");
    if (!cause)
      return Completion::raise();
    in.attrsOf(value)->set(in.n.cause, cause);
    value->attrs->set(in.n.suppress, m.makeBool(true));
  }
  f.current = &stmt;
  m.raiseValue(value);
  return Completion::raise();
}

Completion Evaluator::execAssert(const ast::Assert &stmt) {
  Value test = eval(*stmt.test), answer = nullptr;
  Truth known = test ? condition(stmt, test, answer) : Truth::Failed;
  if (known == Truth::Unknown)
    return Completion::normal(); // the library took the assertion over
  if (known != Truth::False)
    return done(known == Truth::True);
  Value message = stmt.msg ? eval(*stmt.msg) : nullptr;
  if (stmt.msg && !message)
    return Completion::raise();
  f.current = stmt.test;
  in.raiseArgs(m.builtinClass("AssertionError"),
               message ? llvm::ArrayRef<Value>(message) : llvm::ArrayRef<Value>());
  return Completion::raise();
}

// --- match --------------------------------------------------------------------------------------

Completion Evaluator::execMatch(const ast::Match &stmt) {
  Value subject = eval(*stmt.subject);
  if (!subject)
    return Completion::raise();
  for (auto *matchCase : stmt.cases) {
    f.current = matchCase->pattern;
    auto matched = match(*matchCase->pattern, subject);
    if (!matched)
      return Completion::raise();
    if (!*matched)
      continue;
    if (matchCase->guard) {
      Value guard = eval(*matchCase->guard);
      Truth known = guard ? m.knownTruth(guard) : Truth::Failed;
      if (known == Truth::Failed)
        return Completion::raise();
      if (known == Truth::False)
        continue;
    }
    return execBody(matchCase->body);
  }
  return Completion::normal();
}

std::optional<bool> Evaluator::match(const ast::Pattern &pattern, Value subject) {
  switch (pattern.kind) {
  case ast::Kind::MatchValue: {
    Value value = eval(*llvm::cast<ast::MatchValue>(pattern).value);
    return value ? m.equal(subject, value) : std::nullopt;
  }
  case ast::Kind::MatchSingleton: {
    auto type = llvm::cast<ast::MatchSingleton>(pattern).value;
    Value value =
        type == ast::ConstantType::None ? m.none() : m.makeBool(type == ast::ConstantType::True);
    return subject == value;
  }
  case ast::Kind::MatchSequence:
    return matchSequence(llvm::cast<ast::MatchSequence>(pattern), subject);
  case ast::Kind::MatchMapping:
    return matchMapping(llvm::cast<ast::MatchMapping>(pattern), subject);
  case ast::Kind::MatchClass:
    return matchClass(llvm::cast<ast::MatchClass>(pattern), subject);
  case ast::Kind::MatchAs: {
    auto &node = llvm::cast<ast::MatchAs>(pattern);
    if (node.pattern) {
      auto inner = match(*node.pattern, subject);
      if (!inner || !*inner)
        return inner;
    }
    if (!node.name.empty() && !bindName(in.nameOf(node.name), subject))
      return std::nullopt;
    return true;
  }
  case ast::Kind::MatchOr:
    for (auto *alternative : llvm::cast<ast::MatchOr>(pattern).patterns) {
      auto inner = match(*alternative, subject);
      if (!inner || *inner)
        return inner;
    }
    return false;
  default:
    return false;
  }
}

std::optional<bool> Evaluator::matchSequence(const ast::MatchSequence &pattern, Value subject) {
  if (!llvm::isa<ListObject, TupleObject, RangeObject>(subject))
    return false;
  auto items = m.items(subject);
  if (!items)
    return std::nullopt;
  size_t star = pattern.patterns.size();
  for (size_t i = 0; i != pattern.patterns.size(); ++i)
    if (pattern.patterns[i]->kind == ast::Kind::MatchStar)
      star = i;
  bool hasStar = star != pattern.patterns.size();
  size_t fixed = pattern.patterns.size() - hasStar;
  if (hasStar ? items->size() < fixed : items->size() != fixed)
    return false;
  size_t extra = items->size() - fixed;
  for (size_t i = 0; i != pattern.patterns.size(); ++i) {
    if (i == star) {
      llvm::StringRef name = llvm::cast<ast::MatchStar>(pattern.patterns[i])->name;
      llvm::ArrayRef<Value> rest = llvm::ArrayRef(*items).slice(i, extra);
      if (!name.empty() && !bindName(in.nameOf(name), m.makeList(rest)))
        return std::nullopt;
      continue;
    }
    auto inner = match(*pattern.patterns[i], (*items)[i > star ? i - 1 + extra : i]);
    if (!inner || !*inner)
      return inner;
  }
  return true;
}

std::optional<bool> Evaluator::matchMapping(const ast::MatchMapping &pattern, Value subject) {
  auto *dict = llvm::dyn_cast<DictObject>(subject);
  if (!dict)
    return false;
  auto *rest = m.makeDict();
  rest->table = dict->table;
  for (size_t i = 0; i != pattern.keys.size(); ++i) {
    Value key = eval(*pattern.keys[i]);
    if (!key)
      return std::nullopt;
    Value value = m.dictGet(*dict, key);
    if (!value)
      return m.pending() ? std::nullopt : std::optional(false);
    if (!m.dictErase(*rest, key))
      return std::nullopt;
    auto inner = match(*pattern.patterns[i], value);
    if (!inner || !*inner)
      return inner;
  }
  if (!pattern.rest.empty() && !bindName(in.nameOf(pattern.rest), rest))
    return std::nullopt;
  return true;
}

std::optional<bool> Evaluator::matchClass(const ast::MatchClass &pattern, Value subject) {
  Value cls = eval(*pattern.cls);
  if (!cls)
    return std::nullopt;
  if (cls->kind != Kind::Class) {
    in.typeError("called match pattern must be a class");
    return std::nullopt;
  }
  auto instance = m.isInstance(subject, cls);
  if (!instance || !*instance)
    return instance;
  Builtins &c = in.classes;
  bool selfMatch = llvm::is_contained(llvm::ArrayRef<Value>{c.boolClass, c.bytes, c.dict,
                                                            c.floatClass, c.frozenset, c.intClass,
                                                            c.list, c.set, c.str, c.tuple},
                                      cls);
  std::vector<Value> names;
  if (!pattern.patterns.empty() && !selfMatch) {
    Value args = m.findAttribute(cls, in.n.matchArgs);
    auto items = args ? m.items(args) : std::optional(std::vector<Value>());
    if (!items)
      return std::nullopt;
    names = *items;
  }
  if (selfMatch ? pattern.patterns.size() > 1 : pattern.patterns.size() > names.size()) {
    size_t accepted = selfMatch ? 1 : names.size();
    in.typeError(llvm::cast<ClassObject>(cls)->name + "() accepts " + llvm::Twine(accepted) +
                 " positional sub-pattern" + (accepted == 1 ? "" : "s") + " (" +
                 llvm::Twine(pattern.patterns.size()) + " given)");
    return std::nullopt;
  }
  auto matchAttribute = [&](Name name, const ast::Pattern &inner) -> std::optional<bool> {
    Value value = m.findAttribute(subject, name);
    if (!value)
      return m.pending() ? std::nullopt : std::optional(false);
    return match(inner, value);
  };
  for (size_t i = 0; i != pattern.patterns.size(); ++i) {
    auto inner = selfMatch ? match(*pattern.patterns[i], subject)
                           : matchAttribute(m.intern(llvm::cast<StrObject>(names[i])->text),
                                            *pattern.patterns[i]);
    if (!inner || !*inner)
      return inner;
  }
  for (size_t i = 0; i != pattern.kwdPatterns.size(); ++i) {
    auto inner = matchAttribute(in.nameOf(pattern.kwdAttrs[i]), *pattern.kwdPatterns[i]);
    if (!inner || !*inner)
      return inner;
  }
  return true;
}
