// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphEvaluator.h"

#include "graph/GraphOps.h"
#include "graph/GraphPointwise.h"
#include "support/Philox.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace llvm;
using nereid::index::Expr;

namespace nereid::graph {
namespace {

using Shape = SmallVector<int64_t, 6>;

/// Calls `visit(output index, input offset)` for every element of an output whose axes step through
/// an input by `strides`.
template <typename Visit>
void forEachOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, int64_t offset,
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
Array strided(const Array &input, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
              int64_t offset) {
  Array output(shape, input.elementType);
  if (input.isFloat())
    forEachOffset(shape, strides, offset,
                  [&](int64_t to, int64_t from) { output.reals[to] = input.reals[from]; });
  else
    forEachOffset(shape, strides, offset,
                  [&](int64_t to, int64_t from) { output.integers[to] = input.integers[from]; });
  return output;
}

/// Copies `part` into `whole` from `start` along an axis, as far as it lies inside.
void paste(Array &whole, const Array &part, int64_t dim, int64_t start) {
  int64_t inner = 1, outer = 1;
  for (size_t axis = 0; axis < whole.shape.size(); ++axis)
    (static_cast<int64_t>(axis) < dim ? outer : inner) *=
        static_cast<int64_t>(axis) == dim ? 1 : whole.shape[axis];
  int64_t extent = part.shape[dim], total = whole.shape[dim];
  for (int64_t block = 0; block < outer; ++block)
    for (int64_t row = 0; row < extent; ++row) {
      int64_t to = row + start;
      if (to < 0 || to >= total)
        continue;
      for (int64_t lane = 0; lane < inner; ++lane) {
        int64_t target = (block * total + to) * inner + lane;
        int64_t source = (block * extent + row) * inner + lane;
        if (whole.isFloat())
          whole.reals[target] = part.reals[source];
        else
          whole.integers[target] = part.integers[source];
      }
    }
}

class Evaluator {
public:
  Evaluator(const DenseMap<Expr, int64_t> &sizes, Precision precision, uint64_t sample)
      : sizes(sizes), precision(precision), isWorking(precision != Precision::Float64),
        sample(sample) {}

  std::string reason;
  std::vector<std::pair<unsigned, Array>> assigned;

  /// The values that the block's terminator passes on.
  std::optional<std::vector<Array>> run(mlir::Block &block, std::vector<Array> arguments) {
    for (auto [argument, value] : zip(block.getArguments(), arguments))
      values[argument] = std::move(value);
    for (mlir::Operation &op : block.without_terminator()) {
      if (!evaluate(op))
        return std::nullopt;
    }
    std::vector<Array> results;
    for (mlir::Value operand : block.getTerminator()->getOperands())
      results.push_back(values[operand]);
    return results;
  }

private:
  const DenseMap<Expr, int64_t> &sizes;
  Precision precision;
  bool isWorking;
  uint64_t sample;
  /// How many elidable casts were met: the same in each run.
  uint64_t elidableCasts = 0;
  DenseMap<mlir::Value, Array> values;

  bool fail(const Twine &message) {
    reason = message.str();
    return false;
  }
  const Array &in(mlir::Value value) { return values.find(value)->second; }
  int64_t size(Expr expr) { return index::evaluate(expr, sizes).value_or(0); }
  Shape shapeOf(mlir::Value value) {
    Shape shape;
    for (Expr expr : cast<TensorType>(value.getType()).getSizes())
      shape.push_back(size(expr));
    return shape;
  }
  mlir::Type elementOf(mlir::Value value) {
    return cast<TensorType>(value.getType()).getElementType();
  }
  void set(mlir::Value value, Array array) { values[value] = std::move(array); }
  /// How an operator rounds to a type; nothing is rounded in float64.
  class Rounding {
  public:
    Rounding(mlir::Type type, uint64_t seed) : round(roundingTo(type)), state(seed) {
      if (seed && (type.isF32() || type.isF16() || type.isBF16()))
        disturbance = std::ldexp(1.0, -cast<mlir::FloatType>(type).getFPMantissaWidth());
    }
    double operator()(double value) {
      if (disturbance == 0)
        return round(value);
      state = state * 6364136223846793005u + 1442695040888963407u;
      double random = static_cast<double>(static_cast<int64_t>(state)) * 0x1p-63;
      // At most half of the least distance of two numbers: exact results stay.
      return round(value + value * (random * disturbance * 0.5));
    }

