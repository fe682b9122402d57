// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/TileAxes.h"

#include "schedule/nest/Unroll.h"
#include "schedule/program/AxisCuts.h"

namespace nereid::schedule {

/// Whether the elements of each index of an axis form one piece of every output that has it: a
/// coordinate is `c * index + rest` with `rest` less than c.
static bool makesPieces(const Kernel &kernel, llvm::ArrayRef<Expr> axes,
                        const index::Facts &facts) {
  auto isPiece = [&](Expr coordinate) {
    for (Expr axis : axes) {
      if (!index::contains(coordinate, axis))
        continue;
      auto linear = index::asLinearIn(coordinate, axis);
      return linear && facts.isTrue(index::ge(linear->rest, 0)) &&
             facts.isTrue(index::lt(linear->rest, linear->coefficient)) &&
             llvm::none_of(axes, [&](Expr other) { return index::contains(linear->rest, other); });
    }
    return true;
  };
  return llvm::all_of(kernel.outputs,
                      [&](const KernelOutput &output) { return llvm::all_of(output.at, isPiece); });
}

/// A few columns far apart in memory have a load each; those that lie in one piece are a tile's.
static bool unrollPays(const Program &program, const KernelExprs &exprs, const Kernel &kernel) {
  if (exprs.hasScans() || !hasFewColumns(kernel, exprs.getTouches().size()))
    return false;
  for (const Space &space : kernel.columns)
    if (!makesPieces(kernel, space.symbols, exprs.getFacts()))
      return false;
  if (program.policy.isChosen())
    return program.policy.pick(2) == 1;
  int64_t alongRows = exprs.countContiguous(kernel.rows.symbols.back(), AxisMerges());
  return program.policy.has(MoveKind::Unrolling) && llvm::none_of(kernel.columns, [&](Space space) {
           AxisMerges merges;
           exprs.mergeAxes(space, merges);
           return space.symbols.size() == 1 &&
                  exprs.countContiguous(space.symbols[0], merges) > alongRows;
         });
}

/// Whether the outputs have whole sectors behind each index of an axis: every second row of an
/// image, as the gradient of slices with a step writes them.
static bool hasRowsBehind(const Program &program, const Kernel &kernel, Expr axis) {
  constexpr int64_t shortestRow = 16;
  return llvm::all_of(kernel.outputs, [&](const KernelOutput &output) {
    for (size_t dim = output.at.size(); dim-- > 0;)
      if (index::contains(output.at[dim], axis))
        return program.estimateElements(llvm::ArrayRef(output.value->shape).drop_front(dim + 1)) >=
               shortestRow;
    return true;
  });
}

/// Whether elements that a kernel writes side by side lie far apart in what it reads, each beside
/// those of the next axis: the phases of a transposed convolution. A lane that takes one of each
/// reads whole sectors.
static bool putsTogether(const KernelExprs &exprs, const Space &flat, unsigned axis) {
  Expr own = flat.symbols[axis], next = flat.symbols[axis - 1];
  return llvm::any_of(exprs.getTouches(), [&](const Touch &touch) {
    auto along = index::asLinearIn(touch.usual, next), apart = index::asLinearIn(touch.usual, own);
    return !touch.isWrite && along && along->coefficient.isConstant(1) && apart &&
           !apart->coefficient.getConstant();
  });
}

/// An axis of a flat kernel on whose index it depends what is computed: the pieces of a
/// concatenation or of a stack, and what is interleaved. With code for each, no lane computes what
/// it does not store.
static std::optional<unsigned> axisToUnroll(const Program &program, const KernelExprs &exprs,
                                            const Kernel &kernel) {
  const index::Facts &facts = exprs.getFacts();
  const Space &flat = kernel.columns.front();
  size_t accesses = exprs.getTouches().size();
  for (const Space &space : kernel.unrolled)
    accesses *= *space.extents.front().getConstant();
  for (unsigned axis = flat.symbols.size(); axis-- > 0 && flat.symbols.size() > 1;) {
    bool isInnermost = axis + 1 == flat.symbols.size();
    if (!isFewElements(flat.extents[axis], accesses) ||
        (isInnermost && !flat.extents[axis].isConstant(2)) ||
        (!isInnermost && !makesPieces(kernel, flat.symbols[axis], facts) &&
         !hasRowsBehind(program, kernel, flat.symbols[axis])))
      continue;
    bool decides = llvm::any_of(exprs.getPredicates(), [&](Pred pred) {
      bool found = false;
      index::forEachSymbol(facts.simplify(pred),
                           [&](Expr symbol) { found |= symbol == flat.symbols[axis]; });
      return found;
    });
    decides |= isInnermost && putsTogether(exprs, flat, axis);
    if (program.policy.decide(decides && program.policy.has(MoveKind::Unrolling)))
      return axis;
  }
  return std::nullopt;
}

/// Gives a map tiles of two axes in place of its flat space.
static void tile(Kernel &kernel, MapTile tile, const Space &rows, const Space &columns) {
  kernel.mapTile = tile;
  kernel.hasRows = true;
  kernel.rows = rows;
  kernel.columns = {columns};
  for (KernelOutput &output : kernel.outputs)
    output.columns = 0;
}

static void addAxis(Space &space, Expr symbol, Expr extent) {
  space.symbols.push_back(symbol);
  space.extents.push_back(extent);
}

/// Axes of a space that all expressions of a kernel go over as one: an image's rows and columns.
static llvm::SmallVector<Space> groupAxes(const KernelExprs &exprs, const Space &space,
                                          AxisMerges &merges) {
  Space merged = space;
  exprs.mergeAxes(merged, merges);
  llvm::SmallVector<Space> groups(1);
  for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents)) {
    addAxis(groups.back(), symbol, extent);
    if (llvm::is_contained(merged.symbols, symbol))
      groups.emplace_back();
  }
  // Behind the last group stand axes of one element at most, which go with it.
  Space rest = groups.pop_back_val();
  if (!groups.empty()) {
    Space &last = groups.back();
    last.symbols.insert(last.symbols.begin(), rest.symbols.begin(), rest.symbols.end());
    last.extents.insert(last.extents.begin(), rest.extents.begin(), rest.extents.end());
  }
  return groups;
}

