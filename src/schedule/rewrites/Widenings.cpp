// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/Widenings.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// The half that a value widens; null for any other.
static mlir::Type widenedType(const Value &value) {
  if (!value.isCast() || !value.elementType.isF32())
    return {};
  mlir::Type type = value.inputs[0].from->elementType;
  return type.isF16() || type.isBF16() ? type : mlir::Type();
}

/// Whether a constant is a number that a half holds too.
static bool isHeld(const Value &value, mlir::Type half) {
  auto constant = llvm::dyn_cast_or_null<graph::ConstantOp>(value.op);
  auto number = constant ? llvm::dyn_cast<mlir::FloatAttr>(constant.getValue()) : nullptr;
  if (value.kind != ValueKind::Constant || !number)
    return false;
  bool loses = false;
  llvm::APFloat rounded = number.getValue();
  rounded.convert(llvm::cast<mlir::FloatType>(half).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &loses);
  return !loses;
}

/// What a value chooses among, by indices or by a condition that is data; nothing where it is no
/// choice.
static llvm::SmallVector<Access *, 4> armsOf(Value &value) {
  llvm::SmallVector<Access *, 4> arms;
  if (value.kind == ValueKind::Select)
    for (Case &alternative : value.cases)
      arms.push_back(&alternative.access);
  if (value.kind == ValueKind::Map && llvm::isa_and_nonnull<graph::WhereOp>(value.op))
    arms = {&value.inputs[1], &value.inputs[2]};
  return arms;
}

/// Makes a choice of widened halves the widened choice of them.
static void widenBehind(Value &choice, Program &program) {
  if (!choice.elementType.isF32())
    return;
  mlir::Type half;
  mlir::Operation *cast = nullptr;
  for (Access *arm : armsOf(choice)) {
    widenBehind(*arm->from, program);
    mlir::Type type = widenedType(*arm->from);
    if (half && type && half != type)
      return;
    half = type ? type : half;
    cast = type ? arm->from->op : cast;
  }
  auto fits = [&](const Access *arm) {
    return arm->loaded.empty() && (widenedType(*arm->from) || isHeld(*arm->from, half));
  };
  if (!half || !llvm::all_of(armsOf(choice), fits))
    return;
  Value &narrow = program.values.emplace_back(choice);
  narrow.elementType = half;
  narrow.order = choice.order - 1;
  for (Access *arm : armsOf(narrow)) {
    if (widenedType(*arm->from)) {
      *arm = compose(arm->from->inputs[0], arm->at, program);
      continue;
    }
    Value &number = program.values.emplace_back(*arm->from);
    number.elementType = half;
    arm->from = &number;
  }
  Access whole{&narrow, {}, {}};
  for (unsigned dim = 0; dim < choice.shape.size(); ++dim)
    whole.at.push_back(program.getIndex(dim));
  choice.kind = ValueKind::Map;
  choice.op = cast;
  choice.cases.clear();
  choice.inputs.assign({std::move(whole)});
}

void widenBehindChoices(Program &program) {
  // Room for what is put before a value.
  constexpr unsigned placesBefore = 2;
  spaceOut(program, placesBefore);
  llvm::SmallVector<Value *> products;
  for (Value &value : program.values) {
    auto fold = llvm::dyn_cast_or_null<graph::FoldOp>(value.op);
    if (value.kind != ValueKind::Fold || !fold || fold.getKind() != graph::FoldKind::Sum)
      continue;
    Value *term = value.inputs[0].from;
    if (term->kind == ValueKind::Map && llvm::isa_and_nonnull<graph::MulOp>(term->op))
      products.push_back(term);
  }
  for (Value *product : products)
    for (Access &factor : product->inputs)
      widenBehind(*factor.from, program);
}

} // namespace nereid::schedule
