// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphCheck.h"

#include "analysis/AccessProofs.h"
#include "graph/GraphEvaluator.h"
#include "graph/GraphOps.h"
#include "schedule/Schedule.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"
#include "validate/Compare.h"
#include "validate/Inputs.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using nereid::graph::Array;
using nereid::graph::Evaluation;
using nereid::interpreter::HostValue;

namespace nereid::schedule::test {

namespace {

/// Collects diagnostics instead of printing them.
class Collector {
public:
  explicit Collector(MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          text += diagnostic.str() + "\n";
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

/// One schedule of the program.
struct Plan {
  std::string name;
  OwningOpRef<ModuleOp> module;
  func::FuncOp host;
};

/// What the evaluator says of one set of arguments.
struct Expected {
  Evaluation exact;
  std::vector<Evaluation> working;
  /// What rounding may do somewhere in the program; 0 when nothing is rounded.
  double noise = 0;
};

class Checker {
public:
  Checker(ModuleOp module, const CheckOptions &options, CheckCounts &counts)
      : module(module), options(options), counts(counts), choices(options.seed) {
    program = *module.getOps<func::FuncOp>().begin();
  }

  std::string run(llvm::ArrayRef<Sizes> sizes);

private:
  std::string makePlans();
  double findNoise(llvm::ArrayRef<Array> inputs);
  std::string prove(Plan &plan);
  std::string runPlan(const Plan &plan, llvm::ArrayRef<HostValue> arguments,
                      const Expected &expected);

  ModuleOp module;
  func::FuncOp program;
  const CheckOptions &options;
  CheckCounts &counts;
  Choices choices;
  std::vector<Plan> plans;
};

} // namespace

/// Whether two numbers are the same as far as NaN and infinities go, or both finite.
static bool isAlike(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return std::isinf(a) || std::isinf(b) ? a == b : true;
}

/// The error that working precision usually has, times a generous factor: what is looked for are
/// wrong elements, not lost digits.
static std::string compareArrays(const Array &got, const Array &exact,
                                 llvm::ArrayRef<const Array *> working, double noise) {
  if (got.shape != exact.shape || got.elementType != exact.elementType)
    return "has another shape or type";
  double usual = noise;
  for (const Array *sample : working)
    for (size_t at = 0; at < exact.reals.size(); ++at)
      if (double error = std::abs(exact.reals[at] - sample->reals[at]); std::isfinite(error))
        usual = std::max(usual, error);
  auto report = [&](int64_t at, double found, double wanted) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "element " << at << " of [";
    llvm::interleaveComma(got.shape, os);
    os << "] is " << llvm::format("%.9g, expected %.9g, usual error %.3g", found, wanted, usual);
    return text;
  };
  for (size_t at = 0; at < exact.integers.size(); ++at)
    if (got.integers[at] != exact.integers[at])
      return report(at, got.integers[at], exact.integers[at]);
  for (size_t at = 0; at < exact.reals.size(); ++at) {
    double found = got.reals[at], wanted = exact.reals[at];
    // Where working precision leaves the range, either is right.
    bool isClear = llvm::all_of(
        working, [&](const Array *sample) { return isAlike(wanted, sample->reals[at]); });
    if (!isAlike(found, wanted) && isClear)
      return report(at, found, wanted);
    if (!std::isfinite(found) || !std::isfinite(wanted))
      continue;
    double allowed = 50 * usual + 4 * validate::unitInLastPlace(wanted, got.elementType);
    if (std::abs(found - wanted) > allowed && isClear)
      return report(at, found, wanted);
  }
  return "";
}

/// What a rounding of the program's greatest number is: a
/// difference of large numbers that are computed twice is no smaller. Zero for a program whose
/// samples of working precision are the oracle in every value.
double Checker::findNoise(llvm::ArrayRef<Array> inputs) {
  OwningOpRef<ModuleOp> copy = module.clone();
  func::FuncOp all = *copy->getOps<func::FuncOp>().begin();
  llvm::SmallVector<mlir::Value> values;
  bool isWide = true;
  for (Operation &op : all.front().without_terminator())
    for (mlir::Value value : op.getResults()) {
      Type element = cast<graph::TensorType>(value.getType()).getElementType();
      if (isa<FloatType>(element))
        values.push_back(value);
      isWide &= element.isF64() || !isa<FloatType>(element);
    }
  all.front().getTerminator()->setOperands(values);
  all.setType(
      FunctionType::get(copy->getContext(), all.getArgumentTypes(), ValueRange(values).getTypes()));
  std::string reason;
  auto exact = evaluateProgram(all, inputs, reason);
  auto working = evaluateProgram(all, inputs, reason, graph::Precision::Working, 1);
  if (failed(exact) || failed(working))
    return 0;
  double greatest = 1;
  // The values inside of composites are not seen.
  bool isExact = !isWide && all.getOps<graph::CompositeOp>().empty();
  for (auto [a, b] : llvm::zip_equal(exact->results, working->results))
    for (auto [x, y] : llvm::zip_equal(a.reals, b.reals)) {
      if (std::isfinite(x))
        greatest = std::max(greatest, std::abs(x));
      isExact &= x == y || !std::isfinite(x);
    }
  return isExact ? 0 : greatest * (isWide ? 1e-14 : 2e-7);
}

std::string Checker::makePlans() {
  constexpr unsigned known = std::size(stages);
  for (unsigned number = 0; number < known + options.schedules; ++number) {
    ScheduleOptions schedule;
    schedule.stage = stages[std::min(number, known - 1)];
    Plan plan;
    plan.name = "stage " + std::to_string(schedule.stage);
    std::mt19937_64 engine(options.seed * 31 + number);
    if (number >= known) {
      plan.name = "random schedule " + std::to_string(number - known);
      schedule.choose = [&engine](unsigned count) { return unsigned(engine() % count); };
    }
    Collector said(module.getContext());
    auto scheduled = scheduleModule(module, schedule);
    if (failed(scheduled))
      return plan.name + " cannot be scheduled: " + said.text;
    plan.module = std::move(*scheduled);
    for (auto function : plan.module->getOps<func::FuncOp>()) {
      if (function->hasAttr("host.program"))
        plan.host = function;
      else
        ++counts.kernels;
    }
    plans.push_back(std::move(plan));
  }
  return "";
}

/// Every access of every launch stays inside its tensor, and no two programs write one element.
std::string Checker::prove(Plan &plan) {
  std::string problem;
  plan.module->walk([&](host::LaunchOp launch) {
    auto kernel = plan.module->lookupSymbol<func::FuncOp>(launch.getKernel());
    auto config = tile::getConfig(kernel, DictionaryAttr::get(module.getContext()));
    analysis::LaunchContract contract = analysis::contractsOf(launch, config).front();
    for (const auto &verdict : analysis::proveAccesses(kernel, contract)) {
      if (verdict.verdict == analysis::Verdict::Proved) {
        ++counts.proved;
        continue;
      }
      bool isWrong = verdict.verdict == analysis::Verdict::Counterexample;
      counts.unknown += !isWrong;
      if (!isWrong && std::getenv("NEREID_RANDOM_SHOW"))
        llvm::errs() << plan.name << " " << kernel.getName() << ": " << verdict.reason << "\n";
      if (isWrong && std::getenv("NEREID_RANDOM_SHOW"))
        kernel.print(llvm::errs());
      if (isWrong && problem.empty())
        problem = plan.name + ": an access of " + kernel.getName().str() +
                  " is refuted: " + verdict.reason;
    }
  });
  return problem;
}

static Array toArray(const HostValue &value, Type type) {
  return validate::toArray(value, cast<graph::TensorType>(type));
}

std::string Checker::runPlan(const Plan &plan, llvm::ArrayRef<HostValue> arguments,
                             const Expected &expected) {
  std::vector<std::vector<char>> first;
  for (bool checked : {true, false}) {
    std::vector<HostValue> own;
    for (const HostValue &argument : arguments)
      own.push_back(validate::cloneValue(argument));
    interpreter::RunOptions run;
    run.checked = checked;
    run.seed = checked ? 0 : options.seed + 1;
    run.maxFindings = 1;
    Collector said(module.getContext());
    auto ran = interpreter::runHost(plan.host, own, run);
    ++counts.runs;
    if (failed(ran))
      return "cannot be run: " + said.text;
    if (!ran->failedCheck.empty())
      return "refuses the inputs: " + ran->failedCheck;
    if (!ran->findings.empty()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      interpreter::print(ran->findings.front(), os);
      return text;
    }
    std::vector<std::vector<char>> bytes;
    auto judge = [&](const HostValue &value, Type type, const Array &exact,
                     llvm::ArrayRef<const Array *> working) {
      Array got = toArray(value, type);
      bytes.push_back(graph::toBytes(got));
      return checked ? compareArrays(got, exact, working, expected.noise) : std::string();
    };
    for (auto [number, value] : llvm::enumerate(ran->results)) {
      llvm::SmallVector<const Array *> working;
      for (const Evaluation &sample : expected.working)
        working.push_back(&sample.results[number]);
      std::string problem =
          judge(value, program.getResultTypes()[number], expected.exact.results[number], working);
      if (!problem.empty())
        return "result " + std::to_string(number) + ": " + problem;
    }
    for (auto [number, assigned] : llvm::enumerate(expected.exact.assigned)) {
      llvm::SmallVector<const Array *> working;
      for (const Evaluation &sample : expected.working)
        working.push_back(&sample.assigned[number].second);
      std::string problem = judge(own[assigned.first], program.getArgumentTypes()[assigned.first],
                                  assigned.second, working);
      if (!problem.empty())
        return "argument " + std::to_string(assigned.first) + " afterwards: " + problem;
    }
    if (!checked && bytes != first)
      return "programs in another order give other bits";
    first = std::move(bytes);
  }
  return "";
}

std::string Checker::run(llvm::ArrayRef<Sizes> sizes) {
  Collector said(module.getContext());
  if (failed(verify(module)))
    return "the graph is not valid: " + said.text;
  if (std::string problem = makePlans(); !problem.empty())
    return problem;
  if (options.prove)
    for (Plan &plan : plans)
      if (std::string problem = prove(plan); !problem.empty())
        return problem;
  for (const Sizes &values : sizes)
    for (bool contiguous : {true, false}) {
      std::vector<HostValue> arguments = makeArguments(program, values, contiguous, choices);
      std::vector<Array> arrays;
      for (auto [value, type] : llvm::zip_equal(arguments, program.getArgumentTypes()))
        arrays.push_back(toArray(value, type));
      std::string reason;
      auto exact = evaluateProgram(program, arrays, reason);
      if (failed(exact))
        return "cannot be evaluated: " + reason;
      Expected expected{std::move(*exact), {}, findNoise(arrays)};
      for (auto [precision, sample] :
           {std::pair(graph::Precision::Working, 0), std::pair(graph::Precision::Working, 1),
            std::pair(graph::Precision::Working, 2), std::pair(graph::Precision::Fused, 0)})
        expected.working.push_back(*evaluateProgram(program, arrays, reason, precision, sample));
      for (const Plan &plan : plans) {
        std::string problem = runPlan(plan, arguments, expected);
        if (!problem.empty())
          return plan.name + (contiguous ? ", contiguous inputs, " : ", strided inputs, ") +
                 print({}, values) + ": " + problem;
      }
    }
  return "";
}

std::string checkGraph(ModuleOp module, llvm::ArrayRef<Sizes> sizes, const CheckOptions &options,
                       CheckCounts &counts) {
  return Checker(module, options, counts).run(sizes);
}

std::string print(ModuleOp module, llvm::ArrayRef<Sizes> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Sizes &values : sizes) {
    llvm::SmallVector<std::pair<index::Expr, int64_t>> sorted(values.begin(), values.end());
    llvm::sort(sorted, [](auto &a, auto &b) { return a.first.getName() < b.first.getName(); });
    llvm::interleaveComma(
        sorted, os, [&](auto &entry) { os << entry.first.getName() << " = " << entry.second; });
    if (module)
      os << "\n";
  }
  if (module)
    module.print(os);
  return text;
}

} // namespace nereid::schedule::test
