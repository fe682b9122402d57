// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/KernelWork.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// Shuffles, a barrier, and another layout for what is made of the result.
static constexpr unsigned crossingOperations = 75;

/// Whether it is made of indices and sizes alone.
static bool isPlace(const Value &value) {
  llvm::SmallSetVector<const Value *, 8> reached;
  reached.insert(&value);
  for (size_t next = 0; next < reached.size(); ++next) {
    const Value &each = *reached[next];
    bool isMade = each.kind == ValueKind::Map || each.kind == ValueKind::Select;
    if (!isMade &&
        (!each.isFree() || each.kind == ValueKind::Input || each.kind == ValueKind::Scalar))
      return false;
    forEachAccess(each, [&](const Access &access) { reached.insert(access.from); });
  }
  return true;
}

/// Whether a quotient is the product with another number, exactly: compilers make it one.
static bool isByPowerOfTwo(const Value &quotient) {
  const Value &divisor = *quotient.inputs[1].from;
  auto constant = llvm::dyn_cast_or_null<graph::ConstantOp>(divisor.op);
  auto number = constant ? llvm::dyn_cast<mlir::FloatAttr>(constant.getValue()) : nullptr;
  return number && number.getValue().getExactInverse(nullptr);
}

/// In slots of a lane. The special function unit works beside the others. On an H200 38
/// million powers and the 450 MB that they move take 137 us, sums of as many along rows 171.
static unsigned operationsOfOperator(const Value &value) {
  constexpr unsigned special = 3, approximation = 10, ofTwo = 30, gamma = 80, power = 80;
  constexpr unsigned division = 8;
  using namespace nereid::graph;
  mlir::Operation *op = value.op;
  if (llvm::isa<ExpOp, Exp2Op, LogOp, Log2Op, Log10Op, SqrtOp, RsqrtOp>(op))
    return special;
  if (llvm::isa<Expm1Op, Log1pOp, SinOp, CosOp, TanOp, AsinOp, AcosOp, AtanOp, SinhOp, CoshOp,
                TanhOp, AsinhOp, AcoshOp, AtanhOp, ErfOp, ErfcOp>(op))
    return approximation;
  if (llvm::isa<PowOp>(op))
    return power;
  if (llvm::isa<Atan2Op>(op))
    return ofTwo;
  if (llvm::isa<LgammaOp>(op))
    return gamma;
  if (!llvm::isa<DivOp, FloordivOp, TruncdivOp, RemainderOp, FmodOp>(op))
    return 1;
  if (llvm::isa<mlir::FloatType>(value.elementType))
    return !llvm::isa<DivOp>(op) ? approximation : isByPowerOfTwo(value) ? 1 : special;
  // Places are better computed than read: what lies there is read at once.
  return isPlace(value) ? 1 : division;
}

static unsigned operationsOf(const Value &value) {
  // Ten rounds of two wide products and a few logical operations.
  constexpr unsigned drawing = 50;
  // Up to 31 places are looked at.
  constexpr unsigned searching = 100;
  if (value.kind == ValueKind::Random)
    return drawing;
  if (value.kind == ValueKind::Search)
    return searching;
  if (!value.isCast())
    return value.op ? operationsOfOperator(value) : 1;
  // Between integers and floats half of the lanes are converted at once.
  constexpr unsigned converting = 2;
  auto isFloat = [](mlir::Type type) { return llvm::isa<mlir::FloatType>(type); };
  bool wasFloat = isFloat(value.inputs.front().from->elementType);
  return isFloat(value.elementType) != wasFloat ? converting : 0;
}

KernelWork::KernelWork(const Program &program, const Kernel &kernel)
    : program(program), kernel(kernel) {
  for (const Value *argument : program.arguments)
    for (Expr size : argument->shape)
      sizes.insert_range(index::collectSymbols(size));
}

void KernelWork::add(llvm::ArrayRef<Request> requests) {
  for (const Request &request : requests) {
    noteLookups(request);
    if (request.isLoad)
      load(request);
    else if (request.isComputed())
      compute(request);
    else if (request.isFold())
      fold(request);
    // The lane's coordinate, for which all positions divide, and what is made of it.
    constexpr unsigned counting = 2;
    if (!kernel.hasRows && request.getNumber(program))
      addressing += counting;
  }
}

/// What each lane computes. Some of it hides behind the wait for what lies at places that data
/// give: on an H200 attention over edges takes 1080 us where the exponentials of edges are made
/// again, and 1322 where they are stored; but the gradient of a power mean over regions, whose
/// pixels make two powers each, 3127 and 609.
unsigned KernelWork::countOperations() const {
  constexpr unsigned hiddenByLoad = 32;
  unsigned hidden = std::min(lookedUp, hiddenByLoad * lookedUpLoads);
  return operations + lookedUp - hidden;
}

