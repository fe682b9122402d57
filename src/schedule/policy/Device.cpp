// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/policy/Device.h"

namespace nereid::schedule {

// Launch and bandwidth of the H200: a kernel in a graph of kernels takes 1.0 us, 537 MB take 127.8
// us. The others scale by the vendors' bandwidth figures. Programs of a few elements: 2.75 million
// take 8 ms, most of it to wait for their loads; those that have more elements hide that. The L2
// cache is that of an H100 by a published fit, the others' scale by clocks and multiprocessors.
// Rates of products are those of Triton's kernels, not the vendor's: 4096^3 with rows of factors
// that lie along the sum.
static constexpr Device devices[] = {
    {"h200", 1.0, 4.2e6, 6.65e6, 50e6, 128e3, 25e6, 132, 1000, 550e6, 300e6, 80e6, 240e6,
     227 << 10},
    {"h100", 1.0, 2.9e6, 6.65e6, 50e6, 128e3, 25e6, 132, 1000, 550e6, 300e6, 80e6, 240e6,
     227 << 10},
    {"a100", 1.0, 1.4e6, 4.4e6, 40e6, 96e3, 9e6, 108, 700, 220e6, 100e6, 40e6, 73e6, 163 << 10},
    {"b200", 1.0, 7.0e6, 8.3e6, 126e6, 128e3, 35e6, 148, 1100, 900e6, 450e6, 90e6, 300e6,
     227 << 10},
};

const Device *findDevice(llvm::StringRef name) {
  for (const Device &device : devices)
    if (name == device.name)
      return &device;
  return nullptr;
}

} // namespace nereid::schedule
