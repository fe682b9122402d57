// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Interpreter.h"
#include "interpreter/Machine.h"

#include "tile/Instance.h"
#include "tile/TileTypes.h"

using namespace mlir;

namespace nereid::interpreter {

/// A number as a scalar of the parameter's element; fails when a tensor is given.
static FailureOr<Buffer> makeScalar(const HostValue &value, Element element) {
  Buffer buffer;
  buffer.reset(element, 1, true);
  if (const auto *integer = std::get_if<int64_t>(&value)) {
    if (isFloat(element)) {
      writeNumber(element, static_cast<double>(*integer), buffer.data->data());
    } else {
      int64_t bits = element == Element::I1 ? *integer != 0 : *integer;
      std::memcpy(buffer.data->data(), &bits, getBytes(element));
    }
    return buffer;
  }
  const auto *number = std::get_if<double>(&value);
  if (!number || !isFloat(element))
    return failure();
  writeNumber(element, *number, buffer.data->data());
  return buffer;
}

static FailureOr<Buffer> makeArgument(func::FuncOp kernel, unsigned position,
                                      const HostValue &value, Memory &memory, bool checked) {
  Type type = kernel.getArgumentTypes()[position];
  auto refuse = [&](StringRef given) {
    return kernel.emitError() << "argument '" << tile::getArgumentName(kernel, position) << "' of '"
                              << kernel.getName() << "' is " << type << ", given " << given;
  };
  const auto *tensor = std::get_if<Tensor>(&value);
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    if (!tensor)
      return refuse("a number");
    if (getBytes(tensor->getElement()) != tile::getPointeeBytes(pointer))
      return refuse("a tensor of elements of another size");
    return makeUniform(Element::Pointer, memory.getAddress(*tensor, checked));
  }
  std::optional<Element> element = getElement(type);
  if (!element)
    return refuse("something that no argument can be");
  FailureOr<Buffer> scalar = makeScalar(value, *element);
  if (failed(scalar))
    return refuse(tensor ? "a tensor" : "a float");
  return scalar;
}

FailureOr<KernelRun> runKernel(func::FuncOp kernel, ArrayRef<HostValue> arguments,
                               ArrayRef<int64_t> grid, const RunOptions &options) {
  if (arguments.size() != kernel.getNumArguments())
    return kernel.emitError() << "'" << kernel.getName() << "' takes " << kernel.getNumArguments()
                              << " arguments, given " << arguments.size();
  std::array<int64_t, 3> extents = {1, 1, 1};
  int64_t programs = 1;
  for (auto [axis, extent] : llvm::enumerate(grid)) {
    if (axis > 2 || extent < 0)
      return kernel.emitError() << "a grid has one to three extents of 0 or more";
    extents[axis] = extent;
    if (__builtin_mul_overflow(programs, extent, &programs) || programs > (int64_t(1) << 31))
      return kernel.emitError() << "a grid of more than 2^31 programs cannot be interpreted";
  }
  FailureOr<std::shared_ptr<Code>> code = compile(kernel);
  if (failed(code))
    return failure();
  Memory memory;
  SmallVector<Buffer> buffers;
  for (auto [position, value] : llvm::enumerate(arguments)) {
    FailureOr<Buffer> buffer = makeArgument(kernel, position, value, memory, options.checked);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  Machine machine(memory, options);
  if (programs != 0)
    machine.run(**code, buffers, extents);
  return KernelRun{machine.takeFindings(), machine.getSteps()};
}

} // namespace nereid::interpreter
