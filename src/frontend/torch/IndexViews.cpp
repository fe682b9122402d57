// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views whose places are computed: diagonals and sliding windows; and what the preludes need of
// places and shapes (prims.take, prims.match).
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

mlir::Value TorchLibrary::takeValue(mlir::Value from, int64_t dim, mlir::Value places) {
  Sizes flat = writer.sizes(from), index = writer.sizes(places);
  Sizes to(flat.begin(), flat.begin() + dim);
  to.append(index.begin(), index.end());
  to.append(flat.begin() + dim + 1, flat.end());
  // The gather needs input and indices of one rank: axes of the indices are flattened to one.
  flat[dim] = solver.resolve(index::product(solver.getContext(), index));
  places = writer.broadcast(writer.reshape(places, {flat[dim]}), {dim}, flat);
  return writer.reshape(writer.gather(from, places, dim), to);
}

TensorValue *TorchLibrary::take(TensorValue *input, int64_t dim, TensorValue *indices, bool wraps) {
  mlir::Value places = writer.cast(read(indices), DType::I64);
  if (wraps) {
    Expr size = sizesOf(input)[dim];
    places = countFromStart(places, size);
    if (!places)
      return nullptr;
    places = checkedIndex(places, size, "indexing");
  }
  return wrap(takeValue(read(input), dim, places));
}

TensorValue *TorchLibrary::pick(TensorValue *tensor, int64_t dim, TensorValue *index) {
  Expr size = sizesOf(tensor)[dim];
  mlir::Value place = countFromStart(writer.cast(read(index), DType::I64), size);
  if (!place)
    return nullptr;
  ViewStep step(ViewStep::Pick);
  step.dim = dim;
  step.place = checkedIndex(place, size, "indexing");
  return view(tensor, step);
}

mlir::Value TorchLibrary::scatterPick(mlir::Value base, const ViewStep &step, mlir::Value value) {
  PyValue result =
      machine->call(lookup("prims", "store_at"),
                    {wrap(base), machine->makeInt(step.dim), wrap(step.place), wrap(value)});
  auto *stored = dyn_cast_if_present<TensorValue>(result);
  return stored ? read(stored) : mlir::Value();
}

/// Whether indices, or what they are a view of, were checked against a size.
static bool isChecked(const DenseMap<mlir::Value, Expr> &checked, mlir::Value indices, Expr size) {
  while (true) {
    if (checked.lookup(indices) == size)
      return true;
    mlir::Operation *op = indices.getDefiningOp();
    if (!isa_and_nonnull<graph::ReshapeOp, graph::BroadcastOp, graph::TransposeOp>(op))
      return false;
    indices = op->getOperand(0);
  }
}

mlir::Value TorchLibrary::checkedIndex(mlir::Value indices, Expr size, StringRef what) {
  size = solver.resolve(size);
  if (!checksIndices || isChecked(checkedIndices, indices, size))
    return indices;
  indices = writer.cast(indices, DType::I64);
  mlir::Value bound = writer.broadcastTo(writer.size(size), writer.sizes(indices));
  mlir::Value checked = graph::CheckIndexOp::create(writer.builder, writer.place, indices, bound,
                                                    writer.builder.getStringAttr(what));
  checkedIndices[checked] = size;
  return checked;
}

std::optional<PlaceRange> TorchLibrary::rangeOfPlaces(mlir::Value places) {
  return findRangeOfPlaces(places, solver.getContext(),
                           [&](Pred pred) { return solver.truth(pred); });
}

bool TorchLibrary::requireInside(mlir::Value places, Expr size, bool wraps) {
  std::optional<PlaceRange> range = rangeOfPlaces(places);
  size = solver.resolve(size);
  std::string message = "index out of range along an axis of " + size.str() + " elements";
  Expr least = wraps ? -size : solver.getContext().constant(0);
  if (!range || (solver.require(index::lt(range->greatest, size), message) &&
                 solver.require(index::ge(range->least, least), message)))
    return true;
  machine->raise("IndexError", message);
  return false;
}

