// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `tl`: tiles made and rearranged.
#include "frontend/triton/Registrar.h"

using namespace llvm;

namespace nereid::triton {

/// `f(x, (a, b))` and `f(x, a, b)` mean the same.
static PyValue joinArguments(KernelBuilder &kernel, PyValue rest) {
  auto items = sequence(rest);
  if (items && items->size() == 1 && sequence((*items)[0]))
    return (*items)[0];
  return rest;
}

static std::optional<SmallVector<int64_t>> readAxes(KernelBuilder &kernel, PyValue value,
                                                    StringRef what) {
  SmallVector<int64_t> axes;
  for (PyValue item : itemsOf(value)) {
    auto axis = knownInt(kernel.machine, item, what);
    if (!axis)
      return std::nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

static PyValue broadcast(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  TensorValue *both[] = {kernel.toTensor(args[0]), nullptr};
  if (!both[0] || !(both[1] = kernel.toTensor(args[1])) || !kernel.unify(both))
    return nullptr;
  return kernel.machine.makeTuple({both[0], both[1]});
}

static PyValue broadcastTo(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  TensorValue *value = kernel.toTensor(args[0]);
  auto dims = value ? kernel.toDims(joinArguments(kernel, args[1])) : std::nullopt;
  if (!dims || !kernel.checkDims(*dims))
    return nullptr;
  return kernel.broadcastTo(value, *dims);
}

static PyValue reshape(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  TensorValue *value = kernel.toTensor(args[0]);
  auto dims = value ? kernel.toDims(joinArguments(kernel, args[1])) : std::nullopt;
  return dims ? kernel.reshape(value, *dims) : nullptr;
}

static PyValue permute(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  TensorValue *value = kernel.toTensor(args[0]);
  auto axes = value ? readAxes(kernel, joinArguments(kernel, args[1]), "an axis") : std::nullopt;
  if (!axes)
    return nullptr;
  if (axes->empty() && value->rank() >= 2) { // tl.trans(x): the last two axes
    for (unsigned d = 0; d < value->rank(); ++d)
      axes->push_back(d);
    std::swap((*axes)[axes->size() - 1], (*axes)[axes->size() - 2]);
  }
  return kernel.permute(value, *axes);
}

static PyValue expandDims(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  TensorValue *value = kernel.toTensor(args[0]);
  if (!value)
    return nullptr;
  auto items = sequence(args[1]);
  SmallVector<PyValue> given =
      items ? SmallVector<PyValue>(items->begin(), items->end()) : SmallVector<PyValue>{args[1]};
  int64_t rank = value->rank() + given.size();
  SmallVector<int64_t> axes;
  for (PyValue item : given) {
    auto axis = knownInt(kernel.machine, item, "the axis of tl.expand_dims");
    if (!axis)
      return nullptr;
    axes.push_back(*axis < 0 ? *axis + rank : *axis);
  }
  sort(axes);
  for (int64_t axis : axes) {
    value = kernel.expandDims(value, axis);
    if (!value)
      return nullptr;
  }
  return value;
}

static PyValue full(KernelBuilder &kernel, PyValue shape, PyValue value, PyValue dtype) {
  if (!sequence(shape))
    return kernel.fail("the shape of a tile is a tuple, found " + kernel.describe(shape),
                       "write (BLOCK,)");
  auto type = knownDType(kernel.machine, dtype, "the dtype of a tile");
  return type ? kernel.full(shape, value, *type) : nullptr;
}

static void addPairs(Registrar &tl) {
  tl.define("join", "(a, b)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
    TensorValue *a = kernel.toTensor(args[0]);
    TensorValue *b = a ? kernel.toTensor(args[1]) : nullptr;
    return b ? kernel.join(a, b) : nullptr;
  });
  tl.define("split", "(a)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
    TensorValue *value = kernel.toTensor(args[0]);
    return value ? kernel.split(value) : nullptr;
  });
  tl.define("cat", "(input, other, can_reorder=False, dim=0)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              TensorValue *a = kernel.toTensor(args[0]);
              TensorValue *b = a ? kernel.toTensor(args[1]) : nullptr;
              auto axis = b ? knownInt(kernel.machine, args[3], "dim") : std::nullopt;
              return axis ? kernel.cat(a, b, *axis) : nullptr;
            });
  // Of signed integers of 32 or 64 bits; tl.sort and tl.bitonic_merge are in the prelude.
  tl.define("_sort_lines", "(x, descending, merges)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              TensorValue *value = kernel.toTensor(args[0]);
              auto descending =
                  value ? knownBool(kernel.machine, args[1], "descending") : std::nullopt;
              auto merges =
                  descending ? knownBool(kernel.machine, args[2], "merges") : std::nullopt;
              return merges ? kernel.sortLines(value, *descending, *merges) : nullptr;
            });
  tl.define("gather", "(src, index, axis)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              TensorValue *value = kernel.toTensor(args[0]);
              TensorValue *indices = value ? kernel.toTensor(args[1]) : nullptr;
              auto axis = indices ? knownInt(kernel.machine, args[2], "the axis of tl.gather")
                                  : std::nullopt;
              return axis ? kernel.gather(value, indices, *axis) : nullptr;
            });
}

void addLanguageShape(TritonLibrary &library, machine::Machine &machine,
                      machine::ModuleObject *module) {
  Registrar tl(library, machine, module);
  tl.define("arange", "(start, end)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return kernel.arange(args[0], args[1]);
  });
  tl.define("full", "(shape, value, dtype)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return full(kernel, args[0], args[1], args[2]);
  });
  tl.define("zeros", "(shape, dtype)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return full(kernel, args[0], kernel.machine.makeInt(int64_t(0)), args[1]);
  });
  tl.define("broadcast", "(input, other)", broadcast);
  tl.define("broadcast_to", "(input, *shape)", broadcastTo);
  tl.define("reshape", "(input, *shape, can_reorder=False)", reshape);
  tl.define("view", "(input, *shape)", reshape);
  tl.define("permute", "(input, *dims)", permute);
  tl.define("trans", "(input, *dims)", permute);
  tl.define("expand_dims", "(input, axis)", expandDims);
  addPairs(tl);
}

} // namespace nereid::triton
