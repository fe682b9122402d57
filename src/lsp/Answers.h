// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an audit of an open file says to an editor.
#pragma once

#include "audit/Audit.h"
#include "fix/Fix.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

namespace nereid::lsp {

/// An open file as it was audited.
struct AuditedFile {
  /// As the audit names it.
  std::string path;
  llvm::lsp::URIForFile uri;
  int64_t version = 0;
  std::shared_ptr<const SourceFile> text;
  audit::AuditOptions options;
  audit::AuditResult result;
  /// Why it was not audited; empty: it was.
  std::string problem;
};

/// The parameters of `textDocument/publishDiagnostics`.
llvm::json::Value diagnosticsOf(const AuditedFile &file);
/// What is known of the access at a place, and of the function of `tl` that is named there; null
/// where there is nothing to say.
llvm::json::Value hoverAt(const AuditedFile &file, llvm::lsp::Position position);
/// The fixes of what is found in a range, those that are safe first.
llvm::json::Value actionsIn(const AuditedFile &file, llvm::lsp::Range range);

} // namespace nereid::lsp
