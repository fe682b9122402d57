// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/folds/CascadeBody.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

std::optional<Body::Kind> bodyKindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Body::Kind>>(op)
      .Case([](graph::NegOp) { return Body::Kind::Neg; })
      .Case([](graph::AddOp) { return Body::Kind::Add; })
      .Case([](graph::SubOp) { return Body::Kind::Sub; })
      .Case([](graph::MulOp) { return Body::Kind::Mul; })
      .Case([](graph::DivOp) { return Body::Kind::Div; })
      .Case([](graph::ExpOp) { return Body::Kind::Exp; })
      .Case([](graph::Exp2Op) { return Body::Kind::Exp2; })
      .Default(std::nullopt);
}

bool keepsPrecision(const Value &value, const StoredSet &stored) {
  if (!value.isCast())
    return false;
  auto from = dyn_cast<FloatType>(value.inputs[0].from->elementType),
       to = dyn_cast<FloatType>(value.elementType);
  return from && to &&
         ((value.isElidableCast() && !value.isRounded && !stored.contains(&value)) ||
          (from.getFPMantissaWidth() <= to.getFPMantissaWidth() && from.getWidth() < 64));
}

Body opaqueBody(std::string reason) { return {Body::Kind::Opaque, 0, 0, std::move(reason), {}}; }

std::string whyOpaque(const Value &value) {
  if (value.isCast())
    return "what is made of elements and results is rounded";
  return (value.op->getName().stripDialect() + " is taken of elements and results together").str();
}

Access throughExtensions(Access access, const Program &program) {
  while (access.from->isCast() && isa<FloatType>(access.from->elementType) &&
         isa<FloatType>(access.from->inputs[0].from->elementType) &&
         access.from->elementType.getIntOrFloatBitWidth() >
             access.from->inputs[0].from->elementType.getIntOrFloatBitWidth())
    access = compose(access.from->inputs[0], access.at, program);
  return access;
}

} // namespace nereid::schedule
