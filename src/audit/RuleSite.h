// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the rules of one kernel write what they find.
#pragma once

#include "audit/Audit.h"
#include "frontend/triton/TritonProject.h"

#include "mlir/IR/Operation.h"

namespace nereid::audit {

class RuleSite {
public:
  RuleSite(triton::TritonProject &project, const triton::JitFunction &function,
           const std::string &kernel, std::vector<Finding> &findings)
      : project(project), function(function), kernel(kernel), findings(findings),
        first(findings.size()) {}

  /// Null: the rule has found something at this place before.
  Finding *add(llvm::StringRef rule, Certainty certainty, SourceLocation place, std::string message,
               std::string help);

  /// The same, but in one finding for the kernel: what comes later is a note of it, `also`, up to a
  /// few. Null for these.
  Finding *addOnce(llvm::StringRef rule, Certainty certainty, SourceLocation place,
                   std::string message, std::string help, std::string also);
  /// What the rule has told of another kernel in the same words about the same file; null: nothing.
  Finding *findSame(llvm::StringRef rule, llvm::StringRef message, SourceLocation place);

  void drop(Finding *finding);
  /// What a rule has told of this place in this kernel; null: nothing.
  Finding *find(llvm::StringRef rule, SourceLocation place) const;
  /// An error that is told of this place; null: there is none.
  Finding *findError(SourceLocation place) const;

  SourceLocation placeOf(const python::Node &node) const;
  /// Of an operation, in a file that was read; no place for others.
  SourceLocation placeOf(mlir::Operation *op) const;
  /// The longest expression of a kind that begins at the place of an operation, as it is written;
  /// no place: there is none.
  SourceLocation expressionAt(mlir::Operation *op,
                              llvm::function_ref<bool(const python::Node &)> isOfKind) const;

  triton::TritonProject &project;
  const triton::JitFunction &function;
  const std::string &kernel;

private:
  std::vector<Finding> &findings;
  size_t first;
};

} // namespace nereid::audit
