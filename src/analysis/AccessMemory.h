// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was proved of accesses before, in this kernel or another. A program reads and writes tensors
// of few shapes, at few kinds of addresses under few masks: where all of these are the same, and
// the same is known of what they are made of, so is the proof.
#pragma once

#include "analysis/Access.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::analysis {

/// How an access was proved to stay inside: the other accesses of a tensor, shifted by a little,
/// mostly are so too.
struct KnownWay {
  ReadingWay reading;
  bool isOverDigits = false;
};

/// Of accesses whose expressions one index context owns, which outlives it.
class AccessMemory {
public:
  /// Proofs by their tiers, and what else they found; nothing where there is none.
  struct Known {
    std::optional<unsigned> insideTier, apartTier;
    std::optional<KnownWay> way;
    /// How a store's program is found back.
    std::string program;
  };
  Known &operator[](const std::string &key) { return known[key]; }

private:
  llvm::StringMap<Known> known;
};

/// Writes what proofs about the accesses of one launch depend on, as one string for each.
class AccessKeys {
public:
  explicit AccessKeys(const LaunchContract &contract);
  /// Nothing where a proof is not to be remembered.
  std::optional<std::string> of(const AccessSource &access, const LaneValues &lanes) const;

private:
  const LaunchContract &contract;
  std::string launch;
};

} // namespace nereid::analysis
