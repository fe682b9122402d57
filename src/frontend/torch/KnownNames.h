// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public names of PyTorch, so that a name which we do not support is told from one that does
// not exist. KnownNames.inc is written by scripts/known_torch_names.py.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid::torch {

/// `space`: torch, F, Tensor, nn, init, special.
bool isKnownName(llvm::StringRef space, llvm::StringRef name);
void forEachKnownName(llvm::StringRef space, llvm::function_ref<void(llvm::StringRef)> visit);
/// Whether PyTorch's Tensor has the in-place method `name`.
bool isInPlaceMethod(llvm::StringRef name);
/// What to tell about an operator that is not supported.
std::string whyUnsupported(llvm::StringRef fullName);

} // namespace nereid::torch