mlir::Value TorchLibrary::countFromStart(mlir::Value places, Expr size) {
  if (!requireInside(places, size, /*wraps=*/true))
    return {};
  std::optional<PlaceRange> range = rangeOfPlaces(places);
  if (range && solver.truth(index::ge(range->least, 0)) == index::Truth::True)
    return places;
  Sizes sizes = writer.sizes(places);
  mlir::Value end = writer.broadcastTo(writer.size(size), sizes);
  mlir::Value zero = writer.broadcastTo(writer.integer(DType::I64, 0), sizes);
  return writer.where(writer.test("lt", {places, zero}), writer.pointwise("add", {places, end}),
                      places);
}

TensorValue *TorchLibrary::checkedIndex(TensorValue *indices, Expr size, StringRef what) {
  if (!requireInside(read(indices), size, /*wraps=*/false))
    return nullptr;
  return checksIndices ? wrap(checkedIndex(read(indices), size, what)) : indices;
}

/// iota along an axis plus a size.
static mlir::Value countedFrom(GraphWriter &writer, int64_t dim, ArrayRef<Expr> sizes, Expr start) {
  mlir::Value at = writer.iota(dim, sizes, DType::I64);
  if (start.isConstant(0))
    return at;
  return writer.pointwise("add", {at, writer.broadcastTo(writer.size(start), sizes)});
}

mlir::Value TorchLibrary::applyDiagonal(mlir::Value value, const ViewStep &step) {
  int64_t rank = writer.rank(value);
  value = writer.slice(value, rank - 2, step.start, 1, step.size);
  Sizes sizes = writer.sizes(value);
  Sizes column = sizes;
  column[rank - 1] = writer.constantSize(1);
  mlir::Value places = countedFrom(writer, rank - 2, column, step.sizes[0]);
  column.pop_back();
  return writer.reshape(writer.gather(value, places, rank - 1), column);
}

mlir::Value TorchLibrary::scatterDiagonal(mlir::Value base, const ViewStep &step,
                                          mlir::Value value) {
  Sizes sizes = writer.sizes(base), rows = sizes;
  int64_t rank = sizes.size();
  mlir::Value row = countedFrom(writer, rank - 2, sizes, -step.start);
  mlir::Value column = countedFrom(writer, rank - 1, sizes, -step.sizes[0]);
  rows[rank - 2] = step.size;
  SmallVector<int64_t> axes = to_vector(seq<int64_t>(0, rank - 1));
  mlir::Value spread = writer.broadcast(value, axes, rows);
  mlir::Value inside = writer.pointwise(
      "and", {writer.test("ge", {row, writer.broadcastTo(writer.integer(DType::I64, 0), sizes)}),
              writer.test("lt", {row, writer.broadcastTo(writer.size(step.size), sizes)})});
  mlir::Value hit = writer.pointwise("and", {writer.test("eq", {row, column}), inside});
  Expr after = solver.resolve(sizes[rank - 2] - step.start - step.size);
  return writer.where(
      hit, writer.pad(spread, writer.zero(writer.dtype(value)), rank - 2, step.start, after), base);
}

mlir::Value TorchLibrary::applyWindow(mlir::Value value, const ViewStep &step) {
  mlir::Value windows = writer.window(value, step.dim, step.step, step.sizes[0], step.size);
  SmallVector<int64_t> order = to_vector(seq<int64_t>(0, writer.rank(windows)));
  order.erase(order.begin() + step.dim + 1);
  order.push_back(step.dim + 1);
  return writer.transpose(windows, order);
}

