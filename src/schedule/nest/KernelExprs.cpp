// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/KernelExprs.h"

namespace nereid::schedule {

void KernelExprs::add(const Program &program, const StrideMap &strides, const Value &value,
                      llvm::ArrayRef<Expr> at, bool isWrite) {
  index::Context &context = *program.context;
  llvm::SmallVector<Expr, 4> usual = strides.find(&value)->second;
  Expr stride = context.constant(1);
  for (size_t axis = at.size(); axis-- > 0; stride = stride * value.shape[axis])
    if (isStrideOfCall(usual[axis]))
      usual[axis] = stride;
  // What is written lies as its readers want it.
  int64_t weight = isWrite ? 2 : 1;
  touches.push_back({offsetOf(value, at, strides, context), offsetOf(at, usual, context),
                     weight * program.estimateElements(value.shape) * value.getElementBytes(),
                     &value, isWrite});
}

void KernelExprs::addRequests(const Program &program, const StrideMap &strides,
                              const Kernel &kernel, llvm::ArrayRef<Request> requests) {
  for (const Request &request : requests) {
    if (request.isTensorLoad())
      add(program, strides, *request.value, request.at, /*isWrite=*/false);
    if (Expr number = request.getNumber(program))
      numbers.push_back(number);
    llvm::append_range(predicates, request.conditions);
    if (!request.isFold() || kernel.carries(*request.value))
      continue;
    bool isScan = request.value->kind == ValueKind::Scan;
    scans |= isScan;
    rowFolds += !isScan;
    if (!isScan && request.value->window != 0)
      numbers.push_back(request.at[0]);
  }
}

KernelExprs::KernelExprs(const Program &program, const StoredSet &stored, const StrideMap &strides,
                         Kernel &kernel)
    : facts(*program.context) {
  StoredSet computed;
  for (const KernelOutput &output : kernel.outputs)
    computed.insert(output.value);
  Requests requests(program, stored, std::move(computed));
  for (const KernelOutput &output : kernel.outputs) {
    requests.add(*output.value, output.at, [&](const Value &fold, llvm::ArrayRef<Expr> at) {
      auto own = kernel.indicesOf(fold);
      return own ? own : std::optional(kernel.addColumns(fold, at, *program.context));
    });
    addRequests(program, strides, kernel, requests.getLast());
    rowsAgain |= output.columns >= 0 && llvm::any_of(requests.getLast(), [&](const Request &each) {
                   return each.isFold() && each.value != output.value;
                 });
    llvm::SmallVector<Expr, 4> written(output.at);
    // Where a scatter writes along its axis is data.
    if (output.value->kind == ValueKind::Scatter)
      written[output.value->dim] = program.context->constant(0);
    add(program, strides, *output.value, written, /*isWrite=*/true);
  }
  facts = factsOf(kernel, *program.context);
  for (Touch &touch : touches) {
    touch.offset = facts.simplify(touch.offset);
    touch.usual = facts.simplify(touch.usual);
  }
  for (Expr &number : numbers)
    number = facts.simplify(number);
  for (Space &space : kernel.columns)
    if (space.window != 0)
      space.windowIndex = facts.simplify(space.windowIndex);
}

int64_t KernelExprs::countBytes() const {
  int64_t bytes = 0;
  for (const Touch &touch : touches)
    bytes += touch.bytes;
  return bytes;
}

void KernelExprs::mergeAxes(Space &space, AxisMerges &merges) const {
  for (unsigned i = space.symbols.size(); i-- > 0 && space.symbols.size() > 1;)
    if (space.extents[i].isConstant(1)) {
      merges.drop(space.symbols[i]);
      space.symbols.erase(space.symbols.begin() + i);
      space.extents.erase(space.extents.begin() + i);
    }
  for (unsigned i = space.symbols.size(); i-- > 1;) {
    Expr p = space.symbols[i - 1], q = space.symbols[i], extent = space.extents[i];
    auto fits = [&](auto what) { return isLinearInPair(merges.apply(what), p, q, extent); };
    if (!llvm::all_of(touches, [&](const Touch &touch) { return fits(touch.offset); }) ||
        !llvm::all_of(numbers, fits) || !llvm::all_of(predicates, fits))
      continue;
    merges.merge(p, q, extent);
    space.extents[i] = space.extents[i - 1] * extent;
    space.symbols.erase(space.symbols.begin() + (i - 1));
    space.extents.erase(space.extents.begin() + (i - 1));
  }
}

/// The bytes of accesses whose elements lie farther apart along `p` than along `q`, less those of
/// the others.
int64_t KernelExprs::compareStrides(Expr p, Expr q) const {
  int64_t bytes = 0;
  for (const Touch &touch : touches) {
    auto first = index::asLinearIn(touch.offset, p), second = index::asLinearIn(touch.offset, q);
    if (!first || !second || first->coefficient.isConstant(0) || second->coefficient.isConstant(0))
      continue;
    if (facts.isTrue(index::lt(first->coefficient, second->coefficient)) ||
        first->coefficient.isConstant(1))
      bytes -= touch.bytes;
    else if (facts.isTrue(index::lt(second->coefficient, first->coefficient)) ||
             second->coefficient.isConstant(1))
      bytes += touch.bytes;
  }
  return bytes;
}

void KernelExprs::orderAxes(Space &space) const {
  for (size_t turn = 0; turn < space.symbols.size(); ++turn)
    for (size_t i = 1; i < space.symbols.size(); ++i)
      if (compareStrides(space.symbols[i - 1], space.symbols[i]) < 0) {
        std::swap(space.symbols[i - 1], space.symbols[i]);
        std::swap(space.extents[i - 1], space.extents[i]);
      }
}

int64_t KernelExprs::countContiguous(Expr symbol, const AxisMerges &merges) const {
  return countContiguous(symbol, merges, true) + countContiguous(symbol, merges, false);
}

int64_t KernelExprs::countContiguous(Expr symbol, const AxisMerges &merges, bool areWrites) const {
  return countSteps(symbol, facts.getContext().constant(1), merges, areWrites);
}

int64_t KernelExprs::countSteps(Expr symbol, Expr step, const AxisMerges &merges,
                                bool areWrites) const {
  int64_t bytes = 0;
  for (const Touch &touch : touches) {
    if (touch.isWrite != areWrites)
      continue;
    auto linear = index::asLinearIn(merges.apply(touch.usual), symbol);
    if (linear && linear->coefficient == step)
      bytes += touch.bytes;
  }
  return bytes;
}

} // namespace nereid::schedule
