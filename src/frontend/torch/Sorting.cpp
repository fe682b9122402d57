// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The primitive sort. What PyTorch makes of it (topk, median, quantile, ...) is in
// prelude/sorting.py.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// `prims.sort(input, dim, descending, count, message)`: the first `count` of the sorted elements
/// and their positions; an exception with `message` unless there are so many.
static PyValue sortAlong(TorchLibrary &t, ArrayRef<PyValue> a) {
  auto *x = cast<TensorValue>(a[0]);
  std::optional<int64_t> dim = t.dimArg(a[1], t.rankOf(x));
  std::optional<bool> descending = dim ? t.boolArg(a[2], "descending") : std::nullopt;
  if (!descending)
    return nullptr;
  Expr extent = t.sizesOf(x)[*dim], count = extent;
  if (!isa<NoneObject>(a[3])) {
    std::optional<Expr> given = t.sizeArg(a[3], "k");
    if (!given)
      return nullptr;
    count = *given;
    StringRef message = cast<StrObject>(a[4])->text;
    if (!t.solver.require(index::ge(count, 0), message.str()) ||
        !t.solver.require(index::le(count, extent), message.str()))
      return t.machine->raise("RuntimeError", message);
  }
  mlir::Value keys = t.writer.cast(t.read(x), computeType(x->dtype));
  auto [values, indices] = t.writer.sort(keys, *dim, *descending, count);
  values = t.writer.cast(values, x->dtype, true);
  return t.machine->makeTuple({t.wrap(values), t.wrap(indices)});
}

void TorchLibrary::defineSorting() {
  define("prims", "check_dim", "(input, dim)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    bool fits = t.dimArg(a[1], t.rankOf(cast<TensorValue>(a[0]))).has_value();
    return fits ? t.machine->none() : nullptr;
  });
  // An exception unless the axis has elements.
  define("prims", "check_elements", "(input, dim, message)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           Sizes sizes = t.sizesOf(cast<TensorValue>(a[0]));
           std::optional<int64_t> dim = t.dimArg(a[1], sizes.size());
           if (!dim)
             return nullptr;
           StringRef message = cast<StrObject>(a[2])->text;
           if (!t.solver.require(index::ge(sizes[*dim], 1), message.str()))
             return t.machine->raise("IndexError", message);
           return t.machine->none();
         });
  define("prims", "sort", "(input, dim, descending=False, count=None, message='')", sortAlong);
}

} // namespace nereid::torch
