// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of an emitted file: `python FILE --validate` and `--bench`, which run the file's program
// beside the original. The code is companion/*.py, embedded; here it gets its arguments.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace nereid::emit {

/// Where the original is.
struct CommandLine {
  /// What the names of the emitted files begin with; empty where the file stands alone.
  std::string stem;
  std::string source;
  std::string name;
  /// What it is called in the emitted file.
  std::string exported;
  /// An expression for the arguments of a class's constructor; empty: the file's get_init_inputs().
  std::string init;
  /// The dtype that the original is moved to, `torch.bfloat16`; empty: none.
  std::string moved;
};

/// The modules that the code imports, beside torch and triton.
std::vector<std::string> getCommandLineImports();

/// The text for a program whose first `kept` arguments are parameters and buffers of a class.
std::string printCommandLine(mlir::func::FuncOp program, size_t kept, const CommandLine &about);
/// What a file ends with whose companion has the command line.
std::string printCheckCall(llvm::StringRef check);
/// The imports of a companion.
std::string printCheckImports(mlir::ModuleOp module);

} // namespace nereid::emit
