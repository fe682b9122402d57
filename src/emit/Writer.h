// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of Python in the layout of `ruff format` at 88 columns: a statement that is too long opens
// its last bracket, arguments on one line if they fit there, else one a line with a comma behind.
#pragma once

#include "emit/Code.h"

#include <string>

namespace nereid::emit {

inline constexpr unsigned lineWidth = 88;

/// Columns that a text takes (code points, as ruff counts for the scripts we print).
unsigned getColumns(llvm::StringRef text);

class Writer {
public:
  void indent() { depth += 4; }
  void dedent() { depth -= 4; }
  unsigned getIndent() const { return depth; }

  /// One finished line, indented; nothing but the line end for an empty text.
  void line(llvm::StringRef text);
  /// `prefix code suffix` as one statement: `x = ` ... or `if ` ... `:`.
  void statement(llvm::StringRef prefix, const Code &code, llvm::StringRef suffix = "");
  /// `a, b = code`: targets that are too long stand one a line, as `code` does behind them.
  void assignment(llvm::ArrayRef<std::string> targets, const Code &code);
  /// `head(element for variables in rows)`.
  void comprehension(llvm::StringRef head, const Code &element, llvm::StringRef variables,
                     const Code &rows);
  /// `del a, b`.
  void deletion(llvm::ArrayRef<std::string> names);
  /// `head(parameters)tail`, where the parameters are finished texts.
  void definition(llvm::StringRef head, llvm::ArrayRef<Code> parameters,
                  llvm::StringRef tail = ":");
  void definition(llvm::StringRef head, llvm::ArrayRef<std::string> parameters,
                  llvm::StringRef tail = ":");
  /// A docstring: each line of the text, indented.
  void docstring(llvm::StringRef text);
  /// Text of several lines as it is, but for the indent.
  void block(llvm::StringRef text);

  /// The text of another writer, as it is.
  void paste(const Writer &other) { text += other.text; }

  bool fits(llvm::StringRef prefix, const Code &code, llvm::StringRef suffix = "") const;

  /// Whether a method call that is too long opens the call before it, `f(` ... `).to(x)`: where its
  /// own arguments do not start on the first line.
  bool opensBefore(llvm::StringRef prefix, const Code &code) const;

  const std::string &str() const { return text; }

private:
  void print(llvm::StringRef prefix, const Code &code, llvm::StringRef suffix);
  void open(const std::string &head, const Code &whole, llvm::ArrayRef<Code> parts,
            const std::string &tail, bool mayShareLine);
  bool fill(llvm::ArrayRef<std::string> parts, llvm::ArrayRef<size_t> starts);
  void openNames(llvm::StringRef head, llvm::ArrayRef<std::string> names);
  void finish();

  std::string text;
  unsigned depth = 0;
  /// Whether a list of the statement fills lines, which `ruff format` is told to keep.
  bool isFilled = false;
};

} // namespace nereid::emit
