// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Code.h"
#include "interpreter/Interpreter.h"
#include "interpreter/Machine.h"

#include "host/HostOps.h"
#include "tile/Instance.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::interpreter {

namespace {

/// Executes the operations of one host program.
class HostRunner {
public:
  HostRunner(func::FuncOp program, const RunOptions &options, HostRun &run)
      : program(program), options(options), run(run) {}

  LogicalResult bindArguments(ArrayRef<HostValue> arguments);
  LogicalResult runBlock(mlir::Block &block);
  HostValue get(Value value) const { return values.lookup(value); }
  /// A check failed or a launch has findings: nothing more is run.
  bool isStopped() const { return !run.succeeded(); }
  LogicalResult runDispatch(host::DispatchOp op);

private:
  LogicalResult runOp(Operation *op);
  LogicalResult runScalar(Operation *op);
  LogicalResult runContiguous(host::ContiguousOp op);
  LogicalResult runEmpty(host::EmptyOp op);
  FailureOr<SmallVector<int64_t>> bindStrides(Operation *op, ValueRange like,
                                              host::TensorType type);
  LogicalResult runCopyLike(host::CopyLikeOp op);
  LogicalResult runFull(host::FullOp op);
  LogicalResult runView(host::ViewOp op);
  LogicalResult runIf(host::IfOp op);
  LogicalResult runWhile(host::WhileOp op);
  LogicalResult runFor(host::ForOp op);
  LogicalResult runAssign(host::AssignOp op);
  LogicalResult runLaunch(host::LaunchOp op);
  LogicalResult runApply(host::ApplyOp op);

  FailureOr<int64_t> evaluate(Operation *op, index::Expr expr);
  FailureOr<bool> evaluate(Operation *op, index::Pred pred);
  FailureOr<SmallVector<int64_t>> evaluate(Operation *op, ArrayRef<index::Expr> exprs);
  std::optional<int64_t> lookUp(index::Expr symbol) const;
  Tensor getTensor(Value value) const { return std::get<Tensor>(get(value)); }
  void copyShared();
  std::string nameOf(Operation *op);

  func::FuncOp program;
  const RunOptions &options;
  HostRun &run;
  llvm::DenseMap<Value, HostValue> values;
  llvm::StringMap<int64_t> symbols;
  /// The meta-parameters of the launch whose grid is being evaluated.
  llvm::StringMap<int64_t> metaValues;
  unsigned temporaries = 0;
};

} // namespace

std::optional<int64_t> HostRunner::lookUp(index::Expr symbol) const {
  if (auto found = metaValues.find(symbol.getName()); found != metaValues.end())
    return found->second;
  if (auto found = symbols.find(symbol.getName()); found != symbols.end())
    return found->second;
  return std::nullopt;
}

FailureOr<int64_t> HostRunner::evaluate(Operation *op, index::Expr expr) {
  auto value = index::evaluate(expr, [&](index::Expr symbol) { return lookUp(symbol); });
  if (!value)
    return op->emitError() << "'" << expr.str() << "' has no value: a symbol is not bound, or a "
                           << "division is by zero";
  return *value;
}

FailureOr<bool> HostRunner::evaluate(Operation *op, index::Pred pred) {
  auto value = index::evaluate(pred, [&](index::Expr symbol) { return lookUp(symbol); });
  if (!value)
    return op->emitError() << "'" << pred.str() << "' has no value: a symbol is not bound, or a "
                           << "division is by zero";
  return *value;
}

FailureOr<SmallVector<int64_t>> HostRunner::evaluate(Operation *op, ArrayRef<index::Expr> exprs) {
  SmallVector<int64_t> numbers;
  for (index::Expr expr : exprs) {
    FailureOr<int64_t> number = evaluate(op, expr);
    if (failed(number))
      return failure();
    numbers.push_back(*number);
  }
  return numbers;
}

//===------------------------------------------------------------------------------------------===//
// Arguments
//===------------------------------------------------------------------------------------------===//

