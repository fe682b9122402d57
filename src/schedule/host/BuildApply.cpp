// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the graph: like what is left to PyTorch a wall between kernels, but what they take
// is row-major, so that a function has kernels for such tensors alone.
#include "schedule/host/HostBuilder.h"
#include "schedule/kernel/KernelScope.h"
#include "schedule/program/ProgramBuilder.h"
#include "schedule/program/ResultLayout.h"

using namespace mlir;

namespace nereid::schedule {

/// A whole tensor, a part of one that is row-major where that is, or a copy.
Access ProgramBuilder::rowMajorOperand(mlir::Value tensor, Location loc) {
  Access view = viewOf(tensor);
  const Value &from = *view.from;
  bool isStored = from.kind == ValueKind::Input || (!from.isFree() && !from.isInlineOnly);
  llvm::SmallVector<Expr, 4> sizes = sizesOf(tensor);
  if (isStored && from.loop < 0 && !view.isCopied && view.loaded.empty()) {
    if (from.shape == sizes && view.at == identity(sizes.size()))
      return view;
    auto strides = host::getRowMajorStrides(from.shape, context);
    auto part = asStridedView(view.at, sizes.size(), strides, program);
    if (from.kind != ValueKind::Input && part &&
        llvm::ArrayRef<Expr>(part->strides) ==
            llvm::ArrayRef<Expr>(host::getRowMajorStrides(sizes, context)))
      return view;
  }
  ++unit;
  Value *copy = copyOf(tensor, loc, nameOf(loc, "given"));
  return {copy, identity(copy->shape.size()), {}};
}

LogicalResult ProgramBuilder::visitApply(graph::ApplyOp op) {
  if (lead)
    return op.emitOpError("stands in a loop that one kernel makes, where it cannot be scheduled");
  llvm::SmallVector<Access, 2> operands;
  for (mlir::Value operand : op.getOperands()) {
    Access view = viewOf(operand);
    bool isNumber = view.from->kind == ValueKind::Size || view.from->kind == ValueKind::Scalar;
    operands.push_back(isNumber ? view : rowMajorOperand(operand, op.getLoc()));
  }
  ++unit;
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    Value *value = create(ValueKind::Call, op, result);
    if (!value->isNamed)
      value->name = op.getCallee().str();
    value->dim = number;
    value->inputs = operands;
    define(result, value);
  }
  return success();
}

/// What a function takes: a number, or a tensor that is made row-major unless it is.
mlir::Value HostBuilder::applyOperand(const Access &access, llvm::ArrayRef<Expr> sizes,
                                      Location loc) {
  mlir::Value given = callOperand(access, sizes, loc);
  auto type = dyn_cast<host::TensorType>(given.getType());
  if (!type || host::hasRowMajorStrides(type))
    return given;
  auto dense = hostType(sizes, access.from->elementType, rowMajor(sizes));
  return host::ContiguousOp::create(builder, loc, dense, given);
}

LogicalResult HostBuilder::launchApply(graph::ApplyOp op, const Value &value) {
  Location loc = plainLoc(value.loc);
  llvm::SmallVector<mlir::Value> operands;
  for (auto [access, operand] : llvm::zip_equal(value.inputs, op.getOperands()))
    operands.push_back(applyOperand(access, inwardSizes(operand), loc));
  llvm::SmallVector<const Value *> results = resultsOf(value);
  llvm::SmallVector<Type> types = rowMajorTypes(results);
  Location named = types.size() == 1 ? nameLoc(value.name, value.loc) : loc;
  auto apply = host::ApplyOp::create(builder, named, types, op.getCallee(), operands);
  bindResults(results, apply.getResults());
  return success();
}

} // namespace nereid::schedule
