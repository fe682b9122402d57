// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primitives that rearrange: views, which share their storage, and copies (cat, flip, pad).
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// Of a view() that PyTorch refuses for contiguous tensors (ViewStrides.cpp).
void warnOfCopiedView(TorchLibrary &t, const TensorValue *tensor, ArrayRef<Expr> sizes);

TensorValue *TorchLibrary::permute(TensorValue *tensor, ArrayRef<int64_t> order) {
  ViewStep step{ViewStep::Transpose};
  step.axes.assign(order.begin(), order.end());
  return view(tensor, step);
}

TensorValue *TorchLibrary::unsqueeze(TensorValue *tensor, int64_t dim) {
  ViewStep step{ViewStep::Broadcast};
  step.sizes = sizesOf(tensor);
  for (int64_t axis = 0, rank = step.sizes.size(); axis < rank; ++axis)
    step.axes.push_back(axis + (axis >= dim));
  step.sizes.insert(step.sizes.begin() + dim, writer.constantSize(1));
  return view(tensor, step);
}

TensorValue *TorchLibrary::squeeze(TensorValue *tensor, ArrayRef<int64_t> dims) {
  ViewStep step{ViewStep::Reshape};
  for (auto [axis, size] : enumerate(sizesOf(tensor))) {
    bool isAsked = is_contained(dims, static_cast<int64_t>(axis));
    // Whether the call drops the axis hangs on its size: the emitted file takes the usual ones.
    Pred isKept = index::notOf(index::eq(size, 1));
    if (!isAsked || solver.decide(isKept, "squeeze: this axis is dropped where its size is 1"))
      step.sizes.push_back(size);
  }
  return view(tensor, step);
}

TensorValue *TorchLibrary::expand(TensorValue *tensor, ArrayRef<Expr> sizes) {
  Sizes own = sizesOf(tensor);
  int64_t extra = static_cast<int64_t>(sizes.size()) - static_cast<int64_t>(own.size());
  if (extra < 0) {
    machine->raise("RuntimeError", "expand: the number of sizes provided (" + Twine(sizes.size()) +
                                       ") must be greater or equal to the number of dimensions in "
                                       "the tensor (" +
                                       Twine(own.size()) + ")");
    return nullptr;
  }
  for (auto [axis, size] : enumerate(sizes.take_front(extra)))
    if (size.isConstant(-1)) {
      machine->raise("RuntimeError", "The expanded size of the tensor (-1) isn't allowed in a "
                                     "leading, non-existing dimension " +
                                         Twine(axis));
      return nullptr;
    }
  ViewStep step{ViewStep::Broadcast};
  step.sizes.assign(sizes.begin(), sizes.end());
  for (auto [axis, size] : enumerate(own)) {
    Expr &to = step.sizes[axis + extra];
    step.axes.push_back(static_cast<int64_t>(axis) + extra);
    if (to.isConstant(-1) || (!size.isConstant(1) && solver.equate(size, to))) {
      to = solver.resolve(size);
      continue;
    }
    if (size.isConstant(1) || isDerivedOne(size, to))
      continue;
    machine->raise("RuntimeError", "The expanded size of the tensor (" + to.str() +
                                       ") must match the existing size (" + size.str() +
                                       ") at non-singleton dimension " + Twine(axis + extra));
    return nullptr;
  }
  return view(tensor, step);
}

static void raiseShape(TorchLibrary &t, Expr total) {
  std::optional<int64_t> typical = t.solver.hint(total);
  std::string known = typical && !total.isConstant() ? " (" + std::to_string(*typical) + ")" : "";
  t.machine->raise("RuntimeError", "shape is invalid for input of size " + total.str() + known);
}

/// Axes that a reshape joins, and those that it makes of them.
using AxisGroup = std::pair<Expr, Expr>;

