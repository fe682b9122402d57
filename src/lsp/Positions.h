// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in a text as editors count them: lines from 0, and in a line units of UTF-16.
#pragma once

#include "support/Source.h"

#include "llvm/Support/LSP/Protocol.h"

namespace nereid::lsp {

llvm::lsp::Position toPosition(const SourceFile &file, uint32_t offset);
llvm::lsp::Range toRange(const SourceFile &file, SourceRange range);
/// The offset of a position; the end of the line or of the text for one beyond it.
uint32_t toOffset(const SourceFile &file, llvm::lsp::Position position);

} // namespace nereid::lsp
