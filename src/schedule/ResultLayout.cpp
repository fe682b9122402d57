// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/ResultLayout.h"

#include "schedule/IndexMap.h"

#include <set>

namespace nereid::schedule {

namespace {

/// Walks from a result through pointwise values to inputs, in the order of the operands. Ends at
/// the first operand of full rank that is row-major for certain: it decides what is still open.
class OperandFinder {
public:
  OperandFinder(const Program &program, size_t rank) : program(program), rank(rank) {
    for (const Value &value : program.values)
      if (value.kind == ValueKind::Fold || value.kind == ValueKind::Scan)
        foldingUnits.insert(value.unit);
  }

  /// Returns false at the end of the walk.
  bool visit(const Access &access) {
    const Value &value = *access.from;
    if (value.shape.empty() || value.kind == ValueKind::Scalar)
      return true;
    if (access.isCopied || !access.loaded.empty())
      return false;
    // What was seen before decides nothing more; chains of double uses stay linear.
    if (!seen.insert({&value, {access.at.begin(), access.at.end()}}).second)
      return true;
    if (value.kind == ValueKind::Input) {
      operands.push_back({&value, access.at});
      return true;
    }
    // An operator that folds (a softmax) makes its result row-major. One of fewer axes is repeated
    // along the others and decides nothing.
    if (value.kind != ValueKind::Map || foldingUnits.contains(value.unit))
      return value.shape.size() < rank;
    for (const Access &input : value.inputs)
      if (!visit(compose(input, access.at, program)))
        return false;
    return true;
  }

  llvm::SmallVector<LayoutOperand> operands;

private:
  const Program &program;
  size_t rank;
  llvm::DenseSet<unsigned> foldingUnits;
  std::set<std::pair<const Value *, std::vector<Expr>>> seen;
};

} // namespace

bool LayoutOperand::isBroadcast(const Value &result, const Program &program) const {
  if (at.size() > result.shape.size())
    return false;
  size_t missing = result.shape.size() - at.size();
  for (auto [axis, coordinate] : llvm::enumerate(at)) {
    bool same = coordinate == program.getIndex(axis + missing) &&
                input->shape[axis] == result.shape[axis + missing];
    if (!same && !(coordinate.isConstant(0) && input->shape[axis].isConstant(1)))
      return false;
  }
  return true;
}

std::optional<llvm::SmallVector<unsigned, 4>>
LayoutOperand::permutation(const Value &result, const Program &program) const {
  if (at.size() != result.shape.size())
    return std::nullopt;
  llvm::SmallVector<unsigned, 4> order;
  for (auto [axis, size] : llvm::enumerate(result.shape)) {
    auto found = llvm::find(at, program.getIndex(axis));
    if (found == at.end() || input->shape[found - at.begin()] != size)
      return std::nullopt;
    order.push_back(found - at.begin());
  }
  return order;
}

llvm::SmallVector<LayoutOperand> findLayoutOperands(const Program &program, const Value &result) {
  OperandFinder finder(program, result.shape.size());
  Access whole{const_cast<Value *>(&result), {}, {}};
  for (unsigned i = 0; i < result.shape.size(); ++i)
    whole.at.push_back(program.getIndex(i));
  if (result.kind == ValueKind::Map)
    finder.visit(whole);
  return std::move(finder.operands);
}

std::optional<llvm::SmallVector<Expr, 4>> stridesAlong(const LayoutOperand &operand,
                                                       const Value &result,
                                                       llvm::ArrayRef<Expr> inputStrides,
                                                       const Program &program) {
  Expr offset = program.context->constant(0);
  for (auto [coordinate, stride] : llvm::zip_equal(operand.at, inputStrides))
    offset = offset + coordinate * stride;
  llvm::SmallVector<Expr, 4> strides;
  for (size_t axis = 0; axis < result.shape.size(); ++axis) {
    auto linear = index::asLinearIn(offset, program.getIndex(axis));
    if (!linear)
      return std::nullopt;
    strides.push_back(linear->coefficient);
    offset = linear->rest;
  }
  for (Expr stride : strides)
    for (size_t axis = 0; axis < result.shape.size(); ++axis)
      if (index::contains(stride, program.getIndex(axis)))
        return std::nullopt;
  // A flip is a copy with the strides of what it flips.
  for (Expr &stride : strides) {
    auto isNegative = [](const index::Term &term) { return term.coefficient < 0; };
    llvm::SmallVector<index::Term, 4> terms = stride.getTerms();
    if (!terms.empty() && llvm::all_of(terms, isNegative))
      stride = 0 - stride;
    else if (llvm::any_of(terms, isNegative))
      return std::nullopt;
  }
  return strides;
}

} // namespace nereid::schedule
