// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradient operators that repeat another operator or that nothing uses are dropped; of equal folds
// of the program gradients take the first.
#include "autodiff/Joint.h"

#include "autodiff/PlannedBytes.h"

using namespace mlir;

namespace nereid::autodiff {

namespace {

/// Operators that are the same, in whatever composite of the program they stand: constants of two
/// composites are two, and what is made of them.
class EqualOperators {
public:
  llvm::hash_code hash(Operation *op) {
    return OperationEquivalence::computeHash(
        op, [&](Value value) { return llvm::hash_value(first(value).getAsOpaquePointer()); },
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }
  bool areEqual(Operation *a, Operation *b) {
    auto match = [&](Value x, Value y) { return success(first(x) == first(y)); };
    return OperationEquivalence::isEquivalentTo(a, b, match, nullptr,
                                                OperationEquivalence::IgnoreLocations);
  }
  void repeat(Operation *op, Operation *earlier) {
    for (auto [own, same] : llvm::zip_equal(op->getResults(), earlier->getResults()))
      firsts[own] = first(same);
  }

private:
  Value first(Value value) const {
    auto known = firsts.find(value);
    return known == firsts.end() ? value : known->second;
  }
  llvm::DenseMap<Value, Value> firsts;
};

} // namespace

void simplifyGradients(Joint &joint) {
  llvm::DenseMap<size_t, SmallVector<Operation *, 2>> known;
  EqualOperators equal;
  PlannedBytes bytes(joint.program);
  auto isDear = [&](Operation *op) {
    return isa<graph::FoldOp, graph::ScanOp>(op) && !isExpandingSum(op, bytes);
  };
  // An operator inside of another composite is not taken unless it is dear: it would have to be
  // computed there too.
  auto fits = [&](Operation *op, Operation *other) {
    if (!joint.forwardOps.contains(other) || isDear(op))
      return true;
    int inside = joint.group(other), own = joint.group(op);
    return inside < 0 || (own >= 0 && joint.groups[own].forward == inside);
  };
  for (Operation &op : llvm::make_early_inc_range(joint.block().without_terminator())) {
    SmallVector<Operation *, 2> &same = known[equal.hash(&op)];
    Operation *twin = nullptr;
    bool isForward = joint.forwardOps.contains(&op);
    for (Operation *other : same)
      if (!twin && equal.areEqual(&op, other) && (isForward || fits(&op, other)))
        twin = other;
    if (isForward && twin) {
      equal.repeat(&op, twin);
      // What is dear is saved once.
      if (isDear(&op))
        op.replaceUsesWithIf(twin->getResults(), [&](OpOperand &use) {
          return use.getOwner() != joint.block().getTerminator();
        });
    }
    if (isForward || !twin) {
      same.push_back(&op);
      continue;
    }
    op.replaceAllUsesWith(twin->getResults());
    joint.groupOf.erase(&op);
    op.erase();
  }
  joinPads(joint);
  // The block's own reverse iterators survive the erasure, those of a range of it do not.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(joint.block())))
    if (!joint.forwardOps.contains(&op) && isOpTriviallyDead(&op)) {
      joint.groupOf.erase(&op);
      op.erase();
    }
}

} // namespace nereid::autodiff
