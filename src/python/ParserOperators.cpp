// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of expressions, from the loosest (`or`) to the tightest (`**`).
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

Expr *Parser::parseBoolOp(BoolOperator op, TokenKind word, Expr *(Parser::*parseValue)()) {
  uint32_t start = pos;
  Expr *first = (this->*parseValue)();
  if (!first || !at(word))
    return first;
  Exprs values{first};
  while (accept(word)) {
    Expr *value = (this->*parseValue)();
    if (!value)
      return nullptr;
    values.push_back(value);
  }
  auto *node = make<BoolOp>();
  node->op = op;
  node->values = copy(values);
  return finish(node, start);
}

Expr *Parser::parseDisjunction() {
  return parseBoolOp(BoolOperator::Or, TokenKind::KwOr, &Parser::parseConjunction);
}

Expr *Parser::parseConjunction() {
  return parseBoolOp(BoolOperator::And, TokenKind::KwAnd, &Parser::parseInversion);
}

Expr *Parser::parseInversion() {
  if (!at(TokenKind::KwNot))
    return parseComparison();
  Depth depthHere(*this);
  if (depthHere.isTooDeep())
    return nullptr;
  uint32_t start = pos;
  advance();
  Expr *operand = parseInversion();
  if (!operand)
    return nullptr;
  auto *op = make<UnaryOp>();
  op->op = UnaryOperator::Not;
  op->operand = operand;
  return finish(op, start);
}

bool Parser::acceptCompareOperator(CompareOperator &op) {
  switch (kind()) {
  case TokenKind::EqualEqual:
    op = CompareOperator::Eq;
    break;
  case TokenKind::NotEqual:
    op = CompareOperator::NotEq;
    break;
  case TokenKind::Less:
    op = CompareOperator::Lt;
    break;
  case TokenKind::LessEqual:
    op = CompareOperator::LtE;
    break;
  case TokenKind::Greater:
    op = CompareOperator::Gt;
    break;
  case TokenKind::GreaterEqual:
    op = CompareOperator::GtE;
    break;
  case TokenKind::KwIn:
    op = CompareOperator::In;
    break;
  case TokenKind::KwIs:
    op = peek() == TokenKind::KwNot ? CompareOperator::IsNot : CompareOperator::Is;
    if (op == CompareOperator::IsNot)
      advance();
    break;
  case TokenKind::KwNot:
    if (peek() != TokenKind::KwIn)
      return false;
    op = CompareOperator::NotIn;
    advance();
    break;
  default:
    return false;
  }
  advance();
  return true;
}

Expr *Parser::parseComparison() {
  uint32_t start = pos;
  Expr *left = parseBinary();
  CompareOperator op;
  if (!left || !acceptCompareOperator(op))
    return left;
  llvm::SmallVector<CompareOperator, 4> ops;
  Exprs comparators;
  do {
    Expr *right = parseBinary();
    if (!right)
      return nullptr;
    ops.push_back(op);
    comparators.push_back(right);
  } while (acceptCompareOperator(op));
  auto *compare = make<Compare>();
  compare->left = left;
  compare->ops = copy(ops);
  compare->comparators = copy(comparators);
  return finish(compare, start);
}

namespace {

struct BinaryLevel {
  /// From 1 (bitwise or) to 6 (products); 0 for what is no operator.
  unsigned precedence = 0;
  BinaryOperator op = BinaryOperator::Add;
};

BinaryLevel getBinaryLevel(TokenKind kind) {
  switch (kind) {
  case TokenKind::Bar:
    return {1, BinaryOperator::BitOr};
  case TokenKind::Caret:
    return {2, BinaryOperator::BitXor};
  case TokenKind::Ampersand:
    return {3, BinaryOperator::BitAnd};
  case TokenKind::LeftShift:
    return {4, BinaryOperator::LShift};
  case TokenKind::RightShift:
    return {4, BinaryOperator::RShift};
  case TokenKind::Plus:
    return {5, BinaryOperator::Add};
  case TokenKind::Minus:
    return {5, BinaryOperator::Sub};
  case TokenKind::Star:
    return {6, BinaryOperator::Mult};
  case TokenKind::Slash:
    return {6, BinaryOperator::Div};
  case TokenKind::DoubleSlash:
    return {6, BinaryOperator::FloorDiv};
  case TokenKind::Percent:
    return {6, BinaryOperator::Mod};
  case TokenKind::At:
    return {6, BinaryOperator::MatMult};
  default:
    return {};
  }
}

} // namespace

Expr *Parser::parseBinary(unsigned precedence) {
  uint32_t start = pos;
  Expr *left = parseUnary();
  while (left) {
    BinaryLevel level = getBinaryLevel(kind());
    if (level.precedence <= precedence)
      return left;
    advance();
    Expr *right = parseBinary(level.precedence);
    if (!right)
      return nullptr;
    auto *op = make<BinOp>();
    op->op = level.op;
    op->left = left;
    op->right = right;
    left = finish(op, start);
  }
  return nullptr;
}

Expr *Parser::parseUnary() {
  UnaryOperator op;
  switch (kind()) {
  case TokenKind::Plus:
    op = UnaryOperator::UAdd;
    break;
  case TokenKind::Minus:
    op = UnaryOperator::USub;
    break;
  case TokenKind::Tilde:
    op = UnaryOperator::Invert;
    break;
  default:
    return parsePower();
  }
  Depth depthHere(*this);
  if (depthHere.isTooDeep())
    return nullptr;
  uint32_t start = pos;
  advance();
  Expr *operand = parseUnary();
  if (!operand)
    return nullptr;
  auto *unary = make<UnaryOp>();
  unary->op = op;
  unary->operand = operand;
  return finish(unary, start);
}

Expr *Parser::parsePower() {
  uint32_t start = pos;
  Expr *left;
  if (accept(TokenKind::KwAwait)) {
    Expr *value = parsePrimary();
    if (!value)
      return nullptr;
    auto *await = make<Await>();
    await->value = value;
    left = finish(await, start);
  } else {
    left = parsePrimary();
  }
  if (!left || !at(TokenKind::DoubleStar))
    return left;
  Depth depthHere(*this);
  if (depthHere.isTooDeep())
    return nullptr;
  advance();
  Expr *right = parseUnary();
  if (!right)
    return nullptr;
  auto *op = make<BinOp>();
  op->op = BinaryOperator::Pow;
  op->left = left;
  op->right = right;
  return finish(op, start);
}
