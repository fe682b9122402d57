// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, folds and cascades of folds of random graphs.
#include "RandomGraph.h"

#include "graph/GraphOps.h"

#include <cmath>

using namespace mlir;
using nereid::index::Expr;

namespace nereid::schedule::test {

/// What is known after an operator that rounds.
static Known rounded(const Known &known) { return {false, known.bound, known.scale, known.finite}; }

mlir::Value GraphGenerator::cast(mlir::Value value, Type element, bool elidable) {
  auto type = llvm::cast<graph::TensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return graph::CastOp::create(builder, loc(), typeOf(type.getSizes(), element), value, elidable);
}

mlir::Value GraphGenerator::fold(llvm::StringRef kind, mlir::Value input,
                                 llvm::ArrayRef<int64_t> dims) {
  auto type = llvm::cast<graph::TensorType>(input.getType());
  Shape shape;
  for (auto [axis, extent] : llvm::enumerate(type.getSizes()))
    if (!llvm::is_contained(dims, int64_t(axis)))
      shape.push_back(extent);
  Type element = kind.starts_with("arg") ? builder.getI64Type() : type.getElementType();
  return graph::FoldOp::create(builder, loc(), typeOf(shape, element),
                               *graph::symbolizeFoldKind(kind), input, dims);
}

mlir::Value GraphGenerator::spread(mlir::Value folded, graph::TensorType like,
                                   llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> kept;
  for (int64_t axis = 0; axis < like.getRank(); ++axis)
    if (!llvm::is_contained(dims, axis))
      kept.push_back(axis);
  Type element = llvm::cast<graph::TensorType>(folded.getType()).getElementType();
  return graph::BroadcastOp::create(builder, builder.getUnknownLoc(), like.withElementType(element),
                                    folded, kept);
}

llvm::SmallVector<int64_t> GraphGenerator::pickDims(const Entry &entry) {
  llvm::SmallVector<int64_t> dims;
  int64_t rank = entry.sizes().size();
  if (rank == 0)
    return dims;
  int64_t one = choices.oneIn(2) ? rank - 1 : choices.below(rank);
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis == one || choices.oneIn(4))
      dims.push_back(axis);
  return dims;
}

void GraphGenerator::addUnary() {
  auto entry = pickFloat();
  if (!entry)
    return;
  mlir::Value x = entry->value;
  Known known = entry->known;
  switch (choices.below(14)) {
  case 0:
    return add(emitSame("neg", {x}), known);
  case 1:
    return add(emitSame("abs", {x}), known);
  case 2:
    if (known.exact)
      add(emitSame(choices.pick<llvm::StringRef>({"floor", "ceil", "trunc", "round"}), {x}),
          {true, known.bound + 1, known.scale, known.finite});
    return;
  case 3: // relu
    return add(emitSame("maximum", {x, constantLike(0, entry->type())}), known);
  case 4:
    return add(emitSame("sqrt", {emitSame("abs", {x})}), rounded(known));
  case 5:
    return add(emitSame("log1p", {emitSame("abs", {x})}), rounded(known));
  case 6:
    return add(emitSame("exp", {emitSame("minimum", {x, constantLike(3, entry->type())})}),
               rounded(known));
  case 7: { // sigmoid
    mlir::Value one = constantLike(1, entry->type());
    mlir::Value e = emitSame("exp", {emitSame("neg", {x})});
    return add(emitSame("div", {one, emitSame("add", {e, one})}), rounded(known));
  }
  case 8:
    return add(emitSame("exp2", {emitSame("minimum", {x, constantLike(3, entry->type())})}),
               rounded(known));
  case 9:
    return add(emitSame("erf", {x}), rounded(known));
  case 10:
    return add(emitSame("mul", {x, constantLike(0.5, entry->type())}),
               {known.exact, known.bound, known.scale + 1, known.finite});
  case 11:
    return add(emitSame("add", {x, constantLike(1, entry->type())}),
               {known.exact, known.bound + 1, known.scale, known.finite});
  default:
    return add(emitSame("tanh", {x}), rounded(known));
  }
}

