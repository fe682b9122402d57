// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One memory access made ready for proof: its address over lane symbols, what holds on its executed
// lanes, and the ways to read the address as indices of its tensor.
#pragma once

#include "analysis/AccessProofs.h"
#include "analysis/IntegerProof.h"

#include "index/MixedRadix.h"
#include "llvm/ADT/MapVector.h"

namespace nereid::analysis {

struct Axis {
  index::Expr size;
  index::Expr stride;
};

/// Which multiples of a stride belong to its axis: all; of strides that are sums even the first
/// that leaves as many terms (`Eager`); none that are the same for all lanes and programs, as these
/// may be a shift along an inner axis (`Varying`), and of the widest stride alone none of these
/// (`Inner`).
enum class Taking : uint8_t { All, Eager, Varying, Inner };

/// Which adjacent axes are merged, a bit each, and what is taken for an axis.
struct ReadingWay {
  unsigned merged = 0;
  Taking taking = Taking::All;
};

/// The address as one index an axis: sum of indices[i] * axes[i].stride.
struct Reading {
  llvm::SmallVector<Axis, 4> axes;
  llvm::SmallVector<index::Expr, 4> indices;
  /// How it came about; nothing for the rarer ways.
  std::optional<ReadingWay> way;
};

/// Short proofs are tried first, then those by the ends of what is divided and over its digits,
/// then those of the simplified bound, then by linear programming; then a counterexample is looked
/// for, and at last an exact answer over the integers.
enum class Effort : uint8_t { Short, Digits, Simplified, Linear, Exact };

struct Access {
  explicit Access(const index::Facts &facts) : facts(facts) {}

  mlir::Operation *op = nullptr;
  unsigned argument = 0;
  index::Expr offset;
  const ArgumentContract *tensor = nullptr;
  llvm::SmallVector<index::Expr> extents;
  /// What holds on an executed lane.
  index::Facts facts;
  /// The executed lanes are exactly those on which all of these hold; nullopt when not known.
  std::optional<llvm::SmallVector<index::Pred>> executed;
  RangeChecks checks;
  /// Conditions, checks and the address: what of it is divided is taken apart.
  llvm::SmallVector<index::Expr> parts;
  /// Whether reading mask and address took linear programming.
  bool isReadLinearly = false;
  /// Each is looked for once.
  mutable llvm::DenseMap<index::Pred, bool> shortProofs, endProofs, simplifiedProofs, digitProofs,
      linearProofs;
  mutable std::optional<index::MixedRadix> radix;
  size_t factsBefore = 0;
  /// Set where the facts are those over digits.
  const index::MixedRadix *corners = nullptr;
  mutable llvm::DenseMap<index::Pred, index::Pred> simplified;
  mutable llvm::MapVector<index::Pred, IntegerAnswer> exactAnswers;
  /// See anyReading(); found when first asked for.
  mutable std::optional<llvm::SmallVector<Reading>> plainReadings, carriedReadings;
  /// Under an open contract: what had to be assumed of the launch to read mask and address.
  llvm::SmallVector<index::Pred> assumed;
  /// Why the address could not be read; empty when it could.
  std::string problem;

  /// Whether a predicate holds on executed lanes; `effort` says how long a proof is looked for.
  bool knows(index::Pred pred, Effort effort) const;
  /// Everything known, over the digits of what is divided.
  const index::MixedRadix &digits() const;
  /// Must follow new facts, of which there are more then. What is known stays known.
  void forgetProofs();
  /// Whether a condition of the executed lanes is False: there are none.
  bool isNeverExecuted() const;
  /// sum of (size - 1) * stride: the last element's offset.
  index::Expr lastOffset() const;
};

/// The pointer operand of a memory operation and its mask; null pointer for other operations.
struct MemoryOperands {
  mlir::Value pointer;
  mlir::Value mask;
};
MemoryOperands memoryOperandsOf(mlir::Operation *op);

/// A memory access as it stands in the kernel: its address, and what holds where it is executed.
struct AccessSource {
  mlir::Operation *op = nullptr;
  LaneValue pointer;
  /// The arguments that the pointer may come from: one, where its address is known.
  llvm::SmallVector<unsigned, 1> roots;
  llvm::SmallVector<Conjunct> conditions;
  /// Whether the conditions hold all that the mask says.
  bool isMaskKnown = true;
  /// See Access.
  llvm::SmallVector<index::Expr> parts, extents;
  /// What is known of the choices and starts of loops that the parts hold.
  llvm::SmallVector<index::Pred> known;
};

AccessSource readAccess(mlir::Operation *op, LaneValues &lanes);
Access makeAccess(const AccessSource &source, LaneValues &lanes, const LaunchContract &contract);

/// Tries the ways to read the address until one is accepted; whether one was. The one with most
/// axes merged comes first; adjacent axes merge where one stride is the other's extent times its
/// stride. Last come readings whose indices are carried from axis to axis, and those with axes
/// divided where the address steps by a part of them.
bool anyReading(const Access &access, llvm::function_ref<bool(const Reading &)> accept);

/// The address read in one way; nothing where it cannot be.
std::optional<Reading> readBy(const Access &access, ReadingWay way);

/// Whether all indices of a reading are proved inside; else `missing` says which bound was not.
bool isInside(const Reading &reading, const Access &access, Effort effort, std::string &missing);

/// Whether two different programs never touch one element, the first by `a` and the second by `b`:
/// exact, for affine addresses.
bool areApart(const Access &a, const Access &b, const LaneValues &lanes,
              const LaunchContract &contract);

/// The name of a symbol as messages show it: `pid0` for `$pid0`.
std::string show(index::Expr expr);
std::string show(index::Pred pred);

/// Looks for a lane outside its tensor; null when none was found.
std::optional<Witness> findOutside(const Access &access, const LaneValues &lanes,
                                   const LaunchContract &contract);
/// The witness at a point, when it is an executed lane outside its tensor; what the point does not
/// name is put at its least.
std::optional<Witness> witnessAt(const llvm::DenseMap<index::Expr, int64_t> &point,
                                 const Access &access, const LaneValues &lanes,
                                 const LaunchContract &contract);
/// Looks for two programs of which one uses by `a` what the other stores to by `b`.
std::optional<Witness> findMeeting(const Access &a, const Access &b, const LaneValues &lanes,
                                   const LaunchContract &contract);
/// Looks for two programs that store to one address.
std::optional<Witness> findOverlap(const Access &access, const LaneValues &lanes,
                                   const LaunchContract &contract);

} // namespace nereid::analysis
