// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The primitives of folds whose groups the data say: prims.scatter, prims.segment. What PyTorch
// makes of them is in prelude/scattering.py.
#include "frontend/torch/TorchLibrary.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

static graph::FoldKind kindNamed(PyValue name) {
  return *graph::symbolizeFoldKind(cast<StrObject>(name)->text);
}

/// What is folded, in a type in which it can be.
static mlir::Value folded(TorchLibrary &t, TensorValue *x) {
  return t.writer.cast(t.read(x), computeType(x->dtype));
}

static PyValue scatterOf(TorchLibrary &t, ArrayRef<PyValue> a) {
  auto *updates = cast<TensorValue>(a[1]);
  auto *index = cast<TensorValue>(a[2]);
  std::optional<int64_t> dim = t.dimArg(a[3], t.rankOf(updates));
  std::optional<Expr> size = dim ? t.sizeArg(a[4], "size") : std::nullopt;
  std::optional<bool> unique = size ? t.boolArg(a[5], "unique") : std::nullopt;
  if (!unique)
    return nullptr;
  mlir::Value places = t.writer.cast(t.read(index), DType::I64);
  return t.wrap(
      t.writer.scatter(kindNamed(a[0]), folded(t, updates), places, *dim, *size, *unique));
}

static PyValue segmentOf(TorchLibrary &t, ArrayRef<PyValue> a) {
  auto *input = cast<TensorValue>(a[1]);
  auto *bounds = cast<TensorValue>(a[2]);
  mlir::Value places = t.writer.cast(t.read(bounds), DType::I64);
  return t.wrap(t.writer.segment(kindNamed(a[0]), folded(t, input), places));
}

/// The part of a tensor that lies within other sizes, but for one axis: scatters and gathers take
/// indices that are smaller than what they belong to.
static PyValue cutTo(TorchLibrary &t, ArrayRef<PyValue> a) {
  auto *x = cast<TensorValue>(a[0]);
  auto *like = cast<TensorValue>(a[1]);
  int64_t rank = t.rankOf(x), kept = rank;
  if (!isa<NoneObject>(a[2])) {
    std::optional<int64_t> dim = t.dimArg(a[2], rank);
    if (!dim)
      return nullptr;
    kept = *dim;
  }
  if (t.rankOf(like) != rank)
    return t.machine->raise("RuntimeError",
                            "Index tensor must have the same number of dimensions as self tensor");
  for (int64_t axis = 0; axis < rank; ++axis) {
    Expr from = t.sizesOf(x)[axis], to = t.sizesOf(like)[axis];
    if (axis == kept || from == to)
      continue;
    std::string message = "Expected index of size " + to.str() + " to be no larger than " +
                          from.str() + " apart from dimension " + std::to_string(axis);
    if (from.isConstant() != to.isConstant() || !t.solver.unify(from, to))
      if (!t.solver.require(index::le(to, from), message))
        return t.machine->raise("RuntimeError", message);
    if (t.solver.resolve(from) != t.solver.resolve(to))
      x = t.narrow(x, axis, t.writer.constantSize(0), 1, t.solver.resolve(to));
  }
  return x;
}

void TorchLibrary::defineScattering() {
  define("prims", "scatter", "(kind, updates, index, dim, size, unique=False)", scatterOf);
  define("prims", "segment", "(kind, input, bounds)", segmentOf);
  define("prims", "cut", "(input, like, dim=None)", cutTo);
}

} // namespace nereid::torch
