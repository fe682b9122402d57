// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Cost.h"

#include "schedule/nest/KernelWork.h"
#include "schedule/program/FoldKinds.h"
#include "schedule/program/IndexMap.h"

#include <cmath>

namespace nereid::schedule {

Expr KernelCost::total(const Sum &sum, index::Context &context) {
  Expr result = context.constant(0);
  for (auto [elements, count] : sum)
    result = result + elements * count;
  return result;
}

static double estimate(const Program &program, const KernelCost::Sum &sum) {
  double result = 0;
  for (auto [elements, count] : sum) {
    auto [known, isNew] = program.indexMemory.estimates.try_emplace(elements);
    if (isNew)
      known->second = program.estimate(elements);
    result += double(known->second) * double(count);
  }
  return result;
}

static Expr elementsOf(const Program &program, llvm::ArrayRef<Expr> shape) {
  return program.indexMemory.productOf(shape, *program.context);
}

/// How many lanes an output has: for its elements, or for what the folds that it needs run over.
static Expr countLanes(const Program &program, const Kernel &kernel, const Value &output,
                       llvm::ArrayRef<const Value *> folds) {
  auto countOf = [&](llvm::ArrayRef<Expr> shape) { return elementsOf(program, shape); };
  Expr rows = countOf(kernel.rows.extents), outer = countOf(kernel.outer.extents);
  Expr lanes = countOf(output.shape);
  auto take = [&](Expr count) { lanes = program.indexMemory.maximumOf(lanes, count); };
  for (const Value *fold : folds) {
    llvm::ArrayRef<Expr> shape = fold->shape;
    if (kernel.carries(*fold))
      lanes = rows * countOf(shape.drop_front(fold->window != 0 ? 1 : 0));
    else if (fold->isSegment)
      take(countOf(fold->foldExtents) * countOf(shape.drop_front()));
    else if (fold->kind == ValueKind::Fold && fold->window != 0)
      take(rows * outer * fold->window);
    else if (fold->kind == ValueKind::Fold)
      take(rows * outer * countOf(fold->foldExtents));
  }
  return lanes;
}

/// Operations of lanes of what programs do once: all of their warps do it, but programs of short
/// rows have a lane for each of several.
static double estimateRepeated(const Program &program, const Kernel &kernel,
                               const KernelCost::Sum &perProgram) {
  constexpr int64_t threads = 128;
  int64_t lanes = kernel.columns.empty() ? 1 : threads;
  for (const Space &space : kernel.columns)
    lanes = std::min(lanes, program.estimate(elementsOf(program, space.extents)));
  return double(lanes) * estimate(program, perProgram);
}

/// The longest of a kernel's column spaces.
static int64_t estimateColumns(const Program &program, const Kernel &kernel) {
  int64_t columns = 1;
  for (const Space &space : kernel.columns)
    columns = std::max(columns, program.estimate(elementsOf(program, space.extents)));
  return columns;
}

/// How many programs a kernel with rows has, where several short rows share one.
static double estimatePrograms(const Program &program, const Kernel &kernel) {
  constexpr int64_t lanes = 2048;
  int64_t outer = program.estimate(elementsOf(program, kernel.outer.extents));
  if (kernel.span != 0)
    return double(outer) * double(program.estimate(kernel.countSpans(*program.context)));
  int64_t rows = program.estimate(elementsOf(program, kernel.rows.extents));
  int64_t together = std::max<int64_t>(1, lanes / estimateColumns(program, kernel));
  return double(outer) * double(llvm::divideCeil(rows, together));
}

namespace {

/// Whether neighbours in memory are those of rows.
bool isAlongRows(const Kernel &kernel, llvm::ArrayRef<Expr> at) {
  return !at.empty() && !kernel.rows.symbols.empty() &&
         index::contains(at.back(), kernel.rows.symbols.back());
}

/// Whether data say which element is read, or how much of it: other ones for each program, as far
/// as can be told.
bool isPickedByData(const RequestedPlace &place) {
  if (place.value->kind == ValueKind::Search || place.value->isSegment)
    return true;
  return llvm::any_of(place.at, [](Expr coordinate) {
    return llvm::any_of(index::collectSymbols(coordinate), [](Expr symbol) {
      llvm::StringRef name = symbol.getName();
      return name.starts_with("$") || name == "!place" || name.starts_with("@place");
    });
  });
}

/// Counts what programs do again: what lacks an axis of the programs in its coordinates is the same
/// for each block along it.
class Repetitions {
public:
  Repetitions(const Program &program, const Kernel &kernel, const Device &device,
              bool hasNeighbours)
      : program(program), kernel(kernel), device(device) {
    auto addAxes = [&](const Space &space) {
      for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents))
        axes.push_back({symbol, double(program.estimate(extent))});
    };
    addAxes(kernel.outer);
    size_t first = axes.size();
    addAxes(kernel.rows);
    // A span goes over its rows in a loop; short rows share a program, and so do rows that are
    // neighbours in memory.
    double blocks = estimatePrograms(program, kernel);
    if (hasNeighbours && kernel.span == 0)
      blocks = std::max(1.0, blocks / neighbours);
    for (size_t outer = 0; outer < first; ++outer)
      blocks /= std::max(1.0, axes[outer].second);
    for (size_t row = first; row < axes.size(); ++row) {
      axes[row].second = std::min(axes[row].second, std::ceil(std::max(1.0, blocks)));
      blocks /= std::max(1.0, axes[row].second);
    }
  }