  private:
    double (*round)(double);
    uint64_t state;
    double disturbance = 0;
  };
  Rounding rounding(mlir::Type type) const {
    if (!isWorking)
      return Rounding(mlir::Float64Type::get(type.getContext()), 0);
    return Rounding(type, sample);
  }
  void keepAll(Array &array) const {
    if (!isWorking || array.reals.empty())
      return;
    Rounding round = rounding(array.elementType);
    for (double &value : array.reals)
      value = round(value);
  }

  bool evaluate(mlir::Operation &op) {
    bool done = true;
    TypeSwitch<mlir::Operation *>(&op)
        .Case<ConstantOp, SizeOp, IotaOp, BroadcastOp, TransposeOp, ReshapeOp, ContiguousOp,
              SliceOp, PadOp, FlipOp, WindowOp, ConcatOp, GatherOp, DetachOp, FoldOp, ScanOp,
              SortOp, ScatterOp, SegmentOp, SearchOp, RandomOp, WhereOp, CastOp, OrderOp>(
            [&](auto known) { apply(known); })
        .Case([&](CheckOp) {})
        .Case([&](AssignOp assign) {
          assigned.push_back({cast<mlir::BlockArgument>(assign.getTarget()).getArgNumber(),
                              in(assign.getValue())});
        })
        .Case([&](CompositeOp composite) { done = enter(composite); })
        .Case([&](LoopOp loop) { done = turn(loop); })
        .Default([&](mlir::Operation *other) { done = pointwise(*other); });
    return done;
  }

  bool enter(CompositeOp composite) {
    Evaluator inner(sizes, precision, sample);
    std::vector<Array> arguments;
    for (mlir::Value operand : composite.getOperands())
      arguments.push_back(in(operand));
    std::optional<std::vector<Array>> results =
        inner.run(composite.getBody().front(), std::move(arguments));
    if (!results)
      return fail(inner.reason);
    for (auto [result, value] : zip(composite.getResults(), *results))
      set(result, std::move(value));
    return true;
  }

  bool turn(LoopOp loop) {
    mlir::Block &body = loop.getBody().front();
    size_t carried = loop.getInits().size();
    int64_t count = size(loop.getCount().getExpr());
    std::vector<Array> state, stacks;
    for (mlir::Value init : loop.getInits())
      state.push_back(in(init));
    for (mlir::Value result : loop.getResults().drop_front(carried))
      stacks.emplace_back(shapeOf(result), elementOf(result));
    for (auto [argument, value] :
         zip(body.getArguments().take_back(loop.getConstants().size()), loop.getConstants()))
      set(argument, Array(in(value)));
    for (int64_t number = 0; number < count; ++number) {
      for (auto [argument, value] : zip(body.getArguments(), state))
        set(argument, std::move(value));
      for (auto [argument, input] : zip(body.getArguments().drop_front(carried), loop.getInputs()))
        set(argument, rowOf(in(input), number));
      for (mlir::Operation &op : body.without_terminator())
        if (!evaluate(op))
          return false;
      for (auto [before, next] : zip(state, loop.getNext()))
        before = in(next);
      for (auto [stack, value] : zip(stacks, loop.getStacked()))
        setRow(stack, in(value), number);
    }
    state.insert(state.end(), std::make_move_iterator(stacks.begin()),
                 std::make_move_iterator(stacks.end()));
    for (auto [result, value] : zip(loop.getResults(), state))
      set(result, std::move(value));
    return true;
  }

  /// The part of an array at an index of its first axis.
  static Array rowOf(const Array &input, int64_t row) {
    Array result(ArrayRef<int64_t>(input.shape).drop_front(), input.elementType);
    int64_t length = result.size(), from = row * length;
    if (result.isFloat())
      std::copy_n(input.reals.begin() + from, length, result.reals.begin());
    else
      std::copy_n(input.integers.begin() + from, length, result.integers.begin());
    return result;
  }

  static void setRow(Array &stack, const Array &value, int64_t row) {
    int64_t to = row * value.size();
    if (stack.isFloat())
      copy(value.reals, stack.reals.begin() + to);
    else
      copy(value.integers, stack.integers.begin() + to);
  }

  // --- Constants and index maps
  // --------------------------------------------------------------------

