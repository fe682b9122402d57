// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass `add-backward` of nereid-opt.
#pragma once

namespace nereid::autodiff {

void registerAutodiffPass();

} // namespace nereid::autodiff
