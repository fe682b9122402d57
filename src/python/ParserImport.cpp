// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

bool Parser::parseDottedName(std::string &name) {
  for (;;) {
    uint32_t part = pos;
    if (!expect(TokenKind::Name))
      return false;
    name += identifier(part);
    if (!accept(TokenKind::Dot))
      return true;
    name += '.';
  }
}

Alias *Parser::parseAlias(bool isDotted) {
  auto *alias = make<Alias>();
  uint32_t start = pos;
  std::string name;
  if (isDotted) {
    if (!parseDottedName(name))
      return nullptr;
  } else {
    if (!expect(TokenKind::Name))
      return nullptr;
    name = identifier(start);
  }
  alias->name = file.intern(name);
  if (accept(TokenKind::KwAs)) {
    uint32_t asname = pos;
    if (!expect(TokenKind::Name))
      return nullptr;
    alias->asname = identifier(asname);
  }
  return finish(alias, start);
}

Stmt *Parser::parseImport() {
  auto *import = make<Import>();
  uint32_t start = pos;
  advance();
  llvm::SmallVector<Alias *, 4> names;
  do {
    Alias *alias = parseAlias(/*isDotted=*/true);
    if (!alias)
      return nullptr;
    names.push_back(alias);
  } while (accept(TokenKind::Comma));
  import->names = copy(names);
  return finish(import, start);
}

Stmt *Parser::parseImportFrom() {
  auto *import = make<ImportFrom>();
  uint32_t start = pos;
  advance();
  for (; at(TokenKind::Dot) || at(TokenKind::Ellipsis); advance())
    import->level += at(TokenKind::Dot) ? 1 : 3;
  if (!import->level || !at(TokenKind::KwImport)) {
    std::string module;
    if (!parseDottedName(module))
      return nullptr;
    import->module = file.intern(module);
  }
  if (!expect(TokenKind::KwImport))
    return nullptr;
  llvm::SmallVector<Alias *, 8> names;
  if (at(TokenKind::Star)) {
    auto *alias = make<Alias>();
    uint32_t star = pos;
    alias->name = file.intern("*");
    advance();
    names.push_back(finish(alias, star));
  } else if (!parseImportNames(names)) {
    return nullptr;
  }
  import->names = copy(names);
  return finish(import, start);
}

bool Parser::parseImportNames(llvm::SmallVectorImpl<Alias *> &names) {
  bool inParens = accept(TokenKind::LeftParen);
  do {
    if (inParens && !names.empty() && at(TokenKind::RightParen))
      break;
    if (!names.empty() && at(TokenKind::Newline)) {
      failAt(pos, "a comma at the end of an import needs parentheses around the names",
             "remove the comma or write `import (...)`");
      return false;
    }
    Alias *alias = parseAlias(/*isDotted=*/false);
    if (!alias)
      return false;
    names.push_back(alias);
  } while (accept(TokenKind::Comma));
  return !inParens || expect(TokenKind::RightParen);
}
