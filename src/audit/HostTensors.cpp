// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and strides of a wrapper's tensors, which come about as they are asked for.
#include "audit/HostMachine.h"

#include "python/AstVisit.h"
#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::audit {

PyValue HostMachine::tensor(TensorInfo *info) {
  return machine.make<HostTensor>(*this, tensorClass, info);
}

TensorInfo *HostMachine::makeInfo(const Twine &name) {
  TensorInfo &info = infos.emplace_back();
  info.name = name.str();
  info.memory = &info;
  return &info;
}

static SmallVector<index::Expr> makeDense(ArrayRef<index::Expr> sizes, index::Context &context) {
  SmallVector<index::Expr> strides(sizes.size());
  index::Expr step = context.constant(1);
  for (size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = step;
    step = step * sizes[axis];
  }
  return strides;
}

/// How many axes the uses of a name in a function speak of: two for `x.shape[1]` and for
/// `x.size(-2)`.
static unsigned countAxes(const python::Node &node, StringRef name) {
  unsigned axes = 0;
  auto *subscript = dyn_cast<python::Subscript>(&node);
  auto *call = dyn_cast<python::Call>(&node);
  const python::Expr *index = subscript                        ? subscript->slice
                              : call && call->args.size() == 1 ? call->args.front()
                                                               : nullptr;
  auto *of = dyn_cast_if_present<python::Attribute>(subscript ? subscript->value
                                                    : call    ? call->func
                                                              : nullptr);
  auto *self = of ? dyn_cast<python::Name>(of->value) : nullptr;
  bool isAsked = self && self->id == name &&
                 (of->attr == "shape" || of->attr == "size" || of->attr == "stride");
  auto *negative = dyn_cast_if_present<python::UnaryOp>(index);
  auto *constant = dyn_cast_if_present<python::Constant>(negative ? negative->operand : index);
  unsigned number = 0;
  if (isAsked && constant && !constant->text.getAsInteger(10, number))
    axes = negative ? std::max(number, 2u) : number + 1;
  python::forEachChild(
      node, [&](const python::Node &child) { axes = std::max(axes, countAxes(child, name)); });
  return axes;
}

/// The ranks that a tensor may have, the likeliest first.
SmallVector<unsigned> HostMachine::ranksOf(const TensorInfo &info) const {
  SmallVector<unsigned> ranks{2, 3, 4, 1};
  machine::Frame *frame = machine.getFrame();
  auto *def = frame && frame->code ? dyn_cast<python::FunctionDef>(frame->code->node) : nullptr;
  if (!def)
    return ranks;
  for (const auto &slot : frame->locals->slots) {
    auto *local = dyn_cast_if_present<HostTensor>(slot.value);
    if (!local || local->info != &info)
      continue;
    unsigned axes = countAxes(*def, slot.name->text);
    if (auto *likely = find(ranks, axes); likely != ranks.end())
      std::rotate(ranks.begin(), likely, likely + 1);
  }
  return ranks;
}

/// The tensor gets a rank: the first that leads to a launch.
void HostMachine::fixRank(TensorInfo &info) {
  if (info.alike) {
    (void)askRank(*info.alike);
    info.sizes = info.alike->sizes;
  } else {
    SmallVector<unsigned> ranks = ranksOf(info);
    unsigned rank = ranks[choose(ranks.size(), "", true)];
    for (unsigned axis = 0; axis < rank; ++axis)
      info.sizes.push_back(context.symbol(info.name + ".shape[" + std::to_string(axis) + "]"));
    assumptions.insert(info.name + " has " + std::to_string(rank) +
                       (rank == 1 ? " axis" : " axes"));
    if (info.count)
      replacements[info.count] = index::product(context, info.sizes);
  }
  info.strides.resize(info.sizes.size());
  info.hasRank = true;
}

bool HostMachine::askRank(TensorInfo &info) {
  if (!info.hasRank)
    fixRank(info);
  return true;
}

index::Expr HostMachine::countOf(TensorInfo &info) {
  if (info.hasRank)
    return index::product(context, info.sizes);
  if (info.alike)
    return countOf(*info.alike);
  if (!info.count)
    info.count = context.symbol(info.name + ".numel()");
  return info.count;
}

index::Expr HostMachine::strideOf(TensorInfo &info, size_t axis) {
  askRank(info);
  if (info.isContiguous)
    return makeDense(info.sizes, context)[axis];
  if (info.strides[axis])
    return info.strides[axis];
  if (info.alike) {
    // As dense as the other tensor; where that has holes, row-major.
    index::Expr other = strideOf(*info.alike, axis);
    bool isDense = info.alike->isContiguous || choose(2, info.alike->name + " has holes") == 1;
    return info.strides[axis] = isDense ? other : makeDense(info.sizes, context)[axis];
  }
  index::Expr stride = context.symbol(info.name + ".stride(" + std::to_string(axis) + ")");
  return info.strides[axis] = stride;
}

