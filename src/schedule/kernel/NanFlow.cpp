// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/kernel/NanFlow.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// Operators whose result is NaN when any operand is.
static bool keepsNan(const Value &value) {
  if (value.kind != ValueKind::Map || !value.op)
    return false;
  if (auto cast = llvm::dyn_cast<graph::CastOp>(value.op))
    return llvm::isa<mlir::FloatType>(value.elementType);
  return llvm::isa<graph::NegOp, graph::AbsOp, graph::ExpOp, graph::Exp2Op, graph::Expm1Op,
                   graph::LogOp, graph::Log2Op, graph::Log10Op, graph::Log1pOp, graph::SqrtOp,
                   graph::RsqrtOp, graph::Tf32Op, graph::TanhOp, graph::ErfOp, graph::AddOp,
                   graph::SubOp, graph::MulOp, graph::DivOp>(value.op) &&
         llvm::isa<mlir::FloatType>(value.elementType);
}

namespace {

class NanFlow {
public:
  NanFlow(const Program &program, const Value &fold, const Kernel &kernel, const StoredSet &stored)
      : program(program), fold(fold), stored(stored) {
    for (const KernelOutput &output : kernel.outputs)
      computed.insert(output.value);
  }

  bool dependsOnFold(const Value &value) {
    if (&value == &fold)
      return true;
    if (isBoundary(value))
      return false;
    return remembered(depending, &value, [&] {
      bool depends = false;
      forEachAccess(value, [&](const Access &access) { depends |= dependsOnFold(*access.from); });
      return depends;
    });
  }

  /// The value is NaN for the whole row as soon as one element of the row is.
  bool carries(const Value &value) {
    if (value.kind == ValueKind::Fold && &value != &fold) {
      auto sum = llvm::cast<graph::FoldOp>(value.op);
      return sum.getKind() == graph::FoldKind::Sum && value.foldExtents == fold.foldExtents &&
             nanReaches(value.inputs[0]);
    }
    if (isBoundary(value) || !keepsNan(value))
      return false;
    return remembered(carrying, &value, [&] {
      return llvm::any_of(value.inputs,
                          [&](const Access &access) { return carries(*access.from); });
    });
  }

private:
  /// Whether a NaN in an element that the fold reads makes the element of `access` at the same
  /// indices NaN.
  bool nanReaches(const Access &access) {
    const Access &folded = fold.inputs[0];
    if (access.from == folded.from && access.at == folded.at)
      return true;
    if (!keepsNan(*access.from))
      return false;
    std::pair<const Value *, unsigned> key(access.from, program.indexMemory.placeOf(access.at, {}));
    return remembered(reached, key, [&] {
      return llvm::any_of(access.from->inputs, [&](const Access &inner) {
        return nanReaches(compose(inner, access.at, program));
      });
    });
  }

  /// What is read in many ways is looked at once.
  template <typename Key, typename Look>
  static bool remembered(llvm::DenseMap<Key, bool> &known, Key key, Look look) {
    auto [found, isNew] = known.try_emplace(key, false);
    if (!isNew)
      return found->second;
    bool result = look();
    return known[key] = result;
  }

  bool isBoundary(const Value &value) const {
    return value.isFree() || (stored.contains(&value) && !computed.contains(&value));
  }

  const Program &program;
  const Value &fold;
  const StoredSet &stored;
  StoredSet computed;
  llvm::DenseMap<const Value *, bool> depending, carrying;
  llvm::DenseMap<std::pair<const Value *, unsigned>, bool> reached;
};

} // namespace

bool mayDropNan(const Program &program, const Value &fold, const Kernel &kernel,
                const StoredSet &stored) {
  // What a loop carries brings a NaN of one turn to others, by ways that are not looked at.
  if (!llvm::isa<mlir::FloatType>(fold.elementType) || kernel.loop >= 0)
    return false;
  NanFlow flow(program, fold, kernel, stored);
  return llvm::all_of(kernel.outputs, [&](const KernelOutput &output) {
    return !flow.dependsOnFold(*output.value) || flow.carries(*output.value);
  });
}

} // namespace nereid::schedule
