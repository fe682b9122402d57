// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/Schedule.h"

#include "graph/transforms/ScatterLowering.h"
#include "graph/transforms/SortLowering.h"
#include "schedule/SharedForward.h"
#include "schedule/host/Dispatch.h"
#include "schedule/host/EqualKernels.h"
#include "schedule/host/HostBuilder.h"
#include "schedule/host/HostLoops.h"
#include "schedule/host/LoopsAtOnce.h"
#include "schedule/nest/Contraction.h"
#include "schedule/nest/LoopNest.h"
#include "schedule/nest/TurnKernel.h"
#include "schedule/partition/Roundings.h"
#include "schedule/rewrites/AxisOrders.h"
#include "schedule/rewrites/FunctionOrders.h"
#include "schedule/rewrites/Joins.h"
#include "schedule/rewrites/PaddedTerms.h"
#include "schedule/rewrites/Relayouts.h"
#include "schedule/rewrites/ScaledFactors.h"
#include "schedule/rewrites/SplitFolds.h"
#include "schedule/rewrites/Widenings.h"

#include "mlir/IR/Verifier.h"
#include "sym/SymDialect.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace nereid::schedule {

bool isKnownDevice(llvm::StringRef name) { return findDevice(name) != nullptr; }

/// Adds a call of PyTorch, whose results are one line of the report.
static void addCall(const Program &program, const Value &value, const KernelCost &cost,
                    ScheduleReport &report) {
  auto op = dyn_cast<graph::CallOp>(value.op);
  // Functions and bodies of loops are scheduled, and reported, by themselves.
  if (!op)
    return;
  Expr bytes = KernelCost::total(cost.bytes, *program.context);
  CallReport call{op.getCallee().str(), "", bool(op.getTo()),
                  program.sizeForms.outward(bytes).str(), program.estimate(bytes)};
  if (auto place = value.loc->findInstanceOf<FileLineColLoc>())
    call.place = (llvm::sys::path::filename(place.getFilename().getValue()) + ":" +
                  llvm::Twine(place.getLine()))
                     .str();
  report.calls.push_back(std::move(call));
}

static void fillReport(const Program &program, const Partition &parts, const HostBuilder &host,
                       const Device &device, ScheduleReport &report) {
  llvm::DenseSet<Operation *> called;
  for (auto [number, kernel] : llvm::enumerate(parts.kernels)) {
    KernelCost cost = estimateCost(program, kernel, parts.stored, device);
    if (const Value &value = *kernel.outputs.front().value; kernel.isCall()) {
      if (called.insert(value.op).second)
        addCall(program, value, cost, report);
      continue;
    }
    Expr bytes = KernelCost::total(cost.bytes, *program.context);
    Expr flops = KernelCost::total(cost.flops, *program.context);
    report.kernels.push_back({kernel.outputs.back().value->name, host.getFunctions(number),
                              program.sizeForms.outward(bytes).str(),
                              program.sizeForms.outward(flops).str(), program.estimate(bytes),
                              program.estimate(flops), cost.microseconds, cost.terms});
  }
  for (const MadeMove &move : parts.moves) {
    constexpr const char *names[] = {"inline", "join", "carry", "store"};
    MoveReport &reported = report.moves.emplace_back();
    reported.move = names[move.kind];
    reported.microseconds = move.gain;
    for (const Value *value : move.values)
      reported.values.push_back(value->name);
  }
  llvm::DenseSet<const Value *> counted;
  auto count = [&](const Value *value) {
    if (counted.insert(value).second)
      report.leastBytes += program.estimateElements(value->shape) * value->getElementBytes();
  };
  for (const Value &value : program.values)
    forEachAccess(value, [&](const Access &access) {
      if (access.from->kind == ValueKind::Input)
        count(access.from);
    });
  for (const Result &result : program.results)
    count(result.value);
}

