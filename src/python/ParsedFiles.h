// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that several readers want, on several threads perhaps: each is read and parsed once, by who
// comes first. All of them see the same text, whatever becomes of the file meanwhile. Tokens are
// not kept: those who rewrite files parse them for themselves.
#pragma once

#include "python/Parser.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace nereid::python {

class ParsedFiles {
public:
  struct Entry {
    /// Null: it cannot be read, for this reason.
    std::shared_ptr<const SourceFile> source;
    std::string error;
    /// Null: it is no Python, as these say.
    std::shared_ptr<const ParsedFile> parsed;
    Diagnostics diagnostics;

  private:
    friend class ParsedFiles;
    std::once_flag once;
  };

  /// Waits where another thread is at it. The entry stays as long as this does.
  const Entry &get(llvm::StringRef path);
  /// Null: nobody has asked for it.
  const Entry *find(llvm::StringRef path);

private:
  static const Entry &load(Entry &entry, llvm::StringRef path);

  std::mutex mutex;
  llvm::StringMap<std::unique_ptr<Entry>> entries;
};

} // namespace nereid::python
