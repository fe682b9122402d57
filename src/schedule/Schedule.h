// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a graph program to a host program and tile kernels. The one entry point of this room.
#pragma once

#include "schedule/nest/CostTerms.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>
#include <vector>

namespace nereid::schedule {

/// The stages of a conversion. What a stage may do is a mask over the moves of one partition.
inline constexpr int stages[] = {1, 2, 3};

struct ScheduleOptions {
  /// 1: a kernel for each operator. 2: fused. 3: folds of few results are split over programs.
  int stage = 2;
  /// Whose table the cost model uses (never the machine that converts).
  std::string device = "h200";
  /// Decides in place of the cost model, when set: called with the number of alternatives, returns
  /// one of them. For tests: no result may depend on partition, forms or blocks.
  std::function<unsigned(unsigned)> choose;
  /// Sums of floats into places that are data may be made by atomics: the order of the programs
  /// shows in their last digits.
  bool allowNondeterministic = false;
  /// Kernels get their loops as text: see `printNests`.
  bool describesNests = false;
};

/// Whether the cost model has figures of a device.
bool isKnownDevice(llvm::StringRef name);

/// What one step of the program costs; for reports.
struct KernelReport {
  std::string name;
  /// The kernels of which each run launches one: for contiguous or strided inputs, for short or
  /// long rows.
  std::vector<std::string> functions;
  /// Over the program's sizes, as text; and at the planned sizes.
  std::string bytes;
  std::string flops;
  int64_t bytesAtHints = 0;
  int64_t flopsAtHints = 0;
  /// What the cost model expects at the planned sizes, the launch included; and of what.
  double microseconds = 0;
  CostTerms terms;
};

/// A move of the partition: the stored values that it is about, and what it gains by the model.
struct MoveReport {
  /// `inline`, `join`, `carry` or `store`.
  std::string move;
  std::vector<std::string> values;
  double microseconds = 0;
};

/// An operator that is left to PyTorch: its name, where the program calls it (`model.py:7`), and
/// the bytes of what it takes and gives.
struct CallReport {
  std::string callee;
  std::string place;
  bool isGradient = false;
  std::string bytes;
  int64_t bytesAtHints = 0;
};

struct ScheduleReport {
  std::vector<CallReport> calls;
  std::vector<KernelReport> kernels;
  /// In the order in which they were made.
  std::vector<MoveReport> moves;
  /// Bytes of the program's inputs read once and outputs written once, at the planned sizes.
  int64_t leastBytes = 0;
};

/// The loops of all kernels of a scheduled module, as text; those of sorts are networks and have
/// none.
void printNests(mlir::ModuleOp scheduled, llvm::raw_ostream &os);

/// Whether the scheduler takes the loops of all programs of a module: says nothing.
bool takesLoops(mlir::ModuleOp module);

/// Schedules every `graph.program` of a module into a new module of host programs and kernels;
/// modules of classes are carried over. Fails after diagnostics at what cannot be scheduled.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> scheduleModule(mlir::ModuleOp module,
                                                                  const ScheduleOptions &options,
                                                                  ScheduleReport *report = nullptr);

} // namespace nereid::schedule
