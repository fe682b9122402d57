// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions inside MLIR text: sums of products of names and integers are written bare, all else
// as a string, because MLIR's lexer takes `//` for a comment.
#include "index/Printer.h"
#include "sym/SymDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace nereid;
using namespace nereid::sym;

/// A name that MLIR reads as one bare word.
static bool isBareName(StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; };
  bool starts = !name.empty() && (llvm::isAlpha(name.front()) || name.front() == '_');
  // A trailing comparison such as `true` reads as a keyword of its own.
  return starts && llvm::all_of(name, isPart) && name != "true" && name != "false";
}

static bool isBareTerm(index::Term term) {
  if (term.monomial.getKind() != index::ExprKind::Product)
    return term.monomial.isSymbol() && isBareName(term.monomial.getName());
  return llvm::all_of(term.monomial.getFactors(), [](index::Factor factor) {
    return factor.atom.isSymbol() && isBareName(factor.atom.getName());
  });
}

/// The digits of the least int64 cannot be read apart from their sign.
static bool isBare(index::Expr expr) {
  return expr.getConstantTerm() != INT64_MIN && llvm::all_of(expr.getTerms(), [](auto term) {
           return term.coefficient != INT64_MIN && isBareTerm(term);
         });
}

static void printTerm(AsmPrinter &printer, index::Term term) {
  bool first = term.coefficient == 1;
  if (!first)
    printer << term.coefficient;
  auto printFactor = [&](index::Expr symbol) {
    printer << (first ? "" : "*") << symbol.getName();
    first = false;
  };
  if (term.monomial.isSymbol())
    return printFactor(term.monomial);
  for (index::Factor factor : term.monomial.getFactors())
    for (unsigned i = 0; i < factor.power; ++i)
      printFactor(factor.atom);
}

void sym::printExpr(AsmPrinter &printer, index::Expr expr) {
  if (!isBare(expr)) {
    printer << '"' << expr.str() << '"';
    return;
  }
  if (expr.isConstant()) {
    printer << *expr.getConstant();
    return;
  }
  // Positive terms first, as in the other syntaxes: `N - i`.
  SmallVector<index::Term> positive, negative;
  for (index::Term term : expr.getTerms())
    (term.coefficient > 0 ? positive : negative).push_back(term);
  bool first = true;
  for (index::Term term : positive) {
    printer << (first ? "" : " + ");
    printTerm(printer, term);
    first = false;
  }
  for (index::Term term : negative) {
    printer << (first ? "-" : " - ");
    printTerm(printer, {term.monomial, -term.coefficient});
    first = false;
  }
  if (int64_t constant = expr.getConstantTerm())
    printer << (constant < 0 ? " - " : " + ") << (constant < 0 ? -constant : constant);
}

static ParseResult parseFactor(AsmParser &parser, index::Expr &expr) {
  index::Context &context = SymDialect::getIndexContext(parser.getContext());
  int64_t value;
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value()) {
    if (succeeded(*number))
      expr = context.constant(value);
    return *number;
  }
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected a size: a name, an integer or a string");
  expr = context.symbol(name);
  return success();
}

static ParseResult parseTerm(AsmParser &parser, index::Expr &expr) {
  if (parseFactor(parser, expr))
    return failure();
  while (succeeded(parser.parseOptionalStar())) {
    index::Expr factor;
    if (parseFactor(parser, factor))
      return failure();
    expr = expr * factor;
  }
  return success();
}

/// Reads a string and hands its text to `parse`; nullopt when there is no string.
template <typename T>
static OptionalParseResult parseQuoted(AsmParser &parser, T &result,
                                       T (*parse)(StringRef, index::Context &,
                                                  index::ParseError &)) {
  std::string text;
  SMLoc start = parser.getCurrentLocation();
  if (failed(parser.parseOptionalString(&text)))
    return std::nullopt;
  index::ParseError error;
  result = parse(text, SymDialect::getIndexContext(parser.getContext()), error);
  if (result)
    return success();
  // One past the quote; an escape before the place would shift it, but the syntax needs none.
  SMLoc place = SMLoc::getFromPointer(start.getPointer() + 1 + error.offset);
  return parser.emitError(place, error.message);
}

ParseResult sym::parseExpr(AsmParser &parser, index::Expr &expr) {
  OptionalParseResult quoted = parseQuoted(parser, expr, index::parseExpr);
  if (quoted.has_value())
    return *quoted;
  bool negative = succeeded(parser.parseOptionalMinus());
  if (parseTerm(parser, expr))
    return failure();
  if (negative)
    expr = -expr;
  while (true) {
    bool plus = succeeded(parser.parseOptionalPlus());
    if (!plus && failed(parser.parseOptionalMinus()))
      return success();
    index::Expr term;
    if (parseTerm(parser, term))
      return failure();
    expr = plus ? expr + term : expr - term;
  }
}

ParseResult sym::parseExprList(AsmParser &parser, SmallVectorImpl<index::Expr> &exprs) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parseExpr(parser, exprs.emplace_back()); });
}

void sym::printExprList(AsmPrinter &printer, ArrayRef<index::Expr> exprs) {
  printer << "[";
  llvm::interleave(
      exprs, [&](index::Expr expr) { printExpr(printer, expr); }, [&] { printer << ", "; });
  printer << "]";
}

ParseResult sym::parsePred(AsmParser &parser, index::Pred &pred) {
  OptionalParseResult quoted = parseQuoted(parser, pred, index::parsePred);
  if (quoted.has_value())
    return *quoted;
  return parser.emitError(parser.getCurrentLocation(), "expected a condition as a string");
}

void sym::printPred(AsmPrinter &printer, index::Pred pred) { printer << '"' << pred.str() << '"'; }

ParseResult sym::parseSymExpr(OpAsmParser &parser, ExprAttr &attr) {
  index::Expr expr;
  if (parseExpr(parser, expr))
    return failure();
  attr = ExprAttr::get(parser.getContext(), expr);
  return success();
}

void sym::printSymExpr(OpAsmPrinter &printer, Operation *, ExprAttr attr) {
  printExpr(printer, attr.getExpr());
}

ParseResult sym::parseSymExprList(OpAsmParser &parser, ExprListAttr &attr) {
  SmallVector<index::Expr> exprs;
  if (parseExprList(parser, exprs))
    return failure();
  attr = ExprListAttr::get(parser.getContext(), exprs);
  return success();
}

void sym::printSymExprList(OpAsmPrinter &printer, Operation *, ExprListAttr attr) {
  printExprList(printer, attr.getExprs());
}

ParseResult sym::parseSymPred(OpAsmParser &parser, PredAttr &attr) {
  index::Pred pred;
  if (parsePred(parser, pred))
    return failure();
  attr = PredAttr::get(parser.getContext(), pred);
  return success();
}

void sym::printSymPred(OpAsmPrinter &printer, Operation *, PredAttr attr) {
  printPred(printer, attr.getPred());
}
