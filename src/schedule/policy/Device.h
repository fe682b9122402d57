// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device can do, as far as the cost of kernels asks.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::schedule {

/// Measured. Times in microseconds, rates per microsecond.
struct Device {
  const char *name;
  double launchUs;
  double bytesPerUs;
  /// From the L2 cache, and how much it holds, and the L1 cache of a multiprocessor.
  double cachedBytesPerUs;
  double cacheBytes, nearCacheBytes;
  double operationsPerUs;
  unsigned multiprocessors;
  double programsPerUs;
  /// Of the matrix units, a product and a sum counted as two: of halves, of TF32, and of float32
  /// made of three products of TF32, or of stored halves.
  double halfProductsPerUs, tf32ProductsPerUs, floatProductsPerUs, storedHalvesPerUs;
  /// The shared memory of a multiprocessor that a program may have.
  int64_t sharedBytes;
};

/// The device that `--device NAME` names; null for an unknown name.
const Device *findDevice(llvm::StringRef name);

} // namespace nereid::schedule
