// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a PyTorch program (a function or an nn.Module class of a Python file) into a module with
// one graph.program and, for a class, a host.module with its constructor and parameters.
//
//   ImportRequest request;  request.path = "softmax.py";  request.inputs = "x=f32[4096,1024]";
//   FailureOr<OwningOpRef<ModuleOp>> module = importProgram(&context, request, diagnostics);
#pragma once

#include "frontend/torch/InputSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace nereid::torch {

/// Outer: but for those in the body of another one.
enum class KeptLoops : uint8_t { All, Outer, None };

struct ImportRequest {
  std::string path;
  /// What stands in for the texts of files; null: nothing.
  const SourceTexts *texts = nullptr;
  /// The function or class; empty: the only public one.
  std::string name;
  /// `--inputs`; empty: the file's get_inputs().
  std::string inputs;
  /// `--init`: the arguments of the module's constructor as a call has them, or an expression for
  /// the module; empty: the file's get_init_inputs(), else no arguments.
  std::string init;
  /// `--to bf16`: the module is moved to this type, and floats of get_inputs() too; empty: not.
  std::string to;
  /// `--class-name`: what the program is called from here on; empty: its own name.
  std::string exportName;
  /// `--size M=4096`: typical values of named sizes.
  std::vector<std::pair<std::string, int64_t>> sizes;
  /// `f16`: the element type of every floating-point input, parameter and buffer instead of its own
  /// (as calling .half() on all of them does); empty: their own. Scalars keep theirs.
  std::string floatType;
  /// Keep what the program says about gradients (declared ones of operators, detach), which only
  /// src/autodiff understands.
  bool gradients = false;
  /// Which loops over sizes may be kept as loops. Others are written out, their sizes fixed, to at
  /// most 64 turns.
  KeptLoops keptLoops = KeptLoops::All;
  /// Mark the call of a module that operators are made in (graph/EqualParts.h).
  bool marksScopes = false;
  /// `--debug`: kernels assert that indices which are data lie within their axes.
  bool checksIndices = false;
  /// `--keep-torch`: operators that are left to PyTorch (`matmul`, `torch.sort`, `linalg.inv`).
  std::vector<std::string> keepTorch;
};

/// On failure every problem that was found is in `diagnostics`. Their places refer to files that
/// live as long as `files`, which is filled.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importProgram(mlir::MLIRContext *context, const ImportRequest &request, Diagnostics &diagnostics,
              std::vector<std::shared_ptr<const void>> &files);

} // namespace nereid::torch
