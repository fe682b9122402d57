// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/Rules.h"

namespace nereid::autodiff {

const RuleEntry *findRule(llvm::StringRef name) {
  for (ArrayRef<RuleEntry> family : {pointwiseRules(), viewRules(), foldRules(), scatterRules()})
    for (const RuleEntry &entry : family)
      if (entry.name == name)
        return &entry;
  return nullptr;
}

mlir::Type gradientElement(mlir::Type element) {
  auto real = llvm::dyn_cast<mlir::FloatType>(element);
  return real && real.getWidth() < 32 ? mlir::Float32Type::get(element.getContext()) : element;
}

graph::TensorType gradientType(mlir::Type type) {
  auto tensor = llvm::cast<graph::TensorType>(type);
  return tensor.withElementType(gradientElement(tensor.getElementType()));
}

} // namespace nereid::autodiff
