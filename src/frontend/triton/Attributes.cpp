// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of what a kernel has: tiles, descriptors and block pointers, dtypes, functions.
#include "frontend/triton/Spellings.h"
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::triton {

/// Functions of the language that are methods of tiles and descriptors too.
static constexpr StringLiteral methods[] = {
    "load_tensor_descriptor",
    "store_tensor_descriptor",
    "_descriptor_atomic_add",
    "_descriptor_atomic_and",
    "_descriptor_atomic_max",
    "_descriptor_atomic_min",
    "_descriptor_atomic_or",
    "_descriptor_atomic_xor",
    "_descriptor_gather",
    "_descriptor_scatter",
    "abs",
    "advance",
    "argmax",
    "argmin",
    "associative_scan",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xchg",
    "atomic_xor",
    "broadcast_to",
    "cast",
    "cdiv",
    "ceil",
    "cos",
    "cumprod",
    "cumsum",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "flip",
    "floor",
    "gather",
    "histogram",
    "item",
    "log",
    "log2",
    "logical_and",
    "logical_or",
    "max",
    "min",
    "permute",
    "ravel",
    "reduce",
    "reduce_or",
    "reshape",
    "rsqrt",
    "sigmoid",
    "sin",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "sqrt_rn",
    "store",
    "sum",
    "to",
    "trans",
    "view",
    "xor_sum",
};

PyValue TritonLibrary::method(PyValue self, StringRef name) {
  if (!is_contained(methods, name))
    return nullptr;
  PyValue function = machine.getAttribute(module("triton.language"), name == "to" ? "cast"
                                                                     : name.starts_with("logical_")
                                                                         ? ("_" + name).str()
                                                                         : name.str());
  if (!function)
    return nullptr;
  auto *bound = machine.makeBuiltin(
      machine.save(name), [function, self](Machine &machine, const machine::CallArgs &args) {
        SmallVector<PyValue> all{self};
        all.append(args.positional.begin(), args.positional.end());
        return machine.call(function, machine::CallArgs{all, args.keywords});
      });
  bound->library = this;
  return bound;
}

PyValue TritonLibrary::tensorAttribute(TensorValue &tensor, StringRef name) {
  if (name == "dtype")
    return dtype(tensor.type);
  if (name == "type")
    return blockType(tensor.type, tensor.dims());
  if (name == "shape")
    return shapeTuple(tensor.dims());
  if (name == "numel") {
    int64_t elements = 1;
    for (int64_t size : tensor.shape())
      elements *= size;
    return machine.makeInt(elements);
  }
  if (name == "T") {
    if (!kernel || tensor.rank() != 2)
      return machine.refuse("`.T` needs a tile of rank 2", "write tl.permute(x, order)");
    return kernel->permute(&tensor, {1, 0});
  }
  PyValue found = method(&tensor, name);
  if (found || machine.pending())
    return found;
  std::string help = findSpelling(SpellingDomain::Method, name).str();
  return machine.raise("AttributeError", "a tensor has no attribute `" + name + "`", help);
}

PyValue TritonLibrary::descriptorAttribute(BlockPointerValue &descriptor, StringRef name) {
  auto tupleOf = [&](ArrayRef<TensorValue *> values) {
    return machine.makeTuple(SmallVector<PyValue>(values.begin(), values.end()));
  };
  DType element = descriptor.base->type.pointee();
  if (name == "load" || name == "store")
    return method(&descriptor, (name + "_tensor_descriptor").str());
  if (PyValue function = method(&descriptor, ("_descriptor_" + name).str());
      function || machine.pending())
    return function;
  if (name == "shape")
    return tupleOf(descriptor.shape);
  if (name == "strides")
    return tupleOf(descriptor.strides);
  if (name == "block_shape")
    return shapeTuple(descriptor.block);
  if (name == "dtype")
    return dtype(element);
  if (name == "block_type")
    return blockType(element, descriptor.block);
  return machine.refuse("`" + name + "` of a tensor descriptor is not supported by this version",
                        "use desc.load(offsets) and desc.store(offsets, value)");
}

/// Null unless it is a float.
static const fltSemantics *getFormat(DType type) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto format = type.isFloat() ? dyn_cast<mlir::FloatType>(type.toMlir(&context)) : nullptr;
  return format ? &format.getFloatSemantics() : nullptr;
}

