// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An editor server: files that are open are audited as their buffers stand, saved or not. What is
// found is published, hovers tell what is proved of an access, and fixes are offered as code
// actions. One entry point: `serve`.
#pragma once

#include "audit/Audit.h"

#include <cstdio>
#include <functional>

namespace nereid::lsp {

struct ServerOptions {
  /// What the program is called, and its version.
  std::string version;
  /// How a file is audited: rules, time and version, by the configuration above it. Nullopt with
  /// the reason: the configuration is malformed.
  std::function<std::optional<audit::AuditOptions>(const std::string &path, std::string &why)>
      configure;
};

/// Reads messages of the language server protocol until `exit`. Returns the exit status that the
/// protocol asks for: 0 after `shutdown`, else 1.
int serve(std::FILE *in, llvm::raw_ostream &out, const ServerOptions &options);

} // namespace nereid::lsp
