// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `tl`: hints, assertions, printing, and what is refused by name.
#include "frontend/triton/Registrar.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

static Registrar::KernelFn hintFunction(StringRef kind) {
  return [kind](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
    TensorValue *value = kernel.toTensor(args[0], "the value of a hint");
    if (!value)
      return nullptr;
    auto items = sequence(args[1]);
    SmallVector<PyValue> given =
        items ? SmallVector<PyValue>(items->begin(), items->end()) : SmallVector<PyValue>{args[1]};
    SmallVector<int64_t> numbers;
    for (PyValue item : given) {
      auto number = knownInt(kernel.machine, item, ("tl." + kind).str());
      if (!number)
        return nullptr;
      numbers.push_back(*number);
    }
    size_t expected = std::max<size_t>(1, value->rank());
    if (numbers.size() != expected)
      return kernel.fail("tl." + kind + " needs one number a dimension: expected " +
                         Twine(expected) + ", found " + Twine(numbers.size()));
    auto op = tile::HintOp::create(kernel.builder, kernel.location(), value->value.getType(),
                                   kernel.builder.getStringAttr(kind),
                                   kernel.builder.getDenseI64ArrayAttr(numbers), value->value);
    return kernel.make(op.getResult(), value->type);
  };
}

static PyValue staticAssert(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  machine::Machine &machine = kernel.machine;
  if (isa<TensorValue>(args[0]))
    return kernel.fail("the condition of tl.static_assert is only known when the kernel runs",
                       "write tl.device_assert, or make it depend on constexprs");
  kernel.library.look(args[0]);
  machine::Truth truth = machine.truth(plain(args[0]));
  if (truth == machine::Truth::Failed)
    return nullptr;
  if (truth == machine::Truth::True)
    return machine.none();
  auto text = isNone(args[1]) ? std::optional<std::string>("") : machine.str(plain(args[1]));
  if (!text)
    return nullptr;
  kernel.requireCondition(kernel.library.failedComparison);
  return kernel.fail("static assertion failed" + (text->empty() ? "" : ": " + *text));
}

static PyValue staticPrint(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  std::string line;
  for (PyValue item : itemsOf(args[0])) {
    auto text = isa<TensorValue>(item) ? std::optional(kernel.describe(item))
                                       : kernel.machine.str(plain(item));
    if (!text)
      return nullptr;
    line += (line.empty() ? "" : " ") + *text;
  }
  if (!kernel.trials)
    kernel.library.printed.push_back(line);
  return kernel.machine.none();
}

static PyValue devicePrint(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  auto prefix = dyn_cast<machine::StrObject>(plain(args[0]));
  if (!prefix)
    return kernel.fail("tl.device_print takes a label first, found " + kernel.describe(args[0]),
                       "write tl.device_print(\"label\", x)");
  SmallVector<mlir::Value> values;
  for (PyValue item : itemsOf(args[1])) {
    TensorValue *value = kernel.toTensor(item, "a value to print");
    if (!value)
      return nullptr;
    values.push_back(value->value);
  }
  tile::PrintOp::create(kernel.builder, kernel.location(),
                        kernel.builder.getStringAttr(prefix->text), values);
  return kernel.machine.none();
}

static PyValue deviceAssert(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  auto text = knownString(kernel.machine, args[1], "the message of tl.device_assert");
  TensorValue *condition = text ? kernel.toTensor(args[0], "the condition") : nullptr;
  if (!condition || !(condition = kernel.toBool(condition)))
    return nullptr;
  if (!isNone(args[2])) {
    TensorValue *mask = kernel.toTensor(args[2], "the mask");
    mask = mask ? kernel.logicalNot(mask) : nullptr;
    condition = mask ? kernel.logical(false, condition, mask) : nullptr;
    if (!condition)
      return nullptr;
  }
  tile::AssertOp::create(kernel.builder, kernel.location(), condition->value,
                         kernel.builder.getStringAttr(*text), mlir::Value());
  return kernel.machine.none();
}

static PyValue assume(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  if (isKnownNumber(args[0]))
    return kernel.machine.none();
  TensorValue *condition = kernel.toTensor(args[0], "the condition of tl.assume");
  if (!condition)
    return nullptr;
  if (condition->isBlock())
    return kernel.fail("tl.assume needs one bit, found " + kernel.describe(condition));
  tile::AssumeOp::create(kernel.builder, kernel.location(), kernel.toBool(condition)->value);
  return kernel.machine.none();
}

