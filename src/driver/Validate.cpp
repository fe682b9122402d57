// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid validate`: every stage of a program over the matrix of inputs against the float64 oracle.
#include "driver/Session.h"
#include "driver/ValidateReport.h"

#include "graph/GraphOps.h"
#include "schedule/Schedule.h"
#include "sym/SymDialect.h"
#include "validate/Validate.h"

#include "llvm/Support/Process.h"
#include <chrono>

using namespace nereid;
using namespace nereid::driver;

namespace {

/// A program with one choice of element types, and what was made of it.
struct BuiltVariant {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> graph;
  std::vector<std::pair<int, mlir::OwningOpRef<mlir::ModuleOp>>> stages;
  std::vector<StageCost> costs;
};

struct Matrix {
  std::vector<BuiltVariant> variants;
  /// Element types that the program refuses, with the first reason.
  std::vector<std::pair<std::string, std::string>> refused;
};

/// The programs of a graph: several where its control flow depends on sizes or flags.
llvm::SmallVector<mlir::func::FuncOp> findPrograms(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::func::FuncOp> programs;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function->hasAttr("graph.program"))
      programs.push_back(function);
  return programs;
}

/// Whether a program exists beside another to save what gradients need.
bool isSaving(mlir::func::FuncOp program) {
  return llvm::any_of(program->getParentOfType<mlir::ModuleOp>().getOps<mlir::func::FuncOp>(),
                      [&](mlir::func::FuncOp other) {
                        auto saving = other->getAttrOfType<mlir::FlatSymbolRefAttr>("graph.saving");
                        return saving && saving.getValue() == program.getName();
                      });
}

/// The host program that the caller sees.
mlir::func::FuncOp findHost(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function->hasAttr("host.program") && !function->hasAttr("host.given") &&
        !function->hasAttr("host.gradient_of") && !function->hasAttr("host.function"))
      return function;
  return nullptr;
}

/// The element types of the floating-point inputs, scalars aside.
llvm::SmallVector<mlir::Type> floatTypesOf(mlir::func::FuncOp program) {
  llvm::SmallVector<mlir::Type> types;
  for (auto [number, type] : llvm::enumerate(program.getArgumentTypes())) {
    mlir::Type element = llvm::cast<graph::TensorType>(type).getElementType();
    if (llvm::isa<mlir::FloatType>(element) && !program.getArgAttr(number, "graph.scalar") &&
        !llvm::is_contained(types, element))
      types.push_back(element);
  }
  return types;
}

bool buildStages(BuiltVariant &variant, const ValidateOptions &options) {
  for (int stage : schedule::stages) {
    if (options.stage != 0 && options.stage != stage)
      continue;
    schedule::ScheduleOptions scheduling;
    scheduling.stage = stage;
    scheduling.device = options.device;
    schedule::ScheduleReport report;
    auto module = schedule::scheduleModule(*variant.graph, scheduling, &report);
    if (mlir::failed(module))
      return false;
    variant.costs.push_back(costOf(stage, **module, report));
    variant.stages.emplace_back(stage, std::move(*module));
  }
  return true;
}

/// Whether there is an oracle for all of a program; says where there is none.
bool canRun(mlir::ModuleOp module) {
  return !module
              .walk([](graph::CallOp call) {
                mlir::InFlightDiagnostic error = call.emitError();
                error << "'" << call.getCallee()
                      << "' is left to PyTorch, and validate runs without";
                error.attachNote() << "run the converted file: python FILE --validate compares it "
                                      "with the original";
                return mlir::WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The program as it is written, and with each usual element type in place of its own.
bool buildMatrix(Session &session, const ValidateOptions &options, Matrix &matrix) {
  auto written = session.importProgram(options.program);
  if (!written || !canRun(*written))
    return false;
  auto program = findPrograms(*written).front();
  llvm::SmallVector<mlir::Type> own = floatTypesOf(program);
  auto isUsual = [](mlir::Type type) {
    return type.isF32() || type.isF16() || type.isBF16() || type.isF64();
  };
  if (!own.empty()) {
    for (const char *type : {"f32", "f16", "bf16", "f64"}) {
      Diagnostics problems;
      if (auto graph = session.importProgram(options.program, type, problems))
        matrix.variants.push_back({type, std::move(graph), {}, {}});
      else
        matrix.refused.emplace_back(type,
                                    problems.all().empty() ? "" : problems.all().front().message);
    }
  }
  if (own.size() != 1 || !isUsual(own.front()))
    matrix.variants.push_back({"as written", std::move(written), {}, {}});
  return llvm::all_of(matrix.variants,
                      [&](BuiltVariant &variant) { return buildStages(variant, options); });
}

/// One line on a terminal that says how far the run is.
class ProgressLine {
public:
  ~ProgressLine() {
    if (!shown)
      return;
    llvm::errs() << "\r\033[K";
    llvm::errs().flush();
  }
  void show(size_t done, size_t all) {
    if (!isTerminal || std::chrono::steady_clock::now() < next)
      return;
    next = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    shown = true;
    llvm::errs() << "\r\033[Kvalidating: " << done << " of " << all << " cases";
    llvm::errs().flush();
  }

private:
  bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  bool shown = false;
  // Nothing is shown for what takes less than a second.
  std::chrono::steady_clock::time_point next =
      std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

/// Each program of each choice of types: the cases of a program, and its gradients.
std::vector<validate::Variant> listPrograms(Matrix &matrix) {
  std::vector<validate::Variant> variants;
  for (BuiltVariant &built : matrix.variants) {
    for (mlir::func::FuncOp program : findPrograms(*built.graph)) {
      std::string name = built.name;
      if (auto when = program->getAttrOfType<sym::PredAttr>("graph.when"))
        name += ", " + when.getPred().str();
      auto forward = program->getAttrOfType<mlir::FlatSymbolRefAttr>("graph.gradient_of");
      bool saves = isSaving(program), isFunction = program->hasAttr("graph.function");
      if (isFunction)
        name += ", " + program.getName().str();
      if (forward || saves)
        name += forward ? ", gradients" : ", what is saved";
      validate::Variant &variant = variants.emplace_back(name, program);
      if (forward)
        variant.forward = built.graph->lookupSymbol<mlir::func::FuncOp>(forward);
      for (auto &[number, module] : built.stages)
        variant.stages.push_back(
            {number, forward || saves || isFunction
                         ? module->lookupSymbol<mlir::func::FuncOp>(program.getName())
                         : findHost(*module)});
    }
  }
  return variants;
}

} // namespace

int driver::validate(const ValidateOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Session session;
  if (!session.knowsDevice(options.device))
    return BadInput;
  Matrix matrix;
  if (!buildMatrix(session, options, matrix))
    return session.failure();
  std::vector<nereid::validate::Variant> variants = listPrograms(matrix);
  Validation result{exportedName(*matrix.variants.front().graph),
                    Session::splitSource(options.program.source).first,
                    {},
                    matrix.refused,
                    matrix.variants.front().costs,
                    {},
                    0};
  for (const BuiltVariant &variant : matrix.variants)
    result.dtypes.push_back(variant.name);
  {
    ProgressLine line;
    result.report = nereid::validate::validateProgram(
        variants, options.largest, [&](size_t done, size_t all) { line.show(done, all); });
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.html.empty() &&
      !writeFile(options.html, toDocument(result).toHtml(), session.getDiagnostics()))
    return BadInput;
  if (options.json)
    llvm::outs() << toJson(result).dump(2) << '\n';
  else
    print(llvm::outs(), result, options.cases);
  return result.report.isValid() ? Done : AnswerIsNo;
}
