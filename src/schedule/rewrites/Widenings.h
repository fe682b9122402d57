// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts that widen halves, behind the choices among what they widen: the padded half of a
// convolution in place of the half that is padded as float32, so that matrix units take halves.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Puts the casts of contractions' factors behind their choices, where all that is chosen is a
/// widened half of one type or a number that such a half holds.
void widenBehindChoices(Program &program);

} // namespace nereid::schedule
