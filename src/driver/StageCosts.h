// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stage's kernels are and move, for reports that say what each stage bought.
#pragma once

#include "driver/Document.h"
#include "schedule/Schedule.h"

#include <nlohmann/json.hpp>

namespace nereid::driver {

struct StageCost {
  int stage = 0;
  /// What the cost model says at the typical sizes.
  size_t launches = 0;
  int64_t bytes = 0;
  int64_t leastBytes = 0;
  double microseconds = 0;
  /// Name and docstring, in the order of the file.
  std::vector<std::pair<std::string, std::string>> kernels;

  /// How many times the least bytes are moved.
  double share() const { return leastBytes ? double(bytes) / double(leastBytes) : 1; }
};

StageCost costOf(int stage, mlir::ModuleOp module, const schedule::ScheduleReport &report);

/// One row a stage: launches, bytes, estimated time, each beside the stage before.
Table tabulate(llvm::ArrayRef<StageCost> costs);
/// What the cost model expects of each kernel, and what each move of the partition gained.
void addEstimates(Document &document, int stage, const schedule::ScheduleReport &report);
nlohmann::json toJson(const schedule::CostTerms &terms);
nlohmann::json toJson(const schedule::MoveReport &move);
/// The kernels' docstrings, a block a stage.
void addKernels(Document &document, llvm::ArrayRef<StageCost> costs);
nlohmann::json toJson(const StageCost &cost);

/// `12.6 MB`.
std::string spellBytes(int64_t bytes);

} // namespace nereid::driver
