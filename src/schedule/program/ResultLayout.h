// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How PyTorch lays out a result in memory: its pointwise operators make results dense in the order
// of their operands' strides, everything else makes them row-major. Decided from the program, not
// from the partition, so that every stage gives the same strides.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// An input that takes part in deciding a result's strides, seen over the result's indices `$i`.
struct LayoutOperand {
  const Value *input;
  llvm::SmallVector<Expr, 4> at;

  /// Whether each axis of the input is the result's axis at the same place from the right, or
  /// repeated: then the input can be expanded to the result as it is.
  bool isBroadcast(const Value &result, const Program &program) const;
  /// For each axis of the result the input's axis, where the result has the input's axes and no
  /// others.
  std::optional<llvm::SmallVector<unsigned, 4>> permutation(const Value &result,
                                                            const Program &program) const;
};

/// The operands that decide the strides of a result, the deciding one first; empty for row-major.
llvm::SmallVector<LayoutOperand> findLayoutOperands(const Program &program, const Value &result);

/// What `as_strided` takes, relative to the tensor that is viewed.
struct StridedView {
  llvm::SmallVector<Expr, 4> strides;
  Expr offset;
};

/// The elements `at`, coordinates over the indices `$0 ... $rank-1`, of a tensor of these strides
/// as a strided view; nothing where their position is not linear in the indices.
std::optional<StridedView> asStridedView(llvm::ArrayRef<Expr> at, size_t rank,
                                         llvm::ArrayRef<Expr> inputStrides, const Program &program);

/// An access as a view that PyTorch can make of an argument without a copy.
std::optional<StridedView> asViewOfArgument(const Access &access, size_t rank,
                                            llvm::ArrayRef<Expr> inputStrides,
                                            const Program &program);

/// The strides of an operand along the result's indices, given those of the input itself; nothing
/// where the operand is no strided view of the input.
std::optional<llvm::SmallVector<Expr, 4>> stridesAlong(const LayoutOperand &operand,
                                                       const Value &result,
                                                       llvm::ArrayRef<Expr> inputStrides,
                                                       const Program &program);

} // namespace nereid::schedule
