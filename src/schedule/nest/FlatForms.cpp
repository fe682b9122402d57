// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of maps over one flat space: how many elements a lane has.
#include "schedule/nest/FormChooser.h"

#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// How lanes side by side read, where these are not neighbours in memory as what is written is.
/// Triton gives a lane as many neighbours as one store takes, up to four of 32 bits; each of these
/// loads then goes over four times as many lines of the cache.
FormChooser::LaneReads FormChooser::readsOfLanes() const {
  constexpr unsigned partsOfWindow = 4;
  const Space &flat = form.columns.front();
  if (flat.symbols.empty())
    return LaneReads::Dense;
  Expr lane = flat.symbols.back(), position = program.context->symbol("@p");
  size_t reads = 0, strided = 0, shifted = 0;
  llvm::DenseMap<const Value *, unsigned> windows;
  // Every second element, by which: both are loaded together where both are read.
  llvm::DenseMap<const Value *, std::array<unsigned, 2>> halves;
  for (const Touch &touch : exprs.getTouches()) {
    Expr offset = form.merges.apply(touch.usual);
    if (touch.isWrite || !index::contains(offset, lane))
      continue;
    ++reads;
    Expr used = usePosition(offset, flat, position);
    bool isAlong = index::contains(used, position);
    auto linear = index::asLinearIn(used, isAlong ? position : lane);
    if (!linear || (isAlong && linear->coefficient.isConstant(1)))
      continue;
    // What goes backwards lies side by side too.
    std::optional<int64_t> step = linear->coefficient.getConstant();
    if (step && std::abs(*step) == 1)
      windows[touch.value] += *step == 1;
    else if (step && *step == 2)
      ++halves[touch.value][linear->rest.getConstantTerm() & 1];
    else
      ++strided;
  }
  for (auto [value, parts] : windows)
    shifted += parts >= partsOfWindow ? parts : 0;
  for (auto [value, sides] : halves)
    strided += std::max(sides[0], sides[1]) - std::min(sides[0], sides[1]);
  if (strided * 2 > reads)
    return LaneReads::Strided;
  return shifted * 4 >= reads * 3 && shifted > 0 ? LaneReads::Shifted : LaneReads::Dense;
}

void FormChooser::chooseFlat() {
  bool searches = llvm::any_of(kernel.outputs, [](const KernelOutput &output) {
    return output.value->kind == ValueKind::Search;
  });
  form.configs = searches && !program.policy.isChosen() ? searchConfigs(program.policy)
                                                        : flatConfigs(program, kernel.loop >= 0);
  bool mayChoose = !program.policy.isChosen() && program.policy.has(MoveKind::Tuning);
  // Registers hold what so many accesses are for, of fewer elements of a lane.
  constexpr size_t manyTouches = 24;
  auto isNarrow = [](const Config &config) { return config.blocks.front().second == 512; };
  if (exprs.getTouches().size() >= manyTouches && !program.policy.isChosen())
    std::stable_partition(form.configs.begin(), form.configs.end(), isNarrow);
  if (LaneReads reads = readsOfLanes();
      mayChoose && !searches && kernel.loop < 0 && reads != LaneReads::Dense)
    form.configs = scatteredConfigs(reads == LaneReads::Strided);
  if (kernel.loop >= 0 && program.policy.has(MoveKind::LoopPipelining))
    form.turnsAhead = chooseTurnsAhead(exprs.getTouches().size());
  Expr position = program.context->symbol("@p");
  for (const Touch &touch : exprs.getTouches()) {
    Expr offset = usePosition(form.merges.apply(touch.offset), form.columns.front(), position);
    form.denseAccesses += index::contains(offset, position);
  }
}

} // namespace nereid::schedule
