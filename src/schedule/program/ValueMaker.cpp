// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/ValueMaker.h"

#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

unsigned orderBefore(const Program &program, const Value &fold) {
  unsigned order = fold.order - placesBefore;
  for (const Value &value : program.values)
    if (value.order < fold.order)
      order = std::max(order, value.order);
  return order + 1;
}

static graph::TensorType scalarOf(Type element) {
  return graph::TensorType::get(element.getContext(), llvm::ArrayRef<Expr>(), element);
}

static OpBuilder builderOf(Program &program, MLIRContext *context) {
  if (!program.made)
    program.made = std::make_unique<Block>();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(program.made.get());
  return builder;
}

Value &ValueMaker::add(ValueKind kind, Type type) {
  Value &value = program.values.emplace_back(kind, fold.name, fold.loc, type);
  value.shape = shape;
  value.unit = fold.unit;
  value.order = orderBefore(program, fold);
  value.isInlineOnly = isInlineOnly;
  return value;
}

Access ValueMaker::elementOf(Value &value) const {
  Access access{&value, {}, {}};
  for (unsigned i = 0; i < shape.size(); ++i)
    access.at.push_back(program.getIndex(i));
  return access;
}

Access ValueMaker::make(llvm::StringRef name, Type type, llvm::ArrayRef<Access> operands) {
  Location nowhere = UnknownLoc::get(type.getContext());
  OpBuilder builder = builderOf(program, type.getContext());
  OperationState state(nowhere, name);
  for (const Access &operand : operands)
    state.operands.push_back(
        program.made->addArgument(scalarOf(operand.from->elementType), nowhere));
  state.types.push_back(scalarOf(type));
  Value &value = add(ValueKind::Map, type);
  value.op = builder.create(state);
  value.inputs.assign(operands.begin(), operands.end());
  return elementOf(value);
}

Access ValueMaker::number(double number) {
  OpBuilder builder = builderOf(program, fold.elementType.getContext());
  Value &value =
      program.values.emplace_back(ValueKind::Constant, "number", fold.loc, fold.elementType);
  value.op = graph::ConstantOp::create(builder, fold.loc, scalarOf(fold.elementType),
                                       builder.getF64FloatAttr(number));
  value.order = orderBefore(program, fold);
  return {&value, {}, {}};
}

Access ValueMaker::makeFold(graph::FoldKind kind, const Access &input, llvm::ArrayRef<Expr> over) {
  Type type = input.from->elementType;
  Location nowhere = UnknownLoc::get(type.getContext());
  OpBuilder builder = builderOf(program, type.getContext());
  llvm::SmallVector<Expr, 4> sizes(over);
  llvm::SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < over.size(); ++dim)
    dims.push_back(int64_t(dim));
  auto elements = graph::TensorType::get(type.getContext(), sizes, type);
  Value &value = add(ValueKind::Fold, type);
  value.op = graph::FoldOp::create(builder, nowhere, scalarOf(type), kind,
                                   program.made->addArgument(elements, nowhere), dims);
  value.foldExtents.assign(over.begin(), over.end());
  llvm::SmallVector<Expr, 4> at;
  for (unsigned i = 0; i < shape.size(); ++i)
    at.push_back(program.getIndex(i));
  for (unsigned i = 0; i < over.size(); ++i)
    at.push_back(program.getFoldIndex(i));
  value.inputs.push_back(compose(input, at, program));
  return elementOf(value);
}

} // namespace nereid::schedule
