// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block pointers of one function: where each is made, moved, read and written, and whether all
// of that can be written with pointers and masks. Nothing is written here.
#pragma once

#include "upgrade/Changes.h"

#include "llvm/ADT/MapVector.h"

namespace nereid::upgrade {

/// `p = tl.make_block_ptr(base, shape, strides, offsets, block_shape, order)`, or a return of one.
struct BlockDefinition {
  const python::Stmt *stmt = nullptr;
  const python::Call *call = nullptr;
  const python::Expr *base = nullptr;
  llvm::ArrayRef<python::Expr *> shape = {}, strides = {}, offsets = {}, block = {};
  /// `p = helper(...)`, where a function of the file returns a block pointer: the name `p`. There
  /// is nothing else then.
  const python::Name *target = nullptr;
  /// It stands in an access itself: `tl.load(tl.make_block_ptr(...))`.
  bool isInline = false;
  /// `p = tl.make_block_ptr(...) if condition else None`.
  const python::Expr *condition = nullptr;
};

/// `p = tl.advance(p, deltas)`.
struct BlockMove {
  const python::Assign *stmt = nullptr;
  const python::Call *call = nullptr;
  llvm::ArrayRef<python::Expr *> deltas;
};

/// `tl.load(p, boundary_check=(0, 1))`, also of `tl.advance(p, deltas)`.
struct BlockAccess {
  const python::Call *call = nullptr;
  const python::Expr *pointer = nullptr;
  llvm::ArrayRef<python::Expr *> deltas; // none for the pointer itself
  const python::Call *advance = nullptr;
  std::vector<unsigned> checked; // axes, ascending
  std::string padding;
};

struct BlockPointer {
  std::string name;
  /// What the function returns: pointers, and the masks of all axes.
  bool isResult = false;
  unsigned rank = 0;
  std::vector<BlockDefinition> definitions;
  std::vector<BlockMove> moves;
  std::vector<BlockAccess> accesses;
  /// `p.dtype`, `p.type`.
  std::vector<const python::Name *> typeUses;

  /// Its pointers are made where it is made: no access is of a moved one.
  bool isFixed() const {
    if (!moves.empty())
      return false;
    for (const BlockAccess &access : accesses)
      if (access.advance)
        return false;
    return true;
  }
  bool isMoved(unsigned axis) const;
  bool isChecked(unsigned axis) const;
};

/// By their webs (Webs.h).
using BlockPointers = llvm::MapVector<unsigned, BlockPointer>;

/// Finds them; what cannot be written anew is refused with its place.
BlockPointers findBlockPointers(FunctionText &text, Changes &changes);

/// Whether an expression is the number 0.
bool isZero(const python::Expr &expr);

} // namespace nereid::upgrade
