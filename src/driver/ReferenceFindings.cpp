// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ReferenceFindings.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace nereid;
using namespace nereid::driver;
using validate::CaseReport;
using validate::Outcome;

static std::string describe(const CaseReport &one) {
  std::string text = one.variant + ", " + getName(one.one.pattern).str() + ", " +
                     getName(one.one.layout).str() + ", size " +
                     validate::getSizeName(one.one.size);
  return one.sizes.empty() ? text : text + " (" + one.sizes + ")";
}

/// Whether an element is off by no more than a rounding of its type can leave over many operators.
static bool isRounding(const Outcome &outcome, llvm::StringRef variant) {
  const validate::Comparison &element = outcome.worst.element;
  // 1e-3 is what the source of the matrix takes for a loose tolerance in float32.
  double loose = variant.starts_with("bf16") ? 5e-2 : variant.starts_with("f16") ? 1e-2 : 1e-3;
  return element.worstAt >= 0 && element.mismatch.empty() && std::isfinite(element.ratio) &&
         element.error <= loose * std::max(std::abs(element.wanted), 1e-3);
}

static bool hasNoNumbers(const CaseReport &one) {
  return one.one.pattern == validate::Pattern::Inf || one.one.pattern == validate::Pattern::NaN;
}

/// The rule that a failure falls under.
static llvm::StringRef ruleOf(const CaseReport &one, const Outcome &outcome) {
  if (outcome.finding) {
    switch (outcome.finding->kind) {
    case interpreter::FindingKind::OutOfBounds:
      return "TRC001";
    case interpreter::FindingKind::Undefined:
      return "TRC003";
    case interpreter::FindingKind::Race:
      return "TRC006";
    case interpreter::FindingKind::Overflow:
      return "TRC005";
    default:
      return "TRC026";
    }
  }
  bool isStopped = outcome.kind == Outcome::Stopped || outcome.kind == Outcome::Rejected;
  if (isStopped && one.one.size == 0)
    return "TRC013";
  if (outcome.kind == Outcome::Undefined)
    return "TRC009";
  if (outcome.kind == Outcome::Unsteady)
    return outcome.isRightEachTime ? "TRN014" : "TRC006";
  if (outcome.kind != Outcome::Values || !outcome.worst.element.mismatch.empty())
    return "TRC026";
  if (one.one.size == 0)
    return "TRC013";
  bool isPlaced =
      !std::isfinite(outcome.worst.element.got) || !std::isfinite(outcome.worst.element.wanted);
  // Of NaN and infinities no whole number is right.
  isPlaced |= !std::isfinite(outcome.worst.element.ratio);
  if (isPlaced && hasNoNumbers(one))
    return "TRN007";
  return isRounding(outcome, one.variant) ? "TRN012" : "TRC026";
}

/// Where the interpreter stopped, in a text that outlives the run.
static SourceLocation placeOf(const Outcome &outcome, const ReferenceTexts &texts) {
  if (!outcome.finding)
    return outcome.error.location.file ? texts.keep(outcome.error.location) : texts.place;
  auto place = outcome.finding->location->findInstanceOf<mlir::FileLineColLoc>();
  const SourceFile *file = place ? texts.findFile(place.getFilename().getValue()) : nullptr;
  if (!file || place.getLine() == 0 || place.getLine() > file->getLineCount())
    return texts.place;
  return texts.keep({file, audit::rangeOfCall(*file, place.getLine(), place.getColumn())});
}

/// How little there is to say about the inputs of a case: less is simpler.
static unsigned oddityOf(const CaseReport &one) {
  constexpr unsigned much = 4;
  return (one.one.layout != validate::Layout::Contiguous) * much +
         (one.one.pattern != validate::Pattern::Normal) * 2 + !one.variant.starts_with("f32");
}

namespace {
/// Cases that fail in one way, and the simplest of them.
struct Group {
  const CaseReport *first = nullptr;
  const Outcome *outcome = nullptr;
  SourceLocation place;
  unsigned cases = 0;
  bool hasContiguous = false, hasElements = false;
};
} // namespace

