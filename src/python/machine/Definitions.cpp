// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `def` and `class`, and their decorators.
#include "python/machine/Evaluator.h"

using namespace nereid;
using namespace nereid::machine;

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
  return done(value && bindName(f.kind == FrameKind::Class ? memberName(stmt.name) : name, value));
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
  if (Value doc = in.docOf(stmt.body))
    body->set(in.n.doc, doc);
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
