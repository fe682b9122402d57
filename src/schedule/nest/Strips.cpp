// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Strips.h"

#include "graph/GraphOps.h"
#include "schedule/program/FoldKinds.h"

namespace nereid::schedule {

namespace {

/// Looks for an axis of a kernel of windows along which lanes may make neighbours.
class StripFinder {
public:
  StripFinder(const Program &program, const StoredSet &stored, const KernelExprs &exprs,
              const Kernel &kernel)
      : program(program), exprs(exprs), kernel(kernel),
        requests(requestsOf(program, stored, kernel)) {}

  /// Nothing where lanes make one result each. Sets `columns` to the axis of the rows along which
  /// neighbours lie in memory.
  std::optional<Strip> find(size_t &columns) const;

private:
  bool areWindows() const;
  bool mayBeCut(const Request &request) const;
  std::optional<size_t> contiguousAxis() const;
  bool isAxisOfFolds(Expr axis) const;
  std::optional<Strip> stripAlong(size_t axis, size_t columns) const;
  void chooseCount(Strip &strip, int64_t window) const;

  const Program &program;
  const KernelExprs &exprs;
  const Kernel &kernel;
  Requests requests;
};

} // namespace

/// Whether all that the kernel stores is made of folds over one space of a few elements.
bool StripFinder::areWindows() const {
  constexpr int64_t fewest = 4, most = 128;
  if (!kernel.hasRows || kernel.loop >= 0 || kernel.span != 0 || kernel.contraction ||
      !kernel.outer.symbols.empty() || !kernel.innerScans.empty() || kernel.columns.size() != 1 ||
      kernel.columns.front().isPart() || exprs.hasScans())
    return false;
  auto count = index::product(*program.context, kernel.columns.front().extents).getConstant();
  return count && *count >= fewest && *count <= most &&
         llvm::all_of(kernel.outputs, [](const KernelOutput &output) {
           return output.columns < 0 && !output.value->memory;
         });
}

/// Whether what is beyond the end of an axis may be asked for too, and is not read.
bool StripFinder::mayBeCut(const Request &request) const {
  const Value &value = *request.value;
  if (request.isLoad)
    return llvm::none_of(request.at, [](Expr coordinate) {
      return llvm::any_of(index::collectSymbols(coordinate),
                          [](Expr symbol) { return symbol.getName().starts_with(lookupPrefix); });
    });
  switch (value.kind) {
  case ValueKind::Constant:
  case ValueKind::Size:
  case ValueKind::Iota:
  case ValueKind::Select:
    return true;
  case ValueKind::Map:
    return !llvm::isa_and_nonnull<graph::CheckIndexOp>(value.op);
  case ValueKind::Fold:
    return value.op && !isArg(kindOf(value)) && value.window == 0 && !value.hasHalves &&
           llvm::all_of(value.foldExtents, [](Expr extent) { return extent.isConstant(); });
  default:
    return false;
  }
}

/// The axis of the rows along which most bytes lie side by side.
std::optional<size_t> StripFinder::contiguousAxis() const {
  std::optional<size_t> best;
  int64_t most = 0;
  for (size_t axis = 0; axis < kernel.rows.symbols.size(); ++axis)
    if (int64_t bytes = exprs.countContiguous(kernel.rows.symbols[axis], AxisMerges());
        bytes > most) {
      best = axis;
      most = bytes;
    }
  return best;
}

/// Whether folds are asked for at the index of an axis as it is, and at none that has it otherwise.
bool StripFinder::isAxisOfFolds(Expr axis) const {
  return llvm::all_of(requests.getAll(), [&](const Request &request) {
    if (!request.isFold())
      return true;
    return llvm::count(request.at, axis) == 1 && llvm::all_of(request.at, [&](Expr coordinate) {
             return coordinate == axis || !index::contains(coordinate, axis);
           });
  });
}

/// How many neighbours a lane makes: more read less, but those beyond the end of the axis are for
/// nothing, and each has code of its own. On an H200 a depthwise convolution of 7 x 7 over
/// 32 x 128 x 128 x 128 takes 1322 us with one, 765 with two, 491 with four and 389 with eight.
void StripFinder::chooseCount(Strip &strip, int64_t window) const {
  constexpr int64_t usual = 4, most = 8, longWindow = 5, longAxis = 32;
  int64_t length = program.estimate(strip.extent);
  auto rowsRead = [&](int64_t count) {
    return llvm::divideCeil(length, count) * ((count - 1) * strip.step + window);
  };
  strip.count = 1;
  for (int64_t count = 2; count <= (window >= longWindow && length >= longAxis ? most : usual);
       count *= 2)
    if (rowsRead(count) < rowsRead(strip.count))
      strip.count = count;
}

/// The strips along an axis, if what most bytes are read of is a window along it.
std::optional<Strip> StripFinder::stripAlong(size_t axis, size_t columns) const {
  // What lanes read of a window by themselves, by what they read of it in strips.
  constexpr int64_t gainInHalves = 3;
  Expr symbol = kernel.rows.symbols[axis];
  if (axis == columns || !isAxisOfFolds(symbol))
    return std::nullopt;
  llvm::ArrayRef<Expr> windows = kernel.columns.front().symbols;
  const Request *largest = nullptr;
  auto bytesOf = [&](const Request &request) {
    return program.estimateElements(request.value->shape) * request.value->getElementBytes();
  };
  for (const Request &request : requests.getAll())
    if (request.isTensorLoad() && (!largest || bytesOf(request) > bytesOf(*largest)))
      largest = &request;
  // Neighbours in memory are lanes side by side.
  auto alongLanes = largest && !largest->at.empty()
                        ? index::asLinearIn(largest->at.back(), kernel.rows.symbols[columns])
                        : std::nullopt;
  if (!alongLanes || alongLanes->coefficient.isConstant(0) || !alongLanes->coefficient.isConstant())
    return std::nullopt;
  const Request *fold =
      llvm::find_if(requests.getAll(), [](const Request &request) { return request.isFold(); });
  for (Expr coordinate : largest->at) {
    auto ofAxis = index::asLinearIn(coordinate, symbol);
    std::optional<int64_t> step = ofAxis ? ofAxis->coefficient.getConstant() : std::nullopt;
    for (auto [number, over] : llvm::enumerate(fold->over)) {
      auto ofWindow = step ? index::asLinearIn(coordinate, over) : std::nullopt;
      if (!llvm::is_contained(windows, over) || !ofWindow || *step < 1 ||
          (!ofWindow->coefficient.isConstant(1) && !ofWindow->coefficient.isConstant(-1)))
        continue;
      Strip strip;
      strip.extent = kernel.rows.extents[axis];
      strip.foldAxis = number;
      strip.step = *step;
      strip.isReversed = ofWindow->coefficient.isConstant(-1);
      int64_t window = *fold->value->foldExtents[number].getConstant();
      chooseCount(strip, window);
      int64_t apart = 2 * strip.count * window;
      int64_t together = gainInHalves * ((strip.count - 1) * strip.step + window);
      if (program.policy.isChosen())
        strip.count = 2 * program.policy.pickPower(2);
      if (program.policy.decide(program.policy.has(MoveKind::Strips) && apart >= together))
        return strip;
    }
  }
  return std::nullopt;
}

std::optional<Strip> StripFinder::find(size_t &columns) const {
  bool hasFold = false;
  const Value *first = nullptr;
  for (const Request &request : requests.getAll()) {
    if (!mayBeCut(request))
      return std::nullopt;
    if (!request.isFold())
      continue;
    hasFold = true;
    // One space for all, in the same order.
    if (first && !llvm::equal(first->foldExtents, request.value->foldExtents))
      return std::nullopt;
    first = request.value;
  }
  std::optional<size_t> contiguous = contiguousAxis();
  if (!hasFold || !areWindows() || !contiguous)
    return std::nullopt;
  columns = *contiguous;
  for (size_t axis = kernel.rows.symbols.size(); axis-- > 0;)
    if (std::optional<Strip> strip = stripAlong(axis, columns)) {
      strip->symbol = kernel.rows.symbols[axis];
      return strip;
    }
  return std::nullopt;
}

/// Gives a kernel the strips along one axis of its rows.
static void cut(Kernel &kernel, Strip strip, size_t columns, index::Context &context) {
  Expr axis = strip.axis = strip.symbol;
  strip.symbol = context.symbol("@strip");
  strip.outputs = kernel.outputs;
  Space rows, lanes;
  for (size_t number = 0; number < kernel.rows.symbols.size(); ++number) {
    if (kernel.rows.symbols[number] == axis)
      continue;
    Space &space = number == columns ? lanes : rows;
    space.symbols.push_back(kernel.rows.symbols[number]);
    space.extents.push_back(kernel.rows.extents[number]);
  }
  rows.symbols.push_back(strip.symbol);
  rows.extents.push_back(index::ceildiv(strip.extent, context.constant(strip.count)));
  std::vector<KernelOutput> pieces;
  for (const KernelOutput &output : kernel.outputs)
    for (int64_t piece = 0; piece < strip.count; ++piece) {
      KernelOutput &own = pieces.emplace_back(output);
      for (Expr &coordinate : own.at)
        coordinate = index::substitute(coordinate, {{axis, strip.symbol * strip.count + piece}});
      own.piece = piece;
      own.columns = 0;
    }
  kernel.outputs = std::move(pieces);
  kernel.unrolled = std::move(kernel.columns);
  kernel.columns = {std::move(lanes)};
  kernel.rows = std::move(rows);
  kernel.mapTile = MapTile::Windows;
  kernel.strip = strip;
}

Kernel Kernel::withoutStrips() const {
  Kernel whole = *this;
  whole.outputs = strip->outputs;
  whole.rows.symbols.back() = strip->axis;
  whole.rows.extents.back() = strip->extent;
  for (KernelOutput &output : whole.outputs)
    output.columns = 0;
  return whole;
}

bool cutIntoStrips(const Program &program, const StoredSet &stored, const KernelExprs &exprs,
                   Kernel &kernel) {
  if (!kernel.hasRows || kernel.columns.size() != 1 || !program.policy.allows(MoveKind::Strips))
    return false;
  size_t columns = 0;
  std::optional<Strip> strip = StripFinder(program, stored, exprs, kernel).find(columns);
  if (strip)
    cut(kernel, *strip, columns, *program.context);
  return strip.has_value();
}

} // namespace nereid::schedule
