// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `tl`: programs, ranges, types, folds, and what Python's builtins mean in a kernel.
#include "frontend/triton/Registrar.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

static PyValue programAxis(KernelBuilder &kernel, PyValue axis, bool isId) {
  std::optional<int64_t> value = knownInt(kernel.machine, axis, "the axis of a grid");
  if (!value)
    return nullptr;
  if (*value < 0 || *value > 2)
    return kernel.fail("the axis of a grid is 0, 1 or 2, found " + Twine(*value));
  IntegerAttr attr = kernel.builder.getI32IntegerAttr(*value);
  Location place = kernel.location();
  Type i32 = kernel.builder.getI32Type();
  if (isId)
    return kernel.make(tile::ProgramIdOp::create(kernel.builder, place, i32, attr), Scalar::Int32);
  return kernel.make(tile::NumProgramsOp::create(kernel.builder, place, i32, attr), Scalar::Int32);
}

/// `range`, `tl.range` and `tl.static_range`: (end), (start, end) or (start, end, step).
static PyValue makeRange(KernelBuilder &kernel, ArrayRef<PyValue> args, bool isStatic) {
  RangeValue *range = kernel.library.makeRange(isStatic);
  range->start = isNone(args[1]) ? kernel.machine.makeInt(int64_t(0)) : args[0];
  range->stop = isNone(args[1]) ? args[0] : args[1];
  range->step = isNone(args[2]) ? kernel.machine.makeInt(int64_t(1)) : args[2];
  static constexpr StringLiteral hints[] = {
      "num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
      "flatten",    "warp_specialize",    "disable_licm"};
  for (auto [index, hint] : enumerate(hints)) {
    if (index + 3 >= args.size() || isNone(args[index + 3]))
      continue;
    std::optional<int64_t> value = knownInt(kernel.machine, args[index + 3], hint);
    if (!value)
      return nullptr;
    if (*value)
      range->hints.push_back({hint, *value});
  }
  return range;
}

static PyValue cast(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  std::optional<DType> type = knownDType(kernel.machine, args[1], "the target of a cast");
  std::optional<std::string> rounding =
      type ? knownString(kernel.machine, args[2], "fp_downcast_rounding") : std::nullopt;
  std::optional<bool> bits =
      rounding ? knownBool(kernel.machine, args[3], "bitcast") : std::nullopt;
  TensorValue *value = bits ? kernel.toTensor(args[0], "the value of a cast") : nullptr;
  if (!value)
    return nullptr;
  if (!rounding->empty() && *rounding != "rtne")
    return kernel.fail("rounding `" + *rounding + "` is not supported",
                       "leave it away, or \"rtne\"");
  if (!rounding->empty() && value->type != *type &&
      !(value->type.isFloat() && type->isFloat() && type->bits() < value->type.bits()))
    return kernel.fail("fp_downcast_rounding is for casts to a narrower float, found " +
                       value->type.name() + " to " + type->name());
  return *bits ? kernel.bitcast(value, *type) : kernel.castTo(value, *type);
}

/// Python's min and max: on constexprs Python's own, on scalars the operator.
static PyValue builtinExtreme(KernelBuilder &kernel, ArrayRef<PyValue> args, bool isMax) {
  SmallVector<PyValue> values(itemsOf(args[0]));
  if (values.size() == 1 && sequence(values[0]))
    values = SmallVector<PyValue>(itemsOf(values[0]));
  if (values.size() < 2)
    return kernel.fail(Twine(isMax ? "max" : "min") + " needs two values or more",
                       isMax ? "reduce a tile with tl.max(x, axis=0)"
                             : "reduce a tile with tl.min(x, axis=0)");
  StringRef name = isMax ? "max" : "min";
  if (none_of(values, [](PyValue value) { return isa<TensorValue>(value); })) {
    SmallVector<PyValue> known;
    for (PyValue value : values) {
      kernel.library.look(value);
      known.push_back(plain(value));
    }
    if (known.size() == 1)
      return known[0];
    return kernel.machine.call(kernel.machine.builtin(name), known);
  }
  PyValue result = values[0];
  for (PyValue value : ArrayRef(values).drop_front()) {
    result = kernel.extreme(isMax, result, value, false);
    if (!result)
      return nullptr;
  }
  return result;
}

static void addTypes(Registrar &tl) {
  tl.define("to_tensor", "(x)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
    return kernel.toTensor(args[0]);
  });
  tl.define("cast", "(input, dtype, fp_downcast_rounding=None, bitcast=False)", cast);
  tl.define("pointer_type", "(element_ty, address_space=1, const=False)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              auto type = knownDType(kernel.machine, args[0], "the element of a pointer");
              return type ? kernel.library.dtype(type->pointer()) : nullptr;
            });
  tl.define("get_int_dtype", "(bitwidth, signed)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              auto bits = knownInt(kernel.machine, args[0], "bitwidth");
              auto isSigned = bits ? knownBool(kernel.machine, args[1], "signed") : std::nullopt;
              return isSigned ? kernel.library.dtype(getIntType(*bits, *isSigned)) : nullptr;
            });
}

static void addFolds(Registrar &tl) {
  tl.define("reduce", "(input, axis, combine_fn, keep_dims=False)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              auto keep = knownBool(kernel.machine, args[3], "keep_dims");
              return keep ? kernel.reduce(args[0], args[1], args[2], *keep) : nullptr;
            });
  tl.define("associative_scan", "(input, axis, combine_fn, reverse=False)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              auto axis = knownInt(kernel.machine, args[1], "the axis of a scan");
              auto reverse = axis ? knownBool(kernel.machine, args[3], "reverse") : std::nullopt;
              return reverse ? kernel.scan(args[0], *axis, args[2], *reverse) : nullptr;
            });
}

void addLanguageCore(TritonLibrary &library, machine::Machine &machine,
                     machine::ModuleObject *module) {
  Registrar tl(library, machine, module);
  tl.define("program_id", "(axis)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return programAxis(kernel, args[0], true);
  });
  tl.define("num_programs", "(axis)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return programAxis(kernel, args[0], false);
  });
  tl.define(
      "range",
      "(arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
      "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, "
      "disable_licm=False)",
      [](KernelBuilder &kernel, ArrayRef<PyValue> args) { return makeRange(kernel, args, false); });
  tl.define(
      "static_range", "(arg1, arg2=None, step=None)",
      [](KernelBuilder &kernel, ArrayRef<PyValue> args) { return makeRange(kernel, args, true); });
  tl.define("_builtin_min", "(*args)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return builtinExtreme(kernel, args, false);
  });
  tl.define("_builtin_max", "(*args)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) {
    return builtinExtreme(kernel, args, true);
  });
  addTypes(tl);
  addFolds(tl);
}

} // namespace nereid::triton
