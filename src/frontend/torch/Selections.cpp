// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed of `x[mask]`, whose size depends on the data: elementwise operators go over all
// elements and stay selected, folds and losses count those that the mask holds.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

enum class Way : uint8_t { None, Elements, Fold, Loss };

Way wayOf(StringRef name) {
  static constexpr StringLiteral elements[] = {
      "abs",        "neg",         "exp",          "exp2",        "expm1",       "log",
      "log2",       "log10",       "log1p",        "sqrt",        "rsqrt",       "square",
      "pow",        "sigmoid",     "tanh",         "relu",        "leaky_relu",  "elu",
      "gelu",       "silu",        "softplus",     "log_sigmoid", "logsigmoid",  "clamp",
      "clamp_min",  "clamp_max",   "clip",         "float",       "double",      "half",
      "bfloat16",   "to",          "long",         "int",         "bool",        "type_as",
      "detach",     "clone",       "contiguous",   "sign",        "round",       "floor",
      "ceil",       "trunc",       "frac",         "add",         "sub",         "mul",
      "div",        "true_divide", "floor_divide", "remainder",   "eq",          "ne",
      "lt",         "le",          "gt",           "ge",          "maximum",     "minimum",
      "nan_to_num", "isnan",       "isinf",        "isfinite",    "logical_not", "logical_and",
      "logical_or", "bitwise_not", "sin",          "cos",         "erf",         "reciprocal",
      "positive",   "rsub",        "subtract",     "multiply",    "divide",      "negative",
      "absolute",   "logit",       "acos",         "asin",        "atan",        "logaddexp"};
  static constexpr StringLiteral folds[] = {
      "sum",     "prod",        "mean",      "var",           "std",   "any",
      "all",     "amax",        "amin",      "count_nonzero", "norm",  "linalg_vector_norm",
      "softmax", "log_softmax", "logsumexp", "argmax",        "argmin"};
  static constexpr StringLiteral losses[] = {"mse_loss",
                                             "l1_loss",
                                             "smooth_l1_loss",
                                             "huber_loss",
                                             "kl_div",
                                             "binary_cross_entropy",
                                             "binary_cross_entropy_with_logits",
                                             "cross_entropy",
                                             "cross_entropy_loss",
                                             "nll_loss",
                                             "nll_loss_nd"};
  return is_contained(elements, name) ? Way::Elements
         : is_contained(folds, name)  ? Way::Fold
         : is_contained(losses, name) ? Way::Loss
                                      : Way::None;
}

MaskedValue *firstMasked(PyValue value) {
  if (auto *masked = dyn_cast_if_present<MaskedValue>(value))
    return masked;
  ArrayRef<PyValue> items;
  if (auto *tuple = dyn_cast_if_present<TupleObject>(value))
    items = tuple->items;
  if (auto *list = dyn_cast_if_present<ListObject>(value))
    items = list->items;
  for (PyValue item : items)
    if (MaskedValue *masked = firstMasked(item))
      return masked;
  return nullptr;
}

MaskedValue *firstMasked(const CallArgs &args) {
  for (PyValue arg : args.positional)
    if (MaskedValue *masked = firstMasked(arg))
      return masked;
  for (const auto &[name, value] : args.keywords)
    if (MaskedValue *masked = firstMasked(value))
      return masked;
  return nullptr;
}

} // namespace

bool TorchLibrary::isMasked(const CallArgs &args) { return firstMasked(args) != nullptr; }

/// An argument of an operator over selected elements as one over all: null where it is a tensor of
/// other elements.
PyValue TorchLibrary::withoutMask(PyValue value, mlir::Value mask) {
  if (auto *masked = dyn_cast_if_present<MaskedValue>(value))
    return equalValues(masked->mask, mask) ? masked->tensor : nullptr;
  if (firstMasked(value))
    return nullptr; // a list of them
  auto *tensor = dyn_cast_if_present<TensorValue>(value);
  bool isNumber = !tensor || tensor->isNumber || rankOf(tensor) == 0;
  // What is computed of elements that are not selected must not reach a gradient.
  return isNumber && !(tensor && gradients && requiresGradient(tensor)) ? value : nullptr;
}

PyValue TorchLibrary::maskedCall(StringRef name, const CallArgs &args,
                                 function_ref<PyValue(const CallArgs &)> call) {
  mlir::Value mask = firstMasked(args)->mask;
  SmallVector<PyValue> positional;
  SmallVector<std::pair<machine::Name, PyValue>> keywords;
  for (PyValue arg : args.positional)
    positional.push_back(withoutMask(arg, mask));
  for (const auto &[keyword, value] : args.keywords)
    keywords.push_back({keyword, withoutMask(value, mask)});
  bool isWhole = !is_contained(positional, nullptr) &&
                 none_of(keywords, [](const auto &entry) { return !entry.second; });
  Way way = isWhole ? wayOf(name) : Way::None;
  if (way == Way::None)
    return reportMasked();
  if (way == Way::Elements) {
    PyValue result = call(CallArgs{positional, keywords});
    return isa_and_present<TensorValue>(result)
               ? machine->make<MaskedValue>(*this, tensorClass, result, mask)
               : result;
  }
  StringRef space = way == Way::Fold ? "selected_" : "selected_loss";
  PyValue function = lookup("prims", way == Way::Fold ? (space + name).str() : space.str());
  if (!function)
    return nullptr;
  SmallVector<PyValue> given;
  if (way == Way::Loss) {
    StringRef spelled = name == "cross_entropy_loss" ? "cross_entropy"
                        : name == "nll_loss_nd"      ? "nll_loss"
                                                     : name;
    PyValue loss = lookup("F", spelled);
    given.append({wrap(mask), loss, machine->makeStr(name)});
  } else {
    given.append({wrap(mask)});
  }
  given.append(positional);
  return machine->call(function, CallArgs{given, keywords});
}

Answer TorchLibrary::maskedAttribute(MaskedValue *masked, StringRef name) {
  static constexpr StringLiteral alike[] = {"dtype", "device", "requires_grad", "is_cuda"};
  if (is_contained(alike, name))
    return machine->getAttribute(masked->tensor, name);
  if (name == "ndim")
    return machine->makeInt(rankOf(cast<TensorValue>(masked->tensor)) -
                            static_cast<int64_t>(writer.sizes(masked->mask).size()) + 1);
  if (name == "numel" || name == "nelement")
    return machine->makeBuiltin("numel", [this, masked](Machine &m, const CallArgs &) -> PyValue {
      PyValue count = lookup("prims", "selected_numel");
      return count ? m.call(count, {wrap(masked->mask), masked->tensor}) : nullptr;
    });
  if (!lookup("Tensor", name) || machine->pending())
    return machine->pending() ? nullptr : reportMasked();
  PyValue method = lookup("Tensor", name);
  return machine->makeBuiltin(machine->save(name),
                              [method, masked](Machine &m, const CallArgs &args) -> PyValue {
                                SmallVector<PyValue> all{masked};
                                all.append(args.positional.begin(), args.positional.end());
                                return m.call(method, CallArgs{all, args.keywords});
                              });
}

} // namespace nereid::torch
