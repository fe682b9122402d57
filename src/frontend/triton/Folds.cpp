// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans: the combine function of the user (or of the prelude) runs once, on scalars,
// inside the region of the operator.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

std::optional<KernelBuilder::Tensors> KernelBuilder::foldInputs(PyValue input) {
  auto items = sequence(input);
  SmallVector<PyValue> values =
      items ? SmallVector<PyValue>(items->begin(), items->end()) : SmallVector<PyValue>{input};
  Tensors inputs;
  for (PyValue value : values) {
    TensorValue *tensor = toTensor(value, "the input of a reduction");
    if (!tensor)
      return std::nullopt;
    if (!tensor->isBlock()) {
      requireRank(tensor, 1);
      fail("a reduction needs a tile, found " + describe(tensor));
      return std::nullopt;
    }
    inputs.push_back(tensor);
  }
  if (inputs.empty() || !unify(inputs))
    return std::nullopt;
  return inputs;
}

bool KernelBuilder::combineRegion(Region &region, ArrayRef<TensorValue *> inputs, PyValue combine) {
  OpBuilder::InsertionGuard guard(builder);
  auto *function = dyn_cast<FunctionValue>(combine);
  if (!function) {
    fail("the combine function must be a @triton.jit function, found " + describe(combine),
         "define it with @triton.jit at the top of the file");
    return false;
  }
  Block *block = builder.createBlock(&region);
  SmallVector<PyValue> args;
  for (int side : {0, 1})
    for (TensorValue *input : inputs) {
      (void)side;
      mlir::Value arg = block->addArgument(input->type.toMlir(context()), location());
      args.push_back(make(arg, input->type));
    }
  PyValue result = library.callJit(*function, {args, {}});
  if (!result)
    return false;
  auto items = sequence(result);
  SmallVector<PyValue> values =
      items ? SmallVector<PyValue>(items->begin(), items->end()) : SmallVector<PyValue>{result};
  if (values.size() != inputs.size()) {
    fail("the combine function must return " + Twine(inputs.size()) + " values, found " +
         Twine(values.size()));
    return false;
  }
  SmallVector<mlir::Value> yielded;
  for (auto [value, input] : zip(values, inputs)) {
    TensorValue *scalar = toTensor(value, "the result of the combine function");
    if (!scalar)
      return false;
    if (scalar->isBlock() || scalar->type.toMlir(context()) != input->type.toMlir(context())) {
      fail("the combine function must return " + input->type.name() + ", found " +
           describe(scalar));
      return false;
    }
    yielded.push_back(scalar->value);
  }
  tile::YieldOp::create(builder, location(), yielded);
  return true;
}

/// One tensor, or a tuple of them when the input was one.
static PyValue wrapResults(KernelBuilder &kernel, PyValue input, ArrayRef<TensorValue *> results) {
  if (!sequence(input))
    return results[0];
  return kernel.machine.makeTuple(SmallVector<PyValue>(results.begin(), results.end()));
}

PyValue KernelBuilder::reduce(PyValue input, PyValue axis, PyValue combine, bool keepDims) {
  std::optional<Tensors> inputs = foldInputs(input);
  if (!inputs)
    return nullptr;
  unsigned ownRank = inputs->front()->rank();
  bool all = isNone(axis);
  int64_t along = 0;
  if (!all) {
    std::optional<int64_t> given = knownInt(machine, axis, "the axis of a reduction");
    if (!given)
      return nullptr;
    along = *given < 0 ? *given + ownRank : *given;
    if (along < 0 || along >= ownRank) {
      requireRank(*inputs, *given < 0 ? -*given : *given + 1);
      return fail("axis " + Twine(*given) + " is not within rank " + Twine(ownRank));
    }
  } else if (ownRank > 1) {
    int64_t elements = 1;
    for (int64_t size : inputs->front()->shape())
      elements *= size;
    for (TensorValue *&value : *inputs)
      value = reshape(value, {Dim{elements, ""}});
  }
  Dims dims = inputs->front()->dims();
  dims.erase(dims.begin() + along);
  SmallVector<mlir::Value> values;
  SmallVector<Type> types;
  for (TensorValue *value : *inputs) {
    values.push_back(value->value);
    types.push_back(tileType(value->type, dims));
  }
  auto op =
      tile::ReduceOp::create(builder, location(), types, values, builder.getI32IntegerAttr(along));
  if (!combineRegion(op.getCombine(), *inputs, combine))
    return nullptr;
  Tensors results;
  for (auto [result, value] : zip(op.getResults(), *inputs)) {
    TensorValue *tensor = make(result, value->type);
    for (unsigned d = 0; keepDims && all && d < ownRank; ++d)
      tensor = expandDims(tensor, 0);
    if (keepDims && !all)
      tensor = expandDims(tensor, along);
    results.push_back(tensor);
  }
  return wrapResults(*this, input, results);
}

PyValue KernelBuilder::scan(PyValue input, int64_t axis, PyValue combine, bool reverse) {
  std::optional<Tensors> inputs = foldInputs(input);
  if (!inputs)
    return nullptr;
  int64_t rank = inputs->front()->rank();
  if (axis < -rank || axis >= rank) {
    requireRank(*inputs, axis < 0 ? -axis : axis + 1);
    return fail("axis " + Twine(axis) + " is not within rank " + Twine(rank));
  }
  axis = axis < 0 ? axis + rank : axis;
  SmallVector<mlir::Value> values;
  SmallVector<Type> types;
  for (TensorValue *value : *inputs) {
    values.push_back(value->value);
    types.push_back(value->value.getType());
  }
  auto op =
      tile::ScanOp::create(builder, location(), types, values, builder.getI32IntegerAttr(axis),
                           reverse ? builder.getUnitAttr() : UnitAttr());
  if (!combineRegion(op.getCombine(), *inputs, combine))
    return nullptr;
  Tensors results;
  for (auto [result, value] : zip(op.getResults(), *inputs))
    results.push_back(make(result, value->type));
  return wrapResults(*this, input, results);
}

} // namespace nereid::triton
