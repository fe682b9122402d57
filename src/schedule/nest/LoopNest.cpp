// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/LoopNest.h"

namespace nereid::schedule {

static bool isScanned(const KernelOutput *output) { return output->value->kind == ValueKind::Scan; }

bool Pass::isScan() const { return columns && outputs.size() == 1 && isScanned(outputs.front()); }

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
  void addTurns();
  void addHeldPass();
  Pass &addColumnPass(unsigned number);
  Pass *passOfFolds(const KernelOutput &output);
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

/// A loop over some of the columns.
Pass &NestBuilder::addColumnPass(unsigned number) {
  Pass &pass = addPass();
  pass.columns = number;
  pass.axes = {columnsOf(number)};
  return pass;
}

/// The first loop over the columns of an output that folds something, where all that the output
/// needs is known: it is stored there, and the row is not read again. Where something is stored in
/// the memory of an argument all is made before.
Pass *NestBuilder::passOfFolds(const KernelOutput &output) {
  bool overwrites = llvm::any_of(
      kernel.outputs, [](const KernelOutput &each) { return each.value->memory != nullptr; });
  if (kernel.contraction || kernel.paired || kernel.strip || !kernel.unrolled.empty() ||
      output.columns < 0 || isScanned(&output) || overwrites)
    return nullptr;
  auto needed = folds.foldsNeeded(*output.value);
  for (Pass &pass : nest.passes) {
    bool isKnown = llvm::none_of(
        pass.folds, [&](const FoldPlan *fold) { return llvm::is_contained(needed, fold->value); });
    if (isKnown && needed.empty() && pass.columns == unsigned(output.columns))
      return &pass;
    llvm::erase_if(needed, [&](const Value *value) {
      return llvm::any_of(pass.folds, [&](const FoldPlan *fold) { return fold->value == value; });
    });
  }
  return nullptr;
}

/// Folds of one level over the same columns share a loop, with the outputs that need no other; then
/// each column space of the other outputs has one, and so does each scan.
void NestBuilder::addColumnPasses() {
  const FoldPlan *last = nullptr;
  for (const FoldPlan &fold : folds.getAll()) {
    if (!last || !folds.areTogether(*last, fold))
      addColumnPass(kernel.columnsOf(*fold.value));
    nest.passes.back().folds.push_back(&fold);
    last = &fold;
  }
  llvm::SmallPtrSet<const KernelOutput *, 4> isSooner;
  for (const KernelOutput &output : kernel.outputs)
    if (Pass *pass = passOfFolds(output)) {
      pass->outputs.push_back(&output);
      isSooner.insert(&output);
    }
  auto outputsOf = [&](int columns) {
    llvm::SmallVector<const KernelOutput *, 4> outputs;
    for (const KernelOutput &output : kernel.outputs)
      if (!isSooner.contains(&output) &&
          ((columns < 0 && output.columns < 0) || output.columns == columns))
        outputs.push_back(&output);
    return outputs;
  };
  if (auto ofRows = outputsOf(-1); !ofRows.empty())
    addPass().outputs = std::move(ofRows);
  for (unsigned number = 0; number < kernel.columns.size(); ++number) {
    auto outputs = outputsOf(int(number));
    auto *rest = std::stable_partition(outputs.begin(), outputs.end(), isScanned);
    for (const KernelOutput *scan : llvm::make_range(outputs.begin(), rest))
      addColumnPass(number).outputs.push_back(scan);
    if (rest != outputs.end())
      addColumnPass(number).outputs.assign(rest, outputs.end());
  }
}

/// All turns of a loop; behind them, what is stored of the last one.
void NestBuilder::addTurns() {
  Pass &turns = addPass();
  Space space;
  space.symbols = {kernel.turn};
  space.extents = {kernel.turns};
  turns.axes = {{AxisRole::Turn, space}};
  Pass behind;
  for (const KernelOutput &output : kernel.outputs) {
    bool isOfTurn =
        llvm::any_of(output.at, [&](Expr at) { return index::contains(at, kernel.turn); });
    (isOfTurn ? turns : behind).outputs.push_back(&output);
  }
  if (!behind.outputs.empty())
    nest.passes.push_back(std::move(behind));
}

/// Programs that hold what they fold: all at once, or a chunk of rows after the other.
void NestBuilder::addHeldPass() {
  Pass &pass = addPass();
  for (const FoldPlan &fold : folds.getAll())
    pass.folds.push_back(&fold);
  for (const KernelOutput &output : kernel.outputs)
    if (output.isCarried)
      pass.carried.push_back(&output);
    else
      pass.outputs.push_back(&output);
  if (kernel.span == 0)
    return;
  Axis rows = loopOf(kernel.rows, "BLOCK_M");
  if (kernel.span != Kernel::allRows) {
    rows.bound = AxisBound::Window;
    rows.length = kernel.span;
  }
  pass.axes = {rows};
}

LoopNest NestBuilder::build() {
  addProgramAxes();
  if (kernel.loop >= 0)
    addTurns();
  else if (!kernel.hasRows || form.resident || kernel.isTiledMap() || kernel.span != 0)
    addHeldPass();
  else
    addColumnPasses();
  return std::move(nest);
}

LoopNest nestOf(const Kernel &kernel, const Form &form, const FoldPlans &folds) {
  return NestBuilder(kernel, form, folds).build();
}

} // namespace nereid::schedule