static bool fits(const HostValue &value, Type type) {
  if (auto tensor = dyn_cast<host::TensorType>(type)) {
    const auto *given = std::get_if<Tensor>(&value);
    return given && given->elementType == tensor.getElementType() &&
           given->getRank() == tensor.getRank();
  }
  return isa<FloatType>(type) ? std::holds_alternative<double>(value)
                              : std::holds_alternative<int64_t>(value);
}

LogicalResult HostRunner::bindArguments(ArrayRef<HostValue> arguments) {
  if (arguments.size() != program.getNumArguments())
    return program.emitError() << "'" << program.getName() << "' takes "
                               << program.getNumArguments() << " arguments, given "
                               << arguments.size();
  for (auto [position, argument] : llvm::enumerate(arguments)) {
    BlockArgument parameter = program.getArgument(position);
    if (!fits(argument, parameter.getType()))
      return program.emitError() << "argument " << position << " of '" << program.getName()
                                 << "' does not fit " << parameter.getType();
    values[parameter] = argument;
  }
  copyShared();
  auto list = program->getAttrOfType<ArrayAttr>(host::symbolsAttrName);
  for (Attribute part : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto symbol = cast<host::SymbolAttr>(part);
    const HostValue &argument = arguments[symbol.getArgument()];
    int64_t &value = symbols[symbol.getName().getValue()];
    if (symbol.getKind() == host::SymbolKind::Value) {
      value = std::get<int64_t>(argument);
      if (value < 0)
        return program.emitError() << symbol.getName() << " counts elements, and is " << value;
    } else if (symbol.getKind() == host::SymbolKind::Size)
      value = std::get<Tensor>(argument).sizes[symbol.getDim()];
    else
      value = std::get<Tensor>(argument).strides[symbol.getDim()];
  }
  return success();
}

/// What is read while kernels write is copied where it shares memory with what they write to.
void HostRunner::copyShared() {
  llvm::SmallPtrSet<const Storage *, 4> written;
  for (BlockArgument argument : program.getArguments())
    if (program.getArgAttr(argument.getArgNumber(), host::inPlaceAttrName))
      written.insert(getTensor(argument).storage.get());
  for (BlockArgument argument : program.getArguments())
    if (program.getArgAttr(argument.getArgNumber(), host::readBesideAttrName)) {
      Tensor tensor = getTensor(argument);
      if (!written.contains(tensor.storage.get()))
        continue;
      tensor.storage = std::make_shared<Storage>(*tensor.storage);
      values[argument] = tensor;
    }
}

/// The user's name for a value, or one that counts up.
std::string HostRunner::nameOf(Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "t" + std::to_string(temporaries++);
}

//===------------------------------------------------------------------------------------------===//
// Tensors
//===------------------------------------------------------------------------------------------===//

LogicalResult HostRunner::runContiguous(host::ContiguousOp op) {
  Tensor tensor = getTensor(op.getTensor());
  if (!tensor.isContiguous()) {
    Tensor copy = makeEmpty(tensor.storage->name + ".contiguous()", tensor.elementType,
                            tensor.sizes, getContiguousStrides(tensor.sizes), false);
    copyElements(tensor, copy);
    tensor = copy;
  }
  // Strides of axes of extent 1 are free: take those of the type.
  tensor.strides = getContiguousStrides(tensor.sizes);
  values[op.getResult()] = tensor;
  return success();
}

/// Whether axis `a` of the result lies outside axis `b`, as the inputs' strides say: the first
/// input that tells them apart decides; 0 when none does.
static int compareAxes(ArrayRef<Tensor> inputs, ArrayRef<int64_t> sizes, size_t a, size_t b) {
  auto strideOf = [&](const Tensor &input, size_t axis) -> int64_t {
    int64_t own = static_cast<int64_t>(axis) - static_cast<int64_t>(sizes.size() - input.getRank());
    return own < 0 || input.sizes[own] != sizes[axis] ? 0 : input.strides[own];
  };
  for (const Tensor &input : inputs) {
    int64_t first = strideOf(input, a), second = strideOf(input, b);
    if (first == 0 || second == 0)
      continue;
    if (first != second)
      return first < second ? -1 : 1;
    if (sizes[a] != sizes[b] && sizes[a] > sizes[b])
      return 1;
  }
  return 0;
}

