// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes graph operators: casts, broadcasts and index maps with explicit sizes, on MLIR values. It
// knows nothing of Python; sizes are resolved through a SizeSolver.
#pragma once

#include "frontend/torch/DType.h"
#include "frontend/torch/SizeSolver.h"
#include "graph/GraphOps.h"

#include "mlir/IR/Builders.h"

namespace nereid::torch {

using Sizes = llvm::SmallVector<Expr, 6>;

class GraphWriter {
public:
  GraphWriter(mlir::MLIRContext *context, SizeSolver &solver)
      : builder(context), solver(solver), place(mlir::UnknownLoc::get(context)) {}

  mlir::OpBuilder builder;
  SizeSolver &solver;
  /// The location of the operators that are written next.
  mlir::Location place;

  Expr constantSize(int64_t value) { return solver.getContext().constant(value); }
  Sizes sizes(mlir::Value value);
  int64_t rank(mlir::Value value) { return typeOf(value).getRank(); }
  DType dtype(mlir::Value value) { return fromMlir(typeOf(value).getElementType()); }
  graph::TensorType type(llvm::ArrayRef<Expr> sizes, DType dtype);

  mlir::Value number(DType dtype, double value);
  mlir::Value integer(DType dtype, int64_t value);
  mlir::Value zero(DType dtype) { return isFloat(dtype) ? number(dtype, 0) : integer(dtype, 0); }
  /// A size as a tensor of rank 0 and i64.
  mlir::Value size(Expr expr);
  mlir::Value iota(int64_t dim, llvm::ArrayRef<Expr> sizes, DType dtype);
  /// Contents that are not known while converting (random numbers, initial parameters); it must not
  /// be left in a finished program.
  mlir::Value unknown(llvm::ArrayRef<Expr> sizes, DType dtype, llvm::StringRef why);

  mlir::Value cast(mlir::Value value, DType to, bool elidable = false);
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> dims,
                        llvm::ArrayRef<Expr> sizes);
  /// Aligns the axes at the right and repeats.
  mlir::Value broadcastTo(mlir::Value value, llvm::ArrayRef<Expr> sizes);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<Expr> sizes);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> order);
  mlir::Value contiguous(mlir::Value value);
  mlir::Value slice(mlir::Value value, int64_t dim, Expr start, int64_t step, Expr size);
  mlir::Value pad(mlir::Value value, mlir::Value fill, int64_t dim, Expr low, Expr high);
  mlir::Value flip(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  mlir::Value window(mlir::Value value, int64_t dim, int64_t step, Expr count, Expr length);
  mlir::Value gather(mlir::Value value, mlir::Value indices, int64_t dim);
  mlir::Value scatter(graph::FoldKind kind, mlir::Value updates, mlir::Value indices, int64_t dim,
                      Expr size, bool unique);
  mlir::Value segment(graph::FoldKind kind, mlir::Value value, mlir::Value bounds);
  mlir::Value fold(graph::FoldKind kind, mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value scan(graph::FoldKind kind, mlir::Value value, int64_t dim);
  /// An operator `graph.<name>` without attributes whose result has the first operand's sizes and
  /// type (`pointwise`), or bool (`test`).
  mlir::Value pointwise(llvm::StringRef name, mlir::ValueRange operands);
  mlir::Value test(llvm::StringRef name, mlir::ValueRange operands);
  /// The first `count` elements along an axis in order, and their positions.
  std::pair<mlir::Value, mlir::Value> sort(mlir::Value value, int64_t dim, bool descending,
                                           Expr count);
  mlir::Value where(mlir::Value condition, mlir::Value a, mlir::Value b, bool hides = false);

private:
  /// Pieces of one tensor at equal distances, of which each has one element along `dim`, as its
  /// windows; null where they are none.
  mlir::Value shiftedPieces(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  mlir::Value sliceOfConcat(graph::ConcatOp joined, Expr start, Expr size);
  graph::TensorType typeOf(mlir::Value value) {
    return llvm::cast<graph::TensorType>(value.getType());
  }
  mlir::Value create(llvm::StringRef name, mlir::ValueRange operands, mlir::Type type);
};

} // namespace nereid::torch
