// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates the operators of a block, one after the other, on whole arrays. Each family of
// operators has a file of its own: EvaluateViews, EvaluateFolds, EvaluateSorts, EvaluatePointwise.
#pragma once

#include "graph/ElementStep.h"
#include "graph/FoldedValues.h"
#include "graph/GraphEvaluator.h"
#include "graph/GraphOps.h"

#include <cmath>
#include <memory>
#include <optional>

namespace nereid::graph {

using Shape = llvm::SmallVector<int64_t, 6>;

/// Calls `visit(output index, input offset)` for every element of an output whose axes step through
/// an input by `strides`.
template <typename Visit>
void forEachOffset(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides, int64_t offset,
                   Visit visit) {
  int64_t total = 1;
  for (int64_t extent : shape)
    total *= extent;
  Shape at(shape.size(), 0);
  for (int64_t index = 0; index < total; ++index) {
    visit(index, offset);
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++at[axis] < shape[axis])
        break;
      offset -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

/// The elements of `input` that an output with these strides reads.
Array strided(const Array &input, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
              int64_t offset);

class Evaluator {
public:
  Evaluator(const llvm::DenseMap<index::Expr, int64_t> &sizes, Precision precision, uint64_t sample)
      : sizes(sizes), precision(precision), isWorking(precision != Precision::Float64),
        sample(sample) {}

  std::string reason;
  std::vector<std::pair<unsigned, Array>> assigned;

  /// The values that the block's terminator passes on.
  std::optional<std::vector<Array>> run(mlir::Block &block, std::vector<Array> arguments);

  /// The value of one of these operators, which need nothing else.
  std::optional<Array> run(llvm::ArrayRef<mlir::Operation *> ops, mlir::Value result);

private:
  const llvm::DenseMap<index::Expr, int64_t> &sizes;
  Precision precision;
  bool isWorking;
  uint64_t sample;
  /// How many elidable casts were met: the same in each run.
  uint64_t elidableCasts = 0;
  /// Elidable casts that round.
  llvm::DenseSet<mlir::Operation *> roundedCasts;
  llvm::DenseMap<mlir::Value, std::shared_ptr<const Array>> values;
  /// What is not among them.
  FoldedValues folded;
  friend class FoldedMap;

  bool checkIndex(CheckIndexOp op);
  bool fail(const llvm::Twine &message) {
    reason = message.str();
    return false;
  }
  const Array &in(mlir::Value value) { return *values.find(value)->second; }
  int64_t size(index::Expr expr) {
    std::optional<int64_t> value = index::evaluate(expr, sizes);
    assert(value && "a size whose symbols nothing binds");
    return value.value_or(0);
  }
  Shape shapeOf(mlir::Value value) {
    Shape shape;
    for (index::Expr expr : llvm::cast<TensorType>(value.getType()).getSizes())
      shape.push_back(size(expr));
    return shape;
  }
  mlir::Type elementOf(mlir::Value value) {
    return llvm::cast<TensorType>(value.getType()).getElementType();
  }
  void set(mlir::Value value, Array array) {
    values[value] = std::make_shared<const Array>(std::move(array));
  }
  void forget(mlir::Block &block);
  /// Makes a value that was deferred.
  bool store(mlir::Value value);
  Rounding rounding(mlir::Type type) const;
  std::optional<ElementStep> findStep(mlir::Operation &op);
  /// Stores what an operator gives, or defers it.
  bool evaluate(mlir::Operation &op);
  bool evaluateNow(mlir::Operation &op);
  bool enter(CompositeOp composite);
  bool enter(ApplyOp apply);
  bool turn(LoopOp loop);
  /// The part of an array at an index of its first axis.
  static Array rowOf(const Array &input, int64_t row);
  static void setRow(Array &stack, const Array &value, int64_t row);

  /// The numbers of the axis.
  std::shared_ptr<const Array> makeIota(IotaOp op);
  void apply(IotaOp op);
  void apply(BroadcastOp op);
  void apply(TransposeOp op);
  void apply(ReshapeOp op);
  void apply(ContiguousOp op);
  void apply(DetachOp op);
  void apply(SliceOp op);
  void apply(FlipOp op);
  void apply(WindowOp op);
  void apply(PadOp op);
  void apply(ConcatOp op);
  void apply(GatherOp op);
  void apply(ScanOp op);
  void apply(ScatterOp op);
  void apply(SegmentOp op);
  void apply(RunsOp op);
  void apply(SortOp op);
  void apply(SearchOp op);
  void apply(OrderOp op);
  void apply(ConstantOp op);
  void apply(SizeOp op);
  void apply(RandomOp op);

  /// The oracle adds up with more digits than float64 has: where a result is float64 too, the
  /// rounding of many terms would count as an error of what is judged.
  using Wide = long double;
  class Totals;
  class RowFolds;
  static Wide combine(FoldKind kind, Wide a, Wide b);
  static IntegerBinary integerStep(FoldKind kind, mlir::Type type);
  static int64_t combine(FoldKind kind, int64_t a, int64_t b, mlir::Type type);
  /// The folds of rows of an input, each from a first one to before an end.
  void foldRows(const Array &input, const int64_t *starts, const int64_t *stops, Array &result,
                FoldKind kind);
  bool fold(FoldOp op);
  bool argFold(FoldOp op);
  /// The order of a sort: a NaN is greater than every number.
  static bool isLess(const Array &array, int64_t a, int64_t b);
  bool roundsElidable();
  bool isFused() const {
    return precision == Precision::Fused || precision == Precision::Saturating ||
           precision == Precision::Unread;
  }
  bool pointwise(mlir::Operation &op);
};

} // namespace nereid::graph
