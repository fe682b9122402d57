// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// The replacement of an index symbol; null for every other atom.
static Expr replaceIndex(Expr atom, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold) {
  if (!atom.isSymbol())
    return Expr();
  llvm::StringRef name = atom.getName();
  if (!name.consume_front("$"))
    return Expr();
  llvm::ArrayRef<Expr> coordinates = name.consume_front("r") ? fold : at;
  // Most names have one digit.
  unsigned number = name.empty() ? ~0U : unsigned(name.front() - '0');
  if (name.size() != 1 && name.getAsInteger(10, number))
    return Expr();
  return number < coordinates.size() ? coordinates[number] : Expr();
}

unsigned IndexMemory::placeOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold) {
  // No coordinate is null: it stands between the two.
  bool isLast = lastKey.size() == at.size() + 1 + fold.size() &&
                llvm::equal(at, llvm::ArrayRef(lastKey).take_front(at.size())) &&
                !lastKey[at.size()] &&
                llvm::equal(fold, llvm::ArrayRef(lastKey).drop_front(at.size() + 1));
  if (isLast)
    return lastPlace;
  lastKey.assign(at.begin(), at.end());
  lastKey.push_back(Expr());
  lastKey.insert(lastKey.end(), fold.begin(), fold.end());
  auto [known, isNew] = places.try_emplace(lastKey, places.size());
  if (isNew)
    keys.push_back(&known->first);
  lastPlace = known->second;
  return lastPlace;
}

std::pair<unsigned, llvm::ArrayRef<Expr>> IndexMemory::keep(llvm::ArrayRef<Expr> at) {
  unsigned place = placeOf(at, {});
  return {place, llvm::ArrayRef(*keys[place]).drop_back()};
}

Expr IndexMemory::productOf(llvm::ArrayRef<Expr> shape, index::Context &context) {
  Expr &product = products[placeOf(shape, {})];
  if (!product)
    product = index::product(context, shape);
  return product;
}

Expr IndexMemory::maximumOf(Expr a, Expr b) {
  if (a == b)
    return a;
  Expr &maximum = maxima[{a, b}];
  if (!maximum)
    maximum = index::max(a, b);
  return maximum;
}

bool IndexMemory::isIdentity(llvm::ArrayRef<Expr> at, index::Context &context) {
  while (indices.size() < at.size())
    indices.push_back(context.symbol("$" + std::to_string(indices.size())));
  return llvm::equal(at, llvm::ArrayRef(indices).take_front(at.size()));
}

Expr IndexMemory::positionOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> shape,
                             index::Context &context) {
  Expr &position = positions[{placeOf(shape, {}), placeOf(at, {})}];
  if (!position)
    position = linearize(at, shape, context);
  return position;
}

Expr substituteIndices(Expr expr, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                       const Program &program) {
  if (expr.isConstant())
    return expr;
  if (expr.isSymbol()) {
    Expr index = replaceIndex(expr, at, fold);
    return index ? index : expr;
  }
  std::pair<Expr, unsigned> key(expr, program.indexMemory.placeOf(at, fold));
  auto [known, isNew] = program.indexMemory.exprs.try_emplace(key);
  if (isNew)
    known->second =
        index::substitute(expr, [&](Expr atom) { return replaceIndex(atom, at, fold); });
  return known->second;
}

/// What is left of a condition at coordinates that are sizes: a check may decide it.
static Pred decide(Pred pred, const Program &program) {
  bool isAnd = pred.getKind() == index::PredKind::And;
  if (isAnd || pred.getKind() == index::PredKind::Or) {
    Pred result = index::truth(*program.context, isAnd);
    for (Pred part : pred.getOperands())
      result = isAnd ? result & decide(part, program) : result | decide(part, program);
    return result;
  }
  if (pred.isTrue() || pred.isFalse())
    return pred;
  llvm::ArrayRef<Expr> symbols = index::collectSymbols(pred.getExpr());
  if (symbols.size() != 1 || !program.boundedSizes.contains(symbols.front()))
    return pred;
  return program.sizeFacts->simplify(pred);
}

Pred substituteIndices(Pred pred, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                       const Program &program) {
  if (pred.isTrue() || pred.isFalse())
    return pred;
  std::pair<Pred, unsigned> key(pred, program.indexMemory.placeOf(at, fold));
  auto [known, isNew] = program.indexMemory.preds.try_emplace(key);
  if (isNew)
    known->second = decide(
        index::substitute(pred, [&](Expr atom) { return replaceIndex(atom, at, fold); }), program);
  return known->second;
}

