// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that take parts of tensors: slices, and what tensors of indices gather.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

TensorValue *TorchLibrary::narrow(TensorValue *tensor, int64_t dim, Expr start, int64_t step,
                                  Expr size) {
  ViewStep next{ViewStep::Slice};
  next.dim = dim;
  next.start = solver.resolve(start);
  next.size = solver.resolve(size);
  next.step = step;
  if (next.start.isConstant(0) && step == 1 && next.size == sizesOf(tensor)[dim])
    return tensor;
  return view(tensor, next);
}

TensorValue *TorchLibrary::slice(TensorValue *tensor, int64_t dim, PyValue start, PyValue stop,
                                 int64_t step) {
  Expr total = sizesOf(tensor)[dim], zero = writer.constantSize(0);
  // `x[:, :min(K, t)]` ends at the axis in some turns of a loop.
  auto cut = [&](Expr at, Expr total, StringRef message) {
    index::Pred isInside = index::le(at, total);
    bool isOpen = solver.truth(isInside) == index::Truth::Unknown &&
                  solver.isOfTurns(solver.resolve(isInside));
    bool isExtreme =
        is_contained({index::ExprKind::Min, index::ExprKind::Max}, solver.resolve(at).getKind());
    if (isOpen && isExtreme)
      return solver.resolve(index::min({at, total}));
    // `y[:, :t + 1]` of a `y` as long as the loop: said once, for all turns.
    std::optional<index::Pred> differing = solver.differing;
    if (isOpen && solver.require(isInside, message))
      return at;
    solver.differing = differing;
    return solver.decide(isInside, message) ? at : total;
  };
  // A bound counts from the end when negative, and is cut to the axis. By less than a step behind
  // its end begins what is empty anyway: `x[1::2]` of no elements.
  int64_t behind = isa<NoneObject>(stop) ? step - 1 : 0;
  auto bound = [&](PyValue value, Expr otherwise) -> std::optional<Expr> {
    if (isa<NoneObject>(value))
      return otherwise;
    std::optional<Expr> at = sizeArg(value, "a slice bound");
    if (!at)
      return std::nullopt;
    std::string message = "a slice bound lies outside of an axis of size " + total.str();
    if (!solver.decideSign(*at, message)) {
      Expr fromEnd = solver.resolve(*at + total);
      return solver.decide(index::ge(fromEnd, 0), message) ? fromEnd : zero;
    }
    if (behind > 0 && at->isConstant() && solver.truth(index::le(*at, total)) != index::Truth::True)
      return solver.decide(index::le(*at, total + behind), message) ? *at : total;
    return cut(*at, total, message);
  };
  std::optional<Expr> from = bound(start, zero), to = from ? bound(stop, total) : std::nullopt;
  if (!to)
    return nullptr;
  Expr length = solver.resolve(*to - *from);
  if (step != 1)
    length = solver.resolve(index::ceildiv(length, step));
  if (!solver.decide(index::ge(length, 0), "a slice ends before it starts"))
    length = zero;
  return narrow(tensor, dim, *from, step, length);
}

TensorValue *TorchLibrary::select(TensorValue *tensor, int64_t dim, PyValue at) {
  Expr total = sizesOf(tensor)[dim];
  std::optional<Expr> place = sizeArg(at, "an index");
  if (!place)
    return nullptr;
  std::string message = "index " + place->str() + " is out of bounds for dimension " +
                        std::to_string(dim) + " with size " + total.str();
  // `ring[:, head - 1]` counts from the end in the turns in which the ring begins again.
  Expr number = solver.resolve(*place);
  auto isTrue = [&](index::Pred pred) { return solver.truth(pred) == index::Truth::True; };
  bool isCyclic = solver.isOfTurns(index::ge(number, 0)) && !isTrue(index::ge(number, 0)) &&
                  isTrue(index::ge(number + total, 0)) &&
                  any_of(number.getTerms(), [](const index::Term &term) {
                    return term.monomial.getKind() == index::ExprKind::Mod;
                  });
  bool fromStart = isCyclic || solver.decideSign(number, message);
  Expr from = isCyclic ? index::mod(number, total) : fromStart ? number : number + total;
  from = solver.resolve(from);
  if (!solver.require(index::ge(from, 0), message) ||
      !solver.require(index::lt(from, total), message)) {
    machine->raise("IndexError", message);
    return nullptr;
  }
  TensorValue *row = narrow(tensor, dim, from, 1, writer.constantSize(1));
  ViewStep drop{ViewStep::Reshape};
  drop.sizes = sizesOf(row);
  drop.sizes.erase(drop.sizes.begin() + dim);
  return view(row, drop);
}

