// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/Numbers.h"

#include "tile/TileDialect.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace mlir;

namespace nereid::upgrade {

Type dropAxisNames(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? RankedTensorType::get(tile.getShape(), tile.getElementType()) : type;
}

static ArrayRef<int64_t> shapeOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

Type Numbers::withShape(Type type, ArrayRef<int64_t> shape) const {
  Type element = getElementTypeOrSelf(type);
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

Number Numbers::intern(Node node) {
  std::vector<uint64_t> key{node.kind, uint64_t(node.type.getAsOpaquePointer()), node.name,
                            node.detail, uint64_t(node.value.getAsOpaquePointer())};
  key.insert(key.end(), node.axes.begin(), node.axes.end());
  key.push_back(~uint64_t(0));
  key.insert(key.end(), node.operands.begin(), node.operands.end());
  auto [place, isNew] = known.try_emplace(std::move(key), nodes.size());
  if (isNew) {
    for (Number operand : node.operands)
      node.newestLeaf = std::max(node.newestLeaf, nodes[operand].newestLeaf);
    if (node.kind == Leaf)
      node.newestLeaf = ++leaves;
    nodes.push_back(std::move(node));
  }
  return place->second;
}

Number Numbers::makeLeaf(Type type) { return makeLeaf(type, ~uint64_t(0), nodes.size()); }

Number Numbers::makeLeaf(Type type, uint64_t first, uint64_t second) {
  return intern({.kind = Leaf, .type = dropAxisNames(type), .name = first, .detail = second});
}

Number Numbers::makeConstant(TypedAttr value, Type type) {
  return intern({.kind = Constant, .type = dropAxisNames(type), .value = value});
}

bool Numbers::isInteger(Number number, int64_t value) const {
  auto known = dyn_cast_if_present<IntegerAttr>(nodes[number].value);
  return nodes[number].kind == Constant && known && known.getValue().getSExtValue() == value;
}

bool Numbers::isNotNegative(Number number) const {
  const Node &node = nodes[number];
  if (auto value = dyn_cast_if_present<IntegerAttr>(node.value); value && node.kind == Constant)
    return !value.getValue().isNegative();
  if (node.kind == Viewed)
    return isNotNegative(node.operands[0]);
  if (node.kind == Elementwise)
    return node.detail == 1 && isNotNegative(node.operands[0]); // a sign extension
  return node.kind == Other && node.detail == 2;
}

Number Numbers::makeSum(ArrayRef<Number> terms, Type type) {
  type = dropAxisNames(type);
  unsigned width = getElementTypeOrSelf(type).isIndex()
                       ? 64
                       : getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  APInt constant(width, 0);
  std::vector<Number> flat;
  auto add = [&](Number term) {
    const Node &node = nodes[term];
    auto value = dyn_cast_if_present<IntegerAttr>(node.value);
    if (value && (node.kind == Constant || node.kind == Sum))
      constant += value.getValue().sextOrTrunc(width);
    if (node.kind == Sum)
      flat.insert(flat.end(), node.operands.begin(), node.operands.end());
    else if (node.kind != Constant || !value)
      flat.push_back(term);
  };
  for (Number term : terms)
    add(term);
  llvm::sort(flat);
  auto value = IntegerAttr::get(getElementTypeOrSelf(type), constant);
  if (flat.empty())
    return makeConstant(value, type);
  if (flat.size() == 1 && constant.isZero())
    return flat.front();
  return intern({.kind = Sum,
                 .type = type,
                 .operands = std::move(flat),
                 .value = constant.isZero() ? Attribute() : Attribute(value)});
}

Number Numbers::makeAnd(ArrayRef<Number> parts, Type type) {
  std::vector<Number> flat;
  for (Number part : parts) {
    if (isInteger(part, -1)) // true
      continue;
    const Node &node = nodes[part];
    if (node.kind == And)
      flat.insert(flat.end(), node.operands.begin(), node.operands.end());
    else
      flat.push_back(part);
  }
  llvm::sort(flat);
  flat.erase(llvm::unique(flat), flat.end());
  if (flat.empty())
    return makeConstant(BoolAttr::get(type.getContext(), true), type);
  if (flat.size() == 1)
    return flat.front();
  return intern({.kind = And, .type = type, .operands = std::move(flat)});
}

/// `base + offset`, the offset of 64 bits; what the base was moved by already is added up.
Number Numbers::makePointer(Number base, Number offset) {
  if (isInteger(offset, 0))
    return base;
  Type type = nodes[base].type;
  if (nodes[base].kind == Pointer) {
    Number before = nodes[base].operands[1];
    offset = makeSum({before, offset}, nodes[offset].type);
    base = nodes[base].operands[0];
  }
  return intern({.kind = Pointer, .type = type, .operands = {base, offset}});
}

Number Numbers::makeChoice(Number condition, Number one, Number two) {
  if (one == two)
    return one;
  return intern({.kind = Other,
                 .type = nodes[one].type,
                 .name = 1,
                 .detail = 1,
                 .operands = {condition, one, two}});
}

Number Numbers::repeat(Number number, Type like) {
  ArrayRef<int64_t> shape = shapeOf(like);
  if (shape == shapeOf(nodes[number].type))
    return number;
  return apply(number, {SmallVector<int64_t>(shape), SmallVector<int64_t>(shape.size(), -1)});
}

Number Numbers::apply(Number number, const View &view) {
  Node node = nodes[number]; // a copy: the table grows
  ArrayRef<int64_t> from = shapeOf(node.type);
  View normal = view;
  bool isSame = ArrayRef(view.shape) == from;
  for (auto [axis, source] : enumerate(normal.axes)) {
    isSame &= source == int64_t(axis) || (source < 0 && view.shape[axis] == 1);
    if (source >= 0 && from[source] == 1)
      source = -1;
  }
  if (isSame)
    return number;
  node.type = withShape(node.type, view.shape);
  switch (node.kind) {
  case Constant:
    return intern(std::move(node));
  case Viewed: {
    View inner{normal.shape, {}};
    for (int64_t axis : normal.axes)
      inner.axes.push_back(axis < 0 ? -1 : node.axes[axis]);
    return apply(node.operands[0], inner);
  }
  case Sum: {
    std::vector<Number> terms;
    for (Number operand : node.operands)
      terms.push_back(apply(operand, normal));
    if (node.value)
      terms.push_back(makeConstant(cast<TypedAttr>(node.value), node.type));
    return makeSum(terms, node.type);
  }
  case And:
  case Elementwise: {
    for (Number &operand : node.operands)
      operand = apply(operand, normal);
    return node.kind == And ? makeAnd(node.operands, node.type) : intern(std::move(node));
  }
  case Pointer:
    return makePointer(apply(node.operands[0], normal), apply(node.operands[1], normal));
  case Leaf:
  case Other:
    break;
  }
  return intern({.kind = Viewed,
                 .type = node.type,
                 .operands = {number},
                 .axes = {normal.axes.begin(), normal.axes.end()}});
}

std::optional<Number> Numbers::fold(Operation &op, ArrayRef<Number> operands, Type type) {
  if (isa<arith::AddIOp>(op))
    return makeSum(operands, type);
  if (isa<arith::AndIOp>(op) && getElementTypeOrSelf(type).isInteger(1))
    return makeAnd(operands, type);
  if (isa<arith::MulIOp>(op))
    for (unsigned one : {0, 1})
      if (isInteger(operands[one], 1))
        return operands[1 - one];
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op) && nodes[operands[0]].kind == Constant) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    APInt value = cast<IntegerAttr>(nodes[operands[0]].value).getValue();
    value = isa<arith::ExtSIOp>(op) ? value.sext(width) : value.zext(width);
    return makeConstant(IntegerAttr::get(getElementTypeOrSelf(type), value), type);
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (compare.getPredicate() == arith::CmpIPredicate::sge && isInteger(operands[1], 0) &&
        isNotNegative(operands[0]))
      return makeConstant(BoolAttr::get(op.getContext(), true), type);
  if (isa<tile::AddPtrOp>(op)) {
    Number offset = operands[1];
    Type wide = IntegerType::get(op.getContext(), 64);
    Type offsetType = withShape(wide, shapeOf(nodes[offset].type));
    if (nodes[offset].type != offsetType) {
      if (nodes[offset].kind == Constant)
        offset = makeConstant(
            IntegerAttr::get(wide, cast<IntegerAttr>(nodes[offset].value).getValue().sext(64)),
            offsetType);
      else
        offset = intern(
            {.kind = Elementwise,
             .type = offsetType,
             .name = uint64_t(OperationName(arith::ExtSIOp::getOperationName(), op.getContext())
                                  .getAsOpaquePointer()),
             .detail = 1,
             .operands = {offset}});
    }
    return makePointer(operands[0], offset);
  }
  return std::nullopt;
}

