// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Contraction.h"

#include "graph/GraphOps.h"
#include "schedule/nest/Form.h"
#include "schedule/nest/Requests.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// A factor without the cast that widens it: matrix units take halves, and add up in float32.
static Access withoutWidening(Access factor, const Program &program, const StoredSet &stored) {
  const Value &value = *factor.from;
  if (!value.isCast() || stored.contains(&value) || !value.elementType.isF32())
    return factor;
  const Access &narrow = value.inputs[0];
  mlir::Type type = narrow.from->elementType;
  return type.isF16() || type.isBF16() ? compose(narrow, factor.at, program) : factor;
}

/// Whether a number has no more digits than TF32 keeps.
static bool isOfTf32(const Value &constant) {
  auto op = llvm::dyn_cast_or_null<graph::ConstantOp>(constant.op);
  auto number = op ? llvm::dyn_cast<mlir::FloatAttr>(op.getValue()) : mlir::FloatAttr();
  constexpr uint32_t cutDigits = (1 << 13) - 1;
  return number && (llvm::bit_cast<uint32_t>(float(number.getValueAsDouble())) & cutDigits) == 0;
}

bool mayBeTf32(const Value &value) {
  if (value.kind == ValueKind::Constant)
    return isOfTf32(value);
  if (value.kind == ValueKind::Select)
    return llvm::all_of(value.cases, [](const Case &each) { return mayBeTf32(*each.access.from); });
  if (value.kind != ValueKind::Map)
    return false;
  if (!value.op)
    return mayBeTf32(*value.inputs[0].from);
  return llvm::isa<graph::Tf32Op>(value.op) ||
         (llvm::isa<graph::WhereOp>(value.op) && mayBeTf32(*value.inputs[1].from) &&
          mayBeTf32(*value.inputs[2].from));
}

/// Whether what is read of a value, which may be TF32, are halves where the launch says so.
static bool mayBeHalves(const Value &value) {
  if (value.kind == ValueKind::Select)
    return llvm::all_of(value.cases, [](const Case &each) {
      return each.access.from->kind == ValueKind::Constant || mayBeHalves(*each.access.from);
    });
  if (value.kind != ValueKind::Map)
    return false;
  return value.isHalfByPrecision || (!value.op && mayBeHalves(*value.inputs[0].from));
}

std::optional<Contraction> asContraction(const Program &program, const Value &fold,
                                         const StoredSet &stored) {
  auto op = llvm::dyn_cast_or_null<graph::FoldOp>(fold.op);
  if (fold.kind != ValueKind::Fold || !op || op.getKind() != graph::FoldKind::Sum ||
      fold.isSegment || fold.isCarried || fold.loop >= 0)
    return std::nullopt;
  const Access &term = fold.inputs[0];
  const Value &product = *term.from;
  if (product.kind != ValueKind::Map || !llvm::isa_and_nonnull<graph::MulOp>(product.op) ||
      !product.elementType.isF32() || stored.contains(&product) || !term.loaded.empty())
    return std::nullopt;
  Access wide[2], narrow[2];
  for (unsigned side : {0, 1}) {
    wide[side] = compose(product.inputs[side], term.at, program);
    narrow[side] = withoutWidening(wide[side], program, stored);
  }
  bool areAlike = narrow[0].from->elementType == narrow[1].from->elementType;
  Access *factors = areAlike ? narrow : wide;
  bool isTf32 = mayBeTf32(*factors[0].from) && mayBeTf32(*factors[1].from);
  bool areHalves = mayBeHalves(*factors[0].from) && mayBeHalves(*factors[1].from);
  Contraction contraction{std::move(factors[0]), std::move(factors[1]), isTf32, areHalves};
  if (fold.hasHalves) {
    auto halvesAt = [&](size_t first) {
      return FactorHalves{fold.inputs[first], fold.inputs[first + 1], fold.inputs[first + 2],
                          fold.inputs[first + 3]};
    };
    contraction.halves = {halvesAt(1), halvesAt(5)};
  }
  return contraction;
}

