// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the program back from the address that it stores to: where every address tells its program,
// no two programs store to one.
#pragma once

#include "analysis/Access.h"

#include "llvm/ADT/StringSet.h"

namespace nereid::analysis {

/// Whether the address tells the program under one of the readings; else `reason` says why not.
/// `key` says how it is found back: stores with one key cannot meet across programs.
bool tellsProgram(const Access &access, const LaneValues &lanes, const LaunchContract &contract,
                  Effort effort, std::string &key, std::string &reason);

/// The keys under all readings.
llvm::StringSet<> allKeys(const Access &access, const LaneValues &lanes,
                          const LaunchContract &contract);

/// Whether one store stays before some index of an axis and the other behind it, as the pieces of a
/// concatenation do, or both take turns along it, as what is interleaved does: then they do not
/// meet, whichever programs make them.
bool lieApart(const Access &a, const Access &b);

} // namespace nereid::analysis
