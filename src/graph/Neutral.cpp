// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Neutral.h"

#include <limits>

namespace nereid::graph {

double neutralReal(FoldKind kind) {
  double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case FoldKind::Prod:
    return 1;
  case FoldKind::Min:
  case FoldKind::Argmin:
    return infinity;
  case FoldKind::Max:
  case FoldKind::Argmax:
  case FoldKind::Logsum:
    return -infinity;
  default:
    return 0;
  }
}

int64_t neutralInteger(FoldKind kind, mlir::Type type) {
  int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isUnsigned)
    least = 0, most = bits == 64 ? -1 : (int64_t(1) << bits) - 1;
  else if (bits < 64)
    most = (int64_t(1) << (bits - 1)) - 1, least = -most - 1;
  switch (kind) {
  case FoldKind::Prod:
  case FoldKind::All:
    return 1;
  case FoldKind::Max:
  case FoldKind::Argmax:
    return least;
  case FoldKind::Min:
  case FoldKind::Argmin:
    return most;
  default:
    return 0;
  }
}

} // namespace nereid::graph
