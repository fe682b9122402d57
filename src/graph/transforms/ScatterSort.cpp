// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatters by sorting: the places of each line of updates are put in order, so that the updates of
// a place are a run of neighbours. Rows of elements are folded run by run, and long runs by windows
// first; single elements by a scan that starts again with each run.
#include "graph/transforms/ScatterForms.h"

using namespace mlir;
using nereid::graph::FoldKind;
using nereid::index::Expr;

namespace nereid::graph {

/// Rows of a run that lie in a window of so many are folded apart where they fill it.
constexpr int64_t runWindow = 256;
/// The elements that a scan holds at once.
constexpr int64_t scanWindow = 1024;

/// The broadcast that a tensor of indices comes from, if it does.
static graph::BroadcastOp broadcastOf(Value indices) {
  while (auto cast = indices.getDefiningOp<graph::CastOp>())
    indices = cast.getInput();
  return indices.getDefiningOp<graph::BroadcastOp>();
}

/// The axes, but for `dim`, along which a tensor of indices may vary; the others.
void ScatterForms::findAxes() {
  graph::BroadcastOp broadcast = broadcastOf(indices);
  llvm::ArrayRef<Expr> to = ScatterWriter::sizes(indices);
  lines = w.context().constant(1);
  length = to[dim];
  places = ScatterWriter::sizes(op.getResult())[dim];
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (axis == dim)
      continue;
    bool varies = !broadcast;
    if (broadcast)
      for (auto [from, place] : llvm::enumerate(broadcast.getDims()))
        varies |= place == axis && ScatterWriter::sizes(broadcast.getInput())[from] == to[axis];
    (varies ? batch : columns).push_back(axis);
    if (varies)
      lines = lines * to[axis];
  }
}

bool ScatterForms::isShort(int64_t limit) const {
  // With columns every comparison is made for each of them.
  limit = columns.empty() ? limit : limit / 2;
  for (Expr size : {length, places})
    if (std::optional<int64_t> known = size.getConstant(); known && *known <= limit)
      return true;
  return false;
}