void setFactors(Program &program, Value &fold, llvm::ArrayRef<Expr> foldExtents, Access left,
                Access right) {
  const Value &before = *fold.inputs[0].from;
  llvm::SmallVector<Expr, 4> indices, shape = fold.shape;
  llvm::append_range(shape, foldExtents);
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    indices.push_back(program.getIndex(dim));
  auto make = [&](const Value &like) -> Value & {
    Value &value = program.values.emplace_back(like);
    value.order = like.order + 1;
    value.shape.assign(shape.begin(), shape.end());
    value.isInlineOnly = true;
    return value;
  };
  Value &product = make(before);
  Access *factors[] = {&left, &right};
  for (unsigned side : {0, 1}) {
    Access &factor = *factors[side];
    // What was widened is again, elsewhere than in matrix units.
    if (const Value &wide = *before.inputs[side].from;
        wide.elementType != factor.from->elementType) {
      Value &cast = make(wide);
      cast.inputs[0] = std::move(factor);
      factor = {&cast, indices, {}};
    }
    product.inputs[side] = std::move(factor);
  }
  fold.foldExtents = llvm::SmallVector<Expr, 4>(foldExtents);
  fold.inputs[0] = {&product, {}, {}};
  for (unsigned dim = 0; dim < fold.shape.size(); ++dim)
    fold.inputs[0].at.push_back(program.getIndex(dim));
  for (unsigned number = 0; number < fold.foldExtents.size(); ++number)
    fold.inputs[0].at.push_back(program.getFoldIndex(number));
}

/// Adds the symbols of an access's coordinates, those of what is looked up for them included.
static void addSymbols(const Access &access, llvm::SmallSetVector<Expr, 8> &symbols) {
  for (Expr coordinate : access.at)
    symbols.insert_range(index::collectSymbols(coordinate));
  for (const LoadedIndex &loaded : access.loaded)
    addSymbols(loaded.access, symbols);
}

static bool isOfHalves(const Contraction &contraction) {
  return !contraction.left.from->elementType.isF32();
}

static constexpr int64_t bytesOfHalf = 2, bytesOfFloat = 4;

/// How many rows or columns are enough. A tile of 16 rows reads what lanes that each add up their
/// own read for every row: on an H200 a turn of an LSTM of 10 x 256 takes 9 us in tiles, 40 by
/// lanes. Of convolutions half a tile: groups of 8 channels, 3 x 3, of 32 x 256 x 56 x 56 take 228
/// us in tiles, and 778 by lanes; of 4 channels, of 128, they take 213 and 220.
/// A turn of a loop is one launch with tiles of any rows.
static int64_t shortestSideOf(const Program &program, bool areTf32) {
  if (program.func->hasAttr("graph.turn"))
    return 1;
  return areTf32 ? shortestSide / 2 : shortestSide / 4;
}

ContractionSizes sizesOf(const Program &program, const Value &fold,
                         const Contraction &contraction) {
  llvm::SmallSetVector<Expr, 8> left, right;
  addSymbols(contraction.left, left);
  addSymbols(contraction.right, right);
  ContractionSizes sizes;
  for (auto [dim, size] : llvm::enumerate(fold.shape)) {
    bool isOfLeft = left.contains(program.getIndex(dim));
    bool isOfRight = right.contains(program.getIndex(dim));
    int64_t length = std::max<int64_t>(program.estimate(size), 1);
    int64_t &side = isOfLeft && isOfRight ? sizes.batch : isOfRight ? sizes.columns : sizes.rows;
    // What is the same along an axis is no matrix.
    side *= isOfLeft || isOfRight || length == 1 ? length : 0;
  }
  sizes.terms = program.estimateElements(fold.foldExtents);
  sizes.bytesOfElement = isOfHalves(contraction) ? bytesOfHalf : bytesOfFloat;
  sizes.areTf32 = contraction.mayBeTf32;
  sizes.mayBeHalves = contraction.mayBeHalves;
  sizes.leastSide = shortestSideOf(program, sizes.areTf32);
  return sizes;
}

/// How many terms are enough for matrix units. What a convolution of few channels reads for each of
/// its sums is read anew by every program of rows, which takes longer than idle units.
static int64_t shortestTerms(bool areTf32) {
  constexpr int64_t fewChannels = 3;
  return areTf32 ? fewChannels : shortestSide;
}