/// Whether a place varies along what a contraction sums over and along a side of it.
bool KernelWork::isTile(llvm::ArrayRef<Expr> at) const {
  auto varies = [&](const Space &space) {
    return llvm::any_of(space.symbols, [&](Expr symbol) {
      return llvm::any_of(at, [&](Expr part) { return index::contains(part, symbol); });
    });
  };
  return varies(kernel.columns.front()) &&
         (varies(kernel.contraction->left) || varies(kernel.contraction->right));
}

/// Whether neighbours in memory are other programs'.
bool KernelWork::isAcross(llvm::ArrayRef<Expr> at) const {
  if (kernel.outer.symbols.empty() || at.empty())
    return false;
  llvm::ArrayRef<Expr> symbols = index::collectSymbols(at.back());
  return !symbols.empty() && llvm::all_of(symbols, [&](Expr symbol) {
    return llvm::is_contained(kernel.outer.symbols, symbol);
  });
}

/// Remembers along which axes that lies whose elements say where a request reads.
void KernelWork::noteLookups(const Request &request) {
  if (!request.isLoad)
    forEachAccess(*request.value, [&](const Access &access) { noteLookups(access, request); });
}

void KernelWork::noteLookups(const Access &access, const Request &request) {
  for (const LoadedIndex &loaded : access.loaded) {
    noteLookups(loaded.access, request);
    for (Expr coordinate : loaded.access.at) {
      Expr own = substituteIndices(coordinate, request.at, request.over, program);
      lookups[loaded.symbol].insert_range(index::collectSymbols(own));
    }
  }
}

bool KernelWork::hasLookups(llvm::ArrayRef<Expr> at) const {
  return llvm::any_of(at, [&](Expr coordinate) {
    return llvm::any_of(index::collectSymbols(coordinate),
                        [&](Expr symbol) { return lookups.contains(symbol); });
  });
}

/// The axes along which coordinates vary, those of what is looked up for them too.
KernelWork::Axes KernelWork::axesOf(llvm::ArrayRef<Expr> at) const {
  llvm::SmallSetVector<Expr, 4> axes, open;
  for (Expr coordinate : at)
    open.insert_range(index::collectSymbols(coordinate));
  for (size_t next = 0; next < open.size(); ++next) {
    auto found = lookups.find(open[next]);
    if (found == lookups.end())
      axes.insert(open[next]);
    else
      open.insert_range(found->second);
  }
  return axes;
}

/// What is rare costs nothing, but has to be there.
bool KernelWork::isRare(const Request &request) const {
  return request.isRare && kernel.contraction && kernel.contraction->haveHalves;
}

void KernelWork::load(const Request &request) {
  const Value &value = *request.value;
  bool isNew = this->isNew(request);
  if (isRare(request)) {
    rareLoads.insert(&value);
    rareTiles += isNew && isTile(request.at);
    return;
  }
  if (isAcross(request.at))
    across.insert(&value);
  lookedUpLoads += isNew && hasLookups(request.at);
  if (kernel.hasRows && isNew)
    accesses.push_back({&value, llvm::to_vector(request.at)});
  if (!loads.insert(&value))
    noteOtherWay(value, request.at);
  else
    ways[&value].push_back(indicesOf(request.at));
  if (kernel.hasRows || value.kind == ValueKind::Scalar || !isNew)
    return;
  addressing += costOf(program.indexMemory.positionOf(request.at, value.shape, *program.context));
  // What lanes read again and again is in a cache, but each asks for it. On an H200 the weights of
  // a bilinear interpolation, of rows and of columns, take longer to read than to compute.
  constexpr unsigned asking = 4;
  constexpr int64_t manyTimes = 16;
  const Value &output = *kernel.outputs.front().value;
  if (program.estimateElements(value.shape) * manyTimes <= program.estimateElements(output.shape))
    addressing += asking;
}

void KernelWork::compute(const Request &request) {
  const Value &value = *request.value;
  values.insert(&value);
  if (isRare(request) || !isNew(request))
    return;
  unsigned count = operationsOf(value);
  // A choice of where to read is a mask of the load.
  if (kernel.hasRows && value.kind != ValueKind::Select && count > 0 && !isPlace(value))
    computations.push_back({&value, llvm::to_vector(request.at), count});
  // A program waits for each of the loads of a search, whatever its lanes do.
  std::optional<Expr> times = countPrograms(request.at);
  if (times && value.kind != ValueKind::Search)
    perProgram[*times] += count;
  else if (kernel.hasRows && hasLookups(request.at))
    lookedUp += count;
  else
    operations += count;
}

void KernelWork::fold(const Request &request) {
  const Value &value = *request.value;
  values.insert(&value);
  if (!isNew(request))
    return;
  operations += 1;
  folds.push_back(&value);
  bool isOfColumns =
      !kernel.carries(value) && !kernel.termsOf(value) &&
      llvm::any_of(kernel.columns, [&](const Space &space) { return space.isOf(value); });
  if (!isOfColumns)
    return;
  if (std::optional<Expr> rows = countPrograms(request.at))
    crossing[*rows] += crossingOperations;
}