  void apply(ConstantOp op) {
    Array result({}, elementOf(op.getResult()));
    if (auto real = dyn_cast<mlir::FloatAttr>(op.getValue()))
      result.reals[0] = Rounding(
          isWorking ? result.elementType : mlir::Float64Type::get(result.elementType.getContext()),
          0)(real.getValueAsDouble());
    else
      result.integers[0] =
          wrapTo(cast<mlir::IntegerAttr>(op.getValue()).getInt(), result.elementType);
    set(op.getResult(), std::move(result));
  }

  void apply(SizeOp op) {
    Array result({}, elementOf(op.getResult()));
    result.integers[0] = size(op.getExpr().getExpr());
    set(op.getResult(), std::move(result));
  }

  void apply(IotaOp op) {
    Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
    SmallVector<int64_t> steps(result.shape.size(), 0);
    steps[op.getDim()] = 1;
    forEachOffset(result.shape, steps, 0, [&](int64_t at, int64_t value) {
      result.integers[at] = wrapTo(value, result.elementType);
    });
    set(op.getResult(), std::move(result));
  }

  void apply(BroadcastOp op) {
    const Array &input = in(op.getInput());
    Shape shape = shapeOf(op.getResult());
    SmallVector<int64_t> steps(shape.size(), 0);
    auto strides = input.strides();
    for (auto [axis, dim] : enumerate(op.getDims()))
      steps[dim] = input.shape[axis] == 1 ? 0 : strides[axis];
    set(op.getResult(), strided(input, shape, steps, 0));
  }

  void apply(TransposeOp op) {
    const Array &input = in(op.getInput());
    SmallVector<int64_t> steps;
    auto strides = input.strides();
    for (int64_t axis : op.getOrder())
      steps.push_back(strides[axis]);
    set(op.getResult(), strided(input, shapeOf(op.getResult()), steps, 0));
  }

  void apply(ReshapeOp op) {
    Array result = in(op.getInput());
    result.shape = shapeOf(op.getResult());
    set(op.getResult(), std::move(result));
  }

  void apply(ContiguousOp op) { set(op.getResult(), Array(in(op.getInput()))); }

  void apply(SliceOp op) {
    const Array &input = in(op.getInput());
    auto steps = input.strides();
    int64_t offset = size(op.getStart().getExpr()) * steps[op.getDim()];
    steps[op.getDim()] *= op.getStep();
    set(op.getResult(), strided(input, shapeOf(op.getResult()), steps, offset));
  }

  void apply(FlipOp op) {
    const Array &input = in(op.getInput());
    auto steps = input.strides();
    int64_t offset = 0;
    for (int64_t dim : op.getDims()) {
      offset += steps[dim] * (input.shape[dim] - 1);
      steps[dim] = -steps[dim];
    }
    set(op.getResult(), strided(input, input.shape, steps, offset));
  }

  void apply(PadOp op) {
    const Array &fill = in(op.getValue());
    Array result(shapeOf(op.getResult()), fill.elementType);
    if (result.isFloat())
      std::fill(result.reals.begin(), result.reals.end(), fill.reals[0]);
    else
      std::fill(result.integers.begin(), result.integers.end(), fill.integers[0]);
    paste(result, in(op.getInput()), op.getDim(), size(op.getLow().getExpr()));
    set(op.getResult(), std::move(result));
  }

  void apply(ConcatOp op) {
    Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
    int64_t start = 0;
    for (mlir::Value part : op.getInputs()) {
      paste(result, in(part), op.getDim(), start);
      start += in(part).shape[op.getDim()];
    }
    set(op.getResult(), std::move(result));
  }

  void apply(GatherOp op) {
    const Array &input = in(op.getInput()), &indices = in(op.getIndices());
    int64_t dim = op.getDim(), extent = input.shape[dim];
    Array result(indices.shape, input.elementType);
    auto steps = input.strides();
    int64_t along = steps[dim];
    steps[dim] = 0;
    forEachOffset(result.shape, steps, 0, [&](int64_t to, int64_t from) {
      int64_t place = indices.integers[to];
      if (place < 0 || place >= extent)
        return;
      if (result.isFloat())
        result.reals[to] = input.reals[from + place * along];
      else
        result.integers[to] = input.integers[from + place * along];
    });
    set(op.getResult(), std::move(result));
  }

  void apply(DetachOp op) { set(op.getResult(), Array(in(op.getInput()))); }