/// The groups from one end on, up to the axis of `to` that is -1, where the typical sizes say which
/// axes they are; how many axes of `from` they have, nothing where the sizes do not tell.
static std::optional<size_t> addGroups(SizeSolver &solver, ArrayRef<Expr> from, ArrayRef<Expr> to,
                                       SmallVectorImpl<AxisGroup> &groups) {
  size_t next = 0, end = 0;
  while (end < to.size()) {
    if (next == from.size())
      return std::nullopt;
    Expr own = from[next++], wanted = to[end++];
    while (true) {
      std::optional<int64_t> a = solver.hint(own), b = solver.hint(wanted);
      if (!a || !b || *a == 0)
        return std::nullopt;
      if (a == b)
        break;
      if (*a < *b && next < from.size())
        own = own * from[next++];
      else if (*a > *b && end < to.size())
        wanted = wanted * to[end++];
      else
        return std::nullopt;
    }
    groups.push_back({own, wanted});
  }
  return next;
}

/// `pages[table].reshape(b, -1, h, d)`: where the sizes that are given are typically those of the
/// first and the last axes, they are these, and what lies between becomes one.
void TorchLibrary::alignEnds(ArrayRef<Expr> from, ArrayRef<Expr> to, size_t open) {
  SmallVector<AxisGroup> groups;
  std::optional<size_t> first = addGroups(solver, from, to.take_front(open), groups);
  if (!first)
    return;
  SmallVector<Expr> ownEnd(reverse(from.drop_front(*first)));
  SmallVector<Expr> wantedEnd(reverse(to.drop_front(open + 1)));
  if (!addGroups(solver, ownEnd, wantedEnd, groups))
    return;
  for (auto [own, wanted] : groups) {
    Expr number = own.isConstant() ? own : wanted, size = own.isConstant() ? wanted : own;
    if (!number.isConstant() || size.isConstant()) {
      equateOrFix(own, wanted);
      continue;
    }
    SizeSolver::State before = solver.save();
    size_t told = fixedSizes.size();
    std::string reason = "an axis of " + size.str() + " beside one of " + number.str();
    if (fixSize(size, greatestSize, reason))
      continue;
    solver.restore(std::move(before));
    fixedSizes.resize(told);
  }
}

TensorValue *TorchLibrary::reshape(TensorValue *tensor, ArrayRef<PyValue> shape, bool isView) {
  ViewStep step{ViewStep::Reshape};
  Expr total = solver.resolve(index::product(solver.getContext(), sizesOf(tensor)));
  Expr known = writer.constantSize(1);
  int64_t open = -1;
  for (auto [axis, item] : enumerate(shape)) {
    std::optional<Expr> size = sizeArg(item, "a size");
    if (!size)
      return nullptr;
    if (size->isConstant(-1)) {
      if (open >= 0) {
        machine->raise("RuntimeError", "only one dimension can be inferred");
        return nullptr;
      }
      open = axis;
    } else {
      known = known * *size;
    }
    step.sizes.push_back(*size);
  }
  known = solver.resolve(known);
  // view(n, -1) with the size of another tensor: the typical sizes say which axis it is.
  if (open >= 0 && solver.resolve(index::floordiv(total, known) * known) != total) {
    alignEnds(sizesOf(tensor), step.sizes, open);
    known = solver.resolve(known);
    total = solver.resolve(total);
  }
  if (solver.resolve(index::floordiv(total, known) * known) != total) {
    solver.alignByHints(known, total);
    known = solver.resolve(known);
    total = solver.resolve(total);
  }
  if (open >= 0 && solver.resolve(index::floordiv(total, known) * known) != total) {
    solver.alignGroups(sizesOf(tensor), step.sizes);
    known = solver.resolve(known);
    total = solver.resolve(total);
  }
  std::string asked = ("the shape of a reshape does not hold " + total.str() + " elements");
  if (open >= 0) {
    Expr size = known.isConstant(0) ? known : index::floordiv(total, known);
    // What is left of the division when equal factors have gone.
    bool isLess = size.getKind() == index::ExprKind::FloorDiv;
    Pred fits = isLess ? index::divisible(size.getOperands()[0], size.getOperands()[1])
                       : index::divisible(total, known);
    if (solver.resolve(size * known) != total &&
        (known.isConstant(0) || !solver.require(fits, asked))) {
      raiseShape(*this, total);
      return nullptr;
    }
    step.sizes[open] = solver.resolve(size);
  } else if (known != total && !solver.equate(known, total) &&
             !solver.require(index::eq(known, total), asked)) {
    raiseShape(*this, solver.resolve(total));
    return nullptr;
  }
  for (Expr &size : step.sizes)
    size = solver.resolve(size);
  if (isView && !tensor->storage->rows)
    warnOfCopiedView(*this, tensor, step.sizes);
  // A loop knows how it sees the rows that it writes.
  return isView || tensor->storage->rows ? view(tensor, step) : shareOrCopy(tensor, step.sizes);
}

