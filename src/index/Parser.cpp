// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursive descent over the Python form. One grammar serves expressions and predicates: a value is
// either, and each operator checks which it got.
#include "index/Printer.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::index {

namespace {
/// Deeper nesting than this is refused, so that no text can exhaust the stack.
constexpr unsigned maxNesting = 200;
/// `x**n` is built by repeated multiplication.
constexpr int64_t maxPower = 64;

struct Value {
  Expr expr;
  Pred pred;
  size_t offset = 0;
};

class Parser {
public:
  Parser(llvm::StringRef text, Context &context, ParseError &error)
      : text(text), context(context), error(error) {}

  Expr parseWholeExpr() {
    Value value = parseOr();
    return finish(value) && isExpr(value) ? value.expr : Expr();
  }
  Pred parseWholePred() {
    Value value = parseOr();
    return finish(value) && isPred(value) ? value.pred : Pred();
  }

private:
  Value parseOr();
  Value parseAnd();
  Value parseNot();
  Value parseComparison();
  Value parseSum();
  Value parseProduct();
  Value parseUnary();
  Value parsePower();
  Value parsePrimary();
  Value parseNumber(bool negative);
  Value parseName();
  Value parseCall(llvm::StringRef name, size_t offset);
  Value fail(size_t offset, std::string message);
  bool isExpr(const Value &value);
  bool isPred(const Value &value);
  bool finish(const Value &value);

  void skipSpace() {
    while (position < text.size() && llvm::isSpace(text[position]))
      ++position;
  }
  bool accept(llvm::StringRef symbol);
  bool acceptWord(llvm::StringRef word);
  llvm::StringRef acceptRelation();

  static bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
  static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

  llvm::StringRef text;
  Context &context;
  ParseError &error;
  size_t position = 0;
  unsigned depth = 0;
  bool failed = false;
};
} // namespace

Value Parser::fail(size_t offset, std::string message) {
  // The first error is the cause of those that follow.
  if (!failed)
    error = {std::move(message), offset};
  failed = true;
  return {};
}

bool Parser::isExpr(const Value &value) {
  if (!failed && !value.expr)
    fail(value.offset, "expected an integer expression, found a condition");
  return !failed;
}

bool Parser::isPred(const Value &value) {
  if (!failed && !value.pred)
    fail(value.offset, "expected a condition, found an integer expression");
  return !failed;
}

bool Parser::finish(const Value &value) {
  skipSpace();
  if (!failed && position != text.size())
    fail(position, "expected the end of the expression");
  return !failed;
}

/// Takes a symbol unless it is the start of a longer one (`*` of `**`, `<` of `<=`).
bool Parser::accept(llvm::StringRef symbol) {
  skipSpace();
  llvm::StringRef rest = text.drop_front(position);
  if (!rest.starts_with(symbol))
    return false;
  llvm::StringRef after = rest.drop_front(symbol.size());
  if ((symbol == "*" && after.starts_with("*")) || (symbol == "!" && after.starts_with("=")))
    return false;
  position += symbol.size();
  return true;
}

bool Parser::acceptWord(llvm::StringRef word) {
  skipSpace();
  llvm::StringRef rest = text.drop_front(position);
  if (!rest.starts_with(word) || (rest.size() > word.size() && isNamePart(rest[word.size()])))
    return false;
  position += word.size();
  return true;
}

Value Parser::parseOr() {
  Value value = parseAnd();
  while (!failed && (acceptWord("or") || accept("||"))) {
    Value right = parseAnd();
    if (!isPred(value) || !isPred(right))
      return {};
    value.pred = value.pred | right.pred;
  }
  return value;
}

Value Parser::parseAnd() {
  Value value = parseNot();
  while (!failed && (acceptWord("and") || accept("&&"))) {
    Value right = parseNot();
    if (!isPred(value) || !isPred(right))
      return {};
    value.pred = value.pred & right.pred;
  }
  return value;
}

Value Parser::parseNot() {
  skipSpace();
  size_t start = position;
  if (!acceptWord("not") && !accept("!"))
    return parseComparison();
  if (++depth > maxNesting)
    return fail(start, "expression is nested too deeply");
  Value value = parseNot();
  --depth;
  if (!isPred(value))
    return {};
  return {{}, notOf(value.pred), start};
}

llvm::StringRef Parser::acceptRelation() {
  for (llvm::StringRef relation : {"<=", ">=", "==", "!=", "<", ">"})
    if (accept(relation))
      return relation;
  return {};
}

Value Parser::parseComparison() {
  Value left = parseSum();
  Pred chain;
  while (!failed) {
    llvm::StringRef relation = acceptRelation();
    if (relation.empty())
      break;
    Value right = parseSum();
    if (!isExpr(left) || !isExpr(right))
      return {};
    Pred pred = relation == "<="   ? le(left.expr, right.expr)
                : relation == ">=" ? ge(left.expr, right.expr)
                : relation == "==" ? eq(left.expr, right.expr)
                : relation == "!=" ? ne(left.expr, right.expr)
                : relation == "<"  ? lt(left.expr, right.expr)
                                   : gt(left.expr, right.expr);
    chain = chain ? chain & pred : pred;
    left = right;
  }
  if (!failed && chain)
    return {{}, chain, left.offset};
  return left;
}

Value Parser::parseSum() {
  Value value = parseProduct();
  while (!failed) {
    bool plus = accept("+");
    if (!plus && !accept("-"))
      break;
    Value right = parseProduct();
    if (!isExpr(value) || !isExpr(right))
      return {};
    value.expr = plus ? value.expr + right.expr : value.expr - right.expr;
  }
  return value;
}

