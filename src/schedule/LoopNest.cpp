// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/LoopNest.h"

namespace nereid::schedule {

namespace {

class NestBuilder {
public:
  NestBuilder(const Kernel &kernel, const Form &form, const FoldPlans &folds)
      : kernel(kernel), form(form), folds(folds) {}

  LoopNest build();

private:
  void addProgramAxes();
  void addContractionAxes();
  void addColumnPasses();
  Pass &addPass() { return nest.passes.emplace_back(); }
  void addAxis(AxisRole role, const Space &space, llvm::StringRef block = "");
  Axis columnsOf(unsigned number) const;
  Axis loopOf(const Space &space, llvm::StringRef block) const;

  const Kernel &kernel;
  const Form &form;
  const FoldPlans &folds;
  LoopNest nest;
};

} // namespace

void NestBuilder::addAxis(AxisRole role, const Space &space, llvm::StringRef block) {
  if (!space.symbols.empty())
    nest.axes.push_back({role, space, block.str()});
}

Axis NestBuilder::loopOf(const Space &space, llvm::StringRef block) const {
  Axis axis{AxisRole::Loop, space, block.str()};
  if (space.window != 0) {
    axis.bound = AxisBound::Window;
    axis.length = space.window;
  } else if (space.segment) {
    axis.bound = AxisBound::Segment;
  }
  return axis;
}

/// The columns of a kernel as its loops go over them.
Axis NestBuilder::columnsOf(unsigned number) const {
  Axis axis = loopOf(kernel.columns[number], kernel.contraction ? "BLOCK_K" : "BLOCK_N");
  if (form.isWrittenOut)
    axis.block = "";
  return axis;
}

/// Tiles of rows and columns; the left factor's axes are those of rows, but for swapped ones.
void NestBuilder::addContractionAxes() {
  const ContractionAxes &axes = *kernel.contraction;
  addAxis(AxisRole::Program, axes.batch);
  addAxis(AxisRole::Block, form.isSwapped ? axes.right : axes.left, "BLOCK_M");
  AxisRole role = axes.isNested() ? AxisRole::Held : AxisRole::Block;
  addAxis(role, form.isSwapped ? axes.left : axes.right, "BLOCK_N");
  for (const NestedFold &nested : axes.nested)
    addAxis(AxisRole::Held, nested.terms);
}

void NestBuilder::addProgramAxes() {
  for (const Space &space : kernel.unrolled)
    addAxis(AxisRole::WrittenOut, space);
  if (kernel.paired)
    nest.axes.back().role = AxisRole::Held;
  if (!kernel.hasRows)
    return addAxis(AxisRole::Block, kernel.columns.front(), "BLOCK");
  if (kernel.contraction)
    return addContractionAxes();
  addAxis(AxisRole::Program, kernel.outer);
  if (kernel.span != 0 && kernel.span != Kernel::allRows) {
    Space chunks;
    chunks.symbols = {kernel.spanIndex};
    chunks.extents = {kernel.countSpans(kernel.spanIndex.getContext())};
    addAxis(AxisRole::Program, chunks);
  }
  if (kernel.span == 0)
    addAxis(form.tiledRows ? AxisRole::Block : AxisRole::Program, kernel.rows,
            form.tiledRows ? "BLOCK_M" : "");
  if (kernel.isTiledMap())
    addAxis(AxisRole::Block, kernel.columns.front(), "BLOCK_N");
  if (form.resident)
    for (auto [number, space] : llvm::enumerate(kernel.columns))
      addAxis(AxisRole::Held, space, number ? "BLOCK_N" + std::to_string(number + 1) : "BLOCK_N");
}

/// Folds of one level over the same columns share a loop; then each column space of outputs has
/// one.
void NestBuilder::addColumnPasses() {
  const FoldPlan *last = nullptr;
  for (const FoldPlan &fold : folds.getAll()) {
    if (!last || !folds.areTogether(*last, fold))
      addPass().axes = {columnsOf(kernel.columnsOf(*fold.value))};
    nest.passes.back().folds.push_back(&fold);
    last = &fold;
  }
  Pass ofRows;
  for (const KernelOutput &output : kernel.outputs)
    if (output.columns < 0)
      ofRows.outputs.push_back(&output);
  if (!ofRows.outputs.empty())
    nest.passes.push_back(ofRows);
  for (unsigned number = 0; number < kernel.columns.size(); ++number) {
    Pass pass;
    pass.axes = {columnsOf(number)};
    for (const KernelOutput &output : kernel.outputs)
      if (output.columns == int(number))
        pass.outputs.push_back(&output);
    if (!pass.outputs.empty())
      nest.passes.push_back(pass);
  }
}

LoopNest NestBuilder::build() {
  addProgramAxes();
  bool hasLoops = kernel.hasRows && !form.resident && !kernel.isTiledMap() && kernel.span == 0 &&
                  kernel.loop < 0;
  if (hasLoops) {
    addColumnPasses();
    return std::move(nest);
  }
  Pass &pass = addPass();
  for (const FoldPlan &fold : folds.getAll())
    pass.folds.push_back(&fold);
  for (const KernelOutput &output : kernel.outputs)
    if (output.isCarried)
      pass.carried.push_back(&output);
    else
      pass.outputs.push_back(&output);
  if (kernel.span != 0) {
    Axis rows = loopOf(kernel.rows, "BLOCK_M");
    if (kernel.span != Kernel::allRows) {
      rows.bound = AxisBound::Window;
      rows.length = kernel.span;
    }
    pass.axes = {rows};
  }
  if (kernel.loop >= 0) {
    Space turns;
    turns.symbols = {kernel.turn};
    turns.extents = {kernel.turns};
    pass.axes = {{AxisRole::Turn, turns}};
  }
  return std::move(nest);
}

LoopNest nestOf(const Kernel &kernel, const Form &form, const FoldPlans &folds) {
  return NestBuilder(kernel, form, folds).build();
}

} // namespace nereid::schedule