  /// What is read again comes from the L2 cache, or from memory where that is too small for all
  /// that is read in between.
  void addLoad(const RequestedPlace &place) {
    // Of what they load the programs of a multiprocessor share a part.
    constexpr double sharing = 4;
    auto [elements, times, parts] = count(place);
    double bytes = elements * double(place.value->getElementBytes());
    double again = bytes * std::max(0.0, (times + 1) / sharing - 1);
    loadedBytes += again;
    if (bytes / parts > device.cacheBytes)
      memoryBytes += again;
  }
  void addComputation(const RequestedPlace &place) {
    Count repeated = count(place);
    operations += repeated.elements * repeated.times * place.operations;
  }

  double loadedBytes = 0, memoryBytes = 0, operations = 0;

private:
  static constexpr double neighbours = 32;
  struct Count {
    double elements = 0;
    /// Beyond the first time, and into how many parts the elements fall that are repeated apart.
    double times = 0, parts = 1;
  };
  Count count(const RequestedPlace &place) const {
    llvm::SmallSetVector<Expr, 8> symbols;
    for (Expr coordinate : place.at)
      symbols.insert_range(index::collectSymbols(coordinate));
    Count result;
    double times = 1;
    for (auto [symbol, blocks] : axes) {
      if (!symbols.contains(symbol))
        times *= blocks;
      else if (times == 1)
        result.parts *= blocks;
    }
    result.elements = countElements(*place.value, symbols);
    // What is small stays near each multiprocessor.
    if (result.elements * double(place.value->getElementBytes()) > device.nearCacheBytes)
      result.times = times - 1;
    return result;
  }

  double countElements(const Value &value, const llvm::SmallSetVector<Expr, 8> &symbols) const {
    double all = double(program.estimate(elementsOf(program, value.shape))), part = 1;
    size_t found = 0;
    auto count = [&](const Space &space) {
      for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents))
        if (symbols.contains(symbol)) {
          part *= double(program.estimate(extent));
          ++found;
        }
    };
    count(kernel.outer);
    count(kernel.rows);
    for (const Space &space : kernel.columns)
      count(space);
    // Others are those of folds that have no columns of their own, and sizes.
    return found == symbols.size() ? std::min(all, part) : all;
  }

  const Program &program;
  const Kernel &kernel;
  const Device &device;
  /// Of the programs, outermost first, with the number of blocks.
  llvm::SmallVector<std::pair<Expr, double>, 6> axes;
};

} // namespace

