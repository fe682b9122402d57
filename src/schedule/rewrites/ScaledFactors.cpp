// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/ScaledFactors.h"

#include "host/HostDialect.h"
#include "schedule/folds/SplitCascades.h"
#include "schedule/nest/Contraction.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/ValueMaker.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

/// A factor of a product: the value that is rounded, at coordinates of the fold. `path` are the
/// choices and repetitions between both.
struct Factor {
  Value *rounded = nullptr;
  llvm::SmallVector<Expr, 4> at;
  llvm::SmallVector<const Value *, 2> path;
  /// How many elements a product has of it, if it is read once for each.
  double reads = 0;
};

struct Product {
  Value *fold;
  Factor left, right;
  /// Of the matrix units, in microseconds.
  double gain;
};

class FactorScaler {
public:
  explicit FactorScaler(Program &program) : program(program), device(program.policy.getDevice()) {}

  void run();

private:
  void findReaders();
  bool addLeaf(const Access &access, Factor &factor) const;
  std::optional<Product> asProduct(Value &fold) const;
  void dropSharedWithOthers();
  void dropUnpaid();
  Access sourceOf(const Value &rounded, llvm::ArrayRef<Expr> at) const;
  double priceOf(const Value &rounded) const;
  const Value *groupOf(const Value *factor) const;
  llvm::SmallVector<unsigned, 4> rowsOf(const Value &rounded) const;
  const Access &greatestOf(Value &rounded);
  Access inverseOf(const Factor &factor, ValueMaker &maker);
  void scale(Value &rounded);
  void scale(const Product &product);

  Program &program;
  const Device &device;
  std::vector<Product> products;
  /// What results are made of, and who reads it.
  llvm::DenseMap<const Value *, llvm::SmallSetVector<Value *, 4>> readers;
  llvm::DenseMap<const Value *, llvm::SmallVector<unsigned, 4>> rows;
  llvm::DenseMap<const Value *, Access> greatest;
  /// How many elements of a factor a product has at most.
  llvm::DenseMap<const Value *, double> mostReads;
  /// Another one of each factor's group, and for the first of a group the lengths of their rows.
  llvm::DenseMap<const Value *, const Value *> group;
  llvm::DenseMap<const Value *, llvm::SmallSetVector<Expr, 2>> rowsOfGroup;
};

} // namespace

void FactorScaler::findReaders() {
  llvm::SmallVector<Value *> open;
  for (const Result &result : program.results)
    open.push_back(result.value);
  llvm::DenseSet<Value *> seen(open.begin(), open.end());
  while (!open.empty()) {
    Value *reader = open.pop_back_val();
    forEachAccess(*reader, [&](Access &access) {
      readers[access.from].insert(reader);
      if (seen.insert(access.from).second)
        open.push_back(access.from);
    });
  }
}

/// Finds the one rounded value that a factor is made of, behind choices between it and zeros.
bool FactorScaler::addLeaf(const Access &access, Factor &factor) const {
  Value &value = *access.from;
  if (!access.loaded.empty())
    return false;
  if (isRounding(value)) {
    if (factor.rounded && (factor.rounded != &value || factor.at != access.at))
      return false;
    factor.rounded = &value;
    factor.at = access.at;
    return true;
  }
  if (value.kind == ValueKind::Constant) {
    auto op = llvm::dyn_cast_or_null<graph::ConstantOp>(value.op);
    auto number = op ? llvm::dyn_cast<FloatAttr>(op.getValue()) : FloatAttr();
    return number && number.getValue().isZero();
  }
  factor.path.push_back(&value);
  if (value.kind == ValueKind::Select)
    return llvm::all_of(value.cases, [&](const Case &each) {
      return addLeaf(compose(each.access, access.at, program), factor);
    });
  return value.kind == ValueKind::Map && !value.op &&
         addLeaf(compose(value.inputs[0], access.at, program), factor);
}

