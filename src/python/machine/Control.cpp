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

/// Whether a block defines what a decorator `jit` compiles.
static bool definesKernels(ast::Body body) {
  return llvm::any_of(body, [](const ast::Stmt *stmt) {
    auto *function = llvm::dyn_cast<ast::FunctionDef>(stmt);
    return function && llvm::any_of(function->decoratorList, [](const ast::Expr *decorator) {
             auto *call = llvm::dyn_cast<ast::Call>(decorator);
             const ast::Expr *callee = call ? call->func : decorator;
             auto *attribute = llvm::dyn_cast<ast::Attribute>(callee);
             auto *name = llvm::dyn_cast<ast::Name>(callee);
             return (attribute && attribute->attr == "jit") || (name && name->id == "jit");
           });
  });
}

/// Of a condition at module level that was guessed the arm that can be executed is right: what
/// stands for another version of a library, or for another device, fails here.
Completion Evaluator::runGuessedArm(const ast::If &stmt, bool guess) {
  bool holds = definesKernels(stmt.body), fails = definesKernels(stmt.orelse);
  if (holds != fails)
    guess = holds;
  Completion ended = runArm(stmt, guess);
  if (!ended.isRaise() || !in.exception || in.refused)
    return ended;
  Value exception = in.exception;
  in.exception = nullptr;
  Completion other = runArm(stmt, !guess);
  if (!other.isRaise())
    return other;
  (void)m.takeError();
  in.exception = exception;
  return ended;
}

Completion Evaluator::execIf(const ast::If &stmt) {
  unsigned guesses = in.guesses;
  Value test = eval(*stmt.test);
  test = test ? in.decisive(test) : nullptr;
  Truth known = test ? m.truth(test) : Truth::Failed;
  if (known == Truth::Unknown) {
    f.current = &stmt;
    Branch branch{m, f, stmt, test};
    Library *library = in.libraryOf(test);
    if (auto answer = library ? library->branch(branch) : std::nullopt)
      return *answer;
    f.current = stmt.test;
    known = m.knownTruth(test);
  }
  if (known == Truth::Failed)
    return Completion::raise();
  if (in.guesses != guesses && f.kind == FrameKind::Module)
    return runGuessedArm(stmt, known == Truth::True);
  // What complains of a device that is not there is not what was meant.
  if (in.guesses != guesses && known == Truth::True && !stmt.body.empty() &&
      llvm::isa<ast::Raise>(stmt.body.front()))
    return runArm(stmt, false);
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

/// The number of entries up to the loop in whose body the statement is; 0 where it is in none that
/// can be finished.
static size_t entriesOfLoop(const Frame &frame) {
  for (size_t number = frame.control.size(); number-- > 0;) {
    ControlEntry::Kind kind = frame.control[number].kind;
    if (kind == ControlEntry::ForLoop || kind == ControlEntry::WhileLoop)
      return number + 1;
    if (kind == ControlEntry::TryFinal)
      return 0;
  }
  return 0;
}

bool Branch::canRunTurn() const { return llvm::isa<ast::If>(node) && entriesOfLoop(frame) != 0; }

Completion Branch::runTurn(bool taken) {
  Evaluator evaluator(Internals::of(machine), frame);
  auto control = frame.control;
  const ast::Node *current = frame.current;
  Completion ended = evaluator.finish(entriesOfLoop(frame), run(taken));
  frame.control = control;
  frame.current = current;
  return ended.isNormal() ? Completion{Completion::Continue, nullptr} : ended;
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