/// Whether a coordinate goes on along a row as it does along a column.
static bool isOfWindow(const Kernel &kernel, llvm::ArrayRef<Expr> at) {
  auto hasAxis = [](Expr coordinate, const Space &space) {
    return llvm::any_of(space.symbols,
                        [&](Expr symbol) { return index::contains(coordinate, symbol); });
  };
  return llvm::any_of(at, [&](Expr coordinate) {
    return hasAxis(coordinate, kernel.rows) &&
           llvm::any_of(kernel.columns,
                        [&](const Space &columns) { return hasAxis(coordinate, columns); });
  });
}

/// Whether each lane folds all of the few elements of its own rows, as those of windows.
static bool areFoldedByLanes(const Kernel &kernel) {
  auto isShort = [](const Space &space) { return !space.isPart() && areFew(space.extents); };
  return kernel.hasRows && kernel.span == 0 && llvm::all_of(kernel.columns, isShort) &&
         llvm::all_of(kernel.outputs,
                      [](const KernelOutput &output) { return output.columns < 0; });
}

KernelCost estimateCost(const Program &program, const Kernel &kernel, const StoredSet &stored,
                        const Device &device) {
  KernelWork work(program, kernel);
  Requests requests = requestsOf(program, stored, kernel);
  KernelCost cost;
  // Of the sectors that programs share with their neighbours all move, from a cache mostly.
  constexpr double sharing = 4;
  double shared = 0;
  auto move = [&](const Value &value, bool isAcross) {
    Expr elements = elementsOf(program, value.shape);
    cost.bytes.push_back({elements, value.getElementBytes()});
    if (isAcross)
      shared +=
          (sharing - 1) * double(program.estimate(elements)) * double(value.getElementBytes());
  };
  KernelCost::Sum addressing;
  for (auto [number, output] : llvm::enumerate(kernel.outputs)) {
    unsigned operations = work.countOperations(), addresses = work.addressing;
    size_t folds = work.folds.size();
    work.add(requests.getAdded(number));
    Expr lanes =
        countLanes(program, kernel, *output.value, llvm::ArrayRef(work.folds).drop_front(folds));
    cost.flops.push_back({lanes, work.countOperations() - operations});
    addressing.push_back({lanes, work.addressing - addresses});
    move(*output.value, work.isAcross(output.at));
  }
  for (const Value *value : work.loads)
    if (value->kind != ValueKind::Scalar)
      move(*value, work.across.contains(value));
  for (auto [value, elements] : work.otherWays) {
    Expr all = elementsOf(program, value->shape);
    bool isPart = program.estimate(elements) < program.estimate(all);
    cost.bytes.push_back({isPart ? elements : all, value->getElementBytes()});
  }

  bool hasNeighbours =
      llvm::any_of(work.accesses, [&](const auto &place) { return isAlongRows(kernel, place.at); });
  KernelCost::Sum perProgram(work.perProgram.begin(), work.perProgram.end());
  KernelCost::Sum crossing;
  bool haveWindows =
      llvm::any_of(work.accesses, [&](const auto &place) { return isOfWindow(kernel, place.at); });
  cost.isOfWindows = program.policy.allows(MoveKind::Strips) && hasNeighbours && haveWindows &&
                     areFoldedByLanes(kernel);
  if (!cost.isOfWindows)
    crossing.append(work.crossing.begin(), work.crossing.end());
  double operations = estimate(program, cost.flops) + estimate(program, addressing) +
                      estimateRepeated(program, kernel, perProgram) + estimate(program, crossing);
  // Sums that matrix units could make, one product after the other, each of which waits for its
  // factors: on an H200 a transposed convolution of 8 channels takes 6650 us so for 1150 as tiles.
  constexpr double withoutUnits = 5;
  auto isForUnits = [&](const Value *fold) {
    auto contraction = asContraction(program, *fold, stored);
    return contraction && fillsTiles(sizesOf(program, *fold, *contraction));
  };
  if (!kernel.contraction && llvm::any_of(work.folds, isForUnits))
    operations *= withoutUnits;
  // Spans of the shortest rows wait for each of their blocks, with little to do meanwhile.
  constexpr double waiting = 2;
  constexpr int64_t shortRow = 3;
  if (kernel.span != 0 && estimateColumns(program, kernel) <= shortRow)
    operations *= waiting;
  // Windows of a few elements as rows of a span: lanes that make neighbours read them once. On an
  // H200 a depthwise convolution of 3 x 3 takes 92 us by strips and 239 by rows of nine.
  constexpr double ofRows = 3;
  auto isOfFew = [&](const Value *fold) {
    return !kernel.carries(*fold) && areFew(fold->foldExtents);
  };
  if (kernel.span != 0 && hasNeighbours && llvm::any_of(work.folds, isOfFew))
    operations *= ofRows;
  cost.flops.append(perProgram);
  bool isSteered = kernel.loop >= 0 || llvm::any_of(work.accesses, isPickedByData) ||
                   llvm::any_of(work.computations, isPickedByData);
  Repetitions again(program, kernel, device, hasNeighbours);
  if (kernel.hasRows && !isSteered) {
    llvm::for_each(work.accesses, [&](const auto &place) { again.addLoad(place); });
    llvm::for_each(work.computations, [&](const auto &place) { again.addComputation(place); });
  }
  double bytes = estimate(program, cost.bytes) + shared;
  cost.values = work.values.size();
  if (kernel.contraction) {
    cost.terms =
        estimateContraction(program, kernel, bytes, work.accesses, work.computations, device);
    cost.terms.launch = device.launchUs;
    cost.microseconds = cost.terms.total();
    cost.loads = std::move(work.loads);
    cost.loads.insert(work.rareLoads.begin(), work.rareLoads.end());
    cost.factorTiles = work.rareTiles;
    return cost;
  }
  CostTerms &terms = cost.terms;
  terms.launch = device.launchUs;
  terms.memory = (bytes + again.memoryBytes) / device.bytesPerUs;
  terms.arithmetic = operations / device.operationsPerUs;
  double time = terms.working();
  if (kernel.hasRows) {
    // A program has a row, or a span of them; a device that is not full runs as slowly as its busy
    // part.
    Expr rows = kernel.span != 0 ? kernel.countSpans(*program.context)
                                 : elementsOf(program, kernel.rows.extents);
    rows = rows * elementsOf(program, kernel.outer.extents);
    double programs = std::max<double>(1, program.estimate(rows));
    double together = programs / device.multiprocessors;
    time *= std::max(1.0, 1 / together);
    // Few programs wait for memory turn by turn, and no other has work meanwhile; those of spans
    // have what they read on the way. On an H200 two batch norms in training and their sum over
    // 256 channels, 460 MB, take 263 us where a program has a channel, and 230 by blocks.
    constexpr double waitingOfFew = 0.6, enough = 4;
    bool isFromMemory = bytes > 2 * device.cacheBytes;
    if (kernel.span == 0 && isFromMemory && together >= 1 && together < enough)
      time *= 1 + waitingOfFew * (1 / together - 1 / enough);
    time = std::max(time, estimatePrograms(program, kernel) / device.programsPerUs);
  }
  terms.programs = time - terms.working();
  // Where most of what is read is read again no wait for memory hides it, nor what is computed
  // again.
  if (again.loadedBytes > bytes)
    terms.again =
        again.loadedBytes / device.cachedBytesPerUs + again.operations / device.operationsPerUs;
  cost.microseconds = terms.total();
  if (cost.values > KernelCost::fewValues)
    cost.liveValues = work.countLive(kernel.outputs);
  cost.loads = std::move(work.loads);
  return cost;
}

} // namespace nereid::schedule
