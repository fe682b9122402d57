// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number that two kernels share when they compute the same terms and write them to memory in the
// same order. The order of pure operations, locations, and where a tile is broadcast on its way
// through elementwise operations do not matter: Triton's source does not say them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace nereid::emit {

uint64_t getFingerprint(mlir::func::FuncOp kernel);

} // namespace nereid::emit
