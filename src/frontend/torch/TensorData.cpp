// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of tensors as Python sees it: what follows from constants alone is computed here, by the
// graph's evaluator; the single element of any other tensor is a number that only the call knows.
#include "frontend/torch/TorchLibrary.h"
#include "graph/GraphEvaluator.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

static PyValue elementOf(Machine &machine, const graph::Array &array, int64_t at) {
  if (array.isFloat())
    return machine.makeFloat(array.reals[at]);
  if (array.elementType.isInteger(1))
    return machine.makeBool(array.integers[at] != 0);
  return machine.makeInt(array.integers[at]);
}

/// The elements from `start` on as lists, one for each index of axis `axis`.
static PyValue nested(Machine &machine, const graph::Array &array, size_t axis, int64_t start) {
  if (axis == array.shape.size())
    return elementOf(machine, array, start);
  int64_t stride = array.strides()[axis];
  std::vector<PyValue> items;
  items.reserve(array.shape[axis]);
  for (int64_t at = 0; at < array.shape[axis]; ++at)
    items.push_back(nested(machine, array, axis + 1, start + at * stride));
  return machine.makeList(items);
}

PyValue TorchLibrary::constantItem(TensorValue *tensor) {
  Sizes sizes = sizesOf(tensor);
  if (any_of(sizes, [](Expr size) { return !size.isConstant(1); }))
    return nullptr;
  // Of the sizes those that are fixed by now.
  std::optional<graph::Array> known = graph::evaluateConstant(
      read(tensor), [&](Expr symbol) { return solver.resolve(symbol).getConstant(); });
  return known ? elementOf(*machine, *known, 0) : nullptr;
}

/// Python's number of a tensor that has one element: without a gradient, as a float or int.
static PyValue item(TorchLibrary &t, PyValue input) {
  auto *x = dyn_cast<TensorValue>(input);
  if (!x || x->isNumber)
    return x ? input : t.tensorArg(input, "item");
  if (PyValue known = t.constantItem(x))
    return known;
  for (Expr size : t.sizesOf(x))
    if (!t.solver.unify(size, t.writer.constantSize(1)))
      return t.machine->raise("RuntimeError",
                              "a Tensor with " +
                                  index::product(t.solver.getContext(), t.sizesOf(x)).str() +
                                  " elements cannot be converted to Scalar");
  mlir::Value value = t.detached(t.writer.reshape(t.read(x), {}));
  DType wide = isFloat(x->dtype) ? DType::F64 : x->dtype == DType::Bool ? DType::Bool : DType::I64;
  return t.wrapNumber(t.writer.cast(value, wide));
}

static PyValue toList(TorchLibrary &t, PyValue input) {
  TensorValue *x = t.tensorArg(input, "tolist");
  if (!x)
    return nullptr;
  if (std::optional<graph::Array> known = graph::evaluateConstant(t.read(x)))
    return nested(*t.machine, *known, 0, 0);
  if (t.rankOf(x) == 0)
    return item(t, x);
  std::optional<std::vector<PyValue>> rows = t.machine->items(x);
  if (!rows)
    return nullptr;
  for (PyValue &row : *rows)
    if (!(row = toList(t, row)))
      return nullptr;
  return t.machine->makeList(*rows);
}

void TorchLibrary::defineData() {
  define("Tensor", "item", "(self)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return item(t, a[0]); });
  define("Tensor", "tolist", "(self)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return toList(t, a[0]); });
}

} // namespace nereid::torch
