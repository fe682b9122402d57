// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files in TOML 1.0, as configurations are: every value with its path of keys and its place. Dates,
// numbers in other bases and the items of inline tables are kept as they are written; nothing here
// asks whether two keys are the same.
#pragma once

#include "support/Diagnostic.h"

#include <optional>

namespace nereid {

struct TomlValue {
  enum Kind : uint8_t { String, Integer, Float, Boolean, Array, Other };
  Kind kind = Other;
  SourceRange range;
  /// String: what it holds. Others: as it is written.
  std::string text;
  /// Integer and boolean; float.
  int64_t integer = 0;
  double number = 0;
  /// Array.
  std::vector<TomlValue> items;
};

struct TomlEntry {
  /// `tool`, `nereid`, `select`: of the tables, then of the key.
  std::vector<std::string> path;
  SourceRange range; // of the key
  TomlValue value;
};

/// What a kind is called in messages: `a string`.
llvm::StringRef describe(TomlValue::Kind kind);

/// In the order of the file. On a syntax error nullopt, with one located error.
std::optional<std::vector<TomlEntry>> parseToml(const SourceFile &file, Diagnostics &diagnostics);

} // namespace nereid
