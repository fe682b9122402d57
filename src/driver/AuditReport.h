// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms in which `nereid audit` tells what it found.
#pragma once

#include "audit/Audit.h"
#include "fix/Fix.h"

namespace nereid::driver {

void printAuditText(const audit::AuditResult &result, bool verbose, double seconds);
void printAuditJson(const audit::AuditResult &result, double seconds);
/// Marks what the SARIF file of an earlier audit tells. False, with an error: it cannot be read.
bool markKnown(audit::AuditResult &result, const std::string &path, Diagnostics &diagnostics);
/// What --fix has made or would make, and why not the rest.
void printFixes(const fix::FixResult &fixes, bool diffOnly);
/// Writes the files. False, with an error: one cannot be written.
bool writeFixes(const fix::FixResult &fixes, Diagnostics &diagnostics);
std::string makeSarif(const audit::AuditResult &result);
std::string makeAuditHtml(const audit::AuditResult &result);
std::string makeAuditMarkdown(const audit::AuditResult &result);

} // namespace nereid::driver
