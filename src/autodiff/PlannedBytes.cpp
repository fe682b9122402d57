// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/PlannedBytes.h"

#include "autodiff/Rules.h"
#include "graph/PlannedSizes.h"

using namespace mlir;

namespace nereid::autodiff {

static constexpr int64_t usualSize = 1024;
static constexpr int64_t mostBytes = int64_t(1) << 44;

PlannedBytes::PlannedBytes(func::FuncOp program) {
  if (DictionaryAttr planned = graph::getPlannedSizes(program))
    for (NamedAttribute size : planned)
      if (auto number = dyn_cast<IntegerAttr>(size.getValue()))
        sizes[size.getName().getValue()] = number.getInt();
}

int64_t PlannedBytes::of(Value value) const {
  graph::TensorType type = GradientWriter::typeOf(value);
  int64_t total = std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
  auto sizeOf = [&](Expr symbol) -> std::optional<int64_t> {
    auto found = sizes.find(symbol.getName());
    return found == sizes.end() ? usualSize : found->second;
  };
  for (Expr size : type.getSizes())
    total = std::min(mostBytes,
                     total * std::clamp<int64_t>(index::evaluate(size, sizeOf).value_or(usualSize),
                                                 1, mostBytes / total));
  return total;
}

/// What a value shows under other sizes, strides and types.
static Value withoutViews(Value value) {
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    StringRef name = op->getName().stripDialect();
    bool isView = llvm::any_of(viewRules(), [&](const RuleEntry &e) { return e.name == name; });
    if ((!isView && !isa<graph::CastOp>(op)) || op->getNumOperands() != 1)
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isExpandingSum(Operation *op, const PlannedBytes &bytes) {
  constexpr int64_t leastFactor = 2;
  auto fold = dyn_cast<graph::FoldOp>(op);
  if (!fold || fold.getKind() != graph::FoldKind::Sum)
    return false;
  auto product = fold.getInput().getDefiningOp<graph::MulOp>();
  if (!product)
    return false;
  int64_t ofFactors = 0;
  for (Value factor : product->getOperands()) {
    Value source = withoutViews(factor);
    Type element = GradientWriter::typeOf(source).getElementType();
    if (!element.isF16() && !element.isBF16())
      return false;
    ofFactors += bytes.of(source);
  }
  return bytes.of(fold.getResult()) >= leastFactor * ofFactors;
}

} // namespace nereid::autodiff
