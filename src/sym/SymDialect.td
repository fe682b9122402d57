// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect that carries symbolic index expressions (src/index) inside MLIR: attributes only.
#ifndef NEREID_SYM_DIALECT_TD
#define NEREID_SYM_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"

def Sym_Dialect : Dialect {
  let name = "sym";
  let cppNamespace = "::nereid::sym";
  let summary = "symbolic index expressions and predicates as attributes";
  let description = [{
    Owns the `index::Context` of an MLIR context: every index expression in types and attributes is
    uniqued there, so that equal expressions are equal pointers, equal attributes and equal types.

    An expression prints bare when it is a sum of products of names and integers (`M`, `4*D + 1`),
    else as a string in Python's syntax (`"cdiv(M, BLOCK)"`); both forms are accepted everywhere.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// The context in which the index expressions of this MLIR context are uniqued.
    ::nereid::index::Context &getIndexContext() { return *indexContext; }
    /// The same, loading the dialect when needed.
    static ::nereid::index::Context &getIndexContext(::mlir::MLIRContext *context);

  private:
    ::std::shared_ptr<::nereid::index::Context> indexContext;
  public:
  }];
}

class Sym_Attr<string name, string attrMnemonic> : AttrDef<Sym_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Sym_ExprAttr : Sym_Attr<"Expr", "expr"> {
  let summary = "a symbolic integer";
  let description = [{
    Example: `#sym.expr<4*D>`, `#sym.expr<"cdiv(M, BLOCK)">`.
  }];
  let parameters = (ins "::nereid::index::Expr":$expr);
  let hasCustomAssemblyFormat = 1;
}

def Sym_ExprListAttr : Sym_Attr<"ExprList", "list"> {
  let summary = "a list of symbolic integers: sizes, strides, a grid";
  let description = [{
    Example: `#sym.list<[B, T, 4*D]>`, `#sym.list<["cdiv(M, BLOCK)", 1]>`.
  }];
  let parameters = (ins ArrayRefParameter<"::nereid::index::Expr">:$exprs);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    size_t size() const { return getExprs().size(); }
  }];
}

def Sym_PredAttr : Sym_Attr<"Pred", "pred"> {
  let summary = "a condition on symbolic integers";
  let description = [{
    Example: `#sym.pred<"M <= N and D % 16 == 0">`.
  }];
  let parameters = (ins "::nereid::index::Pred":$pred);
  let hasCustomAssemblyFormat = 1;
}

#endif // NEREID_SYM_DIALECT_TD
