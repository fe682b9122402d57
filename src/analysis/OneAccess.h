// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verdicts about one access, whatever other accesses there are. Private to this folder.
#pragma once

#include "analysis/AccessMemory.h"

namespace nereid::analysis {

/// By argument: the ways that led to a proof before are tried first.
using KnownWays = llvm::DenseMap<unsigned, KnownWay>;

AccessVerdict proveBounds(const Access &access, const LaneValues &lanes,
                          const LaunchContract &contract, KnownWays &ways);

/// `key` says how a store's program is found back.
/// How the program is found back from the address; empty where it is not.
std::string programOf(const Access &access, const LaneValues &lanes,
                      const LaunchContract &contract);

AccessVerdict proveDisjoint(const Access &access, const LaneValues &lanes,
                            const LaunchContract &contract, std::string &key);

} // namespace nereid::analysis
