// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/Inputs.h"

#include "graph/GraphEvaluator.h"
#include "graph/GraphOps.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace mlir;
using namespace nereid::interpreter;

namespace nereid::validate {

uint64_t Numbers::next() {
  // SplitMix64.
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double Numbers::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

int64_t Numbers::integer(int64_t low, int64_t high) {
  return low +
         static_cast<int64_t>(next() % static_cast<uint64_t>(std::max<int64_t>(high - low, 1)));
}

/// A normal number as the sum of four uniform ones: its tails are shorter, which nothing minds.
static double normal(Numbers &numbers) {
  double sum = numbers.uniform() + numbers.uniform() + numbers.uniform() + numbers.uniform();
  return (sum - 2) * std::sqrt(3.0);
}

/// Near the ends of a type's range: the least exponent of normal numbers, and the greatest. The
/// oracle computes in float64, so its own ends are out of its reach: a cube must fit.
struct Range {
  int least, greatest;

  explicit Range(Type type) {
    const fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
    bool isOracle = type.isF64();
    least = isOracle ? -300 : APFloat::semanticsMinExponent(semantics);
    greatest = isOracle ? 300 : APFloat::semanticsMaxExponent(semantics);
  }
};

/// `at` is the position, `argument` the number of the input: what is special in one input meets
/// what is usual in another.
static double makeFloat(Pattern pattern, Type type, int64_t at, unsigned argument,
                        Numbers &numbers) {
  bool isSpecial = (at + 17 * static_cast<int64_t>(argument)) % 131 == 0;
  switch (pattern) {
  case Pattern::Normal:
    return normal(numbers);
  case Pattern::Zeros:
    return 0;
  case Pattern::Ones:
    return 1;
  case Pattern::Large:
    return normal(numbers) * 1e6;
  case Pattern::Small:
    return normal(numbers) * 1e-6;
  case Pattern::Negative:
    return -std::abs(normal(numbers)) - 0x1p-10;
  case Pattern::Overflow:
    // Up to the greatest power of two, of either sign.
    return std::ldexp(2 * numbers.uniform() - 1, Range(type).greatest);
  case Pattern::Underflow:
    // Around the least normal number, so that half of them have fewer bits.
    return std::ldexp(2 * numbers.uniform() - 1, Range(type).least + 1);
  case Pattern::Alternating:
    return (at / (argument + 1) % 2 ? -1 : 1) * (0.5 + numbers.uniform());
  case Pattern::Inf:
    if (isSpecial)
      return at % 2 ? -std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::infinity();
    return normal(numbers);
  case Pattern::NaN:
    return isSpecial ? std::numeric_limits<double>::quiet_NaN() : normal(numbers);
  }
  llvm_unreachable("covered switch");
}

/// Integers lie in a range that suits indices, counts and pixels alike.
static double makeInteger(Pattern pattern, int64_t at, Numbers &numbers, int64_t low,
                          int64_t high) {
  auto clamp = [&](int64_t value) { return std::clamp(value, low, high - 1); };
  if (pattern == Pattern::Zeros)
    return clamp(0);
  if (pattern == Pattern::Ones)
    return clamp(1);
  if (pattern == Pattern::Negative)
    return clamp(-1 - at % 5);
  if (pattern == Pattern::Alternating)
    return clamp(at % 2 ? -1 - at % 5 : 1 + at % 5);
  return numbers.integer(low, high);
}

/// The size of the axis within which a value has to lie, where a `graph.check_index` looks at the
/// value itself or at its elements in other places.
static std::optional<int64_t> checkedBelow(mlir::Value value, const SizeChoice &choice) {
  for (Operation *user : value.getUsers()) {
    if (auto check = dyn_cast<graph::CheckIndexOp>(user)) {
      mlir::Value bound = check.getSize();
      while (auto spread = bound.getDefiningOp<graph::BroadcastOp>())
        bound = spread.getInput();
      auto size = bound.getDefiningOp<graph::SizeOp>();
      if (check.getIndex() == value && size)
        return index::evaluate(size.getExprAttr().getExpr(), choice.values);
    }
    bool isMoved = isa<graph::BroadcastOp, graph::ReshapeOp, graph::TransposeOp, graph::SliceOp,
                       graph::FlipOp, graph::ContiguousOp, graph::CastOp, graph::WhereOp>(user);
    if (!isMoved || !isa<graph::TensorType>(user->getResult(0).getType()))
      continue;
    if (std::optional<int64_t> below = checkedBelow(user->getResult(0), choice))
      return below;
  }
  return std::nullopt;
}

/// The values that an integer argument may take: below the bound of its specification if it has
/// one, and below the size of the axis whose places it names.
static std::pair<int64_t, int64_t> rangeOf(func::FuncOp program, unsigned argument, Type element,
                                           const SizeChoice &choice) {
  if (element.isInteger(1))
    return {0, 2};
  if (auto below = checkedBelow(program.getArgument(argument), choice))
    return {0, std::max<int64_t>(*below, 1)};
  if (auto below = program.getArgAttrOfType<IntegerAttr>(argument, "graph.below"))
    return {0, std::max<int64_t>(below.getInt(), 1)};
  return {element.isUnsignedInteger() ? 0 : -8, 9};
}

static bool isMutated(func::FuncOp program, unsigned argument) {
  return any_of(program.getArgument(argument).getUsers(), [&](Operation *user) {
    auto assign = dyn_cast<graph::AssignOp>(user);
    return assign && assign.getTarget() == program.getArgument(argument);
  });
}

/// Whether an operator looks at a value itself that is no number for a negative one.
static bool hasToBePositive(mlir::Value value) {
  return any_of(value.getUsers(), [](Operation *user) {
    if (isa<graph::LogOp, graph::Log2Op, graph::Log10Op, graph::SqrtOp, graph::RsqrtOp,
            graph::LgammaOp, graph::PowOp>(user))
      return true;
    bool isMoved = isa<graph::BroadcastOp, graph::ReshapeOp, graph::TransposeOp, graph::SliceOp,
                       graph::ContiguousOp, graph::CastOp>(user);
    return isMoved && hasToBePositive(user->getResult(0));
  });
}

/// An element of a parameter: of a buffer, which may be a variance, a positive number; of a matrix,
/// which products contract, of variance 1 / (what is summed over); else of either sign and not
/// near 0.
static double makeParameter(func::FuncOp program, unsigned argument, ArrayRef<int64_t> sizes,
                            Numbers &numbers) {
  bool isPositive = program.getArgAttr(argument, "graph.buffer") ||
                    hasToBePositive(program.getArgument(argument));
  if (isPositive)
    return 0.25 + 1.5 * numbers.uniform();
  if (sizes.size() >= 2) {
    double terms = 1;
    for (int64_t size : sizes.drop_front())
      terms *= std::max<int64_t>(size, 1);
    return normal(numbers) / std::sqrt(terms);
  }
  double sign = numbers.uniform() < 0.5 ? -1 : 1;
  return sign * (0.5 + numbers.uniform());
}

static Tensor makeInput(func::FuncOp program, unsigned argument, graph::TensorType type,
                        const Case &one, const SizeChoice &choice, Numbers &numbers) {
  bool isParameter = !!program.getArgAttr(argument, "graph.parameter");
  Type element = type.getElementType();
  SmallVector<int64_t> sizes = choice.sizesOf(type);
  auto name = program.getArgAttrOfType<StringAttr>(argument, "graph.name").getValue();
  Tensor tensor = makeTensor(name, element, sizes);
  Element kind = tensor.getElement();
  unsigned bytes = getBytes(kind);
  auto [low, high] = rangeOf(program, argument, element, choice);
  for (int64_t at = 0, count = tensor.getNumElements(); at < count; ++at) {
    double value;
    if (!isFloat(kind))
      value = isParameter ? 0 : makeInteger(one.pattern, at, numbers, low, high);
    else if (isParameter)
      value = makeParameter(program, argument, sizes, numbers);
    else
      value = makeFloat(one.pattern, element, at, argument, numbers);
    writeNumber(kind, value, tensor.storage->bytes.data() + at * bytes, tensor.isUnsigned());
  }
  // A function takes row-major tensors. PyTorch refuses to write to an expanded tensor.
  if (isParameter || program->hasAttr("graph.function") ||
      (one.layout == Layout::Expanded && isMutated(program, argument)))
    return tensor;
  return layOut(tensor, one.layout);
}

/// The order of strides from the outermost axis to the innermost: sizes * strides with gaps.
static SmallVector<int64_t> denseStrides(ArrayRef<int64_t> sizes, ArrayRef<int64_t> padding,
                                         bool reversed) {
  SmallVector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    size_t axis = reversed ? i : sizes.size() - 1 - i;
    strides[axis] = step;
    step *= std::max<int64_t>(sizes[axis], 1) + padding[axis];
  }
  return strides;
}

/// Calls `visit(position in row-major order, place in the storage)` for each element.
template <typename Visit> static void forEachElement(const Tensor &tensor, Visit visit) {
  size_t rank = tensor.getRank();
  SmallVector<int64_t> at(rank, 0);
  int64_t place = tensor.offset;
  for (int64_t linear = 0, count = tensor.getNumElements(); linear < count; ++linear) {
    visit(linear, place);
    for (size_t axis = rank; axis-- > 0;) {
      place += tensor.strides[axis];
      if (++at[axis] < tensor.sizes[axis])
        break;
      place -= tensor.strides[axis] * tensor.sizes[axis];
      at[axis] = 0;
    }
  }
}

Tensor layOut(const Tensor &contiguous, Layout layout) {
  size_t rank = contiguous.getRank();
  if (rank == 0 || layout == Layout::Contiguous)
    return contiguous;
  ArrayRef<int64_t> sizes = contiguous.sizes;
  SmallVector<int64_t> padding(rank, 0);
  Tensor tensor = contiguous;
  if (layout == Layout::Expanded) {
    // The first row stands for all, as after `row.expand(...)`.
    if (rank < 2)
      return contiguous;
    tensor.strides[0] = 0;
    return tensor;
  }
  int64_t offset = 0, factor = 1;
  if (layout == Layout::Strided || (layout == Layout::Transposed && rank == 1))
    factor = 2;
  if (layout == Layout::Offset) {
    padding.back() = 3;
    offset = 5;
  }
  tensor.strides = denseStrides(sizes, padding, layout == Layout::Transposed);
  int64_t last = offset;
  for (size_t axis = 0; axis < rank; ++axis) {
    tensor.strides[axis] *= factor;
    last += std::max<int64_t>(sizes[axis] - 1, 0) * tensor.strides[axis];
  }
  tensor.offset = offset;
  tensor.storage = std::make_shared<Storage>();
  tensor.storage->name = contiguous.storage->name;
  // What lies between the elements must not be read: it would show as a wrong result.
  tensor.storage->bytes.assign((last + 1) * getBytes(tensor.getElement()), 0x55);
  unsigned bytes = getBytes(tensor.getElement());
  forEachElement(tensor, [&](int64_t linear, int64_t place) {
    std::memcpy(tensor.storage->bytes.data() + place * bytes,
                contiguous.storage->bytes.data() + linear * bytes, bytes);
  });
  return tensor;
}

std::vector<HostValue> makeArguments(func::FuncOp program, const Case &one,
                                     const SizeChoice &choice) {
  std::vector<HostValue> values;
  Numbers numbers(static_cast<uint64_t>(one.pattern) * 131 + static_cast<uint64_t>(one.size) +
                  static_cast<uint64_t>(one.batch) * 65537);
  for (auto [argument, type] : enumerate(program.getArgumentTypes())) {
    auto tensor = cast<graph::TensorType>(type);
    if (program.getArgAttr(argument, "graph.seed")) {
      Tensor seed = makeTensor("seed", tensor.getElementType(), {});
      uint64_t number = numbers.next() >> 1;
      std::memcpy(seed.storage->bytes.data(), &number, sizeof(number));
      values.push_back(seed);
      continue;
    }
    if (!program.getArgAttr(argument, "graph.scalar")) {
      values.push_back(makeInput(program, argument, tensor, one, choice, numbers));
      continue;
    }
    // A number is one of its type, as a kernel is given it and PyTorch takes it.
    Type element = tensor.getElementType();
    auto flag = program.getArgAttrOfType<StringAttr>(argument, "graph.symbol");
    if (flag)
      values.push_back(choice.values.lookup(
          sym::SymDialect::getIndexContext(program.getContext()).symbol(flag.getValue())));
    else if (auto live = program.getArgAttrOfType<FloatAttr>(argument, "graph.live"))
      values.push_back(graph::roundTo(live.getValueAsDouble(), element));
    else if (isa<FloatType>(element))
      values.push_back(graph::roundTo(0.5 + numbers.uniform(), element));
    else
      values.push_back(element.isInteger(1) ? numbers.integer(0, 2) : numbers.integer(1, 4));
  }
  return values;
}

Tensor toTensor(const graph::Array &array, StringRef name) {
  Tensor tensor = makeTensor(name, array.elementType, array.shape);
  std::vector<char> bytes = graph::toBytes(array);
  tensor.storage->bytes.assign(bytes.begin(), bytes.end());
  return tensor;
}

std::optional<std::vector<HostValue>> makeBackwardArguments(func::FuncOp backward,
                                                            func::FuncOp forward, const Case &one,
                                                            const SizeChoice &choice,
                                                            std::string &reason) {
  std::vector<HostValue> own = makeArguments(forward, one, choice);
  std::vector<graph::Array> arrays;
  for (auto [value, type] : zip(own, forward.getArgumentTypes()))
    arrays.push_back(toArray(value, cast<graph::TensorType>(type)));
  auto run = evaluateProgram(forward, arrays, reason);
  if (failed(run))
    return std::nullopt;
  auto saved = forward->getAttrOfType<ArrayAttr>("graph.saved");
  Numbers numbers(static_cast<uint64_t>(one.pattern) * 137 + static_cast<uint64_t>(one.size) + 1);
  std::vector<HostValue> values;
  for (auto [number, type] : enumerate(backward.getArgumentTypes())) {
    auto place = backward.getArgAttrOfType<IntegerAttr>(number, "graph.saved");
    if (!place) {
      values.push_back(
          makeInput(backward, number, cast<graph::TensorType>(type), one, choice, numbers));
      continue;
    }
    auto entry = cast<DictionaryAttr>(saved[place.getInt()]);
    if (auto argument = entry.getAs<IntegerAttr>("argument"))
      values.push_back(own[argument.getInt()]);
    else
      values.push_back(toTensor(run->results[entry.getAs<IntegerAttr>("result").getInt()],
                                backward.getArgAttrOfType<StringAttr>(number, "graph.name")));
  }
  return values;
}

graph::Array toArray(const HostValue &value, graph::TensorType type) {
  if (const auto *real = std::get_if<double>(&value)) {
    graph::Array array({}, type.getElementType());
    array.reals[0] = *real;
    return array;
  }
  if (const auto *integer = std::get_if<int64_t>(&value)) {
    graph::Array array({}, type.getElementType());
    array.integers[0] = *integer;
    return array;
  }
  const Tensor &tensor = std::get<Tensor>(value);
  graph::Array array(tensor.sizes, tensor.elementType);
  const uint8_t *bytes = tensor.storage->bytes.data();
  Element element = tensor.getElement();
  unsigned width = getBytes(element);
  bool isReal = array.isFloat();
  forEachElement(tensor, [&](int64_t linear, int64_t place) {
    if (isReal) {
      array.reals[linear] = readNumber(element, bytes + place * width);
      return;
    }
    uint64_t raw = 0;
    std::memcpy(&raw, bytes + place * width, width);
    array.integers[linear] = graph::wrapTo(static_cast<int64_t>(raw), tensor.elementType);
  });
  return array;
}

std::vector<graph::Array> disturb(std::vector<graph::Array> arrays, uint64_t sample) {
  Numbers numbers(sample);
  for (graph::Array &array : arrays) {
    if (!array.elementType.isF64())
      continue;
    for (double &value : array.reals)
      // Whole numbers and what is no number meet comparisons and rounding, where there is no error.
      if (std::isfinite(value) && value != std::floor(value))
        value = std::nextafter(value, std::ldexp(double(numbers.integer(-1, 2)), 1023) + value);
  }
  return arrays;
}

HostValue cloneValue(const HostValue &value) {
  const auto *tensor = std::get_if<Tensor>(&value);
  if (!tensor)
    return value;
  Tensor copy = *tensor;
  copy.storage = std::make_shared<Storage>(*tensor->storage);
  return copy;
}

} // namespace nereid::validate
