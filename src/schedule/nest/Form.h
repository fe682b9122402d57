// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of a kernel: how its axes are traversed. Chosen from the strides of what it reads and
// writes, and from the stage.
#pragma once

#include "schedule/nest/AxisMerges.h"
#include "schedule/nest/Configurations.h"
#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

/// The strides of every argument and stored value, in elements.
using StrideMap = llvm::DenseMap<const Value *, llvm::SmallVector<Expr, 4>>;
/// Whether only the call knows a stride.
bool isStrideOfCall(Expr stride);

struct Form {
  /// Columns are one tile, as large as the row; else they are traversed in a loop.
  bool resident = false;
  /// The innermost row axis is a tile axis too, of BLOCK_M rows in a block.
  bool tiledRows = false;
  /// Tiled rows whose neighbours lie one element apart in memory: blocks of them lie within so many
  /// of the innermost row axes. Else blocks are of short rows, counted over all row axes.
  bool neighbouringRows = false;
  unsigned neighbouringAxes = 1;
  /// The loop over columns has a line for each turn: few of them, one element each.
  bool isWrittenOut = false;
  /// Programs that lie side by side differ in the first row axis, not in the last: they share what
  /// is repeated along it while the cache has it.
  bool firstAxisFastest = false;
  /// Programs of a map on tiles that lie side by side differ in their rows: rows of a table that
  /// are looked up are read from the cache while it has some of the table's columns.
  bool columnsOutermost = false;
  /// Resident rows with tiled rows: how many elements a program holds; the wrapper makes BLOCK_M
  /// from it and the length of a row.
  int64_t residentElements = 0;
  /// A loop over long rows is worth more than holding them.
  bool loopsSooner = false;
  /// Axes that are traversed as one, and the spaces after that.
  AxisMerges merges;
  Space rows;
  std::vector<Space> columns;
  /// A contraction: programs hold tiles of rows and `lanes` of one element of the batch, and go
  /// over the columns. The rows are those of the right factor where `isSwapped`.
  Space batch, lanes;
  bool isSwapped = false;
  /// Axes of the columns over which a loop of their own goes, outside of the one over the others;
  /// what depends on them alone is a number there. Empty where there are none.
  Space outerColumns;
  Configs configs;
  /// The elements of the one row that a program holds, where the built kernel says how many warps
  /// are best: what it keeps of each. Else 0.
  int64_t heldElements = 0;
  /// How many turns ahead a loop reads what it needs; 0 leaves that to the compiler.
  int64_t turnsAhead = 0;
  /// With larger tiles than this it reads nothing ahead; 0 stands for any.
  int64_t mostAhead = 0;
  /// How many of the kernel's accesses of more than one axis are addressed by a linear position.
  unsigned denseAccesses = 0;
};

/// The form of a kernel at a stage. Adds the column spaces of folds to `kernel`.
Form chooseForm(const Program &program, const StoredSet &stored, const StrideMap &strides,
                Kernel &kernel, bool resident);

/// Replaces the axes of a space in an offset by one symbol for its linear position, where they
/// occur as that.
Expr usePosition(Expr offset, const Space &space, Expr position);

/// What is known of the indices of a kernel: each lies within the extent of its axis.
index::Facts factsOf(const Kernel &kernel, index::Context &context);

/// The position of an element: the sum of coordinate * stride, with digits of a number that lie one
/// behind the other put together.
Expr offsetOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> strides, index::Context &context);
Expr offsetOf(const Value &value, llvm::ArrayRef<Expr> at, const StrideMap &strides,
              index::Context &context);

} // namespace nereid::schedule