  void apply(WindowOp op) {
    const Array &input = in(op.getInput());
    auto steps = input.strides();
    int64_t dim = op.getDim(), along = steps[dim];
    steps[dim] = along * op.getStep();
    steps.insert(steps.begin() + dim + 1, along);
    set(op.getResult(), strided(input, shapeOf(op.getResult()), steps, 0));
  }

  // --- Folds
  // ---------------------------------------------------------------------------------------

  static double combine(FoldKind kind, double a, double b) {
    switch (kind) {
    case FoldKind::Sum:
      return a + b;
    case FoldKind::Prod:
      return a * b;
    case FoldKind::Max:
      return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
    default:
      return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
    }
  }
  int64_t combine(FoldKind kind, int64_t a, int64_t b, mlir::Type type) {
    bool isUnsigned = type.isUnsignedInteger(64);
    StringRef name = kind == FoldKind::Sum    ? "add"
                     : kind == FoldKind::Prod ? "mul"
                     : kind == FoldKind::Max  ? "maximum"
                     : kind == FoldKind::Min  ? "minimum"
                     : kind == FoldKind::Any  ? "or"
                                              : "and";
    return wrapTo(findIntegerBinary(name, isUnsigned)(a, b), type);
  }

  static double neutralReal(FoldKind kind) {
    double infinity = std::numeric_limits<double>::infinity();
    return kind == FoldKind::Prod  ? 1
           : kind == FoldKind::Max ? -infinity
           : kind == FoldKind::Min ? infinity
                                   : 0;
  }
  static int64_t neutralInteger(FoldKind kind, mlir::Type type) {
    int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
    bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    unsigned bits = type.getIntOrFloatBitWidth();
    if (isUnsigned)
      least = 0, most = bits == 64 ? -1 : (int64_t(1) << bits) - 1;
    else if (bits < 64)
      most = (int64_t(1) << (bits - 1)) - 1, least = -most - 1;
    return kind == FoldKind::Prod || kind == FoldKind::All ? 1
           : kind == FoldKind::Max                         ? least
           : kind == FoldKind::Min                         ? most
                                                           : 0;
  }

  void apply(FoldOp op) {
    const Array &input = in(op.getInput());
    Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
    FoldKind kind = op.getKind();
    // Each element of the input goes to one of the result.
    SmallVector<int64_t> steps;
    auto strides = result.strides();
    for (size_t axis = 0, kept = 0; axis < input.shape.size(); ++axis)
      steps.push_back(is_contained(op.getDims(), static_cast<int64_t>(axis)) ? 0 : strides[kept++]);
    if (kind == FoldKind::Argmax || kind == FoldKind::Argmin)
      return set(op.getResult(), argFold(input, std::move(result), steps, op.getDims()[0], kind));
    if (input.isFloat()) {
      if (isWorking && kind == FoldKind::Sum)
        return set(op.getResult(), sumInLanes(input, std::move(result), steps));
      Rounding round = rounding(result.elementType);
      std::fill(result.reals.begin(), result.reals.end(), neutralReal(kind));
      forEachOffset(input.shape, steps, 0, [&](int64_t from, int64_t to) {
        result.reals[to] = round(combine(kind, result.reals[to], input.reals[from]));
      });
    } else {
      std::fill(result.integers.begin(), result.integers.end(),
                neutralInteger(kind, input.elementType));
      forEachOffset(input.shape, steps, 0, [&](int64_t from, int64_t to) {
        result.integers[to] =
            combine(kind, result.integers[to], input.integers[from], input.elementType);
      });
    }
    set(op.getResult(), std::move(result));
  }

  /// A sum as vectorised loops make it: 32 partial sums, then their sum by halves.
  Array sumInLanes(const Array &input, Array result, ArrayRef<int64_t> steps) {
    Rounding round = rounding(result.elementType);
    size_t count = result.reals.size();
    size_t lanes = 1;
    while (lanes < 32 && count * lanes < input.reals.size())
      lanes *= 2;
    std::vector<double> partial(count * lanes, 0.0);
    std::vector<unsigned> next(count, 0);
    forEachOffset(input.shape, steps, 0, [&](int64_t from, int64_t to) {
      double &sum = partial[to * lanes + next[to]++ % lanes];
      sum = round(sum + input.reals[from]);
    });
    for (size_t half = lanes / 2; half > 0; half /= 2)
      for (size_t to = 0; to < count; ++to)
        for (size_t lane = 0; lane < half; ++lane)
          partial[to * lanes + lane] =
              round(partial[to * lanes + lane] + partial[to * lanes + lane + half]);
    for (size_t to = 0; to < count; ++to)
      result.reals[to] = partial[to * lanes];
    return result;
  }

