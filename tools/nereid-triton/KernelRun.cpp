// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "interpreter/Interpreter.h"
#include "support/Npy.h"
#include "tile/TileTypes.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mlir;
using namespace nereid::interpreter;

namespace nereid {

/// The kind of .npy array that holds this pointee; bf16 and fp8 travel as their bits.
static std::string getNpyKind(Type element) {
  std::string bytes = std::to_string(std::max(1u, element.getIntOrFloatBitWidth() / 8));
  if (element.isInteger(1))
    return "b1";
  if (element.isF16() || element.isF32() || element.isF64())
    return "f" + bytes;
  if (isa<FloatType>(element) || element.isUnsignedInteger())
    return "u" + bytes;
  return "i" + bytes;
}

static std::optional<Tensor> readTensor(StringRef name, Type element, StringRef path) {
  std::string error;
  std::optional<NpyArray> array = readNpy(path, error);
  if (!array) {
    errs() << "error: cannot read '" << path << "': " << error << "\n";
    return std::nullopt;
  }
  if (array->kind != getNpyKind(element)) {
    errs() << "error: '" << path << "' holds " << array->kind << ", expected "
           << getNpyKind(element) << " for argument `" << name << "`\n";
    return std::nullopt;
  }
  Tensor tensor = makeTensor(name, element, array->shape);
  tensor.storage->bytes.assign(array->bytes.begin(), array->bytes.end());
  return tensor;
}

static std::optional<HostValue> readArgument(StringRef name, Type type, StringRef text) {
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    std::optional<Tensor> tensor = readTensor(name, pointer.getPointee(), text);
    return tensor ? std::optional<HostValue>(*tensor) : std::nullopt;
  }
  double number;
  int64_t integer;
  if (isa<FloatType>(type) && !text.getAsDouble(number))
    return HostValue(number);
  if (isa<IntegerType>(type) && !text.getAsInteger(0, integer))
    return HostValue(integer);
  errs() << "error: `" << text << "` is no value for argument `" << name << "`\n";
  return std::nullopt;
}

static bool writeTensor(const Tensor &tensor, StringRef folder) {
  NpyArray array;
  array.kind = getNpyKind(tensor.elementType);
  array.shape.assign(tensor.sizes.begin(), tensor.sizes.end());
  array.bytes.assign(tensor.storage->bytes.begin(), tensor.storage->bytes.end());
  std::string error;
  if (writeNpy((folder + "/" + tensor.storage->name + ".npy").str(), array, error))
    return true;
  errs() << "error: cannot write to '" << folder << "': " << error << "\n";
  return false;
}

int runKernelOnFiles(func::FuncOp kernel, const KernelRunOptions &options) {
  std::vector<HostValue> arguments;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    StringRef name = kernel.getArgAttrOfType<StringAttr>(i, tile::nameAttrName).getValue();
    auto given = options.arguments.find(name.str());
    if (given == options.arguments.end()) {
      errs() << "error: no value for argument `" << name << "`: give --arg " << name << "=...\n";
      return 2;
    }
    auto value = readArgument(name, kernel.getArgumentTypes()[i], given->second);
    if (!value)
      return 2;
    arguments.push_back(*value);
  }
  RunOptions run;
  run.checked = options.checked;
  run.seed = options.seed;
  run.out = &outs();
  FailureOr<KernelRun> result = runKernel(kernel, arguments, options.grid, run);
  if (failed(result))
    return 2;
  for (const Finding &finding : result->findings)
    print(finding, errs());
  if (!options.outputFolder.empty())
    for (const HostValue &value : arguments)
      if (auto *tensor = std::get_if<Tensor>(&value))
        if (!writeTensor(*tensor, options.outputFolder))
          return 2;
  return result->succeeded() ? 0 : 1;
}

} // namespace nereid
