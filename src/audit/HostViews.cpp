// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods that show a wrapper's tensor in another way: its pieces, one element of an axis, the same
// element again and again, the same bytes as another type.
//
//   gate, up = x.chunk(2, dim=-1)       q, k, v = qkv.split(H * D, -1)       b[None].expand(M, N)
#include "audit/HostMachine.h"
#include "audit/HostValues.h"

#include "index/Facts.h"
#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::audit {

/// An axis that the wrapper names, from the front; nothing where it is not known, or is none: an
/// IndexError then.
std::optional<size_t> HostMachine::axisOf(TensorInfo &info, PyValue value) {
  index::Expr number = value ? asNumber(value) : index::Expr();
  std::optional<int64_t> axis = number ? number.getConstant() : std::nullopt;
  askRank(info);
  int64_t rank = info.sizes.size();
  if (axis && *axis < 0)
    *axis += rank;
  if (!axis)
    return std::nullopt;
  if (*axis < 0 || *axis >= rank) {
    machine.raise("IndexError", "dimension out of range");
    return std::nullopt;
  }
  return *axis;
}

/// So many elements along an axis. `endsAxis`: the last one is among them.
PyValue HostMachine::cut(TensorInfo &info, size_t axis, index::Expr begin, index::Expr extent,
                         bool endsAxis) {
  TensorInfo *part = startPart(info);
  part->begins.push_back({axis, begin});
  for (size_t other = 0; other < info.sizes.size(); ++other) {
    part->sizes.push_back(other == axis ? extent : info.sizes[other]);
    part->wholeAxes.push_back(other);
  }
  part->strides.resize(part->sizes.size());
  part->endsMemory = endsAxis && (!info.isPart || info.endsMemory);
  part->isPart = true;
  assumptions.insert("parts of " + info.name + " lie within it");
  return tensor(part);
}

/// One element of an axis, which goes; `isLastOne`: its last one, `isAll`: its only one.
PyValue HostMachine::drop(TensorInfo &info, size_t axis, index::Expr place, bool isLastOne,
                          bool isAll) {
  TensorInfo *part = startPart(info);
  part->begins.push_back({axis, place});
  for (size_t other = 0; other < info.sizes.size(); ++other) {
    if (other == axis)
      continue;
    part->sizes.push_back(info.sizes[other]);
    part->wholeAxes.push_back(other);
  }
  part->strides.resize(part->sizes.size());
  if (isAll || info.sizes[axis].isConstant(1))
    return tensor(part);
  part->endsMemory = isLastOne && (!info.isPart || info.endsMemory);
  part->isPart = true;
  assumptions.insert("parts of " + info.name + " lie within it");
  return tensor(part);
}

/// So many pieces of a length, the last one perhaps shorter.
PyValue HostMachine::piecesOf(TensorInfo &info, size_t axis, index::Expr step, int64_t count) {
  index::Expr extent = info.sizes[axis], rest = extent - step * (count - 1);
  if (rest != step) {
    facts.push_back(index::ge(rest, 1));
    facts.push_back(index::le(rest, step));
  }
  SmallVector<PyValue> items;
  for (int64_t piece = 0; piece < count; ++piece) {
    bool isLastOne = piece + 1 == count;
    items.push_back(cut(info, axis, step * piece, isLastOne ? rest : step, isLastOne));
  }
  return machine.makeTuple(items);
}