  /// The first index of the greatest or least element along `dim`, NaN before all.
  Array argFold(const Array &input, Array result, ArrayRef<int64_t> steps, int64_t dim,
                FoldKind kind) {
    bool greatest = kind == FoldKind::Argmax;
    int64_t along = input.strides()[dim], extent = input.shape[dim];
    std::vector<int64_t> best(result.size(), -1);
    auto better = [&](int64_t a, int64_t b) {
      if (input.isFloat()) {
        double x = input.reals[a], y = input.reals[b];
        if (std::isnan(y))
          return false;
        return std::isnan(x) || (greatest ? x > y : x < y);
      }
      bool isUnsigned = input.elementType.isUnsignedInteger(64);
      return findIntegerTest(greatest ? "gt" : "lt", isUnsigned)(input.integers[a],
                                                                 input.integers[b]) != 0;
    };
    forEachOffset(input.shape, steps, 0, [&](int64_t from, int64_t to) {
      if (best[to] >= 0 && !better(from, best[to]))
        return;
      best[to] = from;
      result.integers[to] = from / along % extent;
    });
    return result;
  }

  void apply(ScanOp op) {
    Array result = in(op.getInput());
    bool isFloat = result.isFloat();
    Rounding round = rounding(result.elementType);
    int64_t along = result.strides()[op.getDim()], extent = result.shape[op.getDim()];
    for (int64_t at = 0, count = result.size(); at < count; ++at) {
      if (at / along % extent == 0)
        continue;
      if (isFloat)
        result.reals[at] = round(combine(op.getKind(), result.reals[at - along], result.reals[at]));
      else
        result.integers[at] = combine(op.getKind(), result.integers[at - along],
                                      result.integers[at], result.elementType);
    }
    set(op.getResult(), std::move(result));
  }

  /// A stable sort of the positions of each line.
  void apply(SortOp op) {
    const Array &input = in(op.getInput());
    Array values(shapeOf(op.getValues()), input.elementType);
    Array indices(values.shape, elementOf(op.getIndices()));
    int64_t dim = op.getDim(), along = input.strides()[dim], extent = input.shape[dim];
    int64_t count = values.shape[dim], lines = extent ? input.size() / extent : 0;
    SmallVector<int64_t> places(extent);
    for (int64_t line = 0; line < lines; ++line) {
      int64_t from = line / along * along * extent + line % along;
      int64_t to = line / along * along * count + line % along;
      std::iota(places.begin(), places.end(), 0);
      std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
        a = from + a * along, b = from + b * along;
        return op.getDescending() ? isLess(input, b, a) : isLess(input, a, b);
      });
      for (int64_t at = 0; at < count; ++at) {
        indices.integers[to + at * along] = places[at];
        if (input.isFloat())
          values.reals[to + at * along] = input.reals[from + places[at] * along];
        else
          values.integers[to + at * along] = input.integers[from + places[at] * along];
      }
    }
    set(op.getValues(), std::move(values));
    set(op.getIndices(), std::move(indices));
  }

  /// The order of a sort: a NaN is greater than every number.
  static bool isLess(const Array &array, int64_t a, int64_t b) {
    if (array.isFloat())
      return std::isnan(array.reals[b]) ? !std::isnan(array.reals[a])
                                        : array.reals[a] < array.reals[b];
    bool isUnsigned = array.elementType.isUnsignedInteger(64);
    return findIntegerTest("lt", isUnsigned)(array.integers[a], array.integers[b]) != 0;
  }

  /// Every element is the fold of none.
  static void fillNeutral(Array &array, FoldKind kind) {
    if (array.isFloat())
      std::fill(array.reals.begin(), array.reals.end(), neutralReal(kind));
    else
      std::fill(array.integers.begin(), array.integers.end(),
                neutralInteger(kind, array.elementType));
  }

  /// Combines an element of `from` into one of `into`.
  void combineInto(Array &into, int64_t to, const Array &from, int64_t at, FoldKind kind,
                   Rounding &round) {
    if (into.isFloat())
      into.reals[to] = round(combine(kind, into.reals[to], from.reals[at]));
    else
      into.integers[to] = combine(kind, into.integers[to], from.integers[at], into.elementType);
  }

