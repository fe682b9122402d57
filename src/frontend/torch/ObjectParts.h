// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a value of the machine is made of: items, attributes, defaults, what a closure closes over.
#pragma once

#include "python/machine/Machine.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::torch {

/// Calls `visit` with each part of a value and where it stands as Python writes it: `.k`, `[0]`.
/// Namespaces are parts of their own, at the place "". Modules and what libraries define have none.
void forEachPart(machine::Machine &machine, machine::Value value,
                 llvm::function_ref<void(llvm::StringRef place, machine::Value part)> visit);

/// Whether a class stands in a file of the program's.
bool isOfProgram(const machine::ClassObject &cls);

/// What hangs at some values, themselves included.
class Reach {
public:
  explicit Reach(machine::Machine &machine) : machine(machine) {}
  void add(machine::Value root);
  bool contains(const machine::Object *object) const { return seen.contains(object); }

private:
  machine::Machine &machine;
  llvm::DenseSet<const machine::Object *> seen;
};

} // namespace nereid::torch