/// Where a map reads along one axis and writes along another, tiles take both: the second axis
/// becomes rows, the contiguous one columns, so that each access has whole sectors.
static void tileTransposed(const Program &program, const KernelExprs &exprs, Kernel &kernel) {
  // The share of a kernel's bytes that must be contiguous along a second axis for it to get a side
  // of the tile, and a side below which tiles do not pay.
  constexpr int64_t secondShare = 4, shortestSide = 16;
  AxisMerges merges;
  llvm::SmallVector<Space> groups = groupAxes(exprs, kernel.columns.front(), merges);
  if (groups.size() < 2)
    return;
  // Every second element of what is read fills half of the sectors.
  Expr two = program.context->constant(2);
  llvm::SmallVector<int64_t> contiguous;
  for (const Space &group : groups)
    contiguous.push_back(exprs.countContiguous(group.symbols.back(), merges) +
                         exprs.countSteps(group.symbols.back(), two, merges, /*areWrites=*/false) /
                             2);
  size_t first = llvm::max_element(contiguous) - contiguous.begin();
  std::optional<size_t> second;
  for (size_t group = 0; group < contiguous.size(); ++group)
    if (group != first && contiguous[group] * secondShare >= exprs.countBytes() &&
        (!second || contiguous[group] > contiguous[*second]))
      second = group;
  if (program.policy.isChosen() && program.policy.pick(3) == 0)
    second = (first + 1) % groups.size();
  if (!second)
    return;
  // The axes before the inner one are one with it, as rows, where it lies along them in memory; of
  // about as many bytes along both the outer one has these.
  if (*second > first && contiguous[first] <= 2 * contiguous[*second])
    std::swap(first, *second);
  // Along a short axis a block of a flat kernel has whole sectors of each of its elements anyway.
  auto isShort = [&](size_t group) {
    return program.estimateElements(groups[group].extents) < shortestSide;
  };
  if (!program.policy.isChosen() && (isShort(first) || isShort(*second)))
    return;
  Space rows;
  auto addGroup = [&](const Space &group) {
    for (auto [symbol, extent] : llvm::zip_equal(group.symbols, group.extents))
      addAxis(rows, symbol, extent);
  };
  for (size_t group = 0; group < groups.size(); ++group)
    if (group != *second && group != first)
      addGroup(groups[group]);
  addGroup(groups[*second]);
  tile(kernel, MapTile::Transposed, rows, groups[first]);
}