  void apply(ScatterOp op) {
    const Array &updates = in(op.getUpdates()), &indices = in(op.getIndices());
    Array result(shapeOf(op.getResult()), updates.elementType);
    fillNeutral(result, op.getKind());
    int64_t dim = op.getDim(), extent = result.shape[dim];
    auto steps = result.strides();
    int64_t along = steps[dim];
    steps[dim] = 0;
    Rounding round = rounding(result.elementType);
    forEachOffset(updates.shape, steps, 0, [&](int64_t from, int64_t to) {
      int64_t place = indices.integers[from];
      if (place >= 0 && place < extent)
        combineInto(result, to + place * along, updates, from, op.getKind(), round);
    });
    set(op.getResult(), std::move(result));
  }

  void apply(SegmentOp op) {
    const Array &input = in(op.getInput()), &bounds = in(op.getBounds());
    Array result(shapeOf(op.getResult()), input.elementType);
    fillNeutral(result, op.getKind());
    Rounding round = rounding(result.elementType);
    int64_t rows = result.shape[0], length = rows ? result.size() / rows : 0;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t first = std::max<int64_t>(bounds.integers[row], 0);
      int64_t end = std::min(bounds.integers[row + 1], input.shape[0]);
      for (int64_t at = first; at < end; ++at)
        for (int64_t column = 0; column < length; ++column)
          combineInto(result, row * length + column, input, at * length + column, op.getKind(),
                      round);
    }
    set(op.getResult(), std::move(result));
  }

  void apply(SearchOp op) {
    const Array &keys = in(op.getKeys()), &values = in(op.getValues());
    Array result(values.shape, elementOf(op.getResult()));
    int64_t count = keys.shape.back(), each = values.shape.back();
    bool isUnsigned = keys.elementType.isUnsignedInteger(64);
    auto isLess = [&](const Array &a, int64_t i, const Array &b, int64_t j) {
      if (a.isFloat())
        return std::isnan(b.reals[j]) ? !std::isnan(a.reals[i]) : a.reals[i] < b.reals[j];
      return findIntegerTest("lt", isUnsigned)(a.integers[i], b.integers[j]) != 0;
    };
    for (int64_t at = 0, size = values.size(); at < size; ++at) {
      int64_t line = at / each * count, low = 0, high = count;
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        bool isBefore = op.getRight() ? !isLess(values, at, keys, line + middle)
                                      : isLess(keys, line + middle, values, at);
        (isBefore ? low : high) = isBefore ? middle + 1 : middle;
      }
      result.integers[at] = low;
    }
    set(op.getResult(), std::move(result));
  }

  /// Bits and uniform numbers are exact.
  void apply(RandomOp op) {
    Array result(shapeOf(op.getResult()), elementOf(op.getResult()));
    uint64_t seed = in(op.getSeed()).integers[0];
    for (int64_t at = 0, count = result.size(); at < count; ++at) {
      std::array<uint32_t, 4> words = philox(seed, op.getFirstCounter() + at);
      if (op.getKind() == RandomKind::Bits)
        result.integers[at] = words[0];
      else if (op.getKind() == RandomKind::Uniform)
        result.reals[at] = uniformOfBits(words[0]);
      else
        result.reals[at] = isWorking ? normalOfWords<float>(words) : normalOfWords<double>(words);
    }
    set(op.getResult(), std::move(result));
  }

  // --- Pointwise
  // -----------------------------------------------------------------------------------

  void apply(WhereOp op) {
    const Array &test = in(op.getCondition()), &b = in(op.getRhs());
    Array result = in(op.getLhs());
    bool isFloat = result.isFloat();
    for (int64_t at = 0, count = result.size(); at < count; ++at) {
      if (test.integers[at])
        continue;
      if (isFloat)
        result.reals[at] = b.reals[at];
      else
        result.integers[at] = b.integers[at];
    }
    set(op.getResult(), std::move(result));
  }

  bool roundsElidable() {
    if (precision != Precision::Mixed)
      return precision == Precision::Working;
    uint64_t bits = (sample * 0x9E3779B97F4A7C15u) ^ (++elidableCasts * 0xD1B54A32D192ED03u);
    return (bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9u >> 63;
  }

  void apply(CastOp op) {
    const Array &input = in(op.getInput());
    mlir::Type from = input.elementType, to = elementOf(op.getResult());
    Array result(input.shape, to);
    bool narrows = false;
    if (auto wide = dyn_cast<mlir::FloatType>(to)) {
      auto source = dyn_cast<mlir::FloatType>(from);
      narrows = source ? wide.getFPMantissaWidth() < source.getFPMantissaWidth() ||
                             (wide.getWidth() <= 16 && wide != source &&
                              source.getWidth() == wide.getWidth())
                       : wide.getWidth() <= 16;
    }
    bool rounds = op.getElidable() ? roundsElidable() : narrows || isWorking;
    if (result.isFloat())
      castToReals(input,
                  rounds ? roundingTo(to) : roundingTo(mlir::Float64Type::get(to.getContext())),
                  result);
    else
      castToIntegers(input, result);
    set(op.getResult(), std::move(result));
  }

  static void castToReals(const Array &input, double (*rounding)(double), Array &result) {
    bool isUnsigned = input.elementType.isUnsignedInteger(64);
    if (input.isFloat())
      for (size_t at = 0; at < input.reals.size(); ++at)
        result.reals[at] = rounding(input.reals[at]);
    else
      for (size_t at = 0; at < input.integers.size(); ++at)
        result.reals[at] =
            rounding(isUnsigned ? static_cast<double>(static_cast<uint64_t>(input.integers[at]))
                                : static_cast<double>(input.integers[at]));
  }

  static void castToIntegers(const Array &input, Array &result) {
    mlir::Type to = result.elementType;
    for (size_t at = 0; at < input.integers.size(); ++at)
      result.integers[at] = wrapTo(input.integers[at], to);
    bool isBool = to.isInteger(1);
    bool isInt = to.isInteger(32);
    for (size_t at = 0; at < input.reals.size(); ++at) {
      double real = input.reals[at];
      // Outside of the range there is no value; the least integer stands for it, as on x86.
      bool fits =
          isInt ? real > -2147483649.0 && real < 2147483648.0 : real > -9.3e18 && real < 9.2e18;
      int64_t least =
          isInt ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
      result.integers[at] =
          isBool ? real != 0 : wrapTo(fits ? static_cast<int64_t>(real) : least, to);
    }
  }

  void apply(OrderOp op) {
    const Array &input = in(op.getInput());
    Array result(input.shape, elementOf(op.getResult()));
    mlir::Type element = input.elementType;
    unsigned width = element.getIntOrFloatBitWidth();
    for (int64_t at = 0, count = result.size(); at < count; ++at) {
      int64_t &key = result.integers[at];
      if (!input.isFloat()) {
        bool turns = element.isUnsignedInteger() && width >= 32;
        key = wrapTo(input.integers[at] ^ (turns ? int64_t(1) << (width - 1) : 0),
                     result.elementType);
        continue;
      }
      double real = input.reals[at];
      if (std::isnan(real) || real == 0) {
        key = real == 0 ? 0 : neutralInteger(FoldKind::Min, result.elementType);
        continue;
      }
      int64_t bits = width == 64 ? llvm::bit_cast<int64_t>(real)
                                 : llvm::bit_cast<int32_t>(static_cast<float>(real));
      key = bits < 0 ? bits ^ neutralInteger(FoldKind::Min, result.elementType) : bits;
    }
    set(op.getResult(), std::move(result));
  }

  bool pointwise(mlir::Operation &op) {
    StringRef name = op.getName().stripDialect();
    if (op.getName().getDialectNamespace() != "graph" || op.getNumResults() != 1)
      return fail("the evaluator does not know " + op.getName().getStringRef());
    const Array &a = in(op.getOperand(0));
    const Array &b = in(op.getOperand(op.getNumOperands() - 1));
    Array result(a.shape, elementOf(op.getResult(0)));
    bool done = a.isFloat() ? realPointwise(name, a, b, result, op.getNumOperands())
                            : integerPointwise(name, a, b, result, op.getNumOperands());
    if (!done)
      return fail("the evaluator does not know " + op.getName().getStringRef());
    keepAll(result);
    set(op.getResult(0), std::move(result));
    return true;
  }

  static bool realPointwise(StringRef name, const Array &a, const Array &b, Array &result,
                            unsigned operands) {
    size_t count = a.reals.size();
    if (!result.isFloat()) {
      RealTest test = findRealTest(name);
      for (size_t at = 0; test && at < count; ++at)
        result.integers[at] = test(a.reals[at], b.reals[at]);
      return test;
    }
    if (operands == 1) {
      RealUnary unary = findRealUnary(name);
      for (size_t at = 0; unary && at < count; ++at)
        result.reals[at] = unary(a.reals[at]);
      return unary;
    }
    RealBinary binary = findRealBinary(name, a.elementType.isF32());
    for (size_t at = 0; binary && at < count; ++at)
      result.reals[at] = binary(a.reals[at], b.reals[at]);
    return binary;
  }

  static bool integerPointwise(StringRef name, const Array &a, const Array &b, Array &result,
                               unsigned operands) {
    size_t count = a.integers.size();
    if (operands == 1) {
      IntegerUnary unary = findIntegerUnary(name);
      bool isBool = a.elementType.isInteger(1) && name == "not";
      for (size_t at = 0; unary && at < count; ++at)
        result.integers[at] =
            isBool ? !a.integers[at] : wrapTo(unary(a.integers[at]), result.elementType);
      return unary;
    }
    bool isUnsigned = a.elementType.isUnsignedInteger(64);
    IntegerBinary test = findIntegerTest(name, isUnsigned);
    IntegerBinary binary = test ? test : findIntegerBinary(name, isUnsigned);
    for (size_t at = 0; binary && at < count; ++at)
      result.integers[at] = wrapTo(binary(a.integers[at], b.integers[at]), result.elementType);
    return binary;
  }
};

} // namespace

