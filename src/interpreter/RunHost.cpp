// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs host programs: arguments, numbers of symbols, scalars, and one operation after the other.
#include "interpreter/Code.h"
#include "interpreter/HostRunner.h"
#include "interpreter/Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::interpreter {

SmallVector<HostValue> HostRunner::valuesOf(ValueRange operands) const {
  SmallVector<HostValue> found;
  for (Value operand : operands)
    found.push_back(get(operand));
  return found;
}

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
