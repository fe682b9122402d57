// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of random numbers: drawn by the call of a program; elsewhere their contents are not known
// while converting, and only parameters and get_inputs() may be made of them.
#include "frontend/torch/Factories.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

PyValue unknown(TorchLibrary &t, ArrayRef<Expr> sizes, PyValue dtypeGiven, DType dtype,
                StringRef name) {
  std::optional<DType> type = dtype;
  if (!t.dtypeArg(dtypeGiven, type))
    return nullptr;
  return t.wrap(t.writer.unknown(sizes, *type, name));
}

/// Random numbers of a size, by a definition of random.py where the program draws them.
PyValue random(TorchLibrary &t, StringRef name, ArrayRef<Expr> sizes, PyValue dtypeGiven,
               DType dtype, ArrayRef<PyValue> more = {}) {
  if (!t.isDrawing())
    return unknown(t, sizes, dtypeGiven, dtype, name);
  std::optional<DType> type = dtype;
  if (!t.dtypeArg(dtypeGiven, type))
    return nullptr;
  SmallVector<PyValue> args{t.seed(), t.makeShape(sizes), t.makeDType(*type)};
  append_range(args, more);
  return t.machine->call(t.lookup("prims", ("draw_" + name).str()), args);
}

/// False after a refusal of `generator=`, the last argument but one of all that draw.
bool takesGenerator(TorchLibrary &t, ArrayRef<PyValue> args) {
  return t.machine->call(t.lookup("prims", "draws"), {args[args.size() - 2]});
}

PyValue randint(TorchLibrary &t, ArrayRef<Expr> sizes, PyValue low, PyValue high,
                PyValue dtypeGiven, DType dtype) {
  auto *least = dyn_cast<IntObject>(low), *end = dyn_cast<IntObject>(high);
  if (least && end && least->small >= end->small)
    return t.machine->raise("RuntimeError", "random_ expects 'from' to be less than 'to', but got "
                                            "from=" +
                                                Twine(least->small) +
                                                " >= to=" + Twine(end->small));
  if (least && end && end->small - least->small > int64_t(1) << 32)
    return t.machine->refuse("randint over more than 2**32 integers is not supported");
  PyValue result = random(t, "randint", sizes, dtypeGiven, dtype, {low, high});
  if (auto *tensor = dyn_cast_if_present<TensorValue>(result); tensor && end && !t.isDrawing())
    if (mlir::Operation *op = tensor->storage->value.getDefiningOp())
      op->setAttr("below", t.writer.builder.getI64IntegerAttr(end->small));
  return result;
}

} // namespace

void defineRandomTensors(TorchLibrary &library) {
  for (StringRef name : {"rand", "randn"}) {
    library.define("torch", name, "(*size, " + factoryOptions.str(),
                   [name](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     std::optional<Sizes> sizes = t.newSizesArg(a[0]);
                     return sizes && takesGenerator(t, a)
                                ? random(t, name, *sizes, a[1], DType::F32)
                                : nullptr;
                   });
    library.define("torch", (name + "_like").str(), "(input, *, " + factoryOptions.str(),
                   [name](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     return x && takesGenerator(t, a)
                                ? random(t, name, t.sizesOf(x), a[1], x->dtype)
                                : nullptr;
                   });
  }
  library.define("torch", "randint", "(low, high, size=None, *, " + factoryOptions.str(),
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   bool two = isa<NoneObject>(a[2]); // randint(high, size)
                   std::optional<Sizes> sizes = t.newSizesArg(two ? a[1] : a[2]);
                   if (!sizes || !takesGenerator(t, a))
                     return nullptr;
                   return randint(t, *sizes, two ? t.machine->makeInt(0) : a[0], two ? a[0] : a[1],
                                  a[3], DType::I64);
                 });
  library.define("torch", "randint_like", "(input, low, high=None, *, " + factoryOptions.str(),
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   bool two = isa<NoneObject>(a[2]); // randint_like(input, high)
                   TensorValue *x = t.tensorArg(a[0], "randint_like");
                   if (!x || !takesGenerator(t, a))
                     return nullptr;
                   return randint(t, t.sizesOf(x), two ? t.machine->makeInt(0) : a[1],
                                  two ? a[1] : a[2], a[3], x->dtype);
                 });
}

} // namespace nereid::torch
