// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Session.h"

#include "driver/Gradients.h"
#include "frontend/torch/TorchFrontend.h"
#include "graph/EqualParts.h"
#include "graph/GraphDialect.h"
#include "graph/PlannedSizes.h"
#include "host/HostDialect.h"
#include "schedule/Schedule.h"
#include "sym/SymDialect.h"
#include "tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace nereid;
using namespace nereid::driver;

bool driver::wantsColour() {
  return llvm::sys::Process::StandardErrHasColors() && !std::getenv("NO_COLOR");
}

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, sym::SymDialect, tile::TileDialect, host::HostDialect,
                  graph::GraphDialect>();
  return registry;
}

Session::Session() : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  // A diagnostic shows the user's source, not our operation.
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
      return mlir::success();
    SourceLocation place = locate(diagnostic.getLocation());
    // A broken program is met once for each stage and element type.
    for (const Diagnostic &known : diagnostics.all())
      if (known.location.file == place.file && known.location.range.begin == place.range.begin &&
          known.message == diagnostic.str())
        return mlir::success();
    Diagnostic &error = diagnostics.error(place, diagnostic.str());
    for (mlir::Diagnostic &note : diagnostic.getNotes()) {
      std::string text = note.str();
      if (llvm::StringRef help = text; help.consume_front("help: "))
        error.help = help.str();
      else
        error.addNote(locate(note.getLocation()), text);
    }
    return mlir::success();
  });
}

Session::~Session() { diagnostics.print(llvm::errs(), wantsColour()); }

std::shared_ptr<SourceFile> Session::openFile(llvm::StringRef path) {
  std::shared_ptr<SourceFile> &file = opened[path.str()];
  if (!file) {
    std::string reason;
    file = readSourceFile(path, reason);
    if (!file)
      diagnostics.error({}, "cannot read '" + path.str() + "': " + reason);
  }
  return file;
}

/// The innermost place in a file that a location names.
SourceLocation Session::locate(mlir::Location location) {
  SourceLocation found;
  location->walk([&](mlir::Location part) {
    auto place = llvm::dyn_cast<mlir::FileLineColLoc>(part);
    if (!place)
      return mlir::WalkResult::advance();
    auto &file = opened[place.getFilename().str()];
    std::string reason;
    if (!file)
      file = readSourceFile(place.getFilename(), reason);
    if (!file || place.getLine() == 0 || place.getLine() > file->getLineCount())
      return mlir::WalkResult::advance();
    uint32_t offset =
        file->getLineStart(place.getLine()) + std::max<unsigned>(place.getColumn(), 1) - 1;
    found = {file.get(), {offset, offset}};
    return mlir::WalkResult::interrupt();
  });
  return found;
}

std::pair<std::string, std::string> Session::splitSource(llvm::StringRef source) {
  auto [path, name] = source.rsplit(':');
  if (name.empty() || name.contains('/') || name.contains('.'))
    return {source.str(), ""};
  return {path.str(), name.str()};
}

/// Operators that only their calls told apart.
static void shareEqualOperators(mlir::ModuleOp module) {
  mlir::IRRewriter rewriter(module.getContext());
  for (auto program : module.getOps<mlir::func::FuncOp>()) {
    mlir::DominanceInfo dominance;
    if (!program.isDeclaration())
      mlir::eliminateCommonSubExpressions(rewriter, dominance, program);
  }
}

mlir::OwningOpRef<mlir::ModuleOp> Session::importProgram(const ProgramOptions &options) {
  return importProgram(options, "", diagnostics);
}