Number Numbers::makeResult(Operation &op, unsigned result, ArrayRef<Number> given) {
  Type type = dropAxisNames(op.getResult(result).getType());
  bool isElementwise = op.hasTrait<OpTrait::Elementwise>() || isa<tile::AddPtrOp>(op);
  std::vector<Number> operands(given);
  if (isElementwise) {
    for (Number &operand : operands)
      operand = repeat(operand, type);
    if (std::optional<Number> folded = fold(op, operands, type))
      return *folded;
    if (op.hasTrait<OpTrait::IsCommutative>())
      llvm::sort(operands);
  }
  Node node{.kind = isElementwise ? Elementwise : Other,
            .type = type,
            .name = uint64_t(op.getName().getAsOpaquePointer()),
            .detail = uint64_t(op.getAttrDictionary().getAsOpaquePointer()) + result,
            .operands = std::move(operands)};
  if (isa<arith::ExtSIOp>(op))
    node.detail = 1;
  if (auto range = dyn_cast<tile::RangeOp>(op)) {
    // What starts at or above 0 is told apart by the value.
    node.value = range.getStartAttr();
    node.detail = int32_t(range.getStart()) >= 0 ? 2 : 3;
  }
  return intern(std::move(node));
}

std::optional<std::vector<Number>> Numbers::splitSum(Number sum, Number term) {
  const Node node = nodes[sum];
  if (node.kind != Sum)
    return std::nullopt;
  std::vector<Number> rest = node.operands;
  auto place = llvm::find(rest, term);
  if (place == rest.end())
    return std::nullopt;
  rest.erase(place);
  if (node.value)
    rest.push_back(makeConstant(cast<TypedAttr>(node.value), node.type));
  return rest;
}

std::optional<Number> Numbers::getUniform(Number number) {
  Node node = nodes[number];
  if (shapeOf(node.type).empty())
    return number;
  node.type = getElementTypeOrSelf(node.type);
  switch (node.kind) {
  case Constant:
    return intern(std::move(node));
  case Viewed:
    if (shapeOf(nodes[node.operands[0]].type).empty())
      return node.operands[0];
    return std::nullopt;
  case Sum:
  case And:
  case Elementwise: {
    for (Number &operand : node.operands) {
      std::optional<Number> scalar = getUniform(operand);
      if (!scalar)
        return std::nullopt;
      operand = *scalar;
    }
    if (node.kind != Sum)
      return node.kind == And ? makeAnd(node.operands, node.type) : intern(std::move(node));
    if (node.value)
      node.operands.push_back(makeConstant(cast<TypedAttr>(node.value), node.type));
    return makeSum(node.operands, node.type);
  }
  default:
    return std::nullopt;
  }
}

} // namespace nereid::upgrade
