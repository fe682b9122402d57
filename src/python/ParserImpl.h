// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recursive-descent parser behind parseFile. A function parses one construct at the current
// token and returns null after an error, of which only the first is kept; operators are parsed by
// precedence. It never goes back except where the grammar needs it (parenthesised `with`).
#pragma once

#include "python/Ast.h"
#include "python/Lexer.h"

#include "llvm/ADT/SmallVector.h"

#include <initializer_list>
#include <optional>
#include <string>

namespace nereid::python {

struct SyntaxError {
  SourceRange range;
  std::string message;
  std::string help;
  /// An unexpected indentation.
  bool isLayout = false;
};

class Parser {
public:
  explicit Parser(ParsedFile &file);

  Module *parseModule();
  const std::optional<SyntaxError> &getError() const { return error; }
  /// The offset of the last token that was looked at.
  uint32_t getFurthest() const { return begin(furthest); }
  /// The parser had reached the end of the tokens.
  bool failedAtEnd() const { return failedToken + 1 >= toks.size(); }

private:
  using Exprs = llvm::SmallVector<Expr *, 8>;
  using Stmts = llvm::SmallVector<Stmt *, 8>;

  //--- Tokens (Parser.cpp)
  TokenKind kind() const { return toks[pos].kind; }
  bool at(TokenKind wanted) const { return kind() == wanted; }
  bool atWord(llvm::StringRef word) const { return at(TokenKind::Name) && text(pos) == word; }
  llvm::StringRef text(uint32_t token) const { return source.slice(begin(token), end(token)); }
  uint32_t begin(uint32_t token) const { return toks[token].range.begin; }
  uint32_t end(uint32_t token) const { return toks[token].range.end; }
  /// The kind of the significant token behind the current one.
  TokenKind peek() const { return toks[next(pos)].kind; }
  uint32_t next(uint32_t token) const;
  void advance();
  bool accept(TokenKind wanted);
  bool expect(TokenKind wanted);
  uint32_t line(uint32_t token) const;

  //--- Errors
  std::nullptr_t fail(SourceRange range, std::string message, std::string help = "");
  std::nullptr_t failAt(uint32_t token, std::string message, std::string help = "");
  std::nullptr_t failNode(const Node *node, std::string message, std::string help = "");
  std::nullptr_t failExpected(llvm::StringRef what);
  std::string describe(uint32_t token) const;

  //--- Nodes
  template <typename T> T *make() { return file.create<T>(); }
  template <typename T> T *make(Kind kind) { return file.create<T>(kind); }
  /// Sets the place of a node that begins at a token and ends at the last one consumed.
  template <typename T> T *finish(T *node, uint32_t start) {
    node->firstToken = start;
    node->lastToken = last;
    node->range = {begin(start), end(last)};
    return node;
  }
  template <typename T, unsigned n> llvm::ArrayRef<T> copy(const llvm::SmallVector<T, n> &list) {
    return file.copy(llvm::ArrayRef<T>(list));
  }
  llvm::StringRef identifier(uint32_t token);
  bool isParenthesized(const Expr *expr, uint32_t start) const {
    return toks[start].kind == TokenKind::LeftParen && expr->firstToken != start;
  }
  bool isTooHigh(const Node *node);

  struct State {
    uint32_t pos, last;
    unsigned bracketDepth;
  };
  State save() const { return {pos, last, bracketDepth}; }
  void restore(State state) {
    pos = state.pos, last = state.last, bracketDepth = state.bracketDepth;
    error.reset();
  }

  /// Counts the depth of recursion; false after an error.
  class Depth {
  public:
    explicit Depth(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Depth() { --parser.depth; }
    bool isTooDeep();

  private:
    Parser &parser;
  };

  //--- Expressions by level (ParserExpr.cpp, ParserOperators.cpp)
  Expr *parseStarExpressions();
  Expr *parseStarExpression();
  Expr *parseStarNamedExpression();
  Expr *parseNamedExpression(bool checkEqual = true);
  Expr *parseExpression();
  Expr *parseConditional();
  Expr *parseBoolOp(BoolOperator op, TokenKind word, Expr *(Parser::*parseValue)());
  Expr *parseDisjunction();
  Expr *parseConjunction();
  Expr *parseInversion();
  Expr *parseComparison();
  Expr *parseBinary(unsigned precedence = 0);
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parseYield();
  Expr *parseYieldOrStarExpressions();
  Expr *parseLambda();
  Expr *parseIfExp(Expr *body, uint32_t start);
  bool acceptCompareOperator(CompareOperator &op);
  bool startsExpression(uint32_t token) const;
  bool startsStarExpression(uint32_t token) const;
  bool checkJuxtaposition(Expr *expr, uint32_t start);
  bool checkEqualSign(Expr *expr, uint32_t start);

  //--- Primaries and atoms (ParserAtom.cpp)
  Expr *parsePrimary();
  Expr *parseAtom();
  Expr *parseNameAtom();
  Expr *parseConstantAtom(ConstantType type);
  Expr *parseNumber();
  Expr *parseParenthesized();
  Expr *parseTupleRest(Expr *first, uint32_t start);
  Expr *parseListAtom();
  Expr *parseBraces();
  Expr *parseDictRest(Expr *firstKey, Expr *firstValue, uint32_t start);
  bool parseDictValue(Expr *key, Expr *&value);
  Expr *parseSetRest(Expr *first, uint32_t start);
  Expr *parseSubscript(Expr *value, uint32_t start);
  Expr *parseSliceItem();
  bool parseElements(Exprs &elements, TokenKind close);
  bool parseGenerators(llvm::SmallVectorImpl<Comprehension *> &generators);
  bool atGenerators() const {
    return at(TokenKind::KwFor) || (at(TokenKind::KwAsync) && peek() == TokenKind::KwFor);
  }
  template <typename T> T *parseComprehension(Expr *element, TokenKind close, uint32_t start);

