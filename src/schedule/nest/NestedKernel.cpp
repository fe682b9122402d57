// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/NestedKernel.h"

#include "schedule/nest/Configurations.h"
#include "schedule/nest/Contraction.h"
#include "schedule/nest/Form.h"
#include "schedule/nest/Requests.h"

namespace nereid::schedule {

namespace {

using Symbols = llvm::SmallSetVector<Expr, 8>;

bool dependsOn(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> symbols) {
  return llvm::any_of(symbols, [&](Expr symbol) {
    return llvm::any_of(at, [&](Expr coordinate) { return index::contains(coordinate, symbol); });
  });
}

/// A fold at the coordinates of the kernel.
struct FoldAt {
  Value *value;
  llvm::SmallVector<Expr, 4> at;
};

/// Walks what outputs are made of: the first fold that is met has the columns, and folds at
/// coordinates that lie along these are nested.
class NestedFinder {
public:
  NestedFinder(const Program &program, llvm::ArrayRef<Value *> outputs, const StoredSet &stored,
               Kernel &kernel)
      : program(program), outputs(outputs), stored(stored), kernel(kernel) {}

  /// Walks an output at its place, or at that where another one has met it.
  bool find(const Value &output);

  /// Where the outputs are met that others are made of.
  llvm::DenseMap<const Value *, llvm::SmallVector<Expr, 4>> places;
  std::vector<FoldAt> folds, nested;

private:
  bool isMadeForAll(const Value &value, llvm::ArrayRef<Expr> at) const;
  std::optional<llvm::SmallVector<Expr, 4>> fold(const Value &value, llvm::ArrayRef<Expr> at);
  std::optional<llvm::SmallVector<Expr, 4>> nest(const Value &value, llvm::ArrayRef<Expr> at);

  const Program &program;
  llvm::ArrayRef<Value *> outputs;
  const StoredSet &stored;
  Kernel &kernel;
};

} // namespace

bool NestedFinder::find(const Value &output) {
  Requests requests(program, stored, StoredSet(outputs.begin(), outputs.end()));
  bool isMade =
      requests.add(output, places.find(&output)->second,
                   [&](const Value &value, llvm::ArrayRef<Expr> at) { return fold(value, at); });
  for (const Request &request : requests.getAll())
    if (llvm::is_contained(outputs, request.value))
      places.try_emplace(request.value, request.at);
  return isMade;
}

/// Whether a fold is there wherever the kernel's indices are: a part of a concatenation is not,
/// whose rows are some of the kernel's.
bool NestedFinder::isMadeForAll(const Value &value, llvm::ArrayRef<Expr> at) const {
  index::Facts facts = factsOf(kernel, *program.context);
  return llvm::all_of(llvm::zip_equal(at, value.shape), [&](auto axis) {
    auto [coordinate, extent] = axis;
    return facts.isTrue(index::ge(coordinate, 0)) && facts.isTrue(index::lt(coordinate, extent));
  });
}

std::optional<llvm::SmallVector<Expr, 4>> NestedFinder::fold(const Value &value,
                                                             llvm::ArrayRef<Expr> at) {
  if (value.kind != ValueKind::Fold || value.isSegment || value.isCarried || value.window != 0 ||
      value.loop >= 0 || value.hasHalves || !isMadeForAll(value, at))
    return std::nullopt;
  if (!kernel.columns.empty() && dependsOn(at, kernel.columns.front().symbols))
    return nest(value, at);
  if (kernel.columns.empty())
    (void)kernel.addColumns(value, at, *program.context);
  const Space &columns = kernel.columns.front();
  if (!llvm::equal(columns.extents, value.foldExtents))
    return std::nullopt;
  folds.push_back({const_cast<Value *>(&value), llvm::to_vector(at)});
  return columns.symbols;
}

std::optional<llvm::SmallVector<Expr, 4>> NestedFinder::nest(const Value &value,
                                                             llvm::ArrayRef<Expr> at) {
  std::vector<NestedFold> &all = kernel.contraction->nested;
  for (const NestedFold &other : all)
    if (dependsOn(at, other.terms.symbols))
      return std::nullopt;
  if (program.estimateElements(value.foldExtents) > nestedLimit ||
      !asContraction(program, value, stored))
    return std::nullopt;
  nested.push_back({const_cast<Value *>(&value), llvm::to_vector(at)});
  // What two outputs need in two places they do not share: scores and their transpose.
  if (const Space *known = kernel.termsOf(value)) {
    bool isSame = llvm::any_of(nested, [&](const FoldAt &other) {
      return &other != &nested.back() && other.value == &value && llvm::equal(other.at, at);
    });
    return isSame ? std::optional(known->symbols) : std::nullopt;
  }
  Space terms;
  terms.extents.append(value.foldExtents.begin(), value.foldExtents.end());
  for (size_t i = 0; i < terms.extents.size(); ++i)
    terms.symbols.push_back(
        program.context->symbol("@d" + std::to_string(all.size()) + "_" + std::to_string(i)));
  all.push_back({nested.back().value, terms});
  return terms.symbols;
}

namespace {

/// Finds out which of the rows are the batch's, and which the factors' own.
class NestedPlanner {
public:
  NestedPlanner(const Program &program, llvm::ArrayRef<Value *> outputs, const StoredSet &stored)
      : program(program), outputs(outputs), stored(stored), facts(*program.context),
        finder(program, outputs, stored, kernel) {}

