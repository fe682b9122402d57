// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ValidateReport.h"

#include "driver/Chart.h"
#include "driver/Phrases.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace nereid::validate;

namespace nereid::driver {

static llvm::StringRef getName(Outcome::Status status) {
  return status == Outcome::Passed ? "passed" : status == Outcome::Failed ? "failed" : "skipped";
}

static std::string spellCase(const CaseReport &one) {
  std::string text = one.variant + ", " + getName(one.one.pattern).str() + ", " +
                     getName(one.one.layout).str() + ", size " + getSizeName(one.one.size);
  return one.sizes.empty() ? text : text + " (" + one.sizes + ")";
}

// --- Text
// --------------------------------------------------------------------------------------------

/// `passed (0.25), failed, skipped`: one word a stage, with the error in units of what is allowed.
static std::string spellOutcomes(const CaseReport &one) {
  std::string text;
  for (const Outcome &outcome : one.outcomes) {
    text += text.empty() ? "" : ", ";
    text += getName(outcome.status);
    if (!outcome.worst.output.empty())
      text += spell(outcome.worst.element.ratio, " (%.2f)");
  }
  return text;
}

static void printStages(llvm::raw_ostream &os, const Validation &validation) {
  os << "  stage  passed  failed  skipped  worst error of what is allowed\n";
  for (const StageReport &stage : validation.report.stages) {
    os << llvm::format("  %5d  %6u  %6u  %7u  ", stage.stage, stage.passed, stage.failed,
                       stage.skipped);
    if (stage.worst.output.empty())
      os << "-\n";
    else
      os << llvm::format("%.2f", stage.worst.element.ratio) << " in " << stage.worst.output << ": "
         << stage.worst.where << '\n';
  }
}

void print(llvm::raw_ostream &os, const Validation &validation, bool cases) {
  const Report &report = validation.report;
  os << validation.program << ": " << llvm::join(validation.dtypes, ", ") << '\n';
  for (const CaseReport &one : cases ? llvm::ArrayRef(report.cases) : llvm::ArrayRef<CaseReport>())
    os << "  " << spellCase(one) << ": "
       << (one.skipped.empty() ? spellOutcomes(one) : "skipped: " + one.skipped) << '\n';
  printStages(os, validation);
  for (const StageReport &stage : report.stages)
    for (const Failure &failure : stage.failures)
      os << "  stage " << stage.stage << " fails for " << failure.where << ":\n    " << failure.what
         << '\n';
  for (const auto &[reason, count] : report.skips)
    os << "  skipped " << count << (count == 1 ? " case: " : " cases: ") << reason << '\n';
  for (const auto &[type, reason] : validation.refused)
    os << "  skipped " << type << ": " << reason << '\n';
  os << (report.isValid() ? "valid" : "not valid")
     << llvm::format(" (%.1f s)\n", validation.seconds);
}

// --- JSON
// --------------------------------------------------------------------------------------------

static nlohmann::json toJson(const Worst &worst) {
  if (worst.output.empty())
    return nullptr;
  const Comparison &element = worst.element;
  return {{"output", worst.output},     {"element", element.worstAt}, {"got", element.got},
          {"expected", element.wanted}, {"error", element.error},     {"allowed", element.allowed},
          {"ratio", element.ratio},     {"case", worst.where}};
}

static nlohmann::json toJson(const StageReport &stage) {
  nlohmann::json failures = nlohmann::json::array();
  for (const Failure &failure : stage.failures)
    failures.push_back({{"case", failure.where}, {"problem", failure.what}});
  return {{"stage", stage.stage},     {"passed", stage.passed},       {"failed", stage.failed},
          {"skipped", stage.skipped}, {"worst", toJson(stage.worst)}, {"failures", failures}};
}

static nlohmann::json toJson(const CaseReport &one, const Report &report) {
  nlohmann::json object = {{"dtype", one.variant},
                           {"values", getName(one.one.pattern).str()},
                           {"layout", getName(one.one.layout).str()},
                           {"size", getSizeName(one.one.size)},
                           {"sizes", one.sizes}};
  if (!one.skipped.empty()) {
    object["skipped"] = one.skipped;
    return object;
  }
  nlohmann::json &stages = object["stages"] = nlohmann::json::array();
  for (auto [stage, outcome] : llvm::zip_equal(report.stages, one.outcomes)) {
    nlohmann::json entry = {{"stage", stage.stage}, {"status", getName(outcome.status).str()}};
    if (!outcome.problem.empty())
      entry["problem"] = outcome.problem;
    if (const Worst &worst = outcome.worst; !worst.output.empty()) {
      entry["error"] = worst.element.error;
      entry["allowed"] = worst.element.allowed;
      entry["ratio"] = worst.element.ratio;
    }
    stages.push_back(entry);
  }
  return object;
}

nlohmann::json toJson(const Validation &validation) {
  nlohmann::json stages = nlohmann::json::array(), skipped = stages, cases = stages, costs = stages;
  for (const StageReport &stage : validation.report.stages)
    stages.push_back(toJson(stage));
  for (const auto &[reason, count] : validation.report.skips)
    skipped.push_back({{"reason", reason}, {"cases", count}});
  for (const auto &[type, reason] : validation.refused)
    skipped.push_back({{"reason", type + ": " + reason}, {"dtype", type}});
  for (const CaseReport &one : validation.report.cases)
    cases.push_back(toJson(one, validation.report));
  for (const StageCost &cost : validation.costs)
    costs.push_back(toJson(cost));
  return {{"program", validation.program},
          {"source", validation.source},
          {"valid", validation.report.isValid()},
          {"dtypes", validation.dtypes},
          {"stages", stages},
          {"cases", cases},
          {"costs", costs},
          {"skipped", skipped},
          {"seconds", validation.seconds}};
}

// --- The page
// --------------------------------------------------------------------------------------------

/// Errors below are drawn here: the chart has no zero.
constexpr double leastUnits = 0.01, mostUnits = 1e6;

/// By size, of one element type at one stage, the element that came nearest to its bound.
static std::map<int64_t, Comparison> findWorst(const Report &report, llvm::StringRef dtype,
                                               size_t stage) {
  std::map<int64_t, Comparison> worst;
  for (const CaseReport &one : report.cases) {
    const Worst &found = one.outcomes[stage].worst;
    bool isOf = llvm::StringRef(one.variant).split(',').first == dtype;
    if (!isOf || one.one.size <= 0 || found.output.empty() || found.element.unit == 0)
      continue;
    auto [at, isNew] = worst.try_emplace(one.one.size, found.element);
    if (!isNew && found.element.ratio > at->second.ratio)
      at->second = found.element;
  }
  return worst;
}

static Chart drawErrors(const Report &report, const std::string &dtype) {
  Chart chart{dtype, "elements of the last axis", "units in the last place", {}};
  // Of all stages, where their worst elements differ.
  std::map<double, double> bound;
  auto inUnits = [](double value, const Comparison &element) {
    return std::clamp(value / element.unit, leastUnits, mostUnits);
  };
  for (auto [number, stage] : llvm::enumerate(report.stages)) {
    Series series{"stage " + std::to_string(stage.stage), {}, unsigned(stage.stage - 1)};
    for (const auto &[size, element] : findWorst(report, dtype, number)) {
      series.points.emplace_back(size, inUnits(element.error, element));
      double &allowed = bound[double(size)];
      allowed = std::max(allowed, inUnits(element.allowed, element));
    }
    if (!series.points.empty())
      chart.series.push_back(std::move(series));
  }
  if (!bound.empty())
    chart.series.push_back({"allowed", {bound.begin(), bound.end()}, 3, true});
  return chart;
}

static void addCharts(Document &document, const Validation &validation) {
  document.heading("Error against size");
  document.paragraph("Of each size the element nearest to its bound, over all values and layouts, "
                     "in units of the last place. Dashed is what is allowed there: four times the "
                     "error of working precision, or two units.");
  std::string charts;
  for (const std::string &dtype : validation.dtypes)
    if (Chart chart = drawErrors(validation.report, dtype); !chart.series.empty())
      charts += chart.toSvg();
  document.figure(charts.empty() ? "<p>No result is a floating-point number.</p>" : charts);
}

/// Failures first, then what was skipped last.
static unsigned rankOf(const CaseReport &one) {
  if (llvm::any_of(one.outcomes,
                   [](const Outcome &each) { return each.status == Outcome::Failed; }))
    return 0;
  return one.skipped.empty() ? 1 : 2;
}

static std::string spellOutcome(const CaseReport &one, const Outcome &outcome) {
  if (outcome.status == Outcome::Failed)
    return "failed: " + outcome.problem;
  if (!one.skipped.empty())
    return "skipped: " + one.skipped;
  return outcome.worst.output.empty() ? getName(outcome.status).str()
                                      : spell(outcome.worst.element.ratio, "%.2f");
}

static void addCases(Document &document, const Validation &validation) {
  document.heading("Cases");
  document.paragraph("A stage shows its greatest error as a share of what is allowed.");
  Table table{{"dtype", "values", "layout", "#size", "sizes"}, {}};
  for (const StageReport &stage : validation.report.stages)
    table.head.push_back("stage " + std::to_string(stage.stage));
  auto add = [&](const CaseReport &one, unsigned rank) {
    Table::Row row{{one.variant, getName(one.one.pattern).str(), getName(one.one.layout).str(),
                    getSizeName(one.one.size), one.sizes},
                   rank == 0};
    for (const Outcome &outcome : one.outcomes)
      row.cells.push_back(spellOutcome(one, outcome));
    table.rows.push_back(std::move(row));
  };
  for (unsigned rank : {0, 1, 2})
    for (const CaseReport &one : validation.report.cases)
      if (rankOf(one) == rank)
        add(one, rank);
  document.table(std::move(table));
}

Document toDocument(const Validation &validation) {
  const Report &report = validation.report;
  Document document(validation.program + " is " + (report.isValid() ? "valid" : "not valid"));
  document.paragraph(validation.source + " as " + llvm::join(validation.dtypes, ", ") +
                     ", every stage run in the interpreter over " +
                     std::to_string(report.cases.size()) +
                     " cases and compared with the same program in float64.");
  Table stages{{"stage", "#passed", "#failed", "#skipped", "#worst error / allowed", "where"}, {}};
  for (const StageReport &stage : report.stages) {
    bool isKnown = !stage.worst.output.empty();
    stages.rows.push_back(
        {{std::to_string(stage.stage), std::to_string(stage.passed), std::to_string(stage.failed),
          std::to_string(stage.skipped), isKnown ? spell(stage.worst.element.ratio, "%.2f") : "-",
          isKnown ? stage.worst.output + ": " + stage.worst.where : ""},
         stage.failed != 0});
  }
  document.table(std::move(stages));
  document.heading("What each stage bought");
  document.paragraph("By the cost model, at the typical sizes, for " + validation.dtypes.front() +
                     ".");
  document.table(tabulate(validation.costs));
  addCharts(document, validation);
  addCases(document, validation);
  if (!report.skips.empty() || !validation.refused.empty()) {
    document.heading("Not run");
    Table table{{"#cases", "reason"}, {}};
    for (const auto &[reason, count] : report.skips)
      table.rows.push_back({{std::to_string(count), reason}});
    for (const auto &[type, reason] : validation.refused)
      table.rows.push_back({{"all of " + type, reason}});
    document.table(std::move(table));
  }
  addKernels(document, validation.costs);
  return document;
}

} // namespace nereid::driver
