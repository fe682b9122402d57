// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which values are stored and which kernels compute them.
//
// At the start every value is stored by a kernel of its own. Three moves make kernels larger:
// *inline* a value into all its readers, so that it is not stored; *join* two kernels, so that what
// both read is read once; and *carry* folds over the rows of another kernel, each program over a
// span of them (`SpanKernel.h`). Fusing pure values is always right, so the cost decides: the best
// move is taken until none gains. A stage is a mask over these moves.
#pragma once

#include "schedule/nest/Cost.h"

namespace nereid::schedule {

/// A move that was made: what is inlined, carried or stored from then on, or what the kernels that
/// were joined store.
struct MadeMove {
  enum Kind : uint8_t { Inline, Join, Carry, Store } kind;
  llvm::SmallVector<const Value *, 2> values;
  double gain = 0;
};

struct Partition {
  StoredSet stored;
  /// In an order in which each loads only what earlier ones store.
  std::vector<Kernel> kernels;
  std::vector<MadeMove> moves;
};

/// Stage 1 moves only within an operator of the user's program, stage 2 everywhere.
Partition partition(Program &program);

} // namespace nereid::schedule
