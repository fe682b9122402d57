// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors as views of storages: reading goes through the steps of a view, and a write through a
// view makes a new value of the whole storage, in which the view's places have what is written.
#include "frontend/torch/LoopReader.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

Storage *TorchLibrary::makeStorage(mlir::Value value) {
  storages.push_back(
      std::make_unique<Storage>(Storage{value, value, storages.size(), 0, !isDrawing()}));
  return storages.back().get();
}

TensorValue *TorchLibrary::wrap(mlir::Value value) {
  if (!recording)
    value = detached(value);
  return machine->make<TensorValue>(*this, tensorClass, makeStorage(value), writer.dtype(value));
}

TensorValue *TorchLibrary::wrapNumber(mlir::Value value) {
  DType dtype = writer.dtype(value);
  StringRef name = isFloat(dtype) ? "float" : dtype == DType::Bool ? "bool" : "int";
  auto *number =
      machine->make<TensorValue>(*this, machine->builtinClass(name), makeStorage(value), dtype);
  number->isNumber = true;
  return number;
}

TensorValue *TorchLibrary::parameterOf(TensorValue *tensor) {
  auto *parameter =
      machine->make<TensorValue>(*this, parameterClass, tensor->storage, tensor->dtype);
  parameter->steps = tensor->steps;
  return parameter;
}

mlir::Value TorchLibrary::applySteps(mlir::Value value, ArrayRef<ViewStep> steps) {
  for (const ViewStep &step : steps)
    value = applyStep(value, step);
  return value;
}

mlir::Value TorchLibrary::read(TensorValue *tensor) {
  if (!settle(sharing.seenBy(tensor))) {
    machine->report(diagnostics);
    reported = true;
  }
  return valueOf(tensor);
}

/// Of an argument, after others were written to.
void TorchLibrary::noteUse(const Storage &storage) {
  if (storage.isArgument)
    writtenBefore[&storage] = writtenArguments.size();
}

mlir::Value TorchLibrary::valueOf(TensorValue *tensor) {
  if (tensor->origin)
    return liveValue(*tensor, DType::F64);
  noteUse(*tensor->storage);
  if (tensor->storage->rows)
    return LoopReader::readRows(tensor);
  if (tensor->steps.empty())
    return tensor->storage->value;
  if (History *history = historyOf(*tensor))
    return readHistory(*tensor, *history);
  // What is read in the body of a loop is not there after it.
  if (loopReader && (!tensor->view || tensor->viewVersion != tensor->storage->version))
    return applySteps(tensor->storage->value, tensor->steps);
  if (!tensor->view || tensor->viewVersion != tensor->storage->version) {
    tensor->view = applySteps(tensor->storage->value, tensor->steps);
    tensor->viewVersion = tensor->storage->version;
  }
  return tensor->view;
}

TensorValue *TorchLibrary::view(TensorValue *tensor, ViewStep step) {
  if (step.kind == ViewStep::Detach) {
    step.history = ++historyCount;
  } else if (gradients && !recording) {
    ViewStep detach(ViewStep::Detach);
    detach.dim = ViewStep::ByMode;
    tensor = view(tensor, detach);
  }
  mlir::Value value = applyStep(read(tensor), step);
  auto *result = machine->make<TensorValue>(*this, tensorClass, tensor->storage, tensor->dtype);
  result->steps = tensor->steps;
  result->steps.push_back(std::move(step));
  result->view = value;
  result->viewVersion = tensor->storage->version;
  return result;
}

mlir::Value TorchLibrary::applyStep(mlir::Value value, const ViewStep &step) {
  switch (step.kind) {
  case ViewStep::Transpose:
    return writer.transpose(value, step.axes);
  case ViewStep::Reshape:
    return writer.reshape(value, step.sizes);
  case ViewStep::Slice:
    return writer.slice(value, step.dim, step.start, step.step, step.size);
  case ViewStep::Broadcast:
    return writer.broadcast(value, step.axes, step.sizes);
  case ViewStep::Detach:
    return detached(value);
  case ViewStep::Diagonal:
    return applyDiagonal(value, step);
  case ViewStep::Window:
    return applyWindow(value, step);
  case ViewStep::Pick:
    return takeValue(value, step.dim, step.place);
  }
  llvm_unreachable("covered switch");
}

