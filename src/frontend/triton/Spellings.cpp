// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/Spellings.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid::triton {

namespace {
struct Spelling {
  StringLiteral name, help;
};
} // namespace

static constexpr Spelling languageNames[] = {
    {"async_copy", "write tl.load: Triton overlaps loads with compute by itself (num_stages)"},
    {"tma_async_copy", "write tl.load on a tensor descriptor: Triton overlaps loads by itself"},
    {"warp_specialize", "write `for ... in tl.range(..., warp_specialize=True)`"},
    {"relu", "write tl.maximum(x, 0.0)"},
    {"leaky_relu", "write tl.where(x > 0, x, slope * x)"},
    {"gelu", "write 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))"},
    {"silu", "write x * tl.sigmoid(x)"},
    {"swish", "write x * tl.sigmoid(x)"},
    {"debug_print", "write tl.device_print(\"label\", x, y)"},
    {"print", "write tl.device_print(\"label\", x)"},
    {"printf", "write tl.device_print(\"label\", x)"},
    {"tanh", "write libdevice.tanh(x), with `from triton.language.extra import libdevice`"},
    {"pow", "write libdevice.pow(x, y), with `from triton.language.extra import libdevice`"},
    {"power", "write libdevice.pow(x, y), with `from triton.language.extra import libdevice`"},
    {"round", "write libdevice.round(x), with `from triton.language.extra import libdevice`"},
    {"trunc", "write libdevice.trunc(x), with `from triton.language.extra import libdevice`"},
    {"asin", "write libdevice.asin(x), with `from triton.language.extra import libdevice`"},
    {"acos", "write libdevice.acos(x), with `from triton.language.extra import libdevice`"},
    {"atan", "write libdevice.atan(x), with `from triton.language.extra import libdevice`"},
    {"atan2", "write libdevice.atan2(y, x), with `from triton.language.extra import libdevice`"},
    {"tan", "write libdevice.tan(x), with `from triton.language.extra import libdevice`"},
    {"sinh", "write libdevice.sinh(x), with `from triton.language.extra import libdevice`"},
    {"cosh", "write libdevice.cosh(x), with `from triton.language.extra import libdevice`"},
    {"log1p", "write libdevice.log1p(x), with `from triton.language.extra import libdevice`"},
    {"expm1", "write libdevice.expm1(x), with `from triton.language.extra import libdevice`"},
    {"log10", "write libdevice.log10(x), with `from triton.language.extra import libdevice`"},
    {"isnan", "write x != x, or libdevice.isnan(x)"},
    {"isinf", "write tl.abs(x) == float(\"inf\"), or libdevice.isinf(x)"},
    {"libdevice", "write libdevice.NAME, with `from triton.language.extra import libdevice`"},
    {"mean", "write tl.sum(x, axis=...) / n"},
    {"var", "write tl.sum((x - mean) * (x - mean), axis=...) / n"},
    {"std", "write tl.sqrt(tl.sum((x - mean) * (x - mean), axis=...) / n)"},
    {"norm", "write tl.sqrt(tl.sum(x * x, axis=...))"},
    {"prod", "write tl.reduce(x, axis, combine) with a @triton.jit combine function"},
    {"any", "write tl.max(mask.to(tl.int32), axis=...) > 0"},
    {"all", "write tl.min(mask.to(tl.int32), axis=...) > 0"},
    {"clip", "write tl.clamp(x, low, high)"},
    {"transpose", "write tl.trans(x)"},
    {"matmul", "write tl.dot(a, b)"},
    {"mm", "write tl.dot(a, b)"},
    {"bmm", "write tl.dot(a, b) on tiles of rank 3"},
    {"roll", "load from shifted offsets instead"},
    {"random", "write tl.rand(seed, offsets)"},
    {"uniform", "write tl.rand(seed, offsets)"},
    {"pi", "write the number 3.141592653589793"},
    {"inf", "write float(\"inf\")"},
    {"nan", "write float(\"nan\")"},
    {"neg_inf", "write -float(\"inf\")"},
    {"square", "write x * x"},
    {"sign", "write tl.where(x > 0, 1.0, tl.where(x < 0, -1.0, 0.0))"},
    {"neg", "write -x"},
    {"not_equal", "write x != y"},
    {"equal", "write x == y"},
    {"logical_not", "write ~mask"},
    {"concat", "write tl.cat(a, b)"},
    {"concatenate", "write tl.cat(a, b)"},
    {"stack", "write tl.join(a, b)"},
    {"ones", "write tl.full(shape, 1, dtype)"},
    {"ones_like", "write tl.full(x.shape, 1, x.dtype)"},
    {"full_like", "write tl.full(x.shape, value, x.dtype)"},
    {"empty", "write tl.zeros(shape, dtype)"},
    {"einsum", "write tl.dot(a, b), or products summed with tl.sum"},
    {"outer", "write a[:, None] * b[None, :]"},
    {"if_else", "write tl.where(condition, a, b)"},
    {"select", "write tl.where(condition, a, b)"},
    {"ceil_div", "write tl.cdiv(n, block)"},
    {"next_power_of_2",
     "compute it on the host with triton.next_power_of_2 and pass it as tl.constexpr"},
    {"float", "write tl.float32"},
    {"double", "write tl.float64"},
    {"half", "write tl.float16"},
    {"bool", "write tl.int1"},
    {"int", "write tl.int32"},
    {"long", "write tl.int64"},
    {"fp16", "write tl.float16"},
    {"fp32", "write tl.float32"},
    {"bf16", "write tl.bfloat16"},
    {"bool_", "write tl.int1"},
    {"pointer", "leave the parameter without annotation: pointers are found by themselves"},
    {"atomic_sub", "write tl.atomic_add(ptr, -value)"},
    {"syncthreads", "write tl.debug_barrier()"},
    {"barrier", "write tl.debug_barrier()"},
    {"sync", "write tl.debug_barrier()"},
    {"thread_id", "Triton programs have no threads: use tl.arange(0, BLOCK)"},
    {"block_id", "write tl.program_id(0)"},
    {"shared_memory", "Triton places tiles by itself: keep the value in a variable"},
    {"local_alloc", "Triton places tiles by itself: keep the value in a variable"},
    {"argsort", "sort keys and values packed in one integer with tl.sort"},
    {"unique", "not expressible in one program"},
    {"logsumexp", "write m + tl.log(tl.sum(tl.exp(x - m), axis=0)) with m = tl.max(x, axis=0)"},
    {"log_softmax",
     "write x - m - tl.log(tl.sum(tl.exp(x - m), axis=0)) with m = tl.max(x, axis=0)"},
};

