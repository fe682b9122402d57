// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel knows of values without making them element by element: numbers of places, and
// numbers that are the same for all lanes.
#include "schedule/kernel/KernelScope.h"

#include "schedule/kernel/Pointwise.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/IndexValues.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace nereid::schedule {

/// Coordinates with the divisions gone that a condition decides: of a row behind its border, which
/// digits it has.
llvm::SmallVector<Expr, 4> KernelBuilder::decideUnder(llvm::ArrayRef<Expr> at, Pred guard) const {
  llvm::SmallVector<Pred> about = {guard};
  for (Expr coordinate : at)
    about.push_back(index::ge(coordinate, 0));
  index::Facts more = factsAbout(about);
  more.assume(guard);
  llvm::SmallVector<Expr, 4> decided;
  for (Expr coordinate : at)
    decided.push_back(hasDivision(coordinate) ? more.simplify(coordinate) : coordinate);
  return decided;
}

/// Whether a value is one number for all lanes, and all that it reads lies in its tensors, whatever
/// holds of the lanes: a scale, the mean of a program's row.
bool KernelBuilder::isOneNumber(const Value &value, llvm::ArrayRef<Expr> at) const {
  // Of tiles of strips all but the innermost axes of the rows.
  llvm::ArrayRef<Expr> ofProgram = kernel.rows.symbols;
  if (kernel.strip)
    ofProgram = ofProgram.drop_back(std::min<size_t>(form.neighbouringAxes, ofProgram.size()));
  auto isOfProgram = [&](Expr symbol) {
    if (kernel.strip)
      return llvm::is_contained(ofProgram, symbol) || isTurnOfFew(symbol);
    return !form.tiledRows && !kernel.contraction && llvm::is_contained(ofProgram, symbol);
  };
  for (Expr coordinate : at)
    if (!llvm::all_of(index::collectSymbols(coordinate), isOfProgram))
      return false;
  // Where programs have no rows, the axes that are known to have an element may have none.
  bool hasRows = kernel.hasRows && !kernel.contraction && kernel.unrolled.empty();
  index::Facts known = kernel.strip ? facts : hasRows ? factsOfRows : index::Facts(context);
  if (isLoaded(value))
    return llvm::all_of(llvm::zip_equal(at, value.shape), [&](auto place) {
      auto [coordinate, extent] = place;
      return known.isTrue(index::ge(coordinate, 0)) && known.isTrue(index::lt(coordinate, extent));
    });
  if (value.kind != ValueKind::Map)
    return value.kind == ValueKind::Constant;
  return llvm::all_of(value.inputs, [&](const Access &access) {
    llvm::SmallVector<Expr, 4> inner;
    for (Expr coordinate : access.at)
      inner.push_back(substituteIndices(coordinate, at, {}, program));
    return access.loaded.empty() && isOneNumber(*access.from, inner);
  });
}

/// Numbers of places, and what they are compared with, as index expressions.
std::optional<TileValue> KernelBuilder::ofPlaces(const Value &value, llvm::ArrayRef<Expr> at,
                                                 Pred guard) {
  if (kernel.loop >= 0)
    return std::nullopt;
  Location loc = resultLoc(value);
  Access own{const_cast<Value *>(&value), {at.begin(), at.end()}, {}};
  if (value.elementType.isInteger(1)) {
    std::vector<LoadedIndex> loaded;
    std::optional<Pred> condition = asCondition(own, program, loaded);
    if (!condition || !loaded.empty())
      return std::nullopt;
    return predicate(decide(factsAbout(*condition).simplify(*condition), guard), plainLoc(loc));
  }
  std::optional<Expr> place = asIndexExpr(own, program);
  if (!place || place->isConstant())
    return std::nullopt;
  llvm::SaveAndRestore<Pred> under(assumed, guard);
  Expr simple = factsAbout(index::ge(*place, 0)).simplify(*place);
  TileValue result = number(form.merges.apply(simple), false, loc);
  Type width =
      builder.getIntegerType(tile::getElementType(result.value.getType()).getIntOrFloatBitWidth());
  result.value = castElements(builder, result.value, width, value.elementType, loc);
  return result;
}

} // namespace nereid::schedule