/// The strides that PyTorch's pointwise operators give a result: dense, in the order of the inputs'
/// strides. An insertion sort that, like PyTorch's, only moves an axis where an input decides.
static SmallVector<int64_t> getPointwiseStrides(ArrayRef<Tensor> inputs, ArrayRef<int64_t> sizes) {
  SmallVector<size_t> order; // innermost first
  for (size_t axis = sizes.size(); axis-- > 0;)
    order.push_back(axis);
  for (size_t i = 1; i < order.size(); ++i) {
    size_t moved = i;
    for (size_t j = i; j-- > 0;) {
      int compared = compareAxes(inputs, sizes, order[j], order[moved]);
      if (compared > 0) {
        std::swap(order[j], order[moved]);
        moved = j;
      } else if (compared < 0) {
        break;
      }
    }
  }
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t axis : order) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(sizes[axis], 1);
  }
  return strides;
}

/// The strides of a tensor that is like others; its type's symbols stand for them from here on.
FailureOr<SmallVector<int64_t>> HostRunner::bindStrides(Operation *op, ValueRange like,
                                                        host::TensorType type) {
  FailureOr<SmallVector<int64_t>> sizes = evaluate(op, type.getSizes());
  if (failed(sizes))
    return failure();
  SmallVector<Tensor> inputs;
  for (Value input : like)
    inputs.push_back(getTensor(input));
  SmallVector<int64_t> strides = getPointwiseStrides(inputs, *sizes);
  for (auto [symbol, stride] : llvm::zip(type.getStrides(), strides))
    symbols[symbol.getName()] = stride;
  return strides;
}

LogicalResult HostRunner::runCopyLike(host::CopyLikeOp op) {
  host::TensorType type = op.getResult().getType();
  auto strides = bindStrides(op, op.getLike(), type);
  if (failed(strides))
    return failure();
  Tensor tensor = getTensor(op.getTensor());
  Tensor copy = makeEmpty(nameOf(op), type.getElementType(), tensor.sizes, *strides, false);
  copyElements(tensor, copy);
  values[op.getResult()] = copy;
  return success();
}

LogicalResult HostRunner::runEmpty(host::EmptyOp op) {
  host::TensorType type = op.getResult().getType();
  FailureOr<SmallVector<int64_t>> sizes = evaluate(op, type.getSizes());
  if (failed(sizes))
    return failure();
  auto strides =
      op.getLike().empty() ? evaluate(op, type.getStrides()) : bindStrides(op, op.getLike(), type);
  if (failed(strides))
    return failure();
  values[op.getResult()] =
      makeEmpty(nameOf(op), type.getElementType(), *sizes, *strides, options.checked);
  return success();
}

LogicalResult HostRunner::runFull(host::FullOp op) {
  host::TensorType type = op.getResult().getType();
  FailureOr<SmallVector<int64_t>> sizes = evaluate(op, type.getSizes());
  FailureOr<SmallVector<int64_t>> strides = evaluate(op, type.getStrides());
  if (failed(sizes) || failed(strides))
    return failure();
  Tensor tensor = makeEmpty(nameOf(op), type.getElementType(), *sizes, *strides, false);
  HostValue value = get(op.getValue());
  const auto *integer = std::get_if<int64_t>(&value);
  for (int64_t i = 0, count = tensor.getNumElements(); i < count; ++i) {
    if (integer && !isFloat(tensor.getElement()) && tensor.getElement() != Element::I1)
      std::memcpy(tensor.at(i), integer, getBytes(tensor.getElement()));
    else
      tensor.set(i, integer ? static_cast<double>(*integer) : std::get<double>(value));
  }
  values[op.getResult()] = tensor;
  return success();
}

