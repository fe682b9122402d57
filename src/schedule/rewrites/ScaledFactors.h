// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of TF32 as products of halves. Both keep 11 binary digits, and matrix units multiply
// halves twice as fast and read half as much; but halves hold numbers from 2^-14 to 2^16 alone. So
// a factor whose products may be of TF32 is stored times a power of two, by which its greatest
// element comes to between 2^14 and 2^15, and sums are divided by those of both factors. There is
// one for each place along the axes that no product of it sums over: a sample, an output channel.
// What is below 2^-28 of the greatest element there has fewer digits.
//
// Whether the launch takes TF32 is known when it is called (`torch.backends.cudnn.allow_tf32`):
// only then are the tensors of halves, and powers of two others than 1. Kernels are the same.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Scales the factors of products that may be of TF32 where that pays: on a GPU with such rates at
/// the typical sizes. Their layouts are settled.
void scaleFactors(Program &program);

} // namespace nereid::schedule