/// `chunk`, `split` and `unbind`. How many pieces there are is what they are unpacked into, where
/// nothing else says it.
PyValue HostMachine::pieces(TensorInfo &info, StringRef name, const machine::CallArgs &args) {
  constexpr int64_t most = 64;
  PyValue nothing = unknown(info.name + "." + name + "(...)");
  bool isUnbind = name == "unbind";
  ArrayRef<PyValue> given = args.positional;
  StringRef sizeName = name == "chunk" ? "chunks" : "split_size_or_sections";
  PyValue size = isUnbind ? nullptr : given.empty() ? args.keyword(sizeName) : given.front();
  PyValue dim = isUnbind && !given.empty()      ? given.front()
                : !isUnbind && given.size() > 1 ? given[1]
                                                : args.keyword("dim");
  std::optional<size_t> axis = axisOf(info, dim ? dim : machine.makeInt(int64_t(0)));
  if (!axis || (!isUnbind && !size))
    return machine.pending() ? nullptr : nothing;
  index::Expr extent = info.sizes[*axis];
  if (isUnbind) {
    int64_t count = extent.getConstant().value_or(unpacked);
    if (count < 1 || count > most)
      return nothing;
    if (!extent.isConstant())
      facts.push_back(index::eq(extent, count));
    SmallVector<PyValue> items;
    for (int64_t item = 0; item < count; ++item)
      items.push_back(drop(info, *axis, context.constant(item), item + 1 == count));
    return machine.makeTuple(items);
  }
  if (std::optional<ArrayRef<PyValue>> list = triton::sequence(size)) {
    std::optional<SmallVector<index::Expr>> lengths = readSizes(*list);
    if (name != "split" || !lengths)
      return nothing;
    index::Expr sum = index::sum(context, *lengths);
    if (sum != extent)
      facts.push_back(index::eq(sum, extent));
    SmallVector<PyValue> items;
    index::Expr begin = context.constant(0);
    for (auto [place, length] : enumerate(*lengths)) {
      items.push_back(cut(info, *axis, begin, length, place + 1 == lengths->size()));
      begin = begin + length;
    }
    return machine.makeTuple(items);
  }
  index::Expr number = asNumber(size);
  if (!number || number.isConstant(0))
    return nothing;
  if (name == "split") {
    index::Expr ratio = index::exactRatio(extent, number);
    int64_t count = ratio && ratio.isConstant() ? *ratio.getConstant() : int64_t(unpacked);
    return count < 1 || count > most ? nothing : piecesOf(info, *axis, number, count);
  }
  std::optional<int64_t> count = number.getConstant();
  if (!count || *count < 1 || *count > most)
    return nothing;
  bool isEven = factsAbout(index::collectSymbols(extent)).isTrue(index::divisible(extent, *count));
  index::Expr ratio = index::exactRatio(extent, context.constant(*count));
  index::Expr step = ratio    ? ratio
                     : isEven ? index::floordiv(extent, *count)
                              : index::ceildiv(extent, context.constant(*count));
  if (isEven && !ratio)
    facts.push_back(index::eq(step * *count, extent));
  return piecesOf(info, *axis, step, *count);
}

/// Axes of one element go.
PyValue HostMachine::squeezed(TensorInfo &info, const machine::CallArgs &args) {
  askRank(info);
  PyValue dim = args.positional.empty() ? args.keyword("dim") : args.positional.front();
  if (dim) {
    std::optional<size_t> axis = axisOf(info, dim);
    if (!axis)
      return machine.pending() ? nullptr : unknown(info.name + ".squeeze(...)");
    index::Expr extent = info.sizes[*axis];
    if (!extent.isConstant() && choose(2, "squeezes " + extent.str()) == 1) {
      facts.push_back(index::ne(extent, 1));
      return tensor(&info);
    }
    if (!extent.isConstant(1) && extent.isConstant())
      return tensor(&info);
    if (!extent.isConstant())
      facts.push_back(index::eq(extent, 1));
    return drop(info, *axis, context.constant(0), true, true);
  }
  TensorInfo *part = startPart(info);
  for (auto [axis, extent] : enumerate(info.sizes)) {
    if (extent.isConstant(1))
      continue;
    if (!extent.isConstant()) {
      facts.push_back(index::ne(extent, 1));
      assumptions.insert(extent.str() + " is not 1");
    }
    part->sizes.push_back(extent);
    part->wholeAxes.push_back(axis);
  }
  part->strides.resize(part->sizes.size());
  return tensor(part);
}