static PyValue permuteTo(TorchLibrary &t, PyValue input, PyValue dims) {
  TensorValue *x = t.tensorArg(input, "permute");
  if (!x)
    return nullptr;
  SmallVector<int64_t> order;
  for (PyValue item : t.listArg(dims)) {
    std::optional<int64_t> dim = t.dimArg(item, t.rankOf(x));
    if (!dim)
      return nullptr;
    if (is_contained(order, *dim))
      return t.machine->raise("RuntimeError", "permute(dims): duplicate dims are not allowed.");
    order.push_back(*dim);
  }
  if (static_cast<int64_t>(order.size()) != t.rankOf(x))
    return t.machine->raise("RuntimeError",
                            "permute(sparse_coo): number of dimensions in the tensor input does "
                            "not match the length of the desired ordering of dimensions i.e. "
                            "input.dim() = " +
                                Twine(t.rankOf(x)) +
                                " is not equal to len(dims) = " + Twine(order.size()));
  return t.permute(x, order);
}

static PyValue swap(TorchLibrary &t, PyValue input, PyValue a, PyValue b) {
  TensorValue *x = t.tensorArg(input, "transpose");
  std::optional<int64_t> i = x ? t.dimArg(a, t.rankOf(x)) : std::nullopt;
  std::optional<int64_t> j = i ? t.dimArg(b, t.rankOf(x)) : std::nullopt;
  if (!j)
    return nullptr;
  auto order = to_vector(seq<int64_t>(0, t.rankOf(x)));
  if (!order.empty())
    std::swap(order[*i], order[*j]);
  return t.permute(x, order);
}

static void defineShapes(TorchLibrary &library) {
  for (StringRef name : {"view", "reshape"})
    library.define("Tensor", name, name == "view" ? "(self, *size)" : "(self, *shape)",
                   [name](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     if (!x)
                       return nullptr;
                     SmallVector<PyValue> shape = t.listArg(a[1]);
                     if (shape.size() == 1 && isa<DTypeValue>(shape[0]))
                       return t.machine->refuse("view(dtype) is not supported",
                                                "write it with shifts and masks of integers");
                     return t.reshape(x, shape, name == "view");
                   });
  library.define("torch", "reshape", "(input, shape)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "reshape");
                   return x ? t.reshape(x, t.listArg(a[1])) : nullptr;
                 });
  library.define("Tensor", "expand", "(self, *size, implicit=False)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "expand");
                   std::optional<Sizes> sizes = x ? t.sizesArg(a[1]) : std::nullopt;
                   return sizes ? t.expand(x, *sizes) : nullptr;
                 });
  library.define("torch", "broadcast_to", "(input, size)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "broadcast_to");
                   std::optional<Sizes> sizes = x ? t.sizesArg(a[1]) : std::nullopt;
                   return sizes ? t.expand(x, *sizes) : nullptr;
                 });
  library.define("torch Tensor", "unsqueeze", "(input, dim)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "unsqueeze");
                   std::optional<int64_t> dim = x ? t.dimArg(a[1], t.rankOf(x) + 1) : std::nullopt;
                   return dim ? t.unsqueeze(x, *dim) : nullptr;
                 });
  library.define("torch Tensor", "squeeze", "(input, dim=None)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "squeeze");
                   // No axes are none here, and all of them where a fold is asked.
                   if (auto *none = dyn_cast<TupleObject>(a[1]); x && none && none->items.empty())
                     return x;
                   auto dims = x ? t.dimsArg(a[1], t.rankOf(x)) : std::nullopt;
                   return dims ? t.squeeze(x, *dims) : nullptr;
                 });
}

