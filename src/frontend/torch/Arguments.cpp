// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the arguments of operators: sizes, axes, types and operands, with PyTorch's messages.
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

PyValue TorchLibrary::makeSize(Expr expr) {
  expr = solver.resolve(expr);
  if (std::optional<int64_t> value = expr.getConstant())
    return machine->makeInt(*value);
  return machine->make<SizeValue>(*this, machine->builtinClass("int"), expr);
}

PyValue TorchLibrary::makeShape(ArrayRef<Expr> sizes) {
  SmallVector<PyValue> items;
  for (Expr size : sizes)
    items.push_back(makeSize(size));
  return machine->makeTuple(items);
}

PyValue TorchLibrary::makeDType(DType dtype) {
  PyValue &value = dtypes[static_cast<unsigned>(dtype)];
  if (!value)
    value = machine->make<DTypeValue>(*this, dtypeClass, dtype);
  return value;
}

TensorValue *TorchLibrary::tensorArg(PyValue value, StringRef what) {
  if (auto *tensor = dyn_cast_if_present<TensorValue>(value); tensor && !tensor->isNumber)
    return tensor;
  if (isa_and_present<MaskedValue>(value)) {
    refuseMasked();
    return nullptr;
  }
  machine->raise("TypeError", what + "(): expected a Tensor, got " + machine->typeName(value));
  return nullptr;
}

std::optional<Operand> TorchLibrary::operand(PyValue value) {
  Operand result;
  if (auto *tensor = dyn_cast<TensorValue>(value)) {
    result.tensor = tensor;
    result.dtype = tensor->dtype;
    result.rank = tensor->isNumber ? Rank::Number : rankOf(tensor) ? Rank::Dimensions : Rank::Zero;
    return result;
  }
  if (auto *size = dyn_cast<SizeValue>(value)) {
    result.size = size->expr;
    result.dtype = DType::I64;
    return result;
  }
  if (auto *number = dyn_cast<IntObject>(value); number && number->isSmall()) {
    result.integer = number->small;
    result.dtype = isa<BoolObject>(value) ? DType::Bool : DType::I64;
    return result;
  }
  if (auto *number = dyn_cast<FloatObject>(value)) {
    result.real = number->value;
    return result;
  }
  if (isa<MaskedValue>(value))
    refuseMasked();
  else if (isa<ConditionValue>(value))
    machine->refuse("a comparison of sizes is used as a number", "compute it in Python from sizes");
  else
    machine->raise("TypeError",
                   "unsupported operand type: '" + machine->typeName(value) + "' with a tensor");
  return std::nullopt;
}

mlir::Value TorchLibrary::materialize(const Operand &operand, DType dtype) {
  if (operand.tensor && operand.tensor->origin)
    return liveValue(*operand.tensor, dtype);
  if (operand.tensor)
    return writer.cast(read(operand.tensor), dtype);
  if (operand.size)
    return writer.cast(writer.size(operand.size), dtype);
  return operand.real ? writer.number(dtype, *operand.real)
                      : writer.integer(dtype, operand.integer);
}

std::optional<Expr> TorchLibrary::sizeArg(PyValue value, StringRef what) {
  if (auto *size = dyn_cast<SizeValue>(value))
    return solver.resolve(size->expr);
  if (auto *number = dyn_cast<IntObject>(value); number && number->isSmall())
    return writer.constantSize(number->small);
  auto *tensor = dyn_cast<TensorValue>(value);
  bool isNumber = tensor && tensor->isNumber && !isFloat(tensor->dtype);
  if (Expr size = isNumber ? sizeOfNumber(read(tensor)) : Expr())
    return solver.resolve(size);
  if (PyValue known = isNumber ? numberOfSizes(tensor, what) : nullptr)
    return writer.constantSize(cast<IntObject>(known)->small);
  if (machine->pending())
    return std::nullopt;
  if (tensor && !isFloat(tensor->dtype))
    machine->refuse(what + " depends on the values of a tensor", "use a size or a constant");
  else
    machine->raise("TypeError", what + " must be an integer, not " + machine->typeName(value));
  return std::nullopt;
}

