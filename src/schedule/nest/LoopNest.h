// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel as loops: which axes its programs have one index, a block or all of, which they go over
// in a loop, and what each loop folds and stores. `--emit schedule` prints it.
#pragma once

#include "schedule/nest/FoldPlans.h"

namespace nereid::schedule {

/// What programs do with an axis.
enum class AxisRole : uint8_t {
  /// Each has one index of it.
  Program,
  /// Each has a block of it.
  Block,
  /// Each holds all of it at once.
  Held,
  /// Each goes over all of it, in blocks or one index after the other.
  Loop,
  /// Each has code for every index of it.
  WrittenOut,
  /// Each makes all turns of the program's loop.
  Turn,
};

/// How much of an axis a program goes over.
enum class AxisBound : uint8_t {
  Whole,
  /// A window or a chunk of so many indices.
  Window,
  /// As many as data say.
  Segment,
};

/// Axes that are traversed by one index.
struct Axis {
  AxisRole role = AxisRole::Program;
  Space space;
  /// The meta-parameter that says how long a block is; empty where there is none.
  std::string block = "";
  AxisBound bound = AxisBound::Whole;
  /// Of a window or chunk.
  int64_t length = 0;
};

/// A loop of a kernel's programs over some axes, one within the other, with what it folds and then
/// stores; without axes, what is done once.
struct Pass {
  llvm::SmallVector<Axis, 2> axes;
  /// Which of the kernel's columns the loop goes over, where these are they.
  std::optional<unsigned> columns;
  llvm::SmallVector<const FoldPlan *, 4> folds;
  /// Folds that go on from one turn to the next, whose results stand behind the loop.
  llvm::SmallVector<const KernelOutput *, 2> carried;
  llvm::SmallVector<const KernelOutput *, 4> outputs;

  bool isOfTurns() const { return !axes.empty() && axes.front().role == AxisRole::Turn; }
  /// Whether what it stores is a scan, whose carry goes through the loop.
  bool isScan() const;
};

struct LoopNest {
  /// Those of the programs, outermost first.
  llvm::SmallVector<Axis, 6> axes;
  /// In the order in which a program makes them.
  std::vector<Pass> passes;
};

/// The loops of a kernel that is made in a form; folds are planned. The nest refers to all three.
LoopNest nestOf(const Kernel &kernel, const Form &form, const FoldPlans &folds);

/// What a kernel's function has its nest under, where it was asked for.
inline constexpr llvm::StringLiteral nestAttrName = "schedule.nest";

/// The nest as text: a line for each loop, for what it loads, folds, computes under a name, and
/// stores.
std::string describeNest(const Program &program, const Requests &requests, const Kernel &kernel,
                         const LoopNest &nest, llvm::StringRef name);

} // namespace nereid::schedule
