// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which call of a module the operators of a program were made in: the marks that
// graph/EqualParts.h reads.
#pragma once

#include "mlir/IR/Builders.h"

#include <string>
#include <vector>

namespace nereid::torch {

class CallScopes : public mlir::OpBuilder::Listener {
public:
  /// A call of a module of this class begins within the one that lasts; returns that one.
  int64_t enter(llvm::StringRef className);
  /// The call ends, and `outer` goes on.
  void leave(int64_t outer) { current = outer; }

  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;
  /// The attributes of an operator, whichever call it was made in.
  static mlir::DictionaryAttr unmarked(mlir::Operation *op);
  /// `graph.scopes` of the program.
  mlir::ArrayAttr list(mlir::MLIRContext *context) const;

private:
  struct Scope {
    std::string name;
    int64_t outer;
  };
  std::vector<Scope> scopes;
  int64_t current = -1;
};

} // namespace nereid::torch
