// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Python asks of Unicode: which characters make names, which are printable, and the
// compatibility form (NFKC) in which names are compared. The tables are those of Unicode 14.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace nereid::python {

/// Decodes one character of well-formed UTF-8 (or WTF-8) and moves behind it.
uint32_t decodeUtf8(const char *&at);
/// Appends a character; surrogates are encoded like any other (WTF-8).
void appendUtf8(uint32_t c, std::string &text);

bool isIdentifierStart(uint32_t c);
bool isIdentifierPart(uint32_t c);
/// As `str.isprintable`: what `repr` shows as it is.
bool isPrintable(uint32_t c);

/// The NFKC form of a name. ASCII text is its own.
std::string normalizeIdentifier(llvm::StringRef name);

} // namespace nereid::python
