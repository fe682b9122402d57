// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the host program of a partition: arguments, checks, allocations and launches.
#pragma once

#include "schedule/kernel/KernelBuilder.h"
#include "schedule/partition/InPlace.h"
#include "schedule/partition/Partition.h"

#include "graph/GraphOps.h"
#include "host/HostOps.h"
#include "sym/SymDialect.h"
#include "llvm/ADT/StringSet.h"

namespace nereid::schedule {

/// What stands in the names of kernels for contiguous inputs.
inline constexpr llvm::StringLiteral contiguousArm = "contiguous_";

class HostBuilder {
public:
  HostBuilder(const Program &program, const Partition &partition, mlir::ModuleOp module);

  mlir::FailureOr<mlir::func::FuncOp> build();
  /// The kernel functions made for a kernel of the partition.
  std::vector<std::string> getFunctions(unsigned number) const {
    auto found = functions.find(number);
    return found == functions.end() ? std::vector<std::string>() : found->second;
  }

private:
  void createFunction();
  void bindSymbols(const Value &value, unsigned argument, host::TensorType type);
  void checkRowMajor(const Value &value, host::TensorType type);
  void makeRowMajor(const Value &value);
  /// What kernels know of the strides of the arguments: nothing; that they are row-major, which was
  /// asked; or so because what is not is copied.
  enum class Arguments { AsGiven, AskedRowMajor, MadeRowMajor };
  llvm::DenseSet<const Value *> findLoaded(llvm::ArrayRef<const Kernel *> kernels) const;
  void bindRowMajor(Arguments arguments);
  /// Builds all launches under one assumption about strides; the values of the results.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> buildArm(Arguments arguments);
  /// Results in the strides that PyTorch gives them, of those that are dense.
  void layOut(llvm::MutableArrayRef<mlir::Value> results);
  bool isLaidOut(const Result &result) const;
  /// Both, by what is asked of the inputs.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> buildArms(llvm::ArrayRef<mlir::Value> inputs);
  mlir::LogicalResult launch(const Kernel &kernel, unsigned number, Arguments arguments);
  /// SortLaunch.cpp
  mlir::LogicalResult launchSort(const Kernel &kernel);
  mlir::LogicalResult sortWhole(const Value &sort, mlir::Value lines, mlir::Value sorted,
                                Expr count, Expr length);
  mlir::LogicalResult sortLeast(const Value &sort, mlir::Value lines, mlir::Value sorted,
                                Expr count, Expr length);
  /// BuildCall.cpp
  mlir::LogicalResult launchCall(const Kernel &kernel);
  mlir::Value callOperand(const Access &access, llvm::ArrayRef<Expr> sizes, mlir::Location loc);
  llvm::SmallVector<Expr, 4> inwardSizes(mlir::Value tensor) const;
  llvm::SmallVector<const Value *> resultsOf(const Value &value) const;
  llvm::SmallVector<mlir::Type> rowMajorTypes(llvm::ArrayRef<const Value *> values);
  void bindResults(llvm::ArrayRef<const Value *> results, mlir::ValueRange made);
  /// BuildApply.cpp
  mlir::LogicalResult launchApply(graph::ApplyOp op, const Value &value);
  /// BuildHostLoop.cpp
  mlir::LogicalResult launchLoop(graph::LoopOp op, const Value &value);
  void hoist(host::ForOp loop);
  mlir::Value applyOperand(const Access &access, llvm::ArrayRef<Expr> sizes, mlir::Location loc);
  using BuildSort = mlir::func::FuncOp (*)(mlir::ModuleOp, llvm::StringRef, mlir::Type,
                                           mlir::Location);
  mlir::func::FuncOp sortKernel(BuildSort build, llvm::StringRef suffix, const Value &sort);
  mlir::LogicalResult launchRows(const Kernel &kernel, llvm::StringRef arm);
  mlir::LogicalResult launchSpans(const Kernel &kernel, llvm::StringRef arm);
  mlir::LogicalResult launchScansApart(const Kernel &kernel, llvm::StringRef arm);
  mlir::LogicalResult launchNested(const Kernel &kernel, llvm::StringRef arm);
  mlir::LogicalResult launchApart(llvm::ArrayRef<Kernel> parts, const StoredSet &before,
                                  llvm::StringRef arm);
  using Launch = llvm::function_ref<mlir::LogicalResult()>;
  mlir::LogicalResult choose(index::Pred condition, Launch first, Launch second);
  mlir::LogicalResult launchForm(const Kernel &kernel, const Form &form, llvm::StringRef name);
  bool holdingPays(const Kernel &looped, const Form &form);
  void tuneForSizes(const Form &form, mlir::func::FuncOp kernel, host::LaunchOp launch);
  mlir::Value partOf(const Value &argument, mlir::Value tensor,
                     llvm::ArrayRef<Expr> argumentStrides, const Value &value,
                     llvm::ArrayRef<Expr> starts);
  llvm::SmallVector<Expr, 4> stridesWithin(const Value &part, llvm::ArrayRef<Expr> ofWhole);
  void placeInJoin(const Value &part, Arguments arguments);
  void allocate(const Value &value, Arguments arguments);
  llvm::SmallVector<mlir::Value> likeOperands(const Value &value);
  llvm::SmallVector<Expr, 4> denseStrides(const Value &value);
  llvm::SmallVector<Expr, 4> freshStrides(const Value &value);
  bool isReturned(const Value &value) const;
  bool isSavedAlone(const Result &result) const;
  /// A function is given and returns row-major tensors.
  bool isFunction() const;
  mlir::Value createView(const ViewedResult &result);
  bool dividesLess(const Kernel &kernel, const StrideMap &general,
                   llvm::ArrayRef<Space> columns) const;
  bool gainsByRowMajor(const Kernel &kernel, const StrideMap &general, const StrideMap &dense);
  llvm::DenseSet<const Value *> findRowMajorGains();
  bool copiesPay();
  bool isShapeOnly(const Value &value) const;
  std::string kernelName(const Kernel &kernel, llvm::StringRef suffix);
  llvm::SmallVector<Expr, 4> rowMajor(llvm::ArrayRef<Expr> sizes);
  host::TensorType hostType(llvm::ArrayRef<Expr> sizes, mlir::Type element,
                            llvm::ArrayRef<Expr> strides);
  sym::ExprAttr hostExpr(Expr expr);
  sym::PredAttr hostPred(Pred pred);

  const Program &program;
  const Partition &partition;
  /// What kernels load: the partition's, and scans that are stored for kernels apart.
  StoredSet stored;
  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  index::Context &context;
  llvm::SmallVector<const Value *> readBeside;
  mlir::func::FuncOp func;
  llvm::SmallVector<mlir::Attribute> symbols;
  llvm::DenseSet<Expr> bound;
  StrideMap argumentStrides;
  llvm::DenseSet<const Value *> rowMajorGains;
  StrideMap strides;
  llvm::DenseMap<const Value *, mlir::Value> tensors;
  llvm::StringSet<> kernelNames;
  /// The kernels of sorts, by what they do and the width of their integers.
  std::map<std::pair<BuildSort, unsigned>, mlir::func::FuncOp> sortKernels;
  unsigned launching = 0;
  std::map<unsigned, std::vector<std::string>> functions;
  llvm::DenseSet<Pred> checked;
  /// Where a launch is chosen for rows that spans do not hold: few are short enough to be held
  /// whole.
  bool rowsAreLong = false;
  /// Conditions that do not hold where launches are being built.
  llvm::DenseSet<Pred> refuted;
};

} // namespace nereid::schedule
