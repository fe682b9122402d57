// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that the scheduler adds to a program, each right before the fold that they are for. Their
// operators stand for themselves: they are in no program.
#pragma once

#include "graph/GraphOps.h"
#include "schedule/program/Value.h"

namespace nereid::schedule {

/// How many orders lie between two values of the program, for what is put before a fold.
inline constexpr unsigned placesBefore = 1024;

/// The place of one more value right before a fold, behind those that are there already.
unsigned orderBefore(const Program &program, const Value &fold);

/// Makes maps and folds over one shape. `isInlineOnly`: they are never stored.
class ValueMaker {
public:
  ValueMaker(Program &program, const Value &fold, llvm::ArrayRef<Expr> shape, bool isInlineOnly)
      : program(program), fold(fold), shape(shape), isInlineOnly(isInlineOnly) {}

  /// An operator of elements that each operand has at the coordinates of its access; the result's
  /// own element.
  template <typename OpTy> Access make(mlir::Type type, llvm::ArrayRef<Access> operands) {
    return make(OpTy::getOperationName(), type, operands);
  }
  /// A number of the fold's type.
  Access number(double value);
  /// A fold of `input`, an element of a value whose axes are these and behind them `over`.
  Access makeFold(graph::FoldKind kind, const Access &input, llvm::ArrayRef<Expr> over);

protected:
  Program &program;
  const Value &fold;

private:
  Access make(llvm::StringRef op, mlir::Type type, llvm::ArrayRef<Access> operands);
  Value &add(ValueKind kind, mlir::Type type);
  Access elementOf(Value &value) const;

  llvm::SmallVector<Expr, 4> shape;
  bool isInlineOnly;
};

} // namespace nereid::schedule
