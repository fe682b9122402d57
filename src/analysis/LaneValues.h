// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer and pointer values of a kernel as index expressions of one lane: over the launch's sizes,
// program ids `$pidA`, loop counters `$tN` and the lane's own position `$laneD` along each axis D
// of the value's tile. A value computed by machine arithmetic equals its expression only where the
// range checks that it carries hold; whoever uses it proves them first.
#pragma once

#include "analysis/LaunchContract.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

namespace nereid::analysis {

/// `expr` must lie in `range`, e.g. in that of a 32-bit integer.
struct RangeCheck {
  index::Expr expr;
  index::Range range;
  bool operator==(const RangeCheck &) const = default;
};
using RangeChecks = llvm::SmallVector<RangeCheck, 2>;

inline constexpr index::Range notNegative{0, std::nullopt};
inline constexpr index::Range positive{1, std::nullopt};

/// Something that holds where a condition is true, given the checks. `exact`: and only there.
struct Conjunct {
  index::Pred pred;
  bool exact = true;
  RangeChecks checks;
};

struct LaneValue {
  enum class Kind : uint8_t { Unknown, Integer, Condition, Pointer };
  Kind kind = Kind::Unknown;
  /// Integer: the value. Pointer: the distance, in elements, from the argument's pointer.
  index::Expr expr;
  unsigned argument = 0;
  RangeChecks checks;
  llvm::SmallVector<Conjunct, 2> conjuncts;
  /// Unknown: why.
  std::string reason;
};

class LaneValues {
public:
  /// Sums and products of data may wrap, and quotients of negative ones are rounded up; what comes
  /// around an end once may have left it further. Either they are said to be what they are without
  /// that, if it is checked that it does not happen, or they are unknown numbers as data are.
  enum class DataArithmetic : uint8_t { Checked, Unknown };
  LaneValues(mlir::func::FuncOp kernel, const LaunchContract &contract,
             DataArithmetic dataArithmetic = DataArithmetic::Checked);

  const LaneValue &get(mlir::Value value);
  /// What holds whenever an operation is executed, besides the facts below: loops and arms.
  llvm::SmallVector<Conjunct> pathTo(mlir::Operation *op);
  /// Facts about the symbols made here: program ids, unknown values.
  const index::Facts &getFacts() const { return facts; }
  /// What is known of the choices and starts of loops that the expressions hold.
  llvm::SmallVector<index::Pred> factsAbout(llvm::ArrayRef<index::Expr> exprs) const;
  /// The bounds of the lane symbols of a tile type.
  llvm::SmallVector<index::Expr> extentsOf(mlir::Type type);

  index::Expr lane(unsigned axis);
  index::Expr programId(unsigned axis) const { return programIds[axis]; }
  /// Whether a symbol stands for a value that is not known (a loaded one, say).
  bool isOpaque(index::Expr symbol) const { return opaque.contains(symbol); }
  /// What it is then: the result of an operation, say.
  std::string originOf(index::Expr symbol) const { return opaque.lookup(symbol); }
  /// Whether any arithmetic on data was met that may be odd in this way.
  bool hasDataArithmetic() const { return metDataArithmetic; }
  /// Whether a symbol counts the turns of a loop.
  bool isLoopCounter(index::Expr symbol) const { return loopOf.contains(symbol); }

  /// What was found to follow from facts, by these.
  std::map<std::vector<const void *>, llvm::SmallVector<index::Pred>> inferred;

private:
  LaneValue compute(mlir::Value value);
  LaneValue argumentValue(mlir::BlockArgument argument);
  LaneValue loopCarried(mlir::scf::ForOp loop, mlir::BlockArgument argument);
  LaneValue loopVariable(mlir::scf::ForOp loop);
  LaneValue compareIntegers(mlir::Operation *op);
  LaneValue arithmetic(mlir::Operation *op);
  index::Expr nestedQuotient(mlir::Operation *op, index::Expr quotient);
  /// An integer or a condition under the checks of what it is made of.
  static LaneValue integer(index::Expr expr, llvm::ArrayRef<const LaneValue *> operands);
  static LaneValue condition(index::Pred pred, llvm::ArrayRef<const LaneValue *> operands);
  LaneValue logic(mlir::Operation *op);
  std::optional<LaneValue> insideOrEven(mlir::Operation *op);
  LaneValue cast(mlir::Operation *op);
  LaneValue shape(mlir::Operation *op);
  LaneValue choose(mlir::Operation *op);
  std::optional<LaneValue> floorRemainder(mlir::Operation *op);
  std::optional<LaneValue> floorQuotient(mlir::Operation *op);
  std::optional<LaneValue> wrapped(mlir::Operation *op);
  bool mayLeaveAsData(index::Expr expr, index::Range range) const;
  bool saysNegative(mlir::Value condition, mlir::Value rest, index::Expr b);
  LaneValue program(mlir::Operation *op);
  /// A fresh symbol for a value of an integer type, in `range`, by default that of the type.
  LaneValue unknownOf(mlir::Value value, llvm::StringRef why,
                      std::optional<index::Range> range = std::nullopt);
  LaneValue reindex(const LaneValue &value, mlir::Value result,
                    llvm::ArrayRef<index::Expr> positions);
  index::Expr metaNamed(llvm::StringRef name, int64_t number);
  index::Expr loopCounter(mlir::scf::ForOp loop);
  bool dependsOn(index::Expr expr, mlir::scf::ForOp loop);

  const LaunchContract &contract;
  DataArithmetic dataArithmetic;
  bool metDataArithmetic = false;
  index::Context &context;
  index::Facts facts;
  /// Of choices and starts of loops, apart: they say nothing of what does not hold them.
  llvm::SmallVector<index::Pred> heldFacts;
  llvm::SmallVector<index::Expr, 3> programIds;
  llvm::DenseMap<mlir::Value, LaneValue> values;
  llvm::DenseMap<index::Expr, std::string> opaque;
  /// Unknown values that are one number for all lanes.
  llvm::DenseSet<index::Expr> uniform;
  llvm::DenseMap<index::Expr, mlir::Operation *> definedIn;
  llvm::DenseMap<mlir::Operation *, index::Expr> counters;
  llvm::DenseMap<index::Expr, mlir::Operation *> loopOf;
  /// Unknown values at other positions: a value's symbol, then where it is read along each axis.
  std::map<std::pair<index::Expr, std::vector<index::Expr>>, index::Expr> movedUnknowns;
  unsigned fresh = 0;
};

/// The range of a signed integer type.
index::Range signedRange(mlir::Type type);

} // namespace nereid::analysis