LogicalResult HostRunner::runView(host::ViewOp op) {
  host::TensorType type = op.getResult().getType();
  Tensor tensor = getTensor(op.getTensor());
  FailureOr<SmallVector<int64_t>> sizes = evaluate(op, type.getSizes());
  FailureOr<SmallVector<int64_t>> strides = evaluate(op, type.getStrides());
  FailureOr<int64_t> offset = evaluate(op, op.getOffset().getExpr());
  if (failed(sizes) || failed(strides) || failed(offset))
    return failure();
  tensor.sizes = *sizes;
  tensor.strides = *strides;
  tensor.offset += *offset;
  int64_t last = tensor.offset, first = tensor.offset;
  for (auto [size, stride] : llvm::zip(*sizes, *strides))
    (stride < 0 ? first : last) += (size - 1) * stride;
  int64_t elements = tensor.storage->bytes.size() / getBytes(tensor.getElement());
  if (tensor.getNumElements() > 0 && (first < 0 || last >= elements))
    return op.emitError() << "a view of elements " << first << " to " << last << " of '"
                          << tensor.storage->name << "', which has " << elements;
  values[op.getResult()] = tensor;
  return success();
}

LogicalResult HostRunner::runAssign(host::AssignOp op) {
  Tensor target = getTensor(op.getTarget()), value = getTensor(op.getValue());
  if (target.sizes != value.sizes)
    return op.emitError() << "sizes of target and value differ";
  Tensor copy = makeEmpty("assigned", value.elementType, value.sizes,
                          getContiguousStrides(value.sizes), false);
  copyElements(value, copy);
  copyElements(copy, target);
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Control and launches
//===------------------------------------------------------------------------------------------===//

LogicalResult HostRunner::runIf(host::IfOp op) {
  bool condition = std::get<int64_t>(get(op.getCondition())) != 0;
  mlir::Block &arm = (condition ? op.getThen() : op.getOtherwise()).front();
  if (failed(runBlock(arm)))
    return failure();
  if (isStopped())
    return success();
  for (auto [result, yielded] : llvm::zip(op.getResults(), arm.getTerminator()->getOperands())) {
    HostValue value = get(yielded);
    if (auto type = dyn_cast<host::TensorType>(result.getType()))
      for (auto [symbol, stride] : llvm::zip(type.getStrides(), std::get<Tensor>(value).strides))
        if (symbol.isSymbol())
          symbols.try_emplace(symbol.getName(), stride);
    values[result] = value;
  }
  return success();
}

LogicalResult HostRunner::runWhile(host::WhileOp op) {
  int64_t number = op.getStart();
  while (true) {
    symbols[op.getSymbol()] = number;
    FailureOr<bool> holds = evaluate(op, op.getCondition().getPred());
    if (failed(holds) || (*holds && failed(runBlock(op.getBody().front()))))
      return failure();
    if (!*holds || isStopped())
      break;
    if (__builtin_mul_overflow(number, static_cast<int64_t>(op.getFactor()), &number))
      return op.emitError() << "'" << op.getSymbol() << "' leaves 64 bits";
  }
  symbols.erase(op.getSymbol());
  return success();
}

LogicalResult HostRunner::runFor(host::ForOp op) {
  FailureOr<int64_t> count = evaluate(op, op.getCount().getExpr());
  if (failed(count))
    return failure();
  mlir::Block &body = op.getBody().front();
  SmallVector<HostValue> carried;
  for (Value init : op.getInits())
    carried.push_back(get(init));
  for (int64_t turn = 0; turn < *count; ++turn) {
    symbols[op.getSymbol()] = turn;
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), carried))
      values[argument] = value;
    if (failed(runBlock(body)))
      return failure();
    if (isStopped())
      return success();
    for (auto [value, next] : llvm::zip_equal(carried, body.getTerminator()->getOperands()))
      value = get(next);
  }
  symbols.erase(op.getSymbol());
  for (auto [result, value] : llvm::zip_equal(op.getResults(), carried))
    values[result] = value;
  return success();
}

