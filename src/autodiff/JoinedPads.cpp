// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradients of pieces of one tensor, of `chunk`, of `split`, of both ends of `roll`: each is
// zero but for its piece, and their sum is the pieces one after the other.
#include "autodiff/Joint.h"

#include "index/Facts.h"
#include "sym/SymDialect.h"

using namespace mlir;

namespace nereid::autodiff {

namespace {

class PadJoiner {
public:
  explicit PadJoiner(Joint &joint)
      : joint(joint), facts(sym::SymDialect::getIndexContext(joint.program.getContext())),
        writer(joint.program.getContext()) {
    for (graph::CheckOp check : joint.program.getOps<graph::CheckOp>())
      facts.assume(check.getPred().getPred());
  }

  void run();

private:
  using Pads = std::vector<graph::PadOp>;

  graph::AddOp asSum(Value value) const;
  void collect(graph::AddOp sum, Pads &pads) const;
  bool follow(const Pads &pads, uint64_t dim, Expr begin, Pads &found) const;
  void join(const Pads &pads);

  Joint &joint;
  index::Facts facts;
  GradientWriter writer;
};

/// A sum that is no operator of the program.
graph::AddOp PadJoiner::asSum(Value value) const {
  auto sum = value.getDefiningOp<graph::AddOp>();
  return sum && !joint.forwardOps.contains(sum) ? sum : graph::AddOp();
}

/// The terms of a sum that are a piece and zeros.
void PadJoiner::collect(graph::AddOp sum, Pads &pads) const {
  for (Value term : sum->getOperands()) {
    if (!term.hasOneUse())
      continue;
    if (graph::AddOp inner = asSum(term)) {
      collect(inner, pads);
      continue;
    }
    auto pad = term.getDefiningOp<graph::PadOp>();
    if (pad && !joint.forwardOps.contains(pad) && isZero(pad.getValue()))
      pads.push_back(pad);
  }
}

/// Finds pieces that follow each other from `begin` to the end of an axis.
bool PadJoiner::follow(const Pads &pads, uint64_t dim, Expr begin, Pads &found) const {
  if (pads.empty())
    return false;
  graph::PadOp first = pads.front();
  Expr whole = GradientWriter::sizesOf(first)[dim];
  if (facts.isTrue(index::eq(begin, whole)))
    return found.size() > 1;
  for (graph::PadOp pad : pads) {
    if (pad.getDim() != dim || llvm::is_contained(found, pad) ||
        !facts.isTrue(index::eq(pad.getLow().getExpr(), begin)))
      continue;
    found.push_back(pad);
    if (follow(pads, dim, begin + GradientWriter::sizesOf(pad.getInput())[dim], found))
      return true;
    found.pop_back();
  }
  return false;
}

/// Puts the pieces where the last of them is added, and takes the others out of the sum.
void PadJoiner::join(const Pads &pads) {
  graph::PadOp last = *llvm::max_element(
      pads, [](graph::PadOp a, graph::PadOp b) { return a->isBeforeInBlock(b); });
  for (graph::PadOp pad : pads) {
    if (pad == last)
      continue;
    Operation *sum = *pad->user_begin();
    Value other = sum->getOperand(sum->getOperand(0) == pad.getResult() ? 1 : 0);
    sum->replaceAllUsesWith(ValueRange(other));
    joint.groupOf.erase(sum);
    sum->erase();
  }
  writer.builder.setInsertionPoint(last);
  SmallVector<Value> pieces;
  for (graph::PadOp pad : pads)
    pieces.push_back(pad.getInput());
  auto whole =
      graph::ConcatOp::create(writer.builder, last.getLoc(), last.getType(), pieces, last.getDim());
  if (auto group = joint.groupOf.find(last); group != joint.groupOf.end())
    joint.groupOf[whole] = group->second;
  last->replaceAllUsesWith(whole);
}

void PadJoiner::run() {
  SmallVector<graph::AddOp> sums;
  for (auto sum : joint.block().getOps<graph::AddOp>())
    if (asSum(sum) && !(sum->hasOneUse() && isa<graph::AddOp>(*sum->user_begin())))
      sums.push_back(sum);
  for (graph::AddOp sum : sums) {
    Pads pads;
    collect(sum, pads);
    llvm::SetVector<uint64_t> dims;
    for (graph::PadOp pad : pads)
      dims.insert(pad.getDim());
    for (uint64_t dim : dims)
      for (Pads found; follow(pads, dim, writer.constantSize(0), found); found.clear()) {
        join(found);
        llvm::erase_if(pads, [&](graph::PadOp pad) { return llvm::is_contained(found, pad); });
      }
  }
}

} // namespace

void joinPads(Joint &joint) { PadJoiner(joint).run(); }

} // namespace nereid::autodiff
