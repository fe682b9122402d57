// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that sort the lines of a row-major matrix of integers, `lines[R, N]`, in increasing
// order. A line that fits into a program is sorted there. Of a longer one each program sorts a run
// of `sortBlock` elements; then passes merge runs two by two, from one matrix into another: each
// element of the result finds by binary search how many of those before it come from the left run.
// No two programs write to one place, so every order of them gives the same result. Where few of
// the elements are wanted, a program finds the least of its run bit by bit, and these are sorted.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace nereid::schedule {

/// The longest line that one program sorts: two runs and a pass take no longer than a longer one.
inline constexpr int64_t sortLimit = 1024;
/// As many elements of short lines are sorted by one program. One warp sorts, here and in longer
/// lines: of several, each step of a network meets in shared memory and takes four times as long.
inline constexpr int64_t sortTogether = 256;
/// The length of the first runs, and of the blocks of a pass.
inline constexpr int64_t sortBlock = 512;

/// `(lines, sorted, R, N)`: programs of BLOCK_M whole lines of at most BLOCK_N elements.
mlir::func::FuncOp buildLineSort(mlir::ModuleOp module, llvm::StringRef name, mlir::Type element,
                                 mlir::Location loc);
/// `(lines, sorted, N)`: a program a line and run.
mlir::func::FuncOp buildRunSort(mlir::ModuleOp module, llvm::StringRef name, mlir::Type element,
                                mlir::Location loc);
/// The most elements of a line that are kept of each run, a small part of it.
inline constexpr int64_t mostKept = 512;
/// The length of the runs of which the least are kept.
inline constexpr int64_t keptBlock = 2048;
/// `(lines, least, R, N, K)`: the same, of which the K least are written; `least[R, K]`.
mlir::func::FuncOp buildLeastOfLines(mlir::ModuleOp module, llvm::StringRef name,
                                     mlir::Type element, mlir::Location loc);
/// `(lines, least, N, K, n_runs)`: a program for each of the first `n_runs` runs of each line, of
/// which the K least are written in their own order; `least[R, n_runs * K]`.
mlir::func::FuncOp buildLeastOfRuns(mlir::ModuleOp module, llvm::StringRef name, mlir::Type element,
                                    mlir::Location loc);
/// The same of keys in the upper halves of i64 above their positions in the lines.
mlir::func::FuncOp buildLeastOfPackedRuns(mlir::ModuleOp module, llvm::StringRef name,
                                          mlir::Type element, mlir::Location loc);
/// `(runs, merged, N, run)`: a program a line and block; runs are `run` elements long, a power of
/// two.
mlir::func::FuncOp buildMerge(mlir::ModuleOp module, llvm::StringRef name, mlir::Type element,
                              mlir::Location loc);

} // namespace nereid::schedule
