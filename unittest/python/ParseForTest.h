// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses text in tests: the tree as text, or the error as "line:column: message".
#pragma once

#include "python/Dump.h"
#include "python/Parser.h"

#include <string>

namespace nereid::python {

inline std::unique_ptr<ParsedFile> parseText(std::string text, std::string &error) {
  auto source = std::make_shared<SourceFile>("test.py", std::move(text));
  Diagnostics diagnostics;
  auto file = parseFile(source, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    LineColumn place = source->getLineColumn(diagnostic.location.range.begin);
    error +=
        std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + diagnostic.message;
  }
  return file;
}

/// The tree of a text, or its error.
inline std::string dumpText(std::string text, bool withPlaces = false) {
  std::string result;
  auto file = parseText(std::move(text), result);
  if (!file)
    return result;
  llvm::raw_string_ostream os(result);
  DumpOptions options;
  options.includeAttributes = withPlaces;
  dumpAst(*file, os, options);
  return result;
}

} // namespace nereid::python
