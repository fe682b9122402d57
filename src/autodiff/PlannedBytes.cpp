// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/PlannedBytes.h"

#include "autodiff/Rules.h"
#include "graph/PlannedSizes.h"

using namespace mlir;

namespace nereid::autodiff {

static constexpr int64_t usualSize = 1024;
static constexpr int64_t mostBytes = int64_t(1) << 44;

PlannedBytes::PlannedBytes(func::FuncOp program) : program(program) {
  if (DictionaryAttr planned = graph::getPlannedSizes(program))
    for (NamedAttribute size : planned)
      if (auto number = dyn_cast<IntegerAttr>(size.getValue()))
        sizes[size.getName().getValue()] = number.getInt();
}

int64_t PlannedBytes::of(Value value) const {
  graph::TensorType type = GradientWriter::typeOf(value);
  int64_t total = std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
  for (Expr size : type.getSizes())
    total = std::min(mostBytes, total * std::clamp<int64_t>(of(size), 1, mostBytes / total));
  return total;
}

int64_t PlannedBytes::of(Expr size) const {
  auto sizeOf = [&](Expr symbol) -> std::optional<int64_t> {
    auto found = sizes.find(symbol.getName());
    return found == sizes.end() ? usualSize : found->second;
  };
  return index::evaluate(size, sizeOf).value_or(usualSize);
}

bool PlannedBytes::isParameter(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned number = argument ? argument.getArgNumber() : 0;
  func::FuncOp func = program;
  return argument && number < func.getNumArguments() && func.getArgAttr(number, "graph.parameter");
}

/// What a value shows under other sizes, strides and types; up to what was rounded, where asked.
static Value withoutViews(Value value, bool throughRoundings = true) {
  auto bitsOf = [](Value v) {
    return GradientWriter::typeOf(v).getElementType().getIntOrFloatBitWidth();
  };
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    StringRef name = op->getName().stripDialect();
    bool isView = llvm::any_of(viewRules(), [&](const RuleEntry &e) { return e.name == name; });
    bool isCast = isa<graph::CastOp>(op);
    if ((!isView && !isCast) || op->getNumOperands() != 1)
      break;
    if (isCast && !throughRoundings && bitsOf(op->getOperand(0)) > bitsOf(value))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isExpandingSum(Operation *op, const PlannedBytes &bytes) {
  constexpr int64_t leastFactor = 2, mostHeld = 256;
  auto fold = dyn_cast<graph::FoldOp>(op);
  if (!fold || fold.getKind() != graph::FoldKind::Sum)
    return false;
  auto product = fold.getInput().getDefiningOp<graph::MulOp>();
  if (!product)
    return false;
  int64_t ofFactors = 0, terms = 1;
  for (int64_t dim : fold.getDims())
    terms *= bytes.of(GradientWriter::typeOf(product.getResult()).getSizes()[dim]);
  if (terms > mostHeld)
    return false;
  for (Value factor : product->getOperands()) {
    Value source = withoutViews(factor);
    if (bytes.isParameter(source))
      return false;
    Type element = GradientWriter::typeOf(source).getElementType();
    if (!element.isF16() && !element.isBF16())
      return false;
    ofFactors += bytes.of(source);
  }
  return bytes.of(fold.getResult()) >= leastFactor * ofFactors;
}

llvm::SmallVector<Value> getReadFactors(Operation *op, const PlannedBytes &bytes) {
  constexpr int64_t leastReads = 4;
  auto fold = dyn_cast<graph::FoldOp>(op);
  auto product = fold && fold.getKind() == graph::FoldKind::Sum
                     ? fold.getInput().getDefiningOp<graph::MulOp>()
                     : graph::MulOp();
  if (!product)
    return {};
  auto countElements = [&](Value value) {
    unsigned bits = GradientWriter::typeOf(value).getElementType().getIntOrFloatBitWidth();
    return bytes.of(value) / std::max(1u, bits / 8);
  };
  llvm::SmallVector<Value> factors;
  for (Value factor : product->getOperands()) {
    // What is rounded for matrix units alone is another factor where there are none.
    Value source = withoutViews(factor, /*throughRoundings=*/false);
    while (auto rounded = source.getDefiningOp<graph::Tf32Op>())
      source = withoutViews(rounded->getOperand(0), /*throughRoundings=*/false);
    factors.push_back(source);
    if (countElements(product.getResult()) < leastReads * countElements(factors.back()))
      return {};
  }
  return factors;
}

} // namespace nereid::autodiff