static Severity severityOf(llvm::StringRef rule) {
  if (rule == "TRN014")
    return Severity::Note;
  return rule == "TRN012" || rule == "TRN007" || rule == "TRC013" ? Severity::Warning
                                                                  : Severity::Error;
}

static audit::Finding toFinding(llvm::StringRef rule, const Group &group,
                                const ReferenceTexts &texts, unsigned run) {
  audit::Finding finding;
  finding.rule = audit::findRule(rule);
  finding.severity = severityOf(rule);
  finding.certainty = audit::Certainty::Witnessed;
  finding.kernel = texts.wrapper;
  finding.diagnostic.severity = finding.severity;
  finding.diagnostic.location = group.place;
  std::string problem =
      group.outcome->finding ? group.outcome->finding->message : group.outcome->problem;
  std::string where = group.hasContiguous ? "" : " where an input is not contiguous";
  if (!group.hasElements)
    where = " where there are no elements";
  bool isRight = group.outcome->isRightEachTime;
  finding.diagnostic.message = "'" + texts.wrapper + "' is " + (isRight ? "" : "not ") + "'" +
                               texts.reference + "'" + where + (isRight ? ", but " : ": ") +
                               problem + (isRight ? ", within the bound each time" : "");
  finding.diagnostic.addNote(texts.place, std::to_string(group.cases) + " of " +
                                              std::to_string(run) +
                                              " cases; the simplest: " + describe(*group.first));
  return finding;
}

bool driver::addFindings(const validate::Report &report, const ReferenceTexts &texts,
                         audit::AuditResult &result, Diagnostics &diagnostics) {
  audit::ReferenceReport sums{texts.wrapper, texts.reference, 0, 0, 0, {}, 0};
  std::map<std::pair<std::string, std::pair<std::string, uint32_t>>, Group> groups;
  const Outcome *unsupported = nullptr;
  for (const CaseReport &one : report.cases) {
    const Outcome &outcome = one.outcomes.front();
    // A kernel that does not compile where there is nothing to do is the wrapper's fault.
    bool isUnknown = outcome.kind == Outcome::NotSupported ||
                     (outcome.kind == Outcome::Rejected && one.one.size != 0);
    isUnknown &= outcome.status == Outcome::Failed;
    if (isUnknown && !unsupported)
      unsupported = &outcome;
    if (outcome.status == Outcome::Skipped || isUnknown) {
      ++sums.skipped;
      ++sums.skips[one.skipped.empty() ? outcome.problem : one.skipped];
      continue;
    }
    bool isRight = outcome.status == Outcome::Passed || outcome.isRightEachTime;
    ++(isRight ? sums.passed : sums.failed);
    if (outcome.status == Outcome::Passed)
      continue;
    SourceLocation place = placeOf(outcome, texts);
    std::string file = place.file ? place.file->getName().str() : "";
    Group &group = groups[{ruleOf(one, outcome).str(), {file, place.range.begin}}];
    if (!group.first || oddityOf(one) < oddityOf(*group.first)) {
      group.first = &one;
      group.outcome = &outcome;
      group.place = place;
    }
    ++group.cases;
    group.hasContiguous |= one.one.layout == validate::Layout::Contiguous;
    group.hasElements |= one.one.size != 0;
  }
  unsigned run = sums.passed + sums.failed;
  if (unsupported && unsupported->error.location.file)
    diagnostics.error(texts.keep(unsupported->error.location), unsupported->problem,
                      unsupported->error.help);
  else if (unsupported)
    diagnostics.error(texts.place, unsupported->problem);
  else if (run == 0)
    diagnostics.error(texts.place, "no case of the matrix could be run",
                      sums.skips.empty() ? "" : "the first reason: " + sums.skips.begin()->first);
  if (unsupported || run == 0)
    return false;
  // Rounding is not told apart where other results are wrong too.
  bool isWrong = llvm::any_of(groups, [](const auto &one) { return one.first.first == "TRC026"; });
  for (const auto &[key, group] : groups)
    if (key.first != "TRN012" || group.hasContiguous || !isWrong)
      result.findings.push_back(toFinding(key.first, group, texts, run));
  result.reference = std::move(sums);
  return true;
}
