// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `check` found of trees in earlier runs. The kernels of a tree are compiled in the names that
// its imports made, and at what launches anywhere in it tell, so that they are kept together, with
// every answer that reading them was given: of texts, and of paths at which nothing was found.
#pragma once

#include "audit/Check.h"
#include "support/CacheFolder.h"

namespace nereid::audit {

struct TreeResult {
  std::vector<CheckedKernel> kernels;
  std::vector<UnreadFile> problems;
};

class CheckCache {
public:
  explicit CheckCache(const CheckOptions &options);

  bool isOpen() const { return !made.empty(); }
  /// Nullopt: nothing is kept of the tree, or what it was made of is no more what it was.
  std::optional<TreeResult> load(const SourceTree &tree) const;
  /// `answers`: all that the result was made of, beside the options and the list of files.
  void store(const SourceTree &tree, const Answers &answers, llvm::ArrayRef<CheckedKernel> kernels,
             llvm::ArrayRef<UnreadFile> problems) const;

private:
  Digest keyOf(const SourceTree &tree) const;

  CacheFolder folder;
  /// By whom, with which options, where; empty: nothing is kept.
  std::string made;
};

} // namespace nereid::audit