bool bindSizes(mlir::func::FuncOp program, ArrayRef<SmallVector<int64_t>> shapes,
               DenseMap<Expr, int64_t> &sizes, std::string &reason) {
  auto describe = [&](unsigned argument) {
    return program.getArgAttrOfType<mlir::StringAttr>(argument, "graph.name").getValue().str();
  };
  for (bool binding : {true, false})
    for (auto [number, type] : enumerate(program.getArgumentTypes())) {
      ArrayRef<Expr> expected = cast<TensorType>(type).getSizes();
      if (expected.size() != shapes[number].size()) {
        reason = "'" + describe(number) + "' has rank " + std::to_string(shapes[number].size()) +
                 ", expected " + std::to_string(expected.size());
        return false;
      }
      for (auto [axis, expr] : enumerate(expected)) {
        int64_t given = shapes[number][axis];
        if (binding) {
          if (expr.isSymbol())
            sizes.try_emplace(expr, given);
        } else if (index::evaluate(expr, sizes) != given) {
          reason = "axis " + std::to_string(axis) + " of '" + describe(number) + "' has size " +
                   std::to_string(given) + ", expected " + expr.str();
          return false;
        }
      }
    }
  auto when = program->getAttrOfType<sym::PredAttr>("graph.when");
  if (when && index::evaluate(when.getPred(), sizes) != true) {
    reason = "the inputs belong to another case of the program";
    return false;
  }
  for (CheckOp check : program.getOps<CheckOp>())
    if (index::evaluate(check.getPred().getPred(), sizes) != true) {
      reason = check.getMessage().str();
      return false;
    }
  return true;
}

