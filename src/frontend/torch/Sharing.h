// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of which a call's sizes and strides say whether they share memory: a reshape or
// contiguous() and its operand. Typical sizes decide while the program is read. That is right for
// every call as long as nobody sees the difference: a write to one of the two that is read through
// the other. `Sharing` finds the decisions that are seen; each becomes a check, or is refused.
//
//   z = y.t().reshape(-1)   # a copy, unless M or N is 1
//   z.add_(1)               # a write
//   return y                # sees it: the call must be one where z is a copy
#pragma once

#include "frontend/torch/TorchValues.h"

#include "llvm/ADT/SetVector.h"

namespace nereid::torch {

/// What typical sizes decide, and the conditions under which PyTorch decides alike for tensors
/// whose storage is row-major.
struct SharingDecision {
  bool isShared = false;
  std::vector<Pred> conditions;
};

class Sharing {
public:
  struct Doubt {
    SharingDecision decision;
    llvm::StringRef operation;
    /// Whose strides the decision follows from.
    Storage *base;
    unsigned parent, child, time;
    bool isSettled = false;
  };
  using Doubts = llvm::SmallSetVector<unsigned, 4>;

  /// A decision about what follows `operand`: a view by the step that is marked with the number
  /// that is returned, or a copy.
  int add(SharingDecision decision, llvm::StringRef operation, const TensorValue *operand,
          Storage *copy);
  Doubt &operator[](unsigned doubt) { return doubts[doubt]; }

  /// The decisions between a tensor that is read and those that were written since.
  Doubts seenBy(const TensorValue *read);
  /// Takes note of a write. Returns the decisions between the tensor and arguments, whose last
  /// value is seen, and between it and the first `outer` storages: the next turn of a loop may read
  /// of them what this one wrote.
  Doubts seenAfter(const TensorValue *written, size_t outer);

private:
  /// Tensors that surely share memory.
  struct Group {
    const Storage *storage;
    llvm::SmallVector<unsigned, 2> doubts = {};
    unsigned written = 0;
    bool isArgument = false;
  };
  std::optional<unsigned> find(const TensorValue *tensor) const;
  void walk(unsigned at, unsigned since, llvm::SmallVectorImpl<unsigned> &path,
            llvm::function_ref<bool(const Group &, unsigned since)> sees, Doubts &found) const;

  std::vector<Group> groups;
  std::vector<Doubt> doubts;
  llvm::DenseMap<const Storage *, unsigned> groupOf;
  unsigned time = 0;
};

} // namespace nereid::torch
