// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators between two operands: promotion, broadcasting, and the operation of `arith`.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

using python::BinaryOperator;

/// A pointer meets what it does not go with: an offset is an integer, and what is no address has
/// the other's type.
void KernelBuilder::requireOffset(PyValue pointer, PyValue other, bool isAddress) {
  auto *one = dyn_cast<TensorValue>(pointer), *two = dyn_cast<TensorValue>(other);
  if (one && isAddress && two && !two->type.isPtr())
    requireTypes({{two, Scalar::Int32}});
  else if (one && two && two->type.isPtr())
    requireAlike(two, one);
  else if (one)
    requireTypes({{one, two ? two->type : literalType(other).value_or(Scalar::Int32)}});
}

std::optional<KernelBuilder::Pair>
KernelBuilder::operands(PyValue left, PyValue right, bool divides, bool leftPtr, bool rightPtr) {
  PyValue values[] = {left, right};
  std::optional<DType> types[2];
  for (int i : {0, 1}) {
    if (auto *tensor = dyn_cast<TensorValue>(values[i]))
      types[i] = tensor->type;
    else if (isKnownNumber(values[i]))
      types[i] = literalType(values[i]);
    else
      toTensor(values[i]);
    if (!types[i])
      return std::nullopt;
  }
  for (int i : {0, 1}) {
    DType own = *types[i], other = *types[1 - i];
    if (!own.isPtr())
      continue;
    bool allowed = i == 0 ? leftPtr : rightPtr;
    if (!allowed || (other.isPtr() && own != other) || other.isFloat()) {
      requireOffset(values[i], values[1 - i], allowed);
      fail("this operation cannot combine " + types[0]->name() + " with " + types[1]->name(),
           other.isFloat() ? "pointer offsets are integers" : "");
      return std::nullopt;
    }
  }
  TensorValue *pair[2];
  bool pointers = types[0]->isPtr() || types[1]->isPtr();
  std::optional<DType> common;
  if (!pointers) {
    std::string reason;
    common = promote(*types[0], !isa<TensorValue>(left), *types[1], !isa<TensorValue>(right),
                     divides, reason);
    if (!common) {
      requireAlike(left, right);
      fail(reason, "cast one of them: x.to(tl.int32)");
      return std::nullopt;
    }
  }
  for (int i : {0, 1}) {
    auto *tensor = dyn_cast<TensorValue>(values[i]);
    if (auto *beside = dyn_cast<TensorValue>(values[1 - i]);
        beside && !tensor && !pointers && common->isInt() && !fits(values[i], *common))
      requireTypes({{beside, *types[i]}});
    if (pointers)
      pair[i] = toTensor(values[i]);
    else
      pair[i] = tensor ? castTo(tensor, *common) : castLiteral(values[i], *common);
    if (!pair[i])
      return std::nullopt;
  }
  if (!unify(pair))
    return std::nullopt;
  return Pair(pair[0], pair[1]);
}

void KernelBuilder::requireIntegers(PyValue left, PyValue right) {
  SmallVector<std::pair<TensorValue *, DType>> values;
  for (PyValue value : {left, right})
    if (auto *tensor = dyn_cast<TensorValue>(value); tensor && tensor->type.isFloat())
      values.push_back({tensor, Scalar::Int32});
  requireTypes(values);
}

TensorValue *KernelBuilder::addPointer(TensorValue *pointer, TensorValue *offset) {
  if (offset->type.isPtr())
    return fail("two pointers cannot be added");
  if (offset->type.isUnsigned() && offset->type.bits() < 64) // the operator sign-extends
    offset = castTo(offset, Scalar::Int64);
  return emit<tile::AddPtrOp>(pointer->type, pointer->value, offset->value);
}

TensorValue *KernelBuilder::divide(PyValue left, PyValue right) {
  auto pair = operands(left, right, true);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  if (a->type.isInt()) {
    a = castTo(a, Scalar::Fp32);
    b = castTo(b, Scalar::Fp32);
  }
  return emit<arith::DivFOp>(a->type, a->value, b->value);
}

TensorValue *KernelBuilder::floorDivide(PyValue left, PyValue right) {
  auto pair = operands(left, right, true);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  if (!a->type.isInt()) {
    requireIntegers(left, right);
    return fail("`//` needs integers, found " + describe(a), "write tl.floor(x / y)");
  }
  if (a->type.isSigned())
    return emit<arith::DivSIOp>(a->type, a->value, b->value);
  return emit<arith::DivUIOp>(a->type, a->value, b->value);
}

