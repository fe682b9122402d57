// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid audit`: what is proved of the kernels under some paths, and what is wrong with them.
#include "audit/Audit.h"
#include "driver/AuditReference.h"
#include "driver/AuditReport.h"
#include "driver/ChangedLines.h"
#include "driver/Configuration.h"
#include "driver/Session.h"

#include <chrono>

using namespace nereid;
using namespace nereid::driver;

/// What is known, or lies where nothing has changed. False after an error.
static bool markLeftOut(audit::AuditResult &result, const AuditOptions &options,
                        Diagnostics &diagnostics) {
  return (options.baseline.empty() || markKnown(result, options.baseline, diagnostics)) &&
         (options.diff.empty() || markElsewhere(result, options.paths, options.diff, diagnostics));
}

/// Puts what is found afterwards in the result's place, where files were written. False after an
/// error.
static bool fixFiles(audit::AuditResult &result, const audit::AuditOptions &request,
                     const AuditOptions &options, Diagnostics &diagnostics) {
  fix::FixResult fixes = fix::fixFindings(request, result);
  printFixes(fixes, options.diffOnly);
  if (options.diffOnly)
    return true;
  if (!writeFixes(fixes, diagnostics))
    return false;
  result = std::move(fixes.after);
  return markLeftOut(result, options, diagnostics);
}

static bool checkRules(const AuditOptions &options, Diagnostics &diagnostics) {
  for (const auto *names : {&options.select, &options.ignore})
    for (const std::string &name : *names)
      if (!audit::namesRules(name)) {
        diagnostics.error({}, "'" + name + "' is no rule", audit::helpOnRules.str());
        return false;
      }
  return true;
}

static audit::AuditOptions requestOf(const AuditOptions &options) {
  audit::AuditOptions request;
  request.select = options.select;
  request.ignore = options.ignore;
  request.paths = options.paths;
  // With a reference a path names a function.
  if (!options.reference.empty())
    for (std::string &path : request.paths)
      path = Session::splitSource(path).first;
  request.excluded = audit::PathPatterns(options.exclude, options.excludeRoot);
  if (options.timeout > 0)
    request.seconds = options.timeout;
  if (!options.version.empty())
    request.version = options.version;
  return request;
}

int driver::audit(const AuditOptions &given) {
  Session session;
  std::optional<AuditOptions> known = configured(given, session);
  if (!known)
    return BadInput;
  AuditOptions &options = *known;
  auto start = std::chrono::steady_clock::now();
  Diagnostics &problems = session.getDiagnostics();
  if (!checkRules(options, problems))
    return BadInput;
  audit::AuditOptions request = requestOf(options);
  bool isCompared = true;
  if (!options.reference.empty())
    request.addFindings = [&](audit::AuditResult &result) {
      isCompared = compareWithReference(session, options, result);
    };
  audit::AuditResult result = audit::audit(request);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!result.missing.empty()) {
    problems.error({}, "cannot read '" + result.missing + "': no such file or folder");
    return BadInput;
  }
  if (!isCompared)
    return session.failure();
  if (!markLeftOut(result, options, problems) ||
      (options.fix && !fixFiles(result, request, options, problems)))
    return BadInput;
  if (options.json)
    printAuditJson(result, seconds);
  else if (!options.diffOnly)
    printAuditText(result, options.verbose, seconds);
  bool isWritten = options.sarif.empty() || writeFile(options.sarif, makeSarif(result), problems);
  if (!options.report.empty())
    isWritten &= writeFile(options.report, makeAuditMarkdown(result), problems);
  if (!options.html.empty())
    isWritten &= writeFile(options.html, makeAuditHtml(result), problems);
  if (!isWritten)
    return BadInput;
  bool hasErrors = llvm::any_of(result.findings, [](const audit::Finding &finding) {
    return finding.severity == Severity::Error && !finding.isLeftOut();
  });
  return hasErrors || !result.problems.empty() ? AnswerIsNo : Done;
}
