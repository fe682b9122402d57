// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of PyTorch that wrappers call: new tensors, questions about the device, and operators.
#include "eager/WrapperMachine.h"

#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::eager {

static double valueOf(PyValue value) {
  if (auto *real = dyn_cast<machine::FloatObject>(value))
    return real->value;
  auto *integer = dyn_cast<machine::IntObject>(value);
  return integer ? double(integer->small) : 0;
}

/// `empty`, `zeros`, `ones` or `full`; a type that is not given is the fallback.
PyValue WrapperMachine::makeNew(StringRef name, const machine::CallArgs &args,
                                mlir::Type fallback) {
  if (!is_contained({"empty", "zeros", "ones", "full"}, name))
    return machine.refuse("a new tensor by '" + name + "' is not supported where a wrapper is run");
  ArrayRef<PyValue> given = args.positional;
  PyValue number = args.keyword("fill_value");
  if (name == "full" && given.size() > 1) {
    number = given[1];
    given = given.take_front(1);
  }
  SmallVector<PyValue> sizes(given);
  if (PyValue named = args.keyword("size"))
    sizes = {named};
  std::optional<SmallVector<int64_t>> numbers = numbersOf(sizes);
  if (!numbers)
    return nullptr;
  if (any_of(*numbers, [](int64_t size) { return size < 0; }))
    return machine.raise("RuntimeError", "a size is negative");
  std::optional<mlir::Type> type = fallback;
  if (PyValue dtype = args.keyword("dtype"); dtype && !triton::isNone(dtype))
    type = typeOf(dtype);
  if (!type)
    return machine.refuse("the type of a new tensor is not known");
  Tensor made =
      interpreter::makeEmpty(name, *type, *numbers, interpreter::getContiguousStrides(*numbers),
                             /*undefined=*/name == "empty");
  if (name == "ones" || (name == "full" && number))
    fill(made, name == "ones" ? 1 : valueOf(number));
  return tensor(std::move(made));
}

PyValue WrapperMachine::makeLike(StringRef name, const machine::CallArgs &args) {
  auto *self = dyn_cast<TensorValue>(args.positional.front());
  if (!self)
    return machine.raise("TypeError", name + "() needs a tensor");
  std::optional<mlir::Type> type = self->tensor.elementType;
  if (PyValue dtype = args.keyword("dtype"); dtype && !triton::isNone(dtype))
    type = typeOf(dtype);
  if (!type)
    return machine.refuse("the type of a new tensor is not known");
  Tensor made = emptyLike(self->tensor, *type, name);
  PyValue format = args.keyword("memory_format");
  auto *known = dyn_cast_if_present<machine::OpaqueObject>(format);
  if (known && known->path.ends_with(".contiguous_format"))
    made.strides = interpreter::getContiguousStrides(made.sizes);
  PyValue number = args.keyword("fill_value");
  if (name == "full_like" && args.positional.size() > 1)
    number = args.positional[1];
  if (name == "zeros_like" || name == "ones_like")
    fill(made, name == "ones_like");
  else if (name == "full_like" && number)
    fill(made, valueOf(number));
  else if (name != "empty_like")
    return machine.refuse("'torch." + name + "' is not supported where a wrapper is run");
  return tensor(std::move(made));
}

PyValue WrapperMachine::makeStrided(const machine::CallArgs &args) {
  if (args.positional.size() < 2)
    return machine.raise("TypeError", "empty_strided() needs sizes and strides");
  std::optional<SmallVector<int64_t>> sizes = numbersOf({args.positional[0]});
  std::optional<SmallVector<int64_t>> strides =
      sizes ? numbersOf({args.positional[1]}) : std::nullopt;
  if (!strides)
    return nullptr;
  std::optional<mlir::Type> type = mlir::Float32Type::get(context);
  if (PyValue dtype = args.keyword("dtype"))
    type = typeOf(dtype);
  if (!type || sizes->size() != strides->size())
    return machine.refuse("the sizes or the type of a new tensor are not known");
  return tensor(interpreter::makeEmpty("empty_strided", *type, *sizes, *strides, true));
}

