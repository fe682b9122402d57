// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and strides of a wrapper's tensors, which come about as they are asked for.
#include "audit/HostMachine.h"

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

/// Whether the elements of a tensor fill its memory, in whatever order: where it is taken for that,
/// its last one lies where their number says.
bool HostMachine::hasNoHoles(TensorInfo &info) {
  if (info.isContiguous)
    return true;
  std::string key = info.name + " has holes";
  bool isNew = !decided.count(key);
  bool isDense = choose(2, key) == 1;
  if (!isDense || !isNew)
    return isDense;
  // What is taken for granted of strides that nobody asks for is said where they are used.
  std::set<std::string> said = assumptions;
  bool isKnown = false;
  SmallVector<index::Expr> strides = stridesOf(info, isKnown);
  assumptions = std::move(said);
  if (isKnown || strides.size() != info.sizes.size())
    return true;
  index::Expr count = context.constant(1), end = context.constant(1);
  for (auto [size, stride] : zip_equal(info.sizes, strides)) {
    count = count * size;
    end = end + (size - 1) * stride;
  }
  facts.push_back(index::eq(count, 0) | index::eq(end, count));
  return true;
}

index::Expr HostMachine::strideOf(TensorInfo &info, size_t axis) {
  askRank(info);
  if (info.isContiguous)
    return makeDense(info.sizes, context)[axis];
  if (info.strides[axis])
    return info.strides[axis];
  if (info.whole)
    return info.strides[axis] =
               strideOfPart(info, axis, [&](size_t from) { return strideOf(*info.whole, from); });
  if (info.viewed) {
    askRank(*info.viewed);
    takeStrides(info, axis, [&](size_t from) { return strideOf(*info.viewed, from); });
    return strideOf(info, axis);
  }
  if (info.alike) {
    // As dense as the other tensor; where that has holes, row-major.
    index::Expr other = strideOf(*info.alike, axis);
    bool isDense = hasNoHoles(*info.alike);
    return info.strides[axis] = isDense ? other : makeDense(info.sizes, context)[axis];
  }
  index::Expr stride = context.symbol(info.name + ".stride(" + std::to_string(axis) + ")");
  return info.strides[axis] = stride;
}