std::optional<Product> FactorScaler::asProduct(Value &fold) const {
  auto contraction = asContraction(program, fold, StoredSet());
  if (!contraction || !contraction->mayBeTf32 || contraction->halves || !readers.contains(&fold))
    return std::nullopt;
  ContractionSizes sizes = sizesOf(program, fold, *contraction);
  Product product{&fold, {}, {}, 0};
  if (!fillsTiles(sizes) || !addLeaf(contraction->left, product.left) ||
      !addLeaf(contraction->right, product.right) || !product.left.rounded ||
      !product.right.rounded || product.left.rounded == product.right.rounded)
    return std::nullopt;
  for (Factor *factor : {&product.left, &product.right})
    factor->path.push_back(fold.inputs[0].from);
  // Convolutions of an H200 reach such a part of the rates of products: 128 x 64 channels of
  // 128 x 128, 3 x 3, take 1319 us of TF32, and 784 of halves.
  constexpr double ofRates = 0.65;
  double work =
      2.0 * double(sizes.batch) * double(sizes.rows) * double(sizes.columns) * double(sizes.terms);
  double ofSums = double(sizes.batch) * double(sizes.terms);
  product.left.reads = ofSums * double(sizes.rows);
  product.right.reads = ofSums * double(sizes.columns);
  product.gain = work / ofRates * (1 / device.tf32ProductsPerUs - 1 / device.halfProductsPerUs);
  return product;
}

/// Leaves products alone whose factors others read too, as numbers.
void FactorScaler::dropSharedWithOthers() {
  for (bool isDone = false; !isDone;) {
    llvm::DenseSet<const Value *> folds, paths;
    for (const Product &product : products) {
      folds.insert(product.fold);
      for (const Factor *factor : {&product.left, &product.right})
        paths.insert(factor->path.begin(), factor->path.end());
    }
    auto isOwn = [&](const Value &value) {
      return llvm::all_of(readers.lookup(&value), [&](const Value *reader) {
        return paths.contains(reader) || folds.contains(reader);
      });
    };
    size_t before = products.size();
    llvm::erase_if(products, [&](const Product &product) {
      return llvm::any_of(std::array{&product.left, &product.right}, [&](const Factor *factor) {
        return !isOwn(*factor->rounded) ||
               !llvm::all_of(factor->path, [&](const Value *value) { return isOwn(*value); });
      });
    });
    isDone = products.size() == before;
  }
}

/// What a factor is made of, behind copies in other orders of axes.
Access FactorScaler::sourceOf(const Value &rounded, llvm::ArrayRef<Expr> at) const {
  Access source = compose(rounded.inputs[0], at, program);
  while (source.from->kind == ValueKind::Map && !source.from->op && source.loaded.empty() &&
         source.from->inputs[0].loaded.empty())
    source = compose(source.from->inputs[0], source.at, program);
  return source;
}

/// What it takes more to store a factor as halves: its greatest elements are found before.
double FactorScaler::priceOf(const Value &rounded) const {
  constexpr double bytesOfFloat = 4, bytesOfHalf = 2, ofLaunch = 8;
  llvm::SmallVector<Expr, 4> at;
  for (unsigned dim = 0; dim < rounded.shape.size(); ++dim)
    at.push_back(program.getIndex(dim));
  bool isOfInput = sourceOf(rounded, at).from->kind == ValueKind::Input;
  double elements = double(program.estimateElements(rounded.shape));
  // It is read for its greatest elements, and written as halves, where it would be written as it is
  // for windows, that read it several times. Else products would read what it is made of, or the
  // kernel that makes it would write it.
  constexpr double ofWindows = 2;
  double bytes = bytesOfFloat + bytesOfHalf - bytesOfFloat;
  if (!isOfInput || mostReads.lookup(&rounded) < ofWindows * elements)
    bytes += 2 * bytesOfFloat;
  return elements * bytes / device.bytesPerUs + ofLaunch * (isOfInput ? 1 : 2);
}

