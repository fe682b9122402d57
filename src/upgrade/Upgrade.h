// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings the kernels under some paths to a version of Triton: rules write anew what that version
// removed or moved, and every function that changes is shown to be what it was, compiled to `tile`
// IR before and after at the signatures that `check` infers. What cannot be shown stays as it is.
#pragma once

#include "audit/KernelTree.h"
#include "upgrade/Changes.h"

namespace nereid::upgrade {

struct UpgradeOptions {
  std::vector<std::string> paths;
  Version version;
  /// For one kernel, all attempts together.
  double seconds = 10;
};

struct UpgradedKernel {
  std::string path, name;
  unsigned line = 0;
  bool upgraded = false;
  std::set<std::string> kinds;
  /// How it was shown: `same IR at 2 signatures`.
  std::string proof;
  /// Why it stays. The locations are in `texts`.
  std::vector<Diagnostic> reasons;
};

struct UpgradedFile {
  std::string path;
  std::shared_ptr<const SourceFile> before;
  std::vector<Edit> edits; // of the kernels that are upgraded
};

struct UpgradeResult {
  std::vector<UpgradedKernel> kernels; // those that the version asks something of
  std::vector<UpgradedFile> files;
  std::vector<audit::SkippedFile> skipped;
  std::vector<audit::UnreadFile> problems;
  std::vector<std::shared_ptr<const SourceFile>> texts;
  unsigned readFiles = 0, readKernels = 0;
  std::string missing;
};

UpgradeResult upgrade(const UpgradeOptions &options);

} // namespace nereid::upgrade