LogicalResult HostRunner::runLaunch(host::LaunchOp op) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getKernelAttr());
  if (!kernel)
    return op.emitError() << "kernel '" << op.getKernel() << "' is not there";
  NamedAttrList meta;
  Builder builder(op.getContext());
  for (NamedAttribute entry : op.getMeta()) {
    if (auto condition = dyn_cast<sym::PredAttr>(entry.getValue())) {
      FailureOr<bool> holds = evaluate(op, condition.getPred());
      if (failed(holds))
        return failure();
      meta.set(entry.getName(), builder.getI64IntegerAttr(*holds));
      continue;
    }
    auto expr = dyn_cast<sym::ExprAttr>(entry.getValue());
    if (!expr) {
      meta.set(entry.getName(), entry.getValue());
      continue;
    }
    FailureOr<int64_t> value = evaluate(op, expr.getExpr());
    if (failed(value))
      return failure();
    meta.set(entry.getName(), builder.getI64IntegerAttr(*value));
  }
  tile::ConfigAttr config = tile::getConfig(kernel, meta.getDictionary(op.getContext()));
  metaValues.clear();
  for (NamedAttribute entry : config.getValues())
    if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      metaValues[entry.getName()] = number.getValue().getSExtValue();
  SmallVector<int64_t> grid;
  for (Attribute part : op.getGrid()) {
    FailureOr<int64_t> extent = evaluate(op, cast<sym::ExprAttr>(part).getExpr());
    if (failed(extent))
      return failure();
    grid.push_back(*extent);
  }
  metaValues.clear();
  ++run.launches;
  if (llvm::is_contained(grid, 0))
    return success();
  FailureOr<OwningOpRef<func::FuncOp>> instance = tile::cloneInstance(kernel, config);
  if (failed(instance))
    return failure();
  SmallVector<HostValue> arguments;
  for (Value argument : op.getArguments())
    arguments.push_back(get(argument));
  FailureOr<KernelRun> launched = runKernel(**instance, arguments, grid, options);
  if (failed(launched))
    return failure();
  llvm::append_range(run.findings, launched->findings);
  return success();
}

LogicalResult HostRunner::runApply(host::ApplyOp op) {
  SmallVector<HostValue> arguments;
  for (Value argument : op.getArguments())
    arguments.push_back(get(argument));
  FailureOr<HostRun> inner = runHost(op.getFunction(), arguments, options);
  if (failed(inner))
    return failure();
  llvm::append_range(run.findings, inner->findings);
  run.launches += inner->launches;
  if (!inner->failedCheck.empty())
    run.failedCheck = inner->failedCheck;
  if (isStopped())
    return success();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), inner->results))
    values[result] = value;
  return success();
}

/// Goes on in the first program whose condition holds.
LogicalResult HostRunner::runDispatch(host::DispatchOp op) {
  for (auto [condition, name] : llvm::zip_equal(op.getConditions(), op.getPrograms())) {
    FailureOr<bool> holds = evaluate(op, cast<sym::PredAttr>(condition).getPred());
    if (failed(holds))
      return failure();
    if (!*holds)
      continue;
    SmallVector<HostValue> arguments;
    for (Value argument : program.getArguments())
      arguments.push_back(get(argument));
    auto chosen =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, cast<FlatSymbolRefAttr>(name));
    FailureOr<HostRun> inner = runHost(chosen, arguments, options);
    if (failed(inner))
      return failure();
    run = std::move(*inner);
    return success();
  }
  return op.emitError() << "no condition holds";
}

/// arith and math on scalars, by the kernels' own semantics.
LogicalResult HostRunner::runScalar(Operation *op) {
  FailureOr<std::shared_ptr<Code>> code = compileScalarOp(op);
  if (failed(code))
    return failure();
  Memory memory;
  Machine machine(memory, options);
  Program state;
  state.slots.resize((*code)->slotCount);
  for (auto [slot, operand] : llvm::zip((*code)->arguments, op->getOperands())) {
    HostValue value = get(operand);
    if (const auto *number = std::get_if<double>(&value))
      state.slots[slot] = makeUniform(Element::F64, *number);
    else if (operand.getType().isInteger(1))
      state.slots[slot] = makeUniform(Element::I1, uint8_t(std::get<int64_t>(value) != 0));
    else
      state.slots[slot] = makeUniform(Element::I64, std::get<int64_t>(value));
  }
  machine.resume(**code, state);
  for (auto [slot, result] : llvm::zip((*code)->results, op->getResults())) {
    const Buffer &buffer = state.slots[slot];
    if (!result.getType().isF64() && !result.getType().isInteger(64) &&
        !result.getType().isInteger(1))
      return op->emitError() << result.getType() << " is no scalar of a host program";
    values[result] = result.getType().isF64() ? HostValue(buffer.first<double>())
                                              : HostValue(readInteger(buffer, 0));
  }
  return success();
}

