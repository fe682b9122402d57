// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates expressions and executes statements of one frame.
#pragma once

#include "python/machine/Internals.h"

namespace nereid::machine {

/// Puts the node under evaluation back when a part of it is done.
struct CurrentNode {
  CurrentNode(Frame &frame, const ast::Node &node) : frame(frame), saved(frame.current) {
    frame.current = &node;
  }
  ~CurrentNode() { frame.current = saved; }
  Frame &frame;
  const ast::Node *saved;
};

class Evaluator {
public:
  Evaluator(Internals &in, Frame &f) : in(in), m(in.m), f(f) {}

  // --- Expressions.cpp, Conditions.cpp
  Value eval(const ast::Expr &expr);
  Value readAttribute(Value object, Name name);
  Value evalSlice(const ast::Expr *expr); // None when absent
  Value readName(const ast::Name &node);
  bool evalItems(llvm::ArrayRef<ast::Expr *> exprs, llvm::SmallVectorImpl<Value> &items);
  /// A condition in an expression: True, False or Failed; `node` for the library, whose answer for
  /// an unknown condition goes to `answer`.
  Truth condition(const ast::Node &node, Value value, Value &answer);
  Truth condition(Branch branch, Value &answer);
  Value lookupName(Name name, bool &known);

  // --- Comprehensions.cpp
  Value evalComprehension(const ast::Expr &expr);
  /// Evaluates a list comprehension for the current item of its first `for`.
  bool evalElements(const ast::ListComp &node, ListObject &list);

  // --- Calling.cpp
  Value evalCall(const ast::Call &call);
  Value makeFunction(const ast::Node &node, const ast::Arguments &args, Name name);

  // --- Statements.cpp, Targets.cpp, Control.cpp
  Completion runFunction();
  Completion execBody(ast::Body body, size_t from = 0);
  Completion exec(const ast::Stmt &stmt);
  Completion execIf(const ast::If &stmt);
  Completion runArm(const ast::If &stmt, bool taken);
  Completion runGuessedArm(const ast::If &stmt, bool guess);
  Completion finish(size_t keep, Completion completion);
  Completion resumeEntry(ControlEntry entry, Completion completion);
  bool assign(const ast::Expr &target, Value value, const ast::Expr *annotation = nullptr);
  bool bindName(Name name, Value value, const ast::Expr *annotation = nullptr);
  bool unbind(const ast::Expr &target);
  Completion continueFor(const ast::For &stmt, Value iterator);
  Completion continueWhile(const ast::While &stmt, bool first);

private:
  Value evalBoolOp(const ast::BoolOp &node);
  Value evalBoolOpFrom(const ast::BoolOp &node, size_t from);
  Value evalCompareFrom(const ast::Compare &node, size_t from, Value left);
  Value evalCompare(const ast::Compare &node);
  Value evalJoined(const ast::JoinedStr &node);
  Value evalFormatted(const ast::FormattedValue &node);
  Value evalDict(const ast::Dict &node);
  Value evalUnary(const ast::UnaryOp &node);
  Value evalBinary(const ast::BinOp &node);
  Value evalConstant(const ast::Constant &node);
  Value evalAttribute(const ast::Attribute &node);
  Value evalIfExp(const ast::IfExp &node);
  Value evalSubscript(const ast::Subscript &node);
  Value evalBounds(const ast::Slice &node);
  Value evalSet(const ast::Set &node);
  Value evalKind(const ast::Expr &expr);
  Value evalYieldFrom(const ast::YieldFrom &node);
  bool append(const ast::ListComp &node, ListObject &list);

  Completion execKind(const ast::Stmt &stmt);
  Completion execAssign(const ast::Assign &stmt);
  Completion execFor(const ast::For &stmt);
  Completion execWhile(const ast::While &stmt);
  Completion afterLoop(ast::Body orelse);
  Completion execWith(const ast::With &stmt, size_t item);
  Completion finishWith(Value exit, Completion completion);
  Completion execTry(const ast::Try &stmt);
  Completion finishTry(const ast::Try &stmt, Completion completion);
  Completion handle(const ast::Try &stmt, Completion completion);
  Completion fallBack(const ast::Try &stmt, Completion completion);
  Completion finishFinally(const ast::Try &stmt, Completion completion);
  Completion execRaise(const ast::Raise &stmt);
  Completion execAssert(const ast::Assert &stmt);
  Completion execMatch(const ast::Match &stmt);
  Completion execAugmented(const ast::AugAssign &stmt);
  Completion execAnnotated(const ast::AnnAssign &stmt);
  Completion execDef(const ast::FunctionDef &stmt);
  Completion execClass(const ast::ClassDef &stmt);
  Completion execImport(const ast::Import &stmt);
  Completion execImportFrom(const ast::ImportFrom &stmt);
  Completion importStar(Value module);
  bool takePoison(ModuleObject &source, const ast::Alias &alias);
  bool unpack(llvm::ArrayRef<ast::Expr *> targets, Value value);
  Value decorate(Value value, llvm::ArrayRef<ast::Expr *> decorators);
  Value afterDecorator(Value value, const ast::Expr &decorator, Value result);
  std::optional<bool> match(const ast::Pattern &pattern, Value subject);
  std::optional<bool> matchSequence(const ast::MatchSequence &pattern, Value subject);
  std::optional<bool> matchMapping(const ast::MatchMapping &pattern, Value subject);
  std::optional<bool> matchClass(const ast::MatchClass &pattern, Value subject);
  Completion done(bool ok) { return ok ? Completion::normal() : Completion::raise(); }
  std::string qualify(llvm::StringRef name);
  Name memberName(llvm::StringRef text);
  Frame *enclosingFunction();

  friend class nereid::machine::Branch;
  friend class nereid::machine::Loop;
  friend class ComprehensionRun;
  Internals &in;
  Machine &m;
  Frame &f;
};

} // namespace nereid::machine
