// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/ContractionForm.h"

#include "schedule/nest/Contraction.h"

namespace nereid::schedule {

namespace {

class ContractionChooser {
public:
  ContractionChooser(const Program &program, const KernelExprs &exprs, const Kernel &kernel,
                     Form &form)
      : program(program), exprs(exprs), kernel(kernel), form(form) {}

  void choose();

private:
  void chooseNested();
  std::optional<size_t> longestOfApart() const;
  void nestTerms();
  int64_t countTiles(const Space &side) const;
  void splitSide(Space &side);

  const Program &program;
  const KernelExprs &exprs;
  const Kernel &kernel;
  Form &form;
  /// Whether no columns have neighbours in memory.
  bool hasApart = false;
};

} // namespace

/// Rows and lanes of a tile: lanes are what lies side by side in what is written, or else in what
/// is read; where neither does, the shorter side, whose factor matrix units want in shared memory.
void ContractionChooser::choose() {
  if (kernel.contraction->isNested())
    return chooseNested();
  // An axis of pairs, as of complex numbers, is no axis of its own.
  auto countContiguous = [&](const Space &space, bool isWrite) {
    bool isOne = space.symbols.size() == 1 ||
                 (space.symbols.size() == 2 && space.extents.back().isConstant(2));
    return isOne ? exprs.countContiguous(space.symbols.back(), form.merges, isWrite) : 0;
  };
  auto compare = [&](bool isWrite) {
    return countContiguous(form.rows, isWrite) - countContiguous(form.lanes, isWrite);
  };
  int64_t rather = compare(true);
  if (rather == 0)
    rather = compare(false);
  if (rather == 0)
    rather =
        program.estimateElements(form.lanes.extents) - program.estimateElements(form.rows.extents);
  form.isSwapped = program.policy.decide(rather > 0);
  if (form.isSwapped)
    std::swap(form.rows, form.lanes);
  form.tiledRows = true;
  nestTerms();
  splitSide(form.rows);
  splitSide(form.lanes);
  ContractionSizes sizes = sizesOf(program, kernel, form.isSwapped);
  sizes.batch = program.estimateElements(form.batch.extents);
  sizes.rows = program.estimateElements(form.rows.extents);
  sizes.columns = program.estimateElements(form.lanes.extents);
  sizes.tilesOfRows = countTiles(form.rows);
  sizes.tilesOfColumns = countTiles(form.lanes);
  if (!form.outerColumns.symbols.empty()) {
    sizes.terms = program.estimateElements(form.columns.front().extents);
    sizes.turns = program.estimateElements(form.outerColumns.extents);
    sizes.areApart = hasApart;
  }
  form.configs = contractionConfigs(program.policy, sizes);
}

/// With nested contractions the rows are those of what is nested.
void ContractionChooser::chooseNested() {
  form.tiledRows = true;
  nestTerms();
  splitSide(form.rows);
  NestedSizes sizes = nestedSizesOf(program, kernel);
  sizes.batch = program.estimateElements(form.batch.extents);
  sizes.rows = program.estimateElements(form.rows.extents);
  sizes.columns = program.estimateElements(form.columns.front().extents);
  for (const Touch &touch : exprs.getTouches())
    if (isNestedTile(kernel, touch.offset))
      sizes.bytesOfTiles += touch.value->getElementBytes();
  form.configs = nestedConfigs(program.policy, sizes);
}

/// How many tiles a step reads of a side's factor.
int64_t ContractionChooser::countTiles(const Space &side) const {
  auto varies = [&](const Touch &touch, const Space &space) {
    Expr offset = form.merges.apply(touch.offset);
    return llvm::any_of(space.symbols,
                        [&](Expr symbol) { return index::contains(offset, symbol); });
  };
  return std::max<int64_t>(1, llvm::count_if(exprs.getTouches(), [&](const Touch &touch) {
                             return !touch.isWrite && varies(touch, side) &&
                                    (varies(touch, form.columns.front()) ||
                                     varies(touch, form.outerColumns));
                           }));
}

/// Of a side with several axes along one of which neighbours lie in memory, the others have tiles
/// of their own, where they are few: the channels that a tap reads.
void ContractionChooser::splitSide(Space &side) {
  if (side.symbols.size() < 2)
    return;
  int64_t all = program.estimateElements(side.extents);
  std::optional<size_t> inner;
  for (size_t axis = 0; axis < side.symbols.size(); ++axis)
    if (isSidePiece(program.estimate(side.extents[axis]), all) &&
        exprs.countContiguous(side.symbols[axis], form.merges, false) > 0)
      inner = axis;
  if (!program.policy.decide(inner.has_value()))
    return;
  size_t kept = inner.value_or(0);
  for (size_t axis = 0; axis < side.symbols.size(); ++axis)
    if (axis != kept) {
      form.batch.symbols.push_back(side.symbols[axis]);
      form.batch.extents.push_back(side.extents[axis]);
    }
  side.symbols = {side.symbols[kept]};
  side.extents = {side.extents[kept]};
}

/// Of columns none of which has neighbours in memory the longest, where its elements fill a step
/// and the others are few: of a grouped convolution the channels, whose images lie along the rows.
/// On an H200 groups of 16 channels, 3 x 3, of 32 x 128 x 56 x 56 take 83 us so.
std::optional<size_t> ContractionChooser::longestOfApart() const {
  constexpr int64_t mostTurns = 128;
  const Space &columns = form.columns.front();
  bool readsAlongRows =
      !form.rows.symbols.empty() &&
      exprs.countContiguous(form.rows.symbols.back(), form.merges, /*isWrite=*/false) > 0;
  if (!readsAlongRows || kernel.contraction->isNested())
    return std::nullopt;
  auto length = [&](size_t axis) { return program.estimate(columns.extents[axis]); };
  size_t longest = 0;
  for (size_t axis = 1; axis < columns.symbols.size(); ++axis)
    if (length(axis) > length(longest))
      longest = axis;
  int64_t turns = program.estimateElements(columns.extents) / std::max<int64_t>(length(longest), 1);
  return length(longest) >= shortestPiece && turns <= mostTurns ? std::optional(longest)
                                                                : std::nullopt;
}

/// The axis of a contraction's columns that fills its steps is gone over within the others: then
/// the taps of a convolution are numbers, and what they decide is known for all channels at once.
/// One that fills a part of a step is the innermost, so that its elements are read together.
void ContractionChooser::nestTerms() {
  constexpr int64_t shortest = 32;
  Space &columns = form.columns.front();
  if (columns.symbols.size() < 2 || columns.window != 0)
    return;
  std::optional<size_t> inner;
  auto rank = [&](size_t axis) {
    return std::pair(exprs.countContiguous(columns.symbols[axis], form.merges),
                     program.estimate(columns.extents[axis]));
  };
  for (size_t axis = 0; axis < columns.symbols.size(); ++axis)
    if (program.estimate(columns.extents[axis]) >= shortestPiece && rank(axis).first > 0 &&
        (!inner || rank(*inner) < rank(axis)))
      inner = axis;
  bool isLong = inner && program.estimate(columns.extents[*inner]) >= shortest;
  if (!inner && (inner = longestOfApart()))
    isLong = hasApart = true;
  size_t taken = inner.value_or(0);
  if (!program.policy.decide(isLong)) {
    for (auto *list : {&columns.symbols, &columns.extents})
      std::rotate(list->begin() + taken, list->begin() + taken + 1,
                  inner ? list->end() : list->begin() + taken + 1);
    return;
  }
  form.outerColumns = columns;
  for (auto *list : {&form.outerColumns.symbols, &form.outerColumns.extents})
    list->erase(list->begin() + taken);
  columns.symbols = {columns.symbols[taken]};
  columns.extents = {columns.extents[taken]};
}

void chooseContraction(const Program &program, const KernelExprs &exprs, const Kernel &kernel,
                       Form &form) {
  ContractionChooser(program, exprs, kernel, form).choose();
}

} // namespace nereid::schedule