SmallVector<index::Expr> HostMachine::stridesOf(TensorInfo &info, bool &isDense) {
  isDense = true;
  if (info.isContiguous)
    return info.hasRank ? makeDense(info.sizes, context) : SmallVector<index::Expr>();
  bool isAsked = any_of(info.strides, [](index::Expr stride) { return bool(stride); });
  if (info.alike && !isAsked) {
    bool isOtherDense = true;
    SmallVector<index::Expr> other = stridesOf(*info.alike, isOtherDense);
    if (isOtherDense || other.size() != info.sizes.size())
      return info.hasRank ? makeDense(info.sizes, context) : SmallVector<index::Expr>();
    isDense = false;
    return choose(2, info.alike->name + " has holes") == 1 ? other : makeDense(info.sizes, context);
  }
  std::string name = info.parameter ? info.name : "";
  if (!isAsked) {
    if (!name.empty())
      assumptions.insert(name + " is contiguous");
    return info.hasRank ? makeDense(info.sizes, context) : SmallVector<index::Expr>();
  }
  isDense = false;
  SmallVector<index::Expr> strides(info.strides);
  for (size_t axis = strides.size(); axis-- > 0;) {
    if (strides[axis])
      continue;
    bool isLast = axis + 1 == strides.size();
    strides[axis] = isLast ? context.constant(1) : strides[axis + 1] * info.sizes[axis + 1];
    if (!name.empty())
      assumptions.insert(name + ".stride(" + std::to_string(axis) + ") == " + strides[axis].str());
  }
  return strides;
}

PyValue HostMachine::shapeOf(TensorInfo &info) {
  askRank(info);
  SmallVector<PyValue> items;
  for (index::Expr extent : info.sizes)
    items.push_back(size(extent));
  return machine.makeTuple(items);
}

/// `(M, N)`, `M, N` or one number.
std::optional<SmallVector<index::Expr>> HostMachine::readSizes(ArrayRef<PyValue> args) {
  if (args.size() == 1)
    if (std::optional<ArrayRef<PyValue>> list = triton::sequence(args.front()))
      return readSizes(*list);
  SmallVector<index::Expr> sizes;
  for (PyValue arg : args) {
    if (triton::sequence(arg))
      return std::nullopt;
    index::Expr extent = asNumber(arg);
    if (!extent)
      return std::nullopt;
    sizes.push_back(extent);
  }
  return sizes;
}

PyValue HostMachine::reshape(TensorInfo &info, ArrayRef<PyValue> args, bool) {
  std::optional<SmallVector<index::Expr>> sizes = readSizes(args);
  if (!sizes || sizes->empty())
    return unknown(info.name + ".view(...)");
  index::Expr count = countOf(info), others = context.constant(1), *open = nullptr;
  for (index::Expr &extent : *sizes) {
    if (extent.isConstant(-1))
      open = &extent;
    else
      others = others * extent;
  }
  if (open) {
    index::Expr ratio = others.isConstant(1)  ? count
                        : others.isConstant() ? index::Expr()
                                              : index::exactRatio(count, others);
    *open = ratio ? ratio : index::floordiv(count, others);
    if (!ratio)
      facts.push_back(index::eq(*open * others, count));
  } else if (count != others) {
    facts.push_back(index::eq(count, others));
  }
  TensorInfo *view = makeInfo(info.name + ".view()");
  view->hasRank = true;
  view->sizes = *sizes;
  view->strides.resize(sizes->size());
  view->memory = info.memory;
  view->isFresh = info.isFresh;
  view->isPart = info.isPart;
  view->element = info.element;
  bool isAsked = any_of(info.strides, [](index::Expr stride) { return bool(stride); });
  view->isContiguous = info.isContiguous || !isAsked;
  if (view->isContiguous && !info.isContiguous && info.parameter)
    assumptions.insert(info.name + " is contiguous");
  if (!view->isContiguous)
    view->parameter = info.parameter;
  return tensor(view);
}

PyValue HostMachine::permute(TensorInfo &info, ArrayRef<int64_t> order) {
  askRank(info);
  int64_t rank = info.sizes.size();
  TensorInfo *view = makeInfo(info.name + ".permute()");
  for (int64_t axis : order) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
      return machine.raise("IndexError", "dimension out of range");
    view->sizes.push_back(info.sizes[axis]);
    view->strides.push_back(strideOf(info, axis));
  }
  view->hasRank = true;
  view->memory = info.memory;
  view->parameter = info.parameter;
  view->isFresh = info.isFresh;
  view->isPart = info.isPart;
  view->element = info.element;
  return tensor(view);
}

/// `torch.float16`, or what a tensor has.
std::string HostMachine::elementOf(PyValue dtype) const {
  auto *opaque = dyn_cast_if_present<machine::OpaqueObject>(dtype);
  return opaque ? getElementType(opaque->path.rsplit('.').second).str() : "";
}

PyValue HostMachine::makeLike(TensorInfo &info, const machine::CallArgs &args, StringRef name) {
  TensorInfo *made = makeInfo(name + "(" + info.name + ")");
  made->hasRank = info.hasRank;
  made->sizes = info.sizes;
  made->strides.resize(info.sizes.size());
  made->alike = &info;
  made->isFresh = true;
  PyValue dtype = args.keyword("dtype");
  made->element = dtype ? elementOf(dtype) : info.element;
  if (PyValue format = args.keyword("memory_format"))
    made->isContiguous = describe(format).ends_with("contiguous_format");
  return tensor(made);
}

PyValue HostMachine::makeNew(ArrayRef<PyValue> args, const machine::CallArgs &call,
                             StringRef name) {
  SmallVector<PyValue> given(args);
  if (PyValue named = call.keyword("size"))
    given = {named};
  std::optional<SmallVector<index::Expr>> sizes = readSizes(given);
  if (!sizes)
    return unknown(name + "(...)");
  TensorInfo *made = makeInfo(name + "(...)");
  made->hasRank = true;
  made->sizes = *sizes;
  made->strides.resize(sizes->size());
  made->isContiguous = made->isFresh = true;
  made->element = elementOf(call.keyword("dtype"));
  return tensor(made);
}

} // namespace nereid::audit
