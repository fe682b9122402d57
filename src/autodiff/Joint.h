// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The joint program: a flat copy of a program, composites opened, followed by the operators that
// compute its gradients. Where to cut it into two programs is decided on it (Saving.h).
#pragma once

#include "autodiff/Autodiff.h"
#include "autodiff/GradientWriter.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseSet.h"

namespace nereid::autodiff {

/// What an operator stood in, or belongs to: a composite of the program, or the gradient of one
/// operator.
struct Group {
  std::string name;
  /// The composite whose inner values the operators of this group may compute anew among
  /// themselves: the group itself for a composite of the program; -1: none.
  int forward = -1;
};

struct Joint {
  mlir::func::FuncOp program;
  mlir::OwningOpRef<mlir::func::FuncOp> function;
  /// What a value of the flat copy is in the program.
  llvm::DenseMap<Value, Value> originals;
  std::vector<Group> groups;
  llvm::DenseMap<mlir::Operation *, int> groupOf;
  llvm::DenseSet<mlir::Operation *> forwardOps;

  /// Numbers of the arguments that need a gradient, and of the results that have one.
  llvm::SmallVector<unsigned> wanted, floatResults;
  /// Of the flat copy: the gradients of `floatResults`.
  llvm::SmallVector<Value> cotangents;
  /// What the program assigns: the argument's number and its final value.
  llvm::SmallVector<std::pair<unsigned, Value>> assigned;

  mlir::Block &block() { return function->front(); }
  /// The results of the program, in the flat copy.
  mlir::ValueRange results();
  /// The gradient of `wanted[place]`; null when it is zero by structure.
  Value gradient(unsigned place);
  int group(mlir::Operation *op) const {
    auto found = groupOf.find(op);
    return found == groupOf.end() ? -1 : found->second;
  }
  bool isForward(Value value) const;

  /// The terminator's operands: the results, then the gradients that are not zero.
  llvm::SmallVector<int> gradientOperand;
};

/// Null after diagnostics.
std::unique_ptr<Joint> buildJoint(mlir::func::FuncOp program, const GradientOptions &options);

/// Drops gradient operators that repeat another operator or that nothing uses.
void simplifyGradients(Joint &joint);

/// Makes the gradients of pieces that are all of a tensor one concatenation. JoinedPads.cpp
void joinPads(Joint &joint);

} // namespace nereid::autodiff
