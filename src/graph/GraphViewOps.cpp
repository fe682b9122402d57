// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nereid::graph;
using nereid::index::Expr;
using Tensor = nereid::graph::TensorType;

#define GET_OP_CLASSES
#include "graph/GraphViewOps.cpp.inc"

namespace {

/// An error unless the types have equal element types.
LogicalResult sameElements(Operation *op, StringRef constraint, Tensor a, Tensor b) {
  if (a.getElementType() == b.getElementType())
    return success();
  return op->emitOpError(constraint)
         << ": element types differ: " << a.getElementType() << " and " << b.getElementType();
}

/// An error unless `dim` is an axis and all other sizes are equal.
LogicalResult sameSizesBut(Operation *op, StringRef constraint, Tensor a, Tensor b, int64_t dim) {
  if (dim < 0 || dim >= a.getRank())
    return op->emitOpError(constraint)
           << ": axis " << dim << " does not lie within rank " << a.getRank();
  if (a.getRank() != b.getRank())
    return op->emitOpError(constraint)
           << ": ranks differ: " << a.getRank() << " and " << b.getRank();
  for (int64_t axis = 0; axis < a.getRank(); ++axis)
    if (axis != dim && a.getSizes()[axis] != b.getSizes()[axis])
      return op->emitOpError(constraint)
             << ": sizes differ along axis " << axis << ": " << a << " and " << b;
  return success();
}

} // namespace

LogicalResult ConstantOp::verify() {
  Tensor type = getResult().getType();
  if (type.getRank() != 0)
    return emitOpError("c1: the result has rank ") << type.getRank() << ", not 0";
  if (isa<FloatType>(type.getElementType()) != isa<FloatAttr>(getValue()))
    return emitOpError("c2: ") << getValue() << " does not fit " << type.getElementType();
  return success();
}

LogicalResult SizeOp::verify() {
  Tensor type = getResult().getType();
  if (type.getRank() != 0 || !type.getElementType().isInteger(64))
    return emitOpError("c1: the result is a tensor of rank 0 and i64, found ") << type;
  return success();
}

LogicalResult IotaOp::verify() {
  Tensor type = getResult().getType();
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank())
    return emitOpError("c1: axis ") << dim << " does not lie within rank " << type.getRank();
  return success();
}

LogicalResult BroadcastOp::verify() {
  Tensor input = getInput().getType(), result = getResult().getType();
  ArrayRef<int64_t> dims = getDims();
  if (dims.size() != static_cast<size_t>(input.getRank()))
    return emitOpError("c1: ") << dims.size() << " axes are named for an input of rank "
                               << input.getRank();
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= result.getRank() || (axis && dims[axis - 1] >= dim))
      return emitOpError("c1: axes must increase and lie within rank ")
             << result.getRank() << ", found [" << dims << "]";
    Expr from = input.getSizes()[axis], to = result.getSizes()[dim];
    if (from != to && !from.isConstant(1))
      return emitOpError("c2: size ")
             << from.str() << " of axis " << axis << " is neither 1 nor " << to.str();
  }
  return sameElements(*this, "c2", input, result);
}

LogicalResult TransposeOp::verify() {
  Tensor input = getInput().getType(), result = getResult().getType();
  ArrayRef<int64_t> order = getOrder();
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, input.getRank())))
    return emitOpError("c1: [") << order << "] is no permutation of " << input.getRank() << " axes";
  if (result.getRank() != input.getRank())
    return emitOpError("c2: ranks differ: ") << input.getRank() << " and " << result.getRank();
  for (auto [axis, from] : llvm::enumerate(order))
    if (result.getSizes()[axis] != input.getSizes()[from])
      return emitOpError("c2: axis ") << axis << " of the result is axis " << from
                                      << " of the input, but their sizes differ";
  return sameElements(*this, "c2", input, result);
}

LogicalResult ReshapeOp::verify() {
  Tensor input = getInput().getType(), result = getResult().getType();
  if (failed(sameElements(*this, "c1", input, result)))
    return failure();
  auto &context = getContext()->getLoadedDialect<sym::SymDialect>()->getIndexContext();
  Expr difference =
      index::product(context, input.getSizes()) - index::product(context, result.getSizes());
  if (auto value = difference.getConstant(); value && *value != 0)
    return emitOpError("c2: the numbers of elements differ: ") << input << " and " << result;
  return success();
}

