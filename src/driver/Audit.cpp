// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid audit`: what is proved of the kernels under some paths, and what is wrong with them.
#include "audit/Audit.h"
#include "driver/AuditReport.h"
#include "driver/ChangedLines.h"
#include "driver/Configuration.h"
#include "driver/Session.h"

#include <chrono>

using namespace nereid;
using namespace nereid::driver;

int driver::audit(const AuditOptions &given) {
  Session session;
  AuditOptions options = given;
  std::optional<Configuration> configuration =
      readConfiguration(options.paths, options.config, session);
  if (!configuration)
    return BadInput;
  configure(options, *configuration);
  auto start = std::chrono::steady_clock::now();
  for (const auto *names : {&options.select, &options.ignore})
    for (const std::string &name : *names)
      if (!audit::namesRules(name)) {
        session.getDiagnostics().error({}, "'" + name + "' is no rule", audit::helpOnRules.str());
        return BadInput;
      }
  audit::AuditOptions request;
  request.select = options.select;
  request.ignore = options.ignore;
  request.paths = options.paths;
  request.excluded = audit::PathPatterns(options.exclude, options.excludeRoot);
  if (options.timeout > 0)
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
  if (!options.diff.empty() &&
      !markElsewhere(result, options.paths, options.diff, session.getDiagnostics()))
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