TensorValue *KernelBuilder::modulo(PyValue left, PyValue right) {
  auto pair = operands(left, right, true);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  if (a->type.isFloat())
    return emit<arith::RemFOp>(a->type, a->value, b->value);
  if (a->type.isSigned())
    return emit<arith::RemSIOp>(a->type, a->value, b->value);
  return emit<arith::RemUIOp>(a->type, a->value, b->value);
}

TensorValue *KernelBuilder::bitwise(BinaryOperator op, PyValue left, PyValue right) {
  auto pair = operands(left, right);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  if (!a->type.isInt()) {
    requireIntegers(left, right);
    return fail("`" + python::spell(op) + "` needs integers or masks, found " + describe(a));
  }
  switch (op) {
  case BinaryOperator::BitAnd:
    return emit<arith::AndIOp>(a->type, a->value, b->value);
  case BinaryOperator::BitOr:
    return emit<arith::OrIOp>(a->type, a->value, b->value);
  case BinaryOperator::BitXor:
    return emit<arith::XOrIOp>(a->type, a->value, b->value);
  case BinaryOperator::LShift:
    return emit<arith::ShLIOp>(a->type, a->value, b->value);
  default: {
    // The signs are those of the left operand before both have one type; a Python number has those
    // of what it stands beside.
    auto *own = dyn_cast<TensorValue>(left);
    if (!own)
      own = dyn_cast<TensorValue>(right);
    if (own ? own->type.isSigned() : a->type.isSigned())
      return emit<arith::ShRSIOp>(a->type, a->value, b->value);
    return emit<arith::ShRUIOp>(a->type, a->value, b->value);
  }
  }
}

TensorValue *KernelBuilder::binary(BinaryOperator op, PyValue left, PyValue right) {
  switch (op) {
  case BinaryOperator::Div:
    return divide(left, right);
  case BinaryOperator::FloorDiv:
    return floorDivide(left, right);
  case BinaryOperator::Mod:
    return modulo(left, right);
  case BinaryOperator::Pow:
    return fail("`**` does not work on tensors",
                "write x * x, or libdevice.pow(x, y) with `from triton.language.extra import "
                "libdevice`");
  case BinaryOperator::MatMult:
    return fail("`@` does not work on tensors", "write tl.dot(a, b)");
  case BinaryOperator::Add:
  case BinaryOperator::Sub:
  case BinaryOperator::Mult:
    break;
  default:
    return bitwise(op, left, right);
  }
  bool isAdd = op == BinaryOperator::Add, isSub = op == BinaryOperator::Sub;
  auto pair = operands(left, right, false, isAdd || isSub, isAdd);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  if (b->type.isPtr() && !a->type.isPtr())
    std::swap(a, b);
  if (a->type.isPtr()) {
    if (isSub && !b->type.isPtr())
      b = negate(b);
    return b ? addPointer(a, b) : nullptr;
  }
  if (a->type.isFloat()) {
    if (isAdd)
      return emit<arith::AddFOp>(a->type, a->value, b->value);
    if (isSub)
      return emit<arith::SubFOp>(a->type, a->value, b->value);
    return emit<arith::MulFOp>(a->type, a->value, b->value);
  }
  // One bit has no carry.
  if (a->type.isBool())
    return isAdd || isSub ? emit<arith::XOrIOp>(a->type, a->value, b->value)
                          : emit<arith::AndIOp>(a->type, a->value, b->value);
  if (isAdd)
    return emit<arith::AddIOp>(a->type, a->value, b->value);
  if (isSub)
    return emit<arith::SubIOp>(a->type, a->value, b->value);
  return emit<arith::MulIOp>(a->type, a->value, b->value);
}

TensorValue *KernelBuilder::negate(TensorValue *value) {
  if (value->type.isPtr())
    return fail("a pointer has no negative");
  if (value->type.isFloat())
    return emit<arith::NegFOp>(value->type, value->value);
  TensorValue *zero = constant(machine.makeInt(int64_t(0)), value->type);
  if (!zero)
    return nullptr;
  zero = broadcastTo(zero, value->dims());
  return emit<arith::SubIOp>(value->type, zero->value, value->value);
}

TensorValue *KernelBuilder::invert(TensorValue *value) {
  if (!value->type.isInt())
    return fail("`~` needs integers or masks, found " + describe(value));
  Type element = value->type.toMlir(context());
  TensorValue *ones = make(
      arith::ConstantOp::create(builder, location(),
                                IntegerAttr::get(element, APInt::getAllOnes(value->type.bits()))),
      value->type);
  ones = broadcastTo(ones, value->dims());
  return emit<arith::XOrIOp>(value->type, value->value, ones->value);
}

} // namespace nereid::triton
