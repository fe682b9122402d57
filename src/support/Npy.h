// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's file format .npy (versions 1 to 3), for arrays of numbers: read in either order, written
// row-major and little-endian.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

struct NpyArray {
  /// As NumPy writes it, without the byte order: `f4`, `i8`, `u1`, `b1`.
  std::string kind;
  std::vector<int64_t> shape;
  /// Row-major.
  std::vector<uint8_t> bytes;

  unsigned itemBytes() const;
  int64_t size() const;
};

/// The array of a file's contents, and back.
std::optional<NpyArray> parseNpy(llvm::StringRef contents, std::string &error);
std::string formatNpy(const NpyArray &array);

/// Reads an array; nullopt with the reason in `error`.
std::optional<NpyArray> readNpy(llvm::StringRef path, std::string &error);
/// Writes through a temporary file, so that nothing half-written remains. False: see `error`.
bool writeNpy(llvm::StringRef path, const NpyArray &array, std::string &error);

} // namespace nereid