void GraphGenerator::addBinary() {
  auto a = pickFloat(), b = pickFloat();
  if (!a || !b)
    return;
  auto wide = toShape(*b, a->sizes());
  if (!wide) {
    std::swap(a, b);
    wide = toShape(*b, a->sizes());
  }
  if (!wide)
    return;
  mlir::Value x = a->value, y = cast(wide->value, a->element());
  if (wide->element().getIntOrFloatBitWidth() > a->element().getIntOrFloatBitWidth())
    wide->known.exact = false;
  Known both = Known::unite(a->known, wide->known);
  switch (choices.below(8)) {
  case 0:
  case 1:
    return add(emitSame("add", {x, y}),
               {both.exact, a->known.bound + wide->known.bound, both.scale, both.finite});
  case 2:
  case 3:
    return add(emitSame("sub", {x, y}),
               {both.exact, a->known.bound + wide->known.bound, both.scale, both.finite});
  case 4:
    return add(emitSame("mul", {x, y}), {both.exact, a->known.bound * wide->known.bound,
                                         a->known.scale + wide->known.scale, both.finite});
  case 5:
    return add(emitSame("maximum", {x, y}), both);
  case 6:
    return add(emitSame("minimum", {x, y}), both);
  default: {
    if (!wide->known.exact || choices.oneIn(2))
      y = emitSame("add", {emitSame("abs", {y}), constantLike(1, a->type())});
    Known known = rounded(both);
    known.finite = false;
    return add(emitSame("div", {x, y}), known);
  }
  }
}

void GraphGenerator::addInteger() {
  auto a = pickInteger(), b = pickInteger();
  if (!a || !b)
    return;
  auto wide = toShape(*b, a->sizes());
  if (!wide)
    return;
  mlir::Value x = a->value, y = cast(wide->value, a->element());
  double range = std::ldexp(1.0, a->element().getIntOrFloatBitWidth());
  Known known{true, std::min(a->known.bound + wide->known.bound, range), 0, true};
  if (wide->element() != a->element())
    known.bound = range;
  switch (choices.below(6)) {
  case 0:
    return add(emitSame(choices.pick<llvm::StringRef>({"add", "sub"}), {x, y}),
               a->element().isUnsignedInteger() ? Known{true, range, 0, true} : known);
  case 1:
    return add(emitSame("mul", {x, y}), {true, range, 0, true});
  case 2:
    return add(emitSame(choices.pick<llvm::StringRef>({"maximum", "minimum"}), {x, y}), known);
  case 3:
    return add(emitSame(choices.pick<llvm::StringRef>({"and", "or", "xor"}), {x, y}),
               {true, range, 0, true});
  case 4: {
    auto name = choices.pick<llvm::StringRef>({"floordiv", "remainder", "truncdiv", "fmod"});
    return add(emitSame(name, {x, constantLike(choices.between(1, 5), a->type())}),
               {true, std::max(a->known.bound + 1, 5.0), 0, true});
  }
  default: {
    auto name = choices.pick<llvm::StringRef>({"shl", "shr"});
    return add(emitSame(name, {x, constantLike(choices.between(0, 3), a->type())}),
               {true, range, 0, true});
  }
  }
}

void GraphGenerator::addCompare() {
  if (auto a = pickBool(); a && choices.oneIn(3)) {
    auto b = pickBool();
    auto wide = b ? toShape(*b, a->sizes()) : std::nullopt;
    if (!wide)
      return add(emitSame("not", {a->value}), a->known);
    return add(
        emitSame(choices.pick<llvm::StringRef>({"and", "or", "xor"}), {a->value, wide->value}),
        a->known);
  }
  auto a = choices.oneIn(3) ? pickInteger() : pickFloat();
  if (!a || !a->known.exact)
    return;
  mlir::Value y = constantLike(choices.between(0, 2), a->type());
  if (auto b = pickFloat(); b && b->known.exact && b->element() == a->element())
    if (auto wide = toShape(*b, a->sizes()))
      y = wide->value;
  auto type = a->type().withElementType(builder.getI1Type());
  auto name = choices.pick<llvm::StringRef>({"lt", "le", "gt", "ge", "eq", "ne"});
  add(emit(name, {a->value, y}, type), {true, 1, 0, true});
}

void GraphGenerator::addWhere() {
  auto a = pickFloat();
  auto condition = pickBool();
  if (!a || !condition)
    return;
  auto test = toShape(*condition, a->sizes());
  if (!test)
    return;
  mlir::Value other;
  Known known = a->known;
  auto b = pickFloat();
  auto wide = b && b->element() == a->element() ? toShape(*b, a->sizes()) : std::nullopt;
  if (wide && choices.oneIn(2)) {
    other = wide->value;
    known = Known::unite(known, wide->known);
  } else {
    bool masked = choices.oneIn(2);
    other = constantLike(masked ? -INFINITY : 0, a->type());
    known.finite &= !masked;
  }
  add(emit("where", {test->value, a->value, other}, a->value.getType()), known);
}

