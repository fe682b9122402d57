// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid audit`: what is proved of the kernels under some paths, and what is wrong with them.
#include "audit/Audit.h"
#include "driver/AuditReport.h"
#include "driver/Session.h"

#include <chrono>

using namespace nereid;
using namespace nereid::driver;

int driver::audit(const AuditOptions &options) {
  Session session;
  auto start = std::chrono::steady_clock::now();
  audit::AuditOptions request;
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
  if (options.json)
    printAuditJson(result, seconds);
  else
    printAuditText(result, options.verbose, seconds);
  bool hasErrors = llvm::any_of(result.findings, [](const audit::Finding &finding) {
    return finding.severity == Severity::Error && !finding.isSuppressed;
  });
  return hasErrors ? AnswerIsNo : Done;
}
