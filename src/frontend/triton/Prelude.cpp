// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/Prelude.h"

using namespace llvm;

namespace nereid::triton {

ArrayRef<PreludeFile> getPreludeFiles() {
  static constexpr PreludeFile files[] = {
#include "TritonPrelude.inc"
  };
  return files;
}

} // namespace nereid::triton
