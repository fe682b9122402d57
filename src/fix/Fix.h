// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mends what an audit has found where its findings suggest how: all suggestions are written into
// texts that stand in for the files, these are audited again, and what does not mend its finding,
// or spoils something else of its kernel, is taken back, until what is left holds. Nothing is
// written to a file here.
#pragma once

#include "audit/Audit.h"
#include "upgrade/Edits.h"

namespace nereid::fix {

/// What was suggested for one finding.
struct Fix {
  std::string rule, kernel;
  /// Of the finding.
  SourceLocation place;
  /// What the edits are of.
  const SourceFile *file = nullptr;
  std::vector<upgrade::Edit> edits;
  /// Why it is not made; empty: it is.
  std::string problem;
};

struct FixedFile {
  std::string path;
  std::shared_ptr<const SourceFile> before;
  std::vector<upgrade::Edit> edits;
};

/// The fixes of one kind, and the files that they change.
struct FixRound {
  std::vector<Fix> fixes;
  std::vector<FixedFile> files;
};

struct FixResult {
  /// Those that change nothing where nothing is wrong.
  FixRound safe;
  /// Those that somebody has to look at: changes of what `safe` leaves.
  FixRound others;
  /// What is found once the safe ones are made.
  audit::AuditResult after;
};

FixResult fixFindings(const audit::AuditOptions &options, const audit::AuditResult &found);

} // namespace nereid::fix
