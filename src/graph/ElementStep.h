// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the evaluator does to single elements: a pointwise operator, looked up once for many, and
// the rounding of its results.
#pragma once

#include "graph/GraphEvaluator.h"
#include "graph/GraphPointwise.h"

#include "mlir/IR/Operation.h"

#include <cmath>
#include <optional>

namespace nereid::graph {

/// How an operator rounds to a type. Where a seed disturbs it, each place of a tensor has a
/// disturbance of its own, in whatever order elements are made.
class Rounding {
public:
  Rounding(mlir::Type type, uint64_t seed);
  double operator()(double value, int64_t place) const {
    if (disturbance == 0)
      return nearest(value);
    uint64_t bits = (static_cast<uint64_t>(place) + seed) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 32)) * 0xD6E8FEB86659FD93u;
    double random = static_cast<double>(static_cast<int64_t>(bits ^ (bits >> 32))) * 0x1p-63;
    // At most half of the least distance of two numbers: exact results stay.
    return nearest(value + value * (random * disturbance * 0.5));
  }
  bool isSingle() const { return single; }
  /// Whether it asks for places.
  bool isDisturbed() const { return disturbance != 0; }
  /// Rounds elements in a row, whose places are `places`, or 0, 1, 2 ... where that is null.
  void apply(double *reals, int64_t count, const int64_t *places) const;

private:
  double nearest(double value) const { return single ? static_cast<float>(value) : round(value); }

  double (*round)(double);
  uint64_t seed;
  double disturbance = 0;
  bool exact, single;
};

/// Elements in a row: of floats `reals`, else `integers`.
struct Elements {
  const double *reals = nullptr;
  const int64_t *integers = nullptr;

  Elements() = default;
  explicit Elements(const Array &array)
      : reals(array.reals.data()), integers(array.integers.data()) {}
};

class ElementStep {
public:
  /// Nullopt where the evaluator does not know the operator. A cast rounds its result to `rounded`.
  static std::optional<ElementStep> find(mlir::Operation &op, mlir::Type rounded,
                                         Precision precision);

  /// Whether its results are those of arithmetic, which are rounded behind it.
  bool isArithmetic() const { return arithmetic; }
  bool makesReals() const { return llvm::isa<mlir::FloatType>(to); }
  /// To `reals` or `integers`, by the type of the result.
  void apply(llvm::ArrayRef<Elements> operands, double *reals, int64_t *integers,
             int64_t count) const;

private:
  enum class Kind : uint8_t {
    Add,
    Sub,
    Mul,
    RealUnary,
    RealBinary,
    RealTest,
    IntegerUnary,
    IntegerBinary,
    Where,
    CastToReals,
    CastToIntegers
  };
  void apply(const Elements &a, const Elements &b, double *result, int64_t count) const;
  void apply(const Elements &a, const Elements &b, int64_t *result, int64_t count) const;
  void castToReals(const Elements &input, double *result, int64_t count) const;
  void castToIntegers(const Elements &input, int64_t *result, int64_t count) const;

  Kind kind;
  mlir::Type from, to;
  bool arithmetic = true, saturates = false;
  union {
    RealUnary realUnary;
    RealBinary realBinary;
    RealTest realTest;
    IntegerUnary integerUnary;
    IntegerBinary integerBinary;
    double (*castRounding)(double);
  };
};

} // namespace nereid::graph
