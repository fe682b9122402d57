// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families of names that make tensors of nothing or ask about sizes, each in a file of its own.
#pragma once

#include "frontend/torch/TorchLibrary.h"

namespace nereid::torch {

/// What factories take behind what is their own.
inline constexpr llvm::StringLiteral factoryOptions =
    "dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, "
    "memory_format=None, generator=None, out=None)";

/// torch.rand and its like (RandomTensors.cpp).
void defineRandomTensors(TorchLibrary &library);

/// What the preludes ask about sizes (SizeQuestions.cpp): the answers are Python's own numbers,
/// decided by the typical sizes where they have to be.
void defineSizeQuestions(TorchLibrary &library);

} // namespace nereid::torch
