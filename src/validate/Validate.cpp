// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/Validate.h"

#include "graph/GraphEvaluator.h"
#include "graph/GraphOps.h"
#include "host/HostOps.h"
#include "validate/Inputs.h"
#include "validate/StageRun.h"

#include "llvm/Support/Format.h"

#include <chrono>
#include <set>
#include <tuple>

using namespace llvm;
using namespace mlir;
using namespace nereid::interpreter;

namespace nereid::validate {

bool Report::isValid() const {
  return all_of(stages, [](const StageReport &stage) { return stage.failed == 0; });
}

namespace {

constexpr size_t mostFailures = 10;
/// Checked runs are slower: they are made at the sizes up to this.
constexpr int64_t checkedSize = 64;

/// A stage that takes longer for one run at a million elements is not run there again.
constexpr std::chrono::seconds longRun(3);

/// What the oracle says about a case.
struct Expected {
  std::vector<graph::Array> arguments;
  graph::Evaluation exact;
  std::vector<graph::Evaluation> working;
  /// Asked for where a result breaks the bound: more samples, which decide ties and comparisons
  /// either way.
  std::vector<graph::Evaluation> deciding;
  /// Asked for with them: what it is where numbers beyond an integer type become the nearest one,
  /// which have no value in PyTorch. Nothing or one.
  std::vector<graph::Evaluation> saturating;
};

/// How many samples of working precision tell its usual error; of many elements one suffices.
constexpr uint64_t samples = 3;

/// How many more samples decide where rounding does, and how much memory they may take.
constexpr uint64_t decidingSamples = 48;
constexpr int64_t decidingElements = int64_t(1) << 26;
/// A result of which more elements hang on rounding says nothing.
constexpr double mostUndecided = 0.1;

class Validator {
public:
  Validator(ArrayRef<Variant> variants, Report &report) : variants(variants), report(report) {}

  void runCase(const Case &one, int64_t largest);

private:
  void runStages(const Case &one, int64_t largest, CaseReport &result);
  const SizeChoice &choiceFor(const Case &one);
  std::optional<Expected> evaluate(const Case &one, ArrayRef<HostValue> arguments,
                                   std::string &reason);
  Outcome judge(const Stage &stage, const Variant &variant, const Case &one,
                ArrayRef<HostValue> arguments, Expected &expected);
  std::string compareAll(const Run &run, const Variant &variant, const Expected &expected,
                         Worst &worst);
  using Samples = SmallVector<const graph::Array *>;
  std::string compareOne(const HostValue &value, Type type, const graph::Array &exact,
                         const Samples &working, const Samples &deciding, const std::string &output,
                         Worst &worst);
  void askDeciding(const Variant &variant, Expected &expected);
  void skip(CaseReport &result, const std::string &reason);
  void count(const CaseReport &result);

