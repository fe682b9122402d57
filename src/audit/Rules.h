// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an audit can find: each rule with its id, its name and how bad what it finds is.
#pragma once

#include "support/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"

namespace nereid::audit {

/// How sure a finding is: it follows from what the source says; a run in the interpreter shows it;
/// it is what such code mostly means.
enum class Certainty : uint8_t { Proved, Witnessed, Likely };

/// The categories of a report.
enum class Category : uint8_t { Correctness, Performance, Memory, Numerics, Practice };

struct Rule {
  llvm::StringLiteral id, name;
  Severity severity;
  Category category;
  /// One line.
  llvm::StringLiteral summary;
  /// Reported where it is asked for by --select alone.
  bool isQuiet = false;
};

llvm::ArrayRef<Rule> getRules();
/// By its id or its name; null for others.
const Rule *findRule(llvm::StringRef text);
/// Whether the text is the name of a rule, its id, or the start of some ids.
bool namesRules(llvm::StringRef text);
inline constexpr llvm::StringLiteral helpOnRules =
    "rules have ids such as TRC001 and names such as oob-access: nereid docs audit";
llvm::StringRef getName(Certainty certainty);
llvm::StringRef getName(Category category);
llvm::StringRef getName(Severity severity);

} // namespace nereid::audit