/// The operands are brought to one shape; a tuple of dtypes asks for a tuple of results.
static PyValue inlineAssembly(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  machine::Machine &machine = kernel.machine;
  auto text = knownString(machine, args[0], "the text of tl.inline_asm_elementwise");
  auto constraints = text ? knownString(machine, args[1], "constraints") : std::nullopt;
  auto isPure = constraints ? knownBool(machine, args[4], "is_pure") : std::nullopt;
  auto pack = isPure ? knownInt(machine, args[5], "pack") : std::nullopt;
  if (!pack)
    return nullptr;
  if (*pack < 1)
    return kernel.fail("pack of tl.inline_asm_elementwise is at least 1, found " +
                       std::to_string(*pack));
  auto given = sequence(args[2]);
  if (!given)
    return kernel.fail("args of tl.inline_asm_elementwise is a list of values, found " +
                       kernel.describe(args[2]));
  SmallVector<TensorValue *> operands;
  for (PyValue item : *given) {
    operands.push_back(kernel.toTensor(item, "an operand of tl.inline_asm_elementwise"));
    if (!operands.back())
      return nullptr;
  }
  if (!kernel.unify(operands))
    return nullptr;
  auto several = sequence(args[3]);
  SmallVector<DType> types;
  for (PyValue item : several.value_or(args[3])) {
    auto type = knownDType(machine, item, "the dtype of tl.inline_asm_elementwise");
    if (!type)
      return nullptr;
    types.push_back(*type);
  }
  if (types.empty())
    return kernel.fail("tl.inline_asm_elementwise makes at least one result");
  SmallVector<mlir::Value> values;
  for (TensorValue *operand : operands)
    values.push_back(operand->value);
  SmallVector<mlir::Type> results;
  for (DType type : types) {
    mlir::Type element = type.toMlir(kernel.context());
    results.push_back(values.empty() ? element
                                     : tile::withElementType(values[0].getType(), element));
  }
  mlir::OpBuilder &builder = kernel.builder;
  auto op = tile::InlineAsmOp::create(
      builder, kernel.location(), results, builder.getStringAttr(*text),
      builder.getStringAttr(*constraints), values, builder.getI64IntegerAttr(*pack),
      *isPure ? builder.getUnitAttr() : mlir::UnitAttr());
  SmallVector<PyValue> made;
  for (auto [result, type] : zip_equal(op.getResults(), types))
    made.push_back(kernel.make(result, type));
  return several ? machine.makeTuple(made) : made.front();
}

static std::string describeTypes(ArrayRef<TensorValue *> values) {
  std::string text;
  for (TensorValue *value : values)
    text += (text.empty() ? "" : ", ") + value->type.name();
  return "(" + text + ")";
}

/// The types of the first function with so many operands.
static void requireListed(KernelBuilder &kernel, machine::DictObject &entries,
                          ArrayRef<TensorValue *> operands) {
  for (const auto &entry : entries.table.entries) {
    auto types = entry.key ? sequence(entry.key) : std::nullopt;
    if (!types || types->size() != operands.size())
      continue;
    SmallVector<std::pair<TensorValue *, DType>> needed;
    for (auto [item, operand] : zip(*types, operands))
      if (auto *type = dyn_cast<DTypeValue>(plain(item)); type && type->type != operand->type)
        needed.push_back({operand, type->type});
    return kernel.requireTypes(needed);
  }
}

/// The entry of the table `{(types): (symbol, type)}` for these operands; null, with an error, when
/// there is none.
static machine::TupleObject *findSymbol(KernelBuilder &kernel, PyValue table,
                                        ArrayRef<TensorValue *> operands) {
  auto *entries = dyn_cast<machine::DictObject>(plain(table));
  if (!entries)
    return kernel.fail("the functions of tl.extern_elementwise are a dictionary, found " +
                       kernel.describe(table));
  for (const auto &entry : entries->table.entries) {
    auto types = entry.key ? sequence(entry.key) : std::nullopt;
    bool fits = types && types->size() == operands.size();
    for (unsigned i = 0; fits && i < operands.size(); ++i) {
      auto *type = dyn_cast<DTypeValue>(plain((*types)[i]));
      fits = type && type->type == operands[i]->type;
    }
    auto *found = fits ? dyn_cast<machine::TupleObject>(plain(entry.value)) : nullptr;
    if (found && found->items.size() == 2)
      return found;
  }
  requireListed(kernel, *entries, operands);
  return kernel.fail("tl.extern_elementwise lists no function for " + describeTypes(operands),
                     "cast the operands to types of the list");
}

