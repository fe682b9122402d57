// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans between two flips: a scan that is read only backwards runs from the last element to the
// first, so that nothing is flipped. Sums of the rest of an axis are written so, and the gradient
// of every running sum is one.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Turns the scans of a program around that nobody reads but from the end.
void reverseScans(Program &program);

} // namespace nereid::schedule
