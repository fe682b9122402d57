// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes of a kernel are those of its tiles. Axes of few elements are none: code is repeated
// for each of their indices where that computes or reads less. The one flat axis of a map becomes
// rows and columns where tiles of both read and write in larger pieces, or divide less.
#pragma once

#include "schedule/nest/KernelExprs.h"

namespace nereid::schedule {

/// Takes axes out of the tiles of a kernel, and gives maps rows and columns.
void chooseTileAxes(const Program &program, const KernelExprs &exprs, const StrideMap &strides,
                    Kernel &kernel);

/// Gives each lane of a kernel of spans two neighbouring columns where it depends on which of the
/// two a column is what is computed. Returns whether it did.
bool pairColumns(const Program &program, const KernelExprs &exprs, Kernel &kernel);

} // namespace nereid::schedule