LogicalResult HostRunner::runOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](host::SizeOp size) {
        FailureOr<int64_t> value = evaluate(op, size.getExpr().getExpr());
        values[size.getResult()] = succeeded(value) ? *value : int64_t(0);
        return LogicalResult(value);
      })
      .Case([&](host::CondOp condition) {
        FailureOr<bool> value = evaluate(op, condition.getPred().getPred());
        values[condition.getResult()] = int64_t(succeeded(value) && *value);
        return LogicalResult(value);
      })
      .Case([&](host::CheckOp check) {
        FailureOr<bool> value = evaluate(op, check.getPred().getPred());
        if (succeeded(value) && !*value)
          run.failedCheck =
              check.getMessage().empty() ? "a check failed" : check.getMessage().str();
        return LogicalResult(value);
      })
      .Case([&](host::IsContiguousOp query) {
        bool all = llvm::all_of(query.getTensors(),
                                [&](Value value) { return getTensor(value).isContiguous(); });
        values[query.getResult()] = int64_t(all);
        return success();
      })
      .Case([&](host::AsContiguousOp cast) -> LogicalResult {
        Tensor tensor = getTensor(cast.getTensor());
        if (!tensor.isContiguous())
          return op->emitError() << "'" << tensor.storage->name << "' is not contiguous";
        tensor.strides = getContiguousStrides(tensor.sizes);
        values[cast.getResult()] = tensor;
        return success();
      })
      .Case([&](host::ContiguousOp copy) { return runContiguous(copy); })
      .Case([&](host::EmptyOp empty) { return runEmpty(empty); })
      .Case([&](host::CopyLikeOp copy) { return runCopyLike(copy); })
      .Case([&](host::FullOp full) { return runFull(full); })
      .Case([&](host::ViewOp view) { return runView(view); })
      .Case([&](host::IfOp branch) { return runIf(branch); })
      .Case([&](host::WhileOp loop) { return runWhile(loop); })
      .Case([&](host::ForOp loop) { return runFor(loop); })
      .Case([&](host::AssignOp assign) { return runAssign(assign); })
      .Case([&](host::LaunchOp launch) { return runLaunch(launch); })
      .Case([&](host::ApplyOp apply) { return runApply(apply); })
      .Case([&](host::CallOp call) -> LogicalResult {
        return op->emitError() << "'" << call.getCallee()
                               << "' is left to PyTorch, which the interpreter does not have";
      })
      .Default([&](Operation *) { return runScalar(op); });
}

LogicalResult HostRunner::runBlock(mlir::Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (failed(runOp(&op)))
      return failure();
    if (isStopped())
      return success();
  }
  return success();
}

FailureOr<HostRun> runHost(func::FuncOp program, ArrayRef<HostValue> arguments,
                           const RunOptions &options) {
  if (!program->hasAttr(host::programAttrName) || program.isExternal())
    return program.emitError() << "'" << program.getName() << "' is not a host program";
  HostRun run;
  HostRunner runner(program, options, run);
  mlir::Block &body = program.getBody().front();
  if (failed(runner.bindArguments(arguments)) || failed(runner.runBlock(body)))
    return failure();
  if (!run.succeeded())
    return run;
  if (auto dispatch = dyn_cast<host::DispatchOp>(body.getTerminator())) {
    if (failed(runner.runDispatch(dispatch)))
      return failure();
    return run;
  }
  for (Value result : body.getTerminator()->getOperands())
    run.results.push_back(runner.get(result));
  return run;
}

} // namespace nereid::interpreter
