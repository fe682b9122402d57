// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of two sums: `sum_j w_j (sum_e g_e v_je)` is `sum_e g_e o_e` where the program has
// `o_e = sum_j w_j v_je`. Gradients of softmax-weighted sums ask for the former, which takes all of
// the scores; what attention gave is a fraction of them.
#pragma once

#include "autodiff/Joint.h"

namespace nereid::autodiff {

/// Makes such sums of gradients from sums of the forward program that are smaller than the inner
/// ones.
void exchangeSums(Joint &joint);

} // namespace nereid::autodiff
