// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of kernels of rows: held whole, in blocks of several, or gone over in loops.
#include "schedule/nest/FormChooser.h"

#include "schedule/nest/Strips.h"
#include "schedule/nest/TileAxes.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// Whether the bounds of the columns differ between neighbouring rows.
bool FormChooser::rowsBoundColumns(const Space &space) const {
  return !form.rows.symbols.empty() && boundsColumns(form.rows.symbols.back(), space);
}

bool FormChooser::boundsColumns(Expr row, const Space &space) const {
  if (!space.segment)
    return space.window != 0 && index::contains(space.windowIndex, row);
  return llvm::any_of(space.segment->inputs[1].at, [&](Expr coordinate) {
    return index::contains(substituteIndices(coordinate, space.segmentIndex, {}, program), row);
  });
}

/// Rows one element apart in memory, columns far apart: a block of rows makes the accesses
/// coalesced.
bool FormChooser::prefersTiledRows() const {
  auto countContiguous = [&](const Space &space) {
    return space.symbols.empty() ? 0 : exprs.countContiguous(space.symbols.back(), form.merges);
  };
  int64_t alongColumns = 0;
  for (const Space &space : form.columns)
    alongColumns = std::max(alongColumns, countContiguous(space));
  // What few results say is of no weight beside what is read.
  constexpr int64_t leastShare = 64;
  int64_t alongRows = countContiguous(form.rows);
  return alongRows > alongColumns && alongRows * leastShare > exprs.countBytes();
}

/// Whether rows are windows of a few elements that begin a few elements after each other: lanes
/// side by side read what lies close together, for each element of the window, and the caches have
/// it for the next one. On an H200 an average of 3 x 3 x 3 at every second place takes 5510 us by
/// rows of 27 and 1210 so.
bool FormChooser::areNearWindows() const {
  constexpr int64_t mostElements = 64, mostBytes = 16, leastRepeats = 2;
  auto isShort = [](const Space &space) {
    auto count = index::product(space.extents.front().getContext(), space.extents).getConstant();
    return count && *count <= mostElements && !space.isPart() && !space.segment;
  };
  if (form.rows.symbols.empty() || form.columns.empty() || !llvm::all_of(form.columns, isShort))
    return false;
  int64_t reads = program.estimateElements(form.rows.extents) * longestColumns();
  bool repeats = false;
  for (const Touch &touch : exprs.getTouches()) {
    auto linear = index::asLinearIn(form.merges.apply(touch.usual), form.rows.symbols.back());
    auto step = linear ? linear->coefficient.getConstant() : std::nullopt;
    int64_t bytes = touch.value->getElementBytes();
    if (!step || std::abs(*step) * bytes > mostBytes)
      return false;
    repeats |= !touch.isWrite && touch.bytes * leastRepeats <= reads * bytes;
  }
  return repeats;
}

/// Whether what is repeated along the first row axis would come from memory again and again: a bias
/// of all heads that each element of a batch adds. On an H200, where a batch of 8 adds one of 34 MB
/// to 268 MB of scores, programs that lie side by side and share it are 1.2 times as fast.
bool FormChooser::repeatsAlongFirst() const {
  constexpr int64_t bytesOfCache = 32 << 20, leastShare = 8, mostRepeats = 256;
  if (form.rows.symbols.size() < 2)
    return false;
  int64_t repeated = 0, all = exprs.countBytes();
  int64_t repeats = program.estimate(form.rows.extents.front());
  for (const Touch &touch : exprs.getTouches())
    if (!index::contains(form.merges.apply(touch.offset), form.rows.symbols.front()))
      repeated += touch.bytes;
  return repeats > 1 && repeats <= mostRepeats && all / repeats > bytesOfCache &&
         repeated * (repeats - 1) * leastShare > all;
}

int64_t FormChooser::longestColumns() const {
  int64_t longest = 1;
  for (const Space &space : form.columns)
    longest = std::max(longest, program.estimateElements(space.extents));
  return longest;
}

/// Whether there are few programs, each of a long row.
bool FormChooser::isAlone() const {
  return program.policy.has(MoveKind::WideTuning) && !program.policy.isChosen() &&
         !form.tiledRows && longestColumns() >= residentElements &&
         program.estimateElements(form.rows.extents) <= fewPrograms;
}

