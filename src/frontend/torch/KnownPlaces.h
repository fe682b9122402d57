// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that a program counts: sizes alone tell between which numbers they lie.
#pragma once

#include "index/Facts.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace nereid::torch {

/// The least and the greatest element of a tensor of integers.
struct PlaceRange {
  index::Expr least, greatest;
};

/// Of a tensor whose elements are linear in their own indices (`torch.arange(n)[:, None] + k` and
/// views of it); none of other tensors. Both ends are elements of it unless it is empty. `truth`
/// answers for sizes.
std::optional<PlaceRange> findRangeOfPlaces(mlir::Value tensor, index::Context &context,
                                            llvm::function_ref<index::Truth(index::Pred)> truth);

/// The axis whose indices a tensor holds, as `torch.arange(n)` does along its first one; nothing
/// for other tensors.
std::optional<int64_t> findAxisOfPlaces(mlir::Value tensor, index::Context &context);

/// Whether a mask holds everywhere but on the diagonal of a matrix: `~torch.eye(n, dtype=bool)`.
bool isOffDiagonal(mlir::Value mask, index::Context &context);

} // namespace nereid::torch
