// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/LaunchRun.h"

#include "analysis/Replay.h"
#include "audit/Contracts.h"

#include "tile/Instance.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/IR/Diagnostics.h"

using namespace llvm;

namespace nereid::audit {

static constexpr int64_t largestTensor = int64_t(1) << 21;
static constexpr int64_t mostPrograms = int64_t(1) << 12;
static constexpr uint64_t mostSteps = uint64_t(1) << 18, mostLaneSteps = uint64_t(1) << 26;

namespace {
/// The lengths of axes, the last one first; others are as the last of these.
struct ShapeChoice {
  std::array<int64_t, 3> extents;
  int64_t count; // of a tensor of which nobody says how many axes it has
};
} // namespace

/// Rows that are short and long, none a multiple of a tile; heads of usual sizes. 0: what is longer
/// than the longest tile.
static constexpr ShapeChoice choices[LaunchRun::shapes] = {
    {{70, 70, 70}, 4900},  {{1500, 3, 2}, 4500}, {{0, 0, 2}, 0},  {{33, 300, 3}, 9900},
    {{64, 200, 3}, 12800}, {{128, 77, 5}, 9856}, {{9, 9, 9}, 81}, {{16, 16, 16}, 256},
};

bool LaunchRun::isSquare(unsigned shape) {
  return choices[shape].extents[0] == choices[shape].extents[1];
}

bool LaunchRun::isLong(unsigned shape) { return choices[shape].count == 0; }

LaunchRun::LaunchRun(mlir::func::FuncOp kernel, const HostLaunch &launch, CompileAt compileAt)
    : kernel(kernel), launch(launch), compileAt(std::move(compileAt)) {
  for (const HostArgument &argument : launch.arguments) {
    for_each(argument.sizes, [&](index::Expr expr) { addSymbols(expr); });
    for_each(argument.strides, [&](index::Expr expr) { addSymbols(expr); });
    if (argument.number)
      addSymbols(argument.number);
  }
  for_each(launch.grid, [&](index::Expr expr) { addSymbols(expr); });
  for (index::Pred fact : launch.facts)
    index::forEachSymbol(fact, [&](index::Expr symbol) { addSymbols(symbol); });
  isOpen = !launch.problem.empty();
}

void LaunchRun::addSymbols(index::Expr expr) {
  index::forEachSymbol(expr, [&](index::Expr symbol) { symbols.insert(symbol); });
}

/// `i` of `x.shape[i]` and `x.stride(i)`.
static std::optional<unsigned> axisOf(StringRef symbol, StringRef what) {
  unsigned axis = 0;
  auto [owner, rest] = symbol.split(what);
  if (rest.empty() || rest.drop_back().getAsInteger(10, axis))
    return std::nullopt;
  return axis;
}

/// Row-major, whatever the wrapper says of them later.
void LaunchRun::setStrides() {
  std::map<std::string, std::map<unsigned, int64_t>> shapes;
  for (index::Expr symbol : symbols)
    if (std::optional<unsigned> axis = axisOf(symbol.getName(), ".shape["))
      shapes[ownerOf(symbol.getName())][*axis] = values.lookup(symbol);
  for (index::Expr symbol : symbols) {
    std::optional<unsigned> axis = axisOf(symbol.getName(), ".stride(");
    if (!axis)
      continue;
    int64_t stride = 1;
    for (auto [other, extent] : shapes[ownerOf(symbol.getName())])
      if (other > *axis)
        stride *= std::max<int64_t>(extent, 1);
    values[symbol] = stride;
  }
}

/// Gives one of the symbols of a fact another value, so that it holds.
bool LaunchRun::repairBy(index::Pred fact,
                         llvm::function_ref<std::optional<int64_t>(index::Expr)> propose) {
  SmallVector<index::Expr> asked;
  index::forEachSymbol(fact, [&](index::Expr symbol) { asked.push_back(symbol); });
  // Sizes before strides, which follow them, and what is asked last.
  llvm::partition(asked, [](index::Expr symbol) { return !symbol.getName().contains(".stride("); });
  for (index::Expr symbol : asked) {
    int64_t before = values.lookup(symbol);
    std::optional<int64_t> other = propose(symbol);
    if (!other || *other < 0)
      continue;
    values[symbol] = *other;
    if (index::evaluate(fact, values) == true)
      return true;
    values[symbol] = before;
  }
  return false;
}

bool LaunchRun::repair(index::Pred fact) {
  if (index::evaluate(fact, values) == true)
    return false;
  switch (fact.getKind()) {
  case index::PredKind::And: {
    bool isChanged = false;
    for (index::Pred part : fact.getOperands())
      isChanged |= repair(part);
    return isChanged;
  }
  case index::PredKind::Or:
    return any_of(fact.getOperands(), [&](index::Pred part) { return repair(part); });
  case index::PredKind::Zero:
  case index::PredKind::NonNegative:
    // Along a line to where it is 0.
    return repairBy(fact, [&](index::Expr symbol) -> std::optional<int64_t> {
      int64_t at = values.lookup(symbol);
      std::optional<int64_t> here = valueOf(fact.getExpr());
      values[symbol] = at + 1;
      std::optional<int64_t> next = valueOf(fact.getExpr());
      values[symbol] = at;
      if (!here || !next || *next == *here)
        return std::nullopt;
      int64_t slope = *next - *here, way = -*here / slope;
      if (way * slope + *here != 0 && fact.getKind() == index::PredKind::NonNegative)
        way += slope > 0 ? 1 : -1;
      return at + way;
    });
  case index::PredKind::NonZero:
    return repairBy(fact, [&](index::Expr symbol) { return values.lookup(symbol) + 1; });
  case index::PredKind::Divisible: {
    std::optional<int64_t> divisor = valueOf(fact.getDivisor());
    return divisor && *divisor > 0 && *divisor <= 4096 &&
           repairBy(fact, [&](index::Expr symbol) -> std::optional<int64_t> {
             int64_t at = values.lookup(symbol);
             return (at / *divisor + 1) * *divisor;
           });
  }
  case index::PredKind::NotDivisible:
    return repairBy(fact, [&](index::Expr symbol) { return values.lookup(symbol) + 1; });
  default:
    return false;
  }
}

int64_t LaunchRun::longestTile() {
  int64_t longest = 0;
  kernel.walk([&](tile::RangeOp range) {
    tile::DimsAttr dims = tile::getDims(range.getType());
    StringRef name = dims ? dims.getNames()[0].getValue() : "";
    const HostArgument *given = name.empty() ? nullptr : find(name);
    if (!given || !given->number || given->number.isConstant())
      longest = std::max(longest, tile::getShape(range.getType())[0]);
  });
  return longest;
}

bool LaunchRun::choose(unsigned shape) {
  if (isOpen)
    return false;
  ShapeChoice choice = choices[shape];
  if (choice.count == 0) {
    constexpr int64_t shortest = 70, longest = 1300;
    int64_t extent = longestTile() + 76;
    if (extent <= shortest + 76 || extent > longest)
      return false;
    choice.extents[0] = choice.extents[1] = extent;
    choice.count = extent * extent;
  }
  return choose(choice.extents, choice.count);
}

bool LaunchRun::choose(std::array<int64_t, 3> extents, int64_t count) {
  if (isOpen)
    return false;
  values.clear();
  std::map<std::string, unsigned> ranks;
  for (index::Expr symbol : symbols)
    for (StringRef what : {".shape[", ".stride("})
      if (std::optional<unsigned> axis = axisOf(symbol.getName(), what)) {
        unsigned &rank = ranks[ownerOf(symbol.getName())];
        rank = std::max(rank, *axis + 1);
      }
  for (index::Expr symbol : symbols) {
    StringRef name = symbol.getName();
    if (std::optional<unsigned> axis = axisOf(name, ".shape[")) {
      unsigned back = ranks[ownerOf(name)] - 1 - *axis;
      values[symbol] = extents[std::min<size_t>(back, extents.size() - 1)];
    } else if (name.ends_with(".numel()")) {
      values[symbol] = count;
    } else if (name.contains("multi_processor_count")) {
      // So few that programs which stay take several tiles.
      values[symbol] = 4;
    } else if (launch.freeNumbers.count(name.str()) && !name.contains('#')) {
      values[symbol] = 2;
    } else if (!axisOf(name, ".stride(")) {
      return false;
    }
  }
  setStrides();
  constexpr unsigned mostRounds = 6;
  for (unsigned round = 0; round < mostRounds; ++round) {
    bool isChanged = false;
    for (index::Pred fact : launch.facts)
      isChanged |= repair(fact);
    if (!isChanged)
      break;
    if (round + 1 < mostRounds)
      setStrides();
  }
  return all_of(launch.facts,
                [&](index::Pred fact) { return index::evaluate(fact, values) == true; });
}

bool LaunchRun::adopt(ArrayRef<std::pair<std::string, int64_t>> sizes) {
  isExact = true;
  values.clear();
  llvm::StringMap<int64_t> known;
  for (const auto &[name, value] : sizes)
    known[name] = value;
  for (index::Expr symbol : symbols) {
    auto value = known.find(symbol.getName());
    if (value == known.end())
      return false;
    values[symbol] = value->second;
  }
  return !isOpen && all_of(launch.facts,
                           [&](index::Pred fact) { return index::evaluate(fact, values) == true; });
}

const HostArgument *LaunchRun::find(StringRef name) const {
  for (const HostArgument &argument : launch.arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

bool LaunchRun::makeGrid() {
  grid.clear();
  int64_t programs = 1;
  for (index::Expr extent : launch.grid) {
    std::optional<int64_t> count = valueOf(extent);
    if (!count || *count < 1 || *count > mostPrograms || (programs *= *count) > mostPrograms)
      return false;
    grid.push_back(*count);
  }
  return true;
}

/// With the constants that the sizes give.
bool LaunchRun::makeInstance() {
  Numbers numbers;
  for (StringRef name : tile::getMetaNames(kernel)) {
    const HostArgument *given = find(name);
    // What the launch does not say was guessed.
    if (!given || given->kind == HostArgument::Unknown || given->kind == HostArgument::Default)
      return false;
    if (given->kind != HostArgument::Number)
      continue;
    std::optional<int64_t> number = valueOf(given->number);
    if (!number)
      return false;
    numbers.push_back({name.str(), *number});
  }
  instance = kernel;
  if (!numbers.empty()) {
    module = compileAt(numbers);
    if (!module)
      return false;
    instance = *module->getOps<mlir::func::FuncOp>().begin();
    if (instance.getNumArguments() != kernel.getNumArguments())
      return false;
  }
  std::optional<uint64_t> known =
      analysis::stepsWithin(instance, {int64_t(1) << 22, mostSteps, mostLaneSteps});
  steps = known.value_or(0);
  return known.has_value();
}

bool LaunchRun::isOfKnownShape(const HostArgument &given) const {
  bool isCounted = false;
  std::set<std::string> owners;
  for (const HostArgument &other : launch.arguments)
    for (index::Expr size : other.sizes)
      index::forEachSymbol(size, [&](index::Expr symbol) {
        owners.insert(ownerOf(symbol.getName()));
        isCounted |= &other == &given && symbol.getName().ends_with(".numel()");
      });
  bool isGuessed = launch.guessedRanks.count(given.owner);
  for (index::Expr size : given.sizes)
    index::forEachSymbol(size, [&](index::Expr symbol) {
      isGuessed |= launch.guessedRanks.count(ownerOf(symbol.getName())) != 0;
    });
  // What the wrapper makes is as large as it says.
  return !isGuessed && (!isCounted || given.isFresh || owners.size() == 1);
}

bool LaunchRun::makeTensor(const HostArgument &given, mlir::Type element, unsigned position,
                           bool isBlank) {
  if (!interpreter::getElement(element))
    return false;
  SmallVector<int64_t> extents, strides;
  int64_t elements = 1;
  for (auto [size, stride] : zip_equal(given.sizes, given.strides)) {
    std::optional<int64_t> extent = valueOf(size), step = valueOf(stride);
    if (!extent || !step || *extent < 0 || *step < 0 || *extent > largestTensor ||
        *step > largestTensor)
      return false;
    elements += *extent * *step;
    extents.push_back(*extent);
    strides.push_back(*step);
  }
  // Of one whose axes were guessed nobody says how much it holds: enough.
  if (!isExact && !isOfKnownShape(given)) {
    extents = {largestTensor / 2};
    strides = {1};
    elements = extents[0];
  }
  if (elements > largestTensor)
    return false;
  interpreter::Tensor tensor = interpreter::makeEmpty(tile::getArgumentName(kernel, position),
                                                      element, extents, strides, isBlank);
  analysis::fillWithNumbers(tensor, position);
  if (given.memory && !enterMemory(given, tensor))
    return false;
  if (notesReads)
    tensor.storage->read.assign(tensor.storage->bytes.size(), 0);
  arguments.push_back(std::move(tensor));
  return true;
}

/// Several arguments may lead to one memory: the tensor becomes a part of that. False where it is
/// not known how they lie.
bool LaunchRun::enterMemory(const HostArgument &given, interpreter::Tensor &tensor) {
  int64_t end = 0, bytes = getBytes(tensor.getElement());
  auto isThere = [&](const HostArgument &other) { return other.memory == given.memory; };
  if (count_if(launch.arguments, isThere) < 2)
    return true;
  for (const HostArgument &other : make_filter_range(launch.arguments, isThere)) {
    std::optional<int64_t> last = other.offset ? valueOf(other.offset) : std::nullopt;
    for (auto [size, stride] : zip_equal(other.sizes, other.strides)) {
      std::optional<int64_t> extent = valueOf(size), step = valueOf(stride);
      if (!last || !extent || !step)
        return false;
      *last += std::max<int64_t>(*extent - 1, 0) * *step;
    }
    end = last ? std::max(end, *last + 1) : largestTensor + 1;
  }
  if (end > largestTensor)
    return false;
  std::shared_ptr<interpreter::Storage> &shared = memories[given.memory];
  if (!shared) {
    shared = tensor.storage;
    shared->bytes.resize(end * bytes);
    analysis::fillWithNumbers(tensor, 0);
  }
  tensor.storage = shared;
  tensor.offset = *valueOf(given.offset);
  return int64_t(shared->bytes.size()) == end * bytes;
}

bool LaunchRun::makeArguments(ArrayRef<unsigned> blank) {
  arguments.clear();
  memories.clear();
  for (auto [position, type] : enumerate(kernel.getArgumentTypes())) {
    const HostArgument *given = find(tile::getArgumentName(kernel, position));
    if (auto pointer = dyn_cast<tile::PtrType>(type)) {
      if (!given || given->kind != HostArgument::Tensor ||
          !makeTensor(*given, pointer.getPointee(), position, is_contained(blank, position)))
        return false;
      continue;
    }
    if (!given)
      return false;
    std::optional<int64_t> number = given->number ? valueOf(given->number) : std::nullopt;
    if (isa<mlir::FloatType>(type))
      arguments.push_back(double(number.value_or(1)));
    else if (number)
      arguments.push_back(*number);
    else
      return false;
  }
  return true;
}

std::optional<interpreter::KernelRun> LaunchRun::run(ArrayRef<unsigned> blank, bool checked,
                                                     uint64_t order) {
  mlir::ScopedDiagnosticHandler silent(kernel.getContext(),
                                       [](mlir::Diagnostic &) { return mlir::success(); });
  if (!makeGrid() || !makeInstance() || !makeArguments(blank))
    return std::nullopt;
  interpreter::RunOptions options;
  options.checked = checked;
  options.seed = order;
  options.maxSteps = steps;
  options.maxFindings = 200;
  auto result = interpreter::runKernel(instance, arguments, grid, options);
  return failed(result) ? std::nullopt : std::optional(std::move(*result));
}

const interpreter::Tensor *LaunchRun::getTensor(unsigned argument) const {
  return argument < arguments.size() ? std::get_if<interpreter::Tensor>(&arguments[argument])
                                     : nullptr;
}

void LaunchRun::forEachRelevant(llvm::function_ref<void(index::Expr)> visit) const {
  auto look = [&](index::Expr expr) { index::forEachSymbol(expr, visit); };
  for_each(launch.grid, look);
  for (const HostArgument &argument : launch.arguments) {
    if (argument.isBlank)
      for_each(argument.sizes, look);
    if (argument.number)
      look(argument.number);
  }
}

std::vector<std::pair<std::string, int64_t>> LaunchRun::getSizes() const {
  std::map<std::string, int64_t> sizes;
  forEachRelevant([&](index::Expr symbol) {
    if (!symbol.getName().contains(".stride("))
      sizes[symbol.getName().str()] = values.lookup(symbol);
  });
  return {sizes.begin(), sizes.end()};
}

bool LaunchRun::hangsOnFreeNumbers() const {
  bool hangs = false;
  forEachRelevant([&](index::Expr symbol) {
    hangs |= launch.freeNumbers.count(symbol.getName().str()) &&
             !symbol.getName().contains("multi_processor_count");
  });
  return hangs;
}

std::set<std::string> LaunchRun::getOwners() const {
  std::set<std::string> owners;
  forEachRelevant([&](index::Expr symbol) {
    if (std::string owner = ownerOf(symbol.getName()); !owner.empty())
      owners.insert(owner);
  });
  return owners;
}

} // namespace nereid::audit
