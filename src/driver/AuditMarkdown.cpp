// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report in Markdown: a summary by category, the findings in detail, what to do, and what was
// proved.
#include "driver/AuditReport.h"

#include "llvm/Support/raw_ostream.h"

using namespace nereid;
using analysis::Verdict;
using audit::Category;

namespace {

struct Section {
  Category category;
  llvm::StringLiteral title;
};
constexpr Section sections[] = {{Category::Correctness, "Correctness"},
                                {Category::Performance, "Performance"},
                                {Category::Memory, "Memory Patterns"},
                                {Category::Numerics, "Numerical Stability"},
                                {Category::Practice, "Best Practices"}};

std::string placeOf(const Diagnostic &diagnostic) {
  if (!diagnostic.location.file)
    return "";
  LineColumn at = diagnostic.location.file->getLineColumn(diagnostic.location.range.begin);
  return "`" + diagnostic.location.file->getName().str() + ":" + std::to_string(at.line) + "`: ";
}

llvm::StringRef levelOf(Severity severity) {
  return severity == Severity::Error ? "HIGH" : severity == Severity::Warning ? "MEDIUM" : "LOW";
}

class Report {
public:
  explicit Report(const audit::AuditResult &result) : result(result), os(text) {}

  std::string make() {
    os << "# Triton Kernel Audit Report\n\n";
    std::set<std::string> files;
    size_t kernels = 0;
    for (const audit::AuditedKernel &kernel : result.kernels) {
      files.insert(kernel.path);
      kernels += kernel.caller.empty();
    }
    os << "**Kernels**: " << kernels << "\n**Files**: " << files.size()
       << "\n**Auditor**: nereid audit\n\n";
    writeSummary();
    os << "## Detailed Findings\n\n";
    for (const Section &section : sections)
      writeFindings(section);
    writeRecommendations();
    writeProofs();
    return text;
  }

private:
  bool isShown(const audit::Finding &finding, Category category) const {
    return !finding.isLeftOut() && finding.rule->category == category;
  }

  void writeSummary() {
    os << "## Summary\n\n| Category | Status | Issues |\n|----------|--------|--------|\n";
    for (const Section &section : sections) {
      size_t issues = 0;
      bool hasErrors = false;
      for (const audit::Finding &finding : result.findings)
        if (isShown(finding, section.category)) {
          ++issues;
          hasErrors |= finding.severity == Severity::Error;
        }
      os << "| " << section.title << " | "
         << (hasErrors ? "❌ FAIL"
             : issues  ? "⚠️ WARN"
                       : "✅ PASS")
         << " | " << issues << " |\n";
    }
    os << '\n';
  }

  void writeFindings(const Section &section) {
    size_t number = 0;
    for (const audit::Finding &finding : result.findings) {
      if (!isShown(finding, section.category))
        continue;
      if (number++ == 0)
        os << "### " << section.title << "\n\n";
      os << number << ". **[" << levelOf(finding.severity) << "]** " << placeOf(finding.diagnostic)
         << finding.diagnostic.message << " (" << finding.rule->id << ' ' << finding.rule->name
         << ", " << audit::getName(finding.certainty) << ", in `" << finding.kernel << "`)\n";
      for (const Diagnostic &note : finding.diagnostic.notes)
        os << "   - " << placeOf(note) << note.message << '\n';
    }
    if (number)
      os << '\n';
  }

  void writeRecommendations() {
    std::vector<std::string> all;
    for (const audit::Finding &finding : result.findings)
      if (!finding.isLeftOut() && !finding.diagnostic.help.empty() &&
          !llvm::is_contained(all, placeOf(finding.diagnostic) + finding.diagnostic.help))
        all.push_back(placeOf(finding.diagnostic) + finding.diagnostic.help);
    if (all.empty())
      return;
    os << "## Recommendations\n\n";
    for (auto [index, one] : llvm::enumerate(all))
      os << index + 1 << ". " << one << '\n';
    os << '\n';
  }

  void writeProofs() {
    os << "## Proofs\n\n| Kernel | Proved | Counterexample | Unknown | Takes for granted |\n"
          "|--------|--------|----------------|---------|-------------------|\n";
    for (const audit::AuditedKernel &kernel : result.kernels) {
      if (!kernel.caller.empty())
        continue;
      size_t proved = 0, wrong = 0, open = 0;
      std::set<std::string> assumptions;
      for (const audit::AuditedAccess &access : kernel.accesses) {
        (access.verdict == Verdict::Proved           ? proved
         : access.verdict == Verdict::Counterexample ? wrong
                                                     : open)++;
        if (access.verdict == Verdict::Proved)
          assumptions.insert(access.assumptions.begin(), access.assumptions.end());
      }
      os << "| `" << kernel.name << "` | " << proved << " | " << wrong << " | " << open << " | ";
      bool isFirst = true;
      for (const std::string &assumption : assumptions) {
        os << (isFirst ? "" : ", ") << '`' << assumption << '`';
        isFirst = false;
      }
      os << " |\n";
    }
  }

  const audit::AuditResult &result;
  std::string text;
  llvm::raw_string_ostream os;
};

} // namespace

std::string driver::makeAuditMarkdown(const audit::AuditResult &result) {
  return Report(result).make();
}