  //--- Calls (ParserCall.cpp)
  struct CallArguments {
    Exprs args;
    llvm::SmallVector<Keyword *, 4> keywords;
  };
  Expr *parseCall(Expr *func, uint32_t start);
  bool parseArguments(CallArguments &arguments, bool isCall);
  bool parseArgument(CallArguments &arguments, bool isCall);
  bool parseKeywordArgument(CallArguments &arguments);
  bool parseGeneratorArgument(Expr *element, CallArguments &arguments, uint32_t start);

  //--- Strings (ParserString.cpp)
  struct StringParts;
  Expr *parseStrings();
  bool parseString(StringParts &parts);
  bool parseFString(StringParts &parts);
  bool parseFStringMiddle(StringParts &parts, bool raw, bool isSpec);
  bool parseField(StringParts &parts, bool raw);
  bool parseConversion(FormattedValue *field);
  JoinedStr *parseFormatSpec(bool raw);
  std::nullptr_t failLiteral(uint32_t offset, std::string message, std::string help);

  //--- Targets (ParserTarget.cpp)
  enum class TargetUse { Assign, For, Delete };
  bool setTarget(Expr *expr, TargetUse use);
  Expr *findBadTarget(Expr *expr, TargetUse use);
  void setContext(Expr *expr, ExprContext context);
  Expr *parseForTargets();
  static std::string describeExpr(const Expr *expr);

  //--- Statements (ParserStmt.cpp)
  bool parseStatement(Stmts &stmts);
  bool parseSimpleStatements(Stmts &stmts);
  Stmt *parseSimpleStatement();
  Stmt *parseExpressionStatement();
  Stmt *parseAssign(Expr *first, uint32_t start);
  Stmt *parseAnnAssign(Expr *target, uint32_t start);
  Stmt *parseAugAssign(Expr *target, uint32_t start, BinaryOperator op);
  Stmt *parseReturn();
  Stmt *parseRaise();
  Stmt *parseDelete();
  Stmt *parseAssert();
  template <typename T> Stmt *parseScope();
  template <typename T> Stmt *parseWord();
  Stmt *parseTypeAlias();

  //--- Imports (ParserImport.cpp)
  Stmt *parseImport();
  Stmt *parseImportFrom();
  bool parseDottedName(std::string &name);
  bool parseImportNames(llvm::SmallVectorImpl<Alias *> &names);
  Alias *parseAlias(bool isDotted);

  //--- Compound statements (ParserCompound.cpp)
  Stmt *parseCompound();
  bool parseBlock(Body &body, llvm::StringRef after, uint32_t keyword);
  bool parseColonBlock(Body &body, llvm::StringRef after, uint32_t keyword);
  Stmt *parseIf();
  Stmt *parseWhile();
  Stmt *parseFor(uint32_t start, bool isAsync);
  Stmt *parseWith(uint32_t start, bool isAsync);
  bool parseWithItems(llvm::SmallVectorImpl<WithItem *> &items);
  bool tryParenthesizedItems(llvm::SmallVectorImpl<WithItem *> &items);
  WithItem *parseWithItem();
  Stmt *parseTry();
  ExceptHandler *parseHandler(std::optional<bool> &isStar);
  bool parseElse(Body &orelse);
  Stmt *parseAsync();

  //--- Definitions (ParserDef.cpp)
  Stmt *parseDecorated();
  Stmt *parseFunction(uint32_t start, bool isAsync, llvm::ArrayRef<Expr *> decorators);
  Stmt *parseClass(llvm::ArrayRef<Expr *> decorators);
  bool parseTypeParams(llvm::ArrayRef<TypeParam *> &params);
  TypeParam *parseTypeParam();
  struct ParameterList;
  Arguments *parseParameters(TokenKind close, bool isLambda);
  bool parseParameter(ParameterList &list, TokenKind close, bool isLambda);
  bool parseStarParameter(ParameterList &list, TokenKind close, bool isLambda);
  bool parseSlash(ParameterList &list, bool isLambda);
  Arg *parseArg(bool isLambda, bool allowStarAnnotation = false);

  //--- Patterns (ParserPattern.cpp)
  bool startsMatch() const;
  Stmt *parseMatch();
  MatchCase *parseCase();
  Pattern *parsePatterns();
  Pattern *parseMaybeStarPattern();
  Pattern *parsePattern();
  Pattern *parseOrPattern();
  Pattern *parseClosedPattern();
  Pattern *parseLiteralPattern();
  Pattern *parseNamePattern();
  Pattern *parseClassPattern(Expr *cls, uint32_t start);
  Pattern *parseGroupPattern();
  Pattern *parseBracketPattern();
  Pattern *parseMappingPattern();
  Expr *parseMappingKey();
  Expr *parsePatternNumber();
  Expr *parseDottedPatternName();
  bool parseSequenceRest(llvm::SmallVectorImpl<Pattern *> &patterns, TokenKind close);
  bool parseCaptureName(llvm::StringRef &name);

  ParsedFile &file;
  llvm::StringRef source;
  llvm::ArrayRef<Token> toks;
  uint32_t pos = 0;
  /// The last token consumed that is neither a line end nor indentation.
  uint32_t last = 0;
  unsigned depth = 0;
  unsigned bracketDepth = 0;
  /// Inside an expression whose height is checked when it is complete.
  bool inExpression = false;
  std::optional<SyntaxError> error;
  /// The current token when the error was found.
  uint32_t failedToken = 0;
  uint32_t furthest = 0;
};

} // namespace nereid::python
