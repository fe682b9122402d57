// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A report for people: headings, paragraphs, tables, code and figures, which become one HTML page
// that needs nothing else (light or dark as the reader's system is), or Markdown.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace nereid::driver {

struct Table {
  struct Row {
    std::vector<std::string> cells;
    /// A row that the eye should find.
    bool isBad = false;
  };
  /// A heading that begins with `#` stands over numbers, which are set flush right.
  std::vector<std::string> head;
  std::vector<Row> rows;
};

class Document {
public:
  explicit Document(std::string title) : title(std::move(title)) {}

  void heading(std::string text) { blocks.push_back({Block::Heading, std::move(text), {}}); }
  void paragraph(std::string text) { blocks.push_back({Block::Paragraph, std::move(text), {}}); }
  void code(std::string text) { blocks.push_back({Block::Code, std::move(text), {}}); }
  /// An SVG element; Markdown leaves it out.
  void figure(std::string svg) { blocks.push_back({Block::Figure, std::move(svg), {}}); }
  void table(Table table) { blocks.push_back({Block::Rows, "", std::move(table)}); }

  std::string toHtml() const;
  std::string toMarkdown() const;

private:
  struct Block {
    enum Kind : uint8_t { Heading, Paragraph, Code, Figure, Rows } kind;
    std::string text;
    Table table;
  };

  std::string title;
  std::vector<Block> blocks;
};

/// The text with what HTML and SVG take for markup written as entities.
std::string escapeHtml(llvm::StringRef text);

} // namespace nereid::driver
