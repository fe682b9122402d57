// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides a schedule beside the program: the stage, which is a mask over moves; the device
// that costs are estimated for; and in tests a chooser, which decides in place of the cost model.
#pragma once

#include "schedule/policy/Device.h"

#include <cstdint>
#include <functional>

namespace nereid::schedule {

/// What a schedule may do. The cost model decides where it does.
enum class MoveKind : uint8_t {
  // From stage 2 on.
  /// Operators share kernels, and rows that fit are held by a program.
  Fusion,
  /// Kernels have several configurations, of which the fastest is kept.
  Tuning,
  /// Turns of a loop ask for what later turns read.
  LoopPipelining,

  // From stage 3 on.
  /// Kernels that have nothing in common share a launch.
  SharedLaunches,
  /// What is stored has the axis last along which it is made and read.
  AxisOrders,
  /// Factors of contractions get the layout that tiles want.
  Relayouts,
  /// Factors of large products of float32 are stored as halves.
  StoredHalves,
  /// What is others put together is stored by these, each at its places.
  Joins,
  /// Programs fold parts of what few results are made of, and another kernel the parts.
  SplitFolds,
  /// Programs of a kernel for rows carry folds over spans of them.
  CarriedFolds,
  /// Folds that need one another share a loop, where the algebra allows it.
  OnlineFolds,
  /// Contractions are made again for the terms of other folds, in place of being stored.
  NestedContractions,
  /// Scans from the end run from the start, and rows that read scans hold them.
  ScansInRows,
  /// Maps take tiles of two axes in place of flat blocks.
  TiledMaps,
  /// A few columns, or the pieces of a concatenation, have code for each.
  Unrolling,
  /// A lane makes neighbouring results of windows that overlap.
  Strips,
  /// A program has several short rows, or neighbouring ones at once.
  SeveralRows,
  /// The first axis of rows runs fastest over the programs.
  RowOrder,
  /// The outer of two axes of columns is a loop of its own.
  NestedColumns,
  /// Configurations for few programs of long rows, for rows that are held, and for loads of one
  /// warp.
  WideTuning,
  /// Blocks of spans and scans are asked for before they are needed.
  BlockPipelining,
  /// Rows that are read again stay in the cache until then; what a condition leaves out is not
  /// read.
  LoadHints,
  /// Neighbours that two loads read, such as real and imaginary parts, are one load's.
  PairedLoads,
  /// Launches say which axes their blocks fill, whose masks go then.
  EvenBlocks,
  /// Turns of a loop that are a launch each are made by one launch.
  TurnsAtOnce,
  /// Reciprocals, exponentials and error functions in the form that is fast, where no digit shows
  /// it.
  ShortFunctions,
};

class Policy {
public:
  /// Stage 1, for no device: operators as they are.
  Policy() = default;
  Policy(int stage, const Device &device, std::function<unsigned(unsigned)> chooser);

  const Device &getDevice() const { return *device; }
  /// Whether the stage has a move.
  bool has(MoveKind move) const { return moves >> unsigned(move) & 1; }
  /// Whether a move may be made: the stage has it, or the chooser decides.
  bool allows(MoveKind move) const { return has(move) || isChosen(); }

  /// Whether a chooser decides, and the cost model nothing.
  bool isChosen() const { return bool(chooser); }
  /// What the chooser says, and where there is none what is usual.
  bool decide(bool usual) const { return chooser ? chooser(2) == 1 : usual; }
  /// One of `count` alternatives, and a power of two below `2**count`: only for a chooser.
  unsigned pick(unsigned count) const { return chooser(count); }
  int64_t pickPower(unsigned count) const { return int64_t(1) << chooser(count); }

private:
  uint32_t moves = 0;
  const Device *device = nullptr;
  std::function<unsigned(unsigned)> chooser;
};

} // namespace nereid::schedule