PyValue TritonLibrary::dtypeAttribute(DTypeValue &value, StringRef name) {
  DType type = value.type;
  auto question = [&](bool answer) {
    PyValue result = machine.makeBool(answer);
    auto *function =
        machine.makeBuiltin(machine.save(name), "()", [result](Machine &, auto) { return result; });
    function->library = this;
    return function;
  };
  if (name == "value") // of a constexpr that is a dtype
    return &value;
  if (name == "element_ty" && (type.isPtr() || value.isBlock))
    return type.isPtr() && !value.isBlock ? dtype(type.pointee()) : dtype(type);
  if (name == "scalar")
    return dtype(type);
  if (name == "shape" && value.isBlock)
    return shapeTuple(value.dims);
  if (name == "name")
    return machine.makeStr(type.name());
  if (name == "primitive_bitwidth" || name == "int_bitwidth" || name == "fp_bitwidth")
    return machine.makeInt(int64_t(type.bits()));
  if (const fltSemantics *format = getFormat(type)) {
    int64_t mantissa = APFloat::semanticsPrecision(*format) - 1;
    if (name == "fp_mantissa_width")
      return machine.makeInt(mantissa);
    if (name == "exponent_bias") // fp8e4nv reaches one exponent further than its bias says
      return machine.makeInt(
          type.is(Scalar::Fp8E4NV) ? int64_t(7) : int64_t(APFloat::semanticsMaxExponent(*format)));
  }
  if (name == "itemsize")
    return machine.makeInt(int64_t(type.bits() + 7) / 8);
  if (name == "is_block")
    return question(value.isBlock);
  if (name == "is_ptr")
    return question(!value.isBlock && type.isPtr());
  if (name == "is_const")
    return question(type.isConst);
  if (name == "is_floating")
    return question(type.isFloat());
  if (name == "is_standard_floating")
    return question(type.isFloat() && !type.isFp8());
  if (name == "is_int")
    return question(type.isInt());
  if (name == "is_int_signed")
    return question(type.isSigned());
  if (name == "is_int_unsigned")
    return question(type.isUnsigned());
  if (name == "is_bool")
    return question(type.isBool());
  if (name == "is_fp8")
    return question(type.isFp8());
  static constexpr std::pair<StringLiteral, Scalar> exact[] = {
      {"is_fp8e5", Scalar::Fp8E5},       {"is_fp8e4nv", Scalar::Fp8E4NV},
      {"is_fp8e4b15", Scalar::Fp8E4B15}, {"is_fp8e4b8", Scalar::Fp8E4B8},
      {"is_fp8e5b16", Scalar::Fp8E5B16}, {"is_fp16", Scalar::Fp16},
      {"is_bf16", Scalar::BF16},         {"is_fp32", Scalar::Fp32},
      {"is_fp64", Scalar::Fp64},         {"is_int1", Scalar::Int1},
      {"is_int8", Scalar::Int8},         {"is_int16", Scalar::Int16},
      {"is_int32", Scalar::Int32},       {"is_int64", Scalar::Int64},
      {"is_uint8", Scalar::UInt8},       {"is_uint16", Scalar::UInt16},
      {"is_uint32", Scalar::UInt32},     {"is_uint64", Scalar::UInt64},
  };
  for (const auto &[spelling, scalar] : exact)
    if (name == spelling)
      return question(type.is(scalar));
  return machine.raise("AttributeError", "a dtype has no attribute `" + name + "`");
}

Answer TritonLibrary::getAttribute(Machine &, PyValue object, machine::Name name) {
  StringRef text = name->text;
  if (auto *tensor = dyn_cast<TensorValue>(object))
    return tensorAttribute(*tensor, text);
  if (auto *type = dyn_cast<DTypeValue>(object))
    return dtypeAttribute(*type, text);
  if (auto *constant = dyn_cast<ConstValue>(object)) {
    if (text == "value")
      return isNone(constant->value) || constant->text.empty() ? constant->value : object;
    return machine.getAttribute(constant->value, name);
  }
  if (auto *function = dyn_cast<FunctionValue>(object)) {
    if (text == "__name__")
      return machine.makeStr(function->function->name->text);
    if (text == "fn")
      return function->function;
    if (text == "arg_names") {
      SmallVector<PyValue> names;
      for (machine::Name parameter : machine.parameterNames(*function->function))
        names.push_back(parameter);
      return machine.makeList(names);
    }
    return std::nullopt;
  }
  if (auto *pointer = dyn_cast<BlockPointerValue>(object)) {
    if (pointer->isDescriptor)
      return descriptorAttribute(*pointer, text);
    if (text == "advance")
      return method(object, text);
    if (text == "dtype" || text == "type") // p.dtype.element_ty is what it points at
      return dtype(pointer->base->type);
    return machine.refuse("a block pointer has no attribute `" + text + "`",
                          "pass it to tl.load, tl.store or tl.advance");
  }
  if (auto *config = dyn_cast<ConfigValue>(object)) {
    if (text == "kwargs")
      return config->values;
    if (text == "num_warps")
      return machine.makeInt(config->numWarps);
    if (text == "num_stages")
      return machine.makeInt(config->numStages);
  }
  return std::nullopt;
}

} // namespace nereid::triton
