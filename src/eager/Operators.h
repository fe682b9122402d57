// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of PyTorch on tensors that hold numbers: each call is read by the torch front end as a
// program of its own and evaluated, rounded as PyTorch rounds.
//
//   Operators operators(&context);
//   std::optional<Values> sums = operators.evaluate("a0.sum(-1)", {x}, why);
#pragma once

#include "interpreter/Memory.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <optional>

namespace nereid::eager {

class Operators {
public:
  explicit Operators(mlir::MLIRContext *context) : context(context) {}

  struct Values {
    std::vector<interpreter::Tensor> tensors;
    /// The call returned several, in a tuple or list.
    bool isTuple = false;
  };
  /// The value of an expression over `a0`, `a1`, ... and `torch`; nullopt, with the reason, for
  /// what the front end does not know.
  std::optional<Values> evaluate(const std::string &expression,
                                 llvm::ArrayRef<interpreter::Tensor> operands, std::string &why);

private:
  struct Program {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::string refusal;
  };
  const Program &read(const std::string &expression, const std::string &inputs);

  mlir::MLIRContext *context;
  /// By expression and inputs.
  std::map<std::string, Program> programs;
};

/// `f32[4,8]`: the type of a tensor as the command line has it.
std::string specOf(const interpreter::Tensor &tensor);

} // namespace nereid::eager