mlir::OwningOpRef<mlir::ModuleOp> Session::importProgram(const ProgramOptions &options,
                                                         llvm::StringRef floatType,
                                                         Diagnostics &problems) {
  torch::ImportRequest request;
  std::tie(request.path, request.name) = splitSource(options.source);
  request.inputs = options.inputs;
  request.init = options.init;
  request.to = options.to;
  request.exportName = options.exportName;
  request.sizes = options.sizes;
  request.floatType = floatType.str();
  request.gradients = options.backward;
  request.checksIndices = options.debug;
  request.keepTorch = options.keepTorch;
  request.marksScopes = true;
  auto read = [&](Diagnostics &problems) -> mlir::OwningOpRef<mlir::ModuleOp> {
    auto module = torch::importProgram(&context, request, problems, files);
    if (mlir::failed(module))
      return nullptr;
    // Who names sizes means them.
    for (auto program : (*module)->getOps<mlir::func::FuncOp>()) {
      if (program.isDeclaration())
        continue;
      if (options.sizes.empty())
        graph::planSizes(program);
      graph::assumeSizes(program);
    }
    graph::outlineEqualParts(**module);
    shareEqualOperators(**module);
    if (options.backward && mlir::failed(addGradients(**module)))
      return nullptr;
    return std::move(*module);
  };
  mlir::OwningOpRef<mlir::ModuleOp> module = read(problems);
  if (!module || schedule::takesLoops(*module))
    return module;
  // Few turns are written out where the loop cannot be kept: first those of loops within loops.
  mlir::ScopedDiagnosticHandler silent(&context,
                                       [](mlir::Diagnostic &) { return mlir::success(); });
  for (torch::KeptLoops kept : {torch::KeptLoops::Outer, torch::KeptLoops::None}) {
    request.keptLoops = kept;
    Diagnostics others;
    mlir::OwningOpRef<mlir::ModuleOp> writtenOut = read(others);
    if (writtenOut && (kept == torch::KeptLoops::None || schedule::takesLoops(*writtenOut)))
      return writtenOut;
  }
  return module;
}

bool Session::knowsDevice(llvm::StringRef device) {
  if (schedule::isKnownDevice(device))
    return true;
  diagnostics.error({}, "unknown device '" + device.str() + "'", "use h200, h100, a100 or b200");
  return false;
}

std::string driver::exportedName(mlir::ModuleOp module) {
  std::string name;
  for (mlir::Operation &op : *module.getBody())
    if (auto symbol = op.getAttrOfType<mlir::StringAttr>("sym_name"))
      if (name.empty() || op.getName().getStringRef() == "host.module")
        name = symbol.str();
  return name;
}

int Session::failure() {
  if (!diagnostics.hasErrors())
    diagnostics.error({}, "nereid failed without saying why; this is a defect of nereid");
  auto isOurs = [](const Diagnostic &each) {
    return llvm::StringRef(each.help + each.message).contains("this is a defect of nereid");
  };
  return llvm::any_of(diagnostics.all(), isOurs) ? Defect : BadInput;
}

bool driver::writeFile(llvm::StringRef path, llvm::StringRef text, Diagnostics &diagnostics) {
  auto fail = [&](std::error_code code) {
    diagnostics.error({}, "cannot write '" + path.str() + "': " + code.message());
    return false;
  };
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty())
    if (std::error_code code = llvm::sys::fs::create_directories(folder))
      return fail(code);
  llvm::SmallString<128> temporary;
  int descriptor;
  if (std::error_code code = llvm::sys::fs::createUniqueFile(
          path + ".%%%%%%%%.tmp", descriptor, temporary, llvm::sys::fs::OF_None,
          llvm::sys::fs::all_read | llvm::sys::fs::all_write))
    return fail(code);
  {
    llvm::raw_fd_ostream stream(descriptor, true);
    stream << text;
    stream.close();
    if (stream.has_error()) {
      std::error_code code = stream.error();
      stream.clear_error();
      (void)llvm::sys::fs::remove(temporary);
      return fail(code);
    }
  }
  if (std::error_code code = llvm::sys::fs::rename(temporary, path)) {
    (void)llvm::sys::fs::remove(temporary);
    return fail(code);
  }
  return true;
}

bool driver::writeResult(llvm::StringRef path, llvm::StringRef text, Diagnostics &diagnostics) {
  if (!path.empty())
    return writeFile(path, text, diagnostics);
  llvm::outs() << text;
  llvm::outs().flush();
  return true;
}
