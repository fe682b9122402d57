// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors that host code makes (`triton.tools.tensor_descriptor`).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nereid::triton {

/// What a launch passes of a tensor descriptor besides its base.
struct HostDescriptor {
  /// The shape of its blocks and the padding, as in a signature: `[64, 32]`, `[64, 32], nan`.
  std::string block;
  /// The arguments for its sizes and strides.
  std::vector<std::string> numbers;
};

/// By parameter of the kernel.
using HostDescriptors = std::map<std::string, HostDescriptor>;

} // namespace nereid::triton
