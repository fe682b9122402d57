// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/AxisFinder.h"

namespace nereid::schedule {

llvm::SmallVector<Expr, 2> extentsOf(const Value &fold) {
  if (fold.kind == ValueKind::Scan)
    return {fold.shape[fold.dim]};
  return fold.foldExtents;
}

bool AxisFinder::find(Requests requests, const Value &root, llvm::ArrayRef<Expr> at,
                      std::vector<Fold> &folds) {
  bool isMade = requests.add(root, at, [&](const Value &fold, llvm::ArrayRef<Expr>) {
    // Prefixes come in the order of the axis: others read them where whole rows are held only.
    bool isRefused =
        fold.kind == ValueKind::Scan && &fold != &root && (!readsScans || fold.inputs.size() > 1);
    return isRefused ? std::nullopt : std::optional(spaceOf(extentsOf(fold), fold).symbols);
  });
  for (const Request &request : requests.getAll()) {
    if (request.isLoad || request.isFold())
      for (Expr coordinate : request.at)
        cuts.note(coordinate);
    if (Expr number = request.getNumber(program))
      cuts.note(number);
    for (Pred condition : request.conditions)
      cuts.note(condition);
    if (request.isFold())
      folds.push_back({request.value, request.at});
  }
  return isMade;
}

FoldSpace &AxisFinder::spaceOf(llvm::ArrayRef<Expr> extents, const Value &fold) {
  const Value *segment = fold.isSegment ? &fold : nullptr;
  for (FoldSpace &space : spaces)
    if (llvm::equal(space.extents, extents) && space.window == fold.window &&
        space.segment == segment)
      return space;
  FoldSpace &space = spaces.emplace_back();
  space.extents.assign(extents.begin(), extents.end());
  space.window = fold.window;
  space.segment = segment;
  for (auto [number, extent] : llvm::enumerate(extents)) {
    space.symbols.push_back(program.context->symbol("!" + std::to_string(spaces.size() - 1) + "_" +
                                                    std::to_string(number)));
    cuts.addIndex(space.symbols.back(), extent);
  }
  return space;
}

} // namespace nereid::schedule
