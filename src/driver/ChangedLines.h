// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has changed since a revision of git: `nereid audit --diff REV` tells only what it finds
// there. Git itself is asked, file by file, so that its configuration and attributes count.
#pragma once

#include "audit/Audit.h"

namespace nereid::driver {

/// Marks the findings no place of which lies on a line that has changed, or beside lines that were
/// taken out. False, with an error: there is no git, no such revision, or a file is in no work
/// tree.
bool markElsewhere(audit::AuditResult &result, const std::vector<std::string> &paths,
                   const std::string &revision, Diagnostics &diagnostics);

} // namespace nereid::driver
