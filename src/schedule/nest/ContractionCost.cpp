// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel of contractions costs: what its tiles read and compute again, and whether
// neighbours in memory are neighbours along a tile.
#include "schedule/nest/Contraction.h"

#include "schedule/nest/Form.h"
#include "schedule/program/AxisCuts.h"

namespace nereid::schedule {

bool isTermPiece(int64_t extent, int64_t terms) {
  return extent >= shortestPiece || extent == terms;
}

bool isSidePiece(int64_t extent, int64_t side) {
  constexpr int64_t mostTiles = 64;
  return extent == side || (extent >= shortestSide && side / extent <= mostTiles);
}

LastAxes lineOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> shape) {
  LastAxes line{at.back(), at.size() - 1};
  while (line.first > 0 && line.coordinate.getKind() == index::ExprKind::Mod) {
    Expr whole = line.coordinate.getOperands()[0], length = line.coordinate.getOperands()[1];
    Expr before = at[line.first - 1];
    bool isWhole = before.getKind() == index::ExprKind::FloorDiv &&
                   before.getOperands()[0] == whole && before.getOperands()[1] == length;
    if (!isWhole || shape[line.first] != length)
      break;
    line = {whole, line.first - 1};
  }
  return line;
}

bool goesAlong(Expr coordinate, llvm::ArrayRef<Expr> pieces, llvm::function_ref<bool(Expr)> moves) {
  // A digit of a piece goes along it for as long as it is.
  constexpr int64_t shortestDigit = 16;
  if (coordinate.getKind() == index::ExprKind::Mod &&
      coordinate.getOperands()[1].getConstant().value_or(0) % shortestDigit == 0)
    coordinate = coordinate.getOperands()[0];
  return llvm::any_of(pieces, [&](Expr piece) {
    auto linear = piece ? index::asLinearIn(coordinate, piece) : std::nullopt;
    return linear && linear->coefficient.isConstant(1) &&
           llvm::none_of(index::collectSymbols(linear->rest), moves);
  });
}

namespace {

/// Counts what the programs of a contraction read and compute for a place, by the axes that it has.
class TileCounter {
public:
  TileCounter(const Program &program, const Kernel &kernel, int64_t rowBlocks, int64_t columnBlocks)
      : program(program), kernel(kernel), rowBlocks(double(rowBlocks)),
        columnBlocks(double(columnBlocks)) {}

  /// How many elements of a place all programs make; 0 for a term, which matrix units make.
  double count(const RequestedPlace &place) const {
    Axes axes = axesOf(place);
    if (axes.ofNested && axes.ofRows && axes.ofTerms)
      return 0;
    if (axes.ofRows && axes.ofColumns)
      return axes.ofTerms ? 0 : axes.elements;
    return axes.elements * (axes.ofRows ? 1 : rowBlocks) * (axes.ofColumns ? 1 : columnBlocks);
  }

