// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many axes a wrapper's tensors have: what the text of the function says of it.
#include "audit/HostMachine.h"

#include "python/AstVisit.h"
#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::audit {

/// `x.shape`, `x.size` and `x.stride` of a name.
static bool isAskedFor(const python::Expr *expr, StringRef name) {
  auto *of = dyn_cast_if_present<python::Attribute>(expr);
  auto *self = of ? dyn_cast<python::Name>(of->value) : nullptr;
  return self && self->id == name &&
         (of->attr == "shape" || of->attr == "size" || of->attr == "stride");
}

/// The names that hold the shape of a name: `old` of `old = x.shape`.
static void findShapes(const python::Node &node, StringRef name, llvm::StringSet<> &shapes) {
  auto *assign = dyn_cast<python::Assign>(&node);
  auto *target = assign ? dyn_cast<python::Name>(assign->targets.front()) : nullptr;
  if (target) {
    auto *call = dyn_cast<python::Call>(assign->value);
    if (isAskedFor(call && call->args.empty() ? call->func : assign->value, name))
      shapes.insert(target->id);
  }
  python::forEachChild(node, [&](const python::Node &child) { findShapes(child, name, shapes); });
}

/// How many axes the uses of a name in a function speak of: two for `x.shape[1]` and for
/// `x.size(-2)`.
static unsigned countAxes(const python::Node &node, StringRef name,
                          const llvm::StringSet<> &shapes) {
  unsigned axes = 0;
  auto *subscript = dyn_cast<python::Subscript>(&node);
  auto *call = dyn_cast<python::Call>(&node);
  const python::Expr *index = subscript                        ? subscript->slice
                              : call && call->args.size() == 1 ? call->args.front()
                                                               : nullptr;
  auto *shape = dyn_cast_if_present<python::Name>(subscript ? subscript->value : nullptr);
  bool isAsked = isAskedFor(subscript ? subscript->value
                            : call    ? call->func
                                      : nullptr,
                            name) ||
                 (shape && shapes.contains(shape->id));
  auto *negative = dyn_cast_if_present<python::UnaryOp>(index);
  auto *constant = dyn_cast_if_present<python::Constant>(negative ? negative->operand : index);
  unsigned number = 0;
  if (isAsked && constant && !constant->text.getAsInteger(10, number))
    axes = negative ? std::max(number, 2u) : number + 1;
  python::forEachChild(node, [&](const python::Node &child) {
    axes = std::max(axes, countAxes(child, name, shapes));
  });
  return axes;
}

/// Whether it is the shape of a name: `x.shape`, `x.size()`, or a name for that.
static bool isShapeOf(const python::Expr &expr, StringRef name, const llvm::StringSet<> &shapes) {
  auto *call = dyn_cast<python::Call>(&expr);
  auto *local = dyn_cast<python::Name>(&expr);
  if (local)
    return shapes.contains(local->id);
  return (!call || call->args.empty()) && isAskedFor(call ? call->func : &expr, name);
}

/// The ranks that the shape of a name is unpacked as: 4 for `B, T, H, K = x.shape`, 3 for
/// `B, T, H, V = *x.shape, v.shape[-1]`.
static void findUnpacked(const python::Node &node, StringRef name, const llvm::StringSet<> &shapes,
                         std::set<unsigned> &ranks) {
  auto *assign = dyn_cast<python::Assign>(&node);
  auto *targets = assign ? dyn_cast<python::Tuple>(assign->targets.front()) : nullptr;
  auto isStarred = [](const python::Expr *expr) { return isa<python::Starred>(expr); };
  if (targets && none_of(targets->elts, isStarred)) {
    size_t count = targets->elts.size();
    auto *values = dyn_cast<python::Tuple>(assign->value);
    if (isShapeOf(*assign->value, name, shapes))
      ranks.insert(count);
    if (values && count_if(values->elts, isStarred) == 1)
      for (const python::Expr *value : values->elts)
        if (auto *starred = dyn_cast<python::Starred>(value);
            starred && isShapeOf(*starred->value, name, shapes) && count >= values->elts.size())
          ranks.insert(count - values->elts.size() + 1);
  }
  python::forEachChild(
      node, [&](const python::Node &child) { findUnpacked(child, name, shapes, ranks); });
}

