// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Document.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::driver {

/// The classes s0 to s3 colour the lines of charts.
static constexpr llvm::StringLiteral style = R"css(
:root { color-scheme: light dark; --ink: #1c2330; --paper: #fff; --faint: #667; --line: #d5d9e2;
  --bad: #fbe4e2; --c0: #1f6fb4; --c1: #c4610a; --c2: #2a8544; --c3: #8a3fa0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ee; --paper: #15181e; --faint: #98a0b0;
  --line: #353b47; --bad: #4a2422; --c0: #6db3f2; --c1: #f0a050; --c2: #6fce8b; --c3: #cf95e0; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72em; margin: 2em auto; padding: 0 1.2em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto; }
th, td { padding: .25em .7em; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; white-space: nowrap; }
td.w { white-space: normal; min-width: 20em; }
th { color: var(--faint); font-weight: 600; position: sticky; top: 0; background: var(--paper); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
tr.bad td { background: var(--bad); }
pre { font: 13px/1.45 ui-monospace, monospace; background: color-mix(in srgb, var(--ink) 6%, var(--paper));
  padding: .8em 1em; overflow-x: auto; border-radius: 6px; }
svg { max-width: 100%; height: auto; margin: .4em 1em .4em 0; }
svg text { fill: var(--ink); font: 11px system-ui, sans-serif; } svg .faint { fill: var(--faint); }
svg .axis { stroke: var(--line); } svg path { fill: none; stroke-width: 1.5; }
svg path.s0 { stroke-width: 5; } svg path.s1 { stroke-width: 3; }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); } .s2 { stroke: var(--c2); } .s3 { stroke: var(--c3); }
.dashed { stroke-dasharray: 5 4; }
)css";

std::string escapeHtml(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printHTMLEscaped(text, os);
  return result;
}

static bool isNumber(const Table &table, size_t column) {
  return llvm::StringRef(table.head[column]).starts_with("#");
}

static llvm::StringRef getHead(const Table &table, size_t column) {
  return llvm::StringRef(table.head[column]).ltrim('#');
}

static void printHtml(llvm::raw_ostream &os, const Table &table) {
  auto cell = [&](llvm::StringRef tag, size_t column, llvm::StringRef text) {
    llvm::StringRef kind = isNumber(table, column) ? " class=\"n\""
                           : text.size() > 60      ? " class=\"w\""
                                                   : "";
    os << '<' << tag << kind << '>' << escapeHtml(text) << "</" << tag << '>';
  };
  os << "<table>\n<thead><tr>";
  for (size_t column = 0; column < table.head.size(); ++column)
    cell("th", column, getHead(table, column));
  os << "</tr></thead>\n<tbody>\n";
  for (const Table::Row &row : table.rows) {
    os << (row.isBad ? "<tr class=\"bad\">" : "<tr>");
    for (auto [column, text] : llvm::enumerate(row.cells))
      cell("td", column, text);
    os << "</tr>\n";
  }
  os << "</tbody>\n</table>\n";
}

std::string Document::toHtml() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  std::string name = escapeHtml(title);
  os << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
     << name << "</title>\n<style>" << style << "</style>\n</head>\n<body>\n<h1>" << name
     << "</h1>\n";
  for (const Block &block : blocks) {
    switch (block.kind) {
    case Block::Heading:
      os << "<h2>" << escapeHtml(block.text) << "</h2>\n";
      break;
    case Block::Paragraph:
      os << "<p>" << escapeHtml(block.text) << "</p>\n";
      break;
    case Block::Code:
      os << "<pre>" << escapeHtml(block.text) << "</pre>\n";
      break;
    case Block::Figure:
      os << block.text << '\n';
      break;
    case Block::Rows:
      printHtml(os, block.table);
      break;
    }
  }
  os << "</body>\n</html>\n";
  return result;
}

static void printMarkdown(llvm::raw_ostream &os, const Table &table) {
  auto escape = [](llvm::StringRef text) {
    std::string result;
    for (char c : text)
      result += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
    return result;
  };
  for (size_t column = 0; column < table.head.size(); ++column)
    os << (column ? " | " : "| ") << escape(getHead(table, column));
  os << " |\n";
  for (size_t column = 0; column < table.head.size(); ++column)
    os << (isNumber(table, column) ? "|---:" : "|---");
  os << "|\n";
  for (const Table::Row &row : table.rows) {
    for (auto [column, text] : llvm::enumerate(row.cells))
      os << (column ? " | " : "| ") << escape(text);
    os << " |\n";
  }
}

std::string Document::toMarkdown() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << "# " << title << '\n';
  for (const Block &block : blocks) {
    if (block.kind != Block::Figure)
      os << '\n';
    if (block.kind == Block::Heading)
      os << "## " << block.text << '\n';
    else if (block.kind == Block::Paragraph)
      os << block.text << '\n';
    else if (block.kind == Block::Code)
      os << "```\n" << block.text << "\n```\n";
    else if (block.kind == Block::Rows)
      printMarkdown(os, block.table);
  }
  return result;
}

} // namespace nereid::driver
