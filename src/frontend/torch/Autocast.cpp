// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Autocast regions: which operators cast their tensors, as PyTorch does on CUDA devices. What is
// listed nowhere keeps its types.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

enum class Policy : uint8_t {
  None,
  Float32,
  Default32, // float32 unless the call says `dtype=`
  Widest,    // the widest type of its tensors
  Narrow,    // the region's own type
  Refused,
};

Policy policyOf(StringRef name) {
  static constexpr StringLiteral wide[] = {"acos",
                                           "arccos",
                                           "asin",
                                           "arcsin",
                                           "cosh",
                                           "erfinv",
                                           "exp",
                                           "expm1",
                                           "log",
                                           "log10",
                                           "log1p",
                                           "log2",
                                           "reciprocal",
                                           "rsqrt",
                                           "sinh",
                                           "tan",
                                           "pow",
                                           "square",
                                           "softplus",
                                           "layer_norm",
                                           "group_norm",
                                           "norm",
                                           "rms_norm",
                                           "cosine_similarity",
                                           "l1_loss",
                                           "nll_loss_nd",
                                           "poisson_nll_loss",
                                           "kl_div",
                                           "huber_loss",
                                           "cosine_embedding_loss",
                                           "mse_loss",
                                           "dist",
                                           "hinge_embedding_loss",
                                           "cdist",
                                           "pdist",
                                           "smooth_l1_loss",
                                           "renorm",
                                           "logsumexp",
                                           "margin_ranking_loss",
                                           "softmin",
                                           "normalize",
                                           "multilabel_margin_loss",
                                           "interpolate",
                                           "cross_entropy_loss",
                                           "multilabel_soft_margin_loss",
                                           "gaussian_nll_loss",
                                           "soft_margin_loss",
                                           "triplet_margin_loss",
                                           "multi_margin_loss",
                                           "local_response_norm",
                                           "binary_cross_entropy_with_logits",
                                           "pairwise_distance"};
  static constexpr StringLiteral summing[] = {
      "prod",   "softmax", "log_softmax",        "cumprod",
      "cumsum", "sum",     "linalg_vector_norm", "linalg_matrix_norm"};
  static constexpr StringLiteral mixing[] = {
      "addcdiv", "addcmul", "atan2",     "arctan2",     "linalg_cross", "dot",      "grid_sampler",
      "vdot",    "vecdot",  "index_put", "scatter_add", "bilinear",     "tensordot"};
  static constexpr StringLiteral narrowing[] = {"matmul",
                                                "mm",
                                                "bmm",
                                                "mv",
                                                "addmm",
                                                "addmv",
                                                "addr",
                                                "addbmm",
                                                "baddbmm",
                                                "linear",
                                                "linalg_vecdot",
                                                "chain_matmul",
                                                "linalg_multi_dot",
                                                "einsum",
                                                "conv1d",
                                                "conv2d",
                                                "conv3d",
                                                "conv_tbc",
                                                "conv_transpose1d",
                                                "conv_transpose2d",
                                                "conv_transpose3d",
                                                "scaled_dot_product_attention",
                                                "lstm_cell",
                                                "gru_cell",
                                                "rnn_tanh_cell",
                                                "rnn_relu_cell"};
  if (is_contained(wide, name))
    return Policy::Float32;
  if (is_contained(summing, name))
    return Policy::Default32;
  if (is_contained(mixing, name))
    return Policy::Widest;
  if (name == "prelu" || is_contained(narrowing, name))
    return Policy::Narrow;
  return name == "binary_cross_entropy" ? Policy::Refused : Policy::None;
}

/// The type of a tensor whose type a region may change; nothing for other values.
std::optional<DType> typeOf(PyValue value) {
  auto *tensor = dyn_cast<TensorValue>(value);
  bool counts =
      tensor && !tensor->isNumber &&
      (tensor->dtype == DType::F16 || tensor->dtype == DType::BF16 || tensor->dtype == DType::F32);
  return counts ? std::optional(tensor->dtype) : std::nullopt;
}

} // namespace

