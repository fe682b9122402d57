// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One reading of the files that are imported from one folder, and what becomes of each kernel in
// them. Nothing of one kernel's outcome depends on which were compiled before.
#pragma once

#include "audit/Check.h"

#include "mlir/IR/MLIRContext.h"

#include <chrono>

namespace nereid::audit {

struct Outcome {
  CheckedKernel kernel;
  /// The places of the functions that it calls and that nothing launches.
  std::vector<size_t> called;
};

class TreeCheck {
public:
  explicit TreeCheck(const CheckOptions &options);

  void read(const SourceTree &sources, std::vector<UnreadFile> &problems) {
    tree.read(sources, problems);
  }
  size_t size() const { return tree.entries.size(); }
  /// Whether it is compiled before those that only other functions call.
  bool isFirst(size_t place) const;
  /// What is known of a kernel before it is compiled.
  CheckedKernel describe(size_t place) const;
  Outcome compile(size_t place);

private:
  using Clock = std::chrono::steady_clock;

  void explainMissing(const KernelTree::Entry &entry, CheckedKernel &kernel);
  bool tryAll(const KernelTree::Entry &entry, CheckedKernel &kernel);
  void keep(CheckedKernel &kernel, Diagnostic reason);

  const CheckOptions &options;
  mlir::MLIRContext context;
  KernelTree tree;
};

} // namespace nereid::audit
