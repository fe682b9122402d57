// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the axes of a kernel are traversed, chosen step by step: maps and spans in Form.cpp and
// FlatForms.cpp, rows in RowForms.cpp. Entry point: chooseForm.
#pragma once

#include "schedule/nest/Form.h"
#include "schedule/nest/KernelExprs.h"

namespace nereid::schedule {

/// Fills in the form of a kernel whose tile axes are chosen.
class FormChooser {
public:
  FormChooser(const Program &program, const KernelExprs &exprs, const Kernel &kernel)
      : program(program), exprs(exprs), kernel(kernel) {}

  Form choose(bool resident);

private:
  /// Whether most reads of a flat kernel lie apart from lane to lane, or are the shifted parts of
  /// windows.
  enum class LaneReads : uint8_t { Dense, Shifted, Strided };

  void mergeAxes();
  /// FlatForms.cpp
  LaneReads readsOfLanes() const;
  void chooseFlat();
  void chooseSpan();
  void chooseMap();
  void chooseStrips();
  void chooseRows(bool resident);
  bool prefersTiledRows() const;
  bool areNearWindows() const;
  bool rowsBoundColumns(const Space &space) const;
  bool repeatsAlongFirst() const;
  bool looksUpRows() const;
  int64_t longestColumns() const;
  int64_t sharedElements() const;
  bool sharesProgram() const;
  bool isAlone() const;
  size_t countTiles() const;
  bool loopsSooner() const;
  LoopedRows loopedRows() const;
  bool areWindows() const;
  bool overlap(const Space &space) const;
  bool isWorthFitting() const;
  bool isBehind(size_t axis) const;
  bool boundsColumns(Expr row, const Space &space) const;
  int64_t countTogether(int64_t least, bool staysNear);
  void chooseWindows();
  void chooseLoop();
  void fitBlocks();
  void nestColumns();

  const Program &program;
  const KernelExprs &exprs;
  const Kernel &kernel;
  Form form;
};

} // namespace nereid::schedule