/// Elements at the places of a slice with steps, zeros between them. It is made of views, so that
/// its gradient is one: the same places of the whole.
static mlir::Value spread(GraphWriter &writer, mlir::Value value, const ViewStep &step,
                          Expr total) {
  index::Context &context = writer.solver.getContext();
  mlir::Value none = writer.zero(writer.dtype(value));
  Expr one = context.constant(1), length = writer.solver.resolve(step.size * step.step);
  Sizes sizes = writer.sizes(value);
  sizes.insert(sizes.begin() + step.dim + 1, one);
  mlir::Value apart = writer.pad(writer.reshape(value, sizes), none, step.dim + 1,
                                 context.constant(0), context.constant(step.step - 1));
  sizes.erase(sizes.begin() + step.dim + 1);
  sizes[step.dim] = length;
  return writer.pad(writer.reshape(apart, sizes), none, step.dim, step.start,
                    writer.solver.resolve(total - step.start - length));
}

/// `base` with `value` in the place of the view that a slice is.
static mlir::Value scatterSlice(GraphWriter &writer, mlir::Value base, const ViewStep &step,
                                mlir::Value value) {
  Sizes sizes = writer.sizes(base);
  Expr total = sizes[step.dim], after = writer.solver.resolve(total - step.start - step.size);
  if (step.step == 1) {
    SmallVector<mlir::Value> parts;
    if (!step.start.isConstant(0))
      parts.push_back(writer.slice(base, step.dim, writer.constantSize(0), 1, step.start));
    parts.push_back(value);
    if (!after.isConstant(0))
      parts.push_back(writer.slice(base, step.dim, step.start + step.size, 1, after));
    mlir::Value joined = writer.concat(parts, step.dim);
    return writer.reshape(joined, sizes);
  }
  auto filled = [&](mlir::Value scalar) { return writer.broadcastTo(scalar, sizes); };
  mlir::Value at = writer.iota(step.dim, sizes, DType::I64);
  mlir::Value offset = writer.pointwise("sub", {at, filled(writer.size(step.start))});
  mlir::Value every = filled(writer.integer(DType::I64, step.step));
  mlir::Value zero = filled(writer.integer(DType::I64, 0));
  mlir::Value hit = writer.test("eq", {writer.pointwise("remainder", {offset, every}), zero});
  mlir::Value end = filled(writer.size(step.start + step.size * step.step));
  mlir::Value inside =
      writer.pointwise("and", {writer.test("ge", {offset, zero}), writer.test("lt", {at, end})});
  return writer.where(writer.pointwise("and", {hit, inside}), spread(writer, value, step, total),
                      base);
}

mlir::Value TorchLibrary::scatterStep(mlir::Value base, const ViewStep &step, mlir::Value value) {
  switch (step.kind) {
  case ViewStep::Transpose: {
    SmallVector<int64_t> inverse(step.axes.size());
    for (auto [axis, from] : enumerate(step.axes))
      inverse[from] = axis;
    return writer.transpose(value, inverse);
  }
  case ViewStep::Reshape:
  case ViewStep::Broadcast:
    return writer.reshape(value, writer.sizes(base));
  case ViewStep::Slice:
    return loopReader && loopReader->moves(step.start)
               ? loopReader->scatterMoving(base, step, value)
               : scatterSlice(writer, base, step, value);
  case ViewStep::Detach:
    return value;
  case ViewStep::Diagonal:
    return scatterDiagonal(base, step, value);
  case ViewStep::Pick:
    return scatterPick(base, step, value);
  case ViewStep::Window:
    break; // write() refuses these
  }
  llvm_unreachable("covered switch");
}

mlir::Value TorchLibrary::scatterSteps(ArrayRef<mlir::Value> bases, ArrayRef<ViewStep> steps,
                                       mlir::Value value) {
  for (size_t index = steps.size(); value && index-- > 0;)
    value = scatterStep(bases[index], steps[index], value);
  return value;
}

