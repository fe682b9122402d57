// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/AuditReport.h"
#include "driver/Phrases.h"
#include "driver/Session.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"

#include <nlohmann/json.hpp>

using namespace nereid;
using namespace nereid::driver;
using analysis::Property;
using analysis::Verdict;

namespace {

bool useColour() {
  return llvm::sys::Process::StandardOutHasColors() && !llvm::sys::Process::GetEnv("NO_COLOR");
}

llvm::StringRef getName(Verdict verdict) {
  return verdict == Verdict::Proved           ? "proved"
         : verdict == Verdict::Counterexample ? "counterexample"
                                              : "unknown";
}

llvm::StringRef getName(Property property) {
  return property == Property::InBounds ? "in bounds" : "apart";
}

void printAccess(const audit::AuditedAccess &access, llvm::raw_ostream &os) {
  os << "  " << access.line << ":" << access.column << " " << access.operation;
  if (!access.argument.empty())
    os << " of " << access.argument;
  os << ", " << getName(access.property) << ": " << getName(access.verdict);
  if (access.verdict != Verdict::Proved)
    os << ": " << access.reason;
  os << '\n';
  if (access.verdict != Verdict::Proved || access.assumptions.empty())
    return;
  os << "      where ";
  bool isFirst = true;
  for (const std::string &assumption : access.assumptions) {
    os << (isFirst ? "" : ", ") << assumption;
    isFirst = false;
  }
  os << '\n';
}

nlohmann::json toJson(const audit::AuditedAccess &access) {
  nlohmann::json result{{"path", access.path},
                        {"line", access.line},
                        {"column", access.column},
                        {"operation", access.operation},
                        {"argument", access.argument},
                        {"property", getName(access.property).str()},
                        {"verdict", getName(access.verdict).str()},
                        {"assumptions", access.assumptions}};
  if (access.verdict != Verdict::Proved)
    result["reason"] = access.reason;
  if (!access.witness.empty())
    for (const auto &[name, value] : access.witness)
      result["witness"][name] = value;
  return result;
}

nlohmann::json toJson(const audit::Finding &finding) {
  nlohmann::json result{{"rule", finding.rule->id.str()},
                        {"name", finding.rule->name.str()},
                        {"severity", audit::getName(finding.severity).str()},
                        {"certainty", audit::getName(finding.certainty).str()},
                        {"kernel", finding.kernel},
                        {"message", finding.diagnostic.message},
                        {"suppressed", finding.isSuppressed},
                        {"known", finding.isKnown},
                        {"elsewhere", finding.isElsewhere},
                        {"fingerprint", finding.fingerprint}};
  if (const SourceFile *file = finding.diagnostic.location.file) {
    LineColumn at = file->getLineColumn(finding.diagnostic.location.range.begin);
    result["path"] = file->getName().str();
    result["line"] = at.line;
    result["column"] = at.column + 1;
  }
  auto &notes = result["notes"] = nlohmann::json::array();
  auto &places = result["places"] = nlohmann::json::array();
  for (const Diagnostic &note : finding.diagnostic.notes) {
    notes.push_back(note.message);
    if (const SourceFile *file = note.location.file)
      places.push_back({{"path", file->getName().str()},
                        {"line", file->getLineColumn(note.location.range.begin).line},
                        {"message", note.message}});
  }
  for (const auto &[name, value] : finding.witness)
    result["witness"][name] = value;
  return result;
}

void printReference(const audit::ReferenceReport &run, llvm::raw_ostream &os) {
  os << "'" << run.wrapper << "' beside '" << run.reference << "': " << countOf(run.passed, "case")
     << " agree, " << run.failed << " do not, " << run.skipped << " not run, in "
     << llvm::format("%.1f s\n", run.seconds);
  for (const auto &[reason, cases] : run.skips)
    os << "  " << countOf(cases, "case") << " not run: " << reason << '\n';
}

} // namespace

