// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host programs execute: branches, loops, launches and other programs.
#include "interpreter/HostRunner.h"

#include "tile/Instance.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace nereid::interpreter {

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

/// The meta-parameters that a launch passes, as numbers.
FailureOr<DictionaryAttr> HostRunner::evaluateMeta(host::LaunchOp op) {
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
  return meta.getDictionary(op.getContext());
}

/// The grid of a launch, which may mention the meta-parameters of its configuration.
FailureOr<SmallVector<int64_t>> HostRunner::evaluateGrid(host::LaunchOp op,
                                                         tile::ConfigAttr config) {
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
  return grid;
}

LogicalResult HostRunner::runLaunch(host::LaunchOp op) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getKernelAttr());
  if (!kernel)
    return op.emitError() << "kernel '" << op.getKernel() << "' is not there";
  FailureOr<DictionaryAttr> meta = evaluateMeta(op);
  if (failed(meta))
    return failure();
  tile::ConfigAttr config = tile::getConfig(kernel, *meta);
  FailureOr<SmallVector<int64_t>> grid = evaluateGrid(op, config);
  if (failed(grid))
    return failure();
  ++run.launches;
  if (llvm::is_contained(*grid, 0))
    return success();
  FailureOr<OwningOpRef<func::FuncOp>> instance = tile::cloneInstance(kernel, config);
  if (failed(instance))
    return failure();
  SmallVector<HostValue> arguments = valuesOf(op.getArguments());
  FailureOr<KernelRun> launched = runKernel(**instance, arguments, *grid, options);
  if (failed(launched))
    return failure();
  llvm::append_range(run.findings, launched->findings);
  return success();
}

LogicalResult HostRunner::runApply(host::ApplyOp op) {
  SmallVector<HostValue> arguments = valuesOf(op.getArguments());
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
    SmallVector<HostValue> arguments = valuesOf(program.getArguments());
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

} // namespace nereid::interpreter
