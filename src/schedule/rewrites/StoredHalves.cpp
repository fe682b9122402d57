// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/StoredHalves.h"

#include "schedule/program/IndexMap.h"
#include "schedule/program/ValueMaker.h"

using namespace mlir;

namespace nereid::schedule {

/// The factor over its own indices; nothing where it has more elements than what it reads, such as
/// the windows of an image, or where places are data.
std::optional<StoredHalves::Factor> StoredHalves::factorOf(const Value &fold,
                                                           const Access &access) const {
  if (!access.loaded.empty() || !access.from->elementType.isF32())
    return std::nullopt;
  Factor factor;
  llvm::SmallVector<Expr, 4> own, terms;
  for (auto [dim, size] : llvm::enumerate(fold.shape)) {
    Expr index = program.getIndex(dim);
    bool isOwn = llvm::any_of(access.at, [&](Expr each) { return index::contains(each, index); });
    own.push_back(isOwn ? program.getIndex(factor.dims.size()) : index);
    if (!isOwn)
      continue;
    factor.dims.push_back(dim);
    factor.rows.push_back(size);
  }
  factor.terms.assign(fold.foldExtents.begin(), fold.foldExtents.end());
  for (size_t term = 0; term < factor.terms.size(); ++term)
    terms.push_back(program.getIndex(factor.rows.size() + term));
  factor.elements.from = access.from;
  for (Expr coordinate : access.at)
    factor.elements.at.push_back(substituteIndices(coordinate, own, terms, program));
  int64_t elements = program.estimateElements(factor.rows) * program.estimateElements(factor.terms);
  if (factor.rows.empty() || elements > program.estimateElements(access.from->shape))
    return std::nullopt;
  return factor;
}

/// The kernel that takes a factor apart. With `2^e` not above a row's greatest element, the row is
/// multiplied by `2^(14 - e)`: halves hold numbers below 2^16 and, of those from 2^-14 on, 11
/// digits, the low ones of the rest, times 4096, as many. So 22 digits are left of all that is not
/// below 2^-15 then. Infinities, NaN, and rows whose scales have products that are no normal
/// numbers, are not held at all.
StoredHalves::Parts StoredHalves::make(const Value &fold, const Factor &factor) {
  constexpr double topExponent = 14, leastHeld = 0x1p-15, leastDense = 0x1p-10, mostExponent = 60;
  MLIRContext *mlir = fold.elementType.getContext();
  Type single = fold.elementType, half = Float16Type::get(mlir),
       boolean = IntegerType::get(mlir, 1);
  llvm::SmallVector<Expr, 4> all(factor.rows);
  llvm::append_range(all, factor.terms);
  llvm::StringRef name = factor.elements.from->name;
  name.consume_back("_relayout");
  ValueMaker ofElements(program, fold, all, false), ofRows(program, fold, factor.rows, false);

  auto named = [](Access access, llvm::StringRef name) {
    access.from->name = name.str();
    access.from->isNamed = true;
    return access;
  };
  auto number = [&](double value) { return ofRows.number(value); };

  Access size = ofElements.make<graph::AbsOp>(single, factor.elements);
  Access isZero = ofElements.make<graph::EqOp>(boolean, {size, number(0)});
  Access nonZero = ofElements.make<graph::WhereOp>(single, {isZero, number(INFINITY), size});
  Access top = ofRows.makeFold(graph::FoldKind::Max, size, factor.terms);
  Access leastNonZero = ofRows.makeFold(graph::FoldKind::Min, nonZero, factor.terms);
  Access least = ofRows.makeFold(graph::FoldKind::Min, size, factor.terms);

  Access logarithm = ofRows.make<graph::Log2Op>(single, top);
  Access exponent = named(ofRows.make<graph::FloorOp>(single, logarithm), "exponent");
  Access distance = ofRows.make<graph::AbsOp>(single, exponent);
  Access isHeld =
      named(ofRows.make<graph::LeOp>(boolean, {distance, number(mostExponent)}), "is_held");
  auto power = [&](const Access &steps, llvm::StringRef name) {
    Access exact = ofRows.make<graph::Exp2Op>(single, steps);
    return named(ofRows.make<graph::WhereOp>(single, {isHeld, exact, number(1)}), name);
  };
  Access up = power(ofRows.make<graph::SubOp>(single, {number(topExponent), exponent}), "up");
  Access scale = power(ofRows.make<graph::SubOp>(single, {exponent, number(topExponent)}),
                       name.str() + "_scale");
  auto isFrom = [&](const Access &element, double bound) {
    Access elementUp = ofRows.make<graph::MulOp>(single, {element, up});
    return ofRows.make<graph::GeOp>(boolean, {elementUp, number(bound)});
  };
  auto where = [&](const Access &condition, const Access &then, const Access &otherwise) {
    return ofRows.make<graph::WhereOp>(single, {condition, then, otherwise});
  };
  Access apart = where(isFrom(leastNonZero, leastHeld), number(1), number(2));
  Access ofHeld = where(isFrom(least, leastDense), number(0), apart);
  // Rows of zeros give zeros, whatever they meet.
  Access isEmpty = ofRows.make<graph::EqOp>(boolean, {top, number(0)});
  Access spread = where(isHeld, ofHeld, where(isEmpty, number(0), number(tooFarApart)));

  Access scaled = named(ofElements.make<graph::MulOp>(single, {factor.elements, up}), "scaled");
  Access high = ofElements.make<graph::CastOp>(half, scaled);
  Access wide = ofElements.make<graph::CastOp>(single, high);
  Access rest = ofElements.make<graph::SubOp>(single, {scaled, wide});
  Access restUp = ofElements.make<graph::MulOp>(single, {rest, number(lowHalfScale)});
  Access low = ofElements.make<graph::CastOp>(half, restUp);
  Parts parts = {scale.from, named(spread, name.str() + "_spread").from,
                 named(high, name.str() + "_high").from, named(low, name.str() + "_low").from};
  for (Value *value : parts.all())
    value->isAlwaysStored = true;
  return parts;
}

StoredHalves::Parts StoredHalves::partsOf(const Value &fold, const Factor &factor,
                                          std::vector<Parts> &added) {
  for (auto &[other, parts] : known)
    if (other.elements.from == factor.elements.from && other.elements.at == factor.elements.at &&
        other.rows == factor.rows && other.terms == factor.terms)
      return parts;
  known.emplace_back(factor, make(fold, factor));
  added.push_back(known.back().second);
  return known.back().second;
}

void StoredHalves::addInputs(Value &fold, const Factor &factor, const Parts &parts) const {
  Access scale{parts.scale, {}, {}};
  for (unsigned dim : factor.dims)
    scale.at.push_back(program.getIndex(dim));
  Access high = scale, low, spread = scale;
  spread.from = parts.spread;
  high.from = parts.high;
  for (size_t term = 0; term < factor.terms.size(); ++term)
    high.at.push_back(program.getFoldIndex(term));
  low = high;
  low.from = parts.low;
  llvm::append_range(fold.inputs, llvm::ArrayRef({high, low, scale, spread}));
}

bool StoredHalves::attach(Value &fold, std::vector<Parts> &added) {
  auto contraction = asContraction(program, fold, StoredSet());
  if (!contraction || contraction->mayBeTf32 || !fillsTiles(sizesOf(program, fold, *contraction)))
    return false;
  std::optional<Factor> left = factorOf(fold, contraction->left);
  std::optional<Factor> right = factorOf(fold, contraction->right);
  if (!left || !right)
    return false;
  for (const Factor &factor : {*left, *right})
    addInputs(fold, factor, partsOf(fold, factor, added));
  fold.hasHalves = true;
  return true;
}

void StoredHalves::detach(llvm::ArrayRef<Value *> folds, llvm::ArrayRef<Parts> added) {
  for (Value *fold : folds) {
    fold->hasHalves = false;
    fold->inputs.truncate(1);
  }
  llvm::erase_if(known, [&](const auto &entry) {
    return llvm::any_of(added, [&](const Parts &parts) { return parts.high == entry.second.high; });
  });
}

} // namespace nereid::schedule