static void defineOrders(TorchLibrary &library) {
  library.define("torch", "permute", "(input, dims)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) { return permuteTo(t, a[0], a[1]); });
  library.define("Tensor", "permute", "(self, *dims)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) { return permuteTo(t, a[0], a[1]); });
  for (auto [name, axes] : {std::pair("transpose", "(input, dim0, dim1)"),
                            std::pair("swapaxes", "(input, axis0, axis1)"),
                            std::pair("swapdims", "(input, dim0, dim1)")})
    library.define("torch Tensor", name, axes,
                   [](TorchLibrary &t, ArrayRef<PyValue> a) { return swap(t, a[0], a[1], a[2]); });
  library.define("torch Tensor", "t", "(input)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "t");
                   if (!x || t.rankOf(x) < 2)
                     return x;
                   if (t.rankOf(x) > 2)
                     return t.machine->raise("RuntimeError",
                                             "t() expects a tensor with <= 2 dimensions, but self "
                                             "is " +
                                                 Twine(t.rankOf(x)) + "D");
                   return t.permute(x, {1, 0});
                 });
  library.define("torch Tensor", "flip", "(input, *dims)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "flip");
                   if (!x)
                     return nullptr;
                   SmallVector<PyValue> items = t.listArg(a[1]);
                   if (items.empty())
                     return t.wrap(t.read(x));
                   auto dims = t.dimsArg(t.machine->makeTuple(items), t.rankOf(x));
                   return dims ? t.wrap(t.writer.flip(t.read(x), *dims)) : nullptr;
                 });
}

/// The tensors of a list, cast to their common type.
static std::optional<SmallVector<TensorValue *>> tensorsOf(TorchLibrary &t, PyValue packed,
                                                           StringRef what) {
  std::optional<std::vector<PyValue>> items = t.machine->items(packed);
  if (!items)
    return std::nullopt;
  SmallVector<TensorValue *> tensors;
  SmallVector<Typed> types;
  for (PyValue item : *items) {
    TensorValue *tensor = t.tensorArg(item, what);
    if (!tensor)
      return std::nullopt;
    tensors.push_back(tensor);
    types.push_back({tensor->dtype, t.rankOf(tensor) ? Rank::Dimensions : Rank::Zero});
  }
  std::optional<DType> common = resultType(types);
  if (!common) {
    t.machine->raise("RuntimeError", what + "(): expected a non-empty list of Tensors");
    return std::nullopt;
  }
  for (TensorValue *&tensor : tensors)
    if (tensor->dtype != *common)
      tensor = t.wrap(t.writer.cast(t.read(tensor), *common));
  return tensors;
}

/// A value so many times, one behind the other.
static mlir::Value repeated(GraphWriter &writer, mlir::Value value, int64_t dim, int64_t times) {
  Sizes sizes = writer.sizes(value), several = sizes, joined = sizes;
  several.insert(several.begin() + dim, writer.constantSize(times));
  joined[dim] = writer.solver.resolve(sizes[dim] * times);
  SmallVector<int64_t> dims;
  for (int64_t axis = 0; axis < static_cast<int64_t>(sizes.size()); ++axis)
    dims.push_back(axis < dim ? axis : axis + 1);
  return writer.reshape(writer.broadcast(value, dims, several), joined);
}

static PyValue concatenate(TorchLibrary &t, PyValue packed, PyValue axis) {
  if (auto *grown = dyn_cast<GrownList>(machine::standIn(packed)))
    return t.joinGrown(grown, axis, false);
  auto tensors = tensorsOf(t, packed, "cat");
  if (!tensors)
    return nullptr;
  // PyTorch skips empty tensors of rank 1, whatever the others are.
  bool deep = any_of(*tensors, [&](TensorValue *x) { return t.rankOf(x) != 1; });
  if (deep)
    erase_if(*tensors,
             [&](TensorValue *x) { return t.rankOf(x) == 1 && t.sizesOf(x)[0].isConstant(0); });
  int64_t rank = t.rankOf(tensors->front());
  if (rank == 0)
    return t.machine->raise("RuntimeError",
                            "zero-dimensional tensor (at position 0) cannot be concatenated");
  std::optional<int64_t> dim = t.dimArg(axis, rank);
  if (!dim)
    return nullptr;
  for (TensorValue *tensor : *tensors) {
    if (t.rankOf(tensor) != rank)
      return t.machine->raise("RuntimeError", "Tensors must have same number of dimensions: got " +
                                                  Twine(rank) + " and " + Twine(t.rankOf(tensor)));
    for (int64_t other = 0; other < rank; ++other)
      if (other != *dim &&
          !t.solver.equate(t.sizesOf(tensors->front())[other], t.sizesOf(tensor)[other]))
        return t.machine->raise("RuntimeError",
                                "Sizes of tensors must match except in dimension " + Twine(*dim) +
                                    ". Expected size " + t.sizesOf(tensors->front())[other].str() +
                                    " but got size " + t.sizesOf(tensor)[other].str());
  }
  SmallVector<mlir::Value> values;
  for (TensorValue *tensor : *tensors)
    if (tensors->size() == 1 || !t.sizesOf(tensor)[*dim].isConstant(0))
      values.push_back(t.read(tensor));
  if (values.empty())
    values.push_back(t.read(tensors->front()));
  constexpr size_t fewCopies = 4;
  if (values.size() > fewCopies && all_equal(values))
    return t.wrap(repeated(t.writer, values.front(), *dim, values.size()));
  return t.wrap(t.writer.concat(values, *dim));
}

