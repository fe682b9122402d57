// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what is known of a kernel's parameters to signatures at which it may compile, most plausible
// first.
#pragma once

#include "audit/Launches.h"

namespace nereid::audit {

/// What a parameter was taken to be, and why.
struct InferredParameter {
  std::string name;
  std::string value; // `*fp32`, `i32`, or the constant `64`
  std::string source;
};

struct Attempt {
  triton::KernelRequest request;
  std::vector<InferredParameter> parameters;
  /// How it differs from the first: `floats as fp16`; empty for the first.
  std::string difference;
};

/// At most this many are made for one function.
constexpr unsigned mostAttempts = 13;

std::vector<Attempt> makeAttempts(triton::TritonProject &project, Uses &uses,
                                  const Launches &launches, triton::JitFunction &function);

} // namespace nereid::audit