/// Axes of one element, and new ones, show one element again and again.
PyValue HostMachine::expanded(TensorInfo &info, ArrayRef<PyValue> given) {
  std::optional<SmallVector<index::Expr>> sizes = readSizes(given);
  askRank(info);
  if (!sizes || sizes->size() < info.sizes.size())
    return unknown(info.name + ".expand(...)");
  TensorInfo *view = startPart(info);
  size_t more = sizes->size() - info.sizes.size();
  view->strides.resize(sizes->size());
  for (auto [axis, wanted] : enumerate(*sizes)) {
    index::Expr own = axis < more ? context.constant(1) : info.sizes[axis - more];
    bool isKept = axis >= more && (wanted.isConstant(-1) || wanted == own || wanted.isConstant(1));
    if (!isKept && !own.isConstant(1)) {
      index::Pred isSame = index::eq(own, wanted);
      SmallVector<index::Expr> symbols;
      index::forEachSymbol(isSame, [&](index::Expr symbol) { symbols.push_back(symbol); });
      isKept = own.isConstant() || factsAbout(symbols).isTrue(isSame) ||
               choose(2, "expands " + own.str() + " " + wanted.str()) == 0;
      facts.push_back(isKept ? isSame : index::eq(own, 1));
      // Its stride is looked at, and goes.
      (void)strideOf(info, axis - more);
    }
    view->sizes.push_back(isKept ? own : wanted);
    view->wholeAxes.push_back(isKept ? std::optional<unsigned>(axis - more) : std::nullopt);
    if (isKept)
      continue;
    view->strides[axis] = context.constant(0);
    view->isLaidOut = true;
  }
  return tensor(view);
}

/// `x.view(torch.int32)`: as many bytes.
PyValue HostMachine::retyped(TensorInfo &info, PyValue dtype) {
  std::string element = elementOf(dtype);
  std::optional<int64_t> before = bytesOf(info.element), after = bytesOf(element);
  PyValue nothing = unknown(info.name + ".view(...)");
  if (!before || !after || *before == 0 || *after == 0)
    return nothing;
  askRank(info);
  if (*before != *after && (!info.isContiguous || info.sizes.empty()))
    return nothing;
  TensorInfo *view = startPart(info);
  view->element = element;
  for (size_t axis = 0; axis < info.sizes.size(); ++axis) {
    view->sizes.push_back(info.sizes[axis]);
    view->wholeAxes.push_back(axis);
  }
  view->strides.resize(view->sizes.size());
  if (*before == *after)
    return tensor(view);
  index::Expr &last = view->sizes.back();
  if (*before > *after) {
    last = last * (*before / *after);
  } else {
    index::Expr fewer = index::floordiv(last, *after / *before);
    facts.push_back(index::eq(fewer * (*after / *before), last));
    last = fewer;
  }
  view->whole = nullptr;
  view->wholeAxes.clear();
  view->isContiguous = true;
  return tensor(view);
}

/// With another axis, of one element.
PyValue HostMachine::unsqueezed(TensorInfo &info, PyValue place) {
  askRank(info);
  index::Expr given = asNumber(place);
  std::optional<int64_t> number = given ? given.getConstant() : std::nullopt;
  int64_t rank = info.sizes.size();
  if (!number || *number > rank || *number < -rank - 1)
    return number ? machine.raise("IndexError", "dimension out of range")
                  : unknown(info.name + ".unsqueeze(...)");
  size_t at = *number < 0 ? *number + rank + 1 : *number;
  TensorInfo *view = startPart(info);
  for (size_t axis = 0; axis <= info.sizes.size(); ++axis) {
    if (axis == at) {
      view->sizes.push_back(context.constant(1));
      view->wholeAxes.push_back(std::nullopt);
    }
    if (axis == info.sizes.size())
      break;
    view->sizes.push_back(info.sizes[axis]);
    view->wholeAxes.push_back(axis);
  }
  view->strides.resize(view->sizes.size());
  return tensor(view);
}

