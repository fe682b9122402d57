// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a joint program: the flat copy, in which the way to the results is noted step by step, and
// behind it the gradients, step by step back. Private to the files of buildJoint (Joint.h).
#pragma once

#include "autodiff/Joint.h"
#include "autodiff/Rules.h"

namespace nereid::autodiff {

/// One step of the way back: an operator, or a composite whose gradient is declared.
struct Step {
  mlir::Operation *op = nullptr;
  graph::CompositeOp declared;
  llvm::SmallVector<Value> operands, results;
};

class JointBuilder : public Reverse {
public:
  JointBuilder(Joint &joint) : Reverse(own), joint(joint), own(joint.program.getContext()) {}
  ~JointBuilder() override {
    for (graph::CompositeOp composite : opened)
      composite->erase();
  }

  mlir::LogicalResult run(const GradientOptions &options);

  bool wants(Value value) const override { return active.contains(value); }
  void add(Value value, Value gradient) override;

private:
  Joint &joint;
  GradientWriter own;
  /// Values through which a gradient flows to a wanted argument.
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> gradients;
  /// Of gradients that come by one arm of a branch alone: whether that was taken, a bool of rank 0.
  llvm::DenseMap<Value, Value> takenFor;
  /// The same of the step that is gone back; null where its gradient comes by other ways too.
  Value taken;
  bool mayMakeNaN = false;
  /// The arm in which one stands, and its own condition there.
  struct Arm {
    Value around, own;
  };
  llvm::DenseMap<Value, Arm> armOf;
  llvm::DenseMap<Value, Value> negations;
  /// Conditions of arms that were written: both of two, one of two.
  llvm::DenseMap<std::pair<Value, Value>, Value> both, either;
  std::vector<Step> steps;
  std::vector<graph::CompositeOp> opened;
  /// What stands in composites whose gradient is declared.
  llvm::DenseSet<mlir::Operation *> undifferentiated;
  /// The group of the gradient of a composite of the program.
  llvm::DenseMap<int, int> backwardOf;

  // Joint.cpp: the flat copy
  void copyProgram();
  mlir::LogicalResult chooseWanted(const GradientOptions &options);
  void visit(mlir::Operation *op, int group, bool onWay);
  void open(graph::CompositeOp composite, int group, bool onWay);
  void dropCancelledShifts();
  mlir::LogicalResult checkAssigned();

  // WayBack.cpp
  mlir::LogicalResult sweep();
  mlir::LogicalResult stepBack(const Step &step);
  bool goBackByArms(mlir::Operation *op, Value gradient);
  Value takenForAll(mlir::ValueRange results);
  Value commonArm(Value a, Value b) const;
  Value eitherOf(Value a, Value b);
  Value notOf(Value condition);
  Value bothOf(Value outer, Value inner);
  mlir::LogicalResult applyRule(mlir::Operation *op, Value gradient);
  void applyDeclared(const Step &step);
  llvm::SmallVector<Value> gradientsOf(mlir::ValueRange results) const;
  bool isReached(mlir::ValueRange operands, llvm::ArrayRef<Value> given) const;
  void copyBlock(mlir::Block &block, llvm::DenseMap<Value, Value> &copies);
  int backwardGroup(const Step &step);
  void finish();
};

} // namespace nereid::autodiff