static constexpr Spelling methodNames[] = {
    {"float", "write x.to(tl.float32)"},
    {"half", "write x.to(tl.float16)"},
    {"bfloat16", "write x.to(tl.bfloat16)"},
    {"int", "write x.to(tl.int32)"},
    {"long", "write x.to(tl.int64)"},
    {"bool", "write x != 0"},
    {"double", "write x.to(tl.float64)"},
    {"type_as", "write x.to(y.dtype)"},
    {"astype", "write x.to(dtype)"},
    {"mean", "write tl.sum(x, axis=...) / n"},
    {"size", "write x.shape[axis]"},
    {"transpose", "write tl.trans(x)"},
    {"t", "write tl.trans(x)"},
    {"unsqueeze", "write x[:, None] or tl.expand_dims(x, axis)"},
    {"tanh", "write libdevice.tanh(x), with `from triton.language.extra import libdevice`"},
    {"pow", "write x * x, or libdevice.pow(x, y)"},
    {"clamp", "write tl.clamp(x, low, high)"},
    {"relu", "write tl.maximum(x, 0.0)"},
    {"ndim", "write len(x.shape)"},
    {"data_ptr", "pass the tensor itself to the kernel: it arrives as a pointer"},
};

static constexpr Spelling builtinNames[] = {
    {"divmod", "write q = a // b and r = a % b, or r = a - q * b"},
    {"abs", "write tl.abs(x)"},
    {"sum", "write tl.sum(x, axis=...)"},
    {"pow", "write x * x, or libdevice.pow(x, y)"},
    {"round", "write libdevice.round(x), with `from triton.language.extra import libdevice`"},
    {"any", "write tl.max(mask.to(tl.int32), axis=...) > 0"},
    {"all", "write tl.min(mask.to(tl.int32), axis=...) > 0"},
    {"bool", "write x != 0"},
    {"enumerate", "write for i in tl.static_range(n) and index"},
    {"zip", "write for i in tl.static_range(n) and index both"},
    {"slice", "tensors are indexed by `:` and None only"},
    {"sorted", "write tl.sort(x)"},
    {"tl", "add `import triton.language as tl` to the file"},
    {"triton", "add `import triton` to the file"},
    {"libdevice", "add `from triton.language.extra import libdevice` to the file"},
    {"torch", "a kernel cannot use torch: use tl"},
    {"math.exp", "write tl.exp(x)"},
    {"math.log", "write tl.log(x)"},
    {"math.sqrt", "write tl.sqrt(x)"},
    {"math.sin", "write tl.sin(x)"},
    {"math.cos", "write tl.cos(x)"},
    {"math.tanh", "write libdevice.tanh(x), with `from triton.language.extra import libdevice`"},
    {"math.floor", "write tl.floor(x)"},
    {"math.ceil", "write tl.ceil(x)"},
    {"math.pow", "write libdevice.pow(x, y)"},
};