bool fillsTiles(const ContractionSizes &sizes) {
  return std::min(sizes.rows, sizes.columns) >= sizes.leastSide &&
         sizes.terms >= shortestTerms(sizes.areTf32);
}

/// Whether each factor has an index that the other one lacks, of whatever size it may be.
static bool haveOwnIndices(const Program &program, const Value &fold,
                           const Contraction &contraction) {
  llvm::SmallSetVector<Expr, 8> left, right;
  addSymbols(contraction.left, left);
  addSymbols(contraction.right, right);
  bool hasLeft = false, hasRight = false;
  for (auto [dim, size] : llvm::enumerate(fold.shape)) {
    Expr index = program.getIndex(dim);
    hasLeft |= !size.isConstant(1) && left.contains(index) && !right.contains(index);
    hasRight |= !size.isConstant(1) && right.contains(index) && !left.contains(index);
  }
  return hasLeft && hasRight;
}

void settlePrecision(Program &program) {
  llvm::DenseSet<const Value *> rounded;
  std::function<void(const Value &)> add = [&](const Value &value) {
    if (value.op && llvm::isa<graph::Tf32Op>(value.op))
      rounded.insert(&value);
    else if (mayBeTf32(value))
      forEachAccess(value, [&](const Access &access) { add(*access.from); });
  };
  for (const Value &fold : program.values) {
    auto contraction = asContraction(program, fold, StoredSet());
    if (!program.policy.allows(MoveKind::Relayouts) || !contraction || !contraction->mayBeTf32 ||
        !fillsTiles(sizesOf(program, fold, *contraction)))
      continue;
    add(*contraction->left.from);
    add(*contraction->right.from);
  }
  for (Value &reader : program.values)
    forEachAccess(reader, [&](Access &access) {
      const Value &value = *access.from;
      if (!value.op || !llvm::isa<graph::Tf32Op>(value.op) || rounded.contains(&value))
        return;
      Access whole = compose(value.inputs[0], access.at, program);
      llvm::append_range(whole.loaded, access.loaded);
      access = std::move(whole);
    });
  // A turn rounds what it reads: a launch more for each turn takes longer.
  if (program.func->hasAttr("graph.turn"))
    for (Value &value : program.values)
      value.isInlineOnly |= rounded.contains(&value);
}

void keepTermsInline(Program &program) {
  llvm::DenseMap<const Value *, bool> areTerms;
  for (const Value &value : program.values) {
    auto contraction = asContraction(program, value, StoredSet());
    bool isOne = contraction && haveOwnIndices(program, value, *contraction);
    forEachAccess(value, [&](const Access &access) {
      auto [known, isNew] = areTerms.try_emplace(access.from, isOne);
      known->second &= isOne;
    });
  }
  for (const Result &result : program.results)
    areTerms[result.value] = false;
  for (Value &value : program.values)
    value.isInlineOnly |= areTerms.lookup(&value);
}

/// An access over the indices of a fold at the coordinates of a kernel, with the divisions gone
/// that the kernel's axes decide.
static Access placed(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> columns,
                     const index::Facts &facts, const Program &program) {
  Access result{access.from, {}, {}};
  for (Expr coordinate : access.at) {
    Expr own = substituteIndices(coordinate, at, columns, program);
    result.at.push_back(hasDivision(own) ? facts.simplify(own) : own);
  }
  for (const LoadedIndex &loaded : access.loaded)
    result.loaded.push_back({loaded.symbol, placed(loaded.access, at, columns, facts, program)});
  return result;
}

llvm::SmallSetVector<Expr, 8> symbolsOfFactor(const Program &program, const Access &factor,
                                              llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> columns,
                                              const index::Facts &facts) {
  llvm::SmallSetVector<Expr, 8> symbols;
  addSymbols(placed(factor, at, columns, facts, program), symbols);
  return symbols;
}

namespace {

/// Sorts the rows of a kernel by the factors that vary along them.
class ProductAxes {
public:
  ProductAxes(const Program &program, const Kernel &kernel, const StoredSet &stored)
      : program(program), kernel(kernel), stored(stored), facts(factsOf(kernel, *program.context)) {
  }

