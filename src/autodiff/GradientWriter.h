// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the graph operators of gradient rules; result types follow from the operands. A null value
// stands for a gradient that is zero by structure: operators of it are folded away.
#pragma once

#include "graph/GraphOps.h"

#include "mlir/IR/Builders.h"

namespace nereid::autodiff {

using index::Expr;
using llvm::ArrayRef;
using mlir::Value;

/// Whether a tensor is of floating-point numbers: others have no gradient.
inline bool isFloating(Value value) {
  return llvm::isa<mlir::FloatType>(
      llvm::cast<graph::TensorType>(value.getType()).getElementType());
}

class GradientWriter {
public:
  explicit GradientWriter(mlir::MLIRContext *context)
      : builder(context), place(mlir::UnknownLoc::get(context)) {}

  mlir::OpBuilder builder;
  /// The location of the operators that are written next.
  mlir::Location place;

  static graph::TensorType typeOf(Value value) {
    return llvm::cast<graph::TensorType>(value.getType());
  }
  static ArrayRef<Expr> sizesOf(Value value) { return typeOf(value).getSizes(); }
  Expr constantSize(int64_t value);

  /// A number of an element type, as a tensor of these sizes.
  Value filled(ArrayRef<Expr> sizes, mlir::Type element, double number);
  Value like(Value value, double number) {
    return filled(sizesOf(value), typeOf(value).getElementType(), number);
  }
  Value scalar(mlir::Type element, double number);
  /// A size as a tensor of rank 0 and i64.
  Value size(Expr expr);
  Value iota(int64_t dim, ArrayRef<Expr> sizes);

  /// `graph.<name>` of operands of one type; of numbers the other operand's type is taken.
  Value unary(llvm::StringRef name, Value a);
  Value binary(llvm::StringRef name, Value a, Value b);
  Value binary(llvm::StringRef name, Value a, double b) { return binary(name, a, like(a, b)); }
  Value binary(llvm::StringRef name, double a, Value b) { return binary(name, like(b, a), b); }
  /// A comparison, or a test of one operand.
  Value test(llvm::StringRef name, Value a, Value b = Value());
  Value test(llvm::StringRef name, Value a, double b) { return test(name, a, like(a, b)); }
  /// A null choice is zero.
  Value where(Value condition, Value a, Value b, bool hides = false);

  Value add(Value a, Value b) { return binary("add", a, b); }
  Value mul(Value a, Value b) { return binary("mul", a, b); }
  Value mul(Value a, double b) { return binary("mul", a, b); }
  Value div(Value a, Value b) { return binary("div", a, b); }
  Value neg(Value a) { return unary("neg", a); }

  Value cast(Value value, mlir::Type element, bool elidable = false);
  Value broadcast(Value value, ArrayRef<int64_t> dims, ArrayRef<Expr> sizes);
  Value transpose(Value value, ArrayRef<int64_t> order);
  Value reshape(Value value, ArrayRef<Expr> sizes);
  Value slice(Value value, int64_t dim, Expr start, int64_t step, Expr size);
  /// Zeros before and after along an axis of the result's size; a negative `low` crops.
  Value pad(Value value, int64_t dim, Expr low, Expr size);
  Value flip(Value value, ArrayRef<int64_t> dims);
  Value gather(Value value, Value indices, int64_t dim);
  /// What is said of the indices of a scatter.
  enum class Places : uint8_t { Any, Unique, Sorted };
  Value scatter(Value updates, Value indices, int64_t dim, Expr size, Places places = Places::Any,
                graph::FoldKind kind = graph::FoldKind::Sum);
  Value segment(graph::FoldKind kind, Value value, Value bounds);
  Value fold(graph::FoldKind kind, Value value, ArrayRef<int64_t> dims);
  Value scan(graph::FoldKind kind, Value value, int64_t dim, bool reverse = false,
             Value resets = {});
  /// A fold's result repeated along the axes that it folded.
  Value alongFolded(Value folded, ArrayRef<int64_t> dims, ArrayRef<Expr> sizes);

  /// Copies an operator whose operands are replaced by `operands`; null ones are zero. The copies
  /// of what is zero by structure are null.
  llvm::SmallVector<Value, 1> copy(mlir::Operation &op, ArrayRef<Value> operands);

private:
  Value create(llvm::StringRef name, mlir::ValueRange operands, mlir::Type type);
};

/// Whether a value is the constant zero, perhaps repeated.
bool isZero(Value value);

} // namespace nereid::autodiff
