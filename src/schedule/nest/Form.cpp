// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Form.h"

#include "graph/GraphOps.h"
#include "index/MixedRadix.h"
#include "schedule/nest/ContractionForm.h"
#include "schedule/nest/SpanKernel.h"
#include "schedule/nest/Strips.h"
#include "schedule/nest/TileAxes.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

bool isStrideOfCall(Expr stride) {
  return stride.isSymbol() && stride.getName().starts_with("stride_");
}

Expr offsetOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> strides, index::Context &context) {
  Expr offset = context.constant(0);
  for (auto [index, stride] : llvm::zip_equal(at, strides))
    offset = offset + index * stride;
  // Where there are elements sizes are positive.
  return index::joinDigits(offset, [](Expr expr) {
    llvm::SmallVector<index::Term, 4> terms = expr.getTerms();
    bool isSize = terms.size() == 1 && expr.getConstantTerm() == 0 && terms[0].coefficient > 0;
    index::forEachSymbol(expr, [&](Expr symbol) {
      isSize &= !llvm::StringRef("@!$").contains(symbol.getName().front());
    });
    return isSize || expr.getConstant().value_or(0) > 0;
  });
}

Expr offsetOf(const Value &value, llvm::ArrayRef<Expr> at, const StrideMap &strides,
              index::Context &context) {
  auto found = strides.find(&value);
  assert(found != strides.end() && "a value without storage is read");
  return offsetOf(at, found->second, context);
}

index::Facts factsOf(const Kernel &kernel, index::Context &context) {
  index::Facts facts(context);
  auto bound = [&](const Space &space) {
    for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents))
      boundIndex(facts, symbol, extent);
  };
  bound(kernel.rows);
  for (const Space &space : kernel.columns)
    bound(space);
  for (const Space &space : kernel.unrolled)
    bound(space);
  bound(kernel.outer);
  if (kernel.contraction)
    for (const NestedFold &nested : kernel.contraction->nested)
      bound(nested.terms);
  if (kernel.span != 0)
    facts.setRange(kernel.spanIndex, index::Range::atLeast(0));
  return facts;
}

Expr usePosition(Expr offset, const Space &space, Expr position) {
  if (space.symbols.size() < 2)
    return offset;
  auto linear = index::asLinearIn(offset, space.symbols.back());
  if (!linear || linear->coefficient.isConstant(0))
    return offset;
  index::Context &context = offset.getContext();
  Expr rest = offset - linear->coefficient * linearize(space.symbols, space.extents, context);
  bool gone = llvm::none_of(space.symbols, [&](Expr symbol) {
    return index::contains(rest, symbol) || index::contains(linear->coefficient, symbol);
  });
  return gone ? linear->coefficient * position + rest : offset;
}

namespace {

/// Fills in the form of a kernel whose tile axes are chosen.
class FormChooser {
public:
  FormChooser(const Program &program, const KernelExprs &exprs, const Kernel &kernel)
      : program(program), exprs(exprs), kernel(kernel) {}