std::optional<SmallVector<PyValue>>
TorchLibrary::autocastArguments(StringRef name, ArrayRef<PyValue> args, bool hasDType) {
  Policy policy = autocast && !compositeDepth ? policyOf(name) : Policy::None;
  SmallVector<PyValue> cast(args);
  if (policy == Policy::None || (policy == Policy::Default32 && hasDType))
    return cast;
  if (policy == Policy::Refused) {
    machine->raise("RuntimeError",
                   "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
                   "autocast",
                   "use binary_cross_entropy_with_logits");
    return std::nullopt;
  }
  DType target = policy == Policy::Narrow ? *autocast : DType::F32;
  bool anyWide = any_of(args, [](PyValue arg) { return typeOf(arg) == DType::F32; });
  if (policy == Policy::Widest && !anyWide)
    return cast;
  setPlace();
  for (PyValue &arg : cast)
    arg = autocastTo(arg, target);
  return cast;
}

/// A tensor, or those of a list, of another type where that counts.
PyValue TorchLibrary::autocastTo(PyValue value, DType target) {
  auto holdTensors = [](ArrayRef<PyValue> items) {
    return any_of(items, [](PyValue item) { return isa<TensorValue>(item); });
  };
  auto all = [&](ArrayRef<PyValue> items) {
    return map_to_vector(items, [&](PyValue item) { return autocastTo(item, target); });
  };
  if (auto *list = dyn_cast<ListObject>(value); list && holdTensors(list->items))
    return machine->makeList(all(list->items));
  if (auto *tuple = dyn_cast<TupleObject>(value); tuple && holdTensors(tuple->items))
    return machine->makeTuple(all(tuple->items));
  std::optional<DType> type = typeOf(value);
  return type && *type != target ? castTo(llvm::cast<TensorValue>(value), target) : value;
}

void TorchLibrary::defineAutocast() {
  // prims.autocast(dtype): enters a region (None: leaves all); returns what held before.
  define("prims", "autocast", "(dtype)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    PyValue before = t.autocast ? t.makeDType(*t.autocast) : t.machine->none();
    std::optional<DType> dtype;
    if (!t.dtypeArg(a[0], dtype))
      return nullptr;
    t.autocast = dtype;
    return before;
  });
  define(
      "prims", "warn_of_region", "(device)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
        SourceLocation at;
        for (SourceLocation place : t.machine->callStack())
          if (!at.file && place.file && !place.file->getName().starts_with("<"))
            at = place;
        std::string device = t.machine->repr(a[0]).value_or("another device");
        if (at.file && t.warnedRegions.insert({at.file, at.range.begin}).second)
          t.diagnostics.warning(at,
                                "autocast for " + device +
                                    " changes nothing: the kernels run on a GPU, for whose tensors "
                                    "PyTorch leaves it out too",
                                "write torch.autocast(\"cuda\", ...) where it should count");
        return t.machine->none();
      });
  define("prims", "autocast_type", "()", [](TorchLibrary &t, ArrayRef<PyValue>) -> PyValue {
    return t.autocast ? t.makeDType(*t.autocast) : t.machine->none();
  });
  // prims.narrowed(tensors): as products take them.
  define("prims", "narrowed", "(tensors)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    t.setPlace();
    return t.autocast ? t.autocastTo(a[0], *t.autocast) : a[0];
  });
  // prims.autocasting(function, dtype): what a decorated function is called in.
  define("prims", "autocasting", "(function, dtype)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           std::optional<DType> dtype;
           if (!t.dtypeArg(a[1], dtype))
             return nullptr;
           if (auto *function = dyn_cast<FunctionObject>(a[0])) {
             t.machine->markFunction(*function, t);
             t.modes[function].autocast = dtype;
           }
           return a[0];
         });
}

} // namespace nereid::torch