  ArrayRef<Variant> variants;
  Report &report;
  std::map<std::tuple<unsigned, int64_t, int64_t>, SizeChoice> choices;
  /// Stages of which one run at a million elements was long.
  std::set<int> slow;
  std::string where;
};

} // namespace

static std::string nameOf(func::FuncOp program, unsigned argument) {
  return program.getArgAttrOfType<StringAttr>(argument, "graph.name").getValue().str();
}

const SizeChoice &Validator::choiceFor(const Case &one) {
  auto [at, isNew] = choices.try_emplace({one.variant, one.size, one.batch});
  if (!isNew)
    return at->second;
  const Variant &variant = variants[one.variant];
  SmallVector<index::Pred> kernelChecks;
  SmallVector<index::Pred> limits;
  for (const Stage &stage : variant.stages)
    if (stage.host)
      func::FuncOp(stage.host).walk([&](host::CheckOp check) {
        kernelChecks.push_back(check.getPred().getPred());
        if (check->hasAttr(host::limitAttrName))
          limits.push_back(check.getPred().getPred());
      });
  at->second = chooseSizes(variant.forward ? variant.forward : variant.program, one.size, one.batch,
                           kernelChecks, limits);
  return at->second;
}

std::optional<Expected> Validator::evaluate(const Case &one, ArrayRef<HostValue> arguments,
                                            std::string &reason) {
  std::vector<graph::Array> arrays;
  func::FuncOp program = variants[one.variant].program;
  for (auto [value, type] : zip(arguments, program.getArgumentTypes()))
    arrays.push_back(toArray(value, cast<graph::TensorType>(type)));
  auto exact = evaluateProgram(program, arrays, reason);
  if (failed(exact))
    return std::nullopt;
  Expected expected{std::move(arrays), std::move(*exact), {}, {}, {}};
  for (uint64_t sample = 0, count = one.isLarge() ? 1 : samples; sample < count; ++sample) {
    uint64_t disturbance = sample + one.isLarge();
    auto working = evaluateProgram(
        program, disturbance ? disturb(expected.arguments, disturbance) : expected.arguments,
        reason, graph::Precision::Working, sample);
    if (failed(working))
      return std::nullopt;
    expected.working.push_back(std::move(*working));
  }
  // A fused kernel rounds less often, but not where a half result happens to be exact.
  auto fused = evaluateProgram(program, expected.arguments, reason, graph::Precision::Fused);
  if (failed(fused))
    return std::nullopt;
  expected.working.push_back(std::move(*fused));
  // Infinities and NaN that a mask hides may be looked at, or not.
  bool hides = program
                   .walk([](graph::WhereOp op) {
                     return op.getHides() ? WalkResult::interrupt() : WalkResult::advance();
                   })
                   .wasInterrupted();
  if (!hides)
    return expected;
  auto unread = evaluateProgram(program, expected.arguments, reason, graph::Precision::Unread);
  if (failed(unread))
    return std::nullopt;
  expected.working.push_back(std::move(*unread));
  return expected;
}

/// Evaluates the samples that decide ties and comparisons one way or the other.
void Validator::askDeciding(const Variant &variant, Expected &expected) {
  int64_t elements = 1;
  for (const graph::Array &result : expected.exact.results)
    elements += result.size();
  uint64_t count = std::min<uint64_t>(decidingSamples, decidingElements / elements);
  std::string reason;
  for (uint64_t sample = 0; sample < count; ++sample) {
    constexpr graph::Precision turns[] = {graph::Precision::Mixed, graph::Precision::Working,
                                          graph::Precision::Mixed, graph::Precision::Fused};
    graph::Precision precision = turns[sample % 4];
    auto more = evaluateProgram(variant.program, expected.arguments, reason, precision,
                                samples + 1 + sample);
    if (succeeded(more))
      expected.deciding.push_back(std::move(*more));
  }
  auto saturating =
      evaluateProgram(variant.program, expected.arguments, reason, graph::Precision::Saturating);
  if (succeeded(saturating))
    expected.saturating.push_back(std::move(*saturating));
}

std::string Validator::compareOne(const HostValue &value, Type type, const graph::Array &exact,
                                  const Samples &working, const Samples &deciding,
                                  const std::string &output, Worst &worst) {
  Comparison comparison =
      compare(toArray(value, cast<graph::TensorType>(type)), exact, working, deciding);
  // A real number that is a sample's within the bound is right; one integer in two may be by luck.
  if (!exact.isFloat() && double(comparison.undecided) > mostUndecided * double(exact.size()) + 1)
    return output + ": " + std::to_string(comparison.undecided) + " of " +
           std::to_string(exact.size()) + " elements hang on how intermediate results round";
  if (comparison.worstAt >= 0 && (worst.output.empty() || comparison.ratio > worst.element.ratio))
    worst = {comparison, where, output};
  if (comparison.succeeded())
    return "";
  if (!comparison.mismatch.empty())
    return output + ": " + comparison.mismatch;
  std::string text;
  raw_string_ostream os(text);
  os << output << ": " << comparison.wrong << " of " << exact.size()
     << " elements are wrong; element " << comparison.worstAt << " is "
     << format("%.9g, expected %.9g", comparison.got, comparison.wanted);
  if (comparison.allowed > 0)
    os << format(" (error %.3g, allowed %.3g)", comparison.error, comparison.allowed);
  return text;
}

std::string Validator::compareAll(const Run &run, const Variant &variant, const Expected &expected,
                                  Worst &worst) {
  func::FuncOp program = variant.program;
  if (run.results.size() != expected.exact.results.size())
    return "it returns " + std::to_string(run.results.size()) + " values, expected " +
           std::to_string(expected.exact.results.size());
  auto pick = [](const std::vector<graph::Evaluation> &evaluations, auto choose) {
    Samples samples;
    for (const graph::Evaluation &sample : evaluations)
      samples.push_back(&choose(sample));
    return samples;
  };
  auto judgeOne = [&](const HostValue &value, Type type, const std::string &output, auto choose) {
    const graph::Array &exact = choose(expected.exact);
    Samples working = pick(expected.working, choose), deciding = pick(expected.deciding, choose);
    // Of real numbers it must not tell the usual error.
    append_range(exact.isFloat() ? deciding : working, pick(expected.saturating, choose));
    return compareOne(value, type, exact, working, deciding, output, worst);
  };
  for (auto [number, value] : enumerate(run.results)) {
    std::string problem =
        judgeOne(value, program.getResultTypes()[number], "result " + std::to_string(number),
                 [number = number](const graph::Evaluation &all) -> const graph::Array & {
                   return all.results[number];
                 });
    if (!problem.empty())
      return problem;
  }
  for (size_t place = 0; place < expected.exact.assigned.size(); ++place) {
    unsigned argument = expected.exact.assigned[place].first;
    std::string problem = judgeOne(run.arguments[argument], program.getArgumentTypes()[argument],
                                   "'" + nameOf(program, argument) + "' afterwards",
                                   [place](const graph::Evaluation &all) -> const graph::Array & {
                                     return all.assigned[place].second;
                                   });
    if (!problem.empty())
      return problem;
  }
  return "";
}

/// What a run that came to no results says of the stage.
static Outcome stoppedAt(Run run, const std::string &when) {
  Outcome outcome;
  bool isRefused = run.kind == Run::Refused;
  outcome.status = isRefused ? Outcome::Skipped : Outcome::Failed;
  outcome.kind = run.kind == Run::NotSupported ? Outcome::NotSupported
                 : run.kind == Run::Rejected   ? Outcome::Rejected
                                               : Outcome::Stopped;
  outcome.problem = when + run.problem;
  outcome.finding = std::move(run.finding);
  outcome.error = std::move(run.error);
  return outcome;
}

static Outcome failure(Outcome::Kind kind, const std::string &problem) {
  Outcome outcome;
  outcome.status = Outcome::Failed;
  outcome.kind = kind;
  outcome.problem = problem;
  return outcome;
}

Outcome Validator::judge(const Stage &stage, const Variant &variant, const Case &one,
                         ArrayRef<HostValue> arguments, Expected &expected) {
  bool checked = one.size >= 0 && one.size <= checkedSize && one.batch != largeBatch;
  auto start = std::chrono::steady_clock::now();
  Run first = runStage(stage, arguments, checked, 0);
  if (one.isLarge() && std::chrono::steady_clock::now() - start > longRun)
    slow.insert(stage.number);
  if (!first.problem.empty())
    return stoppedAt(std::move(first), "");
  if (std::string hole = checked && stage.run ? findUndefined(first) : ""; !hole.empty())
    return failure(Outcome::Undefined, hole);
  Outcome outcome;
  outcome.status = Outcome::Passed;
  outcome.problem = compareAll(first, variant, expected, outcome.worst);
  if (!outcome.problem.empty() && expected.deciding.empty()) {
    askDeciding(variant, expected);
    outcome.worst = Worst();
    outcome.problem = compareAll(first, variant, expected, outcome.worst);
  }
  if (!outcome.problem.empty()) {
    outcome.status = Outcome::Failed;
    return outcome;
  }
  auto isAssigned = [&](unsigned number) {
    return any_of(expected.exact.assigned, [&](const auto &a) { return a.first == number; });
  };
  for (auto [number, value] : enumerate(first.arguments))
    if (!isAssigned(number) && !haveEqualBytes(value, arguments[number]))
      return failure(Outcome::WritesInput,
                     "it writes to its input '" + nameOf(variant.program, number) + "'");
  // Once is enough of what takes long.
  if (one.isLarge() && (one.layout != Layout::Contiguous || slow.count(stage.number)))
    return outcome;
  Run second = runStage(stage, arguments, false, 0x5eed);
  if (!second.problem.empty())
    return stoppedAt(std::move(second), "in a second run, ");
  if (std::string difference = findDifference(first, second); !difference.empty()) {
    Outcome unsteady = failure(Outcome::Unsteady, difference);
    unsteady.isRightEachTime = compareAll(second, variant, expected, unsteady.worst).empty();
    return unsteady;
  }
  return outcome;
}

void Validator::skip(CaseReport &result, const std::string &reason) {
  ++report.skips[reason];
  result.skipped = reason;
}

/// Adds a case to the sums of its stages.
void Validator::count(const CaseReport &result) {
  for (auto [stage, outcome] : zip_equal(report.stages, result.outcomes)) {
    ++(outcome.status == Outcome::Passed   ? stage.passed
       : outcome.status == Outcome::Failed ? stage.failed
                                           : stage.skipped);
    if (outcome.status == Outcome::Failed && stage.failures.size() < mostFailures)
      stage.failures.push_back({where, outcome.problem});
    if (!outcome.worst.output.empty() &&
        (stage.worst.output.empty() || outcome.worst.element.ratio > stage.worst.element.ratio))
      stage.worst = outcome.worst;
  }
}

void Validator::runCase(const Case &one, int64_t largest) {
  const Variant &variant = variants[one.variant];
  CaseReport &result = report.cases.emplace_back(CaseReport{one, variant.name, "", "", {}});
  result.outcomes.resize(report.stages.size());
  runStages(one, largest, result);
  count(result);
}

void Validator::runStages(const Case &one, int64_t largest, CaseReport &result) {
  const Variant &variant = variants[one.variant];
  if (one.elements() > largest)
    return skip(result, "of more than " + std::to_string(largest) + " elements");
  const SizeChoice &choice = choiceFor(one);
  if (!choice.refusal.empty())
    return skip(result, "size " + getSizeName(one.size) + ": " + choice.refusal);
  result.sizes = choice.str();
  where = variant.name + ", " + getName(one.pattern).str() + ", " + getName(one.layout).str() +
          ", size " + getSizeName(one.size);
  if (!result.sizes.empty())
    where += " (" + result.sizes + ")";
  std::string reason;
  std::vector<HostValue> arguments;
  std::optional<Expected> expected;
  if (!variant.forward)
    arguments = makeArguments(variant.program, one, choice);
  else if (auto made = makeBackwardArguments(variant.program, variant.forward, one, choice, reason))
    arguments = std::move(*made);
  if (reason.empty())
    expected = evaluate(one, arguments, reason);
  if (StringRef(reason).starts_with(graph::refusedIndex))
    return skip(result, reason);
  for (auto [number, outcome] : enumerate(result.outcomes)) {
    int stage = report.stages[number].stage;
    if (one.isLarge() && slow.count(stage)) {
      ++report.skips["a million elements: a run of stage " + std::to_string(stage) +
                     " takes more than 3 s here"];
      continue;
    }
    outcome =
        expected ? judge(variant.stages[number], variant, one, arguments, *expected)
                 : failure(Outcome::NotSupported, "the oracle cannot say what is right: " + reason);
  }
}

Report validateProgram(ArrayRef<Variant> variants, int64_t largest, Progress progress) {
  Report report;
  for (const Stage &stage : variants.front().stages)
    report.stages.emplace_back().stage = stage.number;
  Validator validator(variants, report);
  std::vector<Case> cases = makeMatrix(variants.size());
  for (auto [number, one] : enumerate(cases)) {
    progress(number, cases.size());
    validator.runCase(one, largest);
  }
  progress(cases.size(), cases.size());
  return report;
}

} // namespace nereid::validate
