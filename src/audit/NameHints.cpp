// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/NameHints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid::audit {

bool namesIntegers(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {
      "mask",  "masks", "flag",   "flags",   "count",   "counts",  "counter", "cnt",     "num",
      "index", "idx",   "id",     "ids",     "indices", "indexes", "offset",  "offsets", "len",
      "lens",  "label", "labels", "seqlens", "hist",    "bins",    "sizes",   "token"};
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '_');
  return llvm::any_of(parts,
                      [](llvm::StringRef part) { return llvm::is_contained(words, part.lower()); });
}

bool namesSums(llvm::StringRef name) { return name.contains_insensitive("acc"); }

} // namespace nereid::audit
