// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Parser.h"

#include "python/AstVisit.h"
#include "python/Encoding.h"
#include "python/ParserImpl.h"
#include "python/Unicode.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::python;

// Bounds the recursion of the parser and of everything that walks the tree.
static constexpr unsigned maxDepth = 1000;

LineColumn ParsedFile::getLineColumn(uint32_t offset) const {
  LineColumn place = source->getLineColumn(offset);
  if (place.line == 1)
    place.column -= std::min(place.column, getByteOrderMarkSize(source->getText()));
  return place;
}

Parser::Parser(ParsedFile &file)
    : file(file), source(file.getSource().getText()), toks(file.tokens) {
  if (toks[0].isTrivia())
    pos = next(0);
}

uint32_t Parser::next(uint32_t token) const {
  uint32_t result = token + 1 < toks.size() ? token + 1 : token;
  while (toks[result].isTrivia())
    ++result;
  return result;
}

void Parser::advance() {
  TokenKind current = kind();
  if (current == TokenKind::EndOfFile)
    return;
  if (current != TokenKind::Newline && current != TokenKind::Indent && current != TokenKind::Dedent)
    last = pos;
  pos = next(pos);
  furthest = std::max(furthest, pos);
}

bool Parser::accept(TokenKind wanted) {
  if (!at(wanted))
    return false;
  advance();
  return true;
}

bool Parser::expect(TokenKind wanted) {
  if (accept(wanted))
    return true;
  failExpected(wanted == TokenKind::Newline || wanted == TokenKind::Name
                   ? spell(wanted)
                   : "'" + std::string(spell(wanted)) + "'");
  return false;
}

uint32_t Parser::line(uint32_t token) const { return file.getLineColumn(begin(token)).line; }

std::nullptr_t Parser::fail(SourceRange range, std::string message, std::string help) {
  if (!error) {
    error = SyntaxError{range, std::move(message), std::move(help)};
    failedToken = pos;
  }
  return nullptr;
}

std::nullptr_t Parser::failAt(uint32_t token, std::string message, std::string help) {
  return fail(toks[token].range, std::move(message), std::move(help));
}

std::nullptr_t Parser::failNode(const Node *node, std::string message, std::string help) {
  return fail(node->range, std::move(message), std::move(help));
}

std::string Parser::describe(uint32_t token) const {
  switch (toks[token].kind) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::Unknown:
    return "'" + text(token).substr(0, 40).str() + "'";
  case TokenKind::EndOfFile:
  case TokenKind::Newline:
  case TokenKind::BlankLine:
  case TokenKind::Indent:
  case TokenKind::Dedent:
  case TokenKind::String:
  case TokenKind::Comment:
  case TokenKind::FStringStart:
  case TokenKind::FStringMiddle:
  case TokenKind::FStringEnd:
    return spell(toks[token].kind);
  default:
    return "'" + std::string(spell(toks[token].kind)) + "'";
  }
}

std::nullptr_t Parser::failExpected(llvm::StringRef what) {
  if (error)
    return nullptr;
  if (at(TokenKind::Indent)) {
    fail({begin(pos) - 1, begin(pos)}, "unexpected indentation", "indent as the statement before");
    error->isLayout = true;
    return nullptr;
  }
  return failAt(pos, "expected " + what.str() + ", found " + describe(pos));
}

bool Parser::Depth::isTooDeep() {
  if (parser.depth <= maxDepth)
    return false;
  parser.failAt(parser.pos, "the nesting is too deep", "name the inner parts and use the names");
  return true;
}

/// Operators and attributes chain without recursion, so the height of what they build is checked
/// when the whole expression is complete: no tree is higher than it has tokens.
bool Parser::isTooHigh(const Node *node) {
  if (node->lastToken - node->firstToken < maxDepth)
    return false;
  llvm::SmallVector<std::pair<const Node *, unsigned>, 64> work{{node, 0}};
  while (!work.empty()) {
    auto [current, height] = work.pop_back_val();
    if (height > 2 * maxDepth) {
      failNode(node, "the expression is too deep", "split it into several statements");
      return true;
    }
    forEachChild(*current, [&, height = height](const Node &child) {
      if (child.lastToken - child.firstToken > 0)
        work.push_back({&child, height + 1});
    });
  }
  return false;
}

llvm::StringRef Parser::identifier(uint32_t token) {
  llvm::StringRef name = text(token);
  for (char c : name)
    if (static_cast<unsigned char>(c) >= 0x80)
      return file.intern(normalizeIdentifier(name));
  return file.intern(name);
}

Module *Parser::parseModule() {
  Stmts stmts;
  while (!at(TokenKind::EndOfFile))
    if (!parseStatement(stmts))
      return nullptr;
  auto *module = make<Module>();
  module->body = copy(stmts);
  module->firstToken = 0;
  module->lastToken = toks.size() - 1;
  module->range = {0, static_cast<uint32_t>(source.size())};
  return module;
}

/// Chooses between the parser's error and the lexer's, behind which the file was not read.
static SyntaxError chooseError(const Parser &parser, const LexError &lexed,
                               const SourceFile &source) {
  SyntaxError error = *parser.getError();
  if (!lexed || error.isLayout)
    return error;
  bool lexerFirst = parser.failedAtEnd() || (!lexed.isUnclosed && !lexed.isLayout);
  // Brackets opened on an earlier line are likely to be the cause of what looks wrong here.
  if (lexed.isUnclosed &&
      source.getLineColumn(error.range.begin).line > source.getLineColumn(lexed.range.begin).line)
    lexerFirst = true;
  return lexerFirst ? SyntaxError{lexed.range, lexed.message, lexed.help} : error;
}

std::unique_ptr<ParsedFile> nereid::python::parseFile(std::shared_ptr<const SourceFile> source,
                                                      Diagnostics &diagnostics) {
  std::shared_ptr<const SourceFile> decoded = decodeSource(source, diagnostics);
  if (!decoded)
    return nullptr;
  auto file = std::make_unique<ParsedFile>(decoded);
  // Texts with long comments have far fewer tokens than the lexer makes room for; what is kept of
  // thousands of files has no room to spare.
  std::vector<Token> tokens;
  Lexer lexer(*decoded, tokens);
  lexer.run();
  file->tokens.assign(tokens.begin(), tokens.end());
  std::vector<Token>().swap(tokens);
  Parser parser(*file);
  file->module = parser.parseModule();
  if (file->module && !lexer.getError())
    return file;

  SyntaxError error;
  if (parser.getError())
    error = chooseError(parser, lexer.getError(), *decoded);
  else
    error = {lexer.getError().range, lexer.getError().message, lexer.getError().help};
  if (decoded != source) {
    error.range.begin = getLatin1Offset(decoded->getText(), error.range.begin);
    error.range.end = getLatin1Offset(decoded->getText(), error.range.end);
  }
  diagnostics.error({source.get(), error.range}, std::move(error.message), std::move(error.help));
  return nullptr;
}
