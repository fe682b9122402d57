// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/CallScopes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nereid::torch {

int64_t CallScopes::enter(StringRef className) {
  scopes.push_back({className.str(), current});
  return std::exchange(current, static_cast<int64_t>(scopes.size()) - 1);
}

void CallScopes::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) {
  if (current < 0 || previous.isSet() || !isa_and_present<func::FuncOp>(op->getParentOp()))
    return;
  op->setAttr("graph.scope", IntegerAttr::get(IntegerType::get(op->getContext(), 64), current));
}

DictionaryAttr CallScopes::unmarked(Operation *op) {
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase("graph.scope");
  return attributes.getDictionary(op->getContext());
}

ArrayAttr CallScopes::list(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<Attribute> list;
  for (const Scope &scope : scopes)
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(scope.name)),
         builder.getNamedAttr("outer", builder.getI64IntegerAttr(scope.outer))}));
  return builder.getArrayAttr(list);
}

} // namespace nereid::torch
