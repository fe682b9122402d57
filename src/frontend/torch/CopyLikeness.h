// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares values that were made twice: by the program, and by the text that an emitted file has of
// it. Numbers, texts, containers, objects, classes, functions and the tensors that they hold are
// compared by what they are; what neither made is the same object.
#pragma once

#include "python/machine/Machine.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::torch {

class CopyLikeness {
public:
  /// `copyName`: the name of the module in which the copies are made.
  CopyLikeness(machine::Machine &machine, llvm::StringRef copyName)
      : machine(machine), copyName(copyName) {}

  /// Whether `copy` is like `original`, which Python reaches by `path`; where not, `difference`
  /// tells the first place.
  bool compare(machine::Value original, machine::Value copy, const std::string &path);

  struct Difference {
    std::string path, original, copy;
  };
  Difference difference;

private:
  bool differ(machine::Value original, machine::Value copy, const std::string &path);
  bool compareNames(machine::Namespace &original, machine::Namespace &copy,
                    const std::string &path);
  bool compareClasses(machine::ClassObject &original, machine::ClassObject &copy,
                      const std::string &path);
  bool compareTensors(machine::Value original, machine::Value copy, const std::string &path);
  bool compareParts(machine::Value original, machine::Value copy, const std::string &path);
  bool compareFunctions(machine::Value original, machine::Value copy, const std::string &path);

  /// Whether two tensors are made by the same operators of the same numbers.
  bool isComputedAlike(mlir::Value original, mlir::Value copy);

  machine::Machine &machine;
  llvm::StringRef copyName;
  llvm::DenseSet<std::pair<mlir::Value, mlir::Value>> seenValues;
  llvm::DenseSet<std::pair<machine::Object *, machine::Object *>> seen;
};

} // namespace nereid::torch
