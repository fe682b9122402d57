// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axes that a kernel needs, while it is planned: those that its folds run over, and what
// divides the indices of its outputs.
#pragma once

#include "schedule/nest/Requests.h"
#include "schedule/program/AxisCuts.h"

namespace nereid::schedule {

/// The extents of the axes that a fold or scan runs over.
llvm::SmallVector<Expr, 2> extentsOf(const Value &fold);

/// The column space of folds of these extents, while a kernel is planned.
struct FoldSpace {
  llvm::SmallVector<Expr, 4> extents, symbols;
  int64_t window;
  const Value *segment;
};

/// Walks what an output is made of: the coordinates at which its folds are needed, and what divides
/// the indices of the output and of its folds.
class AxisFinder {
public:
  AxisFinder(const Program &program, bool readsScans, std::vector<FoldSpace> &spaces,
             AxisCuts &cuts)
      : program(program), readsScans(readsScans), spaces(spaces), cuts(cuts) {}

  struct Fold {
    const Value *value;
    llvm::ArrayRef<Expr> at;
  };
  /// Adds the folds that `root` needs at coordinates; false where one cannot be made.
  bool find(Requests requests, const Value &root, llvm::ArrayRef<Expr> at,
            std::vector<Fold> &folds);

private:
  FoldSpace &spaceOf(llvm::ArrayRef<Expr> extents, const Value &fold);

  const Program &program;
  bool readsScans;
  std::vector<FoldSpace> &spaces;
  AxisCuts &cuts;
};

} // namespace nereid::schedule
