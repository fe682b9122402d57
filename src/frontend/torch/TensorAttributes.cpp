// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of tensors, dtypes and devices: properties, methods and their in-place forms.
#include "frontend/torch/KnownNames.h"
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

TensorValue *TorchLibrary::dataOf(TensorValue *tensor) {
  ViewStep step(ViewStep::Detach);
  step.dim = ViewStep::ByData;
  return gradients ? view(tensor, step) : tensor;
}

/// An attribute of a device; nullopt for a name that it has not.
Answer TorchLibrary::deviceAttribute(DeviceValue &device, StringRef name) {
  if (name == "type")
    return machine->makeStr(device.type());
  // As the default of what is made: that lies where the arguments do in any case.
  if (name == "__enter__")
    return machine->makeBuiltin(name, [&device](Machine &, const CallArgs &) { return &device; });
  if (name == "__exit__")
    return machine->makeBuiltin(name, [](Machine &m, const CallArgs &) { return m.none(); });
  if (name != "index")
    return std::nullopt;
  if (device.isOfTensor)
    return machine->make<DeviceValue>(*this, deviceClass, "the number of a GPU", true);
  int64_t number;
  StringRef text = device.text.split(':').second;
  return text.getAsInteger(10, number) ? machine->none() : machine->makeInt(number);
}

/// The properties of a tensor; nullopt for others.
static Answer tensorProperty(TorchLibrary &t, TensorValue *x, StringRef name) {
  if (name == "shape")
    return t.makeShape(t.sizesOf(x));
  if (name == "dtype")
    return t.makeDType(x->dtype);
  if (name == "ndim")
    return t.machine->makeInt(t.rankOf(x));
  if (name == "layout")
    return t.machine->make<DeviceValue>(t, t.deviceClass, "strided");
  if (name == "device")
    return t.machine->make<DeviceValue>(t, t.deviceClass, "cuda", true);
  if (name == "data")
    return t.dataOf(x);
  if (name == "requires_grad")
    return t.askGradient(x);
  if (name == "is_leaf")
    return t.machine->makeBool(isa<mlir::BlockArgument>(x->storage->value) ||
                               !t.requiresGradient(x));
  static constexpr StringLiteral never[] = {"is_sparse", "is_quantized", "is_meta", "is_cpu",
                                            "is_nested", "is_mkldnn",    "is_mps",  "is_xla"};
  if (name == "is_cuda" || is_contained(never, name))
    return t.machine->makeBool(name == "is_cuda");
  if (name == "itemsize")
    return t.machine->getAttribute(t.makeDType(x->dtype), "itemsize");
  if (name == "nbytes")
    return t.machine->binary(BinaryOperator::Mult,
                             t.makeSize(index::product(t.solver.getContext(), t.sizesOf(x))),
                             t.machine->getAttribute(t.makeDType(x->dtype), "itemsize"));
  if (name == "real")
    return x;
  if (name == "grad" || name == "grad_fn")
    return t.machine->none();
  if (name != "T" && name != "mT" && name != "mH" && name != "H")
    return std::nullopt;
  int64_t rank = t.rankOf(x);
  SmallVector<int64_t> order = to_vector(seq<int64_t>(0, rank));
  if (name == "T")
    std::reverse(order.begin(), order.end());
  else if (rank >= 2)
    std::swap(order[rank - 1], order[rank - 2]);
  else
    return t.machine->raise("RuntimeError", "tensor." + name + " needs at least 2 dimensions");
  t.setPlace();
  return t.permute(x, order);
}

PyValue TorchLibrary::changeView(TensorValue *tensor, PyValue view) {
  if (tensor->storage->isArgument && tensor->steps.empty())
    return machine->refuse("an in-place change of the shape of an argument is not supported",
                           "assign the view to a name");
  auto *changed = cast<TensorValue>(view);
  tensor->steps = changed->steps;
  tensor->view = changed->view;
  tensor->viewVersion = changed->viewVersion;
  return tensor;
}

/// How PyTorch spells the names of a space.
static std::string ownerOf(StringRef space) {
  return space == "F"       ? "torch.nn.functional."
         : space == "torch" ? "torch."
                            : ("torch." + space + ".").str();
}

PyValue TorchLibrary::inPlaceForm(StringRef space, StringRef name) {
  if (!name.ends_with("_") || name.ends_with("__"))
    return nullptr;
  PyValue plain = lookup(space, name.drop_back());
  if (!plain)
    return nullptr;
  if (PyValue left = keptFunction(space, ownerOf(space) + name.drop_back().str(), plain))
    plain = left;
  static constexpr StringLiteral views[] = {"unsqueeze_", "squeeze_",  "transpose_",
                                            "t_",         "swapaxes_", "swapdims_"};
  bool isView = is_contained(views, name);
  return machine->makeBuiltin(
      machine->save(name),
      [this, plain, isView, text = name.drop_back().str()](Machine &,
                                                           const CallArgs &args) -> PyValue {
        PyValue first = args.positional.empty() ? args.keyword("input") : args.positional.front();
        if (isa_and_present<ComplexValue>(first) && !isView)
          return complexInPlace(text, args);
        if (auto *masked = first && !isView ? dyn_cast<MaskedValue>(first) : nullptr)
          return maskedInPlace(masked, machine->call(plain, args));
        auto *self = first ? tensorArg(first, "an in-place operator") : nullptr;
        PyValue result = self || !first ? machine->call(plain, args) : nullptr;
        setPlace();
        if (!result || !self || isPoisoned(result))
          return result;
        return isView ? changeView(self, result) : storeInPlace(self, result);
      });
}