Access compose(const Access &outer, llvm::ArrayRef<Expr> at, const Program &program) {
  Access result{outer.from, {}, {}, outer.isCopied};
  for (Expr coordinate : outer.at)
    result.at.push_back(substituteIndices(coordinate, at, {}, program));
  for (const LoadedIndex &loaded : outer.loaded)
    result.loaded.push_back({loaded.symbol, compose(loaded.access, at, program)});
  return result;
}

Expr linearize(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> shape, index::Context &context) {
  Expr position = context.constant(0);
  for (auto [index, extent] : llvm::zip_equal(at, shape))
    position = position * extent + index;
  return position;
}

llvm::SmallVector<Expr, 4> delinearize(Expr position, llvm::ArrayRef<Expr> shape) {
  index::Context &context = position.getContext();
  llvm::SmallVector<Expr, 4> at(shape.size(), context.constant(0));
  // The first axis that is not a single element needs no modulo: the position is in range.
  unsigned first = 0;
  while (first < shape.size() && shape[first].isConstant(1))
    ++first;
  Expr inner = context.constant(1);
  for (unsigned dim = shape.size(); dim-- > first;) {
    if (shape[dim].isConstant(1))
      continue;
    Expr index = index::floordiv(position, inner);
    at[dim] = dim == first ? index : index::mod(index, shape[dim]);
    inner = inner * shape[dim];
  }
  return at;
}

namespace {
/// Axes of one shape and of another that hold the same elements: [from, fromEnd) and [to, toEnd).
struct Run {
  size_t from, fromEnd, to, toEnd;
};

/// Pairs the axes of two shapes of as many elements.
class AxisRuns {
public:
  AxisRuns(llvm::ArrayRef<Expr> from, llvm::ArrayRef<Expr> to, index::Context &context)
      : from(from), to(to), context(context) {}

  /// The first runs whose products meet, then the last, and between them what is left.
  llvm::SmallVector<Run, 4> find() {
    llvm::SmallVector<Run, 4> runs;
    Run rest{0, from.size(), 0, to.size()};
    while (std::optional<Run> run = meet(rest, /*atEnd=*/false)) {
      runs.push_back(*run);
      rest.from = run->fromEnd;
      rest.to = run->toEnd;
    }
    while (std::optional<Run> run = meet(rest, /*atEnd=*/true)) {
      runs.push_back(*run);
      rest.fromEnd = run->from;
      rest.toEnd = run->to;
    }
    runs.push_back(rest);
    return runs;
  }

private:
  /// The shortest runs at one end of the rest that have the same product.
  std::optional<Run> meet(const Run &rest, bool atEnd) const {
    size_t left = rest.fromEnd - rest.from, right = rest.toEnd - rest.to;
    for (size_t a = 0; a <= left; ++a) {
      size_t first = atEnd ? rest.fromEnd - a : rest.from;
      Expr product = index::product(context, from.slice(first, a));
      for (size_t b = a == 0; b <= right; ++b) {
        size_t second = atEnd ? rest.toEnd - b : rest.to;
        if (product == index::product(context, to.slice(second, b)))
          return Run{first, first + a, second, second + b};
      }
    }
    return std::nullopt;
  }

  llvm::ArrayRef<Expr> from, to;
  index::Context &context;
};
} // namespace

llvm::SmallVector<Expr, 4> reshapeMap(llvm::ArrayRef<Expr> from, llvm::ArrayRef<Expr> to,
                                      llvm::ArrayRef<Expr> index, index::Context &context) {
  llvm::SmallVector<Expr, 4> at(from.size(), context.constant(0));
  for (const Run &run : AxisRuns(from, to, context).find()) {
    size_t count = run.fromEnd - run.from, length = run.toEnd - run.to;
    if (count == 1 && length == 1) {
      at[run.from] = index[run.to];
    } else if (count > 0) {
      Expr position = linearize(index.slice(run.to, length), to.slice(run.to, length), context);
      auto inner = delinearize(position, from.slice(run.from, count));
      std::copy(inner.begin(), inner.end(), at.begin() + run.from);
    }
  }
  return at;
}

} // namespace nereid::schedule
