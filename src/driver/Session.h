// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every verb needs: an MLIR context, diagnostics with carets that also collect MLIR's, and
// files that appear whole or not at all.
#pragma once

#include "driver/Driver.h"
#include "support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>

namespace nereid::driver {

/// Lives as long as one verb. Diagnostics are printed to standard error when it ends.
class Session {
public:
  Session();
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  mlir::MLIRContext &getContext() { return context; }
  Diagnostics &getDiagnostics() { return diagnostics; }

  /// `SRC.py:NAME` as path and name; the name may be empty.
  static std::pair<std::string, std::string> splitSource(llvm::StringRef source);
  /// The graph program of a source; null after diagnostics.
  mlir::OwningOpRef<mlir::ModuleOp> importProgram(const ProgramOptions &options);
  /// The same with another element type (`f32`, `f16`, `bf16`) for the floating-point inputs; null
  /// when the program refuses it, with the reasons in `problems`.
  mlir::OwningOpRef<mlir::ModuleOp> importProgram(const ProgramOptions &options,
                                                  llvm::StringRef floatType, Diagnostics &problems);
  /// Keeps files alive that diagnostics point into.
  std::vector<std::shared_ptr<const void>> files;
  std::shared_ptr<SourceFile> openFile(llvm::StringRef path);

  /// Whether the cost model has figures for a device; reports it where it has none.
  bool knowsDevice(llvm::StringRef device);

  /// The status for a failure: bad input when something was reported, else a defect.
  int failure();

private:
  SourceLocation locate(mlir::Location location);

  mlir::MLIRContext context;
  Diagnostics diagnostics;
  std::map<std::string, std::shared_ptr<SourceFile>> opened;
};

/// Writes a file by way of a temporary beside it. Reports a failure as a diagnostic.
bool writeFile(llvm::StringRef path, llvm::StringRef text, Diagnostics &diagnostics);
/// Writes to a file, or to standard output when `path` is empty.
bool writeResult(llvm::StringRef path, llvm::StringRef text, Diagnostics &diagnostics);

/// The name that a program exports: the class's, else the function's.
std::string exportedName(mlir::ModuleOp module);

/// Whether standard error is a terminal that wants colour.
bool wantsColour();

} // namespace nereid::driver
