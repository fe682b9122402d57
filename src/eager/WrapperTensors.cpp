// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes, methods and parts of the tensors of a wrapper.
#include "eager/WrapperMachine.h"

#include "frontend/torch/DType.h"
#include "python/machine/Machine.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::eager {

std::optional<mlir::Type> WrapperMachine::typeOf(PyValue dtype) {
  auto *opaque = dyn_cast_if_present<machine::OpaqueObject>(dtype);
  StringRef name = opaque ? opaque->path : "";
  std::optional<torch::DType> type;
  if (name.consume_front("torch."))
    type = torch::parseTorchName(name);
  if (!type && name == "float8_e4m3fn")
    type = torch::DType::F8E4M3;
  if (!type && name == "float8_e5m2")
    type = torch::DType::F8E5M2;
  if (!type)
    return std::nullopt;
  return torch::toMlir(*type, context);
}

/// Whole numbers, or one list of them; nullopt after an error.
std::optional<SmallVector<int64_t>> WrapperMachine::numbersOf(ArrayRef<PyValue> args) {
  if (args.size() == 1)
    if (std::optional<ArrayRef<PyValue>> items = triton::sequence(args.front()))
      args = *items;
  SmallVector<int64_t> numbers;
  for (PyValue arg : args) {
    std::optional<int64_t> number = machine.index(arg);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

static PyValue makeShape(Machine &machine, Sizes numbers) {
  SmallVector<PyValue> items;
  for (int64_t number : numbers)
    items.push_back(machine.makeInt(number));
  return machine.makeTuple(items);
}

PyValue WrapperMachine::tensorAttribute(TensorValue &self, StringRef name) {
  const Tensor &own = self.tensor;
  if (name == "shape")
    return makeShape(machine, own.sizes);
  if (name == "ndim")
    return machine.makeInt(own.getRank());
  if (name == "dtype")
    return path("torch." + torch::getTorchName(torch::fromMlir(own.elementType)));
  if (name == "itemsize" || name == "nbytes") {
    int64_t bytes = interpreter::getBytes(own.getElement());
    return machine.makeInt(name == "nbytes" ? bytes * own.getNumElements() : bytes);
  }
  if (name == "device")
    return machine.make<DeviceValue>(*this, deviceClass);
  static constexpr StringLiteral held[] = {"is_cuda", "is_leaf"};
  static constexpr StringLiteral missing[] = {"requires_grad", "is_sparse",    "is_cpu", "is_xpu",
                                              "is_meta",       "is_quantized", "is_mps"};
  if (is_contained(held, name) || is_contained(missing, name))
    return machine.makeBool(is_contained(held, name));
  if (name == "grad" || name == "grad_fn")
    return machine.none();
  if (name == "data")
    return &self;
  std::string why;
  if (name == "T" || name == "mT")
    return shown(name == "mT" || own.getRank() == 2
                     ? transpose(own, -1, -2, why)
                     : permute(own, to_vector(reverse(seq<int64_t>(0, own.getRank()))), why),
                 why);
  return machine.make<MethodValue>(*this, methodClass, &self, machine.save(name));
}

PyValue WrapperMachine::askMethod(TensorValue &self, StringRef name,
                                  const machine::CallArgs &args) {
  const Tensor &own = self.tensor;
  if (name == "numel" || name == "nelement")
    return machine.makeInt(own.getNumElements());
  if (name == "dim" || name == "ndimension")
    return machine.makeInt(own.getRank());
  if (name == "element_size")
    return machine.makeInt(int64_t(interpreter::getBytes(own.getElement())));
  if (name == "storage_offset")
    return machine.makeInt(own.offset);
  if (name == "is_contiguous")
    return machine.makeBool(own.isContiguous());
  if (name == "is_floating_point")
    return machine.makeBool(interpreter::isFloat(own.getElement()));
  if (name == "item")
    return itemOf(own);
  if (name == "get_device")
    return machine.makeInt(int64_t(0));
  if (name != "size" && name != "stride")
    return nullptr;
  ArrayRef<int64_t> numbers = name == "size" ? own.sizes : own.strides;
  PyValue given = args.positional.empty() ? args.keyword("dim") : args.positional.front();
  if (!given)
    return makeShape(machine, numbers);
  std::optional<int64_t> axis = machine.index(given);
  std::string why;
  std::optional<unsigned> place = axis ? axisOf(*axis, own.getRank(), why) : std::nullopt;
  if (axis && !place)
    return machine.raise("IndexError", why);
  return place ? machine.makeInt(numbers[*place]) : nullptr;
}

PyValue WrapperMachine::viewMethod(TensorValue &self, StringRef name,
                                   const machine::CallArgs &args) {
  static constexpr StringLiteral views[] = {"view",      "reshape", "transpose", "permute",
                                            "t",         "flatten", "unsqueeze", "squeeze",
                                            "expand",    "narrow",  "view_as",   "reshape_as",
                                            "expand_as", "select",  "ravel"};
  static constexpr StringLiteral same[] = {"detach", "cuda", "requires_grad_"};
  const Tensor &own = self.tensor;
  if (is_contained(same, name))
    return &self;
  if (name == "contiguous")
    return own.isContiguous() ? PyValue(&self) : tensor(copy(own));
  if (!is_contained(views, name))
    return nullptr;
  SmallVector<PyValue> given(args.positional);
  for (auto [word, value] : args.keywords)
    given.push_back(value);
  std::string why;
  auto *other = given.size() == 1 ? dyn_cast<TensorValue>(given.front()) : nullptr;
  if (name == "view" && given.size() == 1 && isa<machine::OpaqueObject>(given.front()))
    return machine.refuse("'view' with a type is not supported where a wrapper is run");
  std::optional<SmallVector<int64_t>> n = SmallVector<int64_t>();
  if (other)
    n->assign(other->tensor.sizes.begin(), other->tensor.sizes.end());
  else if (!(n = numbersOf(given)))
    return nullptr;
  auto at = [&](size_t place, int64_t fallback) {
    return place < n->size() ? (*n)[place] : fallback;
  };
  if (name == "view" || name == "view_as")
    return shown(view(own, *n, why), why);
  if (name == "reshape" || name == "reshape_as") {
    std::optional<Tensor> seen = view(own, *n, why);
    return shown(seen ? seen : view(copy(own), *n, why), why);
  }
  if (name == "flatten" || name == "ravel")
    return shown(eager::flatten(own, at(0, 0), at(1, -1), why), why);
  if (name == "transpose" || name == "t")
    return shown(transpose(own, at(0, 0), at(1, own.getRank() > 1 ? 1 : 0), why), why);
  if (name == "permute")
    return shown(permute(own, *n, why), why);
  if (name == "unsqueeze")
    return shown(unsqueeze(own, at(0, 0), why), why);
  if (name == "squeeze")
    return shown(squeeze(own, n->empty() ? std::nullopt : std::optional<int64_t>(at(0, 0)), why),
                 why);
  if (name == "expand" || name == "expand_as")
    return shown(expand(own, *n, why), why);
  if (name == "select")
    return shown(select(own, at(0, 0), at(1, 0), why), why);
  std::optional<unsigned> axis = axisOf(at(0, 0), own.getRank(), why);
  if (!axis)
    return machine.raise("IndexError", why);
  return tensor(slice(own, *axis, at(1, 0), at(1, 0) + at(2, 0), 1));
}

/// `x.to(...)`, `x.float()`, `x.clone()`.
PyValue WrapperMachine::copyMethod(TensorValue &self, StringRef name,
                                   const machine::CallArgs &args) {
  if (name == "clone")
    return convertTo(self.tensor, self.tensor.elementType, /*copies=*/true);
  if (name == "to" || name == "type") {
    PyValue wanted = args.keyword("dtype");
    for (PyValue arg : args.positional)
      if (auto *other = dyn_cast<TensorValue>(arg))
        return convertTo(self.tensor, other->tensor.elementType, false);
      else if (typeOf(arg))
        wanted = arg;
    if (!wanted)
      return &self;
    std::optional<mlir::Type> type = typeOf(wanted);
    return type ? convertTo(self.tensor, *type, false)
                : machine.refuse("the type in 'to(...)' is not known");
  }
  static constexpr StringLiteral casts[] = {"float", "half", "bfloat16", "double",
                                            "long",  "int",  "short",    "bool"};
  if (!is_contained(casts, name) || !args.positional.empty())
    return nullptr;
  std::optional<mlir::Type> type = typeOf(path("torch." + name));
  return convertTo(self.tensor, *type, false);
}

PyValue WrapperMachine::tensorMethod(TensorValue &self, StringRef name,
                                     const machine::CallArgs &args) {
  for (auto method :
       {&WrapperMachine::askMethod, &WrapperMachine::viewMethod, &WrapperMachine::copyMethod})
    if (PyValue result = (this->*method)(self, name, args); result || machine.pending())
      return result;
  StringRef maker = name;
  if (maker.consume_front("new_"))
    return makeNew(maker, args, self.tensor.elementType);
  static constexpr StringLiteral unsupported[] = {
      "data_ptr", "resize_", "set_",       "as_strided", "unfold",  "record_stream",
      "tolist",   "numpy",   "transpose_", "t_",         "backward"};
  if (is_contained(unsupported, name))
    return machine.refuse("'" + name + "' of a tensor is not supported where a wrapper is run");
  if (name == "chunk" || name == "split" || name == "unbind")
    return machine.refuse("'" + name + "' of a tensor is not supported where a wrapper is run",
                          "take parts by x[:, a:b]");
  if (name.ends_with("_") && !name.ends_with("__"))
    return changeInPlace(self, name, args);
  return callOperator(name, &self, args);
}

/// What `whole[key]` shows; `isView` is false, and there is no error, where elements are chosen.
std::optional<Tensor> WrapperMachine::partOf(const Tensor &whole, PyValue key, bool &isView) {
  isView = true;
  SmallVector<PyValue> items{key};
  if (auto *tuple = dyn_cast<machine::TupleObject>(key))
    items.assign(tuple->items.begin(), tuple->items.end());
  int64_t taken = count_if(
      items, [&](PyValue item) { return !triton::isNone(item) && item != machine.ellipsis(); });
  Tensor part = whole;
  unsigned axis = 0;
  std::string why;
  for (PyValue item : items) {
    if (triton::isNone(item)) {
      part = *unsqueeze(part, axis++, why);
    } else if (item == machine.ellipsis()) {
      axis += std::max<int64_t>(whole.getRank() - taken, 0);
    } else if (axis >= part.sizes.size()) {
      machine.raise("IndexError", "too many indices for a tensor");
      return std::nullopt;
    } else if (auto *range = dyn_cast<machine::SliceObject>(item)) {
      auto bound = [&](PyValue value, int64_t fallback) {
        return triton::isNone(value) ? std::optional(fallback) : machine.index(value);
      };
      std::optional<int64_t> step = bound(range->step, 1), start = bound(range->start, 0),
                             stop = bound(range->stop, part.sizes[axis]);
      if (!step || !start || !stop)
        return std::nullopt;
      if (*step <= 0) {
        machine.raise("ValueError", "step must be greater than zero");
        return std::nullopt;
      }
      part = slice(part, axis++, *start, *stop, *step);
    } else if (isa<TensorValue, machine::ListObject, machine::BoolObject>(item)) {
      isView = false;
      return std::nullopt;
    } else {
      std::optional<int64_t> place = machine.index(item);
      std::optional<Tensor> row = place ? select(part, axis, *place, why) : std::nullopt;
      if (place && !row)
        machine.raise("IndexError", why);
      if (!row)
        return std::nullopt;
      part = std::move(*row);
    }
  }
  return part;
}

Answer WrapperMachine::getItem(Machine &, PyValue object, PyValue key) {
  if (auto *kernel = dyn_cast<triton::FunctionValue>(object))
    return machine.make<LaunchValue>(*this, launchClass, kernel, key);
  auto *self = dyn_cast<TensorValue>(object);
  if (!self)
    return std::nullopt;
  bool isView = true;
  if (std::optional<Tensor> part = partOf(self->tensor, key, isView))
    return tensor(std::move(*part));
  if (isView)
    return nullptr;
  std::vector<Tensor> operands{self->tensor};
  std::optional<std::string> text = spell(key, operands);
  return text ? evaluate("a0[" + *text + "]", operands) : PyValue();
}

Answer WrapperMachine::setItem(Machine &, PyValue object, PyValue key, PyValue value) {
  auto *self = dyn_cast<TensorValue>(object);
  if (!self)
    return std::nullopt;
  bool isView = true;
  if (std::optional<Tensor> part = partOf(self->tensor, key, isView))
    return assign(*part, value);
  if (isView)
    return nullptr;
  return machine.refuse("storing to chosen elements is not supported where a wrapper is run");
}

} // namespace nereid::eager
