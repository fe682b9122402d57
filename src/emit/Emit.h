// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of host programs and tile kernels as one standalone Python file that needs only torch
// and triton: kernels, wrappers with their checks, module classes. The text is laid out as
// `ruff format` leaves it, runs on Triton 3.6 to 3.9 and depends on nothing but the module and the
// options.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace nereid::emit {

struct EmitOptions {
  /// What the file was converted from, as the user wrote it; empty when unknown.
  std::string source;
  /// The program or class in it.
  std::string program;
  /// The name and version of the tool, for the first docstring.
  std::string tool = "nereid";
  /// What it is called there, where that is another name.
  std::string original;
  /// How to construct the class; empty: as its file's get_init_inputs() says.
  std::string init;
  /// `bf16`: the type that the class's modules are moved to; empty: none.
  std::string to;
  /// Whether the file gets a command line that compares it with the original: its companion's,
  /// where it has one, else its own.
  bool hasCommandLine = false;
  /// The companion's module, `softmax_check`, which compares all files of a conversion; empty where
  /// the file shall stand alone.
  std::string check;
  /// Whether launches are replayed as CUDA graphs where no gradient is wanted.
  bool usesCudaGraphs = false;
  /// Text for the first docstring, below its first line; may be empty.
  std::string note;
};

/// Prints the file. What cannot be said in Triton is an error at its operation, and then nothing is
/// printed.
mlir::LogicalResult emitTriton(mlir::ModuleOp module, llvm::raw_ostream &os,
                               const EmitOptions &options = {});

/// Prints the companion of the files of a conversion, one of whose modules is given.
void emitCheck(mlir::ModuleOp module, llvm::raw_ostream &os, const EmitOptions &options);

} // namespace nereid::emit
