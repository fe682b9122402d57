// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/RunArguments.h"

#include "frontend/torch/InputSpec.h"
#include "support/Npz.h"
#include "validate/Inputs.h"

#include "llvm/Support/xxhash.h"

#include <cmath>
#include <cstring>

using namespace nereid;
using namespace nereid::driver;
using interpreter::Tensor;

namespace {

constexpr int64_t mostElements = int64_t(1) << 29;

/// The name of an element type in kernel signatures.
std::string signatureName(torch::DType type) {
  switch (type) {
  case torch::DType::Bool:
    return "i1";
  case torch::DType::F8E4M3:
    return "fp8e4nv";
  case torch::DType::F8E5M2:
    return "fp8e5";
  case torch::DType::F16:
    return "fp16";
  case torch::DType::BF16:
    return "bf16";
  case torch::DType::F32:
    return "fp32";
  case torch::DType::F64:
    return "fp64";
  default:
    return torch::getSpecName(type).str();
  }
}

/// The element type of a .npy array.
std::optional<torch::DType> typeOfKind(llvm::StringRef kind) {
  using torch::DType;
  static const std::pair<llvm::StringLiteral, DType> known[] = {
      {"b1", DType::Bool}, {"u1", DType::U8},  {"i1", DType::I8},  {"i2", DType::I16},
      {"i4", DType::I32},  {"i8", DType::I64}, {"u2", DType::U16}, {"u4", DType::U32},
      {"u8", DType::U64},  {"f2", DType::F16}, {"f4", DType::F32}, {"f8", DType::F64}};
  for (const auto &[name, type] : known)
    if (kind == name)
      return type;
  return std::nullopt;
}

unsigned bytesOf(torch::DType type, mlir::MLIRContext *context) {
  return interpreter::getBytes(*interpreter::getElement(toMlir(type, context)));
}

void fillRandom(Tensor &tensor, std::optional<int64_t> below, uint64_t seed) {
  nereid::validate::Numbers numbers(seed);
  bool isFloat = interpreter::isFloat(tensor.getElement());
  bool isBool = tensor.elementType.isInteger(1);
  int64_t low = below || isBool || tensor.isUnsigned() ? 0 : -8, high = below    ? *below
                                                                        : isBool ? 2
                                                                                 : 9;
  for (int64_t at = 0, count = tensor.getNumElements(); at < count; ++at) {
    double sum = 0;
    for (int i = 0; isFloat && i < 4; ++i)
      sum += numbers.uniform();
    tensor.set(at, isFloat ? (sum - 2) * std::sqrt(3.0) : double(numbers.integer(low, high)));
  }
}

} // namespace

std::string driver::elementName(mlir::Type type) {
  return torch::getSpecName(torch::fromMlir(type)).str();
}

NpyArray driver::toNpy(const Tensor &tensor) {
  unsigned bytes = interpreter::getBytes(tensor.getElement());
  NpyArray array;
  mlir::Type type = tensor.elementType;
  bool isPlain = type.isF16() || type.isF32() || type.isF64();
  bool isRaw = llvm::isa<mlir::FloatType>(type) && !isPlain;
  array.kind = (type.isInteger(1)              ? "b"
                : isPlain                      ? "f"
                : isRaw || tensor.isUnsigned() ? "u"
                                               : "i") +
               std::to_string(bytes);
  array.shape.assign(tensor.sizes.begin(), tensor.sizes.end());
  array.bytes.resize(tensor.getNumElements() * bytes);
  for (int64_t at = 0, count = tensor.getNumElements(); at < count; ++at)
    std::memcpy(array.bytes.data() + at * bytes, tensor.at(at), bytes);
  return array;
}

std::nullopt_t RunArgumentReader::refuse(const llvm::Twine &message, const llvm::Twine &help) {
  session.getDiagnostics().error({}, message.str(), help.str());
  return std::nullopt;
}

std::optional<RunArgument> RunArgumentReader::read(llvm::StringRef text) {
  auto [name, spec] = text.split('=');
  RunArgument argument;
  argument.name = name.trim().str();
  spec = spec.trim();
  if (argument.name.empty() || spec.empty())
    return refuse("--arg '" + text + "' is not NAME=SPEC",
                  "write x_ptr=f32[1024], n=1024 or x_ptr=data.npy");
  if (spec.contains(".npy") || spec.contains(".npz"))
    return readFile(argument, spec);
  auto [head, rest] = spec.split(':');
  if (rest.empty())
    return readSpec(argument, "", spec, text);
  if (head == "zeros" || head == "ones" || (head.starts_with("full(") && head.ends_with(")")))
    return readSpec(argument, head, rest, text);
  return readTypedNumber(argument, head, rest);
}

std::optional<RunArgument> RunArgumentReader::readTypedNumber(RunArgument argument,
                                                              llvm::StringRef typeName,
                                                              llvm::StringRef text) {
  std::optional<torch::DType> type = torch::parseSpecName(typeName);
  double number;
  int64_t integer;
  if (!type || text.getAsDouble(number))
    return refuse(
        "argument '" + argument.name + "': '" + typeName + ":" + text + "' is no value",
        "write TYPE:NUMBER as in i64:1024, or zeros:, ones: or full(2.5): before f32[1024]");
  argument.type = signatureName(*type);
  if (torch::isFloat(*type))
    argument.value = number;
  else if (text.getAsInteger(0, integer))
    return refuse("argument '" + argument.name + "': '" + text + "' is no integer");
  else
    argument.value = integer;
  return argument;
}

