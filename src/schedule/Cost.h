// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a kernel on a device, as far as fusion decisions need it: bytes through memory,
// scalar operations, the launch, and whether there are programs enough to fill the device.
#pragma once

#include "schedule/Kernel.h"

namespace nereid::schedule {

/// What a device can do, measured. Times in microseconds, rates per microsecond.
struct Device {
  const char *name;
  double launchUs;
  double bytesPerUs;
  double operationsPerUs;
  unsigned multiprocessors;
};

/// The device that `--device NAME` names; null for an unknown name.
const Device *findDevice(llvm::StringRef name);

struct KernelCost {
  /// Bytes read and written, each stored value counted once; over the program's symbols.
  Expr bytes;
  /// Scalar operations.
  Expr flops;
  double microseconds = 0;
  /// What the kernel loads, and how many values it computes.
  llvm::SetVector<const Value *> loads;
  size_t values = 0;
};

KernelCost estimateCost(const Program &program, const Kernel &kernel, const StoredSet &stored,
                        const Device &device);

} // namespace nereid::schedule