/// The bytes of what is returned, at the planned sizes; what is a view of an argument has none.
static llvm::SmallVector<int64_t> countResultBytes(const Program &program) {
  llvm::SmallVector<int64_t> bytes;
  for (const Result &result : program.results)
    if (result.assignedArgument < 0)
      bytes.push_back(program.estimateElements(result.value->shape) *
                      result.value->getElementBytes());
  for (const ViewedResult &result : program.views)
    bytes.insert(bytes.begin() + result.place, 0);
  return bytes;
}

static void append(const ScheduleReport &part, ScheduleReport &whole) {
  llvm::append_range(whole.calls, part.calls);
  llvm::append_range(whole.kernels, part.kernels);
  llvm::append_range(whole.moves, part.moves);
  whole.leastBytes += part.leastBytes;
}

/// Names the functions that are left, each once.
static void renameFunctions(ScheduleReport &report, const llvm::StringMap<std::string> &merged) {
  for (KernelReport &kernel : report.kernels) {
    std::vector<std::string> left;
    for (const std::string &name : kernel.functions) {
      auto found = merged.find(name);
      const std::string &launched = found == merged.end() ? name : found->second;
      if (!llvm::is_contained(left, launched))
        left.push_back(launched);
    }
    kernel.functions = std::move(left);
  }
}

/// The program without scatters that need a sort, and without sorts but of integers; null where it
/// has none.
static OwningOpRef<func::FuncOp> lowerDearOperators(func::FuncOp func,
                                                    const ScheduleOptions &options) {
  OwningOpRef<func::FuncOp> lowered;
  if (graph::needsScatterLowering(func)) {
    lowered = func.clone();
    func = *lowered;
    graph::lowerScatters(func, {options.choose, options.allowNondeterministic});
  }
  // What a scatter asks to be sorted, too.
  if (graph::needsSortLowering(func)) {
    if (!lowered)
      lowered = func.clone();
    graph::lowerSorts(*lowered);
  }
  return lowered;
}

void printNests(ModuleOp scheduled, llvm::raw_ostream &os) {
  llvm::ListSeparator line("\n");
  for (func::FuncOp func : scheduled.getOps<func::FuncOp>()) {
    if (!func->hasAttr(tile::kernelAttrName))
      continue;
    os << line;
    if (auto nest = func->getAttrOfType<StringAttr>(nestAttrName))
      os << nest.getValue();
    else
      os << func.getName() << ":\n  a network of comparisons, without loops of a schedule\n";
  }
}

bool takesLoops(ModuleOp module) {
  ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic &) { return success(); });
  module.getContext()->loadDialect<sym::SymDialect>();
  return llvm::all_of(module.getOps<func::FuncOp>(), [](func::FuncOp func) {
    bool hasLoops =
        func.walk([](graph::LoopOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!hasLoops || !func->hasAttr("graph.program"))
      return true;
    OwningOpRef<func::FuncOp> lowered = lowerDearOperators(func, {});
    func = lowered ? *lowered : func;
    Program program;
    for (graph::LoopOp loop : findHostLoops(func))
      (void)outlineBody(loop, "turn", program.hostLoops[loop]);
    return succeeded(buildProgram(func, program)) && !findUnmadeLoop(program);
  });
}

namespace {

/// Schedules the programs of a module, and the bodies of loops that are loops of launches.
class Scheduler {
public:
  Scheduler(const ScheduleOptions &options, const Device &device, ModuleOp result)
      : options(options), device(device), result(result) {}

  LogicalResult run(func::FuncOp func, ScheduledProgram &scheduled);

private:
  LogicalResult scheduleBodies(func::FuncOp func, HostLoops &loops, ScheduleReport &report);

  const ScheduleOptions &options;
  const Device &device;
  ModuleOp result;
  llvm::StringMap<SharedCasts> sharedCasts;
};

} // namespace

