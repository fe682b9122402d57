// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What would have to hold of guessed sizes, tiles and types for an import to get beyond where it
// failed.
#pragma once

#include <string>
#include <vector>

namespace nereid::triton {

struct Requirement {
  /// An argument has this type, or what it points at: `fp32`.
  struct Type {
    std::string argument;
    std::string type;
    /// How many times it is loaded through.
    unsigned loads = 0;
  };

  /// Python text over meta-parameters and `x_axis_0`, an extent of the argument x that is a tile:
  /// `BLOCK // 8 == 4`. Empty where sizes are not what it failed of.
  std::string condition;
  /// Arguments of a device function that have to be tiles of so many axes.
  std::vector<std::string> arguments;
  unsigned rank = 0;
  /// All of these together.
  std::vector<Type> types;
};

/// The name that the extent of an argument which is a tile has in conditions.
inline std::string nameExtent(const std::string &argument, unsigned axis) {
  return argument + "_axis_" + std::to_string(axis);
}

} // namespace nereid::triton