static PyValue diagonalOf(TorchLibrary &t, ArrayRef<PyValue> a) {
  TensorValue *x = t.tensorArg(a[0], "diagonal");
  int64_t rank = x ? t.rankOf(x) : 0;
  std::optional<Expr> offset = x ? t.sizeArg(a[1], "offset") : std::nullopt;
  std::optional<int64_t> first = offset ? t.dimArg(a[2], rank) : std::nullopt;
  std::optional<int64_t> second = first ? t.dimArg(a[3], rank) : std::nullopt;
  if (!second)
    return nullptr;
  if (*first == *second)
    return t.machine->raise("RuntimeError", "diagonal dimensions cannot be identical " +
                                                Twine(*first) + ", " + Twine(*second));
  SmallVector<int64_t> order;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != *first && axis != *second)
      order.push_back(axis);
  order.append({*first, *second});
  x = t.permute(x, order);
  Sizes sizes = t.sizesOf(x);
  Expr zero = t.writer.constantSize(0);
  std::string message = "the offset " + offset->str() + " of a diagonal";
  bool above = t.solver.decideSign(*offset, message, true);
  ViewStep step{ViewStep::Diagonal};
  step.start = above ? zero : -*offset;
  step.sizes = {above ? *offset : zero};
  Expr rows = t.solver.resolve(sizes[rank - 2] - step.start);
  Expr columns = t.solver.resolve(sizes[rank - 1] - step.sizes[0]);
  std::optional<bool> wide = t.decide(index::le(rows, columns), t.userLocation());
  if (!wide)
    return nullptr;
  step.size = *wide ? rows : columns;
  if (!t.solver.decide(index::ge(step.size, 0), message + " lies outside of the matrix"))
    step.size = zero;
  return t.view(x, step);
}

static PyValue windowsOf(TorchLibrary &t, ArrayRef<PyValue> a) {
  TensorValue *x = t.tensorArg(a[0], "unfold");
  std::optional<int64_t> dim = x ? t.dimArg(a[1], t.rankOf(x)) : std::nullopt;
  std::optional<Expr> size = dim ? t.sizeArg(a[2], "size") : std::nullopt;
  std::optional<int64_t> every = size ? t.intArg(a[3], "step") : std::nullopt;
  if (!every)
    return nullptr;
  if (*every <= 0)
    return t.machine->raise("RuntimeError", "step is " + Twine(*every) + " but must be > 0");
  // A number has one window, whose places are its only axis.
  bool isNumber = t.rankOf(x) == 0;
  if (isNumber)
    x = t.unsqueeze(x, 0);
  Expr total = t.sizesOf(x)[*dim];
  std::string message = "maximum size for tensor at dimension " + std::to_string(*dim) + " is " +
                        total.str() + " but size is " + size->str();
  if (!t.solver.require(index::le(*size, total), message))
    return t.machine->raise("RuntimeError", message);
  ViewStep step{ViewStep::Window};
  step.dim = *dim;
  step.step = *every;
  step.size = *size;
  step.sizes = {t.solver.resolve(index::floordiv(total - *size, *every) + 1)};
  TensorValue *windows = t.view(x, step);
  return isNumber && windows ? t.select(windows, 0, t.machine->makeInt(0)) : windows;
}

void TorchLibrary::defineIndexViews() {
  define("torch Tensor", "diagonal", "(input, offset=0, dim1=0, dim2=1)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return diagonalOf(t, a); });
  define("Tensor", "unfold", "(self, dimension, size, step)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) { return windowsOf(t, a); });
  // x.index_select(dim, index) for an index of any rank, within the axis.
  define("prims", "take", "(input, dim, index)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           TensorValue *x = t.tensorArg(a[0], "take");
           TensorValue *index = x ? t.tensorArg(a[2], "take") : nullptr;
           std::optional<int64_t> dim = index ? t.dimArg(a[1], t.rankOf(x)) : std::nullopt;
           return dim ? t.take(x, *dim, index, false) : nullptr;
         });
  // Indices that are data, which PyTorch wants to lie within an axis of this size.
  define("prims", "check_index", "(index, size, what)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           TensorValue *index = t.tensorArg(a[0], "check_index");
           std::optional<Expr> size = index ? t.sizeArg(a[1], "size") : std::nullopt;
           return size ? t.checkedIndex(index, *size, cast<StrObject>(a[2])->text) : nullptr;
         });
  // Whether two shapes can be equal; from now on they are.
  define("prims", "match", "(a, b)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    std::optional<Sizes> x = t.sizesArg(a[0]), y = x ? t.sizesArg(a[1]) : x;
    if (!y)
      return nullptr;
    bool equal = x->size() == y->size();
    for (size_t axis = 0; equal && axis < x->size(); ++axis)
      equal = t.equateOrFix((*x)[axis], (*y)[axis]);
    return t.machine->makeBool(equal);
  });
}

} // namespace nereid::torch