  Form choose(bool resident);

private:
  void mergeAxes();
  void chooseFlat();
  void chooseSpan();
  void chooseMap();
  void chooseStrips();
  void chooseRows(bool resident);
  bool prefersTiledRows() const;
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

} // namespace

void FormChooser::mergeAxes() {
  if (kernel.contraction) {
    form.batch = kernel.contraction->batch;
    form.rows = kernel.contraction->left;
    form.lanes = kernel.contraction->right;
  } else {
    form.rows = kernel.rows;
  }
  for (Space *space : {&form.batch, &form.rows, &form.lanes})
    exprs.mergeAxes(*space, form.merges);
  for (const Space &space : kernel.columns) {
    Space &columns = form.columns.emplace_back(space);
    if (space.window != 0)
      columns.windowIndex = form.merges.apply(space.windowIndex);
    if (!kernel.hasRows)
      exprs.orderAxes(columns);
    exprs.mergeAxes(columns, form.merges);
  }
}

void FormChooser::chooseFlat() {
  bool searches = llvm::any_of(kernel.outputs, [](const KernelOutput &output) {
    return output.value->kind == ValueKind::Search;
  });
  form.configs = searches && !program.policy.isChosen() ? searchConfigs(program.policy)
                                                        : flatConfigs(program, kernel.loop >= 0);
  // Registers hold what so many accesses are for, of fewer elements of a lane.
  constexpr size_t manyTouches = 24;
  auto isNarrow = [](const Config &config) { return config.blocks.front().second == 512; };
  if (exprs.getTouches().size() >= manyTouches && !program.policy.isChosen())
    std::stable_partition(form.configs.begin(), form.configs.end(), isNarrow);
  if (kernel.loop >= 0 && program.policy.has(MoveKind::LoopPipelining))
    form.turnsAhead = chooseTurnsAhead(exprs.getTouches().size());
  Expr position = program.context->symbol("@p");
  for (const Touch &touch : exprs.getTouches()) {
    Expr offset = usePosition(form.merges.apply(touch.offset), form.columns.front(), position);
    form.denseAccesses += index::contains(offset, position);
  }
}

void FormChooser::chooseSpan() {
  form.tiledRows = form.resident = true;
  int64_t sides = kernel.paired ? 2 : 1, columns = longestColumns() * sides;
  form.residentElements = chooseElements(program, spanElements(columns) / sides);
  // Where no row waits for a fold, a program that is alone hides what it waits for by its warps.
  int64_t programs = spansTogether(columns);
  bool hidesByWarps =
      program.policy.has(MoveKind::WideTuning) && !exprs.hasRowFolds() && programs == 1;
  form.configs = spanConfigs(columns, hidesByWarps);
  // Programs that have all rows are as many as they may be.
  if (!program.policy.has(MoveKind::BlockPipelining) || program.policy.isChosen() ||
      form.columns.size() != 1 || kernel.span == Kernel::allRows || hidesByWarps)
    return;
  int64_t bytes = 0;
  llvm::DenseSet<std::pair<const Value *, Expr>> seen;
  for (const Touch &touch : exprs.getTouches()) {
    Expr offset = form.merges.apply(touch.offset);
    auto runsAlong = [&](const Space &space) {
      return llvm::any_of(space.symbols,
                          [&](Expr symbol) { return index::contains(offset, symbol); });
    };
    // Several outputs may be made of it.
    if (!touch.isWrite && runsAlong(form.rows) && runsAlong(form.columns.front()) &&
        seen.insert({touch.value, offset}).second)
      bytes += touch.value->getElementBytes();
  }
  form.mostAhead = elementsAhead(bytes, programs);
  // Small tiles wait less, and what is on its way costs more: on an H200 the gradient of attention
  // over windows of 49 takes 376 us with rows on the way, and 173 with none.
  int64_t tile = std::max(residentElements, *index::nextPowerOfTwo(columns));
  form.turnsAhead = tile <= form.mostAhead ? spanTurns : 0;
}

void FormChooser::chooseMap() {
  form.tiledRows = true;
  if (kernel.mapTile == MapTile::Windows)
    return chooseStrips();
  form.neighbouringRows = kernel.mapTile == MapTile::Transposed;
  form.columnsOutermost = kernel.mapTile == MapTile::Rows && looksUpRows();
  form.configs = form.columnsOutermost && !program.policy.isChosen()
                     ? lookupConfigs()
                     : mapConfigs(program, form.neighbouringRows);
  fitBlocks();
}

/// Tiles of strips lie within an image, whose weights are numbers then.
void FormChooser::chooseStrips() {
  form.neighbouringRows = true;
  if (program.policy.isChosen()) {
    form.configs = mapConfigs(program, false);
    return;
  }
  form.configs =
      stripConfigs(program.policy, program.estimate(form.rows.extents.back()), longestColumns());
}

/// Whether rows of a table that the cache does not hold are found by data, each several times. On
/// an H200 an embedding of 65536 tokens by a table of 131 MB takes 106 us where the columns are
/// outermost, and 127 us where the rows are.
bool FormChooser::looksUpRows() const {
  constexpr int64_t bytesOfCache = 32 << 20;
  if (program.policy.isChosen())
    return program.policy.pick(2) == 1;
  int64_t written = 0;
  for (const KernelOutput &output : kernel.outputs)
    written += program.estimateElements(output.value->shape) * output.value->getElementBytes();
  return llvm::any_of(exprs.getTouches(), [&](const Touch &touch) {
    bool isByData = false;
    index::forEachSymbol(
        touch.offset, [&](Expr symbol) { isByData |= symbol.getName().starts_with(lookupPrefix); });
    return isByData && touch.bytes > bytesOfCache && touch.bytes < written;
  });
}

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

/// Elements of short rows that share a program: fewer where each has registers of its own and the
/// rows read nothing in common.
int64_t FormChooser::sharedElements() const {
  constexpr unsigned bytesOfRegister = 4;
  const Touch *most = nullptr;
  for (const Touch &touch : exprs.getTouches())
    if (!touch.isWrite && (!most || touch.bytes > most->bytes))
      most = &touch;
  bool isWide = most && most->value->getElementBytes() >= bytesOfRegister;
  return isWide && !form.firstAxisFastest ? wideElements : residentElements;
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
  form.tiledRows = canTile && prefersTiledRows();
  if (!form.rows.symbols.empty() && canTile)
    form.tiledRows = program.policy.decide(form.tiledRows);
  form.neighbouringRows = form.tiledRows;
  // A row that nothing but folds of the first loop reads is read once in any form.
  bool ownsColumns =
      llvm::any_of(kernel.outputs, [](const KernelOutput &output) { return output.columns >= 0; });
  bool holdsNeighbours = program.policy.has(MoveKind::SeveralRows) && ownsColumns;
  if (form.tiledRows)
    holdsNeighbours = program.policy.decide(holdsNeighbours);
  form.resident = resident && (!form.tiledRows || holdsNeighbours);
  form.loopsSooner = loopsSooner();
  if (form.resident && form.tiledRows) {
    // So many neighbours fill the sectors that they touch; more of short rows are too many.
    constexpr int64_t rowsOfSectors = 32, least = 4096;
    int64_t columns = *index::nextPowerOfTwo(longestColumns());
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
  LoopedRows rows{program.estimateElements(form.rows.extents), 1, 0};
  for (const KernelOutput &output : kernel.outputs)
    rows.folds += output.columns < 0 && output.value->kind == ValueKind::Fold;
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

Form FormChooser::choose(bool resident) {
  mergeAxes();
  if (kernel.contraction)
    chooseContraction(program, exprs, kernel, form);
  else if (!kernel.hasRows)
    chooseFlat();
  else if (kernel.span != 0)
    chooseSpan();
  else if (kernel.isTiledMap())
    chooseMap();
  else
    chooseRows(resident);
  return std::move(form);
}

Form chooseForm(const Program &program, const StoredSet &stored, const StrideMap &strides,
                Kernel &kernel, bool resident) {
  KernelExprs exprs(program, stored, strides, kernel);
  if (!kernel.contraction &&
      (cutIntoStrips(program, stored, exprs, kernel) || pairColumns(program, exprs, kernel))) {
    KernelExprs ofCut(program, stored, strides, kernel);
    return FormChooser(program, ofCut, kernel).choose(resident);
  }
  if (!kernel.contraction)
    chooseTileAxes(program, exprs, strides, kernel);
  return FormChooser(program, exprs, kernel).choose(resident);
}

} // namespace nereid::schedule
