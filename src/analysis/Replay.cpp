// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Replay.h"

#include "analysis/AddressSlice.h"
#include "interpreter/Interpreter.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::analysis {

void fillWithNumbers(interpreter::Tensor &tensor, size_t position) {
  uint32_t state = 2654435761u * (position + 1);
  interpreter::Element kind = tensor.getElement();
  std::vector<uint8_t> &bytes = tensor.storage->bytes;
  for (size_t at = 0, step = interpreter::getBytes(kind); at + step <= bytes.size(); at += step) {
    state = state * 1664525u + 1013904223u;
    double value =
        interpreter::isFloat(kind) ? double(state >> 8) / (1 << 24) + 0.5 : double(state >> 31);
    interpreter::writeNumber(kind, value, bytes.data() + at, tensor.isUnsigned());
  }
}

/// Larger launches are not run: a counterexample is meant to be small.
static constexpr int64_t maxElements = int64_t(1) << 22;
static constexpr int64_t maxPrograms = int64_t(1) << 12;
static constexpr uint64_t maxSteps = uint64_t(1) << 18, maxLaneSteps = uint64_t(1) << 30;

std::optional<uint64_t> stepsWithin(func::FuncOp kernel, const RunLimits &limits) {
  int64_t elements = 0, largest = 1;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      int64_t count = ShapedType::getNumElements(tile::getShape(type));
      elements += count;
      largest = std::max(largest, count);
    }
    return elements > limits.elements ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (elements > limits.elements)
    return std::nullopt;
  return std::min(limits.steps, limits.laneSteps / uint64_t(largest));
}

namespace {
class Replay {
public:
  Replay(const AccessVerdict &verdict, const LaunchContract &contract, Operation *store)
      : verdict(verdict), contract(contract), store(store),
        kernel(verdict.op->getParentOfType<func::FuncOp>()) {
    for (const auto &[name, value] : verdict.witness->values)
      sizes[contract.getContext().symbol(name)] = value;
  }

  bool run() {
    ScopedDiagnosticHandler silent(kernel.getContext(),
                                   [](mlir::Diagnostic &) { return success(); });
    if (!readGrid() || !makeArguments() || !makeInstance())
      return false;
    SmallVector<Operation *> accesses;
    instance->walk([&](Operation *op) {
      if (op->getLoc() == place)
        accesses.push_back(op);
    });
    cutToAddresses(*instance, accesses);
    interpreter::RunOptions options;
    options.checked = verdict.property == Property::Disjoint;
    options.maxSteps = steps;
    options.maxFindings = 1000;
    auto result = interpreter::runKernel(*instance, arguments, grid, options);
    if (failed(result))
      return false;
    auto wanted = verdict.property == Property::InBounds ? interpreter::FindingKind::OutOfBounds
                                                         : interpreter::FindingKind::Race;
    return llvm::any_of(result->findings, [&](const interpreter::Finding &finding) {
      return finding.kind == wanted && finding.location == place &&
             (!store || finding.element == verdict.witness->offset);
    });
  }

  /// Whether what the programs leave in the tensor of the verdict hangs on their order, for numbers
  /// drawn at random; true where a run fails, and where they leave elements out: those that meet
  /// were meant for other places then.
  bool hangsOnOrder() {
    ScopedDiagnosticHandler silent(kernel.getContext(),
                                   [](mlir::Diagnostic &) { return success(); });
    fillsTensors = true;
    if (!readGrid() || !makeInstance())
      return true;
    if (leavesOut())
      return true;
    std::optional<std::vector<uint8_t>> first;
    for (uint64_t order = 0; order < 4; ++order) {
      arguments.clear();
      if (!makeArguments())
        return true;
      interpreter::RunOptions options;
      options.maxSteps = steps;
      options.seed = order;
      auto result = interpreter::runKernel(*instance, arguments, grid, options);
      auto *tensor = std::get_if<interpreter::Tensor>(&arguments[verdict.argument]);
      if (failed(result) || !result->succeeded() || !tensor)
        return true;
      if (first && *first != tensor->storage->bytes)
        return true;
      first = tensor->storage->bytes;
    }
    return false;
  }

private:
  /// Whether an element of the tensor of the verdict is not stored to.
  bool leavesOut() {
    if (!makeArguments())
      return true;
    auto *tensor = std::get_if<interpreter::Tensor>(&arguments[verdict.argument]);
    if (!tensor)
      return true;
    tensor->storage->defined.assign(tensor->storage->bytes.size(), 0);
    interpreter::RunOptions options;
    options.checked = true;
    options.maxSteps = steps;
    auto result = interpreter::runKernel(*instance, arguments, grid, options);
    if (failed(result))
      return true;
    const std::vector<uint8_t> &defined = tensor->storage->defined;
    for (int64_t at = 0, count = tensor->getNumElements(); at < count; ++at)
      if (!defined[tensor->at(at) - tensor->storage->bytes.data()])
        return true;
    return false;
  }

