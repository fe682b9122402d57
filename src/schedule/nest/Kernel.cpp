// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Kernel.h"

#include "schedule/nest/AxisFinder.h"

namespace nereid::schedule {

std::optional<llvm::SmallVector<Expr, 4>> Space::coordinatesOf(llvm::ArrayRef<Expr> axes) const {
  llvm::SmallVector<Expr, 4> coordinates;
  size_t next = extents.size();
  for (Expr axis : llvm::reverse(axes)) {
    index::Context &context = axis.getContext();
    Expr position = context.constant(0), count = context.constant(1);
    // An axis of one element has none of its own, unless there is one for it.
    if (axis.isConstant(1) && next > 0 && extents[next - 1].isConstant(1))
      --next, position = symbols[next];
    while (count != axis) {
      if (next == 0)
        return std::nullopt;
      --next;
      position = position + symbols[next] * count;
      count = count * extents[next];
    }
    coordinates.insert(coordinates.begin(), position);
  }
  for (Expr extent : llvm::ArrayRef(extents).take_front(next))
    if (!extent.isConstant(1))
      return std::nullopt;
  return coordinates;
}

std::optional<llvm::SmallVector<Expr, 4>> Space::coordinatesOf(const Value &fold) const {
  if (fold.window != window || (fold.isSegment ? &fold : nullptr) != segment)
    return std::nullopt;
  if (fold.kind == ValueKind::Scan)
    return coordinatesOf(llvm::ArrayRef<Expr>(fold.shape[fold.dim]));
  return coordinatesOf(fold.foldExtents);
}

const Space *Kernel::termsOf(const Value &fold) const {
  if (contraction)
    for (const NestedFold &nested : contraction->nested)
      if (nested.fold == &fold)
        return &nested.terms;
  return nullptr;
}

std::optional<llvm::SmallVector<Expr, 4>> Kernel::indicesOf(const Value &fold) const {
  if (carries(fold))
    return rows.symbols;
  if (const Space *terms = termsOf(fold))
    return terms->symbols;
  for (const std::vector<Space> *spaces : {&columns, &unrolled})
    for (const Space &space : *spaces)
      if (auto own = space.coordinatesOf(fold))
        return own;
  return std::nullopt;
}

unsigned Kernel::columnsOf(const Value &fold) const {
  for (auto [number, space] : llvm::enumerate(columns))
    if (space.isOf(fold))
      return number;
  llvm_unreachable("chooseForm adds the columns of every fold");
}

llvm::SmallVector<Expr, 4> Kernel::addColumns(const Value &fold, llvm::ArrayRef<Expr> at,
                                              index::Context &context) {
  Space space;
  space.extents.append(extentsOf(fold));
  if (fold.kind == ValueKind::Fold && fold.window != 0) {
    space.window = fold.window;
    space.windowIndex = at[0];
  }
  if (fold.isSegment) {
    space.segment = &fold;
    space.segmentIndex = at.vec();
  }
  for (unsigned i = 0; i < space.extents.size(); ++i)
    space.symbols.push_back(
        context.symbol("@c" + std::to_string(columns.size()) + "_" + std::to_string(i)));
  columns.push_back(space);
  return space.symbols;
}

} // namespace nereid::schedule