/// `checks`: whether indices outside of the axis are an error.
static PyValue gatherOf(TorchLibrary &t, ArrayRef<PyValue> a, bool checks) {
  TensorValue *x = t.tensorArg(a[0], "gather"), *index = x ? t.tensorArg(a[2], "gather") : nullptr;
  std::optional<int64_t> dim = index ? t.dimArg(a[1], t.rankOf(x)) : std::nullopt;
  if (!dim)
    return nullptr;
  Sizes from = t.sizesOf(x), to = t.sizesOf(index);
  if (from.size() != to.size())
    return t.machine->raise("RuntimeError",
                            "Index tensor must have the same number of dimensions as input tensor");
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (static_cast<int64_t>(axis) == *dim || from[axis] == to[axis])
      continue;
    std::string message = "Size does not match at dimension " + std::to_string(axis) +
                          " expected index " + to[axis].str() + " to be no larger than self " +
                          from[axis].str();
    if (from[axis].isConstant() != to[axis].isConstant() || !t.solver.unify(from[axis], to[axis]))
      if (!t.solver.require(index::le(to[axis], from[axis]), message))
        return t.machine->raise("RuntimeError", message);
    if (t.solver.resolve(from[axis]) != t.solver.resolve(to[axis]))
      x = t.narrow(x, axis, t.writer.constantSize(0), 1, t.solver.resolve(to[axis]));
  }
  mlir::Value places = t.writer.cast(t.read(index), DType::I64);
  if (checks) {
    if (!t.requireInside(places, t.sizesOf(x)[*dim], /*wraps=*/false))
      return nullptr;
    places = t.checkedIndex(places, t.sizesOf(x)[*dim], "gather");
  }
  return t.wrap(t.writer.gather(t.read(x), places, *dim));
}

static PyValue indexSelect(TorchLibrary &t, ArrayRef<PyValue> a) {
  TensorValue *x = t.tensorArg(a[0], "index_select");
  TensorValue *index = x ? t.tensorArg(a[2], "index_select") : nullptr;
  std::optional<int64_t> dim = index ? t.dimArg(a[1], t.rankOf(x)) : std::nullopt;
  if (!dim)
    return nullptr;
  bool isNumber = t.rankOf(x) == 0;
  x = isNumber ? t.unsqueeze(x, 0) : x;
  index = t.checkedIndex(index, t.sizesOf(x)[*dim], "index_select");
  if (!index)
    return nullptr;
  TensorValue *taken = t.take(x, *dim, index, !t.checksIndices);
  return isNumber && taken ? t.reshape(taken, {}, false) : taken;
}

static PyValue narrowOf(TorchLibrary &t, ArrayRef<PyValue> a) {
  TensorValue *x = t.tensorArg(a[0], "narrow");
  std::optional<int64_t> dim = x ? t.dimArg(a[1], t.rankOf(x)) : std::nullopt;
  std::optional<Expr> start = dim ? t.sizeArg(a[2], "start") : std::nullopt;
  std::optional<Expr> length = start ? t.sizeArg(a[3], "length") : std::nullopt;
  if (!length)
    return nullptr;
  std::string negative = "narrow(): length must be non-negative.";
  if (!t.solver.require(index::ge(*length, 0), negative))
    return t.machine->raise("RuntimeError", negative);
  Expr total = t.sizesOf(x)[*dim];
  std::string message = "start (" + start->str() + ") + length (" + length->str() +
                        ") exceeds dimension size (" + total.str() + ").";
  Expr from = t.solver.decideSign(*start, message) ? *start : *start + total;
  if (!t.solver.require(index::le(from + *length, total), message) ||
      !t.solver.require(index::ge(from, 0), message))
    return t.machine->raise("RuntimeError", message);
  return t.narrow(x, *dim, from, 1, *length);
}

static PyValue embeddingOf(TorchLibrary &t, ArrayRef<PyValue> a) {
  TensorValue *index = t.tensorArg(a[0], "embedding");
  TensorValue *weight = index ? t.tensorArg(a[1], "embedding") : nullptr;
  if (!weight)
    return nullptr;
  index = t.checkedIndex(index, t.sizesOf(weight)[0], "embedding");
  if (!index)
    return nullptr;
  if (!isa<NoneObject>(a[3]) &&
      !t.machine->call(t.lookup("prims", "renormalise"), {weight, index, a[3], a[4]}))
    return nullptr;
  TensorValue *rows = t.take(weight, 0, index, !t.checksIndices);
  return t.gradients && rows ? t.embeddingWithGradient(rows, weight, index, a) : rows;
}

void TorchLibrary::defineIndexing() {
  define("torch Tensor", "gather", "(input, dim, index, *, sparse_grad=False, out=None)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return gatherOf(t, a, true); });
  define("prims", "gather", "(input, dim, index)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return gatherOf(t, a, false); });
  define("torch Tensor", "index_select", "(input, dim, index, *, out=None)", indexSelect);
  define("torch Tensor", "select", "(input, dim, index)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           TensorValue *x = t.tensorArg(a[0], "select");
           std::optional<int64_t> dim = x ? t.dimArg(a[1], t.rankOf(x)) : std::nullopt;
           return dim ? t.select(x, *dim, a[2]) : nullptr;
         });
  define("torch Tensor", "narrow", "(input, dim, start, length)", narrowOf);
  define("prims", "slice", "(input, dim, start, length, step=1)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           auto *x = cast<TensorValue>(a[0]);
           std::optional<int64_t> dim = t.dimArg(a[1], t.rankOf(x));
           std::optional<Expr> start = dim ? t.sizeArg(a[2], "start") : std::nullopt;
           std::optional<Expr> length = start ? t.sizeArg(a[3], "length") : std::nullopt;
           std::optional<int64_t> step = length ? t.intArg(a[4], "step") : std::nullopt;
           return step ? t.narrow(x, *dim, *start, *step, *length) : nullptr;
         });
  define("F", "embedding",
         "(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, "
         "scale_grad_by_freq=False, sparse=False)",
         embeddingOf);
}

} // namespace nereid::torch
