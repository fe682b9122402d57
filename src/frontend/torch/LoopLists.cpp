// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists to which each turn of a loop appends an item.
#include "frontend/torch/LoopReader.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// What the list got in this turn: one item beside those of earlier turns.
bool LoopReader::leaveList(Grown &each) {
  auto *all = dyn_cast_if_present<GrownList>(each.list->whole);
  // The first item of a list tells nothing about its side.
  if (all && each.before.empty() && all->parts.size() == 2)
    each.atFront = !all->parts.back().item;
  if (!all || all->parts.size() != each.before.size() + 2)
    return blame("it does not append one item a turn to a list"), false;
  PyValue item = each.atFront ? all->parts.front().item : all->parts.back().item;
  auto *tensor = dyn_cast_if_present<TensorValue>(item);
  if (!tensor || tensor->isNumber)
    return blame("it appends " + describe(item ? item : machine.none()) +
                 " to a list, not a tensor"),
           false;
  if (isShared(item))
    return blame("it appends a tensor that later turns change in place"), false;
  each.item = t.read(tensor);
  each.last = tensor;
  mlir::Value next = each.item;
  for (size_t number : each.history) {
    Leaf &leaf = leaves[number];
    if (leaf.argument.getType() != next.getType())
      return differ("the items that it appends to a list have several types");
    leaf.next = next;
    next = leaf.argument;
  }
  return true;
}

PyValue LoopReader::lastOf(size_t number, int64_t age) {
  Grown &each = grown[number];
  if (age > 8) {
    blame("it reads an item that was appended " + Twine(age) + " turns before");
    return nullptr;
  }
  while (each.history.size() < static_cast<size_t>(age)) {
    size_t back = each.history.size();
    auto *item =
        each.before.size() > back
            ? dyn_cast<TensorValue>(each.atFront ? each.before[back]
                                                 : each.before[each.before.size() - 1 - back])
            : nullptr;
    if (!item || item->isNumber) {
      differ("it reads the item that was appended " + Twine(back + 1) +
             " turns before, and there is none before the first");
      return nullptr;
    }
    mlir::Value initial = buildOutside([&] { return t.read(item); });
    each.history.push_back(addLeaf(initial, false));
  }
  return t.wrap(leaves[each.history[age - 1]].argument);
}

/// The item at a place of a list, which may be one that this turn has appended.
PyValue LoopReader::itemAt(GrownList *list, Expr place) {
  Grown &each = grown[list->number];
  auto hole = find_if(list->parts, [](const ListPart &part) { return !part.item; });
  int64_t before = hole - list->parts.begin(), after = list->parts.end() - hole - 1;
  Expr distance = t.solver.resolve(index + (before + after) - place);
  std::optional<int64_t> age = distance.getConstant();
  if (!age || *age <= 0 || each.atFront) {
    blame("it reads the item " + place.str() + " of a list to which it appends");
    return nullptr;
  }
  return *age <= after ? (list->parts.end() - *age)->item : lastOf(list->number, *age - after);
}

void LoopReader::finishLists(ArrayRef<mlir::Value> stacks) {
  for (auto [each, stack] : zip(grown, stacks)) {
    std::vector<ListPart> parts;
    for (PyValue item : each.before)
      parts.push_back({item});
    mlir::Value ordered = each.atFront ? t.writer.flip(stack, {0}) : stack;
    TensorValue *all = t.wrap(ordered);
    all->storage->isLeftTwice = each.isLeftTwice;
    parts.insert(each.atFront ? parts.begin() : parts.end(), ListPart{nullptr, t.rowsOf(all, 0)});
    t.grownOf(each.list, std::move(parts));
  }
}

} // namespace nereid::torch
