// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles every jit function under some paths to `tile` IR at the signatures that are inferred for
// it, and tells for each whether it compiled, and else why not and where.
#pragma once

#include "audit/KernelTree.h"

#include <functional>

namespace nereid::audit {

struct CheckOptions {
  std::vector<std::string> paths;
  /// What `triton.__version__` is; empty: 3.6.0, and kernels may use names that earlier versions
  /// had.
  std::string version;
  /// For one kernel, all attempts together.
  double seconds = 10;
  /// What is not looked for in folders.
  PathPatterns excluded;
  /// How many threads work at the same time. The result is the same for any number.
  unsigned jobs = 1;
  /// A folder in which results are kept for later runs, as long as nothing changes that they were
  /// made of; empty: none is.
  std::string cache;
  /// Told how many kernels are done of those that were found so far, by one thread at a time; null:
  /// nobody is.
  std::function<void(size_t done, size_t all)> progress;
};

struct CheckedKernel {
  std::string path, name;
  unsigned line = 0;
  bool compiled = false;
  /// Why not. Its locations are in `texts`.
  Diagnostic reason;
  std::vector<std::shared_ptr<const SourceFile>> texts;
  /// The signature that compiled, or the first that was tried.
  std::vector<InferredParameter> parameters;
  /// How many were tried, and how the one that compiled differs from the first.
  unsigned attempts = 0;
  std::string difference;
  /// The function at whose call it was compiled; empty when it was compiled alone.
  std::string caller;
};

struct CheckResult {
  std::vector<CheckedKernel> kernels;
  std::vector<SkippedFile> skipped;
  std::vector<UnreadFile> problems;
  unsigned files = 0;
  /// How many of the kernels an earlier run has compiled or rejected.
  size_t kept = 0;
  std::string missing;
};

CheckResult check(const CheckOptions &options);

} // namespace nereid::audit
