// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel as the scheduler sees it: which values it stores, and the axes over which it does so.
//
// The rows are the axes on which every fold of the kernel depends; each program has one row (or a
// block of them). The other axes of an output, and those that a fold runs over, are columns: a
// program goes over all of them, resident or in a loop. Column spaces with equal extents are one
// space, so that what a fold read and what an output needs is the same tile.
// A kernel without folds has no rows: all of its outputs' axes are one flat space.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Axes that are traversed together by one linear index, outermost first.
struct Space {
  llvm::SmallVector<Expr, 4> symbols;
  llvm::SmallVector<Expr, 4> extents;
  /// Columns of a fold over windows: the number of the window, and how long windows are.
  Expr windowIndex;
  int64_t window = 0;
  /// Columns of a fold over segments: the fold, and its indices in this kernel.
  const Value *segment = nullptr;
  std::vector<Expr> segmentIndex;

  /// Whether not all of the positions are gone over.
  bool isPart() const { return window != 0 || segment; }

  /// The indices of axes whose row-major positions are those of this space, over its symbols;
  /// nothing where its axes do not make up the others.
  std::optional<llvm::SmallVector<Expr, 4>> coordinatesOf(llvm::ArrayRef<Expr> axes) const;
  /// The same for the axes that a fold or scan runs over.
  std::optional<llvm::SmallVector<Expr, 4>> coordinatesOf(const Value &fold) const;
  bool isOf(const Value &fold) const { return coordinatesOf(fold).has_value(); }
};

/// A contraction that a kernel makes again for the terms of its folds, in tiles of their rows and
/// columns: the scores of attention.
struct NestedFold {
  Value *fold;
  /// What it is summed over; a program holds all of it.
  Space terms;
};

/// The rows of a kernel whose folds are contractions (Contraction.h), by the factors that vary
/// along them: both, or one. Their columns are what both are summed over.
struct ContractionAxes {
  Space batch, left, right;
  /// How many sums a program holds tiles of, and whether they are of halves, or may be of TF32.
  unsigned sums = 0;
  bool areHalves = false, areTf32 = false;
  /// Of TF32: whether factors are halves where the launch takes it (ScaledFactors.h).
  bool mayBeHalves = false;
  /// Whether factors of float32 are read as halves that other kernels store.
  bool haveHalves = false;
  /// With contractions nested in its terms, or `rowFolds` that are folded over the columns for each
  /// row alone (NestedKernel.h), a program holds the right axes whole, and there may be none.
  std::vector<NestedFold> nested;
  llvm::SmallVector<Value *, 2> rowFolds;

  bool isNested() const { return !nested.empty() || !rowFolds.empty(); }
};

struct KernelOutput {
  Value *value;
  /// The output's coordinates over the symbols of the spaces.
  llvm::SmallVector<Expr, 4> at;
  /// Its column space; -1 when the output has rows only.
  int columns = -1;
  /// A fold over windows of the rows: a program carries it over the rows that it goes over.
  bool isCarried = false;
  /// Turns of a loop: further elements that no turn makes (the first row of a running mean), by
  /// their coordinates.
  std::vector<llvm::SmallVector<Expr, 4>> edges = {};
  /// Which of the neighbours of a strip it is.
  int64_t piece = 0;
};

/// The longest rows that a program holds whole; those that lie side by side, strided, are held in
/// tiles of several.
inline constexpr int64_t residentLimit = 32768, neighbouringLimit = 1024;

/// The tiles of two axes that a map gets: none, those whose rows and columns both lie along pieces
/// of memory, those whose columns alone do, or those of windows, whose rows are strips.
enum class MapTile : uint8_t { None, Transposed, Rows, Windows };

/// Results that lie side by side along an axis and are folds of windows that overlap: a lane makes
/// `count` of them, index `count * symbol + i` of the axis, and reads once what they share.
struct Strip {
  Expr symbol, extent;
  int64_t count = 1;
  /// The axis of the windows along it, of those that the folds run over: neighbouring windows begin
  /// `step` elements apart, and where `isReversed` what is read goes back as the window goes on.
  unsigned foldAxis = 0;
  int64_t step = 1;
  bool isReversed = false;
  /// The axis before it was cut, and the outputs along it.
  Expr axis;
  std::vector<KernelOutput> outputs = {};
};