/// The indices of each coordinate; a size in it is an offset.
KernelWork::Way KernelWork::indicesOf(llvm::ArrayRef<Expr> at) const {
  Way way;
  for (Expr coordinate : at) {
    llvm::SmallVector<Expr, 2> &own = way.emplace_back();
    llvm::copy_if(index::collectSymbols(coordinate), std::back_inserter(own),
                  [&](Expr symbol) { return !sizes.contains(symbol); });
    llvm::sort(own);
  }
  return way;
}

void KernelWork::noteOtherWay(const Value &value, llvm::ArrayRef<Expr> at) {
  Way way = indicesOf(at);
  if (llvm::is_contained(ways[&value], way))
    return;
  ways[&value].push_back(way);
  llvm::SmallSetVector<Expr, 4> symbols;
  for (Expr coordinate : at)
    symbols.insert_range(index::collectSymbols(coordinate));
  llvm::SmallVector<Expr, 4> extents;
  auto addExtent = [&](const Space &space) {
    for (auto [own, extent] : llvm::zip_equal(space.symbols, space.extents))
      if (symbols.remove(own))
        extents.push_back(extent);
  };
  addExtent(kernel.rows);
  addExtent(kernel.outer);
  for (const Space &space : kernel.columns)
    addExtent(space);
  // Others are data, sizes, or of folds in place.
  if (symbols.empty())
    otherWays.push_back({&value, program.indexMemory.productOf(extents, *program.context)});
}

/// What a lane of a flat kernel does to read at a position: nothing more where it is its own;
/// else it divides, and masks what it reads.
unsigned KernelWork::costOf(Expr position) {
  constexpr unsigned dividing = 6, dividedBefore = 2;
  if (isOwn(position))
    return 1;
  return positions.insert(position).second ? dividing : dividedBefore;
}

bool KernelWork::isOwn(Expr position) const {
  auto isOfSymbols = [](const index::Term &term) {
    return term.monomial.isSymbol() ||
           llvm::all_of(term.monomial.getFactors(),
                        [](const index::Factor &factor) { return factor.atom.isSymbol(); });
  };
  return llvm::all_of(position.getTerms(), isOfSymbols) &&
         llvm::all_of(kernel.columns.front().symbols,
                      [&](Expr symbol) { return index::contains(position, symbol); });
}

/// How often what has these coordinates is computed, where programs do so once and not in lanes.
std::optional<Expr> KernelWork::countPrograms(llvm::ArrayRef<Expr> at) const {
  if (!kernel.hasRows)
    return std::nullopt;
  llvm::SmallVector<Expr, 4> extents;
  for (Expr symbol : axesOf(at)) {
    bool isOfLanes = symbol.getName().starts_with("@") || symbol.getName().starts_with("!");
    for (const Space *space : {&kernel.rows, &kernel.outer})
      for (auto [own, extent] : llvm::zip_equal(space->symbols, space->extents))
        if (own == symbol) {
          extents.push_back(extent);
          isOfLanes = false;
        }
    if (isOfLanes)
      return std::nullopt;
  }
  return program.indexMemory.productOf(extents, *program.context);
}

namespace {

/// Counts values that are waited for, where each is computed right before the first that reads it.
class LiveValues {
public:
  explicit LiveValues(const KernelWork &work) : work(work) {}

  size_t count(llvm::ArrayRef<KernelOutput> outputs) {
    for (const KernelOutput &output : outputs)
      enter(*output.value);
    size_t live = 0, most = 0;
    llvm::DenseMap<const Value *, unsigned> read;
    for (const Value *value : order) {
      most = std::max(most, ++live);
      for (const Value *operand : operandsOf(*value))
        live -= ++read[operand] == readers.lookup(operand);
      live -= readers.lookup(value) == 0;
    }
    return most;
  }

private:
  /// Of the kernel, each once.
  llvm::SmallSetVector<const Value *, 4> operandsOf(const Value &value) {
    llvm::SmallSetVector<const Value *, 4> operands;
    if (work.values.contains(&value))
      forEachAccess(value, [&](const Access &access) {
        if (work.values.contains(access.from) || work.loads.contains(access.from))
          operands.insert(access.from);
      });
    return operands;
  }

  void enter(const Value &value) {
    if (!seen.insert(&value).second)
      return;
    for (const Value *operand : operandsOf(value)) {
      ++readers[operand];
      enter(*operand);
    }
    order.push_back(&value);
  }

  const KernelWork &work;
  llvm::DenseSet<const Value *> seen;
  llvm::DenseMap<const Value *, unsigned> readers;
  llvm::SmallVector<const Value *> order;
};

} // namespace

size_t KernelWork::countLive(llvm::ArrayRef<KernelOutput> outputs) const {
  return LiveValues(*this).count(outputs);
}

} // namespace nereid::schedule