LogicalResult SliceOp::verify() {
  if (getStep() < 1)
    return emitOpError("c1: step ") << getStep() << " is less than 1";
  Tensor input = getInput().getType(), result = getResult().getType();
  if (failed(sameSizesBut(*this, "c2", input, result, getDim())))
    return failure();
  return sameElements(*this, "c2", input, result);
}

LogicalResult PadOp::verify() {
  Tensor input = getInput().getType(), result = getResult().getType();
  Tensor value = getValue().getType();
  if (value.getRank() != 0)
    return emitOpError("c1: the value has rank ") << value.getRank() << ", not 0";
  if (failed(sameElements(*this, "c1", input, value)) ||
      failed(sameSizesBut(*this, "c2", input, result, getDim())))
    return failure();
  return sameElements(*this, "c2", input, result);
}

LogicalResult FlipOp::verify() {
  ArrayRef<int64_t> dims = getDims();
  int64_t rank = getInput().getType().getRank();
  for (auto [place, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= rank || llvm::is_contained(dims.take_front(place), dim))
      return emitOpError("c1: axes must be distinct and lie within rank ")
             << rank << ", found [" << dims << "]";
  return success();
}

/// Whether an expression is zero where all sizes have many divisors. A program's checks may demand
/// divisibility (of what it splits in halves, over and over), and its types rely on them.
static bool isZeroWhereDivisible(Expr expr) {
  // Products of several of the larger sizes have no value.
  constexpr int64_t divisible = 5040, manyHalves = divisible << 16;
  return llvm::any_of(llvm::ArrayRef<int64_t>{divisible, manyHalves}, [&](int64_t least) {
    DenseMap<Expr, int64_t> sizes;
    nereid::index::forEachSymbol(expr, [&](Expr symbol) {
      int64_t place = static_cast<int64_t>(sizes.size());
      sizes[symbol] = least * (place + 1) * (place + 1);
    });
    return nereid::index::evaluate(expr, sizes) == 0;
  });
}

LogicalResult ConcatOp::verify() {
  Tensor result = getResult().getType();
  if (getInputs().empty())
    return emitOpError("c1: there is no input");
  Expr total;
  for (Value input : getInputs()) {
    auto type = cast<Tensor>(input.getType());
    if (failed(sameSizesBut(*this, "c2", type, result, getDim())) ||
        failed(sameElements(*this, "c2", type, result)))
      return failure();
    Expr size = type.getSizes()[getDim()];
    total = total ? total + size : size;
  }
  if (!isZeroWhereDivisible(total - result.getSizes()[getDim()]))
    return emitOpError("c2: the sizes along axis ")
           << getDim() << " add up to " << total.str() << ", not "
           << result.getSizes()[getDim()].str();
  return success();
}

LogicalResult GatherOp::verify() {
  Tensor input = getInput().getType(), result = getResult().getType();
  if (getIndices().getType().getSizes() != result.getSizes())
    return emitOpError("c1: the indices have other sizes than the result");
  if (failed(sameSizesBut(*this, "c2", input, result, getDim())))
    return failure();
  return sameElements(*this, "c2", input, result);
}

LogicalResult WindowOp::verify() {
  Tensor input = getInput().getType(), result = getResult().getType();
  int64_t dim = getDim();
  if (getStep() < 1)
    return emitOpError("c1: the step is ") << getStep() << ", not at least 1";
  if (dim < 0 || dim >= input.getRank() || result.getRank() != input.getRank() + 1)
    return emitOpError("c2: axis ")
           << dim << " of " << input << " does not become two in " << result;
  for (int64_t axis = 0; axis < input.getRank(); ++axis)
    if (axis != dim && input.getSizes()[axis] != result.getSizes()[axis + (axis > dim)])
      return emitOpError("c2: sizes differ along axis ")
             << axis << ": " << input << " and " << result;
  return sameElements(*this, "c2", input, result);
}
