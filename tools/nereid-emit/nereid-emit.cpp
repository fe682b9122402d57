// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a module of host programs and tile kernels and prints the Python file that the emitter
// makes of it: for tests.
#include "emit/Emit.h"

#include "RegisterDialects.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

int main(int argc, char **argv) {
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::init("-"), llvm::cl::desc("output file"));
  llvm::cl::opt<std::string> source("source", llvm::cl::desc("the file that was converted"));
  llvm::cl::opt<std::string> program("program", llvm::cl::desc("the program that was converted"));
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "prints a module as Triton and PyTorch\n");

  mlir::DialectRegistry registry;
  nereid::registerNereidDialects(registry);
  mlir::MLIRContext context(registry);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::openInputFile(input, &error);
  if (!buffer) {
    llvm::errs() << "error: cannot read '" << input << "': " << error << "\n";
    return 2;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return 2;
  nereid::emit::EmitOptions options;
  options.source = source;
  options.program = program;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(nereid::emit::emitTriton(*module, stream, options)))
    return 1;
  std::unique_ptr<llvm::ToolOutputFile> file = mlir::openOutputFile(output, &error);
  if (!file) {
    llvm::errs() << "error: cannot write '" << output << "': " << error << "\n";
    return 2;
  }
  file->os() << text;
  file->keep();
  return 0;
}
