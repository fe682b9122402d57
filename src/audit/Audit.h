// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Audits every kernel under some paths: what is proved of its accesses under the launches that its
// wrappers make, what is wrong with it, and what is not known and why.
#pragma once

#include "analysis/AccessProofs.h"
#include "audit/Discovery.h"
#include "audit/Rules.h"

#include <functional>
#include <map>
#include <set>

namespace nereid::audit {

struct AuditOptions {
  std::vector<std::string> paths;
  std::string version = "3.6.0";
  /// For one kernel.
  double seconds = 5;
  /// Rules by id or name. Not empty: these alone, quiet ones too.
  std::vector<std::string> select, ignore;
  /// Not empty: of the files under the paths only this one is audited; the others may launch its
  /// kernels.
  std::string subject;
  /// What is not looked for in folders.
  PathPatterns excluded;
  /// Where launches are looked for.
  Callers callers = Callers::InPackage;
  /// What is audited in place of what files hold.
  SourceTexts texts;
  /// By how many bytes of objects the paths through wrappers may make a tree grow until it is read
  /// again, which takes seconds for a large package. What is kept beside objects is as much again.
  uint64_t room = uint64_t(64) << 20;
  /// Adds what is found in other ways, before rules are selected and comments read.
  std::function<void(struct AuditResult &)> addFindings = {};
};

/// An edit that may mend a finding.
struct Suggestion {
  enum Kind : uint8_t {
    /// The product of 32 bits at the place is computed in 64.
    Widen,
    /// The access gets `text` as a part of its mask.
    Mask,
    /// The call gets `name=text`.
    Argument,
    /// The call gets `text` in the list `name=[...]`, beside what others put there.
    ListItem,
    /// What the call is given first counts where `text` holds, and is `name` elsewhere.
    Choose,
    /// What the call is given first is cast to float32.
    Single,
    /// The comment goes.
    Remove,
  };
  Kind kind;
  SourceLocation place;
  std::string name, text;
  /// It changes nothing where nothing is wrong.
  bool isSafe() const { return kind != Single; }
};

/// One property of one access, under all launches.
struct AuditedAccess {
  /// The place in the kernel's file.
  std::string path;
  unsigned line = 0, column = 0;
  /// `load`, `store`, ... and the pointer argument.
  std::string operation, argument;
  analysis::Property property = analysis::Property::InBounds;
  analysis::Verdict verdict = analysis::Verdict::Unknown;
  /// Unknown: what is missing. Counterexample: what goes wrong.
  std::string reason;
  std::vector<std::pair<std::string, int64_t>> witness;
  /// Counterexample: where it is launched so.
  std::string launch;
  /// What the verdict takes for granted.
  std::set<std::string> assumptions;
};

struct Finding {
  const Rule *rule = nullptr;
  Severity severity = Severity::Error;
  Certainty certainty = Certainty::Witnessed;
  std::string kernel;
  Diagnostic diagnostic;
  /// All of them together.
  std::vector<Suggestion> suggestions;
  /// Not empty: the reason that a comment gives for it.
  bool isSuppressed = false;
  std::string suppression;
  /// An earlier audit has told it.
  bool isKnown = false;
  /// Nothing has changed where it is.
  bool isElsewhere = false;
  bool isLeftOut() const { return isSuppressed || isKnown || isElsewhere; }
  std::vector<std::pair<std::string, int64_t>> witness;
  /// The same for the same fault in the same code, wherever it stands in the file.
  std::string fingerprint;
};

struct AuditedKernel {
  std::string path, name;
  unsigned line = 0;
  bool compiled = false;
  /// Compiled alone, or where this function calls it.
  std::string caller;
  /// Why not.
  Diagnostic rejection;
  unsigned launches = 0;
  /// The functions that launch it.
  std::set<std::string> wrappers;
  std::vector<AuditedAccess> accesses;
  double seconds = 0;
};

/// A comparison with a program in PyTorch: how many cases agreed, did not, and were not run, why.
struct ReferenceReport {
  std::string wrapper, reference;
  unsigned passed = 0, failed = 0, skipped = 0;
  std::map<std::string, unsigned> skips;
  double seconds = 0;
};

struct AuditResult {
  std::vector<AuditedKernel> kernels;
  std::vector<Finding> findings;
  std::vector<SkippedFile> skipped;
  std::vector<Diagnostic> problems;
  /// What diagnostics point at.
  std::vector<std::shared_ptr<const SourceFile>> texts;
  unsigned files = 0;
  std::string missing;
  /// Findings are compared with those of an earlier audit.
  bool hasBaseline = false;
  std::optional<ReferenceReport> reference;
};

/// From a place, both counted from 1, to the end of the call that begins there, in its line.
SourceRange rangeOfCall(const SourceFile &file, unsigned line, unsigned column);

AuditResult audit(const AuditOptions &options);

} // namespace nereid::audit
