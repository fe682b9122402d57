// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/StageCosts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
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

static std::string spell(double value, const char *pattern) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format(pattern, value);
  return text;
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