  /// Whether neighbours in memory are no neighbours along a tile.
  bool isScattered(const RequestedPlace &place) const {
    if (place.at.empty() || !isOfFactor(place))
      return false;
    Line line = lineOf(place);
    llvm::SmallVector<Expr, 4> pieces, moving;
    auto add = [&](const Space &space, auto fills) {
      int64_t all = program.estimateElements(space.extents);
      for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents)) {
        moving.push_back(symbol);
        if (fills(program.estimate(extent) * rowsBefore(place, line, symbol, space), all))
          pieces.push_back(symbol);
      }
    };
    if (kernel.contraction->isNested())
      for (const NestedFold &nested : kernel.contraction->nested)
        add(nested.terms, isTermPiece);
    else
      add(kernel.columns.front(), isTermPiece);
    add(kernel.contraction->left, isSidePiece);
    add(kernel.contraction->right, isSidePiece);
    return !isOnLoads(place) || !goesAlong(line.coordinate, pieces, [&](Expr symbol) {
      return llvm::is_contained(moving, symbol);
    });
  }

  /// Whether all rows of what is read begin where whole loads do; rows that lie one behind the
  /// other are one.
  bool isOnLoads(const RequestedPlace &place) const {
    Line line = lineOf(place);
    int64_t rows = 1;
    for (const Space *space : {&kernel.contraction->left, &kernel.contraction->right})
      if (llvm::is_contained(space->symbols, line.coordinate))
        rows = rowsBefore(place, line, line.coordinate, *space);
    int64_t together =
        line.isKnown ? bytesOfLoad / int64_t(place.value->getElementBytes()) : elementsOfLoad;
    return line.length * rows % together == 0 || place.value->shape.size() == 1;
  }

  /// Whether a place is one of the factor that varies along the lanes, and lies in memory across
  /// what is summed over.
  bool isAcrossTerms(const RequestedPlace &place) const {
    if (place.at.empty() || !isOfFactor(place))
      return false;
    llvm::SmallSetVector<Expr, 8> own;
    for (Expr coordinate : place.at)
      own.insert_range(index::collectSymbols(coordinate));
    auto moves = [](Expr coordinate) { return !coordinate.isConstant(); };
    auto last = llvm::find_if(llvm::reverse(kernel.outputs.front().at), moves);
    bool isOfLanes = last != kernel.outputs.front().at.rend() &&
                     llvm::any_of(index::collectSymbols(*last),
                                  [&](Expr symbol) { return own.contains(symbol); });
    llvm::SmallVector<Expr, 4> terms(kernel.columns.front().symbols);
    return isOfLanes && !goesAlong(lineOf(place).coordinate, terms,
                                   [&](Expr symbol) { return llvm::is_contained(terms, symbol); });
  }

  /// Whether a place is one of a factor.
  bool isOfFactor(const RequestedPlace &place) const {
    Axes axes = axesOf(place);
    if (kernel.contraction->isNested())
      return axes.ofNested && axes.ofRows;
    return axes.ofTerms && !(axes.ofRows && axes.ofColumns);
  }

private:
  struct Line : LastAxes {
    int64_t length = 1;
    bool isKnown = true;
  };
  Line lineOf(const RequestedPlace &place) const {
    llvm::ArrayRef<Expr> shape = place.value->shape;
    Line line{schedule::lineOf(place.at, shape)};
    for (Expr size : shape.drop_front(line.first)) {
      line.length *= program.estimate(size);
      line.isKnown &= size.isConstant();
    }
    return line;
  }

  /// How many whole rows along a last axis lie one behind the other, as far as they are those of
  /// the axes before it: an image, that is gone over as one axis.
  int64_t rowsBefore(const RequestedPlace &place, const Line &line, Expr symbol,
                     const Space &space) const {
    int64_t rows = 1;
    for (size_t dim = line.first + 1; dim-- > 1;) {
      auto own = llvm::find(space.symbols, dim == line.first ? line.coordinate : place.at[dim]);
      auto before = llvm::find(space.symbols, place.at[dim - 1]);
      bool isFirst = dim == line.first;
      if (own == space.symbols.end() || before == space.symbols.end() ||
          (isFirst && line.coordinate != symbol))
        break;
      Expr extent = space.extents[own - space.symbols.begin()];
      if (isFirst ? program.estimate(extent) != line.length : extent != place.value->shape[dim])
        break;
      rows *= program.estimate(space.extents[before - space.symbols.begin()]);
    }
    return rows;
  }

  struct Axes {
    double elements = 1;
    bool ofRows = false, ofColumns = false, ofTerms = false, ofNested = false;
  };
  Axes axesOf(const RequestedPlace &place) const {
    llvm::SmallSetVector<Expr, 8> symbols;
    for (Expr coordinate : place.at)
      symbols.insert_range(index::collectSymbols(coordinate));
    Axes axes;
    auto vary = [&](const Space &space) {
      bool varies = false;
      for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents))
        if (symbols.contains(symbol)) {
          axes.elements *= double(program.estimate(extent));
          varies = true;
        }
      return varies;
    };
    (void)vary(kernel.contraction->batch);
    axes.ofRows = vary(kernel.contraction->left);
    axes.ofColumns = vary(kernel.contraction->right);
    axes.ofTerms = vary(kernel.columns.front());
    for (const NestedFold &nested : kernel.contraction->nested)
      axes.ofNested |= vary(nested.terms);
    return axes;
  }

  const Program &program;
  const Kernel &kernel;
  double rowBlocks, columnBlocks;
};

} // namespace

