// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

static const char *describeConstant(ConstantType type) {
  switch (type) {
  case ConstantType::None:
    return "None";
  case ConstantType::True:
    return "True";
  case ConstantType::False:
    return "False";
  case ConstantType::Ellipsis:
    return "'...'";
  default:
    return "a literal";
  }
}

std::string Parser::describeExpr(const Expr *expr) {
  switch (expr->kind) {
  case Kind::Constant:
    return describeConstant(llvm::cast<Constant>(expr)->type);
  case Kind::Attribute:
    return "an attribute";
  case Kind::Subscript:
    return "a subscript";
  case Kind::Starred:
    return "a starred expression";
  case Kind::Name:
    return "a name";
  case Kind::List:
    return "a list";
  case Kind::Tuple:
    return "a tuple";
  case Kind::Lambda:
    return "a lambda";
  case Kind::Call:
    return "a function call";
  case Kind::GeneratorExp:
    return "a generator expression";
  case Kind::Yield:
  case Kind::YieldFrom:
    return "a yield expression";
  case Kind::Await:
    return "an await expression";
  case Kind::ListComp:
  case Kind::SetComp:
  case Kind::DictComp:
    return "a comprehension";
  case Kind::Dict:
    return "a dictionary";
  case Kind::Set:
    return "a set";
  case Kind::JoinedStr:
  case Kind::FormattedValue:
    return "an f-string";
  case Kind::Compare:
    return "a comparison";
  case Kind::IfExp:
    return "a conditional expression";
  case Kind::NamedExpr:
    return "a named expression";
  default:
    return "an expression";
  }
}

/// The part of an expression that keeps it from being a target, or null.
Expr *Parser::findBadTarget(Expr *expr, TargetUse use) {
  llvm::ArrayRef<Expr *> elements;
  switch (expr->kind) {
  case Kind::Name:
  case Kind::Attribute:
  case Kind::Subscript:
    return nullptr;
  case Kind::Starred:
    return use == TargetUse::Delete ? expr : findBadTarget(llvm::cast<Starred>(expr)->value, use);
  case Kind::List:
    elements = llvm::cast<List>(expr)->elts;
    break;
  case Kind::Tuple:
    elements = llvm::cast<Tuple>(expr)->elts;
    break;
  default:
    return expr;
  }
  for (Expr *element : elements)
    if (Expr *bad = findBadTarget(element, use))
      return bad;
  return nullptr;
}

void Parser::setContext(Expr *expr, ExprContext context) {
  switch (expr->kind) {
  case Kind::Name:
    llvm::cast<Name>(expr)->ctx = context;
    return;
  case Kind::Attribute:
    llvm::cast<Attribute>(expr)->ctx = context;
    return;
  case Kind::Subscript:
    llvm::cast<Subscript>(expr)->ctx = context;
    return;
  case Kind::Starred:
    llvm::cast<Starred>(expr)->ctx = context;
    return setContext(llvm::cast<Starred>(expr)->value, context);
  case Kind::List:
    llvm::cast<List>(expr)->ctx = context;
    for (Expr *element : llvm::cast<List>(expr)->elts)
      setContext(element, context);
    return;
  case Kind::Tuple:
    llvm::cast<Tuple>(expr)->ctx = context;
    for (Expr *element : llvm::cast<Tuple>(expr)->elts)
      setContext(element, context);
    return;
  default:
    return;
  }
}

/// Makes a target of an expression, or says why it is none.
bool Parser::setTarget(Expr *expr, TargetUse use) {
  Expr *bad = findBadTarget(expr, use);
  if (!bad) {
    setContext(expr, use == TargetUse::Delete ? ExprContext::Del : ExprContext::Store);
    return true;
  }
  if (use == TargetUse::Delete)
    failNode(bad, "cannot delete " + describeExpr(bad),
             "names, attributes and subscripts can be deleted");
  else
    failNode(bad, "cannot assign to " + describeExpr(bad),
             use == TargetUse::Assign ? "write '==' to compare" : "");
  return false;
}

/// The targets of `for` up to `in`, which would be an operator in an expression.
Expr *Parser::parseForTargets() {
  uint32_t start = pos;
  Exprs elements;
  bool isTuple = false;
  do {
    if (!elements.empty() && !startsStarExpression(pos))
      break;
    Expr *element = at(TokenKind::Star) ? parseStarExpression() : parseBinary();
    if (!element || isTooHigh(element))
      return nullptr;
    elements.push_back(element);
    isTuple |= at(TokenKind::Comma);
  } while (accept(TokenKind::Comma));
  Expr *target = elements[0];
  if (isTuple) {
    auto *tuple = make<Tuple>();
    tuple->elts = copy(elements);
    target = finish(tuple, start);
  }
  return setTarget(target, TargetUse::For) ? target : nullptr;
}
