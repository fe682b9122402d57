// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Unroll.h"

namespace nereid::schedule {

/// Columns for which code is repeated at most, and accesses that this may make.
static constexpr int64_t mostColumns = 16, mostPieces = 4;
static constexpr size_t mostAccesses = 128;

void forEachIndex(llvm::ArrayRef<Expr> extents, index::Context &context,
                  llvm::function_ref<void(llvm::ArrayRef<Expr>)> visit) {
  llvm::SmallVector<int64_t, 4> counts, at(extents.size(), 0);
  for (Expr extent : extents)
    counts.push_back(*extent.getConstant());
  if (llvm::is_contained(counts, 0))
    return;
  while (true) {
    llvm::SmallVector<Expr, 4> indices;
    for (int64_t index : at)
      indices.push_back(context.constant(index));
    visit(indices);
    size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == counts[axis - 1])
      at[--axis] = 0;
    if (axis == 0)
      return;
  }
}

bool hasFewColumns(const Kernel &kernel, size_t accesses) {
  if (!kernel.hasRows || kernel.loop >= 0 || kernel.span != 0 || kernel.rows.symbols.empty() ||
      kernel.columns.empty())
    return false;
  return llvm::all_of(kernel.columns, [&](const Space &space) {
    int64_t count = 1;
    for (Expr extent : space.extents) {
      std::optional<int64_t> known = extent.getConstant();
      if (!known || *known < 1 || *known > mostColumns)
        return false;
      count *= *known;
    }
    return !space.isPart() && count <= mostColumns && accesses * count <= mostAccesses;
  });
}

/// Replaces each output by one for each index of some axes.
static void repeatOutputs(Kernel &kernel, index::Context &context,
                          llvm::function_ref<Space(const KernelOutput &)> axesOf) {
  std::vector<KernelOutput> outputs;
  for (const KernelOutput &output : kernel.outputs) {
    Space axes = axesOf(output);
    forEachIndex(axes.extents, context, [&](llvm::ArrayRef<Expr> indices) {
      llvm::DenseMap<Expr, Expr> places;
      for (auto [symbol, index] : llvm::zip_equal(axes.symbols, indices))
        places[symbol] = index;
      KernelOutput &one = outputs.emplace_back(output);
      for (Expr &coordinate : one.at)
        coordinate = index::substitute(coordinate, places);
      one.columns = 0;
    });
  }
  kernel.outputs = std::move(outputs);
}

void unrollColumns(Kernel &kernel, index::Context &context) {
  for (const KernelOutput &output : kernel.outputs)
    if (output.columns >= 0)
      kernel.unrolledInOutputs.push_back(output.columns);
  repeatOutputs(kernel, context, [&](const KernelOutput &output) {
    return output.columns < 0 ? Space() : kernel.columns[output.columns];
  });
  kernel.unrolled = std::move(kernel.columns);
  kernel.columns = {std::move(kernel.rows)};
  kernel.rows = Space();
  kernel.hasRows = false;
}

bool isFewElements(Expr extent, size_t accesses) {
  std::optional<int64_t> count = extent.getConstant();
  return count && *count >= 2 && *count <= mostPieces && accesses * *count <= mostAccesses;
}

void unrollAxis(Kernel &kernel, unsigned axis, index::Context &context) {
  Space &flat = kernel.columns.front();
  bool isInnermost = axis + 1 == flat.symbols.size();
  Space &unrolled = kernel.unrolled.emplace_back();
  unrolled.symbols = {flat.symbols[axis]};
  unrolled.extents = {flat.extents[axis]};
  flat.symbols.erase(flat.symbols.begin() + axis);
  flat.extents.erase(flat.extents.begin() + axis);
  if (isInnermost)
    kernel.paired = unrolled.symbols.front();
  else
    repeatOutputs(kernel, context, [&](const KernelOutput &) { return kernel.unrolled.back(); });
}

} // namespace nereid::schedule