/// The device is taken to be an H100: what wrappers ask of it is how many programs to start, and
/// which kernels it takes.
PyValue WrapperMachine::deviceAttribute(StringRef name) {
  static constexpr std::pair<StringLiteral, int64_t> numbers[] = {
      {"index", 0},
      {"multi_processor_count", 132},
      {"major", 9},
      {"minor", 0},
      {"warp_size", 32},
      {"max_threads_per_multi_processor", 2048},
      {"shared_memory_per_block_optin", 232448},
      {"total_memory", int64_t(80) << 30}};
  for (const auto &[known, number] : numbers)
    if (known == name)
      return machine.makeInt(number);
  if (name == "type")
    return machine.makeStr("cuda");
  if (name == "name")
    return machine.makeStr("NVIDIA H100 80GB HBM3");
  return machine.refuse("'" + name + "' of a device is not known where a wrapper is run");
}

PyValue WrapperMachine::askDevice(StringRef name) {
  if (name == "cuda.is_available" || name == "is_grad_enabled")
    return machine.makeBool(name == "cuda.is_available");
  if (name == "cuda.current_device" || name == "cuda.device_count")
    return machine.makeInt(int64_t(name == "cuda.device_count"));
  if (name == "cuda.synchronize" || name == "cuda.set_device")
    return machine.none();
  if (name == "cuda.get_device_properties" || name == "device")
    return machine.make<DeviceValue>(*this, deviceClass);
  if (name == "cuda.get_device_capability")
    return machine.makeTuple({deviceAttribute("major"), deviceAttribute("minor")});
  if (name == "cuda.get_device_name")
    return deviceAttribute("name");
  return nullptr;
}

PyValue WrapperMachine::callTorch(StringRef dotted, const machine::CallArgs &args) {
  StringRef name = dotted;
  if (!name.consume_front("torch."))
    return machine.refuse("'" + dotted + "' is not known where a wrapper is run");
  bool hasArgument = !args.positional.empty();
  if (is_contained({"empty", "zeros", "ones", "full"}, name)) {
    mlir::Type fallback = mlir::Float32Type::get(context);
    PyValue number = args.positional.size() > 1 ? args.positional[1] : args.keyword("fill_value");
    if (name == "full" && isa_and_present<machine::IntObject>(number))
      fallback = mlir::IntegerType::get(context, isa<machine::BoolObject>(number) ? 1 : 64);
    return makeNew(name, args, fallback);
  }
  if (name.ends_with("_like") && hasArgument)
    return makeLike(name, args);
  if (name == "empty_strided")
    return makeStrided(args);
  if (name == "is_tensor" && hasArgument)
    return machine.makeBool(isa<TensorValue>(args.positional.front()));
  if (name == "Size" && hasArgument)
    return args.positional.front();
  if ((name == "_check" || name == "_assert") && hasArgument) {
    machine::Truth holds = machine.truth(args.positional.front());
    if (holds == machine::Truth::Failed)
      return nullptr;
    return holds == machine::Truth::True ? machine.none()
                                         : machine.raise("AssertionError", "a check fails");
  }
  if (PyValue answer = askDevice(name); answer || machine.pending())
    return answer;
  auto *self = hasArgument ? dyn_cast<TensorValue>(args.positional.front()) : nullptr;
  if (self) {
    // x.view, as a function.
    machine::CallArgs rest(args.positional.drop_front(), args.keywords);
    for (auto method :
         {&WrapperMachine::askMethod, &WrapperMachine::viewMethod, &WrapperMachine::copyMethod})
      if (PyValue result = (this->*method)(*self, name, rest); result || machine.pending())
        return result;
  }
  return callOperator(dotted, nullptr, args);
}

} // namespace nereid::eager