bool TorchLibrary::write(TensorValue *tensor, mlir::Value value) {
  bool isUnrecorded = isUnrecordedWrite(tensor);
  if (isUnrecorded && !checkUnrecordedWrite(tensor))
    return false;
  if (tensor->storage->isOuter && isDrawing()) {
    machine->refuse("a write to a tensor that was made before the call and is no argument of it",
                    "make it a buffer of the module, pass it as an argument, or write to a clone");
    return false;
  }
  if (tensor->storage->isLeftTwice) {
    machine->refuse("a write to a tensor that a loop or a branch leaves under several names",
                    "write to a clone, or give what is computed a name of its own");
    return false;
  }
  if (!settle(sharing.seenAfter(tensor, loopReader ? loopReader->countOuterStorages() : 0)))
    return false;
  std::optional<bool> hasHistory = writesHistory(tensor, value);
  if (!hasHistory)
    return false;
  mlir::Value own = value;
  if (!recording || isDetached(*tensor))
    value = detached(value);
  else if (gradients && isFloat(tensor->dtype))
    tensor->storage->isRecorded |= mayHaveGradient(value);
  if (loopReader)
    loopReader->noteWrite(tensor);
  noteUse(*tensor->storage);
  ++tensor->storage->writes;
  if (tensor->storage->isArgument)
    writtenArguments.insert(tensor->storage);
  if (tensor->storage->rows)
    return LoopReader::writeRows(tensor, value);
  SmallVector<mlir::Value> bases{tensor->storage->value};
  for (const ViewStep &step : tensor->steps) {
    bases.push_back(applyStep(bases.back(), step));
    if (step.kind == ViewStep::Window) {
      machine->refuse("a write through the windows of unfold, or a slice that begins at data",
                      "write .clone() before the write, or x[a:b] = x[a:b] + y for x[a:b] += y");
      return false;
    }
    if (step.kind != ViewStep::Broadcast)
      continue;
    Sizes from = writer.sizes(bases[bases.size() - 2]);
    Expr before = index::product(solver.getContext(), from),
         after = index::product(solver.getContext(), step.sizes);
    if (before != after) {
      machine->raise("RuntimeError",
                     "unsupported operation: more than one element of the written-to "
                     "tensor refers to a single memory location",
                     "write .clone() before the write");
      return false;
    }
  }
  if (*hasHistory)
    own = writtenHistory(tensor, bases, own);
  value = scatterSteps(bases, tensor->steps, value);
  if (!value || !own)
    return false;
  if (isUnrecorded && !(value = unrecorded(bases.front(), value)))
    return false;
  tensor->storage->value = value;
  ++tensor->storage->version;
  if (*hasHistory)
    keepHistory(tensor, own);
  return true;
}

PyValue TorchLibrary::storeOut(PyValue out, PyValue result) {
  if (isa<NoneObject>(out) || isa<PoisonValue>(result))
    return result;
  if (isa<TupleObject, ListObject>(out)) {
    auto targets = machine->items(out), values = machine->items(result);
    if (!targets || !values)
      return nullptr;
    if (targets->size() != values->size())
      return machine->raise("TypeError", "out= takes " + Twine(values->size()) + " tensors");
    for (auto [target, value] : zip(*targets, *values))
      if (!(target = storeOut(target, value)))
        return nullptr;
    return machine->makeTuple(*targets);
  }
  auto *target = tensorArg(out, "out=");
  auto *value = dyn_cast<TensorValue>(result);
  if (!target)
    return nullptr;
  if (!value)
    return machine->refuse("out= of several results is not supported",
                           "assign the results instead");
  Sizes own = sizesOf(target), sizes = sizesOf(value);
  bool fits = own.size() == sizes.size();
  for (size_t axis = 0; fits && axis < own.size(); ++axis)
    fits = solver.equate(own[axis], sizes[axis]);
  if (!fits)
    return machine->refuse("out= of other sizes than the result is not supported",
                           "assign the result instead");
  return storeInPlace(target, value);
}

PyValue TorchLibrary::storeInPlace(TensorValue *tensor, PyValue result) {
  if (!result || isa<PoisonValue>(result))
    return result;
  auto *value = dyn_cast<TensorValue>(result);
  if (!value)
    return machine->refuse("this operator has no in-place form");
  if (!canStore(value->dtype, tensor->dtype))
    return machine->raise("RuntimeError", "result type " + getScalarName(value->dtype) +
                                              " can't be cast to the desired output type " +
                                              getScalarName(tensor->dtype));
  std::optional<Sizes> sizes = broadcastSizes({sizesOf(tensor), sizesOf(value)});
  if (!sizes)
    return nullptr;
  Sizes own = sizesOf(tensor);
  if (*sizes != own)
    return machine->raise("RuntimeError",
                          "the result of an in-place operator does not fit the tensor's sizes");
  mlir::Value stored = writer.broadcastTo(writer.cast(read(value), tensor->dtype), own);
  return write(tensor, stored) ? tensor : nullptr;
}

} // namespace nereid::torch
