// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a wrapper's tensors: `x[:, 1:]`, `x[..., -n:]`, `x[0]`, `x[:, None]`. Their strides are
// those of the whole; that they lie within it is taken for granted.
#include "audit/HostMachine.h"

#include "index/Facts.h"
#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::audit {

static bool isSpread(PyValue item) { return item->getKind() == machine::Kind::Ellipsis; }

/// Whether the number is below 0: `-n` of a size is.
static bool isFromEnd(index::Expr number) {
  if (std::optional<int64_t> constant = number.getConstant())
    return *constant < 0;
  return number.getConstantTerm() <= 0 &&
         all_of(number.getTerms(), [](index::Term term) { return term.coefficient < 0; });
}

/// Where a slice begins or ends on an axis of so many elements, and what has to hold for that; null
/// for what is no number.
index::Expr HostMachine::boundOf(PyValue given, index::Expr extent, index::Expr fallback) {
  if (!given || triton::isNone(given))
    return fallback;
  index::Expr number = asNumber(given);
  if (!number)
    return {};
  bool isBehind = isFromEnd(number);
  // `x[-n:]` is all of x where n is 0.
  if (isBehind && !number.isConstant())
    facts.push_back(index::lt(number, 0));
  index::Expr bound = isBehind ? extent + number : number;
  facts.push_back(index::ge(bound, 0));
  facts.push_back(index::le(bound, extent));
  return bound;
}

static bool isLeftOut(PyValue value) { return !value || triton::isNone(value); }

/// Whether an item of a subscript leaves no element out.
static bool takesAll(PyValue item) {
  if (triton::isNone(item) || isSpread(item))
    return true;
  auto *slice = dyn_cast<machine::SliceObject>(item);
  return slice && isLeftOut(slice->start) && isLeftOut(slice->stop) && isLeftOut(slice->step);
}

/// Whether an item of a subscript has the last element of its axis; that of a loop over the axis
/// has it in its last turn, where the path forks.
bool HostMachine::isLast(PyValue item, index::Expr extent) {
  if (auto *slice = dyn_cast<machine::SliceObject>(item))
    return isLeftOut(slice->stop) && isLeftOut(slice->step);
  if (auto *turn = dyn_cast<UnknownValue>(item)) {
    if (!turn->turns || turn->turns != extent)
      return false;
    index::Expr number = asNumber(turn);
    bool isLastTurn = choose(2, "last " + number.str()) == 0;
    facts.push_back(isLastTurn ? index::eq(number, extent - 1) : index::lt(number, extent - 1));
    return isLastTurn;
  }
  if (!isa<machine::IntObject, SizeValue>(item))
    return false;
  index::Expr number = asNumber(item);
  return number && (number.isConstant(-1) || number == extent - 1);
}

/// One item of a subscript: an axis that stays, is cut, or goes.
bool HostMachine::takeAxis(TensorInfo &part, const TensorInfo &whole, unsigned axis, PyValue item) {
  index::Expr extent = whole.sizes[axis];
  if (auto *slice = dyn_cast<machine::SliceObject>(item)) {
    index::Expr step =
        slice->step && !triton::isNone(slice->step) ? asNumber(slice->step) : context.constant(1);
    index::Expr begin = boundOf(slice->start, extent, context.constant(0));
    index::Expr end = boundOf(slice->stop, extent, extent);
    std::optional<int64_t> every = step ? step.getConstant() : std::nullopt;
    if (!every || *every <= 0 || !begin || !end)
      return false;
    if (begin != context.constant(0) && end != extent)
      facts.push_back(index::le(begin, end));
    if (!begin.isConstant(0))
      part.begins.push_back({axis, begin});
    part.sizes.push_back(index::ceildiv(end - begin, step));
    part.wholeAxes.push_back(axis);
    part.steps.resize(part.sizes.size(), 1);
    part.steps.back() = *every;
    return true;
  }
  auto *turn = dyn_cast<UnknownValue>(item);
  bool isNumber = isa<machine::IntObject, SizeValue>(item) || (turn && turn->turns);
  index::Expr place =
      isNumber && !isa<machine::BoolObject>(item) ? boundOf(item, extent, {}) : index::Expr();
  if (place)
    part.begins.push_back({axis, place});
  return bool(place);
}

