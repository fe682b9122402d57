// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of each primitive: one rule an operator, in tables by family (PointwiseRules.cpp,
// ViewRules.cpp, FoldRules.cpp, ScatterRules.cpp). A rule writes the gradients of an operator's
// operands from the gradient of its result. Gradients are held in float32 for narrower floats, else
// in the value's own type.
#pragma once

#include "autodiff/GradientWriter.h"

namespace nereid::autodiff {

/// What a rule writes with, and where it leaves its results.
class Reverse {
public:
  explicit Reverse(GradientWriter &writer) : writer(writer) {}
  virtual ~Reverse() = default;

  GradientWriter &writer;

  /// Whether the gradient of a value is asked for.
  virtual bool wants(Value value) const = 0;
  /// Adds to the gradient of a value that is wanted; null adds nothing.
  virtual void add(Value value, Value gradient) = 0;
};

using Rule = void (*)(mlir::Operation *op, Value gradient, Reverse &reverse);

/// What is known of an operator's gradient.
struct RuleEntry {
  llvm::StringLiteral name;
  /// Null: the gradient is zero, or there is none; the result counts as a constant.
  Rule rule;
  /// Why there is no rule; empty beside a rule.
  llvm::StringLiteral reason = "";
};

/// A fold by groups: how to fold other elements by the same groups, and how to give each element
/// what its group has.
struct Groups {
  llvm::function_ref<Value(graph::FoldKind, Value)> fold;
  llvm::function_ref<Value(Value)> spread;
};

/// The gradient of the elements `x` of a fold by groups; null for kinds of fold that have none.
Value groupedGradient(GradientWriter &w, graph::FoldKind kind, Value x, Value result, Value g,
                      const Groups &groups);

ArrayRef<RuleEntry> pointwiseRules();
ArrayRef<RuleEntry> viewRules();
ArrayRef<RuleEntry> foldRules();
ArrayRef<RuleEntry> scatterRules();

/// The entry of an operator `graph.<name>`; null for an unknown one.
const RuleEntry *findRule(llvm::StringRef name);

/// Adds the gradients that PyTorch finds for what it was left: `gradients` are those of the
/// results, null where they are zero.
void addCallGradient(graph::CallOp call, ArrayRef<Value> gradients, Reverse &reverse);

/// The type in which gradients of elements of a type are held.
mlir::Type gradientElement(mlir::Type element);
graph::TensorType gradientType(mlir::Type type);

} // namespace nereid::autodiff
