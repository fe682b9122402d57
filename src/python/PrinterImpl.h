// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The printer of expressions and that of statements, which uses it.
#pragma once

#include "python/Ast.h"

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace nereid::python {

/// How tightly an expression binds; what binds less tightly than its place needs parentheses.
enum class Precedence {
  Test, ///< conditional expressions and lambdas
  Or,
  And,
  Not,
  Compare,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Unary,
  Power,
  Await,
  Atom,
};

class ExprPrinter {
public:
  explicit ExprPrinter(llvm::raw_ostream &os) : os(os) {}

  void print(const Expr &expr, Precedence least = Precedence::Test);
  void printArguments(const Arguments &arguments);
  void printCallArguments(llvm::ArrayRef<Expr *> args, llvm::ArrayRef<Keyword *> keywords);

private:
  void printBare(const Expr &expr);
  void printOperator(const Expr &expr);
  void printBinary(const BinOp &op);
  void printCompare(const Compare &compare);
  void printConstant(const Constant &constant);
  void printDict(const Dict &dict);
  void printTuple(const Tuple &tuple);
  void printSubscript(const Subscript &subscript);
  void printSlice(const Slice &slice);
  void printCall(const Call &call);
  void printComprehension(const Expr &expr);
  void printGenerators(llvm::ArrayRef<Comprehension *> generators);
  void printArg(const Arg &arg, const Expr *value);
  void printList(llvm::ArrayRef<Expr *> list);
  void printFString(const JoinedStr &joined);

  llvm::raw_ostream &os;
};

} // namespace nereid::python