std::optional<RunArgument> RunArgumentReader::readFile(RunArgument argument, llvm::StringRef text) {
  std::optional<torch::DType> wanted;
  auto [head, rest] = text.split(':');
  if (!rest.empty() && (wanted = torch::parseSpecName(head)))
    text = rest;
  std::string error;
  std::optional<NpyArray> array;
  size_t archive = text.find(".npz");
  llvm::StringRef path = archive == llvm::StringRef::npos ? text : text.take_front(archive + 4);
  llvm::StringRef key = text.drop_front(path.size());
  key.consume_front(":");
  array = archive == llvm::StringRef::npos
              ? readNpy(path, error)
              : readNpz(path, key.empty() ? argument.name : key.str(), error);
  if (!array)
    return refuse("argument '" + argument.name + "': cannot read '" + path + "': " + error);
  std::optional<torch::DType> type = wanted ? wanted : typeOfKind(array->kind);
  mlir::MLIRContext *context = &session.getContext();
  if (!type || bytesOf(*type, context) != array->itemBytes())
    return refuse("argument '" + argument.name + "': '" + path + "' holds " + array->kind +
                  ", which is not " +
                  (wanted ? torch::getSpecName(*wanted) : llvm::StringRef("supported")));
  Tensor tensor = interpreter::makeTensor(argument.name, toMlir(*type, context), array->shape);
  tensor.storage->bytes.assign(array->bytes.begin(), array->bytes.end());
  argument.type = "*" + signatureName(*type);
  argument.value = tensor;
  return argument;
}

/// The numbers of a size or stride list; false when one is none.
static bool readNumbers(const std::vector<std::string> &texts,
                        llvm::SmallVectorImpl<int64_t> &numbers) {
  for (const std::string &text : texts)
    if (llvm::StringRef(text).getAsInteger(10, numbers.emplace_back()) || numbers.back() < 0)
      return false;
  return true;
}

/// Whether a tensor of 8-byte elements would take at most 4 GB; no strides stand for row-major
/// ones.
static bool fitsMemory(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides) {
  int64_t count = 1, last = 0;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(count, std::max<int64_t>(sizes[axis], 1), &count) ||
        (!strides.empty() && __builtin_mul_overflow(sizes[axis], strides[axis], &reach)) ||
        __builtin_add_overflow(last, reach, &last) || count > mostElements || last > mostElements)
      return false;
  }
  return true;
}

std::optional<RunArgument> RunArgumentReader::readSpec(RunArgument argument, llvm::StringRef fill,
                                                       llvm::StringRef text,
                                                       llvm::StringRef whole) {
  auto file = std::make_shared<SourceFile>("--arg", argument.name + "=" + text.str());
  session.files.push_back(file);
  auto specs = torch::parseInputSpec(*file, session.getDiagnostics());
  if (!specs || specs->size() != 1)
    return specs ? refuse("--arg '" + whole + "' is more than one argument",
                          "give --arg once for each")
                 : std::nullopt;
  const torch::InputSpec &spec = specs->front();
  switch (spec.kind) {
  case torch::InputSpec::None:
    return argument;
  case torch::InputSpec::Bool:
    argument.type = "i1";
    argument.value = spec.integer;
    return argument;
  case torch::InputSpec::Integer:
    argument.type = llvm::isInt<32>(spec.integer) ? "i32" : "i64";
    argument.value = spec.integer;
    return argument;
  case torch::InputSpec::Float:
    argument.type = "fp32";
    argument.value = spec.number;
    return argument;
  case torch::InputSpec::Tensor:
    break;
  default:
    return refuse("argument '" + argument.name + "' is neither a tensor nor a number",
                  "write f32[1024], zeros:f32[1024], data.npy, 1024 or 0.5");
  }
  llvm::SmallVector<int64_t> sizes, strides;
  if (!readNumbers(spec.sizes, sizes) || !readNumbers(spec.strides, strides))
    return refuse("argument '" + argument.name + "': sizes and strides are numbers here, found '" +
                  text + "'");
  if (!fitsMemory(sizes, strides))
    return refuse("argument '" + argument.name + "' is larger than 4 GB", "give smaller sizes");
  if (strides.empty())
    strides = interpreter::getContiguousStrides(sizes);
  Tensor tensor = interpreter::makeEmpty(argument.name, toMlir(spec.dtype, &session.getContext()),
                                         sizes, strides,
                                         /*undefined=*/false);
  double number = 0;
  llvm::StringRef digits = fill;
  if (digits.consume_front("full(") && (!digits.consume_back(")") || digits.getAsDouble(number)))
    return refuse("argument '" + argument.name + "': '" + fill + "' is no number to fill with",
                  "write full(2.5):");
  if (fill.empty())
    fillRandom(tensor, spec.below, seed ^ llvm::xxh3_64bits(argument.name));
  else
    for (int64_t at = 0, count = tensor.getNumElements(); at < count; ++at)
      tensor.set(at, fill == "ones" ? 1 : number);
  argument.type = "*" + signatureName(spec.dtype);
  argument.value = tensor;
  return argument;
}