/// The bytes that a kernel writes.
static int64_t countWritten(const Program &program, const Kernel &kernel) {
  int64_t bytes = 0;
  llvm::DenseSet<const Value *> counted;
  for (const KernelOutput &output : kernel.outputs)
    if (counted.insert(output.value).second)
      bytes += program.estimateElements(output.value->shape) * output.value->getElementBytes();
  return bytes;
}

/// Whether most of what moves are halves, beside numbers of which a row has one: lanes of a flat
/// kernel divide for two elements in the time in which those of floats do for one. On an H200 a
/// bias and SiLU over rows of 5000 take 124 us in tiles and 160 flat, a mixture of experts 181 and
/// 252; with floats tiles gain nothing.
static bool areHalvesOfRows(const KernelExprs &exprs, const AxisMerges &merges, Expr column) {
  int64_t halves = 0;
  bool hasNumbers = false;
  for (const Touch &touch : exprs.getTouches()) {
    halves += touch.value->getElementBytes() == 2 ? touch.bytes : 0;
    hasNumbers |= !touch.isWrite && !touch.value->shape.empty() &&
                  !index::contains(merges.apply(touch.usual), column);
  }
  return hasNumbers && halves * 2 > exprs.countBytes();
}

/// A map that reads far less than it writes, such as a product of a row and a column: nothing hides
/// the divisions of a flat kernel, and a tile divides once a row and not once an element. What is
/// read and written lies side by side along the columns, and the strides of the outputs are known.
static void tileRows(const Program &program, const KernelExprs &exprs, const StrideMap &strides,
                     Kernel &kernel) {
  // Rows in which the side of a tile finds elements enough.
  constexpr int64_t shortestRow = 64;
  for (const KernelOutput &output : kernel.outputs)
    if (llvm::any_of(strides.find(output.value)->second, isStrideOfCall))
      return;
  Space flat = kernel.columns.front();
  exprs.orderAxes(flat);
  Space merged = flat;
  AxisMerges merges;
  exprs.mergeAxes(merged, merges);
  if (merged.symbols.size() < 2)
    return;
  Expr column = merged.symbols.back(), lastRow = merged.symbols[merged.symbols.size() - 2];
  for (const Touch &touch : exprs.getTouches()) {
    auto linear = index::asLinearIn(merges.apply(touch.usual), column);
    if (!linear || !(linear->coefficient.isConstant(0) || linear->coefficient.isConstant(1)))
      return;
  }
  // What is written counts twice among all bytes.
  int64_t written = countWritten(program, kernel), read = exprs.countBytes() - 2 * written;
  bool pays = (read * 2 <= written || areHalvesOfRows(exprs, merges, column)) &&
              program.estimate(merged.extents.back()) >= shortestRow;
  if (!program.policy.decide(pays))
    return;
  Space rows, columns;
  bool isRow = true;
  for (auto [symbol, extent] : llvm::zip_equal(flat.symbols, flat.extents)) {
    addAxis(isRow ? rows : columns, symbol, extent);
    isRow &= symbol != lastRow;
  }
  tile(kernel, MapTile::Rows, rows, columns);
}

