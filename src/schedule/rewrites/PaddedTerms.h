// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of factors whose length is no multiple of what is loaded at once: a row of 2949 floats
// stands on 16 bytes in one of four cases, and each element of a tile is asked for by itself.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Has contractions whose factors have such rows sum over some terms more, which are 0 in both,
/// where that gains more than copies of the factors take. Whether these are stored is the
/// partition's choice. Comes behind relayouts.
void padTerms(Program &program);

} // namespace nereid::schedule
