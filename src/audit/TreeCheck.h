// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One reading of the files that are imported from one folder, and what becomes of each kernel in
// them. Nothing of one kernel's outcome depends on which were compiled before.
#pragma once

#include "audit/Check.h"
#include "python/machine/Outside.h"

#include "mlir/IR/MLIRContext.h"

#include <chrono>
#include <utility>

namespace nereid::audit {

struct Outcome {
  CheckedKernel kernel;
  /// The places of the functions that it calls and that nothing launches.
  std::vector<size_t> called;
};

class TreeCheck {
public:
  /// Takes texts and trees of files from there.
  TreeCheck(const CheckOptions &options, python::ParsedFiles &files);

  void read(const SourceTree &sources, std::vector<UnreadFile> &problems) {
    tree.read(sources, problems);
  }
  size_t size() const { return tree.entries.size(); }
  /// Whether it is compiled before those that only other functions call.
  bool isFirst(size_t place) const;
  /// What is known of a kernel before it is compiled.
  CheckedKernel describe(size_t place) const;
  Outcome compile(size_t place);
  /// What the outside answered so far: all that the outcomes hang on, unless time did.
  const Answers &getAnswers() const { return answers; }
  /// Since it was asked last.
  bool hasNewAnswers() {
    return std::exchange(noted, answers.size()) != answers.size() || !answers.agree();
  }
  bool wasLate() { return isLate || machine::wasLate(tree.project.getMachine()); }

private:
  using Clock = std::chrono::steady_clock;

  void explainMissing(const KernelTree::Entry &entry, CheckedKernel &kernel);
  bool tryAll(const KernelTree::Entry &entry, CheckedKernel &kernel);
  void keep(CheckedKernel &kernel, Diagnostic reason);

  const CheckOptions &options;
  Answers answers;
  size_t noted = 0;
  bool isLate = false;
  mlir::MLIRContext context;
  KernelTree tree;
};

} // namespace nereid::audit