/// A function of a library that is linked in: nothing is known of what it does, so it may read and
/// write any memory even where it is said to be pure.
static PyValue externElementwise(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  auto given = sequence(args[2]);
  if (!given)
    return kernel.fail("args of tl.extern_elementwise is a list of values, found " +
                       kernel.describe(args[2]));
  SmallVector<TensorValue *> operands;
  for (PyValue item : *given) {
    operands.push_back(kernel.toTensor(item, "an operand of tl.extern_elementwise"));
    if (!operands.back())
      return nullptr;
  }
  machine::TupleObject *found =
      kernel.unify(operands) ? findSymbol(kernel, args[3], operands) : nullptr;
  auto symbol = found ? knownString(kernel.machine, found->items[0], "the symbol") : std::nullopt;
  auto type = symbol ? knownDType(kernel.machine, found->items[1], "the result of " + *symbol)
                     : std::nullopt;
  return type ? kernel.externCall(*symbol, operands, *type) : nullptr;
}

/// What exists upstream and not yet here: refused by name, never approximated.
static void addRefusals(Registrar &tl) {
  static constexpr std::pair<StringLiteral, StringLiteral> names[] = {
      {"map_elementwise", "write it on whole tiles with tl.where"},
      {"atomic_load", "write tl.atomic_add(ptr, 0), or tl.load(ptr, volatile=True)"},
      {"atomic_store", "write tl.atomic_xchg(ptr, value)"},
      {"atomic_poll", "write while tl.atomic_add(ptr, 0) != value: pass"},
      {"expect_zero", "leave it away"},
  };
  for (const auto &[name, help] : names)
    tl.define(name, "(*args, **kwargs)",
              [name, help](KernelBuilder &kernel, ArrayRef<PyValue>) -> PyValue {
                return kernel.fail("tl." + name + " is not supported by this version", help);
              });
}

/// What a kernel asks of its launch: constexprs, by the warps of the configuration that is
/// compiled.
void addCuda(TritonLibrary &library, machine::Machine &machine, machine::ModuleObject *module) {
  Registrar cuda(library, machine, module);
  constexpr int64_t threadsOfWarp = 32;
  for (auto [name, factor] :
       {std::pair("num_warps", int64_t(1)), std::pair("num_threads", threadsOfWarp)})
    cuda.define(name, "()", [factor](KernelBuilder &kernel, ArrayRef<PyValue>) -> PyValue {
      PyValue number = kernel.machine.makeInt(factor * kernel.warps);
      return kernel.library.constant(number, "");
    });
}

void addLanguageDebug(TritonLibrary &library, machine::Machine &machine,
                      machine::ModuleObject *module) {
  Registrar tl(library, machine, module);
  for (StringRef kind : {"multiple_of", "max_contiguous", "max_constancy"})
    tl.define(kind, "(input, values)", hintFunction(kind));
  tl.define("static_assert", "(cond, msg=None)", staticAssert);
  tl.define("static_print", "(*values, sep=\" \", end=\"\", file=None, flush=False)", staticPrint);
  tl.define("device_print", "(prefix, *args, hex=False)", devicePrint);
  tl.define("device_assert", "(cond, msg=\"\", mask=None)", deviceAssert);
  tl.define("assume", "(cond)", assume);
  tl.define("debug_barrier", "()", [](KernelBuilder &kernel, ArrayRef<PyValue>) {
    tile::BarrierOp::create(kernel.builder, kernel.location());
    return kernel.machine.none();
  });
  tl.define("condition", "(arg, disable_licm=False)",
            [](KernelBuilder &, ArrayRef<PyValue> args) { return args[0]; });
  tl.define("inline_asm_elementwise", "(asm, constraints, args, dtype, is_pure, pack)",
            inlineAssembly);
  tl.define("extern_elementwise",
            "(lib_name, lib_path, args, arg_type_symbol_dict, is_pure, _semantic=None)",
            externElementwise);
  addRefusals(tl);
}

} // namespace nereid::triton
