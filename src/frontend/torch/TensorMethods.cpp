// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods of Tensor that are no operators: casts, sizes, questions, copies and stores.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

PyValue TorchLibrary::castTo(TensorValue *tensor, DType dtype) {
  if (tensor->dtype == dtype)
    return tensor;
  return copyAs(tensor, dtype);
}

PyValue TorchLibrary::copyAs(TensorValue *tensor, DType dtype) {
  return wrap(writer.cast(read(tensor), dtype));
}

static PyValue convertTo(TorchLibrary &t, PyValue input, PyValue packed, PyValue keywords) {
  TensorValue *x = t.tensorArg(input, "to");
  if (!x)
    return nullptr;
  std::optional<DType> dtype;
  // Two truths stand after what is converted to: non_blocking and copy.
  SmallVector<PyValue, 2> truths;
  for (PyValue item : t.listArg(packed)) {
    if (auto *other = dyn_cast<TensorValue>(item))
      dtype = other->dtype;
    else if (isa<BoolObject>(item))
      truths.push_back(item);
    else if ((isa<DTypeValue, ClassObject>(item) || t.isForeignDType(item)) &&
             !t.dtypeArg(item, dtype))
      return nullptr;
  }
  auto &named = *cast<DictObject>(keywords);
  if (PyValue given = t.machine->dictGet(named, "dtype"))
    if (!t.dtypeArg(given, dtype))
      return nullptr;
  if (auto *other = dyn_cast_or_null<TensorValue>(t.machine->dictGet(named, "other")))
    dtype = other->dtype;
  PyValue copy = t.machine->dictGet(named, "copy");
  if (!copy && truths.size() > 1)
    copy = truths[1];
  std::optional<bool> isCopied = copy ? t.boolArg(copy, "copy") : false;
  if (!isCopied)
    return nullptr;
  if (*isCopied)
    return t.copyAs(x, dtype.value_or(x->dtype));
  return dtype ? t.castTo(x, *dtype) : x;
}

/// The element types as `x.type()` spells them.
static constexpr std::pair<DType, StringLiteral> typesOfOld[] = {
    {DType::F32, "FloatTensor"},         {DType::F64, "DoubleTensor"},
    {DType::F16, "HalfTensor"},          {DType::BF16, "BFloat16Tensor"},
    {DType::I64, "LongTensor"},          {DType::I32, "IntTensor"},
    {DType::I16, "ShortTensor"},         {DType::I8, "CharTensor"},
    {DType::U8, "ByteTensor"},           {DType::Bool, "BoolTensor"},
    {DType::U16, "UInt16Tensor"},        {DType::U32, "UInt32Tensor"},
    {DType::U64, "UInt64Tensor"},        {DType::F8E4M3, "Float8_e4m3fnTensor"},
    {DType::F8E5M2, "Float8_e5m2Tensor"}};

static StringRef getTypeOfOld(DType dtype) {
  return find_if(typesOfOld, [&](const auto &each) { return each.first == dtype; })->second;
}

/// `"torch.cuda.FloatTensor"`; nullopt for what is no such text.
static std::optional<DType> dtypeOfOld(PyValue value) {
  auto *text = dyn_cast<StrObject>(value);
  StringRef name = text ? StringRef(text->text) : "";
  if (!name.consume_front("torch."))
    return std::nullopt;
  name.consume_front("cuda.");
  auto found = find_if(typesOfOld, [&](const auto &each) { return each.second == name; });
  return found == std::end(typesOfOld) ? std::nullopt : std::optional(found->first);
}

static void defineCasts(TorchLibrary &library) {
  library.define(
      "Tensor", "to", "(self, *args, **kwargs)",
      [](TorchLibrary &t, ArrayRef<PyValue> a) { return convertTo(t, a[0], a[1], a[2]); });
  library.define("Tensor", "type_as", "(self, other)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "type_as");
                   TensorValue *other = x ? t.tensorArg(a[1], "type_as") : nullptr;
                   return other ? t.castTo(x, other->dtype) : nullptr;
                 });
  library.define("Tensor", "type", "(self, dtype=None, non_blocking=False)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "type");
                   if (!x)
                     return nullptr;
                   if (isa<NoneObject>(a[1]))
                     return t.machine->makeStr(("torch.cuda." + getTypeOfOld(x->dtype)).str());
                   std::optional<DType> dtype = dtypeOfOld(a[1]);
                   if (!dtype && !t.dtypeArg(a[1], dtype))
                     return nullptr;
                   return t.castTo(x, *dtype);
                 });
  for (auto [name, dtype] : {std::pair<StringRef, DType>{"float", DType::F32},
                             {"double", DType::F64},
                             {"half", DType::F16},
                             {"bfloat16", DType::BF16},
                             {"int", DType::I32},
                             {"long", DType::I64},
                             {"short", DType::I16},
                             {"char", DType::I8},
                             {"byte", DType::U8},
                             {"bool", DType::Bool}})
    library.define("Tensor", name, "(self, memory_format=None)",
                   [name, dtype](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     return x ? t.castTo(x, dtype) : nullptr;
                   });
}

