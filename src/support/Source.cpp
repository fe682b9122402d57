// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Source.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cassert>

using namespace nereid;

SourceFile::SourceFile(std::string name, std::string text)
    : name(std::move(name)), text(std::move(text)) {
  assert(this->text.size() < UINT32_MAX && "offsets are 32 bits wide");
  lineStarts.push_back(0);
  llvm::StringRef all = this->text;
  if (!all.contains('\r')) {
    for (size_t at = 0; (at = all.find('\n', at)) != llvm::StringRef::npos;)
      lineStarts.push_back(++at);
    return;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == '\r' && i + 1 < all.size() && all[i + 1] == '\n')
      continue;
    if (all[i] == '\n' || all[i] == '\r')
      lineStarts.push_back(i + 1);
  }
}

llvm::StringRef SourceFile::getText(SourceRange range) const {
  return llvm::StringRef(text).slice(range.begin, range.end);
}

LineColumn SourceFile::getLineColumn(uint32_t offset) const {
  auto after = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  uint32_t line = after - lineStarts.begin();
  return {line, offset - lineStarts[line - 1]};
}

llvm::StringRef SourceFile::getLine(uint32_t line) const {
  if (line == 0 || line > lineStarts.size())
    return "";
  uint32_t begin = lineStarts[line - 1];
  uint32_t end = line < lineStarts.size() ? lineStarts[line] : text.size();
  return llvm::StringRef(text).slice(begin, end).rtrim("\r\n");
}

std::unique_ptr<SourceFile> nereid::readSourceFile(llvm::StringRef path, std::string &error,
                                                   uint64_t maxBytes) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status)) {
    error = code.message();
    return nullptr;
  }
  if (llvm::sys::fs::is_directory(status)) {
    error = "is a directory";
    return nullptr;
  }
  if (status.getSize() > maxBytes) {
    error = "is larger than " + std::to_string(maxBytes >> 20) + " MiB";
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    error = buffer.getError().message();
    return nullptr;
  }
  if ((*buffer)->getBufferSize() > maxBytes) {
    error = "is larger than " + std::to_string(maxBytes >> 20) + " MiB";
    return nullptr;
  }
  return std::make_unique<SourceFile>(path.str(), (*buffer)->getBuffer().str());
}

std::unique_ptr<SourceFile> nereid::readSourceFile(llvm::StringRef path, std::string &error,
                                                   const SourceTexts *texts) {
  if (texts) {
    llvm::SmallString<256> plain(path);
    llvm::sys::path::remove_dots(plain, /*remove_dot_dot=*/true);
    if (auto found = texts->find(plain); found != texts->end())
      return std::make_unique<SourceFile>(path.str(), found->second);
  }
  return readSourceFile(path, error);
}