mlir::FailureOr<Evaluation> evaluateProgram(mlir::func::FuncOp program, ArrayRef<Array> inputs,
                                            std::string &reason, Precision precision,
                                            uint64_t sample) {
  if (inputs.size() != program.getNumArguments()) {
    reason = "the program takes " + std::to_string(program.getNumArguments()) + " inputs";
    return mlir::failure();
  }
  SmallVector<SmallVector<int64_t>> shapes;
  for (const Array &input : inputs)
    shapes.push_back(SmallVector<int64_t>(input.shape.begin(), input.shape.end()));
  DenseMap<Expr, int64_t> sizes;
  index::Context &context = sym::SymDialect::getIndexContext(program.getContext());
  for (auto [number, input] : enumerate(inputs))
    if (auto flag = program.getArgAttrOfType<mlir::StringAttr>(number, "graph.symbol"))
      sizes[context.symbol(flag.getValue())] = input.integers.empty() ? 0 : input.integers[0];
  if (!bindSizes(program, shapes, sizes, reason))
    return mlir::failure();
  Evaluator evaluator(sizes, precision, sample);
  std::optional<std::vector<Array>> results =
      evaluator.run(program.front(), std::vector<Array>(inputs.begin(), inputs.end()));
  if (!results) {
    reason = evaluator.reason;
    return mlir::failure();
  }
  return Evaluation{std::move(*results), std::move(evaluator.assigned)};
}

} // namespace nereid::graph
