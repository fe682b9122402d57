// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/Sharing.h"

using namespace llvm;

namespace nereid::torch {

std::optional<unsigned> Sharing::find(const TensorValue *tensor) const {
  for (const ViewStep &step : reverse(tensor->steps))
    if (step.doubt >= 0)
      return doubts[step.doubt].child;
  auto found = groupOf.find(tensor->storage);
  return found == groupOf.end() ? std::nullopt : std::optional(found->second);
}

int Sharing::add(SharingDecision decision, StringRef operation, const TensorValue *operand,
                 Storage *copy) {
  std::optional<unsigned> parent = find(operand);
  if (!parent) {
    parent = groupOf[operand->storage] = groups.size();
    groups.push_back({operand->storage});
    groups.back().isArgument = isa<mlir::BlockArgument>(operand->storage->first);
  }
  unsigned child = groups.size();
  groups.push_back({copy ? copy : operand->storage});
  if (copy)
    groupOf[copy] = child;
  for (unsigned group : {*parent, child})
    groups[group].doubts.push_back(doubts.size());
  doubts.push_back({std::move(decision), operation, operand->storage, *parent, child, ++time});
  return static_cast<int>(doubts.size()) - 1;
}

void Sharing::walk(unsigned at, unsigned since, SmallVectorImpl<unsigned> &path,
                   function_ref<bool(const Group &, unsigned since)> sees, Doubts &found) const {
  for (unsigned number : groups[at].doubts) {
    const Doubt &doubt = doubts[number];
    if (is_contained(path, number))
      continue;
    unsigned other = doubt.parent == at ? doubt.child : doubt.parent;
    unsigned later = std::max(since, doubt.time);
    path.push_back(number);
    if (sees(groups[other], later))
      found.insert(path.begin(), path.end());
    walk(other, later, path, sees, found);
    path.pop_back();
  }
}

Sharing::Doubts Sharing::seenBy(const TensorValue *read) {
  Doubts found;
  SmallVector<unsigned> path;
  if (std::optional<unsigned> group = find(read))
    walk(
        *group, 0, path, [](const Group &other, unsigned since) { return other.written > since; },
        found);
  return found;
}

Sharing::Doubts Sharing::seenAfter(const TensorValue *written, size_t outer) {
  Doubts found;
  SmallVector<unsigned> path;
  std::optional<unsigned> group = find(written);
  if (!group)
    return found;
  groups[*group].written = ++time;
  walk(
      *group, 0, path,
      [&](const Group &other, unsigned) {
        return other.isArgument || other.storage->number < outer;
      },
      found);
  return found;
}

} // namespace nereid::torch
