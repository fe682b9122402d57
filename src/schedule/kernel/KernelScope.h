// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds operations in a scope of a kernel: before the loop that is open in it, or at its end.
#pragma once

#include "schedule/kernel/KernelBuilder.h"
#include "schedule/program/Locations.h"

namespace nereid::schedule {

/// The location of a value's own result: named when the user named the value.
mlir::Location resultLoc(const Value &value);

/// While it lives, operations are built in the given scope.
class KernelBuilder::InScope {
public:
  InScope(KernelBuilder &kernel, Scope &scope) : kernel(kernel), before(kernel.current) {
    enter(scope);
  }
  ~InScope() { enter(*before); }

private:
  void enter(Scope &scope) {
    kernel.current = &scope;
    if (scope.inner)
      kernel.builder.setInsertionPoint(scope.inner);
    else
      kernel.builder.setInsertionPointToEnd(scope.block);
  }
  KernelBuilder &kernel;
  Scope *before;
};

/// What holds while it lives, for what is made meanwhile in scopes that end with it.
class KernelBuilder::Assumption {
public:
  Assumption(KernelBuilder &kernel, Pred holds)
      : kernel(kernel), facts(kernel.facts), guardNeeds(kernel.guardNeeds),
        narrowness(kernel.narrowness), bounds(kernel.bounds), boundsKnown(kernel.boundsKnown) {
    kernel.facts.assume(holds);
  }
  ~Assumption() {
    kernel.facts = std::move(facts);
    kernel.guardNeeds = std::move(guardNeeds);
    kernel.narrowness = std::move(narrowness);
    kernel.bounds = std::move(bounds);
    kernel.boundsKnown = boundsKnown;
  }

private:
  KernelBuilder &kernel;
  index::Facts facts;
  llvm::DenseMap<Expr, bool> guardNeeds, narrowness;
  std::optional<index::Facts> bounds;
  size_t boundsKnown;
};

} // namespace nereid::schedule
