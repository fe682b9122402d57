// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a whole that one kernel makes element by element.
#include "schedule/rewrites/JoinFinder.h"

#include "schedule/nest/Contraction.h"
#include "llvm/ADT/SetOperations.h"

namespace nereid::schedule {

/// Whether all elements of a value are stored anyway, or what maps make of them: they are a result,
/// or factors of products.
bool JoinFinder::isReadWhole(const Value &value) const {
  auto isWhole = [&](const Value *reader) {
    if (reader->kind == ValueKind::Map && reader->shape == value.shape)
      return !assigned.contains(reader) && isReadWhole(*reader);
    auto contraction = asContraction(program, *reader, StoredSet());
    return contraction && fillsTiles(sizesOf(program, *reader, *contraction));
  };
  llvm::SmallVector<Value *, 4> own = readers.lookup(&value);
  return llvm::all_of(own, isWhole) && (results.contains(&value) || !own.empty());
}

/// How many bytes of a part stand side by side in the whole, at the typical sizes.
static int64_t bytesOfRun(const Program &program, const Value &part, const Value &whole) {
  int64_t bytes = part.getElementBytes();
  for (auto [own, all] : llvm::zip(llvm::reverse(part.shape), llvm::reverse(whole.shape))) {
    if (own != all && part.shape.size() != whole.shape.size())
      break;
    bytes *= program.estimate(own);
    if (own != all)
      break;
  }
  return bytes;
}

/// Whether one kernel makes all parts for less than what reads the choice: they have the same
/// sizes, most are computed, and some of what they are computed from is the same. Each lane makes
/// an element of each part then, and reads once what it would read under a mask for each. The
/// gradient of a gated product is such a choice, and a rotation of the halves of a row.
bool JoinFinder::areOfOneKernel(const Value &choice, const Parts &parts) const {
  if (!isReadWhole(choice) || choice.loop >= 0 || choice.isInlineOnly || parts.size() < 2)
    return false;
  const Value &first = *parts.front().value;
  // Stores of shorter pieces share their lines: on an H200 nine pieces of three floats each take
  // 800 us so, and 664 by a kernel of the whole.
  constexpr int64_t bytesOfLine = 128;
  if (bytesOfRun(program, first, choice) < bytesOfLine)
    return false;
  auto isMade = [](const Part &part) { return part.value->kind == ValueKind::Map; };
  if (llvm::count_if(parts, isMade) < 2)
    return false;
  llvm::DenseSet<const Value *> shared = findLeaves(first);
  for (const Part &part : parts) {
    const Value &value = *part.value;
    bool fits = (isMade(part) || value.kind == ValueKind::Input) && value.shape == first.shape &&
                value.elementType == choice.elementType && !value.isInlineOnly &&
                value.window == 0 && value.loop < 0;
    if (!fits)
      return false;
    llvm::set_intersect(shared, findLeaves(value));
  }
  int64_t elements = program.estimateElements(first.shape);
  return llvm::any_of(
      shared, [&](const Value *read) { return program.estimateElements(read->shape) >= elements; });
}

/// Parts that something else reads or that nobody computes are copies from now on.
void JoinFinder::copyShown(Value &choice, Parts &parts) {
  for (auto [number, part] : llvm::enumerate(parts)) {
    bool isShown = part.value->kind == ValueKind::Input || results.contains(part.value) ||
                   readers.lookup(part.value).size() != 1;
    if (!isShown)
      continue;
    const Value &shown = *part.value;
    Value &copy =
        program.values.emplace_back(ValueKind::Map, "part", choice.loc, shown.elementType);
    copy.shape = shown.shape;
    copy.unit = choice.unit;
    copy.order = choice.order - (parts.size() - number);
    Access access{part.value, {}, {}};
    for (unsigned dim = 0; dim < copy.shape.size(); ++dim)
      access.at.push_back(program.getIndex(dim));
    copy.inputs.push_back(std::move(access));
    part.value = &copy;
  }
}

/// Whether neighbours of a part are neighbours of the whole along every axis.
bool JoinFinder::hasNoSteps(const Part &part) const {
  return llvm::all_of(part.places, [&](Expr place) {
    for (unsigned dim = 0; dim < part.value->shape.size(); ++dim)
      if (auto linear = index::asLinearIn(place, program.getIndex(dim));
          !linear || !(linear->coefficient.isConstant(0) || linear->coefficient.isConstant(1)))
        return false;
    return true;
  });
}

} // namespace nereid::schedule
