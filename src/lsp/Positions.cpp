// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Positions.h"

using namespace llvm;

namespace nereid::lsp {

/// How many units of UTF-16 the character that begins with this byte of UTF-8 takes: none for a
/// byte within one.
static unsigned unitsAt(char byte) {
  auto value = static_cast<unsigned char>(byte);
  bool isWithin = (value & 0xC0) == 0x80;
  return isWithin ? 0 : value >= 0xF0 ? 2 : 1;
}

llvm::lsp::Position toPosition(const SourceFile &file, uint32_t offset) {
  LineColumn at = file.getLineColumn(std::min<uint32_t>(offset, file.getText().size()));
  unsigned units = 0;
  for (char byte : file.getLine(at.line).take_front(at.column))
    units += unitsAt(byte);
  return {int(at.line) - 1, int(units)};
}

llvm::lsp::Range toRange(const SourceFile &file, SourceRange range) {
  return {toPosition(file, range.begin), toPosition(file, std::max(range.begin, range.end))};
}

uint32_t toOffset(const SourceFile &file, llvm::lsp::Position position) {
  uint32_t line = position.line < 0 ? 1 : uint32_t(position.line) + 1;
  if (line > file.getLineCount())
    return file.getText().size();
  StringRef text = file.getLine(line);
  int units = 0;
  uint32_t column = 0;
  while (column < text.size() && units < position.character)
    units += unitsAt(text[column++]);
  // To the end of the character.
  while (column < text.size() && unitsAt(text[column]) == 0)
    ++column;
  return file.getLineStart(line) + column;
}

} // namespace nereid::lsp