SmallVector<index::Expr> HostMachine::stridesOf(TensorInfo &info, bool &isDense) {
  isDense = true;
  if (info.isContiguous)
    return info.hasRank ? makeDense(info.sizes, context) : SmallVector<index::Expr>();
  if (info.isStrided)
    askRank(info);
  // Nothing lets a tensor of other strides pass for one of these.
  for (size_t axis = 0; info.isStrided && axis < info.sizes.size(); ++axis)
    (void)strideOf(info, axis);
  if (info.whole) {
    std::set<std::string> before = assumptions;
    SmallVector<index::Expr> all = stridesOf(*info.whole, isDense), own;
    isDense = false;
    // Along an axis that the part does not have nothing is taken for granted.
    for (size_t axis = 0; axis < all.size(); ++axis) {
      std::string said = info.whole->name + ".stride(" + std::to_string(axis) + ")";
      if (!is_contained(info.wholeAxes, std::optional<unsigned>(axis)))
        std::erase_if(assumptions, [&](const std::string &text) {
          return StringRef(text).starts_with(said) && !before.count(text);
        });
    }
    for (size_t axis = 0; axis < info.sizes.size(); ++axis)
      own.push_back(strideOfPart(info, axis, [&](size_t from) { return all[from]; }));
    return own;
  }
  bool isAsked = any_of(info.strides, [](index::Expr stride) { return bool(stride); });
  if (info.viewed) {
    SmallVector<index::Expr> whole = stridesOf(*info.viewed, isDense);
    if (isDense && !isAsked)
      return makeDense(info.sizes, context);
    isDense = false;
    if (whole.empty())
      whole = makeDense(info.viewed->sizes, context);
    takeStrides(info, std::nullopt, [&](size_t from) { return whole[from]; });
    return info.isContiguous ? makeDense(info.sizes, context) : info.strides;
  }
  if (info.alike && !isAsked) {
    bool isOtherDense = true;
    SmallVector<index::Expr> other = stridesOf(*info.alike, isOtherDense);
    if (isOtherDense || other.size() != info.sizes.size())
      return info.hasRank ? makeDense(info.sizes, context) : SmallVector<index::Expr>();
    isDense = false;
    return hasNoHoles(*info.alike) ? other : makeDense(info.sizes, context);
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

/// One past the last of the axes, from the right, and how many elements they have together.
namespace {
struct AxisRun {
  explicit AxisRun(ArrayRef<index::Expr> sizes, size_t end, index::Context &context)
      : sizes(sizes), begin(end), end(end), count(context.constant(1)) {}
  bool grow() {
    if (begin == 0)
      return false;
    count = count * sizes[--begin];
    return true;
  }
  ArrayRef<index::Expr> sizes;
  size_t begin, end;
  index::Expr count;
};
} // namespace

/// Both grow until they have as many elements. An axis of one element has no other's.
static void match(AxisRun &from, AxisRun &to) {
  if (to.begin > 0 && to.sizes[to.begin - 1].isConstant(1)) {
    to.grow();
    return;
  }
  bool grows = from.grow();
  grows |= to.grow();
  while (grows && from.count != to.count)
    grows = index::exactRatio(to.count, from.count) ? from.grow() || to.grow()
                                                    : to.grow() || from.grow();
}

/// The strides of a view that are not known yet, those of one run or of all: axes that are taken
/// together have to lie dense for it, and where they do not `reshape` copies.
void HostMachine::takeStrides(TensorInfo &info, std::optional<size_t> wanted,
                              llvm::function_ref<index::Expr(size_t)> strideFrom) {
  TensorInfo &from = *info.viewed;
  SmallVector<std::pair<index::Expr, index::Expr>> merges;
  size_t left = from.sizes.size(), right = info.sizes.size();
  bool isMerged = false;
  while (right > 0) {
    AxisRun old(from.sizes, left, context), made(info.sizes, right, context);
    match(old, made);
    bool isWanted = !wanted || (*wanted >= made.begin && *wanted < made.end);
    index::Expr inner = !isWanted          ? index::Expr()
                        : left > old.begin ? strideFrom(left - 1)
                                           : makeDense(info.sizes, context)[right - 1];
    index::Expr step = inner;
    for (size_t axis = left; isWanted && axis-- > old.begin; step = step * from.sizes[axis]) {
      isMerged |= axis + 1 < left;
      if (from.strides[axis] && from.strides[axis] != step)
        merges.push_back({from.strides[axis], step});
      else if (wanted)
        from.strides[axis] = step;
    }
    step = inner;
    for (size_t axis = right; isWanted && axis-- > made.begin; step = step * info.sizes[axis])
      if (!info.strides[axis])
        info.strides[axis] = step;
    left = old.begin;
    right = made.begin;
  }
  if (isMerged && info.mayCopy && choose(2, "copies " + info.name) == 1) {
    info.isContiguous = info.isFresh = true;
    info.isLaidOut = false;
    info.memory = &info;
    return;
  }
  if (isMerged)
    assumptions.insert("the axes of " + from.name + " that are taken together lie dense");
  for (auto [stride, dense] : merges) {
    if (stride.isSymbol())
      replacements[stride] = dense;
    else
      facts.push_back(index::eq(stride, dense));
  }
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

PyValue HostMachine::reshape(TensorInfo &info, ArrayRef<PyValue> args, bool mayCopy) {
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
  if (open && others.isConstant(0))
    return machine.raise("RuntimeError", "a size of -1 beside one of 0 can be anything");
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
  view->shown = &info;
  view->isFresh = info.isFresh;
  view->isLaidOut = info.isLaidOut;
  view->isPart = info.isPart;
  view->endsMemory = info.endsMemory;
  view->element = info.element;
  view->isContiguous = info.isContiguous;
  view->viewed = info.isContiguous ? nullptr : &info;
  view->mayCopy = mayCopy;
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
  view->shown = &info;
  view->parameter = info.parameter;
  view->isFresh = info.isFresh;
  view->isLaidOut = info.isLaidOut;
  view->isPart = info.isPart;
  view->endsMemory = info.endsMemory;
  view->element = info.element;
  return tensor(view);
}

/// `torch.float16`, or what a tensor has.
std::string HostMachine::elementOf(PyValue dtype) const {
  auto *opaque = dyn_cast_if_present<machine::OpaqueObject>(dtype);
  return opaque ? getElementType(opaque->path.rsplit('.').second).str() : "";
}

} // namespace nereid::audit
