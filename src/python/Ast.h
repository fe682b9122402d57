// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The abstract syntax tree of Python 3.12, node for node that of CPython's `ast`, and the file that
// owns it. Use llvm::isa, cast and dyn_cast on nodes; every node has its range of bytes and tokens.
#pragma once

#include "python/AstExpr.h"
#include "python/AstStmt.h"
#include "python/Token.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Allocator.h"

#include <memory>
#include <vector>

namespace nereid::python {

/// A parsed file: text, tokens and tree. Nodes and the strings in them die with it. Identifiers are
/// interned: within a file, equal names have equal data pointers.
class ParsedFile {
public:
  explicit ParsedFile(std::shared_ptr<const SourceFile> source)
      : source(std::move(source)), names(arena) {}
  ParsedFile(const ParsedFile &) = delete;
  ParsedFile &operator=(const ParsedFile &) = delete;

  /// The text in UTF-8. It is the file given to parseFile, or its transcription when that was
  /// declared to be Latin-1.
  const SourceFile &getSource() const { return *source; }
  std::shared_ptr<const SourceFile> getSharedSource() const { return source; }
  const Module &getModule() const { return *module; }

  SourceLocation getLocation(const Node &node) const { return {source.get(), node.range}; }
  /// The text of a node as it was written.
  llvm::StringRef getText(const Node &node) const { return source->getText(node.range); }
  llvm::StringRef getText(const Token &token) const { return source->getText(token.range); }
  /// Line and column as CPython counts them: a byte order mark takes no column.
  LineColumn getLineColumn(uint32_t offset) const;

  llvm::StringRef intern(llvm::StringRef name) { return names.insert(name).first->getKey(); }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) { return list.copy(arena); }
  template <typename T, typename... Args> T *create(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (arena.Allocate<T>()) T(std::forward<Args>(args)...);
  }
  llvm::BumpPtrAllocator &getArena() { return arena; }

  std::vector<Token> tokens;
  Module *module = nullptr;

private:
  std::shared_ptr<const SourceFile> source;
  llvm::BumpPtrAllocator arena;
  // Not llvm::UniqueStringSaver: its code lies in LLVM's library, which knows nothing of a
  // sanitizer that this header was compiled for.
  llvm::StringSet<llvm::BumpPtrAllocator &> names;
};

} // namespace nereid::python
