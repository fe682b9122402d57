// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/partition/Roundings.h"

#include "graph/GraphOps.h"

namespace nereid::schedule {

/// Whether a value is a cast that may round or not.
static bool isOpen(const Value &value) {
  return value.isElidableCast() && value.elementType.getIntOrFloatBitWidth() <=
                                       value.inputs[0].from->elementType.getIntOrFloatBitWidth();
}

/// The halves that cost next to nothing as float32 where they have to stand between kernels: what
/// they are computed from has many times their elements.
static llvm::DenseSet<const Value *> findCheapWide(Program &program) {
  constexpr double many = 32;
  std::vector<Value *> ordered;
  for (Value &value : program.values)
    ordered.push_back(&value);
  llvm::sort(ordered, [](const Value *a, const Value *b) { return a->order < b->order; });
  llvm::DenseMap<const Value *, double> largest; // of all that a value is computed from
  llvm::DenseSet<const Value *> cheap;
  for (Value *value : ordered) {
    double own = double(program.estimateElements(value->shape)), most = own;
    forEachAccess(*value,
                  [&](Access &access) { most = std::max(most, largest.lookup(access.from)); });
    largest[value] = most;
    if (isOpen(*value) && most >= many * own)
      cheap.insert(value);
  }
  return cheap;
}

/// Whether a comparison with a number tells of a half what it tells of what was rounded to it.
static bool isSignOrLimit(const Value &value) {
  auto constant = llvm::dyn_cast_or_null<graph::ConstantOp>(value.op);
  auto number = constant ? llvm::dyn_cast<mlir::FloatAttr>(constant.getValue()) : nullptr;
  return value.kind == ValueKind::Constant &&
         (!number || number.getValue().isZero() || !number.getValue().isFinite());
}

/// Rounds the halves that a program compares with one another, or with a number: those that are one
/// of them (their greatest, the one at a place, a bound) may be stored and so rounded, and would be
/// equal to none. A gradient does with the halves of its program what that does.
static void roundCompared(Program &program, const SharedCasts &ofProgram) {
  for (Value &reader : program.values) {
    bool compares = reader.kind == ValueKind::Map &&
                    isa_and_nonnull<graph::EqOp, graph::NeOp, graph::LtOp, graph::LeOp, graph::GtOp,
                                    graph::GeOp>(reader.op);
    if (!compares || llvm::any_of(reader.inputs,
                                  [](const Access &access) { return isSignOrLimit(*access.from); }))
      continue;
    for (Access &access : reader.inputs) {
      Value *half = access.from->isCast() ? access.from->inputs[0].from : access.from;
      std::optional<int64_t> number = half->getSharedCast();
      half->isRounded |= isOpen(*half) && !(number && ofProgram.contains(*number));
    }
  }
}

void settleRoundings(Program &program, const SharedCasts &ofProgram) {
  for (Value &reader : program.values)
    forEachAccess(reader, [&](Access &access) {
      Value &half = *access.from;
      if (!isOpen(half))
        return;
      bool isWide = reader.isCast() && reader.elementType == half.inputs[0].from->elementType;
      half.isRounded |= !isWide;
    });
  for (const Result &result : program.results)
    result.value->isRounded |= isOpen(*result.value);
  roundCompared(program, ofProgram);
  llvm::DenseSet<const Value *> cheap = findCheapWide(program);
  for (Value &value : program.values) {
    if (!isOpen(value))
      continue;
    value.isRounded |= value.op->hasAttr("graph.rounds");
    std::optional<int64_t> number = value.getSharedCast();
    auto known = number ? ofProgram.find(*number) : ofProgram.end();
    bool isKnown = known != ofProgram.end();
    value.isRounded |= isKnown && known->second;
    value.isInlineOnly |= !value.isRounded && (isKnown || cheap.contains(&value));
  }
}

void findShownAsHalves(Program &program) {
  llvm::DenseMap<const Value *, llvm::SmallVector<const Value *, 2>> readers;
  std::vector<Value *> ordered;
  for (Value &value : program.values) {
    ordered.push_back(&value);
    forEachAccess(value, [&](Access &access) { readers[access.from].push_back(&value); });
  }
  llvm::DenseSet<const Value *> results;
  for (const Result &result : program.results)
    results.insert(result.value);
  // Readers first.
  llvm::sort(ordered, [](const Value *a, const Value *b) { return a->order > b->order; });
  for (Value *value : ordered)
    value->isShownAsHalf =
        !results.contains(value) && readers.contains(value) &&
        llvm::all_of(readers[value], [](const Value *reader) {
          bool isMap = reader->kind == ValueKind::Map && reader->elementType.isF32();
          return (reader->isElidableCast() && reader->elementType.getIntOrFloatBitWidth() == 16) ||
                 (isMap && reader->isShownAsHalf);
        });
}

SharedCasts findRoundings(const Program &program, const StoredSet &stored) {
  SharedCasts casts;
  for (const Value &value : program.values)
    if (std::optional<int64_t> number = value.getSharedCast())
      casts[*number] |= !value.isElidableCast() || value.isRounded || stored.contains(&value);
  return casts;
}

} // namespace nereid::schedule