/// Whether a function asks how many axes a name has, and may go on in several ways.
static bool asksRank(const python::Node &node, StringRef name) {
  auto *attribute = dyn_cast<python::Attribute>(&node);
  auto *self = attribute ? dyn_cast<python::Name>(attribute->value) : nullptr;
  bool asks = self && self->id == name && (attribute->attr == "ndim" || attribute->attr == "dim");
  auto *call = dyn_cast<python::Call>(&node);
  auto *callee = call ? dyn_cast<python::Name>(call->func) : nullptr;
  asks |= callee && callee->id == "len" && call->args.size() == 1 &&
          isAskedFor(call->args.front(), name);
  python::forEachChild(node, [&](const python::Node &child) { asks |= asksRank(child, name); });
  return asks;
}

/// Whether a function compares the shape of a name as a whole: `x.shape == (M, N)`.
static bool comparesShape(const python::Node &node, StringRef name,
                          const llvm::StringSet<> &shapes) {
  auto *compare = dyn_cast<python::Compare>(&node);
  bool compares = compare && (isShapeOf(*compare->left, name, shapes) ||
                              any_of(compare->comparators, [&](const python::Expr *other) {
                                return isShapeOf(*other, name, shapes);
                              }));
  python::forEachChild(
      node, [&](const python::Node &child) { compares |= comparesShape(child, name, shapes); });
  return compares;
}

/// The ranks that a tensor may have, the likeliest first. `isSaid`: the function says which one.
SmallVector<unsigned> HostMachine::ranksOf(const TensorInfo &info, bool &isSaid) const {
  isSaid = false;
  SmallVector<unsigned> ranks{2, 3, 4, 1};
  machine::Frame *frame = machine.getFrame();
  auto *def = frame && frame->code ? dyn_cast<python::FunctionDef>(frame->code->node) : nullptr;
  if (!def)
    return ranks;
  auto prefer = [&](unsigned rank) {
    if (!is_contained(ranks, rank))
      ranks.push_back(rank);
    auto *place = find(ranks, rank);
    std::rotate(ranks.begin(), place, place + 1);
  };
  for (const auto &slot : frame->locals->slots) {
    // `x = x.contiguous()` has the axes of x.
    auto *local = dyn_cast_if_present<HostTensor>(slot.value);
    const TensorInfo *of = local ? local->info : nullptr;
    while (of && of != &info)
      of = of->alike;
    if (!of)
      continue;
    StringRef name = slot.name->text;
    llvm::StringSet<> shapes;
    findShapes(*def, name, shapes);
    if (unsigned axes = countAxes(*def, name, shapes))
      prefer(axes);
    std::set<unsigned> unpacked;
    findUnpacked(*def, name, shapes, unpacked);
    isSaid |= !unpacked.empty() || asksRank(*def, name) || comparesShape(*def, name, shapes);
    if (unpacked.size() == 1 && *unpacked.begin() > 0 && !asksRank(*def, name))
      return {*unpacked.begin()};
    for (unsigned rank : unpacked)
      if (rank > 0)
        prefer(rank);
  }
  return ranks;
}

/// The tensor gets a rank: the first that leads to a launch, where there are several.
void HostMachine::fixRank(TensorInfo &info) {
  if (info.alike) {
    (void)askRank(*info.alike);
    info.sizes = info.alike->sizes;
  } else {
    bool isSaid = false;
    SmallVector<unsigned> ranks = ranksOf(info, isSaid);
    if (!isSaid)
      guessedRanks.insert(info.name);
    unsigned rank = ranks.size() == 1 ? ranks.front() : ranks[choose(ranks.size(), "", true)];
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

} // namespace nereid::audit