void GraphGenerator::addCast() {
  Entry entry = pick();
  Known known = entry.known;
  Type to = choices.pick<Type>({builder.getF32Type(), builder.getF32Type(), builder.getF64Type(),
                                builder.getF16Type(), builder.getBF16Type(), builder.getI32Type(),
                                builder.getI64Type(), builder.getI1Type(),
                                builder.getIntegerType(8, false), builder.getIntegerType(8)});
  if (entry.element() == to)
    return;
  if (auto type = dyn_cast<FloatType>(to)) {
    bool narrows = known.bits() > int(type.getFPMantissaWidth()) || known.bound > 60000;
    if (entry.isFloat() && type.getWidth() < 32) {
      // What a half operator implies, or the user's own rounding of an exact number.
      bool elidable = !known.exact || choices.oneIn(2);
      known.exact &= !narrows;
      return add(cast(entry.value, to, elidable), known);
    }
    known.exact &= !narrows;
    return add(cast(entry.value, to), known);
  }
  double range = std::ldexp(1.0, to.getIntOrFloatBitWidth() - 1);
  if (to.isInteger(1)) {
    if (known.exact)
      add(cast(entry.value, to), {true, 1, 0, true});
    return;
  }
  if (entry.isFloat()) {
    // Beyond its range a conversion has no value.
    if (!known.exact || !known.finite || known.bound >= range)
      return;
    mlir::Value x = entry.value;
    if (to.isUnsignedInteger())
      x = emitSame(
          "abs",
          {entry.element().getIntOrFloatBitWidth() < 32 ? cast(x, builder.getF32Type()) : x});
    return add(cast(x, to), {true, known.bound, 0, true});
  }
  known.bound =
      known.bound < range && !to.isUnsignedInteger() && !entry.element().isUnsignedInteger()
          ? known.bound
          : 2 * range;
  add(cast(entry.value, to), known);
}

void GraphGenerator::addFold() {
  Entry entry = pick();
  if (entry.isFloat() && entry.element().getIntOrFloatBitWidth() < 32)
    entry.value = cast(entry.value, builder.getF32Type());
  llvm::SmallVector<int64_t> dims = pickDims(entry);
  Known known = entry.known;
  if (entry.isBool() && choices.oneIn(2))
    return add(fold(choices.pick<llvm::StringRef>({"any", "all"}), entry.value, dims), known);
  if (entry.isBool())
    entry.value = cast(entry.value, builder.getI64Type());
  Shape folded;
  for (int64_t dim : dims)
    folded.push_back(entry.sizes()[dim]);
  Expr count = index::product(index, folded);
  double elements = std::max<int64_t>(most(count), 1);
  bool isNeverEmpty = holds(index::ge(count, 1));
  double range =
      entry.isFloat() ? INFINITY : std::ldexp(1.0, entry.element().getIntOrFloatBitWidth());
  Known total = known;
  total.bound = std::min(known.bound * elements, range);
  switch (choices.below(8)) {
  case 0:
  case 1:
    if (isNeverEmpty) {
      check(index::ge(count, 1));
      add(fold(choices.pick<llvm::StringRef>({"max", "min"}), entry.value, dims), known);
    }
    return;
  case 2:
    if (isNeverEmpty && known.exact && !dims.empty()) {
      check(index::ge(entry.sizes()[dims.back()], 1));
      add(fold(choices.pick<llvm::StringRef>({"argmax", "argmin"}), entry.value, dims.back()),
          {true, elements, 0, true});
    }
    return;
  case 3: {
    Known product = entry.isFloat() ? rounded(known) : Known{true, range, 0, true};
    mlir::Value x = entry.value;
    if (entry.isFloat())
      x = emitSame("tanh", {x});
    return add(fold("prod", x, dims), product);
  }
  default:
    return add(fold("sum", entry.value, dims), total);
  }
}

void GraphGenerator::addScan() {
  Entry entry = pick();
  if (entry.isFloat() && entry.element().getIntOrFloatBitWidth() < 32)
    entry.value = cast(entry.value, builder.getF32Type());
  if (entry.isBool() || entry.sizes().empty())
    return;
  int64_t dim = choices.below(entry.sizes().size());
  auto kind = choices.pick<llvm::StringRef>({"sum", "sum", "max", "min", "prod", "logsum"});
  if (kind == "logsum" && !entry.isFloat())
    kind = "sum";
  Known known = entry.known;
  if (kind == "logsum") {
    known = rounded(known);
    known.bound += std::log(std::max<double>(most(entry.sizes()[dim]), 1));
  }
  if (kind == "sum")
    known.bound *= std::max<int64_t>(most(entry.sizes()[dim]), 1);
  if (kind == "prod") {
    if (entry.isFloat())
      entry.value = emitSame("tanh", {entry.value});
    known = rounded(known);
  }
  if (!entry.isFloat())
    known = {true, std::ldexp(1.0, entry.element().getIntOrFloatBitWidth()), 0, true};
  mlir::Value resets;
  if (choices.oneIn(3))
    if (auto chosen = pickBool())
      if (auto shaped = toShape(*chosen, entry.sizes()))
        resets = shaped->value;
  add(graph::ScanOp::create(builder, loc(), entry.value.getType(), *graph::symbolizeFoldKind(kind),
                            entry.value, resets, dim, /*reverse=*/choices.oneIn(3)),
      known);
}

