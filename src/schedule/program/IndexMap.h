// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composition of index maps: accesses through accesses, and the map of a reshape.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// The access `outer` read at the given coordinates: `outer`'s indices `$i` are replaced by
/// `at[i]`.
Access compose(const Access &outer, llvm::ArrayRef<Expr> at, const Program &program);

/// Replaces `$i` by `at[i]` and `$ri` by `fold[i]`.
Expr substituteIndices(Expr expr, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                       const Program &program);
Pred substituteIndices(Pred pred, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                       const Program &program);

/// Row-major position of coordinates in a shape.
Expr linearize(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> shape, index::Context &context);
/// The coordinates of a row-major position.
llvm::SmallVector<Expr, 4> delinearize(Expr position, llvm::ArrayRef<Expr> shape);

/// Where in a tensor of sizes `from` the element `index` of its reshape to `to` lies. Runs of sizes
/// with equal products are mapped apart, so that axes which a reshape leaves alone stay themselves.
llvm::SmallVector<Expr, 4> reshapeMap(llvm::ArrayRef<Expr> from, llvm::ArrayRef<Expr> to,
                                      llvm::ArrayRef<Expr> index, index::Context &context);

} // namespace nereid::schedule