SmallVector<PyValue> TorchLibrary::listArg(PyValue packed) {
  auto itemsOf = [&](PyValue value) -> std::optional<ArrayRef<PyValue>> {
    if (auto *grown = dyn_cast<GrownList>(machine::standIn(value)))
      if (ListObject *list = writeOut(grown, "this use of it"))
        return ArrayRef<PyValue>(list->items);
    if (auto *tuple = dyn_cast<TupleObject>(value))
      return tuple->items;
    if (auto *list = dyn_cast<ListObject>(value))
      return ArrayRef<PyValue>(list->items);
    return std::nullopt;
  };
  std::optional<ArrayRef<PyValue>> items = itemsOf(packed);
  if (!items)
    return SmallVector<PyValue>{packed};
  if (items->size() == 1)
    if (std::optional<ArrayRef<PyValue>> inner = itemsOf(items->front()))
      items = inner;
  return SmallVector<PyValue>(*items);
}

std::optional<Sizes> TorchLibrary::sizesArg(PyValue packed) {
  Sizes sizes;
  for (PyValue item : listArg(packed)) {
    std::optional<Expr> size = sizeArg(item, "a size");
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<Sizes> TorchLibrary::newSizesArg(PyValue packed) {
  std::optional<Sizes> sizes = sizesArg(packed);
  for (Expr size : sizes.value_or(Sizes())) {
    std::string message = "Trying to create tensor with negative dimension " + size.str();
    if (solver.require(index::ge(size, 0), message))
      continue;
    machine->raise("RuntimeError", message);
    return std::nullopt;
  }
  return sizes;
}

std::optional<int64_t> TorchLibrary::intArg(PyValue value, StringRef what) {
  if (auto *number = dyn_cast<IntObject>(value); number && number->isSmall())
    return number->small;
  if (auto *size = dyn_cast<SizeValue>(value))
    return fixSizeOrRefuse(size->expr, greatestSize, what);
  auto *tensor = dyn_cast<TensorValue>(value);
  if (PyValue known = tensor && tensor->isNumber && !isFloat(tensor->dtype)
                          ? numberOfSizes(tensor, what)
                          : nullptr)
    return cast<IntObject>(known)->small;
  if (machine->pending())
    return std::nullopt;
  if (auto *number = dyn_cast<TensorValue>(value);
      number && number->isNumber && !isFloat(number->dtype))
    machine->refuse(what + " is a number that only the call knows",
                    "give its value in --inputs (n=8)");
  else
    machine->raise("TypeError", what + " must be int, not " + machine->typeName(value));
  return std::nullopt;
}

std::optional<int64_t> TorchLibrary::dimArg(PyValue value, int64_t rank) {
  std::optional<int64_t> dim = intArg(value, "dim");
  if (!dim)
    return std::nullopt;
  int64_t bound = std::max<int64_t>(rank, 1);
  if (*dim < -bound || *dim >= bound) {
    machine->raise("IndexError", "Dimension out of range (expected to be in range of [" +
                                     Twine(-bound) + ", " + Twine(bound - 1) + "], but got " +
                                     Twine(*dim) + ")");
    return std::nullopt;
  }
  return *dim < 0 ? *dim + bound : *dim;
}

std::optional<SmallVector<int64_t>> TorchLibrary::dimsArg(PyValue value, int64_t rank) {
  SmallVector<int64_t> dims;
  bool all = isa<NoneObject>(value);
  if (auto *tuple = dyn_cast<TupleObject>(value))
    all = tuple->items.empty();
  if (all) {
    for (int64_t dim = 0; dim < rank; ++dim)
      dims.push_back(dim);
    return dims;
  }
  for (PyValue item : listArg(value)) {
    std::optional<int64_t> dim = dimArg(item, rank);
    if (!dim)
      return std::nullopt;
    if (is_contained(dims, *dim)) {
      machine->raise("RuntimeError",
                     "dim " + Twine(*dim) + " appears multiple times in the list of dims");
      return std::nullopt;
    }
    dims.push_back(*dim);
  }
  sort(dims);
  if (rank == 0)
    dims.clear();
  return dims;
}

std::optional<bool> TorchLibrary::boolArg(PyValue value, StringRef what) {
  if (isa<NoneObject>(value))
    return false;
  if (auto *number = dyn_cast<IntObject>(value))
    return number->small != 0;
  machine->raise("TypeError", what + " must be bool, not " + machine->typeName(value));
  return std::nullopt;
}

bool TorchLibrary::isForeignDType(PyValue value) const {
  return isa<DeviceValue>(value) && value->cls == dtypeClass;
}

bool TorchLibrary::dtypeArg(PyValue value, std::optional<DType> &dtype) {
  if (isa<NoneObject>(value))
    return true;
  if (auto *given = dyn_cast<DTypeValue>(value)) {
    dtype = given->dtype;
    return true;
  }
  if (isForeignDType(value)) {
    StringRef name = cast<DeviceValue>(value)->text;
    bool isComplex = name.contains("torch.c");
    machine->refuseAt(
        userLocation(),
        "'" + name + "' is not supported" + (isComplex ? ": no number is complex here" : " yet"),
        isComplex ? "keep real and imaginary parts as tensors of floats"
                  : "return the scaled values as torch.float16 or torch.bfloat16, and "
                    "cast them outside");
    if (isTrying || isReadingFile())
      return false;
    // Another type stands for it, so that reading goes on.
    machine->report(diagnostics);
    reported = true;
    dtype = isComplex ? DType::F32 : DType::F16;
    return true;
  }
  if (auto *cls = dyn_cast<ClassObject>(value)) {
    dtype = StringSwitch<std::optional<DType>>(cls->name)
                .Case("float", DType::F64)
                .Case("int", DType::I64)
                .Case("bool", DType::Bool)
                .Default(std::nullopt);
    if (dtype)
      return true;
  }
  // A type of old: torch.LongTensor.
  if (value->attrs)
    if (PyValue named = value->attrs->get(machine->intern("dtype"));
        named && isa<DTypeValue>(named)) {
      dtype = cast<DTypeValue>(named)->dtype;
      return true;
    }
  machine->raise("TypeError", "dtype must be torch.dtype, not " + machine->typeName(value));
  return false;
}

/// Whether a size that follows from others, the n - 3 of a slice, is 1 and repeats beside another:
/// it is required to be then. Sizes of the inputs are 1 where they are written so.
bool TorchLibrary::isDerivedOne(Expr size, Expr beside) {
  std::optional<int64_t> other = solver.hint(beside);
  return other && *other != 1 && isDerivedOne(size);
}

bool TorchLibrary::isDerivedOne(Expr size) {
  return !size.isSymbol() && !size.isConstant() && solver.hint(size) == 1 &&
         solver.equate(size, writer.constantSize(1));
}

std::optional<Sizes> TorchLibrary::broadcastSizes(ArrayRef<Sizes> all) {
  Sizes result;
  for (const Sizes &sizes : all)
    while (result.size() < sizes.size())
      result.push_back(writer.constantSize(1));
  for (const Sizes &sizes : all) {
    for (size_t back = 1; back <= sizes.size(); ++back) {
      Expr &merged = result[result.size() - back];
      Expr size = sizes[sizes.size() - back];
      if (size == merged || size.isConstant(1))
        continue;
      if (merged.isConstant(1) || solver.equate(merged, size)) {
        merged = solver.resolve(size);
        continue;
      }
      if (isDerivedOne(size, merged))
        continue;
      if (isDerivedOne(merged, size) || equateOrFix(merged, size)) {
        merged = solver.resolve(size);
        continue;
      }
      bool numbers = merged.isConstant() && size.isConstant();
      std::string message = "The size of tensor a (" + merged.str() +
                            ") must match the size of tensor b (" + size.str() +
                            ") at non-singleton dimension " + std::to_string(result.size() - back);
      std::optional<int64_t> first = solver.hint(merged), second = solver.hint(size);
      if (numbers)
        machine->raise("RuntimeError", message);
      else if (first && second && *first != *second && *first != 1 && *second != 1)
        machine->raise("RuntimeError", message,
                       merged.str() + " is " + Twine(*first) + " and " + size.str() + " is " +
                           Twine(*second) + " in the inputs that are given");
      else
        machine->raise("RuntimeError", message,
                       "a symbolic size is never taken for 1: write the literal 1 in --inputs "
                       "where an axis is to be repeated");
      return std::nullopt;
    }
  }
  for (Expr &size : result)
    size = solver.resolve(size);
  return result;
}

} // namespace nereid::torch
