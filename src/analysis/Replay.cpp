// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Replay.h"

#include "interpreter/Interpreter.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::analysis {

/// Larger launches are not run: a counterexample is meant to be small.
static constexpr int64_t maxElements = int64_t(1) << 22;
static constexpr int64_t maxPrograms = int64_t(1) << 12;
static constexpr uint64_t maxSteps = uint64_t(1) << 18;

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
    ScopedDiagnosticHandler silent(kernel.getContext(), [](Diagnostic &) { return success(); });
    if (!readGrid() || !makeArguments() || !makeInstance())
      return false;
    interpreter::RunOptions options;
    options.checked = verdict.property == Property::Disjoint;
    options.maxSteps = maxSteps;
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

private:
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
    arguments.push_back(interpreter::makeEmpty(tile::getArgumentName(kernel, position), element,
                                               extents, strides, /*undefined=*/false));
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
    constexpr int64_t most = int64_t(1) << 23;
    int64_t elements = 0;
    instance->walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        elements += ShapedType::getNumElements(tile::getShape(type));
      return elements > most ? WalkResult::interrupt() : WalkResult::advance();
    });
    return elements <= most;
  }

  const AccessVerdict &verdict;
  const LaunchContract &contract;
  Operation *store;
  func::FuncOp kernel;
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

} // namespace nereid::analysis
