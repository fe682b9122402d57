// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of `tl` that is written in Triton (prelude/*.py), as text inside the binary.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::triton {

struct PreludeFile {
  llvm::StringLiteral name;   // `standard.py`
  llvm::StringLiteral module; // `standard`
  llvm::StringRef text;
};

llvm::ArrayRef<PreludeFile> getPreludeFiles();

} // namespace nereid::triton
