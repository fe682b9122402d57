// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/FoldKinds.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

bool areFew(llvm::ArrayRef<Expr> extents) {
  constexpr int64_t few = 128;
  int64_t count = 1;
  for (Expr extent : extents)
    count *= std::min(extent.getConstant().value_or(few + 1), count <= few ? few + 1 : 1);
  return count <= few;
}

graph::FoldKind kindOf(const Value &value) {
  if (auto fold = dyn_cast<graph::FoldOp>(value.op))
    return fold.getKind();
  return cast<graph::ScanOp>(value.op).getKind();
}

bool isArg(graph::FoldKind kind) {
  return kind == graph::FoldKind::Argmax || kind == graph::FoldKind::Argmin;
}

Type accumulatorType(Type element) {
  if (isa<FloatType>(element))
    return element;
  if (element.getIntOrFloatBitWidth() < 32)
    return IntegerType::get(element.getContext(), 32,
                            element.isUnsignedInteger() ? IntegerType::Unsigned
                                                        : IntegerType::Signless);
  return element;
}

double neutralOf(graph::FoldKind kind, Type element) {
  if (element.isInteger(1) && (kind == graph::FoldKind::Max || kind == graph::FoldKind::Min))
    return kind == graph::FoldKind::Max ? 0 : 1;
  bool isFloat = isa<FloatType>(element);
  unsigned width = element.getIntOrFloatBitWidth();
  double least = isFloat                       ? -INFINITY
                 : element.isUnsignedInteger() ? 0
                                               : -std::ldexp(1.0, width - 1);
  double greatest = isFloat                       ? INFINITY
                    : element.isUnsignedInteger() ? std::ldexp(1.0, width) - 1
                                                  : std::ldexp(1.0, width - 1) - 1;
  switch (kind) {
  case graph::FoldKind::Sum:
  case graph::FoldKind::Any:
    return 0;
  case graph::FoldKind::Prod:
  case graph::FoldKind::All:
    return 1;
  case graph::FoldKind::Max:
  case graph::FoldKind::Argmax:
  case graph::FoldKind::Logsum:
    return least;
  case graph::FoldKind::Min:
  case graph::FoldKind::Argmin:
    return greatest;
  }
  llvm_unreachable("every kind is handled");
}

} // namespace nereid::schedule
