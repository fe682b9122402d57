// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics with carets: what went wrong, where, and what to write instead.
//
// Messages start with a lower-case letter and end without a full stop. A diagnostic may carry notes
// (other places, the call stack) and a help line (what to do).
#pragma once

#include "support/Source.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace nereid {

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceLocation location;
  std::string message;
  /// What the user should write or do instead; empty when there is nothing to say.
  std::string help;
  std::vector<Diagnostic> notes;

  Diagnostic &addNote(SourceLocation location, std::string message) {
    notes.push_back({Severity::Note, location, std::move(message), "", {}});
    return *this;
  }
};

/// Collects diagnostics in the order in which they were found.
class Diagnostics {
public:
  Diagnostic &error(SourceLocation location, std::string message, std::string help = "");
  Diagnostic &warning(SourceLocation location, std::string message, std::string help = "");

  bool hasErrors() const { return errors != 0; }
  const std::vector<Diagnostic> &all() const { return list; }
  void clear();

  /// Prints as `file:line:column: error: message` with the source line and a caret below it.
  void print(llvm::raw_ostream &os, bool colour) const;

private:
  std::vector<Diagnostic> list;
  unsigned errors = 0;
};

void printDiagnostic(const Diagnostic &diagnostic, llvm::raw_ostream &os, bool colour);

} // namespace nereid
