// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, single bits, and what chooses between values.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

using python::CompareOperator;

namespace {
struct Predicates {
  arith::CmpFPredicate number;
  arith::CmpIPredicate isSigned, isUnsigned;
};
} // namespace

static Predicates getPredicates(CompareOperator op) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  switch (op) {
  case CompareOperator::Eq:
    return {F::OEQ, I::eq, I::eq};
  case CompareOperator::NotEq:
    return {F::UNE, I::ne, I::ne};
  case CompareOperator::Lt:
    return {F::OLT, I::slt, I::ult};
  case CompareOperator::LtE:
    return {F::OLE, I::sle, I::ule};
  case CompareOperator::Gt:
    return {F::OGT, I::sgt, I::ugt};
  default:
    return {F::OGE, I::sge, I::uge};
  }
}

TensorValue *KernelBuilder::compare(CompareOperator op, PyValue left, PyValue right) {
  auto pair = operands(left, right);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  Predicates predicates = getPredicates(op);
  if (a->type.isFloat())
    return emit<arith::CmpFOp>(Scalar::Int1, predicates.number, a->value, b->value);
  return emit<arith::CmpIOp>(Scalar::Int1,
                             a->type.isSigned() ? predicates.isSigned : predicates.isUnsigned,
                             a->value, b->value);
}

TensorValue *KernelBuilder::logicalNot(TensorValue *value) {
  if (!value->type.isBool()) {
    requireTypes({{value, Scalar::Int1}});
    return fail("`not` needs a single bit, found " + describe(value), "compare it: x == 0");
  }
  return invert(value);
}

TensorValue *KernelBuilder::logical(bool isAnd, TensorValue *left, TensorValue *right) {
  for (TensorValue *value : {left, right})
    if (!value->type.isBool()) {
      requireTypes({{value, Scalar::Int1}});
      return fail(Twine("`") + (isAnd ? "and" : "or") + "` needs single bits, found " +
                      describe(value),
                  "compare it first: x != 0");
    }
  return bitwise(isAnd ? python::BinaryOperator::BitAnd : python::BinaryOperator::BitOr, left,
                 right);
}

TensorValue *KernelBuilder::extreme(bool isMax, PyValue left, PyValue right, bool propagateNan) {
  auto pair = operands(left, right);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  if (a->type.isFloat()) {
    if (propagateNan)
      return isMax ? emit<arith::MaximumFOp>(a->type, a->value, b->value)
                   : emit<arith::MinimumFOp>(a->type, a->value, b->value);
    return isMax ? emit<arith::MaxNumFOp>(a->type, a->value, b->value)
                 : emit<arith::MinNumFOp>(a->type, a->value, b->value);
  }
  if (a->type.isSigned())
    return isMax ? emit<arith::MaxSIOp>(a->type, a->value, b->value)
                 : emit<arith::MinSIOp>(a->type, a->value, b->value);
  return isMax ? emit<arith::MaxUIOp>(a->type, a->value, b->value)
               : emit<arith::MinUIOp>(a->type, a->value, b->value);
}

/// The type of a combination of three: tensors first, then the kind of the numbers.
static std::optional<DType> promoteThree(KernelBuilder &kernel, ArrayRef<PyValue> values) {
  std::optional<DType> tensors, numbers;
  std::string reason;
  for (PyValue value : values) {
    auto *tensor = dyn_cast<TensorValue>(value);
    if (!tensor && !isKnownNumber(value)) {
      kernel.toTensor(value);
      return std::nullopt;
    }
    std::optional<DType> own = tensor ? tensor->type : kernel.literalType(value);
    std::optional<DType> &all = tensor ? tensors : numbers;
    if (own && all)
      own = promote(*all, !tensor, *own, !tensor, false, reason);
    if (!own) {
      kernel.fail(reason);
      return std::nullopt;
    }
    all = own;
  }
  if (tensors && numbers)
    return promote(*tensors, false, *numbers, true, false, reason);
  return tensors ? tensors : numbers;
}

TensorValue *KernelBuilder::clamp(PyValue value, PyValue low, PyValue high, bool propagateNan) {
  PyValue all[] = {value, low, high};
  std::optional<DType> type = promoteThree(*this, all);
  if (!type)
    return nullptr;
  TensorValue *three[3];
  for (int i : {0, 1, 2}) {
    auto *tensor = dyn_cast<TensorValue>(all[i]);
    three[i] = tensor ? castTo(tensor, *type) : castLiteral(all[i], *type);
    if (!three[i])
      return nullptr;
  }
  TensorValue *lower = extreme(true, three[0], three[1], propagateNan);
  return lower ? extreme(false, lower, three[2], propagateNan) : nullptr;
}

TensorValue *KernelBuilder::fma(PyValue x, PyValue y, PyValue z) {
  PyValue all[] = {x, y, z};
  std::optional<DType> type = promoteThree(*this, all);
  if (!type)
    return nullptr;
  if (!type->isFloat())
    return fail("tl.fma needs floats, found " + type->name(), "write x * y + z");
  TensorValue *three[3];
  for (int i : {0, 1, 2}) {
    auto *tensor = dyn_cast<TensorValue>(all[i]);
    three[i] = tensor ? castTo(tensor, *type) : castLiteral(all[i], *type);
    if (!three[i])
      return nullptr;
  }
  if (!unify(three))
    return nullptr;
  return emit<math::FmaOp>(*type, three[0]->value, three[1]->value, three[2]->value);
}

TensorValue *KernelBuilder::where(PyValue condition, PyValue x, PyValue y) {
  TensorValue *mask = toTensor(condition, "the condition of tl.where");
  if (!mask)
    return nullptr;
  auto pair = operands(x, y, false, true, true);
  if (!pair)
    return nullptr;
  if (pair->first->type != pair->second->type)
    return fail("tl.where cannot choose between " + describe(pair->first) + " and " +
                describe(pair->second));
  TensorValue *three[] = {toBool(mask), pair->first, pair->second};
  if (!three[0])
    return nullptr;
  if (three[0]->isBlock() ? !unify(three)
                          : !unify(MutableArrayRef<TensorValue *>(three).drop_front()))
    return nullptr;
  if (!three[0]->isBlock() && three[1]->isBlock())
    three[0] = splat(three[0], three[1]->dims());
  return emit<arith::SelectOp>(three[1]->type, three[0]->value, three[1]->value, three[2]->value);
}

TensorValue *KernelBuilder::fdiv(PyValue x, PyValue y) {
  auto pair = operands(x, y, true);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  if (!a->type.isFloat())
    return fail("tl.fdiv needs floats, found " + describe(a), "write x / y");
  return emit<arith::DivFOp>(a->type, a->value, b->value);
}

TensorValue *KernelBuilder::umulhi(PyValue x, PyValue y) {
  auto pair = operands(x, y);
  if (!pair)
    return nullptr;
  auto [a, b] = *pair;
  if (!a->type.isInt() || a->type.bits() < 32)
    return fail("tl.umulhi needs 32-bit or 64-bit integers, found " + describe(a));
  auto product = arith::MulUIExtendedOp::create(builder, location(), a->value, b->value);
  return make(product.getHigh(), a->type);
}

} // namespace nereid::triton
