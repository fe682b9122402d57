// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primitives that combine elements along axes: reductions and scans.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;
using nereid::graph::FoldKind;

namespace nereid::torch {

PyValue TorchLibrary::fold(FoldKind kind, TensorValue *tensor, ArrayRef<int64_t> dims,
                           bool keepdim) {
  DType computed = computeType(tensor->dtype);
  mlir::Value value = writer.fold(kind, writer.cast(read(tensor), computed), dims);
  bool arg = kind == FoldKind::Argmax || kind == FoldKind::Argmin;
  if (!arg)
    value = writer.cast(value, tensor->dtype, true);
  else if (dims.empty())
    value = writer.integer(DType::I64, 0);
  if (keepdim && !dims.empty()) {
    Sizes to = sizesOf(tensor);
    SmallVector<int64_t> kept;
    for (int64_t axis = 0, rank = to.size(); axis < rank; ++axis) {
      if (is_contained(dims, axis))
        to[axis] = writer.constantSize(1);
      else
        kept.push_back(axis);
    }
    value = writer.broadcast(value, kept, to);
  }
  return wrap(value);
}

namespace {

/// True unless the axes may hold no element, of which there is no greatest or least.
bool requireElements(TorchLibrary &t, TensorValue *x, ArrayRef<int64_t> dims, StringRef name) {
  Sizes sizes = t.sizesOf(x);
  for (int64_t dim : dims) {
    std::string message = (name + "(): expected an axis of at least 1 element").str();
    if (!t.solver.require(index::ge(sizes[dim], 1), message)) {
      t.machine->raise("IndexError", message);
      return false;
    }
  }
  return true;
}

/// The tensor in the type in which a sum or product of it is given.
TensorValue *accumulated(TorchLibrary &t, TensorValue *x, PyValue given) {
  std::optional<DType> dtype;
  if (!t.dtypeArg(given, dtype))
    return nullptr;
  if (!dtype)
    dtype = isFloat(x->dtype) ? x->dtype : DType::I64;
  return cast<TensorValue>(t.castTo(x, *dtype));
}

void defineSums(TorchLibrary &library) {
  for (auto [name, kind] :
       {std::pair<StringRef, FoldKind>{"sum", FoldKind::Sum}, {"prod", FoldKind::Prod}})
    library.define("torch Tensor", name,
                   "(input, dim=None, keepdim=False, *, dtype=None, out=None)",
                   [name, kind](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     auto dims = x ? t.dimsArg(a[1], t.rankOf(x)) : std::nullopt;
                     std::optional<bool> keep = dims ? t.boolArg(a[2], "keepdim") : std::nullopt;
                     x = keep ? accumulated(t, x, a[3]) : nullptr;
                     return x ? t.fold(kind, x, *dims, *keep) : nullptr;
                   });
  for (auto [name, kind] :
       {std::pair<StringRef, FoldKind>{"cumsum", FoldKind::Sum}, {"cumprod", FoldKind::Prod}})
    library.define("torch Tensor", name, "(input, dim, *, dtype=None, out=None)",
                   [name, kind](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     std::optional<int64_t> dim = x ? t.dimArg(a[1], t.rankOf(x)) : std::nullopt;
                     x = dim ? accumulated(t, x, a[2]) : nullptr;
                     // A copy: what is written to either of them later is not the other's.
                     if (!x || t.rankOf(x) == 0)
                       return x ? t.wrap(t.read(x)) : nullptr;
                     mlir::Value value = t.writer.cast(t.read(x), computeType(x->dtype));
                     value = t.writer.scan(kind, value, *dim);
                     return t.wrap(t.writer.cast(value, x->dtype, true));
                   });
}

/// The greatest (least) element of each prefix, or the logarithm of its sum of exponentials.
void defineScans(TorchLibrary &library) {
  library.define("prims", "scan", "(kind, input, dim)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   auto *x = cast<TensorValue>(a[1]);
                   std::optional<int64_t> dim = t.dimArg(a[2], t.rankOf(x));
                   if (!dim || t.rankOf(x) == 0)
                     return dim ? t.wrap(t.read(x)) : nullptr;
                   auto kind = *graph::symbolizeFoldKind(cast<StrObject>(a[0])->text);
                   mlir::Value value = t.writer.cast(t.read(x), computeType(x->dtype));
                   value = t.writer.scan(kind, value, *dim);
                   return t.wrap(t.writer.cast(value, x->dtype, true));
                 });
}

void defineExtremes(TorchLibrary &library) {
  struct Row {
    StringLiteral spaces, name;
    FoldKind kind;
    bool checked;
  };
  static constexpr Row rows[] = {
      {"torch Tensor", "amax", FoldKind::Max, true},
      {"torch Tensor", "amin", FoldKind::Min, true},
      // For results that are dropped where there is no element (softmax).
      {"prims", "amax", FoldKind::Max, false},
      {"prims", "amin", FoldKind::Min, false},
  };
  for (const Row &row : rows)
    library.define(row.spaces, row.name, "(input, dim=(), keepdim=False, *, out=None)",
                   [row](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], row.name);
                     auto dims = x ? t.dimsArg(a[1], t.rankOf(x)) : std::nullopt;
                     std::optional<bool> keep = dims ? t.boolArg(a[2], "keepdim") : std::nullopt;
                     if (!keep || (row.checked && !requireElements(t, x, *dims, row.name)))
                       return nullptr;
                     return t.fold(row.kind, x, *dims, *keep);
                   });
  for (auto [name, kind] :
       {std::pair<StringRef, FoldKind>{"argmax", FoldKind::Argmax}, {"argmin", FoldKind::Argmin}})
    library.define("torch Tensor", name, "(input, dim=None, keepdim=False, *, out=None)",
                   [name, kind](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     std::optional<bool> keep = x ? t.boolArg(a[2], "keepdim") : std::nullopt;
                     if (!keep)
                       return nullptr;
                     if (x->dtype == DType::Bool)
                       return t.machine->raise("RuntimeError",
                                               name + "(): does not support bool input");
                     if (isa<NoneObject>(a[1])) {
                       int64_t rank = t.rankOf(x);
                       PyValue all = t.machine->makeInt(-1);
                       TensorValue *flat = t.reshape(x, {all});
                       if (!flat || !requireElements(t, flat, {0}, name))
                         return nullptr;
                       auto *place = cast<TensorValue>(t.fold(kind, flat, {0}, false));
                       Sizes ones(*keep ? rank : 0, t.writer.constantSize(1));
                       return t.expand(place, ones);
                     }
                     std::optional<int64_t> dim = t.dimArg(a[1], t.rankOf(x));
                     if (!dim)
                       return nullptr;
                     SmallVector<int64_t> dims;
                     if (t.rankOf(x))
                       dims.push_back(*dim);
                     if (!requireElements(t, x, dims, name))
                       return nullptr;
                     return t.fold(kind, x, dims, *keep);
                   });
  for (auto [name, kind] :
       {std::pair<StringRef, FoldKind>{"any", FoldKind::Any}, {"all", FoldKind::All}})
    library.define("torch Tensor", name, "(input, dim=None, keepdim=False, *, out=None)",
                   [name, kind](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     auto dims = x ? t.dimsArg(a[1], t.rankOf(x)) : std::nullopt;
                     std::optional<bool> keep = dims ? t.boolArg(a[2], "keepdim") : std::nullopt;
                     if (!keep)
                       return nullptr;
                     bool bytes = x->dtype == DType::U8; // for which PyTorch answers in bytes
                     x = t.wrap(t.writer.cast(t.read(x), DType::Bool));
                     PyValue result = t.fold(kind, x, *dims, *keep);
                     return bytes ? t.castTo(cast<TensorValue>(result), DType::U8) : result;
                   });
}

} // namespace

void TorchLibrary::defineFolds() {
  defineSums(*this);
  defineScans(*this);
  defineExtremes(*this);
}

} // namespace nereid::torch