/// Where it begins in its memory, in elements; null where that is not known.
index::Expr HostMachine::offsetOf(TensorInfo &info) {
  if (info.memory == &info)
    return context.constant(0);
  TensorInfo *from = info.whole    ? info.whole
                     : info.viewed ? info.viewed
                     : info.shown  ? info.shown
                                   : info.alike;
  index::Expr offset = from ? offsetOf(*from) : index::Expr();
  if (!offset || info.begins.empty())
    return offset;
  bool isDense = true;
  SmallVector<index::Expr> strides = stridesOf(*from, isDense);
  for (auto [axis, begin] : info.begins) {
    if (axis >= strides.size())
      return {};
    offset = offset + begin * strides[axis];
  }
  return offset;
}

/// A part of the whole, whose axes are still to be said.
TensorInfo *HostMachine::startPart(TensorInfo &whole) {
  TensorInfo *part = makeInfo(whole.name + "[...]");
  part->hasRank = true;
  part->whole = &whole;
  part->isPart = whole.isPart;
  part->endsMemory = whole.endsMemory;
  part->memory = whole.memory;
  part->isFresh = whole.isFresh;
  part->isLaidOut = whole.isLaidOut;
  part->element = whole.element;
  return part;
}

PyValue HostMachine::partOf(HostTensor &self, PyValue key) {
  TensorInfo &info = *self.info;
  touch(&self);
  PyValue nothing = unknown(info.name + "[...]");
  SmallVector<PyValue> items{key};
  if (auto *tuple = dyn_cast<machine::TupleObject>(key))
    items.assign(tuple->items.begin(), tuple->items.end());
  // Lists have slices too, but no subscripts of several items.
  bool isOpen = self.state == HostTensor::Open && items.size() == 1;
  if (self.state == HostTensor::Number || isOpen)
    return nothing;
  unsigned named = count_if(items, [](PyValue v) { return !triton::isNone(v) && !isSpread(v); });
  self.state = HostTensor::Tensor;
  askRank(info);
  unsigned rank = info.sizes.size();
  if (named > rank)
    return machine.raise("IndexError", "too many indices for tensor");
  TensorInfo *part = startPart(info);
  auto keep = [&](unsigned axis) {
    part->sizes.push_back(info.sizes[axis]);
    part->wholeAxes.push_back(axis);
  };
  unsigned axis = 0;
  bool reachesEnd = !info.isPart || info.endsMemory;
  for (PyValue item : items) {
    reachesEnd &= isSpread(item) || triton::isNone(item) || isLast(item, info.sizes[axis]);
    if (isSpread(item)) {
      for (unsigned end = axis + rank - named; axis < end; ++axis)
        keep(axis);
    } else if (triton::isNone(item)) {
      part->sizes.push_back(context.constant(1));
      part->wholeAxes.push_back(std::nullopt);
    } else if (!takeAxis(*part, info, axis++, item)) {
      return nothing;
    }
  }
  for (; axis < rank; ++axis)
    keep(axis);
  part->strides.resize(part->sizes.size());
  if (all_of(items, takesAll))
    return tensor(part);
  part->isPart = true;
  part->endsMemory = reachesEnd;
  assumptions.insert("parts of " + info.name + " lie within it");
  return tensor(part);
}

/// Of a part, out of those of the whole; an axis that was put in has one element, or shows one
/// again and again.
index::Expr HostMachine::strideOfPart(const TensorInfo &info, size_t axis,
                                      llvm::function_ref<index::Expr(size_t)> strideOfWhole) {
  if (!info.wholeAxes[axis])
    return info.strides[axis] ? info.strides[axis] : context.constant(1);
  index::Expr stride = strideOfWhole(*info.wholeAxes[axis]);
  return axis < info.steps.size() ? stride * context.constant(info.steps[axis]) : stride;
}

} // namespace nereid::audit
