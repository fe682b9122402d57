// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that PyTorch computes from a wrapper's tensors: as large and as dense as these, folded
// along an axis, padded, repeated, joined. What they hold is not asked.
#include "audit/HostMachine.h"
#include "audit/HostValues.h"

#include "index/Facts.h"
#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::audit {

/// Made element by element: as dense as what they are made of.
static constexpr StringLiteral maps[] = {
    "abs",   "neg",  "exp",  "exp2",  "log",     "log2",  "sqrt",       "rsqrt",
    "sin",   "cos",  "tanh", "erf",   "sigmoid", "relu",  "square",     "reciprocal",
    "floor", "ceil", "sign", "round", "clamp",   "clip",  "clamp_min",  "clamp_max",
    "add",   "sub",  "mul",  "div",   "pow",     "trunc", "nan_to_num", "true_divide"};

/// Row-major, of the same shape.
static constexpr StringLiteral lines[] = {"cumsum", "cumprod", "softmax", "log_softmax",
                                          "flip",   "roll",    "argsort", "logcumsumexp"};

static constexpr StringLiteral folds[] = {"sum",  "mean", "amax",   "amin",  "prod",
                                          "norm", "var",  "argmax", "argmin"};

static constexpr StringLiteral views[] = {
    "chunk",     "split",   "unbind",  "narrow",     "select",     "squeeze",     "unsqueeze",
    "expand_as", "view_as", "flatten", "reshape_as", "as_strided", "broadcast_to"};

bool isViewOrMade(StringRef name) {
  return is_contained(views, name) || is_contained(maps, name) || is_contained(lines, name) ||
         is_contained(folds, name);
}

PyValue HostMachine::makeDenseOf(const TensorInfo &info, const Twine &name,
                                 ArrayRef<index::Expr> sizes) {
  TensorInfo *made = makeInfo(name);
  made->hasRank = made->isContiguous = made->isFresh = true;
  made->sizes.assign(sizes.begin(), sizes.end());
  made->strides.resize(sizes.size());
  made->element = info.element;
  return tensor(made);
}

/// `x.amax(-1)`, `x.sum()`.
PyValue HostMachine::folded(TensorInfo &info, StringRef name, const machine::CallArgs &args) {
  size_t place = name == "norm" ? 1 : 0;
  PyValue dim = args.positional.size() > place ? args.positional[place] : args.keyword("dim");
  PyValue keeps =
      args.positional.size() > place + 1 ? args.positional[place + 1] : args.keyword("keepdim");
  SmallVector<index::Expr> sizes;
  if (dim && !triton::isNone(dim)) {
    std::optional<size_t> axis = axisOf(info, dim);
    auto *isKept = dyn_cast_if_present<machine::BoolObject>(keeps);
    if (!axis || (keeps && !isKept))
      return machine.pending() ? nullptr : unknown(info.name + "." + name + "(...)");
    sizes.assign(info.sizes.begin(), info.sizes.end());
    if (isKept && isKept->value())
      sizes[*axis] = context.constant(1);
    else
      sizes.erase(sizes.begin() + *axis);
  }
  PyValue made = makeDenseOf(info, name + "(" + info.name + ")", sizes);
  // Sums of integers and places are integers of 64 bits.
  std::string &element = cast<HostTensor>(made)->info->element;
  if (name.starts_with("arg"))
    element = "i64";
  else if (!StringRef(element).contains("f"))
    element = "";
  if (PyValue dtype = args.keyword("dtype"))
    element = elementOf(dtype);
  return made;
}

/// `x.repeat(1, n)`.
PyValue HostMachine::repeated(TensorInfo &info, ArrayRef<PyValue> given) {
  std::optional<SmallVector<index::Expr>> times = readSizes(given);
  askRank(info);
  if (!times || times->size() < info.sizes.size())
    return unknown(info.name + ".repeat(...)");
  size_t more = times->size() - info.sizes.size();
  for (auto [axis, count] : enumerate(*times))
    if (axis >= more)
      count = count * info.sizes[axis - more];
  return makeDenseOf(info, "repeat(" + info.name + ")", *times);
}

