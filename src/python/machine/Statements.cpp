// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements: functions and bodies, assignments. Control, imports and definitions are in files of
// their own.
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

Completion Evaluator::execAssign(const ast::Assign &stmt) {
  Value value = eval(*stmt.value);
  for (auto *target : stmt.targets)
    if (!value || !assign(*target, value))
      return Completion::raise();
  return Completion::normal();
}

Completion Evaluator::execKind(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::Kind::ExprStmt:
    return done(eval(*llvm::cast<ast::ExprStmt>(stmt).value) != nullptr);
  case ast::Kind::Assign:
    return execAssign(llvm::cast<ast::Assign>(stmt));
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
    Name name = memberName(node->attr);
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
