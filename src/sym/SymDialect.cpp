// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sym/SymDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nereid;
using namespace nereid::sym;

#include "sym/SymDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sym/SymAttrs.cpp.inc"

void SymDialect::initialize() {
  indexContext = std::make_shared<index::Context>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sym/SymAttrs.cpp.inc"
      >();
}

index::Context &SymDialect::getIndexContext(MLIRContext *context) {
  return context->getOrLoadDialect<SymDialect>()->getIndexContext();
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  index::Expr expr;
  if (parser.parseLess() || parseExpr(parser, expr) || parser.parseGreater())
    return {};
  return get(parser.getContext(), expr);
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExpr(printer, getExpr());
  printer << '>';
}

Attribute ExprListAttr::parse(AsmParser &parser, Type) {
  SmallVector<index::Expr> exprs;
  if (parser.parseLess() || parseExprList(parser, exprs) || parser.parseGreater())
    return {};
  return get(parser.getContext(), exprs);
}

void ExprListAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExprList(printer, getExprs());
  printer << '>';
}

Attribute PredAttr::parse(AsmParser &parser, Type) {
  index::Pred pred;
  if (parser.parseLess() || parsePred(parser, pred) || parser.parseGreater())
    return {};
  return get(parser.getContext(), pred);
}

void PredAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printPred(printer, getPred());
  printer << '>';
}
