// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The size of each row: by what operators say, or by a relation that holds in all of the parts.
#include "graph/PartSizes.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using nereid::index::Expr;

namespace nereid::graph {

bool PartSizes::Before::operator()(const Row &a, const Row &b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

template <typename Row> static bool isUniform(const Row &row) {
  return llvm::all_of(row, [&](Expr size) { return size == row.front(); });
}

bool PartSizes::holds(Expr size, const Row &row) const {
  for (auto [kind, wanted] : llvm::enumerate(row)) {
    DenseMap<Expr, Expr> values;
    for (const Symbol &symbol : symbols)
      values[symbol.name] = symbol.values[kind];
    if (index::substitute(size, values) != wanted)
      return false;
  }
  return true;
}

Expr PartSizes::apply(const Rule &rule) {
  SmallVector<Expr> of;
  for (const Row &row : rule.of) {
    Expr size = resolve(row);
    if (!size)
      return {};
    of.push_back(size);
  }
  index::Context &context = of.front().getContext();
  switch (rule.kind) {
  case RuleKind::Sum:
    return index::sum(context, of);
  case RuleKind::Product:
    return index::product(context, of);
  case RuleKind::Windows:
    return index::floordiv(of[0] - of[1], rule.step) + 1;
  }
  llvm_unreachable("all kinds of rules are handled");
}

Expr PartSizes::applyRules(const Row &row) {
  auto own = rules.find(row);
  if (own == rules.end())
    return {};
  active.push_back(row);
  llvm::scope_exit leave([&] { active.pop_back(); });
  // What is given is no result of windows.
  bool isInput = inputs.contains(row);
  for (const Rule &rule : own->second)
    if (Expr size = isInput && rule.kind == RuleKind::Windows ? Expr() : apply(rule);
        size && holds(size, row))
      return size;
  return {};
}

/// Null where the divisor does not divide evenly.
static Expr ratioOf(Expr size, Expr divisor) {
  if (divisor.isConstant(0) || size.isConstant(0))
    return {};
  if (!divisor.isConstant())
    return index::exactRatio(size, divisor);
  Expr ratio = index::floordiv(size, divisor);
  return ratio * divisor == size ? ratio : Expr();
}

/// What all sizes of a row are times those of another; null where that differs.
static Expr ratioOf(ArrayRef<Expr> row, ArrayRef<Expr> other) {
  Expr ratio;
  for (auto [size, divisor] : llvm::zip_equal(row, other)) {
    Expr next = ratioOf(size, divisor);
    if (!next || (ratio && next != ratio))
      return {};
    ratio = next;
  }
  return ratio;
}

/// Of the inputs one that is the least of its multiples is a symbol: 64 of 256 and 64.
Expr PartSizes::deriveInput(const Row &row) {
  Row least = row;
  int64_t times = 1;
  for (const Row &other : inputs) {
    if (isUniform(other))
      continue;
    Expr ratio = ratioOf(row, other);
    if (std::optional<int64_t> number = ratio ? ratio.getConstant() : std::nullopt;
        number && *number > times)
      std::tie(least, times) = std::pair(other, *number);
  }
  Expr size = times > 1 ? resolve(least) : Expr();
  return size ? size * times : Expr();
}

/// A row that is another, times or plus what all parts have, or a quotient of it.
Expr PartSizes::deriveFrom(const Row &row, const Row &other, Expr size) {
  if (Expr ratio = ratioOf(row, other))
    return size * ratio;
  Expr difference = row.front() - other.front();
  if (llvm::all_of(llvm::zip_equal(row, other),
                   [&](auto pair) { return std::get<0>(pair) - std::get<1>(pair) == difference; }))
    return size + difference;
  for (int64_t divisor : {2, 3, 4, 8, 16, 32})
    for (int64_t start = -divisor; start <= divisor; ++start)
      if (llvm::all_of(llvm::zip_equal(row, other), [&](auto pair) {
            return index::floordiv(std::get<1>(pair) + start, divisor) == std::get<0>(pair);
          }))
        return index::floordiv(size + start, divisor);
  return {};
}

Expr PartSizes::derive(const Row &row, unsigned depth) {
  if (isUniform(row))
    return row.front();
  if (auto same = known.find(row); same != known.end())
    return same->second;
  for (const auto &[other, size] : found)
    if (Expr derived = deriveFrom(row, other, size))
      return derived;
  if (depth == 0)
    return {};
  // B * H * W - 1.
  int64_t start = row.front().getConstantTerm();
  if (start != 0 && !row.front().isConstant() &&
      llvm::all_of(row, [&](Expr size) { return size.getConstantTerm() == start; })) {
    Row rest;
    for (Expr size : row)
      rest.push_back(size - start);
    if (Expr derived = derive(rest, depth - 1))
      return derived + start;
  }
  for (const auto &[other, size] : std::vector(found)) {
    Row ratios, differences;
    for (auto [mine, theirs] : llvm::zip_equal(row, other)) {
      if (Expr ratio = ratioOf(mine, theirs))
        ratios.push_back(ratio);
      differences.push_back(mine - theirs);
    }
    if (ratios.size() == row.size())
      if (Expr rest = derive(ratios, depth - 1))
        return size * rest;
    if (auto same = known.find(differences); same != known.end())
      return size + same->second;
  }
  return {};
}

/// Letters for channels, which are numbers, and for what has other sizes in each program.
Expr PartSizes::addSymbol(const Row &row) {
  bool areNumbers = llvm::all_of(row, [](Expr size) { return size.isConstant(); });
  index::Context &context = row.front().getContext();
  Expr name;
  for (unsigned count = 1; !name; ++count)
    for (char letter : areNumbers ? StringRef("CDEGKOPQRS") : StringRef("HWLTUV")) {
      Expr symbol = context.symbol(letter + (count > 1 ? std::to_string(count) : ""));
      if (taken.insert(symbol).second) {
        name = symbol;
        break;
      }
    }
  symbols.push_back({name, row});
  return name;
}

Expr PartSizes::resolve(const Row &row) {
  if (isUniform(row))
    return row.front();
  if (auto same = known.find(row); same != known.end())
    return same->second;
  if (llvm::is_contained(active, row))
    return {};
  Expr size = applyRules(row);
  if (!size)
    size = inputs.contains(row) ? deriveInput(row) : derive(row, 3);
  if (!size)
    size = addSymbol(row);
  // What it is made of may have needed it.
  auto [place, isNew] = known.try_emplace(row, size);
  if (isNew)
    found.push_back({row, size});
  return place->second;
}

/// Whether reshapes keep the number of elements, whatever the sizes are. Where they do so in the
/// parts by what is known of their sizes only (4 * (M // 4) is M), it has to be the same sizes.
bool PartSizes::areReshapesSound() const {
  index::Context &context = sizes.front().getContext();
  auto count = [&](const Places &places) {
    SmallVector<Expr> factors;
    for (unsigned place : places)
      factors.push_back(sizes[place]);
    return index::product(context, factors);
  };
  auto isFixed = [&](unsigned place) { return isUniform(rowAt(place)); };
  return llvm::all_of(reshapes, [&](const auto &reshape) {
    const auto &[before, after] = reshape;
    return (llvm::all_of(before, isFixed) && llvm::all_of(after, isFixed)) ||
           count(before) == count(after);
  });
}

SmallVector<index::Pred> PartSizes::getNeeds() const {
  SmallVector<index::Pred> needs;
  for (const Cut &cut : cuts) {
    Expr size = sizes[cut.input], count = sizes[cut.result];
    index::Context &context = size.getContext();
    Expr start = cut.start ? sizes[*cut.start] : context.constant(0);
    Expr window = cut.window ? sizes[*cut.window] : context.constant(1);
    index::Pred fits = index::ge(size, start + (count - 1) * cut.step + window);
    if (!fits.isTrue() && !llvm::is_contained(needs, fits))
      needs.push_back(fits);
  }
  return needs;
}

SmallVector<index::Pred> PartSizes::getUsualNeeds() const {
  SmallVector<index::Pred> needs;
  for (const Cut &cut : cuts) {
    if (!cut.window)
      continue;
    index::Pred fits = index::ge(sizes[cut.input], sizes[*cut.window]);
    if (!fits.isTrue() && !llvm::is_contained(needs, fits))
      needs.push_back(fits);
  }
  return needs;
}

bool PartSizes::solve() {
  sizes.resize(kinds.front().size());
  // Numbers that differ are sizes, or the parts are not equal.
  for (bool areNumbers : {false, true})
    for (unsigned place = 0; place < sizes.size(); ++place) {
      if (numbers.contains(place) != areNumbers)
        continue;
      Row row = rowAt(place);
      sizes[place] = areNumbers ? derive(row, 1) : resolve(row);
      if (!sizes[place] || !holds(sizes[place], row))
        return false;
    }
  // Symbols of rules that did not hold.
  llvm::DenseSet<Expr> used;
  for (Expr size : sizes)
    index::forEachSymbol(size, [&](Expr symbol) { used.insert(symbol); });
  llvm::erase_if(symbols, [&](const Symbol &symbol) { return !used.contains(symbol.name); });
  return sizes.empty() || areReshapesSound();
}

std::optional<PartSizes> PartSizes::find(ArrayRef<Part *> parts) {
  PartSizes found;
  if (!found.read(parts) || !found.solve())
    return std::nullopt;
  for (Symbol &symbol : found.symbols) {
    Row ofParts;
    for (unsigned kind : found.kindOf)
      ofParts.push_back(symbol.values[kind]);
    symbol.values = std::move(ofParts);
  }
  return found;
}

} // namespace nereid::graph