/// Elements of short rows that share a program: fewer where each has registers of its own, which it
/// keeps from one fold to the next or to what is stored, and the rows read nothing in common. Of
/// the shortest rows most is arithmetic on their places.
int64_t FormChooser::sharedElements() const {
  constexpr unsigned bytesOfRegister = 4;
  const Touch *most = nullptr;
  for (const Touch &touch : exprs.getTouches())
    if (!touch.isWrite && (!most || touch.bytes > most->bytes))
      most = &touch;
  bool isWide = most && most->value->getElementBytes() >= bytesOfRegister;
  bool isKept =
      exprs.countRowFolds() > 1 ||
      llvm::any_of(kernel.outputs, [](const KernelOutput &output) { return output.columns >= 0; });
  constexpr int64_t shortest = 64;
  bool leavesRegisters = isKept || longestColumns() <= shortest;
  return isWide && leavesRegisters && !form.firstAxisFastest ? wideElements : residentElements;
}

/// Several short rows share a program: one alone would leave most of its lanes idle.
bool FormChooser::sharesProgram() const {
  if (!form.resident)
    return false;
  bool isShort = program.policy.decide(program.policy.has(MoveKind::SeveralRows) &&
                                       longestColumns() <= longestShared(sharedElements()));
  return isShort && !form.rows.symbols.empty();
}

void FormChooser::chooseRows(bool resident) {
  // A loop's state stays where it is from turn to turn.
  bool canTile =
      kernel.loop < 0 &&
      llvm::none_of(form.columns, [&](const Space &space) { return rowsBoundColumns(space); });
  form.tiledRows = canTile && (prefersTiledRows() || areNearWindows());
  if (!form.rows.symbols.empty() && canTile)
    form.tiledRows = program.policy.decide(form.tiledRows);
  form.neighbouringRows = form.tiledRows;
  // A row that nothing but the first loop reads is read once in any form.
  bool holdsNeighbours =
      program.policy.has(MoveKind::SeveralRows) && (exprs.goesOverRowsAgain() || exprs.hasScans());
  if (form.tiledRows)
    holdsNeighbours = program.policy.decide(holdsNeighbours);
  form.resident = resident && (!form.tiledRows || holdsNeighbours);
  form.loopsSooner = loopsSooner();
  if (form.resident && form.tiledRows) {
    // So many neighbours fill the sectors that they touch; more of short rows are too many.
    constexpr int64_t rowsOfSectors = 32, least = 4096;
    int64_t columns = *index::nextPowerOfTwo(longestColumns());
    countTogether(rowsOfSectors, /*staysNear=*/true);
    form.residentElements =
        chooseElements(program, std::clamp(rowsOfSectors * columns, least, neighbouringElements));
    form.configs = neighbourConfigs(countTiles());
    return;
  }
  bool hasParts = llvm::any_of(form.columns, [](const Space &space) { return space.isPart(); });
  form.firstAxisFastest = program.policy.has(MoveKind::RowOrder) && !form.tiledRows && !hasParts &&
                          kernel.loop < 0 && repeatsAlongFirst();
  if (form.rows.symbols.size() > 1 && !form.tiledRows && !hasParts)
    form.firstAxisFastest = program.policy.decide(form.firstAxisFastest);
  if (sharesProgram()) {
    form.tiledRows = true;
    form.residentElements = chooseElements(program, sharedElements());
    form.configs = shortRowConfigs();
  } else if (form.resident) {
    form.configs = isAlone() ? aloneConfigs(true) : basicResidentConfigs();
    form.heldElements =
        program.policy.has(MoveKind::WideTuning) && !isAlone() ? longestColumns() : 0;
  } else {
    chooseLoop();
  }
}

/// How many tiles a program holds or writes; what only has rows or columns is small.
size_t FormChooser::countTiles() const {
  constexpr int64_t leastShare = 8;
  return llvm::count_if(exprs.getTouches(), [&](const Touch &touch) {
    return touch.bytes * leastShare >= exprs.countBytes();
  });
}

/// Rows of halves that are read once and written once stay in the cache between two loops, and rows
/// beside several others of their length do not fit into registers with them. On an H200, with rows
/// of 32768: quantised halves 229 us by loops and 296 us held, a log-softmax of halves 315 for 328,
/// a layer norm of floats with weights 348 for 623; but a softmax of floats 278 for 264.
bool FormChooser::loopsSooner() const {
  // What is written counts twice.
  constexpr int64_t bytesOfHalves = 6;
  constexpr size_t readAndWritten = 2, manyRows = 4;
  size_t alongColumns = llvm::count_if(exprs.getTouches(), [&](const Touch &touch) {
    Expr offset = form.merges.apply(touch.offset);
    return llvm::any_of(form.columns, [&](const Space &space) {
      return llvm::any_of(space.symbols,
                          [&](Expr symbol) { return index::contains(offset, symbol); });
    });
  });
  int64_t elements = program.estimateElements(form.rows.extents) * longestColumns();
  bool isNarrow = exprs.countBytes() <= bytesOfHalves * elements;
  return alongColumns >= manyRows || (countTiles() <= readAndWritten && isNarrow);
}

