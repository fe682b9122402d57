// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid lsp`: the editor server, with the configuration that is for each file.
#include "driver/Configuration.h"
#include "lsp/Server.h"

using namespace nereid;

static std::optional<audit::AuditOptions> configureFor(const std::string &path, std::string &why) {
  driver::Session session;
  driver::AuditOptions options;
  options.paths = {path};
  std::optional<driver::AuditOptions> known = driver::configured(options, session);
  // The reasons go to the editor.
  if (!known) {
    Diagnostics &problems = session.getDiagnostics();
    why =
        problems.all().empty() ? "its configuration is malformed" : problems.all().front().message;
    problems.clear();
    return std::nullopt;
  }
  audit::AuditOptions request;
  request.select = known->select;
  request.ignore = known->ignore;
  request.excluded = audit::PathPatterns(known->exclude, known->excludeRoot);
  if (known->timeout > 0)
    request.seconds = known->timeout;
  if (!known->version.empty())
    request.version = known->version;
  return request;
}

int driver::lsp() {
  nereid::lsp::ServerOptions options;
  options.version = NEREID_VERSION;
  options.configure = configureFor;
  return nereid::lsp::serve(stdin, llvm::outs(), options);
}
