// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LaunchContract.h"

#include "sym/SymDialect.h"
#include "tile/Instance.h"

using namespace mlir;

namespace nereid::analysis {

static void assumeSizes(index::Facts &facts, ArrayRef<index::Expr> exprs) {
  for (index::Expr expr : exprs)
    index::forEachSymbol(expr, [&](index::Expr symbol) { facts.assume(index::ge(symbol, 0)); });
  for (index::Expr expr : exprs)
    facts.assume(index::ge(expr, 0));
}

static void assumeTensor(index::Facts &facts, Value value) {
  if (auto tensor = dyn_cast<host::TensorType>(value.getType())) {
    assumeSizes(facts, tensor.getSizes());
    assumeSizes(facts, tensor.getStrides());
  }
}

/// Adds what holds when control is at `op`: checks before it, and the arms it lies in.
static void assumePath(index::Facts &facts, Operation *op) {
  for (Operation *inner = op; inner && !isa<func::FuncOp>(inner); inner = inner->getParentOp()) {
    for (Operation &before : *inner->getBlock()) {
      if (&before == inner)
        break;
      if (auto check = dyn_cast<host::CheckOp>(before))
        facts.assume(check.getPred().getPred());
    }
    auto choice = dyn_cast_or_null<host::IfOp>(inner->getParentOp());
    if (!choice)
      continue;
    auto condition = choice.getCondition().getDefiningOp<host::CondOp>();
    if (!condition)
      continue;
    index::Pred pred = condition.getPred().getPred();
    bool isThen = inner->getParentRegion() == &choice.getThen();
    facts.assume(isThen ? pred : index::notOf(pred));
  }
}

static void readMeta(LaunchContract &contract, DictionaryAttr values) {
  index::Context &context = contract.getContext();
  for (NamedAttribute entry : values) {
    index::Expr name = context.symbol(entry.getName().getValue());
    if (auto expr = dyn_cast<sym::ExprAttr>(entry.getValue()))
      contract.meta[name] = expr.getExpr();
    else if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      contract.meta[name] = context.constant(number.getInt());
  }
}

/// Puts the axes of a dense tensor in the order of its strides: only the memory matters to a proof,
/// not which axis is called the first.
static void orderAxes(ArgumentContract &tensor, index::Context &context) {
  SmallVector<index::Expr> sizes, strides;
  SmallVector<bool> used(tensor.sizes.size());
  index::Expr stride = context.constant(1);
  for (size_t turn = 0; turn < used.size(); ++turn) {
    std::optional<size_t> next;
    for (size_t axis = used.size(); axis-- > 0 && !next;)
      if (!used[axis] && tensor.strides[axis] == stride)
        next = axis;
    if (!next)
      return;
    used[*next] = true;
    sizes.insert(sizes.begin(), tensor.sizes[*next]);
    strides.insert(strides.begin(), stride);
    stride = stride * tensor.sizes[*next];
  }
  tensor.sizes = sizes;
  tensor.strides = strides;
}

/// The tensor whose memory a value shows.
static Value rootOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<host::ViewOp, host::AsContiguousOp, host::ContiguousOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static ArgumentContract argumentOf(Value value, index::Context &context) {
  ArgumentContract result;
  if (auto tensor = dyn_cast<host::TensorType>(value.getType())) {
    result.isTensor = true;
    result.memory = rootOf(value).getAsOpaquePointer();
    result.isInjective = isa_and_nonnull<host::EmptyOp, host::FullOp>(value.getDefiningOp());
    result.sizes.assign(tensor.getSizes().begin(), tensor.getSizes().end());
    result.strides.assign(tensor.getStrides().begin(), tensor.getStrides().end());
    orderAxes(result, context);
  } else if (auto size = value.getDefiningOp<host::SizeOp>()) {
    result.value = size.getExpr().getExpr();
  } else if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      result.value = context.constant(number.getInt());
  }
  return result;
}

LaunchContract contractOf(host::LaunchOp launch, tile::ConfigAttr config) {
  LaunchContract contract(sym::SymDialect::getIndexContext(launch.getContext()));
  if (auto function = launch->getParentOfType<func::FuncOp>()) {
    for (Value argument : function.getArguments())
      assumeTensor(contract.facts, argument);
    if (auto given = function->getAttrOfType<sym::PredAttr>("host.given"))
      contract.facts.assume(given.getPred());
  }
  auto module = launch->getParentOfType<ModuleOp>();
  auto kernel = module ? module.lookupSymbol<func::FuncOp>(launch.getKernel()) : func::FuncOp();
  if (!config && kernel)
    config = tile::getConfig(kernel, DictionaryAttr::get(launch.getContext()));
  if (config)
    readMeta(contract, config.getValues());
  readMeta(contract, launch.getMeta());
  for (Value argument : launch.getArguments()) {
    assumeTensor(contract.facts, argument);
    contract.arguments.push_back(argumentOf(argument, contract.getContext()));
  }
  for (Attribute extent : launch.getGrid())
    contract.grid.push_back(
        index::substitute(cast<sym::ExprAttr>(extent).getExpr(), contract.meta));
  assumePath(contract.facts, launch);
  return contract;
}

} // namespace nereid::analysis
