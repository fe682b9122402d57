// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names that statements bind in their own scope, in the order of their first binding; nested
// functions and classes keep theirs.
#pragma once

#include "python/Ast.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid::machine {

class BoundNames {
public:
  void body(python::Body stmts);
  void statement(const python::Stmt &stmt);
  void target(const python::Expr *expr);
  void visit(const python::Expr *expr);
  void add(llvm::StringRef name) {
    if (!name.empty() && !llvm::is_contained(names, name))
      names.push_back(name);
  }

  llvm::SmallVector<llvm::StringRef> names, globals, nonlocals;
  bool hasYield = false;

private:
  void visitAll(llvm::ArrayRef<python::Expr *> exprs);
  void comprehension(llvm::ArrayRef<python::Comprehension *> generators,
                     llvm::ArrayRef<const python::Expr *> elements);
  void pattern(const python::Pattern *node);
  void import(llvm::ArrayRef<python::Alias *> names, bool from);
};

} // namespace nereid::machine
