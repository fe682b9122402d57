// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `with`, `try`, `raise` and `assert`.
#include "python/machine/Evaluator.h"
#include "python/machine/Scopes.h"

using namespace nereid;
using namespace nereid::machine;

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

bool Machine::mayCatch() const {
  if (internals->seeking > 0)
    return true;
  for (const Frame *at = frame; at; at = at->caller)
    for (const ControlEntry &entry : at->control)
      if (entry.kind == ControlEntry::WithBody || entry.kind == ControlEntry::TryBody)
        return true;
  return false;
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
  if (!completion.isRaise() || in.fatal)
    return completion;
  if (in.refused || !in.exception)
    return fallBack(stmt, completion);
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
  return fallBack(stmt, completion);
}

/// Where host code is read and not run, what a module tries may fail of what the machine does not
/// know: of the device, of a library. What stands there for another failure is taken then.
Completion Evaluator::fallBack(const ast::Try &stmt, Completion completion) {
  bool isTriedAround = llvm::any_of(
      f.control, [](const ControlEntry &entry) { return entry.kind == ControlEntry::TryBody; });
  if (!m.spreadsOpaque || f.kind != FrameKind::Module || isTriedAround || stmt.handlers.empty() ||
      !stmt.handlers.front()->name.empty())
    return completion;
  (void)m.takeError();
  return execBody(stmt.handlers.front()->body);
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
  // The library takes the assertion over, or says that it does not hold.
  auto *given = llvm::dyn_cast_if_present<BoolObject>(answer);
  if (known == Truth::Unknown && given && !given->value())
    known = Truth::False;
  if (known == Truth::Unknown)
    return Completion::normal();
  if (known != Truth::False)
    return done(known == Truth::True);
  m.isShown = true;
  Value message = stmt.msg ? eval(*stmt.msg) : nullptr;
  if (stmt.msg && !message)
    return Completion::raise();
  f.current = stmt.test;
  in.raiseArgs(m.builtinClass("AssertionError"),
               message ? llvm::ArrayRef<Value>(message) : llvm::ArrayRef<Value>());
  return Completion::raise();
}
