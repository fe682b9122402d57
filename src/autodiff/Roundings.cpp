// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/Roundings.h"

using namespace mlir;

namespace nereid::autodiff {

/// Whether an operator only says where elements are: what reads its result reads its operand.
static bool isView(Operation *op) {
  return isa<graph::BroadcastOp, graph::TransposeOp, graph::ReshapeOp, graph::ContiguousOp,
             graph::SliceOp, graph::FlipOp, graph::GatherOp, graph::WindowOp, graph::DetachOp>(op);
}

/// Whether all that reads a half, directly or through views, makes it as wide again as it was.
static bool isReadWide(Value half, Type wide) {
  return llvm::all_of(half.getUsers(), [&](Operation *user) {
    if (isView(user))
      return isReadWide(user->getResult(0), wide);
    return isa<graph::CastOp>(user) &&
           GradientWriter::typeOf(user->getResult(0)).getElementType() == wide;
  });
}

void settleLoops(func::FuncOp program) {
  program.walk([](graph::LoopOp loop) {
    loop.walk([](graph::CastOp cast) {
      if (cast.getElidable())
        cast->setAttr("graph.rounds", UnitAttr::get(cast.getContext()));
    });
  });
}

void settleRoundings(Joint &joint) {
  Builder builder(joint.program.getContext());
  int64_t next = 0;
  for (auto cast : joint.block().getOps<graph::CastOp>()) {
    if (!cast.getElidable() || !joint.forwardOps.contains(cast))
      continue;
    Operation *original = joint.originals.lookup(cast.getResult()).getDefiningOp();
    Type wide = GradientWriter::typeOf(cast.getInput()).getElementType();
    bool rounds = !isReadWide(cast.getResult(), wide);
    for (Operation *op : {cast.getOperation(), original}) {
      if (rounds)
        op->setAttr("graph.rounds", builder.getUnitAttr());
      op->setAttr("graph.half", builder.getI64IntegerAttr(next));
    }
    ++next;
  }
}

} // namespace nereid::autodiff
