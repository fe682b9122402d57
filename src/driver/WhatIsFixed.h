// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What conversion fixed in a program, as it is told: sizes, numbers of the call, settings of
// modules.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace nereid::driver {

/// What conversion did with the sizes, as it is told: by the attribute of the programs, and the
/// word of the report.
struct SizeNote {
  llvm::StringLiteral attribute, key, text;
  std::string sizes = {};
};

/// `graph.fixed`: sizes that a loop, a key or a text fixes at the example's, `N=5 (model.py:7: a
/// key)`. `graph.merged`: names of one size. `graph.typical`: what nobody gave.
std::vector<SizeNote> sizeNotes(mlir::ModuleOp graph);

/// Numbers of the call that decided what is computed, and are compared at each: `step=3`.
std::string spellFixedNumbers(mlir::ModuleOp graph);

/// Attributes of modules that decided it, `self.depth=3`.
struct FixedSettings {
  /// Those of the program's own module, and those of its parts, with conditions on numbers.
  std::vector<std::string> own, ofParts;

  bool isEmpty() const { return own.empty() && ofParts.empty(); }
  std::vector<std::string> all() const;
  /// Those of the program's own module, and how many more there are.
  std::string spell() const;
};
FixedSettings findFixedSettings(mlir::ModuleOp graph);

} // namespace nereid::driver