/// Softmax, log-softmax, normalisations: folds that need folds of the same axes.
mlir::Value GraphGenerator::cascade(unsigned kind, mlir::Value x, llvm::ArrayRef<int64_t> dims) {
  auto type = llvm::cast<graph::TensorType>(x.getType());
  auto over = [&](llvm::StringRef name, mlir::Value value) {
    return spread(fold(name, value, dims), type, dims);
  };
  auto mean = [&](mlir::Value value) {
    Shape folded;
    for (int64_t dim : dims)
      folded.push_back(type.getSizes()[dim]);
    mlir::Value count =
        graph::SizeOp::create(builder, loc(), typeOf({}, builder.getI64Type()),
                              sym::ExprAttr::get(&context, index::product(index, folded)));
    mlir::Value divisor = graph::BroadcastOp::create(
        builder, loc(), type, cast(count, type.getElementType()), llvm::ArrayRef<int64_t>());
    return emitSame("div", {over("sum", value), divisor});
  };
  switch (kind) {
  case 0:
  case 1: {
    mlir::Value e = emitSame("exp", {emitSame("sub", {x, over("max", x)})});
    return emitSame("div", {e, over("sum", e)});
  }
  case 2: {
    mlir::Value c = emitSame("sub", {x, over("max", x)});
    return emitSame("sub", {c, emitSame("log", {over("sum", emitSame("exp", {c}))})});
  }
  case 3: {
    mlir::Value c = emitSame("sub", {x, mean(x)});
    mlir::Value variance = mean(emitSame("mul", {c, c}));
    return emitSame("div",
                    {c, emitSame("sqrt", {emitSame("add", {variance, constantLike(1, type)})})});
  }
  case 4: {
    mlir::Value low = over("min", x), high = over("max", x);
    mlir::Value range = emitSame("add", {emitSame("sub", {high, low}), constantLike(1, type)});
    return emitSame("div", {emitSame("sub", {x, low}), range});
  }
  case 5: { // An exponential with another reference than the greatest element.
    mlir::Value e = emitSame("exp", {emitSame("sub", {emitSame("tanh", {x}), over("min", x)})});
    return emitSame("mul", {x, over("sum", e)});
  }
  case 6:
    return over("sum", emitSame("exp2", {emitSame("sub", {x, over("min", x)})}));
  case 7: { // Entropy.
    mlir::Value c = emitSame("sub", {x, over("max", x)});
    mlir::Value e = emitSame("exp", {c});
    mlir::Value log = emitSame("sub", {c, emitSame("log", {over("sum", e)})});
    return over("sum", emitSame("mul", {emitSame("exp", {log}), log}));
  }
  case 8: { // The least element as reference, weights, and a sum of the same features.
    mlir::Value e = emitSame("exp2", {emitSame("sub", {over("min", x), x})});
    mlir::Value weighted = emitSame("mul", {emitSame("tanh", {x}), e});
    return emitSame("div", {over("sum", weighted), over("sum", e)});
  }
  default: { // Third and second moments of what was normalised.
    mlir::Value c = emitSame("sub", {x, mean(x)});
    mlir::Value variance = mean(emitSame("mul", {c, c}));
    mlir::Value scale = emitSame("sqrt", {emitSame("add", {variance, constantLike(1, type)})});
    mlir::Value y = emitSame("div", {c, scale});
    return mean(emitSame("mul", {emitSame("mul", {y, y}), y}));
  }
  }
}

