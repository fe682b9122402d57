// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a launch in host code to the contract that proofs about the kernel may rely on.
#pragma once

#include "analysis/LaunchContract.h"
#include "audit/HostLaunch.h"
#include "audit/Signatures.h"

namespace nereid::audit {

/// How the kernel is compiled for a launch: what the launch gives, else what was guessed.
triton::KernelRequest requestFor(const triton::JitFunction &function, const HostLaunch &launch,
                                 const Attempt &guess);

/// Whether no sizes lead to the launch.
bool isNeverReached(const HostLaunch &launch, index::Context &context);

/// A contract, and what it takes for granted beside the launch's own assumptions.
struct HostContract {
  analysis::LaunchContract contract;
  std::set<std::string> assumptions;
  /// Not empty: the launch cannot be of this kernel as it was compiled.
  std::string problem;
  /// No sizes satisfy what the wrapper asks and what is taken for granted: a proof says nothing.
  bool isImpossible = false;
};

/// `isBounded`: tensors are taken to have fewer elements than 32-bit offsets reach.
HostContract contractFor(mlir::func::FuncOp kernel, const HostLaunch &launch, bool isBounded);

/// The most elements of a tensor where they are taken to be bounded.
constexpr int64_t mostElements = (int64_t(1) << 30) - 1;
/// What is then taken for granted.
inline constexpr llvm::StringLiteral boundedTensors =
    "tensors have fewer than 2**30 elements, and strides and numbers are no greater";

/// The tensor parameters of the wrapper that a symbol of a launch belongs to: `x` of `x.shape[0]`.
std::string ownerOf(llvm::StringRef symbol);

} // namespace nereid::audit
