// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of an operator that is left to PyTorch: PyTorch's own. It is a call beside the
// gradient's kernels that computes the operator again from what it was given, which is all that is
// saved: no graph of autograd is kept from forward to backward.
#include "autodiff/Rules.h"

namespace nereid::autodiff {

void addCallGradient(graph::CallOp call, ArrayRef<Value> gradients, Reverse &reverse) {
  GradientWriter &w = reverse.writer;
  llvm::SmallVector<Value> cotangents, wanted;
  llvm::SmallVector<int64_t> of, to;
  llvm::SmallVector<mlir::Type> types;
  for (auto [number, gradient] : llvm::enumerate(gradients)) {
    if (!gradient)
      continue;
    // PyTorch's own gradients have the type of what they are of.
    cotangents.push_back(w.cast(gradient, w.typeOf(call.getResult(number)).getElementType(), true));
    of.push_back(number);
  }
  for (auto [number, input] : llvm::enumerate(call.getInputs())) {
    bool isFloat = llvm::isa<mlir::FloatType>(w.typeOf(input).getElementType());
    if (!isFloat || !reverse.wants(input))
      continue;
    to.push_back(number);
    types.push_back(input.getType());
    wanted.push_back(input);
  }
  auto gradient = graph::CallOp::create(
      w.builder, w.place, types, call.getCalleeAttr(), call.getSpellingAttr(), call.getInputs(),
      cotangents, w.builder.getDenseI64ArrayAttr(of), w.builder.getDenseI64ArrayAttr(to));
  for (auto [input, result] : llvm::zip_equal(wanted, gradient.getResults()))
    reverse.add(input, w.cast(result, gradientType(input.getType()).getElementType()));
}

} // namespace nereid::autodiff
