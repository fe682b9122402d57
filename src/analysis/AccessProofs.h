// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proofs about the memory accesses of one kernel under one launch: every executed lane of every
// load, store and atomic stays inside its tensor, and no two programs store to one address. Entry
// point: proveAccesses.
//
// Tier 0 decides by ranges alone; tier 1 reads an address as sum of index * stride and proves each
// index inside its extent; tier 2 does so by linear programming over monomials and, for what is
// affine, by Presburger arithmetic. A counterexample is a concrete launch, program and lane that
// the interpreter was seen to fail on; everything else is Unknown with what could not be shown.
#pragma once

#include "analysis/LaneValues.h"

#include <chrono>

namespace nereid::analysis {

enum class Verdict : uint8_t { Proved, Counterexample, Unknown };
enum class Property : uint8_t {
  /// Every executed lane addresses an element of its tensor.
  InBounds,
  /// No address is stored to by two programs; for others than stores: none that another program
  /// stores to is read or changed.
  Disjoint
};

/// A concrete launch that breaks a property. Names are those of sizes, and `pid0`, `lane1`, `turn0`
/// for where it happens; of two programs the second's have a prime (`pid0'`).
struct Witness {
  std::vector<std::pair<std::string, int64_t>> values;
  /// The sizes among them that the access itself hangs on: its address, its mask, its tensor and
  /// the programs that it tells apart. The others are those of facts and of other arguments.
  std::vector<std::string> sizes;
  int64_t offset = 0;
  std::string str() const;
};

struct AccessVerdict {
  mlir::Operation *op = nullptr;
  unsigned argument = 0;
  Property property = Property::InBounds;
  Verdict verdict = Verdict::Unknown;
  unsigned tier = 0;
  /// Unknown: what is missing. Counterexample: what goes wrong.
  std::string reason;
  std::optional<Witness> witness;
  /// How long it took to come to this verdict.
  std::chrono::nanoseconds spent{0};
};

class AccessMemory;

/// Which accesses have to keep apart across programs: stores from each other, or what else uses
/// memory that is stored to from stores as well.
enum class Apart : uint8_t { Stores, All };

/// One InBounds verdict for each memory access, one Disjoint verdict for each plain store, in the
/// order of the kernel; then, if asked, one for each other access to memory that is stored to.
/// Proofs of the same accesses are taken from memory, if there is one.
std::vector<AccessVerdict> proveAccesses(mlir::func::FuncOp kernel, const LaunchContract &contract,
                                         AccessMemory *memory = nullptr,
                                         Apart apart = Apart::Stores);

} // namespace nereid::analysis