struct Kernel {
  /// Whether its axes are rows and columns; without, they are one flat space.
  bool hasRows = false;
  /// With tiles of two axes, a map has rows and columns as if it had folds.
  MapTile mapTile = MapTile::None;
  bool isTiledMap() const { return mapTile != MapTile::None; }
  /// When not 0, each program goes over so many rows in a loop; folds over the rows are carried
  /// from one to the next. `spanIndex` counts the spans, unless one has all rows (`allRows`).
  int64_t span = 0;
  static constexpr int64_t allRows = INT64_MAX;
  Expr spanIndex;
  /// The loop whose turns each program makes, for the elements that it has; -1 for none.
  int loop = -1;
  Expr turn, turns;
  /// Further axes of the rows, which nothing is folded over: a program has one index of them.
  Space outer;
  Space rows;
  std::vector<Space> columns;
  std::vector<KernelOutput> outputs;
  /// Columns that no tile has: folds over them are made in place, element by element, and an output
  /// that has them stands among the outputs once for each.
  std::vector<Space> unrolled;
  /// Those of them of which an output has every element.
  llvm::SmallVector<unsigned, 2> unrolledInOutputs;
  /// Where unrolled columns are windows that overlap along an axis of the rows.
  std::optional<Strip> strip;
  /// Where all folds are contractions: how programs hold tiles of their results.
  std::optional<ContractionAxes> contraction;
  /// The index of an unrolled axis of two elements that lie side by side in the outputs: both are
  /// stored at once.
  Expr paired;
  /// Whether an output has both elements of a pair.
  bool isPaired(const KernelOutput &output) const {
    return paired && llvm::any_of(output.at, [&](Expr coordinate) {
             return index::contains(coordinate, paired);
           });
  }
  /// Scans that other values of the kernel read: a program that holds rows whole computes them in
  /// place. Longer rows take kernels apart.
  llvm::SmallVector<Value *, 2> innerScans;

  /// Whether a value is a fold that programs carry over their rows.
  bool carries(const Value &value) const;
  /// What a fold or scan is summed over, if it is nested in the terms of others; else null.
  const Space *termsOf(const Value &fold) const;
  /// The indices that a fold or scan runs over, as the kernel has them: those of its columns, rows
  /// or terms; nothing where it has none for it.
  std::optional<llvm::SmallVector<Expr, 4>> indicesOf(const Value &fold) const;
  /// It is made by SortKernels, and has no form.
  bool isSort() const { return outputs.front().value->kind == ValueKind::Sort; }
  /// It is a call of PyTorch: no kernel at all.
  bool isCall() const { return outputs.front().value->kind == ValueKind::Call; }
  /// Which of its columns a fold or scan runs over; it has some for each.
  unsigned columnsOf(const Value &fold) const;
  /// Whether contractions are made again for the terms of others.
  bool isNested() const { return contraction && contraction->isNested(); }
  /// Adds the columns of a fold or scan that is asked for at coordinates; returns their symbols.
  llvm::SmallVector<Expr, 4> addColumns(const Value &fold, llvm::ArrayRef<Expr> at,
                                        index::Context &context);
  /// The same with the axis that strips are cut of in one piece, as a reader thinks of it.
  Kernel withoutStrips() const;
  /// How many spans of rows there are.
  Expr countSpans(index::Context &context) const;
};

/// The axes of a kernel that stores these outputs and loads the other stored values; nothing when
/// one kernel cannot do it. Where folds are to be carried, programs go over spans of rows.
std::optional<Kernel> planKernel(const Program &program, llvm::ArrayRef<Value *> outputs,
                                 const StoredSet &stored);

/// The kernels that make the same where scans are stored before others read them; adds those that
/// were not to `stored`. Empty where they cannot.
std::vector<Kernel> planScansApart(const Program &program, const Kernel &kernel, StoredSet &stored);

/// The same for a program that has one row, or window of a fold: nothing is carried. Without inner
/// scans: only what needs no scan of another value inside.
std::optional<Kernel> planRows(const Program &program, llvm::ArrayRef<Value *> outputs,
                               const StoredSet &stored, bool allowsInnerScans = true);

} // namespace nereid::schedule
