// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/TorchFrontend.h"

#include "frontend/torch/ProgramImport.h"
#include "graph/GraphOps.h"
#include "host/HostOps.h"

using namespace llvm;

namespace nereid::torch {

namespace {

/// What a finished import leaves behind: the machine owns the source files of the diagnostics, and
/// dies before the library that its values refer to.
struct Session {
  Session(mlir::MLIRContext *context, const ImportRequest &request, Diagnostics &diagnostics)
      : request(request), import(context, this->request, diagnostics) {}
  ImportRequest request;
  ProgramImport import;
  Machine machine;
};

} // namespace

mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importProgram(mlir::MLIRContext *context, const ImportRequest &request, Diagnostics &diagnostics,
              std::vector<std::shared_ptr<const void>> &files) {
  context->loadDialect<graph::GraphDialect, host::HostDialect, mlir::func::FuncDialect>();
  auto session = std::make_shared<Session>(context, request, diagnostics);
  files.push_back(session);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  session->machine.session([&] { module = session->import.run(session->machine); });
  if (session->machine.pending())
    session->machine.report(diagnostics);
  if (!module || diagnostics.hasErrors())
    return mlir::failure();
  return module;
}

} // namespace nereid::torch
