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
  /// Nothing says that it is just this number.
  bool isGuess = false;
};

struct Attempt {
  triton::KernelRequest request;
  std::vector<InferredParameter> parameters;
  /// How it differs from the first: `floats as fp16`; empty for the first.
  std::string difference;
  /// The parameters that were changed since, by what others failed of.
  std::map<std::string, std::string> changes;

  std::string describeDifference() const;
};

/// At most this many are made for one function.
constexpr unsigned mostAttempts = 16;

/// Whether two attempts ask for the same.
bool isSame(const Attempt &one, const Attempt &other);

std::vector<Attempt> makeAttempts(triton::TritonProject &project, Uses &uses,
                                  const Launches &launches, triton::JitFunction &function);

/// What became of an attempt: `Stop`, there is no time for others.
enum class Tried : uint8_t { Compiled, Failed, Stop };

/// Goes through attempts, and through what mends those that fail, until one compiles; nullopt when
/// none does. `attempt` imports the function.
std::optional<Attempt> findAttempt(triton::TritonProject &project,
                                   const std::vector<Attempt> &guesses,
                                   llvm::function_ref<Tried(const Attempt &)> attempt);

/// Attempts that differ from one that failed in a single guess, by which they have what it failed
/// of: most plausible first.
std::vector<Attempt> mendAttempt(triton::TritonProject &project, const Attempt &failed,
                                 const triton::Requirement &required);

} // namespace nereid::audit
