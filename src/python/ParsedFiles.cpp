// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParsedFiles.h"

namespace nereid::python {

const ParsedFiles::Entry &ParsedFiles::load(Entry &entry, llvm::StringRef path) {
  std::call_once(entry.once, [&] {
    entry.source = readSourceFile(path, entry.error);
    std::unique_ptr<ParsedFile> parsed;
    if (entry.source)
      parsed = parseFile(entry.source, entry.diagnostics);
    if (parsed)
      std::vector<Token>().swap(parsed->tokens);
    entry.parsed = std::move(parsed);
  });
  return entry;
}

const ParsedFiles::Entry &ParsedFiles::get(llvm::StringRef path) {
  Entry *entry;
  {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<Entry> &place = entries[path];
    if (!place)
      place = std::make_unique<Entry>();
    entry = place.get();
  }
  return load(*entry, path);
}

const ParsedFiles::Entry *ParsedFiles::find(llvm::StringRef path) {
  Entry *entry;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto place = entries.find(path);
    entry = place == entries.end() ? nullptr : place->second.get();
  }
  return entry ? &load(*entry, path) : nullptr;
}

} // namespace nereid::python
