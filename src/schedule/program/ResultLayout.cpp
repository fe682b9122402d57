// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/ResultLayout.h"

#include "schedule/program/IndexMap.h"

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
      if (rank < 2 || ordersAxes(access))
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
  /// Whether two axes of the result are axes of an operand: it is repeated along all others, which
  /// tells nothing of their order.
  bool ordersAxes(const Access &access) const {
    size_t axes = 0;
    for (unsigned axis = 0; axis < rank; ++axis)
      axes += llvm::any_of(access.at, [&](Expr coordinate) {
        return index::contains(coordinate, program.getIndex(axis));
      });
    return axes >= 2;
  }

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

std::optional<StridedView> asStridedView(llvm::ArrayRef<Expr> at, size_t rank,
                                         llvm::ArrayRef<Expr> inputStrides,
                                         const Program &program) {
  StridedView view{{}, program.context->constant(0)};
  for (auto [coordinate, stride] : llvm::zip_equal(at, inputStrides))
    view.offset = view.offset + coordinate * stride;
  for (size_t axis = 0; axis < rank; ++axis) {
    auto linear = index::asLinearIn(view.offset, program.getIndex(axis));
    if (!linear)
      return std::nullopt;
    view.strides.push_back(linear->coefficient);
    view.offset = linear->rest;
  }
  for (Expr stride : view.strides)
    for (size_t axis = 0; axis < rank; ++axis)
      if (index::contains(stride, program.getIndex(axis)))
        return std::nullopt;
  return view;
}

static bool isNegative(const index::Term &term) { return term.coefficient < 0; }

std::optional<StridedView> asViewOfArgument(const Access &access, size_t rank,
                                            llvm::ArrayRef<Expr> inputStrides,
                                            const Program &program) {
  if (access.from->kind != ValueKind::Input || access.isCopied || !access.loaded.empty())
    return std::nullopt;
  auto view = asStridedView(access.at, rank, inputStrides, program);
  // PyTorch has no negative strides: it copies what is flipped.
  if (view && llvm::any_of(view->strides,
                           [](Expr stride) { return llvm::any_of(stride.getTerms(), isNegative); }))
    return std::nullopt;
  return view;
}

std::optional<llvm::SmallVector<Expr, 4>> stridesAlong(const LayoutOperand &operand,
                                                       const Value &result,
                                                       llvm::ArrayRef<Expr> inputStrides,
                                                       const Program &program) {
  auto view = asStridedView(operand.at, result.shape.size(), inputStrides, program);
  if (!view)
    return std::nullopt;
  // A flip is a copy with the strides of what it flips.
  for (Expr &stride : view->strides) {
    llvm::SmallVector<index::Term, 4> terms = stride.getTerms();
    if (!terms.empty() && llvm::all_of(terms, isNegative))
      stride = 0 - stride;
    else if (llvm::any_of(terms, isNegative))
      return std::nullopt;
  }
  return std::move(view->strides);
}

} // namespace nereid::schedule
