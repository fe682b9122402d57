// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid compile`: a program or kernel in one of its forms.
#include "driver/KernelSource.h"
#include "driver/Session.h"

#include "emit/Emit.h"
#include "python/Dump.h"
#include "python/Parser.h"
#include "schedule/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <nlohmann/json.hpp>

using namespace nereid;
using namespace nereid::driver;

namespace {

int finish(Session &session, const CompileOptions &options, llvm::StringRef text) {
  std::string result = text.str();
  if (options.json)
    result =
        nlohmann::json{{"source", options.program.source}, {"emit", options.emit}, {"text", result}}
            .dump(2) +
        "\n";
  return writeResult(options.output, result, session.getDiagnostics()) ? Done : BadInput;
}

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  os << '\n';
  return text;
}

int emitAst(Session &session, const CompileOptions &options) {
  auto file = session.openFile(Session::splitSource(options.program.source).first);
  if (!file)
    return session.failure();
  auto parsed = python::parseFile(file, session.getDiagnostics());
  if (!parsed)
    return session.failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  python::dumpAst(*parsed, os);
  os << '\n';
  return finish(session, options, text);
}

/// A function that is linked in has no spelling in a file of kernels: what defines it in Triton is
/// part of the source. False, with an error, where there is one.
bool checkNoExtern(Session &session, mlir::ModuleOp module) {
  mlir::WalkResult result = module.walk([&](mlir::func::CallOp call) {
    auto callee = module.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
    if (!callee || !callee.isDeclaration())
      return mlir::WalkResult::advance();
    session.getDiagnostics().error({},
                                   "the function '" + call.getCallee().str() +
                                       "' of a library that is linked in cannot be printed",
                                   "--emit tile shows where it is called");
    return mlir::WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

int emitModule(Session &session, const CompileOptions &options, mlir::ModuleOp module,
               llvm::StringRef name) {
  if (options.emit != "triton")
    return finish(session, options, print(module));
  if (!checkNoExtern(session, module))
    return session.failure();
  emit::EmitOptions emission;
  emission.source = Session::splitSource(options.program.source).first;
  emission.program = name.str();
  emission.tool = "nereid " NEREID_VERSION;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (mlir::failed(emit::emitTriton(module, os, emission)))
    return session.failure();
  return finish(session, options, text);
}

} // namespace

int driver::compile(const CompileOptions &options) {
  Session session;
  if (options.emit == "ast")
    return emitAst(session, options);
  auto [path, name] = Session::splitSource(options.program.source);
  if (!session.openFile(path))
    return session.failure();
  if (options.emit == "tile" || options.emit == "triton") {
    KernelSource kernels(session, path);
    if (kernels.isKernel(name) || !options.signature.empty()) {
      auto module = kernels.import(name, options.signature, options.constexprs);
      return module ? emitModule(session, options, *module, name) : session.failure();
    }
  }
  auto graph = session.importProgram(options.program);
  if (!graph)
    return session.failure();
  if (options.emit == "graph")
    return finish(session, options, print(*graph));
  schedule::ScheduleOptions scheduling{options.stage ? options.stage : 2, options.device};
  scheduling.describesNests = options.emit == "schedule";
  auto module = schedule::scheduleModule(*graph, scheduling);
  if (mlir::failed(module))
    return session.failure();
  if (options.emit == "schedule") {
    std::string text;
    llvm::raw_string_ostream os(text);
    schedule::printNests(**module, os);
    return finish(session, options, text);
  }
  return emitModule(session, options, **module, name);
}
