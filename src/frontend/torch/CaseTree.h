// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose control flow depends on sizes or flags is read once for each of its cases: a case
// is the way taken at every condition that is open. This file puts the cases together: equal ones
// become one, and several that compute stay programs of their own behind a declaration
//
//   func.func private @f(...) attributes {graph.cases = [[#sym.pred<N > 1024>, @f_case1], ...]}
//
// A case that raises is a check of the others.
#pragma once

#include "frontend/torch/TorchLibrary.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::torch {

struct ReadCase {
  ProgramCase decided;
  mlir::OwningOpRef<mlir::ModuleOp> module; // null: it raises
  std::string raised;
  llvm::SmallVector<mlir::Type> declared;
  /// A condition in terms of the symbols that the case has left.
  std::function<Pred(Pred)> resolve;
};

/// Null after an error in `diagnostics`.
mlir::OwningOpRef<mlir::ModuleOp> joinCases(std::vector<ReadCase> cases, Diagnostics &diagnostics);

} // namespace nereid::torch
