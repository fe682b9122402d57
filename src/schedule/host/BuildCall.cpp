// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are left to PyTorch: a wall between kernels. What they take is stored whole, or is
// a view of what is; what they give is memory that kernels load from.
#include "schedule/host/HostBuilder.h"
#include "schedule/kernel/KernelScope.h"
#include "schedule/program/ProgramBuilder.h"
#include "schedule/program/ResultLayout.h"
#include "support/Placeholders.h"

using namespace mlir;

namespace nereid::schedule {

/// Whether PyTorch can be given an access as a view, whatever the strides of what it views are.
static bool isPlainView(const Access &access, size_t rank, const Program &program) {
  bool isStored = access.from->kind == ValueKind::Input || !access.from->isFree();
  if (!isStored || access.isCopied || !access.loaded.empty() || access.from->isInlineOnly ||
      access.from->loop >= 0)
    return false;
  llvm::SmallVector<Expr, 4> strides;
  for (unsigned dim = 0; dim < access.from->shape.size(); ++dim)
    strides.push_back(program.context->symbol("$s" + std::to_string(dim)));
  auto found = asStridedView(access.at, rank, strides, program);
  auto isNegative = [](const index::Term &term) { return term.coefficient < 0; };
  return found && llvm::none_of(found->strides, [&](Expr stride) {
           return llvm::any_of(stride.getTerms(), isNegative);
         });
}

Access ProgramBuilder::callOperand(mlir::Value tensor, Location loc, bool isNumber) {
  Access view = viewOf(tensor);
  if (isNumber || isPlainView(view, typeOf(tensor).getRank(), program))
    return view;
  ++unit;
  Value *copy = copyOf(tensor, loc, nameOf(loc, "given"));
  return {copy, identity(copy->shape.size()), {}};
}

LogicalResult ProgramBuilder::visitCall(graph::CallOp op) {
  if (lead)
    return op.emitOpError("'") << op.getCallee() << "' is left to PyTorch in a loop that is kept, "
                               << "which is not supported yet";
  llvm::SmallBitVector numbers(op.getInputs().size());
  for (Attribute text : op.getSpelling())
    (void)fillPlaceholders(cast<StringAttr>(text).getValue(),
                           [&](Placeholder found) -> std::string {
                             if (found.isNumber)
                               numbers.set(found.place);
                             return "";
                           });
  llvm::SmallVector<Access, 2> operands;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    bool isNumber = number < numbers.size() && numbers.test(number);
    operands.push_back(callOperand(operand, op.getLoc(), isNumber));
    ValueKind kind = operands.back().from->kind;
    if (isNumber && kind != ValueKind::Size && kind != ValueKind::Scalar)
      return op.emitOpError("'") << op.getCallee() << "' is left to PyTorch with a number that is "
                                 << "computed while the program runs";
  }
  ++unit;
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    Value *value = create(ValueKind::Call, op, result);
    if (!value->isNamed)
      value->name = op.getCallee().rsplit('.').second.str();
    value->dim = number;
    value->inputs = operands;
    define(result, value);
  }
  return success();
}

/// What PyTorch takes: a tensor, a view of it, or a number.
mlir::Value HostBuilder::callOperand(const Access &access, llvm::ArrayRef<Expr> sizes,
                                     Location loc) {
  const Value &from = *access.from;
  if (from.kind == ValueKind::Scalar)
    return tensors.at(&from);
  if (from.kind == ValueKind::Size)
    return host::SizeOp::create(builder, loc, builder.getI64Type(), hostExpr(from.size));
  mlir::Value tensor = tensors.at(&from);
  bool isWhole = access.at.size() == sizes.size() && llvm::equal(from.shape, sizes);
  for (unsigned dim = 0; isWhole && dim < sizes.size(); ++dim)
    isWhole = access.at[dim] == program.getIndex(dim);
  if (isWhole)
    return tensor;
  auto view = asStridedView(access.at, sizes.size(), strides.find(&from)->second, program);
  assert(view && "an operand of a call is no view");
  return host::ViewOp::create(builder, loc, hostType(sizes, from.elementType, view->strides),
                              tensor, hostExpr(view->offset));
}

llvm::SmallVector<Expr, 4> HostBuilder::inwardSizes(mlir::Value tensor) const {
  llvm::SmallVector<Expr, 4> sizes;
  for (Expr size : typeOf(tensor).getSizes())
    sizes.push_back(program.sizeForms.inward(size));
  return sizes;
}

/// All results of the operator that one of them is of.
llvm::SmallVector<const Value *> HostBuilder::resultsOf(const Value &value) const {
  llvm::SmallVector<const Value *> results(value.op->getNumResults());
  for (const Value &each : program.values)
    if (each.kind == ValueKind::Call && each.op == value.op)
      results[each.dim] = &each;
  return results;
}

llvm::SmallVector<Type> HostBuilder::rowMajorTypes(llvm::ArrayRef<const Value *> values) {
  llvm::SmallVector<Type> types;
  for (const Value *value : values)
    types.push_back(hostType(value->shape, value->elementType, rowMajor(value->shape)));
  return types;
}

void HostBuilder::bindResults(llvm::ArrayRef<const Value *> results, ValueRange made) {
  for (auto [result, tensor] : llvm::zip_equal(results, made)) {
    tensors[result] = tensor;
    strides[result] = rowMajor(result->shape);
  }
}

LogicalResult HostBuilder::launchCall(const Kernel &kernel) {
  const Value &value = *kernel.outputs.front().value;
  // All results of a call come with the first.
  if (tensors.contains(&value))
    return success();
  if (auto apply = dyn_cast<graph::ApplyOp>(value.op))
    return launchApply(apply, value);
  if (auto loop = dyn_cast<graph::LoopOp>(value.op))
    return launchLoop(loop, value);
  auto op = cast<graph::CallOp>(value.op);
  Location loc = plainLoc(value.loc);
  llvm::SmallVector<mlir::Value> operands;
  for (auto [access, operand] : llvm::zip_equal(value.inputs, op->getOperands()))
    operands.push_back(callOperand(access, inwardSizes(operand), loc));
  llvm::SmallVector<const Value *> results = resultsOf(value);
  llvm::SmallVector<Type> types = rowMajorTypes(results);
  unsigned given = op.getInputs().size();
  Location named = types.size() == 1 ? nameLoc(value.name, value.loc) : loc;
  auto call =
      host::CallOp::create(builder, named, types, op.getCallee(), op.getSpelling(),
                           ValueRange(operands).take_front(given),
                           ValueRange(operands).drop_front(given), op.getOfAttr(), op.getToAttr());
  bindResults(results, call.getResults());
  return success();
}

} // namespace nereid::schedule
