// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostic.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using namespace nereid;

Diagnostic &Diagnostics::error(SourceLocation location, std::string message, std::string help) {
  ++errors;
  list.push_back({Severity::Error, location, std::move(message), std::move(help), {}});
  return list.back();
}

Diagnostic &Diagnostics::warning(SourceLocation location, std::string message, std::string help) {
  list.push_back({Severity::Warning, location, std::move(message), std::move(help), {}});
  return list.back();
}

void Diagnostics::clear() {
  list.clear();
  errors = 0;
}

void Diagnostics::print(llvm::raw_ostream &os, bool colour) const {
  for (const Diagnostic &diagnostic : list)
    printDiagnostic(diagnostic, os, colour);
}

namespace {

/// The columns that a piece of UTF-8 text takes on a terminal; bytes that are no text take one
/// each.
unsigned displayWidth(llvm::StringRef text) {
  int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width < 0 ? text.size() : width;
}

/// Source lines may hold anything: control bytes and tabs become blanks so that carets line up.
std::string printable(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return result;
}

class Painter {
public:
  Painter(llvm::raw_ostream &os, bool colour) : os(os), colour(colour) {}
  void put(llvm::StringRef escape, llvm::StringRef text) {
    if (colour)
      os << escape << text << "\033[0m";
    else
      os << text;
  }

private:
  llvm::raw_ostream &os;
  bool colour;
};

constexpr unsigned maxLineWidth = 160;

void printSnippet(SourceLocation location, llvm::raw_ostream &os, Painter &painter) {
  const SourceFile &file = *location.file;
  LineColumn begin = file.getLineColumn(location.range.begin);
  llvm::StringRef line = file.getLine(begin.line);
  unsigned column = std::min<unsigned>(begin.column, line.size());
  LineColumn end = file.getLineColumn(std::max(location.range.begin, location.range.end));
  unsigned stop =
      end.line == begin.line ? std::min<unsigned>(end.column, line.size()) : line.size();

  // A very long line is shown from shortly before the place.
  unsigned first = column > maxLineWidth ? column - 40 : 0;
  while (first > 0 && (static_cast<unsigned char>(line[first]) & 0xc0) == 0x80)
    --first;
  llvm::StringRef shown = line.substr(first, maxLineWidth);
  stop = std::min<unsigned>(stop, first + shown.size());

  std::string number = std::to_string(begin.line);
  os << "  " << number << " | " << printable(shown) << '\n';
  os << "  " << std::string(number.size(), ' ') << " | "
     << std::string(displayWidth(line.slice(first, column)), ' ');
  unsigned width = std::max(1u, displayWidth(line.slice(column, std::max(column, stop))));
  painter.put("\033[1;32m", "^" + std::string(width - 1, '~'));
  os << '\n';
}

} // namespace

void nereid::printDiagnostic(const Diagnostic &diagnostic, llvm::raw_ostream &os, bool colour) {
  Painter painter(os, colour);
  SourceLocation location = diagnostic.location;
  if (location.file) {
    LineColumn place = location.file->getLineColumn(location.range.begin);
    os << location.file->getName() << ':' << place.line << ':' << place.column + 1 << ": ";
  }
  switch (diagnostic.severity) {
  case Severity::Error:
    painter.put("\033[1;31m", "error: ");
    break;
  case Severity::Warning:
    painter.put("\033[1;35m", "warning: ");
    break;
  case Severity::Note:
    painter.put("\033[1;36m", "note: ");
    break;
  }
  os << diagnostic.message << '\n';
  if (location.file)
    printSnippet(location, os, painter);
  if (!diagnostic.help.empty()) {
    os << "  ";
    painter.put("\033[1;32m", "help: ");
    os << diagnostic.help << '\n';
  }
  for (const Diagnostic &note : diagnostic.notes)
    printDiagnostic(note, os, colour);
}
