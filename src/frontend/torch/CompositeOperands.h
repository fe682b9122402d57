// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors among the arguments of a composite, replaced by block arguments in its body or in its
// gradient.
#pragma once

#include "frontend/torch/TorchLibrary.h"

namespace nereid::torch {

/// Whether one of the tensors of an argument is of float64.
inline bool isWide(PyValue value) {
  if (auto *tensor = llvm::dyn_cast<TensorValue>(value))
    return !tensor->isNumber && tensor->dtype == DType::F64;
  if (auto *list = llvm::dyn_cast<machine::ListObject>(value))
    return llvm::any_of(list->items, isWide);
  if (auto *tuple = llvm::dyn_cast<machine::TupleObject>(value))
    return llvm::any_of(tuple->items, isWide);
  return false;
}

class Operands {
public:
  /// Tensors are read `outside` of the block: a view whose tensor was written to is made anew
  /// there. `isWide`: one of the tensors is of float64, and so are integers beside it.
  Operands(TorchLibrary &t, mlir::Block &block, mlir::OpBuilder::InsertPoint outside,
           StringRef dtypes, bool isWide = false)
      : t(t), block(block), outside(outside),
        floats(dtypes == "float" || dtypes.starts_with("promote")), keeps(dtypes == "own"),
        widest(isWide ? DType::F64 : DType::F32) {}
  ~Operands() {
    for (mlir::BlockArgument argument : block.getArguments())
      t.operandValues.erase(argument);
  }

  /// Whether the body wrote to a tensor that it was given.
  bool areWritten() const {
    return llvm::any_of(llvm::enumerate(inner), [&](auto each) {
      return each.value()->storage->value != each.value()->storage->first;
    });
  }

  llvm::SmallVector<TensorValue *> outer, inner;
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<Typed> types;

  /// Live numbers stay: they have a value wherever they are read.
  PyValue replace(PyValue value) {
    if (TorchLibrary::isLive(value))
      return value;
    if (auto *tensor = llvm::dyn_cast<TensorValue>(value))
      return replaceTensor(tensor);
    auto *tuple = llvm::dyn_cast<machine::TupleObject>(value);
    auto *list = llvm::dyn_cast<machine::ListObject>(value);
    if (!tuple && !list)
      return value;
    llvm::SmallVector<PyValue> items;
    for (PyValue item : tuple ? tuple->items : ArrayRef<PyValue>(list->items))
      items.push_back(replace(item));
    if (tuple)
      return t.machine->makeTuple(items);
    return t.machine->makeList(items);
  }

private:
  TorchLibrary &t;
  mlir::Block &block;
  mlir::OpBuilder::InsertPoint outside;
  bool floats; // integers become floats of the widest type
  bool keeps;  // types stay
  DType widest;

  mlir::Value readOutside(TensorValue *tensor) {
    mlir::OpBuilder::InsertionGuard guard(t.writer.builder);
    t.writer.builder.restoreInsertionPoint(outside);
    return t.read(tensor);
  }

  PyValue replaceTensor(TensorValue *tensor) {
    auto known = llvm::find(outer, tensor);
    if (known != outer.end())
      return inner[known - outer.begin()];
    mlir::Value value = readOutside(tensor);
    mlir::BlockArgument argument = block.addArgument(value.getType(), t.writer.place);
    t.operandValues[argument] = value;
    outer.push_back(tensor);
    values.push_back(value);
    if (!tensor->isNumber)
      types.push_back({tensor->dtype, t.rankOf(tensor) ? Rank::Dimensions : Rank::Zero});
    DType used = keeps                               ? tensor->dtype
                 : floats && !isFloat(tensor->dtype) ? widest
                                                     : computeType(tensor->dtype);
    mlir::Value inside = tensor->isNumber ? argument : t.writer.cast(argument, used);
    inner.push_back(tensor->isNumber ? t.wrapNumber(inside) : t.wrap(inside));
    return inner.back();
  }
};

/// The results of a composite: one tensor, or a tuple of tensors (perhaps with names).
inline llvm::SmallVector<TensorValue *> resultsOf(PyValue value) {
  llvm::SmallVector<TensorValue *> results;
  if (auto *tensor = llvm::dyn_cast<TensorValue>(value))
    results.push_back(tensor);
  else if (auto *tuple = llvm::dyn_cast<machine::TupleObject>(value))
    for (PyValue item : tuple->items)
      if (auto *tensor = llvm::dyn_cast<TensorValue>(item))
        results.push_back(tensor);
  return results;
}

/// `value` with its tensors replaced in order.
inline PyValue withTensors(TorchLibrary &t, PyValue value, ArrayRef<TensorValue *> tensors) {
  auto *tuple = llvm::dyn_cast<machine::TupleObject>(value);
  if (!tuple)
    return tensors.empty() ? value : tensors.front();
  llvm::SmallVector<PyValue> items;
  for (PyValue item : tuple->items) {
    bool isTensor = llvm::isa<TensorValue>(item);
    items.push_back(isTensor ? tensors.front() : item);
    tensors = tensors.drop_front(isTensor);
  }
  PyValue plain = t.machine->makeTuple(items);
  bool named = tuple->cls != t.machine->builtinClass("tuple");
  return named ? t.machine->call(tuple->cls, {plain}) : plain;
}

} // namespace nereid::torch