LoopedRows FormChooser::loopedRows() const {
  LoopedRows rows{program.estimateElements(form.rows.extents), 1};
  rows.columns = longestColumns();
  int64_t most = 0;
  for (const Touch &touch : exprs.getTouches())
    if (!touch.isWrite && touch.bytes > most) {
      most = touch.bytes;
      rows.bytesOfElement = touch.value->getElementBytes();
    }
  return rows;
}

/// Whether windows of neighbouring rows have elements in common: what is read goes on along a
/// column as it does along a row.
bool FormChooser::overlap(const Space &space) const {
  return llvm::any_of(exprs.getTouches(), [&](const Touch &touch) {
    return llvm::any_of(space.symbols, [&](Expr column) {
      auto ofColumn = index::asLinearIn(touch.usual, column);
      return ofColumn && !ofColumn->coefficient.isConstant(0) &&
             llvm::any_of(kernel.rows.symbols, [&](Expr row) {
               auto ofRow = index::asLinearIn(touch.usual, row);
               return ofRow && ofRow->coefficient == ofColumn->coefficient;
             });
    });
  });
}

/// Whether rows are windows of a few elements, whose neighbours read the same again.
bool FormChooser::areWindows() const {
  constexpr int64_t fewColumns = 128, veryFew = 8, leastRepeats = 2;
  auto isShort = [&](const Space &space) {
    auto count = index::product(*program.context, space.extents).getConstant();
    int64_t length = count ? *count : program.estimateElements(space.extents);
    return length <= fewColumns && !space.isPart() && (count || overlap(space));
  };
  auto isPlain = [](const Space &space) { return !space.isPart() && !space.segment; };
  if (isWorthFitting() && longestColumns() <= veryFew && llvm::all_of(form.columns, isPlain))
    return true;
  if (!llvm::all_of(form.columns, isShort))
    return false;
  const Touch *largest = nullptr;
  for (const Touch &touch : exprs.getTouches())
    if (!touch.isWrite && (!largest || touch.bytes > largest->bytes))
      largest = &touch;
  int64_t reads = program.estimateElements(form.rows.extents) * longestColumns();
  return largest && largest->bytes * leastRepeats <= reads * largest->value->getElementBytes();
}

/// Windows are folded an element or a few at a time, by lanes side by side: what is read is
/// contiguous, and the caches have what neighbours read. Short axes of rows are counted together,
/// so that few lanes of a block have none. On an H100 a depthwise convolution of 5 x 5 over images
/// of 14 x 14 takes 913 us in tiles of a row of the image by all elements; on an H200 a similarity
/// of structures 163 us with 1024 together and 210 with 128, pools with gradients 2191 and 2454.
void FormChooser::chooseWindows() {
  constexpr int64_t mostTurns = 64;
  auto isKnown = [&](const Space &space) {
    auto count = index::product(*program.context, space.extents).getConstant();
    return count && *count <= mostTurns;
  };
  // What an element of a window needs of its number alone is known then: of the 25 of a pool of
  // 5 x 5 which row and column it has.
  form.isWrittenOut = llvm::all_of(form.columns, isKnown);
  constexpr int64_t leastRows = 1024;
  countTogether(leastRows, /*staysNear=*/false);
  // Only sums are rounded.
  bool areSums = llvm::any_of(kernel.outputs, [](const KernelOutput &output) {
    auto fold = llvm::dyn_cast_or_null<graph::FoldOp>(output.value->op);
    return !fold || fold.getKind() == graph::FoldKind::Sum;
  });
  form.configs = windowConfigs(program.policy, areSums ? longestColumns() : 1);
}

/// Short axes of rows that are neighbours are counted together, up to so many; how many there are
/// then. Of those that lie apart in memory, and of segments, it may be none.
int64_t FormChooser::countTogether(int64_t least, bool staysNear) {
  size_t axes = form.rows.symbols.size();
  int64_t together =
      program.estimateElements(llvm::ArrayRef(form.rows.extents).take_back(form.neighbouringAxes));
  auto mayJoin = [&](size_t axis) {
    bool bounds = llvm::any_of(form.columns, [&](const Space &space) {
      return boundsColumns(form.rows.symbols[axis], space);
    });
    return !bounds && (!staysNear || isBehind(axis));
  };
  while (form.neighbouringAxes < axes && together < least &&
         mayJoin(axes - form.neighbouringAxes - 1))
    together *= program.estimate(form.rows.extents[axes - ++form.neighbouringAxes]);
  return together;
}

