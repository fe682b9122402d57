// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `tl`: loads, stores, atomics and block pointers.
#include "frontend/triton/Registrar.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

/// A string option out of a list; nullopt when it is none of them.
static std::optional<std::string> readOption(KernelBuilder &kernel, PyValue value, StringRef what,
                                             ArrayRef<StringLiteral> allowed) {
  auto text = knownString(kernel.machine, value, what);
  if (!text || text->empty() || is_contained(allowed, StringRef(*text)))
    return text;
  std::string help = "write one of";
  for (StringLiteral option : allowed)
    help += (" \"" + option + "\"").str();
  kernel.fail(what + " `" + *text + "` is unknown", help);
  return std::nullopt;
}

static constexpr StringLiteral evictions[] = {"evict_first", "evict_last", "evict_normal"};
static constexpr StringLiteral loadCaches[] = {".ca", ".cg", ".cs", ".cv"};
static constexpr StringLiteral storeCaches[] = {".wb", ".cg", ".cs", ".wt"};

static std::optional<SmallVector<int64_t>> readChecked(KernelBuilder &kernel, PyValue value) {
  SmallVector<int64_t> axes;
  auto items = sequence(value);
  SmallVector<PyValue> given =
      items ? SmallVector<PyValue>(items->begin(), items->end()) : SmallVector<PyValue>{value};
  if (isNone(value))
    given.clear();
  for (PyValue item : given) {
    auto axis = knownInt(kernel.machine, item, "boundary_check");
    if (!axis)
      return std::nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

/// `pointer`, `mask` of a block pointer; refuses a mask beside it.
static std::optional<KernelBuilder::Pair> expandPointer(KernelBuilder &kernel,
                                                        BlockPointerValue *pointer, PyValue mask,
                                                        PyValue other, PyValue checked) {
  if (!isNone(mask) || !isNone(other)) {
    kernel.fail("a block pointer takes no mask and no other",
                "write boundary_check=(0, 1), padding_option=\"zero\"");
    return std::nullopt;
  }
  auto axes = readChecked(kernel, checked);
  return axes ? kernel.expandBlockPointer(pointer, *axes) : std::nullopt;
}

/// The padding of a block pointer's load as `other`.
static PyValue getPadding(KernelBuilder &kernel, StringRef padding, TensorValue *pointer) {
  machine::Machine &machine = kernel.machine;
  if (padding.empty())
    return machine.none();
  DType element = pointer->type.pointee();
  if (padding == "nan" && !element.isFloat())
    return kernel.fail("padding_option=\"nan\" needs floats, found " + element.name());
  if (padding == "nan")
    return kernel.constant(machine.makeFloat(std::numeric_limits<double>::quiet_NaN()), element);
  return kernel.constant(machine.makeInt(int64_t(0)), element);
}

static PyValue load(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  machine::Machine &machine = kernel.machine;
  static constexpr StringLiteral paddings[] = {"zero", "nan"};
  auto padding = readOption(kernel, args[4], "padding_option", paddings);
  auto cache = padding ? readOption(kernel, args[5], "cache_modifier", loadCaches) : std::nullopt;
  auto eviction = cache ? readOption(kernel, args[6], "eviction_policy", evictions) : std::nullopt;
  auto isVolatile = eviction ? knownBool(machine, args[7], "volatile") : std::nullopt;
  if (!isVolatile)
    return nullptr;
  PyValue mask = args[1], other = args[2];
  TensorValue *pointer;
  if (auto *block = dyn_cast<BlockPointerValue>(args[0])) {
    auto pair = expandPointer(kernel, block, mask, other, args[3]);
    if (!pair)
      return nullptr;
    pointer = pair->first;
    mask = pair->second ? PyValue(pair->second) : machine.none();
    other = pair->second ? getPadding(kernel, *padding, pointer) : machine.none();
    if (!other)
      return nullptr;
  } else {
    auto checked = readChecked(kernel, args[3]);
    if (!checked)
      return nullptr;
    if (!checked->empty() || !padding->empty())
      return kernel.fail("boundary_check and padding_option are for block pointers",
                         "write mask= and other=");
    pointer = kernel.toTensor(args[0], "the pointer");
  }
  return pointer ? kernel.load(pointer, mask, other, *cache, *eviction, *isVolatile) : nullptr;
}

static PyValue store(KernelBuilder &kernel, ArrayRef<PyValue> args) {
  machine::Machine &machine = kernel.machine;
  auto cache = readOption(kernel, args[4], "cache_modifier", storeCaches);
  auto eviction = cache ? readOption(kernel, args[5], "eviction_policy", evictions) : std::nullopt;
  if (!eviction)
    return nullptr;
  PyValue mask = args[2];
  TensorValue *pointer;
  if (auto *block = dyn_cast<BlockPointerValue>(args[0])) {
    auto pair = expandPointer(kernel, block, mask, machine.none(), args[3]);
    if (!pair)
      return nullptr;
    pointer = pair->first;
    mask = pair->second ? PyValue(pair->second) : machine.none();
  } else {
    auto checked = readChecked(kernel, args[3]);
    if (!checked)
      return nullptr;
    if (!checked->empty())
      return kernel.fail("boundary_check is for block pointers", "write mask=");
    pointer = kernel.toTensor(args[0], "the pointer");
  }
  if (!pointer || !kernel.store(pointer, args[1], mask, *cache, *eviction))
    return nullptr;
  return machine.none();
}

static std::optional<std::pair<tile::MemSem, tile::MemScope>>
readOrdering(KernelBuilder &kernel, PyValue sem, PyValue scope) {
  static constexpr StringLiteral sems[] = {"relaxed", "acquire", "release", "acq_rel"};
  static constexpr StringLiteral scopes[] = {"cta", "gpu", "sys"};
  auto ordering = readOption(kernel, sem, "sem", sems);
  auto reach = ordering ? readOption(kernel, scope, "scope", scopes) : std::nullopt;
  if (!reach)
    return std::nullopt;
  tile::MemSem one = ordering->empty() ? tile::MemSem::AcqRel : *tile::symbolizeMemSem(*ordering);
  tile::MemScope two = reach->empty() ? tile::MemScope::Gpu : *tile::symbolizeMemScope(*reach);
  return std::pair(one, two);
}

static void addAtomics(Registrar &tl) {
  for (StringRef kind : {"add", "max", "min", "and", "or", "xor", "xchg"})
    tl.define(("atomic_" + kind).str(), "(pointer, val, mask=None, sem=None, scope=None)",
              [kind](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
                auto order = readOrdering(kernel, args[3], args[4]);
                if (!order)
                  return nullptr;
                return kernel.atomicRmw(kind, args[0], args[1], args[2], order->first,
                                        order->second);
              });
  tl.define("atomic_cas", "(pointer, cmp, val, sem=None, scope=None)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              auto order = readOrdering(kernel, args[3], args[4]);
              if (!order)
                return nullptr;
              return kernel.atomicCas(args[0], args[1], args[2], order->first, order->second);
            });
}

/// What descriptors have beside loads and stores, as methods alone.
static void addDescriptorMethods(Registrar &tl) {
  auto done = [](KernelBuilder &kernel, bool stored) -> PyValue {
    return stored ? kernel.machine.none() : nullptr;
  };
  for (StringRef kind : {"add", "max", "min", "and", "or", "xor"})
    tl.define(("_descriptor_atomic_" + kind).str(), "(desc, offsets, value)",
              [kind, done](KernelBuilder &kernel, ArrayRef<PyValue> args) {
                return done(kernel, kernel.foldDescriptor(kind, args[0], args[1], args[2]));
              });
  tl.define("_descriptor_gather", "(desc, x_offsets, y_offset)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              return kernel.gatherRows(args[0], args[1], args[2]);
            });
  tl.define("_descriptor_scatter", "(desc, value, x_offsets, y_offset)",
            [done](KernelBuilder &kernel, ArrayRef<PyValue> args) {
              return done(kernel, kernel.scatterRows(args[0], args[1], args[2], args[3]));
            });
}

