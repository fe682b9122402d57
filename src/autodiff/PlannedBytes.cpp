// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/PlannedBytes.h"

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

} // namespace nereid::autodiff
