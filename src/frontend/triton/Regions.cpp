// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/Regions.h"
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;

namespace nereid::triton {

void flatten(PyValue value, SmallVectorImpl<TensorValue *> &tensors) {
  if (auto *tensor = dyn_cast<TensorValue>(value)) {
    tensors.push_back(tensor);
  } else if (auto *pointer = dyn_cast<BlockPointerValue>(value)) {
    tensors.push_back(pointer->base);
    for (auto *part : {&pointer->shape, &pointer->strides, &pointer->offsets})
      tensors.append(part->begin(), part->end());
  } else if (auto items = sequence(value)) {
    for (PyValue item : *items)
      flatten(item, tensors);
  }
}

bool isTritonValue(PyValue value) {
  if (isa<TensorValue, BlockPointerValue>(value))
    return true;
  auto items = sequence(value);
  return items && any_of(*items, isTritonValue);
}

bool sameType(PyValue a, PyValue b) {
  if (a == b)
    return true;
  if (auto *left = dyn_cast<TensorValue>(a)) {
    auto *right = dyn_cast<TensorValue>(b);
    return right && left->type == right->type && left->shape() == right->shape() &&
           left->isBlock() == right->isBlock();
  }
  if (auto *left = dyn_cast<BlockPointerValue>(a)) {
    auto *right = dyn_cast<BlockPointerValue>(b);
    return right && sameType(left->base, right->base) && left->block == right->block &&
           left->isDescriptor == right->isDescriptor && left->padsWithNan == right->padsWithNan;
  }
  auto left = sequence(a), right = sequence(b);
  if (left && right)
    return left->size() == right->size() && all_of(zip(*left, *right), [](auto pair) {
             return sameType(std::get<0>(pair), std::get<1>(pair));
           });
  auto *one = dyn_cast<machine::IntObject>(plain(a)), *two = dyn_cast<machine::IntObject>(plain(b));
  return one && two && one->getKind() == two->getKind() && one->isSmall() && two->isSmall() &&
         one->small == two->small;
}

bool sameTensors(PyValue a, PyValue b) {
  SmallVector<TensorValue *> left, right;
  flatten(a, left);
  flatten(b, right);
  return all_of_zip(left, right,
                    [](TensorValue *x, TensorValue *y) { return x->value == y->value; }) &&
         left.size() == right.size();
}

PyValue rebuild(KernelBuilder &kernel, PyValue value, ArrayRef<TensorValue *> &tensors) {
  auto next = [&] {
    TensorValue *first = tensors.front();
    tensors = tensors.drop_front();
    return first;
  };
  if (isa<TensorValue>(value))
    return next();
  if (auto *pointer = dyn_cast<BlockPointerValue>(value)) {
    BlockPointerValue *result = kernel.library.makeBlockPointer();
    result->base = next();
    result->block = pointer->block;
    result->isDescriptor = pointer->isDescriptor;
    result->cls = pointer->cls;
    result->padsWithNan = pointer->padsWithNan;
    for (auto [from, to] : {std::pair(&pointer->shape, &result->shape),
                            std::pair(&pointer->strides, &result->strides),
                            std::pair(&pointer->offsets, &result->offsets)})
      for (size_t i = 0; i < from->size(); ++i)
        to->push_back(next());
    return result;
  }
  auto items = sequence(value);
  if (!items)
    return value;
  SmallVector<PyValue> parts;
  for (PyValue item : *items)
    parts.push_back(rebuild(kernel, item, tensors));
  return makeLike(kernel.machine, value, parts);
}

bool containsReturn(python::Body body) {
  for (const python::Stmt *stmt : body) {
    if (isa<python::Return>(stmt))
      return true;
    if (auto *branch = dyn_cast<python::If>(stmt))
      if (containsReturn(branch->body) || containsReturn(branch->orelse))
        return true;
    if (auto *loop = dyn_cast<python::For>(stmt))
      if (containsReturn(loop->body))
        return true;
    if (auto *loop = dyn_cast<python::While>(stmt))
      if (containsReturn(loop->body))
        return true;
    if (auto *with = dyn_cast<python::With>(stmt))
      if (containsReturn(with->body))
        return true;
  }
  return false;
}

bool onlyLocals(KernelBuilder &kernel, ArrayRef<machine::Change> changes) {
  for (const machine::Change &change : changes)
    if (change.kind != machine::Change::Local) {
      kernel.fail("`" + change.describe(kernel.machine) +
                  "` changes under a condition that is only known when the kernel runs");
      return false;
    }
  return true;
}

} // namespace nereid::triton