void GraphGenerator::addCascade() {
  auto entry = pickFloat();
  if (!entry)
    return;
  llvm::SmallVector<int64_t> dims = pickDims(*entry);
  Shape folded;
  for (int64_t dim : dims)
    folded.push_back(entry->sizes()[dim]);
  index::Pred isNotEmpty = index::ge(index::product(index, folded), 1);
  if (dims.empty() || !holds(isNotEmpty))
    return;
  check(isNotEmpty);
  unsigned kind = choices.below(10);
  Known known = rounded(entry->known);
  known.finite = false;
  if (!choices.oneIn(3))
    return add(cascade(kind, entry->value, dims), known);
  // The same as one operator of the user's.
  OpBuilder::InsertionGuard guard(builder);
  Region body;
  Block *block = builder.createBlock(&body, {}, entry->value.getType(), {builder.getUnknownLoc()});
  mlir::Value result = cascade(kind, block->getArgument(0), dims);
  graph::YieldOp::create(builder, builder.getUnknownLoc(), result);
  builder.setInsertionPointToEnd(&func.getBody().front());
  auto composite =
      graph::CompositeOp::create(builder, loc(), result.getType(), "test::cascade", entry->value);
  composite.getBody().takeBody(body);
  add(composite.getResult(0), known);
}

/// A fold over groups of an axis, as of channels, whose result has the axis whole again.
void GraphGenerator::addGrouped() {
  auto entry = pickFloat();
  if (!entry || entry->sizes().empty())
    return;
  unsigned axis = choices.below(entry->sizes().size());
  int64_t groups = choices.between(2, 3);
  Expr extent = entry->sizes()[axis], part = extent, many = index.constant(groups);
  Shape whole(entry->sizes());
  mlir::Value x = entry->value;
  if (holds(index::divisible(extent, groups)) && extent.isSymbol() && choices.oneIn(2)) {
    check(index::divisible(extent, groups));
    part = index::floordiv(extent, groups);
  } else {
    whole[axis] = extent * groups;
    if (!fits(whole))
      return;
    llvm::SmallVector<mlir::Value> parts(groups, x);
    x = graph::ConcatOp::create(builder, loc(), typeOf(whole, entry->element()), parts, axis);
  }
  // Groups of neighbours, or groups each with all that lies within it.
  Shape grouped(llvm::ArrayRef(whole).take_front(axis));
  llvm::ArrayRef<Expr> inner = llvm::ArrayRef(whole).drop_front(axis + 1);
  if (choices.oneIn(3)) {
    grouped.append({part, many});
    grouped.append(inner.begin(), inner.end());
  } else {
    grouped.append({many, part * index::product(index, inner)});
  }
  index::Pred isNotEmpty = index::ge(grouped[axis + 1], 1);
  if (!holds(isNotEmpty))
    return;
  check(isNotEmpty);
  graph::TensorType type = typeOf(grouped, entry->element());
  x = graph::ReshapeOp::create(builder, loc(), type, x);
  llvm::SmallVector<int64_t> dims = {axis + 1};
  mlir::Value greatest = fold(choices.pick<llvm::StringRef>({"max", "min"}), x, dims);
  x = emitSame("sub", {x, spread(greatest, type, dims)});
  Known known = entry->known;
  known.bound *= 2;
  add(graph::ReshapeOp::create(builder, loc(), typeOf(whole, entry->element()), x), known);
  if (choices.oneIn(3))
    add(greatest, entry->known);
}

/// Gradients of a normalisation or a bias: what is made row by row, and folds over the rows of the
/// same elements.
void GraphGenerator::addAcross() {
  auto entry = pickFloat();
  if (!entry || entry->sizes().size() < 2 || !wanted.empty())
    return;
  graph::TensorType type = entry->type();
  llvm::SmallVector<int64_t> outer, inner;
  int64_t rows = choices.between(1, type.getRank() - 1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    (dim < rows ? outer : inner).push_back(dim);
  mlir::Value x = entry->value, g = emitSame("tanh", {x});
  for (Entry &other : llvm::reverse(pool))
    if (other.value != x && other.value.getType() == type) {
      g = other.value;
      break;
    }
  if (choices.oneIn(3))
    x = emitSame("sub", {x, spread(fold("sum", g, inner), type, inner)});
  mlir::Value product = emitSame("mul", {g, x}), row = emitSame("add", {g, product});
  if (!choices.oneIn(3))
    row = emitSame("sub",
                   {g, emitSame("mul", {x, spread(fold("sum", product, inner), type, inner)})});
  bool hasRows = holds(index::ge(index::product(index, type.getSizes().take_front(rows)), 1));
  if (hasRows)
    check(index::ge(index::product(index, type.getSizes().take_front(rows)), 1));
  auto kind = choices.pick<llvm::StringRef>({"sum", "sum", hasRows ? "max" : "sum"});
  wanted = {row, fold(kind, product, outer)};
  if (choices.oneIn(2))
    wanted.push_back(fold("sum", choices.oneIn(2) ? g : row, outer));
  Known known = rounded(entry->known);
  known.finite = false;
  for (mlir::Value value : wanted)
    add(value, known);
}

} // namespace nereid::schedule::test