/// Some axes become one.
PyValue HostMachine::flattened(TensorInfo &info, ArrayRef<PyValue> given) {
  std::optional<size_t> first = axisOf(info, given.front()), last;
  if (first)
    last = axisOf(info, given.size() > 1 ? given[1] : machine.makeInt(int64_t(-1)));
  if (!last || *last < *first)
    return machine.pending() ? nullptr : unknown(info.name + ".flatten(...)");
  SmallVector<PyValue> sizes;
  index::Expr together = context.constant(1);
  for (auto [axis, extent] : enumerate(info.sizes)) {
    bool isWithin = axis >= *first && axis <= *last;
    together = isWithin ? together * extent : together;
    if (!isWithin || axis == *last)
      sizes.push_back(size(isWithin ? together : extent));
  }
  return reshape(info, sizes, true);
}

static constexpr StringLiteral cuts[] = {
    "chunk",  "split",     "unbind",  "narrow",     "select",  "squeeze",    "unsqueeze",
    "expand", "expand_as", "view_as", "reshape_as", "flatten", "as_strided", "broadcast_to"};

/// Null without an error for other methods.
PyValue HostMachine::cutMethod(TensorInfo &info, StringRef name, const machine::CallArgs &args) {
  if (!is_contained(cuts, name))
    return nullptr;
  ArrayRef<PyValue> given = args.positional;
  PyValue nothing = unknown(info.name + "." + name + "(...)");
  auto orNothing = [&] { return machine.pending() ? nullptr : nothing; };
  if (name == "chunk" || name == "split" || name == "unbind")
    return pieces(info, name, args);
  if (name == "squeeze")
    return squeezed(info, args);
  if (name == "expand" || name == "broadcast_to")
    return given.empty() ? nothing : expanded(info, given);
  if (name.ends_with("_as")) {
    auto *other = given.empty() ? nullptr : dyn_cast<HostTensor>(given.front());
    if (!other || other->state == HostTensor::Number)
      return nothing;
    other->state = HostTensor::Tensor;
    PyValue shape = shapeOf(*other->info);
    return name == "expand_as" ? expanded(info, {shape})
                               : reshape(info, {shape}, name == "reshape_as");
  }
  if (name == "as_strided" && given.size() >= 2) {
    std::optional<SmallVector<index::Expr>> sizes = readSizes({given[0]}), steps;
    steps = readSizes({given[1]});
    if (!sizes || !steps || sizes->size() != steps->size())
      return nothing;
    TensorInfo *view = startPart(info);
    view->whole = nullptr;
    view->sizes = *sizes;
    view->strides = *steps;
    view->isPart = view->isLaidOut = true;
    return tensor(view);
  }
  if (name == "unsqueeze" && given.size() == 1)
    return unsqueezed(info, given.front());
  if (name == "flatten" && !given.empty())
    return flattened(info, given);
  std::optional<size_t> axis;
  if (name == "narrow" && given.size() == 3) {
    axis = axisOf(info, given[0]);
    index::Expr begin = axis ? boundOf(given[1], info.sizes[*axis], {}) : index::Expr();
    index::Expr length = begin ? asNumber(given[2]) : index::Expr();
    if (!length)
      return orNothing();
    facts.push_back(index::ge(length, 0));
    facts.push_back(index::le(begin + length, info.sizes[*axis]));
    return cut(info, *axis, begin, length, begin + length == info.sizes[*axis]);
  }
  if (name == "select" && given.size() == 2) {
    axis = axisOf(info, given[0]);
    index::Expr place = axis ? boundOf(given[1], info.sizes[*axis], {}) : index::Expr();
    return place ? drop(info, *axis, place, isLast(given[1], info.sizes[*axis])) : orNothing();
  }
  return nothing;
}

} // namespace nereid::audit
