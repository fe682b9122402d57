// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a kernel on a device, as far as fusion decisions need it: bytes through memory,
// scalar operations, the launch, and whether there are programs enough to fill the device.
#pragma once

#include "schedule/nest/CostTerms.h"
#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

struct KernelCost {
  /// So many for each of the elements, a product of sizes. Costs are estimated far more often than
  /// anyone wants to see them over the program's symbols.
  using Sum = llvm::SmallVector<std::pair<Expr, int64_t>, 8>;
  static Expr total(const Sum &sum, index::Context &context);
  /// Bytes read and written, each stored value counted once: the least that passes.
  Sum bytes;
  /// Scalar operations.
  Sum flops;
  CostTerms terms;
  double microseconds = 0;
  /// So many values fit into registers in any order.
  static constexpr size_t fewValues = 64;
  /// What the kernel loads, how many values it computes, and, where these are not few, how many of
  /// both are waited for at once: each takes a register for each element of a lane.
  llvm::SetVector<const Value *> loads;
  size_t values = 0, liveValues = 0;
  /// Whether each lane folds the few elements of windows of its own.
  bool isOfWindows = false;
  /// Of a kernel whose factors are stored as halves: how many tiles it reads of the factors
  /// themselves.
  size_t factorTiles = 0;
};

KernelCost estimateCost(const Program &program, const Kernel &kernel, const StoredSet &stored,
                        const Device &device);

} // namespace nereid::schedule
