// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels given as text: `evaluate` for one expression on scalars or tiles, `Module` for whole
// functions.
#pragma once

#include "interpreter/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace nereid::interpreter {

/// A parsed module; a text that does not parse fails the test.
class Module {
public:
  explicit Module(llvm::StringRef text);

  mlir::func::FuncOp function(llvm::StringRef name);
  mlir::MLIRContext *getContext() { return context.get(); }
  mlir::Type type(llvm::StringRef text);
  Tensor tensor(llvm::StringRef name, llvm::StringRef element, llvm::ArrayRef<int64_t> sizes,
                llvm::ArrayRef<double> numbers);

  /// Runs a kernel as it stands; a failure fails the test.
  KernelRun run(llvm::StringRef name, llvm::ArrayRef<HostValue> arguments,
                llvm::ArrayRef<int64_t> grid = {1}, const RunOptions &options = {});
  HostRun runHost(llvm::StringRef name, llvm::ArrayRef<HostValue> arguments,
                  const RunOptions &options = {});

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// An operand of `evaluate`: lanes of a rank-1 tile of this element.
struct Operand {
  std::string element;
  std::vector<double> lanes;
};

/// Runs `body`, which makes %r, a tile of `count` elements `result`, from %a, %b, %c, rank-1 tiles
/// of the operands' lanes. Gives the lanes of %r.
std::vector<double> evaluate(llvm::StringRef result, size_t count, llvm::StringRef body,
                             llvm::ArrayRef<Operand> operands, const RunOptions &options = {});
/// The same for as many lanes as the first operand has.
std::vector<double> evaluate(llvm::StringRef result, llvm::StringRef body,
                             llvm::ArrayRef<Operand> operands);
/// The lanes of `op` of two operands with these lanes.
std::vector<double> binary(const std::string &op, const std::string &element, std::vector<double> a,
                           std::vector<double> b);

/// Whether numbers are equal, NaN equal to NaN, within a relative tolerance.
void expectNumbers(llvm::ArrayRef<double> found, llvm::ArrayRef<double> expected,
                   double tolerance = 0);

} // namespace nereid::interpreter
