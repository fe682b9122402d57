// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products, and functions of the device library.
#include "frontend/triton/TritonLibrary.h"
#include "tile/Libdevice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

/// The accumulator's type; fails on operands that no tensor core takes.
std::optional<DType> KernelBuilder::dotResult(TensorValue *lhs, TensorValue *rhs, TensorValue *acc,
                                              std::optional<DType> outType) {
  DType type = lhs->type;
  bool known = type.isFp8() || type.is(Scalar::Int8) || type.is(Scalar::Fp16) ||
               type.is(Scalar::BF16) || type.is(Scalar::Fp32) || type.is(Scalar::Fp64);
  if (!known || (type != rhs->type && !(type.isFp8() && rhs->type.isFp8()))) {
    if (type.isInt() && !known)
      requireTypes({{lhs, Scalar::Int8}, {rhs, Scalar::Int8}});
    else
      known ? requireAlike(rhs, lhs) : requireTypes({{lhs, rhs->type}});
    fail("tl.dot needs two operands of one dtype (int8, fp8, fp16, bf16, fp32 or fp64), found " +
             describe(lhs) + " and " + describe(rhs),
         "cast one of them: b.to(a.dtype)");
    return std::nullopt;
  }
  DType out = outType ? *outType : acc ? acc->type : DType(Scalar::Fp32);
  if (out.is(Scalar::BF16)) {
    fail("tl.dot cannot accumulate in bf16",
         "accumulate in tl.float32 and cast the result: .to(tl.bfloat16)");
    return std::nullopt;
  }
  DType result = type.is(Scalar::Int8)                            ? DType(Scalar::Int32)
                 : type.is(Scalar::Fp64)                          ? DType(Scalar::Fp64)
                 : type.is(Scalar::Fp32) || type.is(Scalar::BF16) ? DType(Scalar::Fp32)
                 : out.is(Scalar::Fp16) && type.is(Scalar::Fp16)  ? DType(Scalar::Fp16)
                                                                  : DType(Scalar::Fp32);
  if (acc && acc->type != result) {
    if (acc->type.is(Scalar::Int32))
      requireTypes({{lhs, Scalar::Int8}, {rhs, Scalar::Int8}});
    else
      requireTypes({{acc, result}});
    fail("the accumulator of tl.dot is " + acc->type.name() + ", expected " + result.name(),
         result.is(Scalar::Fp32) && acc->type.is(Scalar::Fp16)
             ? "pass out_dtype=tl.float16, or a tl.float32 accumulator"
             : "");
    return std::nullopt;
  }
  return result;
}

bool KernelBuilder::checkDotShapes(TensorValue *lhs, TensorValue *rhs) {
  unsigned rank = lhs->rank();
  if ((rank != 2 && rank != 3) || rhs->rank() != rank) {
    requireRank({lhs, rhs}, std::max(2u, std::max(rank, rhs->rank())));
    fail("tl.dot needs two tiles of rank 2 or two of rank 3, found " + describe(lhs) + " and " +
         describe(rhs));
    return false;
  }
  int64_t k = lhs->shape().back();
  if (k != rhs->shape()[rank - 2] || (rank == 3 && lhs->shape()[0] != rhs->shape()[0])) {
    unsigned axis = k != rhs->shape()[rank - 2] ? rank - 1 : 0;
    requireEqual(lhs->dims()[axis], rhs->dims()[axis == 0 ? 0 : rank - 2]);
    fail("the inner extents of tl.dot differ: " + describe(lhs) + " and " + describe(rhs));
    return false;
  }
  unsigned bits = lhs->type.bits();
  int64_t least = bits == 8 ? 32 : bits == 16 ? 16 : bits == 32 ? 8 : 4;
  if (k < least) {
    requireAtLeast(lhs->dims().back(), least);
    fail("the inner extent of tl.dot must be at least " + Twine(least) + " for " +
             lhs->type.name() + ", found " + Twine(k),
         "use a larger block, masked with zeros, or tl.sum(a[:, :, None] * b[None, :, :], axis=1)");
    return false;
  }
  return true;
}

TensorValue *KernelBuilder::dot(TensorValue *lhs, TensorValue *rhs, TensorValue *acc,
                                tile::Precision precision, std::optional<DType> outType) {
  std::optional<DType> type = dotResult(lhs, rhs, acc, outType);
  if (!type || !checkDotShapes(lhs, rhs))
    return nullptr;
  Dims dims = lhs->dims();
  dims.back() = rhs->dims().back();
  if (!checkDims(dims))
    return nullptr;
  Type result = tileType(*type, dims);
  if (!acc) {
    acc = splat(constant(machine.makeInt(int64_t(0)), *type), dims);
  } else if (acc->shape() != llvm::cast<RankedTensorType>(result).getShape()) {
    requireShape(acc, dims);
    return fail("the accumulator of tl.dot must be as large as its result, found " + describe(acc) +
                " for " + describe(lhs) + " times " + describe(rhs));
  } else {
    result = acc->value.getType();
  }
  if (!lhs->type.is(Scalar::Fp32))
    precision = tile::Precision::Ieee;
  return emit<tile::DotOp>(*type, result, lhs->value, rhs->value, acc->value, precision);
}