static PyValue stackTensors(TorchLibrary &t, PyValue packed, PyValue axis) {
  if (auto *grown = dyn_cast<GrownList>(machine::standIn(packed)))
    return t.joinGrown(grown, axis, true);
  auto tensors = tensorsOf(t, packed, "stack");
  std::optional<int64_t> dim =
      tensors ? t.dimArg(axis, t.rankOf(tensors->front()) + 1) : std::nullopt;
  if (!dim)
    return nullptr;
  SmallVector<PyValue> items;
  for (TensorValue *tensor : *tensors) {
    Sizes a = t.sizesOf(tensors->front()), b = t.sizesOf(tensor);
    bool equal = a.size() == b.size();
    for (size_t i = 0; equal && i < a.size(); ++i)
      equal = t.solver.equate(a[i], b[i]);
    if (!equal)
      return t.machine->raise("RuntimeError", "stack expects each tensor to be equal size");
    items.push_back(t.unsqueeze(tensor, *dim));
  }
  return concatenate(t, t.machine->makeTuple(items), t.machine->makeInt(*dim));
}

/// Pads the last axes by pairs of amounts, the last axis first.
static PyValue padTensor(TorchLibrary &t, ArrayRef<PyValue> a) {
  TensorValue *x = t.tensorArg(a[0], "pad");
  if (!x)
    return nullptr;
  SmallVector<PyValue> amounts = t.listArg(a[1]);
  int64_t rank = t.rankOf(x);
  if (amounts.size() % 2 || static_cast<int64_t>(amounts.size()) > 2 * rank)
    return t.machine->raise("RuntimeError",
                            "Padding length must be divisible by 2 and at most twice "
                            "the number of dimensions of the input.");
  PyValue fill = isa<NoneObject>(a[2]) ? t.machine->makeInt(0) : a[2];
  std::optional<Operand> fillOperand = t.operand(fill);
  if (!fillOperand)
    return nullptr;
  mlir::Value value = t.read(x), with = t.materialize(*fillOperand, x->dtype);
  for (size_t pair = 0; pair * 2 < amounts.size(); ++pair) {
    int64_t dim = rank - 1 - static_cast<int64_t>(pair);
    std::optional<Expr> low = t.sizeArg(amounts[2 * pair], "a pad");
    std::optional<Expr> high = low ? t.sizeArg(amounts[2 * pair + 1], "a pad") : std::nullopt;
    if (!high)
      return nullptr;
    Expr size = t.solver.resolve(t.writer.sizes(value)[dim] + *low + *high);
    if (!t.solver.require(index::ge(size, 0), "a pad leaves a negative size"))
      return t.machine->raise("RuntimeError", "The input size plus its padding is negative");
    value = t.writer.pad(value, with, dim, *low, *high);
  }
  return t.wrap(value);
}

void TorchLibrary::defineViews() {
  defineShapes(*this);
  defineOrders(*this);
  for (StringRef name : {"cat", "concat", "concatenate"})
    define("torch", name, "(tensors, dim=0, *, out=None)",
           [](TorchLibrary &t, ArrayRef<PyValue> a) { return concatenate(t, a[0], a[1]); });
  define("torch", "stack", "(tensors, dim=0, *, out=None)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return stackTensors(t, a[0], a[1]); });
  define("prims", "pad", "(input, pad, value=None)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return padTensor(t, a); });
}

} // namespace nereid::torch