Value Parser::parseProduct() {
  Value value = parseUnary();
  while (!failed) {
    skipSpace();
    size_t start = position;
    char kind = accept("//") ? '/' : accept("*") ? '*' : accept("%") ? '%' : 0;
    if (!kind && accept("/"))
      return fail(start, "'/' is not an integer operation; write '//'");
    if (!kind)
      break;
    Value right = parseUnary();
    if (!isExpr(value) || !isExpr(right))
      return {};
    value.expr = kind == '*'   ? value.expr * right.expr
                 : kind == '/' ? floordiv(value.expr, right.expr)
                               : mod(value.expr, right.expr);
  }
  return value;
}

Value Parser::parseUnary() {
  skipSpace();
  size_t start = position;
  if (!accept("-"))
    return parsePower();
  skipSpace();
  // The least int64 has no positive counterpart, so its sign is read with it.
  if (position < text.size() && llvm::isDigit(text[position])) {
    size_t digits = position;
    Value number = parseNumber(true);
    skipSpace();
    if (failed || !text.drop_front(position).starts_with("**"))
      return number;
    position = digits;
  }
  if (++depth > maxNesting)
    return fail(start, "expression is nested too deeply");
  Value value = parseUnary();
  --depth;
  if (!isExpr(value))
    return {};
  return {-value.expr, {}, start};
}

Value Parser::parsePower() {
  Value base = parsePrimary();
  skipSpace();
  size_t start = position;
  if (failed || !accept("**"))
    return base;
  Value exponent = parseUnary();
  if (!isExpr(base) || !isExpr(exponent))
    return {};
  std::optional<int64_t> power = exponent.expr.getConstant();
  if (!power || *power < 0 || *power > maxPower)
    return fail(start, "expected a constant power between 0 and 64");
  Expr result = context.constant(1);
  for (int64_t i = 0; i < *power; ++i)
    result = result * base.expr;
  return {result, {}, base.offset};
}

Value Parser::parseNumber(bool negative) {
  size_t start = position;
  while (position < text.size() && llvm::isDigit(text[position]))
    ++position;
  if (position < text.size() && isNamePart(text[position]))
    return fail(start, "expected a decimal integer");
  std::string digits = (negative ? "-" : "") + text.slice(start, position).str();
  int64_t value = 0;
  if (llvm::StringRef(digits).getAsInteger(10, value))
    return fail(start, "integer does not fit in 64 bits");
  return {context.constant(value), {}, start};
}

Value Parser::parsePrimary() {
  skipSpace();
  size_t start = position;
  if (position == text.size())
    return fail(start, "expected an expression, found the end");
  if (llvm::isDigit(text[position]))
    return parseNumber(false);
  if (isNameStart(text[position]))
    return parseName();
  if (!accept("("))
    return fail(start, "expected an expression, found '" + text.substr(start, 1).str() + "'");
  if (++depth > maxNesting)
    return fail(start, "expression is nested too deeply");
  Value value = parseOr();
  --depth;
  if (!failed && !accept(")"))
    return fail(position, "expected ')'");
  value.offset = start;
  return value;
}

Value Parser::parseName() {
  size_t start = position;
  while (position < text.size() && isNamePart(text[position]))
    ++position;
  llvm::StringRef name = text.slice(start, position);
  for (llvm::StringRef keyword : {"and", "or", "not"})
    if (name == keyword)
      return fail(start, "expected an expression, found '" + keyword.str() + "'");
  if (accept("("))
    return parseCall(name, start);
  if (name == "True" || name == "False" || name == "true" || name == "false")
    return {{}, truth(context, name.equals_insensitive("true")), start};
  return {context.symbol(name), {}, start};
}

Value Parser::parseCall(llvm::StringRef name, size_t offset) {
  if (++depth > maxNesting)
    return fail(offset, "expression is nested too deeply");
  llvm::SmallVector<Expr> arguments;
  do {
    Value argument = parseOr();
    if (!isExpr(argument))
      return {};
    arguments.push_back(argument.expr);
  } while (accept(","));
  --depth;
  if (!accept(")"))
    return fail(position, "expected ')' or ','");
  llvm::StringRef function = name.contains('.') ? name.rsplit('.').second : name;
  bool isPair = arguments.size() == 2;
  if (function == "cdiv" && isPair)
    return {ceildiv(arguments[0], arguments[1]), {}, offset};
  if (function == "floordiv" && isPair)
    return {floordiv(arguments[0], arguments[1]), {}, offset};
  if (function == "mod" && isPair)
    return {mod(arguments[0], arguments[1]), {}, offset};
  if (function == "min" && arguments.size() > 1)
    return {min(arguments), {}, offset};
  if (function == "max" && arguments.size() > 1)
    return {max(arguments), {}, offset};
  if (function == "next_power_of_2" && arguments.size() == 1)
    return {nextPow2(arguments[0]), {}, offset};
  for (llvm::StringRef known : {"cdiv", "floordiv", "mod", "min", "max", "next_power_of_2"})
    if (function == known)
      return fail(offset, "wrong number of arguments of '" + name.str() + "'");
  return fail(offset, "unknown function '" + name.str() +
                          "'; known are cdiv, floordiv, mod, min, max, next_power_of_2");
}

Expr parseExpr(llvm::StringRef text, Context &context, ParseError &error) {
  return Parser(text, context, error).parseWholeExpr();
}

Pred parsePred(llvm::StringRef text, Context &context, ParseError &error) {
  return Parser(text, context, error).parseWholePred();
}

} // namespace nereid::index
