// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a proof about a kernel may rely on: the memory behind each pointer argument, the meaning of
// each integer argument, the grid, the meta-parameters, and facts about sizes. Taken from a
// host.launch with the checks before it, or written by hand.
#pragma once

#include "host/HostOps.h"
#include "index/Facts.h"
#include "tile/TileDialect.h"

namespace nereid::analysis {

/// Every `step`th index of an axis of some memory, from `start` on.
struct AxisPart {
  index::Expr start, size, step;
};

struct ArgumentContract {
  /// Pointers: sizes and strides, in elements, of the tensor whose first element the pointer is.
  bool isTensor = false;
  llvm::SmallVector<index::Expr> sizes;
  llvm::SmallVector<index::Expr> strides;
  /// Distinct indices are distinct addresses, whatever the strides are (a fresh allocation,
  /// or an argument that is checked for it).
  bool isInjective = false;
  /// Pointers: what tells this memory from others, the tensor that it is a view of; null when it is
  /// not known to be shared.
  const void *memory = nullptr;
  /// Pointers: the tensor's first element is the first of that memory.
  bool isAtStart = false;
  /// Pointers: the part of each axis of that memory that the tensor is; empty where it is all of it
  /// or not known.
  llvm::SmallVector<AxisPart> parts;
  /// Integers: the value; null when nothing is known of it.
  index::Expr value;
};

struct LaunchContract {
  explicit LaunchContract(index::Context &context) : facts(context) {}

  index::Context &getContext() const { return facts.getContext(); }
  /// Writes sizes otherwise in all but the facts.
  void replace(const llvm::DenseMap<index::Expr, index::Expr> &sizes);

  /// One for each kernel argument.
  std::vector<ArgumentContract> arguments;
  /// One to three extents, meta-parameters put in.
  llvm::SmallVector<index::Expr> grid;
  /// Values of meta-parameters; those not named here have the numbers of the kernel's instance.
  llvm::DenseMap<index::Expr, index::Expr> meta;
  /// The same for those that are conditions.
  llvm::DenseMap<index::Expr, index::Pred> conditions;
  /// The launch is not known: what is not proved is an assumption on it, not a fault.
  bool isOpen = false;
  /// All is to be proved, with short proofs, or nothing: it is asked again in another way.
  bool isBrief = false;
  /// Over other sizes than those of the program: counterexamples are looked for without them.
  bool isRenamed = false;
  bool seeksCounterexamples() const { return !isBrief && !isRenamed; }
  /// Sizes are >= 0, and what was checked before the launch.
  index::Facts facts;
};

/// Adds what is known before the launch of a contract that is otherwise complete: sizes that are
/// said to be equal become one, those that are divided evenly a multiple, and what speaks of
/// nothing that reaches the kernel is left out.
void assumeKnown(LaunchContract &contract, std::vector<index::Pred> known);

/// The contracts of a launch under configurations of its kernel. They know: sizes and strides >= 0,
/// every host.check and enclosing host.if before the launch.
std::vector<LaunchContract> contractsOf(host::LaunchOp launch,
                                        llvm::ArrayRef<tile::ConfigAttr> configs);
/// One brief contract for all of them, in which meta-parameters that differ are symbols: what is
/// proved holds of each. Nullopt where they are one.
std::optional<LaunchContract> sharedContractOf(host::LaunchOp launch,
                                               llvm::ArrayRef<tile::ConfigAttr> configs);

} // namespace nereid::analysis