void driver::printAuditText(const audit::AuditResult &result, bool verbose, double seconds) {
  llvm::raw_ostream &os = llvm::outs();
  for (const audit::SkippedFile &file : result.skipped)
    llvm::errs() << "warning: '" << file.path << "' is left out: " << file.reason << '\n';
  for (const Diagnostic &problem : result.problems)
    printDiagnostic(problem, llvm::errs(), false);
  size_t errors = 0, warnings = 0, notes = 0, suppressed = 0, known = 0, elsewhere = 0;
  for (const audit::Finding &finding : result.findings) {
    if (finding.isLeftOut()) {
      ++(finding.isSuppressed ? suppressed : finding.isKnown ? known : elsewhere);
      continue;
    }
    (finding.severity == Severity::Error     ? errors
     : finding.severity == Severity::Warning ? warnings
                                             : notes)++;
    if (finding.severity == Severity::Note && !verbose)
      continue;
    Diagnostic shown = finding.diagnostic;
    shown.message += " [" + finding.rule->id.str() + " " + finding.rule->name.str() + "]";
    printDiagnostic(shown, os, useColour());
    os << '\n';
  }
  size_t proved = 0, wrong = 0, open = 0, kernels = 0, rejected = 0;
  for (const audit::AuditedKernel &kernel : result.kernels) {
    if (!kernel.caller.empty())
      continue;
    ++kernels;
    rejected += !kernel.compiled;
    if (verbose) {
      os << kernel.path << ':' << kernel.line << ": " << kernel.name;
      if (!kernel.compiled)
        os << ": not compiled: " << kernel.rejection.message;
      os << '\n';
    }
    for (const audit::AuditedAccess &access : kernel.accesses) {
      (access.verdict == Verdict::Proved           ? proved
       : access.verdict == Verdict::Counterexample ? wrong
                                                   : open)++;
      if (verbose)
        printAccess(access, os);
    }
  }
  if (verbose && kernels)
    os << '\n';
  if (result.reference)
    printReference(*result.reference, os);
  os << countOf(errors, "error") << ", " << countOf(warnings, "warning") << ", "
     << countOf(notes, "note");
  if (notes && !verbose)
    os << (notes == 1 ? " (--verbose shows it)" : " (--verbose shows them)");
  if (suppressed)
    os << ", " << suppressed << " suppressed";
  if (known)
    os << ", " << known << " known";
  if (elsewhere)
    os << ", " << elsewhere << " where nothing has changed";
  os << ". " << countOf(kernels, "kernel");
  if (rejected)
    os << ", " << rejected << " of them not compiled, of which nothing is known"
       << (verbose ? "" : " (--verbose says why)");
  os << ": " << proved << " properties of accesses proved, " << wrong << " with a counterexample, "
     << open << " unknown, in " << countOf(result.files, "file")
     << llvm::format(" and %.1f s\n", seconds);
}

void driver::printAuditJson(const audit::AuditResult &result, double seconds) {
  nlohmann::json root;
  auto &findings = root["findings"] = nlohmann::json::array();
  for (const audit::Finding &finding : result.findings)
    findings.push_back(toJson(finding));
  auto &kernels = root["kernels"] = nlohmann::json::array();
  for (const audit::AuditedKernel &kernel : result.kernels) {
    nlohmann::json one{{"path", kernel.path},         {"name", kernel.name},
                       {"line", kernel.line},         {"compiled", kernel.compiled},
                       {"launches", kernel.launches}, {"wrappers", kernel.wrappers},
                       {"seconds", kernel.seconds}};
    if (!kernel.caller.empty())
      one["caller"] = kernel.caller;
    auto &accesses = one["accesses"] = nlohmann::json::array();
    for (const audit::AuditedAccess &access : kernel.accesses)
      accesses.push_back(toJson(access));
    kernels.push_back(std::move(one));
  }
  auto &problems = root["problems"] = nlohmann::json::array();
  for (const Diagnostic &problem : result.problems) {
    nlohmann::json one{{"reason", problem.message}};
    if (const SourceFile *file = problem.location.file) {
      LineColumn at = file->getLineColumn(problem.location.range.begin);
      one["path"] = file->getName().str();
      one["line"] = at.line;
      one["column"] = at.column + 1;
    }
    problems.push_back(std::move(one));
  }
  if (result.reference)
    root["reference"] = {
        {"wrapper", result.reference->wrapper}, {"reference", result.reference->reference},
        {"passed", result.reference->passed},   {"failed", result.reference->failed},
        {"skipped", result.reference->skipped}, {"skips", result.reference->skips},
        {"seconds", result.reference->seconds}};
  root["files"] = result.files;
  root["seconds"] = seconds;
  llvm::outs() << root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}
