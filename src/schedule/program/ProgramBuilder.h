// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a graph program into values, one visit an operator: pointwise operators become maps,
// reductions folds, pads and concatenations selects, and views disappear into accesses.
// What a tensor of the graph is, its view, is an access of a value: coordinates over the tensor's
// indices.
#pragma once

#include "schedule/program/Value.h"

#include "graph/GraphOps.h"

namespace nereid::schedule {

class ProgramBuilder {
public:
  explicit ProgramBuilder(Program &program) : program(program), context(*program.context) {}

  mlir::LogicalResult run(mlir::func::FuncOp func);

private:
  mlir::LogicalResult visit(mlir::Operation &op);
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visitView(mlir::Operation &op);
  mlir::LogicalResult visitComposite(graph::CompositeOp op);
  mlir::LogicalResult visitAssign(graph::AssignOp op);
  struct WrittenPart {
    mlir::Value value;
    /// Where it begins in the argument, for each axis.
    llvm::SmallVector<Expr, 4> starts;
  };
  WrittenPart findWritten(mlir::Value assigned, const Value &argument);
  mlir::LogicalResult visitSort(graph::SortOp op);
  mlir::LogicalResult visitCall(graph::CallOp op);
  Access callOperand(mlir::Value tensor, mlir::Location loc, bool isNumber);
  mlir::LogicalResult visitApply(graph::ApplyOp op);
  Access rowMajorOperand(mlir::Value tensor, mlir::Location loc);
  mlir::LogicalResult visitLoop(graph::LoopOp op);
  mlir::LogicalResult visitHostLoop(graph::LoopOp op, const HostLoop &loop);
  llvm::SmallVector<Value *> createStates(graph::LoopOp op, int number,
                                          llvm::ArrayRef<Access> initial);
  void defineResults(graph::LoopOp op, int number, llvm::ArrayRef<Value *> states,
                     llvm::ArrayRef<Access> stacked);
  Value *resultOf(mlir::Value tensor, unsigned place, mlir::Location loc);
  void visitResults(mlir::Operation *terminator);
  bool undoesCast(mlir::Operation &op);
  bool changesNothing(mlir::Operation &op);
  bool isInsideAnyway(mlir::Operation &op);
  void visitMap(mlir::Operation &op);
  void visit(graph::ConstantOp op);
  void visit(graph::SizeOp op);
  void visit(graph::IotaOp op);
  void visit(graph::RandomOp op);
  void visit(graph::ContiguousOp op);
  void visit(graph::PadOp op);
  std::optional<Access> asRoll(graph::ConcatOp op);
  void visit(graph::ConcatOp op);
  void visit(graph::GatherOp op);
  void visit(graph::FoldOp op);
  bool viewSingle(graph::FoldOp op);
  void visit(graph::ScanOp op);
  void visit(graph::SegmentOp op);
  void visit(graph::RunsOp op);
  void foldRuns(mlir::Operation *op, mlir::Value input, graph::FoldKind kind, Access starts,
                Access stops);
  void visit(graph::ScatterOp op);
  void visit(graph::SearchOp op);
  void simplify(Value &value);

  Value *create(ValueKind kind, mlir::Operation *op, mlir::Value result);
  Value *createArgument(mlir::BlockArgument argument);
  llvm::SmallVector<Expr, 4> identity(unsigned rank);
  Access viewOf(mlir::Value tensor);
  void setView(mlir::Value tensor, Access view) {
    if (lead)
      inLoop.insert(tensor);
    views[tensor] = std::move(view);
  }
  llvm::SmallVector<Expr, 4> sizesOf(mlir::Value tensor);
  void learnSizes(mlir::func::FuncOp func);
  void define(mlir::Value tensor, Value *value) {
    setView(tensor, Access{value, identity(value->shape.size()), {}});
  }
  /// A copy of a view, row-major where it is stored.
  Value *copyOf(mlir::Value tensor, mlir::Location loc, llvm::StringRef name);
  /// The whole of a view as a value of its own, copied unless it is one already.
  Value *materialize(mlir::Value tensor, mlir::Location loc);
  std::string nameOf(mlir::Location loc, llvm::StringRef fallback);
  std::string gradientName(unsigned place) const;
  std::string savedName(unsigned place) const;
  void nameAfter(const Access &view, mlir::Location loc);

  Program &program;
  index::Context &context;
  llvm::DenseMap<mlir::Value, Access> views;
  /// Within a loop all values have one axis more, the first: the turn. `lead` is 1 there.
  unsigned lead = 0;
  Expr turns;
  llvm::DenseSet<mlir::Value> inLoop;
  unsigned unit = 0;
  bool inComposite = false;
  unsigned loadedCount = 0;
};

inline graph::TensorType typeOf(mlir::Value value) {
  return llvm::cast<graph::TensorType>(value.getType());
}

} // namespace nereid::schedule
