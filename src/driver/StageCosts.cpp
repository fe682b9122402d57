// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/StageCosts.h"
#include "driver/Phrases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::driver {

StageCost costOf(int stage, mlir::ModuleOp module, const schedule::ScheduleReport &report) {
  StageCost cost;
  cost.stage = stage;
  cost.launches = report.kernels.size();
  cost.leastBytes = report.leastBytes;
  for (const schedule::KernelReport &kernel : report.kernels) {
    cost.bytes += kernel.bytesAtHints;
    cost.microseconds += kernel.microseconds;
  }
  for (const schedule::CallReport &call : report.calls)
    cost.bytes += call.bytesAtHints;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (auto doc = function->getAttrOfType<mlir::StringAttr>("tile.doc"))
      cost.kernels.emplace_back(function.getSymName(), doc.getValue());
  return cost;
}

std::string spellBytes(int64_t bytes) {
  constexpr const char *units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  return spell(value, unit == 0 ? "%.0f " : "%.1f ") + units[unit];
}

/// `4 fewer launches, 1.5 MB less`.
static std::string spellGain(const StageCost &before, const StageCost &after) {
  std::string text;
  if (int64_t fewer = int64_t(before.launches) - int64_t(after.launches))
    text = std::to_string(std::abs(fewer)) + (fewer < 0 ? " more" : " fewer") +
           (std::abs(fewer) == 1 ? " launch" : " launches");
  if (int64_t less = before.bytes - after.bytes)
    text +=
        (text.empty() ? "" : ", ") + spellBytes(std::abs(less)) + (less < 0 ? " more" : " less");
  return text.empty() ? "nothing by the model" : text;
}

Table tabulate(llvm::ArrayRef<StageCost> costs) {
  Table table{{"stage", "#launches", "#bytes moved", "#x least bytes", "#estimated us", "bought"},
              {}};
  for (auto [number, cost] : llvm::enumerate(costs))
    table.rows.push_back(
        {{std::to_string(cost.stage), std::to_string(cost.launches), spellBytes(cost.bytes),
          spell(cost.share(), "%.2f"), spell(cost.microseconds, "%.1f"),
          number ? spellGain(costs[number - 1], cost) : "-"}});
  return table;
}

static Table tabulate(llvm::ArrayRef<schedule::KernelReport> kernels) {
  Table table{{"kernel", "#bytes", "#operations", "#us", "#launch", "#memory", "#caches",
               "#arithmetic", "#programs", "#again"},
              {}};
  auto spellTerm = [](double term) { return term < 0.05 ? "-" : spell(term, "%.1f"); };
  for (const schedule::KernelReport &kernel : kernels) {
    const schedule::CostTerms &terms = kernel.terms;
    Table::Row &row = table.rows.emplace_back();
    row.cells = {kernel.functions.empty() ? kernel.name : kernel.functions.front(),
                 spellBytes(kernel.bytesAtHints), spell(double(kernel.flopsAtHints), "%.2g"),
                 spell(kernel.microseconds, "%.1f")};
    for (double term :
         {terms.launch, terms.memory, terms.caches, terms.arithmetic, terms.programs, terms.again})
      row.cells.push_back(spellTerm(term));
  }
  return table;
}

/// Those that gained most, in the order in which they were made.
static Table tabulate(llvm::ArrayRef<schedule::MoveReport> moves) {
  constexpr size_t most = 40, mostValues = 6;
  std::vector<double> gains;
  for (const schedule::MoveReport &move : moves)
    gains.push_back(move.microseconds);
  llvm::sort(gains, std::greater<double>());
  double least = gains.size() > most ? gains[most - 1] : 0;
  Table table{{"move", "values", "#us gained"}, {}};
  size_t others = 0;
  double ofOthers = 0;
  for (const schedule::MoveReport &move : moves) {
    if (move.microseconds < least || table.rows.size() == most) {
      ++others;
      ofOthers += move.microseconds;
      continue;
    }
    std::string values = llvm::join(llvm::ArrayRef(move.values).take_front(mostValues), ", ") +
                         (move.values.size() > mostValues
                              ? " and " + std::to_string(move.values.size() - mostValues) + " more"
                              : "");
    table.rows.push_back({{move.move, values, spell(move.microseconds, "%.1f")}});
  }
  if (others)
    table.rows.push_back({{std::to_string(others) + " others", "", spell(ofOthers, "%.1f")}});
  return table;
}

void addEstimates(Document &document, int stage, const schedule::ScheduleReport &report) {
  if (report.kernels.empty())
    return;
  std::string ofStage = " of stage " + std::to_string(stage);
  document.heading("What is expected of the kernels" + ofStage);
  document.paragraph(
      "In microseconds. Memory, caches and arithmetic work side by side, the slowest of them "
      "counts; launch, programs that are too few or too many, and what programs read or compute "
      "again are added.");
  document.table(tabulate(report.kernels));
  if (report.moves.empty())
    return;
  document.heading("What the moves" + ofStage + " gained");
  document.paragraph("At first each value is stored by a kernel of its own. `inline` makes values "
                     "where they are read, `join` makes what two kernels store in one, `carry` "
                     "folds over the rows of another kernel, `store` stores a value in place of "
                     "what it is made of.");
  document.table(tabulate(report.moves));
}

nlohmann::json toJson(const schedule::CostTerms &terms) {
  return {{"launch", terms.launch},         {"memory", terms.memory},     {"caches", terms.caches},
          {"arithmetic", terms.arithmetic}, {"programs", terms.programs}, {"again", terms.again}};
}

nlohmann::json toJson(const schedule::MoveReport &move) {
  return {{"move", move.move}, {"values", move.values}, {"gained_us", move.microseconds}};
}

void addKernels(Document &document, llvm::ArrayRef<StageCost> costs) {
  for (const StageCost &cost : costs) {
    document.heading("Kernels of stage " + std::to_string(cost.stage));
    std::string text;
    for (const auto &[name, doc] : cost.kernels) {
      text += text.empty() ? name : "\n\n" + name;
      llvm::SmallVector<llvm::StringRef> lines;
      llvm::StringRef(doc).rtrim().split(lines, '\n');
      for (llvm::StringRef line : lines)
        text += line.empty() ? "\n" : "\n    " + line.str();
    }
    document.code(text);
  }
}

nlohmann::json toJson(const StageCost &cost) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto &[name, doc] : cost.kernels)
    kernels.push_back({{"name", name}, {"doc", doc}});
  return {{"stage", cost.stage},
          {"launches", cost.launches},
          {"bytes_at", cost.bytes},
          {"least_bytes_at", cost.leastBytes},
          {"estimated_us", cost.microseconds},
          {"kernels", kernels}};
}

} // namespace nereid::driver
