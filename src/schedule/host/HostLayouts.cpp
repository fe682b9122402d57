// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a host program: strides of results, parts of others, and what is allocated.
#include "schedule/host/HostBuilder.h"

#include "graph/transforms/ScatterLowering.h"
#include "schedule/kernel/KernelScope.h"
#include "schedule/program/ResultLayout.h"
#include "sym/SymDialect.h"

using namespace mlir;

namespace nereid::schedule {

/// The tensors that decide a result's strides, as views along its axes.
llvm::SmallVector<mlir::Value> HostBuilder::likeOperands(const Value &value) {
  MLIRContext *mlir = module.getContext();
  llvm::SmallVector<mlir::Value> operands;
  for (const LayoutOperand &operand : findLayoutOperands(program, value)) {
    mlir::Value tensor = tensors.at(operand.input);
    if (operand.isBroadcast(value, program)) {
      operands.push_back(tensor);
      continue;
    }
    auto along = stridesAlong(operand, value, strides.find(operand.input)->second, program);
    // What is no strided view is a row-major copy, and decides the rest.
    if (!along)
      break;
    auto type = hostType(value.shape, operand.input->elementType, *along);
    operands.push_back(host::ViewOp::create(builder, plainLoc(value.loc), type, tensor,
                                            sym::ExprAttr::get(mlir, context.constant(0))));
  }
  return operands;
}

/// The strides of a result where all inputs are row-major.
llvm::SmallVector<Expr, 4> HostBuilder::denseStrides(const Value &value) {
  for (const LayoutOperand &operand : findLayoutOperands(program, value)) {
    if (auto order = operand.permutation(value, program)) {
      llvm::SmallVector<Expr, 4> own, input = rowMajor(operand.input->shape);
      for (unsigned axis : *order)
        own.push_back(input[axis]);
      return own;
    }
    if (!operand.isBroadcast(value, program))
      break;
  }
  return rowMajor(value.shape);
}

llvm::SmallVector<Expr, 4> HostBuilder::freshStrides(const Value &value) {
  llvm::SmallVector<Expr, 4> own;
  for (unsigned dim = 0; dim < value.shape.size(); ++dim) {
    std::string name = "stride_" + value.name + "_" + std::to_string(dim);
    for (unsigned number = 2; bound.contains(context.symbol(name)); ++number)
      name = "stride_" + value.name + std::to_string(number) + "_" + std::to_string(dim);
    own.push_back(context.symbol(name));
    bound.insert(own.back());
  }
  return own;
}

/// An argument, or the part of it that a value is assigned to.
mlir::Value HostBuilder::partOf(const Value &argument, mlir::Value tensor,
                                llvm::ArrayRef<Expr> argumentStrides, const Value &value,
                                llvm::ArrayRef<Expr> starts) {
  if (starts.empty())
    return tensor;
  Expr offset = context.constant(0);
  for (auto [start, stride] : llvm::zip_equal(starts, argumentStrides))
    offset = offset + start * stride;
  auto type = hostType(value.shape, value.elementType, argumentStrides);
  auto view = host::ViewOp::create(builder, nameLoc(argument.name + "_part", value.loc), type,
                                   tensor, hostExpr(offset));
  llvm::SmallVector<Attribute> parts;
  for (Expr start : starts)
    parts.push_back(hostExpr(start));
  view->setAttr(host::startsAttrName, builder.getArrayAttr(parts));
  return view;
}

/// The strides of a part in the memory of what it is a part of.
llvm::SmallVector<Expr, 4> HostBuilder::stridesWithin(const Value &part,
                                                      llvm::ArrayRef<Expr> ofWhole) {
  llvm::SmallVector<Expr, 4> own(part.shape.size(), context.constant(0));
  for (auto [stride, place] : llvm::zip_equal(ofWhole, part.joinPlaces))
    for (unsigned dim = 0; dim < part.shape.size(); ++dim)
      if (auto linear = index::asLinearIn(place, program.getIndex(dim)))
        own[dim] = own[dim] + stride * linear->coefficient;
  return own;
}

/// Has a part stored at its places in the memory of what it is a part of.
void HostBuilder::placeInJoin(const Value &part, Arguments arguments) {
  const Value &whole = *part.join;
  if (!tensors.contains(&whole))
    allocate(whole, arguments);
  auto ofWhole = cast<host::TensorType>(tensors.at(&whole).getType());
  llvm::SmallVector<Expr, 4> sizes, steps;
  llvm::SmallVector<Attribute> starts;
  Expr offset = context.constant(0);
  for (auto [stride, place] : llvm::zip_equal(strides.at(&whole), part.joinPlaces)) {
    // Of several digits the last one has the step.
    Expr start = place, size = context.constant(1), step = size;
    for (unsigned dim = 0; dim < part.shape.size(); ++dim)
      if (index::contains(place, program.getIndex(dim))) {
        step = index::asLinearIn(place, program.getIndex(dim))->coefficient;
        start = start - program.getIndex(dim) * step;
        size = size * part.shape[dim];
      }
    offset = offset + stride * start;
    starts.push_back(hostExpr(start));
    sizes.push_back(program.sizeForms.outward(size));
    // To the letter those of the whole, where it is row-major.
    steps.push_back(ofWhole.getStrides()[steps.size()] * program.sizeForms.outward(step));
  }
  auto type = host::TensorType::get(module.getContext(), sizes, part.elementType, steps);
  auto view = host::ViewOp::create(builder, nameLoc(whole.name + "_part", part.loc), type,
                                   tensors.at(&whole), hostExpr(offset));
  view->setAttr(host::startsAttrName, builder.getArrayAttr(starts));
  tensors[&part] = view;
  strides[&part] = stridesWithin(part, strides.at(&whole));
}

void HostBuilder::allocate(const Value &value, Arguments arguments) {
  if (value.join)
    return placeInJoin(value, arguments);
  if (value.memory) {
    llvm::SmallVector<Expr, 4> own = strides.at(value.memory);
    mlir::Value memory =
        partOf(*value.memory, tensors.at(value.memory), own, value, value.memoryStarts);
    tensors[&value] = memory;
    strides[&value] = own;
    return;
  }
  llvm::SmallVector<Expr, 4> own = rowMajor(value.shape);
  llvm::SmallVector<mlir::Value> like;
  bool isShown = isReturned(value) && !isFunction();
  if (isShown && arguments != Arguments::AsGiven)
    own = denseStrides(value);
  else if (isShown)
    like = likeOperands(value);
  if (!like.empty())
    own = freshStrides(value);
  auto type = hostType(value.shape, value.elementType, own);
  if (value.kind == ValueKind::Scatter) {
    // Atomics combine with what is there: at first the fold of nothing.
    Location loc = nameLoc(value.name, value.loc);
    TypedAttr none =
        graph::neutralElement(cast<graph::ScatterOp>(value.op).getKind(), value.elementType);
    auto number = arith::ConstantOp::create(builder, loc, none);
    tensors[&value] = host::FullOp::create(builder, loc, type, number);
    strides[&value] = own;
    return;
  }
  auto empty = host::EmptyOp::create(builder, nameLoc(value.name, value.loc), type, like);
  if (value.isHalfByPrecision) {
    llvm::SmallVector<Attribute> rows;
    for (Expr row : value.halfRows)
      rows.push_back(hostExpr(row));
    empty->setAttr(host::byPrecisionAttrName, builder.getArrayAttr(rows));
  }
  tensors[&value] = empty;
  strides[&value] = own;
}

/// Whether a result has strides that follow from those of inputs, and a caller who sees them: what
/// is saved for a gradient, and a gradient, may be dense.
bool HostBuilder::isLaidOut(const Result &result) const {
  if (result.assignedArgument >= 0 || program.func->hasAttr("graph.gradient_of") ||
      findLayoutOperands(program, *result.value).empty())
    return false;
  return !isSavedAlone(result);
}

void HostBuilder::layOut(llvm::MutableArrayRef<mlir::Value> results) {
  Location loc = func.getLoc();
  strides = argumentStrides;
  llvm::SmallVector<mlir::Value *> shown;
  llvm::SmallVector<mlir::Value> kept, copies;
  llvm::SetVector<mlir::Value> inputs;
  OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
  auto otherwise = std::make_unique<Block>();
  builder.setInsertionPointToEnd(otherwise.get());
  auto *next = results.begin();
  for (const Result &result : program.results) {
    const Value &value = *result.value;
    if (value.memory)
      continue;
    mlir::Value &made = *next++;
    llvm::SmallVector<mlir::Value> like;
    if (isLaidOut(result))
      like = likeOperands(value);
    if (like.empty())
      continue;
    auto type = hostType(value.shape, value.elementType, freshStrides(value));
    shown.push_back(&made);
    kept.push_back(made);
    copies.push_back(
        host::CopyLikeOp::create(builder, nameLoc(value.name, value.loc), type, made, like));
    for (const LayoutOperand &operand : findLayoutOperands(program, value))
      inputs.insert(tensors.at(operand.input));
  }
  builder.restoreInsertionPoint(outside);
  if (shown.empty())
    return;
  auto condition =
      host::IsContiguousOp::create(builder, loc, builder.getI1Type(), inputs.getArrayRef());
  auto choice = host::IfOp::create(builder, loc, ValueRange(copies).getTypes(), condition);
  OpBuilder then = OpBuilder::atBlockEnd(&choice.getThen().emplaceBlock());
  host::YieldOp::create(then, loc, kept);
  choice.getOtherwise().push_back(otherwise.release());
  OpBuilder inner = OpBuilder::atBlockEnd(&choice.getOtherwise().front());
  host::YieldOp::create(inner, loc, copies);
  for (auto [result, laidOut] : llvm::zip_equal(shown, choice.getResults()))
    *result = laidOut;
}

} // namespace nereid::schedule
