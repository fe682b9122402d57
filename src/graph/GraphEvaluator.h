// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates a graph.program in float64 by plain loops: the oracle that schedules and kernels are
// judged by. Floating-point operators compute in float64 whatever their type, elidable casts are
// dropped, and casts that the user wrote round.
#pragma once

#include "graph/GraphArray.h"
#include "index/Expr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid::graph {

struct Evaluation {
  std::vector<Array> results;
  /// The arguments that the program mutates, by number, with their final values.
  std::vector<std::pair<unsigned, Array>> assigned;
};

/// Binds the size symbols of a program to the shapes of its inputs. False, with a reason, when the
/// shapes do not fit the types or the program's checks.
bool bindSizes(mlir::func::FuncOp program, llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
               llvm::DenseMap<index::Expr, int64_t> &sizes, std::string &reason);

/// Float64: the oracle; what it adds up has more digits. Working: what PyTorch itself could give,
/// whose error says how exact a result has to be: each operator rounds to its element type,
/// elidable casts round, and sums go over interleaved lanes, as vectorised loops add. Fused: the
/// same with elidable casts dropped, but for what a loop carries and what is returned, and sums of
/// contractions in the order of their terms, as libraries for products add. Mixed: the
/// sample says which elidable casts round, as in kernels that store some of the values. Saturating:
/// fused, and a number beyond an integer type becomes the nearest integer (0 of a NaN), as on GPUs;
/// otherwise the least one, as on x86. Unread: fused, and 0 times anything is 0, as where terms
/// that a `graph.where` hides are left out.
enum class Precision : uint8_t { Float64, Working, Fused, Mixed, Saturating, Unread };

/// What the reason begins with where an index that `graph.check_index` looks at is beyond its axis,
/// so that PyTorch raises.
inline constexpr llvm::StringLiteral refusedIndex = "PyTorch refuses an index beyond its axis: ";

/// One array for each argument of the program. On failure sets `reason`. Rounding by luck to the
/// exact result says little about the error that is usual: other samples than 0 of working
/// precision disturb each inexact result by at most half a rounding error.
mlir::FailureOr<Evaluation> evaluateProgram(mlir::func::FuncOp program,
                                            llvm::ArrayRef<Array> inputs, std::string &reason,
                                            Precision precision = Precision::Float64,
                                            uint64_t sample = 0);

/// What a value is that follows from constants alone, and from the sizes that `sizeOf` knows, each
/// operator rounded to its element type; nullopt for what depends on arguments, on sizes that are
/// open or on random numbers, and for more than a million elements.
std::optional<Array>
evaluateConstant(mlir::Value value,
                 llvm::function_ref<std::optional<int64_t>(index::Expr symbol)> sizeOf = nullptr);

} // namespace nereid::graph