/// Null without an error for other methods.
PyValue HostMachine::madeMethod(TensorInfo &info, StringRef name, const machine::CallArgs &args) {
  auto isTensor = [](PyValue value) {
    auto *other = dyn_cast<HostTensor>(value);
    return (other && other->state != HostTensor::Number) || isa<UnknownValue>(value);
  };
  if (StringRef stem = name; stem.consume_back("_") && is_contained(maps, stem))
    return tensor(&info);
  if (is_contained(maps, name)) {
    // Another tensor may make it larger.
    if (any_of(args.positional, isTensor) || args.keyword("out"))
      return unknown(info.name + "." + name + "(...)");
    PyValue made = makeLike(info, machine::CallArgs(), name);
    if (std::string &element = cast<HostTensor>(made)->info->element;
        !StringRef(element).contains("f"))
      element = "";
    return made;
  }
  if (is_contained(lines, name)) {
    if (!info.isContiguous || args.keyword("dtype"))
      return unknown(info.name + "." + name + "(...)");
    PyValue made = makeDenseOf(info, name + "(" + info.name + ")", info.sizes);
    bool isOfSame = name == "flip" || name == "roll" || StringRef(info.element).contains("f");
    cast<HostTensor>(made)->info->element = name == "argsort" ? "i64"
                                            : isOfSame        ? info.element
                                                              : "";
    return made;
  }
  if (is_contained(folds, name))
    return folded(info, name, args);
  return name == "repeat" && !args.positional.empty() ? repeated(info, args.positional) : nullptr;
}

/// `F.pad(x, (left, right, above, below))`: the last axis first.
PyValue HostMachine::padded(TensorInfo &info, PyValue amounts) {
  std::optional<ArrayRef<PyValue>> list = triton::sequence(amounts);
  std::optional<SmallVector<index::Expr>> more = list ? readSizes(*list) : std::nullopt;
  askRank(info);
  if (!more || more->size() % 2 != 0 || more->size() > 2 * info.sizes.size())
    return unknown("pad(" + info.name + ")");
  SmallVector<index::Expr> sizes(info.sizes);
  for (auto [place, amount] : enumerate(*more)) {
    index::Expr &extent = sizes[sizes.size() - 1 - place / 2];
    extent = extent + amount;
    if (place % 2 == 1)
      facts.push_back(index::ge(extent, 0));
  }
  return makeDenseOf(info, "pad(" + info.name + ")", sizes);
}

/// `torch.cat([a, b], dim)`, or `torch.stack`: along the other axes they are as long as the first.
PyValue HostMachine::joined(PyValue parts, PyValue dim, bool isStack) {
  PyValue nothing = unknown(isStack ? "torch.stack(...)" : "torch.cat(...)");
  std::optional<ArrayRef<PyValue>> list = triton::sequence(parts);
  SmallVector<TensorInfo *> infos;
  for (PyValue part : list.value_or(ArrayRef<PyValue>())) {
    auto *self = dyn_cast<HostTensor>(part);
    if (!self || self->state != HostTensor::Tensor)
      return nothing;
    askRank(*self->info);
    infos.push_back(self->info);
  }
  if (infos.empty())
    return nothing;
  SmallVector<index::Expr> sizes(infos.front()->sizes);
  index::Expr number = dim ? asNumber(dim) : context.constant(0);
  int64_t rank = sizes.size() + (isStack ? 1 : 0);
  if (!number || !number.isConstant())
    return nothing;
  int64_t axis = *number.getConstant() + (*number.getConstant() < 0 ? rank : 0);
  if (axis < 0 || axis >= rank)
    return machine.raise("IndexError", "dimension out of range");
  for (TensorInfo *other : ArrayRef(infos).drop_front()) {
    if (other->sizes.size() != infos.front()->sizes.size())
      return nothing;
    for (auto [place, extent] : enumerate(other->sizes))
      if (!isStack && int64_t(place) == axis)
        sizes[place] = sizes[place] + extent;
      else if (extent != infos.front()->sizes[place])
        facts.push_back(index::eq(extent, infos.front()->sizes[place]));
  }
  if (isStack)
    sizes.insert(sizes.begin() + axis, context.constant(infos.size()));
  return makeDenseOf(*infos.front(), isStack ? "stack(...)" : "cat(...)", sizes);
}

/// `torch.arange(n)`, `torch.arange(a, b)`.
PyValue HostMachine::makeRange(ArrayRef<PyValue> bounds, const machine::CallArgs &args) {
  std::optional<SmallVector<index::Expr>> ends = readSizes(bounds);
  if (!ends)
    return unknown("torch.arange(...)");
  index::Expr count = ends->size() == 2 ? (*ends)[1] - (*ends)[0] : (*ends)[0];
  facts.push_back(index::ge(count, 0));
  PyValue made = makeNew({size(count)}, args, "arange");
  if (auto *range = dyn_cast<HostTensor>(made); range && !args.keyword("dtype"))
    range->info->element = "i64";
  return made;
}

} // namespace nereid::audit