  std::optional<int64_t> valueOf(index::Expr expr) const { return index::evaluate(expr, sizes); }

  bool readGrid() {
    int64_t programs = 1;
    for (index::Expr extent : contract.grid) {
      std::optional<int64_t> count = valueOf(extent);
      if (!count || *count < 0 || *count > maxPrograms || (programs *= *count) > maxPrograms)
        return false;
      grid.push_back(*count);
    }
    return true;
  }

  bool makeArguments() {
    for (auto [position, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      const ArgumentContract &known = contract.arguments[position];
      if (auto pointer = dyn_cast<tile::PtrType>(type)) {
        if (!makeTensor(known, pointer.getPointee(), position))
          return false;
        continue;
      }
      // What nothing is known of does not decide whether the lane of the witness is executed.
      std::optional<int64_t> value = known.value ? valueOf(known.value) : 0;
      if (!value)
        return false;
      if (isa<FloatType>(type))
        arguments.push_back(double(*value));
      else
        arguments.push_back(*value);
    }
    return true;
  }

  bool makeTensor(const ArgumentContract &known, Type element, size_t position) {
    if (!interpreter::getElement(element))
      return false;
    SmallVector<int64_t> extents, strides;
    int64_t elements = 1;
    for (auto [size, stride] : llvm::zip_equal(known.sizes, known.strides)) {
      std::optional<int64_t> extent = valueOf(size), step = valueOf(stride);
      if (!extent || !step || *extent < 0 || *step < 0 || *extent > maxElements ||
          *step > maxElements)
        return false;
      elements += *extent * *step;
      extents.push_back(*extent);
      strides.push_back(*step);
    }
    if (elements > maxElements)
      return false;
    // One tensor may be given twice.
    for (auto [other, argument] : llvm::enumerate(arguments)) {
      const ArgumentContract &given = contract.arguments[other];
      bool isOne = known.isAtStart && given.isAtStart && given.memory == known.memory &&
                   given.sizes == known.sizes && given.strides == known.strides &&
                   kernel.getArgumentTypes()[other] == kernel.getArgumentTypes()[position];
      if (isOne) {
        arguments.push_back(interpreter::HostValue(argument));
        return true;
      }
    }
    interpreter::Tensor tensor =
        interpreter::makeEmpty(tile::getArgumentName(kernel, position), element, extents, strides,
                               /*undefined=*/false);
    if (fillsTensors)
      fillWithNumbers(tensor, position);
    arguments.push_back(std::move(tensor));
    return true;
  }

  /// A copy with the witness's block sizes, in which the operation has a place of its own.
  bool makeInstance() {
    IRMapping mapping;
    instance = cast<func::FuncOp>(kernel->clone(mapping));
    MLIRContext *context = kernel.getContext();
    place = NameLoc::get(StringAttr::get(context, "replayed"));
    mapping.lookup(verdict.op)->setLoc(place);
    if (store)
      mapping.lookup(store)->setLoc(place);
    if (contract.meta.empty() && contract.conditions.empty())
      return isSmall();
    NamedAttrList values;
    for (auto [name, expr] : contract.meta) {
      std::optional<int64_t> value = valueOf(expr);
      if (!value)
        return false;
      values.set(name.getName(), IntegerAttr::get(IntegerType::get(context, 64), *value));
    }
    for (auto [name, pred] : contract.conditions) {
      std::optional<bool> holds = index::evaluate(pred, sizes);
      if (!holds)
        return false;
      values.set(name.getName(), IntegerAttr::get(IntegerType::get(context, 64), *holds));
    }
    auto config = tile::getConfig(*instance, values.getDictionary(context));
    FailureOr<OwningOpRef<func::FuncOp>> full = tile::cloneInstance(*instance, config);
    if (failed(full))
      return false;
    instance = std::move(*full);
    return isSmall();
  }

  /// Whether the tiles of one program fit into little memory.
  bool isSmall() {
    std::optional<uint64_t> known =
        stepsWithin(*instance, {int64_t(1) << 23, maxSteps, maxLaneSteps});
    steps = known.value_or(0);
    return known.has_value();
  }

  const AccessVerdict &verdict;
  const LaunchContract &contract;
  Operation *store;
  func::FuncOp kernel;
  bool fillsTensors = false;
  /// How many instructions a run may take: fewer of large tiles.
  uint64_t steps = maxSteps;
  llvm::DenseMap<index::Expr, int64_t> sizes;
  SmallVector<int64_t> grid;
  SmallVector<interpreter::HostValue> arguments;
  OwningOpRef<func::FuncOp> instance;
  Location place = UnknownLoc::get(kernel.getContext());
};
} // namespace

bool isReproduced(const AccessVerdict &verdict, const LaunchContract &contract, Operation *store) {
  return Replay(verdict, contract, store).run();
}

bool hangsOnOrder(const AccessVerdict &verdict, const LaunchContract &contract) {
  return Replay(verdict, contract, nullptr).hangsOnOrder();
}

} // namespace nereid::analysis
