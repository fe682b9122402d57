// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AccessMemory.h"

#include "llvm/ADT/SetVector.h"

namespace nereid::analysis {

namespace {

/// Expressions are unique: their addresses say which they are.
class Writer {
public:
  explicit Writer(std::string &text) : text(text) {}

  void number(int64_t number) {
    text.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  void pointer(const void *pointer) { number(int64_t(reinterpret_cast<intptr_t>(pointer))); }
  template <typename T> void list(llvm::ArrayRef<T> list) {
    number(int64_t(list.size()));
    for (T one : list)
      pointer(one.getAsOpaquePointer());
  }
  void range(index::Range range) {
    number((range.lo ? 2 : 0) + (range.hi ? 1 : 0));
    number(range.lo.value_or(0));
    number(range.hi.value_or(0));
  }
  void checks(llvm::ArrayRef<RangeCheck> checks) {
    number(int64_t(checks.size()));
    for (const RangeCheck &check : checks) {
      pointer(check.expr.getAsOpaquePointer());
      range(check.range);
    }
  }

private:
  std::string &text;
};

} // namespace

AccessKeys::AccessKeys(const LaunchContract &contract) : contract(contract) {
  Writer writer(launch);
  writer.list(llvm::ArrayRef(contract.grid));
  // All shapes count, as there are elements where others are too; but not which argument has which.
  llvm::SmallVector<std::string> shapes;
  for (const ArgumentContract &argument : contract.arguments)
    if (!argument.sizes.empty())
      Writer(shapes.emplace_back()).list(llvm::ArrayRef(argument.sizes));
  llvm::sort(shapes);
  shapes.erase(llvm::unique(shapes), shapes.end());
  writer.number(int64_t(shapes.size()));
  for (const std::string &shape : shapes)
    launch += shape;
}

std::optional<std::string> AccessKeys::of(const AccessSource &access,
                                          const LaneValues &lanes) const {
  bool isOfTensor = access.pointer.kind == LaneValue::Kind::Pointer &&
                    access.pointer.argument < contract.arguments.size() &&
                    contract.arguments[access.pointer.argument].isTensor;
  if (contract.isOpen || !isOfTensor)
    return std::nullopt;
  std::string key = launch;
  Writer writer(key);
  const ArgumentContract &tensor = contract.arguments[access.pointer.argument];
  writer.number(tensor.isInjective);
  writer.list(llvm::ArrayRef(tensor.sizes));
  writer.list(llvm::ArrayRef(tensor.strides));
  writer.pointer(access.pointer.expr.getAsOpaquePointer());
  writer.checks(access.pointer.checks);
  writer.list(llvm::ArrayRef(access.extents));
  writer.number(access.isMaskKnown);
  writer.number(int64_t(access.conditions.size()));
  for (const Conjunct &condition : access.conditions) {
    writer.pointer(condition.pred.getAsOpaquePointer());
    writer.number(condition.exact);
    writer.checks(condition.checks);
  }
  writer.list(lanes.getFacts().getAssumptions());
  writer.list(llvm::ArrayRef(access.known));
  // Ranges of what is made in the kernel are no assumptions.
  llvm::SetVector<index::Expr> symbols;
  auto hold = [&](index::Expr symbol) {
    if (symbol.getName().starts_with("$"))
      symbols.insert(symbol);
  };
  for (index::Expr part : access.parts)
    index::forEachSymbol(part, hold);
  for (index::Pred pred : access.known)
    index::forEachSymbol(pred, hold);
  for (index::Expr symbol : symbols) {
    writer.pointer(symbol.getAsOpaquePointer());
    writer.range(lanes.getFacts().range(symbol));
  }
  return key;
}

} // namespace nereid::analysis
