// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder of texts that are kept from one run to the next, each in a file of its own. Runs may
// share it: entries are written elsewhere and renamed, and one that is damaged is as good as none.
// Nothing here is an error; where the folder cannot be written nothing is kept.
//
//   CacheFolder cache(folder, limit);
//   if (std::optional<std::string> kept = cache.load(key)) ...
//   cache.store(key, text);
#pragma once

#include "support/Answers.h"

#include <optional>

namespace nereid {

class CacheFolder {
public:
  /// Empty: there is none. `limit`: bytes of all entries, beyond which those that were not used for
  /// the longest time are removed.
  CacheFolder(std::string folder, uint64_t limit) : folder(std::move(folder)), limit(limit) {}

  std::optional<std::string> load(const Digest &key) const;
  void store(const Digest &key, llvm::StringRef text) const;

private:
  std::string getPath(const Digest &key) const;
  void prune() const;

  std::string folder;
  uint64_t limit;
};

} // namespace nereid
