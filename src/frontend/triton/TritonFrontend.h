// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry point of the Triton front end: a Python file is read once, then any of its kernels can
// be turned into `tile` IR for given argument types and meta-parameters.
//
//   std::unique_ptr<TritonFile> file = TritonFile::open("softmax.py", diagnostics);
//   KernelRequest request{"softmax_kernel", {{"x_ptr", "*fp32"}, {"n", "i32"}}, {{"BLOCK",
//   "1024"}}}; FailureOr<OwningOpRef<ModuleOp>> module = file->importKernel(context, request,
//   diagnostics);
//
// Diagnostics point into source files that the TritonFile owns: print them before it dies.
#pragma once

#include "support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nereid::triton {

struct KernelParameter {
  std::string name;
  bool isConstexpr = false;
  bool hasDefault = false;
};

/// A function under `@triton.jit`.
struct KernelInfo {
  std::string name;
  std::vector<KernelParameter> parameters;
  SourceLocation location;
  /// How many configurations its `@triton.autotune` lists.
  unsigned configs = 0;
  /// The parameters that its `@triton.heuristics` compute.
  std::vector<std::string> computed;
};

struct KernelRequest {
  std::string kernel;
  /// The types of arguments: `*fp32`, `i32`, `fp32`, ...
  std::map<std::string, std::string> signature;
  /// Values of meta-parameters, and of arguments to be folded (`bias_ptr` -> `None`), as Python
  /// expressions over the names of the file.
  std::map<std::string, std::string> constexprs;
  /// Values of arguments that stay arguments, where the launch is known: heuristics read them.
  std::map<std::string, std::string> values;
  /// Which entry of the autotune list gives the meta-parameters that `constexprs` does not.
  unsigned config = 0;
  /// A function that kernels call: what it returns is dropped.
  bool isDevice = false;
  /// Arguments of such a one that are tiles, with their shapes; `signature` has their elements.
  std::map<std::string, std::vector<int64_t>> tiles;
};

class TritonFile {
public:
  ~TritonFile();

  /// Reads a file. Never null: the object owns what the diagnostics point at. With errors added,
  /// and not `isReadable`, when the file cannot be read or is no Python.
  static std::unique_ptr<TritonFile> open(llvm::StringRef path, Diagnostics &diagnostics);
  /// The same for a text in memory.
  static std::unique_ptr<TritonFile> read(std::shared_ptr<const SourceFile> source,
                                          Diagnostics &diagnostics);

  bool isReadable() const;
  /// The jit functions that the file defines, in its order.
  const std::vector<KernelInfo> &kernels() const;
  /// A module with one function: the kernel. The dialects that it needs are loaded into `context`.
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  importKernel(mlir::MLIRContext &context, const KernelRequest &request, Diagnostics &diagnostics);
  /// What `tl.static_print` printed during the last import.
  std::vector<std::string> takePrinted();

private:
  struct State;
  explicit TritonFile(std::unique_ptr<State> state);
  static std::unique_ptr<TritonFile> make(std::unique_ptr<State> state, Diagnostics &diagnostics);
  void findKernels();

  std::unique_ptr<State> state;
};

} // namespace nereid::triton