static void defineQuestions(TorchLibrary &library) {
  // Its number is the call's: what takes it takes the device itself.
  library.define("torch Tensor", "get_device", "(input)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "get_device");
                   PyValue device = x ? t.machine->getAttribute(x, "device") : nullptr;
                   return device ? t.machine->getAttribute(device, "index") : nullptr;
                 });
  library.define("Tensor", "size", "(self, dim=None)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "size");
                   if (!x || isa<NoneObject>(a[1]))
                     return x ? t.makeShape(t.sizesOf(x)) : nullptr;
                   std::optional<int64_t> dim = t.dimArg(a[1], t.rankOf(x));
                   return dim ? t.makeSize(t.sizesOf(x)[*dim]) : nullptr;
                 });
  for (StringRef name : {"dim", "ndimension"})
    library.define("Tensor", name, "(self)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
      TensorValue *x = t.tensorArg(a[0], "dim");
      return x ? t.machine->makeInt(t.rankOf(x)) : nullptr;
    });
  for (StringRef name : {"numel", "nelement"})
    library.define(
        "torch Tensor", name, "(input)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
          TensorValue *x = t.tensorArg(a[0], "numel");
          return x ? t.makeSize(index::product(t.solver.getContext(), t.sizesOf(x))) : nullptr;
        });
  library.define("torch Tensor", "is_floating_point", "(input)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "is_floating_point");
                   return x ? t.machine->makeBool(isFloat(x->dtype)) : nullptr;
                 });
  library.define("torch Tensor", "is_complex", "(input)",
                 [](TorchLibrary &t, ArrayRef<PyValue>) { return t.machine->makeBool(false); });
  library.define("torch", "is_tensor", "(obj)", [](TorchLibrary &t, ArrayRef<PyValue> a) {
    auto *x = dyn_cast<TensorValue>(a[0]);
    return t.machine->makeBool(x && !x->isNumber);
  });
  library.define("torch", "result_type", "(tensor1, tensor2)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   std::optional<Operand> x = t.operand(a[0]);
                   std::optional<Operand> y = x ? t.operand(a[1]) : std::nullopt;
                   std::optional<DType> type =
                       y ? resultType({{x->dtype, x->rank}, {y->dtype, y->rank}}) : std::nullopt;
                   return type ? t.makeDType(*type) : nullptr;
                 });
  library.define("torch", "promote_types", "(type1, type2)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   std::optional<DType> x, y;
                   if (!t.dtypeArg(a[0], x) || !t.dtypeArg(a[1], y) || !x || !y)
                     return nullptr;
                   std::optional<DType> type = promote(*x, *y);
                   return type ? t.makeDType(*type) : nullptr;
                 });
}

/// Whether the elements of a tensor lie one after the other, as far as the program says: arguments
/// and results do, views by their steps.
static bool isContiguous(TensorValue *x) {
  // Axes that are permuted, and put back later.
  SmallVector<int64_t, 4> order;
  auto isInOrder = [&] { return llvm::is_sorted(order); };
  for (const ViewStep &step : x->steps) {
    bool isFront = step.kind == ViewStep::Slice && step.dim == 0 && step.step == 1;
    if (step.kind == ViewStep::Transpose) {
      SmallVector<int64_t, 4> before = order;
      order.clear();
      for (int64_t axis : step.axes)
        order.push_back(before.empty() ? axis : before[axis]);
    } else if ((isFront || step.kind == ViewStep::Reshape) && isInOrder()) {
      order.clear();
    } else if (step.kind != ViewStep::Detach) {
      return false;
    }
  }
  return isInOrder();
}