/// What is made of tiles of rows and columns waits for the products, and they for it.
static CostTerms estimateNested(const Program &program, const Kernel &kernel, const Policy &policy,
                                double bytes, llvm::ArrayRef<RequestedPlace> accesses,
                                llvm::ArrayRef<RequestedPlace> computations, const Device &device) {
  NestedSizes sizes = nestedSizesOf(program, kernel);
  for (const RequestedPlace &place : accesses)
    if (isNestedTile(kernel, place.at))
      sizes.bytesOfTiles += place.value->getElementBytes();
  Config tile = nestedConfigs(policy, sizes).front();
  TileCounter counter(program, kernel, llvm::divideCeil(sizes.rows, sideOf(tile, "BLOCK_M")), 1);
  double read = 0, operations = 0;
  bool isScattered = false;
  for (const RequestedPlace &place : accesses) {
    read += counter.count(place) * double(place.value->getElementBytes());
    isScattered |= counter.isScattered(place);
  }
  for (const RequestedPlace &place : computations)
    operations += counter.count(place) * place.operations;
  double products = estimateNestedTile(device, sizes, tile) * (isScattered ? byElements : 1) +
                    operations / device.operationsPerUs;
  return {.memory = bytes / device.bytesPerUs,
          .caches = read / device.cachedBytesPerUs,
          .arithmetic = products};
}

/// The same places without the divisions that the kernel's axes decide, as its coordinates will be.
static std::vector<RequestedPlace> decided(const Program &program, const Kernel &kernel,
                                           llvm::ArrayRef<RequestedPlace> places) {
  std::vector<RequestedPlace> result(places);
  index::Facts facts = factsOf(kernel, *program.context);
  for (RequestedPlace &place : result)
    for (Expr &coordinate : place.at)
      if (hasDivision(coordinate))
        coordinate = facts.simplify(coordinate);
  return result;
}

CostTerms estimateContraction(const Program &program, const Kernel &kernel, double bytes,
                              llvm::ArrayRef<RequestedPlace> requestedAccesses,
                              llvm::ArrayRef<RequestedPlace> requestedComputations,
                              const Device &device) {
  std::vector<RequestedPlace> accesses = decided(program, kernel, requestedAccesses);
  std::vector<RequestedPlace> computations = decided(program, kernel, requestedComputations);
  // What a chooser would say is of no matter here.
  Policy policy = program.policy.isChosen() ? Policy() : program.policy;
  if (kernel.contraction->isNested())
    return estimateNested(program, kernel, policy, bytes, accesses, computations, device);
  ContractionSizes sizes = sizesOf(program, kernel, false);
  bool isOfFloats = sizes.bytesOfElement > 2 && !sizes.areTf32 && !sizes.areStoredHalves;
  Config tile = contractionConfigs(policy, sizes).front();
  TileCounter counter(program, kernel, llvm::divideCeil(sizes.rows, sideOf(tile, "BLOCK_M")),
                      llvm::divideCeil(sizes.columns, sideOf(tile, "BLOCK_N")));
  double read = 0, operations = 0;
  bool makesFactors = false, isScattered = false, isAcross = false;
  for (const RequestedPlace &place : accesses) {
    read += counter.count(place) * double(place.value->getElementBytes());
    isScattered |= counter.isScattered(place);
    isAcross |= isOfFloats && counter.isAcrossTerms(place);
  }
  for (const RequestedPlace &place : computations) {
    operations += counter.count(place) * place.operations;
    makesFactors |= counter.isOfFactor(place);
  }
  // What is made of what is read waits in registers on its way to the matrix units.
  constexpr double throughRegisters = 1.3;
  double products = estimateTile(device, sizes, tile) * (makesFactors ? throughRegisters : 1) *
                        (isScattered ? byElements
                         : isAcross  ? acrossTerms
                                     : 1) +
                    operations / device.operationsPerUs;
  return {.memory = bytes / device.bytesPerUs,
          .caches = read / device.cachedBytesPerUs,
          .arithmetic = products};
}

} // namespace nereid::schedule
