// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/RepeatedFolds.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"

#include "llvm/ADT/SetVector.h"
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
  /// Those whose indices an expression or a condition has.
  template <typename T> void noteIndices(T of, llvm::SmallBitVector &axes) const {
    index::forEachSymbol(of, [&](Expr symbol) {
      for (unsigned dim = 0; dim < axes.size(); ++dim)
        if (symbol == program.getIndex(dim))
          axes.set(dim);
    });
  }
  /// Those along which what an access reads varies.
  void noteVaried(const Access &access, llvm::SmallBitVector &axes) const;
  /// Whether it adds up products whose factors are both read again along an axis that it keeps:
  /// other sums cost no more than a kernel that would read what is stored of them.
  bool isContraction(const Value &fold) const;
  bool isRepeated(const Value *value) const;
  /// Takes a fold and all repeated values that it is made of into `chosen`: each may be stored, and
  /// where the axis has no elements it has none to read.
  void choose(Value &fold);
  void drop(Value &value);

  Program &program;
  /// Values whose shape is seen.
  llvm::DenseSet<const Value *> fixed;
  llvm::DenseMap<const Value *, llvm::SmallBitVector> varied;
  llvm::SetVector<Value *> chosen;
};

} // namespace

static bool isPlainFold(const Value &value) {
  return value.kind == ValueKind::Fold && value.window == 0 && !value.isSegment;
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

void RepeatedAxes::noteVaried(const Access &access, llvm::SmallBitVector &axes) const {
  for (const LoadedIndex &loaded : access.loaded)
    noteVaried(loaded.access, axes);
  // What a later turn of a loop leaves is not known yet.
  auto known = varied.find(access.from);
  for (auto [dim, coordinate] : llvm::enumerate(access.at))
    if (known == varied.end() || known->second.test(dim))
      noteIndices(coordinate, axes);
}

llvm::SmallBitVector RepeatedAxes::findVaried(const Value &value) const {
  llvm::SmallBitVector axes(value.shape.size(), !readsByIndex(value));
  if (axes.all())
    return axes;
  for (const Access &input : value.inputs)
    noteVaried(input, axes);
  for (const Case &alternative : value.cases) {
    noteVaried(alternative.access, axes);
    noteIndices(alternative.when, axes);
  }
  return axes;
}

bool RepeatedAxes::isContraction(const Value &fold) const {
  if (!isPlainFold(fold))
    return false;
  const Value &terms = *fold.inputs[0].from;
  if (!llvm::isa_and_nonnull<graph::MulOp>(terms.op))
    return false;
  const llvm::SmallBitVector &kept = varied.at(&fold);
  return llvm::all_of(terms.inputs, [&](const Access &factor) {
    llvm::SmallBitVector axes(kept.size());
    noteVaried(compose(factor, fold.inputs[0].at, program), axes);
    return kept.test(axes);
  });
}

bool RepeatedAxes::isRepeated(const Value *value) const {
  auto known = varied.find(value);
  return known != varied.end() && !known->second.all();
}

void RepeatedAxes::choose(Value &fold) {
  llvm::SetVector<Value *> made;
  made.insert(&fold);
  for (unsigned next = 0; next < made.size(); ++next) {
    if (fixed.contains(made[next]) || made[next]->loop >= 0)
      return;
    forEachAccess(std::as_const(*made[next]), [&](const Access &access) {
      if (isRepeated(access.from))
        made.insert(access.from);
    });
  }
  chosen.insert_range(made);
}

void RepeatedAxes::drop(Value &value) {
  const llvm::SmallBitVector &kept = varied.at(&value);
  llvm::SmallVector<Expr, 4> at, shape;
  for (unsigned dim = 0; dim < kept.size(); ++dim) {
    at.push_back(kept.test(dim) ? program.getIndex(shape.size()) : program.context->constant(0));
    if (kept.test(dim))
      shape.push_back(value.shape[dim]);
  }
  for (Access &input : value.inputs)
    input = compose(input, at, program);
  for (Case &alternative : value.cases) {
    alternative.when = substituteIndices(alternative.when, at, {}, program);
    alternative.access = compose(alternative.access, at, program);
  }
  value.shape = std::move(shape);
}

void RepeatedAxes::run() {
  findFixed();
  std::vector<Value *> ordered;
  for (Value &value : program.values)
    ordered.push_back(&value);
  llvm::stable_sort(ordered, [](const Value *a, const Value *b) { return a->order < b->order; });
  for (Value *value : ordered) {
    llvm::SmallBitVector axes = findVaried(*value);
    for (unsigned dim = 0; dim < axes.size(); ++dim)
      if (value->shape[dim].isConstant(1))
        axes.set(dim);
    varied[value] = axes;
  }
  for (Value *value : ordered)
    if (isRepeated(value) && isContraction(*value))
      choose(*value);
  for (Value *value : chosen)
    drop(*value);
  for (Value &value : program.values)
    forEachAccess(value, [&](Access &access) {
      if (!chosen.contains(access.from))
        return;
      llvm::SmallVector<Expr, 4> at;
      for (unsigned dim : varied.at(access.from).set_bits())
        at.push_back(access.at[dim]);
      access.at = std::move(at);
    });
}

void dropRepeatedAxes(Program &program) { RepeatedAxes(program).run(); }

} // namespace nereid::schedule
