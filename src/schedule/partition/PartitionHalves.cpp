// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products of float32 read their factors as halves that a kernel before them stores.
#include "schedule/partition/Partitioner.h"

#include "schedule/nest/Requests.h"
#include "schedule/rewrites/StoredHalves.h"

namespace nereid::schedule {

/// Whether a kernel's products may be of stored halves: tiles of sums of float32, each of all
/// terms.
static bool mayHaveHalves(const Kernel &kernel) {
  const std::optional<ContractionAxes> &axes = kernel.contraction;
  return axes && !axes->isNested() && !axes->areHalves && !axes->areTf32 && !axes->haveHalves &&
         kernel.columns.front().window == 0;
}

/// What the factors of products are made of in place, which might be stored.
llvm::SmallVector<Value *, 2> Partitioner::madeFactorsOf(llvm::ArrayRef<Value *> products) const {
  llvm::SmallSetVector<Value *, 2> made;
  for (const Value *product : products)
    if (auto contraction = asContraction(program, *product, stored))
      for (Value *factor : {contraction->left.from, contraction->right.from})
        if (factor->kind == ValueKind::Map && !factor->isInlineOnly && factor->loop < 0 &&
            !stored.contains(factor))
          made.insert(factor);
  return made.takeVector();
}

/// Stores the factors of a kernel's products as halves, and `restored` as it is, if what that takes
/// is less than what it gains.
bool Partitioner::tryHalves(size_t number, llvm::ArrayRef<Value *> products,
                            llvm::ArrayRef<Value *> restored, StoredHalves &halves) {
  const Candidate &before = *candidates[number];
  std::vector<StoredHalves::Parts> added;
  llvm::SmallVector<Value *, 2> changed;
  bool fits = true;
  for (Value *product : products) {
    fits = fits && halves.attach(*product, added);
    if (fits)
      changed.push_back(product);
  }
  Move move;
  stored.insert(restored.begin(), restored.end());
  for (const StoredHalves::Parts &parts : added)
    stored.insert_range(parts.all());
  double after = 0;
  auto add = [&](llvm::ArrayRef<Value *> outputs) {
    std::unique_ptr<Candidate> candidate = fits ? evaluate(outputs, stored) : nullptr;
    fits = candidate != nullptr;
    if (!fits)
      return;
    after += candidate->cost;
    move.added.push_back(std::move(candidate));
  };
  add(before.outputs);
  fits = fits && move.added.front()->kernel.contraction;
  for (Value *value : restored)
    add(value);
  for (const StoredHalves::Parts &parts : added)
    add(parts.all());
  // More launches take more of the host's time, which this is no part of.
  constexpr double ofLaunch = 8, leastShare = 0.1;
  double wanted = leastShare * before.cost + ofLaunch * double(added.size() + restored.size());
  if (fits && policy.decide(before.cost - after > wanted)) {
    move.removed = {number};
    apply(std::move(move));
    return true;
  }
  for (const Value *value : restored)
    stored.erase(value);
  for (const StoredHalves::Parts &parts : added)
    for (const Value *value : parts.all())
      stored.erase(value);
  halves.detach(changed, added);
  return false;
}

bool Partitioner::storeHalvesOf(size_t number, StoredHalves &halves) {
  const Candidate &candidate = *candidates[number];
  Requests requests = requestsOf(program, stored, candidate.kernel);
  StoredSet folds;
  for (const Request &request : requests.getAll())
    if (request.isFold())
      folds.insert(request.value);
  llvm::SmallVector<Value *, 2> products;
  for (Value &value : program.values)
    if (folds.contains(&value))
      products.push_back(&value);
  if (tryHalves(number, products, {}, halves))
    return true;
  llvm::SmallVector<Value *, 2> made = madeFactorsOf(products);
  return !made.empty() && tryHalves(number, products, made, halves);
}

bool Partitioner::storeHalves() {
  if (!policy.allows(MoveKind::StoredHalves))
    return false;
  StoredHalves halves(program);
  llvm::SmallVector<unsigned> ids;
  for (const std::unique_ptr<Candidate> &candidate : candidates)
    if (mayHaveHalves(candidate->kernel))
      ids.push_back(candidate->id);
  bool isAny = false;
  for (unsigned id : ids) {
    auto place = llvm::find_if(candidates, [&](const auto &each) { return each->id == id; });
    isAny |= storeHalvesOf(place - candidates.begin(), halves);
  }
  return isAny;
}

} // namespace nereid::schedule
