// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid audit`: what is proved of the kernels under some paths, and what is wrong with them.
#include "audit/Audit.h"
#include "driver/AuditReport.h"
#include "driver/Session.h"

#include <chrono>

using namespace nereid;
using namespace nereid::driver;

/// The id or name of a rule, or the start of some ids.
static bool isRule(llvm::StringRef text) {
  return llvm::any_of(audit::getRules(), [&](const audit::Rule &rule) {
    return rule.name == text || (!text.empty() && rule.id.starts_with(text));
  });
}

int driver::audit(const AuditOptions &options) {
  Session session;
  auto start = std::chrono::steady_clock::now();
  for (const auto *names : {&options.select, &options.ignore})
    for (const std::string &name : *names)
      if (!isRule(name)) {
        session.getDiagnostics().error({}, "'" + name + "' is no rule",
                                       "rules have ids such as TRC001 and names such as "
                                       "oob-access: nereid docs audit");
        return BadInput;
      }
  audit::AuditOptions request;
  request.select = options.select;
  request.ignore = options.ignore;
  request.paths = options.paths;
  request.seconds = options.timeout;
  if (!options.version.empty())
    request.version = options.version;
  audit::AuditResult result = audit::audit(request);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!result.missing.empty()) {
    session.getDiagnostics().error({},
                                   "cannot read '" + result.missing + "': no such file or folder");
    return BadInput;
  }
  if (!options.baseline.empty() && !markKnown(result, options.baseline, session.getDiagnostics()))
    return BadInput;
  if (options.json)
    printAuditJson(result, seconds);
  else
    printAuditText(result, options.verbose, seconds);
  Diagnostics &problems = session.getDiagnostics();
  bool isWritten = options.sarif.empty() || writeFile(options.sarif, makeSarif(result), problems);
  if (!options.report.empty())
    isWritten &= writeFile(options.report, makeAuditMarkdown(result), problems);
  if (!isWritten)
    return BadInput;
  bool hasErrors = llvm::any_of(result.findings, [](const audit::Finding &finding) {
    return finding.severity == Severity::Error && !finding.isLeftOut();
  });
  return hasErrors || !result.problems.empty() ? AnswerIsNo : Done;
}
