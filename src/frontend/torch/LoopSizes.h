// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in the body of a loop whose sizes differ from turn to turn (`x[:, :t + 1]`, the ramp
// `min(K - 1, t)` of a ring buffer), as tensors of the greatest size of all turns. The padding is
// kept apart: it is 0 in what is made of tensors without it, so that no gradient comes back out of
// it, and folds leave it out.
//
//   LoopSizes sizes(writer, turn, count, numberInBody);
//   if (!sizes.pad(*body)) blame(sizes.getProblem());
#pragma once

#include "frontend/torch/GraphWriter.h"

namespace nereid::torch {

class LoopSizes {
public:
  /// `turn`: the symbol of the turn, of `count`. `number` gives an index expression that depends on
  /// it as a value of the body, null where it cannot be computed.
  LoopSizes(GraphWriter &writer, Expr turn, Expr count,
            llvm::unique_function<mlir::Value(Expr)> number)
      : writer(writer), turn(turn), count(count), number(std::move(number)) {}

  /// Pads the tensors of a block, whose arguments are as they are; the blocks of loops in it get
  /// arguments that are padded, and are padded by calls of their own. False after a problem.
  bool pad(mlir::Block &block);
  /// What cannot be padded.
  llvm::StringRef getProblem() const { return problem; }
  bool isPadded(mlir::Value value) const { return real.contains(value); }

private:
  bool differs(Expr size) const;
  bool holdsOther(mlir::Operation &op) const;
  Sizes realSizes(mlir::Value value);
  llvm::SmallVector<int64_t> paddedAxes(mlir::Value value);
  Expr greatest(Expr size);
  bool retype(mlir::Value value);
  bool refuse(const llvm::Twine &what);

  mlir::Value inside(llvm::ArrayRef<Expr> padded, int64_t axis, Expr size);
  mlir::Value inside(mlir::Value like, llvm::ArrayRef<int64_t> axes);
  mlir::Value filled(mlir::Value value, llvm::ArrayRef<int64_t> axes, mlir::Value fill);
  void dropNeutral(llvm::SmallVectorImpl<int64_t> &axes, graph::FoldKind kind,
                   mlir::Value value) const;
  void clear(mlir::Value value, llvm::ArrayRef<int64_t> axes);
  mlir::Value neutral(graph::FoldKind kind, mlir::Value value);

  bool padOp(mlir::Operation &op);
  bool pad(graph::BroadcastOp op);
  bool pad(graph::ReshapeOp op);
  bool pad(graph::SliceOp op);
  bool pad(graph::GatherOp op);
  bool pad(graph::ScatterOp op);
  bool pad(graph::FoldOp op);
  bool pad(graph::ScanOp op);
  template <typename Op> bool padAlong(Op op, llvm::ArrayRef<int64_t> dims);
  bool pad(graph::FlipOp op);
  bool pad(graph::PadOp op);
  bool pad(graph::ConcatOp op);
  bool pad(graph::LoopOp op);
  bool pad(graph::CompositeOp op);
  mlir::Value placed(mlir::Value input, int64_t dim, Expr start, mlir::Value otherwise);
  bool replace(mlir::Operation *op, mlir::Value by);

  GraphWriter &writer;
  Expr turn, count;
  llvm::unique_function<mlir::Value(Expr)> number;
  /// The sizes of the turn of what is padded.
  llvm::DenseMap<mlir::Value, Sizes> real;
  /// The axes along which the padding of a value is 0.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 2>> zeroAlong;
  std::string problem;
};

} // namespace nereid::torch