  std::optional<Kernel> run();

private:
  bool walk();
  bool placeOutput(const Value &output);
  bool hasKnownPlaces() const;
  void findRight();
  bool addNested(const FoldAt &fold);
  bool addFold(const FoldAt &fold);
  bool sortRows();
  bool storesWholeRows();
  Symbols symbolsOf(const FoldAt &fold, const Access &factor) const {
    return symbolsOfFactor(program, factor, fold.at, *kernel.indicesOf(*fold.value), facts);
  }

  const Program &program;
  llvm::ArrayRef<Value *> outputs;
  const StoredSet &stored;
  Kernel kernel;
  index::Facts facts;
  NestedFinder finder;
  /// The rows that a program holds whole, and those that factors have which vary along the columns
  /// or along these.
  Symbols right, batch;
};

} // namespace

/// The output that has most axes has all of the rows.
bool NestedPlanner::walk() {
  const Value *main = *llvm::max_element(
      outputs, [](const Value *a, const Value *b) { return a->shape.size() < b->shape.size(); });
  kernel.hasRows = true;
  kernel.contraction.emplace();
  for (auto [dim, extent] : llvm::enumerate(main->shape)) {
    kernel.rows.symbols.push_back(program.context->symbol("@r" + std::to_string(dim)));
    kernel.rows.extents.push_back(extent);
  }
  finder.places.try_emplace(main, kernel.rows.symbols);
  if (!finder.find(*main))
    return false;
  for (const Value *output : outputs)
    if (output != main && (!placeOutput(*output) || !finder.find(*output)))
      return false;
  facts = factsOf(kernel, *program.context);
  return !finder.folds.empty();
}

/// An output that no other is made of lies where another of its shape does.
bool NestedPlanner::placeOutput(const Value &output) {
  if (finder.places.contains(&output))
    return true;
  for (const Value *other : outputs)
    if (finder.places.contains(other) && other->shape == output.shape) {
      finder.places.try_emplace(&output, finder.places.find(other)->second);
      return true;
    }
  for (const FoldAt &fold : finder.folds)
    if (fold.value->shape == output.shape) {
      finder.places.try_emplace(&output, fold.at);
      return true;
    }
  return false;
}

/// Whether folds are needed at coordinates that rows and columns tell.
bool NestedPlanner::hasKnownPlaces() const {
  auto isOf = [](const Space &space, Expr symbol) {
    return llvm::is_contained(space.symbols, symbol);
  };
  // What is nested in a nested contraction would be needed for each of that one's terms.
  auto isOfTerms = [&](Expr symbol) {
    return llvm::any_of(kernel.contraction->nested,
                        [&](const NestedFold &nested) { return isOf(nested.terms, symbol); });
  };
  auto isKnown = [&](const FoldAt &fold, bool mayHaveColumns) {
    return llvm::all_of(fold.at, [&](Expr coordinate) {
      return llvm::all_of(index::collectSymbols(coordinate), [&](Expr symbol) {
        return !symbol.getName().starts_with("$") && !isOfTerms(symbol) &&
               (mayHaveColumns || !isOf(kernel.columns.front(), symbol));
      });
    });
  };
  // One that is an output too would go over its terms and over the columns.
  auto isNested = [&](const FoldAt &fold) {
    return llvm::any_of(finder.nested,
                        [&](const FoldAt &nested) { return nested.value == fold.value; });
  };
  return llvm::none_of(finder.folds, isNested) &&
         llvm::all_of(finder.folds, [&](const FoldAt &fold) { return isKnown(fold, false); }) &&
         llvm::all_of(finder.nested, [&](const FoldAt &fold) { return isKnown(fold, true); });
}

/// The rows along which no nested contraction varies; where there is none, those that some fold
/// lacks.
void NestedPlanner::findRight() {
  auto varies = [&](Expr symbol) {
    auto isAlong = [&](const FoldAt &fold) { return dependsOn(fold.at, symbol); };
    return finder.nested.empty() ? llvm::all_of(finder.folds, isAlong)
                                 : llvm::any_of(finder.nested, isAlong);
  };
  for (auto [symbol, extent] : llvm::zip_equal(kernel.rows.symbols, kernel.rows.extents))
    if (!extent.isConstant(1) && !varies(symbol))
      right.insert(symbol);
}

/// Of the factors of a nested contraction one has rows and the other columns.
bool NestedPlanner::addNested(const FoldAt &fold) {
  Contraction contraction = *asContraction(program, *fold.value, stored);
  Symbols ofRows = symbolsOf(fold, contraction.left),
          ofColumns = symbolsOf(fold, contraction.right);
  llvm::ArrayRef<Expr> columns = kernel.columns.front().symbols;
  auto hasColumns = [&](const Symbols &symbols) {
    return llvm::any_of(columns, [&](Expr symbol) { return symbols.contains(symbol); });
  };
  if (hasColumns(ofRows))
    std::swap(ofRows, ofColumns);
  if (hasColumns(ofRows) || !hasColumns(ofColumns))
    return false;
  batch.insert_range(ofColumns);
  kernel.contraction->areHalves &= !contraction.left.from->elementType.isF32();
  return true;
}

/// A fold with right axes is a contraction, one of whose factors has them all; others are of rows.
bool NestedPlanner::addFold(const FoldAt &fold) {
  if (!dependsOn(fold.at, right.getArrayRef())) {
    if (!llvm::is_contained(kernel.contraction->rowFolds, fold.value))
      kernel.contraction->rowFolds.push_back(fold.value);
    return true;
  }
  std::optional<Contraction> contraction = asContraction(program, *fold.value, stored);
  if (!contraction)
    return false;
  Symbols ofRows = symbolsOf(fold, contraction->left),
          ofRight = symbolsOf(fold, contraction->right);
  auto hasRight = [&](const Symbols &symbols) {
    return llvm::any_of(right, [&](Expr symbol) { return symbols.contains(symbol); });
  };
  if (hasRight(ofRows))
    std::swap(ofRows, ofRight);
  if (hasRight(ofRows) ||
      !llvm::all_of(right, [&](Expr symbol) { return ofRight.contains(symbol); }))
    return false;
  batch.insert_range(ofRight);
  ++kernel.contraction->sums;
  kernel.contraction->areHalves &= !contraction->left.from->elementType.isF32();
  return true;
}

bool NestedPlanner::sortRows() {
  ContractionAxes &axes = *kernel.contraction;
  axes.areHalves = true;
  findRight();
  if (!llvm::all_of(finder.nested, [&](const FoldAt &fold) { return addNested(fold); }) ||
      !llvm::all_of(finder.folds, [&](const FoldAt &fold) { return addFold(fold); }))
    return false;
  for (auto [symbol, extent] : llvm::zip_equal(kernel.rows.symbols, kernel.rows.extents)) {
    bool isShared = batch.contains(symbol) || extent.isConstant(1);
    Space &space = right.contains(symbol) ? axes.right : isShared ? axes.batch : axes.left;
    space.symbols.push_back(symbol);
    space.extents.push_back(extent);
  }
  // What is the same for all rows of a program is no tile of rows and columns.
  auto hasLeft = [&](const FoldAt &fold) {
    Contraction contraction = *asContraction(program, *fold.value, stored);
    Symbols symbols = symbolsOf(fold, contraction.left);
    symbols.insert_range(symbolsOf(fold, contraction.right));
    return llvm::any_of(axes.left.symbols, [&](Expr symbol) { return symbols.contains(symbol); });
  };
  auto isOfRows = [&](const FoldAt &fold) {
    return dependsOn(fold.at, right.getArrayRef()) || dependsOn(fold.at, axes.left.symbols);
  };
  if (!llvm::all_of(finder.nested, hasLeft) || !llvm::all_of(finder.folds, isOfRows))
    return false;
  auto isLong = [&](const Space &space) {
    return program.estimateElements(space.extents) >= shortestSide;
  };
  bool fits = program.estimateElements(axes.right.extents) <= nestedLimit;
  // Folds of rows alone are rows like any others.
  bool hasTiles = !axes.nested.empty() || (!axes.rowFolds.empty() && axes.sums > 0);
  return fits && hasTiles && !axes.left.symbols.empty() &&
         program.policy.decide(isLong(axes.left) && isLong(kernel.columns.front()));
}

/// Whether each output has all rows but the right ones, as themselves: every program stores its own
/// elements, once.
bool NestedPlanner::storesWholeRows() {
  return llvm::all_of(kernel.outputs, [&](const KernelOutput &output) {
    Symbols seen;
    for (auto [coordinate, extent] : llvm::zip_equal(output.at, output.value->shape)) {
      auto row = llvm::find(kernel.rows.symbols, coordinate);
      if (row == kernel.rows.symbols.end() || !seen.insert(coordinate) ||
          kernel.rows.extents[row - kernel.rows.symbols.begin()] != extent)
        return false;
    }
    return llvm::all_of(llvm::zip_equal(kernel.rows.symbols, kernel.rows.extents), [&](auto row) {
      auto [symbol, extent] = row;
      return extent.isConstant(1) || right.contains(symbol) || seen.contains(symbol);
    });
  });
}

std::optional<Kernel> NestedPlanner::run() {
  bool hasWhole = llvm::any_of(outputs, [](const Value *output) {
    return output->kind == ValueKind::Scatter || output->kind == ValueKind::Scan ||
           output->window != 0 || output->loop >= 0;
  });
  if (hasWhole || !program.policy.allows(MoveKind::NestedContractions) || !walk() ||
      !hasKnownPlaces() || !sortRows())
    return std::nullopt;
  for (Value *output : outputs)
    kernel.outputs.push_back({output, finder.places.find(output)->second, -1});
  if (!storesWholeRows())
    return std::nullopt;
  return std::move(kernel);
}

std::optional<Kernel> planNested(const Program &program, llvm::ArrayRef<Value *> outputs,
                                 const StoredSet &stored) {
  return NestedPlanner(program, outputs, stored).run();
}

Pred fitsNested(const Program &program, const Kernel &kernel) {
  index::Context &context = *program.context;
  llvm::SmallVector<Pred> fits;
  auto add = [&](const Space &space) {
    Expr length = index::product(context, space.extents);
    fits.push_back(index::le(length, heldBlock(program.estimate(length))));
  };
  add(kernel.contraction->right);
  for (const NestedFold &nested : kernel.contraction->nested)
    add(nested.terms);
  return index::allOf(context, fits);
}

} // namespace nereid::schedule
