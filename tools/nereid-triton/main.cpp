// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a kernel of a Python file and prints its tile IR, or runs it in the interpreter:
//   nereid-triton FILE [KERNEL] [--signature x_ptr=*fp32,n=i32] [--constexpr BLOCK=128]...
//                 [--config N] [--list] [--locations]
//                 [--grid X,Y,Z --arg x_ptr=x.npy --arg n=1000 --out FOLDER --check --seed N]
#include "KernelRun.h"
#include "frontend/triton/TritonFrontend.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace nereid;

namespace {
struct Options {
  cl::opt<std::string> file{cl::Positional, cl::desc("FILE"), cl::Required};
  cl::opt<std::string> kernel{cl::Positional, cl::desc("KERNEL")};
  cl::list<std::string> signature{"signature", cl::desc("types of arguments"), cl::CommaSeparated};
  cl::list<std::string> constexprs{"constexpr", cl::desc("NAME=VALUE of a meta-parameter")};
  cl::opt<unsigned> config{"config", cl::desc("entry of the autotune list"), cl::init(0)};
  cl::opt<bool> list{"list", cl::desc("list the kernels of the file")};
  cl::opt<bool> locations{"locations", cl::desc("print locations")};
  cl::list<int64_t> grid{"grid", cl::desc("run over this grid"), cl::CommaSeparated};
  cl::list<std::string> args{"arg", cl::desc("NAME=FILE.npy or NAME=NUMBER")};
  cl::opt<std::string> out{"out", cl::desc("folder for the arrays after the run")};
  cl::opt<bool> check{"check", cl::desc("checked run")};
  cl::opt<uint64_t> seed{"seed", cl::desc("shuffles the order of programs"), cl::init(0)};
};
} // namespace

static bool readPairs(const cl::list<std::string> &texts, StringRef option,
                      std::map<std::string, std::string> &pairs) {
  for (const std::string &text : texts) {
    auto [name, value] = StringRef(text).split('=');
    if (name.empty() || value.empty()) {
      errs() << "error: --" << option << " takes NAME=VALUE, found `" << text << "`\n";
      return false;
    }
    pairs[name.trim().str()] = value.trim().str();
  }
  return true;
}

static int listKernels(const triton::TritonFile &file) {
  for (const triton::KernelInfo &kernel : file.kernels()) {
    outs() << kernel.name << "(";
    ListSeparator comma;
    for (const triton::KernelParameter &parameter : kernel.parameters)
      outs() << comma << parameter.name << (parameter.isConstexpr ? ": constexpr" : "")
             << (parameter.hasDefault ? " = ..." : "");
    outs() << ")";
    if (kernel.configs)
      outs() << " with " << kernel.configs << " configurations";
    outs() << "\n";
  }
  return 0;
}

int main(int argc, char **argv) {
  Options options;
  cl::ParseCommandLineOptions(argc, argv, "Triton kernels to tile IR\n");
  nereid::Diagnostics diagnostics;
  auto file = triton::TritonFile::open(options.file, diagnostics);
  if (!file->isReadable()) {
    diagnostics.print(errs(), false);
    return 2;
  }
  if (options.list)
    return listKernels(*file);
  triton::KernelRequest request;
  request.kernel = options.kernel;
  request.config = options.config;
  if (request.kernel.empty() && !file->kernels().empty())
    request.kernel = file->kernels().back().name;
  KernelRunOptions run;
  if (!readPairs(options.signature, "signature", request.signature) ||
      !readPairs(options.constexprs, "constexpr", request.constexprs) ||
      !readPairs(options.args, "arg", run.arguments))
    return 2;
  mlir::MLIRContext context;
  auto module = file->importKernel(context, request, diagnostics);
  diagnostics.print(errs(), false);
  for (const std::string &line : file->takePrinted())
    errs() << line << "\n";
  if (failed(module))
    return 2;
  if (options.grid.empty()) {
    mlir::OpPrintingFlags flags;
    flags.enableDebugInfo(options.locations, false);
    (*module)->print(outs(), flags);
    outs() << "\n";
    return 0;
  }
  run.grid.assign(options.grid.begin(), options.grid.end());
  run.outputFolder = options.out;
  run.checked = options.check;
  run.seed = options.seed;
  return runKernelOnFiles(*(**module).getOps<mlir::func::FuncOp>().begin(), run);
}