  /// The axes of one fold of the kernel.
  std::optional<ContractionAxes> find(const Request &fold) const {
    auto contraction = asContraction(program, *fold.value, stored);
    if (!contraction)
      return std::nullopt;
    auto symbolsOf = [&](const Access &factor) {
      return symbolsOfFactor(program, factor, fold.at, fold.over, facts);
    };
    llvm::SmallSetVector<Expr, 8> left = symbolsOf(contraction->left),
                                  right = symbolsOf(contraction->right);
    // Windows have products of their own.
    if (fold.value->window != 0)
      for (llvm::SmallSetVector<Expr, 8> *side : {&left, &right})
        side->insert_range(index::collectSymbols(fold.at.front()));
    ContractionAxes axes;
    axes.areHalves = isOfHalves(*contraction);
    axes.areTf32 = contraction->mayBeTf32;
    axes.mayBeHalves = contraction->mayBeHalves;
    axes.haveHalves = contraction->halves.has_value();
    for (auto [symbol, extent] : llvm::zip_equal(kernel.rows.symbols, kernel.rows.extents)) {
      bool isOfLeft = left.contains(symbol), isOfRight = right.contains(symbol);
      // What is the same along an axis is summed once, and repeated.
      if (!isOfLeft && !isOfRight && !extent.isConstant(1))
        return std::nullopt;
      Space &space = isOfLeft == isOfRight ? axes.batch : isOfRight ? axes.right : axes.left;
      space.symbols.push_back(symbol);
      space.extents.push_back(extent);
    }
    return axes;
  }

private:
  const Program &program;
  const Kernel &kernel;
  const StoredSet &stored;
  index::Facts facts;
};

} // namespace

/// Puts the axes of one side in the order in which they lie in what is written, so that those of a
/// tile are neighbours there: pairs of a complex number.
static void sortAsWritten(const Program &program, const Kernel &kernel, Space &space) {
  const KernelOutput &output = kernel.outputs.front();
  Expr position = program.indexMemory.positionOf(output.at, output.value->shape, *program.context);
  llvm::SmallVector<std::pair<int64_t, unsigned>, 4> strides;
  for (auto [number, symbol] : llvm::enumerate(space.symbols)) {
    auto linear = index::asLinearIn(position, symbol);
    if (!linear)
      return;
    strides.push_back({-program.estimate(linear->coefficient), number});
  }
  llvm::sort(strides);
  Space sorted = space;
  for (auto [place, stride] : llvm::enumerate(strides)) {
    sorted.symbols[place] = space.symbols[stride.second];
    sorted.extents[place] = space.extents[stride.second];
  }
  space = std::move(sorted);
}

std::optional<ContractionAxes> findContractionAxes(const Program &program, Kernel &planned,
                                                   const StoredSet &stored) {
  Kernel kernel = planned;
  bool hasOneSpace =
      kernel.columns.empty() || (kernel.columns.size() == 1 && !kernel.columns.front().segment);
  if (!kernel.hasRows || kernel.span != 0 || kernel.loop >= 0 || !hasOneSpace ||
      !kernel.innerScans.empty() ||
      llvm::any_of(kernel.outputs, [](const KernelOutput &output) { return output.columns >= 0; }))
    return std::nullopt;
  StoredSet computed;
  for (const KernelOutput &output : kernel.outputs)
    computed.insert(output.value);
  Requests requests(program, stored, std::move(computed));
  for (const KernelOutput &output : kernel.outputs) {
    bool isMade =
        requests.add(*output.value, output.at, [&](const Value &fold, llvm::ArrayRef<Expr> at) {
          if (kernel.columns.empty())
            (void)kernel.addColumns(fold, at, *program.context);
          return kernel.columns.front().coordinatesOf(fold);
        });
    if (!isMade)
      return std::nullopt;
  }
  ProductAxes finder(program, kernel, stored);
  std::optional<ContractionAxes> axes;
  // An output may be a fold that another is made of.
  llvm::DenseSet<std::pair<const Value *, unsigned>> seen;
  for (const Request &fold : requests.getAll()) {
    if (!fold.isFold() || !seen.insert({fold.value, fold.place}).second)
      continue;
    std::optional<ContractionAxes> own = finder.find(fold);
    if (own && axes && own->left.symbols == axes->right.symbols)
      std::swap(own->left, own->right);
    if (!own || (axes && (own->left.symbols != axes->left.symbols ||
                          own->right.symbols != axes->right.symbols ||
                          own->haveHalves != axes->haveHalves)))
      return std::nullopt;
    own->sums = axes ? axes->sums + 1 : 1;
    own->areHalves &= !axes || axes->areHalves;
    own->areTf32 &= !axes || axes->areTf32;
    own->mayBeHalves &= !axes || axes->mayBeHalves;
    axes = own;
  }
  if (!axes || axes->left.symbols.empty() || axes->right.symbols.empty())
    return std::nullopt;
  auto isLong = [&](const Space &space) {
    return program.estimateElements(space.extents) >= shortestSideOf(program, axes->areTf32);
  };
  bool fills =
      isLong(axes->left) && isLong(axes->right) &&
      program.estimateElements(kernel.columns.front().extents) >= shortestTerms(axes->areTf32);
  if (!program.policy.decide(fills))
    return std::nullopt;
  planned.columns = std::move(kernel.columns);
  for (Space *side : {&axes->left, &axes->right})
    sortAsWritten(program, planned, *side);
  return axes;
}

