// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Encoding.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <cstring>

using namespace nereid;
using namespace nereid::python;

namespace {

enum class Encoding { Utf8, Ascii, Latin1, Other };

struct Cookie {
  llvm::StringRef name;
  Encoding encoding = Encoding::Utf8;
};

bool isNameOrPrefix(llvm::StringRef name, llvm::StringRef wanted) {
  return name.consume_front(wanted) && (name.empty() || name.front() == '-');
}

Encoding classify(llvm::StringRef cookie) {
  std::string name = cookie.lower();
  for (char &c : name)
    c = c == '_' ? '-' : c;
  if (isNameOrPrefix(name, "utf-8") || name == "utf8" || name == "u8" || name == "cp65001")
    return Encoding::Utf8;
  for (llvm::StringRef alias : {"latin-1", "iso-8859-1", "iso-latin-1"})
    if (isNameOrPrefix(name, alias))
      return Encoding::Latin1;
  for (llvm::StringRef alias : {"latin1", "iso8859-1", "8859", "cp819", "l1", "latin"})
    if (name == alias)
      return Encoding::Latin1;
  for (llvm::StringRef alias : {"ascii", "us-ascii", "646", "us"})
    if (name == alias)
      return Encoding::Ascii;
  return Encoding::Other;
}

/// A cookie lies in a comment alone on one of the first two lines; the second line counts only if
/// the first holds nothing but blanks and a comment.
Cookie findCookie(llvm::StringRef text) {
  for (int line = 0; line < 2 && !text.empty(); ++line) {
    size_t end = text.find_first_of("\r\n");
    llvm::StringRef content = text.substr(0, end).ltrim(" \t\f");
    if (!content.empty() && content.front() != '#')
      return {};
    for (size_t at = content.find("coding"); at != llvm::StringRef::npos;
         at = content.find("coding", at + 6)) {
      llvm::StringRef rest = content.substr(at + 6);
      if (!rest.consume_front(":") && !rest.consume_front("="))
        continue;
      rest = rest.ltrim(" \t");
      llvm::StringRef name = rest.take_while(
          [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.'; });
      if (!name.empty())
        return {name, classify(name)};
    }
    if (end == llvm::StringRef::npos)
      return {};
    text = text.substr(text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  return {};
}

/// The offset of the first byte that is not ASCII, or the length.
size_t skipAscii(llvm::StringRef text, size_t from) {
  size_t i = from;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (word & 0x8080808080808080ull)
      break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80)
    ++i;
  return i;
}

/// The offset of the first ill-formed byte of UTF-8, or the length.
size_t findBadUtf8(llvm::StringRef text) {
  size_t i = skipAscii(text, 0);
  while (i < text.size()) {
    auto *at = reinterpret_cast<const llvm::UTF8 *>(text.data() + i);
    auto *end = reinterpret_cast<const llvm::UTF8 *>(text.data() + text.size());
    if (!llvm::isLegalUTF8Sequence(at, end))
      return i;
    i = skipAscii(text, i + llvm::getNumBytesForUTF8(*at));
  }
  return i;
}

std::string latin1ToUtf8(llvm::StringRef text) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (char byte : text) {
    auto c = static_cast<unsigned char>(byte);
    if (c < 0x80) {
      result += byte;
      continue;
    }
    result += static_cast<char>(0xc0 | c >> 6);
    result += static_cast<char>(0x80 | (c & 0x3f));
  }
  return result;
}

std::string byteName(char byte) {
  return "byte 0x" + llvm::utohexstr(static_cast<unsigned char>(byte), /*LowerCase=*/true, 2);
}

} // namespace

uint32_t nereid::python::getLatin1Offset(llvm::StringRef utf8, uint32_t offset) {
  uint32_t result = 0;
  for (char c : utf8.substr(0, offset))
    result += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return result;
}

std::shared_ptr<const SourceFile>
nereid::python::decodeSource(std::shared_ptr<const SourceFile> file, Diagnostics &diagnostics) {
  llvm::StringRef text = file->getText();
  auto fail = [&](size_t offset, size_t size, std::string message, std::string help) {
    auto begin = static_cast<uint32_t>(offset);
    diagnostics.error({file.get(), {begin, static_cast<uint32_t>(offset + size)}},
                      std::move(message), std::move(help));
    return nullptr;
  };
  size_t nul = text.find('\0');
  if (nul != llvm::StringRef::npos)
    return fail(nul, 1, "a Python file cannot contain null bytes", "");

  uint32_t mark = getByteOrderMarkSize(text);
  Cookie cookie = findCookie(text.substr(mark));
  size_t place = cookie.name.data() ? cookie.name.data() - text.data() : 0;
  if (cookie.encoding == Encoding::Other)
    return fail(place, cookie.name.size(),
                "unsupported source encoding '" + cookie.name.str() + "'",
                "save the file as UTF-8; the encodings that are read are utf-8, ascii and latin-1");
  std::string lower = cookie.name.lower();
  for (char &c : lower)
    c = c == '_' ? '-' : c;
  if (mark && cookie.name.data() && !isNameOrPrefix(lower, "utf-8"))
    return fail(place, cookie.name.size(),
                "the file starts with a UTF-8 byte order mark but is declared as '" +
                    cookie.name.str() + "'",
                "write `coding: utf-8` or remove the declaration");
  if (cookie.encoding == Encoding::Latin1) {
    if (skipAscii(text, 0) == text.size())
      return file;
    return std::make_shared<SourceFile>(file->getName().str(), latin1ToUtf8(text));
  }
  if (cookie.encoding == Encoding::Ascii) {
    size_t bad = skipAscii(text, 0);
    if (bad != text.size())
      return fail(bad, 1, byteName(text[bad]) + " in a file that is declared as ASCII",
                  "declare `coding: utf-8`");
    return file;
  }
  size_t bad = findBadUtf8(text);
  if (bad != text.size())
    return fail(bad, 1, byteName(text[bad]) + " is not valid UTF-8 here",
                "save the file as UTF-8 or declare its encoding, for example `# coding: latin-1`");
  return file;
}
