// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What branches and loops share: taking a Python value apart into the tensors that cross the edge
// of a region, and putting it together again from others.
#pragma once

#include "frontend/triton/KernelBuilder.h"

namespace nereid::triton {

/// What one arm of a branch changed, and the operations that it made.
struct KernelBuilder::Arm {
  std::unique_ptr<mlir::Block> block;
  machine::Completion ended;
  std::vector<machine::Change> changes;

  /// The value of a name after the arm; `before` where the arm did not touch it.
  const machine::Change *find(machine::Name name) const {
    for (const machine::Change &change : changes)
      if (change.kind == machine::Change::Local && change.name == name)
        return &change;
    return nullptr;
  }
};

/// A name whose value changes from turn to turn of a loop, and which of its tensors do.
struct KernelBuilder::Carried {
  machine::Name name;
  PyValue initial;
  llvm::SmallVector<bool, 4> changes;
};

/// Whether two values may stand for one another across an edge: equal types, shapes and structure.
bool sameType(PyValue a, PyValue b);
bool sameTensors(PyValue a, PyValue b);
/// The structure of `value` around other tensors, taken from the front of `tensors`.
PyValue rebuild(KernelBuilder &kernel, PyValue value, llvm::ArrayRef<TensorValue *> &tensors);
/// A `return` in these statements (not in nested functions).
bool containsReturn(python::Body body);
/// Changes that no region can carry (lists and attributes written under a runtime condition).
bool onlyLocals(KernelBuilder &kernel, llvm::ArrayRef<machine::Change> changes);

} // namespace nereid::triton