/// Whether a condition holds for every or for no index of an axis, once it is known which of two
/// neighbours a column is.
static bool isDecidedForEach(Pred pred, Expr column, Expr pair, const index::Facts &facts) {
  for (int64_t side : {0, 1}) {
    Pred own = index::substitute(pred, {{column, pair * 2 + side}});
    if (!facts.isTrue(own) && !facts.isTrue(index::notOf(own)))
      return false;
  }
  return true;
}

/// The columns of a kernel of spans that are twice as many as any others that it has; null where
/// they are none.
static const Space *columnsToPair(const Kernel &kernel) {
  const Space *wide = nullptr;
  for (const Space &space : kernel.columns) {
    Expr half = index::floordiv(space.extents.front(), 2);
    bool isWide =
        half * 2 == space.extents.front() && llvm::all_of(kernel.columns, [&](const Space &other) {
          return &other == &space || other.extents.front() == half;
        });
    if (space.symbols.size() != 1 || space.isPart())
      return nullptr;
    if (isWide)
      wide = &space;
  }
  return wide;
}

bool pairColumns(const Program &program, const KernelExprs &exprs, Kernel &kernel) {
  index::Context &context = *program.context;
  Expr two = context.constant(2);
  if (kernel.span == 0 || exprs.hasRowFolds() || exprs.hasScans() ||
      !isFewElements(two, exprs.getTouches().size()) ||
      llvm::any_of(kernel.outputs, [](const KernelOutput &output) { return output.columns < 0; }))
    return false;
  const Space *wide = columnsToPair(kernel);
  if (!wide)
    return false;
  Expr column = wide->symbols.front(), half = index::floordiv(wide->extents.front(), 2);
  Expr pair = context.symbol("@pairs"), side = context.symbol("@side");
  index::Facts facts(exprs.getFacts());
  boundIndex(facts, pair, half);
  bool decides = llvm::any_of(exprs.getPredicates(), [&](Pred pred) {
    bool hangsOnColumn = false;
    index::forEachSymbol(facts.simplify(pred),
                         [&](Expr symbol) { hangsOnColumn |= symbol == column; });
    return hangsOnColumn && isDecidedForEach(pred, column, pair, facts);
  });
  if (!program.policy.decide(decides && program.policy.has(MoveKind::Unrolling)))
    return false;
  llvm::DenseMap<Expr, Expr> places;
  for (const Space &space : kernel.columns)
    places[space.symbols.front()] = &space == wide ? pair * 2 + side : pair;
  for (KernelOutput &output : kernel.outputs) {
    for (Expr &coordinate : output.at)
      coordinate = index::substitute(coordinate, places);
    output.columns = 0;
  }
  Space columns, sides;
  columns.symbols = {pair};
  columns.extents = {half};
  sides.symbols = {side};
  sides.extents = {two};
  kernel.columns = {columns};
  kernel.unrolled.push_back(sides);
  kernel.paired = side;
  return true;
}

void chooseTileAxes(const Program &program, const KernelExprs &exprs, const StrideMap &strides,
                    Kernel &kernel) {
  if (unrollPays(program, exprs, kernel))
    unrollColumns(kernel, *program.context);
  bool scatters = kernel.outputs.front().value->kind == ValueKind::Scatter;
  if (kernel.hasRows || scatters || kernel.loop >= 0)
    return;
  constexpr size_t mostUnrolled = 2;
  while (kernel.unrolled.size() < mostUnrolled && !kernel.paired) {
    auto axis = axisToUnroll(program, exprs, kernel);
    if (!axis)
      break;
    unrollAxis(kernel, *axis, *program.context);
  }
  if (kernel.paired || !program.policy.allows(MoveKind::TiledMaps))
    return;
  tileTransposed(program, exprs, kernel);
  if (!kernel.isTiledMap())
    tileRows(program, exprs, strides, kernel);
}

} // namespace nereid::schedule