/// Their kernels are those of the program in the report.
LogicalResult Scheduler::scheduleBodies(func::FuncOp func, HostLoops &loops,
                                        ScheduleReport &report) {
  for (graph::LoopOp loop : findHostLoops(func)) {
    HostLoop &info = loops[loop];
    OwningOpRef<func::FuncOp> body = outlineBody(loop, (func.getName() + "_turn").str(), info);
    ScheduledProgram scheduled;
    if (failed(run(*body, scheduled)))
      return failure();
    info.body = scheduled.func;
    append(scheduled.report, report);
  }
  return success();
}

LogicalResult Scheduler::run(func::FuncOp func, ScheduledProgram &scheduled) {
  OwningOpRef<func::FuncOp> lowered = lowerDearOperators(func, options);
  if (lowered)
    func = *lowered;
  Program program;
  program.policy = Policy(options.stage, device, options.choose);
  program.describesNests = options.describesNests;
  if (failed(scheduleBodies(func, program.hostLoops, scheduled.report)) ||
      failed(buildProgram(func, program)))
    return failure();
  auto gradientOf = func->getAttrOfType<FlatSymbolRefAttr>("graph.gradient_of");
  settleRoundings(program, gradientOf ? sharedCasts[gradientOf.getValue()] : SharedCasts());
  findShownAsHalves(program);
  widenBehindChoices(program);
  settlePrecision(program);
  keepTermsInline(program);
  if (program.policy.allows(MoveKind::AxisOrders))
    settleAxisOrders(program);
  if (program.policy.allows(MoveKind::Relayouts)) {
    addRelayouts(program);
    padTerms(program);
  }
  if (program.policy.allows(MoveKind::StoredHalves))
    scaleFactors(program);
  if (program.policy.has(MoveKind::Joins))
    findJoins(program);
  if (program.policy.allows(MoveKind::SplitFolds))
    splitFolds(program, device);
  Partition parts = partition(program);
  if (func->hasAttr("graph.backward"))
    sharedCasts[func.getName()] = findRoundings(program, parts.stored);
  HostBuilder host(program, parts, result);
  FailureOr<func::FuncOp> built = host.build();
  if (failed(built))
    return failure();
  for (auto &[loop, info] : program.hostLoops)
    info.body.erase();
  if (program.policy.allows(MoveKind::TurnsAtOnce))
    makeTurnsAtOnce(*built, program);
  finishCase(func, *built);
  scheduled.func = *built;
  scheduled.resultBytes = countResultBytes(program);
  fillReport(program, parts, host, device, scheduled.report);
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> scheduleModule(ModuleOp module, const ScheduleOptions &options,
                                                ScheduleReport *report) {
  const Device *device = findDevice(options.device);
  if (!device)
    return module.emitError() << "unknown device '" << options.device << "'";
  MLIRContext *context = module.getContext();
  context->loadDialect<host::HostDialect, tile::TileDialect, arith::ArithDialect, math::MathDialect,
                       scf::SCFDialect, sym::SymDialect>();
  OwningOpRef<ModuleOp> reordered =
      settleFunctionOrders(module, Policy(options.stage, *device, options.choose));
  if (reordered)
    module = *reordered;
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  llvm::SmallVector<func::FuncOp> declarations;
  Scheduler scheduler(options, *device, *result);
  std::vector<ScheduledProgram> programs;
  for (Operation &op : *module.getBody()) {
    auto func = dyn_cast<func::FuncOp>(op);
    if (func && func->hasAttr("graph.cases"))
      declarations.push_back(func);
    if (func && func->hasAttr("graph.program")) {
      if (failed(scheduler.run(func, programs.emplace_back())))
        return failure();
    } else if (isa<host::ModuleOp>(op)) {
      result->getBody()->push_back(op.clone());
    }
  }
  shareForwards(programs, *device);
  llvm::StringMap<std::string> merged = mergeEqualKernels(*result);
  if (report) {
    for (const ScheduledProgram &program : programs)
      append(program.report, *report);
    renameFunctions(*report, merged);
  }
  for (func::FuncOp declaration : declarations)
    buildDispatch(declaration, *result);
  if (failed(verify(*result)))
    return failure();
  return result;
}

} // namespace nereid::schedule
