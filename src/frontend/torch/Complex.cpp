// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex tensors: pairs of floats along a last axis. What an operator makes of them is said in
// prelude/complex.py, in terms of their parts; graphs have no complex numbers.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// Whether a value, or an item of a list or tuple, is complex or the type of what is.
static bool holdsComplex(const TorchLibrary &t, PyValue value, bool numbers) {
  if (auto *tuple = dyn_cast_if_present<TupleObject>(value))
    return any_of(tuple->items, [&](PyValue item) { return holdsComplex(t, item, numbers); });
  if (auto *list = dyn_cast_if_present<ListObject>(value))
    return any_of(list->items, [&](PyValue item) { return holdsComplex(t, item, numbers); });
  if (value && t.isForeignDType(value))
    return cast<DeviceValue>(value)->text.contains("torch.c");
  return isa_and_present<ComplexValue>(value) || (numbers && isa_and_present<ComplexObject>(value));
}

bool TorchLibrary::isComplexCall(const CallArgs &args, bool numbers) const {
  return any_of(args.positional,
                [&](PyValue each) { return holdsComplex(*this, each, numbers); }) ||
         any_of(args.keywords,
                [&](const auto &each) { return holdsComplex(*this, each.second, numbers); });
}

PyValue TorchLibrary::complexCall(StringRef name, const CallArgs &args) {
  if (any_of(args.positional, [&](PyValue each) { return isPoisoned(each); }))
    return poison();
  setPlace();
  if (PyValue own = lookup("Complex", name))
    return machine->call(own, {args.positional, withTorchNames(args.keywords)});
  if (machine->pending())
    return nullptr;
  return reportAndPoison("'" + name + "' of complex numbers is not supported yet",
                         "compute it of their parts, x.real and x.imag");
}

static StringRef definitionOf(BinaryOperator op) {
  return op == BinaryOperator::MatMult ? "matmul" : nameOf(op);
}

Answer TorchLibrary::complexBinary(BinaryOperator op, PyValue left, PyValue right, bool inPlace) {
  auto isTensor = [](PyValue value) { return isa<ComplexValue, TensorValue, SizeValue>(value); };
  auto isComplex = [](PyValue value) { return isa<ComplexValue, ComplexObject>(value); };
  if ((!isComplex(left) && !isComplex(right)) || (!isTensor(left) && !isTensor(right)))
    return std::nullopt;
  PyValue operands[] = {left, right};
  CallArgs args{operands, {}};
  if (!inPlace || !isTensor(left))
    return complexCall(definitionOf(op), args);
  if (!isa<ComplexValue>(left))
    return machine->raise("RuntimeError",
                          "result type ComplexFloat can't be cast to the type of the tensor");
  return complexInPlace(definitionOf(op), args);
}

PyValue TorchLibrary::complexInPlace(StringRef name, const CallArgs &args) {
  auto *self = cast<ComplexValue>(args.positional.front());
  PyValue result = complexCall(name, args);
  if (!result || isPoisoned(result) || result == self)
    return result;
  auto *value = dyn_cast<ComplexValue>(result);
  if (!value)
    return machine->raise("RuntimeError", "'" + name + "_' leaves no complex numbers");
  setPlace();
  PyValue stored = storeInPlace(self->parts, value->parts);
  return stored && !isPoisoned(stored) ? self : stored;
}

Answer TorchLibrary::complexAttribute(ComplexValue *value, StringRef name) {
  if (PyValue property = lookup("ComplexProperty", name))
    return machine->call(property, {value});
  if (machine->pending())
    return nullptr;
  if (name.starts_with("__"))
    return std::nullopt;
  bool isInPlace = name.ends_with("_");
  StringRef own = machine->save(isInPlace ? name.drop_back() : name);
  return machine->makeBuiltin(
      own, [this, value, own, isInPlace](Machine &, const CallArgs &args) -> PyValue {
        SmallVector<PyValue> all{value};
        all.append(args.positional.begin(), args.positional.end());
        CallArgs whole{all, args.keywords};
        return isInPlace ? complexInPlace(own, whole) : complexCall(own, whole);
      });
}

ComplexValue *TorchLibrary::complexOf(TensorValue *parts) {
  Sizes sizes = sizesOf(parts);
  if (parts->dtype != DType::F32 && parts->dtype != DType::F64) {
    machine->raise("RuntimeError", "complex numbers of " + getTorchName(parts->dtype) +
                                       " are not supported, of float32 and float64 they are");
    return nullptr;
  }
  if (sizes.empty() || !solver.equate(sizes.back(), writer.constantSize(2))) {
    machine->raise("RuntimeError", "Tensor must have a last dimension of size 2");
    return nullptr;
  }
  return machine->make<ComplexValue>(*this, tensorClass, parts);
}

void TorchLibrary::defineComplex() {
  define("prims", "is_complex", "(value)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    return t.machine->makeBool(isa<ComplexValue>(a[0]));
  });
  // prims.complex_of(parts) and prims.parts_of(complex) share memory.
  define("prims", "complex_of", "(parts)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    auto *parts = t.tensorArg(a[0], "view_as_complex");
    return parts ? t.complexOf(parts) : nullptr;
  });
  // Whether the last axis of a tensor is the innermost one as it was made.
  define("prims", "is_innermost", "(tensor)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    return t.machine->makeBool(none_of(cast<TensorValue>(a[0])->steps, [](const ViewStep &step) {
      return step.kind == ViewStep::Transpose;
    }));
  });
  define("prims", "parts_of", "(value)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    return cast<ComplexValue>(a[0])->parts;
  });
}

} // namespace nereid::torch
