// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `sym` dialect: index expressions and predicates as MLIR attributes, and their syntax inside
// other dialects' types and operators. A dialect that uses it lists `sym::SymDialect` among its
// dependent dialects and calls the functions below from its parsers and printers.
#pragma once

#include "index/Expr.h"
#include "index/Pred.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#include <memory>

#include "sym/SymDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sym/SymAttrs.h.inc"

namespace nereid::sym {

/// One expression: `M`, `4*D + 1` or a string in Python's syntax.
mlir::ParseResult parseExpr(mlir::AsmParser &parser, index::Expr &expr);
void printExpr(mlir::AsmPrinter &printer, index::Expr expr);

/// `[B, T, 4*D, "cdiv(M, 16)"]`, brackets included.
mlir::ParseResult parseExprList(mlir::AsmParser &parser, llvm::SmallVectorImpl<index::Expr> &exprs);
void printExprList(mlir::AsmPrinter &printer, llvm::ArrayRef<index::Expr> exprs);

/// A predicate, always a string: `"M <= N"`.
mlir::ParseResult parsePred(mlir::AsmParser &parser, index::Pred &pred);
void printPred(mlir::AsmPrinter &printer, index::Pred pred);

/// `custom<SymExpr>($attr)`, `custom<SymExprList>($attr)` and `custom<SymPred>($attr)` in an
/// operator's assemblyFormat print the attributes without `#sym...<>` around them.
mlir::ParseResult parseSymExpr(mlir::OpAsmParser &parser, ExprAttr &attr);
void printSymExpr(mlir::OpAsmPrinter &printer, mlir::Operation *op, ExprAttr attr);
mlir::ParseResult parseSymExprList(mlir::OpAsmParser &parser, ExprListAttr &attr);
void printSymExprList(mlir::OpAsmPrinter &printer, mlir::Operation *op, ExprListAttr attr);
mlir::ParseResult parseSymPred(mlir::OpAsmParser &parser, PredAttr &attr);
void printSymPred(mlir::OpAsmPrinter &printer, mlir::Operation *op, PredAttr attr);

} // namespace nereid::sym

/// Parameters of type index::Expr (and ArrayRef of them, comma separated without brackets) in
/// declarative assembly formats of attributes and types.
template <> struct mlir::FieldParser<nereid::index::Expr> {
  static FailureOr<nereid::index::Expr> parse(AsmParser &parser) {
    nereid::index::Expr expr;
    if (nereid::sym::parseExpr(parser, expr))
      return failure();
    return expr;
  }
};
