// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the axes of a kernel are cut. A view that regroups an axis makes its readers divide its
// index: `i // B` and `i % B`. An axis of A * B elements is then traversed as two, of A and of B,
// and what divided reads an axis of its own: `x[n, c // D]` is a row of a group, and the channels
// within the group are columns.
//
//   AxisCuts cuts(context, memory);
//   cuts.addIndex(c, G * D);
//   cuts.note(floordiv(c, D));
//   cuts.cut();                       // c = c.0 * D + c.1, with c.0 < G and c.1 < D
//   cuts.resolve(floordiv(c, D));     // c.0
#pragma once

#include "index/Facts.h"

#include <map>

namespace nereid::schedule {

struct IndexMemory;

/// Tells facts that an index of an axis is at least 0 and less than the axis's extent, of which no
/// factor is 0 then.
void boundIndex(index::Facts &facts, index::Expr index, index::Expr extent);

/// Whether an expression divides anything.
bool hasDivision(index::Expr expr);
/// Coordinates with the divisions gone that are decided where `facts` hold.
llvm::SmallVector<index::Expr, 4> decidedBy(const index::Facts &facts,
                                            llvm::ArrayRef<index::Expr> at);

/// The elements of each suffix of the extents but the first, outermost first: `B * C` and `C` of
/// `A, B, C`.
llvm::SmallVector<index::Expr, 4> boundariesOf(llvm::ArrayRef<index::Expr> extents);

/// Adds a boundary to a chain of boundaries of `total` elements in which each divides the one
/// before. Returns false, and leaves the chain, where it does not fit in.
bool addBoundary(llvm::SmallVectorImpl<index::Expr> &chain, index::Expr total,
                 index::Expr boundary);

/// The extents that lie between the boundaries of a chain.
llvm::SmallVector<index::Expr, 4> extentsBetween(llvm::ArrayRef<index::Expr> chain,
                                                 index::Expr total);

class AxisCuts {
public:
  AxisCuts(index::Context &context, IndexMemory &memory)
      : context(context), memory(memory), facts(context) {}

  void addIndex(index::Expr index, index::Expr extent);
  /// Takes note of the divisions of known indices.
  void note(index::Expr expr);
  void note(index::Pred pred);
  /// The boundaries within an index's axis that were noted and fit together.
  llvm::ArrayRef<index::Expr> getBoundaries(index::Expr index) const;

  /// Makes axes of the parts of each index; nothing is noted afterwards.
  void cut();
  /// The axes of an index, outermost first: itself when nothing cuts it.
  struct Part {
    index::Expr symbol, extent;
  };
  llvm::ArrayRef<Part> getParts(index::Expr index) const;
  /// The expression over the parts, with the divisions that they decide gone.
  index::Expr resolve(index::Expr expr) const;

private:
  struct Axis {
    index::Expr extent;
    llvm::SmallVector<index::Expr, 4> boundaries;
    llvm::SmallVector<Part, 2> parts;
  };
  struct Scaled {
    index::Expr index, unit;
    /// What is left of it below the upper part that was taken off; null where none was.
    index::Expr within;

    /// Whether a divisor cuts it: digits of a remainder are digits of the index where they fill it.
    bool mayCut(index::Expr divisor) const;
  };
  std::optional<Scaled> readScaled(index::Expr expr) const;
  void noteAtom(index::Expr atom);
  void bound(index::Expr index, index::Expr extent);
  index::Expr simplify(index::Expr expr) const;

  index::Context &context;
  IndexMemory &memory;
  /// Each index, and its extent; the facts say so of as many of them as `stated`.
  llvm::SmallVector<index::Expr> bounded;
  mutable index::Facts facts;
  mutable size_t stated = 0;
  std::map<index::Expr, Axis> axes;
  llvm::DenseMap<index::Expr, index::Expr> replacements;
};

} // namespace nereid::schedule
