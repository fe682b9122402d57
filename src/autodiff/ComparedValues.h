// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that a gradient must not make again. The gradient of a maximum compares its elements with
// it: an element that is made again in another kernel may differ in the last digit from what was
// folded, for the compiler makes one operation of a product and a sum in one kernel and two in
// another, and then no element is the greatest.
#pragma once

#include "autodiff/Joint.h"

namespace nereid::autodiff {

/// What the compared elements have to be made of to come out the same: of the values that may be
/// computed again those which round in a way that a kernel may change. What is made of them by
/// views, choices and casts comes out as they do.
llvm::DenseSet<Value>
findComparedValues(Joint &joint, llvm::function_ref<bool(mlir::Operation *)> isRecomputable);

} // namespace nereid::autodiff
