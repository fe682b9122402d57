// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a kernel in the interpreter at one launch, at sizes of the caller's tensors that satisfy
// what the wrapper asks: what a few ordinary shapes show.
#pragma once

#include "audit/HostLaunch.h"
#include "interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::audit {

class LaunchRun {
public:
  /// Compiles the kernel of the launch at these constants; null where it does not.
  using Numbers = std::vector<std::pair<std::string, int64_t>>;
  using CompileAt = std::function<mlir::OwningOpRef<mlir::ModuleOp>(const Numbers &)>;

  LaunchRun(mlir::func::FuncOp kernel, const HostLaunch &launch, CompileAt compileAt);

  /// How shapes are chosen: the axes of all tensors alike from the last one on, or all of one
  /// length.
  static constexpr unsigned shapes = 8;
  static bool isSquare(unsigned shape);
  /// A square longer than the longest tile: many elements.
  static bool isLong(unsigned shape);

  /// False where some number is not known, or the wrapper refuses such sizes.
  bool choose(unsigned shape);
  /// The lengths of axes, the last one first; others are as the last of these. How many elements a
  /// tensor has of which nobody says how many axes it has.
  bool choose(std::array<int64_t, 3> extents, int64_t count);
  /// Of the tiles whose extent is no size of the caller's; 0: there are none.
  int64_t longestTile();
  /// The sizes of a counterexample; false where these are not all or not admitted.
  bool adopt(llvm::ArrayRef<std::pair<std::string, int64_t>> sizes);
  /// The kernel on numbers drawn at random; `blank`: the arguments that nothing was stored to.
  /// Nullopt where it cannot be run, or is too large.
  /// `checked`: also what is undefined, and races. `order`: of its programs, 0 one after the other.
  std::optional<interpreter::KernelRun> run(llvm::ArrayRef<unsigned> blank, bool checked = true,
                                            uint64_t order = 0);
  /// Whether the shape of a tensor is what the wrapper says of it. Of one whose axes nobody counts
  /// it is only where there is no other.
  bool isOfKnownShape(const HostArgument &given) const;
  /// Whether runs note what is read of the tensors.
  bool notesReads = false;
  /// An argument after the run; null for numbers.
  const interpreter::Tensor *getTensor(unsigned argument) const;
  /// The sizes that the launch hangs on, but strides.
  std::vector<std::pair<std::string, int64_t>> getSizes() const;
  /// Whether a number that the caller is free to give decides how many programs there are, what
  /// they are told or how large tensors are.
  bool hangsOnFreeNumbers() const;
  /// The caller's tensors that these hang on.
  std::set<std::string> getOwners() const;

private:
  void addSymbols(index::Expr expr);
  void setStrides();
  bool repair(index::Pred fact);
  bool repairBy(index::Pred fact, llvm::function_ref<std::optional<int64_t>(index::Expr)> propose);
  std::optional<int64_t> valueOf(index::Expr expr) const { return index::evaluate(expr, values); }
  bool makeGrid();
  bool makeInstance();
  bool makeArguments(llvm::ArrayRef<unsigned> blank);
  bool makeTensor(const HostArgument &given, mlir::Type element, unsigned position, bool isBlank);
  bool enterMemory(const HostArgument &given, interpreter::Tensor &tensor);
  void forEachRelevant(llvm::function_ref<void(index::Expr)> visit) const;
  const HostArgument *find(llvm::StringRef name) const;

  mlir::func::FuncOp kernel;
  const HostLaunch &launch;
  llvm::SetVector<index::Expr> symbols;
  bool isOpen = false;
  /// Tensors are as large as the launch says, and not as large as they may have to be.
  bool isExact = false;
  llvm::DenseMap<index::Expr, int64_t> values;
  llvm::SmallVector<int64_t> grid;
  llvm::SmallVector<interpreter::HostValue> arguments;
  /// Of memories that several arguments lead to.
  llvm::DenseMap<const void *, std::shared_ptr<interpreter::Storage>> memories;
  CompileAt compileAt;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp instance;
  uint64_t steps = 0;
};

} // namespace nereid::audit
