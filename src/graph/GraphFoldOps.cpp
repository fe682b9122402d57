// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nereid::graph;

#define GET_OP_CLASSES
#include "graph/GraphFoldOps.cpp.inc"

static bool isArg(FoldKind kind) { return kind == FoldKind::Argmax || kind == FoldKind::Argmin; }

LogicalResult FoldOp::verify() {
  nereid::graph::TensorType input = getInput().getType();
  ArrayRef<int64_t> dims = getDims();
  for (auto [place, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= input.getRank() || (place && dims[place - 1] >= dim))
      return emitOpError("c1: axes must increase and lie within rank ")
             << input.getRank() << ", found [" << dims << "]";
  if (isArg(getKind()) && dims.size() != 1)
    return emitOpError("c1: ") << stringifyFoldKind(getKind()) << " takes one axis, found "
                               << dims.size();
  SmallVector<nereid::index::Expr> sizes;
  for (auto [axis, size] : llvm::enumerate(input.getSizes()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(axis)))
      sizes.push_back(size);
  nereid::graph::TensorType result = getResult().getType();
  if (result.getSizes() != ArrayRef(sizes))
    return emitOpError("c2: the result's sizes are those of the axes that stay, found ") << result;
  Type bit = IntegerType::get(getContext(), 1), index = IntegerType::get(getContext(), 64);
  if (getKind() == FoldKind::Logsum)
    return emitOpError("c4: logsum is the kind of a scan, not of a fold");
  bool logical = getKind() == FoldKind::Any || getKind() == FoldKind::All;
  if (logical && input.getElementType() != bit)
    return emitOpError("c3: any and all take bool, found ") << input.getElementType();
  Type expected = isArg(getKind()) ? index : input.getElementType();
  if (result.getElementType() != expected)
    return emitOpError("c3: the result's element type is ")
           << expected << ", found " << result.getElementType();
  return success();
}

LogicalResult ScanOp::verify() {
  int64_t rank = getInput().getType().getRank(), dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError("c1: axis ") << dim << " does not lie within rank " << rank;
  if (getKind() == FoldKind::Logsum && !isa<FloatType>(getInput().getType().getElementType()))
    return emitOpError("c2: logsum is of floats, found ") << getInput().getType().getElementType();
  if (getKind() > FoldKind::Min && getKind() != FoldKind::Logsum)
    return emitOpError("c2: a scan is a sum, prod, max, min or logsum, found ")
           << stringifyFoldKind(getKind());
  if (getResets() && getResets().getType().getSizes() != getInput().getType().getSizes())
    return emitOpError("c3: the sizes of ")
           << getResets().getType() << " are not those of " << getInput().getType();
  return success();
}

LogicalResult SortOp::verify() {
  nereid::graph::TensorType input = getInput().getType(), values = getValues().getType(),
                            indices = getIndices().getType();
  int64_t rank = input.getRank(), dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError("c1: axis ") << dim << " does not lie within rank " << rank;
  if (values.getSizes() != indices.getSizes())
    return emitOpError("c2: the results have different sizes: ") << values << " and " << indices;
  if (values.getRank() != rank)
    return emitOpError("c2: the results have rank ") << values.getRank() << ", not " << rank;
  for (int64_t axis = 0; axis < rank; ++axis) {
    nereid::index::Expr from = input.getSizes()[axis], to = values.getSizes()[axis];
    std::optional<int64_t> missing = axis == dim ? (from - to).getConstant() : std::nullopt;
    if (axis == dim ? missing && *missing < 0 : from != to)
      return emitOpError("c2: axis ") << axis << " of the input has size " << from.str()
                                      << ", that of the results " << to.str();
  }
  if (values.getElementType() != input.getElementType() || !indices.getElementType().isInteger(64))
    return emitOpError("c3: the values are ")
           << input.getElementType() << " and the indices i64, found " << values.getElementType()
           << " and " << indices.getElementType();
  return success();
}

LogicalResult RandomOp::verify() {
  nereid::graph::TensorType seed = getSeed().getType(), result = getResult().getType();
  if (seed.getRank() != 0 || !seed.getElementType().isInteger(64))
    return emitOpError("c1: the seed is a tensor of rank 0 and i64, found ") << seed;
  Type element = result.getElementType();
  bool isBits = getKind() == RandomKind::Bits;
  if (isBits ? !element.isUnsignedInteger(32) : !element.isF32())
    return emitOpError("c2: ") << stringifyRandomKind(getKind()) << " gives "
                               << (isBits ? "ui32" : "f32") << ", found " << element;
  std::optional<int64_t> stream = getStream().getExpr().getConstant();
  if (stream && (*stream < 0 || *stream > (int64_t(1) << 22)))
    return emitOpError("c3: stream ") << *stream << " does not lie within 0 and 2^22";
  return success();
}