Answer TorchLibrary::tensorMethod(StringRef name) {
  PyValue method = lookup("Tensor", name);
  if (PyValue left = machine->pending()
                         ? nullptr
                         : keptFunction("Tensor", ("torch.Tensor." + name).str(), method))
    method = left;
  if (!method && !machine->pending() && isInPlaceMethod(name))
    method = inPlaceForm("Tensor", name);
  if (!method && !machine->pending()) {
    if (name.starts_with("__"))
      return std::nullopt;
    method = unknownName("Tensor", "Tensor", name);
  }
  return method;
}

/// `x.shape.numel()`: shapes are tuples here, and torch.Size is one with that.
static PyValue makeElementCount(Machine &machine, const TupleObject &shape) {
  return machine.makeBuiltin("numel", [&shape](Machine &m, const CallArgs &) -> PyValue {
    PyValue count = m.makeInt(1);
    for (PyValue size : shape.items)
      if (count)
        count = m.binary(python::BinaryOperator::Mult, count, size);
    return count;
  });
}

Answer TorchLibrary::getAttribute(Machine &, PyValue object, machine::Name name) {
  StringRef text = name->text;
  if (auto *tuple = dyn_cast<TupleObject>(object)) {
    bool isPlain = tuple->cls == machine->builtinClass("tuple");
    return isPlain && text == "numel" ? Answer(makeElementCount(*machine, *tuple)) : std::nullopt;
  }
  if (isa<PoisonValue>(object))
    return poison();
  if (object == tensorClass)
    return tensorMethod(text);
  if (isForeignDType(object)) {
    bool isComplex = cast<DeviceValue>(object)->text.contains("torch.c");
    if (text == "is_complex" || text == "is_floating_point")
      return machine->makeBool(isComplex == (text == "is_complex"));
    return text == "itemsize" && !isComplex ? Answer(machine->makeInt(1)) : std::nullopt;
  }
  if (auto *device = dyn_cast<DeviceValue>(object))
    return deviceAttribute(*device, text);
  if (auto *dtype = dyn_cast<DTypeValue>(object)) {
    if (text == "is_floating_point")
      return machine->makeBool(isFloat(dtype->dtype));
    if (text == "is_complex")
      return machine->makeBool(false);
    if (text == "itemsize") {
      mlir::Type type = torch::toMlir(dtype->dtype, context);
      return machine->makeInt(std::max(1u, type.getIntOrFloatBitWidth() / 8));
    }
    return std::nullopt;
  }
  if (auto *complex = dyn_cast<ComplexValue>(object))
    return complexAttribute(complex, text);
  if (auto *masked = dyn_cast<MaskedValue>(object))
    return maskedAttribute(masked, text);
  if (auto *grown = dyn_cast<GrownList>(object))
    return grownAttribute(grown, text);
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor || tensor->isNumber)
    return std::nullopt;
  if (Answer property = tensorProperty(*this, tensor, text))
    return property;
  if (PyValue own = tensor->attrs ? tensor->attrs->get(name) : nullptr)
    return own;
  Answer method = tensorMethod(text);
  if (!method || !*method)
    return method;
  return machine->makeBuiltin(
      machine->save(text), [method = *method, tensor](Machine &m, const CallArgs &args) -> PyValue {
        SmallVector<PyValue> all{tensor};
        all.append(args.positional.begin(), args.positional.end());
        return m.call(method, CallArgs{all, args.keywords});
      });
}

Answer TorchLibrary::setAttribute(Machine &, PyValue object, machine::Name name, PyValue value) {
  auto *complex = dyn_cast<ComplexValue>(object);
  if (complex && name->text != "requires_grad" && name->text != "grad")
    return machine->refuse("setting the attribute '" + name->text +
                               "' of a complex tensor is not supported",
                           "keep the value in a variable");
  auto *tensor = complex ? complex->parts : dyn_cast<TensorValue>(object);
  if (!tensor || tensor->isNumber)
    return std::nullopt;
  if (name->text == "requires_grad" && isa<BoolObject>(value))
    tensor->requiresGrad = cast<BoolObject>(value)->value();
  if (name->text == "requires_grad" || name->text == "grad")
    return value;
  if (name->text == "data") {
    auto *source = tensorArg(value, "data");
    if (!source)
      return nullptr;
    // What autograd knows of the tensor stays.
    return storeInPlace(dataOf(tensor), source) ? Answer(value) : Answer(nullptr);
  }
  bool isOwn = tensorProperty(*this, tensor, name->text) || lookup("Tensor", name->text);
  if (machine->pending())
    return nullptr;
  // What a program notes down: `p._no_weight_decay = True`.
  if (!isOwn)
    return std::nullopt;
  return machine->refuse("setting the attribute '" + name->text + "' of a tensor is not supported",
                         "keep the value in a variable");
}

} // namespace nereid::torch