/// The place of each update in its line. Updates outside of the axis come behind all places.
Value ScatterForms::placesOfLines() {
  Axes order(batch);
  order.push_back(dim);
  Sizes sizes;
  for (int64_t axis : order)
    sizes.push_back(ScatterWriter::sizes(indices)[axis]);
  Value core = indices;
  if (graph::BroadcastOp broadcast = broadcastOf(indices)) {
    // What the broadcast repeated is looked at once.
    Axes dims;
    Sizes own;
    for (auto [from, to] : llvm::enumerate(broadcast.getDims()))
      if (auto place = llvm::find(order, to);
          place != order.end() &&
          ScatterWriter::sizes(broadcast.getInput())[from] == sizes[place - order.begin()]) {
        dims.push_back(place - order.begin());
        own.push_back(sizes[dims.back()]);
      }
    core = w.reshape(broadcast.getInput(), own);
    Axes ascending(llvm::to_vector(llvm::seq<int64_t>(0, dims.size())));
    llvm::sort(ascending, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
    core = w.transpose(core, ascending);
    llvm::sort(dims);
    core = w.broadcast(core, dims, sizes);
  } else {
    core = w.transpose(core, order);
  }
  Sizes flat{lines, length};
  Value place = w.reshape(w.cast(core, w.word()), flat);
  // A scatter whose indices are sorted has none outside.
  if (op.getSorted())
    return place;
  Value end = w.size(places, flat);
  Value isInside =
      w.binary("and", w.test("ge", place, w.number(0, place)), w.test("lt", place, end));
  return w.where(isInside, place, end);
}

void ScatterForms::sortKeys() {
  constexpr int64_t most = (int64_t(1) << 31) - 65536;
  auto check = [&](index::Pred pred, llvm::StringRef message) {
    graph::CheckOp::create(w.builder, w.loc, sym::PredAttr::get(w.builder.getContext(), pred),
                           message);
  };
  // 32 bits are sorted in half the time of 64.
  check(index::le(places, most), "a sum into 2**31 or more places is not supported");
  check(index::le(lines * length, most), "a sum of 2**31 or more elements is not supported");
  keys = w.cast(placesOfLines(), w.builder.getI32Type());
  if (op.getSorted()) {
    from = w.iota(1, ScatterWriter::sizes(keys));
    return;
  }
  Type indexType = w.type(ScatterWriter::sizes(keys), w.word());
  auto sort = graph::SortOp::create(w.builder, w.loc, keys.getType(), indexType, keys, 1,
                                    /*descending=*/false);
  keys = sort.getValues();
  from = sort.getIndices();
}

ScatterForms::Sizes ScatterForms::withColumns(llvm::ArrayRef<Expr> leading) const {
  Sizes sizes(leading);
  for (int64_t axis : columns)
    sizes.push_back(ScatterWriter::sizes(updates)[axis]);
  return sizes;
}

/// Positions in each line as positions among all lines, `stride` apart.
Value ScatterForms::inLines(Value own, Expr stride) {
  if (lines.isConstant(1))
    return own;
  llvm::ArrayRef<Expr> sizes = ScatterWriter::sizes(own);
  return w.binary("add", w.binary("mul", w.iota(0, sizes), w.size(stride, sizes)), own);
}

Value ScatterForms::flat(Value value) { return w.reshape(value, {lines * length}); }

/// The folds of full windows that are one place's; of the others no element is read, and nobody
/// reads what they give.
Value ScatterForms::foldFull(Value ordered) {
  index::Context &context = w.context();
  Expr windows = index::floordiv(lines * length, context.constant(runWindow));
  Value whole = w.slice(flat(keys), 0, context.constant(0), windows * runWindow);
  Value places = w.reshape(whole, {windows, context.constant(runWindow)});
  auto column = [&](int64_t at) {
    Value part = w.slice(places, 1, context.constant(at), context.constant(1));
    return w.reshape(part, {windows});
  };
  Value isOne = w.test("eq", column(0), column(runWindow - 1));
  Value numbers = w.iota(0, {windows}), size = w.number(runWindow, numbers);
  Value starts = w.binary("mul", numbers, size);
  Value stops = w.binary("add", starts, w.where(isOne, size, w.number(0, size)));
  Type type = w.type(withColumns({windows}), ScatterWriter::element(ordered));
  return graph::RunsOp::create(w.builder, w.loc, type, kind, ordered, starts, stops);
}

/// The folds of runs, a long one by its full windows and what lies before and behind them: however
/// many updates a place has, no loop goes over them all.
Value ScatterForms::foldWindows(Value own, Value positions, Value starts, Value stops) {
  Sizes rows = withColumns(ScatterWriter::sizes(starts));
  Type type = w.type(rows, ScatterWriter::element(own));
  Value wide = w.broadcast(positions, {0}, withColumns(ScatterWriter::sizes(positions)));
  Value ordered = w.gather(own, wide, 0);
  auto runs = [&](Value of, Value first, Value end) -> Value {
    return graph::RunsOp::create(w.builder, w.loc, type, kind, of, first, end);
  };
  std::optional<int64_t> count = (lines * length).getConstant();
  if (count && *count <= 4 * runWindow)
    return runs(ordered, starts, stops);
  Value size = w.number(runWindow, starts);
  Value first =
      w.binary("floordiv", w.binary("add", starts, w.number(runWindow - 1, starts)), size);
  Value end = w.binary("floordiv", stops, size);
  Value head = w.binary("minimum", stops, w.binary("mul", first, size));
  Value tail = w.binary("mul", w.binary("maximum", first, end), size);
  Value result = w.combine(kind, runs(ordered, starts, head), runs(ordered, tail, stops));
  return w.combine(kind, result, runs(foldFull(ordered), first, end));
}

Value ScatterForms::foldRuns() {
  index::Context &context = w.context();
  Sizes ends{lines, places + 1};
  Value wanted = w.cast(w.iota(1, ends), ScatterWriter::element(keys));
  Value bounds = graph::SearchOp::create(w.builder, w.loc, w.type(ends, w.word()), keys, wanted,
                                         /*right=*/false);
  // What a search finds lies within the line; said so that proofs know it.
  Value found = w.binary("maximum", bounds, w.number(0, bounds));
  bounds = inLines(w.binary("minimum", found, w.size(length, ends)), length);
  auto part = [&](int64_t from) {
    return w.reshape(w.slice(bounds, 1, context.constant(from), places), {lines * places});
  };
  Value rows = w.reshape(own, withColumns({lines * length}));
  return foldWindows(rows, flat(inLines(from, length)), part(0), part(1));
}

/// The fold of the elements of a group up to each; `groups` numbers them, and they are neighbours.
Value ScatterForms::prefixes(Value own, Value groups) {
  index::Context &context = w.context();
  Expr count = lines * length, window = context.constant(scanWindow);
  Expr windows = index::ceildiv(count, window);
  Type type = ScatterWriter::element(own);
  TypedAttr neutral = neutralElement(kind, type);
  Builder &attrs = w.builder;
  TypedAttr none = attrs.getI64IntegerAttr(-1);
  auto scan = [&](Value value, Value resets, int64_t dim) -> Value {
    return graph::ScanOp::create(w.builder, w.loc, value.getType(), kind, value, resets, dim,
                                 /*reverse=*/false);
  };
  auto inWindows = [&](Value value, int64_t low, TypedAttr fill) {
    return w.reshape(w.shift(value, 0, low, windows * scanWindow, fill), {windows, window});
  };
  Value group = inWindows(groups, 0, none), before = inWindows(groups, 1, none);
  Value local = scan(inWindows(own, 0, neutral), w.test("ne", group, before), 1);
  auto column = [&](Value value, int64_t at) {
    return w.reshape(w.slice(value, 1, context.constant(at), context.constant(1)), {windows});
  };
  // What goes on from one window to the next one.
  Value last = column(group, scanWindow - 1), first = column(before, 0);
  Value carry = scan(column(local, scanWindow - 1), w.test("ne", last, first), 0);
  carry = w.shift(carry, 0, 1, windows, neutral);
  Sizes all{windows, window};
  Value goesOn = w.test("eq", group, w.broadcast(first, {0}, all));
  Value whole = w.combine(kind, w.broadcast(carry, {0}, all), local);
  Value result = w.reshape(w.where(goesOn, whole, local), {windows * scanWindow});
  return w.slice(result, 0, context.constant(0), count);
}

/// Elements at places that are met once; the neutral element elsewhere. A place below 0 has none.
Value ScatterForms::placeOnce(Value folded, Value at) {
  Sizes rows{lines * places};
  Type type = ScatterWriter::element(folded);
  auto scatter = [&](FoldKind how, Value value) -> Value {
    return graph::ScatterOp::create(w.builder, w.loc, w.type(rows, ScatterWriter::element(value)),
                                    how, value, at, 0, /*unique=*/true, /*sorted=*/false);
  };
  if (kind == FoldKind::Sum && (type.isF32() || type.isF64()))
    return scatter(FoldKind::Sum, folded);
  Value source = scatter(FoldKind::Max, w.iota(0, ScatterWriter::sizes(at)));
  Value isMet = w.test("ge", source, w.number(0, source));
  return w.where(isMet, w.gather(folded, source, 0), w.neutral(kind, type, rows));
}

/// Single elements: a scan over all of them in their order, whose last prefix of each run is what
/// the place has.
Value ScatterForms::scanRuns() {
  Value ordered = flat(w.gather(w.reshape(own, {lines, length}), from, 1));
  Value place = w.cast(keys, w.word());
  Value groups = flat(inLines(place, places + 1));
  Value next = w.shift(groups, 0, -1, lines * length, w.builder.getI64IntegerAttr(-1));
  Value exists = w.test("lt", place, w.size(places, ScatterWriter::sizes(place)));
  Value isLast = w.binary("and", flat(exists), w.test("ne", groups, next));
  Value at = flat(inLines(place, places));
  at = w.where(isLast, at, w.number(-1, at));
  return placeOnce(prefixes(ordered, groups), at);
}

void ScatterForms::sort() {
  Axes order(batch);
  order.push_back(dim);
  order.append(columns.begin(), columns.end());
  own = w.transpose(updates, order);
  sortKeys();
  Value folded = columns.empty() ? scanRuns() : foldRuns();
  Sizes apart;
  for (int64_t axis : batch)
    apart.push_back(ScatterWriter::sizes(updates)[axis]);
  apart.push_back(places);
  folded = w.reshape(folded, withColumns(apart));
  Axes inverse(order.size());
  for (auto [place, axis] : llvm::enumerate(order))
    inverse[axis] = place;
  replaceBy(w.transpose(folded, inverse));
}

} // namespace nereid::graph
