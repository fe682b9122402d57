// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits folds whose results are too few to fill a device: each program folds a window of the axis,
// a second fold combines the windows. The windows are a function of the sizes alone, so results
// repeat bit for bit on every device.
#pragma once

#include "schedule/nest/Cost.h"

namespace nereid::schedule {

/// Replaces every fold that pays by a fold over windows and a fold of their results.
void splitFolds(Program &program, const Device &device);

/// Gives folds over windows, and the folds of their results, another length of window. Folds that
/// have none stay whole.
void setWindows(Program &program, llvm::ArrayRef<Value *> partials, int64_t length,
                bool areCarried);

} // namespace nereid::schedule