/// The first of the factors that meet one another, in products that share one.
const Value *FactorScaler::groupOf(const Value *factor) const {
  for (const Value *next = group.lookup(factor); next && next != factor;
       next = group.lookup(factor))
    factor = next;
  return factor;
}

/// Takes products together that share factors, and leaves those that would not pay.
void FactorScaler::dropUnpaid() {
  llvm::SmallSetVector<const Value *, 8> factors;
  for (const Product &product : products) {
    for (const Factor *factor : {&product.left, &product.right})
      mostReads[factor->rounded] = std::max(mostReads[factor->rounded], factor->reads);
    factors.insert(product.left.rounded);
    factors.insert(product.right.rounded);
    group[groupOf(product.left.rounded)] = groupOf(product.right.rounded);
  }
  llvm::DenseMap<const Value *, double> gains;
  for (const Product &product : products)
    gains[groupOf(product.left.rounded)] += product.gain;
  for (const Value *factor : factors) {
    double &gain = gains[groupOf(factor)];
    gain -= priceOf(*factor);
    Expr row = factor->shape.back();
    if (row.isConstant())
      continue;
    // Elements of other rows are loaded one by one.
    if (program.estimate(row) % host::halvesOfLoad != 0)
      gain = -INFINITY;
    rowsOfGroup[groupOf(factor)].insert(row);
  }
  llvm::erase_if(products, [&](const Product &product) {
    return !program.policy.decide(gains.lookup(groupOf(product.left.rounded)) > 0);
  });
}

/// The axes that no product of a factor sums over: each is one of the sums' own.
llvm::SmallVector<unsigned, 4> FactorScaler::rowsOf(const Value &rounded) const {
  llvm::SmallVector<unsigned, 4> dims;
  auto isOwn = [&](const Product &product, const Factor &factor, unsigned dim) {
    for (unsigned own = 0; own < product.fold->shape.size(); ++own)
      if (factor.at[dim] == program.getIndex(own))
        return product.fold->shape[own] == rounded.shape[dim];
    return false;
  };
  for (unsigned dim = 0; dim < rounded.shape.size(); ++dim)
    if (llvm::all_of(products, [&](const Product &product) {
          return llvm::all_of(std::array{&product.left, &product.right}, [&](const Factor *factor) {
            return factor->rounded != &rounded || isOwn(product, *factor, dim);
          });
        }))
      dims.push_back(dim);
  return dims;
}

/// The greatest finite element of each row, over the rows alone.
const Access &FactorScaler::greatestOf(Value &rounded) {
  auto [known, isNew] = greatest.try_emplace(&rounded);
  if (!isNew)
    return known->second;
  const llvm::SmallVector<unsigned, 4> &dims = rows[&rounded] = rowsOf(rounded);
  llvm::SmallVector<Expr, 4> ofRows, rest, all, own, at(rounded.shape.size());
  for (unsigned dim = 0; dim < rounded.shape.size(); ++dim)
    own.push_back(program.getIndex(dim));
  auto add = [&](unsigned dim, llvm::SmallVectorImpl<Expr> &sizes) {
    at[dim] = program.getIndex(ofRows.size() + rest.size());
    sizes.push_back(rounded.shape[dim]);
  };
  for (unsigned dim : dims)
    add(dim, ofRows);
  // In the order in which what it is made of lies in memory.
  llvm::SmallVector<Expr, 4> inMemory = sourceOf(rounded, own).at;
  llvm::append_range(inMemory, own);
  for (Expr coordinate : inMemory)
    if (size_t dim = llvm::find(own, coordinate) - own.begin(); dim < own.size() && !at[dim])
      add(dim, rest);
  all = ofRows;
  llvm::append_range(all, rest);
  Type single = rounded.elementType, boolean = IntegerType::get(single.getContext(), 1);
  ValueMaker elements(program, rounded, all, false), greatestOfRow(program, rounded, ofRows, false);
  Access element = sourceOf(rounded, at);
  // Its greatest elements and its halves are made of it, each by a kernel of its own.
  element.from->isNeverInlined |= !element.from->isFree();
  Access size = elements.make<graph::AbsOp>(single, element);
  Access isFinite = elements.make<graph::LtOp>(boolean, {size, elements.number(INFINITY)});
  Access held = elements.make<graph::WhereOp>(single, {isFinite, size, elements.number(0)});
  Access found = greatestOfRow.makeFold(graph::FoldKind::Max, held, rest);
  found.from->name = element.from->name + "_greatest";
  found.from->isNamed = true;
  return greatest[&rounded] = found;
}

