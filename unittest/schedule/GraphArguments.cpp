// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of random graphs: numbers by kind, in tensors permuted, spread out, offset, expanded.
#include "GraphCheck.h"

#include "graph/GraphOps.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;
using nereid::interpreter::HostValue;
using nereid::interpreter::Tensor;

namespace nereid::schedule::test {

static double drawFloat(llvm::StringRef kind, Choices &choices) {
  double small = double(choices.between(-16, 16)) / 4;
  if (kind == "offset")
    return 4096 + small;
  if (kind == "special" && choices.oneIn(12))
    return choices.pick<double>({NAN, INFINITY, -INFINITY, -INFINITY});
  return small;
}

static int64_t drawInteger(llvm::StringRef kind, Type element, Choices &choices) {
  if (element.isInteger(1))
    return choices.below(2);
  if (kind != "small")
    return int64_t(choices.getEngine()());
  return choices.between(element.isUnsignedInteger() ? 0 : -8, 8);
}

static void fill(const Tensor &tensor, llvm::StringRef kind, Choices &choices) {
  interpreter::Element element = tensor.getElement();
  // Now and then one number everywhere: -inf in a whole row, a row of ties.
  bool isUniform = choices.oneIn(10);
  double first = drawFloat(kind, choices);
  for (int64_t at = 0, count = tensor.getNumElements(); at < count; ++at) {
    if (interpreter::isFloat(element)) {
      interpreter::writeNumber(element, isUniform ? first : drawFloat(kind, choices),
                               tensor.at(at));
    } else {
      int64_t number = drawInteger(kind, tensor.elementType, choices);
      std::memcpy(tensor.at(at), &number, interpreter::getBytes(element));
    }
  }
}

static Tensor makeTensor(llvm::StringRef name, Type element, llvm::ArrayRef<int64_t> sizes,
                         bool contiguous, bool mayRepeat, Choices &choices) {
  llvm::SmallVector<int64_t> strides = interpreter::getContiguousStrides(sizes);
  int64_t offset = 0;
  if (!contiguous) {
    llvm::SmallVector<unsigned> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    if (choices.oneIn(2))
      std::shuffle(order.begin(), order.end(), choices.getEngine());
    int64_t stride = choices.oneIn(4) ? 2 : 1;
    for (unsigned axis : llvm::reverse(order)) {
      strides[axis] = stride;
      stride *= std::max<int64_t>(sizes[axis], 1) + (choices.oneIn(4) ? choices.between(1, 3) : 0);
    }
    if (mayRepeat && !sizes.empty() && choices.oneIn(6))
      strides[choices.below(sizes.size())] = 0;
    offset = choices.oneIn(3) ? choices.between(1, 9) : 0;
  }
  int64_t last = offset;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    last += std::max<int64_t>(size - 1, 0) * stride;
  Tensor tensor;
  tensor.elementType = element;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.strides = strides;
  tensor.offset = offset;
  tensor.storage = std::make_shared<interpreter::Storage>();
  tensor.storage->name = name.str();
  // What lies between the elements shows when it is read.
  tensor.storage->bytes.assign((last + 1) * interpreter::getBytes(tensor.getElement()), 0x55);
  return tensor;
}

static bool isAssigned(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    auto assign = dyn_cast<graph::AssignOp>(user);
    return assign && assign.getTarget() == argument;
  });
}

std::vector<HostValue> makeArguments(func::FuncOp program, const Sizes &sizes, bool contiguous,
                                     Choices &choices) {
  std::vector<HostValue> values;
  for (BlockArgument argument : program.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = cast<graph::TensorType>(argument.getType());
    auto kindAttr = program.getArgAttrOfType<StringAttr>(number, valuesAttrName);
    llvm::StringRef kind = kindAttr ? kindAttr.getValue() : "small";
    if (program.getArgAttr(number, "graph.scalar")) {
      if (isa<FloatType>(type.getElementType()))
        values.push_back(drawFloat(kind, choices));
      else
        values.push_back(drawInteger(kind, type.getElementType(), choices));
      continue;
    }
    llvm::SmallVector<int64_t> extents;
    for (index::Expr extent : type.getSizes())
      extents.push_back(*index::evaluate(extent, sizes));
    Tensor tensor = makeTensor("x" + std::to_string(number), type.getElementType(), extents,
                               contiguous, !isAssigned(argument), choices);
    fill(tensor, kind, choices);
    values.push_back(std::move(tensor));
  }
  return values;
}

} // namespace nereid::schedule::test
