// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels for property tests: valid tile programs with arithmetic, memory, folds, loops and
// branches, some of whose values carry a user's name.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace nereid::emit {

class RandomKernel {
public:
  RandomKernel(mlir::MLIRContext &context, unsigned seed) : builder(&context), random(seed) {}

  /// A module with one kernel, `random_kernel`.
  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  struct Pool {
    llvm::SmallVector<mlir::Value> floats, ints, masks, scalars, counts;
  };

  unsigned pick(unsigned bound) { return random() % bound; }
  mlir::Value any(llvm::ArrayRef<mlir::Value> values) { return values[pick(values.size())]; }
  mlir::Location place();
  mlir::Value number(mlir::Type type, double value);
  void addInputs(Pool &pool);
  void addSteps(Pool &pool, unsigned count, unsigned depth);
  void addStep(Pool &pool, unsigned depth);
  void addFloat(Pool &pool);
  void addInt(Pool &pool);
  void addMask(Pool &pool);
  void addScalar(Pool &pool);
  void addMemory(Pool &pool);
  void addLoop(Pool &pool, unsigned depth);
  void addBranch(Pool &pool, unsigned depth);
  mlir::Value pointers(mlir::Value base, mlir::Value offsets);

  mlir::OpBuilder builder;
  std::mt19937 random;
  mlir::Type floatTile, intTile, maskTile, pointerTile;
  mlir::func::FuncOp kernel;
};

} // namespace nereid::emit
