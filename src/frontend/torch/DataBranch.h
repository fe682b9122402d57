// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An `if` or a ternary whose condition is the value of a tensor. Both arms are evaluated from the
// same state, and the condition chooses between what they leave, element by element; where an arm
// leaves the function or the turn of a loop, what follows belongs to it.
//
//   if mask.any():                 out = torch.where(mask.any(), <out of the arm>, out)
//       out[mask] = f(x[mask])     (which is the `out` of the arm: without a mask nothing changes)
#pragma once

#include "frontend/torch/TorchLibrary.h"

namespace nereid::torch {

class DataBranch {
public:
  /// `condition` is a bool of rank 0.
  DataBranch(TorchLibrary &t, machine::Branch &branch, mlir::Value condition)
      : t(t), machine(branch.machine), branch(branch), condition(condition) {}

  /// Of an `if`. Raise, with a refusal in flight, where the arms cannot be joined: nothing has
  /// changed then.
  machine::Completion run();
  /// Of a turn of a loop over what data select: the arm that is taken where the condition holds.
  machine::Completion run(llvm::function_ref<machine::Completion()> arm);
  /// Of a ternary; null after a refusal.
  PyValue evaluate();

private:
  /// What is evaluated for each arm: itself, the rest of a loop's turn too, or of the function.
  enum class Extent : uint8_t { Arm, Turn, Function };
  struct Held {
    mlir::Value value;
    unsigned writes;
  };
  struct Arm {
    machine::Completion ended;
    std::vector<machine::Change> changes = {};
    /// What the storages of before hold at its end.
    std::vector<Held> held = {};
    llvm::DenseMap<TensorValue *, mlir::Value> values;
  };
  struct Place {
    machine::Change change;
    PyValue then, otherwise;
  };

  std::optional<Extent> extent();
  bool evaluateArm(Arm &arm, bool taken, llvm::function_ref<machine::Completion()> evaluate);
  bool evaluateArms(llvm::function_ref<machine::Completion(bool)> evaluate);
  std::vector<Held> heldNow() const;
  void hold(llvm::ArrayRef<Held> held);

  // JoinedArms.cpp
  std::vector<Place> places();
  bool isOver(const machine::Change &change) const;
  bool isReadLater(const machine::Change &change) const;
  void readAll(Arm &arm, PyValue value);
  std::string describe(PyValue value);
  bool hasOtherName(PyValue list);
  bool mayEquate(llvm::ArrayRef<index::Expr> sizes, llvm::ArrayRef<index::Expr> others);
  bool mayJoin(PyValue then, PyValue otherwise, llvm::StringRef name);
  PyValue join(PyValue then, PyValue otherwise);
  mlir::Value numberOf(PyValue value);
  mlir::Value constantLike(PyValue number, TensorValue *like);
  mlir::Value choose(mlir::Value then, mlir::Value otherwise);
  bool joinArms(PyValue &thenResult, PyValue &otherResult, llvm::StringRef resultName);
  bool differsOnlyWhereTaken(llvm::ArrayRef<Place> changed, PyValue thenResult,
                             PyValue otherResult);
  void markShared(PyValue value, llvm::DenseMap<Storage *, unsigned> &names);

  TorchLibrary &t;
  machine::Machine &machine;
  machine::Branch &branch;
  mlir::Value condition;
  Extent reaches = Extent::Arm;
  Arm arms[2];
  std::vector<Held> before;
  /// What the arm of a condition on a mask leaves is what both leave.
  bool takesThen = false;
};

} // namespace nereid::torch
