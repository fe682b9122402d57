// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the bytes of a Python file into UTF-8 as PEP 263 says: cookies utf-8, ascii and latin-1 are
// read, others are refused by name. The lexer behind it sees neither NUL nor ill-formed UTF-8.
#pragma once

#include "support/Diagnostic.h"

#include <memory>
#include <string>

namespace nereid::python {

/// Returns the file itself when it is in UTF-8, its transcription when it is in Latin-1, or null
/// after one error.
std::shared_ptr<const SourceFile> decodeSource(std::shared_ptr<const SourceFile> file,
                                               Diagnostics &diagnostics);

/// The number of bytes of a byte order mark at the beginning of a text: 3 or 0.
inline uint32_t getByteOrderMarkSize(llvm::StringRef text) {
  return text.starts_with("\xef\xbb\xbf") ? 3 : 0;
}

/// The offset in a Latin-1 text that belongs to an offset in its transcription to UTF-8.
uint32_t getLatin1Offset(llvm::StringRef utf8, uint32_t offset);

} // namespace nereid::python