/// The triton type of a libdevice operand or result, given the types that its kind stands for.
static DType getLibdeviceType(tile::LibdeviceType kind, DType number, DType integer) {
  switch (kind) {
  case tile::LibdeviceType::Float:
    return number;
  case tile::LibdeviceType::Int32:
    return Scalar::Int32;
  case tile::LibdeviceType::Int64:
    return Scalar::Int64;
  case tile::LibdeviceType::AnyInt:
    return integer;
  }
  llvm_unreachable("all kinds are listed");
}

/// What the device answers with an integer, and upstream with a bit.
static bool isQuestion(StringRef name) {
  return name == "isnan" || name == "isinf" || name == "finitef" || name == "isfinited";
}

/// The one float type that a function takes; void when it takes both.
static DType getOnlyFloat(StringRef name) {
  if (name == "finitef" || name == "saturatef" || name.starts_with("fast_"))
    return Scalar::Fp32;
  return name == "isfinited" ? Scalar::Fp64 : Scalar::Void;
}

TensorValue *KernelBuilder::libdevice(StringRef name, ArrayRef<PyValue> args) {
  // The exponent of a power may be an integer.
  auto *exponent = name == "pow" && args.size() == 2 ? dyn_cast<TensorValue>(args[1]) : nullptr;
  if (exponent && exponent->type.is(Scalar::Int32))
    name = "powi";
  const tile::LibdeviceFunction *function = tile::findLibdeviceFunction(name);
  if (args.size() != function->arity)
    return fail("libdevice." + name + " takes " + Twine(function->arity) + " arguments, found " +
                Twine(args.size()));
  DType number = Scalar::Fp32, integer = Scalar::Int32;
  for (auto [arg, kind] : zip(args, function->operands)) {
    auto *tensor = dyn_cast<TensorValue>(arg);
    if (!tensor)
      continue;
    DType type = tensor->type;
    if (kind == tile::LibdeviceType::Float) {
      if (!type.is(Scalar::Fp32) && !type.is(Scalar::Fp64)) {
        requireTypes({{tensor, Scalar::Fp32}});
        return fail("libdevice." + name + " takes float32 or float64, found " + describe(tensor),
                    "cast it first: x.to(tl.float32)");
      }
      if (DType only = getOnlyFloat(name); !only.isVoid() && type != only) {
        requireTypes({{tensor, only}});
        return fail("libdevice." + name + " takes " + only.name() + ", found " + describe(tensor),
                    "cast it first: x.to(" + only.spelling() + ")");
      }
      number = type.is(Scalar::Fp64) ? type : number;
    } else if (!type.isInt() || type.bits() < 32) {
      requireTypes({{tensor, getLibdeviceType(kind, number, integer)}});
      return fail("libdevice." + name + " takes an integer here, found " + describe(tensor),
                  "cast it first: x.to(tl.int32)");
    } else if (type.bits() == 64) {
      integer = type;
    }
  }
  Tensors operands;
  for (auto [arg, kind] : zip(args, function->operands)) {
    DType type = getLibdeviceType(kind, number, integer);
    TensorValue *tensor = isKnownNumber(arg) ? constant(arg, type) : toTensor(arg);
    if (!tensor || !(tensor = castTo(tensor, type)))
      return nullptr;
    operands.push_back(tensor);
  }
  if (!unify(operands))
    return nullptr;
  SmallVector<mlir::Value> values;
  for (TensorValue *operand : operands)
    values.push_back(operand->value);
  DType type = getLibdeviceType(function->result, number, integer);
  Type result = tile::withElementType(values[0].getType(), type.toMlir(context()));
  TensorValue *value = emit<tile::LibdeviceOp>(type, result, builder.getStringAttr(name), values);
  return isQuestion(name) ? toBool(value) : value;
}

TensorValue *KernelBuilder::externCall(StringRef symbol, ArrayRef<TensorValue *> operands,
                                       DType result) {
  SmallVector<mlir::Value> values;
  SmallVector<Type> types;
  for (TensorValue *operand : operands) {
    values.push_back(operand->value);
    types.push_back(operand->value.getType());
  }
  Type element = result.toMlir(context());
  Type made = values.empty() ? element : tile::withElementType(types[0], element);
  FunctionType type = builder.getFunctionType(types, made);
  // One symbol may be called at several shapes.
  std::string name = symbol.str();
  auto known = module.lookupSymbol<func::FuncOp>(name);
  for (unsigned number = 1; known && known.getFunctionType() != type; ++number) {
    name = (symbol + "." + Twine(number)).str();
    known = module.lookupSymbol<func::FuncOp>(name);
  }
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    func::FuncOp::create(builder, location(), name, type).setPrivate();
  }
  return emit<func::CallOp>(result, TypeRange(made), name, values);
}

} // namespace nereid::triton
