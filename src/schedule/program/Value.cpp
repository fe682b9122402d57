// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/Value.h"

#include "graph/GraphOps.h"

namespace nereid::schedule {

bool Value::isCast() const { return kind == ValueKind::Map && op && llvm::isa<graph::CastOp>(op); }

bool Value::isElidableCast() const {
  return isCast() && llvm::cast<graph::CastOp>(op).getElidable();
}

std::optional<int64_t> Value::getSharedCast() const {
  if (!isCast())
    return std::nullopt;
  auto number = op->getAttrOfType<mlir::IntegerAttr>("graph.half");
  return number ? std::optional(number.getInt()) : std::nullopt;
}

int64_t Value::getElementBytes() const {
  constexpr int64_t bytesOfHalf = 2;
  return isHalfByPrecision ? bytesOfHalf
                           : int64_t(llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8));
}

/// `Read` is an access that may be changed, or a constant one.
template <typename Read>
static void visitAccess(Read &access, llvm::function_ref<void(Read &)> visit) {
  visit(access);
  for (auto &loaded : access.loaded)
    visitAccess<Read>(loaded.access, visit);
}

template <typename Reader, typename Read>
static void visitAccesses(Reader &value, llvm::function_ref<void(Read &)> visit) {
  for (Read &access : value.inputs)
    visitAccess(access, visit);
  for (auto &alternative : value.cases)
    visitAccess<Read>(alternative.access, visit);
}

void forEachAccess(const Value &value, llvm::function_ref<void(const Access &)> visit) {
  visitAccesses(value, visit);
}

void forEachAccess(Value &value, llvm::function_ref<void(Access &)> visit) {
  visitAccesses(value, visit);
}

int64_t Program::estimate(Expr expr) const {
  auto value = index::evaluate(expr, [&](Expr symbol) -> std::optional<int64_t> {
    auto found = planned.find(symbol);
    return found == planned.end() ? 1024 : found->second;
  });
  return value.value_or(1024);
}

int64_t Program::estimateElements(llvm::ArrayRef<Expr> shape) const {
  int64_t elements = 1;
  for (Expr extent : shape)
    elements *= std::max<int64_t>(estimate(extent), 1);
  return elements;
}

void spaceOut(Program &program, unsigned places) {
  std::vector<Value *> ordered;
  for (Value &value : program.values)
    ordered.push_back(&value);
  llvm::stable_sort(ordered, [](const Value *a, const Value *b) { return a->order < b->order; });
  for (auto [number, value] : llvm::enumerate(ordered))
    value->order = unsigned(number + 1) * places;
}

llvm::DenseSet<const Value *> findLeaves(const Value &top) {
  constexpr size_t mostValues = 256;
  llvm::SetVector<const Value *> reached;
  llvm::DenseSet<const Value *> leaves;
  reached.insert(&top);
  for (size_t next = 0; next < reached.size() && next < mostValues; ++next)
    if (reached[next]->kind == ValueKind::Map)
      forEachAccess(*reached[next], [&](const Access &access) { reached.insert(access.from); });
    else
      leaves.insert(reached[next]);
  return leaves;
}

bool isContiguous(const Value &fold) {
  const Access &input = fold.inputs[0];
  bool found = input.at.empty();
  if (!found)
    index::forEachSymbol(input.at.back(),
                         [&](Expr symbol) { found |= symbol.getName().starts_with("$r"); });
  return found;
}

bool isRounding(const Value &value) {
  return value.kind == ValueKind::Map && llvm::isa_and_nonnull<graph::Tf32Op>(value.op);
}

} // namespace nereid::schedule