static PyValue strideOf(TorchLibrary &t, TensorValue *x, PyValue dim) {
  if (isa<mlir::BlockArgument>(x->storage->first) || !isContiguous(x))
    return t.machine->refuse("the strides of an argument or view are known only when it runs",
                             "compute with sizes, or call contiguous()");
  if (!t.requireLayout(t.layoutOf(*x->storage), "stride()"))
    return nullptr;
  Sizes sizes = t.sizesOf(x), strides(sizes.size(), t.writer.constantSize(1));
  for (size_t axis = sizes.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * sizes[axis];
  if (isa<NoneObject>(dim))
    return t.makeShape(strides);
  std::optional<int64_t> axis = t.dimArg(dim, sizes.size());
  return axis ? t.makeSize(strides[*axis]) : nullptr;
}

static void defineLayoutQuestions(TorchLibrary &library) {
  library.define("Tensor", "is_contiguous", "(self, memory_format=None)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "is_contiguous");
                   auto *format = dyn_cast<DeviceValue>(a[1]);
                   bool isLast = format && format->text.starts_with("channels_last");
                   int64_t rank = format && format->text == "channels_last_3d" ? 5 : 4;
                   if (x && isLast && t.rankOf(x) != rank)
                     return t.machine->makeBool(false);
                   return x ? t.isContiguous(x, isLast) : nullptr;
                 });
  library.define("Tensor", "stride", "(self, dim=None)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "stride");
                   return x ? strideOf(t, x, a[1]) : nullptr;
                 });
  library.define("Tensor", "element_size", "(self)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "element_size");
                   return x ? t.machine->getAttribute(t.makeDType(x->dtype), "itemsize") : nullptr;
                 });
  library.define("torch Tensor", "is_signed", "(input)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "is_signed");
                   static constexpr DType without[] = {DType::Bool, DType::U8, DType::U16,
                                                       DType::U32, DType::U64};
                   return x ? t.machine->makeBool(!is_contained(without, x->dtype)) : nullptr;
                 });
  for (StringRef name : {"is_conj", "is_neg", "is_inference", "is_pinned", "is_shared"})
    library.define("Tensor", name, "(self)",
                   [](TorchLibrary &t, ArrayRef<PyValue>) { return t.machine->makeBool(false); });
}

static void defineCopies(TorchLibrary &library) {
  for (StringRef name :
       {"clone", "contiguous", "detach", "cpu", "cuda", "pin_memory", "share_memory_"})
    library.define(name == "clone" || name == "detach" ? "torch Tensor" : "Tensor", name,
                   "(input, *args, memory_format=None, **kwargs)",
                   [name](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     if (!x)
                       return nullptr;
                     if (name == "clone")
                       return t.wrap(t.read(x));
                     if (name == "detach")
                       return t.gradients ? t.view(x, ViewStep(ViewStep::Detach)) : x;
                     if (name != "contiguous" || (x->storage->rows && x->steps.empty()))
                       return x;
                     return x->storage->rows ? t.wrap(t.writer.contiguous(t.read(x)))
                                             : t.shareOrCopy(x, std::nullopt);
                   });
  library.define("Tensor", "requires_grad_", "(self, requires_grad=True)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "requires_grad_");
                   if (x && isa<BoolObject>(a[1]))
                     x->requiresGrad = cast<BoolObject>(a[1])->value();
                   return x;
                 });
  library.define("Tensor", "copy_", "(self, src, non_blocking=False)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "copy_");
                   TensorValue *source = x ? t.tensorArg(a[1], "copy_") : nullptr;
                   if (!source)
                     return nullptr;
                   return t.storeInPlace(x, t.wrap(t.writer.cast(t.read(source), x->dtype)));
                 });
  library.define(
      "Tensor", "fill_", "(self, value)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
        TensorValue *x = t.tensorArg(a[0], "fill_");
        std::optional<Operand> value = x ? t.operand(a[1]) : std::nullopt;
        return value ? t.storeInPlace(x, t.wrap(t.materialize(*value, x->dtype))) : nullptr;
      });
  library.define("Tensor", "zero_", "(self)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    TensorValue *x = t.tensorArg(a[0], "zero_");
    return x ? t.storeInPlace(x, t.wrap(t.writer.integer(x->dtype, 0))) : nullptr;
  });
}

void TorchLibrary::defineTensorMethods() {
  defineCasts(*this);
  defineQuestions(*this);
  defineLayoutQuestions(*this);
  defineCopies(*this);
}

} // namespace nereid::torch
