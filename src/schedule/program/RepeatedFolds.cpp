// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/RepeatedFolds.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"

#include "llvm/ADT/SmallBitVector.h"

namespace nereid::schedule {

namespace {

class RepeatedAxes {
public:
  explicit RepeatedAxes(Program &program) : program(program) {}

  void run();

private:
  void findFixed();
  /// The axes along which a value varies; all of them of what is neither a map nor a fold.
  llvm::SmallBitVector findVaried(const Value &value) const;
  void drop(Value &fold, const llvm::SmallBitVector &kept);

  Program &program;
  /// Values whose shape is seen.
  llvm::DenseSet<const Value *> fixed;
  llvm::DenseMap<const Value *, llvm::SmallBitVector> varied;
  /// Of folds that have lost axes: those of before that are left.
  llvm::DenseMap<const Value *, llvm::SmallBitVector> left;
};

} // namespace

static bool isPlainFold(const Value &value) {
  return value.kind == ValueKind::Fold && value.window == 0 && !value.isSegment;
}

/// Whether it adds up products of two factors that are not known: sums of one are cheap beside the
/// kernel that they may need.
static bool isOfProducts(const Value &fold) {
  const Value &terms = *fold.inputs[0].from;
  auto isData = [](const Access &factor) {
    return llvm::any_of(findLeaves(*factor.from), [](const Value *leaf) {
      return leaf->kind == ValueKind::Input || !leaf->isFree();
    });
  };
  return llvm::isa_and_nonnull<graph::MulOp>(terms.op) && llvm::all_of(terms.inputs, isData);
}

static bool readsByIndex(const Value &value) {
  return value.kind == ValueKind::Map || value.kind == ValueKind::Select || isPlainFold(value);
}

void RepeatedAxes::findFixed() {
  for (const Result &result : program.results)
    fixed.insert(result.value);
  for (const ViewedResult &view : program.views)
    fixed.insert(view.access.from);
  for (const Value &value : program.values)
    forEachAccess(value, [&](const Access &access) {
      if (access.isCopied || !readsByIndex(value))
        fixed.insert(access.from);
    });
}

llvm::SmallBitVector RepeatedAxes::findVaried(const Value &value) const {
  llvm::SmallBitVector axes(value.shape.size(), !readsByIndex(value));
  auto note = [&](Expr symbol) {
    for (unsigned dim = 0; dim < axes.size(); ++dim)
      if (symbol == program.getIndex(dim))
        axes.set(dim);
  };
  if (axes.all())
    return axes;
  forEachAccess(value, [&](const Access &access) {
    // What a later turn of a loop leaves is not known yet.
    auto known = varied.find(access.from);
    for (auto [dim, coordinate] : llvm::enumerate(access.at))
      if (known == varied.end() || known->second.test(dim))
        index::forEachSymbol(coordinate, note);
  });
  for (const Case &alternative : value.cases)
    index::forEachSymbol(alternative.when, note);
  return axes;
}

void RepeatedAxes::drop(Value &fold, const llvm::SmallBitVector &kept) {
  llvm::SmallVector<Expr, 4> at, shape;
  for (unsigned dim = 0; dim < kept.size(); ++dim) {
    at.push_back(kept.test(dim) ? program.getIndex(shape.size()) : program.context->constant(0));
    if (kept.test(dim))
      shape.push_back(fold.shape[dim]);
  }
  for (Access &input : fold.inputs)
    input = compose(input, at, program);
  fold.shape = std::move(shape);
  left[&fold] = kept;
}

void RepeatedAxes::run() {
  findFixed();
  std::vector<Value *> ordered;
  for (Value &value : program.values)
    ordered.push_back(&value);
  llvm::stable_sort(ordered, [](const Value *a, const Value *b) { return a->order < b->order; });
  for (Value *value : ordered) {
    forEachAccess(*value, [&](Access &access) {
      auto known = left.find(access.from);
      if (known == left.end())
        return;
      llvm::SmallVector<Expr, 4> at;
      for (unsigned dim : known->second.set_bits())
        at.push_back(access.at[dim]);
      access.at = std::move(at);
    });
    llvm::SmallBitVector kept = findVaried(*value);
    for (unsigned dim = 0; dim < kept.size(); ++dim)
      if (value->shape[dim].isConstant(1))
        kept.set(dim);
    if (isPlainFold(*value) && value->loop < 0 && !fixed.contains(value) && !kept.all() &&
        isOfProducts(*value)) {
      drop(*value, kept);
      kept = llvm::SmallBitVector(value->shape.size(), true);
    }
    varied[value] = kept;
  }
}

void dropRepeatedAxes(Program &program) { RepeatedAxes(program).run(); }

} // namespace nereid::schedule