ContractionSizes sizesOf(const Program &program, const Kernel &kernel, bool isSwapped) {
  const ContractionAxes &axes = *kernel.contraction;
  const Space &columns = kernel.columns.front();
  ContractionSizes sizes;
  sizes.batch = program.estimateElements(axes.batch.extents);
  sizes.rows = program.estimateElements((isSwapped ? axes.right : axes.left).extents);
  sizes.columns = program.estimateElements((isSwapped ? axes.left : axes.right).extents);
  sizes.terms = columns.window != 0 ? columns.window : program.estimateElements(columns.extents);
  sizes.sums = axes.sums;
  sizes.bytesOfElement = axes.areHalves ? bytesOfHalf : bytesOfFloat;
  sizes.areTf32 = axes.areTf32;
  sizes.mayBeHalves = axes.mayBeHalves;
  sizes.areStoredHalves = axes.haveHalves;
  return sizes;
}

NestedSizes nestedSizesOf(const Program &program, const Kernel &kernel) {
  const ContractionAxes &axes = *kernel.contraction;
  NestedSizes sizes;
  sizes.foldsRows = !kernel.contraction->rowFolds.empty();
  sizes.batch = program.estimateElements(axes.batch.extents);
  sizes.rows = program.estimateElements(axes.left.extents);
  sizes.columns = program.estimateElements(kernel.columns.front().extents);
  sizes.lanes = axes.right.symbols.empty() ? 0 : program.estimateElements(axes.right.extents);
  for (const NestedFold &nested : axes.nested)
    sizes.terms.push_back(program.estimateElements(nested.terms.extents));
  sizes.sums = axes.sums;
  sizes.bytesOfElement = axes.areHalves ? bytesOfHalf : bytesOfFloat;
  return sizes;
}

bool isNestedTile(const Kernel &kernel, llvm::ArrayRef<Expr> at) {
  auto varies = [&](const Space &space) {
    return llvm::any_of(space.symbols, [&](Expr symbol) {
      return llvm::any_of(at, [&](Expr part) { return index::contains(part, symbol); });
    });
  };
  return varies(kernel.contraction->left) && varies(kernel.columns.front());
}

Contraction contractionAlong(const Program &program, const StoredSet &stored, const Value &fold,
                             llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> columns,
                             const index::Facts &facts, const Space &rows) {
  Contraction contraction = *asContraction(program, fold, stored);
  llvm::SmallSetVector<Expr, 8> symbols =
      symbolsOfFactor(program, contraction.left, at, columns, facts);
  if (llvm::none_of(rows.symbols, [&](Expr symbol) { return symbols.contains(symbol); })) {
    std::swap(contraction.left, contraction.right);
    if (contraction.halves)
      std::swap(contraction.halves->front(), contraction.halves->back());
  }
  return contraction;
}

} // namespace nereid::schedule