/// Whether what is mostly read has an element of a row axis directly behind all of those behind it.
bool FormChooser::isBehind(size_t axis) const {
  Expr inner =
      index::product(*program.context, llvm::ArrayRef(form.rows.extents).drop_front(axis + 1));
  int64_t behind = 0, all = 0;
  for (bool isWrite : {false, true}) {
    behind += exprs.countSteps(form.rows.symbols[axis], inner, form.merges, isWrite);
    all += exprs.countContiguous(form.rows.symbols.back(), form.merges, isWrite);
  }
  return 2 * behind > all;
}

/// Sizes of a few elements are those of a test; the blocks then are those of long axes.
bool FormChooser::isWorthFitting() const {
  constexpr int64_t least = 1 << 16;
  return program.estimateElements(form.rows.extents) * longestColumns() >= least;
}

/// Blocks of rows and columns as long as these are.
void FormChooser::fitBlocks() {
  constexpr int64_t leastElements = 256, leastRows = 32;
  if (program.policy.isChosen() || !isWorthFitting())
    return;
  int64_t columns = longestColumns(), rows = program.estimateElements(form.rows.extents);
  if (form.neighbouringRows) {
    countTogether(leastRows, /*staysNear=*/true);
    rows = countTogether(llvm::divideCeil(leastElements, columns), /*staysNear=*/false);
  }
  fitTiles(form.configs, rows, columns);
}

/// The columns are traversed in a loop.
void FormChooser::chooseLoop() {
  if (form.neighbouringRows && areWindows() &&
      program.policy.decide(program.policy.has(MoveKind::SeveralRows)))
    return chooseWindows();
  form.configs =
      isAlone() ? aloneConfigs(false) : loopConfigs(program, form.tiledRows, loopedRows());
  if (form.tiledRows && !isAlone())
    fitBlocks();
  bool hasScan = llvm::any_of(kernel.outputs, [](const KernelOutput &output) {
    return output.value->kind == ValueKind::Scan;
  });
  if (hasScan && form.tiledRows && program.policy.has(MoveKind::BlockPipelining))
    form.turnsAhead = chooseBlocksAhead(form.configs, exprs.getTouches().size() - 1);
  bool hasSegments = llvm::any_of(form.columns, [](const Space &space) { return space.segment; });
  if (hasSegments && !program.policy.isChosen()) {
    constexpr int64_t leastWidth = 64;
    int64_t width = form.tiledRows ? countTogether(leastWidth, /*staysNear=*/true) : 1;
    form.configs = segmentConfigs(program.policy, form.tiledRows, width);
  }
  nestColumns();
}

/// A number of each channel is read once a channel, and not with a division for each element, where
/// the channels are long: on an H200 a group norm of channels of 16384 halves takes 222 us so, and
/// 231 us otherwise, and its gradients, which read it in each loop, gain more.
void FormChooser::nestColumns() {
  constexpr int64_t shortest = 1024;
  bool hasOneSpace = form.columns.size() == 1 && !form.columns.front().isPart();
  if (!hasOneSpace || form.tiledRows || kernel.loop >= 0 || exprs.hasScans() ||
      !program.policy.allows(MoveKind::NestedColumns))
    return;
  Space &columns = form.columns.front();
  if (columns.symbols.size() < 2)
    return;
  Expr outer = columns.symbols.front();
  auto inner = llvm::ArrayRef(columns.symbols).drop_front();
  bool readsByOuter = llvm::any_of(exprs.getTouches(), [&](const Touch &touch) {
    Expr offset = form.merges.apply(touch.offset);
    return !touch.isWrite && index::contains(offset, outer) &&
           llvm::none_of(inner, [&](Expr symbol) { return index::contains(offset, symbol); });
  });
  int64_t length = program.estimateElements(llvm::ArrayRef(columns.extents).drop_front());
  if (!program.policy.decide(readsByOuter && length >= shortest))
    return;
  form.outerColumns.symbols = {outer};
  form.outerColumns.extents = {columns.extents.front()};
  columns.symbols.erase(columns.symbols.begin());
  columns.extents.erase(columns.extents.begin());
}

} // namespace nereid::schedule
