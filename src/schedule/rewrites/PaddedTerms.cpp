// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/PaddedTerms.h"

#include "schedule/nest/Contraction.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

namespace {

/// Pads the factors of one program's contractions.
class PaddedTerms {
public:
  explicit PaddedTerms(Program &program) : program(program) {}

  void add(Value &fold);

private:
  bool gains(const Value &fold, const Contraction &contraction) const;
  Value &padded(Value &base, Expr length);

  Program &program;
  llvm::DenseMap<Value *, Value *> known;
};

} // namespace

/// Whether a factor is a tensor whose rows are what is summed over.
static bool hasRowsOf(const Access &factor, Expr term, Expr extent) {
  return factor.loaded.empty() && !factor.at.empty() && factor.at.back() == term &&
         factor.from->shape.back() == extent &&
         llvm::none_of(llvm::ArrayRef(factor.at).drop_back(),
                       [&](Expr coordinate) { return index::contains(coordinate, term); });
}

/// Whether loads of whole pieces gain more than copies of both factors take.
bool PaddedTerms::gains(const Value &fold, const Contraction &contraction) const {
  constexpr double surely = 2;
  const Device &device = program.policy.getDevice();
  ContractionSizes sizes = sizesOf(program, fold, contraction);
  double rate = sizes.bytesOfElement == 2 ? device.halfProductsPerUs
                : sizes.areTf32           ? device.tf32ProductsPerUs
                                          : device.floatProductsPerUs;
  double rows = double(sizes.batch) * double(sizes.rows), columns = double(sizes.columns),
         terms = double(sizes.terms);
  double products = 2 * rows * columns * terms / rate;
  double moved = 2 * (rows + double(sizes.batch) * columns) * terms * double(sizes.bytesOfElement);
  return products * (byElements - 1) > surely * (2 * device.launchUs + moved / device.bytesPerUs);
}

/// A value with the elements of another and zeros behind each of its rows.
Value &PaddedTerms::padded(Value &base, Expr length) {
  Value *&result = known[&base];
  if (result)
    return *result;
  result = &program.values.emplace_back(ValueKind::Select, base.name + "_padded", base.loc,
                                        base.elementType);
  result->unit = base.unit;
  result->order = base.order + 1;
  result->shape = base.shape;
  result->shape.back() = length;
  base.isRounded |= base.isElidableCast();
  Access whole{&base, {}, {}};
  for (unsigned dim = 0; dim < base.shape.size(); ++dim)
    whole.at.push_back(program.getIndex(dim));
  result->cases.push_back({index::lt(whole.at.back(), base.shape.back()), std::move(whole)});
  Value &zero =
      program.values.emplace_back(ValueKind::Constant, "zero", base.loc, base.elementType);
  zero.order = base.order;
  result->cases.push_back({index::truth(*program.context, true), Access{&zero, {}, {}}});
  return *result;
}

void PaddedTerms::add(Value &fold) {
  auto contraction = asContraction(program, fold, StoredSet());
  if (!contraction || fold.foldExtents.size() != 1 ||
      !fillsTiles(sizesOf(program, fold, *contraction)))
    return;
  Expr extent = fold.foldExtents.front(), term = program.getFoldIndex(0);
  Access factors[] = {contraction->left, contraction->right};
  int64_t together =
      extent.isConstant() ? bytesOfLoad / factors[0].from->getElementBytes() : elementsOfLoad;
  if (program.estimate(extent) % together == 0 || !hasRowsOf(factors[0], term, extent) ||
      !hasRowsOf(factors[1], term, extent) || !gains(fold, *contraction))
    return;
  Expr length = index::ceildiv(extent, together) * together;
  llvm::SmallVector<Expr, 4> kept;
  for (unsigned dim = 0; dim < fold.shape.size(); ++dim)
    kept.push_back(program.getIndex(dim));
  for (Access &factor : factors) {
    for (Expr &coordinate : factor.at)
      coordinate = substituteIndices(coordinate, kept, program.getIndex(kept.size()), program);
    factor.from = &padded(*factor.from, length);
  }
  setFactors(program, fold, length, std::move(factors[0]), std::move(factors[1]));
}

void padTerms(Program &program) {
  // Room for what is put behind a value.
  constexpr unsigned placesBehind = 2;
  spaceOut(program, placesBehind);
  llvm::SmallVector<Value *> folds;
  for (Value &value : program.values)
    if (value.kind == ValueKind::Fold && value.loop < 0)
      folds.push_back(&value);
  PaddedTerms padding(program);
  for (Value *fold : folds)
    padding.add(*fold);
}

} // namespace nereid::schedule