static constexpr Spelling moduleNames[] = {
    {"autotuner", "write triton.autotune"},
    {"tune", "write triton.autotune"},
    {"kernel", "write @triton.jit"},
    {"next_pow2", "write triton.next_power_of_2"},
    {"ceil_div", "write triton.cdiv"},
    {"load", "write tl.load, with `import triton.language as tl`"},
    {"store", "write tl.store, with `import triton.language as tl`"},
};

static constexpr Spelling keywordNames[] = {
    {"sum.mask", "mask the input: tl.sum(tl.where(mask, x, 0.0), axis=...)"},
    {"max.mask", "mask the input: tl.max(tl.where(mask, x, -float(\"inf\")), axis=...)"},
    {"min.mask", "mask the input: tl.min(tl.where(mask, x, float(\"inf\")), axis=...)"},
    {"argmax.mask", "mask the input: tl.argmax(tl.where(mask, x, -float(\"inf\")), axis=...)"},
    {"argmin.mask", "mask the input: tl.argmin(tl.where(mask, x, float(\"inf\")), axis=...)"},
    {"cumsum.mask", "mask the input: tl.cumsum(tl.where(mask, x, 0.0), axis=...)"},
    {"sum.dim", "write axis= instead of dim="},
    {"max.dim", "write axis= instead of dim="},
    {"min.dim", "write axis= instead of dim="},
    {"sum.keepdim", "write keep_dims= instead of keepdim="},
    {"max.keepdim", "write keep_dims= instead of keepdim="},
    {"min.keepdim", "write keep_dims= instead of keepdim="},
    {"sum.keepdims", "write keep_dims= instead of keepdims="},
    {"max.keepdims", "write keep_dims= instead of keepdims="},
    {"min.keepdims", "write keep_dims= instead of keepdims="},
    {"softmax.axis", "write dim= instead of axis="},
    {"load.offsets", "add them to the pointer: tl.load(ptr + offsets, mask=...)"},
    {"load.default", "write other= instead of default="},
    {"load.dtype", "cast the result: tl.load(...).to(dtype)"},
    {"store.other", "a store has no other: it skips lanes that are masked off"},
    {"dot.trans_a", "write tl.dot(tl.trans(a), b)"},
    {"dot.trans_b", "write tl.dot(a, tl.trans(b))"},
    {"dot.accumulate", "write acc = tl.dot(a, b, acc)"},
    {"zeros.device", "a tile lives in registers: leave device= away"},
    {"arange.dtype", "cast the result: tl.arange(0, N).to(dtype)"},
    {"make_tensor_descriptor.order", "a descriptor has no order: its last stride is 1"},
    {"make_tensor_descriptor.base_ptr", "write base= instead of base_ptr="},
    {"make_block_ptr.base_ptr",
     "write base= instead of base_ptr=, and give block_shape= and order="},
};

static ArrayRef<Spelling> getTable(SpellingDomain domain) {
  switch (domain) {
  case SpellingDomain::Language:
  case SpellingDomain::Math:
  case SpellingDomain::Libdevice:
    return languageNames;
  case SpellingDomain::Method:
    return methodNames;
  case SpellingDomain::Builtin:
    return builtinNames;
  case SpellingDomain::Module:
    return moduleNames;
  case SpellingDomain::Keyword:
    return keywordNames;
  }
  llvm_unreachable("all domains are listed");
}

StringRef findSpelling(SpellingDomain domain, StringRef name) {
  for (const Spelling &entry : getTable(domain))
    if (entry.name == name)
      return entry.help;
  return "";
}

std::string suggestName(StringRef name, ArrayRef<StringRef> candidates, StringRef prefix) {
  unsigned best = (name.size() <= 3 ? 1 : name.size() <= 8 ? 2 : 3) + 1;
  StringRef nearest;
  for (StringRef candidate : candidates) {
    unsigned distance = candidate.edit_distance(name, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : ("did you mean `" + prefix + nearest + "`?").str();
}

} // namespace nereid::triton