void addLanguageMemory(TritonLibrary &library, machine::Machine &machine,
                       machine::ModuleObject *module) {
  Registrar tl(library, machine, module);
  tl.define("load",
            "(pointer, mask=None, other=None, boundary_check=(), padding_option=\"\", "
            "cache_modifier=\"\", eviction_policy=\"\", volatile=False)",
            load);
  tl.define("store",
            "(pointer, value, mask=None, boundary_check=(), cache_modifier=\"\", "
            "eviction_policy=\"\")",
            store);
  addAtomics(tl);
  tl.define("make_tensor_descriptor",
            "(base, shape, strides, block_shape, padding_option=\"zero\")",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              static constexpr StringLiteral paddings[] = {"zero", "nan"};
              auto padding = readOption(kernel, args[4], "padding_option", paddings);
              if (!padding)
                return nullptr;
              return kernel.makeDescriptor(args[0], args[1], args[2], args[3], *padding);
            });
  tl.define("load_tensor_descriptor", "(desc, offsets)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              return kernel.loadDescriptor(args[0], args[1]);
            });
  tl.define("store_tensor_descriptor", "(desc, offsets, value)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              bool stored = kernel.storeDescriptor(args[0], args[1], args[2]);
              return stored ? kernel.machine.none() : nullptr;
            });
  addDescriptorMethods(tl);
  tl.define("make_block_ptr", "(base, shape, strides, offsets, block_shape, order)",
            [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
              return kernel.makeBlockPointer(args[0], args[1], args[2], args[3], args[4]);
            });
  tl.define(
      "advance", "(base, offsets)", [](KernelBuilder &kernel, ArrayRef<PyValue> args) -> PyValue {
        auto *pointer = dyn_cast<BlockPointerValue>(args[0]);
        if (!pointer)
          return kernel.fail("tl.advance moves a block pointer, found " + kernel.describe(args[0]),
                             "a pointer is moved by `ptr + offset`");
        return kernel.advance(pointer, args[1]);
      });
}

} // namespace nereid::triton
