// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the programs of a grid over shared memory. Programs run one after another, in grid order or
// shuffled by a seed; one that waits at an atomic or at a volatile load gives way to others and is
// resumed in turn.
#pragma once

#include "interpreter/Code.h"
#include "interpreter/Interpreter.h"
#include "interpreter/Memory.h"

#include "llvm/ADT/DenseSet.h"

#include <deque>
#include <random>

namespace nereid::interpreter {

/// One program of the grid, running or suspended.
struct Program {
  std::vector<Buffer> slots;
  unsigned position = 0;
  std::array<int64_t, 3> id = {0, 0, 0};
  /// One more than the linear index in the grid.
  uint32_t number = 1;
  bool done = false;
  /// How many atomics and volatile loads it did since it was resumed.
  unsigned waits = 0;
  /// When it did atomics, in checked mode.
  std::vector<uint64_t> atomicTimes;
};

class Machine {
public:
  Machine(Memory &memory, const RunOptions &options)
      : memory(memory), options(options), random(options.seed) {}

  /// Runs every program of the grid. `arguments` fill the code's argument slots.
  void run(const Code &code, llvm::ArrayRef<Buffer> arguments, std::array<int64_t, 3> grid);
  /// Runs instructions until the code ends or the program gives way; false when it gave way.
  bool resume(const Code &code, Program &program);

  Memory &getMemory() { return memory; }
  bool isChecked() const { return options.checked; }
  const RunOptions &getOptions() const { return options; }
  const std::array<int64_t, 3> &getGrid() const { return grid; }

  /// Whether another finding of the kind at the instruction would change nothing.
  bool hasReported(FindingKind kind, const Instruction &at) const;
  /// Records a finding; at most one for an operation and a kind, and options.maxFindings in all.
  /// `message` is made for those that are recorded.
  void report(FindingKind kind, const Program &program, const Instruction &at,
              llvm::function_ref<std::string()> message, int64_t lane = -1,
              llvm::StringRef allocation = "", int64_t element = 0);
  /// After an error that leaves nothing sensible to compute.
  void stop() { stopped = true; }
  bool isStopped() const { return stopped; }
  std::vector<Finding> takeFindings() { return std::move(findings); }
  uint64_t getSteps() const { return steps; }

  /// Called by atomics and volatile loads: the program may wait for another.
  /// With a seed, one of four gives way at once, so that orders between atomics are tried too.
  void noteWait(Program &program) {
    program.waits += options.seed && random() % 4 == 0 ? waitsPerTurn + 1 : 1;
  }
  /// Called by stores and by atomics that changed something.
  void noteChange() { ++changes; }
  /// The number of this atomic in the order of all; remembered for the program.
  uint64_t noteAtomic(Program &program);
  /// Whether a write of another program at `time` is ordered before what `program` does now: that
  /// program did an atomic after it, and `program` one after that.
  bool isOrdered(const Writer &writer, const Program &program) const;
  uint64_t getTime() const { return time; }

private:
  static constexpr unsigned waitsPerTurn = 32;
  /// From so many waiting programs on, they get a turn before another is started.
  static constexpr unsigned maxSuspended = 64;
  /// After so many turns of all programs in which memory did not change, none ever will go on.
  static constexpr unsigned maxIdleTurns = 1000;

  Memory &memory;
  const RunOptions &options;
  std::mt19937_64 random;
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<Finding> findings;
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> reported;
  /// The atomics of finished and suspended programs, by number; in checked mode.
  llvm::DenseMap<uint32_t, std::vector<uint64_t>> atomicTimes;
  uint64_t changes = 0;
  uint64_t time = 1;
  uint64_t steps = 0;
  bool stopped = false;
};

/// `(2, 0, 0)`.
std::string toString(const std::array<int64_t, 3> &program);
/// The position of a lane in a tile, `[1, 5]`; empty for a scalar.
std::string getLaneText(mlir::Type type, int64_t lane);

} // namespace nereid::interpreter