/// By what a factor's products are to be divided, as a factor at the coordinates of the sum.
Access FactorScaler::inverseOf(const Factor &factor, ValueMaker &maker) {
  Access found = greatest.at(factor.rounded);
  Type single = factor.rounded->elementType;
  found.at.clear();
  for (unsigned dim : rows.at(factor.rounded))
    found.at.push_back(factor.at[dim]);
  Access scale = maker.make<graph::HalfScaleOp>(single, {found});
  Access inverse = maker.make<graph::DivOp>(single, {maker.number(1), scale});
  llvm::StringRef name = found.from->name;
  name.consume_back("_greatest");
  inverse.from->name = name.str() + "_scale";
  inverse.from->isNamed = true;
  return inverse;
}

void FactorScaler::scale(Value &rounded) {
  if (greatest.contains(&rounded))
    return;
  Access found = greatestOf(rounded);
  Type single = rounded.elementType;
  ValueMaker elements(program, rounded, rounded.shape, true);
  found.at.clear();
  for (unsigned dim : rows[&rounded])
    found.at.push_back(program.getIndex(dim));
  Access scale = elements.make<graph::HalfScaleOp>(single, {found});
  rounded.inputs[0] = elements.make<graph::MulOp>(single, {rounded.inputs[0], scale});
  rounded.isHalfByPrecision = rounded.isNeverInlined = true;
  rounded.halfRows.assign(rowsOfGroup[groupOf(&rounded)].begin(),
                          rowsOfGroup[groupOf(&rounded)].end());
}

/// Everything reads the sum divided by both powers of two from now on.
void FactorScaler::scale(const Product &product) {
  Value &fold = *product.fold;
  ValueMaker maker(program, fold, fold.shape, false);
  llvm::SmallVector<Expr, 4> own;
  for (unsigned dim = 0; dim < fold.shape.size(); ++dim)
    own.push_back(program.getIndex(dim));
  llvm::SmallVector<Value *> before;
  for (Value &value : program.values)
    before.push_back(&value);
  Access left = inverseOf(product.left, maker), right = inverseOf(product.right, maker);
  // One after the other they could take the sum out of float32's range on its way.
  Access both = maker.make<graph::MulOp>(fold.elementType, {left, right});
  Value &whole = *maker.make<graph::MulOp>(fold.elementType, {Access{&fold, own, {}}, both}).from;
  whole.name = fold.name;
  whole.isNamed = fold.isNamed;
  fold.isNamed = false;
  fold.name = "products";
  // The sum stands before what is made of it.
  std::swap(fold.order, whole.order);
  for (Value *reader : before)
    forEachAccess(*reader, [&](Access &access) {
      if (access.from == &fold)
        access.from = &whole;
    });
  for (Result &result : program.results)
    if (result.value == &fold)
      result.value = &whole;
}

void FactorScaler::run() {
  findReaders();
  for (Value &value : program.values)
    if (auto product = asProduct(value))
      products.push_back(std::move(*product));
  dropSharedWithOthers();
  dropUnpaid();
  dropSharedWithOthers();
  for (const Product &product : products)
    for (const Factor *factor : {&product.left, &product.right})
      scale(*factor->rounded);
  for (const Product &product : products)
    scale(product);
}

void scaleFactors(Program &program) {
  spaceOut(program, placesBefore);
  FactorScaler(program).run();
}

} // namespace nereid::schedule
