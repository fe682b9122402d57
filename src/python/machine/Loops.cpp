// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `for` and `while`: their starts, what comes after a body, and what a library may do with a loop
// that it takes over, a list comprehension's too.
#include "python/machine/Evaluator.h"
#include "python/machine/Scopes.h"

using namespace nereid;
using namespace nereid::machine;

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
  iterable = standIn(iterable);
  Loop loop{m, f, stmt, iterable};
  if (auto *foreign = llvm::dyn_cast<Foreign>(iterable)) {
    if (auto ended = foreign->library.loop(loop))
      return *ended;
    if (m.pending())
      return Completion::raise();
    auto answer = foreign->library.iterate(m, iterable);
    if (answer && !*answer)
      return Completion::raise();
    iterable = answer.value_or(iterable);
  } else if (iterable->kind == Kind::Range) {
    for (Library *library : in.libraries) {
      if (auto ended = library->rangeLoop(loop))
        return *ended;
      if (m.pending())
        return Completion::raise();
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
    if (known == Truth::Unknown && !in.libraryOf(test))
      known = m.knownTruth(test);
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

const ast::Expr *Loop::target() const {
  if (auto *comprehension = llvm::dyn_cast<ast::ListComp>(&node))
    return comprehension->generators.front()->target;
  auto *stmt = llvm::dyn_cast<ast::For>(&node);
  return stmt ? stmt->target : nullptr;
}

bool Loop::bindTarget(Value value) { return target() && machine.assignTo(*target(), value, frame); }

Completion Loop::runBody() {
  Evaluator evaluator(Internals::of(machine), frame);
  if (auto *comprehension = llvm::dyn_cast<ast::ListComp>(&node))
    return evaluator.evalElements(*comprehension, *list) ? Completion::normal()
                                                         : Completion::raise();
  auto *loop = llvm::dyn_cast<ast::For>(&node);
  ast::Body body = loop ? loop->body : llvm::cast<ast::While>(node).body;
  size_t depth = frame.control.size();
  frame.control.push_back({loop ? ControlEntry::ForLoop : ControlEntry::WhileLoop,
                           {},
                           0,
                           llvm::cast<ast::Stmt>(&node),
                           nullptr});
  Completion ended = evaluator.execBody(body);
  frame.control.truncate(depth);
  return ended;
}

Completion Loop::runElse() {
  if (llvm::isa<ast::ListComp>(node))
    return Completion::normal();
  auto *loop = llvm::dyn_cast<ast::For>(&node);
  return machine.runBlock(loop ? loop->orelse : llvm::cast<ast::While>(node).orelse, frame);
}

std::vector<Name> Loop::assignedNames() const {
  BoundNames bound;
  if (target())
    bound.target(target());
  if (auto *loop = llvm::dyn_cast<ast::For>(&node)) {
    bound.body(loop->body);
  } else if (!isFor()) {
    bound.visit(llvm::cast<ast::While>(node).test);
    bound.body(llvm::cast<ast::While>(node).body);
  }
  std::vector<Name> names;
  for (llvm::StringRef name : bound.names)
    names.push_back(machine.intern(name));
  return names;
}

Completion Machine::runBlock(ast::Body body, Frame &frame) {
  // A hook may run a block of a frame that it made itself.
  Frame *saved = std::exchange(this->frame, &frame);
  Completion ended = Evaluator(*internals, frame).execBody(body);
  this->frame = saved;
  return ended;
}
